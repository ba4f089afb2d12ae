"""Which requests a local page answers."""

from __future__ import annotations

import pytest

from scoreboard.web.guard import CONTENT_SECURITY_POLICY, NamesAllowed, is_loopback, is_same_origin


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8017", "LOCALHOST:1", "127.0.0.1:8017", "127.8.8.8", "[::1]:80"]
)
def test_a_server_on_loopback_answers_to_the_names_of_loopback(host: str) -> None:
    assert NamesAllowed.on("127.0.0.1").allow(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "board.example:8017",
        "localhost.example",
        "127.0.0.1.example",
        "10.0.0.5:8017",
        "[::2]",
        "[::1",
        "localhost:8017:1",
        "localhost:999999",
        "local host",
        "user@localhost",
        "localhost/",
        "ｌocalhost",
    ],
)
def test_a_server_on_loopback_refuses_every_other_name(host: str) -> None:
    assert not NamesAllowed.on("127.0.0.1").allow(host)


def test_a_server_on_a_network_answers_to_addresses_and_to_the_names_that_it_was_given() -> None:
    allowed = NamesAllowed.on("0.0.0.0", names=["Pit-3.local."])
    assert all(allowed.allow(host) for host in ("10.0.0.5:8017", "[fe80::1]:8017", "pit-3.local:8017", "localhost"))
    assert not allowed.allow("evil.example:8017")


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8017", "localhost:8017"),
        ("http://[::1]:8017", "[::1]:8017"),
        ("http://pit-3.local", "pit-3.local"),
        ("http://pit-3.local", "pit-3.local:80"),
        ("https://pit-3.local", "pit-3.local:443"),
    ],
)
def test_the_origin_of_a_page_of_this_server(origin: str, host: str) -> None:
    assert is_same_origin(origin, host)


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "http://evil.example",
        "http://localhost:8018",
        "http://localhost",
        "https://localhost",
        "file://",
        "http://[",
        "ws://localhost:8017",
        "http://localhost:99999999",
    ],
)
def test_the_origin_of_another_page(origin: str) -> None:
    assert not is_same_origin(origin, "localhost:8017")


def test_loopback_is_what_only_this_computer_reaches() -> None:
    assert [
        host for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "10.0.0.5", "pit") if is_loopback(host)
    ] == [
        "127.0.0.1",
        "::1",
        "localhost",
    ]


def test_the_policy_allows_nothing_inline_and_nothing_from_outside() -> None:
    assert "default-src 'none'" in CONTENT_SECURITY_POLICY
    assert not {"unsafe-inline", "unsafe-eval", "http:", "https:", "*", "data:"} & set(
        CONTENT_SECURITY_POLICY.replace("'", "").replace(";", " ").split()
    )
