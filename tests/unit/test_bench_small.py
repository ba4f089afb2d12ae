"""What a table costs at a part of a core, and how many fit a small computer: quotas, arithmetic and the page."""

from __future__ import annotations

import subprocess
from math import isnan
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import small
from benchmarks.measure import WrongWorkError
from benchmarks.records import this_machine
from benchmarks.report import shown
from benchmarks.small import BEGIN, END, PAGE, PIS, SMALL_SMALLEST, SmallCosts, SmallPi, fit, fit_table, written
from benchmarks.small_core import SmallCore, SmallCoreError, small_core
from benchmarks.spun_service import SpunLines, highest_rate
from benchmarks.tables import simulated_table
from benchmarks.verdicts import simulated_rounds
from hal.values import Edge

COSTS = SmallCosts(
    idle_one=0.010,
    idle_many=0.024,
    tables=8,
    spin=0.030,
    edges_s=492,
    memory_one=54.0,
    memory_many=61.0,
    throttled=0.2,
)


# --- a part of a core -------------------------------------------------------------------------------------------------


def version_1(tmp_path: Path) -> Path:
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("-1\n")
    return tmp_path


def version_2(tmp_path: Path) -> Path:
    (tmp_path / "cgroup.subtree_control").write_text("cpuset cpu io memory\n")
    return tmp_path


def test_a_quota_of_version_1_is_written_in_microseconds(tmp_path: Path) -> None:
    with small_core(0.1, cgroups=version_1(tmp_path), systemd=tmp_path / "none") as core:
        (group,) = (tmp_path / "cpu").glob("feltwire-small-*")
        assert (group / "cpu.cfs_period_us").read_text() == "10000"
        assert (group / "cpu.cfs_quota_us").read_text() == "1000"
        assert core.statistics == group / "cpu.stat"


def test_a_quota_of_version_2_is_written_and_a_program_enters_it_as_itself(tmp_path: Path) -> None:
    with small_core(0.25, cgroups=version_2(tmp_path), systemd=tmp_path / "none") as core:
        (group,) = tmp_path.glob("feltwire-small-*")
        assert (group / "cpu.max").read_text() == "2500 10000"
        with subprocess.Popen([*core.prefix, "sh", "-c", "echo $$"], stdout=subprocess.PIPE, text=True) as process:
            printed, _ = process.communicate(timeout=60)
        assert int(printed) == process.pid == int((group / "cgroup.procs").read_text())
        (group / "cpu.stat").write_text("nr_periods 40\nnr_throttled 10\nthrottled_usec 5\n")
        assert core.throttled() == 0.25


def test_without_the_controller_systemd_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program: f"/usr/bin/{program}")
    (tmp_path / "cgroup.subtree_control").write_text("memory pids\n")
    with small_core(0.1, cgroups=tmp_path, systemd=tmp_path) as core:
        assert core.prefix[:3] == ("systemd-run", "--scope", "--quiet")
        assert "CPUQuota=10%" in core.prefix
        assert isnan(core.throttled())


def test_where_nothing_gives_a_quota_the_message_says_so(tmp_path: Path) -> None:
    with (
        pytest.raises(SmallCoreError, match=r"no control group with a quota can be made below .*; try as root"),
        small_core(0.1, cgroups=tmp_path, systemd=tmp_path / "none"),
    ):
        pytest.fail("there is none")


@pytest.mark.parametrize("share", [0.0, 0.05, 1.5, -1])
def test_a_share_that_the_kernel_refuses_is_refused(
    share: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(small, "mips_of_this_core", lambda: pytest.fail("it was measured"))
    assert command.main(["small", "--share", str(share)]) == 1
    assert f"a share of {share:g}: it is from 0.1 to 1" in capsys.readouterr().err


# --- what is measured -------------------------------------------------------------------------------------------------


def test_a_spun_wheel_has_each_edge_of_its_rounds_at_its_time() -> None:
    config = simulated_table("money_wheel")
    batches = simulated_rounds(config, 1)
    start_ns = 5_000_000_000
    lines = [line for line, use in config.uses.items() if use.kind == "input"]
    source, came = SpunLines(lines, batches, name="spun", start_ns=start_ns), list[Edge]()

    class Taking:
        def deliver(self, name: str, edges: list[Edge], rare: list[object]) -> None:
            assert not rare
            came.extend(edges)

    source.open(Taking())  # type: ignore[arg-type]
    found = len(came)
    for now_ns in range(start_ns, start_ns + batches[-1].until_ns + 20_000_000, 20_000_000):
        assert source.delivered_until(now_ns) == now_ns
        assert not came[found:] or came[-1].t_ns <= now_ns
    assert [edge._replace(t_ns=edge.t_ns - start_ns) for edge in came[found:]] == list(batches[1].edges)
    assert 300 < highest_rate(batches) < 1000


def test_the_busiest_time_is_found_wherever_it_is() -> None:
    spent = [(0.25 * n, 0.01 * n + (0.5 * min(n - 20, 8) if n > 20 else 0.0) * 0.25) for n in range(80)]
    assert small.busiest(spent, 2.0) == pytest.approx(0.04 + 0.5)
    assert small.busiest(spent[:3], 2.0) == pytest.approx(0.04)


def test_the_total_of_7_zip_is_read() -> None:
    assert small.mips_of("Avr:  98  4101  4000\n----\nTot:             49   4120   2019\n") == 4120
    with pytest.raises(WrongWorkError, match="printed no total"):
        small.mips_of("7-Zip 22.01")


@pytest.mark.soak
def test_a_service_at_rest_and_a_spun_one_are_measured() -> None:
    costs = small.measured(SmallCore((), None), SMALL_SMALLEST)
    assert 0 < costs.idle_one < 1
    assert 0 < costs.spin < 1
    assert costs.memory_one > 20


# --- the arithmetic and the page --------------------------------------------------------------------------------------


def test_tables_fit_by_processor_and_by_memory() -> None:
    pi = SmallPi("small", 400, 1000, "")
    one = fit(COSTS, pi, 4000)
    assert one.slower == 4
    assert (one.idle, one.spin) == pytest.approx((0.04, 0.12))
    # The service takes 0.8 % of the core here, and a table that spins 2.2 %: (0.5 - 0.032) / 0.088.
    assert (COSTS.service, COSTS.spin_table) == pytest.approx((0.008, 0.022))
    assert one.by_processor == 5
    # 400 - 200 - 60 MB, of which the service takes 53 and a table 1, and 12 of its last minutes.
    assert (one.by_memory, one.tables) == (6, 5)
    assert fit(COSTS, pi._replace(memory_mb=340), 4000).tables == 2
    assert fit(COSTS, pi._replace(memory_mb=256), 4000).tables == 0


def test_the_table_states_each_assumption_and_its_sources() -> None:
    text = fit_table(COSTS, 4000, 0.1, this_machine(), "a" * 40)
    for pi in PIS:
        assert f"| {pi.name} | {pi.memory_mb} MB |" in text
        assert f"{pi.mips:,} MIPS ({pi.run})" in text
    assert "None of it was measured on a Pi." in text
    assert small.SOURCE in text
    assert [line.split(":")[0] for line in text.splitlines() if line.startswith("- ")] == [
        "- *speed*",
        "- *processor*",
        "- *memory*",
        "- *lines*",
    ]


def test_what_was_measured_is_shown_of_the_small_core() -> None:
    lines = [shown(line) for line in small.small_lines(COSTS, 0.1)]
    assert "10.0 % of the small core" in lines[0]
    assert "30.0 % of the small core" in lines[2]
    assert "20% of the quota's periods had to wait" in lines[2]


def test_the_page_has_a_place_for_the_table_and_keeps_the_rest() -> None:
    page = PAGE.read_text()
    again = written(page, "| new |")
    assert again.partition(BEGIN)[0] == page.partition(BEGIN)[0]
    assert again.partition(END)[2] == page.partition(END)[2]
    assert f"{BEGIN}\n| new |\n{END}" in again
    assert written(again, "| new |") == again
    with pytest.raises(WrongWorkError, match="put them back where the table belongs"):
        written("# Measurements\n", "| new |")


def test_a_busy_computer_writes_no_page(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (1.5, 1.0, 1.0))
    monkeypatch.setattr(small, "measured", lambda core, sizes: pytest.fail("it was measured"))
    assert command.main(["small", "--write", "--mips", "4000"]) == 1
    assert "load 1.50: something else runs" in capsys.readouterr().err


def test_a_computer_without_7_zip_is_told_so_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.small.shutil.which", lambda program: None)
    monkeypatch.setattr(small, "measured", lambda core, sizes: pytest.fail("it was measured"))
    assert command.main(["small"]) == 1
    assert "apt install 7zip" in capsys.readouterr().err
