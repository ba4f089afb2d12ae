"""The wire in words: every message there is, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.boards.wire_words import name_of, piece_words, pieces_of
from hal.board import frames
from hal.board.message import BoardMessage
from hal.board.messages import (
    ANSWERS,
    COMMANDS,
    REPORTS,
    BootReport,
    ClockAnswer,
    EdgesReport,
    Flag,
    IdentifyCommand,
    LampsReport,
    OkAnswer,
    RefusalCode,
    RefusedAnswer,
    Reset,
    SampleReport,
    SetCommand,
    StateReport,
)
from tests.fakes.boards import identity


def piece(message: BoardMessage, number: int = 7) -> bytes:
    return frames.encode(number, message)[:-1]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (IdentifyCommand(), "  7 identify"),
        (OkAnswer(), "  7 ok"),
        (SetCommand(1, 255, 20), "  7 set        output 1, value 255, for ms 20"),
        (ClockAnswer(100, 0, 34), "  7 clock      received 100, received high 0, kept 34"),
        (RefusedAnswer(SetCommand.id, RefusalCode.HELD_SAFE), "  7 refused    set: held_safe"),
        (RefusedAnswer(200, 99), "  7 refused    command 200: code 99"),
        (
            EdgesReport(5, 2_000_000, 2, bytes([0x80, 0, 0x11, 0x01])),
            "  7 edges      first 5: input 1 up at 1.000000 s, input 2 down +128.5 µs",
        ),
        (EdgesReport(5, 0, 0, b""), "  7 edges      first 5: none"),
        (
            StateReport(1, 20, 0b101, 3, 0b10, Flag.WATCHING | Flag.DEADMAN, 4, 0),
            "  7 state      next edge 20, high 1 3, lost 3, outputs on 2, bad frames 4, deadman, watching",
        ),
        (
            StateReport(1, 20, 0, 0, 0, Flag.WATCHING, 0, 0b100000010),
            "  7 state      next edge 20, high none, lost 0, outputs on none, bad frames 0, keys 2 9, watching",
        ),
        (
            StateReport(1, 0, 0, 0, 0, 0, 0, 0),
            "  7 state      next edge 0, high none, lost 0, outputs on none, bad frames 0, no flags",
        ),
        (SampleReport(1, 2, 0b11, b"\1\2\3\0"), "  7 sample     channels 1 2: 513, 3 of 1023"),
        (
            BootReport(Reset.POWER_ON | Reset.WATCHDOG, 9, 1),
            "  7 boot       power on, watchdog, begun 9 times, kind 1",
        ),
        (BootReport(0, 9, 1), "  7 boot       no cause, begun 9 times, kind 1"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_frame_is_its_number_its_name_and_its_fields(message: BoardMessage, words: str) -> None:
    assert piece_words(piece(message)) == words


def test_an_identity_is_told_as_people_ask_for_it() -> None:
    told = piece_words(piece(identity()))
    assert told.startswith("  7 identity   wheel board, serial 7, firmware 1.0.0, build 1A2B3C4D, begun 3 times, the")
    assert ", protocol 3, dictionary " in told


def test_fields_of_bytes_are_shown_as_they_are() -> None:
    told = piece_words(piece(LampsReport(b"\1" * 8, b"\0" * 8, b"\0" * 8)))
    assert (
        told
        == "  7 lamps      lit 01 01 01 01 01 01 01 01, dead 00 00 00 00 00 00 00 00, stuck 00 00 00 00 00 00 00 00"
    )


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (b"\3\5\6", "  ? BROKEN 03 05 06: 2 bytes; expected 5 to 64"),
        (
            b"\1" * 40,
            "  ? BROKEN 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 … (40 bytes): 39 bytes; its own length",
        ),
        (b"\xff\1", "  ? BROKEN ff 01: no COBS: the run at byte 0"),
        (piece(EdgesReport(5, 0, 3, b"\0\0")), "  7 BROKEN"),
    ],
)
def test_what_came_broken_is_shown_with_what_is_wrong_with_it(broken: bytes, why: str) -> None:
    assert piece_words(broken).startswith(why)


def test_a_message_of_a_newer_firmware_is_shown_as_it_is() -> None:
    class Newer(BoardMessage, frozen=True):
        id = 250
        layout = OkAnswer.layout
        kinds = ("wheel",)

    assert piece_words(piece(Newer())) == "  7 message 250, which this software does not know: "


def test_every_message_of_the_wire_has_a_name_of_its_own_in_its_family() -> None:
    for family in (COMMANDS, ANSWERS, REPORTS):
        names = [name_of(kind) for kind in family.values()]
        assert len(names) == len(set(names))
    assert name_of(COMMANDS[6]) == "edges_from"


def test_what_was_written_at_once_is_cut_at_its_zeros() -> None:
    assert pieces_of(b"\0ab\0\0c\0") == [b"ab", b"c"]


@given(st.binary(min_size=1, max_size=70))
def test_any_bytes_are_one_line(data: bytes) -> None:
    assert "\n" not in piece_words(data)
