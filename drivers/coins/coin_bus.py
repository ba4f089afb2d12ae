"""The coin equipment of a machine on one ccTalk bus, as the game commands it: an acceptor, a hopper, or both.

    game ──accept, make_plan, release, resume, stop──► CoinBus ──requests, one at a time──► bus
    game ◄──AcceptorEvents, PayoutEnded, PayoutDoubt, …── CoinBus ◄──messages── CctalkBus

The bus carries one exchange at a time; who has waited longest asks next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.coins.acceptor import Acceptor
from drivers.coins.cctalk_wire import CctalkMessage, Header, encode
from drivers.coins.exchange import QUIET_NS, CctalkAnswer, Exchange
from drivers.coins.hopper import Hopper, PayoutPlan
from drivers.coins.identities import Identities
from drivers.coins.observations import BusLost, BusMessage, BusNoise, CoinDevice, CoinDeviceSilent
from hal.values import Output, SendFrame

START_NS: Final = 250_000_000
"""Nothing is asked this long after the start (X6 manual: from power-up to the first command)."""


class CctalkConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of coin equipment on a ccTalk bus under `[device.coins]`."""

    driver: Literal["cctalk"] = "cctalk"
    link: Annotated[str, Meta(min_length=1, description="name of the serial link of the bus")] = "cctalk"
    acceptor: Annotated[int, Meta(ge=0, le=255, description="address of the acceptor; 0: there is none")] = 2
    hopper: Annotated[int, Meta(ge=0, le=255, description="address of the hopper; 0: there is none")] = 3
    coins: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=16)], ...],
        Meta(
            min_length=1,
            max_length=16,
            description="the coin numbers of the acceptor that are tokens; others stay inhibited",
        ),
    ] = (1,)
    checksum: Annotated[Literal["simple", "crc16"], Meta(description="the checksum that the devices are set to")] = (
        "simple"
    )
    echo: Annotated[
        bool, Meta(description="the host receives what it sends, as on one wire; false for an adapter that hides it")
    ] = True
    dispense_count: Annotated[
        bool,
        Meta(
            description="ask the hopper what it has ever dispensed (header 168); one that answers leaves no doubt "
            "after a power cut"
        ),
    ] = True

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        found = []
        for key, address in (("acceptor", self.acceptor), ("hopper", self.hopper)):
            if address == 1:
                found.append((key, "address 1 is the host's own", "give the device's address, such as 2 or 3"))
        if self.acceptor == self.hopper:
            what = "neither acceptor nor hopper" if not self.acceptor else f"both devices at address {self.acceptor}"
            found.append(("hopper", what, "give each device an address of its own, and 0 to one that is not there"))
        return found


class CoinBus:
    """The actuator of the coin equipment (see `drivers.base.actuator.Actuator`)."""

    observes: frozenset[type[Observation]] = frozenset({BusMessage, BusNoise, BusLost})

    def __init__(self, config: CctalkConfig, name: str = "coins") -> None:
        self.name = name
        self.outputs: list[Output] = []
        self._config = config
        self._exchange = Exchange(config.link, config.checksum, echo=config.echo)
        self.acceptor = Acceptor(config.acceptor, frozenset(config.coins)) if config.acceptor else None
        self.hopper = Hopper(config.hopper, dispense_count=config.dispense_count) if config.hopper else None
        addresses: dict[CoinDevice, int] = {"acceptor": config.acceptor, "hopper": config.hopper}
        self.names: frozenset[str] = frozenset(name for name, address in addresses.items() if address)
        """The devices that are on the bus."""
        self._identities = Identities({name: address for name, address in addresses.items() if address})
        self._asking: Acceptor | Hopper | Identities | None = None
        self._begun = False

    # --- what the game commands ------------------------------------------------------------------------------------

    def accept(self, wanted: bool, t_ns: int = 0) -> None:
        """Has the acceptor take tokens, or none, from `t_ns` on."""
        if self.acceptor is not None:
            self.acceptor.accept(wanted, t_ns)

    def restore(self, counter: int | None, *, accepting: bool) -> None:
        """Continues from the acceptor's counter as it was recorded."""
        if self.acceptor is not None and counter is not None:
            self.acceptor.restore(counter, accepting=accepting)

    def ready_to_pay(self) -> bool:
        """Whether a payout can be planned."""
        return self.hopper is not None and self.hopper.ready()

    def make_plan(self, number: int, tokens: int) -> PayoutPlan:
        """Plans a payout, which `release` begins. Raises as `Hopper.make_plan`, and where there is no hopper."""
        if self.hopper is None:
            raise ValueError(f"{self.name}: payout {number} cannot be planned: there is no hopper on the bus")
        return self.hopper.make_plan(number, tokens)

    def release(self, number: int, t_ns: int) -> None:
        """The plan is recorded durably: it may be paid."""
        if self.hopper is not None:
            self.hopper.release(number, t_ns)

    def resume(self, plan: PayoutPlan, t_ns: int) -> None:
        """Continues with a payout that a service before recorded."""
        if self.hopper is not None:
            self.hopper.resume(plan, t_ns)

    def stop(self, t_ns: int) -> None:
        """Stops what is being paid."""
        if self.hopper is not None:
            self.hopper.stop(t_ns)

    # --- the actuator ----------------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int:
        """Its next deadline."""
        if not self._begun:
            return 0
        wanted = min((device.next_due_ns for device in self._devices()), default=NEVER_NS)
        return min(self._exchange.next_due_ns, max(wanted, self._exchange.ready_ns))

    def observe(self, seen: Observation) -> Sequence[Observation]:
        """Takes what was on the bus."""
        if isinstance(seen, BusMessage):
            return self._answered(self._exchange.message(seen), seen.t_ns)
        return self._answered(self._exchange.noise(seen.t_ns), seen.t_ns)

    def due(self, t_ns: int) -> Sequence[Observation]:
        """Meets the deadlines up to `t_ns`: gives up an answer, and asks the next."""
        if not self._begun:
            self._begun = True
            self._exchange.leave_alone(t_ns + START_NS)
            return []
        found = self._answered(self._exchange.due(t_ns), t_ns)
        if self._exchange.ready_ns <= t_ns:
            waiting = [device for device in self._devices() if device.next_due_ns <= t_ns]
            if waiting:
                # Whoever asked last lets the other ask first: neither waits for ever behind one that fails.
                device = self._asking = min(waiting, key=lambda one: one is self._asking)
                self.outputs.append(self._exchange.ask(device.request(t_ns), t_ns))
        return found

    def rest(self, t_ns: int) -> list[Output]:
        """Has the acceptor take no tokens. What a hopper pays is recorded, and is counted at the next start."""
        self._exchange.leave_alone(t_ns + QUIET_NS)
        if not self._config.acceptor:
            return []
        message = CctalkMessage(self._config.acceptor, Header.SET_MASTER_INHIBIT, bytes(1))
        return [SendFrame(self._config.link, encode(message, self._config.checksum), t_ns)]

    def _devices(self) -> list[Acceptor | Hopper | Identities]:
        return [device for device in (self.acceptor, self.hopper, self._identities) if device is not None]

    def _answered(self, answer: CctalkAnswer | None, t_ns: int) -> list[Observation]:
        if answer is None or self._asking is None:
            return []
        found = self._asking.answered(answer, t_ns)
        for one in found:
            if isinstance(one, CoinDeviceSilent) and not one.silent:
                self._identities.read_again(one.device)  # it may be another one now
        return found
