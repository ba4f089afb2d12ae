"""A token pusher's service and its board, the real firmware on the emulated chip, each cut from power at any moment.

Time is one: a board that begins again continues where the one before ended. What is physically true is counted here:
tokens whose pulse the acceptor made, tokens that fell through the chute, tokens that left the hopper.
"""

from __future__ import annotations

from random import Random
from typing import Final

from controller.games.assembly import table_for
from controller.table.durable import journalled
from controller.table.orders.order import CommandResult
from controller.table.table import Table
from feed.events import Event, Meters
from feed.state import TableState
from hal.board.carried import RefusedCommand, carried, command_in
from hal.board.message import BoardReport
from hal.board.messages import CountsAnswer, CountsReport, RefusedAnswer, TestCommand
from hal.board.standing import StandingReports
from hal.capture.command_text import read_command
from hal.carried_link import CARRIED
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Rare, SendFrame
from tests.firmware.emulated import MS
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import Hopper, Shaft
from tests.tables.bench import EventList, configured

LINK: Final = "pusher"
PROVEN_MS: Final = 60
"""From the opening of a session until it is proven and delivers reports (a link takes about 2 s)."""
STEP_MS: Final = 10
LOOK_MS: Final = 5
"""How often hopper and shaft look at their motors."""
HOLD_UP_MS: Final = 300
"""What supply.h asks of the supply."""
TOML: Final = """
[table]
id = "pusher-1"
game = "token_pusher"
[lines]
backend = "sim"
[game]
play_s = 2
[device.board]
"""


class PusherOnBoard:
    """The machine, its journal, its board, and the people at it."""

    def __init__(self, seed: int, *, commit_ns: int = 5 * MS) -> None:
        self.rng = Random(seed)
        self.state = TableState("pusher-1")
        """What the journal holds."""
        self.said = EventList()
        self.answers: list[CommandResult] = []
        self.tokens_in = self.fallen = self.paid = 0
        """What is true."""
        self.shaft_stuck = False
        self.hopper_tokens = 10_000
        self._commit_ns = commit_ns
        self._waiting: list[tuple[int, list[Event]]] = []
        self._given: list[Rare] = []
        self._began_ns = 0
        """When this life of the board began."""
        self._eeprom: bytes | None = None
        self._sessions = self._starts = 0
        self._up = False
        self.table: Table | None = None
        self.bench: KindBench | None = None
        self.board_on()
        self.start()

    @property
    def now_ns(self) -> int:
        """The time now."""
        return self._began_ns + (0 if self.bench is None else self.bench.now_ns)

    def close(self) -> None:
        """Lets the emulated chip go."""
        if self.bench is not None:
            self.bench.board.close()

    # --- power -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The service starts and continues from the journal."""
        self._starts += 1
        self.table = table_for(configured(TOML), epoch=f"e{self._starts}", simulated=True, opens=True)
        self.table.restore(self.state)
        self._submit(self.table.open(self.now_ns))
        self._feed([Edge("door", 0, self.now_ns)], [])
        self._connect()

    def kill(self) -> None:
        """The service loses its power: what is not durable is gone, and the board hears nobody."""
        self.table, self._up = None, False
        self._waiting.clear()
        self._given.clear()
        if self.bench is not None:
            self.bench.talks = False

    def board_on(self) -> None:
        """The board has its power."""
        self._began_ns = self.now_ns
        bench = self.bench = KindBench("pusher", eeprom=self._eeprom, session=None)
        self._hopper = Hopper("hopper", "hopper_coin", tokens=self.hopper_tokens, period_ms=90)
        self._shaft = Shaft("motor", "shaft", period_ms=60)
        self._shaft.stuck = self.shaft_stuck
        for world in (self._hopper, self._shaft):
            world.every_ns = LOOK_MS * MS
            bench.worlds.append(world)
        bench.talks = False
        bench.run(30)
        self._connect()

    def board_off(self, seed: int) -> None:
        """The board's supply fails, as its supervisor announces; its hold-up runs out."""
        bench = self.bench
        if bench is None:
            return
        bench.talks = False
        bench.put("power_fail", 1)
        bench.run(HOLD_UP_MS)
        self._note_paid()
        now_ns = self.now_ns
        self._eeprom = bench.board.power_cut(seed)
        bench.board.close()
        self.bench, self._began_ns = None, now_ns
        if self._up and self.table is not None:
            self._up = False
            self._feed([], [EdgesLost(LINK, Loss.UNPLUGGED, self.now_ns)])

    def _note_paid(self) -> None:
        self.paid += self._hopper.paid
        self.hopper_tokens = self._hopper.tokens
        self._hopper.paid = 0

    def _connect(self) -> None:
        """Service and board are both there: a session begins."""
        if self.bench is None or self.table is None:
            return
        self._sessions += 1
        self.bench.reported.clear()
        self.bench.open(self._sessions)
        self.bench.talks = True
        self.bench.run(PROVEN_MS)
        standing = StandingReports()
        for one in self.bench.reported:
            standing.take(one.report)
        self.bench.reported.clear()
        self._up = True
        said = [carried(self.bench.identity())]
        said += [carried(report) for report in standing.last() if isinstance(report, CARRIED[LINK])]
        self._feed([], [Frame(LINK, data, self.now_ns) for data in said])

    # --- time ------------------------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Lets time pass."""
        until_ns = self.now_ns + round(seconds * 1e9)
        while self.now_ns < until_ns:
            if self.bench is None:
                self._began_ns = min(until_ns, self._began_ns + STEP_MS * MS)
            else:
                self.bench.run(STEP_MS)
            self._pass()

    def _pass(self) -> None:
        bench, rare = self.bench, list[Rare]()
        if bench is not None:
            reports: list[BoardReport] = [one.report for one in bench.reported]
            bench.reported.clear()
            if self._up:
                rare += [Frame(LINK, carried(one), self.now_ns) for one in reports if isinstance(one, CARRIED[LINK])]
        if self.table is None:
            return
        while self._waiting and self._waiting[0][0] <= self.now_ns:
            _, events = self._waiting.pop(0)
            self.said += events
            for event in events:
                self.state.apply(event)
            stated = journalled(events, self.now_ns)
            self._given += [] if stated is None else [stated]
        given, self._given = self._given, []
        self._feed([], [*rare, *(one._replace(t_ns=self.now_ns) for one in given)])

    def _feed(self, edges: list[Edge], rare: list[Rare]) -> None:
        table = self.table
        if table is None:
            return
        self._submit(table.feed(Batch(edges, rare, self.now_ns)))
        self.answers += table.answers()
        for output in table.outputs():
            if isinstance(output, SendFrame) and self._up and self.bench is not None:
                self._send(self.bench, output.data)

    def _send(self, bench: KindBench, data: bytes) -> None:
        command = command_in(data)
        answer = bench.say(command)
        if isinstance(answer, RefusedAnswer):
            self._given.append(Frame(LINK, carried(RefusedCommand(answer.why, command)), self.now_ns))
        elif isinstance(answer, CountsAnswer):
            counted = CountsReport(answer.first, answer.second, answer.third, answer.fourth)
            self._given.append(Frame(LINK, carried(counted), self.now_ns))
        elif isinstance(command, TestCommand):
            self._given.append(Frame(LINK, carried(command), self.now_ns))

    def _submit(self, events: list[Event]) -> None:
        if events:
            self._waiting.append((self.now_ns + self._commit_ns, events))

    # --- people ----------------------------------------------------------------------------------------------------

    def token(self) -> bool:
        """A token is put in; returns whether the acceptor keeps it."""
        bench = self.bench
        if bench is None or not bench.output("accept"):
            return False
        bench.pulse("token", 50)
        self.tokens_in += 1
        return True

    def fall(self) -> None:
        """A token falls through the player's chute, where the board can see it."""
        if self.bench is not None:
            self.bench.pulse("win_a", 12)
            self.bench.pulse("win_b", 12, 5)
            self.fallen += 1

    def stray(self) -> None:
        """A token leaves the hopper unasked."""
        if self.bench is not None:
            self.bench.pulse("hopper_coin", 30)
            self.paid += 1

    def exchange_board(self) -> None:
        """Another board is put in the place of one without power: its store is new."""
        self._eeprom = None

    def order(self, text: str) -> CommandResult:
        """One order, and its answer."""
        self._starts += 1
        self._given.append(read_command(f"{text} by=ann id=c{self._starts}-{self.now_ns}", self.now_ns))
        before = len(self.answers)
        self.run(0.03)
        assert len(self.answers) > before, text
        return self.answers[-1]

    # --- what is recorded ------------------------------------------------------------------------------------------

    @property
    def meters(self) -> Meters:
        """The meters of the last durable record."""
        assert self.state.machine is not None
        return self.state.machine.meters

    @property
    def credits(self) -> int:
        """The credits of the last durable record."""
        assert self.state.machine is not None
        return self.state.machine.credits

    @property
    def faults(self) -> set[str]:
        """The faults that stand."""
        return set() if self.table is None else {one.fault for one in self.table.faults.standing}

    @property
    def given_out(self) -> int:
        """What is true: tokens that left, by falling or by the hopper."""
        return self.fallen + self.paid + self._hopper.paid
