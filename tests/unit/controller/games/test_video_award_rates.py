"""What a player's timing error leaves of the awards: plot and table of the page are what the simulated player wins."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from benchmarks.award_rates import PICTURE, rows, svg

pytestmark = pytest.mark.soak

PAGE: Final = Path(__file__).resolve().parents[4] / "docs/devices/skill-stop-video.md"


def test_the_plot_of_the_award_rates_is_that_of_the_simulated_player() -> None:
    """`python -m benchmarks.award_rates` draws it again."""
    assert PICTURE.read_text(encoding="utf-8") == svg()


def test_the_page_has_the_award_rates_and_skill_decides_them() -> None:
    page, found = PAGE.read_text(encoding="utf-8"), rows()
    missing = [row for row in found if row not in page]
    assert missing == [], "put these in their place:\n" + "\n".join(missing)
    won = [float(row.split("|")[-2]) for row in found]
    for model in (won[:5], won[5:]):
        assert model == sorted(model, reverse=True)
