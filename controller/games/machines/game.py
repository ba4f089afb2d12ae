"""The law of every machine's plays: no play in a fault, behind an open door or in test mode; each token in the account.

A play that is held continues where it was, after the door is closed, the fault is cleared, or the power is back: its
state is in every record of the account. What is played is a part of the machine: `Plays`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Protocol

import msgspec
from msgspec import Meta

from controller.games.machines.account import AccountError, CoinDevices
from controller.games.machines.attendant import MachineAttendant
from controller.games.machines.board_coins import as_coins
from controller.games.machines.coin_handling import MACHINE, CoinHandling
from controller.games.machines.current_play import STAKED, CurrentPlay
from controller.games.machines.identities import CoinIdentities
from controller.games.machines.records import MachineRecords
from controller.games.machines.rules import MachineRules
from controller.table.context import GameContext
from controller.table.faults import Fault, LatchedFault
from controller.table.phase import OPEN, RUNNING, Phase
from controller.table.recent import Ruling
from controller.table.rounds import RoundLifecycle
from controller.table.terms import Terms
from drivers.base.driver import Observation
from drivers.cabinet.door import DoorMoved
from drivers.coins.observations import CoinDeviceIdentified
from drivers.dealer.buttons import ButtonPressed
from feed.events import Verdict, WinningBet
from feed.state import MachineState, TableState
from hal.wording import counted


class MachineOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of every machine under `[game]`."""

    token_value: Annotated[
        int,
        Meta(ge=1, le=1000, description="dollars of imitation money that a token is marked with: full dollars"),
    ] = 1


class PlayResults(Protocol):
    """What the results of a kind of machine are called, and what they award."""

    @property
    def named_by(self) -> str:
        """The key by which a person names a result."""

    def named(self, name: str) -> dict[str, Any]:
        """The result that a person names.

        Raises:
            ValueError: there is no such result; the message states which there are.
        """

    def name_of(self, result: Mapping[str, Any]) -> str:
        """How a person names a result."""

    def won(self, result: Mapping[str, Any]) -> int:
        """The tokens that a result awards."""


class Plays(Protocol):
    """What is played at a kind of machine, with its own devices."""

    @property
    def results(self) -> PlayResults:
        """What can come of a play."""

    @property
    def state(self) -> dict[str, Any]:
        """The state of the play that is on, to go on from."""

    @property
    def fallen(self) -> int:
        """Tokens that have fallen to the player in the play that is on."""

    def reset(self) -> None:
        """A new play begins."""

    def token(self, t_ns: int) -> None:
        """A token came in, and a play may begin."""

    def take(self, seen: Observation) -> None:
        """Takes what the machine's own devices report."""

    def postpones(self, seen: Observation) -> bool:
        """Whether an observation waits until it is proven what came before it, for it would end the play, or came
        after its end. It is taken later.
        """

    def next_postponed(self, t_ns: int) -> Observation | None:
        """The next of those that waited, once it waits no more."""

    def run_due(self, t_ns: int) -> None:
        """The time of the play is over."""

    def restore(self, carried: Mapping[str, Any]) -> None:
        """Continues from the last record; empty where there is none that can be read."""

    def resume(self, t_ns: int, state: Mapping[str, Any]) -> None:
        """Continues with a play from its state, as `state` gave it."""

    def ruled(self, t_ns: int) -> None:
        """A person corrected one of the last plays."""

    def faults_changed(self, t_ns: int, standing: tuple[LatchedFault, ...]) -> None:
        """These faults are latched now, oldest first."""


class MachineParts:
    """What every machine has, whatever is played at it."""

    def __init__(
        self,
        context: GameContext,
        rules: MachineRules,
        options: MachineOptions,
        model: str,
        coins: CoinDevices | None = None,
    ) -> None:
        """`model` is the hash of everything in the configuration that touches play."""
        terms = Terms(
            rules.no_more_bets, rules.reasons, rules.result_read.cite, 0.0, "Play void", void_by_closing=False
        )
        self.rounds = RoundLifecycle(context, terms)
        self.report = self.rounds.report
        self.records = MachineRecords(self.report, model, coins)
        self.account = self.records.account
        self.current = CurrentPlay(self.rounds, self.account, options.token_value)
        self.identities = CoinIdentities(() if coins is None else coins.names, self.records, self.current)
        self.attendant = MachineAttendant(self.account, self.current)


class MachineGame:
    """The plays of one machine, judged; see `controller.table.rounds.Game`."""

    device = MACHINE

    def __init__(self, parts: MachineParts, plays: Plays) -> None:
        self.rounds = parts.rounds
        self.account = parts.account
        self.attendant = parts.attendant
        self.plays = plays
        self.coins = CoinHandling(parts.report, parts.account, parts.current, plays.token)
        self.names_result_by = plays.results.named_by
        self._records = parts.records
        self._current = parts.current
        self._identities = parts.identities
        self._left: Mapping[str, Any] | None = None
        """The state of the play that was open when the service before ended, until that play continues."""
        self._begun = False
        self._broken: list[Fault] = []
        """Faults that the start has found."""
        parts.records.carry(self._carried)

    # --- results -----------------------------------------------------------------------------------------------------

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result that a person names; see `PlayResults.named`."""
        return self.plays.results.named(name)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_in` reads."""
        return self.plays.results.name_of(result)

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """Tokens are paid: no bet is paid beside them, and what they are worth is in the notice."""
        return [], self._current.notices(self.plays.results.won(result))

    # --- a play ------------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new play begins."""
        self.plays.reset()

    def quiet(self) -> bool:
        """Nothing of a machine runs out."""
        return True

    def handle(self, seen: Observation) -> None:
        """Takes tokens and the door; the rest is what is played."""
        t_ns = seen.t_ns
        taken = None if self.plays.postpones(seen) else seen
        while taken is not None:
            taken = as_coins(taken)
            if self.coins.take(taken):
                pass
            elif isinstance(taken, DoorMoved):
                self.attendant.move_door(taken.t_ns, taken.open)
            elif isinstance(taken, CoinDeviceIdentified):
                self._identities.take(taken)
            else:
                self.plays.take(taken)
            self._current.pay_out(taken.t_ns)
            taken = self.plays.next_postponed(t_ns)

    def run_due(self, t_ns: int) -> None:
        """The time of the play is over."""
        self.plays.run_due(t_ns)

    def pressed(self, press: ButtonPressed) -> bool:
        """A machine takes no calls; the dealer's button for a void round makes the play void."""
        return press.button != "dealer_void"

    def called_void(self, t_ns: int, why: str, reason: str) -> str:
        """A person makes the play void: what was staked belongs to the player again, and is paid by hand."""
        if self.rounds.phase is not OPEN:
            staked = self.account.void(self.rounds.number)
            self._left = None
            self._current.forget()
            self.plays.reset()
            self.account.write(t_ns, "stake_refunded", tokens=staked, detail="the play is void: its stake is refunded")
        return why

    # --- held and gone on with ---------------------------------------------------------------------------------------

    def _carried(self) -> Mapping[str, Any]:
        play = self._left
        if play is None and self._current.under_way:
            play = self.plays.state
        return {} if play is None else {"play": play, "play_round": self.rounds.number}

    def restore(self, state: TableState) -> None:
        """Meters, credits and a play that was on go on from the last record."""
        carried = {} if state.machine is None else self._restored(state.machine)
        self.plays.restore(carried)

    def _restored(self, machine: MachineState) -> Mapping[str, Any]:
        """Restores the account; returns what the record carries, nothing where the account contradicts itself."""
        carried = machine.carried
        try:
            self.account.restore(machine)
        except AccountError as error:
            self._broken.append(Fault(0, "ram_error", str(error), device=MACHINE))
            return {}
        # The last record may be of a play that ended since: its outcome or its void is an event of the round.
        play = carried.get("play") if carried.get("play_round") == self.rounds.number else None
        self._left = play if isinstance(play, dict) else None
        self._identities.restore(carried)
        changed = self._records.model_changed(carried)
        if changed is not None:
            self._broken.append(Fault(0, "configuration_changed", changed, device=MACHINE))
        return carried

    def power_lost(self, t_ns: int, recalled: bool) -> Phase | None:
        """The last play was open when the power failed: it continues where it was, if it was this game's."""
        if not recalled:
            self._left = None
            return None
        self._power_on(t_ns, was_open=True)
        return OPEN if self._left is None else RUNNING

    def begin_shut(self, t_ns: int) -> None:
        """The machine begins, and the same fault shuts it as before."""
        self._power_on(t_ns)

    def may_open(self, t_ns: int) -> bool:
        """A play opens whenever the table does."""
        self._power_on(t_ns)
        return True

    def opened(self, t_ns: int) -> None:
        """A play is open: the machine takes tokens."""
        self._current.change(t_ns)

    def _power_on(self, t_ns: int, *, was_open: bool = False) -> None:
        if self._begun:
            return
        self._begun = True
        if not was_open:
            # The play of the last record has its verdict.
            self._left = None
        self.account.count(power_ups=1)
        self.account.begin(t_ns)
        self.account.write(t_ns, "power_on", detail="it failed in a play" if self._left is not None else "")
        for fault in self._broken:
            self.rounds.report.fault(fault._replace(t_ns=t_ns))
        self._broken = []
        if self.account.doubts:
            self.coins.shut_in_doubt(t_ns, "token_in_doubt")

    def hold(self, t_ns: int) -> None:
        """A fault or the end of the service holds the play; it gets no verdict for that."""
        self._current.freeze(t_ns)
        self._current.change(t_ns)

    def resume(self, t_ns: int) -> None:
        """A play that was held goes on."""
        self._power_on(t_ns)
        play, self._left = self._left, None
        if play is not None:
            self.plays.resume(t_ns, play)
            self.account.resumes(self.rounds.number, STAKED, self.plays.fallen)
            self._current.freeze(t_ns)
        self._current.thaw(t_ns)
        if self.rounds.phase is RUNNING:
            self.account.write(t_ns, "play_resumed")
        self._current.change(t_ns)

    # --- people ------------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> str | None:
        """Test mode keeps a closed machine closed."""
        return "it is in test mode: test_end first" if self._current.testing else None

    def settle_attended(self, t_ns: int, key: str) -> bool:
        """The attendant's key is turned: it is recorded, and clears what can be cleared."""
        self.attendant.turn_key(t_ns, key)
        return False

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
        if self.account.plays.of(ruling.round) is not None:
            result, credits_ = ruling.stands.result, self.account.credits
            won = None if result is None else self.plays.results.won(result)
            moved = self.account.correct(ruling.round, won)
            self.account.write(t_ns, "corrected", detail=f"play {ruling.round}: {moved}")
            more = self.account.credits - credits_
            if more > 0 and not self.account.pays:
                self.account.write(t_ns, "hand_pay_due", tokens=more, detail=f"play {ruling.round} was corrected")
            self._current.pay_out(t_ns)
        self.plays.ruled(t_ns)

    # --- devices and the journal -------------------------------------------------------------------------------------

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
        return self._identities.devices

    @property
    def identities(self) -> Mapping[str, Mapping[str, str]]:
        """What the devices of the coin equipment report of themselves."""
        return self._identities.reported

    def faults_changed(self, t_ns: int, standing: tuple[LatchedFault, ...]) -> None:
        """A display of the machine shows its faults."""
        self.plays.faults_changed(t_ns, standing)
