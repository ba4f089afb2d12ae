"""Judges what a function answers to a capture, without a process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from controller.conformance.captures import Capture
from controller.conformance.copies import AS_IT_IS, Copy
from controller.conformance.judge import Deviation, Judge
from controller.conformance.line_text import END

Decoder = Callable[[Iterable[str]], Iterator[bytes]]


def judged(capture: Capture, decoder: Decoder, copy: Copy = AS_IT_IS) -> list[Deviation]:
    """What is wrong with the answers of a decoder to a copy of a capture; it is given no value before its time."""
    judge = Judge(capture, copy)
    steps = judge.steps(capture.lines())

    def given() -> Iterator[str]:
        for step in steps:
            yield from step.lines
        yield END

    for line in decoder(given()):
        judge.answer(line)
    judge.end()
    return judge.finish()


def event(kind: str, **data: Any) -> bytes:
    """The line of a verdict."""
    return msgspec.json.encode({"type": f"feltwire.round.{kind}.v1", "data": data})
