"""A ccTalk hopper: pays this many tokens, once, and proves how many left.

    plan ──► held ──release──► check ──► enable ──► check ──► dispense ──► count ──► over
              │                  │         ▲                                │
              │                  │         └── not taken, three times at most
              │                  └── taken already ─────────────────────────┘
              └── recorded durably before anything is sent

A dispense is never simply repeated. Whether it was taken is read from the hopper's event counter, which a dispense
moves by one and which is read until two answers in a row are equal:

    event counter        means
    as before            not taken: it may be sent again, once a second has passed
    as before, plus one  taken, or refused by a hopper that counts refusals too: it has acknowledged, or pays, or is
                         still enabled
    0                    the hopper was reset: what it paid is kept, and is of this payout or of the one before

Where the last two cannot be distinguished, the payout is in doubt: both counts are reported, and a person decides. A
hopper that counts what it has ever dispensed (`dispense_count`) leaves no such doubt.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from drivers.base.driver import Observation
from drivers.coins.cctalk_wire import (
    ENABLE_BYTE,
    NO_TROUBLE,
    Header,
    HopperFlag,
    HopperStatus,
    flags_of,
    next_count,
)
from drivers.coins.exchange import CctalkAnswer, CctalkRequest
from drivers.coins.observations import CoinDeviceSilent, HopperReady, HopperTrouble, PayoutDoubt, PayoutEnded

MOST_TOKENS: Final = 255
"""Of one payout."""
PAYING_NS: Final = 100_000_000
"""From one look at the counters to the next while it pays (Flow manual)."""
IDLE_NS: Final = 1_000_000_000
"""The same while it rests (ours)."""
MOST_UNANSWERED: Final = 4
"""A hopper that leaves this many requests for its count for ever without an answer has none (ours)."""
AT_ONCE_NS: Final = 1_000_000
AGAIN_NS: Final = 1_000_000_000
"""A dispense that was not taken is sent again after this long (ours): longer than any answer may be on its way."""
MOST_SENT: Final = 3
"""How often a dispense that is not taken is sent (ours)."""
STALLED_NS: Final = 15_000_000_000
"""Without a token for this long a payout is stopped (ours): a hopper gives up by itself sooner."""
SILENT_NS: Final = 2_000_000_000
"""Without an answer for this long the hopper is silent (ours)."""
PROVEN: Final = 2
"""Equal answers in a row that prove a count: one may be right by chance alone."""
SERIAL_BYTES: Final = 3
COUNTER_BYTES: Final = 3
FLAG_BYTES: Final = frozenset({1, 2, 3})


class PayoutPlan(NamedTuple):
    """A payout as it is recorded before it is sent: with what proves afterwards whether it was made."""

    number: int
    tokens: int
    before: HopperStatus
    dispensed: int | None = None
    """What the hopper had ever dispensed, where it counts that."""


class PayoutPhase(Enum):
    """Where a payout is."""

    IDLE = "no payout"
    HELD = "planned, and not recorded yet"
    CHECK = "its counters are read before anything is sent"
    ENABLE = "it is enabled"
    DISPENSE = "the dispense is sent"
    COUNT = "it pays, or did not take the dispense"
    STOP = "it is stopped"


class Hopper:
    """One hopper on a bus."""

    def __init__(self, address: int, *, dispense_count: bool) -> None:
        """`dispense_count` is whether it is asked for the count of all that it has ever dispensed (header 168)."""
        self._address = address
        self._counts = None if dispense_count else False
        """Whether it counts for ever what it dispenses; None until it has answered or not."""
        self._unanswered = 0
        """How often it was asked for that count, and did not answer."""
        self.status: HopperStatus | None = None
        """Its counters, proven by two equal answers; None where they are not known."""
        self.plan: PayoutPlan | None = None
        """The payout under way."""
        self._phase = PayoutPhase.IDLE
        self._shown: bytes | None = None
        self._proven = 0
        """How many answers in a row gave this status."""
        self._serial: bytes | None = None
        self._dispensed: int | None = None
        self._dispensed_shown: int | None = None
        self._dispensed_proven = 0
        """How many answers in a row gave that count, since its counters were last looked at."""
        self._flags: HopperFlag | None = None
        self._test = True
        """Whether it is tested next."""
        self._disable = True
        """Whether it is disabled next."""
        self._resumed = False
        """Whether a dispense of this plan may have been sent by a service before."""
        self._enabled_first = False
        """Whether it was enabled since its counters were found as planned."""
        self._taken = False
        """Whether it has acknowledged the dispense, or was seen to pay it."""
        self._refused = False
        """Whether it has refused the dispense."""
        self._enabled_now: bool | None = None
        """Whether it is enabled after a dispense whose answer was lost; None where it was not asked."""
        self._asks_enabled = False
        self._sent = 0
        self._sent_ns = 0
        self._moved_ns = 0
        """When a token left last, or the payout began."""
        self._stopped = False
        self._due_ns = 0
        self._heard_ns: int | None = None
        self._silent = False

    # --- payouts -------------------------------------------------------------------------------------------------

    def ready(self) -> bool:
        """Whether a payout can be planned."""
        known = self.status is not None and (self._dispensed is not None or self._counts is False)
        return self._phase is PayoutPhase.IDLE and known and self._serial is not None and not self._silent

    def make_plan(self, number: int, tokens: int) -> PayoutPlan:
        """Plans a payout. Nothing is sent before `release`.

        It plans one token less where what it pays would not distinguish it from the payout before: `Plan.tokens`
        counts.

        Raises:
            ValueError: it pays already, its counters are not known, or it cannot pay this many.
        """
        if not self.ready() or self.status is None:
            raise ValueError(f"hopper: payout {number} cannot be planned now: {self._phase.value}")
        if not 1 <= tokens <= MOST_TOKENS:
            raise ValueError(f"hopper: a payout has 1 to {MOST_TOKENS} tokens, not {tokens}")
        if tokens > 1 and self._dispensed is None and _sum(self.status) == tokens:
            tokens -= 1
        self.plan = PayoutPlan(number, tokens, self.status, self._dispensed)
        self._phase, self._resumed = PayoutPhase.HELD, False
        return self.plan

    def release(self, number: int, t_ns: int) -> None:
        """The plan of this number is recorded durably: it may be paid. Another number changes nothing."""
        if self._phase is PayoutPhase.HELD and self.plan is not None and self.plan.number == number:
            self._begin(t_ns)

    def resume(self, plan: PayoutPlan, t_ns: int) -> None:
        """Continues with a payout that a service before recorded, and may have sent."""
        self.plan, self._resumed = plan, True
        self._begin(t_ns)

    def stop(self, t_ns: int) -> None:
        """Stops what it pays; what is not paid then is reported as with any payout."""
        if self._phase in (PayoutPhase.ENABLE, PayoutPhase.DISPENSE, PayoutPhase.COUNT):
            self._phase, self._due_ns = PayoutPhase.STOP, t_ns
            self._stopped = True
        elif self._phase is PayoutPhase.CHECK:
            self._stopped = True

    def _begin(self, t_ns: int) -> None:
        self._phase, self._sent, self._stopped = PayoutPhase.CHECK, 0, False
        self._taken = self._refused = self._enabled_first = self._asks_enabled = False
        self._enabled_now = None
        self._moved_ns = self._due_ns = t_ns
        self._forget()

    def _forget(self) -> None:
        """What is proven from now on is proven by answers from now on."""
        self._shown, self._proven = None, 0
        self._dispensed_proven = 0

    # --- the bus -------------------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int:
        """When it is asked something next."""
        return self._due_ns

    def request(self, t_ns: int) -> CctalkRequest:
        """What it is asked now."""
        if self._heard_ns is None:
            self._heard_ns = t_ns
        self._due_ns = t_ns + PAYING_NS
        match self._phase:
            case PayoutPhase.STOP:
                return CctalkRequest(self._address, Header.EMERGENCY_STOP, lengths=frozenset({0, 1}))
            case PayoutPhase.ENABLE:
                return CctalkRequest(self._address, Header.ENABLE_HOPPER, bytes((ENABLE_BYTE,)))
            case PayoutPhase.DISPENSE if self.plan is not None and self._serial is not None:
                self._sent, self._sent_ns, self._phase = self._sent + 1, t_ns, PayoutPhase.COUNT
                self._enabled_first = False
                self._flags = HopperFlag(0)  # a dispense clears them: what is there after it is reported again
                self._forget()
                data = self._serial + bytes((self.plan.tokens,))
                return CctalkRequest(self._address, Header.DISPENSE, data, frozenset({1}))
        if self._serial is None:
            return CctalkRequest(self._address, Header.SERIAL, lengths=frozenset({SERIAL_BYTES}))
        if self._asks_enabled:
            return CctalkRequest(self._address, Header.TEST_HOPPER, lengths=FLAG_BYTES)
        if self._phase in (PayoutPhase.IDLE, PayoutPhase.HELD):
            if self._disable:
                return CctalkRequest(self._address, Header.ENABLE_HOPPER, bytes(1))
            if self._test:
                return CctalkRequest(self._address, Header.TEST_HOPPER, lengths=FLAG_BYTES)
        if self._counts is not False and self._proven > 1 and self._dispensed_proven < PROVEN:
            return CctalkRequest(self._address, Header.DISPENSE_COUNT, lengths=frozenset({COUNTER_BYTES}))
        return CctalkRequest(self._address, Header.HOPPER_STATUS, lengths=frozenset({len(HopperStatus._fields)}))

    def answered(self, answer: CctalkAnswer, t_ns: int) -> list[Observation]:
        """What an answer to `request` proves."""
        found: list[Observation] = []
        data = answer.data
        if data is None:
            self._failed(answer, t_ns, found)
            return found
        self._heard_ns = t_ns
        if self._silent:
            self._silent = False
            found.append(CoinDeviceSilent(t_ns=t_ns, device="hopper", silent=False))
        match answer.request.header:
            case Header.SERIAL:
                self._read_serial(data, t_ns)
            case Header.ENABLE_HOPPER:
                self._enabled(answer.request.data[0] == ENABLE_BYTE, t_ns)
            case Header.EMERGENCY_STOP:
                self._phase, self._due_ns = PayoutPhase.COUNT, t_ns + PAYING_NS
                self._forget()
            case Header.TEST_HOPPER:
                self._tested(flags_of(data), t_ns, found)
            case Header.DISPENSE_COUNT:
                self._dispensed_is(int.from_bytes(data, "little"), t_ns, found)
            case Header.HOPPER_STATUS:
                self._status(data, t_ns, found)
            case _:
                self._taken, self._due_ns = True, t_ns + PAYING_NS
        return found

    def _failed(self, answer: CctalkAnswer, t_ns: int, found: list[Observation]) -> None:
        self._forget()
        if answer.request.header == Header.DISPENSE and answer.refused:
            self._refused = True
        if self._counts is None and answer.request.header == Header.DISPENSE_COUNT:
            self._unanswered += 1
            if self._unanswered >= MOST_UNANSWERED:
                self._counts = False
        if self._silent or self._heard_ns is None or t_ns - self._heard_ns < SILENT_NS:
            return
        self._silent = True
        detail = f"the hopper at address {self._address} has not answered for {SILENT_NS / 1e9:g} s: {answer.failure}"
        found.append(CoinDeviceSilent(t_ns=t_ns, device="hopper", silent=True, detail=detail))

    def _read_serial(self, data: bytes, t_ns: int) -> None:
        """A dispense carries it, so it is read twice too."""
        if data == self._shown:
            self._serial = data
            self._forget()
        else:
            self._shown = data
        self._due_ns = t_ns + AT_ONCE_NS

    def _enabled(self, enabled: bool, t_ns: int) -> None:
        self._due_ns = t_ns + AT_ONCE_NS
        if not enabled:
            self._disable = False
        elif self._phase is PayoutPhase.ENABLE:
            self._phase, self._disable, self._enabled_first = PayoutPhase.CHECK, True, True
            self._forget()

    def _tested(self, flags: HopperFlag, t_ns: int, found: list[Observation]) -> None:
        self._test = False
        self._due_ns = t_ns + AT_ONCE_NS
        if self._asks_enabled:
            self._asks_enabled = False
            self._enabled_now = HopperFlag.DISABLED not in flags
            self._forget()
        before = self._flags
        self._flags = flags & ~NO_TROUBLE
        if self._flags != (before or HopperFlag(0)):
            found.append(HopperTrouble(t_ns=t_ns, flags=self._flags))

    def _dispensed_is(self, count: int, t_ns: int, found: list[Observation]) -> None:
        """The count for ever is believed when it came twice, between two equal looks at the counters."""
        self._dispensed_proven = self._dispensed_proven + 1 if count == self._dispensed_shown else 1
        self._dispensed_shown = count
        if self._dispensed_proven >= PROVEN:
            self._proven, self._counts = 1, True
        self._due_ns = t_ns + AT_ONCE_NS

    def _status(self, data: bytes, t_ns: int, found: list[Observation]) -> None:
        self._proven = self._proven + 1 if data == self._shown else 1
        if data != self._shown:
            self._dispensed_proven = 0
        self._shown = data
        if self._proven < PROVEN or (self._counts is not False and self._dispensed_proven < PROVEN):
            self._due_ns = t_ns + AT_ONCE_NS
            return
        status = HopperStatus(*data)
        known = self.status is not None
        if self.status is None or status != self.status:
            self._moved_ns = t_ns
        self.status = status
        if self._counts is not False:
            self._dispensed, self._dispensed_proven = self._dispensed_shown, 0
        self._due_ns = t_ns + (PAYING_NS if self.plan is not None else IDLE_NS)
        if self.plan is None:
            self._test = True
            if not known:
                found.append(HopperReady(t_ns=t_ns, status=status))
        elif self._phase in (PayoutPhase.CHECK, PayoutPhase.COUNT):
            self._judge(self.plan, status, t_ns, found)

    # --- what the counters prove ---------------------------------------------------------------------------------

    def _judge(self, plan: PayoutPlan, status: HopperStatus, t_ns: int, found: list[Observation]) -> None:
        if status.remaining:
            self._taken = self._taken or status.event == next_count(plan.before.event)
            self._watch(t_ns)
        elif plan.dispensed is not None and self._dispensed is not None:
            self._judge_count((self._dispensed - plan.dispensed) % (1 << 8 * COUNTER_BYTES), plan, status, t_ns, found)
        elif status.event == plan.before.event:
            self._judge_same(plan, status, t_ns, found)
        elif status.event == next_count(plan.before.event):
            self._judge_next(plan, status, t_ns, found)
        elif status.event == 0:
            self._judge_reset(plan, status, t_ns, found)
        else:
            self._doubt(plan, status, "it has paid something else since", t_ns, found)

    def _watch(self, t_ns: int) -> None:
        """It pays; it is stopped where no token leaves any more."""
        if t_ns - self._moved_ns >= STALLED_NS:
            self._phase, self._due_ns, self._moved_ns = PayoutPhase.STOP, t_ns, t_ns

    def _judge_same(self, plan: PayoutPlan, status: HopperStatus, t_ns: int, found: list[Observation]) -> None:
        """The counter is as before: not taken, unless it is 0 and the hopper was reset since."""
        maybe = plan.before.event == 0 and self._may_be_sent
        if status == plan.before:
            if maybe and _sum(status) == plan.tokens:
                why = "it may have been reset after it paid as many as the time before"
                self._doubt(plan, status, why, t_ns, found)
            else:
                self._not_taken(plan, t_ns, found)
        elif maybe:
            self._judge_reset(plan, status, t_ns, found)
        else:
            self._doubt(plan, status, "its counter is as before, and what it paid is not", t_ns, found)

    def _judge_reset(self, plan: PayoutPlan, status: HopperStatus, t_ns: int, found: list[Observation]) -> None:
        """It was reset. What it paid last is kept, of this payout or of the one before; manuals differ on what is
        unpaid then.
        """
        same = status.paid == plan.before.paid
        whole = _sum(status) == plan.tokens != _sum(plan.before)
        if not self._may_be_sent:
            # Its counters begin again, so it is planned and recorded again before anything is sent.
            self._end(plan, 0, "it was reset before it paid", t_ns, found)
        elif status.paid <= plan.tokens and (not same or self._taken or whole):
            self._end(plan, status.paid, "it was reset while it paid", t_ns, found)
        else:
            self._doubt(plan, status, "it was reset", t_ns, found)

    def _judge_next(self, plan: PayoutPlan, status: HopperStatus, t_ns: int, found: list[Observation]) -> None:
        """The counter has moved by one: taken, or refused by a hopper that counts refusals too."""
        changed = (status.paid, status.unpaid) != (plan.before.paid, plan.before.unpaid)
        if self._refused and not changed:
            self._end(plan, 0, "it refused the dispense", t_ns, found)
        elif status.paid > plan.tokens:
            self._doubt(plan, status, "it has paid more than was asked", t_ns, found)
        elif self._taken or changed:
            self._end(plan, status.paid, "", t_ns, found)
        elif self._enabled_now is None:
            self._asks_enabled = True
        elif self._enabled_now:
            self._end(plan, status.paid, "", t_ns, found)
        else:
            self._doubt(plan, status, "it is disabled: it may have been reset, and refused", t_ns, found)

    def _judge_count(
        self, paid: int, plan: PayoutPlan, status: HopperStatus, t_ns: int, found: list[Observation]
    ) -> None:
        """What it has ever dispensed says how many left; the event counter only whether more is to come."""
        if paid == 0 and status.event == plan.before.event:
            self._not_taken(plan, t_ns, found)
        else:
            self._end(plan, paid, "" if paid <= plan.tokens else "more left than was asked", t_ns, found)

    def _not_taken(self, plan: PayoutPlan, t_ns: int, found: list[Observation]) -> None:
        """The dispense was not taken: it is sent, or sent again.

        It is enabled first, and its counters are read after that: a hopper that is reset later is disabled.
        """
        if self._stopped:
            self._end(plan, 0, "it was stopped before it paid", t_ns, found)
        elif self._refused:
            self._end(plan, 0, "it refused the dispense", t_ns, found)
        elif self._phase is PayoutPhase.CHECK and self._enabled_first:
            self._phase, self._due_ns = PayoutPhase.DISPENSE, t_ns + AT_ONCE_NS
        elif self._sent == 0 or (self._sent < MOST_SENT and t_ns - self._sent_ns >= AGAIN_NS):
            self._phase, self._due_ns = PayoutPhase.ENABLE, t_ns + AT_ONCE_NS
        elif t_ns - self._sent_ns >= AGAIN_NS:
            self._end(plan, 0, f"it did not take the dispense in {MOST_SENT} attempts", t_ns, found)
        else:
            self._shown, self._proven = None, 0

    @property
    def _may_be_sent(self) -> bool:
        """Whether the dispense of this plan may have been sent, by this service or by one before."""
        return self._resumed or self._sent > 0

    def _end(self, plan: PayoutPlan, paid: int, why: str, t_ns: int, found: list[Observation]) -> None:
        self._rest(t_ns)
        if paid == plan.tokens:
            why = ""
        elif not why:
            why = "it was stopped" if self._stopped else "no token came any more"
        found.append(PayoutEnded(t_ns=t_ns, number=plan.number, asked=plan.tokens, paid=paid, detail=why))

    def _doubt(self, plan: PayoutPlan, status: HopperStatus, why: str, t_ns: int, found: list[Observation]) -> None:
        self._rest(t_ns)
        before = plan.before
        detail = (
            f"payout {plan.number} of {plan.tokens}: {why}; its event counter was {before.event} with {before.paid} "
            f"paid and {before.unpaid} unpaid, and is {status.event} with {status.paid} paid and {status.unpaid} unpaid"
        )
        most = max(plan.tokens, status.paid)
        found.append(PayoutDoubt(t_ns=t_ns, number=plan.number, asked=plan.tokens, least=0, most=most, detail=detail))

    def _rest(self, t_ns: int) -> None:
        self.plan, self._phase = None, PayoutPhase.IDLE
        self._test = self._disable = True
        self._resumed = False
        self._due_ns = t_ns + AT_ONCE_NS


def _sum(status: HopperStatus) -> int:
    """How many tokens the last payout of these counters was for."""
    return status.paid + status.unpaid
