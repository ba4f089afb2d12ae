"""Events as lines of text for people, with the colours of a terminal.

`feltwire run`, `watch`, `simulate`, `replay` and `journal` all print events by `line_of` and `colored_line_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from controller.results_view import (
    Result,
    course_words,
    failed_words,
    measured_words,
    passed_words,
    progress_words,
    result_words,
    started_words,
    verdict_words,
    winning_words,
)
from feed import events
from feed.events import Event, Evidence, WinningBet

_COLORS: Final = {
    events.Outcome: "green",
    events.Void: "red",
    events.Unresolved: "yellow",
    events.DeviceFault: "magenta",
    events.RoundCorrected: "cyan",
    events.ProcedureViolation: "yellow",
    events.InspectionPassed: "green",
    events.InspectionFailed: "red",
    events.DeviceWarning: "yellow",
    events.RoundProgress: "bright_black",
    events.Heartbeat: "bright_black",
}


_ANSI: Final = {"red": 31, "green": 32, "yellow": 33, "magenta": 35, "cyan": 36, "bright_black": 90}
"""The code of each of these colours in an ANSI escape sequence."""


def color_of(event: Event) -> str | None:
    """The name of the colour of an event's line; None for the terminal's default colour."""
    return _COLORS.get(type(event.data))


def colored_line_of(event: Event) -> str:
    """The line of an event with the ANSI escape sequences of its colour; without any in the default colour."""
    color = color_of(event)
    return line_of(event) if color is None else f"\x1b[{_ANSI[color]}m{line_of(event)}\x1b[0m"


def line_of(event: Event) -> str:
    """One line: the time, the table, the round, and what happened.

    The time is the time of day (UTC) at a live table, and the elapsed seconds in a replay or a simulation.
    """
    data = event.data
    number = getattr(data, "round", None)
    place = data.table if number is None else f"{data.table} #{number}"
    mark = "sim " if data.simulated else ""
    virtual = event.time < "2000"
    when = f"{data.mono_ns / 1e9:11.3f}" if virtual else event.time[11:23]
    return f"{when:>12}  {mark}{place:<16}  {_description(event)}"


def _description(event: Event) -> str:
    data = event.data
    match data:
        case events.TableOpened():
            return f"table opened{_by(data.by)}: {data.game} by {data.rules}, {data.software}"
        case events.TableClosed():
            return f"table closed{_by(data.by)}: {data.reason}"
        case events.RoundOpened():
            return "bets are open"
        case events.CourseChanged():
            return course_words(data)
        case events.NoMoreBets():
            return f'"No more bets" ({"the dealer" if data.by == "dealer" else "called by the controller"})'
        case events.RoundStarted():
            return started_words(data)
        case events.RoundProgress():
            return progress_words(data)
        case events.Outcome():
            wins, notices = _wins(data.result, data.winning), _notices(data.notices)
            return f"OUTCOME {result_words(data.result)}{wins}{_measured(data.evidence)}{notices}"
        case events.Void():
            out = "; take the ball out" if data.remove_ball else ""
            return f'VOID "{data.call}": {data.reason} ({data.rule}){_measured(data.evidence)}{out}'
        case events.Unresolved():
            candidates = " or ".join(result_words(candidate) for candidate in data.candidates)
            ask = f"; the dealer calls it: {candidates}?" if candidates else "; the dealer calls it"
            return f"UNRESOLVED {data.reason}{_measured(data.evidence)}{ask}"
        case events.RoundCorrected():
            how = "CALLED" if data.confirmed else "CORRECTED"
            why = f": {data.why}" if data.why else ""
            to, was, wins = verdict_words(data.to), verdict_words(data.from_), _wins(data.to.result, data.winning)
            return f"{how} {to}, was {was}{wins}; by {data.by}{why}{_notices(data.notices)}"
        case events.Settled():
            return f"settled ({data.by})"
        case events.ProcedureViolation():
            return f"PROCEDURE {data.reason} ({data.rule}): {data.detail}"
        case events.DeviceFault():
            shut = "; the table is shut until a supervisor clears it" if data.blocks_play else ""
            shut = f" (since before the restart){shut}" if data.before_restart else shut
            return f"FAULT {data.device}: {data.fault}: {data.detail}{shut}"
        case events.DeviceCleared():
            return f"fault {data.fault} of {data.device} cleared by {data.by}"
        case events.DeviceWarning():
            return f"warning {data.device}: {data.warning}: {data.detail}"
        case events.InspectionPassed():
            return passed_words(data)
        case events.InspectionFailed():
            return failed_words(data)
        case events.Heartbeat():
            return f"  {data.state}, last event {data.last}"
        case events.Unknown():
            kind = event.type.removeprefix(events.TYPE_PREFIX)
            return f"{kind}, which this version does not know: {msgspec.json.encode(data.values).decode()}"
        case _:
            return msgspec.json.encode(data).decode()


def _wins(result: Result | None, winning: Sequence[WinningBet]) -> str:
    """The winning bets of a dice game; empty on a wheel, whose result names its bet."""
    return winning_words(winning) if result is not None and "dice" in result else ""


def _notices(notices: Sequence[str]) -> str:
    return "".join(f"; {notice}" for notice in notices)


def _by(by: str) -> str:
    return f" by {by}" if by else ""


def _measured(evidence: Evidence) -> str:
    parts: list[str] = []
    if evidence.revolutions is not None:
        low, high = evidence.revolutions_low, evidence.revolutions_high
        bounds = "" if low == high or low is None or high is None else f" ({low:.2f} to {high:.2f})"
        parts.append(f"{evidence.revolutions:.2f} revolutions{bounds}")
    if evidence.rotor_direction is not None and evidence.direction is not None:
        parts.append(f"ball {evidence.direction}, rotor {evidence.rotor_direction}")
    parts += measured_words(evidence)
    if evidence.detail:
        parts.append(evidence.detail)
    return " [" + "; ".join(parts) + "]" if parts else ""
