"""Whatever a person or a wire sends, no place that shows it has a line more for it."""

from __future__ import annotations

import csv
import io
import json
import logging

from hypothesis import given
from hypothesis import strategies as st

from audit.export import COLUMNS, csv_lines
from audit.records import COMMAND, COMMANDS, Record
from controller.cli.journal import _command_line
from controller.service.event_lines import line_of
from controller.service.logs import _Lines
from controller.service.requests import RequestError, decode_request
from feed.events import DeviceFault, RoundCorrected, Verdict
from hal.capture.command_text import command_text, read_command, text_without_id
from hal.plain_text import is_plain
from tests.fakes.sample_events import event

BREAKS = "\n\r\x0b\x0c\x1b\x1c\x1d\x1e\x1f\x85\u2028\u2029"
TEXTS = st.text(st.one_of(st.sampled_from(BREAKS), st.characters(codec="utf-8"))).filter(lambda text: bool(text))
SHORT = TEXTS.map(lambda text: text[:40])


def one_line(text: str) -> bool:
    return len(text.splitlines()) <= 1 and "\x1b" not in text


@given(SHORT, SHORT)
def test_a_request_has_plain_texts_or_is_refused(by: str, why: str) -> None:
    said = {"id": "7f3a", "command": "void", "given": {"reason": "dealer_call", "why": why}, "by": by}
    try:
        request = decode_request(json.dumps(said).encode())
    except RequestError as error:
        assert not (is_plain(by) and is_plain(why))
        assert one_line(str(error))
    else:
        assert is_plain(request.by)
        assert all(map(is_plain, request.given.values()))


@given(TEXTS)
def test_a_command_in_a_capture_has_plain_texts_or_is_refused(text: str) -> None:
    command = read_command(text, 0)
    assert is_plain(text_without_id(command))
    assert is_plain(command.problem)
    assert all(is_plain(value) for _, value in command.given)
    assert command_text(command) == text


@given(TEXTS, TEXTS)
def test_a_shown_or_exported_command_is_one_line(by: str, why: str) -> None:
    body = {"id": "c", "sender": by, "role": why, "command": "void", "given": {"why": why}, "reason": by, "table": by}
    record = Record(
        1, COMMANDS, 1, "c", "e", COMMAND, None, "2026-07-04T19:00:00Z", "", json.dumps(body).encode(), b"\0" * 32
    )
    assert one_line(_command_line(record).removeprefix("\x1b[36m").removesuffix("\x1b[0m"))
    line = csv_lines({})(record).decode()
    assert line.count("\n") == 1
    assert one_line(line)
    assert len(next(csv.reader(io.StringIO(line)))) == len(COLUMNS)


@given(TEXTS, TEXTS)
def test_a_printed_event_is_one_line(one: str, other: str) -> None:
    verdict = Verdict(verdict="outcome", result={"pocket": one})
    corrected = event(RoundCorrected, 1, round=1, by=one, from_=verdict, to=verdict, why=other)
    fault = event(DeviceFault, 2, device=one, fault="sensor_stuck", detail=other, blocks_play=True)
    assert one_line(line_of(corrected))
    assert one_line(line_of(fault))


@given(TEXTS)
def test_a_logged_message_is_one_line(text: str) -> None:
    record = logging.LogRecord("feltwire", logging.WARNING, "file", 1, "from %s", (text,), None)
    assert one_line(_Lines(journald=False).format(record))
    assert _Lines(journald=True).format(record).count("<4>") >= 1
    assert one_line(_Lines(journald=True).format(record))
