"""People at a craps table under test: they key dice, throw them before a reading board, and send orders."""

from __future__ import annotations

from controller.games.craps.decision import CrapsState
from controller.games.craps.rounds import CrapsGame
from drivers.dice.reader_wire import BoardLine, BoardState, Die, Lying, encode_line
from feed import events
from feed.events import Event
from hal.capture.command_text import read_command
from hal.values import Edge, Frame, Rare
from tests.tables.bench import EventList, TableBench

S = 1_000_000_000
KEYS = (*(f"key_{value}" for value in range(1, 7)), "key_enter", "key_clear")
TABLE = '[table]\nid = "craps-1"\ngame = "{game}"\nrules = "{rules}"\n{more}\n[lines]\nbackend = "sim"\n'


def craps_toml(
    rules: str = "njac-19:47",
    game: str = "craps",
    *,
    keypad: bool = True,
    reader: bool = False,
    options: str = "",
    more: str = "",
) -> str:
    """The file of a craps table."""
    text = TABLE.format(game=game, rules=rules, more=more)
    text += "[device.keypad]\n" if keypad else ""
    text += "[device.reader]\n" if reader else ""
    return f"{text}[device.puck]\n[game]\n{options}\n"


class CrapsHands:
    """People at one table. Every act is over, and settled where a table settles by itself, before the next begins."""

    def __init__(self, text: str) -> None:
        self.bench = TableBench(text)
        self.now_s = 1.0
        self.board_throw = 0
        self._board: tuple[Die, ...] = ()
        self.lit: set[str] = set()
        self.reader = "[device.reader]" in text
        self.up()

    def up(self) -> None:
        """Every key is up."""
        self.feed([Edge(line, 0, round(self.now_s * S)) for line in KEYS])

    @property
    def game(self) -> CrapsGame:
        """The rounds."""
        game = self.bench.table.game
        assert isinstance(game, CrapsGame)
        return game

    @property
    def stands(self) -> CrapsState:
        """Where the game stands."""
        return self.game.history.now

    def feed(self, edges: list[Edge] | None = None, rare: list[Rare] | None = None, wait_s: float = 0.0) -> EventList:
        """Lets the wires do something, and time pass."""
        self.now_s += wait_s
        said = self.bench.feed(edges or [], rare or [], round(self.now_s * S))
        for output in self.bench.table.outputs():
            (self.lit.add if output.on else self.lit.discard)(output.line)  # type: ignore[union-attr]
        return said

    def wait(self, seconds: float) -> EventList:
        """Nobody does anything; a board says twice a second how its dice lie."""
        rare: list[Rare] = []
        if self.reader:
            until_s = self.now_s + seconds
            t_s = self.now_s + 0.01
            while t_s < until_s:
                rare.append(self._line(BoardState.RESTING if self._board else BoardState.EMPTY, t_s))
                t_s += 0.5
        return self.feed([], rare, seconds)

    def key(self, *values: int, enter: bool = True, settle: bool = True) -> EventList:
        """The stickperson keys values and enters them; then the bets are settled."""
        edges: list[Edge] = []
        t_s = self.now_s + 0.1
        for line in (*(f"key_{value}" for value in values), *(("key_enter",) if enter else ())):
            edges += [Edge(line, 1, round(t_s * S)), Edge(line, 0, round((t_s + 0.1) * S))]
            t_s += 0.3
        said = self.feed(edges, [], t_s - self.now_s)
        if settle:
            said += self.wait(4.0)
        return said

    def throw(self, *values: int | str, lying: Lying = "flat", at: int = 0, settle: bool = True) -> EventList:
        """Dice are thrown before the board, and lie; the die at `at` may lie otherwise."""
        self.board_throw += 1
        self._board = ()
        start_s = self.now_s
        rare: list[Rare] = [self._line(BoardState.MOVING, start_s + 0.1 + 0.5 * k) for k in range(3)]
        self.now_s += 1.6
        dice = [Die("flat", int(value)) for value in values]
        if lying != "flat":
            dice[at] = Die(lying, dice[at].value if lying == "cocked" else None)
        self._board = tuple(dice)
        said = self.feed([], rare)
        said += self.wait(3.1)
        if settle:
            said += self.wait(4.0)
        return said

    def order(self, text: str) -> EventList:
        """Somebody sends an order."""
        self.now_s += 0.1
        return self.feed([], [read_command(text, round(self.now_s * S))])

    def roll(self, *dice: int) -> EventList:
        """One roll, by whatever the table has."""
        return self.throw(*dice) if self.reader else self.key(*dice)

    def _line(self, state: BoardState, t_s: float) -> Frame:
        dice = self._board if state is BoardState.RESTING else ()
        data = encode_line(BoardLine(self.board_throw % 1000, state, dice)).rstrip(b"\r\n")
        return Frame("dice_serial", data, round(t_s * S))


def answered(said: list[Event]) -> str:
    """Why an order was refused."""
    refused = [e.data for e in said if isinstance(e.data, events.DeviceWarning) and e.data.warning == "command_refused"]
    assert len(refused) == 1, [e.data for e in said]
    return refused[0].detail
