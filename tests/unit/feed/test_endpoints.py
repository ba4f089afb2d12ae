"""The addresses of a service: three sockets from one base address."""

from __future__ import annotations

from pathlib import Path

import pytest

from feed.endpoints import IPC_PATH_BYTES, EndpointError, Endpoints, default_base


def test_a_folder_holds_three_sockets() -> None:
    endpoints = Endpoints.parse("ipc:///run/feltwire")
    assert endpoints == ("ipc:///run/feltwire/feed", "ipc:///run/feltwire/history", "ipc:///run/feltwire/commands")
    assert endpoints.folder == Path("/run/feltwire")
    assert endpoints.is_local


def test_a_slash_at_the_end_of_a_folder_changes_nothing() -> None:
    assert Endpoints.parse("ipc:///run/feltwire/") == Endpoints.parse("ipc:///run/feltwire")


def test_a_port_is_the_first_of_three() -> None:
    endpoints = Endpoints.parse("tcp://10.0.0.5:5600")
    assert endpoints == ("tcp://10.0.0.5:5600", "tcp://10.0.0.5:5601", "tcp://10.0.0.5:5602")
    assert endpoints.folder is None
    assert not endpoints.is_local


@pytest.mark.parametrize("host", ["table-1.casino.example", "*", "[::1]", "[fe80::1%eth0]"])
def test_hosts_are_names_addresses_and_all_interfaces(host: str) -> None:
    assert Endpoints.parse(f"tcp://{host}:5600").history == f"tcp://{host}:5601"


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("", "it must begin with ipc:// or tcp://"),
        ("inproc://x", "it must begin with ipc:// or tcp://"),
        ("run/feltwire", "it must begin with ipc:// or tcp://"),
        ("ipc://run/feltwire", "needs the full path of a folder"),
        ("ipc://", "needs the full path of a folder"),
        ("ipc:///run/a\0b", "has no NUL"),
        ("tcp://10.0.0.5", "needs a host and a port"),
        ("tcp://:5600", "needs a host and a port"),
        ("tcp://10.0.0.5:56oo", "needs a host and a port"),
        ("tcp://10.0.0.5:5600/feed", "needs a host and a port"),
        ("tcp://10.0.0.5:0", "must be from 1 to 65533"),
        ("tcp://10.0.0.5:65534", "must be from 1 to 65533"),
        ("tcp://10.0.0.5:99999999999", "must be from 1 to 65533"),
    ],
)
def test_an_invalid_address_is_an_error_that_gives_a_valid_one(base: str, said: str) -> None:
    with pytest.raises(EndpointError) as caught:
        Endpoints.parse(base)
    assert said in str(caught.value)


def test_the_path_of_a_socket_has_the_length_that_linux_allows() -> None:
    room = IPC_PATH_BYTES - len("/commands")
    assert Endpoints.parse("ipc://" + "/" + "a" * (room - 1)).commands.endswith("/commands")
    with pytest.raises(EndpointError, match="has 108 bytes, and Linux allows 107; choose a shorter folder"):
        Endpoints.parse("ipc://" + "/" + "a" * room)
    with pytest.raises(EndpointError, match="has 108 bytes"):
        Endpoints.parse("ipc://" + "/" + "ä" * (room // 2))


def test_the_default_is_the_first_folder_that_the_environment_names() -> None:
    environ = {"HOME": "/home/pi"}
    assert default_base(environ) == "ipc:///home/pi/.local/state/feltwire/run"
    environ["XDG_RUNTIME_DIR"] = "/run/user/1000"
    assert default_base(environ) == "ipc:///run/user/1000/feltwire"
    environ["RUNTIME_DIRECTORY"] = "/run/feltwire:/run/other"
    assert default_base(environ) == "ipc:///run/feltwire"
    environ["FELTWIRE_RUNTIME"] = "/tmp/bench"
    assert Endpoints.default(environ) == Endpoints.parse("ipc:///tmp/bench")
