"""`feltwire journal publish, prove, check and witnesses`: a history that others have signed."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import click
from nacl.signing import SigningKey

from audit.errors import JournalDamaged, JournalError
from audit.queries import parse_moment
from audit.signing import FILE_NAME as KEY_FILE
from audit.signing import SigningKeyError, load
from audit.transparency.check_page import ResultLinkError, check_page, printed_hash, result_link, shown_result
from audit.transparency.checkpoints import PROOF_BEGIN, Checkpoint, InclusionProof
from audit.transparency.journal_log import (
    GrowingTree,
    NotWitnessedError,
    checkpoints_at,
    find_event,
    find_verdict,
    first_other_record,
    more_beside,
    must_be_of,
    must_be_the_last,
    origin_of,
    prove,
    records_after,
    size_beside,
)
from audit.transparency.late_seals import late_records, read_mark
from audit.transparency.notes import LOG_KEY, NoteError, NoteKey, SignedNote
from audit.transparency.older_copy import not_shown_by_tree, proven_forks
from audit.transparency.policy import CheckedCheckpoint, HistoryFork, WitnessPolicy
from audit.transparency.publishing import LogPublisher, WitnessCalls
from audit.transparency.sealed_leaves import RecordChanged
from audit.transparency.tree import TreeProofError
from audit.transparency.tree_file import TreeFile, tree_path
from command_line.exit_codes import BAD_CONFIGURATION, FATAL, NOT_COMPLETE, NOT_VERIFIED
from command_line.metrics_port import metrics_option
from command_line.options import page_address
from command_line.plain_output import log_lines, show
from command_line.publishing_loop import publish, publishing_options
from command_line.reading_journals import exit_on_journal_error
from command_line.witness_options import GivenPolicy, policy_option
from controller.service.event_lines import colored_line_of
from feed.events import EventError, decode
from hal.clock import NS_PER_S, SystemClock
from hal.wording import counted

if TYPE_CHECKING:
    from audit.transparency.proof_site import ProofSite
    from scoreboard.web import PageServer

log = logging.getLogger(__name__)

_AHEAD_S: Final = 60
"""How far the clock of a journal may be ahead of the one of whoever holds it against its witnesses (ours)."""
COMPARED_EVERY_S: Final = 3600
"""Between two comparisons of all records with their tree (ours)."""
UNSIGNED_S: Final = 600
"""Ten turns of `journal publish` (ours)."""

_Checked: TypeAlias = list[tuple[str, CheckedCheckpoint]]
"""Checkpoints with where each is from: a file may be called as a witness is, and both count."""

_PATHS = click.argument(
    "paths", metavar="[ARCHIVE...] JOURNAL", nargs=-1, required=True, type=click.Path(path_type=Path)
)
_TREE = click.option(
    "--tree",
    "tree_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The tree of the journal; by default JOURNAL.tree.",
)


# feltwire journal publish


@click.command("publish")
@_PATHS
@policy_option(required=False)
@_TREE
@click.option("--signing-key", type=click.Path(path_type=Path), metavar="FILE", help="By default beside the journal.")
@publishing_options("proofs of results, and the page that checks them", 8092)
@click.option("--link", default="", callback=page_address, metavar="URL", help="Its address for players, in QR codes.")
@metrics_option
def publish_command(
    paths: tuple[Path, ...],
    given: GivenPolicy,
    tree_file: Path | None,
    signing_key: Path | None,
    every: int,
    once: bool,
    key_only: bool,
    host: str | None,
    port: int,
    names: tuple[str, ...],
    link: str,
    metrics: int | None,
) -> None:
    """Keep a Merkle tree of a journal, sign its checkpoints, and have witnesses cosign them.

    It runs beside the service, which waits for nothing of it, and only reads the journal. The tree is beside the
    journal, in journal.sqlite.tree. A witness that is not reached is logged, and asked again the next time. Where older
    history was archived before there was a tree, give the archives too, once.

    With --host it serves proofs of results: players open #round/TABLE/NUMBER, or the code of a printed result.

    \b
    Examples:
        feltwire journal publish journal.sqlite --policy witnesses.policy
        feltwire journal publish journal.sqlite --policy witnesses.policy --host 0.0.0.0 --link http://10.0.0.5:8092/
        feltwire journal publish journal.sqlite --key

    Exit codes: 0, also after Ctrl-C; 1 if a port cannot be opened; 2 for a file or a key that cannot be used; with
    --once 3 if the journal is not as it was signed, or a witness shows that another history was, and 5 if too few
    witnesses cosigned.
    """
    journal = paths[-1]
    with exit_on_journal_error():
        origin = origin_of(journal)
        key = _load_key(journal.with_name(KEY_FILE) if signing_key is None else signing_key, journal)
        log_key = NoteKey(origin, LOG_KEY, bytes(key.verify_key))
        if key_only:
            click.echo(log_key)
            return
        policy = given.with_log(log_key)
        log_lines(logging.INFO)
        with ExitStack() as held:
            opened = tree_path(journal) if tree_file is None else tree_file
            tree = held.enter_context(TreeFile.open(opened, origin))
            growing = GrowingTree(tree, paths, log_key.public, max(1, COMPARED_EVERY_S // every))
            served = None
            if host is not None:
                from audit.transparency.proof_site import ProofSite

                shown = held.enter_context(TreeFile.open(opened, origin))
                site = ProofSite(paths, shown, policy, link, lambda: growing.damage)
                served = "proofs", _server(site, host, port, names)

            def publisher(calls: WitnessCalls) -> LogPublisher:
                more = partial(asyncio.to_thread, growing.catch_up)
                return LogPublisher(tree, key, given.policy, calls, more)

            from scoreboard.web import AddressError

            try:
                sys.exit(publish(publisher, every_s=every, once=once, metrics=metrics, served=served))
            except AddressError as error:
                show(error, err=True)
                sys.exit(FATAL)


def _load_key(file: Path, journal: Path) -> SigningKey:
    try:
        return load(file)
    except SigningKeyError as error:
        if not file.exists():
            fix = "give the file of the key that seals it with --signing-key; a new one is one that no witness knows"
            raise JournalError(journal, f"its signing key is not there: {file}", fix) from error
        raise JournalError(journal, str(error), "or give the file of the key with --signing-key") from error


def _server(site: ProofSite, host: str, port: int, names: Sequence[str]) -> PageServer:
    from scoreboard.web import NamesAllowed, PageServer, application

    app = application(NamesAllowed.of_this_computer(host, names), [])
    site.add_to(app)
    return PageServer(app, host, port)


# feltwire journal prove


@click.command("prove")
@_PATHS
@click.argument("event", metavar="EVENT")
@_TREE
@click.option(
    "-o", "output", type=click.Path(path_type=Path), metavar="FILE", help="Write FILE, and FILE.event beside it."
)
@click.option("--page", is_flag=True, help="With -o: write a page instead that checks itself, offline too.")
@policy_option(required=False)
@click.option(
    "--link",
    default="",
    callback=page_address,
    metavar="URL",
    help="For --page: the address of the page for players, as a QR code.",
)
def prove_command(
    paths: tuple[Path, ...],
    event: str,
    tree_file: Path | None,
    output: Path | None,
    page: bool,
    given: GivenPolicy,
    link: str,
) -> None:
    """Prove that an event is in a journal that witnesses have signed (C2SP tlog-proof).

    EVENT is the id of an event, or TABLE#ROUND for the last verdict of a round. The proof names the record's place, the
    hashes beside its way to the root, and the checkpoint with all signatures. The event itself is FILE.event, byte for
    byte as it was published. It is in the last checkpoint that enough witnesses cosigned, or else in the newest.

    \b
    Examples:
        feltwire journal prove journal.sqlite wheel-1#44
        feltwire journal prove journal.sqlite wheel-1.9f3c04d1a2b36e57.17 --policy witnesses.policy -o result.tlog-proof
        feltwire journal prove 2026.sqlite wheel-1#44 --tree journal.sqlite.tree -o result.tlog-proof
        feltwire journal prove journal.sqlite wheel-1#44 --page --policy witnesses.policy -o result.html

    Exit codes: 0; 2 for a file that cannot be used, or where there is no such event; 3 if it is not the event that was
    signed, or, of a round, a record after it is not the one that was; 5 if it is in no signed checkpoint yet, or, of a
    round, the tree beside the journal has more than it, or, with --policy, too few witnesses of it cosigned that.
    """
    if page and (output is None or not given.policy.logs):
        raise click.UsageError(
            "--page needs -o FILE, and --policy with the keys that it is to be checked with, the log's too"
        )
    if link and not page:
        raise click.UsageError("--link is for the code on a page; add --page")
    with exit_on_journal_error():
        table, mark, number = event.rpartition("#")
        by_round = bool(mark) and number.isascii() and number.isdigit() and len(number) < 16
        try:
            record = find_verdict(paths, table, int(number)) if by_round else find_event(paths, event)
            if record is None:
                raise JournalError(paths[-1], f"it has no event {event!a}", "it may be in an archive: give that")
            with TreeFile.open(tree_path(paths[-1]) if tree_file is None else tree_file) as tree:
                must_be_of(tree, paths)
                proof = prove(tree, record, paths)
                not_here = must_be_the_last(tree, record, paths, _beside(paths[-1], tree_file)) if by_round else 0
        except (NotWitnessedError, RecordChanged) as error:
            show(error, fg="red", err=True)
            is_late = isinstance(error, NotWitnessedError) and not error.is_changed
            sys.exit(NOT_COMPLETE if is_late else NOT_VERIFIED)
    try:
        checked = given.policy.check(proof.note) if given.is_given else None
        if output is None:
            click.echo(str(proof), nl=False)
        elif page:
            shown = result_link(link, record) if link else ""
            output.write_bytes(check_page(shown_result(record, proof, given.text, shown)).body)
        else:
            output.write_bytes(str(proof).encode())
            output.with_name(f"{output.name}.event").write_bytes(record.body)
    except NoteError as error:
        what = "page" if page else "proof"
        raise click.UsageError(f"the {what} would not verify: {error}; publish --key prints the line of it") from error
    except ResultLinkError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"it cannot be written: {error}") from error
    if output is not None:
        show(f"{output}: {record.id} is record {record.n} of {proof.checkpoint.size}", err=True)
    _show_mark(proof, err=True)
    if not_here:
        what = f"the tree has {counted(not_here, 'record')} after these files: a correction may be among them"
        show(f"  {what}", fg="yellow", err=True)
    if checked is not None and not checked.met:
        fix = "make the proof again once `feltwire journal publish` has their signatures"
        _show_not_enough(given.policy, checked, fix, err=True)
        sys.exit(NOT_COMPLETE)


def _beside(journal: Path, tree_file: Path | None) -> int:
    """The `size_beside` of a journal; where another tree is given, one beside it that cannot be read is stated."""
    try:
        return size_beside(journal)
    except JournalError as error:
        if tree_file is None:
            raise
        what = f"the tree beside it cannot be read, so whether it has more is not known: {error.what}"
        show(f"  {what}", fg="yellow", err=True)
        return 0


# feltwire journal check


@click.command("check")
@click.argument("proof_file", metavar="PROOF", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@policy_option(required=True)
@click.option(
    "--event",
    "event_file",
    type=click.Path(path_type=Path, exists=True),
    metavar="FILE",
    help="By default PROOF.event.",
)
def check_command(proof_file: Path, given: GivenPolicy, event_file: Path | None) -> None:
    """Check a proof: the event is in the tree, a log that you trust signed it, and enough witnesses cosigned it.

    The policy has the keys that you trust. It needs no journal, no network and no service.

    \b
    Examples:
        feltwire journal check result.tlog-proof --policy witnesses.policy

    Exit codes: 0; 2 for a file that cannot be used; 3 if it does not prove that; 5 if too few witnesses cosigned.
    """
    event = proof_file.with_name(f"{proof_file.name}.event") if event_file is None else event_file
    try:
        body = event.read_bytes()
        data = proof_file.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{error.filename} cannot be read: {error.strerror}") from error
    try:
        proof = InclusionProof.parse(data)
        checked = given.policy.check(proof.note)
        if not proof.has(body):
            raise TreeProofError("the event is not the one that was signed, or the proof is another's")
    except (NoteError, TreeProofError) as error:
        show(f"DOES NOT VERIFY: {error}", fg="red", bold=True)
        sys.exit(NOT_VERIFIED)
    show(f"record {proof.leaf + 1} of {checked.checkpoint.size} of the log {checked.checkpoint.origin}")
    what = _show_event(body)
    is_late = _show_mark(proof)
    verified = _verified(given.policy)
    verified += f": {what}, {'with the reservation' if is_late else 'as shown'} above"
    sys.exit(_show_cosigned(given.policy, checked, verified))


def _show_mark(proof: InclusionProof, *, err: bool = False) -> bool:
    """Prints that the record was found without a seal, where it was; whether it was."""
    mark = read_mark(proof.extra)
    if mark is None:
        return False
    show(f"  {mark}", fg="yellow", bold=True, err=err)
    return True


def _show_event(body: bytes) -> str:
    """Prints what an event states, and the hash that a printed code has of it; in short, which one it is."""
    show(f"  hash in a printed code: {printed_hash(body)}")
    try:
        event = decode(body)
    except EventError as error:
        show(f"  this version cannot read the event: {error}", fg="yellow")
        return "an event that this version cannot read"
    click.echo(f"  {colored_line_of(event, dated=True)}")
    show(f"  event {event.id}")
    number = getattr(event.data, "round", None)
    what = event.data.table if number is None else f"round {number} of {event.data.table}"
    return f"{what}, SIMULATED" if event.data.simulated else what


def _verified(policy: WitnessPolicy) -> str:
    """The answer, with what it is worth where no witness is asked for."""
    return "verified, by the log's key alone (this policy asks for no witness)" if policy.asks_for_none else "verified"


def _show_not_enough(policy: WitnessPolicy, checked: CheckedCheckpoint, fix: str, *, err: bool = False) -> None:
    lacking = f"NOT ENOUGH witnesses cosigned it for this policy: {policy.lacking(checked.cosigned)}"
    show(f"{lacking}; {fix}", fg="red", bold=True, err=err)


def _show_cosigned(policy: WitnessPolicy, checked: CheckedCheckpoint, verified: str) -> int:
    for name, time_s in checked.cosigned.items():
        show(f"  cosigned by {name} at {_time(time_s)}")
    if not checked.met:
        _show_not_enough(policy, checked, "ask for a newer proof")
        return NOT_COMPLETE
    show(verified)
    return 0


def _time(time_s: int) -> str:
    return datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if time_s < 2**36 else f"{time_s} s"


# feltwire journal witnesses and compare


_KEPT = click.option(
    "--checkpoint",
    "kept",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    multiple=True,
    metavar="FILE",
    help="A checkpoint, or a proof, that you kept; repeat.",
)


@click.command("witnesses")
@_PATHS
@policy_option(required=True)
@_TREE
@_KEPT
@click.option("--offline", is_flag=True, help="Ask no witness; hold the journal against --checkpoint alone.")
@click.option(
    "--site",
    default="",
    callback=page_address,
    metavar="URL",
    help="Where journal publish is served (--host): its proofs show that a copy is the beginning of what was signed.",
)
@click.option(
    "--unsigned",
    "unsigned_s",
    type=click.IntRange(min=0),
    default=UNSIGNED_S,
    show_default=True,
    metavar="S",
    help="How old a record may be that too few witnesses have signed; 0: there may be none.",
)
def witnesses_command(
    paths: tuple[Path, ...],
    given: GivenPolicy,
    tree_file: Path | None,
    kept: tuple[Path, ...],
    offline: bool,
    site: str,
    unsigned_s: int,
) -> None:
    """Hold a journal against what witnesses have cosigned: each must have signed its first records as they are.

    Each witness of the policy is asked for the last checkpoint that it cosigned of this log, and its root is compared
    with the one that the records have at that size. A history that was rewritten, cut off, or shown otherwise to one
    of them, differs. Give archives too, oldest first: without them their part is taken from the tree.

    Of a copy that was made before the witnesses signed last, the tree of the journal (--tree), or its site (--site),
    has to show that it is the beginning of what they signed; without that it is not proven. Nor is a journal that has
    less than the tree beside it.

    Records after the last checkpoint that enough witnesses cosigned are named: nobody vouches for them. While a journal
    is published, they are of the last minute; older ones than --unsigned allows, and those dated more than a minute
    ahead of this computer's clock, are not proven.

    \b
    Examples:
        feltwire journal witnesses journal.sqlite --policy witnesses.policy
        feltwire journal witnesses journal.sqlite --policy witnesses.policy --unsigned 0
        feltwire journal witnesses copy.sqlite --policy witnesses.policy --site http://10.0.0.5:8092/
        feltwire journal witnesses journal.sqlite --policy witnesses.policy --offline --checkpoint result.tlog-proof

    Exit codes: 0; 2 for a file that cannot be used; 3 if a witness signed another history, or a column of a record is
    not what its body states; 5 if too few witnesses that the policy asks for are reached, too few have signed a record
    that is older than --unsigned, or is dated ahead, or more was signed than the journal has, and nothing shows that it
    is the beginning of that, or --unsigned is 0; or the tree beside it has more than the journal.
    """
    policy = given.policy
    with exit_on_journal_error():
        origin = origin_of(paths[-1])
        checked = [] if offline else asyncio.run(_cosigned(policy, origin))
        checked += _kept(policy, origin, kept)
        with ExitStack() as held:
            opened = tree_path(paths[-1]) if tree_file is None else tree_file
            tree = held.enter_context(TreeFile.open(opened)) if tree_file is not None or opened.exists() else None
            if tree is not None:
                must_be_of(tree, paths)
            sizes = sorted({one.checkpoint.size for _, one in checked})
            beside = _beside(paths[-1], tree_file)
            try:
                own = checkpoints_at(paths, sizes, tree)
            except RecordChanged as error:
                show(f"DOES NOT VERIFY: {error}", fg="red", bold=True)
                sys.exit(NOT_VERIFIED)
            copy = own[max(own)]
            ahead = {one.checkpoint for _, one in checked if one.checkpoint.size > copy.size}
            forks = proven_forks(tree, copy, ahead)
            # No site or tree that is given, which may be of that very one, explains what the tree beside it has more.
            is_cut = beside > copy.size
            shown = None if tree_file is None else tree
            is_beginning = not (forks or is_cut) and _is_beginning(copy, ahead, shown, site)
        agreeing: list[CheckedCheckpoint] = []
        for name, one in checked:
            size = one.checkpoint.size
            if own.get(size) == one.checkpoint:
                agreeing.append(one)
                show(f"  {name}: the first {size} records are as they were signed ({_by(one)})")
            elif size in own:
                forks.append(HistoryFork(own[size], one.checkpoint, "one size, and two roots"))
                what = f"FORK: of the first {size} records another history was signed ({_by(one)})"
                show(f"  {name}: {what}", fg="red", bold=True)
                show(f"    {_where_they_part(opened, paths, one.checkpoint)}", fg="red")
            else:
                what = f"{size} records were signed ({_by(one)})"
                if is_beginning:
                    agreeing.append(one)
                    show(f"  {name}: {what}, and its {copy.size} are the first of them, as they were signed")
                else:
                    show(f"  {name}: {what}, and it has {copy.size}", fg="yellow", bold=True)
        for fork in forks:
            if fork.second in ahead:
                show(f"  FORK: {fork}", fg="red", bold=True)
        late, wrong = _late(paths[-1])
        of = f"{copy.size} records, the first of {max((one.size for one in ahead), default=0)} that were signed"
        why = ""
        if is_cut:
            why = more_beside(beside, copy.size)
        elif ahead and not is_beginning:
            why = (
                "more was signed than it has: it is an older copy, or was cut off; give the tree of the journal with "
                "--tree, where it is published with --site, or a newer copy"
            )
        elif ahead and not unsigned_s:
            why = f"it has {of}, and --unsigned 0 asks for all of them; give a newer copy"
        if why and not (forks or wrong):
            show(f"NOT PROVEN: {why}", fg="red", bold=True)
            sys.exit(NOT_COMPLETE)
        is_unsigned = _show_unsigned(paths, policy.size_met(agreeing), unsigned_s)
    cosigners = {name for one in agreeing for name in one.cosigned}
    of = f": its {of}" if ahead else ""
    sys.exit(_result(policy, cosigners, forked=wrong or bool(forks), is_unsigned=is_unsigned, of=of, late=late))


def _is_beginning(copy: Checkpoint, ahead: Collection[Checkpoint], tree: TreeFile | None, site: str) -> bool:
    """Whether the tree, or the site of the log, shows that all that was signed continues a copy; why not is printed."""
    from audit.transparency.comparing import forks_of_log
    from audit.transparency.http_calls import http_calls
    from audit.transparency.publishing import WitnessUnreachableError

    async def not_shown_by_site() -> list[HistoryFork]:
        async with http_calls() as calls:
            return await forks_of_log(calls, site, [copy, *ahead])

    missing: list[HistoryFork] = []
    if not ahead or (tree is not None and not (missing := not_shown_by_tree(tree, copy, ahead))):
        return True
    if site:
        try:
            missing = asyncio.run(not_shown_by_site())
        except WitnessUnreachableError as error:
            show(f"  {site} is not reached: {error}", fg="yellow", err=True)
            return False
    for one in missing:
        show(f"  not shown: {one}", fg="yellow")
    return bool(site) and not missing


def _late(path: Path) -> tuple[int, bool]:
    """Prints which records were found without a seal; how many they are, and whether a seal is not as it was signed."""
    try:
        found = late_records(path)
    except JournalDamaged as error:
        show(f"  {error.what}", fg="red", bold=True)
        return 0, True
    for one in found:
        show(f"  note: {one}", fg="yellow")
    return sum(one.count for one in found), False


def _where_they_part(tree_file: Path, paths: Sequence[Path], signed: Checkpoint) -> str:
    """The first record that is not the one that was signed, where the tree still has what was."""
    try:
        with TreeFile.open(tree_file) as tree:
            if tree.size < signed.size or tree.checkpoint(signed.size) != signed:
                return f"where they part, nothing here shows: {tree_file} is not the tree that was signed"
            others = (first_other_record(tree, path) for path in paths)
            other = next((one for one in others if one is not None), None)
    except JournalError as error:
        return f"where they part is not known: {error.what}"
    if other is None:
        return "where they part is in an archive that was not given"
    return f"they part at record {other.n} ({other.id!a}): it is not the one that was signed, by the tree beside it"


def _show_unsigned(paths: Sequence[Path], signed: int, allowed_s: int) -> bool:
    """Prints which records too few have signed; whether one is older than that is allowed."""
    last, oldest = records_after(paths, signed)
    if last <= signed:
        return False
    records = f"record {last} is" if last == signed + 1 else f"records {signed + 1} to {last} are"
    show(f"  {records} in no checkpoint of it that enough witnesses signed; the first is of {oldest}")
    try:
        age_s = SystemClock().wall_time_ns() / NS_PER_S - parse_moment(oldest).timestamp()
    except (ValueError, OverflowError):
        return True
    if age_s < -_AHEAD_S:
        show(f"  its time is {-age_s / 60:.0f} minutes after this computer's clock: how old it is cannot be known")
        return True
    return age_s > allowed_s or not allowed_s


@click.command("compare")
@click.argument("site", metavar="URL", callback=page_address)
@policy_option(required=True)
@_KEPT
def compare_command(site: str, given: GivenPolicy, kept: tuple[Path, ...]) -> None:
    """Compare what the witnesses of a log have cosigned with each other, without the journal.

    URL is where journal publish, or fleet publish, is served (--host). The log has to show by its proofs that all that
    its witnesses have cosigned, and what you kept, is one history: a log that was forked between them cannot.

    \b
    Examples:
        feltwire journal compare http://10.0.0.5:8092/ --policy witnesses.policy
        feltwire journal compare http://10.0.0.5:8092/ --policy witnesses.policy --checkpoint result.tlog-proof

    Exit codes: 0; 1 if the log is not reached; 2 for a file that cannot be used; 3 if they are not of one history; 5 if
    too few witnesses that the policy asks for are reached.
    """
    from audit.transparency.comparing import forks_of_log, newest_of_log
    from audit.transparency.http_calls import http_calls
    from audit.transparency.publishing import WitnessUnreachableError

    policy = given.policy

    async def compare() -> tuple[_Checked, list[HistoryFork]]:
        async with http_calls() as calls:
            newest = await newest_of_log(calls, policy, site)
            origin = newest.checkpoint.origin
            checked = [(site, newest), *await _cosigned(policy, origin), *_kept(policy, origin, kept)]
            return checked, await forks_of_log(calls, site, [one.checkpoint for _, one in checked])

    try:
        checked, forks = asyncio.run(compare())
    except WitnessUnreachableError as error:
        show(f"{site} is not reached: {error}", fg="red", err=True)
        sys.exit(FATAL)
    except NoteError as error:
        show(f"{site}: {error}", fg="red", err=True)
        sys.exit(BAD_CONFIGURATION)
    for name, one in checked:
        show(f"  {name}: {counted(one.checkpoint.size, 'record')} ({_by(one)})")
    for fork in forks:
        show(f"  FORK: {fork}", fg="red", bold=True)
    sys.exit(_result(policy, {name for _, one in checked for name in one.cosigned}, forked=bool(forks)))


async def _cosigned(policy: WitnessPolicy, origin: str) -> _Checked:
    """Of each witness its last checkpoint of a log; why one has none is printed."""
    from audit.transparency.comparing import cosigned_by_each
    from audit.transparency.http_calls import http_calls

    async with http_calls() as calls:
        return _known((await cosigned_by_each(calls, policy, origin)).items())


def _kept(policy: WitnessPolicy, origin: str, paths: Sequence[Path]) -> _Checked:
    """Of each file the checkpoint that somebody kept; why one is not used is printed."""
    from audit.transparency.comparing import check_note

    found: list[tuple[str, CheckedCheckpoint | str]] = []
    for path in paths:
        try:
            data = path.read_bytes()
            is_proof = data.startswith(PROOF_BEGIN.encode())
            note = InclusionProof.parse(data).note if is_proof else SignedNote.parse(data)
            found.append((f"--checkpoint {path}", check_note(policy, note, origin)))
        except (OSError, NoteError) as error:
            found.append((f"--checkpoint {path}", str(error)))
    return _known(found)


def _known(found: Iterable[tuple[str, CheckedCheckpoint | str]]) -> _Checked:
    known = []
    for name, one in found:
        if isinstance(one, str):
            show(f"  {name}: {one}", fg="yellow", err=True)
        else:
            known.append((name, one))
    return known


def _by(one: CheckedCheckpoint) -> str:
    return ", ".join(f"{name} at {_time(time_s)}" for name, time_s in one.cosigned.items()) or "by no witness"


def _result(
    policy: WitnessPolicy,
    agreeing: Collection[str],
    *,
    forked: bool,
    is_unsigned: bool = False,
    of: str = "",
    late: int = 0,
) -> int:
    """Prints the answer, with what it is of, and how many records were found without a seal; the exit code."""
    if forked:
        click.echo(click.style("DOES NOT VERIFY", fg="red", bold=True))
        return NOT_VERIFIED
    if not policy.is_met(agreeing):
        what = f"NOT ENOUGH witnesses are known to agree for this policy: {policy.lacking(agreeing)}"
        click.echo(click.style(what, fg="red", bold=True))
        return NOT_COMPLETE
    if is_unsigned:
        click.echo(click.style("NOT ENOUGH witnesses signed its last records", fg="red", bold=True))
        return NOT_COMPLETE
    late_words = f"; who wrote {counted(late, 'record')} that had no seal after a crash, nothing shows" if late else ""
    click.echo(f"{_verified(policy)}{of}{late_words}")
    return 0
