"""Rounds of blackjack: the dealer's own hand, and how many cards were dealt to whom.

    blackjack      burn, hand 1 … hand n, dealer (up), hand 1 … hand n, dealer (hole) ──► players draw
                       ──► the dealer plays: the hole card is turned, cards to 17 or more ──► outcome
    multi-action   burn, hand 1 … hand n, dealer (up), hand 1 … hand n ──► players draw
                       ──► three times: the dealer plays, from the first card to 17 or more ──► outcome

Which player a drawn card goes to, and what players hold, nobody reads: no player's hand is judged, and nothing is paid
here. That the players have finished is the dealer's announcement; until then every card is theirs. The hole card is in
no event before it is turned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta

from controller.games.base.options import RoundOptions
from controller.games.blackjack.counts import BUST, complete, hand_of, natural, well_dealt
from controller.games.blackjack.rules import BlackjackRules, Ties
from controller.games.cards.hands import CardDesk, HandsDecided, HandsUnproven, HandsVerdict
from controller.games.cards.shoe import SHOE
from controller.rules.cited import OURS
from drivers.base.driver import Observation
from drivers.cards.card_wire import DECK
from drivers.cards.observations import Blackjack, CardDealt, HoleCardRead
from feed import events
from feed.data import DealtCard
from feed.events import Evidence, WinningBet
from hal.wording import counted

DEALER: Final = "dealer"
RED: Final = "hd"
PLAYERS: Final = "players"


class BlackjackOptions(RoundOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of rounds of blackjack under `[game]`."""

    decks: Annotated[int, Meta(ge=1, le=8, description="decks in the shoe: as many as the text allows")] = 4
    one_face_down: Annotated[
        bool, Meta(description="whether the second card of each player is dealt face down, as 13:47-20.22(g)6 allows")
    ] = False
    ties: Annotated[
        Ties,
        Meta(
            description="how ties are resolved, by 13:47-20.22(g)7; the organization's choice, posted, and with it "
            "what a natural pays"
        ),
    ] = "push"
    dealer_hand: Annotated[
        bool, Meta(description="whether the dealer's hand is published; without it cards are counted only")
    ] = True
    determinant_card: Annotated[
        bool,
        Meta(
            description="double shoe: the first card of each round belongs to no hand and decides the compartment: red "
            "the first, black the second (ours: 19:47-2.1 does not say how)"
        ),
    ] = False


class BlackjackHands:
    """The dealer's hand of one blackjack table, and how many cards were dealt to whom."""

    def __init__(self, desk: CardDesk, rules: BlackjackRules, options: BlackjackOptions) -> None:
        self._desk = desk
        self._rules = rules
        self._options = options
        self.reset()

    def reset(self) -> None:
        """A new round begins."""
        self._plan: list[str] = []
        """Whose each card of the initial deal is, in order."""
        self._dealt = 0
        """Cards of this round, without those that were used for nothing."""
        self._exposed: list[DealtCard] = []
        self._counts: Counter[str] = Counter()
        self._hole: CardDealt | None = None
        """The dealer's second card, face down."""
        self._first: list[str] = []
        """The dealer's first card, where it was read."""
        self._parts: list[list[str]] = []
        """The dealer's hands, from the moment the dealer plays."""
        self._unread = False
        """Whether one of the dealer's cards was not read."""
        self._peeked: Blackjack | None = None
        self._determined = not self._options.determinant_card
        """Whether the determinant card of this round has left."""
        self._side: int | None = None
        """The compartment that it chose; None where nobody read it, or there is none."""

    # --- the deal ------------------------------------------------------------------------------------------------

    def deal(self, seen: CardDealt, t_ns: int) -> HandsVerdict:
        """A card goes to the hand whose turn it is; once the initial deal is over to players, then to the dealer."""
        hands = self._desk.cards.declared_hands
        if hands is None:
            self._desk.cards.hide(seen, t_ns)
            return HandsUnproven("hands_unknown", "nobody has declared how many hands are dealt: hands count=…")
        if not self._determined:
            self._determine(seen, t_ns)
            return None
        self._check_side(seen, t_ns)
        if not self._plan:
            self._plan = self._initial(hands)
        verdict: HandsVerdict = None
        if self._dealt < len(self._plan):
            self._initial_card(seen, self._plan[self._dealt], t_ns)
        elif not self._parts:
            self._counts[PLAYERS] += 1
            self._expose(seen, PLAYERS, t_ns)
        elif self._part_over:
            detail = "a card left when the dealer's hand was complete"
            self._desk.cards.hold(seen, t_ns, "card_out_of_turn", detail)
            return None
        else:
            self._counts[DEALER] += 1
            self._parts[-1] += self._dealers(seen, t_ns)
            verdict = self._judged()
        self._dealt += 1
        if verdict is None:
            self._progress(t_ns)
        return verdict

    def _determine(self, seen: CardDealt, t_ns: int) -> None:
        """The determinant card of a double shoe: it is exposed, and belongs to no hand."""
        self._determined = True
        card = self._expose(seen, "determinant", t_ns)
        if card is None:
            detail = "nobody read the determinant card: which compartment is dealt from is not checked in this round"
            self._desk.report.warn(t_ns, SHOE, "determinant_unread", detail)
        else:
            self._side = side_of(card)

    def _check_side(self, seen: CardDealt, t_ns: int) -> None:
        """The card came from the compartment that the determinant card has chosen; a violation reports it once.

        What counts is which one was open when it left: it is reported once it is read, or the wait for that is over.
        One that was kept from the round before left before this choice.
        """
        called_ns = self._desk.rounds.called_ns
        if self._side is None or called_ns is None or seen.left_ns < called_ns:
            return
        sides = self._desk.shoe.compartments_open(seen.left_ns)
        if sides is not None and sides != (self._side,):
            detail = f"a card left while compartment {self._side}, which the determinant card chose, was not open alone"
            self._side = None
            self._desk.report.violation(t_ns, "wrong_compartment", OURS, detail)

    def _initial(self, hands: int) -> list[str]:
        players = [f"hand {number}" for number in range(1, hands + 1)]
        return [*players, DEALER, *players, *([DEALER] if self._rules.hole_card.value else [])]

    def _initial_card(self, seen: CardDealt, to: str, t_ns: int) -> None:
        self._counts[to] += 1
        second = self._dealt > self._plan.index(DEALER)
        if to == DEALER and second:
            self._hole = seen
            self._desk.cards.hide(seen, t_ns)
        elif to == DEALER:
            self._first = self._dealers(seen, t_ns)
        elif second and self._options.one_face_down:
            self._desk.cards.hide(seen, t_ns)
        else:
            self._expose(seen, to, t_ns)

    def _dealers(self, seen: CardDealt, t_ns: int) -> list[str]:
        """A card of the dealer is exposed."""
        card = self._expose(seen, DEALER, t_ns)
        self._unread = self._unread or card is None
        return [] if card is None else [card]

    def _expose(self, seen: CardDealt, to: str, t_ns: int) -> str | None:
        dealt = self._desk.cards.lay_open(seen, to, t_ns)
        if dealt is None:
            return None
        self._exposed.append(dealt)
        return dealt.card

    # --- the dealer's hand ---------------------------------------------------------------------------------------

    @property
    def stage(self) -> str | None:
        """The dealer plays: once the initial deal is over, and again for each further part."""
        if not self._plan or self._dealt < len(self._plan) or self._desk.cards.held is not None:
            return None
        if not self._parts:
            return "the dealer plays"
        if not self._options.dealer_hand:
            return "the round is over"
        return f"the dealer plays part {len(self._parts) + 1}" if self._part_over else None

    def next_stage(self, t_ns: int, by: str) -> HandsVerdict:
        """The players have finished, or a part is paid: the dealer turns the hole card, and draws."""
        if self._parts and not self._options.dealer_hand:
            return HandsDecided({})
        self._parts.append(list(self._first))
        if self._hole is not None:
            hole, self._hole = self._hole, None
            self._natural_too_late(hole, t_ns)
            self._parts[-1] += self._dealers(hole, t_ns)
        self._progress(t_ns)
        verdict = self._judged()
        if verdict is not None:
            return verdict
        held = self._desk.cards.take_next()
        return None if held is None else self.deal(held, t_ns)

    @property
    def _part_over(self) -> bool:
        """Whether the dealer's hand of this part is complete."""
        return self._options.dealer_hand and bool(self._parts) and not self._unread and complete(self._parts[-1])

    def _judged(self) -> HandsVerdict:
        """The verdict, where the dealer's hand, or its last one, is complete."""
        if self._unread and self._options.dealer_hand:
            return HandsUnproven("card_unread", "a card of the dealer was not read")
        if not self._part_over or len(self._parts) < self._rules.parts.value:
            return None
        result, peeked = self._result(self._parts), self._peeked
        hand = result.get("dealer")
        if hand is not None and peeked in ("yes", "no") and (peeked == "yes") != hand["blackjack"]:
            detail = f"the card reader reported {'blackjack' if peeked == 'yes' else 'none'}, and the hand is another"
            return HandsUnproven("card_reader_disagrees", detail)
        return HandsDecided(result)

    def _natural_too_late(self, hole: CardDealt, t_ns: int) -> None:
        """A dealer with a natural turns it before any player draws: found once the card is turned, and not before."""
        known = self._rules.reasons.get("natural_not_announced")
        if known is None or not self._first or hole.card is None or not self._counts[PLAYERS]:
            return
        if natural([*self._first, hole.card.expose()]):
            detail = f"players drew {counted(self._counts[PLAYERS], 'card')} before the dealer turned a natural"
            self._desk.report.violation(t_ns, "natural_not_announced", known.rule, detail)

    def all_bust(self) -> HandsVerdict:
        """Every player is bust: the dealer's cards go to the discard pile unseen. None where that cannot be."""
        return None if self.stage is None or self._parts else HandsDecided({})

    def handle(self, seen: Observation) -> bool:
        """Takes what the card reader reports: nothing of it is published before the hole card is turned."""
        if not isinstance(seen, HoleCardRead):
            return False
        if self._hole is not None:
            self._peeked = seen.blackjack
            if seen.blackjack == "unreadable":
                detail = "the card reader could not read the hole card"
                self._desk.report.warn(seen.t_ns, "card_reader", "hole_card_unread", detail)
        return True

    # --- results -------------------------------------------------------------------------------------------------

    def _result(self, parts: list[list[str]]) -> dict[str, Any]:
        hands = [hand_of(cards) for cards in parts]
        return {"dealer": hands[0]} if self._rules.parts.value == 1 else {"parts": hands}

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of the dealer's cards in order, `9s-Kd`; of multi-action three hands with `/`; or `none`."""
        if name == "none":
            return {}
        parts = [part.split("-") for part in name.split("/")]
        unknown = [card for part in parts for card in part if card not in DECK]
        if unknown:
            raise ValueError(f"cards {name!r}: {unknown[0]!r} is not a card; give the dealer's in order, such as 9s-Kd")
        count = self._rules.parts.value
        if len(parts) != count or len({part[0] for part in parts}) != 1 or not all(map(well_dealt, parts)):
            what = "one hand" if count == 1 else f"{count} hands with the same first card, with / between them"
            raise ValueError(f"cards {name!r}: expected {what}, drawn to 17 or more and no further; or none")
        return self._result(parts)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        hands = result.get("parts") or ([result["dealer"]] if result.get("dealer") else [])
        return "/".join("-".join(hand["cards"]) for hand in hands) or "none"

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """No player's hand is read, so no wager is known to win; of a dealer who is bust, what the text pays."""
        rule = self._rules.dealer_bust
        hands = result.get("parts") or ([result["dealer"]] if result.get("dealer") else [])
        parts = [f" in part {number}" for number in range(1, len(hands) + 1)] if len(hands) > 1 else [""]
        return [], [
            f"the dealer's count exceeds 21{part}: {rule.value} ({rule.cite})"
            for part, hand in zip(parts, hands, strict=False)
            if hand["total"] >= BUST
        ]

    # --- what is published ---------------------------------------------------------------------------------------

    def _progress(self, t_ns: int) -> None:
        dealer = self._parts[-1] if self._parts else self._first
        self._desk.report.event(events.RoundProgress, t_ns, dealer_cards=list(dealer) or None, cards_dealt=self._dealt)

    def evidence(self, detail: str = "") -> Evidence:
        """The cards that are exposed, and how many were dealt to each hand."""
        cards = sorted(self._exposed, key=lambda one: one.left_ns)
        return Evidence(cards=cards or None, card_counts=dict(self._counts) or None, detail=detail)

    def complete_words(self) -> str:
        """How many cards the round had."""
        return f"when the round of {self._dealt} cards was complete"


def side_of(card: str) -> int:
    """The compartment of a double shoe that a determinant card chooses (ours): 1 by a red card, 2 by a black one."""
    return 1 if card[1] in RED else 2
