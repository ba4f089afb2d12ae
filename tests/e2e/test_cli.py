"""The command as people call it: what it prints, its exit codes, and what it loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from hal.capture.vcd_writer import CaptureLines, write_capture
from hal.values import Batch, Edge
from simulators.base.truth import TableSimulator, Truth
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.money_wheel.wheel import MoneyWheelSimulator
from simulators.roulette.geometry import RouletteGeometry
from simulators.roulette.wheel import RouletteSimulator
from tests.fakes.time_limits import HANG_S

ROOT = Path(__file__).resolve().parents[2]
ROULETTE = '[table]\nid = "roulette-1"\ngame = "roulette"\n[lines]\nbackend = "sim"\n'
MONEY = '[table]\nid = "wheel-1"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n'
RUN_SECONDS = "0.4"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service of a test keeps its journal and its sockets to itself."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("FELTWIRE_RUNTIME", str(tmp_path / "run"))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)


@pytest.fixture
def roulette(tmp_path: Path) -> Path:
    path = tmp_path / "roulette.toml"
    path.write_text(ROULETTE)
    return path


@pytest.fixture
def money(tmp_path: Path) -> Path:
    path = tmp_path / "money.toml"
    path.write_text(MONEY)
    return path


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


def installed(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The installed command in a process of its own."""
    command = Path(sys.executable).with_name("feltwire")
    return subprocess.run(
        [str(command), *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=HANG_S,
    )


def bodies(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def kinds(text: str) -> list[str]:
    return [str(body["type"]).removeprefix("feltwire.").removesuffix(".v1") for body in bodies(text)]


# --- simulate ------------------------------------------------------------------------------------------------------


def test_simulate_prints_equal_bytes_on_two_runs_and_whatever_the_hash_seed(roulette: Path, tmp_path: Path) -> None:
    runs: list[tuple[bytes, bytes, bytes]] = []
    for hash_seed in ("0", "0", "12345"):
        vcd = tmp_path / f"{len(runs)}.vcd"
        options: list[str | Path] = [
            "--rounds",
            "4",
            "--seed",
            "9",
            "--fault",
            "bounce@2",
            "--fault",
            "two_balls@3",
            "--json",
            "--vcd",
            vcd,
        ]
        run = installed("simulate", roulette, *options, PYTHONHASHSEED=hash_seed)
        assert run.returncode == 0, run.stderr
        runs.append((run.stdout, run.stderr, vcd.read_bytes()))
    assert runs[0] == runs[1] == runs[2]
    assert runs[0][0].count(b"\n") > 10


def test_json_is_one_event_a_line_and_nothing_else_on_standard_output(roulette: Path) -> None:
    result = call("simulate", roulette, "--rounds", "2", "--json")
    for body in bodies(result.stdout):
        assert list(body)[:4] == ["specversion", "id", "source", "type"]
        data = body["data"]
        assert isinstance(data, dict)
        assert data["simulated"] is True
    durable = [body for body in bodies(result.stdout) if "sequence" in body]
    assert [body["sequence"] for body in durable] == [f"{k:020d}" for k in range(1, len(durable) + 1)]
    assert all(str(body["id"]).startswith("roulette-1.sim.") for body in durable)


def test_without_json_a_person_reads_a_line_a_fact_without_colour_off_a_terminal(roulette: Path) -> None:
    result = call("simulate", roulette, "--rounds", "1")
    assert "\x1b" not in result.stdout
    assert "OUTCOME" in result.stdout
    assert "{" not in result.stdout


def test_the_truth_is_held_against_every_verdict_on_standard_error(roulette: Path) -> None:
    result = call("simulate", roulette, "--rounds", "3", "--fault", "same_direction@2")
    assert result.exit_code == 0
    assert "3 rounds" in result.stderr
    assert "1 void ball_direction" in result.stderr
    assert "every outcome is supported by the truth" in result.stderr


def test_what_simulate_writes_replays_to_the_same_events(money: Path, tmp_path: Path) -> None:
    vcd = tmp_path / "evening.vcd"
    faults = ["--fault", "short_spin@2", "--fault", "wind_up@3"]
    played = call("simulate", money, "--rounds", "4", "--seed", "3", *faults, "--json", "--vcd", vcd)
    replayed = call("replay", money, vcd, "--json")
    assert played.exit_code == replayed.exit_code == 0
    assert replayed.stdout == played.stdout.replace("wheel-1.sim.", "wheel-1.replay.")


def test_the_faults_are_listed_and_explained(money: Path, roulette: Path) -> None:
    for path, there, elsewhere in ((money, "between_spaces", "two_balls"), (roulette, "two_balls", "between_spaces")):
        result = call("simulate", path, "--fault", "list")
        assert result.exit_code == 0
        assert there in result.stdout.splitlines()
        assert elsewhere not in result.stdout.splitlines()
        assert "A correct controller:" in result.stdout


@pytest.mark.parametrize(
    "options",
    [
        ["--fault", "no_such_fault"],
        ["--fault", "between_spaces"],
        ["--fault", "short_spin@99"],
        ["--rounds", "0"],
        ["--rounds", "many"],
        ["--speed", "0"],
        ["--speed", "fast"],
        ["--speed", "nan"],
        ["--nonsense"],
    ],
    ids=" ".join,
)
def test_options_that_cannot_be_used_end_with_2_and_a_word(roulette: Path, options: Sequence[str]) -> None:
    result = call("simulate", roulette, *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert options[-1].split("@")[0].strip("-") in result.stderr
    assert "Traceback" not in result.stderr


def test_an_automatic_wheel_is_simulated_and_its_capture_gives_the_same_events(tmp_path: Path) -> None:
    table, vcd = ROOT / "examples" / "automatic_roulette.toml", tmp_path / "wheel.vcd"
    played = call("simulate", table, "--rounds", "2", "--fault", "stuck_sensor@1", "--json", "--vcd", vcd)
    assert played.exit_code == 0
    assert "round.unresolved" in played.stdout
    assert "device.cleared" in played.stdout
    assert call("replay", table, vcd, "--json").stdout == played.stdout.replace(".sim.", ".replay.")


# --- replay --------------------------------------------------------------------------------------------------------


def recorded(path: Path, simulator: TableSimulator, *faults: str | None) -> list[Truth]:
    """Rounds of a simulator as a capture; gives the truth of each."""
    batches = [simulator.start()]
    truths = []
    for fault in faults:
        played = simulator.round(fault)
        batches.append(played.batch)
        truths.append(played.truth)
    reals = tuple(line for line in simulator.lines if line.startswith("level_"))
    wires = tuple(line for line in simulator.lines if line not in reals)
    write_capture(path, CaptureLines(wires, reals=reals), batches)
    return truths


def verdicts(text: str) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for body in bodies(text):
        data = body["data"]
        assert isinstance(data, dict)
        kind = str(body["type"]).removeprefix("feltwire.round.").removesuffix(".v1")
        if kind == "outcome":
            found.append((kind, data["result"].get("space", data["result"].get("index"))))
        elif kind in ("void", "unresolved"):
            found.append((kind, data["reason"]))
    return found


def test_a_capture_of_a_money_wheel_gives_the_true_verdicts_in_order(money: Path, tmp_path: Path) -> None:
    path = tmp_path / "evening.vcd"
    simulator = MoneyWheelSimulator(MoneyWheelGeometry(no_more_bets_button=True), 4)
    faults = (None, "short_spin", None, "spun_early", "reversed_spin", None)
    truths = recorded(path, simulator, *faults)
    result = call("replay", money, path, "--json")
    assert result.exit_code == 0, result.stderr
    assert verdicts(result.stdout) == [
        ("outcome", truths[0].result),
        ("void", "wheel_revolutions"),
        ("outcome", truths[2].result),
        ("void", "spun_before_no_more_bets"),
        ("void", truths[4].reasons[0]),
        ("outcome", truths[5].result),
    ]


def test_a_capture_of_a_roulette_wheel_gives_the_true_verdicts_in_order(roulette: Path, tmp_path: Path) -> None:
    path = tmp_path / "evening.vcd"
    simulator = RouletteSimulator(RouletteGeometry(level_hz=2.0), 4)
    truths = recorded(path, simulator, None, "same_direction", "short_spin", None, "foreign_object")
    result = call("replay", roulette, path, "--json")
    assert result.exit_code == 0, result.stderr
    assert verdicts(result.stdout) == [
        ("outcome", truths[0].result),
        ("void", "ball_direction"),
        ("void", "ball_revolutions"),
        ("outcome", truths[3].result),
        ("void", "foreign_object"),
    ]


def test_arguments_of_replay_the_wrong_way_round_are_put_right(roulette: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["replay", str(tmp_path / "a.vcd"), str(roulette)])
    assert result.exit_code == 2
    assert f"the table comes first: feltwire replay {roulette} {tmp_path / 'a.vcd'}" in result.output


def test_replay_prints_the_same_bytes_twice(roulette: Path, tmp_path: Path) -> None:
    path = tmp_path / "evening.vcd"
    recorded(path, RouletteSimulator(RouletteGeometry(), 4), None, "two_balls")
    first, second = (installed("replay", roulette, path, "--json", PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr)
    assert kinds(first.stdout.decode())[0] == "table.opened"


@pytest.mark.parametrize(
    ("spoil", "line", "word"),
    [
        (lambda text: text + "zzz\n", None, "zz"),
        (lambda text: text.replace("#0\n", "#x\n", 1), None, "#x"),
        (lambda text: text.replace("$timescale 1 ns", "$timescale 3 parsecs", 1), None, "parsecs"),
        (lambda text: text + "1~\n", None, "~"),
        (lambda text: text + "#0\n", 0, "time goes back"),
    ],
    ids=["nonsense", "no time", "no timescale", "unknown id", "time goes back"],
)
def test_a_bad_capture_is_refused_with_its_name_its_line_and_the_cause(
    money: Path, tmp_path: Path, spoil: Callable[[str], str], line: int | None, word: str
) -> None:
    path = tmp_path / "bad.vcd"
    edges = [Edge(name, 0, 0) for name in ("wheel_a", "wheel_b", "wheel_index")] + [Edge("wheel_a", 1, 1_000_000)]
    write_capture(path, CaptureLines(("wheel_a", "wheel_b", "wheel_index")), [Batch(edges, [], 2_000_000)])
    text = spoil(path.read_text())
    path.write_text(text)
    rows = text.splitlines()
    place = len(rows) if line is not None else next(k for k, row in enumerate(rows, 1) if word in row)
    result = call("replay", money, path, "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"{path}, line {place}: " in result.stderr
    assert word in result.stderr
    assert "Traceback" not in result.stderr


def test_a_capture_that_is_not_there_or_is_a_folder_ends_with_2(money: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.vcd", tmp_path):
        result = call("replay", money, path)
        assert result.exit_code == 2
        assert str(path) in result.stderr
        assert "Traceback" not in result.stderr


def test_the_files_before_a_bad_capture_are_still_told(money: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.vcd", tmp_path / "bad.vcd"
    recorded(good, MoneyWheelSimulator(MoneyWheelGeometry(), 1), None)
    bad.write_text("nonsense")
    result = call("replay", money, good, bad, "--json")
    assert result.exit_code == 2
    assert "round.opened" in kinds(result.stdout)


# --- check, pins, help ---------------------------------------------------------------------------------------------


def test_check_says_every_mistake_of_every_file_at_once_and_ends_with_2(tmp_path: Path, money: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('[table]\nid = "x"\ngame = "roulete"\n[lines]\nbackend = "sim"\n[device.whell]\n')
    result = call("check", money, bad)
    assert result.exit_code == 2
    assert f"{bad}:3" in result.stderr
    assert f"{bad}:6" in result.stderr
    assert '"roulette"' in result.stderr
    assert "ok" in result.stdout
    assert result.stderr.endswith("of one computer; check those of another one by themselves\n")
    assert "of one computer" not in call("check", bad).stderr


def test_check_of_files_that_are_right_ends_with_0(money: Path, roulette: Path) -> None:
    result = call("check", money, roulette)
    assert result.exit_code == 0
    assert [line[-4:] == ": ok" for line in result.stdout.splitlines()] == [True, True, False]
    assert result.stdout.splitlines()[-1].startswith("  post at the table (13:47-20.32(g)): ")


@pytest.mark.parametrize("command", ["check", "pins", "simulate", "run"])
def test_a_file_that_is_not_there_ends_with_2(tmp_path: Path, command: str) -> None:
    result = call(command, tmp_path / "missing.toml")
    assert result.exit_code == 2
    assert "missing.toml" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("rules", ["njac-19:47", "njac-13:69F"])
@pytest.mark.parametrize("game", ["roulette", "money_wheel"])
def test_a_game_of_which_a_profile_has_no_text_is_refused(tmp_path: Path, rules: str, game: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'[table]\nid = "x"\ngame = "{game}"\nrules = "{rules}"\n[lines]\nbackend = "sim"\n')
    result = call("check", path)
    assert result.exit_code == 2
    assert "no text" in result.stderr


def test_an_unknown_command_ends_with_2() -> None:
    assert call("dance").exit_code == 2


def test_every_command_has_help_with_an_example() -> None:
    for command in ("check", "pins", "simulate", "replay", "run"):
        result = call(command, "--help")
        assert result.exit_code == 0
        assert f"feltwire {command}" in result.output
        assert "Exit codes:" in result.output


LOADED = """
import sys
from click.testing import CliRunner
from controller.cli import main
result = CliRunner().invoke(main, sys.argv[1:])
assert result.exit_code == 0, result.output
print(*sorted(sys.modules))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["check", "examples/roulette.toml"],
        ["check", "examples/roulette_on_pi.toml"],
        ["pins", "examples/roulette_on_pi.toml"],
    ],
    ids=" ".join,
)
def test_commands_that_need_no_simulator_and_no_gpio_load_none(arguments: Sequence[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, check=True, cwd=ROOT, text=True, timeout=HANG_S
    )
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert "controller" in loaded
    assert not loaded & {"simulators", "gpiod", "gpiozero", "lgpio", "RPi"}


def test_help_loads_no_command_that_it_does_not_run() -> None:
    run = subprocess.run(
        [sys.executable, "-c", LOADED, "--version"],
        capture_output=True,
        check=True,
        cwd=ROOT,
        text=True,
        timeout=HANG_S,
    )
    assert not {"drivers", "msgspec", "rich"} & {name.split(".")[0] for name in run.stdout.split()}


# --- run -----------------------------------------------------------------------------------------------------------


def test_run_plays_simulated_tables_and_closes_them_after_its_seconds(roulette: Path, money: Path) -> None:
    run = installed("run", roulette, money, "--seconds", RUN_SECONDS, "--speed", "200", "--json")
    assert run.returncode == 0, run.stderr
    said = bodies(run.stdout.decode())
    for table in ("roulette-1", "wheel-1"):
        own = [str(body["type"]) for body in said if body["source"] == f"/tables/{table}"]
        assert own[0] == "feltwire.table.opened.v1"
        assert own[-1] == "feltwire.table.closed.v1"
    assert all(str(body["id"]).split(".")[1] not in ("sim", "replay") for body in said)


def test_run_marks_what_is_simulated_for_people_too(money: Path) -> None:
    run = installed("run", money, "--seconds", "0.1", "--speed", "100")
    assert run.returncode == 0, run.stderr
    assert b"sim wheel-1" in run.stdout


def test_run_ends_with_1_where_no_table_can_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "live.toml"
    pins = "".join(
        f"{line} = {{ gpio = {gpio} }}\n" for line, gpio in (("wheel_a", 17), ("wheel_b", 27), ("wheel_index", 22))
    )
    path.write_text(
        '[table]\nid = "x"\ngame = "money_wheel"\nno_more_bets = "auto"\n'
        f'[lines]\nbackend = "gpiod"\nchip = "no-such-chip"\n[pins]\n{pins}'
    )
    run = installed("run", path, "--seconds", "0.1")
    assert run.returncode == 1
    assert b"no-such-chip" in run.stderr
    assert b"Traceback" not in run.stderr
    assert run.stdout == b""


def test_run_of_a_capture_is_refused_with_what_to_use(tmp_path: Path) -> None:
    path = tmp_path / "capture.toml"
    path.write_text(MONEY.replace('"sim"', '"capture"'))
    result = call("run", path)
    assert result.exit_code == 2
    assert "feltwire replay" in result.stderr


def test_faults_and_speed_are_for_simulated_tables(tmp_path: Path) -> None:
    path = ROOT / "examples" / "money_wheel_on_pi.toml"
    for options in (["--speed", "10"], ["--fault", "short_spin"]):
        result = call("run", path, *options)
        assert result.exit_code == 2
        assert "real wires" in result.stderr


def test_two_tables_of_one_name_cannot_run_together(money: Path, tmp_path: Path) -> None:
    twin = tmp_path / "twin.toml"
    twin.write_text(MONEY)
    result = call("run", money, twin)
    assert result.exit_code == 2
    assert "twin.toml:2" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("send", "ipc:///tmp/nobody", "close", "reason=dealer_call", "why=\udcff"),
        ("send", "ipc:///tmp/nobody", "close", "--by", "zo\udcff"),
        ("send", "ipc:///tmp/nobody", "status", "--table", "\udcff"),
        ("send", "\udcff"),
        ("journal", "recall", "journal.sqlite", "\udcff"),
        ("watch", "ipc:///tmp/nobody", "--table", "\udcff"),
        ("run", "--state", "\udcff", "roulette.toml"),
    ],
)
def test_an_argument_that_is_no_utf8_is_refused_by_its_bytes(words: Sequence[str]) -> None:
    result = call(*words)
    assert result.exit_code == 2
    assert '\\xff" is not UTF-8; write it in UTF-8, or rename the file' in result.stderr
