"""The cards that left the shoe since the stack was loaded: which are exposed, and a commitment to each that is not.

    left, exposed at once    ─► its face, in the events of the round
    left, not exposed        ─► card.sealed   SHA-256(salt ‖ card)
       … exposed in play     ─► card.opened   card and salt, `exposed`
       … stack broken up     ─► card.opened   card and salt, `broken_up`, by a supervisor's order

So an auditor can show afterwards that the card which was turned over is the card that left the shoe, and nobody learns
it before. Faces of sealed cards are in the memory of this process alone, until the next stack is loaded; then their
commitments stay closed. After a restart a commitment is opened with the salt that its nonce gives: of the 54 cards one
has that commitment. That works as long as the stack is in the shoe, and no longer (see `controller.table.salts`).
"""

from __future__ import annotations

from typing import NamedTuple

from controller.table.report import Report
from controller.table.salts import Salt, Salts
from drivers.cards.card_wire import DECK, JOKER
from drivers.cards.hidden_card import HiddenCard
from drivers.cards.observations import BATCHES, CardBatch, CardDealt, OrderOpened, OrderSealed
from feed import events
from feed.commitments import card_commitment, lay_in_order, order_root
from feed.state import StackState, StandingSeal
from hal.wording import counted


class _Sealed(NamedTuple):
    """A card that only a commitment is known of."""

    card: HiddenCard
    salt: Salt
    commitment: str
    place: int | None


class CardLedger:
    """The books of one shoe. Its events are reported in the order of the calls."""

    def __init__(self, report: Report, salts: Salts | None, device: str = "shoe") -> None:
        """Without `salts` it seals no card."""
        self._report = report
        self._given_salts = salts
        self._device = device
        self._sealed: list[_Sealed] = []
        self._place: int | None = None
        """Cards that left the stack; None where that is not known."""
        self._left: dict[int, HiddenCard] = {}
        """Each card that left and was read, by its place."""
        self._closed: list[StandingSeal] = []
        """Cards of this stack that were sealed before a restart, and not opened since."""
        self._orders: dict[CardBatch, str] = {}
        """The root of each order that a shuffler has sealed, and not opened."""
        self._batch: int | None = None
        """Which batch of a shuffler the stack is; None where it is none, or was sealed again since."""
        self._before: dict[int, dict[int, HiddenCard]] = {}
        """As `_left`, of the last stack of each batch that is not in the shoe, and whose order was not opened."""

    @property
    def sealed(self) -> int:
        """Cards of this stack that left unexposed, and were not opened since."""
        return len(self._sealed) + len(self._closed)

    @property
    def place(self) -> int | None:
        """How many cards have left the stack; None where that is not known."""
        return self._place

    def is_sealed(self, card: HiddenCard) -> bool:
        """Whether there is a commitment to this card that was not opened."""
        return any(one.card is card for one in self._sealed)

    @property
    def _salts(self) -> Salts:
        """Where salts come from.

        Raises:
            RuntimeError: this table was made without; then it seals no card.
        """
        if self._given_salts is None:
            raise RuntimeError("this table was made without a source of salts, and seals no card")
        return self._given_salts

    def restore(self, stack: StackState) -> None:
        """What the journal has of the stack in the shoe, and of the orders of a shuffler. Its places are unknown."""
        self._closed = list(stack.sealed)
        for batch in BATCHES:
            if root := stack.orders.get(str(batch)):
                self._orders[batch] = root
                if batch == stack.batch and root == stack.dealt:
                    self._batch = batch

    # --- the stack -----------------------------------------------------------------------------------------------

    def loaded(self, t_ns: int, **how: object) -> None:
        """A stack is in the shoe, and none of it has left. Sealed cards of the stack before stay sealed, for ever.

        `how` are fields of `StackLoaded`.
        """
        if self._batch is not None and self._batch in self._orders:
            self._before[self._batch] = self._left
        batch = how.get("batch")
        self._batch = batch if isinstance(batch, int) else None
        if self._batch is not None:
            self._before.pop(self._batch, None)
        self._place, self._left, self._sealed, self._closed = 0, {}, [], []
        self._salts.stack_loaded()
        self._report.event(events.StackLoaded, t_ns, device=self._device, **how)

    def doubtful(self) -> None:
        """Cards may have left unseen: from now on nobody knows which card of the stack is next."""
        self._place = None

    def left(self, seen: CardDealt) -> None:
        """A card has left: to be called for each, before it is exposed or sealed."""
        if self._place is not None:
            self._place += 1
            if seen.card is not None and not seen.doubt:
                self._left[self._place] = seen.card

    def place_of(self, card: HiddenCard) -> int | None:
        """Which card of the stack one was; None where that is not known."""
        return next((place for place, one in reversed(self._left.items()) if one is card), None)

    def returned(self) -> None:
        """A card that was out was pushed into the shoe: it is the next one again, if it is the same."""
        self.doubtful()

    # --- cards ---------------------------------------------------------------------------------------------------

    def expose(self, card: HiddenCard, t_ns: int) -> str:
        """A card is exposed in play; returns its face."""
        face = card.expose()
        self._report.expose(card.frame)
        for one in self._sealed:
            if one.card is card:
                self._sealed.remove(one)
                self._open(one, t_ns, "exposed")
                break
        return face

    def seal(self, seen: CardDealt, t_ns: int) -> None:
        """A card left unexposed: a commitment to it is journalled. One that nobody read has none."""
        if seen.card is None:
            return
        salt = self._salts.new()
        digest = card_commitment(salt.salt, seen.card.expose())
        self._sealed.append(_Sealed(seen.card, salt, digest, self._place))
        self._event(events.CardSealed, t_ns, commitment=digest, nonce=salt.nonce, place=self._place)

    def break_up(self, t_ns: int) -> int:
        """The stack is broken up by a supervisor's order: every sealed card is opened. Returns how many were.

        One from before a restart stays closed where its key is not there any more; a warning reports it.
        """
        closed, self._closed = self._closed, []
        unknown = [one for one in closed if not self._open_closed(one, t_ns)]
        if unknown:
            detail = f"{counted(len(unknown), 'card')} sealed before the restart stay closed: their key is not kept"
            self._report.warn(t_ns, self._device, "seal_not_opened", detail)
        opened, self._sealed = self._sealed, []
        for one in opened:
            self._report.expose(one.card.frame)
            self._open(one, t_ns, "broken_up")
        return len(closed) - len(unknown) + len(opened)

    def _open(self, one: _Sealed, t_ns: int, why: str) -> None:
        self._opened(t_ns, one.commitment, one.card.expose(), one.salt.salt, why, one.place)

    def _open_closed(self, one: StandingSeal, t_ns: int) -> bool:
        """Opens a commitment of before a restart: its card is the one that has it. Returns whether there is one."""
        salt = self._salts.again(one.nonce)
        if salt is None:
            return False
        found = [card for card in (*DECK, JOKER) if card_commitment(salt, card) == one.commitment]
        for card in found:
            self._opened(t_ns, one.commitment, card, salt, "broken_up", one.place)
        return bool(found)

    def _opened(self, t_ns: int, commitment: str, card: str, salt: bytes, why: str, place: int | None) -> None:
        self._event(events.CardOpened, t_ns, commitment=commitment, card=card, salt=salt.hex(), why=why, place=place)

    def _event(self, kind: type[events.Data], t_ns: int, **fields: object) -> None:
        self._report.event(kind, t_ns, device=self._device, round=self._report.round or None, **fields)

    # --- the order of a reading shuffler -------------------------------------------------------------------------

    def owes_order(self, batch: CardBatch | None) -> bool:
        """Whether the stack in the shoe is of this batch, and its order was sealed and is not opened."""
        return batch is not None and batch == self._batch and batch in self._orders

    def order_sealed(self, seen: OrderSealed, device: str) -> bool:
        """A reading shuffler has committed itself to the order of a batch; one that it had sealed already is no news.

        Returns whether another order of that batch was dealt, and not opened: nobody can open that any more.
        """
        before = self._orders.get(seen.batch)
        if before == seen.root:
            return False
        dealt = before is not None and (seen.batch == self._batch or seen.batch in self._before)
        self._orders[seen.batch] = seen.root
        self._before.pop(seen.batch, None)
        if seen.batch == self._batch:
            self._batch = None  # the order of its next stack: the cards that have left were not dealt from it
        self._report.event(
            events.StackSealed, seen.t_ns, device=device, batch=seen.batch, count=seen.count, root=seen.root
        )
        return dealt

    def order_opened(self, seen: OrderOpened, device: str) -> bool | None:
        """The shuffler has opened that order. Returns whether it is what it sealed, and what the shoe dealt.

        It is held against the cards that have left the last stack of that batch. Where none of them is known it is not
        published: None.
        """
        root = self._orders.pop(seen.batch, "")
        left = self._left if seen.batch == self._batch else self._before.pop(seen.batch, {})
        agrees = root == order_root(seen.cards, seen.salts)
        if agrees and not left:
            detail = f"the order of batch {seen.batch} was opened, and no card is known that was dealt from it"
            self._report.warn(seen.t_ns, device, "order_not_compared", detail)
            return None
        agrees = agrees and lay_in_order({place: card.expose() for place, card in left.items()}, seen.cards)
        self._report.event(
            events.StackOpened,
            seen.t_ns,
            device=device,
            batch=seen.batch,
            root=root,
            cards=list(seen.cards),
            salts=list(seen.salts),
            agrees=agrees,
        )
        return agrees
