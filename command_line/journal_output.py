"""What is printed and asked of records, wherever they are from: an auditor's report, recalled rounds, an export."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

import click
import msgspec

from audit.errors import JournalError
from audit.findings import AuditReport, ChainSummary, FindingKind
from audit.queries import RecalledTable, parse_moment
from audit.records import COMMAND
from command_line.plain_output import show
from feed.data import DATA_TYPES, CaptureFile, Evidence
from feed.events import Event, Outcome, Unresolved, Void
from hal.known_names import suggestion
from hal.wording import counted

_VERIFIED = "verified: nothing was changed, removed or inserted"
_VERIFIED_BUT_ITS_END = (
    "verified: nothing was changed or inserted, nor removed before its end; what may be cut off there, nothing shows"
)


def show_report(report: AuditReport) -> None:
    """Prints a report: what the file holds, the notes and the findings."""
    there = f"{counted(report.records, 'record')} in {counted(len(report.chains), 'chain')}"
    there = f"{there}, {counted(report.seals, 'seal')}"
    if not report.chains and any(one.kind is FindingKind.DAMAGED for one in report.findings):
        there = "its records cannot be read"  # and so are not counted as none
    show(f"{report.path}: {there}")
    for chain in report.chains:
        show(f"  {chain.chain:<16} {_chain_span(chain):<22} head {chain.head}")
    for note in report.notes:
        show(f"  note: {note}")
    if report.public_keys and not report.keys_given:
        show(f"  note: the seals were checked with the key in the file, {report.public_keys[0]}:")
        click.echo("        compare it with the one that you keep, or give that with --key")
    if report.first is None:
        verified = _VERIFIED if report.end_is_proven else _VERIFIED_BUT_ITS_END
        if not report.unproven:
            click.echo(click.style(verified, fg="green"))
            return
        records = counted(report.unproven, "record")
        click.echo(click.style(f"{verified}; of {records} in the notes no seal shows that", fg="yellow"))
        return
    click.echo(click.style("DOES NOT VERIFY", fg="red", bold=True) + f": {counted(len(report.findings), 'finding')}")
    for number, finding in enumerate(report.findings):
        if number:
            show(f"  then: {finding}")
        else:
            show(f"  first: {finding}", fg="red")


def _chain_span(chain: ChainSummary) -> str:
    if chain.last < chain.first:
        return "no records"
    return f"records {chain.first} to {chain.last}"


def moment(_ctx: click.Context, _param: click.Parameter, value: str | None) -> datetime | None:
    """The callback of an option that takes a day or a time."""
    try:
        return None if value is None else parse_moment(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


SINCE = click.option("--since", callback=moment, metavar="TIME", help="Not before this day or time (UTC).")
UNTIL = click.option("--until", callback=moment, metavar="TIME", help="Before this day or time (UTC).")

_Command = TypeVar("_Command", bound=Callable[..., Any])

_EXPORT_OPTIONS = (
    click.option("--format", "kind", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True),
    click.option("--table", "chosen", metavar="TABLE", multiple=True, help="Only of this table; repeat for more."),
    click.option("--kind", "kinds", metavar="KIND", multiple=True, help="Only of this kind, as round.outcome; repeat."),
    SINCE,
    UNTIL,
    click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a new file."),
)


def export_options(command: _Command) -> _Command:
    """Adds the options of every export: format, tables, kinds, span and output, in this order."""
    for option in reversed(_EXPORT_OPTIONS):
        command = option(command)
    return command


def check_kinds(kinds: tuple[str, ...]) -> None:
    """Refuses a kind that no event has: an export without a row would look like a history without such events."""
    known = [*(kind.kind for kind in DATA_TYPES if kind.durable), COMMAND]
    for kind in kinds:
        if kind not in known:
            raise click.BadParameter(
                f"{kind!r} is not a kind of event; {suggestion(kind, known, 'kind')}", param_hint="--kind"
            )


@contextmanager
def new_file(output: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a new file that gets its name when it is complete."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if output.exists():
        raise JournalError(output, "it exists already", "name a new file")
    part = output.with_name(output.name + ".part")
    try:
        with part.open("wb") as file:
            yield file
        part.rename(output)
    except OSError as error:
        raise JournalError(output, f"it cannot be written ({error.strerror})", "name another file") from error


def print_recall(recalled: RecalledTable) -> None:
    """Prints one round a line, with the bodies of its events as they were published."""
    for one in recalled.rounds:
        head = msgspec.json.encode({"recall": True, "table": recalled.table, "round": one.number})
        click.echo(head[:-1] + b',"events":[' + b",".join(one.bodies) + b"]}")


def show_recall(
    recalled: RecalledTable, rounds: int, line_of: Callable[[Event], str], rule_words: Callable[[str], str]
) -> None:
    """Prints rounds for people, marked so that nobody takes them for live.

    `line_of` gives the line of an event, with its date; `rule_words` a citation for people.
    """
    mark = f"RECALL of {recalled.table}: past rounds, not live"
    show(f"--- {mark} ---", bold=True)
    for one in recalled.rounds:
        for event in one.events:
            click.echo(line_of(event))
            if isinstance(event.data, Outcome | Void | Unresolved):
                words = rule_words(event.data.rule)
                cited = f"rule {words}" if words == event.data.rule else words
                if isinstance(event.data, Unresolved) and event.data.unproven_rule:
                    cited = f"{cited}; not proven: rule {event.data.unproven_rule}"
                show(f"{'':14}{cited}, event {event.id}")
                for name, words in _evidence_lines(event.data.evidence, event.data.mono_ns):
                    show(f"{'':14}{name:<22}{words}")
            elif (capture := getattr(event.data, "capture", None)) is not None:
                show(f"{'':14}{'capture':<22}{_in_words(capture, '')}")
    if len(recalled.rounds) < rounds:
        more = "; older ones are in an archive" if recalled.archived else ""
        click.echo(f"{counted(len(recalled.rounds), 'round')} with a verdict here{more}")
    show(f"--- end of the {mark} ---", bold=True)


def _evidence_lines(evidence: Evidence, mono_ns: int) -> Iterator[tuple[str, str]]:
    """What was measured: a line for each value, and for each tumble, card or image; times before the verdict."""
    for name, value in msgspec.structs.asdict(evidence).items():
        if isinstance(value, list) and any(isinstance(one, msgspec.Struct) for one in value):
            for number, one in enumerate(value, 1):
                yield f"{_label(name)} {number}", _in_words(one, name, mono_ns)
        elif value not in (None, "", []):
            yield _label(name), _in_words(value, name, mono_ns)


_UNITS: Final = {"_ns": " s before the verdict", "_s": " s"}
"""What the ends of names of evidence say of their values."""


def _label(name: str) -> str:
    end = next((end for end in _UNITS if name.endswith(end)), "")
    return name.removesuffix(end).replace("_", " ")


def _in_words(value: object, name: str, mono_ns: int = 0) -> str:
    """A value of the evidence by the name of its field; a capture as its file name and SHA-256."""
    match value:
        case CaptureFile():
            return f"{value.file} sha256 {value.sha256}" + ("" if value.complete else " (not complete)")
        case msgspec.Struct():
            given = {field: one for field, one in msgspec.structs.asdict(value).items() if one not in (None, "", [])}
            return ", ".join(f"{_label(field)} {_in_words(one, field, mono_ns)}" for field, one in given.items())
        case list():
            return ", ".join(_in_words(one, name, mono_ns) for one in value)
        case dict():
            return ", ".join(f"{key}: {one}" for key, one in value.items())
        case None:
            return "–"
        case int() if name.endswith("_ns"):
            value = f"{(mono_ns - value) / 1e9:.1f}"
    return f"{value}{next((unit for end, unit in _UNITS.items() if name.endswith(end)), '')}"
