"""What happened in the rounds of the conformance suite, in words, and which other verdicts the wires leave open.

Of a wheel that a hand turns `added.py` has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from controller.conformance.captures import RightVerdict


class Told(NamedTuple):
    """What is known of a round beside the verdict."""

    text: str
    """What happened."""
    also: Sequence[RightVerdict] = ()
    """Verdicts that are right too."""
    why: str = ""
    """Why the wires leave more than one verdict open."""
    absent: Sequence[str] = ()
    """Fields that the result of its outcome must not have."""


def _unresolved(reason: str) -> RightVerdict:
    return RightVerdict(verdict="unresolved", reason=reason)


FINE: Final = Told("Nothing goes wrong.")
EDGES_LOST: Final = (_unresolved("edges_lost"),)
UNPLUGGED: Final = (
    "The lines are reported unplugged: that they are off, and that their changes are lost, are both true."
)
CARD_UNNAMED: Final = (
    "Two things show it: a card passes the barriers and no line names it, and the shoe counts more cards than it "
    "named. Which is found first depends on how long a decoder waits for the line."
)
CABLE: Final = Told("The shoe's cable comes out while cards are dealt, and is put back.")


def _spin(revolutions: float) -> Told:
    return Told(f"A spin of {revolutions:g} revolutions after the call.")


def _called_by_moving(revolutions: float) -> Told:
    return Told(f"A spin of {revolutions:g} revolutions; its beginning is the call.")


def _ball(revolutions: str, pocket: str) -> Told:
    return Told(
        f"The ball runs {revolutions} revolutions against the rotor, comes to rest in {pocket}, and is read there."
    )


def _short(revolutions: str) -> Told:
    return Told(f"The ball runs {revolutions} revolutions against the rotor, and passes no sensor after that.")


SPUN_BEFORE: Final = Told("The wheel is spun, and has made half a turn before any call.")
PULSE: Final = Told(
    "One pulse of one line of the encoder is lost, and nothing reports it: the index crosses four counts from where a "
    "turn ends.",
    EDGES_LOST,
    "The index shows that the count is wrong, and the times of the counts may show where: whether they do depends on "
    "what a decoder takes for a gap.",
)

ROUNDS: Final[Mapping[str, Sequence[Told]]] = {
    "money_wheel_mixed": [
        _spin(4.46),
        Told("Before it comes to rest, the wheel turns back by more than one and a half spaces."),
        Told("A spin of 1.8 revolutions after the call."),
        SPUN_BEFORE,
        _spin(4.9),
        Told("A spin of 3.02 revolutions after the call: 7 degrees more than three."),
        Told("A spin of 2.965 revolutions after the call: 13 degrees less than three."),
        SPUN_BEFORE,
        _spin(3.05),
        Told("A spin of 2.97 revolutions after the call: 12 degrees less than three."),
        _spin(4.06),
    ],
    "money_wheel_no_button": [
        _called_by_moving(4.21),
        Told("Before it comes to rest, the wheel turns back by more than one and a half spaces."),
        _called_by_moving(5.99),
        _called_by_moving(6.88),
        _called_by_moving(6.72),
    ],
    "money_wheel_hands": [
        Told("After the call the dealer draws the wheel back by less than half a turn, waits, and spins it."),
        Told("A spin of 3.07 revolutions after the call: 25 degrees more than three."),
        Told("A hand turns the spinning wheel back by more than one and a half spaces."),
        Told("The call is made when the wheel has already made half a turn."),
        Told("The wheel comes to rest with its indicator at a peg, between two spaces."),
    ],
    "money_wheel_limit": [
        Told("A spin of 3.01 revolutions after the call: 4 degrees more than three."),
        Told("A spin of 2.9875 revolutions after the call: 4 degrees less than three."),
    ],
    "money_wheel_merged": [
        FINE,
        Told("One edge of A after the last index is missing: the line takes one level twice, and nothing reports it."),
    ],
    "money_wheel_lost": [
        FINE,
        Told("Two edges of A are lost after the last index, and reported: no space is proven."),
        Told(
            "Two edges of A are lost in the first turn, and reported: the index then crosses four counts from where a "
            "turn ends, which the loss explains."
        ),
    ],
    "money_wheel_slip": [
        FINE,
        Told(
            "The encoder slips on its shaft, and the times of the counts have no gap: the index crosses 28 counts from "
            "where a turn ends."
        ),
        FINE,
    ],
    "money_wheel_pulse": [PULSE, FINE, PULSE],
    "money_wheel_joined": [Told("The wheel turns already at the first value of the capture."), FINE],
    "money_wheel_pegs": [
        Told("A spin of 7.4 revolutions, as pegs count them: they do not show whether it turned back."),
        Told(
            "From the last crossing of the index in the spin before to the first in this one 98 pegs pass, of 50 in a "
            "turn: a crossing was missed, or the wheel turned the other way."
        ),
        Told(
            "A spin of two revolutions. As the wheel comes to rest the index crosses three times, and no peg passes "
            "between: the wheel rocks, or the index has slipped.",
            [RightVerdict(verdict="void", reason="wheel_revolutions")],
            "Pegs do not distinguish a wheel that rocks at its index from an index that slips; and fewer than three "
            "revolutions were made either way.",
        ),
    ],
    "roulette_mixed": [
        _short("1 1/3"),
        _ball("11 1/3", "33"),
        _short("2 2/3"),
        _ball("exactly four", "13"),
        _ball("14", "00"),
        Told("The ball runs 3 2/3 revolutions against the rotor, one sensor short of four, and passes no other."),
        _ball("10 1/3", "19"),
        _ball("exactly four", "15"),
        Told("The ball runs the way that the rotor turns."),
    ],
    "roulette_double_zero_as_single": [
        _ball("9 2/3", "25"),
        _ball("7 2/3", "20"),
        _ball("8", "5"),
        Told("The ball comes to rest in 00, on a wheel that is used as a single-zero wheel."),
        _ball("15", "31"),
        _ball("9 1/3", "14"),
    ],
    "roulette_real_laps_a": [_ball("12 2/3", "0")],
    "roulette_real_laps_b": [_ball("19 2/3", "7")],
    "roulette_hands": [
        Told("The ball runs the way that the rotor turns."),
        Told("A hand takes the fast ball from its track after 2 2/3 revolutions."),
        Told("The ball is spun while the rotor turns at less than one revolution a minute: it has no direction."),
        Told("After ten revolutions the ball flies off its track, and is seen in no pocket."),
    ],
    "roulette_objects": [
        Told("Something falls into the wheel while the ball runs, and interrupts the object beam."),
        Told("A second ball runs on the track: sensors have passes that one ball cannot make."),
        Told("A track sensor misses one pass of the ball, and the other passes leave one explanation."),
    ],
    "automatic_roulette": [
        FINE,
        Told("The wheel reports that the ball runs with the rotor (flag 2)."),
        Told("The wheel reports that it has lost the ball (flag 1), and closes without a number."),
        Told("The number that the wheel sends bare is not that of its status."),
    ],
    "skill_stop_reel": [
        FINE,
        Told("Reel 2 sticks during the play, which shuts the machine; it is freed, and the play is completed."),
    ],
    "skill_stop_video": [
        FINE,
        Told("Something is on the touch panel before the play, which shuts the machine; it is taken away."),
    ],
    "token_pusher": [
        FINE,
        Told("Something blocks the shelf during the play, which shuts the machine; it is removed, and play continues."),
    ],
    "cage_level_cage_too_few_inversions": [Told("The cage is inverted once.")],
    "cage_pulse_cage_rocked": [FINE, Told("The cage is rocked to and fro, and is never the other way up.")],
    "cage_encoder_cage_askew": [Told("The cage is let go on its side, 71 degrees from the nearer way up.")],
    "cage_motor_motor_jams": [Told("The motor is commanded to turn the cage, and something blocks the cage.")],
    "chute_reader_disagrees": [Told("1-2 is keyed, and the reading board reads 1-3.")],
    "reader_frames_7a_reader_not_recognised": [
        Told(
            "The reading board reports values before the cage is known to be at rest, and no movement before them: it "
            "joined in mid-throw."
        ),
        Told(
            "The reading board does not recognise a die (status 00), and gives no values.",
            [_unresolved("reader_doubt")],
            "That a die is not recognised is a doubt of the board; it is also why the board gives no values in time.",
        ),
    ],
    "reader_state_words_reader_board_fault": [FINE, Told("The reading board reports that it is at fault (S90).")],
    "sic_bo_hand_lamp_garbled": [
        FINE,
        Told("At the call the lit areas are read back, and the answer has a byte too few."),
    ],
    "sic_bo_toss_lines_automated_shaker_stops_early": [FINE, Told("The automated shaker begins to toss, and stops.")],
    "sic_bo_toss_serial_automated_shaker_garbled": [
        FINE,
        Told("The automated shaker answers with a frame of which the sum is wrong."),
    ],
    "craps_reader_changes_its_mind": [
        FINE,
        Told("The reading board reads 2-6 for three seconds, and then 2-2, with no movement between."),
    ],
    "baccarat_card_returned": [Told("The third card is pushed back into the shoe after it has left it.")],
    "red_dog_third_card_exposed": [
        Told(
            'A third card is drawn and exposed before "Raises closed". The dealer has it discarded, and deals another.'
        )
    ],
    "blackjack_line_lost": [
        Told(
            "The second card passes the barriers, and the shoe's line of it is lost.",
            [_unresolved("card_unread")],
            CARD_UNNAMED,
        )
    ],
    "multi_action_shoe_empty": [Told("The shoe reports that it is empty before the round is complete.")],
    "caribbean_stud_hand_misdealt": [
        Told("A player is dealt a card too many, and the dealer reports it with the order `misdeal hand=1`.")
    ],
    "let_it_ride_dead_barrier": [
        Told("The outer barrier does not change as cards pass it: the shoe names a card that no barrier saw leave.")
    ],
    "caribbean_stud_stacks_short_stack": [Told("The automated shoe gives a stack of three cards, of five.")],
    "blackjack_double_both_compartments": [Told("The gates of both compartments are open at once.")],
    "blackjack_shuffling_card_added": [
        Told(
            "All hands are dealt from a shoe that reads no card, so that the outcome names none. After it a card too "
            "many is put back, which shuts the table.",
            absent=["dealer"],
        )
    ],
    "red_dog_tokens_line_corrupted": [
        Told(
            "The shoe's line of a card arrives with a wrong checksum.",
            [_unresolved("card_count")],
            CARD_UNNAMED,
        )
    ],
    "joker_seven_cable_pulled": [CABLE],
    "cage_level_rounds": [
        FINE,
        Told('The dice are tumbled, and nobody calls "no more bets".'),
        Told("A die is not flat, and the dealer calls the round void for it with the order `void`."),
        Told(
            "The dice come to rest; somebody knocks at the cage before their values are entered, and they move again."
        ),
        Told("The cable of the cage comes out, and is put back.", EDGES_LOST, UNPLUGGED),
        FINE,
    ],
    "cage_encoder_rounds": [
        FINE,
        Told(
            "One pulse of a line of turning is lost: nobody knows whether the cage was inverted twice or three times."
        ),
        Told("The cable of the cage comes out, and is put back.", EDGES_LOST, UNPLUGGED),
    ],
    "cage_motor_rounds": [
        Told("The motor is stopped, and its shaft still turns after 2 s."),
        Told("Changes of one key are lost, and reported; the values are keyed again."),
    ],
    "chute_rounds": [
        FINE,
        Told("A die goes round the third baffle: its beam sees one die of two."),
        Told("Two dice fall as one: each beam sees one pass, of two."),
        Told("Something else falls after the dice: each beam sees three passes, of two."),
        Told("A die sticks in the third beam, which stays broken for 2 s."),
        Told("The first beam sees one die of two, as if the other had gone round its baffle."),
        Told("The cable of the chute comes out, and is put back.", EDGES_LOST, UNPLUGGED),
        FINE,
    ],
    "reader_frames_7a_rounds": [
        FINE,
        Told("A frame of the reading board has a wrong sum, and no other names the values in time."),
        Told("The dice come to rest and are read twice alike; somebody knocks at the cage 0.7 s later."),
        Told("The cable of the cage comes out, and is put back.", EDGES_LOST, UNPLUGGED),
    ],
    "baccarat_rounds": [
        FINE,
        Told("The shoe reports that it cannot read the third card."),
        Told("A card follows while the one before it still covers the barriers: the shoe names one too many."),
        Told("The dealer draws a card before the call."),
        CABLE,
        Told("A card sticks in the mouth of the shoe, and the shoe reports a jam."),
        Told(
            "The second card passes the barriers, and the shoe's line of it is lost.",
            [_unresolved("card_unread")],
            CARD_UNNAMED,
        ),
        FINE,
    ],
    "blackjack_rounds": [
        FINE,
        Told("The shoe cannot read a card of a player, which the outcome does not name."),
        Told(
            "Every player draws too much, and the dealer discards the dealer's cards unseen: the outcome names none.",
            absent=["dealer"],
        ),
        CABLE,
        Told("The lid of the shoe is opened while cards are dealt."),
    ],
    "caribbean_stud_rounds": [
        FINE,
        Told("A card of another deck is in the shoe: one card leaves twice since the shuffle, of one deck."),
        Told("The dealer is dealt a wrong number of cards, and reports it with an order."),
        CABLE,
    ],
    "let_it_ride_rounds": [
        FINE,
        Told("A card follows while the one before it still covers the barriers: the shoe names one too many."),
        Told(
            "The shoe sends nothing for 3.5 s, while two cards pass its barriers.",
            [_unresolved("card_unread")],
            "The link is silent for longer than it may be, and cards pass that no line names: both are true.",
        ),
        CABLE,
    ],
    "joker_seven_rounds": [
        FINE,
        Told("The dealer draws cards before the call."),
        Told("The shoe loses its power for a moment while cards are dealt, and counts from nought again."),
    ],
    "multi_action_rounds": [
        FINE,
        Told("A card that has left the shoe is pushed into it, and drawn again."),
        CABLE,
    ],
    "roulette_rounds": [
        Told(
            "A hand turns the rotor back while the ball runs.",
            [RightVerdict(verdict="void", reason="rotor_not_turning")],
            "A rotor that is turned back stops before it: both are true of it.",
        ),
        Told(
            "The cable of the wheel comes out while the rotor turns and the ball runs, and is put back.",
            EDGES_LOST,
            UNPLUGGED,
        ),
    ],
}

SHOWS: Final[Mapping[str, str]] = {
    "money_wheel_no_button": "Valid spins and one that is reversed, without a button: the call is made when the wheel "
    "moves.",
    "money_wheel_lost": "A valid spin; a spin that loses edges after the last index, so that no space is proven; a "
    "spin that loses edges in its first turn, so that the index contradicts the count. Both losses are reported.",
    "automatic_roulette": "A spin; the flag of a ball that runs with the rotor; a lost ball; two different numbers.",
    "skill_stop_reel": "A play; a reel that sticks during another.",
    "skill_stop_video": "A play; something on the touch panel before another.",
    "token_pusher": "A play; a shelf that is blocked during another.",
    "cage_level_cage_too_few_inversions": "A cage that is inverted once.",
    "cage_pulse_cage_rocked": "A tumble; a cage that is rocked alone.",
    "cage_encoder_cage_askew": "A cage that comes to rest on its side.",
    "cage_motor_motor_jams": "A motor that is blocked.",
    "chute_reader_disagrees": "A keypad and a reading board that name different values.",
    "reader_frames_7a_reader_not_recognised": "A reading board that joined in mid-throw; one that does not recognise "
    "a die.",
    "reader_state_words_reader_board_fault": "A tumble; a reading board that reports a fault.",
    "sic_bo_hand_lamp_garbled": "A game; lit areas that read back wrong.",
    "sic_bo_toss_lines_automated_shaker_stops_early": "A game; an automated shaker, sensed by lines, that stops at "
    "once.",
    "sic_bo_toss_serial_automated_shaker_garbled": "A game; an automated shaker with a damaged answer.",
    "craps_reader_changes_its_mind": "A roll; a reading board that reads one value, and then another.",
    "baccarat_card_returned": "A card that is pushed back into the shoe.",
    "red_dog_third_card_exposed": 'A third card that is exposed before "Raises closed".',
    "blackjack_line_lost": "A line of the shoe that is lost.",
    "multi_action_shoe_empty": "A shoe that is empty too early.",
    "caribbean_stud_hand_misdealt": "A player with a card too many.",
    "let_it_ride_dead_barrier": "A barrier that sees nothing.",
    "caribbean_stud_stacks_short_stack": "An automated shoe that gives too few cards.",
    "blackjack_double_both_compartments": "A double shoe with both compartments open.",
    "blackjack_shuffling_card_added": "A continuous shuffling shoe, into which a card too many is put afterwards.",
    "red_dog_tokens_line_corrupted": "A line of the shoe with a wrong checksum.",
    "joker_seven_cable_pulled": "A shoe of which the cable comes out.",
    "cage_level_rounds": "Rounds of one table: a tumble without a call, a die that is not flat, a knock at the dice "
    "at rest, a cable that comes out.",
    "cage_encoder_rounds": "Rounds of one table: a pulse that is lost, a cable that comes out.",
    "cage_motor_rounds": "Rounds of one table: a motor that runs on, changes of a key that are lost.",
    "chute_rounds": "Rounds of one table: a baffle that is missed, dice together, something else that falls, a die "
    "that sticks, a beam that misses one, a cable that comes out.",
    "reader_frames_7a_rounds": "Rounds of one table: a wrong sum, a knock after the reading, a cable that comes out.",
    "baccarat_rounds": "Rounds of one table: a card that is not read, two cards at once, a card before the call, a "
    "cable that comes out, a jam, a line that is lost.",
    "blackjack_rounds": "Rounds of one table: a card that is not read, players who all bust, a cable that comes out, "
    "a lid that is opened.",
    "caribbean_stud_rounds": "Rounds of one table: a card that leaves twice, a misdeal to the dealer, a cable that "
    "comes out.",
    "let_it_ride_rounds": "Rounds of one table: two cards at once, a silent link, a cable that comes out.",
    "joker_seven_rounds": "Rounds of one table: cards before the call, a shoe that restarts.",
    "multi_action_rounds": "Rounds of one table: a card that is pushed back into the shoe, a cable that comes out.",
    "roulette_rounds": "Rounds of one table: a rotor that is turned back, a cable that comes out.",
}
"""What a capture shows, where its source does not have it."""

MEANINGS: Final[Mapping[str, str]] = {
    "lamps_failed_before_reveal": "a lit area is dead or stuck, or the areas do not read back, before the dice were "
    "seen",
    "shoe_empty": "the shoe gives no card: none is left",
    "shoe_jam": "the shoe gives no card: one is stuck in it or before its mouth",
    "shoe_open": "the shoe gives no card: its lid is open",
}
"""What a reason means, where the page of reasons has it together with another."""
