"""A simulated roulette table with an automatic wheel: its status feed, and the dealer's button."""

from __future__ import annotations

from hal.framing import LineFramer
from hal.values import Batch, Edge, Rare
from simulators.base.faults import SimulatedFault
from simulators.base.geometry import SETTLED, buttons_of
from simulators.base.truth import SimRound, Truth
from simulators.roulette.star_x import STAR_X_FAULTS, StarXSimulator, StarXTruth, frames
from simulators.roulette.star_x_geometry import StarXGeometry

SETTLE_BEFORE_NS = 500_000_000
"""The dealer settles this long before the spin's last status ends (ours); a number is shown for 0.9 s at least."""
SHUT_BEFORE_LAUNCH = {"silence_while_open": "sensor_missing", "stuck_before_launch": "sensor_stuck"}
"""The faults that shut the table, by why, before a ball comes into the rim."""
PRESS_NS = 200_000_000
MAX_LINE = 32


class StarXTable:
    """A table that plays one spin of its wheel after another (see `simulators.base.truth.TableSimulator`)."""

    def __init__(self, geometry: StarXGeometry, seed: int) -> None:
        self.geometry = geometry
        self._buttons = buttons_of(geometry)
        self.lines = (geometry.link, *self._buttons)
        self._wheel = StarXSimulator(seed, double_zero="00" in geometry.pockets)
        self._framer = LineFramer(max_length=MAX_LINE)
        self._rounds = 0

    def start(self) -> Batch:
        """The levels of the buttons at time 0."""
        return Batch([Edge(line, 0, 0) for line in self._buttons], [], 0)

    def round(self, fault: str | None = None) -> SimRound:
        """The next spin, with a named fault or without.

        Raises:
            FaultError: no fault has this name.
        """
        self._rounds += 1
        spin = self._wheel.spin(None if fault == "none" else fault)
        rare: list[Rare] = [*frames(spin.chunks, self.geometry.link, self._framer)]
        edges: list[Edge] = []
        if self.geometry.settled_button:
            pressed_ns = spin.until_ns - SETTLE_BEFORE_NS
            edges = [Edge(SETTLED, 1, pressed_ns), Edge(SETTLED, 0, pressed_ns + PRESS_NS)]
        return SimRound(Batch(edges, rare, spin.until_ns), self._truth(spin.truth), self._rounds, fault)

    def _truth(self, spin: StarXTruth) -> Truth:
        geometry, pocket = self.geometry, spin.pocket
        reasons: tuple[str, ...] = ()
        no_spin = geometry.single_zero and pocket == "00"
        if not spin.provable:
            reasons = ("no_number_read", "ball_direction", "sensor_missing", "sensor_stuck")
        elif not geometry.trusted:
            reasons = ("ball_revolutions",)
        elif no_spin:
            reasons = ("double_zero_as_single_zero",)
        elif spin.fault in SHUT_BEFORE_LAUNCH:
            reasons = (SHUT_BEFORE_LAUNCH[spin.fault], "spun_while_shut")
        number = "no number" if pocket is None else f"number {pocket}"
        return Truth(
            valid=spin.provable and not no_spin,
            result=None if pocket is None else geometry.pockets.index(pocket),
            revolutions=0.0,
            measurable=0.0,
            reasons=reasons,
            detail=f"spin {spin.spin_number} of the wheel, {spin.fault or 'clean'}: {number}",
            notices=() if spin.fault is None else ("device.fault", "device.warning"),
        )


def table_faults() -> tuple[SimulatedFault, ...]:
    """Every fault of the wheel and of its link, as those of a table; `none` first."""
    found = [SimulatedFault("none", True, "Nothing goes wrong.", "The outcome.")]
    for fault in STAR_X_FAULTS.values():
        words = _sentence(fault.explanation), _sentence(fault.expected)
        found.append(SimulatedFault(fault.name, fault.where is None, *words))
    return tuple(found)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
