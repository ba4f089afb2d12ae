"""The progressive wager of a table: acceptors, the meter, and what is paid of it.

    round opens ── wagers accepted, lit ──► "No more bets": locked; the meter grows by its share of each wager
        └── the hands are shown, none of them void ──► the farthest right first: hand verified, lamp lit, a supervisor
            validates ──► paid; the meter falls by what was paid of it, and by nothing else

Amounts are whole cents. The meter is carried in the journal with every change, so a power cut neither raises nor lowers
it. What a text says of the payouts is that they are "no less than" these: a house that pays more changes the data.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec
from msgspec import Struct

from controller.games.cards.words import numbers, paid_words
from controller.rules.cited import HOUSE_RULE, OURS, Cited
from controller.table.report import Report
from drivers.base.driver import Observation
from drivers.cards.observations import AcceptorFailed, WagerSeen
from drivers.cards.progressive import AcceptorActuator

ProgressiveHand: TypeAlias = Literal["royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush"]
"""The hands that the progressive wager pays."""
HANDS: Final[tuple[ProgressiveHand, ...]] = get_args(ProgressiveHand)
DEVICE: Final = "progressive"
PAYMENTS_KEPT: Final = 100
"""The last payments that are kept for a correction (ours): more than the rounds that can be corrected have."""


class ProgressiveRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a text says of the progressive wager. Amounts are in units of money, parts in percent of the meter."""

    royal_flush: Cited[int]
    """Percent of the meter."""
    straight_flush: Cited[int]
    """Percent of the meter, or the fixed amount, as the house has designated."""
    straight_flush_fixed: Cited[int]
    four_of_a_kind: Cited[int]
    full_house: Cited[int]
    flush: Cited[int]
    rate: Cited[int]
    """The least rate of progression, in percent of the wagers."""
    verified: Cited[str]
    """What is verified before a progressive payout is paid."""
    whatever_the_dealer_has: Cited[str]
    shared: Cited[str]
    """What several royal flushes of one round get."""
    turns: Cited[str]
    """In which order positions are paid: the amount is what the meter shows at each turn."""
    void_hand: Cited[str]
    """When the hand of one player is void, by the text of the wager."""
    void_rounds: tuple[Cited[str], ...]
    """Reasons for which every hand of a round is void, by the text of the wager."""
    closes: Cited[str]
    """From when on no wager is taken."""
    notice: Cited[str]
    """What the table states of the wager, where the text of its game has none."""


class ProgressiveTerms(NamedTuple):
    """What the house has designated."""

    wager: float
    """One progressive wager, in units of money."""
    rate: int
    """How much of it goes to the meter, in percent."""
    start: float
    """The meter at first, and after a royal flush, in units of money."""
    straight_flush_fixed: bool
    """Whether a straight flush is paid the fixed amount, not a part of the meter."""


class PaidPart(NamedTuple):
    """What one position is paid."""

    position: int
    cents: int


class Payment(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A recorded payment."""

    hand: str
    paid: dict[str, int]
    """Cents, by position, in the order in which they were paid."""
    from_meter: int
    """Cents that the meter fell by."""
    round: int
    by: str
    why: str = ""
    """Why it was paid out of turn, as the supervisor stated it."""


class PayableRound(NamedTuple):
    """What the rounds of the table know of the one that is being paid."""

    hands: int | None
    """How many hands are declared now; it counts where nobody had declared them when the round was dealt."""
    void_hands: Collection[int]
    void_rule: str
    """The rule of the game that voids the hand of a player."""


class NotPayableError(Exception):
    """Why a hand may not be paid, for the supervisor who validates it."""


class Meter:
    """The progressive meter, in cents. It grows by wagers, and falls by payments alone."""

    def __init__(self, rules: ProgressiveRules, terms: ProgressiveTerms) -> None:
        self._rules = rules
        self._terms = terms
        self._start = _cents(terms.start)
        self.cents = self._start
        self._rest = 0
        """Hundredths of a cent that the shares have left over."""

    def wagers(self, count: int) -> None:
        """This many wagers were made: the meter grows by its share of them."""
        share, self._rest = divmod(count * _cents(self._terms.wager) * self._terms.rate + self._rest, 100)
        self.cents += share

    def pay(self, hand: ProgressiveHand, positions: Collection[int]) -> tuple[list[PaidPart], int]:
        """Pays a hand at some positions, the farthest right first; returns what each is paid, and by how much the
        meter fell.

        Several royal flushes share equally what the meter shows when the first is paid. What cannot be shared in whole
        cents stays on it (ours).
        """
        places = sorted(positions, reverse=True)
        if hand == "royal_flush":
            shared = self.cents * self._rules.royal_flush.value // 100
            each, left = divmod(shared, len(places))
            fell = shared - left
            self.cents = max(self.cents - shared, self._start) + left
            return [PaidPart(place, each) for place in places], fell
        if hand == "straight_flush" and not self._terms.straight_flush_fixed:
            parts: list[PaidPart] = []
            for place in places:  # each in its turn, by the meter as it is then
                cents = self.cents * self._rules.straight_flush.value // 100
                self.cents -= cents
                parts.append(PaidPart(place, cents))
            return parts, sum(one.cents for one in parts)
        fixed: dict[ProgressiveHand, Cited[int]] = {
            "straight_flush": self._rules.straight_flush_fixed,
            "four_of_a_kind": self._rules.four_of_a_kind,
            "full_house": self._rules.full_house,
            "flush": self._rules.flush,
        }
        return [PaidPart(place, fixed[hand].value * 100) for place in places], 0


class ProgressiveProcedure:
    """The progressive wager of one table; its game passes it what happens, and publishes what it carries."""

    def __init__(
        self, report: Report, rules: ProgressiveRules, terms: ProgressiveTerms, actuator: AcceptorActuator
    ) -> None:
        self._report = report
        self._rules = rules
        self._actuator = actuator
        self.meter = Meter(rules, terms)
        self._lies: set[int] = set()
        """Positions in whose acceptor a wager lies now."""
        self._open = False
        self.accepted: frozenset[int] = frozenset()
        """Positions whose wager is in this round."""
        self._seats: tuple[int, ...] | None = None
        """The positions of the hands, from the dealer's left, as declared; None where hand 1 is at position 1, and so
        on."""
        self._hands: dict[int, int] | None = None
        """The hands of this round by their positions; None where nobody had declared them when it was dealt."""
        self._payments: deque[Payment] = deque(maxlen=PAYMENTS_KEPT)
        """The last payments, oldest first; of those before a restart, the last one."""
        self._turns: set[int] = set()
        """Positions whose turn to be paid has come in this round."""
        self._royal_paid = False
        """Whether a royal flush of this round was paid: all of them share the meter, so one order names them."""

    # --- the round -----------------------------------------------------------------------------------------------

    def opened(self, t_ns: int) -> None:
        """Bets are open: the acceptors take wagers."""
        self._open, self._turns, self._royal_paid = True, set(), False
        self._hands = None
        self.accepted = frozenset(self._lies)
        self._actuator.lock(False, t_ns)
        self._actuator.light(self.accepted, t_ns)

    def closed(self, t_ns: int) -> bool:
        """ "No more bets": they take none any more. Returns whether the meter has grown."""
        if not self._open:
            return False
        self._open = False
        self._actuator.lock(True, t_ns)
        self.meter.wagers(len(self.accepted))
        return bool(self.accepted)

    def locked(self, t_ns: int) -> None:
        """The round is not played on: no wager is taken, and the meter stays as it is."""
        self._open = False
        self._actuator.lock(True, t_ns)

    def seat(self, hands: int, positions: Sequence[int] | None) -> None:
        """This many hands are dealt, at these positions, or at the first ones.

        Raises:
            ValueError: they are not as many different positions with an acceptor.
        """
        if positions is not None:
            known = self._actuator.positions
            if len({*positions}) != len(positions) or len(positions) != hands or not {*positions} <= {*known}:
                raise ValueError(f"expected {hands} different ones from {known[0]} to {known[-1]}")
            positions = tuple(sorted(positions))
        self._seats = positions

    def dealt(self, hands: int, t_ns: int) -> None:
        """The deal begins, of this many hands: from now on it is known which position has one."""
        self._hands = self._hands_of(hands)
        without = sorted(self.accepted - {*self._hands})
        if without:
            detail = f"a progressive wager is at position {numbers(without)}, where no hand is dealt: give it back"
            self._report.violation(t_ns, "wager_without_hand", OURS, detail)

    def _hands_of(self, hands: int) -> dict[int, int]:
        seats = self._seats or range(1, hands + 1)
        return {position: number for number, position in enumerate(seats, 1)}

    @property
    def carried(self) -> dict[str, Any]:
        """What a restart must not lose: the meter, the positions of the hands, and the last payment."""
        carried: dict[str, Any] = {"meter_cents": self.meter.cents}
        if self._seats is not None:
            carried["positions"] = [*self._seats]
        if self._payments:
            carried["payment"] = msgspec.to_builtins(self._payments[-1])
        return carried

    def restore(self, carried: Mapping[str, Any]) -> None:
        """Continues from what the journal holds."""
        cents = carried.get("meter_cents")
        if isinstance(cents, int) and cents >= 0:
            self.meter.cents = cents
        if isinstance(carried.get("positions"), list):
            self._seats = msgspec.convert(carried["positions"], tuple[int, ...])
        if isinstance(carried.get("payment"), dict):
            self._payments.append(msgspec.convert(carried["payment"], Payment))

    def handle(self, seen: Observation) -> bool:
        """Takes an observation; returns whether it was one of the acceptors'."""
        if isinstance(seen, AcceptorFailed):
            self._lies.discard(seen.position)
            if self._open:
                self._accept(seen.t_ns)
            return True
        if not isinstance(seen, WagerSeen):
            return False
        (self._lies.add if seen.lies else self._lies.discard)(seen.position)
        if self._open:
            self._accept(seen.t_ns)
        elif seen.lies and seen.position not in self.accepted:
            detail = (
                f'a wager was made at the acceptor of position {seen.position} after "No more bets": it is not accepted'
            )
            self._report.violation(seen.t_ns, "wager_after_no_more_bets", self._rules.closes.cite, detail)
        return True

    def _accept(self, t_ns: int) -> None:
        self.accepted = frozenset(self._lies)
        self._actuator.light(self.accepted, t_ns)

    # --- payment -------------------------------------------------------------------------------------------------

    def pay(self, hand: str, positions: Collection[int], by: str, round_: PayableRound, why: str = "") -> Payment:
        """A supervisor validates the payout of a hand at some positions; `why` is the reason for paying out of turn.

        Raises:
            NotPayableError: a position has no hand or a void one, no lit acceptor, was paid before, or its turn has
                passed; the hand pays nothing, or a royal flush of this round was paid.
        """
        known = next((one for one in HANDS if one == hand), None)
        if known is None:
            raise NotPayableError(f"hand {hand} is not one of {', '.join(HANDS)}")
        if known == "royal_flush" and self._royal_paid:
            raise NotPayableError(
                f"a royal flush of this round was paid: name all positions in one order ({self._rules.shared.cite})"
            )
        if not positions:
            raise NotPayableError("no position is named")
        for position in sorted(positions, reverse=True):
            self._check(position, round_)
        first = max(positions)
        before = min(self._turns, default=first)
        if first > before and not why:
            raise NotPayableError(
                f"position {first} is out of turn: position {before} was paid before it, and the farthest to the "
                f"dealer's right is paid first ({self._rules.turns.cite}); to pay it by the meter as it is now, state "
                "why=…"
            )
        parts, fell = self.meter.pay(known, positions)
        # All royal flushes are paid at the turn of the first one: others are paid between them.
        self._turns |= {first} if known == "royal_flush" else {*positions}
        self._royal_paid = self._royal_paid or known == "royal_flush"
        paid = {str(one.position): one.cents for one in parts}
        payment = Payment(hand=hand, paid=paid, from_meter=fell, round=self._report.round, by=by, why=why)
        self._payments.append(payment)
        return payment

    def paid_in(self, number: int, hand: int | None = None) -> list[Payment]:
        """The payments of a round, or those that one hand of the present round has a part of."""
        found = [one for one in self._payments if one.round == number]
        if hand is None:
            return found
        places = {str(position) for position, number in (self._hands or {}).items() if number == hand}
        return [one for one in found if places & one.paid.keys()]

    def found_void(self, t_ns: int, void: str, payments: Sequence[Payment]) -> None:
        """Reports what was paid before a round or a hand was found to be void: people settle that."""
        if payments:
            paid = "; ".join(paid_words(msgspec.structs.asdict(one)) for one in payments)
            detail = f"{void} is void, and what was paid of the progressive wager stays paid: {paid}"
            self._report.warn(t_ns, DEVICE, "void_hand_paid", f"{detail}; the meter stays as it is")

    def _check(self, position: int, round_: PayableRound) -> None:
        number = self._report.round
        if self._hands is None and round_.hands is None:
            raise NotPayableError(
                f"nobody has declared how many hands were dealt in round {number}: declare them with hands count=…"
            )
        hands = self._hands if self._hands is not None else self._hands_of(round_.hands or 0)
        if position not in hands:
            raise NotPayableError(
                f"position {position} has no hand in round {number}: the hands are at {numbers([*hands])}"
            )
        if hands[position] in round_.void_hands:
            raise NotPayableError(
                f"hand {hands[position]} at position {position} is void ({round_.void_rule}, "
                f"{self._rules.void_hand.cite})"
            )
        if position not in self.accepted or position not in self._actuator.lit:
            raise NotPayableError(
                f"the acceptor of position {position} is not lit: no wager was accepted there "
                f"({self._rules.verified.cite})"
            )
        if any(str(position) in one.paid for one in self.paid_in(number)):
            raise NotPayableError(f"position {position} was paid in this round")

    def void_cites(self, reason: str, rule: str) -> str:
        """The rules that void every hand of a round for a reason: that of its game, and that of the wager."""
        own = [one.cite for one in self._rules.void_rounds if one.value == reason]
        return ", ".join([rule, *own]) if rule != OURS else f"{reason}: {HOUSE_RULE}"


def _cents(units: float) -> int:
    return round(units * 100)
