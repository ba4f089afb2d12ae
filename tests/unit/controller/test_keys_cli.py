"""`feltwire keys`: nothing secret is shown, nothing is overwritten by accident, and every mistake says what to do."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from feed.allow_list import AllowList, KeyOwner
from feed.keys import read_pair, read_public


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "keys"


def keys(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["keys", *arguments, "--dir", str(folder)])


def test_a_key_is_made_and_its_secret_is_never_shown(folder: Path) -> None:
    result = keys(folder, "new", "--server")
    assert result.exit_code == 0
    pair = read_pair(folder / "server.secret")
    assert pair.public in result.output
    assert pair.secret not in result.output
    assert (folder / "server.secret").stat().st_mode & 0o777 == 0o600


def test_a_key_is_overwritten_only_by_force(folder: Path) -> None:
    keys(folder, "new", "--client", "board-1")
    before = read_pair(folder / "board-1.secret")
    result = keys(folder, "new", "--client", "board-1")
    assert result.exit_code == 2
    assert "board-1.secret: there is such a file already; it is overwritten only with --force" in result.output
    assert read_pair(folder / "board-1.secret") == before
    assert keys(folder, "new", "--client", "board-1", "--force").exit_code == 0
    assert read_pair(folder / "board-1.secret") != before


def test_the_command_that_new_prints_lets_the_client_in(folder: Path, tmp_path: Path) -> None:
    import shlex

    printed = keys(tmp_path / "client", "new", "--client", "board-1").output
    (line,) = (line for line in printed.splitlines() if "keys allow" in line)
    words = shlex.split(line)
    assert words[:2] == ["feltwire", "keys"]
    result = keys(folder, *words[2:])
    assert result.exit_code == 0
    assert "board-1 may connect as read-only" in result.output
    public = read_public(tmp_path / "client" / "board-1.public")
    assert AllowList.load(folder / "allowed").sender(public) == KeyOwner("board-1", "read-only")


def test_a_public_key_may_be_given_as_its_file(folder: Path, tmp_path: Path) -> None:
    keys(tmp_path / "client", "new", "--client", "pit-boss")
    public = tmp_path / "client" / "pit-boss.public"
    result = keys(folder, "allow", "pit-boss", str(public), "--role", "supervisor", "--class", "A")
    assert "pit-boss may connect as supervisor of class A" in result.output
    assert AllowList.load(folder / "allowed").sender(read_public(public)) == KeyOwner("pit-boss", "supervisor", "A")


def test_a_key_is_allowed_for_positions_at_the_table(folder: Path, tmp_path: Path) -> None:
    keys(tmp_path / "client", "new", "--client", "zoe")
    public = tmp_path / "client" / "zoe.public"
    given = ("--role", "dealer", "--class", "A", "--position", "stickperson", "--position", "boxperson")
    result = keys(folder, "allow", "zoe", str(public), *given)
    assert "zoe may connect as dealer of class A, stickperson and boxperson" in result.output
    owner = AllowList.load(folder / "allowed").sender(read_public(public))
    assert owner == KeyOwner("zoe", "dealer", "A", ("stickperson", "boxperson"))
    assert "stickperson and boxperson" in keys(folder, "list").output


def test_a_secret_given_by_mistake_is_not_taken(folder: Path) -> None:
    keys(folder, "new", "--client", "board-1")
    result = keys(folder, "allow", "board-1", str(folder / "board-1.secret"), "--role", "read-only")
    assert result.exit_code == 2
    assert "this is a secret; give the .public file beside it" in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["new"], "give one of --server, --client NAME and --signing"),
        (["new", "--server", "--signing"], "give one of --server"),
        (["new", "--client", "Board 1"], '"Board 1" is not a name for a key'),
        (["new", "--client", "server"], "the name of the service's own key"),
        (["allow", "board-1", "short", "--role", "read-only"], "a public key is 40 characters of Z85, here are 5"),
        (["allow", "board-1", "board-1.public", "--role", "read-only"], "there is no such file"),
        (["allow", "board-1", "x" * 40], "Missing option '--role'"),
        (["allow", "board-1", "0" * 40, "--role", "boss"], "'boss' is not one of"),
        (["allow", "board-1", "0" * 40, "--role", "technician", "--class", "A"], "a technician has none"),
        (["allow", "../board", "0" * 40, "--role", "dealer"], '"../board" is not a name for a key'),
        (["revoke", "board-1"], "no key of this name is allowed here; there are: none"),
        (["revoke", "../board"], '"../board" is not a name for a key'),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(folder: Path, arguments: list[str], said: str) -> None:
    result = keys(folder, *arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert not folder.exists()


def test_the_list_shows_who_comes_in_and_what_is_wrong(folder: Path) -> None:
    keys(folder, "new", "--server")
    keys(folder, "allow", "board-1", "0" * 40, "--role", "read-only")
    keys(folder, "allow", "board-2", "1" * 40, "--role", "dealer", "--class", "B")
    keys(folder, "revoke", "board-1")
    result = keys(folder, "list")
    assert result.exit_code == 0
    server, *clients = result.output.splitlines()
    assert server.split() == ["server", read_public(folder / "server.public")]
    assert [line.split(maxsplit=2) for line in clients] == [
        ["board-1", "0" * 40, "revoked"],
        ["board-2", "1" * 40, "dealer of class B"],
    ]
    (folder / "allowed" / "board-3.toml").write_text("x")
    (folder / "allowed" / "board-3.toml").chmod(0o644)
    result = keys(folder, "list")
    assert result.exit_code == 2
    assert "board-3.toml: it is not TOML" in result.output


def test_a_revoked_key_is_let_in_again_only_by_force(folder: Path) -> None:
    keys(folder, "allow", "board-1", "0" * 40, "--role", "read-only")
    keys(folder, "revoke", "board-1")
    assert keys(folder, "allow", "board-1", "0" * 40, "--role", "read-only").exit_code == 2
    assert AllowList.load(folder / "allowed").sender("0" * 40) is None
    assert keys(folder, "allow", "board-1", "0" * 40, "--role", "read-only", "--force").exit_code == 0
    assert AllowList.load(folder / "allowed").sender("0" * 40) == KeyOwner("board-1", "read-only")


def test_without_a_folder_the_keys_are_in_the_state_directory(tmp_path: Path) -> None:
    environ = {"STATE_DIRECTORY": str(tmp_path / "state")}
    result = CliRunner().invoke(main, ["keys", "new", "--server"], env=environ)
    assert result.exit_code == 0
    assert (tmp_path / "state" / "keys" / "server.secret").exists()


def test_a_signing_key_that_is_made_first_is_not_the_trace_of_a_lost_journal(tmp_path: Path) -> None:
    from controller.service.opening import open_journal
    from controller.service.state_paths import StatePaths
    from hal.clock import VirtualClock

    environ = {"STATE_DIRECTORY": str(tmp_path / "state")}
    assert CliRunner().invoke(main, ["keys", "new", "--signing"], env=environ).exit_code == 0

    async def start() -> None:
        opened = await open_journal(StatePaths(tmp_path / "state"), VirtualClock(10**18), lambda status: None)
        opened.journal.close()

    asyncio.run(start())
    assert (tmp_path / "state" / "journal.sqlite").exists()


def test_the_signing_key_is_made_once_and_only_its_public_half_is_shown(tmp_path: Path) -> None:
    from audit.signing import load, public_half

    environ = {"STATE_DIRECTORY": str(tmp_path / "state")}
    result = CliRunner().invoke(main, ["keys", "new", "--signing"], env=environ)
    assert result.exit_code == 0
    path = tmp_path / "state" / "signing.key"
    assert public_half(load(path)) in result.output
    assert path.read_text().strip() not in result.output
    again = CliRunner().invoke(main, ["keys", "new", "--signing"], env=environ)
    assert again.exit_code == 2
    assert "there is such a file already; it is overwritten only with --force" in again.output
