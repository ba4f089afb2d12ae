"""Doctor: facts are judged with what was found and how to fix it; the lines of others are left alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from audit.signing import create
from controller.cli import main
from controller.commissioning import computer_checks, computer_facts, doctor, line_checks, listening, table_checks
from controller.commissioning.computer_facts import AccessFacts, DiskFacts, Holder, PowerFacts, Roots, TimeFacts
from controller.commissioning.doctor import Asked, RunningService, Surroundings, examine
from controller.commissioning.findings import DoctorReport, Finding, worst
from controller.commissioning.line_checks import Wired
from controller.commissioning.listening import OpenTable
from controller.commissioning.table_checks import KeyFacts
from controller.configuration.values import TableConfig
from controller.games.load import check
from controller.live.wiring import Wiring
from controller.service.state_paths import StatePaths
from drivers.base.device_spec import LineUse
from drivers.base.movement import LineBounds, Recording
from feed.keys import new_pair, write_pair
from hal.backends.board import BoardLines
from hal.backends.gpiod import GpiodLines
from hal.backends.gpiod_probe import ChipSeen, LineSeen, what_drives
from hal.clock import VirtualClock
from hal.lines import LineSpec, Pull
from hal.loop import run_virtual
from hal.values import Edge, EdgesLost, Loss
from tests.fakes.board_bench import BoardBench, play
from tests.fakes.fake_gpiod import FakeChip, FakeKernel
from tests.tables.bench import configured

S = 10**9
USE = LineUse("a sensor", "it sees", "its output")
BUTTON = Wired("dealer_void", "GPIO16 (pin 36)", "up", True, USE)
CHANNEL = Wired("wheel_a", "GPIO17 (pin 11)", "up", False, USE._replace(rests_low=False))


def statuses(findings: list[Finding]) -> list[str]:
    return [finding.status for finding in findings]


# --- the computer ---


def test_a_device_that_the_user_may_not_open_names_the_group() -> None:
    [found] = computer_checks.judge_access([AccessFacts("/dev/gpiochip0", True, False, "gpio", "ann")])
    assert found.status == "failed"
    assert found.fix.startswith("sudo usermod -aG gpio ann")
    [missing] = computer_checks.judge_access([AccessFacts("/dev/ttyUSB0", False, False, "", "ann")])
    assert "there is no such device" in missing.found


def test_a_port_that_somebody_holds_or_that_has_no_lasting_name_is_reported() -> None:
    made = computer_checks.judge_port("/dev/ttyUSB0", "/dev/serial/by-id/x", [Holder(7, "minicom")])
    assert statuses(made) == ["failed", "warning"]
    assert "minicom (process 7)" in made[0].found
    assert 'port = "/dev/serial/by-id/x"' in made[1].fix


def test_how_well_edges_are_dated_is_judged_by_what_was_measured_and_not_by_what_a_driver_reports() -> None:
    # The driver of FTDI reports 1 once it was asked for it, whatever its chip does.
    adapter = computer_facts.LatencyFacts("/sys/x/latency_timer", 1)
    (made,) = computer_checks.judge_times("wheel", 7_900_001, adapter)
    assert (made.status, made.subject) == ("warning", "board wheel")
    assert "from now on, until the clocks are compared again, its edges are dated within 7.91 ms" in made.found
    assert "at 60 rpm turns 2.85°" in made.found
    assert "pocket" not in made.found
    assert "reports 1 ms, also of a chip that holds bytes for longer" in made.found
    assert "another USB chip" in made.fix
    (made,) = computer_checks.judge_times("wheel", 7_900_000, None)
    assert (made.status, "USB" in made.found) == ("warning", False)
    for facts in (None, adapter, adapter._replace(ms=16)):
        (made,) = computer_checks.judge_times("wheel", 480_000, facts)
        assert (made.status, "within 0.48 ms" in made.found, "0.18°" in made.found) == ("ok", True, True)


def test_of_a_board_that_was_not_measured_only_what_its_driver_reports_is_known() -> None:
    adapter = computer_facts.LatencyFacts("/sys/x/latency_timer", 16)
    (made,) = computer_checks.judge_times("wheel", None, adapter)
    assert (made.status, "for up to 16 ms" in made.found) == ("warning", True)
    assert "echo 1 | sudo tee /sys/x/latency_timer" in made.fix
    (made,) = computer_checks.judge_times("wheel", None, adapter._replace(ms=1))
    assert (made.status, "whether the chip obeys was not measured" in made.found) == ("skipped", True)
    assert "while the service is stopped" in made.fix
    assert computer_checks.judge_times("wheel", None, None) == []


def test_the_latency_timer_is_that_of_the_port_that_the_name_leads_to(tmp_path: Path) -> None:
    roots = Roots(tmp_path / "sys")
    link = tmp_path / "by-id"
    link.symlink_to("/dev/ttyUSB7")
    assert computer_facts.latency_timer(str(link), roots) is None
    file = roots.sys / "bus/usb-serial/devices/ttyUSB7/latency_timer"
    file.parent.mkdir(parents=True)
    for text, ms in (("16\n", 16), ("1\n", 1), ("", None), ("?", None)):
        file.write_text(text)
        found = computer_facts.latency_timer(str(link), roots)
        assert (None if found is None else found.ms) == ms


@pytest.mark.parametrize(
    ("free_mb", "read_only", "status"),
    [(5, False, "failed"), (100, False, "warning"), (900, False, "ok"), (900, True, "failed")],
)
def test_the_room_on_the_disk(free_mb: int, read_only: bool, status: str) -> None:
    facts = DiskFacts("/var/lib/feltwire", free_mb * 1024**2, 10**10, read_only, "mmcblk0", "SD")
    assert statuses(computer_checks.judge_disk(facts)) == [status]


@pytest.mark.parametrize(
    ("life", "worn", "kind", "status"),
    [
        ((1, 2), 1, "MMC", "ok"),
        ((9, 2), 1, "MMC", "warning"),
        ((11, 1), 1, "MMC", "failed"),
        ((1, 1), 3, "MMC", "failed"),
        ((), None, "SD", "skipped"),
    ],
)
def test_the_wear_of_the_disk(life: tuple[int, ...], worn: int | None, kind: str, status: str) -> None:
    facts = DiskFacts("/var", 10**10, 10**10, False, "mmcblk0", kind, life, worn)
    assert statuses(computer_checks.judge_wear(facts)) == [status]


@pytest.mark.parametrize(
    ("low", "bits", "status"),
    [
        (None, None, "skipped"),
        (False, None, "ok"),
        (True, None, "failed"),
        (None, 0, "ok"),
        (None, 0x50005, "failed"),
        (None, 0x10000, "failed"),
        (None, 0x4, "warning"),
    ],
)
def test_the_supply_of_a_pi(low: bool | None, bits: int | None, status: str) -> None:
    assert statuses(computer_checks.judge_power(PowerFacts(low, bits))) == [status]


def test_facts_of_a_pi_are_read_from_the_kernels_files(tmp_path: Path) -> None:
    monitor = tmp_path / "sys" / "class" / "hwmon" / "hwmon1"
    monitor.mkdir(parents=True)
    (monitor / "name").write_text("rpi_volt\n")
    (monitor / "in0_lcrit_alarm").write_text("1\n")
    (tmp_path / "proc" / "device-tree").mkdir(parents=True)
    (tmp_path / "proc" / "device-tree" / "model").write_text("Raspberry Pi 5 Model B Rev 1.0\0")
    roots = Roots(tmp_path / "sys", tmp_path / "proc", tmp_path / "run")
    assert computer_facts.power(roots, lambda command: "throttled=0x50000\n") == PowerFacts(True, 0x50000)
    assert computer_facts.about(roots)["model"] == "Raspberry Pi 5 Model B Rev 1.0"


def test_who_holds_a_device_is_seen_in_the_descriptors_of_processes(tmp_path: Path) -> None:
    process = tmp_path / "proc" / "77"
    (process / "fd").mkdir(parents=True)
    (process / "cmdline").write_text("minicom\0-D\0/dev/ttyUSB0\0")
    (process / "fd" / "3").symlink_to("/dev/ttyUSB0")
    roots = Roots(tmp_path / "sys", tmp_path / "proc", tmp_path / "run")
    assert computer_facts.holders("/dev/ttyUSB0".__eq__, roots) == [Holder(77, "minicom -D /dev/ttyUSB0")]
    assert computer_facts.holders("/dev/ttyUSB1".__eq__, roots) == []


def test_the_calendar_and_the_clock() -> None:
    unset = computer_checks.judge_time(TimeFacts(False, False, "", False), 1)
    assert statuses(unset) == ["ok", "warning", "warning"]
    coarse = computer_checks.judge_time(TimeFacts(True, True, "chrony", True), 4_000_000)
    assert statuses(coarse) == ["failed", "ok"]


# --- lines ---


def test_a_line_that_another_program_holds_is_named_with_it() -> None:
    lines = [LineSeen("wheel_a", "pinctrl-rp1", 17, "gpiomon"), LineSeen("wheel_b", "pinctrl-rp1", 27, "")]
    [found] = line_checks.judge_holders(lines, [Holder(9, "gpiomon -c 0 17")], "")
    assert "gpiomon -c 0 17 (process 9)" in found.found
    [own] = line_checks.judge_holders([lines[0]._replace(consumer="feltwire")], [], "ipc:///run/feltwire")
    assert own.status == "ok"
    assert "the service at ipc:///run/feltwire" in own.found


def test_a_chip_that_is_missing_lists_those_that_are_there() -> None:
    [found] = line_checks.judge_chips([ChipSeen("/dev/gpiochip0", "other", 8)], None)
    assert (found.status, "other" in found.found) == ("failed", True)
    [refused] = line_checks.judge_chips([ChipSeen("/dev/gpiochip0", "", 0, "Permission denied")], None)
    assert "usermod -aG gpio" in refused.fix


@pytest.mark.parametrize(
    ("pull", "inverted", "driven", "status"),
    [
        ("up", True, "nothing", "ok"),
        ("up", False, "nothing", "failed"),
        ("down", False, "nothing", "ok"),
        ("none", False, "nothing", "failed"),
        ("up", True, "low", "failed"),
        ("up", True, "high", "ok"),
        ("down", False, "high", "failed"),
    ],
)
def test_what_drives_a_line_at_rest(pull: Pull, inverted: bool, driven: str, status: str) -> None:
    wired = BUTTON._replace(pull=pull, inverted=inverted)
    assert line_checks.judge_drive(wired, driven).status == status  # type: ignore[arg-type]
    if pull != "none":
        assert line_checks.judge_drive(wired._replace(use=CHANNEL.use), driven).status == "ok"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pull", "inverted", "first", "second"),
    [("down", True, 'pull = "up"', "inverted = false"), ("up", False, "inverted = true", 'pull = "down"')],
)
def test_the_advice_for_a_line_that_is_1_at_rest_is_an_open_collectors_first(
    pull: Pull, inverted: bool, first: str, second: str
) -> None:
    wired = BUTTON._replace(pull=pull, inverted=inverted)
    [at_rest] = [
        one
        for one in line_checks.judge_rest(Recording([Edge("dealer_void", 1, 0)], [], 3 * S), [wired], 3)
        if one.status == "failed"
    ]
    for found in (line_checks.judge_drive(wired, "nothing"), at_rest):
        assert 0 < found.fix.index(first) < found.fix.index(second)


def recording(line: str, times: list[int], until_ns: int = 3 * S) -> Recording:
    edges = [Edge(line, 0, 0), *(Edge(line, (at + 1) % 2, t) for at, t in enumerate(times))]
    return Recording(edges, [], until_ns)


def test_noise_at_rest_is_counted_and_a_still_line_is_quiet() -> None:
    noisy = line_checks.judge_rest(recording("wheel_a", [n * 1000 for n in range(1, 30)]), [CHANNEL], 3)
    assert [one.check for one in noisy if one.status == "failed"] == ["noise"]
    assert statuses(line_checks.judge_rest(recording("wheel_a", []), [CHANNEL], 3)) == ["ok"]


def test_a_button_that_is_down_at_rest_is_found() -> None:
    stuck = Recording([Edge("dealer_void", 1, 0)], [], 3 * S)
    assert "it is 1 at rest" in [one.found for one in line_checks.judge_rest(stuck, [BUTTON], 3)]


def test_a_dead_line_hints_at_the_pull_and_a_fast_one_at_bounce() -> None:
    down = CHANNEL._replace(pull="down")
    [dead] = line_checks.judge_moved(recording("wheel_a", []), [down], {}, "wheel")
    assert 'open-collector (NPN) output needs pull = "up"' in dead.fix
    bounds = {"wheel_a": LineBounds(1000, 500, "100 slots at 90 rpm")}
    [fast] = line_checks.judge_moved(recording("wheel_a", [S, S + 100_000]), [down], bounds, "wheel")
    assert "100 slots at 90 rpm" in fast.found
    assert fast.status == "failed"
    [slow] = line_checks.judge_moved(recording("wheel_a", [S, S + 1_000_000]), [down], bounds, "wheel")
    assert slow.status == "ok"


def test_lost_edges_are_reported() -> None:
    lost = Recording([Edge("wheel_a", 0, 0)], [EdgesLost("wheel_a", Loss.OVERFLOW, 5, 3)], S)
    assert any("were lost" in one.found for one in line_checks.judge_rest(lost, [CHANNEL], 3))


@given(st.lists(st.integers(1, 10**7), max_size=40), st.booleans())
def test_no_recording_breaks_a_judge(gaps: list[int], moved: bool) -> None:
    times = [sum(gaps[: end + 1]) for end in range(len(gaps))]
    made = recording("wheel_a", times)
    bounds = {"wheel_a": LineBounds(500, 800, "x")}
    found = (
        line_checks.judge_moved(made, [CHANNEL], bounds, "w") if moved else line_checks.judge_rest(made, [CHANNEL], 3)
    )
    assert found
    assert all(one.fix for one in found if one.status == "failed")


# --- the table ---


def test_keys_without_clients_and_keys_that_others_read() -> None:
    facts = KeyFacts("ab" * 32, "", "/s/signing.key", "/s/keys", "public", "", 0)
    assert statuses(table_checks.judge_keys(facts)) == ["ok", "warning"]
    broken = facts._replace(signing="", signing_problem="others may read it", server="")
    assert statuses(table_checks.judge_keys(broken)) == ["failed", "skipped"]


def test_the_faults_that_a_service_reports_are_failures() -> None:
    status = {"tables": {"t-1": {"state": "shut", "faults": ["wheel: sensor_stuck: x"], "missing": ["chip"]}}}
    assert statuses(table_checks.judge_service("t-1", "ipc:///run/x", status, "")) == ["failed", "failed"]
    assert [(one.status, one.fix) for one in table_checks.judge_service("t-1", "", None, "start")] == [
        ("skipped", "start")
    ]
    assert table_checks.judge_feed("ipc:///run/x", None, 3).status == "failed"


def test_a_record_that_no_witness_has_signed_for_ten_minutes_is_warned_of() -> None:
    clock = VirtualClock(1_783_191_600 * S)
    for signed, cosigned, waiting, status, words in (
        (9, 9, "", "ok", "enough of them cosigned its first 9 records"),
        (9, 9, "2026-07-04T18:59:30.000000Z", "ok", "waits for its minute"),
        (9, 9, "2026-07-04T18:30:00.000000Z", "warning", "nothing is signed since 2026-07-04T18:30:00"),
        (9, 5, "2026-07-04T18:30:00.000000Z", "warning", "too few cosign since 2026-07-04T18:30:00"),
    ):
        found = table_checks.judge_witnessed("journal.sqlite.tree", signed, cosigned, waiting, clock)
        assert (found.status, words in found.found) == (status, True)


def test_a_board_that_does_not_answer_fails() -> None:
    found = table_checks.judge_board("wheel", "wheel", "board 'wheel': its port is down: it is out; check its cable")
    assert (found.status, found.found) == ("failed", "its port is down: it is out; check its cable")
    assert "cable" not in found.fix


def test_where_no_line_was_listened_to_none_was_quiet() -> None:
    (found,) = line_checks.judge_rest(Recording([], [], 3 * S), [], 3)
    assert (found.status, found.check) == ("skipped", "noise")


# --- the whole, on a fake kernel ---

PINS = {"wheel_a": 17, "wheel_b": 27, "wheel_index": 22, "dealer_no_more_bets": 23}
TABLE = (
    '[table]\nid = "wheel-9"\ngame = "money_wheel"\nno_more_bets = "button"\n[lines]\nbackend = "gpiod"\n[pins]\n'
    "wheel_a = { gpio = 17 }\nwheel_b = { gpio = 27 }\nwheel_index = { gpio = 22 }\n"
    "dealer_no_more_bets = { gpio = 23 }\n"
)


def examined(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    kernel: FakeKernel,
    *,
    turns: FakeChip | None = None,
    service: RunningService | None = None,
) -> DoctorReport:
    """Doctor on a fake kernel; where a chip `turns`, its wheel does when it is asked for."""
    clock = VirtualClock(1_000 * S)

    def wired(config: TableConfig, clock: VirtualClock, faults: object, seed: int) -> Wiring:
        specs = [pin.spec() for pin in config.pins.values()]
        return Wiring(sources=[GpiodLines(specs, clock, devices=kernel.devices)])

    monkeypatch.setattr(listening, "wire", wired)
    monkeypatch.setattr(doctor, "access", lambda path: AccessFacts(path, True, True, "gpio", "ann"))

    async def move(device: str, opened: OpenTable) -> bool:
        if turns is not None and device == "wheel":
            for step in range(40):
                at_ns = clock.now_ns() + 5_000_000
                await opened.listener.wait(0.005)
                turns.drive(17 if step % 2 else 27, (step // 2) % 2, at_ns)
            await opened.listener.wait(0.2)
            return True
        return False

    around = Surroundings(StatePaths(folder / "state"), folder / "state", service, devices=kernel.devices)
    with kernel.installed():
        return run_virtual(examine(configured(TABLE), [], around, Asked(0.5, move), lambda finding: None, clock), clock)


def named(report: DoctorReport, check_name: str) -> list[Finding]:
    return [one for one in report.findings if one.check == check_name]


def test_a_sound_table_has_its_lines_examined_and_a_dead_index_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = FakeKernel()
    chip = kernel.add_chip()
    report = examined(tmp_path, monkeypatch, kernel, turns=chip)
    assert [one.status for one in named(report, "chip")] == ["ok"]
    assert [one.status for one in named(report, "held")] == ["ok"]
    edges = {one.subject.split()[0]: one.status for one in named(report, "edges") if one.subject}
    assert edges == {"wheel_a": "ok", "wheel_b": "ok", "wheel_index": "failed"}


def test_lines_that_another_program_holds_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = FakeKernel()
    chip = kernel.add_chip()
    chip.hold(17, "gpiomon")
    report = examined(tmp_path, monkeypatch, kernel)
    assert any("gpiomon" in one.found for one in named(report, "held"))
    assert chip.lines[27].request is None
    assert named(report, "edges")[0].found == "lines of the table are not free, so no line was opened"


def test_where_the_chip_is_missing_no_line_is_called_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = examined(tmp_path, monkeypatch, FakeKernel())
    assert named(report, "edges")[0].found == "the chip of its lines cannot be used, so no line was opened"


def test_the_lines_of_a_running_service_are_left_alone_and_the_service_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = FakeKernel()
    chip = kernel.add_chip()
    for offset in PINS.values():
        chip.hold(offset, "feltwire")
    monkeypatch.setattr(doctor, "_heartbeat", lambda base, config: f"v1/{config.id}/heartbeat/")
    status = {"tables": {"wheel-9": {"state": "open", "faults": [], "missing": []}}}
    report = examined(tmp_path, monkeypatch, kernel, service=RunningService("ipc:///run/feltwire", status))
    assert [one.status for one in named(report, "service")] == ["ok"]
    assert [one.status for one in named(report, "feed")] == ["ok"]
    assert {one.status for one in named(report, "held")} == {"ok"}
    assert "the service at ipc:///run/feltwire holds the lines" in named(report, "edges")[0].found


BOARD_TABLE = (
    '[table]\nid = "wheel-9"\ngame = "money_wheel"\nno_more_bets = "button"\n[lines]\nbackend = "board"\n'
    '[board.one]\nkind = "wheel"\nport = "PORT"\n[pins]\n'
    'wheel_a = { board = "one", input = 1 }\nwheel_b = { board = "one", input = 2 }\n'
    'wheel_index = { board = "one", input = 3 }\ndealer_no_more_bets = { board = "one", input = 4, inverted = true }\n'
)


@pytest.mark.parametrize("held", [False, True])
def test_how_well_a_board_dates_its_edges_is_shown_with_what_its_adapter_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: bool
) -> None:
    roots = Roots(tmp_path / "sys")
    timer = roots.sys / "bus/usb-serial/devices/ttyUSB7/latency_timer"
    timer.parent.mkdir(parents=True)
    timer.write_text("16\n")
    service = RunningService("ipc:///run/feltwire", {"tables": {"wheel-9": {"state": "open"}}}) if held else None
    monkeypatch.setattr(doctor, "_heartbeat", lambda base, config: f"v1/{config.id}/heartbeat/")

    async def scene(bench: BoardBench) -> None:
        def wired(config: TableConfig, clock: VirtualClock, faults: object, seed: int) -> Wiring:
            specs = [LineSpec(line, end.number, board="one") for line, end in config.terminals.items()]
            return Wiring(sources=[BoardLines(specs, bench.link, clock)], boards={"one": bench.link})

        monkeypatch.setattr(listening, "wire", wired)
        around = Surroundings(StatePaths(tmp_path / "state"), tmp_path / "state", service, roots)
        config = configured(BOARD_TABLE.replace("PORT", str(tmp_path / "ttyUSB7")))
        report = await examine(config, [], around, Asked(0.5), lambda finding: None, bench.clock)
        (times,) = named(report, "times")
        # What was measured decides: nothing holds the bytes of this board, whatever the kernel's file has.
        assert (times.status, times.subject) == ("warning" if held else "ok", "board one")
        assert ("its edges are dated within 0.0" in times.found) == (not held)
        assert ("for up to 16 ms" in times.found) == held

    play(scene)


def test_what_drives_a_line_is_seen_with_both_resistors() -> None:
    kernel = FakeKernel()
    chip = kernel.add_chip()
    chip.drive(17, 1, 0)
    with kernel.installed():
        seen = what_drives([LineSpec("a", 17), LineSpec("b", 27)], kernel.devices)
    assert seen == {"a": "high", "b": "low"}
    assert chip.lines[17].request is None


def test_a_report_holds_no_secret(tmp_path: Path) -> None:
    state = tmp_path / "state"
    key = create(state / "signing.key")
    pair = new_pair("server")
    write_pair(state / "keys", pair)
    table = tmp_path / "t.toml"
    table.write_text(TABLE, encoding="utf-8")
    report = tmp_path / "report.txt"
    arguments = ["doctor", str(tmp_path), "--yes", "--rest", "0.2", "--state", str(state), "--report", str(report)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1, result.output
    secrets = [bytes(key).hex(), pair.secret, (state / "signing.key").read_text().strip()]
    for text in (report.read_text(encoding="utf-8"), result.output):
        assert all(secret not in text for secret in secrets)
    assert "wheel-9" in report.read_text(encoding="utf-8")


def test_the_report_as_json_is_stable_and_its_status_is_the_worst(tmp_path: Path) -> None:
    table = tmp_path / "t.toml"
    table.write_text('[table]\nid = "r-1"\ngame = "roulette"\n[lines]\nbackend = "sim"\n', encoding="utf-8")
    result = CliRunner().invoke(main, ["doctor", str(table), "--json", "--state", str(tmp_path / "s")])
    made = msgspec.json.decode(result.output, type=DoctorReport)
    assert made.format == 1
    assert made.status == worst(made.findings)
    assert {one.check for one in made.findings} >= {"file", "disk", "power", "clock", "time_source", "keys", "journal"}
    assert check([table]).errors == []


def test_a_computer_without_chips_is_not_asked_for_the_label_of_one() -> None:
    [found] = line_checks.judge_chips([], None)
    assert found.status == "failed"
    assert "this computer has no GPIO" in found.fix
