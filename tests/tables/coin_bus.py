"""A host with an account and its coin equipment on one ccTalk bus, whose power can be cut at any moment."""

from __future__ import annotations

from random import Random
from typing import Any

from controller.games.machines.account import TokenAccount
from drivers.base.driver import NEVER_NS, Observation
from drivers.coins.cctalk_bus import CctalkBus
from drivers.coins.coin_bus import CctalkConfig, CoinBus
from drivers.coins.observations import (
    AcceptorEvents,
    AcceptorInhibited,
    CoinDeviceSilent,
    HopperTrouble,
    PayoutDoubt,
    PayoutEnded,
)
from feed.state import MachineState
from hal.values import SendFrame
from simulators.coins.acceptor import AcceptorSimulator
from simulators.coins.cctalk_bus import CctalkBusSimulator
from simulators.coins.hopper import HopperSimulator

MS = 1_000_000
S = 1_000_000_000


class CoinHost:
    """The bus, its devices, and a service that is started, killed and started again."""

    def __init__(
        self,
        seed: int,
        *,
        harmed: float = 0.0,
        commit_ns: int = 5 * MS,
        tokens: int = 10_000,
        counts: bool = False,
        **keys: Any,
    ) -> None:
        """`commit_ns` is how long a record takes to be durable; `counts` is whether the hopper counts for ever."""
        rng = Random(seed)
        self.config = CctalkConfig(**keys)
        checksum, echo = self.config.checksum, self.config.echo
        self.acceptor = AcceptorSimulator(2, checksum, Random(rng.random()))
        self.hopper = HopperSimulator(3, checksum, Random(rng.random()), tokens=tokens, dispense_count=counts)
        self.bus = CctalkBusSimulator(
            "cctalk", (self.acceptor, self.hopper), Random(rng.random()), echo=echo, harmed=harmed
        )
        self.now_ns = 0
        self.commit_ns = commit_ns
        self.durable: MachineState | None = None
        """The last record that no power cut can take."""
        self.acts: list[tuple[str, int | None]] = []
        self.seen: list[Observation] = []
        self._waiting: list[tuple[int, MachineState]] = []
        self.alive = False
        self.start()

    # --- the service -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The service starts and continues from what is durable."""
        self.driver = CctalkBus(self.config.link, (2, 3), self.config.checksum)
        self.coins = CoinBus(self.config)
        self.account = TokenAccount(self._record, self.coins)
        if self.durable is not None:
            self.account.restore(self.durable)
        self.account.begin(self.now_ns)
        self.alive = True
        for output in self.coins.rest(self.now_ns):
            self._send(output)

    def kill(self) -> None:
        """The service ends in mid-work: what is not durable is gone."""
        self.alive = False
        self._waiting.clear()

    def _record(self, t_ns: int, act: str, *, tokens: int | None = None, by: str = "", detail: str = "") -> None:
        self.acts.append((act, tokens))
        account = self.account
        state = MachineState(meters=account.meters, credits=account.credits, carried=account.state)
        self._waiting.append((t_ns + self.commit_ns, state))

    def _committed(self) -> None:
        while self._waiting and self._waiting[0][0] <= self.now_ns:
            _, self.durable = self._waiting.pop(0)
            self.account.journalled(self.durable.carried["record"], self.now_ns)

    def _handle(self, seen: Observation) -> None:
        self.seen.append(seen)
        match seen:
            case AcceptorEvents():
                self.account.counted(seen)
            case AcceptorInhibited():
                self.account.acceptor_set(seen)
            case PayoutEnded():
                self.account.paid(seen)
            case PayoutDoubt():
                self.account.in_doubt(seen)

    def _send(self, output: object) -> None:
        assert isinstance(output, SendFrame)
        self.bus.send(output)

    # --- time ------------------------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Lets time pass."""
        until_ns = self.now_ns + round(seconds * S)
        while self.now_ns < until_ns:
            self.step(until_ns)

    def step(self, until_ns: int) -> None:
        """Lets time pass to whatever comes next, or to then."""
        dues = [until_ns, self.bus.next_ns or NEVER_NS, self.hopper.next_ns or NEVER_NS]
        if self.alive:
            dues += [self.coins.next_due_ns, self.driver.next_due_ns or NEVER_NS]
            dues += [due for due, *_ in self._waiting[:1]]
        self.now_ns = min(until_ns, max(self.now_ns + 1, min(dues)))
        self.hopper.advance(self.now_ns)
        frames = self.bus.receive(self.now_ns)
        if not self.alive:
            return
        self._committed()
        for frame in frames:
            for seen in self.driver.frame(frame):
                self._observe(seen)
        for seen in self.driver.due(self.now_ns):
            self._observe(seen)
        if self.coins.next_due_ns <= self.now_ns:
            for one in self.coins.due(self.now_ns):
                self._handle(one)
        for output in self.coins.outputs:
            self._send(output)
        self.coins.outputs = []

    def _observe(self, seen: Observation) -> None:
        if type(seen) in self.coins.observes:
            for one in self.coins.observe(seen):
                self._handle(one)

    # --- what is true ----------------------------------------------------------------------------------------------

    def of(self, kind: type[Observation]) -> list[Any]:
        """The observations of one kind."""
        return [seen for seen in self.seen if isinstance(seen, kind)]

    def silent(self) -> list[tuple[str, bool]]:
        """Which devices fell silent, and came back."""
        return [(seen.device, seen.silent) for seen in self.of(CoinDeviceSilent)]

    def troubles(self) -> list[HopperTrouble]:
        """What the hopper reported of itself."""
        return self.of(HopperTrouble)

    def accept(self, wanted: bool) -> None:
        """Has the acceptor take tokens, or none."""
        self.account.accept(wanted, self.now_ns)

    def agrees(self) -> bool:
        """Whether the account is the physical truth."""
        meters = self.account.meters
        return meters.tokens_in == len(self.acceptor.taken) and meters.tokens_paid == self.hopper.paid
