"""`feltwire conformance`: whether a game, a decoder or a feed of anybody keeps what it must."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING, Final

import click
import msgspec

from command_line.exit_codes import BAD_CONFIGURATION, FATAL
from command_line.options import client_curve, public_keys
from controller.cli.printing import load_one
from hal.plain_text import plain
from hal.wording import counted

if TYPE_CHECKING:
    from controller.conformance.captures import Capture
    from controller.conformance.copies import Cut
    from controller.conformance.feed_check import FeedCheck
    from controller.conformance.judge import Deviation
    from controller.conformance.runner import Declaration, Runner

NAMED: Final = 5
"""This many findings of one check are printed (ours): more are alike."""


MOST_SHOWN: Final = 20
"""This many findings of a feed are printed (ours)."""
SHOWN: Final = 200
"""Characters of a text of somebody else's decoder or publisher that are printed (ours)."""
SEEDS: Final = 1_000_000
"""Seeds to choose from where none is given (ours)."""
RUN_SEEDS: Final = 5
"""Seeds that are played where none is given (ours): what depends on where a copy is cut shows with some alone."""


@click.group("conformance")
def command() -> None:
    """Check what others add to Feltwire, or build in its place.

    `game` checks the game of a package; `decoder` gives any decoder the captures of the conformance suite and compares
    its verdicts; `feed` checks the messages of any publisher. docs/conformance.md says what passing means.
    """


@command.command("game")
@click.argument("table", metavar="TABLE.toml", type=click.Path(path_type=Path))
@click.option("--rounds", type=click.IntRange(min=6), default=12, show_default=True, help="Rounds of each seed.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="How many seeds are played.")
@click.option("--only", metavar="TEXT", default="", help="Only the checks whose words have this text.")
def game(table: Path, rounds: int, seeds: int, only: str) -> None:
    """Check nine properties of the game of a simulated table, for the author of the game.

    The table's file names the game and the package that brings it. Every fault of its simulator is played and judged
    against the truth, streams are cut and damaged, captures are replayed, and words are compared. More rounds and
    seeds find more.

    \b
    Examples:
        feltwire conformance game fair-wheel.toml
        feltwire conformance game fair-wheel.toml --rounds 60 --seeds 20
        feltwire conformance game fair-wheel.toml --only words

    Exit codes: 0 if the game keeps everything; 1 if it does not; 2 for a file that cannot be used.
    """
    from controller.conformance.game import CHECKS, Effort

    config = load_one(table)
    if not config.backend.simulated:
        wrong = f'{config.file}: lines.backend: is "{config.lines.backend}", and the game is played: write "sim"'
        click.echo(wrong, err=True)
        sys.exit(BAD_CONFIGURATION)
    failed = 0
    checks = [check for check in CHECKS if only in check.says]
    if not checks:
        raise click.BadParameter(f"no check has the words {only!r}", param_hint="--only")
    for check in checks:
        found = list(islice(check.found(config, Effort(rounds, seeds)), NAMED + 1))
        failed += bool(found)
        click.echo(click.style("no  " if found else "yes ", fg="red" if found else "green") + check.says)
        for line in found[:NAMED]:
            click.echo(f"      {line}")
        if len(found) > NAMED:
            click.echo("      and more like these")
    passed = len(checks) - failed
    click.echo(f"{config.game}: {passed} of {len(checks)} checks pass")
    if failed:
        sys.exit(FATAL)


@command.command("decoder", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--only", metavar="NAME", multiple=True, help="Only this capture; may be given several times.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True, max=3600),
    default=20,
    show_default=True,
    help="The longest wait for an answer; it ends a decoder that hangs.",
)
@click.option(
    "--seed",
    "seeds",
    type=click.IntRange(min=0),
    multiple=True,
    help="Gives the same copies again: a number that a report names; may be given several times. Without it, five "
    "others each time.",
)
@click.option("--json", "as_json", is_flag=True, help="The whole report as JSON.")
@click.argument("program", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def decoder(only: Sequence[str], seconds: float, seeds: Sequence[int], as_json: bool, program: Sequence[str]) -> None:
    """Give a decoder the captures of the suite, and compare its verdicts with those that are right.

    COMMAND starts it, once to declare which devices it handles, and for each capture of those and each seed once or
    twice: with a copy of all of it, under another name and at other times, and with one that is cut within a round,
    which then has no outcome. It reads the lines on its standard input, and answers with events as JSON lines
    (docs/conformance.md has the format). Each round's verdict, reason and result are compared; a crash, a hang,
    garbage, too much output, and an answer that is early, late, missing, unproven or too many is each named.

    \b
    Examples:
        feltwire conformance decoder ./money_wheel
        feltwire conformance decoder --only roulette_mixed python3 decoder.py --fast
        feltwire conformance decoder feltwire conformance ours     our own; in a clone .venv/bin/feltwire, twice

    Exit codes: 0 if every verdict is right; 1 if one is not; 2 for a decoder or an option that cannot be used.
    """
    from controller.conformance.captures import SuiteError, digest, handles, suite
    from controller.conformance.runner import DecoderError, Runner

    try:
        whole = suite()
        known = {capture.name for capture in whole.captures}
        for name in only:
            if name not in known:
                raise click.BadParameter(f"no capture is called {name!r}; `captures` lists them", param_hint="--only")
        runner = Runner(program, seconds)
        seeds = list(dict.fromkeys(seeds)) or [randbelow(SEEDS) for _ in range(RUN_SEEDS)]
        declared = asyncio.run(runner.declared())
        if declared.suite.partition(".")[0] != whole.version.partition(".")[0]:
            raise DecoderError(f"it is written for suite {_shown(declared.suite)}, and this is suite {whole.version}")
        devices = _shown(", ".join(declared.devices)) or "none"
        unknown = [one for one in declared.devices if not any(handles(one, device) for device in whole.devices)]
        if unknown:
            raise DecoderError(
                f"it declares {_shown(', '.join(unknown))}, and suite {whole.version} has no such device; it has "
                f"{', '.join(whole.devices)}"
            )
        asked = [
            capture
            for capture in whole.captures
            if any(handles(device, capture.device) for device in declared.devices) and capture.name in (only or known)
        ]
        if not asked:
            raise DecoderError(f"no capture that is asked for is of its devices ({devices}); `captures` lists them")
        if not as_json:
            click.echo(f"suite {whole.version} (sha256 {digest()}), seeds {', '.join(map(str, seeds))}")
            click.echo(f"decoder {_shown(declared.decoder)}, devices {devices}")
        found = {capture.name: _play(runner, capture, declared, seeds, quiet=as_json) for capture in asked}
    except (DecoderError, SuiteError) as error:
        whose = f"{_shown(program[0])}: " if isinstance(error, DecoderError) else ""
        click.echo(click.style(f"{whose}{error}", fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
    passed = sum(not differences for _, differences in found.values())
    cut = sum(bool(cuts) for cuts, _ in found.values())
    if as_json:
        report = {
            "suite": whole.version,
            "sha256": digest(),
            "seeds": seeds,
            "decoder": declared.decoder,
            "devices": declared.devices,
            "captures": [
                {
                    "name": capture.name,
                    "device": capture.device,
                    "rounds": len(capture.rounds),
                    "cuts": [{"seed": seed, **one._asdict()} for seed, one in cuts.items()],
                    "differences": [
                        {"seed": seed, **one._asdict(), "cut": one.cut and one.cut._asdict()}
                        for seed, one in differences
                    ],
                }
                for capture in asked
                for cuts, differences in (found[capture.name],)
            ],
            "not_asked": sorted(known - found.keys()),
            "passed": passed == len(found),
        }
        click.echo(msgspec.json.encode(report))
    else:
        others = len(whole.captures) - len(found)
        rounds = counted(sum(len(capture.rounds) for capture in asked), "round")
        click.echo(
            f"{passed} of {len(found)} captures pass ({rounds}; {counted(cut, 'capture')} also cut), "
            f"each with {counted(len(seeds), 'seed')}; {others} others were not asked for"
        )
    if passed < len(found):
        sys.exit(FATAL)


def _shown(text: str) -> str:
    """A text of somebody else's decoder or publisher, for a terminal."""
    return plain(text)[:SHOWN]


def _play(
    runner: Runner, capture: Capture, declared: Declaration, seeds: Sequence[int], *, quiet: bool
) -> tuple[dict[int, Cut], list[tuple[int, Deviation]]]:
    """Plays the copies of one capture, and prints what is wrong: where each seed cut it, and its differences."""
    from controller.conformance.captures import suite
    from controller.conformance.copies import copies

    cuts: dict[int, Cut] = {}
    differences: list[tuple[int, Deviation]] = []
    for seed in seeds:
        for copy in copies(capture, capture.lines(), seed):
            if copy.cut is not None:
                cuts[seed] = copy.cut
            differences += ((seed, one) for one in asyncio.run(runner.play(capture, declared, copy)))
    if not quiet:
        mark = click.style("no  " if differences else "yes ", fg="red" if differences else "green")
        rounds = sorted({cut.round for cut in cuts.values()})
        also = f"; cut in {'round' if len(rounds) == 1 else 'rounds'} {', '.join(map(str, rounds))}" if rounds else ""
        click.echo(f"{mark}{capture.name}: {counted(len(capture.rounds), 'round')}{also}")
        named: dict[Deviation, tuple[int, Deviation]] = {}
        for seed, one in differences:
            named.setdefault(one._replace(t_ns=0, cut=None), (seed, one))
        for seed, one in list(named.values())[:NAMED]:
            click.echo(f"      seed {seed}: {one}")
            if not (one.cut and one.round and one.round >= one.cut.round):
                for expected in (each for each in capture.rounds if each.round == one.round):
                    click.echo(f"          {suite().words(expected)}")
        more = len(differences) - min(len(named), NAMED)
        if more:
            click.echo(f"      and {more} more" + ("" if len(named) > NAMED else " like these"))
    return cuts, differences


@command.command("captures")
@click.argument("name", required=False)
def captures(name: str | None) -> None:
    """List the captures of the suite, or print the lines of one, as they are in the suite.

    A decoder is given copies of them, with `until` between the values.

    \b
    Examples:
        feltwire conformance captures
        feltwire conformance captures money_wheel_limit | ./money_wheel

    Exit codes: 0; 2 if there is no capture of this name.
    """
    from controller.conformance.captures import SuiteError, suite

    try:
        whole = suite()
        if name is None:
            click.echo(f"suite {whole.version}")
            for capture in whole.captures:
                click.echo(
                    f"{capture.name}: {capture.device}, {counted(len(capture.rounds), 'round')}. {capture.shows}"
                )
            return
        chosen = next((capture for capture in whole.captures if capture.name == name), None)
        if chosen is None:
            raise click.BadParameter(f"no capture is called {name!r}", param_hint="NAME")
        click.echo("\n".join(chosen.lines()))
    except SuiteError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)


@command.command("ours")
def ours() -> None:
    """Be our own decoder: read the lines of one capture, and answer with the events of a table.

    It is the code that a live table runs, behind the interface that `decoder` has for any other.

    \b
    Example:
        feltwire conformance decoder feltwire conformance ours     in a clone .venv/bin/feltwire, twice

    Exit codes: 0; 2 if what it reads is not a capture of the suite's format.
    """
    from controller.conformance.captures import SuiteError, suite
    from controller.conformance.line_text import LineTextError
    from controller.conformance.ours import answers, declaration
    from hal.capture.errors import CaptureError

    try:
        click.echo(declaration(suite()))
        first = sys.stdin.readline()
        if first:
            lines = (line.rstrip("\n") for line in sys.stdin)
            for line in answers(lines):
                click.echo(line)
    except (LineTextError, CaptureError, SuiteError, UnicodeDecodeError) as error:
        click.echo(str(error), err=True)
        sys.exit(BAD_CONFIGURATION)


@command.command("feed")
@click.argument("source", metavar="ADDRESS|FILE")
@click.option(
    "--seconds",
    type=click.FloatRange(min=1, max=86400),
    default=10,
    show_default=True,
    help="How long an address is listened to; more than 3 s shows whether heartbeats come.",
)
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Your .secret key file, for tcp://.")
@click.option(
    "--server", "--server-key", metavar="KEY", help="The service's public key, or its .public file, for tcp://."
)
@click.option(
    "--seal-key", "seal_keys", metavar="KEY|FILE", multiple=True, callback=public_keys, help="Public key of the seals."
)
@click.option("--json", "as_json", is_flag=True, help="The whole report as JSON.")
def feed(
    source: str, seconds: float, key: Path | None, server: str | None, seal_keys: tuple[bytes, ...], as_json: bool
) -> None:
    """Check the messages of a publisher, whoever it is, against the sentences of docs/feed.md.

    ADDRESS is the base address of a service: its history is read from the beginning and compared with what it
    publishes, for `--seconds`. FILE has recorded messages, one a line: bodies, as `feltwire watch --json` prints them,
    or topic and body with a space between; - is standard input. Checked are frames, topics, attributes and data,
    numbers, epochs, heartbeats, the chain of hashes, seals, and the order of a round. Each finding names the message
    and the sentence that it breaks.

    \b
    Examples:
        feltwire conformance feed ipc:///run/feltwire
        feltwire conformance feed tcp://10.0.0.5:5600 --key ann.secret --server pit-3.public --seal-key 8320a519...
        feltwire watch --json --since 0 > evening.jsonl; feltwire conformance feed evening.jsonl

    Exit codes: 0 if every sentence is kept; 1 if one is not, nothing was received, or not all could be checked; 2 for
    an address, a key or a file that cannot be used.
    """
    from controller.conformance.captures import SuiteError, suite
    from controller.conformance.feed_check import FeedCheck
    from controller.conformance.feed_listener import FeedListener, NoFeedError
    from feed.endpoints import EndpointError, Endpoints
    from hal.clock import SystemClock

    try:
        version = suite().version
    except SuiteError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
    check, unchecked = FeedCheck(seal_keys), list[str]()
    if seal_keys and "://" not in source:
        raise click.UsageError("--seal-key is for an address: a file has no seals")
    if "://" in source:
        try:
            endpoints = Endpoints.parse(source)
        except EndpointError as error:
            raise click.UsageError(str(error)) from error
        listener = FeedListener(endpoints, client_curve(endpoints, key, server), check, SystemClock())
        try:
            listener.wait(seconds)
            listener.listen(seconds)
            unchecked = listener.unchecked
        except NoFeedError as error:
            click.echo(click.style(f"{source}: {error}", fg="red"), err=True)
            sys.exit(FATAL)
        finally:
            listener.close()
    else:
        _read_messages(source, check)
    if as_json:
        report = {
            "suite": version,
            "tables": check.tables,
            "messages": check.messages,
            "events": check.durable,
            "heartbeats": check.heartbeats,
            "seals": check.seals,
            "unknown_types": sorted(check.unknown),
            "broken": [{"sentence": one.sentence.value, "where": one.where, "what": one.what} for one in check.broken],
            "count": check.count,
            "unchecked": unchecked,
        }
        click.echo(msgspec.json.encode(report))
    else:
        click.echo(
            f"suite {version}: {counted(check.messages, 'message')}, {counted(check.durable, 'durable event')}, "
            f"{counted(check.heartbeats, 'heartbeat')}, {counted(check.seals, 'seal')}; "
            f"tables: {_shown(', '.join(check.tables)) or 'none'}"
        )
        for kind in sorted(check.unknown):
            click.echo(f"note: the type {_shown(kind)} is not one of this version; a reader ignores it")
        for one in check.broken[:MOST_SHOWN]:
            click.echo(click.style("no  ", fg="red") + str(one))
        if check.count > MOST_SHOWN:
            click.echo(f"and {check.count - MOST_SHOWN} more")
        for why in unchecked:
            click.echo(click.style("no  ", fg="red") + f"not all was checked: {why}")
        if not check.count and not unchecked:
            click.echo(click.style("yes ", fg="green") + "every sentence that was checked is kept")
    if check.count or unchecked:
        sys.exit(FATAL)


def _read_messages(source: str, check: FeedCheck) -> None:
    """Checks the messages of a file."""
    try:
        with click.open_file(source, "rb") as lines:
            for line in lines:
                message = line.rstrip(b"\r\n")
                if message[:1] == b"{":
                    check.body(message)
                elif message:
                    check.received(message.split(b" ", 1))
    except OSError as error:
        click.echo(click.style(f"{source}: cannot be read: {error.strerror}", fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
    check.end()
    if not check.messages:
        click.echo(click.style(f"{source}: it has no message", fg="red"), err=True)
        sys.exit(BAD_CONFIGURATION)
