"""The lamps of a layout on one chain, lit by command and read back.

    LightLamps 3, 45 ──► chain ──► read-back: lit 3, 45          LampsRead(commanded 3, 45)
                                   lit 3, dead 45                LampsRead(commanded 3, 45, dead 45)
                                   nothing at all                LampsRead(commanded nothing): it was cleared, or reset

A read-back is the board's report `lamps` (docs/wire.md): three bit fields of eight bytes, lit, dead and stuck. What
was commanded is what is lit by right together with what is dead.

The driver decodes read-backs. The actuator lights the lamps and compares each read-back with what it asked for:

    light ──LightLamps──► read back in time, all of them lit and no other ──► LampsShown
                └──► a lamp dead or stuck, no read-back, cannot be reached ──► LampsFailed: what, in words
    failed ──lit again every `recheck_s`──► read back rightly: LampsMended
    shown ──read back as dark, and nobody commanded it──► LampsDark
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.lamps.view import LampBoardView
from hal.lamp_fields import CHAIN, FIELD, MOST_LAMPS, places
from hal.values import Edge, EdgesLost, Frame, LightLamps, Loss, Output, Reading

LAMPS: Final = 50
"""The lamps of a layout: the fifty lit areas of sic bo. A board whose chain is shorter cannot have them."""
MOST_NAMED: Final = 6
"""Of more wrong lamps than these not all are named (ours)."""

# --- observations of the driver ---------------------------------------------------------------------------------------


class LampsRead(Observation, frozen=True, kw_only=True):
    """The chain read back the lamps that it was last commanded to light. Lamps are places on the chain, from 1."""

    commanded: frozenset[int]
    """The lamps of the last command."""
    dead: frozenset[int] = frozenset()
    """Commanded to be lit, and drawing no current."""
    stuck: frozenset[int] = frozenset()
    """Commanded to be dark, and drawing some."""


class LampsLost(Observation, frozen=True, kw_only=True):
    """The chain cannot be reached, or its report cannot be read."""

    detail: str


# --- reports of the actuator ------------------------------------------------------------------------------------------


class LampsShown(Observation, frozen=True, kw_only=True):
    """The lamps that were asked for are read back as lit for the first time, and no other."""


class LampsFailed(Observation, frozen=True, kw_only=True):
    """A lamp is dead or stuck, or the chain does not answer: the first sign of a failure."""

    detail: str


class LampsMended(Observation, frozen=True, kw_only=True):
    """The first read-back without a fault after a failure."""


class LampsDark(Observation, frozen=True, kw_only=True):
    """Lamps that were lit are dark, and nobody commanded it."""


class LampBoardConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the lamp chain under `[device.lamp_board]`."""

    driver: Literal["lamp_board"] = "lamp_board"
    board: Annotated[
        str | None,
        Meta(description="the board that has the chain, by the name of its section; without it the one of kind table"),
    ] = None
    answer_ms: Annotated[
        int, Meta(ge=50, le=10_000, description="a chain that has not read back within this time has failed (ours)")
    ] = 1000
    recheck_s: Annotated[
        float,
        Meta(ge=0.5, le=60, description="lamps that are lit, or have failed, are read back again this often (ours)"),
    ] = 2.0


class LampBoard:
    """The driver of one lamp chain; see `drivers.base.driver.Driver`."""

    lines = frozenset((CHAIN,))

    def __init__(self, lamps: int, name: str = "lamp_board") -> None:
        """`lamps` is how many of the chain's places have a lamp, from the first on.

        Raises:
            ValueError: no chain has this many places.
        """
        if not 1 <= lamps <= MOST_LAMPS:
            raise ValueError(f"lamp board: a chain has 1 to {MOST_LAMPS} lamps, not {lamps}")
        self.name = name
        self._lamps = lamps

    @property
    def next_due_ns(self) -> int | None:
        """The driver waits for nothing."""
        return None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """A chain has no edges."""
        return []

    def reading(self, reading: Reading) -> list[Observation]:
        """A chain has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes a read-back."""
        if frame.link != CHAIN:
            return []
        if len(frame.data) != 3 * FIELD:
            detail = (
                f"a read-back has {3 * FIELD} bytes, and {len(frame.data)} arrived; flash the board's firmware again"
            )
            return [LampsLost(t_ns=frame.t_ns, detail=detail)]
        lit, dead, stuck = (places(frame.data[at : at + FIELD], self._lamps) for at in range(0, 3 * FIELD, FIELD))
        return [LampsRead(t_ns=frame.t_ns, commanded=(lit - stuck) | dead, dead=dead, stuck=stuck)]

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """The chain's board is gone. A read-back that was lost shows by its not coming."""
        if loss.line != CHAIN or loss.cause is not Loss.UNPLUGGED:
            return []
        detail = "the board of the lamps cannot be reached; look at its cable and its supply"
        return [LampsLost(t_ns=loss.t_ns, detail=detail)]

    def due(self, t_ns: int) -> list[Observation]:
        """Time alone changes nothing."""
        return []


class LampActuator:
    """Lights the lamps of one chain and compares what is read back; see `drivers.base.actuator.Actuator`."""

    observes: frozenset[type[Observation]] = frozenset({LampsRead, LampsLost})

    def __init__(
        self,
        config: LampBoardConfig,
        label: Callable[[int], str],
        name: str = "lamp_board",
        labels: Sequence[str] = (),
    ) -> None:
        """`label` names what a lamp represents: `two dice 2-5`; `labels` are those of all lamps, for its view."""
        self.name = name
        self.outputs: list[Output] = []
        self.asked: frozenset[int] = frozenset()
        """The lamps that the chain was commanded to light last."""
        self.shows = False
        """Whether `asked` was read back, each lamp as it should be, and nothing else came since."""
        self.failure: str | None = None
        """What is wrong, in words; None where nothing is known to be."""
        self._label = label
        self._labels = tuple(labels)
        self._answer_ns = config.answer_ms * 1_000_000
        self._recheck_ns = round(config.recheck_s * 1e9)
        self._wanted: frozenset[int] = frozenset()
        """The lamps that the game wants lit; `asked` differs while dead ones are tested."""
        self._dead: frozenset[int] = frozenset()
        """The lamps that were dead when they were last to be lit: lighting them is their test."""
        self._stuck: frozenset[int] = frozenset()
        self._unseen: frozenset[int] = frozenset()
        """After a restart: lamps that must be read back dark before the failure is fixed."""
        self._answer_due_ns = NEVER_NS
        self._recheck_due_ns = NEVER_NS

    @property
    def next_due_ns(self) -> int:
        """When an answer is overdue, or the lamps are to be read back again."""
        return min(self._answer_due_ns, self._recheck_due_ns)

    def view(self, t_ns: int) -> LampBoardView:
        """The lamps as they were commanded and read back."""
        facts = (
            ("commanded", f"{len(self.asked)} of {len(self._labels)} lit"),
            ("read back", "as commanded" if self.shows else "no" if self.asked else "-"),
        )
        return LampBoardView(
            facts=facts,
            doubts=() if self.failure is None else (self.failure,),
            labels=self._labels,
            asked=tuple(sorted(self.asked)),
            shows=self.shows,
            dead=tuple(sorted(self._dead)),
            stuck=tuple(sorted(self._stuck)),
        )

    # --- commands ------------------------------------------------------------------------------------------------

    def light(self, lamps: Collection[int], t_ns: int) -> None:
        """Lights exactly these lamps; their read-back is due from now on."""
        self._wanted = frozenset(lamps)
        self._ask(self._wanted, t_ns)

    def darken(self, t_ns: int) -> None:
        """Nothing is to be lit any more."""
        self._wanted = frozenset()
        if self.asked:
            self._ask(self._wanted, t_ns)

    def doubt(self, lamps: Collection[int], failure: str, t_ns: int) -> None:
        """A failure was before a restart: each lamp is read back lit, and then dark, before it is fixed."""
        self.failure = failure
        self._dead = self._unseen = frozenset(lamps)
        self._recheck_due_ns = t_ns

    def rest(self, t_ns: int) -> list[Output]:
        """A chain needs none: the board darkens it when its host falls silent."""
        return []

    def _ask(self, lamps: frozenset[int], t_ns: int) -> None:
        if lamps != self.asked:
            self.asked, self.shows = lamps, False
        self._answer_due_ns, self._recheck_due_ns = t_ns + self._answer_ns, NEVER_NS
        self.outputs.append(LightLamps(CHAIN, lamps, t_ns))

    # --- observations and time -----------------------------------------------------------------------------------

    def observe(self, seen: Observation) -> list[Observation]:
        """Takes a read-back, or that the chain is lost."""
        found: list[Observation] = []
        if isinstance(seen, LampsRead):
            self._read(seen, found)
        elif isinstance(seen, LampsLost):
            self._answer_due_ns = NEVER_NS
            self._fail(seen.detail, seen.t_ns, found)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Meets the next deadline."""
        found: list[Observation] = []
        if self._answer_due_ns <= t_ns:
            due_ns, self._answer_due_ns = self._answer_due_ns, NEVER_NS
            self._fail(f"no read-back within {self._answer_ns / 1e6:g} ms", due_ns, found)
        elif self._recheck_due_ns <= t_ns:
            # A dead lamp is tested by lighting it, a stuck one in the dark.
            self._ask(self._wanted or self._dead, self._recheck_due_ns)
        return found

    def _read(self, seen: LampsRead, found: list[Observation]) -> None:
        if seen.commanded != self.asked:
            if self.shows and self.asked and not seen.commanded:
                self.shows = False
                found.append(LampsDark(t_ns=seen.t_ns))
            return  # of another command
        self._answer_due_ns = NEVER_NS
        # What was asked for and is right now is no longer in doubt; of the others nothing new is known.
        self._dead = (self._dead - self.asked) | seen.dead
        self._stuck = (self._stuck & self.asked) | seen.stuck
        self._unseen &= self.asked
        if seen.dead or seen.stuck:
            self._fail(self._wrong(), seen.t_ns, found)
            return
        shown, self.shows = not self.shows, True
        in_doubt = bool(self._dead or self._stuck or self._unseen)
        repaired = self.failure is not None and not in_doubt
        self._recheck_due_ns = seen.t_ns + self._recheck_ns if self.asked or in_doubt else NEVER_NS
        if repaired:
            self.failure = None
            found.append(LampsMended(t_ns=seen.t_ns))
        elif shown:
            found.append(LampsShown(t_ns=seen.t_ns))

    def _fail(self, words: str, t_ns: int, found: list[Observation]) -> None:
        self.shows = False
        self._recheck_due_ns = t_ns + self._recheck_ns
        new, self.failure = self.failure is None, words
        if new:
            found.append(LampsFailed(t_ns=t_ns, detail=words))

    def _wrong(self) -> str:
        wrong = sorted([(lamp, "dead") for lamp in self._dead] + [(lamp, "stuck") for lamp in self._stuck])
        if len(wrong) > MOST_NAMED and self._dead == self.asked and not self._stuck:
            return f"all {len(wrong)} lamps that were to be lit are dead"
        named = wrong if len(wrong) <= MOST_NAMED else wrong[: MOST_NAMED - 1]
        more = len(wrong) - len(named)
        words = [f"{self._label(lamp)}, lamp {lamp}, is {what}" for lamp, what in named]
        return "; ".join([*words, f"and {more} lamps more"] if more else words)
