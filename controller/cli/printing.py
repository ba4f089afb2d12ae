"""Prints events: JSON lines for programs, or lines for people."""

from __future__ import annotations

from collections.abc import Iterable

import click

from controller.events_view import painted
from feed.events import Event, encode


def print_events(said: Iterable[Event], *, as_json: bool) -> None:
    """One event a line; colour only on a terminal."""
    for event in said:
        if as_json:
            click.echo(encode(event))
        else:
            click.echo(painted(event))
