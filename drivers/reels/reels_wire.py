"""The reels on their boards: the names of lines and links, and how far a board lets a reel turn on.

Three reels hang on a board. Its messages are frames of a link of its own, as `hal.board.carried` has them.
"""

from __future__ import annotations

from typing import Final

from hal.board.messages import KINDS, TICK_HZ

REELS_A_BOARD: Final = KINDS["reel"].reels
LINKS: Final = ("reels", "reels_2")
"""The links of the boards, in the order of their reels."""
UNKNOWN_STEP: Final = 0xFFFF
"""Where a reel is, is not known; of a command: as soon as it can."""


TOKEN_LINE: Final = "token_in"
"""The line of the acceptor's pulse, on the first board."""


def home_line(reel: int) -> str:
    """The line of a reel's home sensor."""
    return f"reel_{reel}_home"


def stop_line(reel: int) -> str:
    """The line of a reel's stop button."""
    return f"stop_{reel}"


def place_of(reel: int) -> tuple[str, int]:
    """The link of the board that steps a reel, and the reel's number there."""
    board, number = divmod(reel - 1, REELS_A_BOARD)
    return LINKS[board], number + 1


def reel_at(link: str, number: int) -> int:
    """The reel that a board calls by this number."""
    return LINKS.index(link) * REELS_A_BOARD + number


def links_of(reels: int) -> tuple[str, ...]:
    """The links of this many reels."""
    return LINKS[: -(-reels // REELS_A_BOARD)]


# --- how far a reel turns on ------------------------------------------------------------------------------------------
#
# By the boards' own ramp (docs/boards-wiring.md): 80 steps a second, faster by 2,000 a second, a second, in 40 steps.

RAMP_FROM: Final = 80
RAMP_BY: Final = 2_000
RAMP_STEPS: Final = 40
AIM_AHEAD: Final = 3
"""Steps that the board keeps for itself to reckon where it stops."""


def ramp_ticks() -> list[int]:
    """Ticks of the board until the next step, at each step from rest."""
    return [round(TICK_HZ / (RAMP_FROM**2 + 2 * RAMP_BY * level) ** 0.5) for level in range(RAMP_STEPS)]


def brake_steps(steps_per_s: int) -> int:
    """Steps in which a reel brakes from a speed."""
    period = TICK_HZ // steps_per_s
    return next((level for level, ticks in enumerate(ramp_ticks(), 1) if ticks <= period), RAMP_STEPS)


def stopping_steps(steps_per_s: int) -> int:
    """Steps that a reel turns on after its button at least; it is at the first symbol that comes then."""
    return brake_steps(steps_per_s) + AIM_AHEAD
