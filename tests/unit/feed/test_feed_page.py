"""The page on the feed names every type and field, and shows the examples as they are."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from feed import wire
from feed.events import DATA_TYPES, Data
from feed.subscriber import Notice

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "feed.md").read_text(encoding="utf-8")
COMMON = {"table", "game", "simulated", "mono_ns", "house_rules"}


@pytest.mark.parametrize("kind", DATA_TYPES, ids=lambda kind: kind.kind)
def test_the_table_of_types_has_every_field(kind: type[Data]) -> None:
    row = re.search(rf"^\| `{re.escape(kind.kind)}` \|.*$", PAGE, re.MULTILINE)
    assert row is not None, f"docs/feed.md, table of types: write a row for `{kind.kind}`"
    fields = {field.encode_name for field in msgspec.structs.fields(kind)} - COMMON
    named = set(re.findall(r"`(\w+)`", row[0]))
    # "round where it belongs to one" is said of all.
    lacking = sorted(fields - named - {"round"})
    assert not lacking, f"docs/feed.md, row `{kind.kind}`: write what {', '.join(f'`{name}`' for name in lacking)} is"


@pytest.mark.parametrize("kind", Notice.__subclasses__(), ids=lambda kind: kind.__name__)
def test_the_table_of_notices_has_every_one(kind: type[Notice]) -> None:
    row = re.search(rf"^\| .*`{kind.__name__}`.* \|", PAGE, re.MULTILINE)
    assert row is not None, f"docs/feed.md, table of notices: write a row for `{kind.__name__}`"


def test_the_table_of_codes_has_every_one() -> None:
    codes = {wire.BAD_REQUEST, wire.BUSY, wire.REFUSED}
    codes |= {wire.REWRITTEN, wire.UNAVAILABLE, wire.UNKNOWN_TABLE}
    rows = set(re.findall(r"^\| `(\w+)` \| ", PAGE[PAGE.index("| code | means |") :], re.MULTILINE))
    assert codes == rows, (
        f"docs/feed.md, table of codes: write a row for {sorted(codes - rows)}; remove {sorted(rows - codes)}"
    )


def test_the_subscriber_on_the_page_is_the_example() -> None:
    _, _, code = (ROOT / "examples" / "subscriber.py").read_text(encoding="utf-8").split('"""')
    assert code.strip() in PAGE, "docs/feed.md: put examples/subscriber.py there again, without its docstring"
