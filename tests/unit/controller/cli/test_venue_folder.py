"""A venue's folder: what is in it is shown, and each mistake is named with file, line, key and fix."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from PIL import Image

from controller.cli import main
from controller.cli.venue_folder import read_venue
from controller.configuration.declaration import describe
from controller.configuration.problems import ConfigurationErrors
from scoreboard.venue import VenueKeys, dressing
from scoreboard.venue.keys import SponsorKeys

WHOLE = """\
charity = "Friends of the Library"
message = "Raffle at 21:30"
logo = "logo.png"

[colors]
accent = "#f2b23a"

[[sponsor]]
image = "bank.webp"
name = "Valley Bank"
seconds = 5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a whole venue."""
    Image.new("RGB", (400, 100), "red").save(tmp_path / "logo.png")
    Image.new("RGB", (100, 100), "blue").save(tmp_path / "bank.webp")
    (tmp_path / "venue.toml").write_text(WHOLE, encoding="utf-8")
    return tmp_path


def problems(folder: Path, text: str | None = None) -> list[str]:
    """What is wrong with a folder, after the name of its file."""
    if text is not None:
        (folder / "venue.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationErrors) as refused:
        read_venue(folder)
    return [line.removeprefix(f"{folder / 'venue.toml'}:") for line in str(refused.value).splitlines()]


def test_a_venue_is_the_files_of_its_page(folder: Path) -> None:
    venue = read_venue(folder)
    page = msgspec.json.decode(venue.files["venue.json"])
    assert (page["charity"], page["message"]) == ("Friends of the Library", "Raffle at 21:30")
    assert page["colors"] == {"--brass": "#f2b23a"}
    assert (page["logo"]["width"], page["logo"]["height"]) == (400, 100)
    (sponsor,) = page["sponsors"]
    assert (sponsor["name"], sponsor["seconds"]) == ("Valley Bank", 5)
    assert sorted(venue.files) == sorted(["venue.json", page["logo"]["src"], sponsor["src"]])
    assert venue.files[sponsor["src"]][8:12] == b"WEBP"


def test_an_empty_file_shows_nothing(folder: Path) -> None:
    (folder / "venue.toml").write_text("", encoding="utf-8")
    assert read_venue(folder).files == {"venue.json": b"{}"}


@pytest.mark.parametrize(
    ("wrong", "instead", "problem"),
    [
        ("charity =", "chairty =", '1: chairty: unknown key; did you mean "charity"?'),
        ('"Raffle at 21:30"', "2130", "2: message: 2130 is not text (at most 90 characters); write it in quotes"),
        ('"Raffle at 21:30"', f'"{"x" * 91}"', '..." has 91 characters; write at most 90 characters'),
        ('"Raffle', '"\\u202eRaffle', "has characters that cannot be printed; write one line without them"),
        ('"Raffle', '"\\u0007Raffle', "has characters that cannot be printed; write one line without them"),
        (
            '"Raffle',
            '"R\\u0300\\u0301\\u0302affle',
            "2: message: has more than two marks on one letter; leave them out",
        ),
        ('"Raffle at 21:30"', '"  "', "2: message: is only spaces; write words, or leave the key out"),
        (
            '"logo.png"',
            '"../logo.png"',
            '3: logo: "../logo.png" has the wrong form; a file of the folder: PNG, JPEG or',
        ),
        ('"logo.png"', '"logo.svg"', '3: logo: "logo.svg" has the wrong form; a file of the folder: PNG, JPEG or WebP'),
        (
            '"logo.png"',
            '"lego.png"',
            "lego.png: it cannot be read: No such file or directory; give the name of an image",
        ),
        ('"#f2b23a"', '"red"', '6: colors.accent: "red" has the wrong form; a color with six digits: "#e6c377"'),
        ('"#f2b23a"', '"#2b5d8a"', "6: colors.accent: #2b5d8a: text of #2b5d8a on #244d3e has a contrast of 1.37, and"),
        ("accent", "status", "6: colors.status: unknown key; the keys here are accent, background, strip, strip_text"),
        ("seconds = 5", "seconds = 0.2", "11: sponsor[0].seconds: 0.2 is out of range; write a number from 3 to 120"),
        (
            "seconds = 5",
            'seconds = "5"',
            '11: sponsor[0].seconds: "5" is not a number from 3 to 120; write 5 without quotes',
        ),
        ('name = "Valley Bank"', "", "8: sponsor[0].name: is missing; add name ="),
        ("[[sponsor]]", "[sponsor]", "8: sponsor: a table is not a list of tables (at most 12 of them)"),
        ("[colors]", "[colors", "5: (syntax): not TOML"),
    ],
)
def test_a_mistake_is_named_with_its_line_its_key_and_its_fix(
    folder: Path, wrong: str, instead: str, problem: str
) -> None:
    assert wrong in WHOLE
    (found,) = problems(folder, WHOLE.replace(wrong, instead, 1))
    assert problem in found


def test_every_mistake_is_named_at_once_in_the_order_of_the_lines(folder: Path) -> None:
    (folder / "bank.webp").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    found = problems(folder, WHOLE.replace("#f2b23a", "#332211").replace("logo.png", "none.png"))
    assert [line.split(":")[:2] for line in found] == [
        ["3", " logo"],
        ["6", " colors.accent"],
        ["9", " sponsor[0].image"],
    ]
    assert found[2].endswith("bank.webp: it is not PNG, JPEG or WebP; export it as PNG (SVG and HTML are never taken)")


def test_a_folder_without_its_file_or_without_itself_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / "venue.toml").unlink()
    assert problems(folder) == ["1: (file): there is no such file; give the folder that it is in to --venue"]
    assert "none is not a folder" in problems(tmp_path / "none")[0]


def test_a_pipe_in_place_of_an_image_is_not_waited_for(folder: Path) -> None:
    (folder / "logo.png").unlink()
    os.mkfifo(folder / "logo.png")
    (found,) = problems(folder)
    assert "it is not a file; give the name of an image in the folder" in found


def test_without_pillow_words_and_colors_are_shown_and_an_image_is_refused_with_how_to_install_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dressing, "can_decode", lambda: False)
    (found,) = problems(folder)
    assert found.startswith("3: logo: images are decoded by Pillow, which is not installed; install it with: ")
    assert found.endswith("requirements/venue.lock")
    (folder / "venue.toml").write_text('charity = "Library"\n', encoding="utf-8")
    assert b"Library" in read_venue(folder).files["venue.json"]


def test_the_command_refuses_a_venue_and_an_origin_before_it_serves_anything(folder: Path) -> None:
    (folder / "venue.toml").write_text('charity = 5\nlogo = "logo.gif"\n', encoding="utf-8")
    done = CliRunner().invoke(main, ["scoreboard", "ipc:///nowhere", "--venue", str(folder)])
    assert done.exit_code == 2
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == ["charity", "logo"]
    done = CliRunner().invoke(main, ["scoreboard", "ipc:///nowhere", "--embed", "example.org/page"])
    assert done.exit_code == 2
    words = "'example.org/page' is not an origin; write scheme, name and nothing more, each site by itself: "
    assert f"{words}https://example.org" in " ".join(done.stderr.split())


def test_every_key_has_a_description() -> None:
    assert all(row.description for struct in (VenueKeys, SponsorKeys) for row in describe(struct))
