"""Start-up checks: each names what it found and what to do."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from audit.errors import JournalError
from controller.configuration.values import TableConfig
from controller.journal.files import retire
from controller.journal.journal import Journal
from controller.service.opening import StartupCheckError, check_state, key_of_state, open_journal, signing_key
from controller.service.state_paths import StatePathError, StatePaths, state_folder, state_of_table, state_paths_for
from hal.clock import VirtualClock
from tests.fakes.time_limits import HANG_S
from tests.tables.bench import configured
from tests.tables.money_lines import money_toml

REAL = (
    '[table]\nid = "wheel-9"\ngame = "money_wheel"\nno_more_bets = "auto"\n[lines]\nbackend = "gpiod"\n[pins]\n'
    "wheel_a = { gpio = 17 }\nwheel_b = { gpio = 27 }\nwheel_index = { gpio = 22 }\n"
)


def simulated() -> TableConfig:
    return configured(money_toml())


def test_the_state_directory_is_the_first_that_is_named() -> None:
    given = Path("/given")
    everything = {"STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "XDG_STATE_HOME": "/xdg", "HOME": "/home/ann"}
    assert state_folder(given, everything) == given
    assert state_folder(None, everything) == Path("/var/lib/a")
    assert state_folder(None, {"XDG_STATE_HOME": "/xdg", "HOME": "/home/ann"}) == Path("/xdg/feltwire")
    assert state_folder(None, {"HOME": "/home/ann"}) == Path("/home/ann/.local/state/feltwire")


def test_simulated_tables_never_share_a_journal_with_real_ones() -> None:
    state = Path("/state")
    assert state_paths_for(state, [simulated()]).journal == Path("/state/sim/journal.sqlite")
    assert state_paths_for(state, [configured(REAL)]).journal == Path("/state/journal.sqlite")
    with pytest.raises(StatePathError, match=r"wheel-1 is simulated, and wheel-9 has real wires.*start two services"):
        state_paths_for(state, [simulated(), configured(REAL)])


def test_a_state_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartupCheckError, match=r"state directory .*file/state: it cannot be used.*--state"):
        check_state(StatePaths(tmp_path / "file" / "state"))


def test_a_full_disk_fails_the_start_up_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1_000_000})())
    with pytest.raises(StartupCheckError, match=r"only 0 MB left.*free space"):
        check_state(StatePaths(tmp_path))


def test_the_signing_key_is_made_once_and_for_its_owner_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "sim" / "signing.key"
    with caplog.at_level(logging.INFO):
        made = signing_key(path)
    assert "note its public half" in caplog.text
    assert path.stat().st_mode & 0o777 == 0o600
    assert bytes(signing_key(path)) == bytes(made)
    assert bytes(made).hex() not in caplog.text


@pytest.mark.parametrize(
    ("content", "mode", "what"),
    [
        (b"", 0o600, "64 hexadecimal digits"),
        (b"zz" * 32, 0o600, "64 hexadecimal digits"),
        (b"00" * 31, 0o600, "64 hexadecimal digits"),
        (b"00" * 32, 0o644, "others may read"),
    ],
)
def test_a_signing_key_that_cannot_be_used_is_not_replaced(
    tmp_path: Path, content: bytes, mode: int, what: str
) -> None:
    path = tmp_path / "signing.key"
    path.write_bytes(content)
    path.chmod(mode)
    with pytest.raises(StartupCheckError, match=what):
        signing_key(path)
    assert path.read_bytes() == content


def told_at_a_start(paths: StatePaths, caplog: pytest.LogCaptureFixture) -> str:
    """What the log says when a service opens its journal, and ends."""

    async def start() -> None:
        found = await open_journal(paths, VirtualClock(1_900_000_000_000_000_000), lambda status: None)
        found.journal.close()

    caplog.clear()
    with caplog.at_level(logging.INFO):
        asyncio.run(start())
    return caplog.text


def test_a_start_is_extended_while_one_instruction_of_sqlite_reads_all_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = state_paths_for(tmp_path, [simulated()])
    told, opens, twice = list[str](), Journal.open, Event()

    def status(text: str) -> None:
        told.append(text)
        if len(told) > 1:
            twice.set()

    def slow(*arguments: Any, **options: Any) -> Journal:
        assert twice.wait(HANG_S)
        return opens(*arguments, **options)

    async def start() -> None:
        (await open_journal(paths, VirtualClock(1_900_000_000_000_000_000), status)).journal.close()

    monkeypatch.setattr("controller.service.opening.STATUS_S", 0.001)
    monkeypatch.setattr(Journal, "open", slow)
    asyncio.run(start())
    assert set(told) == {"reading the journal"}


def test_a_new_journal_is_logged_with_the_one_that_was_set_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    paths = state_paths_for(tmp_path, [simulated()])
    assert f"a new journal begins: {paths.journal}\n" in told_at_a_start(paths, caplog)
    assert "a new journal begins" not in told_at_a_start(paths, caplog)
    aside = retire(paths.journal, VirtualClock(1_900_000_000_000_000_000))
    assert f"a new journal begins: {paths.journal}; the one before was set aside as {aside}" in told_at_a_start(
        paths, caplog
    )


def test_a_journal_that_another_key_sealed_before_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    paths = state_paths_for(tmp_path, [simulated()])
    told_at_a_start(paths, caplog)
    assert "was sealed with another key" not in told_at_a_start(paths, caplog)
    paths.signing_key.unlink()
    assert "was sealed with another key up to now" in told_at_a_start(paths, caplog)


def test_a_key_that_a_calibration_made_does_not_look_as_if_the_journal_was_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    paths = state_paths_for(tmp_path, [simulated()])
    made = key_of_state(paths)
    assert f"a new journal begins: {paths.journal}\n" in told_at_a_start(paths, caplog)
    assert bytes(key_of_state(paths)) == bytes(made)
    paths.journal.unlink()
    with pytest.raises(JournalError, match="it is gone"):
        told_at_a_start(paths, caplog)


def test_a_table_of_the_installed_service_has_its_state() -> None:
    installed = Path("/etc/feltwire/roulette.toml")
    assert state_of_table(None, installed, {"HOME": "/home/ann"}) == Path("/var/lib/feltwire")
    assert state_of_table(Path("/given"), installed, {}) == Path("/given")
    assert state_of_table(None, installed, {"STATE_DIRECTORY": "/var/lib/a"}) == Path("/var/lib/a")
    assert state_of_table(None, Path("/home/ann/t.toml"), {"XDG_STATE_HOME": "/xdg"}) == Path("/xdg/feltwire")
