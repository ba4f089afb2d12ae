"""A sic bo table under test, in virtual time: people cover, shake and key; lamps and a shaker answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from controller.games.assembly import own_time, table_for
from controller.games.sic_bo.rounds import SicBoGame
from controller.table.orders.order import CommandResult
from drivers.dice.frame_wire import FROM_HOST, FrameCommand, ShakerFrame, encode_frame
from drivers.dice.reader_wire import BoardLine, BoardState, Die, encode_line
from feed.events import Event, decode, encode
from feed.state import Snapshot, TableState
from hal.capture.command_text import read_command
from hal.lamp_fields import CHAIN, read_back
from hal.values import Batch, Edge, EdgesLost, Frame, LightLamps, Loss, Output, Rare, SendFrame, SetLine
from simulators.base.answering import play_through
from simulators.dice.automated_shaker import AutomatedShakerSimulator
from tests.tables.bench import EventList, configured

S = 1_000_000_000
START = encode_frame(ShakerFrame(FrameCommand.START, FROM_HOST))
MS = 1_000_000
OLD, NEW = "njac-19:47", "njac-13:69F"
LINES = ("cover", "shake", *(f"key_{value}" for value in range(1, 7)), "key_enter", "key_clear")
BUTTONS = ("dealer_no_more_bets", "dealer_settled", "dealer_void", "supervisor_key")


def sic_bo_toml(rules: str = NEW, *, devices: str = "", game: str = "", table: str = "") -> str:
    """The file of a simulated table with all its buttons."""
    return (
        f'[table]\nid = "sic-bo-1"\ngame = "sic_bo"\nrules = "{rules}"\n{table}\n[lines]\nbackend = "sim"\n'
        f"[device.dealer]\nbuttons = {list(BUTTONS)}\n{devices}\n[game]\n{game}\n"
    )


class Answers:
    """The lamp chain, and the automated shaker where there is one."""

    def __init__(self, tosser: AutomatedShakerSimulator | None) -> None:
        self.tosser = tosser
        self.told: frozenset[int] = frozenset()
        self.asked: list[frozenset[int]] = []
        """Everything that was to be lit, in order."""
        self.dead: set[int] = set()
        self.stuck: set[int] = set()
        self.silent = False
        self.cut = False
        """Whether the cable of a serial shaker is out."""
        self.lines_on: set[str] = set()
        """Output lines that are on."""
        self.starts: list[int] = []
        """When the automated shaker was told to toss."""
        self.seen: list[tuple[int, frozenset[int], bool]] = []
        """Every read-back: when it was sent, of which lamps, and whether each was as it should be."""
        self.rare: list[Rare] = []

    @property
    def next_answer_ns(self) -> int | None:
        """When one of them next says something."""
        dues = [value.t_ns for value in self.rare[:1]]
        if self.tosser is not None and self.tosser.next_answer_ns is not None:
            dues.append(self.tosser.next_answer_ns)
        return min(dues, default=None)

    def command(self, output: Output) -> None:
        """Something is done at an output."""
        if isinstance(output, LightLamps):
            self.told = output.lit
            self.asked.append(output.lit)
            if not self.silent:
                self.read_back(output.t_ns + 20 * MS)
            return
        if isinstance(output, SetLine):
            (self.lines_on.add if output.on else self.lines_on.discard)(output.line)
        if (isinstance(output, SetLine) and output.on) or (isinstance(output, SendFrame) and output.data == START):
            self.starts.append(output.t_ns)
        if self.tosser is not None and not self.cut:
            self.tosser.command(output)

    def read_back(self, t_ns: int) -> None:
        """The chain says how its lamps are."""
        dead, stuck = self.told & self.dead, frozenset(self.stuck) - self.told
        self.seen.append((t_ns, self.told, not dead and not stuck))
        self.rare.append(Frame(CHAIN, read_back((self.told - dead) | stuck, dead, stuck), t_ns))
        self.rare.sort(key=lambda value: value.t_ns)

    def answers(self, until_ns: int) -> Batch:
        """What is said up to then."""
        said = [value for value in self.rare if value.t_ns <= until_ns]
        self.rare = self.rare[len(said) :]
        edges: list[Edge] = []
        if self.tosser is not None:
            edges, frames = self.tosser.answers(until_ns)
            said += frames
        return Batch(edges, sorted(said, key=lambda value: value.t_ns), until_ns)


class Hands:
    """What hands did at the table, whatever its sensors and the controller made of it."""

    def __init__(self) -> None:
        self.pulses: list[tuple[int, str]] = []
        """When a contact was closed, and which."""
        self.covers: list[tuple[int, int]] = []
        """When the cover went on (1) or came off (0)."""
        self.tossed: list[tuple[int, str | None]] = []
        """How the automated shaker was to toss, and since when."""
        self.saw: list[tuple[int, tuple[int, ...] | None]] = []
        """What a board saw from then on: dice, or None while they moved."""

    def of(self, line: str, after_ns: int, until_ns: int) -> list[int]:
        """When a contact was closed in a time."""
        return [t_ns for t_ns, closed in self.pulses if closed == line and after_ns <= t_ns <= until_ns]


class SicBoBench:
    """A table that is open from time 0; every hand's movement lets time pass."""

    def __init__(
        self,
        text: str | None = None,
        *,
        opens: bool = True,
        before: TableState | None = None,
        calendar_ns: int = 0,
        epoch: str = "sim",
        lamps: Answers | None = None,
        calendar_is_set: bool = True,
    ) -> None:
        """`before` is what the journal knows; `calendar_ns` is what the calendar shows at time 0, from 1970 on; `lamps`
        are those whose defects these have.
        """
        self.text = text
        self.calendar_ns = calendar_ns
        self.calendar_is_set = calendar_is_set
        config = configured(sic_bo_toml() if text is None else text)
        self.table = table_for(
            config,
            epoch=epoch,
            simulated=True,
            opens=opens,
            time_of=lambda t_ns: own_time(t_ns + self.calendar_ns),
            calendar_is_set=lambda: self.calendar_is_set,
        )
        self._before = None if before is None else before.snapshot()
        if before is not None:
            self.table.restore(before)
        game = self.table.game
        assert isinstance(game, SicBoGame)
        self.game = game
        tosser = None
        if game.tossed is not None:
            serial = "shaker_serial" in config.uses
            tosser = AutomatedShakerSimulator(1, serial=serial)
            tosser.plan(None, (1, 2, 3), 5.0, 0.0)
        self.answers = Answers(tosser)
        if lamps is not None:
            self.answers.dead, self.answers.stuck, self.answers.silent = lamps.dead, lamps.stuck, lamps.silent
        self.now_ns = 0
        self.hands = Hands()
        self.watch: Callable[[Sequence[Event], Sequence[Output]], None] = lambda said, shown: None
        """Is told of everything as it is said and done."""
        self.said = EventList(self.table.open(0))
        self.batch = Batch([], [], 0)
        """All that the wires did."""
        lines = [*LINES, *BUTTONS, *(("shaker_busy", "shaker_fault") if tosser is not None else ())]
        self._feed([Edge(line, 0, 0) for line in lines if line in config.uses], [], 3 * S)

    def journalled(self) -> TableState:
        """What the journal knows of the table, as a snapshot carries it."""
        state = TableState(self.table.identity.table)
        if self._before is not None:
            state = TableState.from_snapshot(self._before)
        for event in self.said:
            state.apply(decode(encode(event)))
        snapshot = msgspec.json.encode(state.snapshot())
        return TableState.from_snapshot(msgspec.json.decode(snapshot, type=Snapshot))

    def rebooted(
        self, after_s: float = 60, *, calendar_s: float = 0, opens: bool = False, calendar_is_set: bool = True
    ) -> SicBoBench:
        """The power comes back so much later: the steady clock is at 0 again, and the calendar off by so much."""
        now_ns = self.calendar_ns + self.now_ns + round((after_s + calendar_s) * S)
        return type(self)(
            self.text,
            opens=opens,
            before=self.journalled(),
            calendar_ns=now_ns,
            epoch="again",
            lamps=self.answers,
            calendar_is_set=calendar_is_set,
        )

    # --- time ----------------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> SicBoBench:
        """Lets time pass."""
        return self._feed([], [], self.now_ns + round(seconds * S))

    def _feed(self, edges: Sequence[Edge], rare: Sequence[Rare], until_ns: int) -> SicBoBench:
        def feed(batch: Batch) -> list[Output]:
            said, shown = self.table.feed(batch), self.table.outputs()
            self.said += said
            self.watch(said, shown)
            return shown

        fed = play_through(self.answers, Batch([*edges], [*rare], until_ns), feed, lambda: self.table.next_due_ns)
        self.batch = Batch(self.batch.edges + fed.edges, self.batch.rare + fed.rare, until_ns)
        self.now_ns = until_ns
        return self

    def pulse(self, line: str, held_s: float = 0.1, after_s: float = 0.2) -> SicBoBench:
        """A contact closes and opens."""
        at_ns = self.now_ns + MS
        end_ns = at_ns + round(held_s * S)
        self.hands.pulses.append((at_ns, line))
        return self._feed([Edge(line, 1, at_ns), Edge(line, 0, end_ns)], [], end_ns + round(after_s * S))

    def level(self, line: str, level: int, after_s: float = 0.2) -> SicBoBench:
        """A line takes a level."""
        if line == "cover":
            self.hands.covers.append((self.now_ns + MS, level))
        elif level:
            self.hands.pulses.append((self.now_ns + MS, line))
        return self._feed([Edge(line, level, self.now_ns + MS)], [], self.now_ns + MS + round(after_s * S))

    def lose(self, line: str) -> SicBoBench:
        """A cable comes out: of a serial shaker, nothing that is sent arrives from now on."""
        self.answers.cut = self.answers.cut or line == "shaker_serial"
        return self._feed([], [EdgesLost(line, Loss.UNPLUGGED, self.now_ns + MS)], self.now_ns + 2 * MS)

    def order(self, text: str) -> CommandResult:
        """What a person sends, and its answer."""
        self._feed([], [read_command(f"{text} id=order-{self.now_ns}", self.now_ns + MS)], self.now_ns + 100 * MS)
        return self.table.answers()[-1]

    # --- hands ---------------------------------------------------------------------------------------------------

    def call(self) -> SicBoBench:
        """ "No more bets"."""
        return self.pulse("dealer_no_more_bets")

    def cover(self) -> SicBoBench:
        """The cover goes on."""
        return self.level("cover", 1, 0.4)

    def uncover(self) -> SicBoBench:
        """The cover comes off."""
        return self.level("cover", 0, 0.4)

    def shake(self, times: int = 3) -> SicBoBench:
        """This many shakes."""
        for _ in range(times):
            self.pulse("shake", 0.01, 0.25)
        return self

    def shaken(self, times: int = 3) -> SicBoBench:
        """A round up to dice that everybody sees."""
        return self.call().cover().shake(times).wait(2.5).uncover()

    def key(self, dice: str, *, enter: bool = True) -> SicBoBench:
        """The dice keyed, and entered."""
        for value in dice.split("-"):
            self.pulse(f"key_{value}", 0.1, 0.1)
        return self.pulse("key_enter", 0.1, 0.3) if enter else self

    def played(self, dice: str = "4-2-1") -> SicBoBench:
        """A whole round, not settled yet."""
        return self.shaken().key(dice)

    def settle(self) -> SicBoBench:
        """The dealer has paid."""
        return self.pulse("dealer_settled")

    @property
    def lit(self) -> frozenset[int]:
        """The lamps that the chain was last told to light."""
        return self.answers.told

    def heard(self, number: int) -> list[Event]:
        """The last events."""
        return self.said[-number:]


class BoardBench(SicBoBench):
    """The same with a reading board, which says every 0.4 s what it sees."""

    state = BoardState.EMPTY
    dice: tuple[int, ...] = ()
    """What lies there, as the board sees it."""
    throw = 1

    def sees(self, dice: str) -> BoardBench:
        """Dice are at rest there."""
        self.state, self.dice = BoardState.RESTING, tuple(map(int, dice.split("-")))
        self.hands.saw.append((self.now_ns, self.dice))
        return self

    def moves(self) -> BoardBench:
        """Dice begin to move."""
        self.throw += 1
        self.state, self.dice = BoardState.MOVING, ()
        self.hands.saw.append((self.now_ns, None))
        return self

    def _feed(self, edges: Sequence[Edge], rare: Sequence[Rare], until_ns: int) -> SicBoBench:
        said = [self._line(t_ns) for t_ns in range(self.now_ns + 10 * MS, until_ns, 400 * MS)]
        super()._feed(edges, sorted([*rare, *said], key=lambda value: value.t_ns), until_ns)
        return self

    def _line(self, t_ns: int) -> Frame:
        dice = tuple(Die("flat", value) for value in self.dice)
        return Frame("dice_serial", encode_line(BoardLine(self.throw, self.state, dice)).rstrip(b"\r\n"), t_ns)
