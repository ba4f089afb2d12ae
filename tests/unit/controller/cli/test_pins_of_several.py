"""Two tables on one Pi: one drawing of the header, proposals that do not collide, and conflicts that are named."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.cli.wiring_drawing import SHEET, WIDTH, wiring_drawing
from controller.configuration.pinout import pinouts_of
from controller.configuration.values import TableConfig
from tests.tables.bench import configured
from tests.unit.controller.cli.test_wiring_drawing import on_the_sheet

PI = """\
[table]
id = "{id}"
game = "money_wheel"
no_more_bets = "button"
[lines]
backend = "{backend}"
[pins]
{pins}
"""
FIRST = (
    "wheel_a = { gpio = 17 }\nwheel_b = { gpio = 27 }\nwheel_index = { gpio = 22 }\ndealer_no_more_bets = { gpio = 23 }"
)
SECOND = FIRST.replace("17", "24").replace("27", "25").replace("22", "5").replace("23", "6")


def table(name: str, pins: str = "", backend: str = "gpiod") -> str:
    return PI.format(id=name, pins=pins, backend=backend)


def pins(folder: Path, *texts: str, svg: bool = False) -> Result:
    paths = [folder / f"{number}.toml" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    options = ["--svg", str(folder / "wiring.svg")] if svg else []
    return CliRunner().invoke(main, ["pins", *map(str, paths), *options])


def test_two_tables_have_one_header_with_the_lines_of_both(tmp_path: Path) -> None:
    shown = pins(tmp_path, table("wheel-1", FIRST), table("wheel-2", SECOND))
    assert shown.exit_code == 0
    assert shown.output.count(" (39) (40) ") == 1
    assert "1 is wheel-1, 2 is wheel-2" in shown.output
    row = next(line for line in shown.output.splitlines() if " (11) (12) " in line)
    assert row.split() == ["1:wheel_a", "GPIO17", "(11)", "(12)", "GPIO18"]
    assert "2:wheel_a" in shown.output


@pytest.mark.parametrize("backend", ["gpiod", "sim"])
@pytest.mark.parametrize("svg", [False, True])
def test_a_pin_of_two_tables_is_named_with_both_and_nothing_is_drawn(tmp_path: Path, backend: str, svg: bool) -> None:
    shown = pins(
        tmp_path, table("wheel-1", FIRST, backend), table("wheel-2", SECOND.replace("25", "17"), backend), svg=svg
    )
    assert shown.exit_code == 2
    assert "wheel_b" in shown.output
    assert "wheel_a" in shown.output
    assert "GPIO17, header pin 11" in shown.output
    assert "(39)" not in shown.output
    assert not (tmp_path / "wiring.svg").exists()


def test_what_is_proposed_for_one_table_is_free_in_all_others() -> None:
    tables: list[TableConfig] = [
        configured(table("wheel-1", "", "sim")),
        configured(table("wheel-2", FIRST, "sim")),
        configured(table("wheel-3", "", "sim")),
    ]
    wires = [pin.gpio for pinout in pinouts_of(tables) for pin in pinout.pins.values()]
    assert len(wires) == len(set(wires)) > 15


def test_the_drawing_of_two_tables_is_one_sheet_in_which_each_line_has_its_table() -> None:
    tables = [configured(table("wheel-1", FIRST)), configured(table("wheel-2", SECOND))]
    root = ElementTree.fromstring(wiring_drawing(tables))
    assert root.get("viewBox") == f"0 0 {WIDTH:g} {SHEET:g}"
    texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Tables 1:wheel-1 (money_wheel), 2:wheel-2 (money_wheel)" in texts
    assert all(on_the_sheet(text) for text in root.iter("{http://www.w3.org/2000/svg}text"))
    named = sorted(text.partition("]")[0] for text in texts if ":wheel_a" in text)
    assert named == ["1:wheel_a [blue", "2:wheel_a [violet"]
