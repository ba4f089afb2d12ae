"""The words of fixed sets that events carry: states, phases, verdicts, and the codes of reasons, faults and warnings.

Codes are never renamed and new ones may come, so a reader takes any; docs/reasons.md explains each.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta

CODES: Final = (
    "areas_not_lit",
    "baffles_missed",
    "ball_before_settled",
    "ball_direction",
    "ball_left_wheel",
    "ball_revolutions",
    "board_identified",
    "board_lost",
    "cage_askew",
    "calibration_waived",
    "card_count",
    "card_out_of_turn",
    "card_pushed_back",
    "card_returned",
    "card_unread",
    "card_unseen",
    "cheating_device",
    "clock_jumped",
    "command_refused",
    "covered_before_no_more_bets",
    "covered_before_paid",
    "cutting_card",
    "dealer_call",
    "dealt_before_no_more_bets",
    "dice_bias",
    "dice_disturbed",
    "dice_nearly_too_old",
    "dice_not_flat",
    "dice_not_together",
    "dice_restless",
    "dice_together",
    "dice_too_old",
    "die_in_dice_cup",
    "die_jammed",
    "die_off_table",
    "die_on_bank",
    "die_on_die",
    "die_on_rail",
    "die_on_two_sides",
    "direction_unproven",
    "disk_nearly_full",
    "double_zero_as_single_zero",
    "edges_lost",
    "encoder_slip",
    "end_not_struck",
    "face_disputed",
    "flag_after_number",
    "foreign_card",
    "foreign_object",
    "history_changed",
    "history_lost",
    "improper_throw",
    "indicator_between_spaces",
    "joined_mid_spin",
    "joined_mid_tumble",
    "key_edges_lost",
    "key_short",
    "key_spoilt",
    "key_surplus",
    "key_two_keys",
    "keyed_and_not_entered",
    "keyed_out_of_round",
    "keyed_too_early",
    "lamps_cleared_before_paid",
    "lamps_failed",
    "lamps_failed_before_reveal",
    "launch_repeated",
    "line_garbled",
    "motor_runs_on",
    "motor_slips",
    "motor_stalled",
    "motor_too_long",
    "moved_at_rest",
    "no_more_bets_after_drop",
    "no_number_read",
    "no_shaker",
    "no_text",
    "not_calibrated",
    "not_cleared",
    "not_level",
    "not_opened",
    "not_settled",
    "number_changed",
    "object_in_wheel",
    "output_refused",
    "power_loss",
    "reader_dice_count",
    "reader_doubt",
    "reader_fault",
    "reader_frames_lost",
    "reader_impossible_value",
    "reader_joined_mid_throw",
    "reader_malformed",
    "reader_not_recognised",
    "reader_throw_order",
    "reader_unconfirmed",
    "reader_value_changed",
    "reshuffle_due",
    "roll_not_called",
    "rotor_not_turning",
    "rotor_reversed",
    "sensor_missing",
    "sensor_stuck",
    "sensors_swapped",
    "service_stopped",
    "shaken_before_no_more_bets",
    "shaken_uncovered",
    "shaker_failed",
    "shaker_not_removed",
    "shift_inspection",
    "shoe_empty",
    "shoe_jam",
    "shoe_open",
    "spin_not_started",
    "spun_before_no_more_bets",
    "spun_while_shut",
    "thrown_before_open",
    "too_few_inversions",
    "too_few_shakes",
    "too_many_passes",
    "tossed_at_rest",
    "tumbled_after_verdict",
    "tumbled_before_no_more_bets",
    "unknown_line",
    "value_missing",
    "values_disagree",
    "wheel_bias",
    "wheel_reversed",
    "wheel_revolutions",
    "wires_failed",
)
"""Every code that docs/reasons.md explains."""


def one_of(*words: str) -> Meta:
    """The words that the schema lists; a decoder takes any text, so that a reader survives a new one."""
    return Meta(extra_json_schema={"enum": list(words)})


Code: TypeAlias = Annotated[str, Meta(extra_json_schema={"x-def": "Code"})]
State: TypeAlias = Annotated[str, one_of("open", "shut", "closed")]
LiveState: TypeAlias = Annotated[str, one_of("open", "shut", "closed", "inspecting", "halted")]
Phase: TypeAlias = Annotated[
    str, one_of("", "open", "no_more_bets", "running", "settling", "unresolved", "void", "settled")
]
Direction: TypeAlias = Annotated[str, one_of("clockwise", "counter-clockwise")]
Side: TypeAlias = Annotated[str, one_of("", "dealer", "player")]
CallTime: TypeAlias = Annotated[str, one_of("in_time", "late", "never")]

CODE_SCHEMA: Final[dict[str, Any]] = {
    "description": "A reason, fault or warning. The listed ones are those of this version; new ones may come.",
    "type": "string",
    "anyOf": [{"enum": list(CODES)}, {"pattern": "^[a-z][a-z0-9_]*$"}],
}
