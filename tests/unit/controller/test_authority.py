"""Who may send what: every role, class of operator, command and game."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import pytest

from controller.games.catalogue import GAME, ORDERS
from controller.table.authority import authorities, may
from feed.allow_list import ROLES


class Who(NamedTuple):
    name: str
    role: str
    operator_class: str | None


CRAPS = {"pass_dice", "change_dice", "roll_for_come", "line_wager"}
CARDS = {"new_shoe", "excess_card", "announce", "face_up_card", "new_dealer", "hands", "misdeal", "all_bust"}
ANY_CLASS = {"dispute"}
DEALERS = {"no_more_bets", "settle", "void", "confirm", *CRAPS, *CARDS}
SHAKERS = {"operate_shaker", "shift_begins", "dice_placed", "shaker_removed", "shaker_placed", "settle_attended"}
MACHINES = {"hand_pay", "reconcile", "settle_debt"}
STACKS = {"break_up", "reshuffle", "shuffler_removed", "shuffler_placed", "progressive_pay"}
SUPERVISORS = {"open", "close", "clear", "correct", "inspect_pass", "quit", *SHAKERS, *STACKS, *MACHINES}
TRIALS = {"test_begin", "test_end", "recall_begin", "recall_end"}
TECHNICIANS = {"inspect_start", "inspect_fail", "inspect_dice", "lamp_test", *TRIALS}
GAMES = ("money_wheel", "roulette", "craps")


def allowed(role: str, operator_class: str | None, verb: str, game: str) -> bool:
    """The same in other words: who may send what."""
    if verb in TECHNICIANS:
        return role in ("technician", "supervisor")
    if verb in SUPERVISORS:
        return role == "supervisor" and operator_class == "A"
    if role not in ("dealer", "supervisor"):
        return False
    if verb in ANY_CLASS:
        return True
    return operator_class == "A" or (operator_class == "B" and game == "money_wheel")


@pytest.mark.parametrize("verb", sorted(authorities()))
def test_everybody_may_send_what_the_rules_let_them(verb: str) -> None:
    for role, operator_class, game in product((*ROLES, "cleaner", ""), ("A", "B", None, ""), GAMES):
        why_not = may(Who("kim", role, operator_class), verb, game)
        assert (why_not is None) == allowed(role, operator_class, verb, game), (role, operator_class, game, why_not)


def test_every_order_of_a_table_has_its_authority_and_the_service_has_quit() -> None:
    assert set(authorities()) == {*ORDERS, "quit"} == DEALERS | SUPERVISORS | TECHNICIANS | ANY_CLASS


def test_a_read_only_key_sends_nothing() -> None:
    assert all(may(Who("board", "read-only", "A"), verb, "money_wheel") for verb in authorities())


def test_g5_a_class_b_dealer_at_roulette_is_told_the_rule() -> None:
    assert may(Who("bob", "dealer", "B"), "no_more_bets", "roulette") == (
        "no_more_bets: only a Class A operator may operate roulette (13:47-20.2, 20.9(d)), and bob has Class B"
    )


def test_a_class_b_operator_supervises_nothing() -> None:
    assert may(Who("bob", "supervisor", "B"), "open", "money_wheel") == (
        "open: only a Class A operator may supervise money_wheel (13:47-20.2), and bob has Class B"
    )


def test_a_refusal_names_the_role_that_is_needed() -> None:
    why_not = may(Who("bob", "dealer", "A"), "open", "roulette")
    assert why_not == "open needs the role supervisor, and bob has the role dealer"


def test_an_unknown_command_is_refused() -> None:
    why_not = may(Who("ann", "supervisor", "A"), "juggle", "roulette")
    assert why_not is not None
    assert why_not.startswith("there is no command 'juggle'; the commands here are no_more_bets")


@pytest.mark.parametrize("game", ["roulette", "craps"])
def test_an_unknown_command_is_refused_with_those_of_the_game_alone(game: str) -> None:
    why_not = may(Who("ann", "supervisor", "A"), "juggle", game, verbs=GAME[game].order_names)
    assert why_not == f"there is no command 'juggle'; the commands here are {', '.join(GAME[game].order_names)}"
    assert ("pass_dice" in why_not) == (game == "craps")


def test_a_game_or_a_profile_without_a_text_is_class_as() -> None:
    for game, rules in (("craps", "njac-13:47-20"), ("roulette", "njac-19:47"), ("roulette", "nowhere")):
        assert may(Who("ann", "dealer", "A"), "void", game, rules) is None
        assert may(Who("bob", "dealer", "B"), "void", game, rules) is not None


def test_a_misspelt_command_is_refused_with_the_nearest_one() -> None:
    assert may(Who("ann", "supervisor", "A"), "setle", "roulette") == (
        "there is no command 'setle'; did you mean \"settle\"?"
    )
