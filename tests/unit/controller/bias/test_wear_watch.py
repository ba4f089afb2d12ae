"""The watch over wear: what wheels measure of it, what is warned of, and that a restart loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from benchmarks.tables import without_watch
from controller.configuration.sections import day_of
from controller.configuration.values import TableConfig
from controller.conformance.streams import at_random, parts
from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from controller.table.table import Table
from controller.table.wear_watch import PUBLISHED_LEARNING, PUBLISHED_LEARNT, WHEEL_WEAR, WearLimits, WearWatch
from drivers.base.driver import Observation
from drivers.base.observed import ObservedDriver
from drivers.roulette.wheel import RouletteWheel
from drivers.wheel.condition import LEARNING_SPINS, LEARNT_SPINS, MeasuredSpins, WheelMeasured
from feed import events
from feed.events import Event, WearHistory
from feed.state import TableState, decode_snapshot, encode_snapshot
from feed.wear import BASELINE, BLOCK, WINDOW
from hal.values import Batch
from simulators.wheel.wear import AS_NEW, WheelWear
from tests.costs.counting import instructions_of
from tests.tables.bench import configured

TABLE = '[table]\nid = "t"\ngame = "{game}"\n[lines]\nbackend = "sim"\n{more}'
ROULETTE = TABLE.format(game="roulette", more="[device.wheel]\nball_sensors_deg = [0, 100, 220]\n")
MONEY_WHEEL = TABLE.format(game="money_wheel", more="")
PEGS = TABLE.format(game="money_wheel", more='[device.wheel]\nsensing = "pegs"\n')
AUTOMATIC = TABLE.format(game="roulette", more='[device.wheel]\ndriver = "star_x"\n')
SEED = 5


def rounds_of(text: str, wear: WheelWear, rounds: int = LEARNING_SPINS) -> list[Batch]:
    simulator: Any = geometry_of(configured(text)).simulator(SEED)
    batches = [simulator.start()]
    if wear is not AS_NEW:
        simulator.wear = wear
    return [*batches, *(simulator.round().batch for _ in range(rounds))]


def measured(text: str, batches: Sequence[Batch]) -> list[Mapping[str, float]]:
    """The wear values that the wheel's driver reports."""
    found: list[Mapping[str, float]] = []

    def listen(name: str, seen: Sequence[Observation]) -> None:
        found.extend(one.values for one in seen if isinstance(one, WheelMeasured))

    table = table_for(configured(text), epoch="sim", simulated=True, listener=listen)
    table.open(0)
    for batch in batches:
        table.feed(batch)
    return found


@pytest.fixture(scope="module")
def as_new() -> dict[str, Mapping[str, float]]:
    return {text: measured(text, rounds_of(text, AS_NEW))[0] for text in (ROULETTE, MONEY_WHEEL)}


@pytest.mark.parametrize(
    ("text", "wear", "name", "factor"),
    [
        (ROULETTE, WheelWear(bearing=2.0), "rotor_slowing", 2.0),
        (ROULETTE, WheelWear(ball_track=1.5), "ball_slowing", 1.5),
        (ROULETTE, WheelWear(sensor="ball_3", pulse=0.7), "ball_3_width", 0.7),
        (ROULETTE, WheelWear(sensor="ball_2", pulse=1.4), "ball_2_width", 1.4),
        (MONEY_WHEEL, WheelWear(bearing=3.0), "wheel_slowing", 1.5),
        (MONEY_WHEEL, WheelWear(flapper=0.8), "rocking", 0.8),
    ],
    ids=lambda one: one if isinstance(one, str) and one.isidentifier() else "",
)
def test_each_kind_of_wear_moves_its_value_and_the_others_hardly(
    text: str, wear: WheelWear, name: str, factor: float, as_new: dict[str, Mapping[str, float]]
) -> None:
    (found,) = measured(text, rounds_of(text, wear))
    assert found[name] == pytest.approx(factor * as_new[text][name], rel=0.25)
    others = {"ball_1_width", "unevenness", "level", "bounces", "ball_1_missed"} & found.keys()
    assert {other: found[other] for other in others} == pytest.approx(
        {other: as_new[text][other] for other in others}, abs=0.03
    )


def test_missed_passes_unevenness_bounces_and_level_are_measured(as_new: dict[str, Mapping[str, float]]) -> None:
    new = as_new[ROULETTE]
    assert [new[f"ball_{number}_missed"] for number in (1, 2, 3)] == [0, 0, 0]
    assert new["unevenness"] < 0.001
    (found,) = measured(
        ROULETTE, rounds_of(ROULETTE, WheelWear(sensor="ball_2", missed=0.2, uneven=0.3, tilt_deg=0.05))
    )
    assert 0.05 < found["ball_2_missed"] < 0.5
    assert found["ball_1_missed"] == found["ball_3_missed"] == 0
    assert 0.2 < found["unevenness"] < 0.5
    assert found["level"] == pytest.approx(new["level"] + 0.05, abs=0.03)
    (worn,) = measured(MONEY_WHEEL, rounds_of(MONEY_WHEEL, WheelWear(bounces=0.05)))
    assert as_new[MONEY_WHEEL]["bounces"] == 0
    assert worn["bounces"] > 10


def test_pegs_show_how_a_wheel_slows_and_an_automatic_wheel_how_its_ball_and_rotor_run() -> None:
    (pegs,) = measured(PEGS, rounds_of(PEGS, AS_NEW))
    assert pegs == {"wheel_slowing": pytest.approx(40, abs=8)}
    (automatic,) = measured(AUTOMATIC, rounds_of(AUTOMATIC, AS_NEW))
    assert automatic.keys() == {"ball_run", "rotor_spread"}
    assert 2 < automatic["ball_run"] < 60
    assert 0 <= automatic["rotor_spread"] < 0.5


@pytest.mark.parametrize("text", [ROULETTE, MONEY_WHEEL, PEGS], ids=["roulette", "money wheel", "pegs"])
def test_however_a_stream_is_cut_the_values_are_the_same(text: str) -> None:
    batches = rounds_of(text, AS_NEW)
    whole = measured(text, batches)
    assert len(whole) == 1
    edges = [edge for batch in batches for edge in batch.edges]
    rare = [one for batch in batches for one in batch.rare]
    stream = Batch(edges, rare, batches[-1].until_ns)
    assert measured(text, [stream]) == whole
    assert measured(text, [*parts(stream, at_random(stream, Random(SEED)))]) == whole


# --- which spins are measured ---


def learnt_state(config: TableConfig) -> TableState:
    """What the journal has of a table whose wheel was learnt the day before."""
    state, blocks = TableState(config.id), BASELINE + WINDOW
    state.game = config.game
    state.wear_of[config.game] = WearHistory(
        days=[-1.0] * blocks, spins=[BLOCK] * blocks, values={"unevenness": [0.03] * blocks}
    )
    return state


def test_a_wheel_that_is_being_learnt_is_measured_more_often_than_later() -> None:
    spins = MeasuredSpins()
    spins.to_learn = 3
    measured_at = [number for number in range(1, 61) if spins.begin()]
    assert measured_at == [4, 8, 12, 36, 60]
    spins.to_learn = None
    assert not any(spins.begin() for _ in range(40))


@pytest.mark.parametrize(
    ("text", "often"),
    # One of the spins that pegs would be measured in has too few turns for it.
    [(ROULETTE, 6), (MONEY_WHEEL, 6), (PEGS, 5), (AUTOMATIC, 6)],
    ids=["roulette", "money wheel", "pegs", "automatic wheel"],
)
def test_a_learnt_wheel_is_measured_seldom_and_one_that_is_to_be_learnt_again_often(text: str, often: int) -> None:
    batches = rounds_of(text, AS_NEW, LEARNT_SPINS)
    found = []
    for since in ("", 'wear_since = "1970-01-02"\n', 'wear_since = "1970-01-01"\n'):
        config = configured(f"{text}[watch]\n{since}")
        table = table_for(config, epoch="e", simulated=True)
        table.restore(learnt_state(config))
        taken: list[object] = []
        wear_of(table).measured = lambda *one, taken=taken: taken.append(one)  # type: ignore[method-assign]
        table.open(0)
        for batch in batches:
            table.feed(batch)
        found.append(len(taken))
    assert found == [1, 1, often]  # a day that is still to come has no effect


# --- the watch ---


def watched(watch: WearWatch, value: float, blocks: int, day: float = 0.0, name: str = "rotor_slowing") -> list[str]:
    """What is warned of while so many blocks have about this value."""
    said: list[str] = []
    for number in range(blocks):
        full = [watch.measured({name: value * (1 + 0.001 * (number % 7))}, day + number) for _ in range(BLOCK)]
        assert full == [*[False] * (BLOCK - 1), True]
        said += watch.judge(day + number)
    return said


def test_a_value_is_warned_of_once_and_again_at_each_quarter_of_its_way() -> None:
    watch = WearWatch(WearLimits(None, {}))
    assert watched(watch, 0.04, BASELINE + WINDOW) == []
    (said,) = watched(watch, 0.048, 30, 100.0)
    assert said.startswith("bearing of the rotor: ")
    assert [len(watched(watch, value, 20, 200.0)) for value in (0.052, 0.056, 0.062, 0.082)] == [1, 0, 1, 2]


def test_a_quarter_is_warned_of_once_also_where_the_value_is_not_found_for_some_looks() -> None:
    watch = WearWatch(WearLimits(None, {"level": 0.4}))
    watched(watch, 0.1, BASELINE + WINDOW, name="level")
    assert [len(watched(watch, value, 20, 100.0, "level")) for value in (0.15, 0.1, 0.15, 0.2)] == [1, 0, 0, 1]
    # What was warned of belongs to that baseline.
    learnt_again = WearWatch(WearLimits(500.0, {"level": 0.4}))
    learnt_again.restore(journalled(watch.published(at_end=True)))
    assert len(watched(learnt_again, 0.2, 1, 490.0, "level")) == 1
    assert watched(learnt_again, 0.1, BASELINE + WINDOW, 500.0, "level") == []
    assert len(watched(learnt_again, 0.2, 20, 600.0, "level")) == 1


def test_the_history_is_published_after_blocks_and_at_the_end_and_a_restart_goes_on_from_it() -> None:
    watch = WearWatch(WearLimits(None, {"level": 0.2}))
    published = []
    blocks = PUBLISHED_LEARNING // BLOCK
    for number in range(blocks + 1):
        watched(watch, 0.04, 1, float(number))
        published.append(watch.published())
    assert [history is not None for history in published] == [False, False, True, False]
    last = watch.published(at_end=True)
    assert last is not None
    assert len(last.days) == blocks + 1
    assert watch.published(at_end=True) is None

    again = WearWatch(WearLimits(None, {"level": 0.2}))
    again.restore(journalled(last))
    for one in (watch, again):
        watched(one, 0.05, 2, 9.0)
    assert again.published(at_end=True) == watch.published(at_end=True)

    # Short evenings: what is measured in each is a part of a block.
    begun = last
    for number in range(BLOCK - 1):
        evening = WearWatch(WearLimits(None, {}))
        evening.restore(begun)
        assert evening.published(at_end=True) is None
        assert not evening.measured({"rotor_slowing": 0.04 + number}, 9.0 + number / 10)
        begun = journalled(evening.published(at_end=True))
    assert [one["rotor_slowing"] for one in begun.begun] == [0.04 + number for number in range(BLOCK - 1)]
    assert begun.begun_day == 9.0
    of_old = msgspec.structs.replace(begun, begun_day=None)  # as an older version wrote it: after the last block
    cases = [(begun, None, True), (begun, 2.0, True), (begun, 8.5, True), (begun, 9.05, False), (begun, 10.5, True)]
    for before, since_day, left in [*cases, (of_old, 2.0, True), (of_old, 9.05, False)]:
        evening = WearWatch(WearLimits(since_day, {}))
        evening.restore(before)
        evening.forget(10.0)
        assert evening.measured({"rotor_slowing": 0.04}, 10.0) == left

    # After a part was exchanged, short evenings add up, too.
    for _ in range(BLOCK - 1):
        evening = WearWatch(WearLimits(9.5, {}))
        evening.restore(begun)
        evening.forget(10.0)
        assert not evening.measured({"rotor_slowing": 0.04}, 10.0)
        begun = journalled(evening.published(at_end=True))
    evening = WearWatch(WearLimits(9.5, {}))
    evening.restore(begun)
    evening.forget(10.0)
    assert evening.to_learn == (BASELINE + WINDOW - 1) * BLOCK + 1
    assert evening.measured({"rotor_slowing": 0.04}, 10.0)
    evening.judge(10.0)
    assert evening.published(at_end=True) is not None
    assert not evening.measured({"rotor_slowing": 0.04}, 10.0)
    new = evening.published(at_end=True)
    assert new is not None
    assert len(new.begun) == 1

    anew = WearWatch(WearLimits(2.0, {}))
    anew.restore(last)
    watched(anew, 0.05, 1, 9.0)
    history = anew.published(at_end=True)
    assert history is not None
    assert history.days == [2, 3, 9]


def journalled(history: WearHistory | None) -> WearHistory:
    """A history as the state of a table keeps it."""
    assert history is not None
    state = TableState("t")
    state.wear_of["roulette"] = history
    return TableState.from_snapshot(decode_snapshot(encode_snapshot(state.snapshot()))).wear_of["roulette"]


def wear_of(table: Table) -> WearWatch:
    assert table._wear is not None
    return table._wear


def with_measured(table: Table, blocks: int, value: float, after_ns: int) -> tuple[list[Event], int]:
    """The events of a table whose wheel measures this in so many blocks, and the time after them."""
    said: list[Event] = []
    for number in range(blocks * BLOCK):
        after_ns += 60 * 10**9
        table._go_through([WheelMeasured(t_ns=after_ns, values={"rotor_slowing": value * (1 + number % 5 / 1000)})])
        said += table._take()
    return said, after_ns


def test_a_table_warns_publishes_its_history_and_continues_it_after_a_restart() -> None:
    config = configured(ROULETTE)
    table = table_for(config, epoch="e1", simulated=True)
    state = TableState("t")
    said = table.open(0)
    more, t_ns = with_measured(table, BASELINE + WINDOW, 0.04, 0)
    # Of spins that had no values the driver is to measure others.
    (spins,) = (driver._runs.spins for driver in table.drivers if isinstance(driver, RouletteWheel))
    assert spins.to_learn == 0
    said += [*more, *table.close(t_ns, "the end")]
    conditions = [event.data for event in said if isinstance(event.data, events.DeviceCondition)]
    assert [len(one.history.days) for one in conditions] == [3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33]
    assert {one.device for one in conditions} == {"wheel"}
    assert conditions[-1].history.limits == {"level": 0.15}
    assert not [event for event in said if isinstance(event.data, events.DeviceWarning)]
    for event in said:
        state.apply(event)

    again = table_for(config, epoch="e2", simulated=True)
    again.restore(state)
    again.open(t_ns)
    more, _ = with_measured(again, WINDOW, 0.06, t_ns)
    (warning,) = [event.data for event in more if isinstance(event.data, events.DeviceWarning)]
    told = [event.data.history for event in more if isinstance(event.data, events.DeviceCondition)]
    assert [len(one.begun) for one in told] == [PUBLISHED_LEARNT, 0] * WINDOW, "a power cut loses fewer spins"
    assert warning.warning == WHEEL_WEAR
    assert warning.detail.startswith("bearing of the rotor: slowing of the rotor 0.06")
    (other,) = [again.close(t_ns * 2, "the end")]
    assert not [event for event in other if isinstance(event.data, events.Outcome)]


def test_a_part_that_was_exchanged_in_the_night_is_learnt_from_that_moment_on() -> None:
    table = table_for(configured(ROULETTE), epoch="e1", simulated=True)
    state = TableState("t")
    said = table.open(0)
    more, exchanged_ns = with_measured(table, 5, 0.08, 0)  # the old part, on the same day
    for event in [*said, *more, *table.close(exchanged_ns, "the end")]:
        state.apply(event)
    warned = {}
    for since in ("1969-12-31T19:30:30-05:00", "1970-01-01"):
        again = table_for(configured(f"{ROULETTE}[watch]\nwear_since = {since}\n"), epoch="e2", simulated=True)
        again.restore(state)
        again.open(exchanged_ns)
        _, t_ns = with_measured(again, BASELINE, 0.04, exchanged_ns)
        more, _ = with_measured(again, WINDOW, 0.05, t_ns)
        warned[since] = [event.data.warning for event in more if isinstance(event.data, events.DeviceWarning)]
    assert [*warned.values()] == [[WHEEL_WEAR], []], "a day has the blocks of the part before it, too"


def test_the_wear_of_a_wheel_is_continued_after_an_evening_of_another_game() -> None:
    table = table_for(configured(ROULETTE), epoch="e1", simulated=True)
    state = TableState("t")
    said = table.open(0)
    more, t_ns = with_measured(table, 4, 0.04, 0)
    said += [*more, *table.close(t_ns, "the end")]
    for epoch, text in (("e2", TABLE.format(game="baccarat", more="")), ("e3", MONEY_WHEEL)):
        for event in said:
            state.apply(event)
        state = TableState.from_snapshot(decode_snapshot(encode_snapshot(state.snapshot())))
        other = table_for(configured(text), epoch=epoch, simulated=True)
        other.restore(state)
        said = other.open(t_ns)
        if epoch == "e3":
            assert wear_of(other)._history.days == []
            said += with_measured(other, 3, 0.5, t_ns)[0]
        said += other.close(t_ns, "the end")
    for event in said:
        state.apply(event)
    snapshot = state.snapshot()
    assert (snapshot.wear_game, [*snapshot.wear_before]) == ("money_wheel", ["roulette"])
    for text, blocks in ((ROULETTE, 4), (MONEY_WHEEL, 3)):
        again = table_for(configured(text), epoch="e4", simulated=True)
        again.restore(TableState.from_snapshot(decode_snapshot(encode_snapshot(snapshot))))
        assert len(wear_of(again)._history.days) == blocks


def test_the_keys_of_the_file_decide_whether_and_since_when_wear_is_watched() -> None:
    off = configured(ROULETTE + "[watch]\nwear = false\n")
    assert table_for(off, epoch="e", simulated=True)._wear is None
    assert with_measured(table_for(off, epoch="e", simulated=True), 30, 0.04, 0)[0] == []
    # Of a bench's table, too, whose drivers are looked at.
    shown = table_for(off, epoch="e", simulated=True, listener=lambda name, found: None)
    shown.open(0)
    inner = (driver.driver for driver in shown.drivers if isinstance(driver, ObservedDriver))
    (spins,) = (driver._runs.spins for driver in inner if isinstance(driver, RouletteWheel))
    assert spins.to_learn is None
    for text in (ROULETTE, MONEY_WHEEL):
        dated = configured(text + '[watch]\nwear_since = "1970-01-03"\n')
        assert wear_of(table_for(dated, epoch="e", simulated=True))._keys.since_day == 2
    for written in ("1970-01-03", "1970-01-02T19:00:00-05:00", '"1970-01-02T19:00-05:00"', "1970-01-03 00:00:00Z"):
        dated = configured(f"{ROULETTE}[watch]\nwear_since = {written}\n")
        assert wear_of(table_for(dated, epoch="e", simulated=True))._keys.since_day == 2
    assert day_of("2026-02-29") is None
    before = WearHistory(days=[1, 2, 3], spins=[6, 6, 6], values={"level": [1, 2, 3]})
    table = table_for(configured(ROULETTE + '[watch]\nwear_since = "1970-01-03"\n'), epoch="e", simulated=True)
    for day, days in ((1.5, [1, 2, 3, 1.5]), (4, [2, 3, 4])):  # what is still to come takes nothing away
        wear_of(table).restore(before)
        wear_of(table).measured({"level": 1}, day)
        wear_of(table).judge(day)
        assert wear_of(table)._history.days == days


@pytest.mark.parametrize(
    ("game", "keys", "finding"),
    [
        ("roulette", 'wear_since = "2026-02-29"', "t.toml:7: watch.wear_since: 2026-02-29 is not in the calendar"),
        (
            "roulette",
            'wear_since = "yesterday"',
            't.toml:7: watch.wear_since: "yesterday" has the wrong form; write it as "2026-11-29T10:00:00-05:00"',
        ),
        (
            "roulette",
            "wear_since = 2026-11-29T10:00:00",
            "t.toml:7: watch.wear_since: 2026-11-29T10:00:00 has no zone; write it with its own, as "
            "2026-11-29T10:00:00-05:00, or 2026-11-29T10:00:00Z",
        ),
        (
            "roulette",
            "wear_since = 10:00:00",
            "t.toml:7: watch.wear_since: a date or time is not text",
        ),
        ("roulette", "wear = 1", "t.toml:7: watch.wear:"),
        ("money_wheel", "same_direction = 3", "t.toml:7: watch.same_direction: unknown key"),
        ("sic_bo", "wear = true", "t.toml:7: watch.wear: unknown key"),
    ],
)
def test_a_wrong_key_is_refused(game: str, keys: str, finding: str) -> None:
    report = check_text(TABLE.format(game=game, more=f"[watch]\n{keys}\n"), "t.toml")
    assert [str(one)[: len(finding)] for one in report.errors] == [finding]


@pytest.mark.parametrize("text", [ROULETTE, MONEY_WHEEL], ids=["roulette", "money wheel"])
def test_no_verdict_is_another_one_for_it(text: str) -> None:
    batches = rounds_of(text, WheelWear(bearing=2.0, bounces=0.02), 5)
    said = []
    for more in ("", "[watch]\nwear = false\n"):
        table = table_for(configured(text + more), epoch="e", simulated=True)
        said.append([event.data for batch in batches for event in [*table.open(0), *table.feed(batch)]][1:])
    assert said[0] == said[1]


MOST_COST = 0.018
"""Of a round's own instructions, without what a full block costs: a tenth of that."""


@pytest.mark.parametrize("text", [ROULETTE, MONEY_WHEEL], ids=["roulette", "money wheel"])
def test_the_whole_watch_costs_less_than_two_hundredths_of_a_round(text: str) -> None:
    rounds = LEARNT_SPINS
    batches = rounds_of(text, AS_NEW, rounds)

    def plays(*, watch: bool) -> Callable[[], Callable[[], int]]:
        def ready() -> Callable[[], int]:
            config = configured(text)
            table = table_for(config if watch else without_watch(config), epoch="e", simulated=True)
            if watch:
                table.restore(learnt_state(config))
            table.open(0)
            return lambda: sum(
                isinstance(event.data, events.Outcome) for batch in batches for event in table.feed(batch)
            )

        return ready

    watched, plain = (instructions_of(plays(watch=watch), rounds) for watch in (True, False))
    assert plain < watched < (1 + MOST_COST) * plain, f"{watched / plain - 1:.2%}"


def test_a_block_costs_little_beside_its_rounds() -> None:
    (values,) = measured(ROULETTE, rounds_of(ROULETTE, AS_NEW))

    def ready() -> Callable[[], int]:
        watch = WearWatch(WearLimits(None, {"level": 0.15}))
        watched(watch, 0.04, BASELINE + WINDOW)

        def run() -> int:
            for number in range(10):
                for _ in range(BLOCK):
                    watch.measured(values, 100.0)
                watch.judge(100 + number)
            return 10

        return run

    # A round of roulette has 240,000 instructions, and a block of a learnt wheel is of 144 rounds.
    assert instructions_of(ready, 10) / 10 < 0.0015 * 144 * 240_000
