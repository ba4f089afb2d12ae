"""docs/proofs.md: what the soaks have shown, on which code and machine; and what was not run.

The figures are in docs/proofs.json, which `python -m tests.soak --proofs` brings up to date from a state folder. What
the folder does not have keeps its figures, with the commit that they belong to. Of a soak that is not at its end,
docs/proofs-unfinished.jsonl has the record of each piece, so that another computer goes on where this one ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from hal.wording import counted
from tests.soak.catalogue import Soak
from tests.soak.dependencies import loaded_by
from tests.soak.records import Failure, Folder, Machine, Record, SoakError
from tests.soak.runner import duration
from tests.soak.source import commit, same_code

NO_COUNTS = "nothing was counted"
SHOWN = 16
"""Digits of a digest on the page."""


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a soak has shown."""

    soak: str
    amount: int
    """How much was run, in the soak's unit."""
    commits: dict[str, int]
    """How much of it on each commit."""
    counts: dict[str, int]
    seconds: float
    """Of all pieces together, as if one had run after the other."""
    dates: tuple[str, str]
    """The days, UTC, on which the first and the last piece ended."""
    machines: list[Machine]
    failures: list[Failure]
    whole: int = 0
    """How much was the whole when it ran."""
    cpu_s: float = 0.0
    """Processor time of all pieces; 0 where it was not measured."""
    digest: str = ""
    """SHA-256 of all pieces with their results, without times and machines: who runs them again has the same."""
    older: bool = True
    """Whether any piece ran on other code than that which was checked out when this was written."""


def proof_of(soak: Soak, records: Iterable[Record], commit: str) -> Proof | None:
    """What the records of a soak show; None where there are none. Records of pieces that it no longer has do not count.

    Args:
        commit: what is checked out.
    """
    kept = _of(soak, records)
    if not kept:
        return None
    commits: dict[str, int] = {}
    counts: dict[str, int] = {}
    for record in kept:
        commits[record.commit] = commits.get(record.commit, 0) + record.amount
        for what, count in record.result.counts.items():
            counts[what] = counts.get(what, 0) + count
    dates = sorted(record.date for record in kept)
    return Proof(
        soak=soak.name,
        amount=sum(record.amount for record in kept),
        commits=commits,
        counts=counts,
        seconds=round(sum(record.seconds for record in kept), 1),
        dates=(dates[0], dates[-1]),
        machines=list(dict.fromkeys(record.machine for record in kept)),
        failures=[failure for record in kept for failure in record.result.failures],
        whole=soak.amount,
        cpu_s=round(sum(record.result.cpu_s for record in kept), 1),
        digest=digest_of(kept),
        older=not all(same_code(one, commit, loaded_by(soak)) for one in commits),
    )


def _of(soak: Soak, records: Iterable[Record]) -> list[Record]:
    """Those of pieces that the soak has, in the order of their names."""
    commands = {piece.name: piece.command for piece in soak.pieces(soak.amount)}
    return sorted(
        (record for record in records if commands.get(record.piece) == record.command), key=lambda record: record.piece
    )


def digest_of(records: Iterable[Record]) -> str:
    """SHA-256 of records in the order of their pieces: each with its command and its result, without its times."""
    whole = sha256()
    for one in sorted(records, key=lambda record: record.piece):
        failures = [failure.what for failure in one.result.failures]
        counts = sorted(one.result.counts.items())
        whole.update(msgspec.json.encode([one.piece, one.command, one.status, counts, failures, one.result.digest]))
    return whole.hexdigest()


def read(path: Path) -> list[Proof]:
    """The figures that are kept; none where there is no file.

    Raises:
        SoakError: the file cannot be read as such.
    """
    if not path.exists():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Proof])
    except msgspec.MsgspecError as error:
        raise SoakError(f"{path}: no figures of soaks ({error}); restore it from the repository") from None


def resume(folder: Folder, unfinished: Path) -> None:
    """Takes into a state folder the pieces of unfinished soaks that it has no record of.

    Raises:
        SoakError: a line cannot be read as the record of a piece, or the folder cannot be read or written.
    """
    kept: dict[str, list[Record]] = {}
    for number, line in enumerate(unfinished.read_bytes().splitlines() if unfinished.exists() else (), 1):
        try:
            record = msgspec.json.decode(line, type=Record)
        except msgspec.MsgspecError as error:
            raise SoakError(
                f"{unfinished}:{number}: no record of a piece ({error}); restore the file from the repository, "
                "or delete the line, and the piece is repeated"
            ) from None
        kept.setdefault(record.soak, []).append(record)
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SoakError(f"{folder.path}: cannot be used as the state folder: {error.strerror}") from error
    for soak, records in kept.items():
        known = folder.records(soak)
        for record in records:
            if record.piece not in known:
                folder.write(record)


def update(folder: Folder, soaks: Sequence[Soak], path: Path, page: Path, unfinished: Path) -> None:
    """Brings figures, page and the records of unfinished soaks up to date from a state folder.

    Raises:
        SoakError: a record or the figures cannot be read, or a file not be written.
    """
    known = {proof.soak: proof for proof in read(path)}
    here = commit()
    pieces: list[Record] = []
    for soak in soaks:
        records = _of(soak, folder.records(soak.name).values())
        new = proof_of(soak, records, here)
        if new is not None:
            known[soak.name] = new
            pieces.extend(records if new.amount < soak.amount else ())
        elif soak.name in known:
            kept = known[soak.name]
            older = not all(same_code(one, here, loaded_by(soak)) for one in kept.commits)
            known[soak.name] = msgspec.structs.replace(kept, older=older)
    proofs = [known[soak.name] for soak in soaks if soak.name in known]
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(proofs), indent=1) + b"\n")
        page.write_text(text(soaks, proofs), encoding="utf-8")
        unfinished.write_bytes(msgspec.json.Encoder().encode_lines(pieces))
    except OSError as error:
        raise SoakError(f"{error.filename}: cannot be written: {error.strerror}") from error


def text(soaks: Sequence[Soak], proofs: Sequence[Proof]) -> str:
    """The page."""
    known = {proof.soak: proof for proof in proofs}
    lines = [
        "# Proofs: what the long runs have shown",
        "",
        "`make soak` runs all of them in pieces: two hours of two cores, then the million rounds of each wheel, "
        "some days of a wheel's life, and boards that play for hours; after an interruption it resumes, and on another "
        "computer it continues with what docs/proofs-unfinished.jsonl has. After `make tools`, "
        "`.venv/bin/python -m tests.soak --list` lists them with the time that each needs, `--only NAME --count N` "
        "runs one or a share of it, and `python -m tests.soak --proofs` writes this page from what was recorded "
        "(`build/soak/`).",
        "",
        "A row holds for the commits that it names: nothing here is repeated by itself when the code changes. Where it "
        "names several, pieces that failed on one of them were repeated on a later one, and each piece counts once. "
        "*Older* is a row of other code than that on which this page was written: since then a file has changed that "
        "its pieces may load (tests/soak/dependencies.py). Time is that of all pieces one after the other, with their "
        "processor time where it was measured; several run at once. A digest is the beginning of the SHA-256 of all "
        "pieces with their results, without times and machines (docs/proofs.json has the whole): who runs a soak again "
        "on the same commit has the same one.",
        "",
        "Beside these runs, planted mutants ([mutants.md](mutants.md)): small changes of the code of verdicts, money "
        "and the journal, and the tests that notice each.",
        "",
        "| soak | shows | run | result | digest | commit | machine | time | date |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_row(soak, known.get(soak.name)) for soak in soaks),
        "",
        "## Not run, or not to the end",
        "",
        *(_missing(soaks, known) or ["Nothing."]),
        "",
        "## On older code",
        "",
        *([f"- `{soak.name}`" for soak in soaks if soak.name in known and known[soak.name].older] or ["Nothing."]),
        "",
        "## What failed",
        "",
        *(_failed(proofs) or ["Nothing." if proofs else "Nothing: nothing was run."]),
        "",
        "## What is counted",
        "",
        "- A *run* of a corrupted wheel is one to three rounds of one wheel whose lines have one corruption, two, or "
        "none; seeds 0, 1, 2, ... in order. The truth is `tests/oracle`'s, which knows neither drivers nor simulators.",
        "- *False outcomes that no software can detect* are those that `tests/oracle/invisible.py` lists, with the "
        "reason: the lines are, edge for edge, those of another wheel that is rightly wired, or of a wheel at rest.",
        "- The *life of a wheel* has the seeds of the corrupted roulette wheel on its recommended geometry, with the "
        "wear of its age (`tests/oracle/wear.py`); a sound spin is one that the rules accept. One seed in 40 is "
        "also that of a new wheel of any geometry, as `corrupted-roulette` has it, and one in 7,500 that of a table "
        "that plays on for 600 *watched rounds*, without corruptions, so that the watch over wear learns the worn "
        "wheel.",
        "- *Hot modules compiled by mypyc*, beside the version of Python: these pieces ran on a compiled copy of the "
        "commit. `make test` compares what compiled and plain code give, `python -m tests.compiled.digests --only "
        "corrupted --count 20000` compares 40,000 runs of this page.",
        "- A *part* is some tests of the files that `tests/soak/catalogue.py` names; a skipped test is a failure.",
        "",
    ]
    return "\n".join(lines)


def _row(soak: Soak, proof: Proof | None) -> str:
    cells = [f"`{soak.name}`", soak.title]
    if proof is None:
        return _cells([*cells, "not run", "", "", "", "", "", ""])
    counts = ", ".join(f"{count:,} {what}" for what, count in proof.counts.items()) or NO_COUNTS
    failures = f"**{counted(len(proof.failures), 'failure')}**" if proof.failures else "no failure"
    commits = ", ".join(
        commit_words(commit) if len(proof.commits) == 1 else f"{commit_words(commit)} ({amount:,})"
        for commit, amount in proof.commits.items()
    )
    machines = "; ".join(f"{one.cores} cores, {one.processor}, Python {one.python}" for one in proof.machines)
    first, last = proof.dates
    date = first if first == last else f"{first} to {last}"
    ran = f"{proof.amount:,} of {proof.whole:,} {soak.unit}"
    if proof.whole != soak.amount:
        ran += f", of an earlier size (now {soak.amount:,})"
    digest = f"`{proof.digest[:SHOWN]}`" if proof.digest else ""
    time = duration(proof.seconds) + (f" ({duration(proof.cpu_s)})" if proof.cpu_s else "")
    older = "older: " if proof.older else ""
    return _cells([*cells, ran, f"{failures}; {counts}", digest, f"{older}{commits}", machines, time, date])


def commit_words(commit: str) -> str:
    """A commit as people write it: `0123456789`, with what else is known of it."""
    number, comma, rest = commit.partition(",")
    return f"`{number[:10]}`{comma}{rest}"


def _missing(soaks: Sequence[Soak], known: dict[str, Proof]) -> list[str]:
    lines = []
    for soak in soaks:
        proof = known.get(soak.name)
        done = proof.amount if proof is not None and proof.whole == soak.amount else 0
        if proof is not None and proof.whole != soak.amount:
            lines.append(f"- `{soak.name}`: it was run in an earlier size alone")
        elif done < soak.amount:
            left = soak.amount - done
            what = f"{left:,} of {soak.amount:,} {soak.unit}" if done else "nothing of it was run"
            lines.append(f"- `{soak.name}`: {what}{' were not run' if done else ''}")
    return lines


def _failed(proofs: Sequence[Proof]) -> list[str]:
    return [
        f"- `{proof.soak}`: {' '.join(failure.what.split())}; repeat it with `{failure.command}`"
        for proof in proofs
        for failure in proof.failures
    ]


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
