"""The HTTP interface of a witness (C2SP tlog-witness)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from aiohttp import hdrs, web

from audit.transparency.checkpoints import Checkpoint
from audit.transparency.notes import MOST_NOTE_BYTES, NoteKey
from audit.transparency.witness import PLAIN, SubmittedCheckpoint, WitnessRefusal, read_submission
from audit.transparency.witness_file import WitnessFile, WitnessFileError

log = logging.getLogger(__name__)

_MOST_BODY_BYTES: Final = MOST_NOTE_BYTES + 4096
"""A note, and the lines of a proof."""
_MOST_REFUSED: Final = 1000
"""Checkpoints whose refusal is remembered, so that it is logged once (ours)."""


def witness_site(file: WitnessFile, logs: Mapping[str, Sequence[NoteKey]], now_s: Callable[[], int]) -> web.Application:
    """The site of a witness of these logs, by their origin; `now_s` gives the seconds since 1970."""

    refused: set[tuple[Checkpoint, bool]] = set()
    """With whether it was a fork: a checkpoint that came with a bad proof first may be one later."""

    def log_refused(submitted: SubmittedCheckpoint, refusal: WitnessRefusal) -> None:
        checkpoint = submitted.checkpoint
        # Checkpoints are public, and anybody may send one, with any proof, as often as they like.
        if (checkpoint, refusal.is_fork) in refused:
            return
        if len(refused) >= _MOST_REFUSED:
            refused.clear()
        refused.add((checkpoint, refusal.is_fork))
        origin, size, why, note = checkpoint.origin, checkpoint.size, refusal.text.strip(), str(submitted.note)
        if refusal.is_fork:
            # Signed by the log's own key: it proves that there are two histories.
            log.error("FORK of %s refused: %s: %r", origin, why, note)
        else:
            # What was cosigned since may show that it is one: then this is the other half of the proof.
            what = "it was not shown to continue the first"
            log.warning("%s at %d refused: %s %d: %s: %r", origin, size, what, submitted.old, why, note)

    async def add_checkpoint(request: web.Request) -> web.Response:
        submitted = read_submission(await request.read(), logs)
        if isinstance(submitted, WitnessRefusal):
            return _refused(submitted)
        checkpoint = submitted.checkpoint
        try:
            answer = file.add(submitted, now_s())
        except WitnessFileError as error:
            return _failed(error)
        if isinstance(answer, WitnessRefusal):
            if answer.status == 422:
                log_refused(submitted, answer)
            return _refused(answer)
        log.info("cosigned %s at %d", checkpoint.origin, checkpoint.size)
        return _text(str(answer))

    async def checkpoint(request: web.Request) -> web.Response:
        try:
            note = file.shown(request.match_info["log"])
        except WitnessFileError as error:
            return _failed(error)
        if note is None:
            return _refused(WitnessRefusal(404, "no checkpoint of this log was cosigned here\n"))
        return _text(str(note))

    async def about(_request: web.Request) -> web.Response:
        return _text(f"A witness of {len(logs)} logs, by C2SP tlog-witness. Its key:\n{file.key}\n")

    app = web.Application(client_max_size=_MOST_BODY_BYTES)
    app.router.add_post("/add-checkpoint", add_checkpoint)
    app.router.add_get("/{log:[0-9a-f]{64}}/checkpoint", checkpoint)
    app.router.add_get("/", about)
    app.on_response_prepare.append(_add_headers)
    return app


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers[hdrs.SERVER] = "feltwire"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"


def _failed(error: WitnessFileError) -> web.Response:
    log.error("%s", error)
    return _refused(WitnessRefusal(500, "the witness cannot read or keep its state: nothing is signed\n"))


def _refused(refusal: WitnessRefusal) -> web.Response:
    return web.Response(
        status=refusal.status, body=refusal.text.encode(), headers={hdrs.CONTENT_TYPE: refusal.content_type}
    )


def _text(text: str) -> web.Response:
    return web.Response(body=text.encode(), headers={hdrs.CONTENT_TYPE: PLAIN})
