"""Reads a venue's folder: its file as strictly as a table's, and its images."""

from __future__ import annotations

from pathlib import Path

from controller.configuration.document import Document, parse_document, read_document
from controller.configuration.problems import ConfigurationErrors, Problem, dotted
from controller.configuration.validation import validate
from hal.install_words import ROOT, how_to_install, how_to_pip
from scoreboard.venue import VENUE_FILE, Venue, VenueKeys, VenueMistake, dress


def read_venue(folder: Path) -> Venue:
    """What a venue's folder has for the boards.

    Raises:
        ConfigurationErrors: every mistake, with file, line, key and fix.
    """
    document = _document(folder)
    keys, findings = validate(document.values, VenueKeys, ()) if document.readable else (None, [])
    mistakes = [VenueMistake(one.path, one.wrong, one.fix) for one in findings]
    venue = None
    if keys is not None:
        venue, of_content = dress(folder, keys, _how_to_install())
        mistakes += of_content
    problems = [*document.problems, *(_at(document, one) for one in mistakes)]
    if venue is None or problems:
        raise ConfigurationErrors(sorted(problems, key=lambda one: one.line))
    return venue


def _how_to_install() -> str:
    """The Debian package has a command for libraries that it does not bring: no checkout is needed."""
    return how_to_install("venue") if (ROOT / "requirements").is_dir() else how_to_pip("pillow")


def _document(folder: Path) -> Document:
    path = folder / VENUE_FILE
    if not path.is_file():
        # Its name is not in what a table's file is told.
        wrong = "there is no such file" if folder.is_dir() else f"{folder} is not a folder"
        document = parse_document(str(path), "")
        document.problems.append(Problem(str(path), 1, "(file)", wrong, "give the folder that it is in to --venue"))
        return document
    return read_document(path)


def _at(document: Document, mistake: VenueMistake) -> Problem:
    line = document.positions.line(mistake.path)
    return Problem(document.file, line, dotted(mistake.path), mistake.wrong, mistake.fix)
