"""The power of the watch over a wheel is measured by its own code, point by point, and an ended run goes on."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.watch_power import PLOTS, Plot, main, measure, measured

FOUND_LESS = {"watch-deck": 10}
"""Of 30 windows; a deck that is misread 5 times in 1,000 from its first cards on hides most of what wear adds."""


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.file)
def test_a_large_fault_is_found_more_often_than_a_small_one_and_a_sound_window_hardly_ever(plot: Plot) -> None:
    curve = plot.curves[-1]
    sound, large = (measure(plot.file, curve, size, 30) for size in (curve.sizes[0], curve.sizes[-1]))
    assert sound.found <= 1
    assert large.found >= FOUND_LESS.get(plot.file, 25)


def test_a_run_that_was_ended_goes_on_and_equal_runs_give_equal_plots(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    main(1, whole, tmp_path)
    pictures = {plot.file: (tmp_path / f"{plot.file}.svg").read_bytes() for plot in PLOTS}
    text = whole.read_bytes()
    cut.write_bytes(text[: len(text) // 2])
    assert list(measured(cut, 1)) == list(measured(whole, 1))
    assert cut.read_bytes() == text
    main(1, cut, tmp_path)
    for plot in PLOTS:
        assert (tmp_path / f"{plot.file}.svg").read_bytes() == pictures[plot.file]
        assert plot.title in "".join(ElementTree.fromstring(pictures[plot.file].decode()).itertext())
