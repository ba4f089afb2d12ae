"""`feltwire watch`: the feed of a running service."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click


@click.command("watch")
@click.argument("endpoint", required=False)
@click.option("--table", "tables", metavar="ID", multiple=True, help="Only this table; may be given several times.")
@click.option("--json", "as_json", is_flag=True, help="One event a line, exactly the JSON body of the feed.")
@click.option("--since", type=click.IntRange(min=0), metavar="SEQ", help="Begin after this event; 0 for all there is.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Your .secret key file, for tcp://.")
@click.option(
    "--server", "--server-key", metavar="KEY", help="The service's public key, or its .public file, for tcp://."
)
def command(
    endpoint: str | None,
    tables: tuple[str, ...],
    as_json: bool,
    since: int | None,
    key: Path | None,
    server: str | None,
) -> None:
    """Watch what tables say, as it happens.

    It may be started before the service, and goes on when the service is started again. What did not come it notices
    and asks for; where something cannot be relied on it says so. Simulated tables are shown too, marked "sim".

    \b
    Examples:
        feltwire watch                                    the services on this computer
        feltwire watch --table roulette-1 --since 0       all that one table ever said, and what follows
        feltwire watch tcp://10.0.0.5:5600 --key ann.secret --server pit-3.public
        feltwire watch --json | jq .data.result           what is not an event goes to stderr

    Exit codes: 0, also after Ctrl-C; 2 for an address or a key that cannot be used.
    """
    from controller.cli.client_keys import client_curve
    from controller.cli.watch_view import JsonView, PeopleView
    from feed.endpoints import EndpointError, Endpoints, default_base
    from feed.subscriber import Subscriber

    base = endpoint or default_base()
    try:
        curve = client_curve(Endpoints.parse(base), key, server)
    except EndpointError as error:
        raise click.UsageError(str(error)) from error
    view = JsonView() if as_json else PeopleView(tell_joined=since is None)
    view.begin(base, tables)
    with (
        contextlib.suppress(KeyboardInterrupt),
        Subscriber(base, tables=tables or None, since=since, simulated=None, curve=curve) as subscriber,
    ):
        for item in subscriber:
            view.show(item)
    view.end()
