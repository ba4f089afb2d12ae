"""Only `hal` may ask the computer for the time; this finds who else does.

    python tests/lint/clock_lint.py            all of the project
    python tests/lint/clock_lint.py FILE...    these files or folders

Exit status 1 when something is found: each line says file:line, what, and what to use. Durations come from the times
that values carry; a coroutine waits with `hal.loop.sleep_ns`; a test runs on `hal.loop.run_virtual` and never sleeps.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
MAY_ASK = ("hal", "benchmarks")
"""Folders that may: the clocks are in the one, and the other measures real time."""

MACHINES = ("tests/vm/", "tests/systems/")
"""What drives virtual machines and clean roots: real kernels, disks and other programs have real time alone."""
OF_OTHERS = ("examples/webhook_receiver.py",)
"""What runs on a computer that has none of this project."""

USE_VALUES = "take the time from the value's t_ns, or a hal.clock.Clock that was passed in"
USE_SLEEP = "wait with hal.loop.sleep_ns, on hal.loop.run_virtual in tests"

BANNED_MODULES = {"time": USE_VALUES, "sched": USE_SLEEP, "timeit": "measure in benchmarks/"}
BANNED_NAMES = {
    "datetime.datetime.now": USE_VALUES,
    "datetime.datetime.utcnow": USE_VALUES,
    "datetime.datetime.today": USE_VALUES,
    "datetime.date.today": USE_VALUES,
    "asyncio.sleep": USE_SLEEP,
    "threading.Timer": USE_SLEEP,
    "signal.alarm": USE_SLEEP,
    "signal.setitimer": USE_SLEEP,
    "os.times": USE_VALUES,
    "uuid.uuid1": USE_VALUES,
    "uuid.uuid7": USE_VALUES,
}
IMPORTERS = ("__import__", "importlib.import_module")
MAY_ASK_FOR_TIME = re.compile(
    r"""\b(sched|timeit|utcnow|sleep|Timer|alarm|setitimer|times|uuid1|uuid7)\b
    | \.[\s\\]*(time|now|today)\b
    | \b(import|from)\b[^\n]*(\btime\b|\\$)
    | ["']time["']""",
    re.VERBOSE | re.MULTILINE,
)
"""A source without any of these cannot ask: most are not parsed, which is what takes the lint its time."""


class Finding(NamedTuple):
    """One place where somebody asks for the time."""

    path: Path
    line: int
    what: str
    use: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what} outside hal; {self.use}"


def lint_source(source: str, path: Path) -> list[Finding]:
    """Every place in a source where it asks for the time, in the order of lines.

    Raises:
        SyntaxError: the source may ask for the time, and is not Python.
    """
    if not MAY_ASK_FOR_TIME.search(source):
        return []
    tree = ast.parse(source, filename=str(path))
    names = _imported_names(tree)
    found = {
        Finding(path, getattr(node, "lineno", 0), what, use)
        for node in ast.walk(tree)
        for what, use in _asks_for_time(node, names)
    }
    return sorted(found)


def lint_paths(paths: Iterable[Path]) -> list[Finding]:
    """Lints files, and every Python file below folders."""
    return [
        finding
        for path in paths
        for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])
        if not any(folder in file.as_posix() for folder in (*MACHINES, *OF_OTHERS))
        for finding in lint_source(file.read_text(encoding="utf-8"), file)
    ]


def project_paths(root: Path) -> list[Path]:
    """Every folder of the project that holds Python and may not ask for the time, and Python files beside them."""
    return [
        path
        for path in sorted(root.iterdir())
        if not path.name.startswith(".")
        and path.name not in (*MAY_ASK, "build", "dist")
        and (path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py"))))
    ]


def _imported_names(tree: ast.AST) -> dict[str, str]:
    """Local name -> what it stands for: `dt` -> `datetime.datetime`."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _asks_for_time(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from _module(alias.name)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield from _module(node.module)
        for alias in node.names:
            yield from _name(f"{node.module}.{alias.name}")
    elif isinstance(node, ast.Attribute | ast.Name):
        yield from _name(_dotted(node, names))
    elif isinstance(node, ast.Call):
        yield from _call(node, names)


def _module(name: str) -> Iterator[tuple[str, str]]:
    if name in BANNED_MODULES:
        yield f"import of {name}", BANNED_MODULES[name]


def _name(dotted: str) -> Iterator[tuple[str, str]]:
    if dotted in BANNED_NAMES:
        yield dotted, BANNED_NAMES[dotted]


def _call(node: ast.Call, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    called = _dotted(node.func, names)
    if called in IMPORTERS and node.args and isinstance(node.args[0], ast.Constant):
        yield from _module(str(node.args[0].value))
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "time" and not (node.args or node.keywords):
        # A loop's `time()`, whatever the loop is called.
        yield f"{ast.unparse(node.func)}()", USE_VALUES


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """What a name or an attribute stands for, as far as imports tell."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, names)}.{node.attr}"
    return ""


def main(arguments: list[str]) -> int:
    """Lints, prints what was found, and returns the exit status."""
    found = lint_paths([Path(argument) for argument in arguments] or project_paths(ROOT))
    for finding in found:
        path = finding.path
        print(finding._replace(path=path.relative_to(ROOT) if path.is_relative_to(ROOT) else path))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
