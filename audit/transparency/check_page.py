"""The page that checks a result: one file, which also works saved and offline.

It has its own SHA-2 and Ed25519: browsers give theirs only to encrypted pages, and a phone in a hall opens `http://`.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final, NamedTuple
from urllib.parse import quote

from audit.records import Record
from audit.transparency.checkpoints import InclusionProof
from audit.transparency.tree import leaf_hash

MOST_LINK_BYTES: Final = 300
"""Of what a QR code has: more modules are too small for paper (ours)."""


class ResultLinkError(ValueError):
    """A link is too long for a code on paper; the message states by how much."""


class CheckPage(NamedTuple):
    """The page, and the content policy under which a server shows it."""

    body: bytes
    content_policy: str


def printed_hash(body: bytes) -> str:
    """The hash of an event's leaf, as the code of a printed result has it."""
    return base64.urlsafe_b64encode(leaf_hash(body)).decode().rstrip("=")


def result_link(base: str, record: Record) -> str:
    """What the code of a printed result has: the address of the page, the event's id, and the hash of its leaf.

    Raises:
        ResultLinkError: it has more than `MOST_LINK_BYTES`.
    """
    link = f"{base}#{quote(record.id)}/{printed_hash(record.body)}"
    if len(link) > MOST_LINK_BYTES:
        raise ResultLinkError(
            f"the link of {record.id} has {len(link)} characters, and a code on paper at most {MOST_LINK_BYTES}: give "
            "a shorter --link"
        )
    return link


def shown_result(record: Record, proof: InclusionProof, policy: str, link: str = "") -> dict[str, object]:
    """What the page shows of an event, for JSON; with a link also its QR code, a row of modules each."""
    shown: dict[str, object] = {"event": record.body.decode(), "proof": str(proof), "policy": policy}
    if link:
        shown |= {"link": link, "rows": _code(link)}
    return shown


def check_page(given: dict[str, object] | None = None) -> CheckPage:
    """The page; with `given`, what it shows of an event is in it."""
    html, style, script, words = _parts()
    # Whatever an event has, no tag of it begins or ends here.
    data = json.dumps(given, ensure_ascii=False).replace("<", "\\u003c")
    page = html
    for mark, text in (("@STYLE@", style), ("@SCRIPT@", script), ("@WORDS@", words), ("@GIVEN@", data)):
        page = page.replace(mark, text, 1)
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash_of(script)}",
            f"style-src {_hash_of(style)}",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )
    return CheckPage(page.encode(), policy)


@cache
def _parts() -> tuple[str, str, str, str]:
    folder = files("audit.transparency").joinpath("page")
    names = ("check.html", "check.css", "check.js", "words.json")
    html, style, script, own = (folder.joinpath(name).read_text(encoding="utf-8") for name in names)
    words = json.loads(own)
    for language in words:
        # The words that boards have for reasons.
        board = files("scoreboard").joinpath("page", "languages", f"{language}.json").read_text(encoding="utf-8")
        words[language] |= {word: text for word, text in json.loads(board).items() if word.startswith("reason.")}
    return html, style, script, json.dumps(words, ensure_ascii=False).replace("<", "\\u003c")


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _code(link: str) -> list[str]:
    # A journal that is only verified needs none.
    import segno

    matrix = segno.make_qr(link, error="m").matrix
    return ["".join("1" if module else "0" for module in row) for row in matrix]
