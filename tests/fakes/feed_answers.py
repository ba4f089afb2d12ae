"""Answers of a history server, without a socket."""

from __future__ import annotations

from collections.abc import Iterator

from feed import wire
from feed.history_server import UNKNOWN_TABLE, History


def answers_to(request: wire.Request, history: History, page: int = wire.PAGE_EVENTS) -> Iterator[wire.Answer]:
    """The answers to a request, in order."""
    request_id = request.request_id
    match request:
        case wire.AskTables():
            yield wire.TablesAnswer(request_id, history.tables())
        case wire.AskSnapshot(_, table):
            snapshot = history.snapshot(table)
            if snapshot is None:
                yield wire.ErrorAnswer(request_id, wire.Refusal(code=UNKNOWN_TABLE, detail=f"no table {table}"))
            else:
                yield wire.JsonAnswer(request_id, "snapshot", snapshot)
        case wire.AskSince(_, table, epoch, seq):
            found = history.page(table, epoch, seq, page)
            if found.problem is not None:
                refusal = wire.Refusal(
                    code=found.problem, detail=found.detail, epoch=found.epoch, last=found.last, head=found.head
                )
                yield wire.ErrorAnswer(request_id, refusal)
                return
            for topic, body in found.events:
                yield wire.EventAnswer(request_id, topic, body)
            after = seq if found.after is None else found.after
            end = wire.End(table=table, epoch=found.epoch, last=found.last, head=found.head, after=after)
            yield wire.EndAnswer(request_id, after + len(found.events) < found.last, end)
