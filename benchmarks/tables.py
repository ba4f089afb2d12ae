"""The tables that are measured, and what they have published."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from controller.configuration.problems import ConfigurationErrors
from controller.configuration.values import TableConfig
from controller.games.base.spec import spec_of
from controller.games.load import check_text
from feed import events
from feed.events import Event


def simulated_table(game: str) -> TableConfig:
    """The shortest configuration of a game without buttons: the rest by default, on simulated devices."""
    text = f"""
        [table]
        id = "bench-1"
        game = "{game}"
        no_more_bets = "auto"
        [lines]
        backend = "sim"
    """
    report = check_text(text)
    if report.errors:
        raise ConfigurationErrors(report.errors)
    return report.tables[0]


def without_watch(config: TableConfig) -> TableConfig:
    """The same table without the watch over its devices: what the watch costs is measured against this."""
    return config._replace(entry=replace(spec_of(config), watch=None))


def outcomes(said: Iterable[Event]) -> int:
    """How many rounds ended with an outcome."""
    return sum(isinstance(event.data, events.Outcome) for event in said)
