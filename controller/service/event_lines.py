"""Events as lines of text for people, with the colours of a terminal.

`feltwire run`, `watch`, `simulate`, `replay` and `journal` all print events by `line_of` and `colored_line_of`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from typing import Any, Final, TypeAlias

import msgspec

from controller.games.outside import game_named
from controller.rules.cited import HOUSE_RULE, OURS
from controller.rules.house import HOUSE_RULES
from feed import events
from feed.data import Data, Tumbling
from feed.events import (
    CarriedStateChanged,
    Event,
    Evidence,
    InspectionFailed,
    InspectionPassed,
    MachineEvent,
    RoundProgress,
    RoundStarted,
    Verdict,
    WinningBet,
)
from feed.state import Snapshot
from feed.statistics import ValueCount
from hal.plain_text import plain
from hal.wording import counted, times

Result: TypeAlias = Mapping[str, Any]

MOST_BETS: Final = 8
"""Of more winning bets than these only the first ones, in the order of the text, are named (ours)."""


SHOWN_OUTCOMES: Final = 20
"""The last outcomes that are shown of a snapshot (ours), as many as a board has."""
EXTREMES: Final = 4
"""Of more than twice as many values only this many of the most and of the least frequent are shown (ours)."""

_PLACE: Final = re.compile(r" *\S+(?: [\d:.]+Z)?  (?:sim )?\S+(?: #\d+)? +")
"""The time and the place at the beginning of a line."""

_COLORS: Final = {
    events.Outcome: "green",
    events.Void: "red",
    events.Unresolved: "yellow",
    events.DeviceFault: "magenta",
    events.RoundCorrected: "cyan",
    events.RoundDisputed: "cyan",
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


def colored_line_of(event: Event, *, dated: bool = False, width: int | None = None) -> str:
    """The line of an event with the ANSI escape sequences of its colour; without any in the default colour."""
    color = color_of(event)
    line = line_of(event, dated=dated)
    if width is not None:
        line = folded(line, width)
    return line if color is None else f"\x1b[{_ANSI[color]}m{line}\x1b[0m"


def folded(line: str, width: int) -> str:
    """A line in rows of at most `width` columns: those after the first are below what happened."""
    head = _PLACE.match(line)
    indent = min(len(head[0]) if head is not None else 4, width // 2)
    rows = textwrap.wrap(
        line, max(width, 20), subsequent_indent=" " * indent, break_on_hyphens=False, drop_whitespace=True
    )
    return "\n".join(rows) if len(rows) > 1 else line


def words_of(event: Event) -> str:
    """What happened, in words of one line, without when and where."""
    return plain(_description(event))


def line_of(event: Event, *, dated: bool = False) -> str:
    """One line, whatever the event holds: the time, the table, the round, and what happened.

    The time is the time of day (UTC) at a live table, and the elapsed seconds in a replay or a simulation; `dated`
    gives the date and the zone too.
    """
    data = event.data
    number = getattr(data, "round", None)
    place = data.table if number is None else f"{data.table} #{number}"
    mark = ("sim " if data.simulated else "") + ("house " if data.house_rules else "")
    virtual = event.time < "2000"
    when = f"{data.mono_ns / 1e9:11.3f}" if virtual else dated_words(event.time) if dated else event.time[11:23]
    return plain(f"{when:>12}  {mark}{place:<16}  {_description(event)}")


def dated_words(time: str) -> str:
    """A time of the journal with its date and zone, to the millisecond: `2026-07-04 19:00:27.000Z`."""
    return f"{time[:10]} {time[11:23]}Z"


def snapshot_lines(snapshot: Snapshot) -> list[str]:
    """What a board shows of the rounds before: the last outcomes, and how often each value came."""
    latest = [
        result_words(snapshot.game, outcome.result) + (" (corrected)" if outcome.corrected else "")
        for outcome in reversed(snapshot.outcomes[-SHOWN_OUTCOMES:])
    ]
    if not latest:
        return []
    several = f"the last {len(latest)} outcomes, the newest first" if len(latest) > 1 else "the last outcome"
    lines = [f"{several}: {'; '.join(latest)}"]
    if snapshot.statistics is not None:
        over = f"in {counted(snapshot.statistics.outcomes, 'outcome')}"
        lines += [f"{field.field} {over}: {_hot_and_cold(field.counts)}" for field in snapshot.statistics.fields]
    return [plain(line) for line in lines]


def _hot_and_cold(counts: Sequence[ValueCount]) -> str:
    """Every count where there are few; the most and the least frequent where there are many.

    A value that never came is not among the most frequent.
    """
    if len(counts) <= 2 * EXTREMES:
        return _counts(counts)
    ordered = sorted(counts, key=lambda one: -one.count)
    most = [one for one in ordered[:EXTREMES] if one.count] or ordered[:1]
    return f"most {_counts(most)}; least {_counts(ordered[: -EXTREMES - 1 : -1])}"


def _counts(counts: Sequence[ValueCount]) -> str:
    return ", ".join(f"{one.value} ({one.count})" for one in counts)


def _description(event: Event) -> str:
    if isinstance(event.data, events.Unknown):
        kind = event.type.removeprefix(events.TYPE_PREFIX)
        return f"{kind}, which this version does not know: {msgspec.json.encode(event.data.values).decode()}"
    return data_words(event.data)


@singledispatch
def data_words(data: Data) -> str:
    """What happened, by the type of an event's data; JSON of a type without words."""
    return msgspec.json.encode(data).decode()


@data_words.register
def _opened(data: events.TableOpened) -> str:
    posted = "".join(f"; {notice_words(one.words, one.rule)}" for one in data.notices)
    rules = HOUSE_RULES if data.house_rules else data.rules
    return f"table opened{_by(data.by)}: {data.game} by {rules}, {data.software}{posted}"


@data_words.register
def _closed(data: events.TableClosed) -> str:
    return f"table closed{_by(data.by)}: {data.reason}"


@data_words.register
def _round_opened(data: events.RoundOpened) -> str:
    return "bets are open"


@data_words.register
def _no_more_bets(data: events.NoMoreBets) -> str:
    return f'"{data.call}" ({"the dealer" if data.by == "dealer" else "called by the controller"})'


@data_words.register
def _outcome(data: events.Outcome) -> str:
    wins, notices = _wins(data.game, data.result, data.winning), _notices(data.notices)
    return f"OUTCOME {result_words(data.game, data.result)}{wins}{_measured(data.evidence)}{notices}"


@data_words.register
def _void(data: events.Void) -> str:
    out = "; take the ball out" if data.remove_ball else ""
    return f'VOID "{data.call}": {data.reason} ({rule_words(data.rule)}){_measured(data.evidence)}{out}'


def _person(game: str) -> str:
    """Who calls what is not proven: a machine has an attendant, and no dealer."""
    spec = game_named(game)
    return "the attendant" if spec is not None and spec.machine else "the dealer"


@data_words.register
def _unresolved(data: events.Unresolved) -> str:
    candidates = " or ".join(result_words(data.game, candidate) for candidate in data.candidates)
    ask = f"; {_person(data.game)} calls it" + (f": {candidates}?" if candidates else "")
    return f"UNRESOLVED {data.reason}{_measured(data.evidence)}{ask}"


@data_words.register
def _corrected(data: events.RoundCorrected) -> str:
    how = "CALLED" if data.confirmed else "CORRECTED"
    to, was = verdict_words(data.game, data.to), verdict_words(data.game, data.from_)
    wins = _wins(data.game, data.to.result, data.winning)
    return f"{how} {to}, was {was}{wins}; by {data.by}{_why(data.why)}{_notices(data.notices)}"


@data_words.register
def _disputed(data: events.RoundDisputed) -> str:
    kept = f"; capture {data.capture.file}" if data.capture is not None else "; no capture"
    return f"DISPUTED by {data.by}{_why(data.why)}; {verdict_words(data.game, data.stands)} stands{kept}"


@data_words.register
def _settled(data: events.Settled) -> str:
    return f"settled ({data.by})"


@data_words.register
def _violation(data: events.ProcedureViolation) -> str:
    return f"PROCEDURE {data.reason} ({rule_words(data.rule)}): {data.detail}"


@data_words.register
def _fault(data: events.DeviceFault) -> str:
    before = " (since before the restart)" if data.before_restart else ""
    shut = "; the table is shut until a supervisor clears it" if data.blocks_play else ""
    return f"FAULT {data.device}: {data.fault}: {data.detail}{before}{shut}"


@data_words.register
def _cleared(data: events.DeviceCleared) -> str:
    return f"fault {data.fault} of {data.device} cleared by {data.by}"


@data_words.register
def _warning(data: events.DeviceWarning) -> str:
    return f"warning {data.device}: {data.warning}: {data.detail}"


@data_words.register
def _condition(data: events.DeviceCondition) -> str:
    history = data.history
    if not history.spins and not history.begun:
        return f"what the watch has counted of {data.device}, for the next start"
    spins, values = sum(history.spins) + len(history.begun), {*history.values}.union(*history.begun)
    return f"wear of {data.device}: {counted(spins, 'measured spin')}, {counted(len(values), 'value')}"


@data_words.register
def _card_sealed(data: events.CardSealed) -> str:
    return f"a card left {data.device} unexposed: sealed {data.commitment[:12]}"


@data_words.register
def _card_opened(data: events.CardOpened) -> str:
    how = "exposed" if data.why == "exposed" else "broken up"
    return f"card {data.card}, sealed {data.commitment[:12]}, {how}"


@data_words.register
def _stack_loaded(data: events.StackLoaded) -> str:
    how = "by hand" if data.method == "hand" else f"batch {data.batch} of the shuffler"
    return f"{data.device} is loaded{_by(data.by)}: {how}"


@data_words.register
def _stack_sealed(data: events.StackSealed) -> str:
    return f"{data.device} sealed the order of batch {data.batch}: {counted(data.count, 'card')}"


@data_words.register
def _stack_opened(data: events.StackOpened) -> str:
    agrees = "as it was dealt" if data.agrees else "DIFFERS from what was sealed or dealt"
    return f"{data.device} opened the order of batch {data.batch}: {agrees}"


@data_words.register
def _heartbeat(data: events.Heartbeat) -> str:
    return f"  {data.state}, last event {data.last}"


def _why(why: str) -> str:
    return f": {why}" if why else ""


def _wins(game: str, result: Result | None, winning: Sequence[WinningBet]) -> str:
    """The winning bets; empty in a game whose result names its one bet."""
    spec = game_named(game)
    return winning_words(winning) if result is not None and (spec is None or spec.words.lists_bets) else ""


def _notices(notices: Sequence[str]) -> str:
    return "".join(f"; {notice}" for notice in notices)


def notice_words(words: str, rule: str) -> str:
    """A notice of a table: one that its rules have posted, or what the house states to be its own."""
    return f"{HOUSE_RULE}: {words}" if rule == OURS else f"post at the table: {words} ({rule})"


def rule_words(rule: str) -> str:
    """A citation for people: where no text gives the rule, that it is the house's."""
    return HOUSE_RULE if rule == OURS else rule


def _by(by: str) -> str:
    return f" by {by}" if by else ""


def verdict_words(game: str, verdict: Verdict) -> str:
    """A verdict in a few words: the result, or what it is and why."""
    return f"{verdict.verdict} {verdict.reason}" if verdict.result is None else result_words(game, verdict.result)


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


def result_words(game: str, result: Result) -> str:
    """A result in a few words; that of a game or a version which is not known here, as it is."""
    spec = game_named(game)
    try:
        return str(dict(result)) if spec is None else spec.words.result(result)
    except KeyError:
        return str(dict(result))  # a service of another version has other results


@data_words.register
def started_words(data: RoundStarted) -> str:
    """What has begun: a spin, or a tumble, a shaking or a throw, and whose."""
    spec = game_named(data.game)
    return "the round has begun" if spec is None else spec.words.started(data)


@data_words.register
def course_words(data: CarriedStateChanged) -> str:
    """What a person changed between two rounds, or what a restart must not lose."""
    spec = game_named(data.game)
    words = data.act if spec is None else spec.words.carried(data.act, data.course)
    return words + (f"; by {data.by}" if data.by else "")


_ACTS: Final = {
    "power_on": "the machine has its power",
    "play_resumed": "the play continues where it stopped",
    "token_in": "in",
    "token_refused": "refused",
    "acceptor_counted": "the acceptor's counter has moved",
    "acceptor_set": "the acceptor is set",
    "device_identified": "a device has reported who it is",
    "play_begun": "staked",
    "reel_stopped": "a reel is stopped",
    "award": "won",
    "falls": "fell to the player",
    "falls_to_house": "fell to the house",
    "falls_out_of_play": "fell while no play was on",
    "falls_counted": "the counter of falls is known",
    "payout_planned": "to be given out",
    "payout_ended": "given out",
    "payout_in_doubt": "to be given out, and how many left is not known",
    "tokens_in_doubt": "whether a token is in is not known",
    "reconciled": "counted by a person",
    "corrected": "the correction is in the account",
    "debt_collected": "of a debt collected by hand",
    "debt_waived": "of a debt waived by the house",
    "stake_refunded": "given back, for the play is void",
    "hand_pay_due": "to be paid by hand",
    "hand_paid": "paid by hand",
    "door_opened": "the door is open",
    "door_closed": "the door is closed",
    "test_begun": "test mode: nothing counts",
    "test_token": "in, and not counted: test mode",
    "test_fall": "fell, and not counted: test mode",
    "test_ended": "test mode is over",
    "recall_begun": "the last plays are shown on the screen",
    "recall_ended": "the last plays are off the screen",
    "attendant_key": "the attendant's key was turned",
}
"""The words of a machine's events, after the number of their tokens if they have one."""


@data_words.register
def machine_words(data: MachineEvent) -> str:
    """A significant event of a machine, with what it leaves to the player."""
    said = _ACTS.get(data.act, data.act)
    tokens = "" if data.tokens is None else f"{counted(data.tokens, 'token')} "
    detail = f": {data.detail}" if data.detail else ""
    debt = f", {counted(data.debt, 'token')} owed by players" if data.debt else ""
    return f"{tokens}{said}{_by(data.by)}{detail}; {counted(data.credits, 'credit')}{debt}"


def winning_words(winning: Sequence[WinningBet]) -> str:
    """The bets that win, with their odds; of many the first ones, and how many more."""
    if not winning:
        return ""
    named = winning if len(winning) <= MOST_BETS else winning[: MOST_BETS - 1]
    more = len(winning) - len(named)
    return "; wins: " + ", ".join(f"{bet.bet} ({bet.odds})" for bet in named) + (f" and {more} more" if more else "")


PROGRESS_WORDS: Final[Mapping[str, Callable[[RoundProgress, Any], str]]] = {
    "revolutions": lambda _, number: counted(number, "revolution"),
    "rpm": lambda _, rpm: f"{rpm:g} rpm",
    "lap_s": lambda _, lap_s: f"lap {lap_s:.2f} s",
    "inversions": lambda _, number: f"inverted {times(number)}",
    "shakes": lambda _, number: f"shaken {times(number)}",
    "dice": lambda data, dice: f"the {_whose(data)}dice: {_dice(dice)}, total {sum(dice)}",
    "keyed": lambda _, keyed: f"keyed: {_dice(keyed)}" if keyed else "the dice are at rest: key them",
    "player_cards": lambda _, cards: cards and f"player {' '.join(cards)}",
    "banker_cards": lambda _, cards: cards and f"banker {' '.join(cards)}",
    "tokens_won": lambda _, number: f"{counted(number, 'token')} won",
    "next_card": lambda _, hand: f"the next card is the {hand}'s",
    "cards": lambda _, cards: " ".join(cards),
    "spread": lambda _, ranks: f"spread of {ranks}",
    "announce": lambda _, words: f'"{words}"',
    "dealer_cards": lambda _, cards: cards and f"dealer {' '.join(cards)}",
    "cards_dealt": lambda _, number: f"{counted(number, 'card')} dealt",
}
"""What a field of a round in progress says, by its name and value, in the order of the line."""


@data_words.register
def progress_words(data: RoundProgress) -> str:
    """What is measured while a round continues."""
    measured = {name: value for name in PROGRESS_WORDS if (value := getattr(data, name)) is not None}
    return "  " + ", ".join(words for name, value in measured.items() if (words := PROGRESS_WORDS[name](data, value)))


@data_words.register
def inspected_words(data: InspectionPassed | InspectionFailed) -> str:
    """An inspection that a person passed or failed, or a trial of a device of the game."""
    spec = game_named(data.game)
    trial = None if spec is None else spec.words.inspected(data)
    if trial is not None:
        return trial
    checks = ", ".join(data.checks)
    if isinstance(data, InspectionPassed):
        return f"inspection of {data.device} passed by {data.by}: {checks}"
    why = f" ({data.detail})" if data.detail else ""
    return f"INSPECTION of {data.device} FAILED, by {data.by}: {checks}{why}"


def measured_words(evidence: Evidence) -> list[str]:
    """What was measured of tumbles, shakes and throws, one after the other."""
    return [words for words in map(_tumbling, evidence.tumbles or ()) if words]


def _tumbling(one: Tumbling) -> str:
    parts: list[str] = []
    if one.inversions is not None:
        parts.append(counted(one.inversions, "inversion"))
    if one.baffle_passes is not None:
        parts.append(f"{'-'.join(map(str, one.baffle_passes))} past the baffles")
    if one.shakes is not None:
        parts.append(counted(one.shakes, "shake"))
    if one.moved_s is not None:
        parts.append(f"moved for {one.moved_s:.1f} s")
    if one.pulses is not None:
        parts.append(counted(one.pulses, "pulse"))
    if one.unevenness is not None:
        parts.append(f"unevenness {one.unevenness:.2f}")
    return (f"{one.by}: " if one.by and parts else "") + ", ".join(parts)


def _whose(data: RoundProgress) -> str:
    return "" if data.tumble is None else f"{data.tumble}'s "


def _dice(values: Sequence[int]) -> str:
    return "-".join(map(str, values))
