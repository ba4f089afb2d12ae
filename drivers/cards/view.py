"""Card equipment at one time, for a drawing. Cards are counted and never named."""

from __future__ import annotations

from drivers.base.view import DeviceView


class ShoeView(DeviceView, frozen=True, kw_only=True, tag="shoe"):
    """A reading shoe."""

    count: int | None
    """Cards since its power-on, by its own count; None before its first line."""
    at_mouth: bool
    """Whether a card covers a barrier."""
    troubles: tuple[str, ...]
    linked: bool
    """Whether its line came in time."""


class ShufflingShoeView(DeviceView, frozen=True, kw_only=True, tag="shuffling_shoe"):
    """A continuous shuffling shoe."""

    cards_out: int
    cards_in: int
    """Cards that left it and were put back, since the controller was started."""
    at_mouth: bool
    """Whether a card covers a barrier."""
    troubles: tuple[str, ...]


class BatchView(DeviceView, frozen=True, kw_only=True, tag="batch"):
    """One batch of a shuffler."""

    name: str
    state: str
    """`idle`, `busy`, `complete`, `jam` or `door`; `shuffling` where only its contact is there."""


class ShufflerView(DeviceView, frozen=True, kw_only=True, tag="shuffler"):
    """A shuffler with its batches."""

    batches: tuple[BatchView, ...]
    cards: int | None
    """Cards that its counter saw since the cycle before; None where none is there, or it may have missed some."""
    troubles: tuple[str, ...]
    present: bool


class CardReaderView(DeviceView, frozen=True, kw_only=True, tag="card_reader"):
    """A reader of a hole card: it never shows what it read."""

    linked: bool


class DiscardRackView(DeviceView, frozen=True, kw_only=True, tag="discard_rack"):
    """A discard rack that counts."""

    covered: bool
    """Whether a card passes its counter."""
