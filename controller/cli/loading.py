"""Loads a table's file for a command, or says what is wrong with it and leaves."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from controller.cli import BAD_CONFIGURATION
from controller.cli.problems_view import show_problems
from controller.configuration.load import check
from controller.configuration.values import TableConfig


def load_all(paths: Sequence[Path]) -> list[TableConfig]:
    """The tables of several files; warnings are shown. Exits with 2 when one has a mistake."""
    report = check(paths)
    show_problems(report.problems)
    if report.errors:
        sys.exit(BAD_CONFIGURATION)
    return list(report.tables)


def load_one(path: Path) -> TableConfig:
    """The table of one file."""
    return load_all([path])[0]
