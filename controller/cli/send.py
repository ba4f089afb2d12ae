"""`feltwire send`: sends a command to a running service."""

from __future__ import annotations

import getpass
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import click

from command_line.exit_codes import FATAL, REFUSED
from command_line.options import client_curve
from hal.plain_text import is_plain, plain

if TYPE_CHECKING:
    from controller.service.requests import Request, StatusAnswer
    from feed.endpoints import Endpoints
    from feed.keys import ClientCurve

MAX_TIMEOUT_S = 3600
_BESIDE = ("table", "id", "by")
"""Keys that a request holds beside `given`, not in it."""


@click.command("send", context_settings={"ignore_unknown_options": False})
@click.argument("words", metavar="[ENDPOINT] COMMAND [KEY=VALUE]...", nargs=-1, required=True)
@click.option("--table", default="", metavar="ID", help="The table; may be left out if there is only one.")
@click.option("--id", "request_id", default="", metavar="ID", help="With the same id again, nothing is done twice.")
@click.option("--by", default="", metavar="NAME", help="Who gives the command; without it, the user.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Your .secret key file, for tcp://.")
@click.option("--server", metavar="KEY", help="The service's public key, or its .public file, for tcp://.")
@click.option("--timeout", default=5.0, show_default=True, metavar="S", help="Seconds to wait for the answer.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def command(
    words: tuple[str, ...],
    table: str,
    request_id: str,
    by: str,
    key: Path | None,
    server: str | None,
    timeout: float,
    as_json: bool,
) -> None:
    """Send a command to a running service, and print the result.

    Without an address it takes the service that runs on this computer, or the one that $FELTWIRE_RUNTIME names, and
    prints which where that is not the default one.

    \b
    no_more_bets                        the call
    settle                              the bets of the round are settled
    void reason=dealer_call why=...     the round has no result
    confirm pocket=17                   the result of an unresolved round; for dice dice=4-4-1
    correct round=12 pocket=17 why=...  a supervisor corrects a result; the first verdict is kept
    dispute round=12 why=...            keeps the capture of a round's lines; its verdict stands
    open, close reason=...              opens or closes the table
    inspect_start, inspect_pass         before an opening, where the rules ask for it
    inspect_dice dice=1-2-3, lamp_test  sic bo: light lamps, and read them back
    operate_shaker, dice_placed         sic bo: the automated shaker tosses; new dice are in the shaker
    pass_dice, change_dice              craps: the next shooter; other dice. docs/commands.md has the others
    clear device=wheel                  clears a fault, once its cause is gone
    status                              the state of the service
    quit                                stops the service

    \b
    Examples:
        feltwire send void reason=dealer_call why=spill on the layout --table roulette-1
        feltwire send confirm dice=4-3 --table craps-1
        feltwire send void reason=die_on_bank as=boxperson --table craps-1
        feltwire send ipc:///run/feltwire status
        feltwire send tcp://10.0.0.5:5600 clear device=wheel --key ann.secret --server pit-3.public

    Exit codes: 0 if it was carried out; 4 if it was refused, with the reason; 1 without an answer in time;
    2 for a wrong option.
    """
    from command_line.local_services import listens
    from controller.service.requests import RequestError, decode_request
    from feed.endpoints import EndpointError, Endpoints

    if not 0 < timeout <= MAX_TIMEOUT_S:
        raise click.UsageError(f"--timeout {timeout:g}: give seconds above 0 and up to {MAX_TIMEOUT_S}")
    base, verb, given = _read(words)
    beside = {"table": table, "id": request_id, "by": by}
    for name in _BESIDE:
        named, option = given.pop(name, ""), beside[name]
        if named and option and named != option:
            raise click.UsageError(f"{name}={named} and --{name} {option} differ; give one of them")
        beside[name] = named or option
    try:
        endpoints = Endpoints.parse(_local_base() if base is None else base)
    except EndpointError as error:
        raise click.UsageError(str(error)) from error
    body = {
        "id": beside["id"] or token_hex(8),
        "command": verb,
        "table": beside["table"],
        "given": given,
        "by": beside["by"] or user_name(),
    }
    try:
        request = decode_request(_json(body))
    except RequestError as error:
        raise click.UsageError(str(error)) from error
    if endpoints.is_local and not listens(endpoints.commands):
        nobody = "nothing listens there; is the service running? start it with feltwire run"
        click.echo(f"{endpoints.commands}: nothing was sent: {nobody}", err=True)
        sys.exit(FATAL)
    answer = ask_service(endpoints, client_curve(endpoints, key, server), request, timeout)
    if answer is None:
        _no_answer(endpoints, request, timeout)
        sys.exit(FATAL)
    if as_json:
        click.echo(_json(answer))
    else:
        _show(answer)
    sys.exit(0 if answer.accepted else REFUSED)


def _read(words: Sequence[str]) -> tuple[str | None, str, dict[str, str]]:
    """The endpoint, the verb and the values given. A word without `=` continues the value before it."""
    rest = [*words]
    base = rest.pop(0) if "://" in rest[0] else None
    if rest and len(rest[0].split()) > 1 and "=" not in rest[0].split()[0]:
        raise click.UsageError(f'"{rest[0]}" is one word; leave out the quotation marks around it')
    if not rest or "=" in rest[0]:
        raise click.UsageError("no command is given; write one such as status, void or clear")
    verb, given, last = rest.pop(0), dict[str, str](), ""
    if not re.fullmatch("[a-z_]+", verb):
        raise click.UsageError(_no_such(verb))
    for word in rest:
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            if name in given:
                raise click.UsageError(f"{name} is given twice")
            last, given[name] = name, value
        elif last:
            given[last] += f" {word}"
        else:
            raise click.UsageError(f'"{word}" is not a key=value; write for example why="{word}"')
    return base, verb, given


def _no_such(verb: str) -> str:
    """A verb that no command can have: a hyphen, a capital."""
    from controller.table.authority import authorities, no_such_command
    from controller.table.orders.book import OF_THE_SERVICE

    return plain(no_such_command(verb, [*authorities(), *OF_THE_SERVICE]))


def _local_base() -> str:
    """The address of the service on this computer; ends the command where there is none to take.

    It is printed where it is not the default one, also where the environment names it: a command must not go to
    another service unnoticed.
    """
    from command_line.local_services import CHOSEN, NoServiceError, find_base
    from feed.endpoints import default_base

    try:
        base = find_base()
    except NoServiceError as error:
        click.echo(f"nothing was sent: {error}", err=True)
        sys.exit(FATAL)
    if base != default_base({name: value for name, value in os.environ.items() if name != CHOSEN}):
        click.echo(f"to the service at {plain(base)}", err=True)
    return base


def ask_service(
    endpoints: Endpoints, curve: ClientCurve | None, request: Request, timeout_s: float
) -> StatusAnswer | None:
    """Sends a request and waits for its answer; None if none comes in time."""
    import zmq

    from controller.service.requests import RequestError, decode_answer, encode_request

    with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
        dealer.linger = 0
        dealer.maxmsgsize = 1024 * 1024
        if curve is not None:
            curve.apply(dealer)
        dealer.connect(endpoints.commands)
        dealer.send(encode_request(request))
        while dealer.poll(round(timeout_s * 1000)):
            try:
                answer = decode_answer(dealer.recv_multipart()[-1])
            except RequestError as error:
                click.echo(f"{endpoints.commands}: {error}", err=True)
                continue
            if answer.id == request.id:
                return answer
    return None


def _no_answer(endpoints: Endpoints, request: Request, timeout_s: float) -> None:
    where = endpoints.commands
    if endpoints.is_local:
        why = "is the service running, and may you open its socket?"
    else:
        why = "is the service running there, is your key allowed, and is --server its public key? its log has more"
    click.echo(f"{where}: no answer within {timeout_s:g} s: {why}", err=True)
    again = "to find out whether it was carried out, send the same command with"
    click.echo(f"{again} --id {request.id}", err=True)


def _show(answer: StatusAnswer) -> None:
    again = " (answered before)" if answer.again else ""
    if not answer.accepted:
        click.echo(f"refused{again}: {answer.reason}", err=True)
        return
    if answer.status:
        _show_status(answer.status)
        return
    click.echo(f"done{again}" + (f": {answer.reason}" if answer.reason else ""))
    for event in answer.events:
        click.echo(f"  event {event}")


def _show_status(status: dict[str, Any]) -> None:
    tables = status.get("tables", {})
    click.echo(f"{status.get('state')}, up {status.get('uptime_s')} s, journal {status.get('journal')}")
    if status.get("problem"):
        click.echo(f"PROBLEM: {status['problem']}")
    if status.get("overloaded"):
        click.echo(f"OVERLOADED: {status['overloaded']}")
    for table, reported in tables.items():
        simulated = ", simulated" if reported.get("simulated") else ""
        click.echo(
            f"{table}: {reported['state']}{simulated}, last event {reported['last']}, head {reported['head'][:16]}…"
        )
        for fault in reported["faults"]:
            click.echo(f"  fault {fault}")
        for missing in reported.get("missing", []):
            click.echo(f"  missing {missing}")


def user_name() -> str:
    """The name of whoever is logged in; what cannot be printed in it is shown by its code.

    Where there is none, or it is longer than a name may be, the number of the user: a part of it may name another.
    """
    from controller.service.requests import LONGEST_NAME

    try:
        name = plain(getpass.getuser())
    except (KeyError, OSError):
        name = ""
    return name if 0 < len(name) <= LONGEST_NAME else f"user {os.getuid()}"


def person(_context: click.Context, _option: click.Parameter, name: str) -> str:
    """The name of a person that is kept in a file, and printed from it: one line that can be printed.

    Raises:
        BadParameter: it is not, or it is too long.
    """
    from controller.service.requests import LONGEST_NAME

    if not is_plain(name):
        raise click.BadParameter("the name has characters that cannot be printed, or more than one line")
    if len(name) > LONGEST_NAME:
        raise click.BadParameter(f"the name has {len(name)} characters; expected at most {LONGEST_NAME}")
    return name


def _json(value: object) -> bytes:
    import msgspec

    return msgspec.json.encode(value)
