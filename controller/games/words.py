"""The words of boards, screens and the bench in one file for a translator, and back into the files that have them.

    scoreboard/page/languages/es.json                ─┐                 ┌─► checked, and into each of them again
    controller/games/*/words.json                     ├─► words-es.json ┤
    screen/languages/es.json                          │   (translated)  └─► what is wrong: file, key, fix
    controller/bench_page/static/languages/es.json   ─┘

    python -m controller.games.words export es words-es.json
    python -m controller.games.words take words-es.json
    python -m controller.games.words renew

The page of the scoreboard knows no game: it has a copy of the words of our games and a list of the languages, which
`take` and `renew` write.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from controller.games.base.texts import ENGLISH, LACKING, WORDS, WrongWord, differences, texts_of

PAGE: Final = Path(str(files("scoreboard"))) / "page"
SCREEN: Final = Path(str(files("screen")))
ROOMS: Final = Path(str(files("controller.games")))
BENCH: Final = Path(str(files("controller"))) / "bench_page" / "static"

Words = dict[str, str]

Tag = Annotated[str, msgspec.Meta(pattern=r"\A[a-z]{2,3}\Z")]
"""The tag of a language, which names its files."""


class Word(msgspec.Struct, forbid_unknown_fields=True):
    """One word of a translator's file."""

    english: str
    text: str


class Translation(msgspec.Struct, forbid_unknown_fields=True):
    """A translator's file."""

    language: Tag
    words: dict[str, Word]


class LanguageFolder(NamedTuple):
    """A folder with a file for each language."""

    folder: Path
    prefix: str = ""

    def words(self, language: str) -> Words:
        """The words of that file."""
        file = self._file(language)
        return msgspec.json.decode(file.read_bytes(), type=dict[str, str]) if file.exists() else {}

    def write(self, language: str, words: Words) -> None:
        """Writes that file."""
        self._file(language).write_text(_json(words), encoding="utf-8")

    def languages(self) -> list[str]:
        """The tags of its files."""
        return sorted(file.stem for file in self.folder.glob("*.json"))

    def _file(self, language: str) -> Path:
        return self.folder / f"{language}.json"


class RoomFile(NamedTuple):
    """The file of a room, with every language."""

    file: Path
    prefix: str = ""

    def words(self, language: str) -> Words:
        """The words of that language."""
        return self._texts().get(language, {})

    def write(self, language: str, words: Words) -> None:
        """Puts them into the file."""
        self.file.write_text(_json({**self._texts(), language: words}), encoding="utf-8")

    def _texts(self) -> dict[str, Words]:
        return msgspec.json.decode(self.file.read_bytes(), type=dict[str, dict[str, str]])


PAGES: Final = LanguageFolder(PAGE / "languages")
SCREENS: Final = LanguageFolder(SCREEN / "languages", "screen.")
BENCHES: Final = LanguageFolder(BENCH / "languages", "bench.")


def rooms() -> list[RoomFile]:
    """The files of our games."""
    return [RoomFile(file) for file in sorted(ROOMS.glob(f"*/{WORDS}"))]


def sources() -> list[LanguageFolder | RoomFile]:
    """Everything that has words, in the order of a translator's file."""
    return [PAGES, *rooms(), SCREENS, BENCHES]


def language_tag(text: str) -> str:
    """The tag of a language that somebody typed.

    Raises:
        argparse.ArgumentTypeError: it is none that `take` would accept.
    """
    try:
        tag: str = msgspec.convert(text, Tag)
    except msgspec.ValidationError as error:
        what = f"{text!r} is not the tag of a language: give two or three small letters, such as es"
        raise argparse.ArgumentTypeError(what) from error
    return tag


def export(language: str) -> Translation:
    """The file of a language; a word that it lacks has no text yet."""
    found = {}
    for source in sources():
        own = source.words(language)
        for key, english in source.words(ENGLISH).items():
            found[source.prefix + key] = Word(english, own.get(key, ""))
    return Translation(language, found)


def wrong(given: Translation) -> Iterator[WrongWord]:
    """What is wrong with a translator's file."""
    english = {key: word.english for key, word in export(ENGLISH).words.items()}
    yield from differences(english, {key: word.text for key, word in given.words.items()})
    for key, word in given.words.items():
        if word.english != english.get(key, word.english):
            fix = f"translate {english[key]!r}, and write that as english"
            yield WrongWord(key, f"translates {word.english!r}, which is not the English of today", fix)


def take(given: Translation) -> None:
    """Puts the words into the files that have them; one without text is left out, and is shown in English."""
    for source in sources():
        keys = source.words(ENGLISH)
        texts = {key: given.words[source.prefix + key].text for key in keys if source.prefix + key in given.words}
        source.write(given.language, {key: text for key, text in texts.items() if text.strip() or not keys[key]})
    renew()


def copies() -> dict[Path, str]:
    """What the page has of our games: their words in each language, and which languages there are, by file."""
    languages = PAGES.languages()
    texts = texts_of(*(room.file.parent for room in rooms()))
    found = {PAGES.folder / "games" / f"{language}.json": _json(texts.get(language, {})) for language in languages}
    tags = json.dumps(languages)
    found[PAGE / "languages.js"] = f"// Written by controller/games/words.py.\nexport const LANGUAGES = {tags};\n"
    return found


def renew() -> None:
    """Writes what the page has of our games."""
    for file, text in copies().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Exports, takes or renews; returns the exit code: 1 where a translator's file has mistakes."""
    parser = argparse.ArgumentParser(
        prog="python -m controller.games.words", description="The words of every language."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    exports = commands.add_parser("export", help="write the file of a translator")
    exports.add_argument("language", type=language_tag, help="its tag, two or three small letters: es")
    takes = commands.add_parser("take", help="check such a file, and put its words where they belong")
    takes.add_argument("--gaps", action="store_true", help="take it with words missing: boards show them in English")
    for one in (exports, takes):
        one.add_argument("file", type=Path)
    commands.add_parser("renew", help="write what the page has of our games")
    given = parser.parse_args(arguments)
    if given.command == "renew":
        renew()
        return 0
    if given.command == "export":
        words = export(given.language)
        given.file.write_text(_json(msgspec.to_builtins(words)), encoding="utf-8")
        print(f"{given.file}: {_counted(words)}")
        return 0
    return _take(given.file, gaps=given.gaps)


def _counted(words: Translation) -> str:
    lacks = sum(1 for word in words.words.values() if word.english.strip() and not word.text.strip())
    return f"{len(words.words) - lacks} words in {words.language}, {lacks} missing"


def _take(file: Path, *, gaps: bool) -> int:
    try:
        translation = msgspec.json.decode(file.read_bytes(), type=Translation)
    except (OSError, msgspec.DecodeError) as error:
        print(f"{file}: {error}; export the language again, and change texts alone", file=sys.stderr)
        return 1
    found = [one for one in wrong(translation) if not (gaps and one.what in LACKING)]
    for one in found:
        print(f"{file}: {one.key}: {one.what}; {one.fix}", file=sys.stderr)
    if found:
        if {one.what for one in found} <= {*LACKING}:
            print(f"{file}: to see it on the page with words missing, take it with --gaps", file=sys.stderr)
        return 1
    take(translation)
    print(f"{file}: {_counted(translation)}; look at them on the page with ?lang={translation.language}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
