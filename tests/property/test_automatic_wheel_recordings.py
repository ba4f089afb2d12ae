"""Evenings of an automatic wheel written by hand from what was recorded of real ones, without the simulator.

The rotor reverses at the launch in state 2 and after each retry; flags, long waits, power cycles and silences; lines
that are sent twice, replies between them, and every way to end a line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

import pytest

from controller.games.assembly import table_for
from feed import events
from hal.capture.command_text import read_command
from hal.framing import LineFramer
from hal.values import Batch, Frame, Rare
from tests.tables.automatic_wheel import LINK, TABLE
from tests.tables.bench import VERDICTS, EventList, configured

S: Final = 1_000_000_000
LINE_ENDS: Final = (b"\r\n", b"\n", b"\r", b"\n\r", b"\r\n\r\n")
REPLIES: Final = (b"*  NO", b"*) NO", b"*P OK", b"*o BUSY", b"*V 2.50", b"*Y;1;003")
CLEAN: Final = ("plain", "retry", "long wait", "idle")
KINDS: Final = (*CLEAN, *CLEAN, "flag 1", "flag 2", "flag 4", "flag 4, power", "no launch", "silence", "silence open")
POCKETS: Final = ("00", *map(str, range(37)))


class Played(NamedTuple):
    """One game: from when to when, from when on a ball was in the rim, and its number."""

    kind: str
    from_ns: int
    until_ns: int
    in_rim_ns: int | None
    pocket: str | None


@dataclass
class RecordedWheel:
    """Sends what a real wheel sends; `rpm` is in tenths."""

    rng: Random
    t_ns: int = S
    number: int = 0
    shown: str = "  "
    direction: int = 0
    rpm: float = 0.0
    sent: list[tuple[int, bytes]] = field(default_factory=list)

    def stay(self, state: int, seconds: float, flag: int = 0, rpm: float | None = None) -> None:
        """One state for this long, one status at least."""
        end_ns = self.t_ns + round(seconds * S)
        rng = self.rng
        while True:
            speed = self.rpm if rpm is None else rpm
            speed = max(0, round(speed + rng.gauss(0, 0.6))) if speed else 0
            line = b"*X;%d;%03d;%2s;%X;%03d;%d" % (
                state,
                self.number,
                self.shown.encode(),
                flag,
                speed,
                self.direction,
            )
            self.sent.append((self.t_ns, line))
            if rng.random() < 0.03:
                self.sent.append((self.t_ns + rng.randrange(S // 5), line))
            if rng.random() < 0.01:
                self.sent.append((self.t_ns + S // 10, rng.choice(REPLIES)))
            self.t_ns += round(
                rng.choice([0.432, 0.5, 0.501, 0.501, 0.502, 0.502 if rng.random() < 0.9 else 1.471]) * S
            )
            if self.t_ns >= end_ns:
                return

    def silence(self, seconds: float) -> None:
        """Nothing comes."""
        self.t_ns += round(seconds * S)

    def power_cycle(self) -> None:
        """Silence, the tail of a frame, and a wheel that knows nothing of before."""
        self.silence(self.rng.uniform(2.6, 60))
        self.sent.append((self.t_ns, b"00;0"))
        self.silence(0.5)
        self.number, self.shown, self.direction, self.rpm = 0, "  ", 0, 0.0
        self.stay(6, self.rng.uniform(4, 20))

    def launch(self, times: int) -> None:
        """The rotor stands and reverses, again after each launch that fails."""
        for left in reversed(range(times)):
            self.stay(2, 0.5, rpm=0)
            self.direction ^= 1
            self.stay(2, 2, rpm=0)
            if left:
                self.stay(2, self.rng.choice([0.1, 0.1, 3, 29]), 8, rpm=self.rng.choice([0, 150]))
        self.rpm = self.rng.uniform(159, 180)

    def play(self, kind: str) -> Played:
        """One game of this kind."""
        rng, from_ns = self.rng, self.t_ns
        if kind == "idle":
            self.stay(6, rng.uniform(5, 60))
        self.stay(1, rng.uniform(0.4, 6))
        self.number = (self.number + 1) % 1000
        self.stay(
            2, rng.uniform(200, 592) if kind == "long wait" else rng.uniform(8, 30), rpm=rng.choice([0, self.rpm])
        )
        if kind == "no launch":
            self.stay(6, 20, rpm=0)
            return Played(kind, from_ns, self.t_ns, None, None)
        if kind == "silence open":
            self.silence(rng.uniform(2.3, 30))
            self.stay(2, 5)
        self.launch(rng.randrange(2, 5) if kind == "retry" else 1)
        in_rim_ns = self.t_ns
        pocket = self.run(kind)
        return Played(kind, from_ns, self.t_ns, in_rim_ns, pocket)

    def run(self, kind: str) -> str | None:
        """From the ball in the rim on; returns the number that counts, if there is one."""
        rng = self.rng
        flag = {"flag 1": 1, "flag 2": 2}.get(kind, 0)
        self.stay(3, rng.uniform(2, 8.5), flag if rng.random() < 0.5 else 0)
        self.rpm += rng.uniform(-20, 20)
        if kind.startswith("flag 4"):
            for step in range(59):
                self.stay(4, 0, 4, 270 * (1 - step / 59))
            if kind == "flag 4":
                self.stay(6, rng.uniform(5, 60), 4, rpm=0)
                self.stay(6, 4, rpm=0)
            else:
                self.power_cycle()
            return None
        if kind == "silence":
            self.stay(4, 3)
            self.silence(rng.uniform(2.2, 25))
        self.stay(4, rng.uniform(7.5, 32), flag)
        if flag and rng.random() < 0.5:
            self.stay(rng.choice([1, 2, 6]), 5)
            return None
        self.shown = rng.choice(POCKETS)
        self.sent.append((self.t_ns - 30_000_000, b"%2s" % self.shown.encode()))
        self.stay(5, rng.uniform(0.9, 8))
        return self.shown if kind in (*CLEAN, "silence open") else None


def evening(seed: int) -> tuple[list[Played], EventList, int]:
    """The games, what the table reported with a supervisor who clears every other second, and the faults that stay."""
    rng = Random(seed)
    wheel = RecordedWheel(rng, number=rng.randrange(1000))
    games = [wheel.play(rng.choice(KINDS)) for _ in range(14)]
    framer, end = LineFramer(max_length=32), rng.choice(LINE_ENDS)
    wheel.sent.sort(key=lambda sent: sent[0])
    rare: list[Rare] = [
        Frame(LINK, frame, t_ns) for t_ns, line in wheel.sent for frame in framer.feed(line + end).frames
    ]
    rare += [read_command("clear device=wheel by=ann", t_ns) for t_ns in range(S, wheel.t_ns, 2 * S)]
    rare.sort(key=lambda value: value.t_ns)
    table = table_for(configured(TABLE), epoch="sim", simulated=True)
    table.open(0)
    said = EventList(table.feed(Batch([], rare, wheel.t_ns)))
    return games, said, len(table.faults.standing)


@pytest.mark.parametrize("seed", range(24))
def test_each_clean_spin_has_its_number_each_ball_one_verdict_and_no_fault_stays(seed: int) -> None:
    games, said, standing = evening(seed)
    for game in games:
        heard = [
            event.data
            for event in said
            if isinstance(event.data, VERDICTS) and game.from_ns <= event.data.mono_ns < game.until_ns
        ]
        numbers = [one.result["pocket"] for one in heard if isinstance(one, events.Outcome)]
        assert numbers == ([] if game.pocket is None else [game.pocket]), (game, heard)
        if game.in_rim_ns is None:
            assert heard == [], game
            continue
        assert len([one for one in heard if one.mono_ns >= game.in_rim_ns]) == 1, (game, heard)
        for before in heard:
            assert before.mono_ns >= game.in_rim_ns or isinstance(before, events.Void), (game, heard)
    assert standing == 0
