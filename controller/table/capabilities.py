"""What only some games do, a protocol each.

A game implements `controller.table.rounds.Game` and those of these that it needs; it inherits from none. The table and
its rounds ask by type, once, when the table is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar, cast

from controller.table.faults import LatchedFault
from controller.table.phase import Phase
from controller.table.recent import Ruling
from drivers.base.driver import SensorAlive, SensorDead
from drivers.dealer.buttons import ButtonPressed
from feed.events import Verdict
from feed.state import TableState

# --- the course of a round ---


class TimesRuns(Protocol):
    """A run that has a deadline: `rounds.set_run_due`."""

    def run_due(self, t_ns: int) -> None:
        """The deadline of the run has come."""


class HearsCall(Protocol):
    """Judges when "No more bets" came, or acts on it."""

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The call came."""


class KeepsEarly(Protocol):
    """Keeps what its device does after a verdict: it belongs to the next round."""

    def opened_after_settling(self, t_ns: int) -> None:
        """A round opened because the last was settled: judges what was kept."""


class GivesUp(Protocol):
    """Has actuators that work during a round."""

    def give_up(self, t_ns: int) -> None:
        """The round is over without a result: what its actuators still do is stopped."""


class EndsRuns(Protocol):
    """Does something of its own where a round ends without a result, or the table is shut between rounds."""

    def run_ends(self, t_ns: int, reason: str) -> None:
        """The round is about to be void, or the table to be shut for that reason."""

    def run_ended(self, t_ns: int) -> None:
        """It is void, or shut."""


class MayOpen(Protocol):
    """Has conditions of its own for a round to open."""

    def may_open(self, t_ns: int) -> bool:
        """Whether the next round opens now. Otherwise the game has set what the table waits in: `rounds.wait`."""


class SeesOpening(Protocol):
    """Begins something with each round."""

    def opened(self, t_ns: int) -> None:
        """The round was reported to be open."""


class SeesVerdicts(Protocol):
    """Counts on from round to round."""

    def decided(self, t_ns: int, verdict: Verdict) -> None:
        """The round's verdict was reported; what follows from it is not done yet."""

    def forgotten(self, number: int) -> None:
        """A round that was another game's does not count."""


class SeesSettling(Protocol):
    """Has something to do while bets are paid."""

    def settling(self, t_ns: int) -> None:
        """The bets of the round are to be paid from now on."""


class SeesSettled(Protocol):
    """Has something to do once bets are paid."""

    def settled(self, t_ns: int) -> None:
        """They are paid; the next round is open, or the table shut."""


class HoldsRounds(Protocol):
    """A shut table holds the round, which goes on when it opens again, instead of ending it."""

    def hold(self, t_ns: int) -> None:
        """The table is shut: `rounds.held` is the phase of a round that is held."""

    def resume(self, t_ns: int) -> None:
        """The round that was held goes on."""

    def power_lost(self, t_ns: int, recalled: bool) -> Phase | None:
        """The phase in which the last round, open when the power failed, is held; None where it is void."""


class SeesShutting(Protocol):
    """Does something before the table is shut, also where a round is settled first."""

    def shutting(self, t_ns: int, reason: str) -> None:
        """The table is about to be shut."""


class SeesReopening(Protocol):
    """Does something before the table opens again."""

    def reopening(self, t_ns: int) -> None:
        """The table is about to open again."""


class BeginsShut(Protocol):
    """Has something to do at the start of a table that a fault shuts."""

    def begin_shut(self, t_ns: int) -> None:
        """The table begins, and a fault from before shuts it: no round opens."""


class HasDeadlines(Protocol):
    """Has deadlines beside those of the round."""

    @property
    def next_due_ns(self) -> int:
        """The next of them; `NEVER_NS` where there is none."""

    def due(self, t_ns: int) -> None:
        """Meets those up to `t_ns`."""


# --- people ---


class TakesButtons(Protocol):
    """Gives a button another meaning."""

    def pressed(self, press: ButtonPressed) -> bool:
        """Returns whether it took the button; the rounds take it otherwise."""


class RefusesSettling(Protocol):
    """A round that people must look at before it is settled."""

    @property
    def settle_refused(self) -> str | None:
        """Why nobody but a supervisor, or nobody yet, may have the round settled; None where anybody may."""


class SettledByPerson(Protocol):
    """A round that no time settles, for its own reason."""

    @property
    def settled_by_person(self) -> bool:
        """Whether a person settles this round."""


class SettledAttended(Protocol):
    """Does something where a supervisor is present."""

    def settle_attended(self, t_ns: int, key: str) -> bool:
        """A supervisor is present. Returns whether the round waited for one, and is settled now."""


class LeavesRounds(Protocol):
    """A round that is not settled when the table closes, and is when it opens again."""

    def leave(self, t_ns: int) -> None:
        """The table closes while the round may not be settled."""


class RefusesCalls(Protocol):
    """Void rounds that only some people may call, or not at any time."""

    def call_refused(self, reason: str, position: str) -> str | None:
        """Why a person in this position may not call a round void for that reason; None where the rules allow it."""


class VoidsSettling(Protocol):
    """A round may be called void until it is settled."""

    def still_voids(self, reason: str) -> bool:
        """Whether a person may call a round void for it that has its outcome, until it is settled."""


class SeesCalledVoid(Protocol):
    """Does something when a person calls the round void."""

    def called_void(self, t_ns: int, why: str, reason: str) -> str:
        """A person calls the round void, and it is about to be. Returns `why` with what the game adds."""


class PreparesRulings(Protocol):
    """Prepares what a person's ruling has paid."""

    def ruling(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round; if it is the last one, it is settled next."""


class FollowsRulings(Protocol):
    """Draws consequences from a person's ruling."""

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round."""


class LimitsRulings(Protocol):
    """Follows rulings only where it knows what was staked."""

    def ruling_refused(self, ruling: Ruling, to: Verdict) -> str | None:
        """Why a person cannot put that verdict in the place of a round's; None where the game can follow it."""

    @property
    def ruling_leaves(self) -> str:
        """What a correction leaves to be paid, in words."""


class Recovers(Protocol):
    """Needs more of simulated staff than every game."""

    def recovery(self) -> list[tuple[str, dict[str, str]]]:
        """The orders that bring the table back: verb and keys, without who sends them."""


class NamesRest(Protocol):
    """Names a result by what came to rest."""

    def name_of_rest(self, rest: object) -> str | None:
        """How a person names the result of a device that came to rest so, as a simulator knows it; None for none."""


# --- start, restart and the closed table ---


class Restores(Protocol):
    """Continues after a restart."""

    def restore(self, state: TableState) -> None:
        """Continues from what the journal holds of this game."""


class Begins(Protocol):
    """Has something to do before the table's first event."""

    def begin(self, t_ns: int) -> None:
        """The table begins: after `restore`, before its first event."""


class CarriesState(Protocol):
    """A game whose rounds depend on each other."""

    @property
    def carried_state(self) -> dict[str, Any] | None:
        """The state that rounds hand on to the next; None where there is none now."""


class BusyDevices(Protocol):
    """Has devices that work while the table is closed."""

    @property
    def busy(self) -> str | None:
        """What a person has the devices do, in words; None where they do nothing."""


class TriedByInspection(Protocol):
    """Has devices that an inspection tries."""

    def inspection_begins(self) -> None:
        """A person begins to inspect the closed table: earlier trials do not count."""

    @property
    def inspection_lacks(self) -> str | None:
        """What must be tried before an inspection can pass, and was not; None where nothing is left."""


# --- devices and the journal ---


class AwaitsJournal(Protocol):
    """Does things only once their record is durable."""

    @property
    def awaits_journal(self) -> bool:
        """Whether something waits now."""

    def journalled(self, record: int, t_ns: int) -> None:
        """The game's record of this number is durable, and all before it."""


class IdentifiesDevices(Protocol):
    """Has devices that report who they are."""

    @property
    def identified(self) -> Sequence[str]:
        """Those devices, by their names in `identities`."""

    @property
    def identities(self) -> Mapping[str, Mapping[str, str]]:
        """What they have reported, by their names: who made them, their numbers."""


class ShowsFaults(Protocol):
    """Shows faults on a display of its own."""

    def faults_changed(self, t_ns: int, standing: tuple[LatchedFault, ...]) -> None:
        """These faults are latched now, oldest first."""


class IgnoresSensors(Protocol):
    """Has a device that is not always in use."""

    def ignores(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether that a sensor fails or recovers means nothing now."""


def members_of(protocols: Iterable[type]) -> dict[str, tuple[str, ...]]:
    """The members of protocols, by the name of each."""
    return {one.__name__: tuple(name for name in vars(one) if not name.startswith("_")) for one in protocols}


PROTOCOLS: Final = members_of(
    one
    for one in tuple(globals().values())
    if isinstance(one, type) and one.__module__ == __name__ and Protocol in one.__bases__
)
"""The members of each protocol here."""


P = TypeVar("P")


class IncompleteGameError(TypeError):
    """A game, or a part of one, has a part of a protocol: its class is wrong."""


def _lacking(one: object, members: Sequence[str]) -> list[str]:
    """The members that neither its class nor itself has, or has as None: a property is not asked for its value."""
    kind, own = type(one), getattr(one, "__dict__", {})
    return [member for member in members if own.get(member) is None and getattr(kind, member, None) is None]


def refuse_halves(one: object, protocols: Mapping[str, Sequence[str]]) -> None:
    """Refuses what has some members of a protocol and lacks others: it would never be asked for them.

    Raises:
        IncompleteGameError: naming class, protocol and members.
    """
    for name, members in protocols.items():
        lacks = _lacking(one, members)
        if 0 < len(lacks) < len(members):
            has = " and ".join(member for member in members if member not in lacks)
            raise IncompleteGameError(
                f"{type(one).__name__} has {has}, and lacks {' and '.join(lacks)}: {name} is asked for as a whole"
            )


def _able(game: object, protocol: Callable[..., P]) -> P | None:
    """The game, where it has a protocol of this module. (A protocol is no `type[P]` for mypy; it is a callable.)

    `isinstance` looks for the members of a protocol each time, and asks every property for its value: for all of the
    protocols that takes longer than all else that makes a table.
    """
    return cast("P", game) if not _lacking(game, PROTOCOLS[protocol.__name__]) else None


class Capabilities:
    """What one game does beyond `Game`, each None where it does not."""

    def __init__(self, game: object) -> None:
        """None means no game.

        Raises:
            IncompleteGameError: it has a part of a protocol alone, which would never be asked for.
        """
        refuse_halves(game, PROTOCOLS)
        self.times = _able(game, TimesRuns)
        self.hears = _able(game, HearsCall)
        self.keeps = _able(game, KeepsEarly)
        self.gives_up = _able(game, GivesUp)
        self.ends = _able(game, EndsRuns)
        self.opens = _able(game, MayOpen)
        self.opening = _able(game, SeesOpening)
        self.verdicts = _able(game, SeesVerdicts)
        self.settling = _able(game, SeesSettling)
        self.settled = _able(game, SeesSettled)
        self.holds = _able(game, HoldsRounds)
        self.shutting = _able(game, SeesShutting)
        self.reopening = _able(game, SeesReopening)
        self.begins_shut = _able(game, BeginsShut)
        self.deadlines = _able(game, HasDeadlines)
        self.buttons = _able(game, TakesButtons)
        self.refuses = _able(game, RefusesSettling)
        self.by_person = _able(game, SettledByPerson)
        self.attended = _able(game, SettledAttended)
        self.leaves = _able(game, LeavesRounds)
        self.calls = _able(game, RefusesCalls)
        self.voids = _able(game, VoidsSettling)
        self.called_void = _able(game, SeesCalledVoid)
        self.prepares = _able(game, PreparesRulings)
        self.follows = _able(game, FollowsRulings)
        self.rulings = _able(game, LimitsRulings)
        self.recovers = _able(game, Recovers)
        self.rest = _able(game, NamesRest)
        self.restores = _able(game, Restores)
        self.begins = _able(game, Begins)
        self.carries = _able(game, CarriesState)
        self.busy = _able(game, BusyDevices)
        self.inspection = _able(game, TriedByInspection)
        self.journal = _able(game, AwaitsJournal)
        self.identifies = _able(game, IdentifiesDevices)
        self.faults = _able(game, ShowsFaults)
        self.sensors = _able(game, IgnoresSensors)
