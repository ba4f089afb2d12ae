"""What a table would have said of captures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.bench.replay import replay
from feed import events
from hal.capture.command_text import read_command
from hal.capture.errors import CaptureError
from hal.capture.vcd_writer import CaptureLines, write_capture
from hal.values import Batch, Edge, EdgesLost, Loss, Rare
from tests.oracle.motion import ns
from tests.tables.bench import EventList, configured, events_of_run
from tests.tables.money_lines import TURN, MoneyLines, S, money_toml
from tests.tables.roulette_lines import RouletteLines, roulette_toml, spin

MONEY = '[table]\nid = "wheel-1"\ngame = "money_wheel"\n[lines]\nbackend = "capture"\n'
ROULETTE = '[table]\nid = "roulette-1"\ngame = "roulette"\n[lines]\nbackend = "capture"\n'


def written(
    path: Path, edges: Sequence[Edge], until_ns: int, rare: Sequence[Rare] = (), *, scale: str = "1 ns"
) -> Path:
    """A capture of these values."""
    wires = tuple(dict.fromkeys(edge.line for edge in edges))
    reals = ("level_x", "level_y") if any(type(value).__name__ == "Reading" for value in rare) else ()
    write_capture(path, CaptureLines(wires, reals=reals, timescale=scale), [Batch(list(edges), list(rare), until_ns)])
    return path


def money(path: Path, lines: MoneyLines, rare: Sequence[Rare] = ()) -> Path:
    return written(path, lines.edges(), lines.now_ns, rare)


def roulette(path: Path, lines: RouletteLines, rare: Sequence[Rare] = ()) -> Path:
    return written(path, lines.edges(), lines.now_ns, [*lines.rare, *rare])


def said_of(text: str, *paths: Path) -> list[EventList]:
    return [EventList(said) for said in replay(configured(text), paths)]


def good() -> MoneyLines:
    return MoneyLines().rest(3).call().spin(3 * TURN).rest(8)


def test_a_replay_says_what_the_table_said(tmp_path: Path) -> None:
    lines = good()
    (said,) = said_of(MONEY, money(tmp_path / "a.vcd", lines))
    live = events_of_run(money_toml(), lines.edges(), [], lines.now_ns)
    assert said.body() == live.body().replace(b"wheel-1.sim.", b"wheel-1.replay.")
    assert said.verdicts() == ["0"]


def test_rounds_sequence_numbers_and_ids_count_on_over_files(tmp_path: Path) -> None:
    paths = [money(tmp_path / f"{k}.vcd", good()) for k in range(3)]
    said = EventList(event for one in said_of(MONEY, *paths) for event in one)
    durable = [event for event in said if not isinstance(event.data, events.RoundProgress)]
    assert [event.sequence for event in durable] == [f"{k:020d}" for k in range(1, len(durable) + 1)]
    assert [event.id for event in durable] == [f"wheel-1.replay.{k}" for k in range(1, len(durable) + 1)]
    # The second round of each file was open when it ended.
    assert [opened.round for opened in said.of(events.RoundOpened)] == [1, 2, 3, 4, 5, 6]
    assert [outcome.round for outcome in said.of(events.Outcome)] == [1, 3, 5]


def test_no_two_events_of_a_replay_have_one_id(tmp_path: Path) -> None:
    paths = [money(tmp_path / f"{k}.vcd", good()) for k in range(2)]
    ids = [event.id for said in said_of(MONEY, *paths) for event in said]
    assert len(set(ids)) == len(ids)


def test_each_file_is_a_fresh_table(tmp_path: Path) -> None:
    """A fault of the first is not there in the second."""
    lines = MoneyLines().rest(9)
    broken = money(tmp_path / "a.vcd", lines, [EdgesLost("wheel_a", Loss.UNPLUGGED, 4 * S)])
    first, second = said_of(MONEY, broken, money(tmp_path / "b.vcd", good()))
    assert first.verdicts() == ["void sensor_missing"]
    assert second.verdicts() == ["0"]


def test_the_wires_of_the_capture_say_whether_there_is_a_button(tmp_path: Path) -> None:
    with_button = money(tmp_path / "a.vcd", MoneyLines().rest(3).spin(3 * TURN).rest(8))
    without = money(tmp_path / "b.vcd", MoneyLines(button=False).rest(3).spin(3 * TURN).rest(8))
    said = said_of(MONEY, with_button, without)
    assert [one.verdicts() for one in said] == [["void spun_before_no_more_bets"], ["0"]]


def test_the_wires_of_the_capture_say_how_many_sensors_there_are(tmp_path: Path) -> None:
    four = spin(passes=17, sensors_deg=(0.0, 90.0, 180.0, 270.0))
    three = spin(passes=13)
    said = said_of(ROULETTE, roulette(tmp_path / "a.vcd", four), roulette(tmp_path / "b.vcd", three))
    assert [one.verdicts() for one in said] == [["17"], ["17"]]
    assert [one.one(events.Outcome).evidence.revolutions for one in said] == [4.0, 4.0]


@pytest.mark.parametrize("beams", ["", "[device.wheel]\nobject_beams = 2\n"])
def test_the_wires_of_the_capture_say_how_many_object_beams_there_are(tmp_path: Path, beams: str) -> None:
    lines = spin().see("object", 1.0, 0.001)
    (one,) = said_of(ROULETTE + beams, roulette(tmp_path / "a.vcd", lines))
    (two,) = said_of(ROULETTE + beams, roulette(tmp_path / "b.vcd", lines.see("object_2", 9.0, 0.5)))
    assert (one.verdicts(), two.verdicts()) == (["17"], ["void foreign_object"])


def test_a_settle_button_in_the_capture_is_waited_for(tmp_path: Path) -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(20).press("dealer_settled").rest(2)
    (said,) = said_of(MONEY, money(tmp_path / "a.vcd", lines))
    assert said.one(events.Settled).by == "dealer"


def test_a_round_still_open_at_the_end_of_the_file_gets_no_verdict(tmp_path: Path) -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN)
    (said,) = said_of(MONEY, money(tmp_path / "a.vcd", lines))
    assert said.story()[-1] == "round.started"


def test_time_goes_on_to_the_last_timestamp_of_the_file(tmp_path: Path) -> None:
    """The verdict comes 1.5 s after the last edge, by the end of time alone."""
    lines = MoneyLines().rest(3).call().spin(3 * TURN)
    stopped_ns = lines.now_ns
    edges = lines.edges()
    (short,) = said_of(MONEY, written(tmp_path / "a.vcd", edges, stopped_ns + S // 10))
    (full,) = said_of(MONEY, written(tmp_path / "b.vcd", edges, stopped_ns + 2 * S))
    assert (short.verdicts(), full.verdicts()) == ([], ["0"])


def test_a_value_x_before_the_first_level_is_not_yet_known_and_no_fault(tmp_path: Path) -> None:
    lines = good()
    late = [edge._replace(t_ns=S) if edge.t_ns == 0 and edge.line == "wheel_b" else edge for edge in lines.edges()]
    late.sort(key=lambda edge: edge.t_ns)
    (said,) = said_of(MONEY, written(tmp_path / "a.vcd", late, lines.now_ns))
    assert said.of(events.DeviceFault) == []
    assert said.verdicts() == ["0"]


def test_a_value_x_later_is_a_pulled_cable(tmp_path: Path) -> None:
    path = money(tmp_path / "a.vcd", MoneyLines().rest(9), [EdgesLost("wheel_b", Loss.UNPLUGGED, 4 * S)])
    assert "lost" not in path.read_text().split("$enddefinitions")[1]
    (said,) = said_of(MONEY, path)
    assert said.one(events.DeviceFault).fault == "sensor_missing"


def test_what_people_sent_is_done_again(tmp_path: Path) -> None:
    commands = [read_command("void why=spill", 4 * S), read_command("settle", 5 * S)]
    (said,) = said_of(MONEY, money(tmp_path / "a.vcd", MoneyLines().rest(9), commands))
    assert said.story()[2:] == ["void dealer_call", "round.opened", "device.warning command_refused"]
    assert said.one(events.Void).evidence.detail == "spill"


def test_a_fault_is_cleared_again_by_whoever_cleared_it(tmp_path: Path) -> None:
    lines = MoneyLines().rest(20)
    edges = sorted([*lines.edges(), Edge("wheel_a", 1, 6 * S)], key=lambda edge: edge.t_ns)
    rare: list[Rare] = [EdgesLost("wheel_a", Loss.UNPLUGGED, 4 * S), read_command("clear device=wheel by=ann", 9 * S)]
    (said,) = said_of(MONEY, written(tmp_path / "a.vcd", edges, lines.now_ns, rare))
    assert said.one(events.DeviceCleared).by == "ann"


def test_losses_that_were_told_are_told_again(tmp_path: Path) -> None:
    lines = MoneyLines().rest(3).call().spin(4 * TURN)
    lost = EdgesLost("wheel_a", Loss.OVERFLOW, lines.now_ns - 2 * S, 40)
    (said,) = said_of(MONEY, money(tmp_path / "a.vcd", lines.rest(8), [lost]))
    assert said.verdicts() == ["unresolved edges_lost"]


def test_readings_of_the_level_are_read(tmp_path: Path) -> None:
    lines = spin().tilt(0.0, 0.01).tilt(9.0, 0.5).tilt(12.0, 0.0)
    (said,) = said_of(ROULETTE, roulette(tmp_path / "a.vcd", lines))
    assert said.verdicts() == ["void not_level"]


@pytest.mark.parametrize("scale", ["1 ns", "1 us", "10 us", "100 us"])
def test_any_timescale_gives_the_same_verdicts(tmp_path: Path, scale: str) -> None:
    lines = good()
    (said,) = said_of(MONEY, written(tmp_path / "a.vcd", lines.edges(), lines.now_ns, scale=scale))
    assert said.verdicts() == ["0"]


def test_wires_of_other_names_are_mapped_by_the_configuration(tmp_path: Path) -> None:
    lines = good()
    channel = {"wheel_a": "D0", "wheel_b": "D1", "wheel_index": "D2", "dealer_no_more_bets": "D3"}
    edges = [edge._replace(line=channel[edge.line]) for edge in lines.edges()]
    path = written(tmp_path / "a.vcd", edges, lines.now_ns)
    pins = "[pins]\n" + "".join(f'{line} = {{ name = "{name}" }}\n' for line, name in channel.items())
    (said,) = said_of(MONEY + pins, path)
    assert said.verdicts() == ["0"]


def test_wires_that_the_table_does_not_know_are_passed_over(tmp_path: Path) -> None:
    lines = good()
    edges = sorted([*lines.edges(), Edge("kettle", 0, 0), Edge("kettle", 1, S)], key=lambda edge: edge.t_ns)
    (said,) = said_of(MONEY, written(tmp_path / "a.vcd", edges, lines.now_ns))
    assert said.verdicts() == ["0"]


def test_a_capture_without_a_wire_that_is_needed_is_refused_by_its_name(tmp_path: Path) -> None:
    lines = good()
    path = written(tmp_path / "a.vcd", [e for e in lines.edges() if e.line != "wheel_b"], lines.now_ns)
    with pytest.raises(CaptureError, match=r"a\.vcd.*wheel_b"):
        said_of(MONEY, path)


def test_a_roulette_capture_with_one_track_sensor_is_refused(tmp_path: Path) -> None:
    edges = [e for e in spin().edges() if e.line not in ("ball_2", "ball_3")]
    with pytest.raises(CaptureError, match="at least two sensors"):
        said_of(ROULETTE, written(tmp_path / "a.vcd", edges, ns(45.0)))


def test_two_opposite_sensors_are_refused(tmp_path: Path) -> None:
    edges = [e for e in spin().edges() if e.line != "ball_3"]
    with pytest.raises(CaptureError, match="direction"):
        said_of(ROULETTE, written(tmp_path / "a.vcd", edges, ns(45.0)))


def test_a_configuration_for_another_number_of_sensors_is_refused(tmp_path: Path) -> None:
    text = ROULETTE + "[device.wheel]\nball_sensors_deg = [0, 100, 220, 300]\n"
    with pytest.raises(CaptureError, match="3 track sensors, the configuration 4"):
        said_of(text, roulette(tmp_path / "a.vcd", spin()))


def test_a_capture_that_is_wrong_anywhere_says_nothing(tmp_path: Path) -> None:
    path = money(tmp_path / "a.vcd", good())
    number = path.read_text().count("\n") + 1
    with path.open("a") as stream:
        stream.write("nonsense\n")
    heard: list[object] = []
    with pytest.raises(CaptureError) as caught:
        heard.extend(replay(configured(MONEY), [path]))
    assert heard == []
    assert str(number) in str(caught.value)
    assert "nonsense" in str(caught.value)


def test_an_empty_capture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.vcd"
    path.write_text("")
    with pytest.raises(CaptureError):
        said_of(MONEY, path)


def test_a_wheel_moving_at_the_start_of_the_file_gives_no_outcome_until_it_was_quiet(tmp_path: Path) -> None:
    lines = spin(passes=25, until_s=60.0)
    at_ns = ns(8.3)
    found: dict[str, int] = {}
    for edge in lines.edges():
        if edge.t_ns <= at_ns:
            found[edge.line] = edge.level
    edges = [Edge(line, level, at_ns) for line, level in found.items()]
    edges += [edge for edge in lines.edges() if edge.t_ns > at_ns]
    (said,) = said_of(ROULETTE, written(tmp_path / "a.vcd", edges, lines.now_ns))
    assert said.verdicts() == ["unresolved joined_mid_spin"]


def test_everything_said_in_a_replay_is_marked_as_simulated(tmp_path: Path) -> None:
    (said,) = said_of(MONEY, money(tmp_path / "a.vcd", good()))
    assert all(event.data.simulated and event.topic.startswith("sim/v1/wheel-1/") for event in said)
    assert all(event.time.startswith("1970-01-01T00:00:") for event in said)


def test_a_configuration_of_a_live_table_can_replay_what_it_recorded(tmp_path: Path) -> None:
    lines = spin()
    (said,) = said_of(roulette_toml(), roulette(tmp_path / "a.vcd", lines))
    assert said.verdicts() == ["17"]


def test_wires_named_by_the_kernel_in_a_live_table_do_not_hide_the_lines_of_its_own_captures(tmp_path: Path) -> None:
    gpios = {"wheel_a": 17, "wheel_b": 27, "wheel_index": 22, "dealer_no_more_bets": 23}
    pins = "".join(f'{line} = {{ name = "GPIO{gpio}" }}\n' for line, gpio in gpios.items())
    text = (
        '[table]\nid = "wheel-1"\ngame = "money_wheel"\nno_more_bets = "button"\n[lines]\nbackend = "gpiod"\n[pins]\n'
    )
    (said,) = said_of(text + pins, money(tmp_path / "a.vcd", good()))
    assert said.verdicts() == ["0"]
