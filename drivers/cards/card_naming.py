"""How a reading shoe names its cards on its link: in our own lines, with a count, or by tokens of another make.

    frame ──► LineNaming or TokenNaming ──► NamedCard ──► held against the passages (see `card_matching`)

A naming reports what it sees of the link itself, in order: a garbled line, lost lines, a shoe that was restarted, the
state of the shoe. It knows no barrier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, Protocol, TypeAlias

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.cards.card_tokens import TokenChecksum, card_of
from drivers.cards.card_way import ShoeTroubles
from drivers.cards.card_wire import COUNTS, UNREAD, CardLine, MalformedCardLine, ShoeLine, ShoeState, parse
from drivers.cards.observations import CardsLost, LineGarbled, ShoeRestarted, ShoeTrouble
from hal.values import Frame

_TROUBLE_OF_STATE: Final[dict[ShoeState, ShoeTrouble]] = {
    ShoeState.EMPTY: "empty",
    ShoeState.LID: "lid",
    ShoeState.JAM: "jam",
}
_SEALED: Final = re.compile(rb"C;(\d{5});[0-9a-f]{64}")
_SEALED_TOKEN: Final = re.compile(rb"[0-9a-f]{64}")
SILENCE_NS: Final = 3_500_000_000
"""The shoe reports its state each second; this long without one, its link is dead (ours)."""
MOST_MISSED: Final = 1000
"""A jump of the count beyond this is another shoe, or one that was switched off (ours): nobody deals more unseen."""


class NamedCard(NamedTuple):
    """A card that the link has named."""

    card: str
    frame: Frame

    @property
    def t_ns(self) -> int:
        """When its line came."""
        return self.frame.t_ns


class LostName(NamedTuple):
    """The line of the card that left last was lost."""

    t_ns: int


Named: TypeAlias = Iterator[NamedCard | LostName]
"""What is named, in order with what `found` gets of the link itself."""


class CardNaming(Protocol):
    """What a link names, frame by frame."""

    @property
    def count(self) -> int | None:
        """The count in the last line; None where there is none."""

    @property
    def due_ns(self) -> int:
        """The next deadline; `NEVER_NS` where there is none."""

    def take(self, frame: Frame, found: list[Observation]) -> Named:
        """Takes a frame; returns what it names."""

    def due(self, t_ns: int, found: list[Observation]) -> Named:
        """The deadline has come; returns what follows from it."""

    def unplugged(self) -> None:
        """The link was unplugged, or lost bytes."""


class LineNaming:
    """Our own lines: one for each card, and one with the state each second; both have the count of the shoe."""

    def __init__(self, link: str, health: SensorHealth, troubles: ShoeTroubles) -> None:
        self._link = link
        self._health = health
        self._troubles = troubles
        self.count: int | None = None
        self._last_card = ""
        self._state_ns = NEVER_NS
        """When the shoe last reported its state; one that never does is not missed."""

    @property
    def due_ns(self) -> int:
        """When the silence of the shoe shows that its link is dead."""
        return self._state_ns + SILENCE_NS if self._state_ns < NEVER_NS else NEVER_NS

    def take(self, frame: Frame, found: list[Observation]) -> Named:
        """Takes a line; of one that a capture has sealed, only the count is known."""
        line, t_ns = parse(frame.data) if frame.link == self._link else _sealed(frame.data), frame.t_ns
        if isinstance(line, CardLine):
            self._health.line_active(self._link, t_ns, found)
            if (line.number, line.card) == (self.count, self._last_card):
                return  # the same line once more
            self._missed(line.number - 1, line.number, t_ns, found)
            self._last_card = line.card
            yield NamedCard(line.card, frame)
        elif isinstance(line, ShoeLine):
            self._health.line_active(frame.link, t_ns, found)
            self._state_ns = t_ns
            if self._missed(line.number, line.number, t_ns, found):
                yield LostName(t_ns)
            for state, trouble in _TROUBLE_OF_STATE.items():
                self._troubles.take(trouble, self._link, line.state is state, t_ns, found)
        else:
            found.append(LineGarbled(t_ns=t_ns, cause=line.cause))

    def _missed(self, before: int, number: int, t_ns: int, found: list[Observation]) -> bool:
        """Compares the count before a line with the last one; returns whether lines were lost."""
        known, self.count = self.count, number
        missed = 0 if known is None else (before - known) % COUNTS
        if missed > MOST_MISSED:
            found.append(ShoeRestarted(t_ns=t_ns))
        elif missed:
            detail = f"the shoe counts {missed} more than it named"
            found.append(CardsLost(t_ns=t_ns, reason="card_count", detail=detail))
        return 0 < missed <= MOST_MISSED

    def due(self, t_ns: int, found: list[Observation]) -> Named:
        """Nothing came for too long."""
        self._state_ns = NEVER_NS
        detail = f"nothing was received from the shoe for {SILENCE_NS / 1e9:g} s"
        self._health.line_failed(self._link, "sensor_missing", detail, t_ns, found)
        found.append(CardsLost(t_ns=t_ns, reason="sensor_missing", detail=detail))
        return iter(())

    def unplugged(self) -> None:
        """The state of the shoe is not awaited until it comes again."""
        self._state_ns = NEVER_NS


class TokenNaming:
    """Tokens of another shoe, or barcodes: this many equal ones running are a card. They have no count."""

    count = None

    def __init__(
        self,
        link: str,
        codes: Mapping[str, str],
        checksum: TokenChecksum,
        repeats: int,
        within_ns: int,
        health: SensorHealth,
    ) -> None:
        """`repeats` tokens come `within_ns` for one card."""
        self._link = link
        self._codes = codes
        self._checksum = checksum
        self._repeats = repeats
        self._within_ns = within_ns
        self._health = health
        self._token = ""
        self._tokens = 0
        """The card that came last, and how often running."""
        self._first = Frame(link, b"", 0)
        """The first of them."""

    @property
    def due_ns(self) -> int:
        """When the tokens of one card should have come."""
        return self._first.t_ns + self._within_ns if self._tokens else NEVER_NS

    def take(self, frame: Frame, found: list[Observation]) -> Named:
        """Takes a token; of one that a capture has sealed, nothing is known but that it came."""
        if frame.link != self._link:
            if _SEALED_TOKEN.fullmatch(frame.data) is not None:
                yield NamedCard(UNREAD, frame)
            return
        card = card_of(frame.data, self._codes, self._checksum)
        if isinstance(card, MalformedCardLine):
            found.append(LineGarbled(t_ns=frame.t_ns, cause=card.cause))
            return
        self._health.line_active(frame.link, frame.t_ns, found)
        if self._tokens and card != self._token:
            yield self._short(frame.t_ns)
        self._token, self._tokens = card, self._tokens + 1
        if self._tokens == 1:
            self._first = frame
        if self._tokens == self._repeats:
            self._tokens = 0
            yield NamedCard(card, frame)

    def due(self, t_ns: int, found: list[Observation]) -> Named:
        """A token did not come as often as it should."""
        return iter((self._short(t_ns),))

    def _short(self, t_ns: int) -> NamedCard:
        """A token that did not come as often as it should names no card: it was not read."""
        self._tokens = 0
        return NamedCard(UNREAD, self._first._replace(t_ns=t_ns))

    def unplugged(self) -> None:
        """Tokens that came are awaited as before."""


def _sealed(data: bytes) -> CardLine | MalformedCardLine:
    """A line of which a capture holds its public part and a commitment: a card that nobody may see."""
    number = _SEALED.match(data)
    if number is None:
        return MalformedCardLine("the capture does not show what was garbled")
    return CardLine(int(number[1]), UNREAD)
