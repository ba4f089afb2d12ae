"""The soaks: what each runs, in pieces that stand alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

MONEY_WHEEL_RUNS = 625_000
"""A million rounds: a run of the money wheel has one to three, 1.6 on average."""

ROULETTE_RUNS = 832_500
"""A million rounds: a run of the roulette wheel has one or two, 1.204 on average."""

LIFE_RUNS = 225_000
"""A tenth of a wheel's life of seven years with a thousand rounds a day."""

RUNS_A_PIECE = 2_500
"""Seeds of corrupted rounds in one piece: under a minute."""

WHEELS_READ = (
    "controller/*.py",
    "controller/configuration",
    "controller/games/*.py",
    "controller/games/base",
    "controller/games/money_wheel",
    "controller/games/roulette",
    "controller/packages",
    "controller/rules",
    "controller/table",
    "drivers/*.py",
    "drivers/base",
    "drivers/dealer",
    "drivers/lamps",
    "drivers/money_wheel",
    "drivers/roulette",
    "drivers/wheel",
    "feed/*.py",
    "feed/results",
    "firmware/wire",
    "hal",
    "pyproject.toml",
    "requirements/dev.lock",
    "simulators",
    "systemd/package",
    "tests/oracle",
    "tests/soak/__init__.py",
    "tests/soak/corrupted_rounds.py",
    "tests/soak/records.py",
    "tests/soak/wheel_watched.py",
)
"""What the corrupted rounds of a wheel load, with what they are compiled by; `*` is any name in that folder."""

BOARDS_READ = (
    "controller/*.py",
    "controller/bench",
    "controller/boards/*.py",
    "controller/boards/images",
    "controller/calibration",
    "controller/captures",
    "controller/certification",
    "controller/configuration",
    "controller/games",
    "controller/live",
    "controller/packages",
    "controller/rules",
    "controller/table",
    "drivers",
    "examples",
    "feed/*.py",
    "feed/results",
    "firmware/*.mk",
    "firmware/*.py",
    "firmware/Makefile",
    "firmware/VERSION",
    "firmware/core",
    "firmware/hardware/__init__.py",
    "firmware/hardware/circuit.py",
    "firmware/hardware/controllers.py",
    "firmware/hardware/firmware_times.py",
    "firmware/hardware/manifest_pins.py",
    "firmware/hardware/parts.py",
    "firmware/kinds",
    "firmware/ports",
    "firmware/wire",
    "hal",
    "pyproject.toml",
    "requirements/dev.lock",
    "simulators",
    "tests/conftest.py",
    "tests/fakes/__init__.py",
    "tests/fakes/adapters.py",
    "tests/fakes/time_limits.py",
    "tests/firmware/conftest.py",
    "tests/firmware/core_board.py",
    "tests/firmware/emulated.py",
    "tests/firmware/inspected_board.py",
    "tests/firmware/live_evening.py",
    "tests/firmware/table_on_boards.py",
    "tests/firmware/test_examples_on_boards.py",
    "tests/firmware/test_lamp_chain_on_board.py",
    "tests/firmware/test_play_on_boards.py",
    "tests/firmware/toolchains.py",
    "tests/plugin.py",
    "tests/soak/__init__.py",
    "tests/soak/parts.py",
    "tests/soak/records.py",
    "tests/tables/__init__.py",
    "tests/tables/bench.py",
)
"""What tables on emulated boards load."""

BESIDE = frozenset({"board-play", "corrupted-money-wheel", "corrupted-roulette", "pico", "wheel-life"})
"""Soaks that run beside the others, for hours: the million rounds of each wheel, and boards emulated for long."""

MOST_S = 4 * 3600
"""Processor time of all others together: two hours of two cores, so that one sitting sees their end."""


class Piece(NamedTuple):
    """A part of a soak: what is repeated where a run was interrupted."""

    name: str
    """A file name; unique in its soak."""
    amount: int
    """How much it is, in the soak's unit."""
    arguments: tuple[str, ...]
    """Of the Python interpreter, in the project's folder. The process also takes `--soak-result FILE`, and writes its
    `Result` there."""

    @property
    def command(self) -> str:
        """The command for a person."""
        return " ".join(("python", *self.arguments))


@dataclass(frozen=True, slots=True)
class Soak:
    """A long randomised run."""

    name: str
    title: str
    unit: str
    """What is counted, in the plural."""
    amount: int
    """How much is the whole."""
    pieces: Callable[[int], list[Piece]]
    """The pieces that an amount needs, in order, always the same."""
    cpu_s: int
    """Processor time of the whole: of all parts or of some as they were measured, or scaled by its size; 0 where nobody
    has measured it."""
    elapsed_s: int
    """How long the pieces take one after the other; more than `cpu_s` where they wait for pages or processes."""
    files: tuple[str, ...] = ()
    """The files whose soak tests it runs."""
    reads: tuple[str, ...] = ()
    """The folders of all that its pieces load, and files beside them; empty where nobody has measured it."""


def _seeds(wheel: str, a_piece: int = RUNS_A_PIECE, one_in: int = 1) -> Callable[[int], list[Piece]]:
    """Pieces of so many seeds each; of all that there are, one in so many."""

    def piece(first: int) -> Piece:
        arguments = ("-m", "tests.soak.corrupted_rounds", "--compiled", wheel, str(first), str(a_piece))
        return Piece(f"seeds-{first:08}-{first + a_piece:08}", a_piece, arguments)

    return lambda amount: [piece(first) for first in range(0, one_in * amount, one_in * a_piece)]


def _tests(parts: int, *files: str) -> Callable[[int], list[Piece]]:
    """The soak tests of some files, in this many parts."""

    def piece(number: int) -> Piece:
        selected = ("-m", "soak", *(f"tests/{file}" for file in files), "--soak-part", f"{number}/{parts}")
        return Piece(f"part-{number:03}-of-{parts:03}", 1, (*PYTEST, *selected))

    return lambda amount: [piece(number) for number in range(1, min(amount, parts) + 1)]


PLUGIN = "tests.soak.parts"
PLUGINS = ("-p", "no:xdist", "-p", "no:cacheprovider", "-p", PLUGIN)
PYTEST = ("-m", "pytest", "-q", *PLUGINS, "--timeout", "7200")
"""The time limit ends a test that hangs."""

REPEATS_A_PIECE = 10


def _repeats(amount: int) -> list[Piece]:
    arguments = ("-m", "tests.repeat_loaded", str(REPEATS_A_PIECE))
    return [
        Piece(f"repeats-{first:05}-{first + REPEATS_A_PIECE:05}", REPEATS_A_PIECE, arguments)
        for first in range(0, amount, REPEATS_A_PIECE)
    ]


def _parts(
    name: str, title: str, parts: int, *files: str, cpu_s: int, elapsed_s: int = 0, reads: tuple[str, ...] = ()
) -> Soak:
    names = tuple(f"tests/{file}" for file in files)
    return Soak(name, title, "parts", parts, _tests(parts, *files), cpu_s, elapsed_s or cpu_s, names, reads)


SOAKS: tuple[Soak, ...] = (
    _parts(
        "simulated-staff",
        "Whatever a simulated table falls into, its simulated staff bring it back",
        4,
        "property/test_late_ticks.py",
        "property/test_simulated_staff.py",
        "unit/controller/test_house_rules.py",
        cpu_s=33,
    ),
    _parts(
        "batch-cuts",
        "However a stream is cut into batches, the events are the same",
        20,
        "property/test_batch_cuts.py",
        "property/test_wheel_cuts.py",
        cpu_s=440,
        elapsed_s=600,
    ),
    _parts(
        "pusher-tables",
        "Token pushers with every fault, and 800 power cuts; outcomes and meters are the physical truth",
        18,
        "property/test_pusher_tables.py",
        cpu_s=15,
    ),
    _parts(
        "reel-tables",
        "Skill-stop reels with every fault, and 800 power cuts; outcomes and meters are the physical truth",
        20,
        "property/test_reel_tables.py",
        cpu_s=240,
    ),
    _parts(
        "dice-machines",
        "Random orders, faults and restarts at tables with dice; the state machines hold",
        30,
        "property/test_dice_machines.py",
        "property/test_craps_shaker_life.py",
        "property/test_craps_table_life.py",
        "property/test_sic_bo_tables.py",
        "property/test_tumbled_life.py",
        cpu_s=300,
    ),
    _parts(
        "dice-simulations",
        "Simulated dice tables with every fault; no outcome that the truth does not support",
        30,
        "property/test_no_false_tumble.py",
        "unit/controller/test_tumbled_simulation.py",
        "unit/simulators/test_sic_bo_table_sim.py",
        "unit/simulators/test_simulated_craps.py",
        cpu_s=1300,
    ),
    _parts(
        "wheel-tables",
        "Random lives of wheel tables, each pulse lost once, clean runs, evenings of each game, the watch for bias",
        30,
        "property/test_table_life.py",
        "property/test_loss_of_one.py",
        "property/test_clean_runs.py",
        "property/test_sound_evenings.py",
        "property/test_arrival_order.py",
        "property/test_automatic_wheel_wrong_bytes.py",
        "property/test_observation_times.py",
        "unit/controller/bias/test_bias_watch.py",
        cpu_s=860,
    ),
    _parts(
        "bench-views",
        "The bench page in a real browser: three tables and two compared captures in every language",
        1,
        "browser/test_bench_page.py",
        cpu_s=40,
    ),
    _parts(
        "subscribers",
        "Subscribers that join, lose messages and come back, against a model",
        10,
        "property/test_subscriber_model.py",
        "property/test_stream_follower.py",
        cpu_s=300,
        elapsed_s=560,
    ),
    _parts(
        "fleet-mishaps",
        "300 mishaps of venues, links and hub; the hub ends with exactly the journals' events, in order, none twice",
        24,
        "e2e/test_fleet_growth.py",
        "e2e/test_fleet_hall.py",
        "e2e/test_fleet_mishaps.py",
        cpu_s=80,
        elapsed_s=290,
    ),
    _parts(
        "boards",
        "Sessions with boards: clocks, links and outputs against a model",
        16,
        "property/test_board_clock.py",
        "property/test_board_sessions.py",
        "unit/hal/test_board_lines.py",
        "unit/hal/test_outputs_board.py",
        cpu_s=120,
        elapsed_s=170,
    ),
    _parts(
        "circuits",
        "The boards' circuits in ngspice: levels, hold-up and contacts within the tolerances of their parts",
        3,
        "firmware/test_hardware_simulations.py",
        "firmware/test_load_terminals.py",
        "firmware/test_pico_carriers.py",
        "firmware/test_wiring.py",
        "unit/hardware/test_hardware_circuits.py",
        "unit/hardware/test_kicad.py",
        cpu_s=300,
    ),
    _parts(
        "firmware",
        "The boards' firmware: fuzzed, under sanitizers, emulated, on noisy links, at the limits of its rates",
        40,
        "firmware/test_avr_port.py",
        "firmware/test_core_edges.py",
        "firmware/test_fram.py",
        "firmware/test_fuzz_core.py",
        "firmware/test_kind_reel.py",
        "firmware/test_kind_table.py",
        "firmware/test_lamp_chain_on_board.py",
        "firmware/test_link_mishaps.py",
        "firmware/test_noisy_session.py",
        "firmware/test_ports_and_bootloaders.py",
        "firmware/test_rates.py",
        "firmware/test_real_conditions.py",
        "firmware/test_proofs.py",
        "firmware/test_sanitizers.py",
        "firmware/test_static_analysis.py",
        "firmware/test_storms.py",
        cpu_s=1025,
    ),
    _parts(
        "firmware-tables",
        "Whole tables on emulated boards, and the shared captures at their pins, on a Nano and on a Pico",
        24,
        "firmware/test_examples_on_boards.py",
        "firmware/test_shared_captures.py",
        "firmware/test_tables_on_board.py",
        cpu_s=330,
    ),
    _parts(
        "benchmarks",
        "The benchmarks of boards, service and scoreboard measure what they say, and the guard of costs sees each loss",
        1,
        "browser/test_scoreboard_bench.py",
        "costs/test_costs.py",
        "firmware/test_board_bench.py",
        "unit/test_bench_small.py",
        "unit/test_service_bench.py",
        cpu_s=130,
        elapsed_s=210,
    ),
    Soak(
        "firmware-repeats",
        "The tests of emulated boards, again and again on a busy computer",
        "repeats",
        20,
        _repeats,
        cpu_s=560,
        elapsed_s=280,
    ),
    _parts(
        "kills-of-the-service",
        "250 kills of a playing service; nothing that anybody saw is missing",
        10,
        "e2e/test_service_kill.py",
        cpu_s=130,
        elapsed_s=270,
    ),
    _parts(
        "craps-games",
        "40,000 games of craps against an oracle of the rules, twice over",
        10,
        "property/test_craps_games.py",
        "property/test_dice_rules.py",
        cpu_s=320,
    ),
    _parts(
        "power-cuts",
        "3,000 power cuts of the journal's disk; nothing that was published is missing",
        15,
        "e2e/journal/test_journal_power_cuts.py",
        cpu_s=370,
    ),
    _parts(
        "lying-card",
        "A memory card that lies: whatever it destroys is reported",
        5,
        "e2e/journal/test_journal_lying_card.py",
        cpu_s=340,
    ),
    _parts(
        "damaged-journals",
        "Journals with damage anywhere: nothing is believed that was changed",
        14,
        "fuzz/test_journal_fuzz.py",
        "property/test_journal_verify.py",
        cpu_s=85,
        elapsed_s=120,
    ),
    _parts(
        "video-tables",
        "Skill-stop videos with every fault, and 3,780 stops at any moment: what is stopped was lit within a frame",
        20,
        "property/test_video_tables.py",
        "unit/controller/games/test_video_award_rates.py",
        cpu_s=200,
    ),
    _parts(
        "fuzzers",
        "Malformed messages, frames, captures and configuration",
        6,
        "e2e/test_service.py",
        "fuzz/test_feed_fuzz.py",
        "fuzz/test_fuzz_board.py",
        "fuzz/test_toml_fuzz.py",
        "unit/controller/captures/test_capture_replay.py",
        cpu_s=90,
        elapsed_s=100,
    ),
    _parts(
        "kills-of-the-journal",
        "1,000 kills of a process that writes the journal; nothing that was published is missing",
        10,
        "e2e/journal/test_journal_killed.py",
        cpu_s=240,
    ),
    _parts(
        "baccarat-tables",
        "200,000 simulated rounds of baccarat with every fault; no verdict contradicts the truth",
        20,
        "property/test_baccarat_tables.py",
        cpu_s=160,
    ),
    _parts(
        "baccarat-shoes",
        "100,000 shoes of eight decks through the rounds of baccarat; every round is the oracle's",
        20,
        "property/test_baccarat_shoes.py",
        "unit/controller/games/test_baccarat_hands.py",
        cpu_s=400,
    ),
    _parts(
        "card-lives",
        "50,000 random steps at tables of cards: dealer, cards, faults, restarts; the books hold, and no dead end",
        10,
        "property/test_card_life.py",
        cpu_s=25,
    ),
    _parts(
        "card-table-life",
        "50,000 random steps at a baccarat table with its shuffler, commitments and power cuts; the books hold",
        1,
        "property/test_card_table_life.py",
        cpu_s=25,
    ),
    _parts(
        "card-tables",
        "Simulated rounds of every other game of cards with every fault; no verdict contradicts the truth",
        20,
        "property/test_card_tables.py",
        cpu_s=270,
    ),
    _parts(
        "card-shoes",
        "Simulated rounds with every kind of shoe and every fault of it; no verdict contradicts the truth",
        20,
        "property/test_shoe_kinds_played.py",
        cpu_s=240,
    ),
    _parts(
        "token-account",
        "40,000 tokens over a harmed ccTalk bus, 800 lives and 800 cuts of machines; no token too many or too few",
        22,
        "property/test_token_account.py",
        "property/test_coin_tables.py",
        cpu_s=560,
    ),
    _parts(
        "machine-lives",
        "1,000 lives of each machine with corrections, hand pay, power cuts; tokens add up as counted from outside",
        30,
        "property/test_machine_lives.py",
        cpu_s=360,
    ),
    _parts(
        "skill-stops",
        "Reels on their boards' own binaries: 2,400 stops at the greatest speed, every fault, 500 power cuts",
        20,
        "firmware/test_skill_stops.py",
        "firmware/test_reels_on_board.py",
        "firmware/test_reel_power_cuts.py",
        cpu_s=450,
        elapsed_s=900,
    ),
    _parts(
        "bench-page",
        "30,000 updates of the bench page in a real browser: its memory stays as it was",
        1,
        "browser/test_bench_memory.py",
        cpu_s=80,
    ),
    _parts(
        "bridges-killed",
        "1,000 kills of broker, receivers, bridges and service; who drops doubles by id has each final state once",
        20,
        "e2e/test_bridges_killed.py",
        cpu_s=300,
        elapsed_s=430,
    ),
    _parts(
        "scoreboard",
        "The scoreboard in a browser: 400 breaks of service, board's server and page; events of four evenings",
        10,
        "browser/test_board_access.py",
        "browser/test_board_breaks.py",
        "browser/test_clock_of_board.py",
        "browser/test_board_elsewhere.py",
        "browser/test_board_growth.py",
        "browser/test_board_halls.py",
        "browser/test_board_services.py",
        "browser/test_board_states.py",
        "browser/test_board_views.py",
        "browser/test_pictures.py",
        "unit/scoreboard/test_venue_images.py",
        cpu_s=730,
        elapsed_s=1210,
    ),
    _parts(
        "late-boards",
        "3,000 results of all games at boards behind slow, late and cut links and in busy pages; none is shown as new "
        "3 s later",
        6,
        "browser/test_board_slow_link.py",
        cpu_s=400,
        elapsed_s=760,
    ),
    _parts(
        "firmware-power-cuts",
        "2,000 power cuts of reels and pushers on boards at any cycle, 800 of a pusher's board and service together, "
        "and cuts at any step of a write to a board's memory",
        26,
        "firmware/test_kind_power_cuts.py",
        "firmware/test_pusher_machine_cuts.py",
        "firmware/test_store_power_cuts.py",
        cpu_s=350,
    ),
    # Those that run beside the others come last.
    _parts(
        "pico",
        "The firmware on an emulated Pico: 500 power cuts, and 20,000 edges a second for minutes",
        25,
        "firmware/test_pico.py",
        "firmware/test_pico_usb.py",
        cpu_s=1_800,
    ),
    Soak(
        "corrupted-money-wheel",
        "No outcome of a money wheel with corrupted lines that the truth does not support",
        "runs",
        MONEY_WHEEL_RUNS,
        _seeds("money_wheel"),
        cpu_s=4190,
        elapsed_s=4190,
        reads=WHEELS_READ,
    ),
    Soak(
        "corrupted-roulette",
        "No outcome of a roulette wheel with corrupted lines that the truth does not support",
        "runs",
        ROULETTE_RUNS,
        _seeds("roulette"),
        cpu_s=8490,
        elapsed_s=8490,
        reads=WHEELS_READ,
    ),
    Soak(
        "wheel-life",
        "Nine days of each ninety in the seven years of a roulette wheel of the recommended geometry that wears, with "
        "the same corruptions",
        "runs",
        LIFE_RUNS,
        _seeds("wheel_life", 3 * RUNS_A_PIECE, one_in=10),
        cpu_s=2100,
        elapsed_s=2100,
        reads=WHEELS_READ,
    ),
    _parts(
        "board-play",
        "10 hours of two tables on emulated Picos, then 200 of nine on Nanos: 136 of a money wheel, 8 of each other; "
        "where a table can rest, it plays for two fifths of an hour; every round has its true outcome, and no other",
        210,
        "firmware/test_play_on_boards.py",
        cpu_s=50_000,
        reads=BOARDS_READ,
    ),
)
