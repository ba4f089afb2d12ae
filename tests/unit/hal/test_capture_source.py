"""A capture as a source of lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hal.backends.capture import CaptureSource
from hal.capture.command_text import read_command
from hal.capture.errors import CaptureError
from hal.capture.vcd_writer import CaptureLines, write_capture
from hal.lines import LineError, LineSource
from hal.values import Batch, Edge, EdgesLost, Loss, Rare, Reading

EDGES = [Edge("a", 0, 5), Edge("b", 1, 5), *(Edge("a", n % 2, 5 + 10 * n) for n in range(1, 9))]
RARE: list[Rare] = [Reading("x", 0.5, 20), read_command("void", 30), EdgesLost("b", Loss.UNPLUGGED, 55)]


class Heard:
    """A sink that remembers."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.rare: list[Rare] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Takes values of the capture."""
        assert source == "capture"
        self.edges += edges
        self.rare += rare


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A capture of a few edges."""
    path = tmp_path / "spin.vcd"
    write_capture(path, CaptureLines(("a", "b"), ("x",)), [Batch(EDGES, RARE, 100)])
    return path


def test_opening_delivers_the_levels_found_and_playing_what_happened_until_then(path: Path) -> None:
    source: LineSource = CaptureSource(path)
    assert source.lines == {"a", "b", "x"}
    assert isinstance(source, CaptureSource)
    heard = Heard()
    source.open(heard)
    assert heard.edges == EDGES[:2]
    source.play_until(25)
    assert heard.edges == EDGES[:4]
    assert heard.rare == RARE[:1]
    assert source.play() == 100
    assert (heard.edges, heard.rare) == (EDGES, RARE)
    source.close()
    source.close()


def test_delivered_until_delivers_first(path: Path) -> None:
    source = CaptureSource(path)
    assert source.delivered_until(50) < 0
    heard = Heard()
    source.open(heard)
    assert source.delivered_until(25) == 25
    assert heard.edges == EDGES[:4]
    assert source.delivered_until(10**12) == 10**12
    assert heard.edges == EDGES
    source.close()
    assert source.delivered_until(10**13) == 10**12


def test_a_capture_can_be_pulled_and_played_again(path: Path) -> None:
    source = CaptureSource(path)
    assert list(source.batches()) == [Batch(EDGES, RARE, 100)] == list(source.batches())
    for _ in range(2):
        heard = Heard()
        source.open(heard)
        source.play()
        assert heard.edges == EDGES
        source.close()


def test_a_line_may_have_another_name_than_in_the_file(path: Path) -> None:
    source = CaptureSource(path, {"a": "wheel_a", "x": "level_x"})
    assert source.lines == {"wheel_a", "level_x"}
    (batch,) = source.batches()
    assert {edge.line for edge in batch.edges} == {"wheel_a"}


def test_a_capture_reveals_losses_only_if_its_recorder_did(path: Path, tmp_path: Path) -> None:
    assert CaptureSource(path).detects_loss is False
    assert CaptureSource(path).kernel_time is True
    told = tmp_path / "told.vcd"
    write_capture(told, CaptureLines(("a",), metadata={"detects_loss": "yes"}), [])
    assert CaptureSource(told).detects_loss is True


def test_a_source_is_opened_before_it_plays_and_once(path: Path) -> None:
    source = CaptureSource(path)
    with pytest.raises(LineError, match="it is not open"):
        source.play_until(5)
    source.open(Heard())
    with pytest.raises(LineError, match="open already"):
        source.open(Heard())
    source.close()


def test_an_invalid_file_is_reported_and_time_stops_there(path: Path) -> None:
    good = path.read_text()
    path.write_text(good + "".join(f"#{t}\n{t % 2}!\n" for t in range(101, 10_000)) + "#1\n")
    source = CaptureSource(path)
    heard = Heard()
    source.open(heard)
    assert source.failed is None
    assert source.delivered_until(200) == 200
    assert source.delivered_until(20_000) == 200
    assert "time goes back from 9999 to 1" in str(source.failed)
    source.close()
    path.write_text(good.replace("$enddefinitions $end", ""))
    with pytest.raises(CaptureError, match="line 11: data begins"):
        CaptureSource(path)


def test_a_file_that_is_wrong_from_its_start_does_not_open(path: Path) -> None:
    path.write_text(path.read_text() + "#1\n")
    source = CaptureSource(path)
    with pytest.raises(CaptureError, match="time goes back"):
        source.open(Heard())
    assert "time goes back" in str(source.failed)
    assert source.delivered_until(50) < 0
