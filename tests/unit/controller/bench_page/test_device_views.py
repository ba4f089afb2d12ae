"""Every device of every example gives a view that the page can draw, and that holds no card."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from controller.bench_page.actions import ActionError
from controller.bench_page.host import ENCODER
from controller.games.words import BENCHES
from tests.fakes.bench import SteppedBench

ROOT = Path(__file__).resolve().parents[4]
EXAMPLES = [
    path for path in sorted((ROOT / "examples").glob("*.toml")) if 'backend = "sim"' in path.read_text(encoding="utf-8")
]
DRAWN = set(
    re.findall(
        r"\b([a-z_]+)(?=[:,])",
        (ROOT / "controller/bench_page/static/devices.js")
        .read_text(encoding="utf-8")
        .split("const DRAWINGS = {")[1]
        .split("};")[0],
    )
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_devices_of_an_example_are_drawn_through_a_round(path: Path) -> None:
    bench = SteppedBench(path.read_text(encoding="utf-8"))
    bench.act("speed", speed=10)
    bench.advance(4)
    bench.host.tick()
    shown = msgspec.json.decode(ENCODER.encode(bench.host.update()))["views"]
    assert shown
    for one in shown:
        assert one["view"]["kind"] in {*DRAWN, "facts"}
        for label, value in one["view"]["facts"]:
            assert label
            assert isinstance(value, str)
    # Views alone: events may name a card once it is exposed.
    views = ENCODER.encode([update["views"] for update in bench.updates]).decode()
    assert not re.search(r'"[^"]*\b(10|[2-9TJQKA])[shdc]\b', views)


CARD = re.compile(r"(?<![\w;])(10|[2-9TJQKA])[shdc](?!\w)|C;\d{5};[^ ]")


@pytest.mark.parametrize("name", ["baccarat", "blackjack", "red_dog", "caribbean_stud"])
def test_neither_lines_nor_reports_nor_truth_name_a_card(name: str) -> None:
    bench = SteppedBench((ROOT / f"examples/{name}.toml").read_text(encoding="utf-8"))
    bench.act("speed", speed=4)
    bench.until(lambda: any("OUTCOME" in words or "UNRESOLVED" in words for words in bench.words))
    shown = [[update["lines"], update.get("notes", []), update["views"]] for update in bench.updates]
    text = ENCODER.encode(shown).decode()
    assert "sealed" in text
    assert not CARD.search(text)
    with pytest.raises(ActionError, match="sealed"):
        bench.act("truth")


def test_a_dead_line_is_a_doubt_of_its_device() -> None:
    bench = SteppedBench((ROOT / "examples/money_wheel.toml").read_text(encoding="utf-8"))
    bench.act("arm", fault="cable_pulled")
    bench.until(lambda: bench.host.live.state == "shut")
    doubts = next(one["view"]["doubts"] for one in bench.updates[-1]["views"] if one["device"] == "wheel")
    assert any("is dead" in doubt for doubt in doubts)


@pytest.mark.parametrize("name", ["token_pusher", "skill_stop_reel", "skill_stop_video"])
def test_a_machine_awaits_a_token_and_no_call(name: str) -> None:
    bench = SteppedBench((ROOT / f"examples/{name}.toml").read_text(encoding="utf-8"))
    bench.act("speed", speed=10)
    bench.until(lambda: any("OUTCOME" in words for words in bench.words))
    shown = [update["situation"] for update in bench.updates if update.get("situation")]
    english = BENCHES.words("en")
    keys = {key for one in shown for key in (f"headline.{one['headline']}", *(said["key"] for said in one["why"]))}
    words = " / ".join(english[key] for key in keys)
    assert "INSERT A TOKEN" in words
    assert "a token begins it" in words
    assert not re.search("(?i)bets|dealer|settle", words)
