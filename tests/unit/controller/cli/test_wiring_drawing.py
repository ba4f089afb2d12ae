"""The drawing of a table's wiring: each line at its pin, in the colour of its device, nothing beyond the sheet."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.cli.wiring_drawing import SHEET, WIDTH, wiring_drawing
from controller.configuration.header_pins import printed
from controller.configuration.terminals import pins_of_pico, places_of
from controller.games.load import check
from hal.board.chips import PICOS
from hal.board.messages import KINDS
from tests.tables.bench import configured

EXAMPLES = sorted((Path(__file__).resolve().parents[4] / "examples").glob("*.toml"))
SVG = "{http://www.w3.org/2000/svg}"


def on_the_sheet(text: ElementTree.Element) -> bool:
    """Whether a text ends within the frame, by the widths of the widest of its fonts (measured of DejaVu Sans)."""
    x, size = float(text.get("x", "")), float(text.get("font-size", ""))
    width = len(text.text or "") * size * (0.64 if text.get("font-weight") else 0.5)
    width += sum(len(part.text or "") * float(part.get("font-size", "")) * 0.5 + 8 for part in text)
    begin = {"end": x - width, "middle": x - width / 2}.get(text.get("text-anchor", ""), x)
    return begin >= 16 and begin + width <= WIDTH - 16


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_wired_line_stands_beside_its_pin_and_all_of_it_on_the_sheet(path: Path) -> None:
    config = check([path]).tables[0]
    root = ElementTree.fromstring(wiring_drawing([config]))
    texts = list(root.iter(f"{SVG}text"))
    shown = " ".join("".join(text.itertext()) for text in texts)
    for line in [*config.pins, *config.terminals]:
        assert line in shown
    sheets = max(1, len(config.boards))
    assert root.get("viewBox") == f"0 0 {WIDTH:g} {SHEET * sheets:g}"
    for text in texts:
        assert 0 <= float(text.get("x", "")) <= WIDTH
        assert 0 <= float(text.get("y", "")) <= SHEET * sheets - 14, "".join(text.itertext())
        assert on_the_sheet(text), "".join(text.itertext())
    for point in re.findall(r'points="([^"]+)"', wiring_drawing([config])):
        assert all(-1 <= float(x.split(",")[0]) <= WIDTH for x in point.split())


@pytest.mark.parametrize(("name", "down"), [("roulette_on_pi", 1), ("roulette_board", 0), ("money_wheel_pico", 0)])
def test_no_sheet_of_a_board_asks_for_a_resistor_to_ground_that_no_board_has(name: str, down: int) -> None:
    drawn = wiring_drawing(check([next(path for path in EXAMPLES if path.stem == name)]).tables)
    assert drawn.count("pull down") == down


def test_a_line_has_the_row_of_its_pin() -> None:
    config = check([next(path for path in EXAMPLES if path.name == "roulette_on_pi.toml")]).tables[0]
    root = ElementTree.fromstring(wiring_drawing([config]))
    at = {"".join(text.itertext()).split(" ")[0]: float(text.get("y", "")) for text in root.iter(f"{SVG}text")}
    for line, pin in config.pins.items():
        assert abs(at[line] - at[f"GPIO{pin.gpio}"]) < 8


@pytest.mark.parametrize("name", ["money_wheel_pico.toml", "token_pusher_pico.toml"])
def test_the_sheet_of_a_pico_has_its_own_pins_and_nowhere_5_v(name: str) -> None:
    config = check([next(path for path in EXAMPLES if path.name == name)]).tables[0]
    root = ElementTree.fromstring(wiring_drawing([config]))
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    at = {
        text.split(" ")[0]: float(each.get("y", "")) for text, each in zip(texts, root.iter(f"{SVG}text"), strict=True)
    }
    (board,) = config.boards.values()
    pins = pins_of_pico(KINDS[board.kind])
    for line, end in config.terminals.items():
        (place,) = (each for each in places_of(KINDS[board.kind]) if (each.side, each.number) == (end.side, end.number))
        assert abs(at[line] - at[pins[printed(place.pin)]]) < 8
    assert {"GP0 (1)", "GP15 (20)", "GP16 (21)", "VBUS (40)", "3V3 (36)"} <= set(texts)
    assert any("An input takes 3.3 V at most" in text for text in texts)
    assert "5V" not in texts
    assert not any("Arduino" in text or "to 5V" in text or "0 to 5 V" in text for text in texts)


def test_a_pico_whose_own_usb_is_its_line_has_none_at_its_pins() -> None:
    text = next(path for path in EXAMPLES if path.name == "money_wheel_pico.toml").read_text()
    drawn = {chip: wiring_drawing([configured(text.replace('"rp2040"\n', f'"{chip}"\n', 1))]) for chip in PICOS}
    assert [chip for chip in PICOS if "its serial line, data out" in drawn[chip]] == ["rp2040", "rp2350"]
    assert all("FRAM, clock" in each for each in drawn.values())


@pytest.mark.parametrize(("name", "grounds"), [("token_pusher_board.toml", 1), ("money_wheel_pico.toml", 3)])
def test_the_sheet_of_a_board_has_a_ground_wire_beside_its_lines_and_its_carrier_board(name: str, grounds: int) -> None:
    config = check([next(path for path in EXAMPLES if path.name == name)]).tables[0]
    drawn = wiring_drawing([config])
    assert drawn.count("ground of the lines beside it  [black]") == grounds
    assert "On its carrier board (docs/hardware/" in drawn


def test_the_option_writes_the_drawing_and_a_wrong_place_is_named(tmp_path: Path) -> None:
    table = str(next(path for path in EXAMPLES if path.name == "roulette_on_pi.toml"))
    out = tmp_path / "wiring.svg"
    assert CliRunner().invoke(main, ["pins", table, "--svg", str(out)]).exit_code == 0
    assert out.read_text(encoding="utf-8").startswith("<svg ")
    nowhere = CliRunner().invoke(main, ["pins", table, "--svg", str(tmp_path / "no" / "wiring.svg")])
    assert (nowhere.exit_code, "cannot be written" in nowhere.output) == (2, True)
