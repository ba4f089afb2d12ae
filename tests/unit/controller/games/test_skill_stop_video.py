"""Plays of a skill-stop video, by the ids of the rules: what stops an image, what the screen shows, what is held."""

from __future__ import annotations

from random import Random

import pytest

from controller.games.load import check_text
from controller.games.machines.win_lines import ModelError, award_of
from controller.games.skill_stop_reel.model import MODELS as REEL_MODELS
from controller.games.skill_stop_video.model import MODELS
from drivers.screen.screen_wire import FlipMade, SetUpScreen, SpinReel, StopReel, Touched, line_of
from feed import events
from feed.events import MachineEvent, Meters
from hal.values import Frame
from simulators.screen.table import IN_PLAY, LAGS_NS, ScreenSimulator
from tests.tables.bench import EventList
from tests.tables.spun_machine import MS
from tests.tables.video_machine import LAG_NS, VideoMachine, video_toml

FRAME_NS = 16_666_667


def faults(said: EventList) -> list[tuple[str, str]]:
    return [(one.device, one.fault) for one in said.of(events.DeviceFault)]


# --- 13:47-20.2: token, images, buttons or touch, win lines ----------------------------------------------------------


def test_m3_a_token_turns_every_image_and_nothing_else_does() -> None:
    machine = VideoMachine()
    machine.wait(2)
    assert machine.spun == []
    machine.token()
    machine.wait(0.2)
    assert machine.spun == [1, 2, 3]
    assert machine.turning == [1, 2, 3]
    assert machine.meters == Meters(tokens_in=1, tokens_played=1, plays=1, power_ups=1)


@pytest.mark.parametrize("touch", [False, True])
@pytest.mark.parametrize("reel", [1, 2, 3])
def test_m3_each_button_and_each_place_on_the_screen_stops_its_own_image_and_no_other(reel: int, touch: bool) -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    machine.stop(reel, touch=touch)
    assert machine.turning == [number for number in (1, 2, 3) if number != reel]
    (stood,) = [one.detail for one in machine.said.of(MachineEvent) if one.act == "reel_stopped"]
    assert stood == f"reel {reel} at stop {machine.images[reel - 1]}, by the player"


def test_m3_the_image_that_was_lit_at_the_press_is_stopped_within_a_frame() -> None:
    machine, rng = VideoMachine(), Random(7)
    earlier = 0
    for number in range(25):
        machine.token()
        machine.wait(0.8)
        lit: list[tuple[int | None, int | None]] = []
        for reel in (1, 2, 3):
            press_ns = machine.press(reel, touch=number % 2 == 0, after_ns=rng.randrange(1, 200 * MS))
            machine.wait(0.5)
            late = machine.screen.lit_at(reel, press_ns)
            before = machine.screen.lit_at(reel, press_ns - FRAME_NS)
            lit.append((late, before))
        outcome = EventList(machine.said).of(events.Outcome)[-1]
        assert outcome.result["stops"] == list(machine.images)
        for image, (late, before) in zip(outcome.evidence.images or [], lit, strict=True):
            assert image is not None
            assert late in image.possible
            assert image.image in (late, before)
            earlier += image.image != late
    assert earlier <= 12, "doubt is rare"


def test_m3_the_evidence_has_the_kernels_time_the_light_and_its_error() -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    pressed = [machine.press(reel, touch=reel == 2, after_ns=reel * 250 * MS) for reel in (1, 2, 3)]
    evidence = machine.wait(1.5).one(events.Outcome).evidence
    assert evidence.images is not None
    assert evidence.pressed_ns is not None
    for reel, (image, at_ns, press_ns) in enumerate(zip(evidence.images, evidence.pressed_ns, pressed, strict=True), 1):
        assert image is not None
        assert at_ns is not None
        assert abs(at_ns - press_ns) < MS
        assert image.lit_ns < press_ns + 8 * MS
        assert (image.by, image.latency_ms) == ("touch" if reel == 2 else "button", 25.0)
        assert image.error_ms == (8.0 if reel == 2 else 4.0)
        assert image.possible[0] == image.image
    assert evidence.stopped_by == ["player"] * 3


def test_t2_39_three_presses_at_once_each_stop_their_own_image() -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    at_ns = {reel: machine.press(reel, touch=reel != 2) for reel in (1, 2, 3)}
    outcome = machine.wait(1).one(events.Outcome)
    for reel, press_ns in at_ns.items():
        shown = {machine.screen.lit_at(reel, press_ns), machine.screen.lit_at(reel, press_ns - FRAME_NS)}
        assert outcome.result["stops"][reel - 1] in shown


@pytest.mark.parametrize(("touched_ms", "by"), [(-4, "touch"), (4, "button")])
def test_m3_the_press_that_came_first_counts_and_not_the_one_that_was_reported_first(touched_ms: int, by: str) -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    pressed_ns = machine.press(1, after_ns=10 * MS)
    touched_ns = machine.press(1, touch=True, after_ns=(10 + touched_ms) * MS)
    machine.wait(0.3)
    for reel in (2, 3):
        machine.stop(reel)
    evidence = EventList(machine.said).of(events.Outcome)[-1].evidence
    assert evidence.images is not None
    assert evidence.pressed_ns is not None
    assert evidence.pressed_ns[0] is not None
    image = evidence.images[0]
    assert image is not None
    assert image.by == by
    assert abs(evidence.pressed_ns[0] - (touched_ns if by == "touch" else pressed_ns)) < MS


@pytest.mark.parametrize("touched_ms", [-4, 4])
def test_m3_an_earlier_press_that_is_reported_after_the_image_was_decided_is_in_doubt(touched_ms: int) -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    pressed_ns = machine.press(1)
    while not [one for one in machine.messages if isinstance(one, StopReel) and one.reel == 1 and one.image]:
        machine.wait(0.001)
    touch = Touched(at=pressed_ns + touched_ms * MS + LAG_NS, down=True, x=0, y=0, reel=1, by="kernel")
    machine.screen.plan_rare(Frame("screen", line_of(touch), machine.now_ns + 1))
    said = machine.wait(0.2)
    assert faults(said) == ([("screen", "image_in_doubt")] if touched_ms < 0 else [])
    if touched_ms < 0:
        assert "by touch" in said.one(events.DeviceFault).detail


def test_m3_an_award_is_that_of_the_win_line_and_is_credited_once() -> None:
    model, machine = MODELS.named("video_fruit_3"), VideoMachine()
    while not (outcome := machine.play().one(events.Outcome)).result["award"]:
        pass
    (line,) = outcome.result["lines"]
    stops = outcome.result["stops"]
    assert line["symbols"] == [reel[stop] for reel, stop in zip(model.reels, stops, strict=True)]
    assert line["award"] == outcome.result["award"] == award_of(model, line["symbols"]) == machine.credits
    assert machine.acts()[-1] == "hand_pay_due"
    assert machine.shown == "award"
    machine.ok("hand_pay by=ann")
    assert (machine.credits, machine.meters.tokens_hand_paid) == (0, outcome.result["award"])


def test_m3_the_house_stops_what_the_player_leaves_and_no_line_awards() -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    machine.stop(1)
    outcome = machine.wait(22).one(events.Outcome)
    assert outcome.evidence.stopped_by == ["player", "house", "house"]
    assert outcome.result["stops"][1:] == list(machine.images[1:]) == [0, 0]
    assert outcome.result["award"] == 0
    assert outcome.evidence.images is not None
    assert [one is None for one in outcome.evidence.images] == [False, True, True]


def test_a_press_in_the_last_moment_of_the_players_time_counts_though_it_is_reported_late() -> None:
    machine = VideoMachine()
    machine.token()
    begun_ns = next(one.mono_ns for one in machine.said.of(MachineEvent) if one.act == "play_begun")
    machine.wait(1)
    for reel in (1, 2):
        machine.stop(reel)
    machine.wait((begun_ns + 20_000 * MS - machine.now_ns) / 1e9 - 0.004)
    machine.press(3, touch=True, after_ns=2 * MS)
    outcome = machine.wait(2).one(events.Outcome)
    assert outcome.evidence.stopped_by == ["player"] * 3


def test_a_press_before_the_images_have_turned_long_enough_stops_nothing() -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(0.1)
    machine.stop(1)
    machine.stop(2, touch=True)
    assert machine.turning == [1, 2, 3]


def test_a_touch_that_no_kernel_has_dated_stops_nothing_unless_the_file_says_so() -> None:
    for more, turning in (("", [1, 2, 3]), ("[device.screen]\nwindow_touch = true\n", [2, 3])):
        machine = VideoMachine(video_toml("", more))
        machine.token()
        machine.wait(1.2)
        machine.happens(lambda screen, t_ns: screen.touch(t_ns, 1, by_kernel=False), 0.01)
        machine.wait(0.4)
        assert machine.turning == turning


def test_a_second_token_in_a_play_belongs_to_the_player() -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1)
    machine.token()
    assert machine.acts()[-1] == "hand_pay_due"
    assert (machine.credits, machine.meters.plays, machine.meters.tokens_in) == (1, 1, 2)


# --- the models ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS.names)
def test_every_model_is_whole_and_each_award_can_be_won(name: str) -> None:
    model = MODELS.named(name)
    for award in model.awards:
        shown = [reel[0] if want == "*" else want for want, reel in zip(award.symbols, model.reels, strict=True)]
        assert all(symbol in reel for symbol, reel in zip(shown, model.reels, strict=True))
        assert award_of(model, shown) >= award.tokens


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("symbol_ms = 100", "symbol_ms = 59", ">= 60"),
        ("symbol_ms = 100", "steps_per_s = 200", "steps_per_s"),
        ("lines = [[0, 0, 0]]", "lines = [[0, 0]]", "line 1 gives 2 offsets"),
        ('symbols = ["bar", "bar", "bar"]', 'symbols = ["bar", "barr", "bar"]', "award 2 names 'barr'"),
    ],
)
def test_a_model_that_contradicts_itself_is_refused_with_the_place(before: str, after: str, why: str) -> None:
    text = MODELS.bytes_of("video_fruit_3").decode()
    assert before in text
    with pytest.raises(ModelError, match=r"video\.toml") as refused:
        MODELS.read(text.replace(before, after, 1).encode(), "video.toml")
    assert why in str(refused.value)


def test_a_model_file_that_is_no_utf_8_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"video\.toml: .*utf-8"):
        MODELS.read(b'title = "\xff"', "video.toml")


def test_the_file_names_a_model_that_fits_its_screen() -> None:
    assert check_text(video_toml('model = "video_fruit_5"', "[device.screen]\nreels = 5\n")).problems == []
    (problem,) = check_text(video_toml('model = "fruit_3"')).problems
    assert (problem.key, "video_fruit_3, video_fruit_5" in problem.fix) == ("game.model", True)
    assert "fruit_3" in REEL_MODELS.names
    (problem,) = check_text(video_toml('model = "video_fruit_5"')).problems
    assert problem.key == "device.screen.reels"


@pytest.mark.parametrize(("error_ms", "wrong"), [(36, []), (37, ["device.screen.latency_error_ms"])])
def test_a_display_whose_doubt_and_a_frame_are_longer_than_a_symbol_is_shown_is_refused(
    error_ms: int, wrong: list[str]
) -> None:
    """A symbol is shown for 100 ms, a touch is off by 5 ms, and a frame lasts 16.7 ms."""
    problems = check_text(video_toml("", f"[device.screen]\nlatency_error_ms = {error_ms}\n")).problems
    assert [problem.key for problem in problems] == wrong
    assert all("three images" in problem.wrong for problem in problems)


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("latency = 3", "device.screen.latency"),
        ("latency_ms = -1", "device.screen.latency_ms"),
        ('stops = "foot"', "device.screen.stops"),
        ('stops = "buttons"\nwindow_touch = true', "device.screen.window_touch"),
        ("late_ms = 300", "device.screen.late_ms"),
    ],
)
def test_a_wrong_key_of_the_screen_is_named(more: str, key: str) -> None:
    (problem,) = check_text(video_toml("", f"[device.screen]\n{more}\n")).problems
    assert problem.key == key


def test_a_table_with_a_real_display_must_state_what_was_measured() -> None:
    text = (
        '[table]\nid = "v"\ngame = "skill_stop_video"\n[lines]\nbackend = "gpiod"\nchip = "pinctrl-rp1"\n'
        '[links]\nscreen = { port = "socket://127.0.0.1:5990" }\n[device.screen]\nstops = "touch"\n'
        "[pins]\ntoken_in_1 = { gpio = 17 }\ntoken_in_2 = { gpio = 27 }\ndoor = { gpio = 22 }\n"
    )
    keys = {problem.key for problem in check_text(text).errors}
    assert {"device.screen.latency_ms", "device.screen.touch_latency_ms"} <= keys
    measured = text.replace('"touch"\n', '"touch"\nlatency_ms = 31.5\ntouch_latency_ms = 9\n')
    assert not {key for key in (problem.key for problem in check_text(measured).errors) if "latency" in key}


def test_m1_another_model_shuts_the_machine() -> None:
    machine = VideoMachine()
    machine.play()
    machine.text = video_toml("token_value = 2")
    assert ("machine", "configuration_changed") in faults(machine.restart())
    assert machine.table.state == "shut"


# --- the screen fails ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "fault"),
    [
        ("screen_hung", "screen_silent"),
        ("screen_dead", "screen_lost"),
        ("display_unplugged", "display_failed"),
        ("frames_missing", "flips_missing"),
        ("line_garbled", "screen_unreadable"),
    ],
)
def test_t2_51_a_screen_that_fails_stops_the_play_which_goes_on_once_it_is_mended(what: str, fault: str) -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    machine.stop(1)
    stood = machine.images[0]
    for after_s, happening in IN_PLAY[what]:
        machine.happens(happening, 0.1 + after_s)
    said = machine.wait(3)
    assert [code for _, code in faults(said)] == [fault]
    assert machine.shown == "fault"
    assert machine.scene.faults[0].fault == fault
    machine.token()
    assert machine.acts()[-1] == "hand_pay_due"
    machine.ok("clear device=screen by=ann")
    machine.wait(1.5)
    assert machine.images[0] == stood
    assert machine.turning == [2, 3]
    for reel in (2, 3):
        machine.stop(reel)
    outcome = EventList(machine.said).of(events.Outcome)[-1]
    assert outcome.result["stops"] == list(machine.images)
    assert machine.meters.plays == 1


def test_a_play_that_a_fault_holds_can_be_made_void_and_its_token_goes_back() -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    machine.happens(lambda screen, t_ns: screen.hang(t_ns, 1.0), 0.1)
    machine.wait(1.5)
    machine.ok("void reason=dealer_call by=ann")
    assert (machine.credits, machine.meters.tokens_refunded) == (1, 1)
    machine.ok("clear device=screen by=ann")
    machine.wait(1)
    assert machine.images == (0, 0, 0)
    assert machine.turning == []


def test_a_screen_fault_cannot_be_cleared_while_the_screen_is_gone() -> None:
    machine = VideoMachine()
    machine.happens(ScreenSimulator.end_program, 0.1)
    machine.wait(1)
    machine.order("clear device=screen by=ann")
    assert machine.table.state == "shut"
    machine.happens(ScreenSimulator.start_program, 0.1)
    machine.wait(1)
    machine.ok("clear device=screen by=ann")
    assert machine.table.state == "open"


def test_a_screen_that_never_comes_is_a_fault_after_a_while() -> None:
    machine = VideoMachine()
    machine.happens(lambda screen, t_ns: screen.lose_link())
    machine.begin()
    machine.wait(10)
    assert faults(EventList(machine.said)) == []
    assert faults(machine.wait(6))[0] == ("screen", "screen_lost")
    assert machine.table.state == "shut"


def test_light_that_returns_does_not_end_the_fault_of_a_display_that_lags() -> None:
    machine = VideoMachine(video_toml("", "[device.screen]\nlight = true\n"), light=True)
    machine.happens(lambda screen, _: screen.lag(LAGS_NS))
    machine.wait(3)
    machine.happens(lambda screen, _: screen.darken(True))
    machine.wait(3)
    machine.happens(lambda screen, _: screen.darken(False))
    machine.wait(3)
    assert faults(machine.said) == [("screen", "display_latency"), ("screen", "display_dark")]
    assert machine.order("clear device=screen by=ann").accepted
    assert [one.fault for one in machine.state.faults] == ["display_latency"]
    machine.happens(lambda screen, _: screen.lag(0))
    machine.wait(3)
    assert machine.order("clear device=screen by=ann").accepted
    assert machine.table.state == "open"


def test_a_screen_that_shows_another_image_than_the_one_at_which_it_stands_has_failed() -> None:
    machine = VideoMachine()
    machine.wait(1)
    machine.happens(lambda screen, t_ns: screen.jump(t_ns, 2, 7))
    said = machine.wait(1)
    assert faults(said) == [("screen", "screen_differs")]
    assert "reel 2" in said.one(events.DeviceFault).detail


@pytest.mark.parametrize("playing", [False, True])
def test_a_frame_with_an_image_that_the_model_does_not_have_is_a_fault_once_and_no_award(playing: bool) -> None:
    machine = VideoMachine()
    machine.wait(1)
    if playing:
        machine.token()
        machine.wait(1.2)
    for more in (1, 2, 3):
        at_ns = machine.now_ns + more * MS
        flip = FlipMade(number=9000 + more, begun=at_ns, made=at_ns, images=[0, 20, 0], turning=[])
        machine.screen.plan_rare(Frame("screen", line_of(flip), at_ns))
    said = machine.wait(0.01)
    assert faults(said) == [("screen", "screen_unreadable")]
    assert "0, 20, 0" in said.one(events.DeviceFault).detail
    assert said.of(events.Outcome) == []


def test_what_a_screen_of_another_number_of_reels_reports_proves_nothing() -> None:
    machine = VideoMachine()
    data = b'{"is":"flip","number":9000,"begun":1,"made":2,"images":[1,2],"turning":[]}'
    machine.screen.plan_rare(Frame("screen", data, machine.now_ns + MS))
    machine.wait(1)
    assert faults(EventList(machine.said)) == []


# --- power, door, test, recall ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("stopped", [0, 1, 2])
def test_t2_37_a_play_goes_on_where_the_power_failed(stopped: int) -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    for reel in range(1, stopped + 1):
        machine.stop(reel)
    stood = machine.images[:stopped]
    said = machine.restart()
    assert said.of(events.Void) == []
    machine.wait(1.8)
    assert machine.images[:stopped] == stood
    assert machine.turning == list(range(stopped + 1, 4))
    for reel in range(stopped + 1, 4):
        machine.stop(reel)
    outcome = EventList(machine.said).of(events.Outcome)[-1]
    assert outcome.result["stops"] == list(machine.images)
    assert (machine.meters.plays, machine.meters.tokens_in) == (1, 1)


def test_t2_40_after_a_power_cut_the_screen_shows_the_last_valid_result() -> None:
    machine = VideoMachine()
    stops = machine.play().one(events.Outcome).result["stops"]
    machine.restart()
    machine.wait(1)
    assert list(machine.images) == stops


def test_t2_38_a_screen_fault_is_there_again_after_a_power_cut_and_on_the_screen() -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    machine.happens(lambda screen, t_ns: screen.swallow_flips(), 0.1)
    machine.wait(1)
    said = machine.restart()
    assert [(one.fault, one.before_restart) for one in said.of(events.DeviceFault)] == [("flips_missing", True)]
    machine.wait(1)
    assert machine.shown == "fault"
    assert machine.scene.faults[0].fault == "flips_missing"
    assert machine.turning == []


def test_t2_43_an_open_door_stops_the_images_and_their_time() -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1.2)
    machine.stop(1)
    stood = machine.images[0]
    machine.level("door", 1)
    machine.wait(30)
    assert machine.turning == []
    assert machine.shown == "door"
    machine.level("door", 0)
    machine.wait(1.2)
    assert machine.turning == [2, 3]
    assert machine.images[0] == stood
    assert machine.shown == "play"


def test_t2_49_test_mode_is_shown_and_moves_no_meter() -> None:
    machine = VideoMachine()
    before = machine.meters
    machine.ok("test_begin by=ann")
    machine.token()
    machine.wait(0.5)
    assert machine.shown == "test"
    assert machine.meters == before
    assert machine.spun == []
    machine.ok("test_end by=ann")
    machine.wait(0.1)
    assert machine.shown == "attract"


def test_t2_48_the_last_ten_plays_are_recalled_on_the_screen_and_marked() -> None:
    machine = VideoMachine()
    stops = [machine.play().one(events.Outcome).result["lines"][0]["symbols"] for _ in range(11)]
    machine.ok("recall_begin by=ann")
    machine.wait(0.1)
    scene = machine.scene
    assert scene.view == "recall"
    assert [one.play for one in scene.plays] == list(range(11, 1, -1))
    assert [one.symbols[0] for one in scene.plays] == stops[:0:-1]
    machine.token()
    assert machine.acts()[-1] == "hand_pay_due", "no play begins behind the recall"
    machine.ok("recall_end by=ann")
    machine.wait(0.1)
    assert machine.shown != "recall"


def test_t2_48_the_last_plays_are_recalled_in_a_fault_too_but_not_in_a_play() -> None:
    machine = VideoMachine()
    machine.token()
    machine.wait(1)
    assert "play 1 is on" in machine.refused("recall_begin by=ann")
    machine.happens(lambda screen, t_ns: screen.swallow_flips(), 0.1)
    machine.wait(1)
    machine.ok("recall_begin by=ann")
    machine.wait(0.1)
    assert machine.shown == "recall"
    machine.ok("recall_end by=ann")
    machine.wait(0.1)
    assert machine.shown == "fault"
    assert "not shown" in machine.refused("recall_end by=ann")


def test_the_screen_is_told_the_model_and_shows_what_is_owed() -> None:
    machine = VideoMachine()
    setup = next(one for one in machine.messages if isinstance(one, SetUpScreen))
    model = MODELS.named("video_fruit_3")
    assert setup.reels == model.reels
    assert setup.symbol_ns == model.symbol_ms * MS
    assert [one.reel for one in machine.messages if isinstance(one, SpinReel)] == []
    machine.token()
    machine.wait(1)
    machine.token()
    for reel in (1, 2, 3):
        machine.stop(reel)
    assert machine.shown in ("award", "hand_pay")
    assert machine.scene.by_hand
    assert machine.scene.credits == machine.credits >= 1


def test_a_finger_that_stays_on_the_panel_is_a_fault_until_it_is_lifted() -> None:
    machine = VideoMachine()
    machine.happens(ScreenSimulator.touch)
    assert faults(machine.wait(6)) == [("screen", "touch_stuck")]
    machine.order("clear device=screen by=ann")
    assert machine.table.state == "shut"
    machine.happens(ScreenSimulator.lift)
    machine.wait(0.1)
    machine.ok("clear device=screen by=ann")
    assert machine.table.state == "open"
