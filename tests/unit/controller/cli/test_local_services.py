"""The services of this computer, found without an address."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.local_services import NoServiceError, find_base, running_bases, wait_for_base
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


def test_the_environments_choice_and_the_default_address_come_first() -> None:
    assert find_base(list, {**HOME, "FELTWIRE_RUNTIME": "/tmp/mine"}) == "ipc:///tmp/mine"
    assert find_base(lambda: [SYSTEM, DEFAULT], HOME, may_enter=everybody) == DEFAULT


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
