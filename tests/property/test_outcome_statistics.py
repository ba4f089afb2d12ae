"""A table's last outcomes and their counts are those that its journal gives, whatever was corrected, void or restarted.

The reference reads the bodies as plain JSON, all of them, and knows nothing of folds: each round has the verdict that
was published last for it, and the counts are those of the last outcomes.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from audit.records import Entry
from controller.journal.history import JournalHistory
from feed import events
from feed.events import Evidence, StatisticsKey, Verdict, decode
from feed.state import RECENT_ROUNDS, TableState, decode_snapshot, encode_snapshot
from feed.subscriber.items import Fact, ItemQueue, Joined
from tests.powercut.load import TablePlayer
from tests.powercut.making import opened, player, written

POCKETS = ["0", "00", "1", "2", "3", "7"]
COLORS = {"0": "green", "00": "green", "1": "red", "2": "black", "3": "red", "7": "red"}
KEYS = [
    StatisticsKey(field="pocket", values=["0", "00", "1", "2", "3"]),
    StatisticsKey(field="color", values=["red", "black", "green"]),
]
"""The pocket 7 is none that the table published: it is counted all the same."""


class Evening:
    """A table that plays, is corrected and is restarted, as the dice fall."""

    def __init__(self, seed: int, corrections: float, unresolved: float, history: int, *, resized: bool = True) -> None:
        self.rng = Random(seed)
        self.corrections = corrections
        self.unresolved = unresolved
        self.history = history
        self.resized = resized
        self.table = player()
        self.entries: list[Entry] = []
        self.standing: dict[int, Verdict] = {}
        """What stands of the rounds that can be corrected."""
        self.restart()

    def restart(self, *, posted: bool = True) -> None:
        """A new epoch, which may begin closed, and with a longer or shorter history."""
        before = (self.table.epoch, self.table.seq)
        epoch = f"e{len({entry.epoch for entry in self.entries}) + 1}"
        self.table = _continued(self.table, epoch)
        first = {"previous_epoch": before[0], "previous_sequence": before[1]} if before[1] else {}
        told: dict[str, Any] = {"history": self.history, "statistics": KEYS} if posted else {}
        if self.rng.random() < 0.3:
            self.say(events.TableClosed, reason="not opened yet", **told, **first)
        else:
            self.say(events.TableOpened, rules="njac-13:47-20", software="1", devices=[], **told, **first)

    def say(self, kind: type[events.Data], **fields: Any) -> None:
        self.entries.append(self.table.say(kind, **fields))

    def result(self) -> dict[str, Any]:
        pocket = self.rng.choice(POCKETS)
        return {"pocket": pocket, "index": POCKETS.index(pocket), "color": COLORS[pocket]}

    def play(self) -> None:
        """One round, and perhaps a correction of one of the last ten, or a restart."""
        self.table.round += 1
        number = self.table.round
        self.say(events.RoundOpened, round=number)
        chance = self.rng.random()
        about: dict[str, Any] = {"round": number, "rule": "r", "evidence": Evidence()}
        if chance < self.unresolved:
            verdict = Verdict(verdict="unresolved", reason="no_number_read")
            self.say(events.Unresolved, reason="no_number_read", candidates=[], **about)
        elif chance < self.unresolved + 0.15:
            verdict = Verdict(verdict="void", reason="ball_revolutions")
            self.say(events.Void, reason="ball_revolutions", call="No spin", **about)
        else:
            verdict = Verdict(verdict="outcome", result=self.result())
            self.say(events.Outcome, result=verdict.result, winning=[], **about)
        self.standing[number] = verdict
        self.standing = dict([*self.standing.items()][-RECENT_ROUNDS:])
        if verdict.verdict == "unresolved" and self.rng.random() < 0.8:
            self.correct(number, Verdict(verdict="outcome", result=self.result()), confirmed=True)
        while self.rng.random() < self.corrections:
            to = Verdict(verdict="void", reason="dealer_call")
            if self.rng.random() < 0.5:
                to = Verdict(verdict="outcome", result=self.result())
            self.correct(self.rng.choice([*self.standing]), to)
        if self.rng.random() < 0.03:
            if self.resized:
                self.history = self.rng.choice((1, 5, 20, 40))
            self.restart()

    def correct(self, number: int, to: Verdict, *, confirmed: bool = False) -> None:
        """A person puts another verdict in place of one."""
        was, self.standing[number] = self.standing[number], to
        self.say(events.RoundCorrected, round=number, by="ann", from_=was, to=to, why="x", confirmed=confirmed)


def _continued(table: TablePlayer, epoch: str) -> TablePlayer:
    new = player(table.table, epoch)
    new.seq, new.round = table.seq, table.round
    return new


def recomputed(bodies: list[bytes]) -> tuple[list[dict[str, Any]], int]:
    """Every outcome that stands, oldest first, and over how many the statistics count."""
    rounds: dict[int, dict[str, Any]] = {}
    history = 100
    for body in bodies:
        event = msgspec.json.decode(body)
        data, kind = event["data"], event["type"].split(".", 1)[1].removesuffix(".v1")
        if kind in ("table.opened", "table.closed"):
            history = data.get("history", history)
        elif kind in ("round.outcome", "round.void", "round.unresolved"):
            rounds[data["round"]] = {"time": event["time"], "result": data.get("result"), "corrected": False}
        elif kind == "round.corrected":
            one = rounds[data["round"]]
            one["result"] = data["to"].get("result")
            one["corrected"] |= not data.get("confirmed", False)
    found = [{"round": number, **one} for number, one in sorted(rounds.items()) if one["result"] is not None]
    return found, history


def counted(outcomes: list[dict[str, Any]], field: str) -> dict[str, int]:
    return dict(Counter(outcome["result"][field] for outcome in outcomes))


def check(snapshot: bytes, bodies: list[bytes], *, exactly: bool = True) -> None:
    """A snapshot has the last outcomes and their counts; `exactly` as many as the table counts."""
    every, history = recomputed(bodies)
    shot = msgspec.json.decode(snapshot)
    statistics = shot["statistics"]
    assert statistics["outcomes"] <= history == shot["history"]
    if exactly:
        assert statistics["outcomes"] == min(history, len(every))
        assert len(shot.get("outcomes", [])) <= history + RECENT_ROUNDS
    last = every[len(every) - statistics["outcomes"] :]
    for key, field in zip(KEYS, statistics["fields"], strict=True):
        assert field["field"] == key.field
        assert [one["value"] for one in field["counts"]][: len(key.values)] == key.values
        counts = {one["value"]: one["count"] for one in field["counts"] if one["count"]}
        assert counts == counted(last, key.field)
    shown = [{"corrected": False, **one} for one in shot.get("outcomes", [])]
    assert shown == every[len(every) - len(shown) :]
    assert len(shown) >= statistics["outcomes"]


SEEDS = st.integers(0, 2**32)
RATES = st.sampled_from((0.0, 0.1, 0.5, 0.8))


@settings(max_examples=40)
@given(SEEDS, st.integers(0, 120), RATES, st.sampled_from((0.0, 0.1, 0.85)), st.sampled_from((1, 5, 20, 40)))
@example(1, 120, 0.1, 0.85, 5)
def test_the_journal_a_fold_and_a_subscriber_count_what_the_bodies_say(
    seed: int, rounds: int, corrections: float, unresolved: float, history: int
) -> None:
    evening = Evening(seed, corrections, unresolved, history)
    for _ in range(rounds):
        evening.play()
    bodies = [entry.body for entry in evening.entries]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite"
        journal = opened(path)
        written(journal, evening.entries)
        journal.close()
        again = opened(path)
        check(encode_snapshot(again.recovered["roulette-1"].state.snapshot()), bodies)
        again.close()
        reader = JournalHistory(path)
        answered = reader.snapshot("roulette-1")
        reader.close()
    assert answered is not None
    check(answered, bodies)

    state = TableState("roulette-1")
    joined_at = evening.rng.randrange(len(bodies))
    queue = ItemQueue()
    for place, body in enumerate(bodies):
        state.apply(decode(body))
        if place == joined_at:
            shot = decode_snapshot(encode_snapshot(state.snapshot()))
            queue.add([Joined(table="roulette-1", snapshot=shot)])
        elif place > joined_at:
            queue.add([Fact(decode(body), body)])
    check(encode_snapshot(state.snapshot()), bodies, exactly=False)
    while queue:
        queue.next()
    check(encode_snapshot(queue.states["roulette-1"].snapshot()), bodies, exactly=False)


@pytest.mark.parametrize("history", [20, 40])
def test_at_every_event_a_subscriber_that_joined_has_what_a_new_one_would_get(history: int) -> None:
    evening = Evening(11, 0.5, 0.1, history, resized=False)
    for _ in range(90):
        evening.play()
    bodies = [entry.body for entry in evening.entries]
    state = TableState("roulette-1")
    for place, body in enumerate(bodies):
        state.apply(decode(body))
        if place % 7 == 0:
            state = TableState.from_snapshot(decode_snapshot(encode_snapshot(state.snapshot())))
        check(encode_snapshot(state.snapshot()), bodies[: place + 1])
