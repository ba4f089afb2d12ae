"""Which image was lit when the finger came down: from the flips of the display, and the time of the press.

    flip 7 of the display:   asked ├──────┤ made
    its light:                    ├──error┤asked + latency ... made + latency├error──┤
    image 3 ─────────────────────────────────────────┐
                                                     ├── doubt: 3 or 4 ──┤
    image 4                                                              └────────────────────
    press                                                 ↑ within the doubt: image 3, the earlier one

A press is dated with an error, and so is the light. Where two images may have been lit, the earlier one counts (ours):
it was lit for certain, and the player saw it; the later one perhaps was not lit yet. The rule looks at no award, and
is the same at every press. Where more than two are possible, or a flip is missing, nothing is decided.

Times are nanoseconds of the screen's clock.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Final, NamedTuple

KEPT: Final = 512
"""Flips that are kept: eight seconds at 60 Hz, and two at 240 Hz."""


class Flip(NamedTuple):
    """A frame that was given to the display."""

    number: int
    asked_ns: int
    made_ns: int
    images: tuple[int, ...]


class DisplayLag(NamedTuple):
    """How the display lags, and what is not known of that, in nanoseconds."""

    latency_ns: int
    """From a flip that is made to the light of its frame in the middle of the screen."""
    error_ns: int
    """How far the light and the press may be off together."""


class Lit(NamedTuple):
    """The image that was lit at a press."""

    image: int
    lit_ns: int
    """When it was lit first, as far as the flips go back."""
    possible: tuple[int, ...]
    """Every image that may have been lit, in their order; the first counts."""


class UnknownImage(NamedTuple):
    """Which image was lit is not known, and will not be."""

    why: str


class Flips:
    """The last flips of one session, in order and without a gap."""

    def __init__(self, kept: int = KEPT) -> None:
        self._flips: deque[Flip] = deque(maxlen=kept)

    @property
    def last(self) -> Flip | None:
        """The last flip; None before the first."""
        return self._flips[-1] if self._flips else None

    @property
    def known(self) -> tuple[Flip, ...]:
        """All of them, oldest first."""
        return tuple(self._flips)

    def add(self, flip: Flip) -> int:
        """The next flip. Returns how many are missing before it; what was before a gap proves nothing any more."""
        last = self.last
        missing = 0 if last is None else flip.number - last.number - 1
        backwards = last is not None and flip.asked_ns < last.made_ns
        if missing or backwards or flip.made_ns < flip.asked_ns:
            self._flips.clear()
        if flip.made_ns >= flip.asked_ns:
            self._flips.append(flip)
        return max(missing, int(backwards or missing < 0))

    def clear(self) -> None:
        """Another session begins."""
        self._flips.clear()

    def image_at(self, reel: int, press_ns: int, display: DisplayLag) -> Lit | UnknownImage | None:
        """The image of a reel, from 1, that was lit at a press; None while a later flip may still change that."""
        latency_ns, error_ns = display
        last = self.last
        if last is None or last.asked_ns + latency_ns - error_ns <= press_ns:
            return None
        possible: list[int] = []
        first = begun = self._flips[0]
        for flip, following in pairwise(self._flips):
            if flip.asked_ns + latency_ns - error_ns > press_ns:
                break
            image = flip.images[reel - 1]
            if image != begun.images[reel - 1]:
                begun = flip
            if following.made_ns + latency_ns + error_ns <= press_ns:
                continue  # the next frame was lit for certain
            if not possible:
                first = begun
            if image not in possible[-1:]:
                possible.append(image)
        if not possible or self._flips[0].made_ns + latency_ns + error_ns > press_ns:
            return UnknownImage("the flips that are known begin at the press, or after it")
        if len(possible) > 2:
            listed = ", ".join(map(str, possible))
            return UnknownImage(f"the images {listed} may have been lit: more than two")
        return Lit(possible[0], first.made_ns + latency_ns, tuple(possible))


class ScreenClock:
    """The screen's clock against the table's: from when messages were sent, and when they were read.

    A message is never read before it is sent, so the least of its delays is nearest to the truth. What remains is the
    fastest delivery: some tens of microseconds on one computer, which is late, never early. Both clocks are that of one
    computer and do not drift apart, so the least delay of the whole session counts: after the table's process was
    stopped, any number of messages may be read late.
    """

    def __init__(self) -> None:
        self._offset_ns: int | None = None

    @property
    def offset_ns(self) -> int | None:
        """What is added to the screen's time to have the table's; None before the first message."""
        return self._offset_ns

    def read(self, sent_ns: int, read_ns: int) -> None:
        """A message was read."""
        delay_ns = read_ns - sent_ns
        self._offset_ns = delay_ns if self._offset_ns is None else min(self._offset_ns, delay_ns)

    def clear(self) -> None:
        """Another session begins, perhaps with another clock."""
        self._offset_ns = None
