"""Commands on rounds that have a verdict: `confirm` calls an unresolved one, `correct` changes a verdict, and `dispute`
changes none.

The event of the verdict stays as it is; `round.corrected` has what a person put in its place.
"""

from __future__ import annotations

from typing import Any

from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_one_of
from controller.table.phase import SETTLING
from controller.table.recent import Ruling
from controller.table.rounds import RoundLifecycle
from feed import events
from feed.events import Verdict


def confirm(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer calls an unresolved round: one of its candidates is the result."""
    rounds = lifecycle.rounds
    ruling = _round(rounds, "confirm", given)
    if ruling.stands.verdict != "unresolved":
        raise OrderRefused(
            f"confirm: round {ruling.round} is not unresolved: it is {rounds.verdicts.words(ruling.stands)}"
        )
    result = _result(rounds, "confirm", given, ruling)
    if rounds.game.name_of(result) not in [rounds.game.name_of(one) for one in ruling.candidates]:
        if not ruling.candidates:
            raise OrderRefused(f"confirm: round {ruling.round} has no candidate; void it, or a supervisor corrects it")
        names = [rounds.game.name_of(one) for one in ruling.candidates]
        key = rounds.game.names_result_by
        raise OrderRefused(f"confirm: {not_one_of(key, given[key], names)}, the candidates of round {ruling.round}")
    to = Verdict(verdict="outcome", result=result)
    return _rule(lifecycle, t_ns, ruling, to, given["by"], given.get("why", ""), confirmed=True)


def correct(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor changes the result of one of the last rounds, or makes it void, or gives a void one its result."""
    rounds = lifecycle.rounds
    ruling = _round(rounds, "correct", given)
    key, reason = rounds.game.names_result_by, given.get("reason", "")
    if (key in given) == ("reason" in given):
        raise OrderRefused(f"correct: give {key}=… for a result, or reason=… to make the round void")
    if key in given:
        to = Verdict(verdict="outcome", result=_result(rounds, "correct", given, ruling))
    elif reason in rounds.verdicts.void_reasons:
        to = Verdict(verdict="void", reason=reason)
    else:
        raise OrderRefused(f"correct: {not_one_of('reason', reason, rounds.verdicts.void_reasons)}")
    if to == ruling.stands:
        raise OrderRefused(f"correct: round {ruling.round} is {rounds.verdicts.words(to)} already")
    limits = rounds.can.rulings
    against = None if limits is None else limits.ruling_refused(ruling, to)
    if against is not None:
        raise OrderRefused(f"correct: {against}")
    return _rule(lifecycle, t_ns, ruling, to, given["by"], given["why"])


def dispute(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Somebody disputes one of the last rounds: its capture is kept, and its verdict stands."""
    rounds = lifecycle.rounds
    if rounds.undecided and given.get("round") == str(rounds.number):
        raise OrderRefused(f"dispute: round {rounds.number} has no verdict yet: wait for it")
    ruling = _round(rounds, "dispute", given)
    by, why = given["by"], given.get("why", "")
    rounds.report.event(events.RoundDisputed, t_ns, round=ruling.round, by=by, stands=ruling.stands, why=why)
    return f"round {ruling.round} is disputed: {rounds.verdicts.words(ruling.stands)} stands"


def uncalled(rounds: RoundLifecycle, given: GivenKeys) -> Ruling | None:
    """The round with a verdict to which a void applies: the one named, or the last one while it is being settled.

    It is unresolved; or its game allows a void for that reason until it is settled.

    Raises:
        OrderRefused: the round that is named is neither.
    """
    last = rounds.recent.last if rounds.phase is SETTLING else None
    if "round" not in given:
        return last if last is not None and _may_be_void(rounds, last, given) else None
    ruling = _round(rounds, "void", given)
    if not (_may_be_void(rounds, ruling, given) if ruling == last else ruling.stands.verdict == "unresolved"):
        raise OrderRefused(
            f"void: round {ruling.round} is {rounds.verdicts.words(ruling.stands)}; a supervisor corrects it"
        )
    return ruling


def _may_be_void(rounds: RoundLifecycle, ruling: Ruling, given: GivenKeys) -> bool:
    if ruling.stands.verdict == "outcome":
        return rounds.can.voids is not None and rounds.can.voids.still_voids(given.get("reason", "dealer_call"))
    return ruling.stands.verdict == "unresolved"


def call_void(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int, ruling: Ruling, reason: str) -> str:
    """The dealer calls a round void that has its verdict and is not settled: it had no result."""
    to = Verdict(verdict="void", reason=reason)
    open_still = ruling.stands.verdict == "unresolved"
    return _rule(lifecycle, t_ns, ruling, to, given.get("by", "dealer"), given.get("why", ""), confirmed=open_still)


def _round(rounds: RoundLifecycle, verb: str, given: GivenKeys) -> Ruling:
    """The round that is named, or the last one with a verdict."""
    named = given.get("round")
    if named is None:
        last = rounds.recent.last
        if last is None:
            raise OrderRefused(f"{verb}: {rounds.recent.span}")
        return last
    if not (named.isascii() and named.isdecimal() and len(named) <= 18):
        raise OrderRefused(f"{verb}: round {named!r} is not a number")
    found = rounds.recent.of(int(named))
    if found is None:
        raise OrderRefused(f"{verb}: round {named} cannot be recalled: {rounds.recent.span}")
    return found


def _result(rounds: RoundLifecycle, verb: str, given: GivenKeys, ruling: Ruling) -> dict[str, Any]:
    """The result that the command names."""
    key = rounds.game.names_result_by
    if key not in given:
        raise OrderRefused(f"{verb}: {key} must be given")
    try:
        return rounds.game.result_in(ruling.round, given[key])
    except ValueError as error:
        raise OrderRefused(f"{verb}: {error}") from error


def _rule(
    lifecycle: TableLifecycle, t_ns: int, ruling: Ruling, to: Verdict, by: str, why: str, *, confirmed: bool = False
) -> str:
    rounds = lifecycle.rounds
    winning, notices = ([], []) if to.result is None else rounds.game.pays_in(ruling.round, to.result)
    rounds.report.event(
        events.RoundCorrected,
        t_ns,
        round=ruling.round,
        by=by,
        from_=ruling.stands,
        to=to,
        why=why,
        confirmed=confirmed,
        winning=winning,
        notices=notices,
    )
    rounds.ruled(t_ns, ruling._replace(stands=to))
    leaves = "" if rounds.can.rulings is None else rounds.can.rulings.ruling_leaves
    left = f"; {leaves}" if leaves else ""
    return f"round {ruling.round} is {rounds.verdicts.words(to)}, and was {rounds.verdicts.words(ruling.stands)}{left}"


VERBS = (
    Verb("confirm", confirm, needs=("by",), takes=("round", "why"), takes_result=True),
    Verb("correct", correct, needs=("round", "by", "why"), takes=("reason",), takes_result=True),
    Verb("dispute", dispute, needs=("by",), takes=("round", "why")),
)
