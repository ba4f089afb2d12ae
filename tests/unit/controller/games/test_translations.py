"""The words of boards, screens and the bench: where they are, in every language, and a translator's one file."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.games import words
from controller.games.base.texts import ENGLISH, differences, places
from controller.games.catalogue import GAMES
from controller.games.words import LanguageFolder

ROOT = Path(__file__).resolve().parents[4]
LANGUAGES = words.PAGES.languages()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_has_the_words_of_english_in_every_language(language: str) -> None:
    for source in words.sources():
        assert list(differences(source.words(ENGLISH), source.words(language))) == [], source
        assert list(source.words(language)) == list(source.words(ENGLISH))


def test_every_word_is_in_one_file() -> None:
    keys = [source.prefix + key for source in words.sources() for key in source.words(ENGLISH)]
    assert len(keys) == len(set(keys))


def test_a_games_words_are_those_of_its_room_and_every_room_has_the_names_of_its_games() -> None:
    of_rooms = {room.file.parent.name: {tag: room.words(tag) for tag in LANGUAGES} for room in words.rooms()}
    named = set()
    for game in GAMES:
        room = of_rooms[game.build.__module__.split(".")[2]]
        assert all(game.texts[tag].items() >= room[tag].items() for tag in LANGUAGES), game.name
        named |= {key for key in room[ENGLISH] if key.startswith("game.")}
    assert named == {f"game.{game.name}" for game in GAMES}
    given = {tag: {key for game in GAMES for key in game.texts[tag]} for tag in LANGUAGES}
    assert given == {tag: {key for room in of_rooms.values() for key in room[tag]} for tag in LANGUAGES}


def test_what_the_page_has_of_our_games_is_what_their_rooms_have() -> None:
    made = words.copies()
    for file, text in made.items():
        assert file.read_text(encoding="utf-8") == text, f"run .venv/bin/python -m controller.games.words renew: {file}"
    assert set((words.PAGES.folder / "games").iterdir()) == made.keys() - {words.PAGE / "languages.js"}


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every file that has words, in a folder of its own, which is the current one."""
    folders = {"PAGE": words.PAGE, "SCREEN": words.SCREEN, "ROOMS": words.ROOMS, "BENCH": words.BENCH}
    for name, folder in folders.items():
        for file in (*folder.rglob("*.json"), *folder.glob("languages.js")):
            copy = tmp_path / name / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
        monkeypatch.setattr(words, name, tmp_path / name)
    monkeypatch.setattr(words, "PAGES", LanguageFolder(tmp_path / "PAGE" / "languages"))
    monkeypatch.setattr(words, "SCREENS", LanguageFolder(tmp_path / "SCREEN" / "languages", "screen."))
    monkeypatch.setattr(words, "BENCHES", LanguageFolder(tmp_path / "BENCH" / "languages", "bench."))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[Path, str]:
    return {file: file.read_text(encoding="utf-8") for file in folder.rglob("*.js*") if file.parent != folder}


def steps_of_the_page() -> list[list[str]]:
    """The arguments of each command under "Another language", for a language that nobody will add."""
    section = (ROOT / "docs/scoreboard.md").read_text(encoding="utf-8").split("## Another language")[1].split("## ")[0]
    (block,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    command = ".venv/bin/python -m controller.games.words "
    lines = [line.removeprefix(command) for line in block.splitlines() if line.startswith(command)]
    return [shlex.split(re.sub(r"\bde\b", "xx", line)) for line in lines]


def translated(file: Path, change: Callable[[dict[str, Any]], object] = lambda given: None) -> None:
    """Fills every text of a translator's file, and changes something else in it."""
    given = json.loads(file.read_text(encoding="utf-8"))
    for word in given["words"].values():
        word["text"] = word["text"] or word["english"].swapcase().replace("{N}", "{n}")
        for place in places(word["english"]):
            word["text"] = word["text"].replace(f"{{{place.swapcase()}}}", f"{{{place}}}")
    change(given)
    file.write_text(json.dumps(given), encoding="utf-8")


def test_the_page_about_another_language_gives_boards_and_screens_in_it(copied: Path) -> None:
    export, take = steps_of_the_page()
    language, file = export[1:]
    assert language not in LANGUAGES
    assert words.main(export) == 0
    translated(Path(file))
    assert words.main(take) == 0
    assert words.PAGES.words(language)["status.closed"] == "table closed"
    for source in words.sources():
        assert source.words(language).keys() == source.words(ENGLISH).keys()
    page = copied / "PAGE"
    assert (page / "languages.js").read_text().endswith(f"= {json.dumps(sorted([*LANGUAGES, language]))};\n")
    assert json.loads((page / f"languages/games/{language}.json").read_text())["game.roulette"] == "roulette"


def test_a_language_that_is_exported_and_taken_back_is_as_it_was(copied: Path) -> None:
    before = contents(copied)
    assert words.main(["export", "es", "es.json"]) == 0
    assert words.main(["take", "es.json"]) == 0
    assert contents(copied) == before


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda given: given["words"].pop("small"), "small: is missing; add it; in English it is 'SMALL'"),
        (lambda given: given["words"].update(c={"english": "", "text": "neu"}), "c: is not in English; remove it"),
        (lambda given: given["words"]["laps.needed"].update(text="no"), "laps.needed: has other places than English"),
        (
            lambda given: given["words"]["laps.needed"].update(text="{m}"),
            "write the places of '{n} NEEDED' as they are: {n}",
        ),
        (lambda given: given["words"]["zero"].update(text=" "), "zero: has no words; write them; in English they are"),
        (
            lambda given: given["words"]["zero"].update(english="NIL"),
            "zero: translates 'NIL', which is not the English",
        ),
        (lambda given: given.update(language="../x"), "`$.language`; export the language again"),
        (lambda given: given["words"]["zero"].pop("text"), "missing required field `text` - at `$.words[...]`"),
    ],
)
def test_what_a_translator_did_wrong_is_named_and_nothing_is_written(
    copied: Path, capsys: pytest.CaptureFixture[str], change: Callable[[dict[str, Any]], object], named: str
) -> None:
    words.main(["export", "fr", "fr.json"])
    translated(Path("fr.json"), change)
    before = contents(copied)
    assert words.main(["take", "fr.json"]) == 1
    line, *hint = capsys.readouterr().err.splitlines()
    assert line.startswith("fr.json: ") and named in line
    lacks = "is missing" in line or "has no words" in line
    assert hint == lacks * ["fr.json: to see it on the page with words missing, take it with --gaps"]
    assert contents(copied) == before


def test_a_file_that_is_not_there_or_no_json_is_named(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert words.main(["take", "none.json"]) == 1
    Path("broken.json").write_text("{")
    assert words.main(["take", "broken.json"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert "No such file" in lines[0] and lines[1].startswith("broken.json: ")


@pytest.mark.parametrize("tag", ["pt-BR", "DE", "../../x", "es\n", "d", ""])
def test_a_tag_that_take_would_refuse_is_not_exported(
    copied: Path, capsys: pytest.CaptureFixture[str], tag: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        words.main(["export", tag, "words.json"])
    assert ended.value.code == 2
    assert f"{tag!r} is not the tag of a language: give two or three small letters, such as es" in (
        capsys.readouterr().err
    )
    assert not Path("words.json").exists()


@pytest.mark.parametrize("text", ["", " "])
def test_with_gaps_a_word_that_is_missing_is_left_to_english(copied: Path, text: str) -> None:
    words.main(["export", "fr", "fr.json"])
    translated(Path("fr.json"), lambda given: given["words"]["zero"].update(text=text))
    assert words.main(["take", "fr.json"]) == 1
    assert words.main(["take", "--gaps", "fr.json"]) == 0
    of_games = json.loads((copied / "PAGE/languages/games/fr.json").read_text())
    assert "zero" not in of_games and of_games["even"] == "even"
