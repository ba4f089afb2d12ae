"""The last minutes of a table's lines hold a commitment in place of a card, until it is exposed."""

from __future__ import annotations

from io import StringIO

import pytest

from controller.captures.capture_store import CaptureRequest, render
from controller.games.load import check_text
from controller.live import line_memory
from controller.live.line_memory import LineMemory
from drivers.cards.card_wire import CardLine, ReaderLine, ShoeLine, ShoeState, encode
from hal.capture.vcd_writer import VcdWriter
from hal.values import Batch, Frame
from tests.fakes.marked_shoe import leaks
from tests.tables.card_shoe import card_toml

CARD = Frame("shoe", encode(CardLine(5, "7h")), 2_000)
GARBLED = Frame("shoe", b"C;00006;8s;00", 3_000)
STATE = Frame("shoe", encode(ShoeLine(6, ShoeState.READY)), 4_000)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> LineMemory:
    """With a known key: of 10,000 random commitments one has the digits of a card by chance, and is no leak."""
    (config,) = check_text(card_toml()).tables
    with monkeypatch.context() as known:
        known.setattr(line_memory, "token_bytes", bytes)
        return LineMemory(config, ["shoe", "shoe_card_1", "shoe_card_2"], True)


def capture(memory: LineMemory) -> str:
    cut = memory.cut(0, 10_000)
    assert cut is not None
    return render(CaptureRequest("b-1", "e", cut, memory.capture_lines("e"))).data.decode()


def test_a_capture_has_the_number_of_a_card_and_a_commitment_and_the_state_as_it_is(memory: LineMemory) -> None:
    memory.append(Batch([], [CARD, GARBLED, STATE], 10_000))
    text = capture(memory)
    assert leaks("capture", text.encode()) == []
    assert "C;00005;" in text
    assert "S;00006;R;" in text
    assert "shoe.sealed" in text


def test_an_exposed_card_takes_the_place_of_its_commitment_and_no_other_does(memory: LineMemory) -> None:
    memory.append(Batch([], [CARD, GARBLED], 10_000))
    memory.show([CARD])
    text = capture(memory)
    assert "C;00005;7h;" in text
    assert {leak.card for leak in leaks("capture", text.encode())} == {"7h"}
    memory.show([GARBLED._replace(data=b"C;00006;9s;00")])
    assert capture(memory) == text


def test_a_recording_without_a_round_exposes_nothing(memory: LineMemory) -> None:
    stream = StringIO()
    writer = VcdWriter(stream, memory.capture_lines("record"))
    writer.write(memory.sealed(Batch([], [CARD, STATE], 10_000)))
    writer.finish()
    assert leaks("recording", stream.getvalue().encode()) == []
    assert "C;00005;" in stream.getvalue()


def test_equal_cards_have_different_commitments_and_no_two_services_the_same() -> None:
    (config,) = check_text(card_toml()).tables
    one, other = (LineMemory(config, ["shoe"], True) for _ in range(2))
    twice = Batch([], [CARD, CARD._replace(t_ns=3_000)], 10_000)
    first, second = one.sealed(twice).rare
    (third, _) = other.sealed(twice).rare
    assert len({getattr(frame, "data", b"") for frame in (first, second, third)}) == 3


def test_a_card_reader_and_a_shuffler_are_secret_beyond_their_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_memory, "token_bytes", bytes)
    more = '[device.card_reader]\n[device.shuffler]\ncontrol = "serial"\n'
    (config,) = check_text(card_toml("blackjack", more=more)).tables
    memory = LineMemory(config, ["shoe", "card_reader", "shuffler"], True)
    harmless = Frame("card_reader", encode(ReaderLine("y")), 1)
    assert memory.sealed(Batch([], [harmless], 5)).rare == [harmless]
    for link in ("card_reader", "shuffler"):
        (held,) = memory.sealed(Batch([], [Frame(link, b"hole card 7h", 1)], 5)).rare
        assert isinstance(held, Frame)
        assert (held.link, leaks(link, held.data)) == (f"{link}.sealed", [])
