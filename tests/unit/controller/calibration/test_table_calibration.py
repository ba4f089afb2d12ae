"""A calibration fits the file that it was made for, signed by the table's key; anything else leaves the table shut."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.signing import SigningKey

from controller.boards.detached_signature import signature_path
from controller.calibration.movements import digest_of, movements_of
from controller.calibration.table_calibration import (
    CalibrationError,
    DeviceCalibration,
    TableCalibration,
    calibrated,
    calibration_path,
    measures_beside,
    read,
    state_of,
    write,
)
from controller.configuration.values import TableConfig
from controller.games.load import check

KEY = SigningKey(bytes(range(32)))
PUBLIC = bytes(KEY.verify_key)
EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "roulette_on_pi.toml"


def table(folder: Path, *changes: tuple[str, str]) -> TableConfig:
    text = EXAMPLE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "roulette.toml"
    path.write_text(text, encoding="utf-8")
    found = check([path])
    assert not found.errors, found.errors
    return found.tables[0]


def whole(config: TableConfig, **measured: object) -> TableCalibration:
    devices = {}
    for name, movements in movements_of(config).items():
        device = config.devices[name]
        names = tuple(one.name for one in movements)
        kept = measured if name == "wheel" else {}
        devices[name] = DeviceCalibration(
            device.driver,
            digest_of(config, device),
            names,
            "ann",
            "2026-11-22T20:00:00Z",
            dict(kept),  # type: ignore[arg-type]
        )
    return TableCalibration(config.id, "feltwire 0.1.0", devices)


def test_a_table_with_real_wires_and_no_calibration_is_shut_with_how_to_get_one(tmp_path: Path) -> None:
    config = table(tmp_path)
    state = state_of(config, PUBLIC)
    assert state.shuts
    assert f"feltwire calibrate {config.file}" in state.words


def test_one_that_was_written_fits_and_its_measures_reach_the_driver(tmp_path: Path) -> None:
    config = table(tmp_path)
    write(calibration_path(config), whole(config, ball_sensors_deg=[0.0, 98.5, 221.0]), KEY)
    state = state_of(config, PUBLIC)
    assert (state.kind, state.shuts) == ("fits", False)
    fitted = calibrated(config, state).devices["wheel"].config
    assert fitted.ball_sensors_deg == (0.0, 98.5, 221.0)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "device"),
    [
        (("ball_1 = { gpio = 23", "ball_1 = { gpio = 18"), "wheel"),
        (("pocket_head_deg = 0 ", "pocket_head_deg = 10 "), "wheel"),
        (('rotor_a = { gpio = 17, pull = "up", inverted = true }', 'rotor_a = { gpio = 17, pull = "up" }'), "wheel"),
        (("dealer_void = { gpio = 16", "dealer_void = { gpio = 20"), "dealer"),
    ],
)
def test_a_change_of_a_pin_or_a_key_voids_the_calibration_of_that_device(
    tmp_path: Path, change: tuple[str, str], device: str
) -> None:
    config = table(tmp_path)
    write(calibration_path(config), whole(config), KEY)
    state = state_of(table(tmp_path, change), PUBLIC)
    assert state.shuts
    assert f"the keys or wires of {device} were changed" in state.words


def test_a_change_that_no_movement_depends_on_voids_nothing(tmp_path: Path) -> None:
    config = table(tmp_path)
    write(calibration_path(config), whole(config), KEY)
    changed = table(tmp_path, ("no_more_bets_lamp = { gpio = 26 }", "no_more_bets_lamp = { gpio = 20 }"))
    assert state_of(changed, PUBLIC).kind == "fits"


def test_another_key_another_table_and_a_changed_file_do_not_count(tmp_path: Path) -> None:
    config = table(tmp_path)
    path = calibration_path(config)
    write(path, whole(config), SigningKey.generate())
    assert "another key signed it" in state_of(config, PUBLIC).words
    write(path, whole(config), KEY)
    path.write_text(path.read_text().replace('by = "ann"', 'by = "bob"', 1))
    assert state_of(config, PUBLIC).shuts
    write(path, TableCalibration("other-1", "feltwire", whole(config).device), KEY)
    assert "it is of table other-1" in state_of(config, PUBLIC).words
    signature_path(path).unlink()
    assert "there is no such file" in state_of(config, PUBLIC).words


def test_a_movement_that_is_missing_or_measures_that_contradict_shut_it_too(tmp_path: Path) -> None:
    config = table(tmp_path)
    made = whole(config)
    wheel = made.device["wheel"]
    short = DeviceCalibration(wheel.driver, wheel.digest, wheel.movements[:-1], "ann", "2026", {})
    write(calibration_path(config), TableCalibration(config.id, "", {**made.device, "wheel": short}), KEY)
    assert "wheel lacks" in state_of(config, PUBLIC).words
    write(calibration_path(config), whole(config, ball_sensors_deg=[0.0, 1.0, 2.0]), KEY)
    assert "contradicts itself" in state_of(config, PUBLIC).words


def test_a_replay_uses_the_measures_beside_the_file_whoever_signed_them(tmp_path: Path) -> None:
    config = table(tmp_path)
    assert measures_beside(config) is None
    write(calibration_path(config), whole(config, ball_sensors_deg=[0.0, 98.5, 221.0]), SigningKey.generate())
    found = measures_beside(config)
    assert found is not None
    assert calibrated(config, found).devices["wheel"].config.ball_sensors_deg == (0.0, 98.5, 221.0)  # type: ignore[attr-defined]
    assert measures_beside(table(tmp_path, ("ball_1 = { gpio = 23", "ball_1 = { gpio = 18"))) is None
    calibration_path(config).write_bytes(b"\xff")
    assert measures_beside(config) is None


def test_a_waiver_and_a_simulated_table_need_none(tmp_path: Path) -> None:
    waived = table(tmp_path, ('no_more_bets = "button"', 'no_more_bets = "button"\ncalibration = "waived"'))
    assert state_of(waived, PUBLIC).kind == "waived"
    examples = EXAMPLE.parent
    for name in ("roulette.toml", "sic_bo.toml"):
        assert state_of(check([examples / name]).tables[0], PUBLIC).kind == "not needed"


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200), st.booleans())
def test_no_content_of_the_files_breaks_the_reading(content: bytes, signed: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.calibration"
        path.write_bytes(content)
        signature = KEY.sign(b"feltwire calibration\0" + content).signature.hex().encode() if signed else content
        signature_path(path).write_bytes(signature)
        with pytest.raises(CalibrationError, match=r"t\.calibration"):
            read(path, PUBLIC)


_TEXT = st.text(max_size=30)


@settings(max_examples=12, deadline=None)
@given(_TEXT, _TEXT, st.dictionaries(_TEXT, st.floats(allow_nan=False, allow_infinity=False) | st.just([1.5, 2.0])))
def test_whatever_is_written_is_read_again(name: str, by: str, measured: dict[str, float | list[float]]) -> None:
    import tempfile

    made = TableCalibration("t-1", name, {name: DeviceCalibration("d", by, (name,), by, "2026", measured)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.calibration"
        write(path, made, KEY)
        assert read(path, PUBLIC) == made
