"""Which requests a local page answers."""

from __future__ import annotations

import asyncio
import re

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from hypothesis import given
from hypothesis import strategies as st

from scoreboard.web.guard import (
    CONTENT_SECURITY_POLICY,
    NamesAllowed,
    OriginError,
    add_headers,
    is_loopback,
    is_same_origin,
    parse_embedding_origin,
    parse_origin,
)


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


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://example.org", "https://example.org"),
        ("HTTPS://Example.ORG:443", "https://example.org"),
        ("http://pit-3.local:8081", "http://pit-3.local:8081"),
        ("http://10.0.0.5:80", "http://10.0.0.5"),
        ("https://[2001:DB8::0:1]", "https://[2001:db8::1]"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_an_origin_is_written_as_browsers_write_it(text: str, origin: str) -> None:
    assert parse_origin(text) == origin


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("example.org", "https://example.org"),
        ("https://example.org/", "https://example.org"),
        ("https://example.org/stream?x=1", "https://example.org"),
        ("http://pit-3.local:8081/", "http://pit-3.local:8081"),
        ("https://*.example.org", "https://example.org"),
        ("*", "https://example.org"),
        ("https:", "https://example.org"),
        ("'self'", "https://example.org"),
        ("https://user@example.org", "https://example.org"),
        ("https://example.org https://other.example", "https://example.org"),
        ("https://example.org; script-src *", "https://example.org"),
        ("https://exämple.org", "https://example.org"),
        ("ftp://example.org", "https://example.org"),
        ("", "https://example.org"),
    ],
)
def test_what_is_not_an_origin_is_refused_with_how_it_is_written(text: str, fix: str) -> None:
    with pytest.raises(OriginError, match="is not an origin; write scheme, name and nothing more") as refused:
        parse_origin(text)
    assert str(refused.value).endswith(f": {fix}")
    assert parse_origin(fix) == fix


def test_a_port_and_an_address_that_there_cannot_be_are_refused() -> None:
    for text in ("https://example.org:0", "https://example.org:70000", "https://[::g]", "https://[1:2]"):
        with pytest.raises(OriginError):
            parse_origin(text)


def test_a_site_that_no_policy_can_name_is_refused_with_what_to_give() -> None:
    for origin in ("https://example.org", "http://10.0.0.5:8081"):
        assert parse_embedding_origin(origin) == origin
    with pytest.raises(OriginError, match=r"'https://\[2001:db8::1\]' is an IPv6 address, .*; give the site's name"):
        parse_embedding_origin("https://[2001:db8::1]")
    with pytest.raises(OriginError, match="is not an origin"):
        parse_embedding_origin("example.org")


@given(st.text() | st.builds("http://{}".format, st.text("ex.-*:;' /[]", max_size=20)))
def test_no_origin_that_is_taken_adds_anything_to_the_policy(text: str) -> None:
    try:
        origin = parse_origin(text)
    except OriginError:
        return
    assert re.fullmatch(r"https?://[a-z0-9.:\[\]-]+", origin)
    assert parse_origin(origin) == origin


def headers_of(*origins: str) -> dict[str, str]:
    """The headers of an answer."""
    answer = web.Response()
    asyncio.run(add_headers(origins)(make_mocked_request("GET", "/"), answer))
    return dict(answer.headers)


def test_without_an_origin_nobody_frames_a_page() -> None:
    alone = headers_of()
    assert alone["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert "frame-ancestors 'none'" in CONTENT_SECURITY_POLICY
    assert alone["X-Frame-Options"] == "DENY"


def test_origins_that_are_named_frame_it_and_every_other_header_stays() -> None:
    alone, embedded = headers_of(), headers_of("https://example.org", "http://10.0.0.5:8081")
    assert embedded["Content-Security-Policy"] == CONTENT_SECURITY_POLICY.replace(
        "frame-ancestors 'none'", "frame-ancestors https://example.org http://10.0.0.5:8081"
    )
    assert alone.keys() - embedded.keys() == {"X-Frame-Options"}
    changed = {name for name in embedded if embedded[name] != alone[name]}
    assert changed == {"Content-Security-Policy"}
