"""Tables in the states in which their boards are tested and pictured."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from controller.games.baccarat.rules import BaccaratRules
from controller.rules.profile import profile
from drivers.wheel.faces import EUROPEAN
from feed import events
from tests.browser.card_scenes import CARD_SCENES, IN_A_HALL
from tests.fakes.board_site import POCKETS, BoardSite, PlayedTable, baccarat, roulette

HOUSE_TABLE = events.TableNotice(
    words=profile("njac-13:47-20").text("baccarat", BaccaratRules).house_table.value, rule="ours"
)
SHOE = "PPBPTBBBPBBPPBTBPBBBBPPPBPBBPTPPPPPPPPBB"
FACES = ["$1"] * 22 + ["$2"] * 14 + ["$5"] * 7 + ["$10"] * 3 + ["$20"] * 2 + ["flag", "joker"]


def rolled(*dice: int) -> dict[str, Any]:
    """A result of dice."""
    return {"dice": [*dice], "total": sum(dice)}


def _dice(rng: Random, count: int) -> dict[str, Any]:
    return rolled(*(rng.randint(1, 6) for _ in range(count)))


def _named(name: str, spanish: str) -> list[events.TableLabel]:
    return [events.TableLabel(language="en", name=name), events.TableLabel(language="es", name=spanish)]


def roulette_result(*, simulated: bool = False) -> tuple[PlayedTable, list[events.Event]]:
    """32 red has come."""
    table, rng = PlayedTable("roulette-3", "roulette", simulated=simulated), Random(4)
    limits = [events.StakeLimit(minimum=5, maximum=500)]
    made = [table.open(labels=_named("Roulette 3", "Ruleta 3"), limits=limits, limits_unit="USD")]
    made += table.played((roulette(rng.choice(POCKETS)) for _ in range(127)), minimum_revolutions=4)
    made += [table.bets(), table.start(direction="clockwise"), table.call()]
    return table, [*made, table.outcome(roulette(32), direction="clockwise", minimum_revolutions=4)]


SINGLE_ZERO = events.StatisticsKey(field="pocket", values=["0", *map(str, range(1, 37))], wheel_order=[*EUROPEAN])


def roulette_sectors() -> tuple[PlayedTable, list[events.Event]]:
    """A single-zero wheel, which has sectors; the ball and the rotor of the last spin."""
    table, rng = PlayedTable("roulette-7", "roulette"), Random(19)
    labels = [
        events.TableLabel(language="en", name="French Roulette"),
        events.TableLabel(language="es", name="Ruleta francesa"),
        events.TableLabel(language="de", name="Französisches Roulette"),
    ]
    made = [table.open(labels=labels, statistics=[SINGLE_ZERO])]
    made += table.played(roulette(rng.choice(EUROPEAN)) for _ in range(99))
    made += [table.bets(), table.start(direction="clockwise"), table.call()]
    run: dict[str, Any] = {"direction": "clockwise", "rotor_direction": "counter-clockwise", "rotor_rpm": 23.6}
    return table, [*made, table.outcome(roulette(26), **run, minimum_revolutions=4)]


def roulette_begun() -> tuple[PlayedTable, list[events.Event]]:
    """Five results: no share is a percentage yet, and no number is hot."""
    table = PlayedTable("roulette-8", "roulette")
    return table, [table.open(), *table.played(roulette(pocket) for pocket in (9, 0, 32, 14, 14)), table.bets()]


def roulette_spinning() -> tuple[PlayedTable, list[events.Event]]:
    """The ball runs, seven laps so far."""
    table, rng = PlayedTable("roulette-1", "roulette"), Random(5)
    made = [table.open(labels=_named("Roulette 1", "Ruleta 1"))]
    made += table.played((roulette(rng.choice(POCKETS)) for _ in range(60)), minimum_revolutions=4)
    made += [table.bets(), table.start(direction="clockwise")]
    return table, [*made, table.event(events.RoundProgress, revolutions=7.0, lap_s=0.9)]


def roulette_refused() -> tuple[PlayedTable, list[events.Event]]:
    """The ball ran with the wheel; a simulated table."""
    table, rng = PlayedTable("roulette-2", "roulette", simulated=True), Random(6)
    made = [table.open(labels=_named("Roulette 2", "Ruleta 2"))]
    made += table.played(roulette(rng.choice(POCKETS)) for _ in range(40))
    return table, [*made, table.bets(), table.start(), table.void("ball_direction")]


def roulette_unresolved() -> tuple[PlayedTable, list[events.Event]]:
    """The dealer is to call."""
    table, rng = PlayedTable("roulette-4", "roulette"), Random(7)
    made = [table.open(), *table.played(roulette(rng.choice(POCKETS)) for _ in range(30))]
    candidates = [roulette(5), roulette("00")]
    return table, [*made, table.bets(), table.start(), table.call(), table.unresolved("no_number_read", candidates)]


def roulette_corrected() -> tuple[PlayedTable, list[events.Event]]:
    """The last round was corrected, and the next one is open."""
    table, rng = PlayedTable("roulette-5", "roulette"), Random(8)
    results = [*(roulette(rng.choice(POCKETS)) for _ in range(30)), roulette(20)]
    made = [table.open(), *table.played(results)]
    return table, [*made, table.correct(31, roulette(20), roulette(17)), table.bets()]


def money_wheel() -> tuple[PlayedTable, list[events.Event]]:
    """The joker has come."""
    table, rng = PlayedTable("wheel-1", "money_wheel"), Random(9)
    made = [table.open(labels=_named("Big Six", "Rueda"))]
    made += table.played(({"space": 1, "face": rng.choice(FACES)} for _ in range(60)), minimum_revolutions=3)
    return table, [*made, table.bets(), table.call(), table.start(), table.outcome({"space": 3, "face": "joker"})]


def money_wheel_spinning() -> tuple[PlayedTable, list[events.Event]]:
    """The wheel turns."""
    table, rng = PlayedTable("wheel-2", "money_wheel"), Random(10)
    made = [table.open(labels=_named("Big Six 2", "Rueda 2"))]
    made += table.played(({"space": 1, "face": rng.choice(FACES)} for _ in range(30)), minimum_revolutions=3)
    made += [table.bets(), table.call(), table.start(direction="counter-clockwise")]
    return table, [*made, table.event(events.RoundProgress, revolutions=2, rpm=41.5)]


def sic_bo() -> tuple[PlayedTable, list[events.Event]]:
    """Two, two and five: six areas are lit."""
    table, rng = PlayedTable("sic-bo-1", "sic_bo"), Random(11)
    made = [table.open(labels=_named("Sic Bo 1", "Sic Bo 1")), *table.played(_dice(rng, 3) for _ in range(40))]
    winning = [
        ("total value of 9", "6 to 1"),
        ("two of a kind 2", "10 to 1"),
        ("two dice 2-5", "5 to 1"),
        ("small", "1 to 1"),
        ("one of a kind 2", "2 to 1"),
        ("one of a kind 5", "1 to 1"),
    ]
    return table, [*made, table.bets(), table.call(), table.start(), table.outcome(rolled(2, 5, 2), winning=winning)]


def craps() -> tuple[PlayedTable, list[events.Event]]:
    """The point is eight, and the second shooter has the dice."""
    table = PlayedTable("craps-1", "craps")
    made = [table.open(labels=_named("Craps 1", "Craps 1"))]
    rolls: list[tuple[int, int, str, int, int | None]] = [
        (6, 1, "natural", 1, None),
        (2, 4, "point_set", 1, 6),
        (3, 2, "none", 1, 6),
        (5, 4, "none", 1, 6),
        (1, 5, "pass", 1, 6),
        (5, 5, "point_set", 1, 10),
        (3, 4, "seven_out", 1, 10),
        (6, 5, "natural", 2, None),
        (4, 4, "point_set", 2, 8),
        (2, 3, "none", 2, 8),
        (6, 3, "none", 2, 8),
    ]
    for one, two, decision, shooter, point in rolls:
        result = {**rolled(one, two), "decision": decision, "shooter": shooter}
        made += table.played([result if point is None else {**result, "point": point}])
    return table, [*made, table.bets(course={"phase": "point", "point": 8, "shooter": 2})]


def baccarat_result() -> tuple[PlayedTable, list[events.Event]]:
    """The player wins the forty-first hand of the shoe."""
    table = PlayedTable("baccarat-1", "baccarat")
    labels = _named("Baccarat 1", "Bacará 1")
    made = [table.open(labels=labels, notices=[HOUSE_TABLE]), *table.played(baccarat(letter) for letter in SHOE)]
    return table, [*made, table.bets(), table.call(), table.start(), table.outcome(baccarat("P"))]


def baccarat_dealing() -> tuple[PlayedTable, list[events.Event]]:
    """Three cards are dealt."""
    table = PlayedTable("baccarat-2", "baccarat")
    made = [table.open(), *table.played(baccarat(letter) for letter in "BPPTB"), table.bets(), table.call()]
    made += [table.start(), table.event(events.RoundProgress, player_cards=["8d", "Th"], banker_cards=["Kc"])]
    return table, made


def under_over() -> tuple[PlayedTable, list[events.Event]]:
    """Eleven is over seven."""
    table, rng = PlayedTable("under-over-1", "under_over"), Random(12)
    made = [table.open(), *table.played(_dice(rng, 2) for _ in range(30)), table.bets(), table.call(), table.start()]
    return table, [*made, table.outcome(rolled(6, 5), winning=[("over 7", "1 to 1")])]


def chuck_a_luck() -> tuple[PlayedTable, list[events.Event]]:
    """The cage turns."""
    table, rng = PlayedTable("chuck-a-luck-1", "chuck_a_luck"), Random(13)
    made = [table.open(), *table.played(_dice(rng, 3) for _ in range(30)), table.bets(), table.call(), table.start()]
    return table, [*made, table.event(events.RoundProgress, inversions=2)]


def beat_the_dealer() -> tuple[PlayedTable, list[events.Event]]:
    """The player wins with ten against eight."""
    table, rng = PlayedTable("beat-the-dealer-1", "beat_the_dealer"), Random(14)

    def result(player: dict[str, Any], dealer: dict[str, Any]) -> dict[str, Any]:
        winner = "player" if player["total"] > dealer["total"] else "dealer"
        return {**player, "dealer_dice": dealer["dice"], "dealer_total": dealer["total"], "winner": winner}

    made = [table.open(), *table.played(result(_dice(rng, 2), _dice(rng, 2)) for _ in range(30))]
    made += [table.bets(), table.call(), table.start()]
    return table, [*made, table.outcome(result(rolled(5, 5), rolled(2, 6)), winning=[("player", "1 to 1")])]


def spun(award: int, *symbols: str) -> dict[str, Any]:
    """A result of reels with one win line."""
    return {"stops": [0] * len(symbols), "lines": [{"line": 1, "symbols": [*symbols], "award": award}], "award": award}


def machine_event(table: PlayedTable, act: str, credits: int = 0, **meters: int) -> events.Event:
    """A significant event of a machine."""
    return table.event(
        events.MachineEvent, act=act, meters=events.Meters(**meters), credits=credits, carried={}, round=None
    )


METERS = {"tokens_in": 1048, "tokens_played": 1025, "tokens_won": 911, "tokens_hand_paid": 911, "plays": 1025}
"""Of a machine with reels: what was put in is played, refunded, or belongs to the player."""
REEL = {**METERS, "power_ups": 12, "door_openings": 7}
PUSHER = {"tokens_in": 640, "tokens_played": 640, "tokens_won": 517, "tokens_paid": 520, "tokens_overpaid": 3}
PUSHER |= {"tokens_to_house": 101, "plays": 640, "power_ups": 9, "door_openings": 4}


def _reel(name: str, last: dict[str, Any] | None = None) -> tuple[PlayedTable, list[events.Event]]:
    """A machine with reels that has been played."""
    table = PlayedTable(name, "skill_stop_reel")
    made = [table.open(labels=_named(f"Reel {name[-1]}", f"Rodillo {name[-1]}")), machine_event(table, "power_on")]
    made += table.played([*_spins(Random(15), 24), *([last] if last else [])])
    return table, made


def reel_hand_pay() -> tuple[PlayedTable, list[events.Event]]:
    """Twenty tokens are won, and no hopper pays them."""
    table, made = _reel("reel-3", spun(20, "seven", "seven", "seven"))
    return table, [*made, machine_event(table, "hand_pay_due", **REEL, credits=20)]


def reel_open() -> tuple[PlayedTable, list[events.Event]]:
    """The door of the machine is open."""
    table, made = _reel("reel-4")
    return table, [*made, table.bets(), machine_event(table, "door_opened", **REEL)]


def reel_test() -> tuple[PlayedTable, list[events.Event]]:
    """An attendant tests the machine."""
    table, made = _reel("reel-6")
    return table, [*made, table.bets(), machine_event(table, "test_begun", **REEL)]


def reel_fault() -> tuple[PlayedTable, list[events.Event]]:
    """A reel has slipped, in a play; the last plays are recalled all the same."""
    table, made = _reel("reel-7")
    made += [table.bets(), table.call(), table.start(), table.void("dealer_call", call="Play void")]
    made += [*table.played([spun(0, "plum", "bell", "cherry"), spun(6, "bell", "bell", "bell")]), table.bets()]
    made.append(machine_event(table, "play_begun", **REEL, credits=3))
    return table, [*made, table.fault("reels", "reel_slipped")]


def reel_debt() -> tuple[PlayedTable, list[events.Event]]:
    """Plays were corrected after their awards were paid by hand."""
    table, made = _reel("reel-8")
    of_corrections = {"tokens_taken_back": 40, "tokens_restaked": 1, "tokens_collected": 5, "tokens_waived": 3}
    meters = events.Meters(**REEL, **of_corrections)
    data = {"act": "corrected", "meters": meters, "credits": 0, "carried": {}, "round": None, "debt": 12}
    return table, [*made, table.event(events.MachineEvent, **data)]


def _pusher(name: str) -> tuple[PlayedTable, list[events.Event]]:
    """A token pusher that has been played."""
    table, rng = PlayedTable(name, "token_pusher"), Random(16)
    made = [table.open(labels=_named(f"Pusher {name[-1]}", f"Cascada {name[-1]}")), machine_event(table, "power_on")]
    results = [{"tokens_in": 1, "tokens_won": rng.choice([0, 0, 1, 3])} for _ in range(24)]
    return table, [*made, *table.played(results), table.bets()]


def pusher_ready() -> tuple[PlayedTable, list[events.Event]]:
    """The pusher takes a token."""
    table, made = _pusher("pusher-3")
    return table, [*made, machine_event(table, "falls_to_house", **PUSHER)]


def pusher_playing() -> tuple[PlayedTable, list[events.Event]]:
    """A token is in, and the shelf pushes."""
    table, made = _pusher("pusher-4")
    return table, [*made, machine_event(table, "play_begun", **PUSHER), table.start()]


def pusher_test() -> tuple[PlayedTable, list[events.Event]]:
    """An attendant tests the pusher."""
    table, made = _pusher("pusher-5")
    return table, [*made, machine_event(table, "test_begun", **PUSHER)]


def pusher_fault() -> tuple[PlayedTable, list[events.Event]]:
    """The shelf stands; a token that was put in is paid by hand."""
    table, made = _pusher("pusher-6")
    made += [machine_event(table, "hand_pay_due", **PUSHER, credits=1)]
    return table, [*made, table.fault("bed", "shelf_stalled")]


def _spins(rng: Random, count: int) -> list[dict[str, Any]]:
    losing, winning = ("plum", "bell", "cherry"), [(1, "cherry", "plum", "bell"), (6, "bell", "bell", "bell")]
    return [spun(0, *losing) if rng.random() < 0.6 else spun(*rng.choice(winning)) for _ in range(count)]


def reel() -> tuple[PlayedTable, list[events.Event]]:
    """Three sevens: twenty tokens; the machine is ready again."""
    table, rng = PlayedTable("reel-1", "skill_stop_reel"), Random(15)
    made = [table.open(labels=_named("Reel 1", "Rodillo 1")), machine_event(table, "power_on")]
    made += table.played([*_spins(rng, 24), spun(20, "seven", "seven", "seven")])
    return table, [*made, machine_event(table, "award", credits=23, plays=1025, tokens_won=911), table.bets()]


def reel_five() -> tuple[PlayedTable, list[events.Event]]:
    """Five reels, three win lines, the most that a plate has to hold."""
    table = PlayedTable("reel-5", "skill_stop_reel")
    lines = [
        {"line": 1, "symbols": ["cherry", "orange", "plum", "bell", "bar"], "award": 0},
        {"line": 2, "symbols": ["orange", "orange", "orange", "cherry", "orange"], "award": 12345},
    ]
    made = [table.open(labels=_named("Reel 5", "Rodillo 5")), machine_event(table, "power_on")]
    made += [*table.played([{"stops": [1, 2, 3, 4, 5], "lines": lines, "award": 12345}]), table.bets()]
    return table, [*made, machine_event(table, "award", credits=9_999_999, plays=9_999_999, tokens_won=9_999_999)]


def reel_turning() -> tuple[PlayedTable, list[events.Event]]:
    """The reels turn."""
    table = PlayedTable("reel-2", "skill_stop_reel")
    made = [table.open(labels=_named("Reel 2", "Rodillo 2")), *table.played(_spins(Random(18), 5)), table.bets()]
    return table, [*made, table.start()]


def pusher() -> tuple[PlayedTable, list[events.Event]]:
    """Seven tokens fell to the player."""
    table, rng = PlayedTable("pusher-1", "token_pusher"), Random(16)
    results = [{"tokens_in": 1, "tokens_won": rng.choice([0, 0, 1, 3])} for _ in range(24)]
    made = [table.open(labels=_named("Pusher 1", "Cascada 1")), machine_event(table, "power_on")]
    return table, [*made, *table.played([*results, {"tokens_in": 1, "tokens_won": 7}])]


def pusher_open() -> tuple[PlayedTable, list[events.Event]]:
    """The door of the machine is open."""
    table = PlayedTable("pusher-2", "token_pusher", simulated=True)
    made = [table.open(labels=_named("Pusher 2", "Cascada 2")), machine_event(table, "power_on")]
    made += [*table.played([{"tokens_in": 1, "tokens_won": 0}] * 3), table.bets()]
    return table, [*made, machine_event(table, "door_opened", credits=2, plays=3)]


def faulty() -> tuple[PlayedTable, list[events.Event]]:
    """A fault has shut the table."""
    table = PlayedTable("roulette-6", "roulette")
    return table, [table.open(), *table.played([roulette(4)]), table.fault("wheel", "not_level")]


Scene = Callable[[], tuple[PlayedTable, list[events.Event]]]

SCENES: dict[str, Scene] = {
    "roulette": roulette_result,
    "roulette_spinning": roulette_spinning,
    "roulette_refused": roulette_refused,
    "roulette_unresolved": roulette_unresolved,
    "roulette_corrected": roulette_corrected,
    "money_wheel": money_wheel,
    "money_wheel_spinning": money_wheel_spinning,
    "sic_bo": sic_bo,
    "craps": craps,
    "baccarat": baccarat_result,
    "baccarat_dealing": baccarat_dealing,
    "under_over": under_over,
    "chuck_a_luck": chuck_a_luck,
    "beat_the_dealer": beat_the_dealer,
    "reel": reel,
    "reel_five": reel_five,
    "reel_turning": reel_turning,
    "pusher": pusher,
    "pusher_open": pusher_open,
    "reel_hand_pay": reel_hand_pay,
    "reel_open": reel_open,
    "reel_test": reel_test,
    "reel_fault": reel_fault,
    "pusher_ready": pusher_ready,
    "pusher_playing": pusher_playing,
    "pusher_test": pusher_test,
    "pusher_fault": pusher_fault,
    **CARD_SCENES,
    "fault": faulty,
    "roulette_sectors": roulette_sectors,
    "roulette_begun": roulette_begun,
}

HALL = {name: scene for name, scene in SCENES.items() if name not in CARD_SCENES or name in IN_A_HALL}
"""A hall of every game."""


def play(site: BoardSite, scene: Scene) -> PlayedTable:
    """Plays a scene at a site; returns its table."""
    table, made = scene()
    site.play(table, made)
    return table


def hall_of(count: int) -> list[tuple[PlayedTable, list[events.Event]]]:
    """So many tables of a hall of every game, each with a name of its own; some by house rules."""
    made = []
    for number in range(count):
        table, played = [*HALL.values()][number % len(HALL)]()
        if number < len(HALL):
            made.append((table, played))
            continue
        again = PlayedTable(f"{table.table}-{number}", "roulette", simulated=number % 2 > 0, house_rules=number % 3 > 0)
        results = [roulette(pocket) for pocket in ("17", "0", "32", str(number % 36 + 1))]
        made.append(
            (again, [again.open(labels=_named(f"Roulette {number}", f"Ruleta {number}")), *again.played(results)])
        )
    return made


def play_hall(site: BoardSite, count: int) -> list[PlayedTable]:
    """Plays so many tables at a site; returns them."""
    tables = hall_of(count)
    for table, made in tables:
        site.play(table, made)
    return [table for table, _ in tables]
