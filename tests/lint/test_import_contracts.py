"""The contracts name every shipped package, and look in each for what is known in one place and nowhere else."""

from __future__ import annotations

import tomllib
from pathlib import Path

from controller.packages.files import PACKAGES

ROOT = Path(__file__).parents[2]


def test_what_is_known_nowhere_else_is_looked_for_in_every_package() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contracts = {
        one["name"]: one["source_modules"]
        for one in linter["contracts"]
        if one["type"] == "forbidden" and "nowhere else" in one["name"]
    }
    assert {word for name in contracts for word in ("pygame", "NATS", "DuckDB") if word in name} == {
        "pygame",
        "NATS",
        "DuckDB",
    }
    incomplete = [name for name, sources in contracts.items() if set(sources) != set(linter["root_packages"])]
    assert incomplete == []


def test_every_shipped_package_is_in_the_contracts_the_types_and_the_certificate() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    shipped = tools["hatch"]["build"]["targets"]["wheel"]["packages"]
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"}
    assert set(shipped) == folders
    assert tools["importlinter"]["root_packages"] == shipped
    assert [one for one in tools["mypy"]["files"] if one in shipped] == shipped
    assert list(PACKAGES) == shipped
