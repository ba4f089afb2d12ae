"""The services of this computer, found without an address."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line import local_services
from command_line.local_services import NoServiceError, find_base, running_bases, wait_for_base
from controller.cli import main, scoreboard
from feed.endpoints import EndpointError, Endpoints
from fleet.cli import relay
from tests.fakes.feed_server import short_folder

HOME = {"HOME": "/home/ann"}
DEFAULT = "ipc:///home/ann/.local/state/feltwire/run"
SYSTEM = "ipc:///run/feltwire"


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


def everybody(base: str) -> bool:
    return True


def test_the_kernel_lists_the_sockets_of_a_service_wherever_they_are(folder: Path) -> None:
    base = f"ipc://{folder}"
    sockets = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    for name, one in zip(("feed", "history", "commands"), sockets, strict=True):
        assert base not in running_bases(), "all three make a service"
        one.bind(str(folder / name))
        assert base not in running_bases(), "it does not listen yet"
        one.listen()
    assert base in running_bases()
    for one in sockets:
        one.close()
    assert base not in running_bases()
    assert running_bases(folder / "no-list") == []


@contextmanager
def listening(folder: Path) -> Iterator[None]:
    """A process listens for commands in this folder."""
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(folder / "commands"))
        one.listen()
        yield


def chosen(folder: str | Path) -> dict[str, str]:
    return {**HOME, "FELTWIRE_RUNTIME": str(folder)}


def test_the_environments_choice_and_the_default_address_come_first(folder: Path) -> None:
    with listening(folder):
        assert find_base(lambda: [SYSTEM, DEFAULT], chosen(folder), may_enter=everybody) == f"ipc://{folder}"
    assert find_base(lambda: [SYSTEM, DEFAULT], HOME, may_enter=everybody) == DEFAULT


@pytest.mark.parametrize("made", [True, False], ids=["empty", "missing"])
def test_where_the_environment_names_an_address_without_a_service_no_other_is_taken(folder: Path, made: bool) -> None:
    named = folder if made else folder / "nowhere"
    why = f"no service runs at ipc://{named}, which FELTWIRE_RUNTIME names"
    with pytest.raises(NoServiceError, match=f"{why}: start one .*, unset FELTWIRE_RUNTIME, or give the address"):
        find_base(list, chosen(named))
    with pytest.raises(NoServiceError, match=rf"{why} \(services run at {SYSTEM}\)"):
        find_base(lambda: [SYSTEM], chosen(named), may_enter=everybody)


def test_a_socket_that_a_killed_service_has_left_is_no_service(folder: Path) -> None:
    with listening(folder):
        pass
    with pytest.raises(NoServiceError, match=f"no service runs at ipc://{folder}"):
        find_base(list, chosen(folder))


def test_a_service_that_the_environment_names_and_bars_this_user_is_not_waited_for_silently(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bars(self: socket.socket, address: str) -> None:
        raise PermissionError(errno.EACCES, address)

    monkeypatch.setattr(socket.socket, "connect", bars)
    with pytest.raises(NoServiceError, match=f"you may not enter the folder of the service at ipc://{folder}"):
        find_base(list, chosen(folder))


def test_a_socket_that_cannot_be_opened_is_not_called_a_barred_folder(folder: Path) -> None:
    looped = folder / "looped"
    looped.symlink_to(looped)
    with pytest.raises(NoServiceError, match=f"no service is reached at ipc://{looped}, .*: Too many levels of symb"):
        find_base(list, chosen(looped))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        one.bind(str(folder / "commands"))
        with pytest.raises(NoServiceError, match=r"\(services run at .*: Protocol wrong type for socket; unset FELTW"):
            find_base(lambda: [SYSTEM], chosen(folder))
        with pytest.raises(NoServiceError, match="no service runs on this computer"):
            find_base(list, {"RUNTIME_DIRECTORY": str(folder)})


@pytest.mark.parametrize("made", [True, False], ids=["barred", "missing"])
def test_an_address_with_a_line_break_does_not_break_the_message(
    folder: Path, monkeypatch: pytest.MonkeyPatch, made: bool
) -> None:
    def bars(self: socket.socket, address: str) -> None:
        raise PermissionError(errno.EACCES, address) if made else FileNotFoundError(errno.ENOENT, address)

    monkeypatch.setattr(socket.socket, "connect", bars)
    named = chosen(f"{folder}/a\nb")
    with pytest.raises(NoServiceError, match=rf"ipc://{folder}/a\\x0ab, which"):
        find_base(lambda: [SYSTEM], named)
    with pytest.raises(NoServiceError, match=r"/a\\x0ab"):
        find_base(list, {"RUNTIME_DIRECTORY": f"{folder}/a\nb"})
    with pytest.raises(NoServiceError, match=r"/a\\x0ab"):
        find_base(lambda: [f"ipc://{folder}/a\nb"], HOME, may_enter=lambda base: False)


def test_a_default_address_that_cannot_be_used_is_that_of_no_service() -> None:
    long = {"HOME": "/" + "a" * 200}
    assert find_base(lambda: [SYSTEM], long, may_enter=everybody) == SYSTEM
    with pytest.raises(NoServiceError, match="no service runs on this computer"):
        find_base(list, long)


def test_a_service_that_stands_still_with_many_connections_waiting_is_a_service(folder: Path) -> None:
    with listening(folder), ExitStack() as waiting:
        for _ in range(5000):
            one = waiting.enter_context(socket.socket(socket.AF_UNIX))
            one.setblocking(False)
            try:
                one.connect(str(folder / "commands"))
            except BlockingIOError:
                break
        else:
            pytest.fail("the kernel lets more connections wait than this test makes")
        assert find_base(list, chosen(folder)) == f"ipc://{folder}"


@pytest.mark.parametrize("folder_name", ["run", "/" + "a" * 200])
def test_an_address_of_the_environment_that_cannot_be_used_is_left_to_whoever_parses_it(folder_name: str) -> None:
    with pytest.raises(EndpointError):
        Endpoints.parse(find_base(list, chosen(folder_name)))


def test_a_service_at_the_default_address_is_taken_also_where_the_kernel_does_not_list_it(folder: Path) -> None:
    own = {"RUNTIME_DIRECTORY": str(folder)}
    with listening(folder):
        assert find_base(list, own) == f"ipc://{folder}"
    with pytest.raises(NoServiceError):
        find_base(list, own)


def test_a_service_at_the_default_address_that_may_not_be_entered_is_not_taken() -> None:
    """As with the environment of another user, after `su`."""
    with pytest.raises(NoServiceError, match=f"you may not enter the folder of the service at {DEFAULT}"):
        find_base(lambda: [DEFAULT], HOME, may_enter=lambda base: False)
    assert find_base(lambda: [DEFAULT, SYSTEM], HOME, may_enter=lambda base: base == SYSTEM) == SYSTEM


@pytest.mark.parametrize("local_base", [relay._local_base, scoreboard._local_base])
def test_relay_and_scoreboard_wait_where_the_environment_says_and_say_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], local_base: Callable[[], str]
) -> None:
    monkeypatch.setenv("FELTWIRE_RUNTIME", str(folder))
    assert local_base() == f"ipc://{folder}"
    said = capsys.readouterr().err
    assert said.startswith(f"no service runs at ipc://{folder}, which FELTWIRE_RUNTIME names")
    assert said.endswith(f"; waiting for one at ipc://{folder}\n")


def test_relay_says_which_service_it_takes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FELTWIRE_RUNTIME", str(folder))
    with listening(folder):
        assert relay._local_base() == f"ipc://{folder}"
    assert capsys.readouterr().err == f"relaying the service at ipc://{folder}\n"


def test_watch_gives_up_where_the_environment_names_an_address_without_a_service(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FELTWIRE_RUNTIME", str(folder))
    monkeypatch.setattr("controller.cli.watch.wait_for_base", partial(wait_for_base, tries=2))
    monkeypatch.setattr(local_services, "STEP_S", 0)
    given_up = CliRunner().invoke(main, ["watch"])
    assert given_up.exit_code == 1
    first, last = given_up.stderr.splitlines()
    assert first == f"{last}; waiting for one"
    assert last.startswith(f"no service runs at ipc://{folder}, which FELTWIRE_RUNTIME names")


def test_send_says_which_service_it_takes_where_the_environment_names_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FELTWIRE_RUNTIME", str(folder))
    words = ["send", "status", "--timeout", "0.001"]
    assert "nothing was sent: no service runs at" in CliRunner().invoke(main, words).stderr
    with listening(folder):
        assert CliRunner().invoke(main, words).stderr.startswith(f"to the service at ipc://{folder}\n")


@pytest.mark.parametrize("local_base", [relay._local_base, scoreboard._local_base])
def test_no_line_about_the_service_that_is_taken_is_broken(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], local_base: Callable[[], str]
) -> None:
    broken = folder / "a\nb"
    broken.mkdir()
    monkeypatch.setenv("FELTWIRE_RUNTIME", str(broken))
    local_base()
    with listening(broken):
        assert local_base() == f"ipc://{broken}"
        sent = CliRunner().invoke(main, ["send", "status", "--timeout", "0.001"]).stderr
    assert sent.startswith(f"to the service at ipc://{folder}/a\\x0ab\n")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith(f"waiting for one at ipc://{folder}/a\\x0ab")
    assert lines[1:] in ([], [f"relaying the service at ipc://{folder}/a\\x0ab"])


def test_the_only_service_that_may_be_entered_is_taken() -> None:
    assert find_base(lambda: [SYSTEM], HOME, may_enter=everybody) == SYSTEM
    assert find_base(lambda: [SYSTEM, "ipc:///run/other"], HOME, may_enter=lambda base: base == SYSTEM) == SYSTEM


@pytest.mark.parametrize(
    ("bases", "enters", "why"),
    [
        ([], True, f"no service runs on this computer \\(the default address is {DEFAULT}\\)"),
        ([SYSTEM], False, f"you may not enter the folder of the service at {SYSTEM}"),
        ([SYSTEM, "ipc:///run/other"], True, f"several services run on this computer: {SYSTEM}, ipc:///run/other"),
    ],
)
def test_it_gives_up_with_words(bases: list[str], enters: bool, why: str) -> None:
    with pytest.raises(NoServiceError, match=why):
        find_base(lambda: bases, HOME, may_enter=lambda base: enters)


def test_a_service_that_is_only_starting_is_waited_for() -> None:
    answers: list[list[str]] = [[], [SYSTEM]]
    told: list[str] = []
    assert wait_for_base(lambda: find_base(lambda: answers.pop(0), HOME, may_enter=everybody), told.append) == SYSTEM
    assert len(told) == 1
    with pytest.raises(NoServiceError):
        wait_for_base(lambda: find_base(list, HOME), tries=1)
