"""The examples of docs/wire.md are frames, and mean what the page says; decoded a second time, from the page alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controller.boards.wire_words import piece_words
from hal.board import frames
from hal.board.edge_stream import unpack
from hal.board.messages import EdgesReport

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "wire.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^\| `(?P<wire>[0-9A-F ]+)` \| `(?P<raw>[0-9A-F ]+)` \| (?P<words>.*) \|$", re.M)
PACKED = re.compile(
    r"^\| `(?P<packed>[0-9A-F ]+)` \| input (?P<line>\d) (?P<way>up|down)[^|]*\(number (?P<number>\d+)\) \|$", re.M
)
EXAMPLES = [(match["wire"], match["raw"], match["words"]) for match in EXAMPLE.finditer(PAGE)]


def uncobs(wire: bytes) -> bytes:
    """COBS as the page explains it."""
    assert wire[-1] == 0
    out, at = b"", 0
    while wire[at] != 0:
        run = wire[at] - 1
        out += wire[at + 1 : at + 1 + run] + b"\0"
        at += 1 + run
    return out[:-1]


def crc(data: bytes) -> int:
    """CRC-16/CCITT-FALSE, a bit at a time."""
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) == 8
    assert [words.split("`")[1] for _, _, words in EXAMPLES if words.startswith("`")][:3] == ["identify", "open", "ok"]


@pytest.mark.parametrize(("wire", "raw", "words"), EXAMPLES, ids=lambda value: value[:24])
def test_an_example_is_a_whole_frame_by_the_pages_own_rules(wire: str, raw: str, words: str) -> None:
    data = uncobs(bytes.fromhex(wire))
    assert data == bytes.fromhex(raw)
    assert data[0] == len(data)
    assert crc(data[:-2]) == int.from_bytes(data[-2:], "big")


@pytest.mark.parametrize(("wire", "raw", "words"), EXAMPLES, ids=lambda value: value[:24])
def test_an_example_is_what_the_page_says_it_is(wire: str, raw: str, words: str) -> None:
    frame = frames.decode(bytes.fromhex(wire)[:-1])
    told = piece_words(bytes.fromhex(wire)[:-1])
    name = told.split()[1]
    assert f"`{name}`" in words
    number = re.search(r"(?:number|report) (\d+)", words)
    assert number is None or int(number[1]) == frame.number


def test_the_edges_that_are_taken_apart_are_those_of_the_report() -> None:
    wire = next(wire for wire, _, words in EXAMPLES if "`edges`" in words)
    report = EdgesReport.unpack(frames.decode(bytes.fromhex(wire)[:-1]).fields)
    parts = list(PACKED.finditer(PAGE))
    assert b"".join(bytes.fromhex(part["packed"]) for part in parts) == report.packed
    found = [(edge.line + 1, "up" if edge.level else "down") for edge in unpack(report)]
    assert [(int(part["line"]), part["way"]) for part in parts] == found
    assert [int(part["number"]) for part in parts] == [report.first + at for at in range(report.count)]
    assert [edge.after for edge in unpack(report)] == [0, 250, 5_250]
    assert f"`time` {report.time:,} ticks" in PAGE
