"""The law of every machine's plays: no play in a fault, behind an open door or in test mode; each token in the account.

    open ──token──► running ──► outcome, settled at once ──► open
      │                │
      └── door opened, test mode, fault ──► held: nothing is accepted, time stands ──► as it was

A play that is held goes on where it was, after the door is closed, the fault is cleared, or the power is back: its
state is in every record of the account. A token that comes while no play can begin belongs to the player, and is paid
by hand.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final

import msgspec
from msgspec import Meta

from controller.games.machines.account import AccountError, CoinDevices, Doubt, TokenAccount
from controller.games.machines.board_coins import as_coins
from controller.games.machines.coin_faults import COINS, acceptor_faults, hopper_trouble, payout_fault, silence
from controller.games.machines.rules import MachineRules
from controller.table.faults import CauseGone, Fault
from controller.table.game import DEALER_CALL, Game, GameContext, Terms
from controller.table.phase import OPEN, RUNNING, SETTLING, SHUT, Phase
from controller.table.recent import Ruling
from controller.table.wording import counted
from drivers.base.driver import NEVER_NS, Observation
from drivers.cabinet.door import DoorMoved
from drivers.coins.observations import (
    AcceptorEvents,
    AcceptorInhibited,
    CoinDeviceIdentified,
    CoinDeviceSilent,
    HopperReady,
    HopperTrouble,
    PayoutDoubt,
    PayoutEnded,
    TokenDoubt,
    TokenPassed,
    TokenWayClear,
)
from drivers.dealer.buttons import ButtonPressed
from feed import events
from feed.events import Evidence, Verdict
from feed.state import TableState

DOOR: Final = "door"
TEST: Final = "test"
IDENTITY: Final = "identity"
MACHINE: Final = "machine"
CHUTE: Final = "chute"
DOUBT: Final = "doubt"
UNKNOWN_TOKENS: Final = frozenset({"pulse_length", "edges_lost", "token_unproven"})
"""After these nobody knows whether a token is in."""


class MachineOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of every machine under `[game]`."""

    token_value: Annotated[
        int,
        Meta(ge=1, le=1000, description="dollars of imitation money that a token is marked with: full dollars"),
    ] = 1


class MachineGame(Game):
    """The plays of one machine. A game implements what its own devices mean."""

    names_result_by: ClassVar[str] = "tokens"
    void_by_closing: ClassVar[bool] = False
    device = MACHINE

    def __init__(self, context: GameContext, rules: MachineRules, model: str, coins: CoinDevices | None = None) -> None:
        """`model` is the hash of everything in the configuration that touches play."""
        super().__init__(context, Terms(rules.no_more_bets, rules.reasons, rules.result_read.cite, 0.0, "Play void"))
        self.account = TokenAccount(self._record, coins)
        self._model = model
        self._identified_devices = () if coins is None else tuple(f"{COINS}.{name}" for name in sorted(coins.names))
        self._unidentified = set() if coins is None else set(coins.names)
        """The devices of the coin equipment that have not reported yet who they are."""
        self._holds = {IDENTITY} if self._unidentified else set[str]()
        self._identities: dict[str, dict[str, str]] = {}
        """What devices have reported of themselves since the start."""
        self._recorded_identities: dict[str, dict[str, str]] = {}
        """The same, as the last record has it: a device that was exchanged is recorded."""
        self._held: Phase | None = None
        """Where the play was that a fault holds, or the end of a service did; None where none is held."""
        self._left_ns: int | None = None
        """How much of the play's time was left when it was held; None where it has no limit, or is not held."""
        self._play: dict[str, Any] | None = None
        """The state of the play that was open when the service before ended."""
        self._begun = False
        self._broken: list[Fault] = []
        """Faults that the start has found."""

    # --- what a machine implements ---------------------------------------------------------------------------------

    @property
    @abstractmethod
    def play_state(self) -> dict[str, Any] | None:
        """The state of the play that is on, to go on from; None where none is."""

    @abstractmethod
    def resume_play(self, t_ns: int, state: Mapping[str, Any]) -> None:
        """Goes on with a play from its state, as `play_state` gave it."""

    @abstractmethod
    def token(self, t_ns: int, seen: TokenPassed) -> None:
        """A token came in, and a play may begin."""

    @abstractmethod
    def handle_machine(self, seen: Observation) -> None:
        """Takes what the machine's own devices report."""

    @property
    def own_state(self) -> dict[str, Any]:
        """What a start needs of the machine's own devices, beside the play."""
        return {}

    def restore_own(self, carried: Mapping[str, Any]) -> None:
        """Goes on from what `own_state` gave."""

    # --- records ---------------------------------------------------------------------------------------------------

    def _record(self, t_ns: int, act: str, *, tokens: int | None = None, by: str = "", detail: str = "") -> None:
        carried = {**self.account.state, "model": self._model}
        if self._recorded_identities:
            carried["identities"] = self._recorded_identities
        carried |= self.own_state
        play = self.play_state
        if play is not None:
            carried["play"], carried["play_round"] = play, self.round
        self.report_apart(
            events.MachineEvent,
            t_ns,
            act=act,
            meters=self.account.meters,
            credits=self.account.credits,
            debt=self.account.debt,
            carried=carried,
            tokens=tokens,
            by=by,
            detail=detail,
            round=self.round or None,
        )

    def write(self, t_ns: int, act: str, *, tokens: int | None = None, by: str = "", detail: str = "") -> None:
        """Makes a record of the account as it is now."""
        self.account.write(t_ns, act, tokens=tokens, by=by, detail=detail)

    # --- start and restart -----------------------------------------------------------------------------------------

    def restore(self, state: TableState) -> None:
        """As every game; meters, credits and a play that was on go on from the last record."""
        super().restore(state)
        machine = state.machine
        if machine is None:
            return
        try:
            self.account.restore(machine)
        except AccountError as error:
            self._broken.append(Fault(0, "ram_error", str(error), device=MACHINE))
            return
        # The last record may be of a play that ended since: its outcome or its void is an event of the round.
        play = machine.carried.get("play") if machine.carried.get("play_round") == self.round else None
        self._play = play if isinstance(play, dict) else None
        self.restore_own(machine.carried)
        identities = machine.carried.get("identities")
        self._recorded_identities = identities if isinstance(identities, dict) else {}
        before = machine.carried.get("model")
        if before is not None and before != self._model:
            detail = f"what touches play was changed: its hash was {str(before)[:16]}, and is {self._model[:16]}"
            self._broken.append(Fault(0, "configuration_changed", detail, device=MACHINE))

    def lost_power(self, t_ns: int, *, recalled: bool = True) -> None:
        """The last play was open when the power failed: it goes on where it was, if it was this game's."""
        if not recalled:
            self._play = None
            super().lost_power(t_ns, recalled=recalled)
            return
        self._power_on(t_ns)
        self._held = OPEN if self._play is None else RUNNING

    def begin_shut(self, t_ns: int) -> None:
        """As every game; the same fault shuts it as before."""
        self._power_on(t_ns)

    def _power_on(self, t_ns: int) -> None:
        if self._begun:
            return
        self._begun = True
        self.account.count(power_ups=1)
        self.account.begin(t_ns)
        in_play = "it failed in a play" if self._play is not None else ""
        self.write(t_ns, "power_on", detail=in_play)
        self.events += [fault._replace(t_ns=t_ns) for fault in self._broken]
        self._broken = []
        if self.account.doubts:
            self._in_doubt(t_ns, "token_in_doubt")

    # --- the course of a play --------------------------------------------------------------------------------------

    @property
    def playable(self) -> bool:
        """Whether a token begins a play."""
        return self.phase in (OPEN, RUNNING) and not self._holds

    def open(self, t_ns: int) -> None:
        """Opens the next play; one that was held goes on instead."""
        self._power_on(t_ns)
        if self._held is None:
            super().open(t_ns)
        else:
            self._go_on(t_ns)
        self._update(t_ns)

    def shut(self, t_ns: int, reason: str, detail: str) -> None:
        """A fault or the end of the service holds the play; it gets no verdict for that."""
        if self.phase is SETTLING:
            super().shut(t_ns, reason, detail)
            return
        if self.phase in (OPEN, RUNNING):
            self._held = self.phase
            self._freeze(t_ns)
        self.phase = SHUT
        self._stop_reported = False
        self._update(t_ns)

    def reopen(self, t_ns: int) -> None:
        """The fault was cleared, or the table opens: a play that was held goes on."""
        self._power_on(t_ns)
        if self.phase is SHUT and self._held is not None:
            self._stop_reported = self._shut_when_settled = False
            self._go_on(t_ns)
            self._update(t_ns)
        else:
            super().reopen(t_ns)

    def _go_on(self, t_ns: int) -> None:
        held, self._held = self._held, None
        play, self._play = self._play, None
        self.phase = OPEN if held is None else held
        if play is not None:
            self.resume_play(t_ns, play)
            self.account.resumes(self.round, self.staked, self.fallen)
            if self._holds:
                self._freeze(t_ns)
        elif not self._holds:
            self._thaw(t_ns)
        if self.phase is RUNNING:
            self.write(t_ns, "play_resumed")

    def _freeze(self, t_ns: int) -> None:
        """The time of the play stands."""
        if self.run_due_ns < NEVER_NS:
            self._left_ns = max(0, self.run_due_ns - t_ns)
            self.run_due_ns = NEVER_NS

    def _thaw(self, t_ns: int) -> None:
        if self._left_ns is not None:
            self.run_due_ns, self._left_ns = t_ns + self._left_ns, None

    def _update(self, t_ns: int) -> None:
        """What the machine accepts now."""
        self.account.accept(self.playable, t_ns)
        self._pay_out(t_ns)

    def end_play(self, t_ns: int, result: dict[str, Any], evidence: Evidence) -> None:
        """The play is over: its outcome stands, and nobody settles it by hand."""
        self.run_due_ns = NEVER_NS
        winning, notices = self.pays(result)
        self.outcome(t_ns, result, winning, evidence, notices)
        if self.phase is SETTLING:
            self.settle(t_ns, "auto")

    def quiet(self) -> bool:
        """Nothing of a machine runs out."""
        return True

    def press(self, press: ButtonPressed) -> None:
        """A machine takes no calls; the dealer's button for a void round makes the play void."""
        if press.button == "dealer_void":
            self.void_by_hand(press.t_ns)

    # --- door, test and key ----------------------------------------------------------------------------------------

    @property
    def testing(self) -> bool:
        """Whether it is in test mode: no meter moves."""
        return TEST in self._holds

    def is_held_by(self, what: str) -> bool:
        """Whether this is among what holds the play."""
        return what in self._holds

    def hold(self, t_ns: int, what: str) -> None:
        """Play stands: nothing is accepted, and its time stands too."""
        if not self._holds:
            self._freeze(t_ns)
        self._holds.add(what)
        self._update(t_ns)

    def let_go(self, t_ns: int, what: str) -> None:
        """Play goes on as it was, if nothing else holds it."""
        self._holds.discard(what)
        if not self._holds and self.phase in (OPEN, RUNNING):
            self._thaw(t_ns)
        self._update(t_ns)

    def begin_test(self, t_ns: int, by: str) -> str | None:
        """A person begins test mode. Returns why not, if not."""
        if self.testing:
            return "test mode is on already"
        if self.phase is RUNNING or self._held is RUNNING:
            return f"play {self.round} is on: wait for its end, or void it"
        if self.account.paying:
            return "the hopper pays: wait for its end"
        self.hold(t_ns, TEST)
        self.write(t_ns, "test_begun", by=by)
        return None

    def end_test(self, t_ns: int, by: str) -> str | None:
        """A person ends test mode. Returns why not, if not."""
        if not self.testing:
            return "test mode is not on"
        self.write(t_ns, "test_ended", by=by)
        self.let_go(t_ns, TEST)
        return None

    def settle_attended(self, t_ns: int, key: str) -> bool:
        """The attendant's key is turned: it is recorded, and clears what can be cleared."""
        self.write(t_ns, "attendant_key", by=key)
        return False

    @property
    def busy(self) -> str | None:
        """Test mode keeps a closed machine closed."""
        return "it is in test mode: test_end first" if self.testing else None

    # --- observations ----------------------------------------------------------------------------------------------

    def handle(self, seen: Observation) -> None:
        """Takes what every machine has: tokens and the door. The rest is the game's."""
        t_ns, seen = seen.t_ns, as_coins(seen)
        if isinstance(seen, TokenPassed):
            self._token(t_ns, seen)
        elif isinstance(seen, TokenDoubt):
            self._chute_doubt(t_ns, seen)
        elif isinstance(seen, TokenWayClear):
            self.events.append(CauseGone(t_ns, CHUTE, CHUTE))
        elif isinstance(seen, DoorMoved):
            self._door(t_ns, seen.open)
        elif isinstance(seen, AcceptorEvents):
            self._accepted(seen)
        elif isinstance(seen, AcceptorInhibited):
            self.account.acceptor_set(seen)
        elif isinstance(seen, CoinDeviceSilent):
            self.events.append(silence(seen))
        elif isinstance(seen, CoinDeviceIdentified):
            self._identified(seen)
        elif isinstance(seen, HopperTrouble):
            self.events += hopper_trouble(seen)
        elif isinstance(seen, PayoutEnded | PayoutDoubt):
            self._paid(seen)
        elif not isinstance(seen, HopperReady):
            self.handle_machine(seen)
        self._pay_out(t_ns)

    # --- coin equipment --------------------------------------------------------------------------------------------

    @property
    def awaits_journal(self) -> bool:
        """Whether coin equipment waits until a record is durable."""
        return self.account.awaits

    def journalled(self, record: int, t_ns: int) -> None:
        """The record of this number is durable: what waited for it is done."""
        self.account.journalled(record, t_ns)

    @property
    def identified(self) -> Sequence[str]:
        """The devices of the coin equipment."""
        return self._identified_devices

    @property
    def identities(self) -> Mapping[str, Mapping[str, str]]:
        """What the devices of the coin equipment report of themselves."""
        return self._identities

    def _identified(self, seen: CoinDeviceIdentified) -> None:
        """A device has reported who it is; before all have, nothing is accepted."""
        name = f"{COINS}.{seen.device}"
        known = {"driver": "cctalk", "address": str(seen.address), **seen.identity}
        self._identities[name] = known
        if self._recorded_identities.get(name) != known:
            self._recorded_identities = {**self._recorded_identities, name: known}
            words = ", ".join(f"{field} {value}" for field, value in seen.identity.items())
            self.write(seen.t_ns, "device_identified", detail=f"{name}: {words}")
        self._unidentified.discard(seen.device)
        if not self._unidentified and IDENTITY in self._holds:
            self.let_go(seen.t_ns, IDENTITY)

    def _accepted(self, seen: AcceptorEvents) -> None:
        """The acceptor has counted: each token is a token of a play, as one in the chute."""
        t_ns = seen.t_ns
        for _ in range(self.account.counted(seen, credited=False)):
            self._token(t_ns, TokenPassed(t_ns=t_ns, passed_ns=t_ns))
        if seen.doubt:
            self._in_doubt(t_ns, "token_in_doubt")
        self.events += acceptor_faults(t_ns, seen.errors)

    def _paid(self, seen: PayoutEnded | PayoutDoubt) -> None:
        """A payout is over; what it lacks is paid by hand."""
        t_ns = seen.t_ns
        if isinstance(seen, PayoutDoubt):
            self.account.in_doubt(seen)
            self._in_doubt(t_ns, "payout_in_doubt")
            return
        self.account.paid(seen)
        fault = payout_fault(seen)
        if fault is None:
            return
        self.events.append(fault)
        if seen.paid < seen.asked:
            self.write(t_ns, "hand_pay_due", tokens=self.account.credits, detail=fault.detail)

    def _pay_out(self, t_ns: int) -> None:
        """What belongs to the player and is not staked is given out by the hopper, if the machine has one."""
        shuts = self.stopping or any(isinstance(one, Fault) and one.blocks_play for one in self.events)
        if self.account.credits and self.playable and not shuts:
            self.account.pay(self.account.credits, t_ns)

    def _token(self, t_ns: int, seen: TokenPassed) -> None:
        if self.testing:
            self.write(t_ns, "test_token", tokens=1)
        elif self.playable and not self.stopping:
            self.token(t_ns, seen)
        else:
            self.account.token_in(1)
            self.write(t_ns, "hand_pay_due", tokens=1, detail="it came in while no play could begin")

    def _chute_doubt(self, t_ns: int, seen: TokenDoubt) -> None:
        if self.testing:
            self.warn(t_ns, CHUTE, "token_in_doubt", seen.detail)
        elif seen.code in UNKNOWN_TOKENS:
            self.account.doubt(t_ns, Doubt("tokens_in", 0, 1, seen.detail))
            self._in_doubt(t_ns, "token_in_doubt")
        else:
            cause = CHUTE if seen.code == "token_jam" else ""
            self.events.append(Fault(t_ns, seen.code, seen.detail, cause=cause, device=CHUTE))

    def _door(self, t_ns: int, is_open: bool) -> None:
        if is_open == (DOOR in self._holds):
            return
        if is_open:
            self.hold(t_ns, DOOR)
            self.account.count(door_openings=1)
            self.write(t_ns, "door_opened")
        else:
            self.let_go(t_ns, DOOR)
            self.write(t_ns, "door_closed")

    def reconcile(self, t_ns: int, tokens: int, by: str) -> Doubt:
        """A person has counted what is in doubt. Raises `AccountError` as `TokenAccount.reconcile`."""
        doubt = self.account.reconcile(t_ns, tokens, by)
        if not self.account.doubts:
            self.events.append(CauseGone(t_ns, DOUBT, MACHINE))
        return doubt

    def _in_doubt(self, t_ns: int, fault: str) -> None:
        """The last doubt of the account shuts the machine until a person has decided it."""
        detail = f"{self.account.doubts[-1].detail}; count, then reconcile tokens=…"
        self.events.append(Fault(t_ns, fault, detail, cause=DOUBT, device=MACHINE))

    def void_by_hand(self, t_ns: int, why: str = "", reason: str = DEALER_CALL) -> bool:
        """A person makes the play void: what was staked belongs to the player again, and is paid by hand."""
        if not self.undecided or reason not in self._reasons:
            return False
        held = self._held is RUNNING
        if held or self.phase is RUNNING:
            staked = self.account.void(self.round)
            self._held = self._play = self._left_ns = None
            self.void_play()
            self.write(t_ns, "stake_refunded", tokens=staked, detail="the play is void: its stake goes back")
        if held:
            # The fault stands: the next play opens when it is cleared.
            self._report_void(t_ns, reason, Evidence(detail=why))
        else:
            self.void(t_ns, reason, Evidence(detail=why))
        return True

    @property
    def undecided(self) -> bool:
        """A play that a fault holds has no verdict either."""
        return super().undecided or self._held is RUNNING

    def ruling_refused(self, ruling: Ruling, to: Verdict) -> str | None:
        """A play can have a result where a token was staked in it, and where its tokens are known."""
        if self.account.plays.of(ruling.round) is not None or to.verdict == ruling.stands.verdict == "void":
            return None
        return f"play {ruling.round}: no token was staked in it, or its tokens are not known any more"

    @property
    def ruling_leaves(self) -> str:
        """The credits, and what players owe."""
        debt = f", {counted(self.account.debt, 'token')} owed by players" if self.account.debt else ""
        return f"{counted(self.account.credits, 'credit')}{debt}"

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person corrected a play: its player gets what the verdict gives beyond the one before, or owes it."""
        super().ruled(t_ns, ruling)
        if self.account.plays.of(ruling.round) is None:
            return
        result, credits_ = ruling.stands.result, self.account.credits
        moved = self.account.correct(ruling.round, None if result is None else self.won_by(result))
        self.write(t_ns, "corrected", detail=f"play {ruling.round}: {moved}")
        more = self.account.credits - credits_
        if more > 0 and not self.account.pays:
            self.write(t_ns, "hand_pay_due", tokens=more, detail=f"play {ruling.round} was corrected")
        self._pay_out(t_ns)

    @abstractmethod
    def won_by(self, result: Mapping[str, Any]) -> int:
        """The tokens that a result awards."""

    @property
    @abstractmethod
    def staked(self) -> int:
        """Tokens that are staked in the play that is on."""

    @property
    def fallen(self) -> int:
        """Tokens that have fallen to the player in the play that is on."""
        return 0

    @abstractmethod
    def void_play(self) -> None:
        """The play is void: its state is forgotten."""

    # --- results ---------------------------------------------------------------------------------------------------

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return str(result["tokens_won"])
