"""House rules: wheels and dice that no text names, marked as the house's everywhere, and citing no text anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.bench.simulation import Score, fault_plan, simulate
from controller.cli import main
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of, table_for
from controller.games.catalogue import GAME
from controller.games.load import check, check_text
from controller.games.money_wheel.rules import MoneyWheelRules
from controller.games.roulette.layout import RouletteLayout
from controller.games.roulette.rules import RouletteRules
from controller.games.tumbled.rules import BeatTheDealerRules, ChuckALuckRules, UnderOverRules
from controller.rules.house import HouseKeys, changes_of
from controller.rules.profile import HOUSE, default_profile, game_text, profile, profiles_that_play
from controller.service.event_lines import line_of
from controller.table.authority import authorities, may
from feed import events
from feed.events import Event, decode, encode
from feed.state import Snapshot, TableState
from scoreboard.board import Live, view_of
from simulators.base.faults import faults_for
from tests.shares import one_in
from tests.tables.problems import problem_lines

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
CITATION = re.compile(r"\d+:\d+[A-Z]?-\d|N\.?\s?J\.?\s?A\.?\s?C|njac|\b\d+\.\d+\([a-z]\)|69F|COMAR|New Jersey", re.I)
"""Anything that could pass for a citation of a text."""

DICE = """\
[table]
id = "dice-1"
game = "{game}"
rules = "house"
[lines]
backend = "sim"
{house}
"""
TRIPLE_ZERO = """\
[table]
id = "triple-1"
game = "roulette"
rules = "house"
[lines]
backend = "sim"
[device.wheel]
pockets = "house"
order = [{order}]
[house]
zeros = ["0", "00", "000"]
numbers = 36
"""
ORDER = ", ".join(f'"{pocket}"' for pocket in ("0", "00", "000", *map(str, range(1, 37))))


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.toml").read_text(encoding="utf-8")


def table(text: str) -> TableConfig:
    report = check_text(text)
    assert problem_lines(report) == []
    return report.tables[0]


WHEEL, ROULETTE, CROWN = (example(f"house_{name}") for name in ("wheel", "roulette", "crown_and_anchor"))
AMERICAN = ROULETTE.partition("[house]")[0]
"""A customary wheel, by our defaults marked as the house's."""
TABLES = {
    "wheel": WHEEL,
    "pegs": re.sub(r"encoder_slots.*\nindex_width_deg.*", 'sensing = "pegs"', WHEEL),
    "one_turn": WHEEL.replace("minimum_revolutions = 3", "minimum_revolutions = 1"),
    "roulette": ROULETTE,
    "triple_zero": TRIPLE_ZERO.format(order=ORDER),
    "american": AMERICAN,
    "as_single_zero": AMERICAN + '[device.wheel]\npockets = "american_as_single_zero"\n',
    "star_x": AMERICAN + '[device.wheel]\ndriver = "star_x"\n',
    "chuck_a_luck": CROWN,
    "beat_the_dealer": DICE.format(game="beat_the_dealer", house='[house]\nties = "player"\nodds = [9, 5]'),
    "shaker": DICE.format(game="chuck_a_luck", house='[device.shaker]\ndriver = "pai_gow_shaker"\n[device.reader]'),
    "under_over": DICE.format(game="under_over", house="[house]\nmiddle = 8\nodds = { middle = [5, 1] }"),
}


def night(config: TableConfig) -> Iterator[Event]:
    """Every fault of the table, with clean rounds between, every outcome supported by the truth."""
    geometry = geometry_of(config)
    names = [fault.name for fault in faults_for(geometry) if fault.name != "none"]
    plan = fault_plan([f"{name}@{2 * at + 2}" for at, name in enumerate(names)], 2 * len(names) + 2, geometry)
    score = Score()
    for played in simulate(config, 2 * len(names) + 2, 5, plan):
        score.add(played)
        yield from played.events
    assert not score.unsupported


@pytest.mark.long
@pytest.mark.parametrize("name", one_in(2, TABLES))
def test_a_night_with_every_fault_is_marked_in_every_event_and_cites_nothing(name: str) -> None:
    config = table(TABLES[name])
    state = TableState(config.id)
    kinds = set()
    for event in night(config):
        body = encode(event)
        assert b'"house_rules":true' in body
        assert decode(body) == event
        assert not CITATION.search(body.decode()), body
        line = line_of(event)
        assert "house " in line
        assert not CITATION.search(line), line
        rule = getattr(event.data, "rule", "ours")
        assert rule == "ours"
        kinds.add(type(event.data))
        state.apply(event)
    assert {events.TableOpened, events.Outcome, events.Void} <= kinds | {events.Outcome}
    snapshot = state.snapshot()
    assert snapshot.house_rules
    assert snapshot.rules == HOUSE
    again = TableState.from_snapshot(msgspec.json.decode(msgspec.json.encode(snapshot), type=Snapshot))
    assert view_of(again, Live()).house_rules


def test_the_events_of_a_text_have_no_mark() -> None:
    config = table(example("money_wheel"))
    assert not any(b"house" in encode(event) for played in simulate(config, 1, 1, {}) for event in played.events)


def test_every_value_of_the_house_profile_is_ours() -> None:
    for game, text in profile(HOUSE).texts.items():
        assert not CITATION.search(msgspec.json.encode(text).decode()), game
        assert GAME[game].house is not None
        assert HOUSE not in profiles_that_play(game)
        assert default_profile(game) != HOUSE
    assert {game.name for game in GAME.values() if game.house is not None} == set(profile(HOUSE).texts)


@pytest.mark.long
def test_the_wheel_of_the_example_pays_by_its_own_faces() -> None:
    config = table(WHEEL)
    rules = config.text(MoneyWheelRules)
    assert (rules.spaces.value, rules.winning("joker")[0].odds) == (54, "40 to 1")
    plan = GAME["money_wheel"].bias(config)
    assert plan is not None
    assert len(plan.tests[0].probabilities) == 54
    outcomes = [e.data for e in night(config) if isinstance(e.data, events.Outcome)]
    odds = {face.face: f"{face.odds.value} to 1" for face in rules.faces}
    assert outcomes
    assert all(one.winning[0].odds == odds[one.result["face"]] for one in outcomes)
    assert max(one.result["space"] for one in outcomes) > 24


def test_the_layout_of_a_small_wheel_has_what_its_numbers_can_be_laid_out_for() -> None:
    config = table(ROULETTE)
    layout = RouletteLayout(config.text(RouletteRules), "house")

    def pays(pocket: str) -> list[str]:
        return [f"{bet.bet} {bet.odds}" for bet in layout.winning(pocket)]

    assert pays("0") == ["straight 0 22 to 1", "top four 5 to 1"]
    assert pays("24") == ["straight 24 22 to 1", "split 21-24 10 to 1", "split 23-24 10 to 1", "column 3 2 to 1",
                          "3rd 8 2 to 1", "black 1 to 1", "even 1 to 1"]  # fmt: skip
    ours = RouletteLayout(table(TABLES["triple_zero"]).text(RouletteRules), "house")
    assert [bet.bet for bet in ours.winning("000")] == ["straight 000"]
    assert [bet.bet for bet in ours.winning("36")][-4:] == ["3rd 12", "red", "even", "19 to 36"]
    assert config.text(RouletteRules).color("0") == "green"


@pytest.mark.parametrize("numbers", [3, 7, 20, 25, 37, 60])
def test_no_wager_of_any_number_of_pockets_names_a_pocket_that_does_not_exist(numbers: int) -> None:
    pockets = [*map(str, range(1, numbers + 1))]
    text = TRIPLE_ZERO.format(order=", ".join(f'"{one}"' for one in ["0", *pockets]))
    reds = "red_numbers = [1, 2]\n" if numbers > 36 else ""
    text = text.replace('["0", "00", "000"]', '["0"]').replace("numbers = 36\n", f"numbers = {numbers}\n{reds}")
    layout = RouletteLayout(table(text).text(RouletteRules), "house")
    assert all(bet.pockets <= {"0", *pockets} and bet.pockets for bet in layout.bets)
    sizes = {"split": 2, "three": 3, "four": 4, "six": 6}
    assert all(len(bet.pockets) == sizes.get(bet.name.split()[0], len(bet.pockets)) for bet in layout.bets)


def test_dice_of_the_house_pay_by_its_own_odds_and_symbols() -> None:
    crown = table(CROWN).text(ChuckALuckRules)
    assert [(bet.bet, bet.odds) for bet in crown.winning((2, 2, 2))] == [("anchor", "5 to 1")]
    tie = table(TABLES["beat_the_dealer"]).text(BeatTheDealerRules)
    assert [(bet.bet, bet.odds) for bet in tie.winning((1, 2), (2, 1))] == [("player", "9 to 5")]
    middle = table(TABLES["under_over"]).text(UnderOverRules)
    assert [middle.winning(dice)[0] for dice in ((4, 3), (4, 4), (6, 3))] == [
        events.WinningBet("under 8", "1 to 1"),
        events.WinningBet("8", "5 to 1"),
        events.WinningBet("over 8", "1 to 1"),
    ]


@pytest.mark.parametrize(
    ("text", "old", "new", "problem"),
    [
        (WHEEL, 'rules = "house"', "", 'house: is given, and a house changes nothing of "njac-13:47-20"'),
        (WHEEL, 'rules = "house"', 'rules = "hous"', 'table.rules: unknown profile "hous"; did you mean "house"?'),
        (WHEEL, "[house]", "[hause]", 'unknown section; did you mean "house"?'),
        (WHEEL, "spaces = 54", "space = 54", 'house.space: unknown key; did you mean "spaces"?'),
        (WHEEL, "spaces = 54", "", "house.spaces: is missing, and faces need it; add spaces = 54"),
        (WHEEL, "spaces = 54", "spaces = 56", "house.faces: the faces fill 54 spaces, and the wheel has 56; correct"),
        (WHEEL, "count = 15, odds = 2", "count = 15", "house.faces[1].odds: is missing"),
        (WHEEL, "count = 1, odds = 40", "count = 0, odds = 40", "house.faces[5].count: 0 is out of range"),
        (WHEEL, '"star", count', '"joker", count', "house.faces[6].face: 'joker' is listed before"),
        (WHEEL, '"star", "$1",', '"moon", "$1",', "device.wheel.faces: 'moon' is not a face of house rules; list each"),
        (WHEEL, '"star", "$1",', '"moon", "$1",', "0 spaces show star, and the house's rules want 1"),
        (WHEEL, "minimum_revolutions = 3", "minimum_revolutions = 9", "house.minimum_revolutions: 9 is out of range"),
        (WHEEL, 'void_call = "Spin again"', 'void_call = ""', "house.void_call:"),
        (ROULETTE, 'pockets = "house"', 'pockets = "european"', "house.numbers: gives pockets of the house's own"),
        (ROULETTE, "numbers = 24 ", "numbers = 25 ", "device.wheel.order: 25 of the house's rules missing"),
        (ROULETTE, '"8", "23"', '"8", "8"', "device.wheel.order: names 8 twice"),
        (ROULETTE, '"0", "1", "2", "3"]', '"0", "37"]', "house.bets[0].pockets: 37 is not on the wheel; name pockets"),
        (ROULETTE, "numbers = 24 ", "numbers = 25 ", "house.odds.column: 25 numbers cannot be laid out for it"),
        (ROULETTE, "straight = 22", "strait = 22", 'house.odds.strait: unknown key; did you mean "straight"?'),
        (ROULETTE, "[house.odds]", "red_numbers = [25]\n[house.odds]", "house.red_numbers: names 25, and the highest"),
        (ROULETTE, "[house.odds]", "red_numbers = [2, 2]\n[house.odds]", "house.red_numbers: names a number twice"),
        (ROULETTE, "[house.odds]", f"red_numbers = {[*range(1, 25)]}\n[house.odds]", "black is offered and wins on no"),
        (ROULETTE, '"top four"', '"red"', "house.bets[0].bet: 'red' is a bet of the layout already; give it a name of"),
        (ROULETTE, '"top four"', '"straight 7"', "house.bets[0].bet: 'straight 7' is a bet of the layout already"),
        (example("roulette"), 'pockets = "american"', 'pockets = "house"', "device.wheel.order: is missing"),
        (CROWN, '"club", "spade"]', '"club"]', "house.symbols: names 5 different sides, and a die has 6"),
        (CROWN, "odds_on_one = [1, 1]", "odds_on_one = [1]", "house.odds_on_one:"),
        (CROWN, '"chuck_a_luck"', '"sic_bo"', "table.rules: house rules are there for money_wheel, roulette, beat_"),
        (CROWN, '"chuck_a_luck"', '"baccarat"', "not for baccarat; write "),
        (
            example("money_wheel"),
            "encoder_slots",
            'faces = ["a", "b"]\nencoder_slots',
            'or remove the key for our default; for a wheel of another kind write rules = "house" under [table]',
        ),
    ],
)
def test_each_mistake_names_its_key_and_the_fix(text: str, old: str, new: str, problem: str) -> None:
    assert old in text
    found = problem_lines(check_text(text.replace(old, new)))
    assert any(problem in line for line in found), found


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        (
            WHEEL,
            "faces = [                       # the order",
            "the 54 spaces of [house] have no order without it; add faces",
        ),
        (ROULETTE, "order = [", 'pockets = "house" needs it; list the pockets in wheel order'),
    ],
)
def test_a_wheel_without_its_order_gets_one_problem_which_counts_nothing_of_another_wheel(
    text: str, key: str, problem: str
) -> None:
    before, after = text.split(key)
    (found,) = problem_lines(check_text(before + after.partition("]\n")[2]))
    assert f"is missing, and {problem}" in found


def test_a_refusal_of_the_house_cites_nothing_and_asks_for_no_class_of_new_jersey() -> None:
    class Clerk:
        name, role, operator_class = "ann", "dealer", None

    assert may(Clerk(), "void", "roulette", HOUSE) is None
    assert may(Clerk(), "void", "roulette") is not None
    refused = [may(Clerk(), verb, "roulette", HOUSE) for verb in authorities()]
    assert any(refused)
    assert not any(CITATION.search(one) for one in refused if one)


def test_the_names_of_a_house_wheel_are_checked_without_a_citation() -> None:
    for name, text in TABLES.items():
        config = table(text)
        game = table_for(config, epoch="sim", simulated=True).game
        for wrong in ("", "nothing", "99-99", "00", "0000", "7-7-7/1"):
            try:
                game.result_in(0, wrong)
            except ValueError as error:
                assert not CITATION.search(str(error)), name


def test_check_pins_and_the_others_print_house_rules_and_cite_nothing() -> None:
    run = CliRunner()
    for name in ("house_wheel", "house_roulette", "house_crown_and_anchor", "house_mini_dice", "house_pokette"):
        file = str(EXAMPLES / f"{name}.toml")
        checked = run.invoke(main, ["check", file])
        assert "by HOUSE RULES" in checked.output
        for command in (["check", file], ["pins", file], ["simulate", file, "--rounds", "2"]):
            result = run.invoke(main, command)
            assert result.exit_code == 0, result.output
            assert not CITATION.search(result.output), result.output
            assert "HOUSE RULES" in result.output, command


KEYS: dict[str, dict[str, object]] = {
    "money_wheel": {"minimum_revolutions": 2, "spaces": None, "faces": [{"face": "a", "count": 3, "odds": 2}]},
    "roulette": {
        "zeros": None,
        "numbers": 12,
        "red_numbers": [2],
        "odds": {"straight": 5},
        "bets": [{"bet": "own", "pockets": ["1"], "odds": 5}],
        "minimum_revolutions": 2,
    },
    "beat_the_dealer": {"odds": [3, 2], "ties": "player"},
    "chuck_a_luck": {
        "symbols": list("abcdef"),
        "odds_on_one": [3, 2],
        "odds_on_two": [5, 2],
        "odds_on_three": [7, 2],
    },
    "under_over": {"middle": 8, "odds": {"over": [3, 2]}},
}
"""Another value of each key; None where another key shows it: `faces` fill `spaces`, `zeros` go with `numbers`."""


@pytest.mark.parametrize("game", KEYS)
def test_every_key_of_the_house_changes_the_rules_and_leaves_them_the_house_s(game: str) -> None:
    struct = GAME[game].house
    assert struct is not None
    values = KEYS[game] | {"call": "Closed", "void_call": "Again"}
    assert set(values) == {field.name for field in msgspec.structs.fields(struct)}
    plain = game_text(HOUSE, game, GAME[game].rules, changes_of(struct(), game))
    for key, value in values.items():
        if value is None:
            continue
        house = msgspec.convert({key: value}, struct)
        own = game_text(HOUSE, game, GAME[game].rules, changes_of(house, game))
        assert own != plain, key
        assert not CITATION.search(msgspec.json.encode(own).decode()), key
    zeros = msgspec.convert({"zeros": ["00"], "numbers": 12}, GAME["roulette"].house or HouseKeys)
    assert game_text(HOUSE, "roulette", RouletteRules, changes_of(zeros, "roulette")).color("00") == "green"


def test_a_capture_of_a_house_table_is_replayed_by_its_own_rules(tmp_path: Path) -> None:
    run, file, vcd = CliRunner(), str(EXAMPLES / "house_wheel.toml"), str(tmp_path / "night.vcd")
    command = ["simulate", file, "--rounds", "3", "--fault", "short_spin@2", "--vcd", vcd]
    played, replayed = run.invoke(main, command), run.invoke(main, ["replay", file, vcd])
    assert (played.exit_code, replayed.exit_code) == (0, 0), replayed.output
    verdicts = [
        re.findall(r"house house-wheel-1.*?((?:OUTCOME|VOID) [^\n\[]*)", one.stdout) for one in (played, replayed)
    ]
    assert verdicts[0] == verdicts[1]
    assert 'VOID "Spin again": wheel_revolutions (house rule) ' in verdicts[1]
    assert not CITATION.search(replayed.output)


def test_what_is_for_machines_alone_is_refused_without_a_citation() -> None:
    refused = CliRunner().invoke(main, ["certify", str(EXAMPLES / "house_wheel.toml")])
    assert (refused.exit_code, "is not a machine" in refused.output) == (2, True)
    assert not CITATION.search(refused.output)


def test_the_examples_are_checked_together() -> None:
    assert not check([*EXAMPLES.glob("house_*.toml")]).problems
