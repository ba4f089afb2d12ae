"""A live table without a calibration is shut by a fault, with one it plays, and a waiver is published."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nacl.signing import SigningKey

from controller.calibration.movements import digest_of, movements_of
from controller.calibration.table_calibration import (
    CalibrationState,
    DeviceCalibration,
    TableCalibration,
    calibration_path,
    state_of,
    write,
)
from controller.games.load import load
from controller.live.live_table import KnownTable, LiveTable
from controller.live.wiring import Wiring
from controller.service.state_paths import StatePaths
from controller.service.table_supervisor import ServicePlan, tables_of
from feed import events
from feed.endpoints import Endpoints
from hal.backends.sim import SimLines
from hal.clock import VirtualClock
from tests.tables.bench import EventList, configured
from tests.tables.money_lines import money_toml

LINES = ("wheel_a", "wheel_b", "wheel_index", "dealer_no_more_bets")


def opened(calibration: CalibrationState) -> tuple[LiveTable, EventList, VirtualClock, SimLines]:
    clock = VirtualClock(0)
    lines = SimLines(LINES)
    table = LiveTable(
        configured(money_toml()),
        Wiring(sources=[lines]),
        clock,
        epoch="00ff00ff00ff00ff",
        known=KnownTable(calibration=calibration),
    )
    table.open_wires()
    return table, EventList(table.open()), clock, lines


def test_a_table_without_one_opens_no_round_and_its_fault_names_the_remedy() -> None:
    table, said, clock, lines = opened(CalibrationState("missing", "none there; run feltwire calibrate"))
    fault = said.one(events.DeviceFault)
    assert (fault.device, fault.fault, fault.blocks_play) == ("calibration", "not_calibrated", True)
    assert "feltwire calibrate" in fault.detail
    assert "round.opened" not in said.story()
    clock.advance_to(10**9)
    table.command("clear", {"device": "calibration", "by": "ann"}, "c1")
    clock.advance_to(2 * 10**9)
    lines.passed(2 * 10**9)
    assert "no calibration that fits" in str(table.tick().results)
    assert table.state == "shut"


def test_one_that_fits_says_nothing_and_a_waiver_is_published_each_time() -> None:
    _, said, _, _ = opened(CalibrationState("fits", "by ann"))
    assert said.story()[:2] == ["table.opened", "round.opened"]
    _, said, _, _ = opened(CalibrationState("waived", "waived in the file"))
    assert said.one(events.DeviceWarning).warning == "calibration_waived"
    assert "round.opened" in said.story()


REAL = (
    '[table]\nid = "wheel-9"\ngame = "money_wheel"\nno_more_bets = "auto"\n{key}[lines]\nbackend = "gpiod"\n[pins]\n'
    "wheel_a = {{ gpio = 17 }}\nwheel_b = {{ gpio = 27 }}\nwheel_index = {{ gpio = 22 }}\n"
)


def test_the_service_asks_for_the_calibration_of_each_table_by_its_own_key(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text(REAL.format(key=""), encoding="utf-8")
    (tmp_path / "bench.toml").write_text(
        REAL.format(key='calibration = "waived"\n').replace("wheel-9", "wheel-8"), encoding="utf-8"
    )
    real, waived = (load([tmp_path / name])[0] for name in ("real.toml", "bench.toml"))
    simulated = configured(money_toml())
    plan = ServicePlan([real, waived], StatePaths(tmp_path), Endpoints.parse("ipc:///tmp/x"))
    clock = VirtualClock(0)
    beside = ThreadPoolExecutor(1)  # it starts no thread: these tables have no cards

    def kinds(signer: bytes) -> list[str]:
        tables = tables_of(plan, {}, clock, clock, "00ff00ff00ff00ff", lambda: None, beside, signer)
        return [table.calibration.kind for table in tables]

    key = SigningKey.generate()
    assert kinds(bytes(key.verify_key)) == ["missing", "waived"]
    device = real.devices["wheel"]
    names = tuple(one.name for one in movements_of(real)["wheel"])
    passed = DeviceCalibration(device.driver, digest_of(real, device), names, "ann", "2026", {"flapper_zone_deg": 1.5})
    write(calibration_path(real), TableCalibration("wheel-9", "feltwire", {"wheel": passed}), key)
    assert kinds(bytes(key.verify_key)) == ["fits", "waived"]
    assert kinds(bytes(SigningKey.generate().verify_key)) == ["missing", "waived"]
    first = next(tables_of(plan, {}, clock, clock, "00ff00ff00ff00ff", lambda: None, beside, bytes(key.verify_key)))
    assert first.config.devices["wheel"].config.flapper_zone_deg == 1.5  # type: ignore[attr-defined]
    assert state_of(simulated, b"").kind == "not needed"
