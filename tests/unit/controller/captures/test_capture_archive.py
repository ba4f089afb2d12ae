"""Captures are named before their event is journalled, whole or absent on the disk, and within a budget."""

from __future__ import annotations

import asyncio
import gc
import os
from collections import Counter
from hashlib import sha256
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from controller.captures import capture_archive as capture_archive_module
from controller.captures.capture_archive import MAX_UNDER_WAY, CaptureArchive, rounds_to_keep, with_captures
from controller.captures.capture_store import CaptureRequest, CaptureStore, RenderedCapture, render
from controller.captures.round_spans import KEEP, RoundSpan, RoundSpans
from feed import events
from feed.events import CaptureFile, Event, Evidence, Verdict
from hal.capture.ring import Ring
from hal.capture.vcd_reader import open_capture
from hal.capture.vcd_writer import CaptureLines
from hal.loop import run_virtual
from hal.values import Batch, Edge
from tests.fakes.sample_events import event, opened

S = 1_000_000_000
LINES = CaptureLines(("wheel_a",))
NAME = CaptureFile(file="wheel-1/x.vcd", sha256="00" * 32)


def request(event_id: str = "wheel-1.00ff.9", table: str = "wheel-1", line: str = "wheel_a") -> CaptureRequest:
    ring = Ring(S)
    ring.append(Batch([Edge(line, 0, S), Edge(line, 1, 2 * S)], [], 3 * S))
    return CaptureRequest(table, event_id, ring.cut(S, 3 * S), LINES)


def rendered(number: int, table: str = "wheel-1", size: int = 100) -> RenderedCapture:
    name = CaptureFile(file=f"{table}/{table}.00ff.{number}.vcd", sha256="00" * 32)
    return RenderedCapture(table, name, b"x" * size)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


# --- one capture ---------------------------------------------------------------------------------------------------


def test_a_capture_is_named_after_its_event_and_its_hash_is_that_of_its_bytes(tmp_path: Path) -> None:
    made = render(request())
    assert made.name.file == "wheel-1/wheel-1.00ff.9.vcd"
    assert made.name.sha256 == sha256(made.data).hexdigest()
    CaptureStore(tmp_path).store(made)
    path = tmp_path / made.name.file
    assert path.read_bytes() == made.data
    with open_capture(path) as capture:
        (batch,) = capture.batches({"wheel_a": "wheel_a"})
    assert batch == Batch([Edge("wheel_a", 0, S), Edge("wheel_a", 1, 2 * S)], [], 3 * S)


def test_the_same_lines_make_the_same_bytes() -> None:
    assert render(request()) == render(request())


# --- the store -----------------------------------------------------------------------------------------------------


def test_the_oldest_go_when_the_budget_is_full_but_never_the_newest_of_a_table(tmp_path: Path) -> None:
    store = CaptureStore(tmp_path, budget=350)
    assert store.store(rendered(1, "roulette-1")) == 0
    removed = [store.store(rendered(number)) for number in range(2, 8)]
    assert removed == [0, 0, 1, 1, 1, 1]
    assert files(tmp_path) == ["roulette-1.00ff.1.vcd", "wheel-1.00ff.6.vcd", "wheel-1.00ff.7.vcd"]
    assert store.size == 300


def test_a_capture_larger_than_the_budget_is_kept_alone(tmp_path: Path) -> None:
    store = CaptureStore(tmp_path, budget=350)
    store.store(rendered(1))
    assert store.store(rendered(2, size=1000)) == 1
    assert files(tmp_path) == ["wheel-1.00ff.2.vcd"]


def test_what_is_there_at_the_start_counts_and_what_a_power_cut_left_is_removed(tmp_path: Path) -> None:
    before = CaptureStore(tmp_path)
    for number in (2, 1):
        before.store(rendered(number))
        os.utime(tmp_path / "wheel-1" / f"wheel-1.00ff.{number}.vcd", ns=(number, number))
    (tmp_path / "wheel-1" / ".wheel-1.00ff.3.vcd.abc.part").write_bytes(b"half")
    store = CaptureStore(tmp_path, budget=250)
    assert store.size == 200
    assert store.store(rendered(4)) == 1
    assert files(tmp_path) == ["wheel-1.00ff.2.vcd", "wheel-1.00ff.4.vcd"]


def test_a_capture_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = CaptureStore(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.store(rendered(1))
    assert files(tmp_path) == []
    assert store.size == 0


# --- the archive -----------------------------------------------------------------------------------------------------


class Kept:
    """An archive over a store, and the names that it gave."""

    def __init__(self, folder: Path, spare: int = 0) -> None:
        self.counts: Counter[str] = Counter()
        self.names: list[CaptureFile | None] = []
        self.store = CaptureStore(folder, spare=spare)
        self.archive = CaptureArchive(self.store, self.counts)


def test_a_case_has_its_name_before_and_its_file_after(tmp_path: Path) -> None:
    kept = Kept(tmp_path)

    async def main() -> None:
        kept.archive.keep(request(), kept.names.append)
        assert kept.names == [], "later, on the loop"
        await kept.archive.close()

    run_virtual(main())
    assert kept.names == [render(request()).name]
    assert files(tmp_path) == ["wheel-1.00ff.9.vcd"]
    assert kept.counts == Counter(kept=1)


def test_on_a_disk_that_is_nearly_full_nothing_is_kept_and_play_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept(tmp_path, spare=1 << 62)

    async def main() -> None:
        kept.archive.keep(request(), kept.names.append)
        assert kept.names == [None], "at once"
        await kept.archive.close()

    run_virtual(main())
    assert files(tmp_path) == []
    assert "the disk is nearly full" in caplog.text


def test_a_folder_that_somebody_removed_is_made_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "captures")
    (tmp_path / "captures").rmdir()

    async def main() -> None:
        kept.archive.keep(request(), kept.names.append)
        await kept.archive.close()

    run_virtual(main())
    assert kept.names == [render(request()).name]
    assert files(tmp_path) == ["wheel-1.00ff.9.vcd"]


def test_where_the_folder_cannot_be_had_any_more_verdicts_go_out_without_captures(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept(tmp_path / "captures")
    (tmp_path / "captures").rmdir()
    (tmp_path / "captures").write_text("somebody put a file here")
    kept.archive.keep(request(), kept.names.append)
    assert kept.names == [None]
    assert "the folder of captures cannot be used" in caplog.text


def test_whatever_happens_to_a_capture_the_verdict_goes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept(tmp_path)

    def broken(one: CaptureRequest) -> RenderedCapture:
        raise RuntimeError("a mistake in the program")

    monkeypatch.setattr(capture_archive_module, "render", broken)
    unseen: list[dict[str, Any]] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: unseen.append(context))
        kept.archive.keep(request(), kept.names.append)
        await kept.archive.close()

    run_virtual(main())
    gc.collect()
    assert kept.names == [None]
    assert "a mistake in the program" in str(unseen[0]["exception"]), "and it is not hidden"


def test_too_many_at_once_are_not_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path)

    async def main() -> None:
        for number in range(MAX_UNDER_WAY + 3):
            kept.archive.keep(request(f"wheel-1.00ff.{number}"), kept.names.append)
        assert kept.names == [None] * 3
        await kept.archive.close()

    run_virtual(main())
    assert kept.counts == Counter(skipped=3, kept=MAX_UNDER_WAY)


def test_what_a_capture_cannot_hold_is_told_and_the_verdict_goes_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept(tmp_path)

    async def main() -> None:
        kept.archive.keep(request(line="not declared"), kept.names.append)
        await kept.archive.close()

    run_virtual(main())
    assert kept.names == [None]
    assert "no capture for wheel-1.00ff.9" in caplog.text


def test_a_verdict_does_not_wait_for_ever_for_its_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, go_on = Kept(tmp_path), Flag()

    def slow(one: CaptureRequest) -> RenderedCapture:
        go_on.wait()
        return render(one)

    monkeypatch.setattr(capture_archive_module, "render", slow)
    monkeypatch.setattr(capture_archive_module, "PATIENCE_S", 0.01)

    async def main() -> None:
        told = asyncio.Event()

        def ready(name: CaptureFile | None) -> None:
            kept.names.append(name)
            told.set()

        kept.archive.keep(request(), ready)
        await told.wait()
        go_on.set()
        await kept.archive.close()

    asyncio.run(main())
    assert kept.names == [None]
    assert files(tmp_path) == []


def test_a_file_that_cannot_be_written_is_an_error_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept(tmp_path)

    def full(one: RenderedCapture) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept.store, "store", full)

    async def main() -> None:
        kept.archive.keep(request(), kept.names.append)
        await kept.archive.close()

    run_virtual(main())
    assert kept.names != [None]
    assert "which an event names, could not be written" in caplog.text


# --- which rounds, and from when -----------------------------------------------------------------------------------


def spans(rounds: int, verdict: type[events.Data] = events.Void) -> RoundSpans:
    made = RoundSpans()
    for number in range(1, rounds + 1):
        made.note([opened(number)], number)
        made.note([void(number)], 1000 + number)
    return made


def void(number: int, reason: str = "dealer_call") -> Event:
    return event(events.Void, number, round=number, call="No spin", reason=reason, rule="ours", evidence=Evidence())


def fault(number: int, **fields: Any) -> Event:
    return event(
        events.DeviceFault, number, device="wheel", fault="not_level", detail="", **({"blocks_play": True} | fields)
    )


def corrected(number: int, **fields: Any) -> Event:
    was, is_now = Verdict(verdict="outcome", result={"space": 1}), Verdict(verdict="void", reason="dealer_call")
    return event(events.RoundCorrected, number, round=number, by="ann", from_=was, to=is_now, why="misread", **fields)


def test_a_capture_holds_the_rounds_before_too_and_ends_with_the_verdict() -> None:
    made = spans(4)
    assert made.span_of(4, 9999, 0) == RoundSpan(2, 1004, complete=True)
    assert made.span_of(1, 9999, 0) == RoundSpan(1, 1001, complete=True), "before it there is none"
    made.note([opened(5)], 5)
    assert made.span_of(5, 9999, 0) == RoundSpan(3, 9999, complete=True), "no verdict yet"
    assert made.span_of(8, 9999, 0) is None


def test_a_capture_begins_with_the_earliest_opening_that_is_still_held() -> None:
    made = spans(4)
    assert made.span_of(4, 9999, 3) == RoundSpan(3, 1004, complete=True)
    assert made.span_of(4, 9999, 4) == RoundSpan(4, 1004, complete=False)
    assert made.span_of(4, 9999, 700) == RoundSpan(700, 1004, complete=False)


def test_only_the_last_rounds_are_remembered() -> None:
    made = spans(KEEP + 5)
    assert made.span_of(5, 9999, 0) is None
    assert made.span_of(KEEP + 5, 9999, 0) is not None


def test_refusals_faults_and_corrections_name_a_capture_and_nothing_else_does() -> None:
    made = spans(3)
    unresolved = event(
        events.Unresolved, 2, round=2, reason="encoder_slip", rule="ours", evidence=Evidence(), candidates=[]
    )
    said = [void(1), unresolved, opened(3), fault(9, round=3)]
    assert [one.id for one in rounds_to_keep(said, made).values()] == [void(1).id, unresolved.id, fault(9).id]
    assert rounds_to_keep([void(1, "power_loss")], made) == {}
    assert rounds_to_keep([fault(9, round=3, blocks_play=False)], made) == {}
    assert rounds_to_keep([fault(9, round=3, before_restart=True)], made) == {}
    assert rounds_to_keep([fault(9)], made) == {}, "no round was open yet"


def test_a_correction_names_a_capture_unless_there_is_one() -> None:
    made = spans(3)
    assert [*rounds_to_keep([corrected(2)], made)] == [2]
    assert rounds_to_keep([corrected(2, confirmed=True)], made) == {}
    made.keep(2, NAME)
    assert rounds_to_keep([corrected(2)], made) == {}


def test_a_fault_and_the_verdict_that_it_causes_share_a_capture() -> None:
    made = spans(3)
    said = [fault(9, round=3), void(3), opened(4)]
    assert [(number, one.id) for number, one in rounds_to_keep(said, made).items()] == [(3, fault(9).id)]
    named = with_captures(said, {3: NAME}, made)
    assert isinstance(named[0].data, events.DeviceFault)
    assert isinstance(named[1].data, events.Void)
    assert named[0].data.capture == named[1].data.evidence.capture == NAME
    assert named[2] == said[2]


def test_a_correction_carries_the_name_too() -> None:
    (named,) = with_captures([corrected(2)], {2: NAME}, spans(3))
    assert isinstance(named.data, events.RoundCorrected)
    assert named.data.capture == NAME
