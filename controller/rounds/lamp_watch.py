"""The lamps of a layout as the rounds see them: what they were told, whether they show it, and what is wrong.

asked ──LightLamps──► read back in time, all of them lit and no other ──► shown
            └──► a lamp dead or stuck, no read-back, cannot be reached ──► failed: what, in words
failed ──asked again every `recheck_s`──► shown: mended
shown ──read back as dark, and nobody told it so──► went dark
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, Literal, TypeAlias

from drivers.lamps.lamp_board import LampBoardConfig, LampsLost, LampsRead
from hal.lamp_fields import CHAIN
from hal.values import LightLamps

NEVER_NS: Final = 1 << 62
MOST_NAMED: Final = 6
"""More lamps than these are not all named where they are wrong (ours)."""

News: TypeAlias = Literal["shown", "failed", "mended", "dark"]
"""What a read-back, or its not coming, means: the first reading of what was asked; the first sign of a failure; the
first good reading after one; lamps that were lit and are no longer."""


class LampWatch:
    """What was asked of one chain, and what it made of that. It owns no clock."""

    def __init__(self, config: LampBoardConfig, named: Callable[[int], str]) -> None:
        """`named` says what a lamp is for: `two dice 2-5`."""
        self._answer_ns = config.answer_ms * 1_000_000
        self._recheck_ns = round(config.recheck_s * 1e9)
        self._named = named
        self.asked: frozenset[int] = frozenset()
        self.shows = False
        """Whether what was asked was read back, each lamp as it should be, and nothing else came since."""
        self.failure: str | None = None
        """What is wrong, in words; None where nothing is known to be."""
        self.dead: frozenset[int] = frozenset()
        """The lamps that were dead when they were last to be lit: lighting them is their test."""
        self._stuck: frozenset[int] = frozenset()
        self._unseen: frozenset[int] = frozenset()
        """After a restart: lamps that must be read back dark before the failure is mended."""
        self._answer_due_ns = NEVER_NS
        self._recheck_due_ns = NEVER_NS

    @property
    def next_due_ns(self) -> int:
        """When an answer is waited for no more, or the lamps are read back anew."""
        return min(self._answer_due_ns, self._recheck_due_ns)

    @property
    def waits(self) -> bool:
        """Whether a read-back is waited for."""
        return self._answer_due_ns < NEVER_NS

    def light(self, lamps: Collection[int], t_ns: int) -> LightLamps:
        """What lights exactly these lamps; their read-back is waited for from now on."""
        asked = frozenset(lamps)
        if asked != self.asked:
            self.asked, self.shows = asked, False
        self._answer_due_ns, self._recheck_due_ns = t_ns + self._answer_ns, NEVER_NS
        return LightLamps(CHAIN, asked, t_ns)

    def read(self, seen: LampsRead) -> News | None:
        """Takes a read-back; None where it tells nothing new."""
        if seen.told != self.asked:
            if self.shows and self.asked and not seen.told:
                self.shows = False
                return "dark"
            return None  # of another command
        self._answer_due_ns = NEVER_NS
        # What was asked for and is right now is no longer in doubt; of the others nothing new is known.
        self.dead = (self.dead - self.asked) | seen.dead
        self._stuck = (self._stuck & self.asked) | seen.stuck
        self._unseen &= self.asked
        if seen.dead or seen.stuck:
            return self._fail(self._wrong(), seen.t_ns)
        news: News | None = None if self.shows else "shown"
        self.shows = True
        in_doubt = bool(self.dead or self._stuck or self._unseen)
        if self.failure is not None and not in_doubt:
            self.failure, news = None, "mended"
        self._recheck_due_ns = seen.t_ns + self._recheck_ns if self.asked or in_doubt else NEVER_NS
        return news

    def lose(self, seen: LampsLost) -> News | None:
        """The chain cannot be reached, or says what cannot be read."""
        self._answer_due_ns = NEVER_NS
        return self._fail(seen.detail, seen.t_ns)

    def doubt(self, lamps: Collection[int], failure: str, t_ns: int) -> None:
        """A failure stood before a restart: each lamp is read back lit, and then dark, before it is mended."""
        self.failure = failure
        self.dead = self._unseen = frozenset(lamps)
        self._recheck_due_ns = t_ns

    def due(self, t_ns: int) -> tuple[News | None, bool]:
        """Lets time pass: what that means, and whether the lamps are to be asked for again."""
        if self._answer_due_ns <= t_ns:
            due_ns, self._answer_due_ns = self._answer_due_ns, NEVER_NS
            return self._fail(f"no read-back within {self._answer_ns / 1e6:g} ms", due_ns), False
        if self._recheck_due_ns <= t_ns:
            self._recheck_due_ns = NEVER_NS
            return None, True
        return None, False

    def _fail(self, words: str, t_ns: int) -> News | None:
        self.shows = False
        self._recheck_due_ns = t_ns + self._recheck_ns
        new, self.failure = self.failure is None, words
        return "failed" if new else None

    def _wrong(self) -> str:
        wrong = sorted([(lamp, "dead") for lamp in self.dead] + [(lamp, "stuck") for lamp in self._stuck])
        if len(wrong) > MOST_NAMED and self.dead == self.asked and not self._stuck:
            return f"all {len(wrong)} lamps that were to be lit are dead"
        named = wrong if len(wrong) <= MOST_NAMED else wrong[: MOST_NAMED - 1]
        more = len(wrong) - len(named)
        words = [f"{self._named(lamp)}, lamp {lamp}, is {what}" for lamp, what in named]
        return "; ".join([*words, f"and {more} lamps more"] if more else words)
