"""A simulated token pusher that takes its tokens by a ccTalk acceptor, and gives them back by a ccTalk hopper.

What the bed does is planned; what acceptor and hopper answer hangs on what they are asked (see
`simulators.base.answering`). A token in the acceptor is known to the machine only after its next polls.
"""

from __future__ import annotations

from random import Random
from typing import Final

from hal.clock import NS_PER_S
from hal.values import Batch, Output, Rare
from simulators.base.geometry import Geometry, GeometryError
from simulators.coins.equipment import TOKENS, CoinEquipment
from simulators.pusher.table import BED_LINES, PusherSimulator, named

NOTICED_S: Final = 0.6
"""A token in the acceptor is known this soon: two polls of 0.2 s, and their answers."""
READY_S: Final = 3.0
"""From the power to an acceptor that takes tokens: its counter is recorded first."""
REFUSED_CODE: Final = 1
STRING_CODE: Final = 20
BLOCKED_CODE: Final = 14
ALARM_CODE: Final = 40
NOISE: Final = 0.001
"""The share of bytes that are lost, doubled, delayed and broken on a bad bus: each this many."""


COIN_FAULTS: Final = (
    named("coin_rejected", True, "A token that is none is put in and comes back.", "Nothing; then the outcome."),
    named("acceptor_string", True, "A token on a string is put in.", "A fault: token_stringed; then the outcome."),
    named("acceptor_blocked", True, "Its credit sensor is blocked.", "A fault: token_jam; then the outcome."),
    named("acceptor_light", True, "Light from outside falls in.", "A fault: acceptor_error; then the outcome."),
    named("acceptor_reset", False, "The acceptor is reset.", "A fault: token_in_doubt; then the outcome."),
    named("acceptor_silent", False, "The acceptor has no power.", "A fault: acceptor_silent; then the outcome."),
    named("hopper_silent", False, "The hopper has no power.", "A fault: hopper_silent; then the outcome."),
    named("bus_unplugged", False, "The cable of the bus comes out.", "A fault: sensor_missing; then the outcome."),
    named("bus_noise", False, "Bytes are lost, doubled, delayed and broken.", "The outcome."),
    named("play_voided", True, "A person makes the play void.", "Void; the hopper gives the stake back."),
    named("hopper_empty", True, "The same, and the hopper is empty.", "Void; a fault: hopper_empty; paid by hand."),
    named("hopper_jam", True, "The same, and the hopper is jammed.", "Void; a fault: hopper_jam; paid by hand."),
    named("hopper_runaway", True, "The same, and two tokens leave.", "Void; a fault: hopper_runaway."),
)
"""What can go wrong with acceptor and hopper, beside what can at every pusher."""
VOIDED: Final = frozenset({"play_voided", "hopper_empty", "hopper_jam", "hopper_runaway"})


class CoinPusherSimulator(PusherSimulator):
    """One machine in virtual time, some of whose devices answer."""

    noticed_s = NOTICED_S
    voided = VOIDED
    quiet_at_start_s = 0.2

    def __init__(self, geometry: Geometry, seed: int) -> None:
        super().__init__(geometry, seed)
        if self.geometry.coins is None:
            raise GeometryError("a pusher with coin equipment has the geometry of its bus")
        self.coins = CoinEquipment(self.geometry.coins, seed)
        self._begun = False

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that its batches may name."""
        return (*BED_LINES, *self.coins.links)

    @property
    def _levels_at_rest(self) -> tuple[str, ...]:
        return BED_LINES

    # --- what it answers -------------------------------------------------------------------------------------------

    @property
    def next_answer_ns(self) -> int | None:
        """When something comes on the bus next."""
        return self.coins.next_answer_ns

    def command(self, output: Output) -> None:
        """The machine sends on its bus."""
        self.coins.command(output)

    def answers(self, until_ns: int) -> Batch:
        """What comes on the bus up to then."""
        rare: list[Rare] = sorted(self.coins.answers(until_ns), key=lambda value: value.t_ns)
        return Batch([], rare, until_ns)

    # --- rounds ----------------------------------------------------------------------------------------------------

    def _token(self, at_s: float, step_s: float) -> float:
        self.coins.insert(_ns(at_s))
        return at_s + self.noticed_s

    def _before(self, name: str, at_s: float, rng: Random) -> float:
        if not self._begun:
            self._begun = True
            at_s += READY_S
        coins = self.coins
        code = {"acceptor_string": STRING_CODE, "acceptor_blocked": BLOCKED_CODE, "acceptor_light": ALARM_CODE}
        if name == "coin_rejected":
            coins.plan(_ns(at_s), lambda one, t_ns: one.acceptor.error(REFUSED_CODE))
            return at_s + 1.0
        if name in code:
            coins.plan(_ns(at_s), lambda one, t_ns: one.acceptor.error(code[name]))
            return self._cleared(at_s + 1.0)
        if name == "acceptor_reset":
            coins.plan(_ns(at_s), lambda one, t_ns: one.acceptor.reset(t_ns))
            return self._reconciled(at_s + 2.0)
        if name == "acceptor_silent":
            coins.plan(_ns(at_s), lambda one, t_ns: one.acceptor.power_cut(t_ns))
            coins.plan(_ns(at_s + 4.0), lambda one, t_ns: one.acceptor.power_up(t_ns))
            return self._cleared(self._reconciled(at_s + 7.0))
        if name == "hopper_silent":
            coins.plan(_ns(at_s), lambda one, t_ns: one.hopper.power_cut(t_ns))
            coins.plan(_ns(at_s + 5.0), lambda one, t_ns: one.hopper.power_up(t_ns))
            return self._cleared(at_s + 8.0)
        if name == "bus_unplugged":
            coins.plan(_ns(at_s), lambda one, t_ns: one.unplug(t_ns))
            coins.plan(_ns(at_s + 1.0), lambda one, t_ns: one.bus.plug())
            return self._cleared(at_s + 3.0)
        if name == "bus_noise":
            self._noise(at_s, NOISE)
        return at_s

    def _after(self, name: str, at_s: float, end_s: float) -> float:
        if name == "bus_noise":
            self._noise(end_s, 0.0)
            return end_s + 1.0
        if name not in VOIDED:
            return end_s
        coins, void_s = self.coins, at_s + self.noticed_s + 0.05
        if name == "hopper_empty":
            coins.plan(_ns(at_s), lambda one, t_ns: setattr(one.hopper, "tokens", 0))
        elif name == "hopper_jam":
            coins.plan(_ns(at_s), lambda one, t_ns: setattr(one.hopper, "jammed", True))
        elif name == "hopper_runaway":
            coins.plan(_ns(at_s), lambda one, t_ns: setattr(one.hopper, "runs_away", 1))
        self._order("void", void_s, ("why", "broken"))
        end_s = max(end_s, void_s + 8.0)
        if name in ("hopper_empty", "hopper_jam"):
            self._order("hand_pay", end_s)
            coins.plan(_ns(end_s + 0.1), _refill)
        return end_s if name == "play_voided" else self._cleared(end_s)

    def _noise(self, at_s: float, share: float) -> None:
        def harm(equipment: CoinEquipment, t_ns: int) -> None:
            equipment.bus.to_devices.share = equipment.bus.to_host.share = share

        self.coins.plan(_ns(at_s), harm)

    def _cleared(self, at_s: float) -> float:
        """The attendant clears the faults of the coin equipment; returns when the acceptor takes tokens again."""
        return self._clear("coins", at_s) + 1.0

    def _reconciled(self, at_s: float) -> float:
        """The attendant has counted: no token is in that the machine does not know of."""
        self._order("reconcile", at_s, ("tokens", "0"))
        return self._clear("machine", at_s + 0.1) + 1.0


def _refill(equipment: CoinEquipment, t_ns: int) -> None:
    equipment.hopper.tokens = TOKENS
    equipment.hopper.jammed = False


def _ns(t_s: float) -> int:
    return int(t_s * NS_PER_S)
