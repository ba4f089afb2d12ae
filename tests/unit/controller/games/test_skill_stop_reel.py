"""Plays of a skill-stop reel, by the ids of the rules: the reels, the buttons, the win lines, and what is held."""

from __future__ import annotations

import pytest

from controller.games.load import check_text
from controller.games.machines.win_lines import HOME, ModelError, PlayModel, award_of, lines_shown, parking
from controller.games.skill_stop_reel.model import MODELS
from controller.games.skill_stop_video.model import MODELS as VIDEO_MODELS
from feed import events
from feed.events import MachineEvent, Meters
from feed.state import TableState
from hal.board.messages import ArmCommand, SpinCommand, StopCommand
from hal.values import Edge
from tests.tables.bench import EventList
from tests.tables.recorded_machine import MS
from tests.tables.reel_machine import ReelMachine, reel_toml

LEAST = 13
"""Steps that a reel turns on after its button, at 200 steps a second (docs/devices/skill-stop-reel.md)."""
SYMBOL = 10
"""Steps of a symbol."""


def faults(said: EventList) -> list[tuple[str, str]]:
    return [(one.device, one.fault) for one in said.of(events.DeviceFault)]


def stop_after(press: int) -> set[int]:
    """The stops that follow from a press at this step: the press is dated within the step, and debounced 1 ms."""
    return {-(-(press + later + LEAST) // SYMBOL) % 20 for later in (0, 1)}


# --- 13:47-20.2: token, reels, buttons, win lines --------------------------------------------------------------------


def test_m2_a_token_spins_every_reel_and_nothing_else_does() -> None:
    machine = ReelMachine()
    machine.commands.clear()
    machine.wait(3)
    assert [one for one in machine.commands if isinstance(one, SpinCommand)] == []
    machine.token()
    machine.wait(0.2)
    assert [one.reel for one in machine.commands if isinstance(one, SpinCommand)] == [1, 2, 3]
    assert machine.meters == Meters(tokens_in=1, tokens_played=1, plays=1, power_ups=1)


@pytest.mark.parametrize("reel", [1, 2, 3])
def test_m2_each_button_stops_the_reel_beside_it_and_no_other(reel: int) -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(1.5)
    machine.stop(reel)
    turning = [number for number, body in machine.board.bodies.items() if machine.board.turns(number)]
    assert turning == [number for number in (1, 2, 3) if number != reel]
    (stood,) = [one.detail for one in machine.said.of(MachineEvent) if one.act == "reel_stopped"]
    assert stood.startswith(f"reel {reel} at stop {machine.stops[reel - 1]}, by the player")


def test_m2_a_reel_stops_at_the_symbol_that_follows_from_the_step_at_its_press() -> None:
    machine = ReelMachine()
    for delay_ms in range(0, 1000, 37):
        machine.token()
        machine.wait(1.5 + delay_ms / 1000)
        pressed, pressed_ns = {}, []
        for reel in (1, 2, 3):
            pressed_ns.append(machine.now_ns + 1)
            pressed[reel] = machine.press(reel, 30)
        outcome = machine.wait(1).one(events.Outcome)
        for reel, step in pressed.items():
            assert outcome.result["stops"][reel - 1] in stop_after(step)
        assert outcome.result["stops"] == machine.stops
        assert outcome.evidence.stopped_by == ["player"] * 3
        assert outcome.evidence.pressed_ns == pressed_ns


def test_t2_39_three_buttons_at_once_each_stop_their_own_reel() -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(1.7)
    places = [body.place for body in machine.board.bodies.values()]
    for reel in (1, 2, 3):
        machine.board.press(reel, machine.now_ns + 1, 50 * MS)
    outcome = machine.wait(1).one(events.Outcome)
    assert all(stop in stop_after(at) for stop, at in zip(outcome.result["stops"], places, strict=True))


def test_m2_the_outcome_has_the_win_lines_and_their_award_and_the_award_is_credited_once() -> None:
    model = MODELS.named("fruit_3")
    machine = ReelMachine()
    while not (outcome := machine.play().one(events.Outcome)).result["award"]:
        pass
    (line,) = outcome.result["lines"]
    stops = outcome.result["stops"]
    assert line["symbols"] == [reel[stop] for reel, stop in zip(model.reels, stops, strict=True)]
    assert line["award"] == outcome.result["award"] == award_of(model, line["symbols"]) == machine.credits
    assert machine.acts()[-1] == "hand_pay_due"
    assert machine.meters.tokens_won == machine.credits
    machine.ok("hand_pay by=ann")
    assert (machine.credits, machine.meters.tokens_hand_paid) == (0, outcome.result["award"])


def test_m2_no_line_awards_with_a_reel_that_the_player_did_not_stop() -> None:
    model = MODELS.named("fruit_3")
    assert [one.award for one in lines_shown(model, [1, 1, 1], [True, True, True])] == [20]
    assert [one.award for one in lines_shown(model, [1, 1, 1], [True, True, False])] == [0]
    machine = ReelMachine()
    machine.token()
    machine.wait(2)
    machine.stop(1)
    outcome = machine.wait(25).one(events.Outcome)
    assert outcome.evidence.stopped_by == ["player", "house", "house"]
    assert outcome.result["stops"][1:] == machine.stops[1:] == [0, 0]
    assert outcome.result["award"] == 0


def test_a_button_works_once_home_has_come_and_not_after_the_reel_stands() -> None:
    machine = ReelMachine()
    machine.commands.clear()
    machine.token()
    machine.wait(0.02)
    machine.press(1)
    assert machine.board.turns(1)
    assert [one for one in machine.commands if isinstance(one, ArmCommand)] == []
    machine.wait(1.5)
    assert sorted(one.reel for one in machine.commands if isinstance(one, ArmCommand)) == [1, 2, 3]
    machine.stop(1)
    at = machine.stops[0]
    machine.stop(1)
    assert machine.stops[0] == at


def test_a_second_token_in_a_play_belongs_to_the_player() -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(1)
    machine.token()
    assert machine.acts()[-1] == "hand_pay_due"
    assert (machine.credits, machine.meters.plays, machine.meters.tokens_in) == (1, 1, 2)


# --- the models ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS.names)
def test_every_model_is_whole_and_each_award_can_be_won(name: str) -> None:
    model = MODELS.named(name)
    for number, award in enumerate(model.awards):
        on_reels = all(want == "*" or want in reel for want, reel in zip(award.symbols, model.reels, strict=True))
        assert on_reels, f"award {number}"
        shown = [reel[0] if want == "*" else want for want, reel in zip(award.symbols, model.reels, strict=True)]
        assert award_of(model, shown) >= award.tokens


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("lines = [[0, 0, 0]]", "lines = [[0, 0]]", "line 1 gives 2 offsets"),
        ("lines = [[0, 0, 0]]", "lines = []", "there is no win line"),
        ('symbols = ["bar", "bar", "bar"]', 'symbols = ["bar", "barr", "bar"]', "award 2 names 'barr'"),
        ('symbols = ["bar", "bar", "bar"]', 'symbols = ["bar", "bar"]', "award 2 names 2 symbols"),
        ('["plum", "seven", "cherry",', '["seven", "cherry",', "the same number of symbols"),
        ('["cherry", "*", "*"]', '["*", "orange", "*"]', "plum, orange, cherry on line 1, an award of 1"),
        ("lines = [[0, 0, 0]]", "lines = [[0, 0, 0], [1, 1, 1]]", "seven, seven, seven on line 2, an award of 20"),
        ("steps_per_s = 200", "steps_per_s = 500", "<= 402"),
        ("steps_per_s = 200", "speed = 200", "speed"),
        ('title = "', "title = ", "fruit.toml"),
    ],
)
def test_a_model_that_contradicts_itself_is_refused_with_the_place(before: str, after: str, why: str) -> None:
    text = MODELS.bytes_of("fruit_3").decode()
    assert before in text
    with pytest.raises(ModelError, match=r"fruit\.toml") as refused:
        MODELS.read(text.replace(before, after, 1).encode(), "fruit.toml")
    assert why in str(refused.value)


def test_stops_of_another_number_of_reels_than_the_model_has_are_an_error() -> None:
    model = MODELS.named("fruit_3")
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        lines_shown(model, [HOME, HOME], [True, True])


@pytest.mark.parametrize("model", [models.named(name) for models in (MODELS, VIDEO_MODELS) for name in models.names])
def test_reels_that_the_house_parks_show_no_award_in_any_line(model: PlayModel) -> None:
    everybody = [True] * len(model.reels)
    assert parking(model, [None for _ in model.reels]) == [HOME for _ in model.reels]
    assert [one.award for one in lines_shown(model, [HOME] * len(model.reels), everybody)] == [0] * len(model.lines)
    jackpot = [reel.index("seven") for reel in model.reels]
    for left, reel in enumerate(model.reels):
        stops = [None if at == left else stop for at, stop in enumerate(jackpot)]
        parked = parking(model, stops)
        assert [one.award for one in lines_shown(model, parked, everybody)] == [0] * len(model.lines)
        assert [stop for at, stop in enumerate(parked) if at != left] == [stop for stop in stops if stop is not None]
        # A reel on which home would end three of a kind is parked elsewhere.
        alike = [None if at == left else one.index(reel[HOME]) for at, one in enumerate(model.reels)]
        if len(model.reels) == 3 and reel[HOME] != "cherry":
            assert lines_shown(model, parking(model, alike), everybody)[0].award == 0


def test_the_file_names_a_model_that_fits_its_reels() -> None:
    assert check_text(reel_toml('model = "fruit_5"', "[device.reels]\nreels = 5\n")).problems == []
    (problem,) = check_text(reel_toml('model = "fruit_4"')).problems
    assert (problem.key, "fruit_3, fruit_5" in problem.fix) == ("game.model", True)
    (problem,) = check_text(reel_toml('model = "fruit_5"')).problems
    assert problem.key == "device.reels.reels"
    (problem,) = check_text(reel_toml("", "[device.reels]\nsteps = 39\nhome_most = 10\n")).problems
    assert problem.key == "device.reels.steps"


def test_m1_another_model_shuts_the_machine() -> None:
    machine = ReelMachine()
    machine.play()
    machine.text = reel_toml('model = "fruit_5"', "[device.reels]\nreels = 5\n")
    assert ("machine", "configuration_changed") in faults(machine.restart())
    assert machine.table.state == "shut"


# --- T2-40, T2-41: the reels -----------------------------------------------------------------------------------------


def test_t2_40_after_a_power_cut_the_reels_turn_back_to_the_last_valid_result() -> None:
    machine = ReelMachine()
    stops = machine.play().one(events.Outcome).result["stops"]
    for body in machine.board.bodies.values():
        body.slip(61)
    assert machine.stops != stops
    machine.restart()
    machine.token()
    assert machine.acts()[-1] == "hand_pay_due", "no token is taken before they stand"
    machine.wait(6)
    assert machine.stops == stops
    machine.token()
    assert machine.acts()[-1] == "play_begun"


def test_t2_40_a_void_play_leaves_the_last_valid_result_on_the_reels() -> None:
    machine = ReelMachine()
    stops = machine.play().one(events.Outcome).result["stops"]
    machine.token()
    machine.wait(1.5)
    machine.stop(2)
    machine.ok("void reason=dealer_call by=ann")
    machine.wait(8)
    assert machine.stops == stops
    assert machine.credits >= 1


@pytest.mark.parametrize(("steps", "named"), [(6, True), (-6, True), (60, True), (5, False), (-5, False), (2, False)])
def test_t2_41_home_off_by_more_than_half_a_symbol_names_the_reel_and_stops_play(steps: int, named: bool) -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(2)
    while not 50 < machine.board.bodies[2].place < 150:
        machine.wait(0.05)
    machine.board.bodies[2].slip(steps)
    said = machine.wait(2.5)
    assert faults(said) == ([("reels", "reel_slipped")] if named else [])
    if named:
        assert said.one(events.DeviceFault).detail.startswith("reel 2: ")
        assert machine.table.state == "shut"
        assert not any(machine.board.turns(reel) for reel in (1, 2, 3))


def test_t2_41_a_reel_that_is_moved_across_its_tab_while_it_stands_is_found_at_once() -> None:
    machine = ReelMachine()
    machine.wait(2)
    assert machine.stops == [0, 0, 0]
    machine.board.bodies[3].slip(20)
    machine.board.look(3, machine.now_ns + MS)
    said = machine.wait(1)
    assert faults(said) == [("reels", "reel_moved")]
    assert "reel 3" in said.one(events.DeviceFault).detail
    machine.token()
    assert machine.meters.plays == 0


def test_t2_41_a_reel_that_is_moved_elsewhere_is_found_before_its_button_works() -> None:
    machine = ReelMachine()
    machine.play()
    machine.wait(1)
    at = machine.board.bodies[1].place
    machine.board.bodies[1].slip(20 if at < 160 else -20)
    machine.commands.clear()
    machine.token()
    said = machine.wait(2)
    assert faults(said) == [("reels", "reel_moved")]
    assert not any(isinstance(one, ArmCommand) and one.reel == 1 and one.on for one in machine.commands)


def test_t2_41_a_jammed_reel_is_found_and_the_play_goes_on_when_it_is_free() -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(1.5)
    machine.stop(1)
    at = machine.stops[0]
    machine.board.bodies[2].stuck = True
    assert faults(machine.wait(4)) == [("reels", "reel_jammed")]
    machine.ok("clear device=reels by=ann")
    assert faults(machine.wait(5)) == [("reels", "reel_jammed")], "it is jammed still"
    machine.board.bodies[2].stuck = False
    machine.ok("clear device=reels by=ann")
    machine.wait(6)
    assert machine.stops[0] == at
    machine.stop(2)
    outcome = machine.stop(3).one(events.Outcome)
    assert outcome.result["stops"] == machine.stops
    assert machine.meters.plays == 1


def test_a_board_that_is_gone_stops_play_until_it_is_back_and_cleared() -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(2)
    (board,) = machine.board.boards.values()
    board.lose()
    assert faults(machine.unplug("reels"))[0] == ("reels", "reel_not_answering")
    machine.wait(2)
    board.begin(machine.now_ns)
    machine.wait(0.5)
    machine.ok("clear device=reels by=ann")
    machine.wait(4)
    for reel in (1, 2, 3):
        machine.stop(reel)
    assert EventList(machine.said).of(events.Outcome)[-1].result["stops"] == machine.stops


# --- T2-37, T2-38, T2-43: what is held goes on -----------------------------------------------------------------------


@pytest.mark.parametrize("stopped", [0, 1, 2])
def test_t2_37_a_play_goes_on_where_the_power_failed(stopped: int) -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(1.6)
    for reel in range(1, stopped + 1):
        machine.stop(reel)
    stood = machine.stops[:stopped]
    for body in machine.board.bodies.values():
        body.slip(33)
    said = machine.restart()
    assert said.of(events.Void) == []
    assert said.of(events.RoundOpened) == []
    machine.wait(7)
    assert machine.stops[:stopped] == stood
    assert [machine.board.turns(reel) for reel in (1, 2, 3)] == [reel > stopped for reel in (1, 2, 3)]
    for reel in range(stopped + 1, 4):
        machine.stop(reel)
    outcome = EventList(machine.said).of(events.Outcome)[-1]
    assert outcome.result["stops"] == machine.stops
    assert (machine.meters.plays, machine.meters.tokens_in) == (1, 1)


def test_t2_37_an_award_is_credited_once_wherever_between_two_records_the_power_fails() -> None:
    machine = ReelMachine()
    while True:
        before = len(machine.said)
        if machine.play().one(events.Outcome).result["award"]:
            break
    won = machine.meters.tokens_won
    for durable in range(before + 1, len(machine.said) + 1):
        cut = ReelMachine()
        cut.state = TableState("reel-1")
        for event in machine.said[:durable]:
            cut.state.apply(event)
        cut.restart()
        cut.wait(8)
        for reel in (1, 2, 3):
            cut.stop(reel)
        begun = [one for one in EventList(machine.said[:durable]).of(MachineEvent) if one.act == "play_begun"]
        assert cut.meters.plays == len(begun)
        outcomes = EventList([*machine.said[:durable], *cut.said]).of(events.Outcome)
        assert len({one.round for one in outcomes}) == len(outcomes)
        if durable == len(machine.said):
            assert cut.meters.tokens_won == won


def test_t2_38_a_reel_fault_is_there_again_after_a_power_cut() -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(2)
    machine.board.bodies[2].slip(20)
    machine.wait(2.5)
    said = machine.restart()
    assert [(one.fault, one.before_restart) for one in said.of(events.DeviceFault)] == [("reel_slipped", True)]
    assert machine.table.state == "shut"
    machine.wait(3)
    assert not any(machine.board.turns(reel) for reel in (1, 2, 3))


def test_t2_43_an_open_door_stops_the_reels_and_their_time_and_a_closed_one_lets_them_spin_again() -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(1.6)
    machine.stop(1)
    at = machine.stops[0]
    machine.level("door", 1)
    machine.wait(1)
    assert not any(machine.board.turns(reel) for reel in (1, 2, 3))
    assert machine.wait(60).of(events.Outcome) == []
    machine.level("door", 0)
    machine.wait(2.5)
    assert [machine.board.turns(reel) for reel in (1, 2, 3)] == [False, True, True]
    machine.stop(2)
    outcome = machine.stop(3).one(events.Outcome)
    assert outcome.result["stops"] == machine.stops
    assert outcome.result["stops"][0] == at
    assert outcome.evidence.stopped_by == ["player"] * 3


def test_t2_49_a_token_in_test_mode_spins_nothing() -> None:
    machine = ReelMachine()
    machine.ok("test_begin by=ann")
    machine.commands.clear()
    machine.token()
    machine.wait(1)
    assert [one for one in machine.commands if isinstance(one, SpinCommand)] == []
    machine.ok("test_end by=ann")
    machine.wait(1)
    assert machine.meters.tokens_in == 0


def test_a_person_can_correct_a_result_by_its_stops() -> None:
    machine = ReelMachine()
    machine.play()
    assert "stops" in machine.refused("correct round=1 stops=0-0 why=looked by=ann")
    assert "0 to 19" in machine.refused("correct round=1 stops=0-0-20 why=looked by=ann")
    machine.ok("correct round=1 stops=1-1-1 why=looked by=ann")
    corrected = machine.said.one(events.RoundCorrected)
    assert corrected.to.result is not None
    assert corrected.to.result["award"] == 20


def test_the_house_stops_a_reel_at_home_and_never_one_that_the_player_has_stopped() -> None:
    machine = ReelMachine()
    machine.commands.clear()
    machine.token()
    machine.wait(19.9)
    machine.board.press(2, machine.now_ns + 90 * MS, 60 * MS)
    outcome = machine.wait(6).one(events.Outcome)
    assert outcome.result["stops"] == machine.stops
    assert outcome.evidence.stopped_by == ["house", "player", "house"]
    assert {one.step for one in machine.commands if isinstance(one, StopCommand) and one.reel != 2} == {0}
    assert [one for one in machine.commands if isinstance(one, StopCommand) and one.reel == 2] == []


def test_a_loose_token_opto_of_the_machine_shuts_it() -> None:
    machine = ReelMachine()
    machine.feed(Edge("token_in_2", 1, machine.now_ns + MS), Edge("token_in_2", 0, machine.now_ns + 20 * MS))
    assert faults(EventList(machine.said)) == [("machine", "token_in_doubt")]


def test_a_fault_that_is_cleared_while_the_reel_still_brakes_begins_no_other() -> None:
    machine = ReelMachine()
    machine.token()
    machine.wait(2)
    while not 50 < machine.board.bodies[2].place < 150:
        machine.wait(0.05)
    machine.board.bodies[2].slip(8)
    while not faults(machine.wait(0.005)):
        pass
    machine.ok("clear device=reels by=ann")
    assert faults(machine.wait(5)) == []
    assert [machine.board.turns(reel) for reel in (1, 2, 3)] == [True, True, True]
