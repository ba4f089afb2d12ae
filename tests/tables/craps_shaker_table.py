"""A craps table with an automated shaker under test: people call, key and send orders; the shaker answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from controller.games.assembly import table_for
from controller.games.craps.rounds import CrapsGame
from controller.table.orders.order import CommandResult
from drivers.dice.reader_wire import BoardLine, BoardState, Die, encode_line
from feed.events import Event
from hal.capture.command_text import read_command
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Output, Rare, SetLine
from simulators.base.answering import play_through
from simulators.dice.automated_shaker import AutomatedShakerSimulator
from tests.tables.bench import EventList, configured
from tests.tables.craps_hands import KEYS, S, craps_toml

BUTTONS = ("dealer_no_more_bets", "dealer_settled")
LINES = (*KEYS, *BUTTONS, "shaker_busy", "shaker_fault")


def shaker_toml(
    rules: str = "njac-19:47", control: str = "lines", *, sensor: bool = False, options: str = "", reader: bool = False,
    keypad: bool = True, game: str = "craps",
) -> str:  # fmt: skip
    """The file of such a table with its buttons."""
    shaker = f'[device.automated_shaker]\ncontrol = "{control}"\npresent_sensor = {str(sensor).lower()}\n'
    dealer = f"[device.dealer]\nbuttons = {list(BUTTONS)}\n"
    text = craps_toml(rules, game, keypad=keypad, reader=reader, options=options)
    return text.replace("[game]", f"{shaker}{dealer}[game]")


class ShakerHands:
    """A table that is open from time 0; every act lets time pass."""

    def __init__(self, text: str | None = None) -> None:
        self.config = configured(shaker_toml() if text is None else text)
        self.serial = "shaker_serial" in self.config.uses
        self.shaker = AutomatedShakerSimulator(1, serial=self.serial)
        self.plan()
        self.table = table_for(self.config, epoch="sim", simulated=True)
        self.watch: Callable[[Sequence[Event], Sequence[Output]], None] = lambda said, shown: None
        """Is told of everything as it is said and done."""
        self.cut = False
        """Whether the cable of a serial shaker is out: nothing that is sent arrives."""
        self.shown: list[Output] = []
        self.on: set[str] = set()
        """Output lines that are on."""
        self.said = EventList(self.table.open(0))
        self.now_ns = 0
        self._board_throw = 0
        self._state, self._dice = BoardState.EMPTY, tuple[Die, ...]()
        self._board_ns = S // 10
        lines = [Edge(line, 0, 0) for line in LINES if line in self.config.uses]
        sensed = [Edge("automated_shaker_present", 1, 0)] if "automated_shaker_present" in self.config.uses else []
        self._feed([*lines, *sensed], [], 3 * S)

    @property
    def game(self) -> CrapsGame:
        """The rounds."""
        game = self.table.game
        assert isinstance(game, CrapsGame)
        return game

    @property
    def starts(self) -> int:
        """How often the shaker was told to toss."""
        frames = [one for one in self.shown if not isinstance(one, SetLine)]
        if self.serial:
            return sum(getattr(one, "data", b"")[3:4] == b"\x01" and one.data[2] == 4 for one in frames)  # type: ignore[union-attr]
        return sum(isinstance(one, SetLine) and one.line == "shaker_start" and one.on for one in self.shown)

    def plan(self, fault: str | None = None, dice: tuple[int, ...] = (3, 5)) -> ShakerHands:
        """What the next toss comes to."""
        self.shaker.plan(fault, dice, 5.0, getattr(self, "now_ns", 0) / S + 1.0)
        return self

    def wait(self, seconds: float) -> ShakerHands:
        """Lets time pass."""
        return self._feed([], [], self.now_ns + round(seconds * S))

    def call(self) -> ShakerHands:
        """ "No more bets"."""
        return self.pulse("dealer_no_more_bets")

    def tossed(self) -> ShakerHands:
        """The call, and the time of a toss until its dice are at rest."""
        return self.call().wait(13)

    def key(self, *values: int) -> ShakerHands:
        """The stickperson keys values and enters them."""
        for value in values:
            self.pulse(f"key_{value}")
        return self.pulse("key_enter").wait(2.5)

    def pulse(self, line: str) -> ShakerHands:
        """A contact closes and opens."""
        at_ns = self.now_ns + 1_000_000
        return self._feed([Edge(line, 1, at_ns), Edge(line, 0, at_ns + S // 10)], [], at_ns + S // 3)

    def level(self, line: str, level: int) -> ShakerHands:
        """A line takes a level."""
        return self._feed([Edge(line, level, self.now_ns + 1_000_000)], [], self.now_ns + S // 5)

    def lose(self, line: str) -> ShakerHands:
        """A cable comes out: of a serial shaker, nothing that is sent arrives from now on."""
        self.cut = self.cut or line == "shaker_serial"
        return self._feed([], [EdgesLost(line, Loss.UNPLUGGED, self.now_ns + 1_000_000)], self.now_ns + 2_000_000)

    def board(self, *dice: int) -> ShakerHands:
        """From now on the board sees dice that move, where none are named; otherwise that they lie so. A second
        passes."""
        if not dice:
            self._board_throw += 1
        self._state = BoardState.RESTING if dice else BoardState.MOVING
        self._dice = tuple(Die("flat", one) for one in dice)
        return self.wait(1)

    def order(self, text: str) -> CommandResult:
        """What a person sends, and its answer."""
        self._feed([], [read_command(f"{text} id=o{self.now_ns}", self.now_ns + 1_000_000)], self.now_ns + S // 10)
        return self.table.answers()[-1]

    def _feed(self, edges: Sequence[Edge], rare: Sequence[Rare], until_ns: int) -> ShakerHands:
        def feed(batch: Batch) -> list[Output]:
            said, shown = self.table.feed(batch), self.table.outputs()
            self.said += said
            self.shown += shown
            for output in shown:
                if isinstance(output, SetLine):
                    (self.on.add if output.on else self.on.discard)(output.line)
            self.watch(said, shown)
            return shown

        told = sorted([*rare, *self._board(until_ns)], key=lambda value: value.t_ns)
        play_through(self, Batch([*edges], told, until_ns), feed, lambda: self.table.next_due_ns)
        self.now_ns = until_ns
        return self

    def _board(self, until_ns: int) -> list[Rare]:
        """What the board says up to then, twice a second, where there is one."""
        found: list[Rare] = []
        while "dice_serial" in self.config.uses and self._board_ns <= until_ns:
            data = encode_line(BoardLine(self._board_throw, self._state, self._dice)).rstrip(b"\r\n")
            found.append(Frame("dice_serial", data, self._board_ns))
            self._board_ns += S // 2
        return found

    # --- what answers --------------------------------------------------------------------------------------------

    @property
    def next_answer_ns(self) -> int | None:
        """When the shaker next says something."""
        return self.shaker.next_answer_ns

    def command(self, output: Output) -> None:
        """The shaker is told something."""
        if not self.cut:
            self.shaker.command(output)

    def answers(self, until_ns: int) -> Batch:
        """What it says up to then."""
        edges, rare = self.shaker.answers(until_ns)
        return Batch(edges, rare, until_ns)
