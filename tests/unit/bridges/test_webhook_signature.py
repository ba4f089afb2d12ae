"""Signatures, secrets and addresses of webhooks."""

from __future__ import annotations

import base64
import ipaddress
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import given
from hypothesis import strategies as st

from bridges.webhooks.addresses import CheckedResolver, is_allowed
from bridges.webhooks.signature import headers, message_id, read_secrets
from examples.webhook_receiver import verify
from feed.secret_file import SecretFileError
from hal.loop import run_virtual

ROOT = Path(__file__).resolve().parents[3]
SECRET = bytes(range(32))
WRITTEN = "whsec_" + base64.b64encode(SECRET).decode()
ID = "roulette-1.9f3a.12"
NOW_S = 1_800_000_000


@given(body=st.binary(max_size=300), now_s=st.integers(-300, 300))
def test_a_receiver_verifies_what_is_sent_within_five_minutes(body: bytes, now_s: int) -> None:
    verify(WRITTEN, headers([SECRET], ID, NOW_S, body), body, NOW_S + now_s)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"body": b"{}"}, "not signed"),
        ({"webhook-id": "roulette-1_9f3a_13"}, "not signed"),
        ({"webhook-timestamp": str(NOW_S + 1)}, "not signed"),
        ({"webhook-timestamp": str(NOW_S - 301)}, "too old"),
        ({"webhook-timestamp": str(NOW_S + 301)}, "from the future"),
        ({"webhook-timestamp": "1e9"}, "too old"),
        ({"webhook-timestamp": "-5"}, "too old"),
        ({"webhook-signature": ""}, "not signed"),
        ({"webhook-signature": "v1,"}, "not signed"),
        ({"secret": "whsec_" + base64.b64encode(bytes(32)).decode()}, "not signed"),
    ],
)
def test_a_receiver_refuses_what_was_changed_or_is_replayed_later(changed: dict[str, Any], words: str) -> None:
    body = b'{"id":"roulette-1.9f3a.12"}'
    sent = headers([SECRET], ID, NOW_S, body) | {key: one for key, one in changed.items() if key.startswith("webhook")}
    with pytest.raises(ValueError, match=words):
        verify(changed.get("secret", WRITTEN), sent, changed.get("body", body), NOW_S)


def test_the_signature_is_that_of_standard_webhooks() -> None:
    """Computed by another implementation (OpenSSL's `dgst -mac HMAC`) from the id, the time and the body."""
    import subprocess

    body = b'{"x":1}'
    signed = f"{message_id(ID)}.{NOW_S}.".encode() + body
    words = ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{SECRET.hex()}", "-binary"]
    mac = subprocess.run(words, input=signed, capture_output=True, check=True).stdout
    assert headers([SECRET], ID, NOW_S, body) == {
        "webhook-id": "roulette-1_9f3a_12",
        "webhook-timestamp": str(NOW_S),
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }


def test_no_part_of_what_is_signed_has_a_dot_in_it() -> None:
    assert "." not in message_id(ID)


def test_with_two_secrets_whoever_has_either_verifies(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    other = "whsec_" + base64.b64encode(bytes(24)).decode()
    path.write_text(f"{WRITTEN}\n{other}\n")
    path.chmod(0o600)
    sent = headers(read_secrets(path), ID, NOW_S, b"body")
    verify(WRITTEN, sent, b"body", NOW_S)
    verify(other, sent, b"body", NOW_S)


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        (None, 0o600, r"there is no such file; make it with: \(umask 077; echo whsec_"),
        (WRITTEN, 0o640, r"others may read or change this secret \(mode 0640\)"),
        ("", 0o600, "it is empty; make it with"),
        ("hunter2", 0o600, r"secret:1: it is not a secret"),
        (WRITTEN.removeprefix("whsec_"), 0o600, r"secret:1: it is not a secret"),
        ("whsec_" + base64.b64encode(bytes(23)).decode(), 0o600, r"24 to 64 bytes"),
        ("whsec_" + base64.b64encode(bytes(65)).decode(), 0o600, r"24 to 64 bytes"),
        (f"{WRITTEN}\nwhsec_!!", 0o600, r"secret:2: it is not a secret"),
        (f"{WRITTEN}\n{WRITTEN}\n{WRITTEN}", 0o600, r"it has 3 lines"),
        (b"\xff\xfe", 0o600, "it is not text"),
    ],
)
def test_a_secret_that_cannot_be_used_is_refused_with_the_fix_and_not_shown(
    content: str | bytes | None, mode: int, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
    with pytest.raises(SecretFileError, match=words) as refused:
        read_secrets(path)
    assert WRITTEN.removeprefix("whsec_") not in str(refused.value)
    assert "hunter2" not in str(refused.value)


ALLOWED = [
    ("1.1.1.1", True, True),
    ("2606:4700:4700::1111", True, True),
    ("127.0.0.1", False, True),
    ("::1", False, True),
    ("10.0.0.5", False, True),
    ("192.168.1.1", False, True),
    ("fd00::1", False, True),
    ("::ffff:10.0.0.5", False, True),
    ("::ffff:1.1.1.1", True, True),
    ("169.254.169.254", False, False),
    ("::ffff:169.254.169.254", False, False),
    ("fe80::1", False, False),
    ("0.0.0.0", False, False),
    ("::", False, False),
    ("224.0.0.1", False, False),
    ("ff02::1", False, False),
    ("fec0::1", False, True),
    ("192.0.0.192", False, False),
    ("240.0.0.1", False, False),
    ("255.255.255.255", False, False),
    ("::ffff:255.255.255.255", False, False),
    ("100.100.100.199", False, True),
    ("100.100.100.200", False, False),
    ("168.63.129.15", True, True),
    ("168.63.129.16", False, False),
    ("fd00:ec2::253", False, True),
    ("fd00:ec2::254", False, False),
    ("fd20:ce::254", False, False),
    *((address, False, False) for address in ("fd00:ec2::23", "fd00:42::42", "fd00:c1::a9fe:a9fe")),
    *((address, False, False) for address in ("fd00:100::100:200", "fd00:a9fe:a9fe::1")),
    ("2001:0:808:808::", False, False),
    ("64:ff9b:1::a9fe:a9fe", False, False),
    ("::a9fe:a9fe", False, False),
    ("2002:808:808::1", True, True),
    ("2002:a00:5::1", False, True),
    ("2002:a9fe:a9fe::1", False, False),
    ("64:ff9b::808:808", True, True),
    ("64:ff9b::a00:5", False, True),
    ("64:ff9b::a9fe:a9fe", False, False),
]


@pytest.mark.parametrize(("address", "public", "private"), ALLOWED)
def test_addresses_of_private_networks_have_to_be_meant_and_some_are_no_hosts(
    address: str, public: bool, private: bool
) -> None:
    parsed = ipaddress.ip_address(address)
    assert is_allowed(parsed, private=False) == public
    assert is_allowed(parsed, private=True) == private


class Names(AbstractResolver):
    """A name server that answers with these."""

    def __init__(self, *addresses: str) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host=one, port=port, family=family, proto=0, flags=0)
            for one in self._addresses
        ]

    async def close(self) -> None:
        """Has nothing open."""


def test_a_name_leads_to_addresses_that_are_allowed_alone() -> None:
    """Whoever has the name's server cannot send a bridge into the venue's own network."""
    mixed = CheckedResolver(private=False, inner=Names("10.0.0.5", "1.1.1.1", "127.0.0.1"))
    assert [one["host"] for one in run_virtual(mixed.resolve("till.example", 443))] == ["1.1.1.1"]
    inside = CheckedResolver(private=False, inner=Names("10.0.0.5"))
    with pytest.raises(OSError, match=r"till.example is at 10.0.0.5, which is not public; .*private = true"):
        run_virtual(inside.resolve("till.example", 443))
    meant = CheckedResolver(private=True, inner=Names("10.0.0.5", "169.254.169.254"))
    assert [one["host"] for one in run_virtual(meant.resolve("till.example", 443))] == ["10.0.0.5"]


def test_the_page_shows_the_ten_lines_that_verify_a_request() -> None:
    source = (ROOT / "examples/webhook_receiver.py").read_text()
    shown = re.search(r"# verification: begin\n(?P<lines>.*?)\n *# verification: end", source, re.S)
    assert shown is not None
    assert shown["lines"] in (ROOT / "docs/bridges.md").read_text()
    code = [line for line in shown["lines"].splitlines()[1:] if '"""' not in line]
    assert len(code) <= 10
