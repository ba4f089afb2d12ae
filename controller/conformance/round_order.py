"""The order in which the durable events of one table may come.

Whoever joins in the middle knows nothing of the rounds before: what rests on them is not judged until it is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from controller.conformance.sentences import Sentence
from feed import events
from feed.events import Data, Event, Verdict

Found: TypeAlias = Iterator[tuple[Sentence, str]]

KEPT: Final = 100
"""Rounds whose verdict is kept (ours): the last ten may be corrected."""


class RoundOrder:
    """Follows the events of a table, and says at each what may not be."""

    def __init__(self, *, from_the_beginning: bool) -> None:
        """`from_the_beginning`: the next event is the first that the table ever had."""
        self._from_the_beginning = from_the_beginning
        self._playing: bool | None = None
        self._round: int | None = 0 if from_the_beginning else None
        self._stands: dict[int, Verdict] = {}
        self._open = False
        self._paying = False
        """Whether the last round may be settled."""
        self._must_settle = False
        """Whether it must be, before the next one opens."""
        self._faults: dict[tuple[str, str], bool] = {}
        self._holds: bool | None = False if from_the_beginning else None
        """Whether it is a machine, which holds its play over a close; None where that is not known."""

    def check(self, event: Event, *, first: bool) -> Found:
        """The next durable event; `first` of its epoch."""
        data = event.data
        if first:
            # After a restart sic bo, and whoever waits for a call, settle the round before; others open the next one.
            self._must_settle = False
        match data:
            case events.TableOpened():
                if not first and (self._playing or self._shut):
                    yield Sentence.CLOSED, "opened while it was open, or while a fault blocked play"
                self._playing = True
            case events.TableClosed():
                if not first and self._open and self._holds is False:
                    yield Sentence.CLOSED, f"closed while round {self._round} was open"
                self._playing = False
            case events.RoundOpened():
                yield from self._opened(data)
            case events.MachineEvent():
                self._holds = True
            case events.NoMoreBets() | events.RoundStarted():
                if isinstance(data, events.NoMoreBets) and self._holds is None:
                    # A machine takes no calls.
                    self._holds = False
                if self._round is not None and not (self._open and data.round == self._round):
                    yield Sentence.IN_ROUND, f"of round {data.round}, which is not open"
            case events.Outcome() | events.Void() | events.Unresolved():
                yield from self._verdict(data)
            case events.RoundCorrected():
                yield from self._corrected(data)
            case events.Settled():
                if self._round is not None and not (self._paying and data.round == self._round):
                    yield Sentence.SETTLED, f"round {data.round} is settled, and has nothing to settle"
                self._paying = self._must_settle = False
            case events.DeviceFault():
                self._faults[data.device, data.fault] = data.blocks_play
            case events.DeviceCleared():
                if self._faults.pop((data.device, data.fault), None) is None and self._from_the_beginning:
                    yield Sentence.CLEARED, f"{data.fault} of {data.device} is cleared, and was not latched"

    @property
    def _shut(self) -> bool:
        return any(self._faults.values())

    def _opened(self, data: events.RoundOpened) -> Found:
        if self._playing is False:
            yield Sentence.OPEN, f"round {data.round} opens at a table that is closed"
        if self._shut:
            yield Sentence.SHUT, f"round {data.round} opens"
        if self._open or (self._must_settle and self._from_the_beginning):
            yield Sentence.OPEN, f"round {data.round} opens before round {self._round} is over"
        if self._round is not None and data.round != self._round + 1:
            yield Sentence.ROUNDS, f"round {data.round} opens after round {self._round}"
        self._round, self._open, self._paying, self._must_settle = data.round, True, False, False

    def _verdict(self, data: events.Outcome | events.Void | events.Unresolved) -> Found:
        number, known = data.round, self._round
        if number in self._stands:
            yield Sentence.ONE_VERDICT, f"round {number} has another verdict"
        elif known is not None and not (self._open and number == known):
            # What was refused while no bets were open is a round without an opening.
            if self._open or number != known + 1:
                yield Sentence.IN_ROUND, f"of round {number}, which is not open"
            elif isinstance(data, events.Outcome):
                yield Sentence.IN_ROUND, f"an outcome of round {number}, for which no bets were open"
        if isinstance(data, events.Outcome) and self._shut:
            yield Sentence.SHUT, f"round {number} has an outcome"
        self._stands[number] = _verdict_of(data)
        while len(self._stands) > KEPT:
            del self._stands[next(iter(self._stands))]
        self._round, self._open = max(number, known or 0), False
        self._paying = not isinstance(data, events.Void)
        # Where a fault shuts the table nobody has to settle.
        self._must_settle = self._paying and not self._shut

    def _corrected(self, data: events.RoundCorrected) -> Found:
        stands = self._stands.get(data.round)
        if stands is not None and stands != data.from_:
            yield Sentence.CORRECTED, f"of round {data.round} it names {data.from_}, and in force is {stands}"
        if stands is None and self._from_the_beginning:
            yield Sentence.CORRECTED, f"of round {data.round} it names {data.from_}, and there is no verdict"
            return
        self._stands[data.round] = data.to
        if data.round == self._round and data.to.verdict == "outcome":
            self._paying = True


def _verdict_of(data: Data) -> Verdict:
    if isinstance(data, events.Outcome):
        return Verdict(verdict="outcome", result=data.result)
    reason = data.reason if isinstance(data, events.Void | events.Unresolved) else ""
    return Verdict(verdict="void" if isinstance(data, events.Void) else "unresolved", reason=reason)
