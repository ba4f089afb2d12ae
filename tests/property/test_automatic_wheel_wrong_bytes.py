"""One wrong byte anywhere on the line of an automatic wheel: bytes of each line of an evening, one at a time.

Each gives no outcome that is not the ball's, calls no round unresolved in which no ball was in the rim, and leaves no
fault behind.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

import pytest

from controller.games.assembly import table_for
from feed import events
from hal.capture.command_text import read_command
from hal.framing import LineFramer
from hal.values import Batch, Rare
from simulators.roulette.star_x import StarXChunk, StarXSimulator, frames
from tests.tables.automatic_wheel import LINK, TABLE
from tests.tables.bench import VERDICTS, EventList, configured

S: Final = 1_000_000_000
CONFIG: Final = configured(TABLE)
SPINS: Final = (None, "misfire", None, "misfire_for_good", "power_cycle_while_open", None, "no_launch", None)
"""What is played: clean spins, and games in which no ball comes into the rim."""
KEPT: Final = 3
"""Of the statuses of one state in a row, as many at each end are kept: more of what matters in fewer bytes."""
APART: Final = 6
"""The bytes of a line that are wrong, one at a time, are this far apart: as many lines of a state have each of them."""
STATE: Final = 3
"""The place of the state in a status."""
OTHERS: Final = b"0123456789 ;*XY\r\n\x00\xff"


class Part(NamedTuple):
    """One game of the evening: its lines, and where the ball is in the rim."""

    lines: list[StarXChunk]
    until_ns: int
    pocket: str | None
    """The number that the ball came to rest in."""
    in_rim_ns: int | None
    """From when on the ball is in the rim; None where it never is."""


def evening(seed: int) -> list[Part]:
    """The games, half a second between any two lines, and silences as the wheel has them."""
    simulator = StarXSimulator(seed)
    parts: list[Part] = []
    t_ns = S
    for fault in SPINS:
        spin = simulator.spin(fault)
        lines: list[StarXChunk] = []
        in_rim_ns = None
        for chunk in shortened(b"".join(chunk.data for chunk in spin.chunks)):
            bare = not chunk.startswith(b"*X")
            t_ns += S // 2 if not bare else 0
            if chunk.startswith(b"*X;3") and in_rim_ns is None:
                in_rim_ns = t_ns
            if chunk == b"00;0\r\n":
                t_ns += 9 * S
            lines.append(StarXChunk(t_ns, chunk))
        t_ns += S // 2
        parts.append(Part(lines, t_ns, spin.truth.pocket, in_rim_ns))
    return parts


def shortened(data: bytes) -> list[bytes]:
    """The lines, without most of the statuses in the middle of each state."""
    lines = data.splitlines(keepends=True)
    runs: list[list[bytes]] = []
    for line in lines:
        if runs and runs[-1][-1][:4] == line[:4] and line.startswith(b"*X"):
            runs[-1].append(line)
        else:
            runs.append([line])
    return [
        line
        for run in runs
        for k, line in enumerate(run)
        if k < KEPT or k >= len(run) - KEPT or fields(line, run[k - 1])
    ]


def fields(line: bytes, before: bytes) -> bool:
    """Whether a status has another flag, number or direction than the one before."""
    return line[5:14] + line[18:19] != before[5:14] + before[18:19]


def played(parts: list[Part]) -> tuple[list[EventList], int]:
    """What the table reports in each game, and how many faults stay: a supervisor clears them each second."""
    table = table_for(CONFIG, epoch="sim", simulated=True)
    table.open(0)
    framer = LineFramer(max_length=32)
    said: list[EventList] = []
    begin_ns = 0
    for part in parts:
        rare: list[Rare] = [*frames(part.lines, LINK, framer)]
        rare += [read_command("clear device=wheel by=ann", t) for t in range(begin_ns + S // 3, part.until_ns, S)]
        rare.sort(key=lambda value: value.t_ns)
        said.append(EventList(table.feed(Batch([], rare, part.until_ns))))
        begin_ns = part.until_ns
    return said, len(table.faults.standing)


def wrong(parts: list[Part], at: tuple[int, int, int], byte: int) -> list[Part]:
    """The evening with one byte of one line changed."""
    part, line, place = at
    lines = list(parts[part].lines)
    t_ns, data = lines[line]
    lines[line] = StarXChunk(t_ns, data[:place] + bytes([byte]) + data[place + 1 :])
    return [*parts[:part], parts[part]._replace(lines=lines), *parts[part + 1 :]]


def judge(parts: list[Part], at: tuple[int, int, int], byte: int) -> None:
    """Plays it from the game before the wrong byte to two games after it."""
    first = max(0, at[0] - 1)
    of_these = wrong(parts, at, byte)[first : at[0] + 3]
    said, standing = played(of_these)
    what = (at, bytes([byte]), parts[at[0]].lines[at[1]].data)
    for part, heard in zip(of_these, said, strict=True):
        numbers = [event.data.result["pocket"] for event in heard if isinstance(event.data, events.Outcome)]
        assert numbers in ([], [part.pocket]), (what, heard.story())
        for event in heard:
            if isinstance(event.data, events.Unresolved):
                assert part.in_rim_ns is not None, (what, heard.story())
                assert event.data.mono_ns >= part.in_rim_ns, (what, heard.story())
        verdicts = [event.data for event in heard if isinstance(event.data, VERDICTS)]
        assert verdicts or part.in_rim_ns is None, (what, heard.story())
    assert standing == 0, what
    if of_these[-1].pocket is not None:
        assert said[-1].of(events.Outcome), (what, said[-1].story())


PARTS: Final = evening(5)


def test_the_evening_itself_gives_each_number() -> None:
    said, standing = played(PARTS)
    for part, heard in zip(PARTS, said, strict=True):
        assert [outcome.result["pocket"] for outcome in heard.of(events.Outcome)] == [part.pocket] * bool(part.pocket)
    assert standing == 0


LINES: Final = [(part, line) for part in range(1, len(PARTS) - 2) for line in range(len(PARTS[part].lines))]


def with_each_byte_wrong(part: int, line: int, places: range) -> None:
    """Changes each of these bytes of the line, and that of the state into each digit."""
    data = PARTS[part].lines[line].data
    rng = random.Random(f"{part}/{line}")
    for place, byte in enumerate(data):
        # Each digit in the place of the state, any byte elsewhere.
        others = b"1234567" if place == STATE else rng.choices(OTHERS)
        if place == STATE or place in places:
            for other in others:
                if other != byte:
                    judge(PARTS, (part, line, place), other)


@pytest.mark.parametrize(("part", "line"), LINES[::2])
def test_one_wrong_byte_calls_nothing_that_was_not(part: int, line: int) -> None:
    """A sixth of the bytes of every other line: the next lines are alike, and have the others wrong."""
    with_each_byte_wrong(part, line, range(line % APART, len(PARTS[part].lines[line].data), APART))


@pytest.mark.soak
@pytest.mark.parametrize(("part", "line"), LINES)
def test_no_wrong_byte_calls_anything_that_was_not(part: int, line: int) -> None:
    with_each_byte_wrong(part, line, range(len(PARTS[part].lines[line].data)))
