"""The documentation says what the code does.

A table of keys stands between `<!-- keys: ... -->` and `<!-- end -->`, one of a board's terminals between
`<!-- terminals: ... -->` and `<!-- end -->`; a block marked `console` shows commands after
`$ ` and what they print, with a line `...` for what is left out. After a change that is meant, renew both with

    .venv/bin/python -m tests.unit.test_docs
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
import pytest
from click.testing import CliRunner

from bridges.mqtt.keys import MqttKeys
from bridges.webhooks.keys import TargetKeys, WebhookKeys
from controller.cli import main
from controller.cli.wiring_drawing import wiring_drawing
from controller.configuration.declaration import KeyDoc, describe
from controller.configuration.header_pins import printed
from controller.configuration.sections import (
    BoardSection,
    CardWatchSection,
    FeedSection,
    LinesSection,
    LinkSection,
    PinSection,
    ShakeWatchSection,
    TableSection,
    TerminalSection,
    WatchSection,
    WearSection,
)
from controller.configuration.terminals import places_of
from controller.games.assembly import geometry_of, table_for
from controller.games.catalogue import REGISTRY
from controller.games.load import check, check_text
from feed.events import Outcome
from hal.board.messages import KINDS
from hal.capture.command_text import read_command
from hal.values import Batch
from scoreboard.venue import VenueKeys
from scoreboard.venue.keys import SponsorKeys

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL_PAGES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
FELTWIRE = ".venv/bin/feltwire "
CHECKED = ("simulate", "replay", "check", "pins", "calibrate", "selftest")
"""Commands whose output is the same on every computer."""
SHOWN = ("examples", "tests")
"""Folders whose files commands on a page name."""

STRUCTS: dict[str, type[msgspec.Struct]] = {
    "table": TableSection,
    "lines": LinesSection,
    "pins": PinSection,
    "board": BoardSection,
    "terminals": TerminalSection,
    "links": LinkSection,
    "feed": FeedSection,
    "watch": WatchSection,
    "watch of a money wheel": WearSection,
    "watch of dice": ShakeWatchSection,
    "watch of cards": CardWatchSection,
    "venue": VenueKeys,
    "sponsor": SponsorKeys,
    "mqtt": MqttKeys,
    "webhooks": WebhookKeys,
    "webhook target": TargetKeys,
    **{f"device {name}": driver.keys for name, driver in REGISTRY.drivers.items()},
    **{f"game {name}": game.options for name, game in REGISTRY.games.items()},
    **{f"house {name}": game.house for name, game in REGISTRY.games.items() if game.house is not None},
}
PICTURES = {
    name: f"docs/pictures/wiring-{name.removesuffix('.toml')}.svg"
    for name in (
        "roulette_on_pi.toml",
        "money_wheel_on_pi.toml",
        "roulette_board.toml",
        "sic_bo_board.toml",
        "skill_stop_reel_board.toml",
    )
}
"""Drawings that pages show, and the examples that they are made from."""
KEYS = re.compile(r"<!-- keys: (?P<name>[^>]+?) -->\n(?P<table>.*?)<!-- end -->", re.DOTALL)
TERMINALS = re.compile(r"<!-- terminals: (?P<kind>\w+) -->\n(?P<table>.*?)<!-- end -->", re.DOTALL)
BLOCK = re.compile(r"^```console\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"`(?:sudo |\.venv/bin/)*feltwire (?P<words>[a-z]+(?: [a-z]+)*)")
LINK = re.compile(r"\]\((?P<target>[^)#\s]+)(#[^)\s]*)?\)")
CODES = re.compile(
    r"(?:\b(?:void|unresolved|violation|_refuse|_warn_once)\(\s*(?:\w+\.)?t_ns,\s*|\b(?:warning|fault|reason)=|"
    r'Fault\([^"\n]*|\bself\.warn\(\s*(?:\w+\.)?t_ns,\s*(?:"\w+"|[\w.]+),\s*)'
    r'"(?P<code>[a-z_]+)"'
)


class Shown(NamedTuple):
    """A command on a page and the lines that the page shows of its output."""

    page: str
    block: int
    command: str
    lines: tuple[str, ...]


def keys_of(name: str) -> list[KeyDoc]:
    """The keys of a section, except for the name of its driver."""
    return [row for row in describe(STRUCTS[name]) if row.key != "driver"]


def table_of(name: str) -> str:
    """The table of a section's keys, as the documentation shows it."""
    rows = ["| key | default | allowed | meaning |", "|---|---|---|---|"]
    for row in keys_of(name):
        allowed = (
            row.type if row.type.startswith("one of") else ", ".join(part for part in (row.type, row.bounds) if part)
        )
        meaning = row.description + (" (ours)" if row.cite == "ours" else "")
        rows.append(f"| `{row.key}` | {row.default} | {allowed} | {meaning} |")
    return "\n".join(rows) + "\n"


def terminals_of(name: str) -> str:
    """The table of a kind's terminals, as the documentation shows it."""
    kind = KINDS[name]
    rows = ["| terminal | Nano, Uno | chip | for | longest time on |", "|---|---|---|---|---|"]
    for place in places_of(kind):
        longest = f"{kind.outputs[place.number - 1][1] / 1000:,g} s" if place.side == "output" else "–"
        where = f"{printed(place.pin)} | P{place.pin}" if place.pin else "keypad | –"
        rows.append(f"| `{{ {place.side} = {place.number} }}` | {where} | `{place.name}` | {longest} |")
    return "\n".join(rows) + "\n"


def shown_on(page: Path) -> Iterator[Shown]:
    """The commands of a page, in order."""
    for number, match in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8")), 1):
        command: str | None = None
        lines: list[str] = []
        for line in match["text"].splitlines():
            if line.startswith("$ "):
                if command is not None:
                    yield Shown(page.name, number, command, tuple(lines))
                command, lines = line[2:], []
            else:
                lines.append(line)
        if command is not None:
            yield Shown(page.name, number, command, tuple(lines))


def checked(command: str) -> bool:
    """Whether the output of a command is compared."""
    return command.startswith(tuple(FELTWIRE + name for name in CHECKED)) and not set("|>") & set(command)


def output_of(command: str) -> list[str]:
    """What a command prints in a terminal of 80 columns."""
    result = CliRunner().invoke(main, shlex.split(command)[1:], env={"COLUMNS": "80", "NO_COLOR": "1"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return [line.rstrip() for line in result.output.splitlines()]


def like(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines shown are those printed, where a line `...` stands for any number of them."""
    if not shown:
        return not printed
    if shown[0].strip() != "...":
        return bool(printed) and shown[0] == printed[0] and like(shown[1:], printed[1:])
    return any(like(shown[1:], printed[start:]) for start in range(len(printed) + 1))


@pytest.fixture
def fresh_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in SHOWN:
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_on_a_page_prints_what_the_page_shows(page: Path, fresh_clone: Path) -> None:
    for shown in shown_on(page):
        if not checked(shown.command):
            continue
        printed = output_of(shown.command)
        assert like([line.rstrip() for line in shown.lines], printed), (
            f"{shown.page}, block {shown.block}: $ {shown.command}\nprints\n" + "\n".join(printed)
        )


def test_the_comparison_of_commands_can_fail() -> None:
    assert like(["a", "...", "c"], ["a", "b", "b", "c"])
    assert not like(["a", "...", "c"], ["a", "b", "d"])
    assert not like(["a"], ["a", "b"])


def test_every_table_of_keys_is_what_the_code_declares() -> None:
    for page in PAGES:
        for match in KEYS.finditer(page.read_text(encoding="utf-8")):
            assert match["table"] == table_of(match["name"]), f"{page.name}: keys of {match['name']}"


def test_every_section_and_driver_has_its_table_of_keys() -> None:
    described = {match["name"] for page in PAGES for match in KEYS.finditer(page.read_text(encoding="utf-8"))}
    without_keys = {name for name in STRUCTS if not keys_of(name)}
    assert without_keys == {"device discard_rack", "device lamp", "device number_display", "device puck"}
    assert described == set(STRUCTS) - without_keys


def test_every_kind_of_board_has_its_table_of_terminals_and_it_is_what_the_wire_says() -> None:
    found = [match for page in PAGES for match in TERMINALS.finditer(page.read_text(encoding="utf-8"))]
    assert {match["kind"] for match in found} == set(KINDS)
    for match in found:
        assert match["table"] == terminals_of(match["kind"]), match["kind"]


def drawing_of(name: str) -> str:
    """The drawing of an example's wiring."""
    return wiring_drawing(check([ROOT / "examples" / name]).tables)


@pytest.mark.parametrize("name", PICTURES)
def test_every_drawing_of_wiring_is_that_of_its_example(name: str) -> None:
    assert (ROOT / PICTURES[name]).read_text(encoding="utf-8") == drawing_of(name)


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_names_is_there(page: Path) -> None:
    missing = []
    for named in COMMAND.finditer(page.read_text(encoding="utf-8")):
        command: click.Command | None = main
        for word in named["words"].split():
            if not isinstance(command, click.Group):
                break
            command = command.get_command(click.Context(command), word)
        if command is None:
            missing.append(named["words"])
    assert missing == []


def test_every_link_between_pages_leads_to_a_file() -> None:
    links = [(page, match["target"]) for page in PAGES for match in LINK.finditer(page.read_text(encoding="utf-8"))]
    inner = [(page, target) for page, target in links if "://" not in target]
    assert [f"{page.name}: {target}" for page, target in inner if not (page.parent / target).exists()] == []


def test_every_reason_that_the_code_gives_is_explained() -> None:
    rooms = ("controller/games", "controller/rounds", "controller/table", "controller/live", "drivers")
    sources = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    given = {match["code"] for path in sources for match in CODES.finditer(path.read_text(encoding="utf-8"))}
    assert {"ball_direction", "wheel_revolutions", "no_more_bets_after_drop", "moved_at_rest", "unknown_line"} <= given
    assert {"ball_before_settled", "not_cleared", "sensors_swapped", "sensor_stuck"} <= given
    explained = set(re.findall(r"^\| `([a-z_]+)` ", (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8"), re.M))
    assert given <= explained, f"docs/reasons.md lacks {sorted(given - explained)}"


def outcomes(text: str, exchanged: dict[str, str], fault: str | None) -> int:
    """The outcomes of five simulated rounds with wires changed over."""
    config = check_text(text).tables[0]
    simulator = geometry_of(config).simulator(1)
    table = table_for(config, epoch="sim", simulated=True)

    def wired(batch: Batch) -> Batch:
        return batch._replace(edges=[e._replace(line=exchanged.get(e.line, e.line)) for e in batch.edges])

    said = table.open(0) + table.feed(wired(simulator.start()))
    for _ in range(5):
        batch = simulator.round(fault).batch
        said += table.feed(wired(batch))
        said += table.feed(Batch([], [read_command("clear device=wheel by=test", batch.until_ns)], batch.until_ns))
    return sum(isinstance(event.data, Outcome) for event in said)


SIMULATED = '[table]\nid = "t"\ngame = "{game}"\n[lines]\nbackend = "sim"\n[device.wheel]\n{keys}\n'


def test_the_default_index_hides_an_exchange_of_a_and_b_as_the_page_says() -> None:
    text = SIMULATED.format(game="money_wheel", keys="index_width_deg = 3")
    assert outcomes(text, {"wheel_a": "wheel_b", "wheel_b": "wheel_a"}, None) > 0


@pytest.mark.parametrize("width_deg", [1.35, 4.95, 8.55])
def test_the_recommended_index_gives_no_outcome_with_a_and_b_exchanged(width_deg: float) -> None:
    text = SIMULATED.format(game="money_wheel", keys=f"index_width_deg = {width_deg}")
    assert outcomes(text, {}, None) == 5
    assert outcomes(text, {"wheel_a": "wheel_b", "wheel_b": "wheel_a"}, None) == 0


@pytest.mark.parametrize("pair", [(1, 2), (2, 3), (1, 3)])
@pytest.mark.parametrize("angles", [[0, 100, 220], [0, 80, 200]], ids=str)
def test_unequal_angles_give_no_outcome_of_good_spins_with_two_sensors_exchanged(
    angles: list[int], pair: tuple[int, int]
) -> None:
    text = SIMULATED.format(game="roulette", keys=f"ball_sensors_deg = {angles}")
    first, second = (f"ball_{number}" for number in pair)
    assert outcomes(text, {}, None) == 5
    assert outcomes(text, {first: second, second: first}, None) == 0


@pytest.mark.parametrize("pair", [(1, 2), (2, 3), (1, 3)])
@pytest.mark.parametrize("angles", [[0, 100, 220], [0, 80, 200]], ids=str)
def test_unequal_angles_give_no_outcome_of_a_ball_with_the_rotor(angles: list[int], pair: tuple[int, int]) -> None:
    text = SIMULATED.format(game="roulette", keys=f"ball_sensors_deg = {angles}")
    first, second = (f"ball_{number}" for number in pair)
    assert outcomes(text, {first: second, second: first}, "same_direction") == 0


def test_equally_spaced_sensors_hide_an_exchange_as_the_page_says() -> None:
    equal = SIMULATED.format(game="roulette", keys="ball_sensors_deg = [0, 120, 240]")
    assert outcomes(equal, {"ball_1": "ball_2", "ball_2": "ball_1"}, "same_direction") == 5


def renewed(shown: Shown) -> list[str]:
    """The lines to show: all that is printed, or those lines of it that are shown already, whatever their indent."""
    printed = output_of(shown.command)
    if "..." not in shown.lines:
        return printed
    by_text = {line.strip(): line for line in printed}
    return [by_text.get(line.strip(), line) for line in shown.lines]


def renew() -> None:
    """Writes the tables of keys and the outputs of commands again. Lines around a `...` keep their choice."""
    with tempfile.TemporaryDirectory() as clone:
        for folder in SHOWN:
            (Path(clone) / folder).symlink_to(ROOT / folder)
        os.chdir(clone)
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            text = KEYS.sub(lambda m: f"<!-- keys: {m['name']} -->\n{table_of(m['name'])}<!-- end -->", text)
            text = TERMINALS.sub(
                lambda m: f"<!-- terminals: {m['kind']} -->\n{terminals_of(m['kind'])}<!-- end -->", text
            )
            for shown in shown_on(page):
                if checked(shown.command):
                    old = "\n".join([f"$ {shown.command}", *shown.lines])
                    text = text.replace(old + "\n", "\n".join([f"$ {shown.command}", *renewed(shown)]) + "\n")
            page.write_text(text, encoding="utf-8")
        for name, picture in PICTURES.items():
            (ROOT / picture).write_text(drawing_of(name), encoding="utf-8")


if __name__ == "__main__":
    renew()
