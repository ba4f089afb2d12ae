"""The account of a machine's tokens: credits and meters, each token counted once, over every power cut.

    token in   ──► counted with the acceptor's counter, in one record
    payout     ──► planned and recorded ──► durable ──► dispensed ──► counted, as the hopper proves it

    correction  ──► what the play gave is taken from credits, as far as it is there; the rest is a debt of the player

    credits - debt = tokens in + won + refunded - played - (paid - overpaid) - paid by hand
                     - taken back - restaked + collected + waived                           (modulo 10,000,000)

A payout leaves the machine only after its plan is durable, so that a start after a power cut knows what to ask the
hopper. What no count can decide is a doubt: it stays until a named person has counted, and says what was right.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, NamedTuple, Protocol

import msgspec
from msgspec import Meta

from controller.games.machines.plays import PlayedTokens, PlayLedger
from drivers.coins.cctalk_wire import HopperStatus
from drivers.coins.hopper import MOST_TOKENS, PayoutPlan
from drivers.coins.observations import AcceptorEvents, AcceptorInhibited, PayoutDoubt, PayoutEnded
from feed.events import Meters
from feed.state import MachineState
from hal.wording import counted

ACCEPT: Final = "accept"
PAYOUT: Final = "payout"
COLLECTED: Final = "collected"
WAIVED: Final = "waived"
MODULUS: Final = 10_000_000
"""Meters have seven digits (OAC 325:85-15-18)."""


class CoinDevices(Protocol):
    """What an account commands of the coin equipment."""

    @property
    def names(self) -> frozenset[str]:
        """The devices that there are: `acceptor`, `hopper`."""

    def accept(self, wanted: bool, t_ns: int = 0) -> None:
        """Has the acceptor take tokens, or none, from `t_ns` on."""

    def restore(self, counter: int | None, *, accepting: bool) -> None:
        """Continues from the acceptor's counter as it was recorded."""

    def ready_to_pay(self) -> bool:
        """Whether a payout can be planned."""

    def make_plan(self, number: int, tokens: int) -> PayoutPlan:
        """Plans a payout, perhaps of fewer tokens."""

    def release(self, number: int, t_ns: int) -> None:
        """The plan is durable: it may be paid."""

    def resume(self, plan: PayoutPlan, t_ns: int) -> None:
        """Continues with a payout that was recorded before."""


class AccountDoubt(NamedTuple):
    """Tokens for which no count shows whether they passed."""

    what: str
    """`tokens_in` or `payout`."""
    least: int
    most: int | None
    """None where nothing limits it."""
    detail: str


class AccountError(ValueError):
    """The account does not allow that: why, in words."""


class RecordAct(Protocol):
    """Makes a durable record of the account as it is now."""

    def __call__(self, t_ns: int, act: str, *, tokens: int | None = None, by: str = "", detail: str = "") -> None:
        """`act` is what happened."""


class TokenAccount:
    """The tokens of one machine."""

    def __init__(self, record: RecordAct, coins: CoinDevices | None = None) -> None:
        self.meters = Meters()
        self.credits = 0
        self.plays = PlayLedger()
        """What the last plays gave."""
        self.doubts: tuple[AccountDoubt, ...] = ()
        """Those that no person has decided yet, oldest first."""
        self._record = record
        self._coins = coins
        self._counter: int | None = None
        """The acceptor's event counter of the last record."""
        self._accepting = False
        """Whether the acceptor may take tokens, as recorded."""
        self._wanted = False
        """Whether it is to take tokens."""
        self._records = 0
        """The number of the last record."""
        self._awaited: dict[str, int] = {}
        """What waits until a record of this number is durable."""
        self._payout: PayoutPlan | None = None
        self._payouts = 0
        """The number of the last payout."""
        self._restored = False

    # --- records -------------------------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, Any]:
        """What a start needs beside meters and credits."""
        state: dict[str, Any] = {"record": self._records, "payouts": self._payouts}
        if self._counter is not None:
            state["acceptor"] = {"counter": self._counter, "accepting": self._accepting}
        if self._payout is not None:
            plan = self._payout
            state["payout"] = {"tokens": plan.tokens, "before": list(plan.before)}
            if plan.dispensed is not None:
                state["payout"]["dispensed"] = plan.dispensed
        if self.doubts:
            state["doubts"] = [list(doubt) for doubt in self.doubts]
        state["plays"] = msgspec.to_builtins(list(self.plays))
        if self.plays.debt_before:
            state["debt_before"] = self.plays.debt_before
        return state

    @property
    def debt(self) -> int:
        """Tokens that players were given and that are not due to them any more."""
        return self.plays.debt

    def write(self, t_ns: int, act: str, *, tokens: int | None = None, by: str = "", detail: str = "") -> None:
        """Makes the next record."""
        self._records += 1
        self._record(t_ns, act, tokens=tokens, by=by, detail=detail)

    def restore(self, machine: MachineState) -> None:
        """Continues from the last record.

        Raises:
            AccountError: the record contradicts itself; nothing of it is taken.
        """
        try:
            kept = msgspec.convert(machine.carried, _Kept)
        except msgspec.ValidationError as error:
            raise AccountError(f"the record of the account cannot be read: {error}") from error
        plays = PlayLedger(kept.plays, kept.debt_before)
        wrong = balance_error(machine.meters, machine.credits, machine.debt)
        if wrong is None and plays.debt != machine.debt:
            wrong = f"the plays leave a debt of {plays.debt} tokens, and {machine.debt} are recorded"
        if wrong is not None:
            raise AccountError(wrong)
        self.plays = plays
        self.meters, self.credits = machine.meters, machine.credits
        self._payouts, self._records = kept.payouts, kept.record
        self.doubts = tuple(AccountDoubt(*doubt) for doubt in kept.doubts)
        if kept.acceptor is not None:
            self._counter, self._accepting = kept.acceptor.counter, kept.acceptor.accepting
        if kept.payout is not None:
            payout = kept.payout
            self._payout = PayoutPlan(kept.payouts, payout.tokens, HopperStatus(*payout.before), payout.dispensed)
        self._restored = True

    def begin(self, t_ns: int) -> None:
        """The machine begins: its devices go on from what was recorded."""
        if self._coins is None or not self._restored:
            return
        self._coins.restore(self._counter, accepting=self._accepting)
        if self._payout is not None:
            self._coins.resume(self._payout, t_ns)

    def count(self, **more: int) -> None:
        """Moves meters, each by this many; a meter that overflows begins again."""
        moved = {name: (getattr(self.meters, name) + by) % MODULUS for name, by in more.items()}
        self.meters = msgspec.structs.replace(self.meters, **moved)

    # --- tokens --------------------------------------------------------------------------------------------------

    def token_in(self, tokens: int) -> None:
        """Tokens came in and belong to the player."""
        self.count(tokens_in=tokens)
        self.credits += tokens

    def stake(self, tokens: int, play: int) -> None:
        """Tokens of the player are staked in a play.

        Raises:
            AccountError: the player has not this many.
        """
        if tokens > self.credits:
            raise AccountError(f"{tokens} tokens cannot be staked: the player has {self.credits}")
        self.count(tokens_played=tokens, plays=1)
        self.credits -= tokens
        self.plays.left(self.credits)
        self.plays.begin(play, tokens)

    def resumes(self, play: int, staked: int, fell: int) -> None:
        """A play continues whose record was made before records had the tokens of each play."""
        if self.plays.of(play) is None:
            self.plays.begin(play, staked)
            self._fell(self._play(play), fell)

    def fell(self, play: int, tokens: int) -> None:
        """Tokens fell to the player in a play: they are won, and given."""
        self._fell(self._play(play), tokens)
        self.count(tokens_won=tokens, tokens_paid=tokens)

    @staticmethod
    def _fell(play: PlayedTokens, tokens: int) -> None:
        play.fell += tokens
        play.won += tokens
        play.given += tokens

    def award(self, play: int, tokens: int) -> None:
        """A play awards tokens to its player, in the place of what it awarded before."""
        self._rule(self._play(play), tokens, 0)

    def void(self, play: int) -> int:
        """A play is void: its stake belongs to the player again, and what fell stays won. Returns the stake."""
        played = self._play(play)
        self._rule(played, played.fell, played.staked)
        return played.staked

    def _play(self, number: int) -> PlayedTokens:
        played = self.plays.of(number)
        if played is None:
            raise AccountError(f"no token was staked in play {number}, or its tokens are not known any more")
        return played

    def _rule(self, play: PlayedTokens, won: int, refunded: int) -> None:
        """The verdict of a play gives so much, in the place of what it gave before."""
        more_won, more_refunded = won - play.won, refunded - play.refunded
        play.won, play.refunded = won, refunded
        kept = min(play.waived, max(0, play.given - play.due))
        self.count(
            tokens_won=max(0, more_won),
            tokens_refunded=max(0, more_refunded),
            tokens_taken_back=max(0, -more_won),
            tokens_restaked=max(0, -more_refunded),
            tokens_waived=kept - play.waived,
        )
        play.waived = kept
        missing = play.due - play.given
        if missing > 0:
            self.credits += missing
            play.given += missing
            play.held += missing
        self._take_back(play)

    def _take_back(self, play: PlayedTokens) -> None:
        """Takes a debt of a play from what it left in the credits, except for what a hopper may have given out
        already."""
        leaving = self._payout.tokens if self._payout is not None else 0
        leaving += sum(self.credits if one.most is None else one.most for one in self.doubts if one.what == PAYOUT)
        taken = min(play.debt, play.held, max(0, self.credits - leaving))
        self.credits -= taken
        play.given -= taken
        play.held -= taken
        self.plays.left(self.credits)

    # --- the acceptor --------------------------------------------------------------------------------------------

    def counted(self, seen: AcceptorEvents, *, credited: bool = True) -> int:
        """The acceptor's counter has moved: credits what it proves, in one record. Returns the tokens.

        Without `credited` the caller counts each of them, in records that must become durable with this one.
        """
        tokens = len(seen.coins)
        self._counter = seen.counter
        if tokens and credited:
            self.token_in(tokens)
        if seen.doubt:
            self.doubts += (AccountDoubt("tokens_in", 0, None, seen.doubt),)
        credited = credited and tokens > 0
        act = "token_in" if credited else "acceptor_counted"
        self.write(seen.t_ns, act, tokens=tokens if credited else None, detail=seen.doubt)
        if self._wanted and seen.reset:
            self._awaited[ACCEPT] = self._records
        elif self._wanted and seen.before is None:
            self._open_acceptor(seen.t_ns)
        return tokens

    def accept(self, wanted: bool, t_ns: int) -> None:
        """Has the acceptor take tokens, once it is durable that it may; or none, at once."""
        if self._coins is None or wanted == self._wanted:
            return
        self._wanted = wanted
        if not wanted:
            self._awaited.pop(ACCEPT, None)
            self._coins.accept(False, t_ns)
        else:
            self._open_acceptor(t_ns)

    def _open_acceptor(self, t_ns: int) -> None:
        """The acceptor may take tokens once its counter is recorded, and that it may."""
        if self._coins is None or self._counter is None:
            return
        if self._accepting:
            self._coins.accept(True, t_ns)
        else:
            self._accepting = True
            self.write(t_ns, "acceptor_set", detail="it may take tokens")
            self._awaited[ACCEPT] = self._records

    def acceptor_set(self, seen: AcceptorInhibited) -> None:
        """The acceptor has confirmed whether it takes tokens."""
        if seen.accepting != self._wanted:
            return
        self._accepting, self._counter = seen.accepting, seen.counter
        self.write(seen.t_ns, "acceptor_set", detail="it takes tokens" if seen.accepting else "it takes none")

    # --- payouts -------------------------------------------------------------------------------------------------

    @property
    def pays(self) -> bool:
        """Whether a hopper pays; otherwise an attendant does."""
        return self._coins is not None and "hopper" in self._coins.names

    @property
    def paying(self) -> bool:
        """Whether a payout is planned or under way."""
        return self._payout is not None

    def pay(self, tokens: int, t_ns: int) -> bool:
        """Plans a payout of the player's tokens, or of some of them. Returns whether it could."""
        tokens = min(tokens, self.credits, MOST_TOKENS)
        busy = self._payout is not None or bool(self.doubts)
        if not tokens or busy or self._coins is None or not self._coins.ready_to_pay():
            return False
        self._payout = self._coins.make_plan(self._payouts + 1, tokens)
        self._payouts = self._payout.number
        self.write(t_ns, "payout_planned", tokens=self._payout.tokens)
        self._awaited[PAYOUT] = self._records
        return True

    @property
    def awaits(self) -> bool:
        """Whether something waits until a record is durable."""
        return bool(self._awaited)

    def journalled(self, record: int, t_ns: int) -> None:
        """The record of this number is durable: what waited for it is done. Repeating it changes nothing."""
        due = [what for what, number in self._awaited.items() if number <= record]
        for what in due:
            del self._awaited[what]
            if self._coins is not None and what == ACCEPT:
                self._coins.accept(True, t_ns)
            elif self._coins is not None and self._payout is not None:
                self._coins.release(self._payout.number, t_ns)

    def paid(self, seen: PayoutEnded) -> None:
        """A payout is over."""
        if self._payout is None or self._payout.number != seen.number:
            return
        self._payout = None
        self._gave_out(seen.paid)
        self._take_back_all()
        self.write(seen.t_ns, "payout_ended", tokens=seen.paid, detail=seen.detail)

    def _take_back_all(self) -> None:
        """A payout is over: what it left of a play that was corrected meanwhile is taken back."""
        for play in self.plays:
            self._take_back(play)

    def _gave_out(self, tokens: int) -> None:
        """Tokens have left; what the player was not owed is counted apart."""
        owed = min(tokens, self.credits)
        self.count(tokens_paid=tokens, tokens_overpaid=tokens - owed)
        self.credits -= owed
        self.plays.left(self.credits)

    def in_doubt(self, seen: PayoutDoubt) -> None:
        """How many tokens of a payout left cannot be known."""
        if self._payout is None or self._payout.number != seen.number:
            return
        self._payout = None
        self.doubts += (AccountDoubt("payout", seen.least, seen.most, seen.detail),)
        self.write(seen.t_ns, "payout_in_doubt", tokens=seen.asked, detail=seen.detail)

    def left_unasked(self, t_ns: int, tokens: int, detail: str) -> bool:
        """Tokens left the hopper, as its counter proves, while no payout was under way: they are overpaid. Where a
        payout is in doubt they may be of that one: then at least as many more of it have left. Returns whether they
        are overpaid.
        """
        at = next((at for at, doubt in enumerate(self.doubts) if doubt.what == PAYOUT), None)
        if at is None:
            self.count(tokens_paid=tokens, tokens_overpaid=tokens)
        else:
            doubts, doubt = list(self.doubts), self.doubts[at]
            least = doubt.least + tokens
            most = None if doubt.most is None else max(doubt.most, least)
            words = f"{doubt.detail}; {tokens} more passed the sensor since"
            doubts[at] = AccountDoubt(PAYOUT, least, most, words)
            self.doubts = tuple(doubts)
        self.write(t_ns, "payout_ended" if at is None else "payout_in_doubt", tokens=tokens, detail=detail)
        return at is None

    def doubt(self, t_ns: int, doubt: AccountDoubt) -> None:
        """What a device that keeps no count cannot prove."""
        self.doubts += (doubt,)
        self.write(t_ns, "tokens_in_doubt", detail=doubt.detail)

    # --- what people decide --------------------------------------------------------------------------------------

    def reconcile(self, t_ns: int, tokens: int, by: str) -> AccountDoubt:
        """A person has counted: this many tokens passed of the oldest doubt.

        Raises:
            AccountError: there is no doubt, or its counts exclude that number.
        """
        if not self.doubts:
            raise AccountError("nothing is in doubt")
        doubt, *rest = self.doubts
        if tokens < doubt.least or (doubt.most is not None and tokens > doubt.most):
            most = "any number" if doubt.most is None else str(doubt.most)
            raise AccountError(f"{tokens} is not between {doubt.least} and {most}: {doubt.detail}")
        if doubt.what == "payout":
            self._gave_out(tokens)
        else:
            self.token_in(tokens)
        self.doubts = tuple(rest)
        self._take_back_all()
        self.write(t_ns, "reconciled", tokens=tokens, by=by, detail=doubt.detail)
        return doubt

    def hand_pay(self, t_ns: int, by: str) -> int:
        """An attendant pays the player's tokens by hand. Returns how many.

        Raises:
            AccountError: there are none, or the machine still pays.
        """
        if self._payout is not None:
            raise AccountError("the hopper still pays: wait for it")
        if self.doubts:
            raise AccountError(f"a count is in doubt: reconcile it first; {self.doubts[0].detail}")
        tokens = self.credits
        if not tokens:
            raise AccountError("the player has no tokens to be paid")
        self.count(tokens_hand_paid=tokens)
        self.credits = 0
        self.plays.left(0)
        self.write(t_ns, "hand_paid", tokens=tokens, by=by)
        return tokens

    def correct(self, play: int, won: int | None) -> str:
        """A person has put another verdict in place: this many tokens won, or None for a void play.

        Returns:
            What became of the difference, in words.

        Raises:
            AccountError: the tokens of that play are not known.
        """
        credits_, debt = self.credits, self.debt
        if won is None:
            self.void(play)
        else:
            self.award(play, won)
        return _moved(self.credits - credits_, self.debt - debt)

    def settle_debt(self, t_ns: int, how: str, tokens: int | None, by: str) -> int:
        """An attendant has `collected` tokens of the debt, or the house has `waived` them: all, without a number.

        Returns:
            How many tokens.

        Raises:
            AccountError: players owe nothing, or not so much.
        """
        debt = self.debt
        if not debt:
            raise AccountError("nobody owes the house any tokens")
        tokens = debt if tokens is None else tokens
        if not 1 <= tokens <= debt:
            raise AccountError(
                f"tokens={tokens}: the debt is {counted(debt, 'token')}; give fewer, or no number for all"
            )
        if how == COLLECTED:
            self.plays.collect(tokens)
            self.count(tokens_collected=tokens)
        else:
            self.plays.waive(tokens)
            self.count(tokens_waived=tokens)
        self.write(t_ns, f"debt_{how}", tokens=tokens, by=by)
        return tokens


def _moved(credits_: int, debt: int) -> str:
    """What a correction did with credits and debt."""
    parts = []
    if credits_:
        parts.append(f"{counted(abs(credits_), 'token')} {'credited' if credits_ > 0 else 'taken from the credits'}")
    if debt:
        parts.append(f"{counted(abs(debt), 'token')} {'owed by the player' if debt > 0 else 'not owed any more'}")
    return " and ".join(parts) or "no token moves"


def balance_error(meters: Meters, credits_: int, debt: int = 0) -> str | None:
    """Why meters, credits and debt contradict each other; None where they do not."""
    values = msgspec.structs.asdict(meters)
    beyond = [name for name, value in values.items() if not 0 <= value < MODULUS]
    beyond += [name for name, value in (("credits", credits_), ("debt", debt)) if value < 0]
    if beyond:
        return f"a meter has no seven digits: {', '.join(beyond)}"
    due = meters.tokens_in + meters.tokens_won + meters.tokens_refunded - meters.tokens_played
    due -= meters.tokens_paid - meters.tokens_overpaid + meters.tokens_hand_paid
    due -= meters.tokens_taken_back + meters.tokens_restaked
    due += meters.tokens_collected + meters.tokens_waived + debt
    if (due - credits_) % MODULUS:
        return f"the meters leave {due % MODULUS} credits, and {credits_} are recorded"
    return None


class _KeptAcceptor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    counter: int
    accepting: bool


class _KeptPayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tokens: int
    before: tuple[int, int, int, int]
    dispensed: int | None = None


class _Kept(msgspec.Struct, frozen=True):
    """The account's part of a machine's state."""

    record: int = 0
    payouts: int = 0
    acceptor: _KeptAcceptor | None = None
    payout: _KeptPayout | None = None
    doubts: tuple[tuple[str, int, int | None, str], ...] = ()
    plays: list[PlayedTokens] = []
    debt_before: Annotated[int, Meta(ge=0)] = 0
