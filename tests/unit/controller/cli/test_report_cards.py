"""What the report of an evening has of cards: readers of the evening, decks since the journal began, opened orders."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from drivers.cards.card_wire import DECK
from feed import events
from feed.commitments import order_root
from feed.data import DealtCard
from feed.events import Evidence
from tests.unit.audit.making import DAY_NS, Evening
from tests.unit.controller.cli.test_journal_report import report, words_of

ORDER = Random(1).sample(DECK, 52)


def night(writer: Evening, *, unread: int | None, deck: str = "") -> None:
    """A batch is loaded, dealt in rounds of four cards for half of it, and opened; one card may not be read."""

    def say(kind: type[Any], **fields: Any) -> None:
        writer.say(writer.event("b-1", kind, game="baccarat", **fields))

    say(events.TableOpened, rules="njac-13:47-20", software="feltwire 0.1.0", devices=[])
    salts = [f"{number:032x}" for number in range(52)]
    root = order_root(ORDER, salts)
    say(events.StackSealed, device="shuffler", batch=1, count=52, root=root)
    say(events.StackLoaded, device="shoe", by="ann", method="shuffler", batch=1, deck=deck)
    for number in range(6):
        places = range(4 * number + 1, 4 * number + 5)
        say(events.RoundOpened, round=number + 1)
        say(events.RoundStarted, round=number + 1)
        read = [place for place in places if place != unread]
        cards = [DealtCard(card=ORDER[place - 1], to="player", left_ns=place, place=place) for place in read]
        about: dict[str, Any] = {"round": number + 1, "rule": "ours", "evidence": Evidence(cards=cards)}
        if unread in places:
            say(events.Unresolved, reason="card_unread", candidates=[], **about)
        else:
            say(events.Outcome, result={"winner": "tie"}, winning=[], **about)
        say(events.Settled, round=number + 1, by="dealer")
    say(events.DeviceWarning, device="shoe", warning="card_pushed_back", detail="")
    say(events.StackOpened, device="shuffler", batch=1, root=root, cards=ORDER, salts=salts, agrees=True)


@pytest.fixture
def page(tmp_path: Path) -> str:
    """The second of two evenings."""
    writer, file = Evening(tmp_path / "journal.sqlite"), tmp_path / "night.html"
    with writer:
        night(writer, unread=None, deck="red")
        writer.clock.advance_to(writer.clock.now_ns() + DAY_NS)
        night(writer, unread=7, deck="red")
        kept = {"device": "shuffler", "warning": "shuffler_order_kept", "detail": "pairs"}
        writer.say(writer.event("b-1", events.DeviceWarning, game="baccarat", **kept))
    assert report(tmp_path / "journal.sqlite", "-o", file).exit_code == 0
    return words_of(file)


def test_readers_are_those_of_the_evening_and_name_the_cards_that_were_not_read(page: str) -> None:
    heads = "Cards table cards not read in 1,000 odds which "
    assert f"{heads}b-1 24 1 41.7 4 : 1 {ORDER[6]} 1 " in " ".join(page.split())


def test_decks_are_those_since_the_journal_began(page: str) -> None:
    heads = "Decks table deck loads cards not read jammed or pushed back wear "
    assert f"{heads}b-1 red 2 48 1 2 – " in " ".join(page.split())


def test_orders_that_were_opened_have_the_pairs_that_they_kept(page: str) -> None:
    heads = "Orders of shufflers table orders compared pairs kept in the last ten warnings "
    assert f"{heads}b-1 1 51, 2 expected 1 " in " ".join(page.split())


def test_the_pace_has_the_cards_an_hour(page: str) -> None:
    assert "Pace table results an hour in play cards an hour idle betting play paying b-1 " in " ".join(page.split())
