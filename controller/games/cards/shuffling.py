"""The procedure of an automated shuffling device: which batch may be dealt, and what happens when a cycle fails.

    batch in the shuffler ── cycle complete, count right ──► ready ── new_shoe ──► in play, the other one is shuffled
                     ├── jam, stop, incomplete cycle ──► fault: reshuffle by the procedure (19:47-16.13(e))
                     └── wrong count ──► fault: the deck is removed, and not dealt

A failure of the shuffler voids no round: the cards in play were shuffled before. It stops the play once the open round
has its verdict, and its cause is gone when a whole cycle with the right count has ended. Before any other method is
used the device leaves the table, 19:47-16.13(g): a stack that was shuffled by hand is refused as long as the device is
there there.

A reading shuffler opens the order of each stack that is dealt no more. An order that it does not open whole is asked
for once (`ShufflerActuator`); then it is withheld, and shuts the table as the next shoe is loaded (ours).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from controller.games.cards.ledger import CardLedger
from controller.games.cards.shuffle_statistics import ShuffleWatch
from controller.table.faults import Fault
from controller.table.report import AFTER_VERDICT, UNLESS_CALLED, Report
from drivers.base.driver import Observation
from drivers.cards.observations import (
    BATCHES,
    CardBatch,
    LineGarbled,
    OrderOpened,
    OrderSealed,
    OrderWithheld,
    ShuffleBegan,
    ShuffleEnded,
    ShufflerPresent,
    ShufflerTroubled,
    ShufflerUntroubled,
)
from drivers.cards.shuffler_actuator import ShufflerActuator
from feed.state import TableState
from hal.wording import counted

SHUFFLER: Final = "shuffler"
ORDER: Final = "order_differs"
WITHHELD: Final = "order_withheld"
UNTIL_SHUFFLED: Final = "an order that was not opened, until a new shuffle"
"""The cause of that fault: the cards in the shoe may lie as somebody knows."""
_TROUBLES: Final = {"jam": "shuffler_jam", "door": "shuffler_open"}


class ShufflerTerms(NamedTuple):
    """What the text and the table's file fix for a shuffler."""

    stack: Sequence[str]
    """The cards of one batch, whole: jokers among them, cutting cards not."""
    removed: str
    """The rule that wants it removed before another method is used, or `ours`."""
    alternates: str
    """The rule by which batches alternate, or `ours`."""
    counts: bool
    """Whether it counts its cards; where it does not, a complete cycle is all that is known of a batch."""


class LoadRefusedError(Exception):
    """Why a stack may not be loaded, for the person who wants to."""


class ShufflerProcedure:
    """The shuffler of one table; its game passes it the observations of its device, and asks before a stack is used."""

    def __init__(
        self,
        report: Report,
        terms: ShufflerTerms,
        ledger: CardLedger,
        *,
        over: Callable[[], bool],
        sensed: bool = False,
        device: str = SHUFFLER,
        asked: ShufflerActuator | None = None,
    ) -> None:
        """`over` is whether no card of the stack in play is dealt any more; `sensed`, a sensor reports its place;
        `asked` asks it for orders, where it is on a link.
        """
        self._asked = asked
        self._standing: list[str] = []
        """Faults of withheld orders that were latched before a restart."""
        self._withheld: list[str] = []
        """Orders that were dealt and not opened, in words, until the next shoe is loaded."""
        self._loaded_since: set[CardBatch] = set()
        """Batches whose orders are awaited, and after which another stack was loaded."""
        self.sensed = sensed
        self._report = report
        self._over = over
        self._terms = terms
        self._ledger = ledger
        self._device = device
        self.at_table = True
        """Whether it is at the table: by its sensor, or by a supervisor's order."""
        self.in_play: CardBatch | None = None
        """The batch that is dealt; None where nobody knows yet."""
        self._ready: CardBatch | None = None
        """A batch that is whole and shuffled, and not dealt since."""
        self._whole = False
        """Whether the last cycle was complete, with the right count."""
        self._failures: set[str] = set()
        """Faults of cycles, whose cause is gone with the next good one."""
        self._watch = ShuffleWatch(terms.stack)
        self._orders: dict[CardBatch, tuple[str, ...]] = {}
        """The order of each batch that was opened last."""

    def restore(self, state: TableState) -> None:
        """The batch that was loaded last is dealt still, after a restart too; an order that was withheld stays so."""
        if state.stack is not None:
            self.in_play = next((batch for batch in BATCHES if batch == state.stack.batch), None)
        self._standing = [fault.detail for fault in state.faults if fault.fault == WITHHELD]

    def begin(self, t_ns: int) -> None:
        """The table begins: what shut it until a new shuffle still does."""
        for detail in self._standing:
            self._shut_until_shuffled(t_ns, detail)
        self._standing = []

    @property
    def ready(self) -> bool:
        """Whether a whole, shuffled batch waits in the shuffler."""
        return self._whole

    @property
    def removed_by_order(self) -> bool:
        """Whether a supervisor has ordered that it is off the table, which no sensor reports."""
        return not self.at_table and not self.sensed

    def handle(self, seen: Observation) -> bool:
        """Takes an observation; returns whether it was one of the shuffler's."""
        report, t_ns = self._report, seen.t_ns
        match seen:
            case ShuffleBegan(batch=batch):
                self._whole = False
                if batch is not None and batch == self.in_play and self._over():
                    self.await_order(t_ns)  # its next order would take the place of this one
            case ShuffleEnded():
                self._ended(seen)
            case ShufflerTroubled(trouble=trouble):
                fault = Fault(t_ns, _TROUBLES[trouble], seen.detail, cause=trouble, device=self._device)
                report.fault(fault, AFTER_VERDICT)
            case ShufflerUntroubled(trouble=trouble):
                report.cause_gone(t_ns, trouble, self._device)
            case ShufflerPresent(present=present):
                self.at_table = present
                if not present:
                    self._whole, self._ready = False, None
            case OrderSealed(batch=batch):
                if self._ledger.order_sealed(seen, self._device):
                    if self._asked is not None:
                        self._asked.forget(batch)
                    self._withhold(t_ns, batch, f"batch {batch} was sealed again before its order was opened")
            case OrderWithheld(batch=batch, place=place):
                detail = f"the order of batch {batch} was dealt, and is not opened from place {place} on"
                self._withhold(t_ns, batch, f"{detail}, though it was asked for")
            case OrderOpened():
                self._opened(seen)
            case LineGarbled(device=self._device):
                report.warn(t_ns, self._device, "line_garbled", seen.cause)
            case _:
                return False
        return True

    def _ended(self, seen: ShuffleEnded) -> None:
        if seen.failure:
            self._fails(seen.t_ns, seen.failure, f"{seen.detail}: reshuffle")
        elif seen.count is None and self._terms.counts:
            self._fails(seen.t_ns, "card_count", "the shuffler's count is not known: count the deck, then reshuffle")
        elif seen.count is not None and seen.count != len(self._terms.stack):
            wanted = counted(len(self._terms.stack), "card")
            detail = (
                f"the shuffler counted {counted(seen.count, 'card')}, not {wanted}: remove the deck, do not deal it"
            )
            self._fails(seen.t_ns, "card_count", detail)
        else:
            self._whole, self._ready = True, seen.batch
            for failure in sorted(self._failures):
                self._report.cause_gone(seen.t_ns, failure, self._device)
            self._failures = set()

    def _fails(self, t_ns: int, fault: str, detail: str) -> None:
        self._whole = False
        cause = f"{fault} of the last cycle"
        self._failures.add(cause)
        self._report.fault(Fault(t_ns, fault, detail, cause=cause, device=self._device), AFTER_VERDICT)

    def await_order(self, t_ns: int) -> None:
        """The stack in play is dealt no more: where its order was sealed, it is to be opened."""
        batch = self.in_play
        if self._asked is not None and batch is not None and self._ledger.owes_order(batch):
            self._asked.await_order(batch, t_ns)

    def _withhold(self, t_ns: int, batch: CardBatch, detail: str) -> None:
        """An order that was dealt is not opened: the next shoe is not played, or the one that was loaded meanwhile."""
        self._withheld.append(detail)
        if batch in self._loaded_since:
            self._stop_withheld(t_ns)
        self._loaded_since.discard(batch)

    def _stop_withheld(self, t_ns: int) -> None:
        for detail in self._withheld:
            self._shut_until_shuffled(t_ns, f"{detail}: shuffle again, then clear it")
        self._withheld = []

    def _shut_until_shuffled(self, t_ns: int, detail: str) -> None:
        self._failures.add(UNTIL_SHUFFLED)
        self._report.fault(Fault(t_ns, WITHHELD, detail, cause=UNTIL_SHUFFLED, device=self._device), UNLESS_CALLED)

    def _load(self, t_ns: int, batch: CardBatch | None) -> None:
        """Another stack is in play; the order of the one before is owed from now on at the latest."""
        self.await_order(t_ns)
        if self.in_play is not None and self._ledger.owes_order(self.in_play):
            self._loaded_since.add(self.in_play)
        self._stop_withheld(t_ns)
        self.in_play = batch

    def _opened(self, seen: OrderOpened) -> None:
        if seen.batch == self.in_play and not self._over():
            detail = "an order was opened while its stack is dealt: reshuffle"
            self._report.fault(Fault(seen.t_ns, ORDER, detail, device=self._device), UNLESS_CALLED)
            return  # whoever reads it would know the cards that are still in the shoe
        self._loaded_since.discard(seen.batch)
        agrees = self._ledger.order_opened(seen, self._device)
        if agrees is None:
            return
        if not agrees:
            detail = f"the order of batch {seen.batch} is not the one that was sealed and dealt: hold the cards"
            self._report.fault(Fault(seen.t_ns, ORDER, detail, device=self._device), AFTER_VERDICT)
        before, self._orders[seen.batch] = self._orders.get(seen.batch), seen.cards
        for warning, words in self._watch.shuffled(before, seen.cards):
            self._report.warn(seen.t_ns, self._device, warning, words)

    # --- loading -------------------------------------------------------------------------------------------------

    def take(self, t_ns: int, *, by_hand: bool) -> str:
        """A person loads a stack from the shuffler, or one that was shuffled by hand; returns what happened, in words.

        Raises:
            LoadRefusedError: it may not be dealt.
        """
        if by_hand:
            if self.at_table:
                raise LoadRefusedError(
                    f"the shuffler is at the table: remove it before the cards are shuffled by hand "
                    f"({self._terms.removed})"
                )
            if UNTIL_SHUFFLED in self._failures:
                self._failures.discard(UNTIL_SHUFFLED)
                self._report.cause_gone(t_ns, UNTIL_SHUFFLED, self._device)
            self._load(t_ns, None)
            return "shuffled by hand"
        if not self.at_table:
            raise LoadRefusedError("the shuffler is not at the table: shuffle by hand (method=hand), or put it back")
        if not self._whole:
            raise LoadRefusedError(
                "no whole batch is ready in the shuffler: let a cycle end with the right count, or remove the shuffler "
                "and shuffle by hand"
            )
        before, batch = self.in_play, self._ready
        if batch is None and before is not None:
            batch = _other(before)  # its wires do not report which: they alternate
        if before is not None and batch == before:
            detail = f"batch {batch} is dealt again: the two batches alternate"
            self._report.violation(t_ns, "batch_not_alternated", self._terms.alternates, detail)
        loaded: CardBatch = 1 if batch is None else batch
        self._load(t_ns, loaded)
        self._whole, self._ready = False, None
        uncounted = "" if self._terms.counts else "; the shuffler has no counter: count its cards"
        return f"batch {loaded} is in play; put batch {_other(loaded)} into the shuffler{uncounted}"

    def moved(self, *, to_table: bool) -> None:
        """A supervisor reports where it is, at a table whose shuffler has no sensor of its place."""
        self.at_table = to_table
        if not to_table:
            self._whole, self._ready = False, None


def _other(batch: CardBatch) -> CardBatch:
    return 2 if batch == 1 else 1
