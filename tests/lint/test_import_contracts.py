"""What is known in one place and nowhere else is looked for in every package."""

from __future__ import annotations

import tomllib
from pathlib import Path

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
