"""`feltwire watch`: the feed of a running service."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from command_line.exit_codes import FATAL
from command_line.local_services import NoServiceError, wait_for_base
from command_line.options import client_curve
from controller.service.event_lines import color_of, colored_line_of, folded, line_of, snapshot_lines
from feed.endpoints import EndpointError, Endpoints
from feed.events import RoundProgress
from feed.subscriber import (
    CaughtUp,
    Fact,
    Filled,
    Fresh,
    Gap,
    Halted,
    Item,
    Joined,
    Missing,
    Notice,
    NotShown,
    Refused,
    Restarted,
    Rewritten,
    Stale,
    Subscriber,
    Trouble,
    Waiting,
)
from fleet.cli.nats_options import (
    NatsLogin,
    nats_options,
    refuse_nats_options,
    refuse_service_options,
    stream_endpoint,
)
from fleet.schemes import is_nats_address

if TYPE_CHECKING:
    from fleet.stream_endpoint import StreamEndpoint

_COLORS: Final[dict[type[Notice], str]] = {
    CaughtUp: "bright_black",
    Gap: "yellow",
    Filled: "yellow",
    Missing: "red",
    Restarted: "cyan",
    Rewritten: "red",
    Stale: "red",
    Halted: "red",
    Fresh: "green",
    Trouble: "yellow",
    NotShown: "yellow",
    Refused: "red",
    Waiting: "yellow",
}
_CLEAR_LINE: Final = "\r\x1b[2K"


class JsonView:
    """The bodies of events on stdout, one a line, byte for byte; notices on stderr."""

    def begin(self, endpoint: str, tables: Sequence[str]) -> None:
        """Prints what is watched."""
        click.echo(_greeting(endpoint, tables), err=True)

    def show(self, item: Item) -> None:
        """Prints an event or a notice."""
        if isinstance(item, Fact):
            click.echo(item.body)
        else:
            click.echo(_styled(item), err=True)

    def end(self) -> None:
        """Ends the output."""


class PeopleView:
    """One line an event. On a terminal, live measures of a spin share one line, which the next event clears."""

    def __init__(self, *, show_caught_up: bool) -> None:
        """`show_caught_up` prints a line when the end of the history is reached."""
        self._in_place = sys.stdout.isatty()
        self._progress_shown = False
        self._hidden = () if show_caught_up else (CaughtUp,)

    def begin(self, endpoint: str, tables: Sequence[str]) -> None:
        """Prints what is watched."""
        click.echo(click.style(_greeting(endpoint, tables), fg="bright_black"))

    def show(self, item: Item) -> None:
        """Prints an event or a notice."""
        match item:
            case Fact(event=event) if self._in_place and isinstance(event.data, RoundProgress):
                line = (_venue(item) + line_of(event))[: self._columns - 1]
                click.echo(_CLEAR_LINE + click.style(line, fg=color_of(event)), nl=False)
                self._progress_shown = True
            case Fact(event=event):
                venue = _venue(item)
                width = max(1, self._columns - len(venue)) if self._in_place else None
                self._line(venue + colored_line_of(event, width=width))
            case Joined(snapshot=snapshot):
                self._line(_styled(item))
                for line in snapshot_lines(snapshot):
                    self._line(folded(f"   {line}", self._columns) if self._in_place else f"   {line}")
            case notice if not isinstance(notice, self._hidden):
                self._line(_styled(notice))

    def end(self) -> None:
        """Ends the output."""
        self._line("")

    @property
    def _columns(self) -> int:
        """The width of the terminal, which may change."""
        return shutil.get_terminal_size().columns

    def _line(self, text: str) -> None:
        cleared = _CLEAR_LINE if self._progress_shown else ""
        self._progress_shown = False
        click.echo(cleared + text)


def _venue(fact: Fact) -> str:
    """The venue before a line, where several are watched."""
    return f"{fact.venue}  " if fact.venue else ""


def _greeting(endpoint: str, tables: Sequence[str]) -> str:
    return f"watching {', '.join(tables) or 'all tables'} at {endpoint}; Ctrl-C ends it"


def _styled(notice: Notice) -> str:
    loud = isinstance(notice, Rewritten | Stale | Halted)
    return click.style(f"-- {notice}", fg=_COLORS.get(type(notice)), bold=loud)


def _local_base() -> str:
    """The address of the service on this computer; ends the command where there is none to take."""
    try:
        return wait_for_base(waiting=lambda why: click.echo(f"{why}; waiting for one", err=True))
    except NoServiceError as error:
        click.echo(str(error), err=True)
        sys.exit(FATAL)


@click.command("watch")
@click.argument("endpoint", required=False)
@click.option("--table", "tables", metavar="ID", multiple=True, help="Only this table; may be given several times.")
@click.option("--json", "as_json", is_flag=True, help="One event a line, exactly the JSON body of the feed.")
@click.option("--since", type=click.IntRange(min=0), metavar="SEQ", help="Begin after this event; 0 for all events.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Your .secret key file, for tcp://.")
@click.option(
    "--server", "--server-key", metavar="KEY", help="The service's public key, or its .public file, for tcp://."
)
@nats_options
def command(
    endpoint: str | None,
    tables: tuple[str, ...],
    as_json: bool,
    since: int | None,
    key: Path | None,
    server: str | None,
    login: NatsLogin,
) -> None:
    """Watch the events of tables as they are published.

    Without an address it takes the service that runs on this computer, or the one that $FELTWIRE_RUNTIME names, prints
    which, and gives up after 10 s where there is none. With one it may be started before the service. It continues when
    the service is restarted. Missed events are detected and requested; gaps that cannot be filled are reported.
    Simulated tables are shown too, marked "sim".

    An address of NATS JetStream shows the tables of a venue as its relay publishes them; with * in place of the venue
    those of all.

    \b
    Examples:
        feltwire watch                                    the service on this computer
        feltwire watch --table roulette-1 --since 0       all events of one table, and what follows
        feltwire watch tcp://10.0.0.5:5600 --key ann.secret --server pit-3.public
        feltwire watch tls://hub.example/atlantic-hall --nats-user reader --password-file reader.password
        feltwire watch --json | jq .data.result           what is not an event goes to stderr

    Exit codes: 0, also after Ctrl-C; 1 if no service is found; 2 for an address or a key that cannot be used.
    """
    view = JsonView() if as_json else PeopleView(show_caught_up=since is not None)
    if endpoint is not None and is_nats_address(endpoint):
        refuse_service_options(key, server)
        streams = stream_endpoint(endpoint, tables, login)
        view.begin(str(streams), tables)
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_watch_streams(view, streams, tables, since))
        view.end()
        return
    refuse_nats_options(login)
    try:
        base = endpoint or _local_base()
        curve = client_curve(Endpoints.parse(base), key, server)
    except KeyboardInterrupt:
        # It still waited for a service.
        view.end()
        return
    except EndpointError as error:
        raise click.UsageError(str(error)) from error
    view.begin(base, tables)
    with (
        contextlib.suppress(KeyboardInterrupt),
        Subscriber(base, tables=tables or None, since=since, simulated=None, curve=curve) as subscriber,
    ):
        for item in subscriber:
            view.show(item)
    view.end()


async def _watch_streams(
    view: JsonView | PeopleView, endpoint: StreamEndpoint, tables: Sequence[str], since: int | None
) -> None:
    from fleet.stream_subscriber import JetStreamSubscriber

    async with JetStreamSubscriber(endpoint, tables=tables or None, since=since, simulated=None) as subscriber:
        async for item in subscriber:
            view.show(item)
