"""The verdicts of the conformance suite: what else than the right one does not pass, and that its words explain it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
import pytest

from controller.conformance.captures import Capture, RightVerdict, suite
from controller.conformance.copies import Copy, copies
from controller.conformance.judge import Kind
from controller.conformance.ours import answers
from hal.clock import NS_PER_S
from tests.conformance.in_process import Decoder, event, judged

SUITE: Final = suite()
CAPTURES: Final = {capture.name: capture for capture in SUITE.captures}
VERDICTS: Final = tuple(f"feltwire.round.{kind}.v1" for kind in ("outcome", "void", "unresolved"))
HAND: Final = {"dealer": {"cards": ["As", "Ks"], "total": 21, "blackjack": True}}
ASKED: Final = ("dealer_call", "ball_left_wheel", "dice_not_flat", "dealer_misdeal", "hand_misdealt")
"""Reasons that a person gives."""


def saying(number: int, verdict: str, **data: Any) -> Decoder:
    """Our own decoder, with another verdict of one round."""

    def decoder(lines: Iterable[str]) -> Iterator[bytes]:
        for line in answers(lines):
            answer = msgspec.json.decode(line)
            is_it = answer.get("type") in VERDICTS and answer["data"]["round"] == number
            yield event(verdict, round=number, **data) if is_it else line

    return decoder


@pytest.mark.parametrize(
    ("name", "number", "verdict", "reason"),
    [
        ("automatic_roulette", 2, "unresolved", "ball_direction"),
        ("automatic_roulette", 3, "void", "sensor_stuck"),
        ("automatic_roulette", 4, "void", "ball_direction"),
        ("chute_reader_disagrees", 1, "void", "sensor_stuck"),
        ("chute_rounds", 6, "unresolved", "edges_lost"),
        ("craps_reader_changes_its_mind", 2, "void", "dealer_call"),
        ("roulette_hands", 2, "void", "dealer_call"),
        ("roulette_hands", 4, "void", "ball_left_wheel"),
        ("roulette_objects", 2, "unresolved", "no_number_read"),
        ("roulette_rounds", 2, "void", "ball_left_wheel"),
        ("baccarat_rounds", 3, "void", "dealer_call"),
        ("let_it_ride_rounds", 2, "void", "dealer_call"),
        ("joker_seven_cable_pulled", 1, "unresolved", "edges_lost"),
        ("money_wheel_slip", 2, "void", "indicator_between_spaces"),
        ("reader_frames_7a_rounds", 3, "unresolved", "dice_disturbed"),
        ("sic_bo_hand_lamp_garbled", 2, "void", "dealer_call"),
        ("blackjack_rounds", 2, "unresolved", "card_unread"),
    ],
)
def test_a_refusal_that_the_wires_do_not_leave_open_does_not_pass(
    name: str, number: int, verdict: str, reason: str
) -> None:
    (found,) = judged(CAPTURES[name], saying(number, verdict, reason=reason))
    assert (found.round, found.kind) in {(number, Kind.WRONG_VERDICT), (number, Kind.WRONG_REASON)}, str(found)


@pytest.mark.parametrize(("reported", "reason"), [(True, "sensor_missing"), (False, "rotor_not_turning")])
def test_a_cable_that_is_reported_as_off_is_no_rotor_that_stands(reported: bool, reason: str) -> None:
    lines = [one for one in CAPTURES["roulette_rounds"].lines() if reported or not one.startswith("lost ")]
    given = [msgspec.json.decode(line) for line in answers(lines)]
    assert [one["data"]["reason"] for one in given if one.get("type") in VERDICTS] == ["rotor_reversed", reason]


@pytest.mark.parametrize(("name", "number"), [("blackjack_shuffling_card_added", 1), ("blackjack_rounds", 3)])
def test_a_hand_that_nobody_saw_does_not_pass(name: str, number: int) -> None:
    (found,) = judged(CAPTURES[name], saying(number, "outcome", result=HAND))
    assert (found.round, found.kind) == (number, Kind.WRONG_RESULT)
    assert "expected outcome {} without dealer, got outcome " in str(found)
    assert judged(CAPTURES[name], saying(number, "outcome", result={"players": 4})) == []


def guessing(capture: Capture) -> Decoder:
    """Our own decoder, which has each void verdict from elsewhere, and gives it as soon as the round is open."""
    voids = {one.round: one.accepted[0].reason for one in capture.rounds if one.accepted[0].verdict == "void"}

    def decoder(lines: Iterable[str]) -> Iterator[bytes]:
        opened_ns: dict[int, int] = {}
        for line in answers(lines):
            answer = msgspec.json.decode(line)
            number = answer.get("data", {}).get("round")
            if "until" in answer:
                for one in [one for one, t_ns in opened_ns.items() if t_ns + 1 < answer["until"]]:
                    del opened_ns[one]
                    yield event("void", round=one, reason=voids[one])
            elif answer["type"] == "feltwire.round.opened.v1" and number in voids:
                opened_ns[number] = answer["data"]["mono_ns"]
            if not (answer.get("type") in VERDICTS and number in voids):
                yield line

    return decoder


def knowing(capture: Capture, number: int, t_ns: int) -> Decoder:
    """Our own decoder, which has the void verdict of one round from an earlier value on, and is asked at its time."""
    reason = capture.rounds[number - 1].accepted[0].reason

    def decoder(lines: Iterable[str]) -> Iterator[bytes]:
        for line in answers(lines):
            answer = msgspec.json.decode(line)
            if answer.get("until") == t_ns:
                yield event("void", round=number, reason=reason)
            if not (answer.get("type") in VERDICTS and answer["data"]["round"] == number):
                yield line

    return decoder


@pytest.mark.parametrize(
    ("name", "number", "t_us"),
    [
        ("roulette_mixed", 9, 351_685_272),
        ("roulette_hands", 1, 11_370_823),
        ("roulette_hands", 3, 114_563_352),
        ("roulette_double_zero_as_single", 4, 166_046_230),
        ("baccarat_rounds", 4, 84_532_153),
        ("joker_seven_rounds", 2, 47_198_754),
        # The second pass, of which the width shows how fast the ball is.
        ("roulette_mixed", 9, 351_406_013),
        # The first pass that the ball cannot have made.
        ("roulette_objects", 2, 72_903_274),
        # The first turn of the rotor with the ball at rest.
        ("roulette_double_zero_as_single", 4, 158_846_230),
    ],
)
def test_a_void_verdict_may_come_at_an_earlier_value_that_proves_it(name: str, number: int, t_us: int) -> None:
    capture, t_ns = CAPTURES[name], 1000 * t_us
    assert judged(capture, knowing(capture, number, t_ns), Copy(asked_ns=frozenset({t_ns}))) == []


@pytest.mark.parametrize(
    ("name", "number", "t_us"),
    [
        ("roulette_mixed", 9, 351_406_013),
        ("roulette_hands", 3, 114_563_352),
        ("roulette_hands", 2, 78_481_138),
        ("baccarat_rounds", 4, 84_451_625),
        ("blackjack_rounds", 5, 159_926_147),
        ("money_wheel_bounds", 4, 49_448_800),
    ],
)
def test_a_void_verdict_is_a_guess_up_to_the_beginning_of_what_proves_it(name: str, number: int, t_us: int) -> None:
    # A pass, the second or the last; a barrier that is covered; a lid that opens; a count of an encoder.
    capture, t_ns = CAPTURES[name], 1000 * t_us
    at_it, before = (Copy(asked_ns=frozenset({time_ns})) for time_ns in (t_ns, t_ns - 1))
    assert judged(capture, knowing(capture, number, t_ns), at_it) == []
    (found,) = judged(capture, knowing(capture, number, t_ns - 1), before)
    assert found.kind is Kind.EARLY
    at_s = f"{t_ns / NS_PER_S:.9f}".rstrip("0")
    assert str(found).endswith(f" at {at_s} s or later, got it before"), str(found)


OF_VOIDS: Final = [one for one in SUITE.captures if any(r.accepted[0].verdict == "void" for r in one.rounds)]


@pytest.mark.long
@pytest.mark.parametrize("capture", OF_VOIDS, ids=[one.name for one in OF_VOIDS])
def test_a_void_verdict_that_is_given_when_the_round_opens_is_a_guess(capture: Capture) -> None:
    voids = [one.round for one in capture.rounds if one.accepted[0].verdict == "void"]
    for seed in (1, 2, 3):
        whole = next(copies(capture, capture.lines(), seed))
        found = judged(capture, guessing(capture), whole)
        assert sorted(one.round or 0 for one in found if one.kind is Kind.EARLY) == voids, [str(one) for one in found]


def test_a_reason_that_a_person_gives_is_right_only_where_one_gave_it() -> None:
    for capture in SUITE.captures:
        orders = [line for line in capture.lines() if line.startswith("command ")]
        for one in capture.rounds:
            if any(verdict.reason in ASKED for verdict in one.accepted):
                assert [line for line in orders if re.search(r" (void|misdeal) ", line)], (capture.name, one.round)


def test_where_more_than_one_verdict_is_right_a_sentence_states_why() -> None:
    both = []
    for capture in SUITE.captures:
        for one in capture.rounds:
            assert bool(one.why) == (len(one.accepted) > 1), (capture.name, one.round)
            assert len(one.accepted) <= 2, (capture.name, one.round)
            if len({verdict.verdict for verdict in one.accepted}) > 1:
                both.append((capture.name, one.round))
    assert both == [("money_wheel_pegs", 3)]


def test_each_round_and_each_reason_has_words_of_its_own() -> None:
    assert len(set(SUITE.reasons.values())) == len(SUITE.reasons)
    for meaning in SUITE.reasons.values():
        assert not meaning.startswith("the same"), meaning
    for capture in SUITE.captures:
        assert "imulator" not in capture.shows, capture.shows
        for one in capture.rounds:
            assert one.text.endswith("."), one.text
            assert not re.match(r"[a-z_]+: |A valid run|The same", one.text), one.text
            if one.accepted[0].verdict != "outcome":
                assert one.text != "Nothing goes wrong.", (capture.name, one.round)
            assert not set(re.findall(r"\w+", one.text)) & {r for r in SUITE.reasons if "_" in r}, one.text


def test_a_verdict_names_what_its_result_must_not_have() -> None:
    assert str(RightVerdict(verdict="outcome", result={"a": 1}, absent=["b", "c"])) == 'outcome {"a":1} without b, c'
