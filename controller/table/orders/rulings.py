"""Commands on rounds that have a verdict: `confirm` calls an unresolved one, `correct` changes a verdict, and `dispute`
changes none.

The event of the verdict stays as it is; `round.corrected` has what a person put in its place.
"""

from __future__ import annotations

from typing import Any

from controller.table.game import Game
from controller.table.lifecycle import TableLifecycle
from controller.table.orders.order import GivenKeys, OrderRefused, Verb, not_one_of
from controller.table.phase import SETTLING
from controller.table.recent import Ruling
from feed import events
from feed.events import Verdict


def confirm(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """The dealer calls an unresolved round: one of its candidates is the result."""
    game = lifecycle.game
    ruling = _round(game, "confirm", given)
    if ruling.stands.verdict != "unresolved":
        raise OrderRefused(
            f"confirm: round {ruling.round} is not unresolved: it is {game.verdict_words(ruling.stands)}"
        )
    result = _result(game, "confirm", given, ruling)
    if game.name_of(result) not in [game.name_of(one) for one in ruling.candidates]:
        if not ruling.candidates:
            raise OrderRefused(f"confirm: round {ruling.round} has no candidate; void it, or a supervisor corrects it")
        names = [game.name_of(one) for one in ruling.candidates]
        key = game.names_result_by
        raise OrderRefused(f"confirm: {not_one_of(key, given[key], names)}, the candidates of round {ruling.round}")
    to = Verdict(verdict="outcome", result=result)
    return _rule(lifecycle, t_ns, ruling, to, given["by"], given.get("why", ""), confirmed=True)


def correct(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """A supervisor changes the result of one of the last rounds, or makes it void, or gives a void one its result."""
    game = lifecycle.game
    ruling = _round(game, "correct", given)
    key, reason = game.names_result_by, given.get("reason", "")
    if (key in given) == ("reason" in given):
        raise OrderRefused(f"correct: give {key}=… for a result, or reason=… to make the round void")
    if key in given:
        to = Verdict(verdict="outcome", result=_result(game, "correct", given, ruling))
    elif reason in game.void_reasons:
        to = Verdict(verdict="void", reason=reason)
    else:
        raise OrderRefused(f"correct: {not_one_of('reason', reason, game.void_reasons)}")
    if to == ruling.stands:
        raise OrderRefused(f"correct: round {ruling.round} is {game.verdict_words(to)} already")
    against = game.ruling_refused(ruling, to)
    if against is not None:
        raise OrderRefused(f"correct: {against}")
    return _rule(lifecycle, t_ns, ruling, to, given["by"], given["why"])


def dispute(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int) -> str:
    """Somebody disputes one of the last rounds: its capture is kept, and its verdict stands."""
    game = lifecycle.game
    if game.undecided and given.get("round") == str(game.round):
        raise OrderRefused(f"dispute: round {game.round} has no verdict yet: wait for it")
    ruling = _round(game, "dispute", given)
    by, why = given["by"], given.get("why", "")
    game.report(events.RoundDisputed, t_ns, round=ruling.round, by=by, stands=ruling.stands, why=why)
    return f"round {ruling.round} is disputed: {game.verdict_words(ruling.stands)} stands"


def uncalled(game: Game, given: GivenKeys) -> Ruling | None:
    """The round with a verdict to which a void applies: the one named, or the last one while it is being settled.

    It is unresolved; or its game allows a void for that reason until it is settled.

    Raises:
        OrderRefused: the round that is named is neither.
    """
    last = game.recent.last if game.phase is SETTLING else None
    if "round" not in given:
        return last if last is not None and _may_be_void(game, last, given) else None
    ruling = _round(game, "void", given)
    if not (_may_be_void(game, ruling, given) if ruling == last else ruling.stands.verdict == "unresolved"):
        raise OrderRefused(
            f"void: round {ruling.round} is {game.verdict_words(ruling.stands)}; a supervisor corrects it"
        )
    return ruling


def _may_be_void(game: Game, ruling: Ruling, given: GivenKeys) -> bool:
    if ruling.stands.verdict == "outcome":
        return game.still_voids(given.get("reason", "dealer_call"))
    return ruling.stands.verdict == "unresolved"


def call_void(lifecycle: TableLifecycle, given: GivenKeys, t_ns: int, ruling: Ruling, reason: str) -> str:
    """The dealer calls a round void that has its verdict and is not settled: it had no result."""
    to = Verdict(verdict="void", reason=reason)
    open_still = ruling.stands.verdict == "unresolved"
    return _rule(lifecycle, t_ns, ruling, to, given.get("by", "dealer"), given.get("why", ""), confirmed=open_still)


def _round(game: Game, verb: str, given: GivenKeys) -> Ruling:
    """The round that is named, or the last one with a verdict."""
    named = given.get("round")
    if named is None:
        last = game.recent.last
        if last is None:
            raise OrderRefused(f"{verb}: {game.recent.span}")
        return last
    if not (named.isascii() and named.isdecimal() and len(named) <= 18):
        raise OrderRefused(f"{verb}: round {named!r} is no number")
    found = game.recent.of(int(named))
    if found is None:
        raise OrderRefused(f"{verb}: round {named} cannot be recalled: {game.recent.span}")
    return found


def _result(game: Game, verb: str, given: GivenKeys, ruling: Ruling) -> dict[str, Any]:
    """The result that the command names."""
    key = game.names_result_by
    if key not in given:
        raise OrderRefused(f"{verb}: {key} must be given")
    try:
        return game.result_in(ruling.round, given[key])
    except ValueError as error:
        raise OrderRefused(f"{verb}: {error}") from error


def _rule(
    lifecycle: TableLifecycle, t_ns: int, ruling: Ruling, to: Verdict, by: str, why: str, *, confirmed: bool = False
) -> str:
    game = lifecycle.game
    winning, notices = ([], []) if to.result is None else game.pays_in(ruling.round, to.result)
    game.report(
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
    game.ruled(t_ns, ruling._replace(stands=to))
    leaves = f"; {game.ruling_leaves}" if game.ruling_leaves else ""
    return f"round {ruling.round} is {game.verdict_words(to)}, and was {game.verdict_words(ruling.stands)}{leaves}"


VERBS = (
    Verb("confirm", confirm, needs=("by",), takes=("round", "why"), takes_result=True),
    Verb("correct", correct, needs=("round", "by", "why"), takes=("reason",), takes_result=True),
    Verb("dispute", dispute, needs=("by",), takes=("round", "why")),
)
