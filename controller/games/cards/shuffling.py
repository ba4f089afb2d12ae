"""The procedure of an automated shuffling device: which batch may be dealt, and what happens when a cycle fails.

    batch in the shuffler ── cycle complete, count right ──► ready ── new_shoe ──► in play, the other one is shuffled
                     ├── jam, stop, incomplete cycle ──► fault: reshuffle by the procedure (19:47-16.13(e))
                     └── wrong count ──► fault: the deck is removed, and not dealt

A failure of the shuffler voids no round: the cards in play were shuffled before. It stops the play once the open round
has its verdict, and its cause is gone when a whole cycle with the right count has ended. Before any other method is
used the device leaves the table, 19:47-16.13(g): a stack that was shuffled by hand is refused as long as it stands
there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from controller.games.cards.ledger import CardLedger
from controller.games.cards.shuffle_statistics import ShuffleWatch
from controller.table.faults import Fault
from controller.table.game import Game
from controller.table.wording import counted
from drivers.base.driver import Observation
from drivers.cards.observations import (
    BATCHES,
    Batch,
    LineGarbled,
    OrderOpened,
    OrderSealed,
    ShuffleBegan,
    ShuffleEnded,
    ShufflerPresent,
    ShufflerTroubled,
    ShufflerUntroubled,
)
from feed.state import StackState

SHUFFLER: Final = "shuffler"
ORDER: Final = "order_differs"
_TROUBLES: Final = {"jam": "shuffler_jam", "door": "shuffler_open"}


class ShufflerTerms(NamedTuple):
    """What the text and the table's file fix for a shuffler."""

    stack: Sequence[str]
    """The cards of one batch, whole: jokers among them, cutting cards not."""
    removed: str
    """The rule that wants it removed before another method is used, or `ours`."""
    alternates: str
    """The rule by which batches alternate, or `ours`."""


class LoadRefusedError(Exception):
    """Why a stack may not be loaded, for the person who wants to."""


class ShufflerProcedure:
    """The shuffler of one table; the game hands it the observations of its device, and asks before a stack is used."""

    def __init__(
        self,
        game: Game,
        terms: ShufflerTerms,
        ledger: CardLedger,
        *,
        over: Callable[[], bool],
        sensed: bool = False,
        device: str = SHUFFLER,
    ) -> None:
        """`over` is whether no card of the stack in play is dealt any more; `sensed`, a sensor reports its place."""
        self.sensed = sensed
        self._game = game
        self._over = over
        self._terms = terms
        self._ledger = ledger
        self._device = device
        self.at_table = True
        """Whether it stands at the table: by its sensor, or by a supervisor's order."""
        self.in_play: Batch | None = None
        """The batch that is dealt; None where nobody knows yet."""
        self._ready: Batch | None = None
        """A batch that is whole and shuffled, and not dealt since."""
        self._whole = False
        """Whether the last cycle was complete, with the right count."""
        self._failures: set[str] = set()
        """Faults of cycles, whose cause is gone with the next good one."""
        self._watch = ShuffleWatch(terms.stack)
        self._orders: dict[Batch, tuple[str, ...]] = {}
        """The order of each batch that was opened last."""

    def restore(self, stack: StackState) -> None:
        """The batch that was loaded last is dealt still, after a restart too."""
        self.in_play = next((batch for batch in BATCHES if batch == stack.batch), None)

    @property
    def ready(self) -> bool:
        """Whether a whole, shuffled batch waits in the shuffler."""
        return self._whole

    def handle(self, seen: Observation) -> bool:
        """Takes an observation; returns whether it was one of the shuffler's."""
        game, t_ns = self._game, seen.t_ns
        match seen:
            case ShuffleBegan():
                self._whole = False
            case ShuffleEnded():
                self._ended(seen)
            case ShufflerTroubled(trouble=trouble):
                game.stop(Fault(t_ns, _TROUBLES[trouble], seen.detail, cause=trouble, device=self._device))
            case ShufflerUntroubled(trouble=trouble):
                game.cause_gone(t_ns, trouble, self._device)
            case ShufflerPresent(present=present):
                self.at_table = present
                if not present:
                    self._whole, self._ready = False, None
            case OrderSealed():
                self._ledger.order_sealed(seen, self._device)
            case OrderOpened():
                self._opened(seen)
            case LineGarbled(device=self._device):
                game.warn(t_ns, self._device, "line_garbled", seen.cause)
            case _:
                return False
        return True

    def _ended(self, seen: ShuffleEnded) -> None:
        if seen.failure:
            self._fails(seen.t_ns, seen.failure, f"{seen.detail}: reshuffle")
        elif seen.count is None:
            self._fails(seen.t_ns, "card_count", "the shuffler's count is not known: count the deck, then reshuffle")
        elif seen.count != len(self._terms.stack):
            wanted = counted(len(self._terms.stack), "card")
            detail = (
                f"the shuffler counted {counted(seen.count, 'card')}, not {wanted}: remove the deck, do not deal it"
            )
            self._fails(seen.t_ns, "card_count", detail)
        else:
            self._whole, self._ready = True, seen.batch
            for failure in sorted(self._failures):
                self._game.cause_gone(seen.t_ns, failure, self._device)
            self._failures = set()

    def _fails(self, t_ns: int, fault: str, detail: str) -> None:
        self._whole = False
        cause = f"{fault} of the last cycle"
        self._failures.add(cause)
        self._game.stop(Fault(t_ns, fault, detail, cause=cause, device=self._device))

    def _opened(self, seen: OrderOpened) -> None:
        if seen.batch == self.in_play and not self._over():
            detail = "an order was opened while its stack is dealt: reshuffle"
            self._game.stop_bets(Fault(seen.t_ns, ORDER, detail, device=self._device))
            return  # whoever reads it would know the cards that are still in the shoe
        agrees = self._ledger.order_opened(seen, self._device)
        if agrees is None:
            return
        if not agrees:
            detail = f"the order of batch {seen.batch} is not the one that was sealed and dealt: hold the cards"
            self._game.stop(Fault(seen.t_ns, ORDER, detail, device=self._device))
        before, self._orders[seen.batch] = self._orders.get(seen.batch), seen.cards
        for warning, words in self._watch.shuffled(before, seen.cards):
            self._game.warn(seen.t_ns, self._device, warning, words)

    # --- loading -------------------------------------------------------------------------------------------------

    def take(self, t_ns: int, *, by_hand: bool) -> str:
        """A person loads a stack from the shuffler, or one that was shuffled by hand; returns what happened, in words.

        Raises:
            LoadRefusedError: it may not be dealt.
        """
        if by_hand:
            if self.at_table:
                raise LoadRefusedError(
                    f"the shuffler stands at the table: remove it before the cards are shuffled by hand "
                    f"({self._terms.removed})"
                )
            self.in_play = None
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
            self._game.violation(t_ns, "batch_not_alternated", self._terms.alternates, detail)
        self.in_play = 1 if batch is None else batch
        self._whole, self._ready = False, None
        return f"batch {self.in_play} is in play; put batch {_other(self.in_play)} into the shuffler"

    def moved(self, *, to_table: bool) -> None:
        """A supervisor reports where it stands, at a table whose shuffler has no sensor of its place."""
        self.at_table = to_table
        if not to_table:
            self._whole, self._ready = False, None


def _other(batch: Batch) -> Batch:
    return 2 if batch == 1 else 1
