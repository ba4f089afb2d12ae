"""What a player's timing error leaves of the awards of a skill-stop video, by the simulated player.

    python -m benchmarks.award_rates      writes docs/pictures/award-rate-video.svg, prints the page's table

Each point is 4,000 plays of the simulator's screen player, who wants a combination of the model and misses each image
by an error that is spread normally. That what he plans is what is stopped, the tests of the simulated tables show.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from controller.games.machines.win_lines import aims, lines_shown
from controller.games.skill_stop_video.model import MODELS
from simulators.screen.table import ScreenGeometry
from simulators.stops.player import StopPlay

PICTURE: Final = Path(__file__).resolve().parents[1] / "docs/pictures/award-rate-video.svg"
PLAYS: Final = 4_000
ERRORS_MS: Final = (10, 20, 30, 40, 60, 80, 100, 150, 200)
TABLE_MS: Final = (20, 40, 60, 100, 200)
"""The errors that the page's table has."""
COLOURS: Final = ("#0b6e4f", "#8a2be2")
LEFT, TOP, WIDTH, HEIGHT = 60, 50, 520, 260


@cache
def rates(name: str, error_ms: float) -> tuple[float, float]:
    """The share of plays with an award, and the tokens won for one that is played."""
    model = MODELS.named(name)
    geometry = ScreenGeometry(
        play=StopPlay(reels=len(model.reels), symbols=model.symbols, longest_s=model.longest_s, aims=aims(model)),
        symbol_s=model.symbol_ms / 1000,
    )
    player = replace(geometry, skill_s=error_ms / 1000).simulator(1)
    won = tokens = 0
    for _ in range(PLAYS):
        stops = player.round().truth.result
        if not isinstance(stops, tuple):
            raise TypeError("a play of a screen has stops")
        award = sum(line.award for line in lines_shown(model, [int(stop) for stop in stops], [True] * len(stops)))
        won, tokens = won + (award > 0), tokens + award
    return won / PLAYS, tokens / PLAYS


def rows() -> list[str]:
    """The table of the page."""
    found = []
    for name in MODELS.names:
        for error in TABLE_MS:
            won, tokens = rates(name, error)
            found.append(f"| `{name}` | {error} ms | {won:.0%} | {tokens:.1f} |")
    return found


def svg() -> str:
    """The plot: the share of plays with an award over the timing error, a line for each model."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 30} {TOP + HEIGHT + 60}" '
        'font-family="DejaVu Sans, Arial, sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    title = "Plays with an award, over the player's timing error"
    lines.append(f'<text x="{LEFT}" y="26" font-size="15" fill="#1a1a1a">{title}</text>')
    for share in range(0, 101, 20):
        y = _y(share / 100)
        lines.append(f'<line x1="{LEFT}" y1="{y}" x2="{LEFT + WIDTH}" y2="{y}" stroke="#d5d8dc"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end" fill="#444">{share}%</text>')
    for error in range(0, 201, 50):
        x = _x(error)
        lines.append(f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{TOP + HEIGHT}" stroke="#eceff1"/>')
        lines.append(f'<text x="{x}" y="{TOP + HEIGHT + 20}" text-anchor="middle" fill="#444">{error} ms</text>')
    middle = LEFT + WIDTH // 2
    caption = "standard deviation of a press"
    lines.append(f'<text x="{middle}" y="{TOP + HEIGHT + 44}" text-anchor="middle" fill="#444">{caption}</text>')
    for place, (name, colour) in enumerate(zip(MODELS.names, COLOURS, strict=True)):
        points = [(_x(error), _y(rates(name, error)[0])) for error in ERRORS_MS]
        drawn = " ".join(f"{x},{y}" for x, y in points)
        lines.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        lines += [f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in points]
        words = f"{name}: an image is lit for {MODELS.named(name).symbol_ms} ms"
        y = TOP + 18 + 20 * place
        lines.append(f'<rect x="{LEFT + WIDTH - 318}" y="{y - 10}" width="12" height="12" fill="{colour}"/>')
        lines.append(f'<text x="{LEFT + WIDTH - 300}" y="{y}" fill="#1a1a1a">{words}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _x(error_ms: float) -> float:
    return round(LEFT + error_ms / 200 * WIDTH, 1)


def _y(share: float) -> float:
    return round(TOP + HEIGHT * (1 - share), 1)


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
    print("\n".join(rows()))
