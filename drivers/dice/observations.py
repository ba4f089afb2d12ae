"""What the drivers of a cage, a chute and a shaker report: the observations that drivers and rounds share.

What is reported of a tumble in a cage, and when:

    cage      ____/‾‾‾‾\\____/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾      an inversion each time it is the other way up
    shake     __|||||||||||||||||||_||__|___|________________     dice tumble, rock, and lie
                |    |    |   |          |             |
          DiceStirred|  CageInverted  DiceRocking   DiceRested
                TumbleStarted          |<-- `rest_s` -->|

`t_ns` is always when a thing became known; when it happened, where that is earlier, is a field of its own.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from drivers.base.driver import Observation
from drivers.dice.reader_wire import Lying

# What keypad and reading board report of the values of dice.


class KeypadShown(Observation, frozen=True, kw_only=True):
    """What the keypad's display is to show: the values keyed and not yet entered, oldest first."""

    values: tuple[int, ...]
    spoilt: bool = False
    """More values than dice were keyed, or a key was not seen: ENTER is refused until CLEAR."""


class DiceEntered(Observation, frozen=True, kw_only=True):
    """ENTER was pressed, and as many values as there are dice had been keyed."""

    dice: tuple[int, ...]
    """In the order in which they were keyed."""
    first_ns: int
    """When the first of them was keyed: values keyed before the dice came to rest are of another throw."""
    entered_ns: int
    """When the finger pressed ENTER."""


KeyRefusal: TypeAlias = Literal["two_keys", "surplus", "short", "spoilt", "edges_lost"]
"""Why a key does not count: the warning `key_…` of the feed."""


class KeyRefused(Observation, frozen=True, kw_only=True):
    """A key that does not count.

    Reasons: `two_keys` (pressed while another was down), `surplus` (more values than dice), `short` (ENTER with fewer),
    `spoilt` (ENTER with values of which one is in doubt), `edges_lost` (a press may not have been seen).
    """

    key: str
    reason: KeyRefusal
    detail: str


class KeypadCleared(Observation, frozen=True, kw_only=True):
    """What had been keyed and not entered is dropped."""

    by: Literal["key", "time"]
    values: tuple[int, ...]


class DiceMoving(Observation, frozen=True, kw_only=True):
    """The reading board sees dice that move: what it read before is of another throw."""

    joined: bool = False
    """It was the first report of the board: how the throw began is not known."""


class DiceShaken(Observation, frozen=True, kw_only=True):
    """The shaker that the board sits in has stopped. Where its dice are, and whether they rest, it does not report."""


class DiceRead(Observation, frozen=True, kw_only=True):
    """The reading board reports how the dice came to rest."""

    dice: tuple[int | None, ...]
    """The value of each die; None where it has none. Empty where the board reports the total alone."""
    lying: tuple[Lying, ...]
    total: int | None
    """The sum of the dice; None where a die has no value."""
    throw: int | None
    """The board's own count of throws, where it keeps one."""
    agreed: bool
    """Whether nothing at all is doubted: every die is flat, and the throw was reported from its beginning."""
    doubts: tuple[str, ...] = ()
    """What does: reasons of `ReaderDoubt`; and for how the dice lie `dice_not_flat` (cocked, so that at craps it has a
    value all the same), `die_on_two_sides`, `die_on_die`, `die_off_table`, `not_recognised`."""


ReaderDoubtReason: TypeAlias = Literal[
    "malformed",
    "impossible_value",
    "dice_count",
    "joined_mid_throw",
    "throw_order",
    "value_changed",
    "not_recognised",
    "frames_lost",
    "unconfirmed",
]
"""What does not fit: the warning `reader_…` of the feed."""


class ReaderDoubt(Observation, frozen=True, kw_only=True):
    """What the reading board sent does not fit.

    A doubt that is known at the reading alone, `total_only`, comes with that.
    """

    reason: ReaderDoubtReason
    detail: str


class ReaderFault(Observation, frozen=True, kw_only=True):
    """The board reports a fault of its own, or of the shaker that it sits in."""

    active: bool
    detail: str = ""


class DiceStirred(Observation, frozen=True, kw_only=True):
    """Dice that were at rest move: a tumble may begin, or somebody knocked at the tumbler.

    Whatever was read of them before is no longer proven.
    """


class TumbleStarted(Observation, frozen=True, kw_only=True):
    """A tumble has begun: the cage was inverted once, or a die entered the chute, or the shaker was shaken."""

    began_ns: int
    """The first movement of the run to which it belongs."""
    joined: bool = False
    """The run was under way when the table opened."""


class CageInverted(Observation, frozen=True, kw_only=True):
    """The cage was inverted once more."""

    inversions: int
    """Since the last pause."""
    inverted_ns: int


class DiceRocking(Observation, frozen=True, kw_only=True):
    """The dice no longer tumble, but they do not lie: single knocks, further apart than those of tumbling dice."""


class DiceRestless(Observation, frozen=True, kw_only=True):
    """The dice have knocked for too long without anybody's tumbling them: a hand, noise, or a die on its edge."""

    since_ns: int
    """When they were last tumbled."""


class Rested(Observation, frozen=True, kw_only=True):
    """The run since the rest before is over: nothing moves any more."""

    began_ns: int
    """The first movement of the run."""
    moved_ns: int
    """The last one."""
    doubt: str | None = None
    """A reason code where the count or the rest is not proven: `edges_lost`, `sensor_missing`, `sensor_stuck`, or one
    that the device's page names."""
    detail: str = ""
    joined: bool = False
    """The run was under way when the table opened: how it began is not known."""
    pulses: int = 0
    """Pulses of the shake sensor in the run, or how often the beams of a chute were broken."""
    unevenness: float | None = None
    """Of the intervals between inversions or shakes (`drivers.dice.shake_line.unevenness`); None of fewer than two."""

    @property
    def moved_s(self) -> float:
        """From the first movement to the last, in seconds."""
        return round((self.moved_ns - self.began_ns) / 1e9, 3)


class ChutePassed(Observation, frozen=True, kw_only=True):
    """A die passed a baffle."""

    baffle: int
    """From 1, the uppermost."""
    passes: int
    """Dice that have passed it in this run."""


class ChuteJammed(Observation, frozen=True, kw_only=True):
    """Something has been in a beam for too long: a die is stuck at this baffle, or its beam is broken."""

    baffle: int
    since_ns: int


class ChuteCleared(Observation, frozen=True, kw_only=True):
    """The beam that was blocked is free again."""

    baffle: int


class ChuteRested(Rested, frozen=True, kw_only=True):
    """Nothing moves in the chute any more.

    Its own doubts: `dice_together` (a beam was broken for longer than one die takes, or by fewer passes than dice, and
    more than one die may have passed at once), `baffles_missed` (a die did not pass a baffle), `too_many_passes` (more
    passes than dice: something else fell, or a die went back up), `die_jammed`.
    """

    passes: tuple[int, ...]
    """How many dice passed each baffle, from the uppermost."""
    required: int
    """The dice that make a result."""

    @property
    def tumbled(self) -> bool:
        """Whether every die passed every baffle, in order, beyond doubt."""
        return self.doubt is None and not self.joined and all(passes == self.required for passes in self.passes)


class ShakerCovered(Observation, frozen=True, kw_only=True):
    """The cover was put on the shaker."""

    covered_ns: int


class ShakerUncovered(Observation, frozen=True, kw_only=True):
    """The cover was taken off the shaker."""

    uncovered_ns: int
    moving: bool
    """Whether its dice still moved, or had not lain for long enough to be sure."""
    shakes: int
    """The shakes of the last shaking, the most without a pause; 0 where it was reported already."""


class ShakerShaken(Observation, frozen=True, kw_only=True):
    """The shaker was shaken once more."""

    shakes: int
    """In this shaking, and under the cover; 0 where it was shaken uncovered."""
    shaken_ns: int
    covered: bool


class ShakerRested(Rested, frozen=True, kw_only=True):
    """The dice in the shaker lie still.

    Its own doubts: `shaken_uncovered` (the cover was off while it was shaken, or came off before the dice were at
    rest).
    """

    shakes: int
    """The most without a pause, under the cover."""
    required: int
    started_ns: int | None = None
    """The first shake of the run."""

    @property
    def tumbled(self) -> bool:
        """Whether it was shaken often enough, covered, beyond doubt, and the dice are at rest."""
        return self.shakes >= self.required and self.doubt is None and not self.joined


class CageRested(Rested, frozen=True, kw_only=True):
    """The dice in the cage lie still."""

    inversions: int
    """The inversions that are proven, since the last pause; 0 where the dice were only stirred."""
    required: int
    started_ns: int | None = None
    """The first inversion."""

    @property
    def tumbled(self) -> bool:
        """Whether this was a tumble beyond doubt: enough inversions, all seen, and the dice at rest."""
        return self.inversions >= self.required and self.doubt is None and not self.joined
