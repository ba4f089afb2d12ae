"""Which variable of a capture is which line of the table.

A wanted name means a variable by its own name where that is unique, and by its dotted path always. Two variables
with one id are one signal under two names, which is no ambiguity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hal.capture.errors import CaptureError
from hal.capture.header import CaptureHeader, Variable, VariableKind

COMMAND = "command"
"""The line of what people sent; its values are `Command`."""

LOST = "lost"
"""The line of the losses that were told while recording; its values are `EdgesLost`."""


class SelectedVariable(NamedTuple):
    """A variable that is delivered, and under which line name."""

    line: str
    variable: Variable


def resolve(header: CaptureHeader, names: Mapping[str, str] | None, path: str) -> list[SelectedVariable]:
    """The variables that `names` (name in the file -> line) asks for, those that the file declares.

    None asks for every line under its own name, or under its dotted path where that name is not unique. `command`
    and `lost` are always wanted. `CaptureError` for a name that means several variables, a variable that no line
    can be, and two variables for one line.
    """
    by_name: dict[str, list[Variable]] = {}
    for variable in header.variables:
        by_name.setdefault(variable.name, []).append(variable)
    if names is None:
        names = {
            name: name
            for variable in header.variables
            if variable.kind is not VariableKind.OTHER
            for name in [variable.name if _one_signal(by_name[variable.name]) else variable.path]
        }
    wanted: dict[str, Variable] = {}
    for name, line in names.items():
        found = _find(header, by_name, name, path)
        if found is None:
            continue
        if found.kind is VariableKind.OTHER:
            raise CaptureError(
                path,
                found.line,
                f"`{found.path}` is wanted as line `{line}`, but it is {found.width} bits wide or an event",
                "a line is one `wire` of 1 bit: export its bits one by one, or name another variable",
            )
        if line in wanted and wanted[line].ident != found.ident:
            raise CaptureError(
                path,
                found.line,
                f"`{found.path}` and `{wanted[line].path}` are both wanted as line `{line}`",
                "map one variable to each line",
            )
        wanted[line] = found
    for reserved in (COMMAND, LOST):
        strings = [variable for variable in by_name.get(reserved, ()) if variable.kind is VariableKind.STRING]
        if reserved not in wanted and strings:
            wanted[reserved] = _the_one(strings, reserved, path)
    return [SelectedVariable(line, variable) for line, variable in wanted.items()]


def _find(header: CaptureHeader, by_name: Mapping[str, list[Variable]], name: str, path: str) -> Variable | None:
    found = by_name.get(name) or [
        variable for variable in header.variables if name.endswith(variable.name) and variable.path == name
    ]
    return _the_one(found, name, path) if found else None


def _the_one(found: list[Variable], name: str, path: str) -> Variable:
    if _one_signal(found):
        return found[0]
    paths = ", ".join(sorted(f"`{variable.path}`" for variable in found[:8]))
    raise CaptureError(
        path,
        found[1].line,
        f"`{name}` is wanted, and means {len(found)} variables: {paths}",
        "name the one by its dotted path, or rename it in the file",
    )


def _one_signal(variables: list[Variable]) -> bool:
    return len({variable.ident for variable in variables}) == 1
