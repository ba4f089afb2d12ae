"""Whatever hands, wires, orders and power cuts do to a table, its events tell one story without a contradiction.

An evening of spins is cut anywhere: orders of every kind come in between, lines die and live again, the service finds
faults of its own, and is killed or stopped and begins again from what the journal holds. `Story` is the judge: it knows
the events only, and says at the first one that cannot be.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from random import Random
from typing import Any, NamedTuple

import pytest

from controller.games.assembly import geometry_of, table_for
from feed import events
from feed.events import Event, Verdict, decode, encode
from feed.state import RECENT_ROUNDS, TableState
from hal.capture.command_text import read_command
from hal.values import Batch, Edge, EdgesLost, Loss, Rare
from tests.shares import first_of
from tests.tables.bench import configured
from tests.tables.money_lines import TURN, MoneyLines, S, money_toml
from tests.tables.roulette_lines import roulette_toml

TABLE = "wheel-1"
SPACES = tuple(str(space) for space in range(50))
POCKETS = ("0", "00", *(str(number) for number in range(1, 37)))
BUTTONS = ("dealer_no_more_bets", "dealer_settled", "dealer_void", "supervisor_key")
LINES = ("wheel_a", "wheel_index", "rotor_a", "ball_1", *BUTTONS)
CHECKS = "turns_freely,pegs_and_indicator,parts_secure"
ORDERS = (
    *("open by=ann", "open by=ann", "close reason=late by=ann", "close reason=fire by=ann force=true"),
    *("clear device=wheel by=ann", "clear device=dealer by=ann", "clear device=disk by=ann"),
    *("no_more_bets", "settle", "void", "void round={n}", "void round={n} reason=wheel_revolutions why=seen"),
    *("confirm {result} by=bob", "confirm {result} round={n} by=bob", "confirm pocket=0 by=bob"),
    *("correct round={n} {result} by=ann why=seen", "correct round={n} reason=dealer_call by=ann why=seen"),
    *("inspect_start device=wheel by=tom", f"inspect_pass device=wheel checks={CHECKS} by=ann"),
    *("inspect_fail device=wheel checks=parts_secure by=tom", "quit", "dance id=x"),
)


def said_of(data: events.Outcome | events.Void | events.Unresolved) -> Verdict:
    """What a verdict puts in place."""
    if isinstance(data, events.Outcome):
        return Verdict(verdict="outcome", result=data.result)
    return Verdict(verdict="void" if isinstance(data, events.Void) else "unresolved", reason=data.reason)


class Story:
    """Every event of a table, over all its starts; each is checked when it is told."""

    def __init__(self) -> None:
        self.epoch = ""
        self.seq = 0
        self.playing = False
        self.round = 0
        self.stands: dict[int, Verdict] = {}
        self.candidates: dict[int, list[dict[str, Any]]] = {}
        self.blocking: dict[tuple[str, str], bool] = {}
        self.paying = False
        """Whether the bets of the last round wait to be settled."""
        self.state = TableState(TABLE)
        """The fold, which must know the same."""

    def tell(self, event: Event) -> None:
        """The next event."""
        if event.seq is None:
            return
        self.state.apply(decode(encode(event)))
        data, first = event.data, event.epoch != self.epoch
        if first:
            assert isinstance(data, events.TableOpened | events.TableClosed), "an epoch begins with neither"
            was = (self.epoch, self.seq) if self.seq else (None, None)
            assert (data.previous_epoch, data.previous_sequence) == was
            self.paying = False
        assert event.seq == self.seq + 1
        self.epoch, self.seq = event.epoch, event.seq
        match data:
            case events.TableOpened():
                assert first or not (self.playing or self.shut), "opened while open, or while a fault is latched"
                self.playing = True
            case events.TableClosed():
                assert first or self.undecided is None, "closed while a round is open"
                self.playing = False
            case events.RoundOpened():
                assert self.playing and not self.shut, "a round at a closed or shut table"
                assert self.undecided is None and not self.paying, "a round before the last was over"
                assert data.round == self.round + 1
                self.round = data.round
            case events.ProcedureViolation(reason="called_after_void"):
                assert (data.round, self.undecided) == (self.round, None)
            case events.NoMoreBets() | events.RoundStarted() | events.ProcedureViolation():
                assert data.round == self.undecided
            case events.Outcome() | events.Void() | events.Unresolved():
                self.verdict(data)
            case events.RoundCorrected():
                self.corrected(data)
            case events.Settled():
                assert self.paying and data.round == self.round, "settled what nobody pays"
                self.paying = False
            case events.DeviceFault():
                key = (data.device, data.fault)
                new = key not in self.blocking or (data.blocks_play and not self.blocking[key])
                assert new != data.before_restart, "a fault that stood is told as new, or the other way round"
                self.blocking[key] = data.blocks_play
            case events.DeviceCleared():
                del self.blocking[data.device, data.fault]

    @property
    def shut(self) -> bool:
        """Whether a fault stands that blocks play."""
        return any(self.blocking.values())

    @property
    def undecided(self) -> int | None:
        """The round that is open."""
        return self.round if self.round and self.round not in self.stands else None

    def verdict(self, data: events.Outcome | events.Void | events.Unresolved) -> None:
        """A round has its verdict, once."""
        assert data.round == self.undecided, "a verdict on a round that is not open"
        assert self.playing, "a verdict at a closed table"
        assert not (isinstance(data, events.Outcome) and self.shut), "an outcome of a table that is shut"
        self.stands[data.round] = said_of(data)
        if isinstance(data, events.Unresolved):
            self.candidates[data.round] = data.candidates
        self.paying = not isinstance(data, events.Void) and not self.shut

    def corrected(self, data: events.RoundCorrected) -> None:
        """A person puts something else in place of what stands of a round that had its verdict."""
        assert data.from_ == self.stands[data.round] != data.to
        assert data.round > self.round - RECENT_ROUNDS - 1
        assert data.by and (data.why or data.confirmed)
        if data.confirmed:
            assert data.from_.verdict == "unresolved"
            assert data.to.verdict == "void" or data.to.result in self.candidates[data.round]
        assert bool(data.winning) == (data.to.verdict == "outcome")
        self.stands[data.round] = data.to


class Lines(NamedTuple):
    """What the lines of a table do in an evening."""

    edges: list[Edge]
    rare: list[Rare]
    until_ns: int


@cache
def money_wheel() -> Lines:
    """Spins that are good, short, early, and turned back; buttons pressed at all times."""
    lines = MoneyLines().rest(3)
    random = Random(1)
    for counts in (4 * TURN, TURN, 5 * TURN, 10, 4 * TURN, 4 * TURN, 6 * TURN):
        if counts != 5 * TURN:
            lines.call()
        lines.spin(counts, rollback=2 if counts == 6 * TURN else 0).rest(random.choice((1, 9)))
        lines.pressed_at(random.choice(BUTTONS), lines.now_ns / S - 0.5).rest(2)
    for button in BUTTONS:
        lines.pressed_at(button, lines.now_ns / S).rest(1)
    return Lines(lines.edges(), [], lines.now_ns)


@cache
def roulette() -> Lines:
    """Spins of a simulated wheel, sound ones and others."""
    simulator = geometry_of(configured(roulette_toml())).simulator(1)
    faults = (None, "same_direction", None, "tilt", "dead_sensor", None)
    played = [simulator.start(), *(simulator.round(fault).batch for fault in faults)]
    rare = [value for batch in played for value in batch.rare]
    return Lines([edge for batch in played for edge in batch.edges], rare, played[-1].until_ns)


class Evening:
    """One table, its journal, and what befalls it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        inspection = 'inspection = "opening"\n' if seed % 4 == 3 else ""
        buttons = ", ".join(f'"{button}"' for button in BUTTONS if button != "dealer_settled" or seed % 2)
        if seed % 5 == 4:
            self.lines, text = roulette(), roulette_toml(call="button", buttons=buttons)
        else:
            sensing = 'sensing = "pegs"' if seed % 4 == 2 else ""
            self.lines, text = money_wheel(), money_toml(buttons=buttons, device=sensing)
        self.config = configured(text.replace("roulette-1", TABLE).replace("[lines]", f"{inspection}[lines]"))
        self.results = ("pocket", POCKETS) if seed % 5 == 4 else ("space", SPACES)
        self.story = Story()
        self.starts = 0
        self.begin(0)

    def begin(self, t_ns: int) -> None:
        """The service starts, with what the journal holds."""
        self.starts += 1
        opens = None if self.starts == 1 else self.random.random() < 0.3
        self.table = table_for(self.config, epoch=f"e{self.starts}", simulated=True, opens=opens)
        unfinished = self.story.undecided
        if self.story.seq:
            self.table.restore(self.story.state)
        said = self.table.open(t_ns)
        voided = [event.data.round for event in said if isinstance(event.data, events.Void)]
        assert voided == ([] if unfinished is None else [unfinished]), "an interrupted round is not void"
        self.hear(said)

    def hear(self, said: list[Event]) -> None:
        """What the table said goes into the journal; then table, journal and judge must agree on how it stands."""
        for event in said:
            self.story.tell(event)
        state = self.story.state
        assert state.state == ("closed" if self.table.state == "inspecting" else self.table.state)
        standing = {(fault.device, fault.fault): fault.blocks_play for fault in self.table.faults.standing}
        assert standing == {(one.device, one.fault): one.blocks_play for one in state.faults} == self.story.blocking
        assert state.unfinished_round == self.story.undecided
        stands = {record.round: record.stands for record in state.rounds}
        assert stands == {number: self.story.stands[number] for number in stands}

    def befall(self, t_ns: int) -> list[Rare]:
        """Something happens at a time, or nothing; returns what of it comes over wires."""
        random = self.random
        what = random.randrange(12)
        if what == 0:
            line = random.choice(LINES)
            return [EdgesLost(line, random.choice((Loss.UNPLUGGED, Loss.OVERFLOW)), t_ns)]
        if what == 1:
            device, blocks = random.choice((("disk", True), ("disk", False), ("clock", True)))
            cause = random.choice(("", "no room"))
            self.hear(self.table.raise_fault(device, "trouble", "it is told", t_ns, blocks_play=blocks, cause=cause))
        elif what == 2:
            self.table.cause_gone("disk", "no room")
            self.table.cause_gone("clock", "no room")
        elif what == 3:
            if random.random() < 0.5:
                self.hear(self.table.close(t_ns, "the service stops"))
            self.begin(t_ns)
        elif what < 10:
            key, names = self.results
            number, name = random.randint(1, self.story.round + 1), random.choice(names)
            candidates = self.story.candidates.get(number)
            if candidates and random.random() < 0.7:
                name = str(candidates[0][key])
            return [read_command(random.choice(ORDERS).format(n=number, result=f"{key}={name}"), t_ns)]
        return []

    def pass_by(self) -> None:
        """The evening, from its first edge to its last."""
        edges, rare, until_ns = self.lines
        cuts = sorted(self.random.sample(range(1, until_ns), 60))
        at = seen = 0
        levels: dict[str, int] = {}
        for cut_ns in [*cuts, until_ns]:
            end = bisect_right(edges, cut_ns, key=lambda edge: edge.t_ns)
            last = bisect_right(rare, cut_ns, key=lambda value: value.t_ns)
            batch = edges[at:end]
            self.hear(self.table.feed(Batch(batch, rare[seen:last], cut_ns)))
            levels.update((edge.line, edge.level) for edge in batch)
            at, seen, starts = end, last, self.starts
            more = self.befall(cut_ns)
            found = [Edge(line, level, cut_ns) for line, level in levels.items()] if starts != self.starts else []
            self.hear(self.table.feed(Batch(found, more, cut_ns)))


QUICK = 40
ALL = 2_000


@pytest.mark.parametrize("seed", first_of(QUICK, range(ALL)))
def test_the_story_of_a_table_never_contradicts_itself(seed: int) -> None:
    Evening(seed).pass_by()


def test_the_evenings_see_all_that_can_happen() -> None:
    kinds: set[type[events.Data]] = set()
    verdicts: set[str] = set()
    for seed in range(QUICK):
        one = Evening(seed)
        tell = one.story.tell

        def kept(event: Event, tell=tell) -> None:  # type: ignore[no-untyped-def]
            kinds.add(type(event.data))
            tell(event)

        one.story.tell = kept  # type: ignore[method-assign]
        one.pass_by()
        verdicts |= {verdict.verdict for verdict in one.story.stands.values()}
    assert {events.Outcome, events.Void, events.Unresolved, events.RoundCorrected, events.Settled} <= kinds
    assert {events.TableClosed, events.DeviceFault, events.DeviceCleared} <= kinds
    assert verdicts == {"outcome", "void", "unresolved"}
