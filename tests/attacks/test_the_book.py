"""Every attack of docs/threats.md names the tests that run it, and each of them is there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs/threats.md"
SECTION: Final = re.compile(r"<!-- attacks -->\n(?P<table>.*?)<!-- end -->", re.DOTALL)
TEST: Final = re.compile(r"`(?P<path>[\w/]+\.py)::(?P<name>test_\w+)`")
PUBLISHED: Final = (
    *(
        "unsigned update",
        "one key for all",
        "cut-off MAC",
        "memory that nobody verifies",
        "USB port",
        "order of the cards",
    ),
    *("false readings", "exchanged boards", "lies about its own hash", "replayed", "key is copied", "root"),
)
"""What the page must have, by words of its rows."""
A_SENTENCE: Final = 5
"""Words of a limit at least."""


class Attack(NamedTuple):
    """A row of the page."""

    what: str
    stopped: str
    tests: tuple[tuple[str, str], ...]
    limit: str


def book() -> list[Attack]:
    """The attacks of the page."""
    found = SECTION.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    rows = [row.strip().strip("|").split(" | ") for row in found["table"].strip().splitlines()[2:]]
    return [Attack(what, stopped, tuple(TEST.findall(tests)), limit) for what, stopped, tests, limit in rows]


@cache
def names_in(path: str) -> frozenset[str]:
    """The tests of a file."""
    return frozenset(re.findall(r"^(?:async )?def (test_\w+)\(", (ROOT / "tests" / path).read_text("utf-8"), re.M))


def test_every_attack_names_its_tests_and_each_exists() -> None:
    attacks = book()
    for attack in attacks:
        assert attack.tests, f"{attack.what}: no test"
        assert len(attack.limit.split()) >= A_SENTENCE, f"{attack.what}: its limit, and what closes it"
        for path, name in attack.tests:
            assert name in names_in(path), f"{attack.what}: tests/{path} has no {name}"
    for words in PUBLISHED:
        assert any(words in attack.what for attack in attacks), words


def test_every_test_of_this_folder_is_in_the_book() -> None:
    named = {test for attack in book() for test in attack.tests}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if path != Path(__file__):
            own = {(f"attacks/{path.name}", name) for name in names_in(f"attacks/{path.name}")}
            assert own <= named, own - named
