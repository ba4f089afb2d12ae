"""A token pusher with acceptor and hopper on a ccTalk bus; service and devices can lose their power at any time."""

from __future__ import annotations

from collections import Counter
from random import Random

from controller.games.assembly import table_for
from controller.table.durable import journalled
from controller.table.orders.order import CommandResult
from controller.table.table import Table
from feed.events import Event, Meters
from feed.state import TableState
from hal.capture.command_text import read_command
from hal.values import Batch, Command, Edge, Rare
from simulators.coins.equipment import CoinEquipment, CoinGeometry
from tests.tables.bench import EventList, configured

MS = 1_000_000
S = 1_000_000_000
LINES = ("shelf_shaft", "fall_player", "fall_house", "tilt", "door")


def coin_toml(more: str = "", options: str = "") -> str:
    """The file of a simulated pusher with coin equipment; `more` are the keys of its bus, or more sections."""
    game = f"[game]\n{options}\n" if options else ""
    table = '[table]\nid = "pusher-1"\ngame = "token_pusher"\n[lines]\nbackend = "sim"\n'
    return f"{table}{game}[device.coins]\n{more}\n"


class CoinMachine:
    """The machine, its journal, and its devices: what is physically true is theirs."""

    def __init__(self, seed: int = 0, *, commit_ns: int = 5 * MS, text: str | None = None, counts: bool = True) -> None:
        """`commit_ns` is how long a record takes to be durable."""
        self.text = coin_toml(f"dispense_count = {str(counts).lower()}") if text is None else text
        self.coins = CoinEquipment(CoinGeometry(dispense_count=counts), seed)
        self.rng = Random(seed)
        self.state = TableState("pusher-1")
        """What the journal holds."""
        self.said = EventList()
        """What is durable."""
        self.now_ns = 0
        self.commit_ns = commit_ns
        self.answers: list[CommandResult] = []
        self._waiting: list[tuple[int, list[Event]]] = []
        self._given: list[Rare] = []
        self._sent = 0
        self.table: Table | None = None
        self.start()

    # --- power -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The service starts and continues from the journal."""
        self._sent += 1
        self.table = table_for(configured(self.text), epoch=f"e{self._sent}", simulated=True, opens=True)
        self.table.restore(self.state)
        self._submit(self.table.open(self.now_ns))
        for output in self.table.rest(self.now_ns):
            self.coins.command(output)
        self._feed([Edge(line, 0, self.now_ns) for line in LINES], [])

    def kill(self) -> None:
        """The service loses its power: what is not durable is gone."""
        self.table = None
        self._waiting.clear()
        self._given.clear()

    def devices_off(self) -> None:
        """Acceptor and hopper lose their power."""
        for device in (self.coins.acceptor, self.coins.hopper):
            if device.powered:
                device.power_cut(self.now_ns)

    def devices_on(self) -> None:
        """They have it back."""
        for device in (self.coins.acceptor, self.coins.hopper):
            if not device.powered:
                device.power_up(self.now_ns)

    # --- time ------------------------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Lets time pass; the shelf moves all the while."""
        until_ns = self.now_ns + round(seconds * S)
        while self.now_ns < until_ns:
            beat_ns = min(until_ns, (self.now_ns // (250 * MS) + 1) * 250 * MS)
            self._to(beat_ns)
            if self.table is not None and not beat_ns % (250 * MS):
                self._feed([Edge("shelf_shaft", beat_ns // (250 * MS) % 2, beat_ns)], [])

    def _to(self, until_ns: int) -> None:
        while self.now_ns < until_ns:
            dues = [until_ns, self.coins.next_answer_ns, *(due for due, _ in self._waiting[:1])]
            if self.table is not None:
                dues.append(self.table.next_due_ns)
            self.now_ns = min(until_ns, max(self.now_ns + 1, min(due for due in dues if due is not None)))
            heard = self.coins.answers(self.now_ns)
            if self.table is not None:
                self._commit()
                rare = [*heard, *(one._replace(t_ns=self.now_ns) for one in self._given)]
                self._given = []
                self._feed([], sorted(rare, key=lambda value: value.t_ns))

    def _commit(self) -> None:
        while self._waiting and self._waiting[0][0] <= self.now_ns:
            _, events = self._waiting.pop(0)
            self.said += events
            for event in events:
                self.state.apply(event)
            stated = journalled(events, self.now_ns)
            self._given += [] if stated is None else [stated]

    def _feed(self, edges: list[Edge], rare: list[Rare]) -> None:
        assert self.table is not None
        self._submit(self.table.feed(Batch(edges, rare, self.now_ns)))
        self.answers += self.table.answers()
        for output in self.table.outputs():
            self.coins.command(output)

    def _submit(self, events: list[Event]) -> None:
        if events:
            self._waiting.append((self.now_ns + self.commit_ns, events))

    # --- people ----------------------------------------------------------------------------------------------------

    def token(self) -> bool:
        """A token is put in; returns whether the acceptor kept it."""
        return self.coins.acceptor.insert(1, self.now_ns)

    def order(self, text: str) -> CommandResult:
        """One order, and its answer."""
        self._sent += 1
        self._given.append(read_command(f"{text} by=ann id=c{self._sent}-{self.now_ns}", self.now_ns))
        self.run(0.01)
        return self.answers[-1]

    def send(self, command: Command) -> None:
        """An order that is not answered."""
        self._given.append(command)
        self.run(0.01)

    # --- what is true ----------------------------------------------------------------------------------------------

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
        assert self.table is not None
        return {fault.fault for fault in self.table.faults.standing}

    @property
    def missing_in(self) -> int:
        """Tokens that are in, and that no meter has."""
        return len(self.coins.acceptor.taken) - self.meters.tokens_in

    @property
    def missing_out(self) -> int:
        """Tokens that the hopper gave out, and that no meter has."""
        return self.coins.hopper.paid - self.meters.tokens_paid


def attended(machine: CoinMachine) -> Counter[str]:
    """The attendant counts what is in doubt, and clears what stands; nothing else may be missing."""
    machine.run(0.5)
    decided: Counter[str] = Counter()
    assert machine.table is not None
    while machine.state.machine is not None and (doubts := machine.state.machine.carried.get("doubts")):
        what, least, most, _ = doubts[0]
        missing = machine.missing_in if what == "tokens_in" else machine.missing_out
        true = max(least, missing if most is None else min(missing, most))
        answer = machine.order(f"reconcile tokens={true}")
        assert answer.accepted, answer.reason
        machine.run(0.3)
        decided[what] += 1
    assert machine.missing_in == 0
    for device in {fault.device for fault in machine.table.faults.standing}:
        machine.order(f"clear device={device}")
    machine.run(1.5)
    return decided
