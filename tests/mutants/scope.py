"""What is changed, and which tests must notice it."""

from __future__ import annotations

from typing import Final

SEED: Final = 20261123
SIZE: Final = 200

FOLDERS: Final = [
    "drivers/wheel",
    "drivers/roulette",
    "drivers/money_wheel",
    "drivers/dice",
    "drivers/cards",
    "controller/games",
    "audit",
    "controller/journal/walk.py",
    "controller/journal/whole_check.py",
]
"""The verdict modules: drivers of wheels, dice and cards; games; the journal's audit."""

TESTS: Final = [
    "tests/unit",
    "tests/property",
    "tests/oracle",
    "tests/contract",
    "tests/captures_cards",
    "tests/captures_dice",
    "tests/conformance",
]
OTHER_ROOMS: Final = [
    "tests/unit/feed",
    "tests/unit/hal",
    "tests/unit/hardware",
    "tests/unit/installation",
    "tests/unit/scoreboard",
    "tests/unit/soak",
    "tests/unit/controller/boards",
    "tests/unit/command_line",
    "tests/unit/controller/service",
    "tests/unit/fleet",
    "tests/property/test_board_clock.py",
    "tests/property/test_board_sessions.py",
    "tests/property/test_statistics_counts.py",
    "tests/property/test_stream_follower.py",
    "tests/property/test_subscriber_model.py",
]
"""Tests of what gives no verdict, left out."""

RECORDED: Final = ["audit", "controller/games", "controller/journal", "controller/table", "drivers"]
"""Where lines are recorded: where the code of a verdict module is, or may be in a later version."""
