"""The parts of the kinds, each alone and against a model of its own: pulses, beams, payouts, keys, lamps, steps."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import combinations, pairwise, product
from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.firmware.c_units import build, load

TICKS_A_MS = 2_000
PARTS = ("debounce", "tokens", "chute", "tilt", "hopper", "keypad", "stepper", "lamp_chain")
SOURCES = ("parts.c", *(f"kinds/{part}.c" for part in PARTS))
TRUTHS = (
    *("tokens_edge", "tokens_poll", "tokens_blocked", "tilt_edge", "tilt_poll", "hopper_edge", "hopper_poll"),
    "hopper_wants_test",
    *("keypad_column", "lamp_chain_poll", "lamp_chain_takes", "stepper_stop", "stepper_ramp", "stepper_is_on"),
)
WORDS = ("tokens_rejected", "keypad_pressed", "stepper_step", "stepper_slips", "stepper_place")
BYTES = ("chute_edge", "hopper_pay", "stepper_level", "stepper_poll")


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ctypes.CDLL]:
    library = load(build(tmp_path_factory.mktemp("parts"), "parts", *SOURCES))
    for names, kind in ((TRUTHS, ctypes.c_bool), (WORDS, ctypes.c_uint16), (BYTES, ctypes.c_uint8)):
        for name in names:
            getattr(library, name).restype = kind
    yield library


def at(library: ctypes.CDLL, name: str) -> ctypes.c_void_p:
    """The one of a part that the library has."""
    return ctypes.byref(ctypes.c_uint8.in_dll(library, name))  # type: ignore[return-value]


def ticks(t: int) -> ctypes.c_uint32:
    return ctypes.c_uint32(t)


# --- pulses of tokens -------------------------------------------------------------------------------------------------

some_ticks = st.integers(1, 12_000) | st.integers(1, 600_000)
on_the_limits = st.sampled_from((9_999, 10_000, 39_999, 40_000, 500_000, 500_001))
segments = st.lists(some_ticks | on_the_limits, max_size=40)
starts = st.sampled_from((0, 1_000_000, 2**31 - 100_000, 2**32 - 300_000))


def tokens_of(durations: list[int]) -> int:
    """Tokens among levels that change after these ticks, first from high to low, and stay as they end."""
    t, edges, level, count, fell = 0, [], 1, 0, 0
    for place, duration in enumerate([10**6, *durations, 10**6]):
        edges.append((t, 1 - place % 2, duration))
        t += duration
    settled = [(begins, raw) for begins, raw, duration in edges if duration >= 10_000]
    for begins, raw in settled:
        if raw != level:
            level = raw
            count += raw == 1 and 40_000 <= begins - fell <= 500_000
            fell = begins
    return count


@given(durations=segments, start=starts, every=st.integers(500, 40_000))
@settings(deadline=None)
def test_tokens_are_the_pulses_of_the_right_width_however_late_the_main_loop_looks(
    parts: ctypes.CDLL, durations: list[int], start: int, every: int
) -> None:
    tokens = at(parts, "tokens")
    parts.tokens_begin(tokens, 1)
    t, polled, level, found = start + 10**6, start, 1, 0
    for duration in [*durations, 10**6]:
        while polled + every < t:
            polled += every
            found += parts.tokens_poll(tokens, ticks(polled))
        level ^= 1
        found += parts.tokens_edge(tokens, level, ticks(t))
        t += duration
    if level == 0:
        t += 10**6
        parts.tokens_edge(tokens, 1, ticks(t))
    found += parts.tokens_poll(tokens, ticks(t + 10**6))
    assert found == tokens_of(durations)


def test_a_line_that_is_low_for_longer_than_the_clock_goes_is_no_token(parts: ctypes.CDLL) -> None:
    tokens = at(parts, "tokens")
    parts.tokens_begin(tokens, 1)
    parts.tokens_edge(tokens, 0, ticks(0))
    t = 0
    while t < 2**32 + 60 * TICKS_A_MS - 20_000:
        t += 16 * TICKS_A_MS
        assert not parts.tokens_poll(tokens, ticks(t))
    assert parts.tokens_blocked()
    parts.tokens_edge(tokens, 1, ticks(2**32 + 60 * TICKS_A_MS))
    assert not parts.tokens_poll(tokens, ticks(2**32 + 100 * TICKS_A_MS))
    assert parts.tokens_rejected() == 1


# --- the chute --------------------------------------------------------------------------------------------------------

A, B = 1, 2
NONE, WON, BACK = range(3)
FORWARDS, BACKWARDS = [0, A, A | B, B, 0], [0, B, A | B, A, 0]


def without_returns(path: list[int]) -> list[int]:
    """A path through the beams' states, with all that went there and back left out."""
    out: list[int] = []
    for state in path:
        if len(out) > 1 and out[-2] == state:
            out.pop()
        else:
            out.append(state)
    return out


@given(beams=st.lists(st.sampled_from((A, B)), max_size=60), start=starts)
@settings(deadline=None)
def test_a_passage_is_won_when_its_path_went_forwards_once(parts: ctypes.CDLL, beams: list[int], start: int) -> None:
    chute = at(parts, "chute")
    parts.chute_begin(chute, 0)
    path, t = [0], start
    for beam in beams:
        t += 3 * TICKS_A_MS
        state = path[-1] ^ beam
        said = parts.chute_edge(chute, beam, bool(state & beam), ticks(t))
        path.append(state)
        assert said == NONE or state == 0
        if state == 0:
            went = without_returns(path)
            assert said == (WON if went == FORWARDS else BACK if went == BACKWARDS else NONE)
            path = [0]


def test_a_passage_too_quick_for_a_token_is_none(parts: ctypes.CDLL) -> None:
    chute = at(parts, "chute")
    for step_ticks, said in ((2_000, NONE), (2_667, WON)):
        parts.chute_begin(chute, 0)
        for place, (beam, dark) in enumerate(((A, True), (B, True), (A, False))):
            assert parts.chute_edge(chute, beam, dark, ticks(1_000 + place * step_ticks)) == NONE
        assert parts.chute_edge(chute, B, False, ticks(1_000 + 3 * step_ticks)) == said


def test_what_was_in_the_chute_at_the_start_counts_as_nothing(parts: ctypes.CDLL) -> None:
    chute = at(parts, "chute")
    for dark in (A, A | B, B):
        parts.chute_begin(chute, dark)
        state = dark
        for beam in (A, B, A, B):
            wanted = FORWARDS[FORWARDS.index(state) + 1] if state else 0
            if state and state ^ wanted == beam:
                state = wanted
                assert parts.chute_edge(chute, beam, bool(state & beam), ticks(10_000 * beam)) == NONE
    assert parts.chute_edge(chute, A, False, ticks(90_000)) == NONE, "a level that is told twice is nothing"


# --- tilt -------------------------------------------------------------------------------------------------------------


@given(gaps=st.lists(st.integers(20, 12_000), min_size=1, max_size=12), start=starts)
@settings(deadline=None, max_examples=40)
def test_touches_within_three_seconds_are_one_tilt(parts: ctypes.CDLL, gaps: list[int], start: int) -> None:
    tilt = at(parts, "tilt")
    parts.tilt_begin(tilt, 1)
    t, begun, expected, last_end = start, 0, 0, None
    for gap_ms in gaps:
        fall, rise = t + gap_ms * TICKS_A_MS, t + (gap_ms + 10) * TICKS_A_MS
        for now in range(t, fall, 16 * TICKS_A_MS):
            begun += parts.tilt_poll(tilt, ticks(now))
        begun += parts.tilt_edge(tilt, 0, ticks(fall))
        begun += parts.tilt_poll(tilt, ticks(rise - 100))
        begun += parts.tilt_edge(tilt, 1, ticks(rise))
        begun += parts.tilt_poll(tilt, ticks(rise + 4_100))
        if last_end is None or gap_ms > 3_050:
            expected += 1
        elif gap_ms > 2_950:
            return  # within what polling every 16 ms may take for either
        t = last_end = rise
    assert begun == expected


# --- payouts ----------------------------------------------------------------------------------------------------------

IDLE, PAYING, EMPTY, RUNAWAY, UNPROVEN, CUT_SHORT, JAMMED = range(7)
RESTS, NOTING, TESTING, RUNNING, STOPS, TURNS_BACK, STARTS, COASTING, PROVING = range(9)
NOTES, HAD, WRONG, BUSY, RUNS_AWAY = range(5)
LOST = 2
"""What HOPPER_LOST of hopper.h is."""


class View(ctypes.Structure):
    _fields_ = (
        ("state", ctypes.c_uint8),
        ("motor", ctypes.c_uint8),
        ("stage", ctypes.c_uint8),
        ("tokens", ctypes.c_uint8),
        ("at_most", ctypes.c_uint8),
        ("payout", ctypes.c_uint16),
        ("paid", ctypes.c_uint16),
    )


class Payouts:
    """A hopper, what is kept of it, and a world that lets tokens fall."""

    def __init__(self, parts: ctypes.CDLL, t: int) -> None:
        self.c = parts
        self.hopper = at(parts, "hopper")
        self.t = t
        self.note = bytes(6)
        self.paid_out = 65_500
        self.begin()

    def begin(self) -> None:
        """A reset: what is kept is all that is known."""
        self.c.hopper_begin(self.hopper, self.note, ctypes.c_uint16(self.paid_out & 0xFFFF))

    @property
    def view(self) -> View:
        view = View()
        self.c.hopper_look(ctypes.byref(view))
        return view

    def pay(self, number: int, tokens: int) -> int:
        return int(self.c.hopper_pay(self.hopper, ctypes.c_uint16(number), tokens))

    def keep(self) -> None:
        """The store has kept how things are."""
        note = (ctypes.c_uint8 * 6)()
        self.c.hopper_note(self.hopper, note)
        self.note = bytes(note)
        self.c.hopper_noted(self.hopper)

    def test(self, proven: bool = True) -> None:
        """The sensor was tested, where that was wanted."""
        if self.c.hopper_wants_test(self.hopper):
            self.c.hopper_tested(self.hopper, proven, ticks(self.t))

    def wait(self, ms: int) -> None:
        for _ in range(0, ms, 10):
            self.t += 10 * TICKS_A_MS
            self.count(self.c.hopper_poll(self.hopper, ticks(self.t)))

    def count(self, token: bool) -> None:
        self.paid_out += token

    def fall(self) -> None:
        """A token passes the sensor."""
        before = self.paid_out
        self.count(self.c.hopper_edge(self.hopper, 0, ticks(self.t)))
        self.wait(30)
        self.count(self.c.hopper_edge(self.hopper, 1, ticks(self.t)))
        self.wait(30)
        assert self.paid_out == before + 1

    def begin_payout(self, number: int, tokens: int) -> None:
        """Noted, tested, running."""
        assert self.pay(number, tokens) == NOTES
        self.keep()
        self.test()
        assert self.view.motor


@given(seed=st.integers(0, 2**32), start=starts)
@settings(deadline=None, max_examples=80)
def test_whatever_happens_a_payout_pays_once_and_never_more_and_says_what_it_paid(
    parts: ctypes.CDLL, seed: int, start: int
) -> None:
    draw = Random(seed)
    world = Payouts(parts, start)
    number = 65_530
    paid: dict[int, int] = {}
    asked: dict[int, int] = {}
    ended: set[int] = set()
    noted: set[int] = set()
    for _ in range(150):
        action = draw.choice(("pay", "again", "fall", "fall", "fall", "stop", "reset", "keep", "test", "wait", "old"))
        view = world.view
        if action == "pay":
            said = world.pay(number % 65_535 + 1, draw.randrange(1, 6))
            assert said in (NOTES, BUSY, RUNS_AWAY)
            if said == NOTES:
                number = number % 65_535 + 1
                asked[number] = world.view.tokens
        elif action == "again" and view.tokens:
            assert world.pay(view.payout, view.tokens) == HAD
            assert world.view.motor == view.motor
            assert world.view.stage == view.stage
        elif action == "old" and view.tokens:
            assert world.pay((view.payout - draw.randrange(1, 30_000)) & 0xFFFF or 1, 1) == WRONG
            assert world.pay(view.payout, view.tokens + 1) == WRONG
        elif action == "fall" and view.motor:
            assert view.payout not in ended, "a number is not carried out a second time"
            paid[view.payout] = paid.get(view.payout, 0) + 1
            world.fall()
        elif action == "stop":
            parts.hopper_stop(world.hopper, ticks(world.t))
            world.wait(600)
        elif action == "reset":
            world.begin()
            number = world.view.payout or 65_530
            for forgotten in set(asked) - noted:
                assert forgotten not in paid, "what was not noted was not paid"
                ended.discard(forgotten)
        elif action == "keep":
            world.keep()
            noted.add(world.view.payout)
        elif action == "test":
            world.test(draw.random() < 0.8)
        elif action == "wait":
            world.wait(draw.choice((50, 1_500)))
        view = world.view
        assert not view.motor or (view.state == PAYING and view.paid < view.tokens)
        if view.tokens:
            assert view.paid == paid.get(view.payout, 0) <= view.at_most, "every token is seen here"
            if view.state not in (PAYING, IDLE):
                ended.add(view.payout)
    assert all(count <= asked[each] for each, count in paid.items())


def test_a_payout_that_was_stopped_while_it_was_noted_paid_nothing_and_never_will(parts: ctypes.CDLL) -> None:
    world = Payouts(parts, 0)
    assert world.pay(5, 2) == NOTES
    parts.hopper_stop(world.hopper, ticks(world.t))
    world.keep()
    assert world.pay(5, 2) == HAD
    world.keep()
    world.test()
    view = world.view
    assert (view.motor, view.state, view.at_most) == (0, CUT_SHORT, 0)
    world.begin_payout(6, 2)


def test_without_a_proven_sensor_no_motor_starts(parts: ctypes.CDLL) -> None:
    world = Payouts(parts, 0)
    world.pay(5, 2)
    world.keep()
    world.test(proven=False)
    assert (world.view.motor, world.view.state, world.view.at_most) == (0, UNPROVEN, 0)


@pytest.mark.parametrize("proven", [True, False])
def test_what_a_cut_short_payout_may_have_paid_depends_on_its_sensor(parts: ctypes.CDLL, proven: bool) -> None:
    world = Payouts(parts, 0)
    world.begin_payout(5, 4)
    world.fall()
    world.wait(100)
    parts.hopper_stop(world.hopper, ticks(world.t))
    world.wait(600)
    world.test(proven)
    view = world.view
    assert (view.paid, view.state) == (1, CUT_SHORT if proven else UNPROVEN)
    assert view.at_most == 1 if proven else view.at_most > 1


def test_a_reset_leaves_a_doubt_of_two_tokens(parts: ctypes.CDLL) -> None:
    world = Payouts(parts, 0)
    world.begin_payout(5, 4)
    world.fall()
    world.begin()
    view = world.view
    assert (view.paid, view.at_most, view.state, view.motor) == (1, 1 + LOST, CUT_SHORT, 0)
    assert world.pay(5, 4) == HAD
    world.keep()
    world.test()
    assert not world.view.motor


def test_one_token_may_fall_after_the_motor_stops_and_not_two(parts: ctypes.CDLL) -> None:
    for ms, state in ((100, IDLE), (700, RUNAWAY)):
        world = Payouts(parts, 0)
        world.begin_payout(5, 1)
        world.fall()
        world.wait(ms)
        world.fall()
        assert world.view.state == state
        world.fall()
        assert world.view.state == RUNAWAY
        assert world.pay(6, 1) == RUNS_AWAY
        parts.hopper_clear(world.hopper)
        assert world.pay(6, 1) == NOTES


# --- keys -------------------------------------------------------------------------------------------------------------


def seen(pressed: set[int]) -> list[int]:
    """The rows that each column shows: what is joined to it through keys, which have no diodes."""
    shown = []
    for column in range(3):
        joined = {("column", column)}
        while True:
            more = joined | {
                end
                for key in pressed
                for end in (("row", key // 3), ("column", key % 3))
                if {("row", key // 3), ("column", key % 3)} & joined
            }
            if more == joined:
                break
            joined = more
        shown.append(sum(1 << row for row in range(3) if ("row", row) in joined))
    return shown


def scan(parts: ctypes.CDLL, pressed: set[int], t: int, times: int = 10) -> int:
    for _ in range(times):
        for column, rows in enumerate(seen(pressed)):
            t += 2 * TICKS_A_MS
            parts.keypad_column(at(parts, "keypad"), column, rows, ticks(t))
    return t


def test_every_set_of_keys_is_told_as_it_is_or_refused(parts: ctypes.CDLL) -> None:
    for bits in range(512):
        pressed = {key for key in range(9) if bits >> key & 1}
        parts.keypad_begin(at(parts, "keypad"))
        scan(parts, pressed, 0)
        rectangle = any(
            len({row * 3 + column for row, column in product(rows, columns)} & pressed) >= 3
            for rows in combinations(range(3), 2)
            for columns in combinations(range(3), 2)
        )
        shown = seen(pressed)
        ghost = any((shown[key % 3] >> key // 3 & 1) and key not in pressed for key in range(9))
        assert not ghost or parts.keypad_pressed() == 0, "a ghost is never told"
        assert parts.keypad_pressed() in (0, bits)
        assert not rectangle or parts.keypad_pressed() == 0
        assert ghost or rectangle or parts.keypad_pressed() == bits


# --- lamps ------------------------------------------------------------------------------------------------------------


@given(
    count=st.sampled_from((1, 7, 8, 9, 16, 56, 63, 64)),
    lit=st.integers(0, 2**64 - 1),
    dead=st.integers(0, 2**64 - 1),
    stuck=st.integers(0, 2**64 - 1),
    noise=st.lists(st.integers(0, 1), max_size=70),
)
@settings(deadline=None)
def test_lamps_are_as_told_and_read_back_whatever_else_moved_their_wires(
    parts: ctypes.CDLL, count: int, lit: int, dead: int, stuck: int, noise: list[int]
) -> None:
    every = (1 << count) - 1
    ctypes.c_uint8.in_dll(parts, "chain_count").value = count
    for name, bits in (("dead", dead), ("stuck", stuck), ("lit", 0), ("register", 5 if noise else 0)):
        ctypes.c_uint64.in_dll(parts, f"chain_{name}").value = bits & every
    chain = at(parts, "lamps")
    parts.lamp_chain_begin(chain, count, 0)
    wanted = (lit & every).to_bytes(8, "little")
    assert parts.lamp_chain_takes(chain, wanted)
    assert parts.lamp_chain_takes(chain, lit.to_bytes(8, "little")) == (lit <= every)
    parts.lamp_chain_light(chain, wanted)
    read, t = False, 0
    for _ in range(20):
        for bit in noise:
            parts.lamp_pins_shift(bit)
        t += TICKS_A_MS
        read = parts.lamp_chain_poll(chain, ticks(t)) or read
    assert read
    told, back = (ctypes.c_uint8 * 8)(), (ctypes.c_uint8 * 8)()
    parts.lamps_told(told, back)
    assert bytes(told) == wanted
    assert ctypes.c_uint64.in_dll(parts, "chain_lit").value == lit & every
    assert int.from_bytes(back, "little") == ((lit | stuck) & ~dead) & every


# --- steps ------------------------------------------------------------------------------------------------------------

START, ACCELERATION, MOST, LEAST, RAMP = 80, 2_000, 400, 62, 40
STEPS = 200
UNKNOWN = 65_535


class Turned:
    """A stepper whose steps turn a reel."""

    def __init__(self, parts: ctypes.CDLL, place: int, turn: int = STEPS) -> None:
        self.c = parts
        self.stepper = at(parts, "stepper")
        self.place = place
        self.whole = turn
        self.steps = 0
        self.intervals: list[int] = []
        parts.stepper_ramp_usual()
        parts.stepper_begin(self.stepper)
        parts.stepper_configure(self.stepper, turn, 20, 1, 50)

    @property
    def home(self) -> bool:
        return self.place < 3

    def spin(self, steps_per_s: int) -> None:
        self.c.stepper_spin(self.stepper, ctypes.c_uint16(steps_per_s), self.home)
        self.intervals.clear()
        self.c.stepper_go()

    def turn(self, steps: int) -> None:
        """This many calls of the interrupt, and the main loop between them."""
        for _ in range(steps):
            if not self.c.stepper_is_on():
                return
            wait = self.c.stepper_step(self.stepper, self.home)
            if wait:
                self.place = (self.place + 1) % self.whole
                self.steps += 1
                self.intervals.append(wait)
            self.c.stepper_poll(self.stepper)

    @property
    def stands(self) -> bool:
        return not self.c.stepper_is_on()


@given(
    turn=st.sampled_from((STEPS, STEPS, 336, 504)),
    place=st.integers(0, 199),
    speed=st.integers(LEAST, MOST),
    before=st.integers(0, 700),
    aim=st.integers(0, 199),
)
@settings(deadline=None, max_examples=150)
def test_a_stop_at_a_step_ends_there_whenever_it_is_told(
    parts: ctypes.CDLL, turn: int, place: int, speed: int, before: int, aim: int
) -> None:
    aim = aim * turn // STEPS
    reel = Turned(parts, place, turn)
    reel.spin(speed)
    reel.turn(before)
    parts.stepper_stop_at(reel.stepper, ctypes.c_uint16(aim))
    reel.turn(900 + 2 * turn)
    assert reel.stands
    assert reel.place == aim == parts.stepper_place(reel.stepper)
    assert parts.stepper_slips() == 0
    assert_no_jerk(reel.intervals, speed)
    reel.spin(MOST)
    reel.turn(turn + 100)
    parts.stepper_stop(reel.stepper)
    reel.turn(50)
    assert reel.place == parts.stepper_place(reel.stepper)
    assert parts.stepper_slips() == 0


def assert_no_jerk(intervals: list[int], speed: int) -> None:
    """No speed is left by more than the ramp allows, and the last step is as slow as the first.

    After the last step the motor is held for as long as a slow step takes: that interval belongs to no speed.
    """
    *steps, held = intervals
    assert held == 2_000_000 // START
    assert min(steps) >= 2_000_000 // speed
    assert min(steps[0], steps[-1]) >= 2_000_000 // max(START, LEAST)
    for earlier, later in pairwise(steps):
        change = (2_000_000 / later) ** 2 - (2_000_000 / earlier) ** 2
        assert abs(change) <= 2 * ACCELERATION * 1.02


def test_the_ramp_is_what_stepper_h_says(parts: ctypes.CDLL) -> None:
    reel = Turned(parts, 100)
    reel.spin(MOST)
    reel.turn(RAMP - 1)
    assert reel.intervals == [round(2_000_000 / sqrt(START**2 + 2 * ACCELERATION * level)) for level in range(RAMP - 1)]


@given(
    drawn_parts=st.lists(
        st.tuples(st.integers(0, 70), st.lists(st.integers(0, 40_000) | st.just(0), min_size=1, max_size=16)),
        max_size=5,
    ),
    descending=st.booleans(),
)
@settings(deadline=None)
def test_a_ramp_is_taken_only_where_it_is_one(
    parts: ctypes.CDLL, drawn_parts: list[tuple[int, list[int]]], descending: bool
) -> None:
    parts.stepper_ramp_usual()
    length, last = RAMP, 4_963
    for given_first, drawn in drawn_parts:
        first = length if descending and given_first % 2 else given_first
        values = sorted(drawn, reverse=True) if descending else drawn
        told = values[: values.index(0)] if 0 in values else values
        joined = [32_258 if first == 0 else last, *told]
        good = (
            first in (0, length)
            and not any(values[len(told) :])
            and all(earlier >= later >= 1_000 for earlier, later in pairwise(joined))
            and 0 < first + len(told) <= 64
        )
        packed = b"".join(each.to_bytes(2, "little") for each in values)
        assert parts.stepper_ramp(first, packed, len(values)) == good
        if good:
            length, last = first + len(told), joined[-1]


@given(speed=st.integers(LEAST, MOST), before=st.integers(1, 700))
@settings(deadline=None)
def test_a_stop_takes_as_many_steps_as_the_level_says(parts: ctypes.CDLL, speed: int, before: int) -> None:
    reel = Turned(parts, 50)
    reel.spin(speed)
    reel.turn(before)
    level, steps = parts.stepper_level(), reel.steps
    assert level <= RAMP
    assert parts.stepper_stop(reel.stepper)
    assert not parts.stepper_stop(reel.stepper), "it is doing so"
    reel.turn(RAMP + 1)
    assert reel.stands
    assert reel.steps - steps == level


@given(lost=st.integers(-40, 40), aim=st.integers(60, 150))
@settings(deadline=None)
def test_home_puts_right_what_slipped(parts: ctypes.CDLL, lost: int, aim: int) -> None:
    reel = Turned(parts, 20)
    reel.spin(300)
    reel.turn(300)
    reel.place = (reel.place + lost) % STEPS
    reel.turn(250)
    assert parts.stepper_slips() == (abs(lost) > 5)
    parts.stepper_stop_at(reel.stepper, aim)
    reel.turn(600)
    assert reel.place == aim == parts.stepper_place(reel.stepper)


def test_a_halt_at_speed_forgets_home_and_one_at_the_start_does_not(parts: ctypes.CDLL) -> None:
    for steps, known in ((300, False), (1, True)):
        reel = Turned(parts, 20)
        reel.spin(300)
        reel.turn(400)
        parts.stepper_stop(reel.stepper)
        reel.turn(60)
        assert parts.stepper_place(reel.stepper) == reel.place
        reel.spin(300)
        reel.turn(steps)
        parts.stepper_halt(reel.stepper)
        assert reel.stands
        assert (parts.stepper_place(reel.stepper) != UNKNOWN) == known


@given(steps=st.integers(2, 199))
@settings(deadline=None, max_examples=30)
def test_home_is_missed_after_two_whole_turns_wherever_the_reel_began(parts: ctypes.CDLL, steps: int) -> None:
    reel = Turned(parts, 5)
    reel.spin(300)
    reel.turn(steps)
    parts.stepper_halt(reel.stepper)
    reel.place = 4
    reel.spin(300)
    reel.turn(199)
    assert not reel.stands
    parts.stepper_halt(reel.stepper)
    reel.spin(300)
    before = reel.steps
    while not reel.stands:
        reel.place = 100
        reel.turn(1)
    assert reel.steps - before == 400
    assert parts.stepper_place(reel.stepper) == UNKNOWN
