"""docs/mutants.md: what became of each mutant of the sample, on which code.

The results are in docs/mutants.json, which `python -m tests.mutants --page` brings up to date from a folder of results;
what the folder does not have is kept, with the commit that it belongs to. Why a mutant survives, or is equivalent, is
in the sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tests.mutants.operators import Mutant
from tests.mutants.plugin import Verdict
from tests.mutants.sampling import Drawn
from tests.mutants.scope import FOLDERS, SEED
from tests.soak.proofs import commit_words

LONGEST: Final = 160
"""Characters of a statement or change in the table."""
NOT_TRIED: Final = "not tried"
FOUND_BY_A_SOAK: Final = "soak"


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What became of a mutant."""

    mutant: Mutant
    """As it was in the code that ran."""
    kind: str = NOT_TRIED
    """As `Verdict` names it, or `not tried`."""
    by: str = ""
    """The test that failed first."""
    tests: int = 0
    """How many tests it was tried on at most."""
    commit: str = ""
    soak: str = ""
    """The soak whose part a survivor was tried on, if any."""
    soak_by: str = ""
    """The test of this soak that failed."""

    @property
    def is_killed(self) -> bool:
        """Whether a test of `make test` noticed it."""
        return self.kind in ("killed", "time")


def read(path: Path) -> list[Row]:
    """The results that are kept; none where there is no file.

    Raises:
        ValueError: the file holds none.
    """
    if not path.exists():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Row])
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path}: no results of mutants ({error}); restore it from the repository") from None


def rows(
    planned: Sequence[Mutant],
    verdicts: Mapping[int, Verdict],
    in_soaks: Mapping[int, tuple[str, Verdict]],
    kept: Sequence[Row],
) -> list[Row]:
    """A row for each mutant of the sample: what is known now, else what was kept of the same mutant."""
    before = {row.mutant: row for row in kept}
    found = []
    for number, mutant in enumerate(planned):
        verdict = verdicts.get(number)
        if verdict is None:
            found.append(before.get(mutant, Row(mutant)))
            continue
        soak, tried = in_soaks.get(number, ("", None))
        soak_by = tried.by if tried is not None and tried.is_killed else ""
        found.append(Row(mutant, verdict.kind, verdict.by, verdict.tests, verdict.commit, soak, soak_by))
    return found


def write(path: Path, found: Sequence[Row]) -> None:
    """Keeps results."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def text(sample: Sequence[Drawn], found: Sequence[Row]) -> str:
    """The page."""
    pairs = list(zip(sample, found, strict=True))
    equivalent = sum(bool(drawn.equivalent) for drawn in sample)
    counted = [(drawn, row) for drawn, row in pairs if not drawn.equivalent]
    tried = [row for _, row in counted if row.kind != NOT_TRIED]
    killed = sum(row.is_killed for row in tried)
    others = Counter(_group(row) for row in tried if not row.is_killed)
    commits = Counter(row.commit for row in found if row.kind != NOT_TRIED)
    numbered = [(number, drawn, row) for number, (drawn, row) in enumerate(pairs)]
    lines = [
        "# Mutants: which small changes of the code the tests notice",
        "",
        f"A mutant is one small change: `<` for `<=`, `and` for `or`, a number plus one, a statement left out. "
        f"{len(sample)} of them were drawn by seed {SEED} from all that can be made of "
        f"{', '.join(f'`{folder}`' for folder in FOLDERS)}. Each was tried on the tests of `make test` that reach it, "
        "the cheapest first, until one failed.",
        "",
        f"**{killed} of {len(tried)} were killed: {killed / max(len(tried), 1):.1%}.** "
        f"{equivalent} more are equivalent: no input can tell them from the code. "
        f"{len(counted) - len(tried)} were not tried: no result is kept of these, for they were drawn, or their "
        "code was changed, after the runs, or a run was ended before them. "
        f"Of the others: {_words(others)}. Of mutants that were never drawn this share is no estimate: some tests were "
        "written for those of this sample that had survived.",
        "",
        f"Run on {', '.join(f'{commit_words(commit)} ({count})' for commit, count in sorted(commits.items()))}. A row "
        "holds for its commit, and for no other. `make mutants` runs what is not known, and "
        "`python -m tests.mutants --page` writes this page.",
        "",
        "*Killed*: a test failed, or the mutant *never ends*: it used more processor time than its limit, four times "
        "what its tests need and a minute. *Survives*: none of its tests failed; those that do are first in the table. "
        "*No test reaches it*: no test that ran executes its code.",
        "",
        "| | place | change | result | commit |",
        "|---|---|---|---|---|",
        *(_row(*one) for one in sorted(numbered, key=_rank)),
        "",
    ]
    return "\n".join(lines)


def _rank(numbered: tuple[int, Drawn, Row]) -> int:
    """Survivors come first, then what was not tried, what is equivalent, and what was killed."""
    _, drawn, row = numbered
    if drawn.equivalent:
        return 2
    return 3 if row.is_killed else int(row.kind == NOT_TRIED)


def _group(row: Row) -> str:
    if row.soak_by:
        return FOUND_BY_A_SOAK
    return row.kind


def _words(others: Mapping[str, int]) -> str:
    names = {
        FOUND_BY_A_SOAK: "killed by a part of a soak alone",
        "survived": "surviving",
        "unreached": "reached by no test",
        "undecided": "tried on a part of their tests, none of which failed",
        "crashed": "that ended the process of the tests, which shows nothing",
    }
    return ", ".join(f"{words}: {others[name]}" for name, words in names.items() if others.get(name)) or "none is left"


def _row(number: int, drawn: Drawn, row: Row) -> str:
    path, function, statement, change, _ = row.mutant
    place = f"`{path}`" + (f" `{function}`" if function else "")
    inside = "" if change.startswith(statement) else f" in {_code(statement)}"
    result = f"equivalent: {drawn.equivalent}" if drawn.equivalent else "; ".join(_result(drawn, row))
    commit = commit_words(row.commit) if row.commit else ""
    return f"| {number} | {place} | {_code(change)}{inside} | {result} | {commit} |"


def _result(drawn: Drawn, row: Row) -> Iterator[str]:
    if row.kind == "killed":
        yield f"killed by {_code(row.by, len(row.by))}"
        return
    if row.kind == "time":
        yield "killed: it never ends"
        return
    if row.kind == NOT_TRIED:
        yield NOT_TRIED
        return
    yield {
        "survived": f"**survives** {row.tests} tests",
        "unreached": "**survives**: no test reaches it",
        "undecided": f"**survives** the {row.tests} cheapest of its tests",
        "crashed": f"the tests' process ended ({row.by})",
    }[row.kind]
    if row.soak_by:
        yield f"killed by a part of `{row.soak}`: {_code(row.soak_by, len(row.soak_by))}"
    elif row.soak:
        yield f"survives a part of `{row.soak}`"
    if drawn.survives:
        yield drawn.survives


def _code(code: str, most: int = LONGEST) -> str:
    shown = code if len(code) <= most else f"{code[:most]}…"
    quote = "``" if "`" in shown else "`"
    return f"{quote}{' '.join(shown.split()).replace('|', chr(92) + '|')}{quote}"
