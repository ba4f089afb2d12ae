"""One name, one thing: no two modules, of what is shipped or of what makes and measures it, have a public class of the
same name."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BESIDE = ("benchmarks", "firmware", "systemd")
"""Folders of Python that is not shipped."""


def shared_names(sources: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """The public classes that several modules define, with those modules; `sources` are texts by module."""
    modules: dict[str, list[str]] = defaultdict(list)
    for module, source in sources.items():
        for one in ast.parse(source).body:
            if isinstance(one, ast.ClassDef) and not one.name.startswith("_"):
                modules[one.name].append(module)
    return {name: found for name, found in sorted(modules.items()) if len(found) > 1}


def test_a_public_class_has_a_name_of_its_own() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    packages = tools["hatch"]["build"]["targets"]["wheel"]["packages"]
    paths = [path for package in (*packages, *BESIDE) for path in sorted((ROOT / package).rglob("*.py"))]
    found = shared_names({str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths})
    assert found == {}


def test_a_name_that_two_modules_have_is_found_and_a_private_one_is_not() -> None:
    first, second = "class Step: ...\nclass _Own: ...\n", "class Step: ...\nclass _Own: ...\nclass Other: ...\n"
    assert shared_names({"a.py": first, "b.py": second}) == {"Step": ["a.py", "b.py"]}
