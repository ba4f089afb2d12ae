"""A game, a device or a backend is registered once, in the catalogue: every other list agrees with it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from controller.games.base.spec import GameSpec
from controller.games.catalogue import BACKENDS, DEVICE, DEVICES, GAME, GAMES, GAMES_OF_ORDER, ORDERS
from controller.packages.listed import Listed
from controller.table.orders.book import VERBS
from drivers.base.device_spec import DeviceSpec
from drivers.base.view import DeviceView
from feed.results import RESULTS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "scoreboard" / "page"
BENCH = ROOT / "controller" / "bench_page" / "static" / "devices.js"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
ROOMS = sorted({game.build.__module__.split(".")[2] for game in GAMES})
FAMILIES = sorted({module.split(".")[1] for device in DEVICES for module in (device.keys.__module__,)} - {"dealer"})
PARTS = {"beam", "batch"}
"""Views that are parts of other views."""


def contract(of: str) -> dict[str, list[str]]:
    (found,) = (one for one in CONTRACTS if one["name"].startswith(of))
    return dict(found)


def in_script(file: Path, name: str) -> dict[str, str]:
    """The entries of a table in a script: `roulette, money_wheel: moneyWheel`."""
    (table,) = re.findall(rf"const {name} = \{{(.*?)\}};", file.read_text(encoding="utf-8"), re.DOTALL)
    entries = (entry.partition(":") for entry in table.replace("\n", " ").split(",") if entry.strip())
    return {key.strip(): (value or key).strip() for key, _, value in entries}


def test_each_name_leads_to_what_has_it() -> None:
    assert {name: game.name for name, game in GAME.items()} == {name: name for name in GAME}
    assert {name: device.name for name, device in DEVICE.items()} == {name: name for name in DEVICE}


def test_every_order_of_every_game_is_listed() -> None:
    of_games = {verb.name: verb for game in GAMES for verb in game.orders}
    assert dict(ORDERS) == VERBS | of_games
    assert all(ORDERS[verb.name] is verb for game in GAMES for verb in game.orders)
    takers = {name: {game.name for game in GAMES if name in game.order_names} for name in of_games}
    assert {name: {*games} for name, games in GAMES_OF_ORDER.items()} == takers


def test_what_is_listed_is_of_its_kind() -> None:
    listed = Listed.of(GameSpec, ["wheel = drivers.money_wheel.spec:MONEY_WHEEL"])
    assert "wheel" in listed and [*listed] == ["wheel"] and len(listed) == 1
    with pytest.raises(TypeError, match=r"spec:MONEY_WHEEL is a DeviceSpec; a GameSpec was expected"):
        listed["wheel"]
    assert listed.joined({"wheel": GAME["roulette"]})["wheel"] is GAME["roulette"]


def test_names_are_unlike() -> None:
    for specs in (GAMES, DEVICES, BACKENDS):
        names = [spec.name for spec in specs]
        assert len(names) == len(set(names))


def test_what_subscribers_decode_is_what_each_game_names() -> None:
    assert {game.name: game.result for game in GAMES} == RESULTS


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_statistics_count_is_a_field_of_the_result(game: GameSpec) -> None:
    assert issubclass(game.result, msgspec.Struct)
    assert game.view is None or game.page == "other", "a game that names a module needs no view"


def test_the_boards_page_draws_each_game_by_the_module_that_the_game_names() -> None:
    drawn = in_script(PAGE / "board.js", "GAMES")
    modules = dict(re.findall(r'import \* as (\w+) from "\./games/(\w+)\.js"', (PAGE / "board.js").read_text("utf-8")))
    assert {game: modules[name] for game, name in drawn.items()} == {
        game.name: game.page for game in GAMES if game.page != "other"
    }
    used = {game.page for game in GAMES} | {"other", "described"}
    assert {file.stem for file in (PAGE / "games").glob("*.js")} == used


def test_the_bench_draws_each_kind_of_view_that_a_device_has() -> None:
    def kinds(of: type[DeviceView]) -> set[str]:
        tags = {str(of.__struct_config__.tag)} if of.__struct_config__.tag and of is not DeviceView else set()
        ours = of.__module__.startswith("drivers.")
        return (tags if ours else set()).union(*(kinds(one) for one in of.__subclasses__()))

    assert kinds(DeviceView) - set(in_script(BENCH, "DRAWINGS")) == PARTS
    assert set(in_script(BENCH, "DRAWINGS")) <= kinds(DeviceView)


def test_the_contracts_name_each_room_and_each_family_of_devices() -> None:
    layers = contract("games: what lists them")["layers"]
    assert [sorted(layer.split(" | ")) for layer in layers if "roulette" in layer] == [ROOMS]
    rooms = contract("a game's room is imported by the catalogue alone")["protected_modules"]
    assert rooms == [f"controller.games.{room}" for room in ROOMS]
    families = contract("a family of devices is imported by games alone")["protected_modules"]
    assert families == [f"drivers.{family}" for family in FAMILIES]


def test_every_game_has_an_example_and_every_device_a_page() -> None:
    played = {tomllib.loads(file.read_text("utf-8"))["table"]["game"] for file in (ROOT / "examples").glob("*.toml")}
    assert {game.name for game in GAMES} <= played
    pages = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "docs").rglob("*.md"))
    with_keys = {device.name for device in DEVICES if {*device.keys.__struct_fields__} - {"driver"}}
    assert with_keys <= set(re.findall(r"<!-- keys: device (\w+) -->", pages))
    assert {game.name for game in GAMES} <= set(re.findall(r"<!-- keys: game (\w+) -->", pages))


def test_the_rows_of_the_boards_page_are_the_games_by_the_module_that_draws_them() -> None:
    page = (ROOT / "docs" / "scoreboard.md").read_text(encoding="utf-8")
    rows = page.split("| game | its board |\n|---|---|\n")[1].split("\n\n")[0].splitlines()
    named = [set(re.findall(r"`(\w+)`", row.split("|")[1])) for row in rows]
    assert sorted(map(sorted, named)) == sorted(
        sorted(game.name for game in GAMES if game.page == page) for page in {game.page for game in GAMES}
    )


def test_the_row_of_devices_links_every_page_of_one() -> None:
    pages = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    (row,) = (line for line in pages.splitlines() if line.startswith("| devices |"))
    assert set(re.findall(r"\((devices/[\w-]+\.md)", row)) == {
        f"devices/{file.name}" for file in (ROOT / "docs" / "devices").glob("*.md")
    }


def test_a_page_has_keys_of_what_is_in_the_catalogue_alone() -> None:
    pages = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "docs").rglob("*.md"))
    assert set(re.findall(r"<!-- keys: game (\w+) -->", pages)) == {game.name for game in GAMES}
    assert set(re.findall(r"<!-- keys: device (\w+) -->", pages)) <= {device.name for device in DEVICES}


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_a_device_can_be_in_the_table_of_some_game(device: DeviceSpec) -> None:
    assert any(device.name in slot.drivers for game in GAMES for slot in game.devices.values())
