"""A public method of more than one line has a docstring; one of a single line may speak for itself."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def undocumented(source: str) -> Iterator[str]:
    """The public methods of public classes that are longer than one line and have no docstring."""
    for kind in ast.walk(ast.parse(source)):
        if not isinstance(kind, ast.ClassDef) or kind.name.startswith("_"):
            continue
        for method in kind.body:
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and not method.name.startswith("_"):
                length = (method.body[-1].end_lineno or 0) - method.body[0].lineno + 1
                if length > 1 and ast.get_docstring(method) is None and not _is_override(method):
                    yield f"{method.lineno}: {kind.name}.{method.name}"


def _is_override(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(one).endswith("override") for one in method.decorator_list)


def test_every_public_method_of_more_than_one_line_has_a_docstring() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    found = [
        f"{path.relative_to(ROOT)}:{place}"
        for package in tools["hatch"]["build"]["targets"]["wheel"]["packages"]
        for path in sorted((ROOT / package).rglob("*.py"))
        for place in undocumented(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_method_of_two_lines_without_a_docstring_is_found_and_one_of_a_line_is_not() -> None:
    source = "class A:\n    def one(self): return 1\n    def two(self):\n        x = 1\n        return x\n"
    assert list(undocumented(source)) == ["3: A.two"]
