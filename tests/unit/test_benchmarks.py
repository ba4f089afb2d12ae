"""The benchmarks work and measure real work. How fast they are is nothing that a test says."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from benchmarks import gpiozero_peer, verdicts
from benchmarks.decoding import A, B, bare_loop, decoder, rotation, with_index
from benchmarks.figures import RateFigure, Section
from benchmarks.measure import Subject, Timings, WrongWorkError, measure
from benchmarks.records import of_section
from benchmarks.report import WIDTH, print_report, scaled, times
from benchmarks.suite import SMALLEST, sections
from benchmarks.tables import simulated_table

pytestmark = pytest.mark.long
TURNS, ROUNDS, ONCE = 2, 1, 1


class IdleCollector:
    """Collects nothing: a process that holds thousands of tests would walk through all of them before each timing."""

    def collect(self) -> None: ...

    def freeze(self) -> None: ...

    def unfreeze(self) -> None: ...


@pytest.fixture(autouse=True)
def collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.measure.gc", IdleCollector())


def test_every_benchmark_gives_a_rate_next_to_another_and_the_targets_are_those_of_the_design() -> None:
    measured = list(sections(SMALLEST))
    assert all(section.figures for section in measured)
    figures = [figure for section in measured for figure in section.figures]
    for figure in figures:
        assert figure.rate > 0
        assert figure.peer_rate > 0
        assert figure.ratio > 0
        assert figure.peak_bytes >= 0
    kept = [figure for section in measured for figure in of_section(section)]
    assert len({figure.key for figure in kept}) == len(figures)
    assert all(figure.unit.endswith("/s") for figure in kept)
    targets = {
        (section.title, figure.name, figure.peer): figure.target
        for section in measured
        for figure in section.figures
        if figure.target is not None
    }
    assert targets == {
        ("Quadrature decoding in batches", "QuadratureDecoder.run", "bare loop, same tuples"): 0.05,
        ("Quadrature decoding in batches", "QuadratureDecoder.run", "gpiozero, mock pins"): 10,
        ("Money wheel, edges to verdict", "prebuilt edges", "gpiozero, mock pins"): 10,
        ("Money wheel, edges to verdict", "with edge creation", "gpiozero, mock pins"): 4,
        ("Roulette, edges to verdict", "prebuilt edges", "gpiozero, mock pins"): 10,
        ("Roulette, edges to verdict", "with edge creation", "gpiozero, mock pins"): 4,
        **{
            (f"{game}, edges to verdict", "watch, of a round's own cost", "the same without the watch"): 0.98
            for game in ("Money wheel", "Roulette")
        },
        ("Simulated roulette", "made, decoded, judged", "real time"): 20_000,
        ("Simulated baccarat", "dealt, decoded, judged", "real time"): 2_000,
        ("Watch over cards", "watch, of a round's own cost", "round without the watch"): 50,
        ("Merging two sources by time", "Merge", "heapq.merge, whole lists"): 0.5,
    }


def test_the_decoder_and_its_peers_read_the_same_rotation() -> None:
    edges = rotation(TURNS)
    assert len(edges) == 2 + TURNS * 400
    measure(
        [
            bare_loop(edges),
            decoder(edges, TURNS),
            with_index(rotation(TURNS, index=True), TURNS),
            gpiozero_peer.mock_pins(edges, A, B),
            gpiozero_peer.callbacks(edges, A, B, steps=TURNS * 100),
        ],
        ONCE,
    )


def test_a_decoder_that_lost_a_count_is_not_timed() -> None:
    with pytest.raises(WrongWorkError, match=r"QuadratureDecoder\.run: expected 800 .* saw 799"):
        measure([decoder(rotation(TURNS)[:-1], TURNS)], ONCE)


def test_a_table_that_gave_too_few_outcomes_is_not_timed() -> None:
    config = simulated_table("money_wheel")
    batches = verdicts.simulated_rounds(config, ROUNDS)
    subject = verdicts.to_verdicts(config, batches, ROUNDS)
    assert subject.ready()() == ROUNDS
    with pytest.raises(WrongWorkError):
        measure([replace(subject, expected=ROUNDS + 1)], ONCE)


def test_subjects_take_turns_and_each_turn_begins_afresh() -> None:
    order: list[str] = []

    def subject(name: str) -> Subject:
        def run() -> int:
            order.append(name)
            return 1

        return Subject(name, 1, lambda: run, 1)

    measure([subject("ours"), subject("theirs")], 3)
    assert order == ["ours", "theirs"] * 4


def test_a_ratio_is_that_of_the_same_turn() -> None:
    timings = Timings({"ours": [100.0, 50.0, 10.0], "theirs": [10.0, 5.0, 2.0]}, {"ours": 0, "theirs": 0})
    assert timings.rate("ours") == 50.0
    assert timings.ratio("ours", "theirs") == 10.0


def shown(*figures: RateFigure) -> str:
    page = StringIO()
    print_report(Console(file=page, width=WIDTH), [Section("Some title", "edges/s", "what was run", figures)], 3, 1.0)
    return page.getvalue()


def test_a_missed_target_is_shown_beside_its_figure() -> None:
    missed = RateFigure("ours", 5e6, "theirs", 1e6, 5.0, 10.0, 1_500_000)
    text = shown(missed, replace(missed, target=4.0), replace(missed, target=None))
    assert "ours" in text
    assert "5.00 M" in text
    assert "10 x MISSED" in text
    assert "4 x met" in text


def test_no_line_of_the_report_is_wider_than_the_page() -> None:
    widest = RateFigure(
        "prebuilt, level at 2 Hz", 123456789.0, "gpiozero, callbacks only", 123.0, 12345.0, 5000.0, 10**8
    )
    assert max(len(line) for line in shown(widest).splitlines()) <= WIDTH


def test_rates_and_ratios_have_three_figures() -> None:
    assert [scaled(rate) for rate in (0.01667, 0.5, 5.25, 121.4, 121_400, 4_630_000)] == [
        "0.0167",
        "0.500",
        "5.25",
        "121",
        "121 k",
        "4.63 M",
    ]
    assert [times(ratio) for ratio in (0.512, 38.24, 7256.4)] == ["0.512 x", "38.2 x", "7,256 x"]
