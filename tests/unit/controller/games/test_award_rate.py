"""What a player's timing error leaves of the awards: the page of the skill-stop reel has the figures of the models.

A player who aims at the first award presses with an error that is spread normally around no error; a reel then stands
so many symbols beside the one that he wanted.
"""

from __future__ import annotations

from itertools import product
from math import erf, sqrt
from pathlib import Path
from typing import Final

import pytest

from controller.games.machines.win_lines import lines_shown
from controller.games.skill_stop_reel.model import MODELS, ReelModel

PAGE: Final = Path(__file__).resolve().parents[4] / "docs/devices/skill-stop-reel.md"
STEPS: Final = 200
ERRORS_MS: Final = (10, 20, 30, 50, 80, 120)
BEYOND: Final = 1e-4
"""What is less likely than this at one reel is left out."""


def beside(model: ReelModel, error_ms: float) -> list[tuple[int, float]]:
    """How many symbols beside the wanted one a reel stands, and how likely that is."""
    symbol_ms = 1_000 * STEPS / model.symbols / model.steps_per_s

    def below(symbols: float) -> float:
        return (1 + erf(symbols * symbol_ms / error_ms / sqrt(2))) / 2

    shares = [(by, below(by + 0.5) - below(by - 0.5)) for by in range(-model.symbols // 2, model.symbols // 2)]
    return [(by, share) for by, share in shares if share > BEYOND]


def rates(model: ReelModel, error_ms: float) -> tuple[float, float, float]:
    """The shares of plays with the first award and with any, and the tokens won for one that is played."""
    first = any_ = tokens = 0.0
    wanted = [reel.index(want) for reel, want in zip(model.reels, model.awards[0].symbols, strict=True)]
    for missed in product(beside(model, error_ms), repeat=len(wanted)):
        share = 1.0
        for _, one in missed:
            share *= one
        if share < BEYOND / 100:
            continue
        stops = [(stop + by) % model.symbols for stop, (by, _) in zip(wanted, missed, strict=True)]
        lines = lines_shown(model, stops, [True] * len(stops))
        award = sum(line.award for line in lines)
        first += share * (lines[0].award == model.awards[0].tokens)
        any_ += share * (award > 0)
        tokens += share * award
    return first, any_, tokens


def rows(name: str) -> list[str]:
    model = MODELS.named(name)
    found = [(error, *rates(model, error)) for error in ERRORS_MS]
    return [
        f"| `{name}` | {error} ms | {first:.0%} | {any_:.0%} | {tokens:.1f} |" for error, first, any_, tokens in found
    ]


@pytest.mark.parametrize("name", [name for name in MODELS.names if len(MODELS.named(name).reels) == 3])
def test_the_page_has_the_award_rates_of_a_model(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    missing = [row for row in rows(name) if row not in page]
    assert missing == [], "put these in their place:\n" + "\n".join(missing)


def test_skill_decides_what_is_won() -> None:
    model = MODELS.named("fruit_3")
    won = [rates(model, error)[2] for error in ERRORS_MS[:4]]
    assert won == sorted(won, reverse=True)
    assert won[0] > 19
