r"""What is on a table's wires, as lines of text: what a decoder is given on its standard input.

    suite 1.0                        the version of the suite with which the capture came
    capture money_wheel_mixed        the capture's name
    device money_wheel/quadrature    the device and how it is sensed
    table device.wheel.encoder_slots = 100
                                     a key of the table's file, as a line of TOML
    line wheel_a                     a line, link or button that the capture has
    begin                            values follow, in order of time

    edge 6046717000 wheel_b 1        a digital line took a level; the first of each line is the level found
    reading 6046717000 level_x 0.05  an analogue line had a value
    frame 6046717000 shoe C;00017    a link received a frame; bytes as in `hal.capture.string_values`
    lost 6046717000 wheel_a overflow 3
                                     changes of a line were lost: the cause, and how many where it is known
    command 6046717000 void by=ann   a person sent an order
    until 7000000000                 nothing at or before this time follows: answer what is due by then
    end                              nothing follows

Times are whole nanoseconds. Where an edge and another value have the same time, the edge is first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from hal.capture.command_text import command_text, read_command
from hal.capture.string_values import escape, unescape
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Loss, Rare, Reading

EDGE: Final = "edge"
UNTIL: Final = "until"
END: Final = "end"
BEGIN: Final = "begin"


class LineTextError(ValueError):
    """A line is not of this format; the message has the line."""


def value_lines(batch: Batch) -> Iterator[str]:
    """The values of a batch, in order of time."""
    rare = iter(batch.rare)
    following = next(rare, None)
    for edge in batch.edges:
        while following is not None and following.t_ns < edge.t_ns:
            yield _rare_line(following)
            following = next(rare, None)
        yield f"edge {edge.t_ns} {edge.line} {edge.level}"
    while following is not None:
        yield _rare_line(following)
        following = next(rare, None)


def time_of(line: str) -> int:
    """The time of the line of a value.

    Raises:
        LineTextError: it has none.
    """
    try:
        return int(line.split(" ", 2)[1])
    except (IndexError, ValueError) as error:
        raise LineTextError(f"{line!r} has no time") from error


def batches(lines: Iterable[str]) -> Iterator[Batch]:
    """The values between one `until` and the next, each as a batch, up to `end`.

    Raises:
        LineTextError: a line is not of this format.
    """
    edges: list[Edge] = []
    rare: list[Rare] = []
    for line in lines:
        kind, _, rest = line.partition(" ")
        try:
            if kind == EDGE:
                t_ns, name, level = rest.split(" ")
                edges.append(Edge(name, int(level), int(t_ns)))
            elif kind == UNTIL:
                yield Batch(edges, rare, int(rest))
                edges, rare = [], []
            elif kind == END:
                return
            else:
                rare.append(_rare(kind, rest))
        except (ValueError, KeyError) as error:
            raise LineTextError(f"{line!r}: {error}") from error


def _rare_line(value: Rare) -> str:
    match value:
        case Reading(line, number, t_ns):
            return f"reading {t_ns} {line} {number!r}"
        case Frame(link, data, t_ns):
            return f"frame {t_ns} {link} {escape(data)}"
        case EdgesLost(line, cause, t_ns, missing):
            return f"lost {t_ns} {line} {cause}" + ("" if missing is None else f" {missing}")
        case Command():
            return f"command {value.t_ns} {command_text(value)}"


def _rare(kind: str, rest: str) -> Rare:
    time, _, given = rest.partition(" ")
    t_ns = int(time)
    name, _, text = given.partition(" ")
    match kind:
        case "reading":
            return Reading(name, float(text), t_ns)
        case "frame":
            return Frame(name, unescape(text.encode()), t_ns)
        case "lost":
            cause, _, missing = text.partition(" ")
            return EdgesLost(name, Loss(cause), t_ns, int(missing) if missing else None)
        case "command":
            return read_command(given, t_ns)
    raise ValueError("no line begins so")
