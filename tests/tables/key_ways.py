"""Tables that together have every key, and for each key the way that shows best what it changes.

`tests.tables.key_changes.search_anew` finds a way for a new key, or for one whose way shows nothing any more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

from drivers.money_wheel.device import MoneyWheelConfig


def _table(game: str, more: str = "", table: str = "") -> str:
    return f'[table]\nid = "t-1"\ngame = "{game}"\n{table}\n[lines]\nbackend = "sim"\n{more}'


_CASINO: Final = 'rules = "njac-13:69F"'
_OLD: Final = 'rules = "njac-19:47"'
_CODES: Final = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
_OTHER_CODES: Final = dict(zip(_CODES, [*_CODES[1:], _CODES[0]], strict=True))
_KEYS: Final = ("1", "2", "3", "4", "5", "6", "enter", "clear")
_TWO_BOARDS: Final = """[table]
id = "t-1"
game = "sic_bo"
rules = "njac-13:69F"
no_more_bets = "button"
[lines]
backend = "board"
[board.layout]
kind = "table"
port = "/dev/ttyUSB0"
[board.other]
kind = "table"
port = "/dev/ttyUSB1"
[device.lamp_board]
board = "layout"
[device.dealer]
buttons = ["dealer_no_more_bets", "dealer_settled", "supervisor_key"]
[pins]
cover = { board = "layout", input = 4, inverted = true }
shake = { board = "layout", input = 7, inverted = true }
dealer_no_more_bets = { board = "layout", input = 1, inverted = true }
dealer_settled = { board = "other", input = 4, inverted = true }
supervisor_key = { board = "other", input = 3, inverted = true }
""" + "".join(f'key_{key} = {{ board = "layout", input = {9 + at} }}\n' for at, key in enumerate(_KEYS))
EXAMPLES: Final = Path(__file__).parents[2] / "examples"
_ON_PI: Final = (EXAMPLES / "money_wheel_on_pi.toml").read_text(encoding="utf-8")
_POSTED: Final = """labels = [{ language = "en", name = "Wheel 1" }]
limits = [{ minimum = 5.0 }]
limits_unit = "chips"
"""


class Way(NamedTuple):
    """How a key is shown: in which table, with which value, by which fault, and what changes."""

    table: str
    """By its name in `TABLES`."""
    key: str
    """Its place in the file."""
    value: Any
    fault: str
    change: str


TABLES: Final[dict[str, str]] = {
    "money wheel": _table("money_wheel"),
    "money wheel by pegs": _table("money_wheel", '[device.wheel]\nsensing = "pegs"\n'),
    "money wheel, pegs accepted": _table("money_wheel", '[device.wheel]\nsensing = "pegs"\naccept_pegs = true\n'),
    "money wheel with buttons": _table(
        "money_wheel",
        '[device.dealer]\nbuttons = ["dealer_no_more_bets", "dealer_settled", "dealer_void", "supervisor_key"]\n',
    ),
    "number generator": (EXAMPLES / "house_number_draw.toml").read_text(encoding="utf-8"),
    "roulette": _table("roulette"),
    "roulette without a button": _table("roulette", table='no_more_bets = "auto"'),
    "roulette as single zero": _table("roulette", '[device.wheel]\npockets = "american_as_single_zero"\n'),
    "automatic roulette": _table("roulette", '[device.wheel]\ndriver = "star_x"\n'),
    "automatic roulette, trusted": _table(
        "roulette", '[device.wheel]\ndriver = "star_x"\n[game]\ntrust_wheel = true\n'
    ),
    "cage": _table("chuck_a_luck"),
    "cage with pulses": _table("chuck_a_luck", '[device.cage]\nsensing = "pulse"\n'),
    "cage with encoder": _table("chuck_a_luck", '[device.cage]\nsensing = "encoder"\n'),
    "motor": _table("beat_the_dealer", "[device.motor]\n"),
    "chute": _table("under_over", "[device.chute]\n"),
    "cage, keypad and reader": _table("chuck_a_luck", "[device.keypad]\n[device.reader]\n"),
    "cage read by lines": _table("chuck_a_luck", '[device.reader]\nformat = "lines"\n'),
    "cage read by frames_7a": _table("chuck_a_luck", '[device.reader]\nformat = "frames_7a"\n'),
    "cage read by state_words": _table("chuck_a_luck", '[device.reader]\nformat = "state_words"\n[device.keypad]\n'),
    "sic bo": _table("sic_bo"),
    "sic bo, 2012": _table("sic_bo", table=_CASINO),
    "sic bo, automated": _table("sic_bo", "[device.automated_shaker]\n", table=_CASINO),
    "sic bo, automated, sensed": _table(
        "sic_bo", "[device.automated_shaker]\npresent_sensor = true\n[device.shaker]\n", table=_CASINO
    ),
    "sic bo, automated, serial": _table("sic_bo", '[device.automated_shaker]\ncontrol = "serial"\n', table=_CASINO),
    "sic bo with lamps": _table("sic_bo", "[device.lamp_board]\n", table=_CASINO),
    "craps": _table("craps", table=_OLD),
    "craps, keypad and reader": _table("craps", "[device.keypad]\n[device.reader]\n", table=_OLD),
    "craps, reader": _table("craps", "[device.reader]\n", table=_OLD),
    "craps, automated": _table("craps", "[device.automated_shaker]\n", table=_OLD),
    "craps, automated and reader": _table("craps", "[device.automated_shaker]\n[device.reader]\n", table=_OLD),
    "craps, casino night": _table("craps"),
    "baccarat": _table("baccarat"),
    "baccarat, 2012": _table("baccarat", table=_CASINO),
    "baccarat, 2012, bonus": _table("baccarat", '[game]\nbonus_paytable = "A"\n', table=_CASINO),
    "mini-baccarat, 2012": _table("mini_baccarat", table=_CASINO),
    "baccarat, shuffler": _table("baccarat", "[device.shuffler]\n"),
    "baccarat, sensed shuffler": _table("baccarat", "[device.shuffler]\npresent_sensor = true\n"),
    "baccarat, serial shuffler": _table(
        "baccarat", '[device.shuffler]\ncontrol = "serial"\nreports_s = 2\n[device.discard_rack]\n'
    ),
    "baccarat, shoe of tokens": _table(
        "baccarat",
        '[device.shoe]\nreading = "tokens"\n[device.shoe.codes]\n' + "".join(f'{code} = "{code}"\n' for code in _CODES),
    ),
    "red dog": _table("red_dog"),
    "blackjack": _table("blackjack"),
    "blackjack, card reader": _table("blackjack", "[device.card_reader]\n"),
    "blackjack, double shoe": _table("blackjack", "[device.shoe]\ndouble = true\n[game]\ndeterminant_card = true\n"),
    "blackjack, shuffling shoe": _table(
        "blackjack", '[device.shoe]\ndriver = "shuffling_shoe"\n[game]\ndealer_hand = false\n'
    ),
    "caribbean stud": _table("caribbean_stud"),
    "caribbean stud, stacks": _table("caribbean_stud", "[device.shoe]\nstack_cards = 5\n"),
    "caribbean stud, progressive": _table("caribbean_stud", "[device.progressive]\n"),
    "let it ride": _table("let_it_ride"),
    "joker seven": _table("joker_seven"),
    "pusher": _table("token_pusher"),
    "pusher, cctalk": _table("token_pusher", "[device.coins]\n"),
    "pusher, board": _table("token_pusher", "[device.board]\n"),
    "reels": _table("skill_stop_reel"),
    "reels, cctalk": _table("skill_stop_reel", "[device.coins]\n"),
    "reels, acceptor": _table("skill_stop_reel", "[device.reels]\nacceptor = true\n"),
    "screen": _table("skill_stop_video"),
    "screen with light": _table("skill_stop_video", "[device.screen]\nlight = true\n"),
    "blackjack, two compartments": _table("blackjack", "[device.shoe]\ndouble = true\n"),
    "five reels": _table("skill_stop_reel", '[device.reels]\nreels = 5\n[game]\nmodel = "fruit_5"\n'),
    "five reels on a screen": _table(
        "skill_stop_video", '[device.screen]\nreels = 5\n[game]\nmodel = "video_fruit_5"\n'
    ),
    "craps, automated, sensed": _table("craps", "[device.automated_shaker]\npresent_sensor = true\n", table=_OLD),
    "posted": _table("money_wheel", table=_POSTED),
    "sic bo on boards": _TWO_BOARDS,
    "wheel on pins": _ON_PI,
    "wheel on pins of the header": _ON_PI.replace("gpio = 20,", "header = 38,"),
    "wheel on named pins": _ON_PI.replace("gpio = 20,", 'name = "GPIO20",'),
    "wheel on boards": (EXAMPLES / "roulette_board.toml").read_text(encoding="utf-8"),
    "pusher on a board": (EXAMPLES / "token_pusher_board.toml").read_text(encoding="utf-8"),
    "wheel on a link": (EXAMPLES / "automatic_roulette.toml").read_text(encoding="utf-8"),
}

WAYS: Final[dict[str, Way]] = {
    "MoneyWheelConfig.sensing": Way("money wheel", "device.wheel.sensing", "pegs", "none", "- round.outcome"),
    "MoneyWheelConfig.encoder_slots": Way(
        "money wheel", "device.wheel.encoder_slots", 200, "none", "+ round.unresolved encoder_slip"
    ),
    "MoneyWheelConfig.index_width_deg": Way(
        "money wheel", "device.wheel.index_width_deg", 4.0, "none", "+ round.unresolved encoder_slip"
    ),
    "MoneyWheelConfig.clockwise": Way(
        "money wheel", "device.wheel.clockwise", False, "none", "round.outcome: evidence.direction"
    ),
    "MoneyWheelConfig.indicator_deg": Way(
        "money wheel", "device.wheel.indicator_deg", -1.0, "between_spaces", "+ round.outcome"
    ),
    "MoneyWheelConfig.rest_s": Way(
        "money wheel", "device.wheel.rest_s", 10.0, "none", "+ round.unresolved joined_mid_spin"
    ),
    "MoneyWheelConfig.rollback_spaces": Way(
        "money wheel", "device.wheel.rollback_spaces", 0.75, "none", "+ round.void wheel_reversed"
    ),
    "MoneyWheelConfig.peg_margin_spaces": Way(
        "money wheel", "device.wheel.peg_margin_spaces", 0.4, "none", "+ round.void indicator_between_spaces"
    ),
    "MoneyWheelConfig.flapper_zone_deg": Way(
        "money wheel", "device.wheel.flapper_zone_deg", 3.0, "none", "+ round.void indicator_between_spaces"
    ),
    "MoneyWheelConfig.accept_pegs": Way(
        "money wheel by pegs", "device.wheel.accept_pegs", True, "none", "+ round.outcome"
    ),
    "MoneyWheelConfig.peg_direction": Way(
        "money wheel by pegs", "device.wheel.peg_direction", "negative", "none", "round.unresolved: evidence.direction"
    ),
    "MoneyWheelConfig.faces": Way(
        "money wheel",
        "device.wheel.faces",
        [*MoneyWheelConfig().faces[1:], MoneyWheelConfig().faces[0]],
        "none",
        "round.outcome: result.face",
    ),
    "RouletteWheelConfig.pockets": Way(
        "roulette", "device.wheel.pockets", "european", "none", "+ round.unresolved encoder_slip"
    ),
    "RouletteWheelConfig.encoder_slots": Way(
        "roulette", "device.wheel.encoder_slots", 16, "none", "+ round.void encoder_slip"
    ),
    "RouletteWheelConfig.index_width_deg": Way(
        "roulette", "device.wheel.index_width_deg", 6.0, "none", "+ round.void encoder_slip"
    ),
    "RouletteWheelConfig.pocket_head_deg": Way(
        "roulette", "device.wheel.pocket_head_deg", -1.0, "index_slip", "+ round.unresolved no_number_read"
    ),
    "RouletteWheelConfig.pocket_tolerance": Way(
        "roulette", "device.wheel.pocket_tolerance", 0.06, "none", "+ round.unresolved no_number_read"
    ),
    "RouletteWheelConfig.least_rotor_rpm": Way(
        "roulette", "device.wheel.least_rotor_rpm", 15.0, "none", "+ round.void rotor_not_turning"
    ),
    "RouletteWheelConfig.track_quiet_s": Way(
        "roulette", "device.wheel.track_quiet_s", 20.0, "none", "+ round.unresolved joined_mid_spin"
    ),
    "RouletteWheelConfig.object_beams": Way(
        "roulette", "device.wheel.object_beams", 2, "foreign_object", "round.void: evidence.detail"
    ),
    "RouletteWheelConfig.level_tolerance_deg": Way(
        "roulette", "device.wheel.level_tolerance_deg", 0.03, "none", "+ round.void not_level"
    ),
    "RouletteWheelConfig.level_patience_s": Way(
        "roulette", "device.wheel.level_patience_s", 60.0, "tilt", "+ round.outcome"
    ),
    "RouletteWheelConfig.order": Way(
        "roulette as single zero",
        "device.wheel.order",
        ["00", *map(str, range(37))],
        "none",
        "round.outcome: result.color",
    ),
    "RouletteWheelConfig.ball_sensors_deg": Way(
        "roulette", "device.wheel.ball_sensors_deg", [0.0, 100.0, 240.0], "none", "+ round.void foreign_object"
    ),
    "NumberGeneratorConfig.link": Way(
        "number generator", "device.wheel.link", "generator_serial_other", "none", "- round.outcome"
    ),
    "NumberGeneratorConfig.numbers": Way(
        "number generator", "device.wheel.numbers", 8, "refused", "device.wheel.numbers"
    ),
    "NumberGeneratorConfig.draw_s": Way(
        "number generator", "device.wheel.draw_s", 1.0, "none", "+ round.unresolved no_number_read"
    ),
    "NumberGeneratorConfig.silent_s": Way(
        "number generator", "device.wheel.silent_s", 10.0, "silent", "+ round.outcome"
    ),
    "StarXConfig.link": Way(
        "automatic roulette", "device.wheel.link", "wheel_serial_other", "none", "- round.unresolved ball_revolutions"
    ),
    "StarXConfig.pockets": Way(
        "automatic roulette", "device.wheel.pockets", "european", "none", "round.unresolved: candidates.index"
    ),
    "StarXConfig.status_timeout_s": Way(
        "automatic roulette", "device.wheel.status_timeout_s", 10.0, "power_cycle", "+ round.unresolved no_number_read"
    ),
    "StarXConfig.max_rotor_rpm": Way(
        "automatic roulette, trusted", "device.wheel.max_rotor_rpm", 80.0, "a quick rotor", "+ round.outcome"
    ),
    "StarXConfig.bare_number_s": Way(
        "automatic roulette, trusted",
        "device.wheel.bare_number_s",
        0.2,
        "an early number",
        "+ round.unresolved no_number_read",
    ),
    "ButtonsConfig.debounce_ms": Way(
        "money wheel", "device.dealer.debounce_ms", 200.0, "none", "+ round.void spun_before_no_more_bets"
    ),
    "ButtonsConfig.buttons": Way(
        "money wheel with buttons",
        "device.dealer.buttons",
        ["dealer_no_more_bets", "dealer_void"],
        "none",
        "round.settled: by",
    ),
    "DiceKeypadConfig.debounce_ms": Way(
        "cage", "device.keypad.debounce_ms", 200.0, "none", "+ round.unresolved dice_disturbed"
    ),
    "DiceKeypadConfig.surplus": Way(
        "cage, keypad and reader",
        "device.keypad.surplus",
        "shift",
        "keypad_key_pressed_twice",
        "+ round.unresolved values_disagree",
    ),
    "DiceKeypadConfig.forget_s": Way(
        "cage", "device.keypad.forget_s", 60.0, "keypad_key_pressed_twice", "+ round.unresolved dice_disturbed"
    ),
    "DiceKeypadConfig.stuck_s": Way("cage", "device.keypad.stuck_s", 20.0, "keypad_key_stuck", "+ round.outcome"),
    "DiceReaderConfig.link": Way(
        "cage, keypad and reader", "device.reader.link", "dice_serial_other", "none", "+ round.void sensor_missing"
    ),
    "DiceReaderConfig.format": Way(
        "cage, keypad and reader", "device.reader.format", "frames_7a", "none", "+ round.unresolved dice_disturbed"
    ),
    "DiceReaderConfig.silent_s": Way(
        "cage, keypad and reader",
        "device.reader.silent_s",
        10.0,
        "reader_motion_lost",
        "+ round.unresolved dice_disturbed",
    ),
    "DiceReaderConfig.times": Way(
        "cage, keypad and reader", "device.reader.times", 5, "keypad_key_pressed_twice", "- round.outcome"
    ),
    "DiceReaderConfig.answer_s": Way(
        "cage read by frames_7a", "device.reader.answer_s", 3.0, "unanswered", "+ round.unresolved sensor_missing"
    ),
    "CageConfig.sensing": Way("cage", "device.cage.sensing", "pulse", "none", "+ round.void too_few_inversions"),
    "CageConfig.minimum_inversions": Way(
        "cage", "device.cage.minimum_inversions", 6, "none", "+ round.void too_few_inversions"
    ),
    "CageConfig.hold_ms": Way("cage", "device.cage.hold_ms", 1000.0, "none", "+ round.void too_few_inversions"),
    "CageConfig.pulse_ms": Way(
        "cage with pulses", "device.cage.pulse_ms", 25.0, "none", "+ round.void too_few_inversions"
    ),
    "CageConfig.encoder_slots": Way(
        "cage with encoder", "device.cage.encoder_slots", 200, "none", "+ round.unresolved cage_askew"
    ),
    "CageConfig.inversion_tolerance_deg": Way(
        "cage with encoder",
        "device.cage.inversion_tolerance_deg",
        1.0,
        "tumbled_while_settling",
        "+ round.void too_few_inversions",
    ),
    "CageConfig.rest_s": Way("cage", "device.cage.rest_s", 4.0, "none", "+ round.unresolved dice_disturbed"),
    "CageConfig.pause_s": Way("cage", "device.cage.pause_s", 1.0, "none", "+ round.void too_few_inversions"),
    "CageConfig.restless_s": Way(
        "cage", "device.cage.restless_s", 5.0, "cage_rocked", "+ device.warning dice_restless"
    ),
    "CageConfig.rocking_gap_ms": Way(
        "cage", "device.cage.rocking_gap_ms", 1000.0, "cage_rocked", "on the bench: DiceRocking"
    ),
    "ChuteConfig.baffles": Way("chute", "device.chute.baffles", 6, "none", "+ round.void baffles_missed"),
    "ChuteConfig.shortest_ms": Way("chute", "device.chute.shortest_ms", 50.0, "none", "+ round.void baffles_missed"),
    "ChuteConfig.gap_ms": Way(
        "chute", "device.chute.gap_ms", 75.0, "chute_noise_burst", "+ round.unresolved dice_together"
    ),
    "ChuteConfig.longest_ms": Way("chute", "device.chute.longest_ms", 60.0, "none", "+ round.unresolved dice_together"),
    "ChuteConfig.jam_s": Way("chute", "device.chute.jam_s", 10.0, "chute_die_jammed", "+ round.void dice_not_flat"),
    "ChuteConfig.rest_s": Way("chute", "device.chute.rest_s", 15.0, "none", "+ round.unresolved joined_mid_tumble"),
    "CageMotorConfig.stall_ms": Way("motor", "device.motor.stall_ms", 50.0, "none", "+ round.void motor_stalled"),
    "CageMotorConfig.shortest_ms": Way("motor", "device.motor.shortest_ms", 2.0, "none", "times of RunMotor"),
    "CageMotorConfig.start_s": Way("motor", "device.motor.start_s", 0.1, "motor_jams", "+ round.void motor_stalled"),
    "CageMotorConfig.longest_s": Way(
        "motor", "device.motor.longest_s", 3.0, "none", "+ round.unresolved motor_too_long"
    ),
    "CageMotorConfig.coast_s": Way(
        "motor", "device.motor.coast_s", 10.0, "motor_runs_on", "+ round.unresolved motor_stalled"
    ),
    "ShakerConfig.minimum_shakes": Way(
        "sic bo", "device.shaker.minimum_shakes", 6, "none", "+ round.void too_few_shakes"
    ),
    "ShakerConfig.burst_gap_ms": Way(
        "sic bo", "device.shaker.burst_gap_ms", 500.0, "none", "+ round.void too_few_shakes"
    ),
    "ShakerConfig.shortest_ms": Way("sic bo", "device.shaker.shortest_ms", 8.0, "none", "+ round.void too_few_shakes"),
    "ShakerConfig.pause_s": Way(
        "sic bo", "device.shaker.pause_s", 0.3, "shaker_lost_pulse", "round.outcome: evidence.tumbles.shakes"
    ),
    "ShakerConfig.rest_s": Way("sic bo", "device.shaker.rest_s", 4.0, "none", "+ round.void shaken_uncovered"),
    "ShakerConfig.cover_ms": Way(
        "sic bo", "device.shaker.cover_ms", 1.0, "shaker_bounce", "+ round.void shaken_before_no_more_bets"
    ),
    "AutomatedShakerConfig.control": Way(
        "sic bo, automated", "device.automated_shaker.control", "serial", "none", "+ round.void shaker_failed"
    ),
    "AutomatedShakerConfig.link": Way(
        "sic bo, automated, serial",
        "device.automated_shaker.link",
        "shaker_serial_other",
        "none",
        "+ round.void shaker_failed",
    ),
    "AutomatedShakerConfig.start_s": Way(
        "sic bo, automated", "device.automated_shaker.start_s", 0.1, "none", "+ round.void shaker_failed"
    ),
    "AutomatedShakerConfig.shake_s": Way(
        "sic bo, automated, serial", "device.automated_shaker.shake_s", 16.0, "none", "+ round.void shaker_failed"
    ),
    "AutomatedShakerConfig.shortest_s": Way(
        "sic bo, automated", "device.automated_shaker.shortest_s", 5.0, "none", "+ round.void shaker_failed"
    ),
    "AutomatedShakerConfig.longest_s": Way(
        "sic bo, automated", "device.automated_shaker.longest_s", 4.0, "none", "+ round.void shaker_failed"
    ),
    "AutomatedShakerConfig.rest_s": Way(
        "sic bo, automated", "device.automated_shaker.rest_s", 10.0, "none", "+ round.unresolved dice_disturbed"
    ),
    "AutomatedShakerConfig.pulse_ms": Way(
        "sic bo, automated", "device.automated_shaker.pulse_ms", 400, "none", "times of SetLine"
    ),
    "AutomatedShakerConfig.present_sensor": Way(
        "sic bo, automated, sensed",
        "device.automated_shaker.present_sensor",
        False,
        "shaker removed",
        "+ round.outcome",
    ),
    "LampBoardConfig.answer_ms": Way(
        "sic bo", "device.lamp_board.answer_ms", 10000, "lamp_silent", "- round.void lamps_failed_before_reveal"
    ),
    "LampBoardConfig.recheck_s": Way("sic bo", "device.lamp_board.recheck_s", 1.0, "none", "- round.outcome"),
    "LampBoardConfig.board": Way("sic bo on boards", "device.lamp_board.board", "other", "", "pins"),
    "ShoeConfig.link": Way("baccarat", "device.shoe.link", "shoe_other", "none", "+ round.unresolved card_unread"),
    "ShoeConfig.barriers": Way(
        "baccarat", "device.shoe.barriers", False, "card_returned", "- round.unresolved card_returned"
    ),
    "ShoeConfig.body": Way(
        "caribbean stud", "device.shoe.body", False, "cut_card_early", "- device.warning cutting_card"
    ),
    "ShoeConfig.read_wait_s": Way(
        "baccarat", "device.shoe.read_wait_s", 0.5, "line_lost", "+ round.unresolved card_unread"
    ),
    "ShoeConfig.stack_cards": Way(
        "caribbean stud, stacks", "device.shoe.stack_cards", 0, "short_stack", "+ round.unresolved card_twice"
    ),
    "ShoeConfig.stack_s": Way("caribbean stud, stacks", "device.shoe.stack_s", 4.0, "none", "- round.outcome"),
    "ShoeConfig.double": Way(
        "blackjack, two compartments",
        "device.shoe.double",
        False,
        "both_compartments",
        "- round.void two_compartments_open",
    ),
    "ShoeConfig.codes": Way("baccarat, shoe of tokens", "device.shoe.codes", _OTHER_CODES, "none", "- round.outcome"),
    "ShoeConfig.reading": Way(
        "baccarat, shoe of tokens", "device.shoe.reading", "lines", "refused", "device.shoe.codes"
    ),
    "ShoeConfig.checksum": Way(
        "baccarat, shoe of tokens", "device.shoe.checksum", "xor", "none", "+ round.unresolved card_unread"
    ),
    "ShoeConfig.repeats": Way(
        "baccarat, shoe of tokens", "device.shoe.repeats", 2, "none", "+ round.unresolved card_unread"
    ),
    "ShoeConfig.jam_s": Way("baccarat", "device.shoe.jam_s", 0.6, "jam", "time of device.fault"),
    "ShufflingShoeConfig.body": Way(
        "blackjack, shuffling shoe", "device.shoe.body", False, "lid_opened", "- round.void shoe_open"
    ),
    "ShufflingShoeConfig.jam_s": Way(
        "blackjack, shuffling shoe", "device.shoe.jam_s", 0.6, "jam", "time of device.fault"
    ),
    "ShufflerConfig.control": Way(
        "baccarat, shuffler", "device.shuffler.control", "serial", "cut_card_early", "- round.outcome"
    ),
    "ShufflerConfig.link": Way(
        "baccarat, serial shuffler", "device.shuffler.link", "shuffler_other", "none", "+ round.outcome"
    ),
    "ShufflerConfig.counter": Way(
        "baccarat, shuffler", "device.shuffler.counter", False, "shuffler_miscount", "- device.fault card_count"
    ),
    "ShufflerConfig.complete_s": Way(
        "baccarat, shuffler", "device.shuffler.complete_s", 0.0, "none", "- round.outcome"
    ),
    "ShufflerConfig.longest_s": Way("baccarat, shuffler", "device.shuffler.longest_s", 5.0, "none", "- round.outcome"),
    "ShufflerConfig.reports_s": Way(
        "baccarat, serial shuffler", "device.shuffler.reports_s", 10.0, "none", "+ round.unresolved sensor_missing"
    ),
    "ShufflerConfig.present_sensor": Way(
        "baccarat, sensed shuffler", "device.shuffler.present_sensor", False, "shuffler removed", "answer to an order"
    ),
    "ProgressiveConfig.positions": Way(
        "caribbean stud, progressive",
        "device.progressive.positions",
        3,
        "links: silent",
        "- round.course progressive_wagers",
    ),
    "MoneyWheelOptions.settle_after_s": Way("money wheel", "game.settle_after_s", 15.0, "none", "- round.opened"),
    "MoneyWheelOptions.wind_up_pause_s": Way(
        "money wheel", "game.wind_up_pause_s", 1.0, "wind_up", "+ round.void spun_before_no_more_bets"
    ),
    "MoneyWheelOptions.between_spaces": Way(
        "money wheel", "game.between_spaces", "dealer", "between_spaces", "+ round.unresolved indicator_between_spaces"
    ),
    "RouletteOptions.settle_after_s": Way(
        "roulette without a button", "game.settle_after_s", 60.0, "none", "- round.outcome"
    ),
    "RouletteOptions.zero_rule": Way("roulette", "game.zero_rule", "half", "none", "table.opened: notices.words"),
    "RouletteOptions.seven_numbers": Way(
        "roulette", "game.seven_numbers", True, "near_limit", "round.outcome: winning.bet"
    ),
    "RouletteOptions.call_lap_s": Way(
        "roulette without a button", "game.call_lap_s", 0.715, "rotor_reversed", "+ round.no_more_bets"
    ),
    "RouletteOptions.read_turns": Way("roulette", "game.read_turns", 6, "none", "+ round.unresolved no_number_read"),
    "RouletteOptions.give_up_turns": Way(
        "roulette", "game.give_up_turns", 3.0, "lost_pulse", "+ round.unresolved no_number_read"
    ),
    "RouletteOptions.give_up_s": Way(
        "roulette", "game.give_up_s", 100.0, "dead_sensor", "+ round.void rotor_not_turning"
    ),
    "RouletteOptions.trust_wheel": Way("automatic roulette", "game.trust_wheel", True, "none", "+ round.outcome"),
    "TumbledOptions.settle_after_s": Way(
        "cage", "game.settle_after_s", 15.0, "tumbled_while_settling", "- round.void tumbled_before_no_more_bets"
    ),
    "TumbledOptions.values_wait_s": Way(
        "cage, keypad and reader", "game.values_wait_s", 1.0, "none", "+ round.unresolved value_missing"
    ),
    "SicBoOptions.settle_after_s": Way("sic bo", "game.settle_after_s", 6.0, "none", "- round.outcome"),
    "SicBoOptions.two_of_a_kind_on_triple": Way(
        "sic bo", "game.two_of_a_kind_on_triple", True, "shaker_paused", "+ device.fault lamps_failed"
    ),
    "SicBoOptions.uncover_s": Way(
        "sic bo", "game.uncover_s", 2.0, "shaker_knocked_at_rest", "- round.unresolved dice_disturbed"
    ),
    "SicBoOptions.activate_after_s": Way(
        "sic bo, automated", "game.activate_after_s", 3.0, "none", "+ round.void shaker_failed"
    ),
    "CrapsOptions.settle_after_s": Way(
        "craps, keypad and reader",
        "game.settle_after_s",
        1.5,
        "thrown_before_settled",
        "+ round.unresolved dice_disturbed",
    ),
    "CrapsOptions.call_time_s": Way(
        "craps, keypad and reader", "game.call_time_s", 40.0, "none", "+ round.unresolved dice_disturbed"
    ),
    "CrapsOptions.values_wait_s": Way(
        "craps, keypad and reader", "game.values_wait_s", 4.0, "none", "+ round.unresolved value_missing"
    ),
    "CrapsOptions.activate_after_s": Way(
        "craps, automated", "game.activate_after_s", 3.0, "none", "+ round.void shaker_failed"
    ),
    "CrapsOptions.optional": Way("craps", "game.optional", ["buy"], "none", "round.outcome: winning.bet"),
    "CrapsOptions.fire_bet": Way("craps", "game.fire_bet", "A", "none", "round.opened: course.fire"),
    "CrapsOptions.dice_set": Way("craps", "game.dice_set", 6, "dice changed", "answer to an order"),
    "BaccaratOptions.vigorish": Way("baccarat, 2012", "game.vigorish", "bank_of_six", "none", "round.outcome: notices"),
    "BaccaratOptions.vigorish_percent": Way(
        "baccarat, 2012", "game.vigorish_percent", 4, "none", "round.outcome: notices"
    ),
    "BaccaratOptions.total_card_wagers": Way(
        "baccarat, 2012", "game.total_card_wagers", True, "none", "round.outcome: winning.bet"
    ),
    "BaccaratOptions.bonus_paytable": Way(
        "baccarat, 2012", "game.bonus_paytable", "A", "none", "round.outcome: winning.bet"
    ),
    "BaccaratOptions.settle_after_s": Way(
        "baccarat", "game.settle_after_s", 0.6, "excess_card", "+ round.void dealt_before_no_more_bets"
    ),
    "BaccaratOptions.decks": Way("baccarat, shuffler", "game.decks", 9, "none", "- round.outcome"),
    "BaccaratOptions.third_card_table": Way(
        "baccarat", "game.third_card_table", False, "none", "+ round.unresolved no_text"
    ),
    "RedDogOptions.settle_after_s": Way(
        "red dog", "game.settle_after_s", 0.6, "excess_card", "+ round.void dealt_before_no_more_bets"
    ),
    "RedDogOptions.decks": Way("red dog", "game.decks", 2, "card_twice", "+ round.outcome"),
    "BlackjackOptions.settle_after_s": Way(
        "blackjack", "game.settle_after_s", 1.5, "excess_card", "+ round.void dealt_before_no_more_bets"
    ),
    "BlackjackOptions.decks": Way("blackjack", "game.decks", 2, "none", "+ round.unresolved card_twice"),
    "BlackjackOptions.one_face_down": Way("blackjack", "game.one_face_down", True, "none", "+ card.sealed"),
    "BlackjackOptions.ties": Way("blackjack", "game.ties", "house_wins", "none", "table.opened: notices.words"),
    "BlackjackOptions.dealer_hand": Way("blackjack", "game.dealer_hand", False, "none", "- round.outcome"),
    "BlackjackOptions.determinant_card": Way(
        "blackjack, double shoe", "game.determinant_card", False, "none", "- round.outcome"
    ),
    "CaribbeanStudOptions.settle_after_s": Way(
        "caribbean stud", "game.settle_after_s", 1.5, "excess_card", "+ round.void dealt_before_no_more_bets"
    ),
    "CaribbeanStudOptions.reads": Way(
        "caribbean stud", "game.reads", False, "none", "round.outcome: result.dealer.cards"
    ),
    "CaribbeanStudOptions.progressive_wager": Way(
        "caribbean stud, progressive", "game.progressive_wager", 2.0, "none", "round.course: course.meter_cents"
    ),
    "CaribbeanStudOptions.progressive_rate": Way(
        "caribbean stud, progressive", "game.progressive_rate", 71, "none", "round.course: course.meter_cents"
    ),
    "CaribbeanStudOptions.progressive_start": Way(
        "caribbean stud, progressive", "game.progressive_start", 20000.0, "none", "round.course: course.meter_cents"
    ),
    "CaribbeanStudOptions.straight_flush_fixed": Way(
        "caribbean stud, progressive",
        "game.straight_flush_fixed",
        True,
        "a straight flush",
        "round.course: course.payment.paid",
    ),
    "FixedHandsOptions.settle_after_s": Way(
        "let it ride", "game.settle_after_s", 1.5, "excess_card", "+ round.void dealt_before_no_more_bets"
    ),
    "FixedHandsOptions.reads": Way("joker seven", "game.reads", False, "misread", "+ round.outcome"),
    "TokenPusherOptions.play_s": Way("pusher", "game.play_s", 16.0, "none", "- round.outcome"),
    "TokenPusherOptions.token_value": Way("pusher", "game.token_value", 2, "more rounds", "round.outcome: notices"),
    "SkillStopReelOptions.token_value": Way("reels", "game.token_value", 2, "none", "round.outcome: notices"),
    "SkillStopReelOptions.model": Way("five reels", "game.model", "fruit_3", "refused", "device.reels.reels"),
    "TokenChuteConfig.shortest_ms": Way(
        "screen", "device.chute.shortest_ms", 50.0, "token_in_test", "+ device.warning token_in_doubt"
    ),
    "TokenChuteConfig.jam_ms": Way("pusher", "device.chute.jam_ms", 100.0, "coin_at_mouth", "- round.outcome"),
    "DoorConfig.closed_ms": Way("pusher, cctalk", "device.cabinet.closed_ms", 400.0, "door_opened", "- round.outcome"),
    "PusherBedConfig.stall_ms": Way("pusher", "device.bed.stall_ms", 100.0, "none", "- round.outcome"),
    "PusherBedConfig.shortest_fall_ms": Way(
        "pusher", "device.bed.shortest_fall_ms", 0.2, "fall_noise", "+ machine.event falls"
    ),
    "PusherBedConfig.stuck_ms": Way("pusher, cctalk", "device.bed.stuck_ms", 2000.0, "fall_stuck", "- round.outcome"),
    "PusherBedConfig.tilt_ms": Way("pusher", "device.bed.tilt_ms", 600.0, "token_while_shut", "+ round.outcome"),
    "CctalkConfig.link": Way("pusher, cctalk", "device.coins.link", "cctalk_other", "none", "- round.outcome"),
    "CctalkConfig.acceptor": Way("pusher, cctalk", "device.coins.acceptor", 4, "none", "- round.outcome"),
    "CctalkConfig.hopper": Way("pusher, cctalk", "device.coins.hopper", 6, "none", "- round.outcome"),
    "CctalkConfig.coins": Way("pusher, cctalk", "device.coins.coins", [2], "none", "- round.outcome"),
    "CctalkConfig.checksum": Way("pusher, cctalk", "device.coins.checksum", "crc16", "none", "- round.outcome"),
    "CctalkConfig.echo": Way("pusher, cctalk", "device.coins.echo", False, "links: silent", "device.fault: detail"),
    "CctalkConfig.dispense_count": Way(
        "pusher, cctalk", "device.coins.dispense_count", False, "none", "- round.outcome"
    ),
    "PusherBoardConfig.link": Way("pusher, board", "device.board.link", "pusher_other", "none", "- round.outcome"),
    "PusherBoardConfig.hopper": Way(
        "pusher, board", "device.board.hopper", False, "board_hopper_empty", "+ device.warning command_refused"
    ),
    "PusherBoardConfig.token_ms": Way("pusher, board", "device.board.token_ms", 286, "none", "SendFrame"),
    "PusherBoardConfig.turns_back": Way("pusher, board", "device.board.turns_back", True, "none", "SendFrame"),
    "PusherBoardConfig.pulse_ms": Way("pusher, board", "device.board.pulse_ms", 500, "none", "SendFrame"),
    "PusherBoardConfig.speed": Way("pusher, board", "device.board.speed", 63, "none", "SendFrame"),
    "ReelsConfig.steps": Way("reels", "device.reels.steps", 400, "none", "- round.outcome"),
    "ReelsConfig.home_least": Way("reels", "device.reels.home_least", 2, "none", "SendFrame"),
    "ReelsConfig.home_most": Way("reels", "device.reels.home_most", 100, "none", "SendFrame"),
    "ReelsConfig.turned_round": Way("reels", "device.reels.turned_round", [1], "none", "SendFrame"),
    "ReelsConfig.held": Way("reels", "device.reels.held", False, "none", "SendFrame"),
    "ReelsConfig.spin_ms": Way("reels", "device.reels.spin_ms", 1000, "none", "SendFrame"),
    "ReelsConfig.slip": Way("reels", "device.reels.slip", 12, "none", "SendFrame"),
    "ReelsConfig.answer_ms": Way("five reels", "device.reels.answer_ms", 3000, "links: silent", "time of device.fault"),
    "ReelsConfig.moved_ms": Way("reels, cctalk", "device.reels.moved_ms", 100, "reel_moved", "- round.outcome"),
    "ReelsConfig.acceptor": Way("reels", "device.reels.acceptor", True, "none", "- round.outcome"),
    "ReelsConfig.pulse_ms": Way("reels, acceptor", "device.reels.pulse_ms", 500, "none", "SendFrame"),
    "ReelsConfig.reels": Way("five reels", "device.reels.reels", 3, "refused", "device.reels.reels"),
    "ScreenConfig.stops": Way("screen", "device.screen.stops", "buttons", "none", "- round.outcome"),
    "ScreenConfig.light": Way(
        "screen with light", "device.screen.light", False, "latency_drifts", "+ device.warning command_refused"
    ),
    "ScreenConfig.latency_ms": Way("screen", "device.screen.latency_ms", 125.0, "none", "- round.outcome"),
    "ScreenConfig.latency_error_ms": Way(
        "screen", "device.screen.latency_error_ms", 6.0, "none", "round.outcome: evidence.images.error_ms"
    ),
    "ScreenConfig.touch_latency_ms": Way("screen", "device.screen.touch_latency_ms", 100.0, "none", "- round.outcome"),
    "ScreenConfig.touch_error_ms": Way(
        "screen", "device.screen.touch_error_ms", 10.0, "none", "round.outcome: evidence.images.error_ms"
    ),
    "ScreenConfig.spin_ms": Way("screen", "device.screen.spin_ms", 10000, "none", "- round.outcome"),
    "ScreenConfig.silent_ms": Way(
        "screen", "device.screen.silent_ms", 5000, "screen_hung", "+ device.fault screen_late"
    ),
    "ScreenConfig.late_ms": Way(
        "screen", "device.screen.late_ms", 240, "frames_late", "+ device.warning command_refused"
    ),
    "ScreenConfig.answer_ms": Way(
        "screen", "device.screen.answer_ms", 200, "links: silent", "+ device.fault screen_not_answering"
    ),
    "ScreenConfig.language": Way("screen", "device.screen.language", "es", "none", "SendFrame"),
    "ScreenConfig.reels": Way("five reels on a screen", "device.screen.reels", 3, "refused", "device.screen.reels"),
    "ScreenConfig.window_touch": Way(
        "screen", "device.screen.window_touch", True, "undated touches", "+ round.outcome"
    ),
    "ScreenConfig.synchronised": Way(
        "screen", "device.screen.synchronised", False, "unsynchronised", "+ round.outcome"
    ),
    "CardReaderConfig.link": Way(
        "blackjack, card reader", "device.card_reader.link", "other", "hole card read", "+ device.warning unknown_line"
    ),
    "SkillStopVideoOptions.model": Way(
        "five reels on a screen", "game.model", "video_fruit_3", "refused", "device.screen.reels"
    ),
    "SkillStopVideoOptions.token_value": Way("screen", "game.token_value", 2, "none", "round.outcome: notices"),
    "TableSection.id": Way("money wheel", "table.id", "t-2", "none", "round.no_more_bets: table"),
    "TableSection.game": Way("craps", "table.game", "mini_craps", "none", "round.no_more_bets: game"),
    "TableSection.rules": Way("craps", "table.rules", "njac-13:47-20", "none", "round.no_more_bets: rule"),
    "TableSection.no_more_bets": Way("money wheel", "table.no_more_bets", "auto", "none", "round.no_more_bets: by"),
    "TableSection.opens": Way("money wheel", "table.opens", "by_order", "none", "- round.outcome"),
    "TableSection.inspection": Way("money wheel", "table.inspection", "opening", "none", "- round.outcome"),
    "TableSection.labels": Way(
        "posted", "table.labels", [{"language": "en", "name": "Wheel 2"}], "none", "table.opened: labels.name"
    ),
    "TableSection.limits": Way("posted", "table.limits", [{"minimum": 10.0}], "none", "table.opened: limits.minimum"),
    "TableSection.limits_unit": Way("posted", "table.limits_unit", "USD", "none", "table.opened: limits_unit"),
    "TableSection.bias_watch": Way("sic bo", "table.bias_watch", False, "again", "- device.warning dice_bias"),
    "LabelKeys.language": Way("posted", "table.labels.0.language", "es", "none", "table.opened: labels.language"),
    "LabelKeys.name": Way("posted", "table.labels.0.name", "Wheel 2", "none", "table.opened: labels.name"),
    "LabelKeys.short": Way("posted", "table.labels.0.short", "W 1", "none", "table.opened: labels.short"),
    "LimitKeys.minimum": Way("posted", "table.limits.0.minimum", 1.0, "none", "table.opened: limits.minimum"),
    "LimitKeys.maximum": Way("posted", "table.limits.0.maximum", 100.0, "none", "table.opened: limits.maximum"),
    "LimitKeys.bet": Way("posted", "table.limits.0.bet", "flag", "none", "table.opened: limits.bet"),
    "FeedSection.history": Way("money wheel", "feed.history", 50, "none", "table.opened: history"),
    "LinesSection.backend": Way("wheel on pins", "lines.backend", "sim", "wired", "wires"),
    "LinesSection.chip": Way("wheel on pins", "lines.chip", "other", "wired", "wires"),
    "PinSection.gpio": Way("wheel on pins", "pins.wheel_a.gpio", 26, "wired", "wires"),
    "PinSection.header": Way("wheel on pins of the header", "pins.wheel_a.header", 37, "wired", "wires"),
    "PinSection.name": Way("wheel on named pins", "pins.wheel_a.name", "GPIO26", "wired", "wires"),
    "PinSection.chip": Way("wheel on named pins", "pins.wheel_a.chip", "other", "wired", "wires"),
    "PinSection.pull": Way("wheel on pins", "pins.wheel_a.pull", "none", "wired", "wires"),
    "PinSection.inverted": Way("wheel on pins", "pins.wheel_a.inverted", True, "wired", "wires"),
    "PinSection.debounce_us": Way("wheel on pins", "pins.wheel_a.debounce_us", 50, "wired", "wires"),
    "LinkSection.port": Way("wheel on a link", "links.wheel_serial.port", "/dev/ttyUSB7", "wired", "wires"),
    "LinkSection.baud": Way("wheel on a link", "links.wheel_serial.baud", 19200, "wired", "wires"),
    "LinkSection.parity": Way("wheel on a link", "links.wheel_serial.parity", "even", "wired", "wires"),
    "BoardSection.kind": Way("sic bo on boards", "board.other.kind", "wheel", "wired", "wires"),
    "BoardSection.chip": Way("sic bo on boards", "board.other.chip", "rp2040", "wired", "wires"),
    "BoardSection.port": Way("sic bo on boards", "board.other.port", "/dev/ttyUSB7", "wired", "wires"),
    "BoardSection.serial": Way("sic bo on boards", "board.other.serial", 5, "wired", "wires"),
    "BoardSection.require_build": Way("sic bo on boards", "board.other.require_build", "1A2B3C4D", "wired", "wires"),
    "BoardSection.motor_most_a": Way("pusher on a board", "board.pusher.motor_most_a", 3.5, "wired", "wires"),
    "BoardSection.supply_v": Way("wheel on boards", "board.wheel.supply_v", 4.5, "wired", "wires"),
    "BoardSection.emulated": Way("sic bo on boards", "board.other.emulated", True, "", "simulated"),
    "TerminalSection.board": Way("sic bo on boards", "pins.supervisor_key.board", "layout", "wired", "wires"),
    "TerminalSection.input": Way("sic bo on boards", "pins.supervisor_key.input", 5, "wired", "wires"),
    "TerminalSection.output": Way("wheel on boards", "pins.no_more_bets_lamp.output", 2, "wired", "wires"),
    "TerminalSection.analogue": Way("wheel on boards", "pins.level_y.analogue", 3, "wired", "wires"),
    "TerminalSection.pull": Way("sic bo on boards", "pins.supervisor_key.pull", "none", "wired", "wires"),
    "TerminalSection.inverted": Way("wheel on boards", "pins.rotor_a.inverted", False, "wired", "wires"),
    "TerminalSection.zero_v": Way("wheel on boards", "pins.level_x.zero_v", 1.0, "wired", "wires"),
    "TerminalSection.per_v": Way("wheel on boards", "pins.level_x.per_v", 3.0, "wired", "wires"),
}
