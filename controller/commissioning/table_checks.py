"""Judges facts about a table's software: its boards, its keys, its calibration, its service and its journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from audit.findings import AuditReport
from audit.queries import parse_moment
from controller.boards.identity import misfit, words
from controller.calibration.table_calibration import CalibrationState
from controller.commissioning.findings import Finding, failed, ok, skipped, warning
from hal.board.messages import IdentityAnswer
from hal.clock import NS_PER_S, Clock
from hal.wording import counted

LONGEST_UNSIGNED: Final = timedelta(minutes=10)
"""A record that is in no checkpoint for longer is worth a person's look (ours): one is signed each minute."""


def judge_board(name: str, kind: str, identity: IdentityAnswer | str) -> Finding:
    """Whether a board is the one that the file means; a text is why it did not answer."""
    subject = f"board {name}"
    if isinstance(identity, str):
        # The reason names the board, and what to check.
        why = identity.removeprefix(f"board {name!r}: ")
        return failed("boards", why, "feltwire boards list shows the ports and boards that are here", subject)
    wrong = misfit(identity, kind)
    if wrong is not None:
        return failed("boards", wrong, "feltwire boards flash writes the firmware of this software", subject)
    return ok("boards", words(identity), subject)


class KeyFacts(NamedTuple):
    """The keys of a service; nothing of a secret half."""

    signing: str
    """The public half of the signing key; empty where there is none yet."""
    signing_problem: str
    signing_path: str
    keys_folder: str
    server: str
    """The public server key; empty where there is none."""
    server_problem: str
    clients: int
    """Keys on the allow-list."""


def judge_keys(facts: KeyFacts) -> list[Finding]:
    """Whether the keys are there, and secret."""
    found: list[Finding] = []
    if facts.signing_problem:
        found.append(failed("keys", facts.signing_problem, "fix the file's mode or owner", facts.signing_path))
    elif facts.signing:
        found.append(
            ok("keys", f"the key that seals the journal, public half {facts.signing[:16]}…", facts.signing_path)
        )
    else:
        why = "there is no key yet: the first start of the service, or a calibration, makes it"
        found.append(skipped("keys", why, subject=facts.signing_path))
    if facts.server_problem:
        found.append(failed("keys", facts.server_problem, "feltwire keys new --server", facts.keys_folder))
    elif facts.server:
        shown = f"the server key is there, and {facts.clients} clients are allowed"
        if facts.clients:
            found.append(ok("keys", shown, facts.keys_folder))
        else:
            found.append(warning("keys", shown, "feltwire keys allow NAME 'PUBLIC KEY'", facts.keys_folder))
    else:
        found.append(skipped("keys", "no keys for the network: ipc:// needs none", subject=facts.keys_folder))
    return found


def judge_calibration(state: CalibrationState) -> Finding:
    """The state of the table's calibration."""
    if state.kind == "missing":
        what, _, remedy = state.words.rpartition("; ")
        return failed("calibration", what, remedy)
    if state.kind == "waived":
        return warning("calibration", state.words, 'remove calibration = "waived", and run feltwire calibrate')
    return ok("calibration", state.words)


def judge_service(table: str, base: str, status: Mapping[str, Any] | None, start: str) -> list[Finding]:
    """What a service that runs the table reports of it; `start` is the command that starts one."""
    if not base:
        return [skipped("service", "no service on this computer runs the table", start)]
    stands = {} if status is None else status.get("tables", {}).get(table, {})
    found: list[Finding] = []
    if status is not None and status.get("problem"):
        found.append(failed("service", str(status["problem"]), "see its log: journalctl -u feltwire", base))
    found += [
        failed("service", f"fault {fault}", "docs/reasons.md has what to do", base)
        for fault in stands.get("faults", [])
    ]
    found += [failed("service", f"missing {one}", "plug it in", base) for one in stands.get("missing", [])]
    return found or [ok("service", f"it runs, and the table is {stands.get('state', 'unknown')}", base)]


def judge_feed(base: str, heartbeat: str | None, seconds: float) -> Finding:
    """Whether the feed of a running service is received; `heartbeat` is the topic of one that came."""
    if not base:
        return skipped("feed", "no service publishes this table")
    if heartbeat is None:
        fix = "is its folder yours to enter (group feltwire)? over the network: the key, the address and the firewall"
        return failed("feed", f"no heartbeat arrived within {seconds:g} s", fix, base)
    return ok("feed", f"heartbeats arrive: {heartbeat}", base)


def judge_journal(path: str, report: AuditReport | str | None) -> Finding:
    """Whether the journal verifies; a text is why it could not be read, None that there is none."""
    if report is None:
        return skipped("journal", "there is no journal yet: the first start of the service makes it", subject=path)
    if isinstance(report, str):
        return failed("journal", report, "see docs/journal.md", path)
    records = sum(chain.records for chain in report.chains)
    if report.ok:
        return ok("journal", f"{counted(records, 'record')} and {counted(report.seals, 'seal')} verify", path)
    return failed(
        "journal",
        f"{counted(len(report.findings), 'finding')}, first: {report.first}",
        "see docs/journal.md; keep a copy",
        path,
    )


def judge_witnessed(path: str, signed: int, cosigned: int, waiting: str, clock: Clock) -> Finding:
    """Whether witnesses have signed a journal: the sizes of the newest checkpoint, and of the last that enough of them
    cosigned; `waiting` is the time of the first record that is not in both, empty where all are."""
    words = f"enough of them cosigned its first {cosigned} records"
    if not waiting:
        return ok("witnesses", words, path)
    since = datetime.fromtimestamp(clock.wall_time_ns() / NS_PER_S, UTC) - parse_moment(waiting)
    if since < LONGEST_UNSIGNED:
        return ok("witnesses", f"{words}; what was written since {waiting} waits for its minute", path)
    why = "too few cosign" if cosigned < signed else "nothing is signed"
    fix = "the log of feltwire-publish names each witness and what is wrong; see docs/witness.md"
    return warning("witnesses", f"{why} since {waiting}: {words}", fix, path)


def first_failures(findings: Sequence[Finding]) -> list[str]:
    """What failed, in one line each."""
    return [
        f"{one.check}: {one.subject + ': ' if one.subject else ''}{one.found}"
        for one in findings
        if one.status == "failed"
    ]
