"""What is changed, and which tests must notice it."""

from __future__ import annotations

from typing import Final

SEED: Final = 7
SIZE: Final = 300

FOLDERS: Final = [
    "drivers/wheel",
    "drivers/roulette",
    "drivers/money_wheel",
    "drivers/dice",
    "drivers/cards",
    "drivers/coins",
    "drivers/pusher",
    "drivers/reels",
    "controller/games",
    "controller/table",
    "controller/journal",
    "audit",
]
"""The code of verdicts, money and the journal: drivers, games and tables, the journal and its audit."""

TESTS: Final = [
    "tests/unit",
    "tests/property",
    "tests/oracle",
    "tests/contract",
    "tests/captures_cards",
    "tests/captures_dice",
    "tests/conformance",
    "tests/attacks",
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
    "tests/unit/fleet",
    "tests/property/test_board_clock.py",
    "tests/property/test_board_sessions.py",
    "tests/property/test_statistics_counts.py",
    "tests/property/test_stream_follower.py",
    "tests/property/test_subscriber_model.py",
]
"""Tests of what gives no verdict, left out."""

RECORDED: Final = ["audit", "controller/games", "controller/journal", "controller/table", "drivers"]
"""Where the code of a mutant is, or may be in a later version."""

SOAK_OF: Final = {
    "drivers/cards": "card-shoes",
    "drivers/coins": "token-account",
    "drivers/dice": "dice-simulations",
    "drivers/pusher": "pusher-tables",
    "drivers/reels": "reel-tables",
    "drivers": "wheel-tables",
    "controller/games/baccarat": "baccarat-tables",
    "controller/games/blackjack": "card-tables",
    "controller/games/cards": "card-tables",
    "controller/games/craps": "dice-simulations",
    "controller/games/dice": "dice-simulations",
    "controller/games/fixed_hands": "card-tables",
    "controller/games/machines": "machine-lives",
    "controller/games/red_dog": "card-tables",
    "controller/games/sic_bo": "dice-simulations",
    "controller/games/skill_stop_reel": "reel-tables",
    "controller/games/skill_stop_video": "video-tables",
    "controller/games/token_pusher": "pusher-tables",
    "controller/games/tumbled": "dice-simulations",
    "controller/games": "wheel-tables",
    "controller/table": "wheel-tables",
    "controller/journal": "damaged-journals",
    "audit": "damaged-journals",
}
"""The soak of which a part is tried on what the tests do not notice, by the folder that holds the code, the innermost
that is named."""
