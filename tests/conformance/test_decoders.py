"""The conformance suite: our own code passes it, a decoder in another language does, and its mutants do not."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli import main
from controller.conformance.captures import FOLDER, SUFFIX, Capture, RightVerdict, SuiteError, handles, suite
from controller.conformance.copies import Copy, copies
from controller.conformance.judge import Deviation, GarbageError, Judge, Kind
from controller.conformance.line_text import BEGIN, LineTextError, batches, time_of, value_lines
from controller.conformance.ours import answers, declaration
from controller.conformance.runner import Declaration, DecoderError, Runner
from controller.games.catalogue import GAMES
from feed.reasons import explained
from hal.clock import NS_PER_S
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Loss, Reading
from tests.conformance.in_process import Decoder, event, judged
from tests.conformance.told import MEANINGS

SUITE: Final = suite()
CAPTURES: Final = {capture.name: capture for capture in SUITE.captures}
CAME: Final = {
    "1.0": "050abe38bc8263f8bf8dcee8f423df6e11753a56cd9498f604c1a4fab85b2a97",
    "1.1": "2ac2fe1451e16c80fd76ad494fd5f61b61fde914d5b40e9548ea9416cf770fc9",
}
"""The digest of the captures that came with each version."""
FIXED: Final = {"2.0": "fe430c7e45dcf5caad01f6087ae6ec58c0ac81287dcdd955f8d292e8163b6841"}
"""The digest of what the last version fixes: all captures, and their verdicts."""
LIMIT: Final = CAPTURES["money_wheel_limit"]
PAGE: Final = Path("docs/conformance.md")
SOURCE: Final = Path(__file__).with_name("money_wheel.c")
HANG_S: Final = 600.0
"""Ends a test that hangs, and measures nothing."""
PATIENT: Final = ("conformance", "decoder", "--seconds", str(HANG_S))
FELTWIRE: Final = (sys.executable, "-c", "from controller.cli import main; main()")
DECLARED: Final = Declaration("mine 1.0", SUITE.version, ["money_wheel/quadrature"])


# --- the suite ---


def test_the_suite_has_a_capture_of_every_game_and_names_each_file() -> None:
    games = {device.partition("/")[0] for device in SUITE.devices} - {"automatic_roulette"}
    assert {game.name for game in GAMES} - games <= {"mini_baccarat", "mini_craps"}, "they play as the ones they are of"
    assert {path.name for path in FOLDER.glob(f"*{SUFFIX}")} == {f"{name}{SUFFIX}" for name in CAPTURES}
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 576 * 1024


@pytest.mark.parametrize("capture", SUITE.captures, ids=CAPTURES)
def test_a_capture_is_what_the_index_names_and_each_of_its_rounds_has_words(capture: Capture) -> None:
    lines = capture.lines()
    assert lines[0] == f"suite {version_of(capture)}"
    assert lines[1:3] == [f"capture {capture.name}", f"device {capture.device}"]
    assert capture.rounds
    for one in capture.rounds:
        assert one.text, one.round
        assert one.after_ns < one.by_ns
        for verdict in one.accepted:
            assert bool(verdict.reason) == (verdict.verdict != "outcome")
            meanings = [MEANINGS.get(verdict.reason, ""), *(row.meaning for row in explained().get(verdict.reason, ()))]
            assert not verdict.reason or SUITE.reasons[verdict.reason] in meanings


def version_of(capture: Capture) -> str:
    """The version with which a capture came."""
    return capture.lines()[0].removeprefix("suite ")


def test_captures_and_verdicts_of_a_version_are_never_changed() -> None:
    # Words may be; for anything else give the suite a new version, and note its digest here.
    came: dict[str, list[Any]] = {version: [] for version in CAME}
    for one in SUITE.captures:
        came[version_of(one)].append((one.name, one.device, one.sha256))
    assert {version: digest_of(found) for version, found in came.items()} == CAME
    verdicts = [
        (one.name, [(r.round, r.accepted, r.after_ns, r.by_ns) for r in one.rounds], one.sha256)
        for one in SUITE.captures
    ]
    assert {SUITE.version: digest_of(verdicts)} == FIXED


def digest_of(value: Any) -> str:
    """The digest of a value as JSON."""
    return sha256(msgspec.json.encode(value)).hexdigest()


def test_a_capture_that_was_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.conformance.captures.FOLDER", tmp_path)
    with pytest.raises(SuiteError, match=r"money_wheel_limit\.lines\.xz: cannot be read .*install feltwire again"):
        LIMIT.lines()
    (tmp_path / f"{LIMIT.name}{SUFFIX}").write_bytes((FOLDER / f"money_wheel_mixed{SUFFIX}").read_bytes())
    with pytest.raises(SuiteError, match=r"is not the capture that suite\.json names"):
        LIMIT.lines()


def test_the_page_names_each_refusal_of_a_money_wheel_that_no_capture_asks_for() -> None:
    device = Path("docs/devices/money-wheel.md").read_text(encoding="utf-8").partition("## What the refusals mean")[2]
    refusals = set(re.findall(r"^\| `(\w+)` \|", device.partition("## ")[0], re.MULTILINE))
    of_wheel = [one for one in SUITE.captures if one.device == "money_wheel/quadrature"]
    asked = {right.reason for one in of_wheel for each in one.rounds for right in each.accepted[:1]}
    (never,) = re.findall(r"^- \*\*That every refusal of a device .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(refusals) > 9
    assert refusals - asked - set(re.findall(r"`(\w+)`", never)) <= {"direction_unproven"}, "a wheel with pegs has it"


LINES: Final = st.sampled_from(["wheel_a", "wheel_b", "shoe"])
TIMES: Final = st.integers(0, 10**15)
RARE: Final = st.one_of(
    st.builds(Reading, LINES, st.floats(allow_nan=False, allow_infinity=False), TIMES),
    st.builds(Frame, LINES, st.binary(max_size=20), TIMES),
    st.builds(EdgesLost, LINES, st.sampled_from(Loss), TIMES, st.none() | st.integers(0, 10**6)),
    st.builds(
        Command,
        st.sampled_from(["void", "clear"]),
        st.just((("by", "ann b"), ("why", "a=b % c"))),
        TIMES,
        st.sampled_from(["", "7f"]),
        st.just(""),
        st.just(""),
    ),
)


@given(st.lists(st.builds(Edge, LINES, st.integers(0, 1), TIMES)), st.lists(RARE), TIMES)
@settings(max_examples=100)
def test_values_are_the_same_after_they_were_lines(edges: list[Edge], rare: list[Any], until_ns: int) -> None:
    edges.sort(key=lambda edge: edge.t_ns)
    rare.sort(key=lambda value: value.t_ns)
    batch = Batch(edges, rare, until_ns)
    lines = list(value_lines(batch))
    assert [int(line.split(" ")[1]) for line in lines] == sorted(int(line.split(" ")[1]) for line in lines)
    assert list(batches([*lines, f"until {until_ns}", "end"])) == [batch]


@pytest.mark.parametrize(
    "line", ["edge 1 wheel_a", "edge x wheel_a 1", "lost 1 wheel_a eaten", "frame 1 shoe \\q", "spin 1", "", "until x"]
)
def test_a_line_that_is_not_of_the_format_is_named(line: str) -> None:
    with pytest.raises(LineTextError, match=re.escape(repr(line))):
        list(batches([line]))


# --- our own ---


@pytest.mark.parametrize("capture", SUITE.captures, ids=CAPTURES)
def test_our_own_table_passes_as_one_more_decoder(capture: Capture) -> None:
    assert judged(capture, answers) == []


def test_our_own_command_passes_through_the_same_interface() -> None:
    ran = CliRunner().invoke(
        main, [*PATIENT, "--seed", "1", "--only", "baccarat_card_returned", *FELTWIRE, "conformance", "ours"]
    )
    assert ran.exit_code == 0, ran.output
    assert "yes baccarat_card_returned: 1 round\n1 of 1 captures pass (1 round; 0 captures also cut)" in ran.output
    assert f", seeds 1\ndecoder feltwire, devices {', '.join(SUITE.devices)[:200]}\n" in ran.output


def test_our_decoder_refuses_what_is_no_capture() -> None:
    assert msgspec.json.decode(declaration(SUITE))["devices"] == SUITE.devices
    for text, wrong in (
        ("suite 1.0\ntable spin = 3\nbegin\nend\n", "spin"),
        ("suite 1.0\nbegin\n", "table"),
        (
            'suite 1.0\ntable table.id = "a"\ntable table.game = "money_wheel"\n'
            'table lines.backend = "sim"\nbegin\nuntil 1\n',
            "the capture declares no wire wheel_a, wheel_b, wheel_index",
        ),
    ):
        ran = CliRunner().invoke(main, ["conformance", "ours"], input=text)
        assert ran.exit_code == 2
        assert wrong in ran.output


# --- a decoder in another language, and its mutants ---


def built(folder: Path, source: str) -> list[str]:
    """The program of a source."""
    path = folder / "decoder.c"
    path.write_text(source, encoding="utf-8")
    program = folder / "decoder"
    subprocess.run(["cc", "-std=c99", "-O1", str(path), "-o", str(program)], check=True)
    return [str(program)]


def played(program: list[str], *names: str, seconds: float = HANG_S) -> list[Deviation]:
    """What is wrong with a program's answers to these captures, or to all of its devices."""
    runner = Runner(program, seconds)

    async def run() -> list[Deviation]:
        declared = await runner.declared()
        asked = [one for one in SUITE.captures if any(handles(device, one.device) for device in declared.devices)]
        chosen = [CAPTURES[name] for name in names] or asked
        return [found for one in chosen for found in await runner.play(one, declared)]

    return asyncio.run(run())


def test_a_decoder_in_c_passes_the_captures_of_the_device_that_it_declares(tmp_path: Path) -> None:
    program = built(tmp_path, SOURCE.read_text(encoding="utf-8"))
    ran = CliRunner().invoke(main, [*PATIENT, "--json", *program])
    assert ran.exit_code == 0, ran.output
    report = msgspec.json.decode(ran.output)
    asked = {name for name, one in CAPTURES.items() if one.device == "money_wheel/quadrature"}
    assert {one["name"] for one in report["captures"]} == asked
    assert report["not_asked"] == sorted(CAPTURES.keys() - asked)
    assert report["passed"]
    assert '\\"suite\\":\\"2.0\\"' in SOURCE.read_text(encoding="utf-8"), "and was written for the first minor version"


MUTANTS: Final = {
    "2.98 turns are three": (
        "#define LEAST_TURNS 3",
        "#define LEAST_TURNS 2.98",
        ("money_wheel_limit",),
        Kind.WRONG_VERDICT,
    ),
    "a wind-up counts": ("start = spun > 0 ? low : high", "start = 0", ("money_wheel_hands",), Kind.WRONG_MEASURE),
    "guesses at lost edges": (
        'doubt = "edges_lost";',
        "zero_known = 1;",
        ("money_wheel_lost",),
        Kind.WRONG_VERDICT,
    ),
    "absorbs an edge to the same level": (
        "if (known && *level == is_high)",
        "if (0)",
        ("money_wheel_merged",),
        Kind.WRONG_VERDICT,
    ),
    "absorbs a slip of the index": ('doubt = "encoder_slip"', ";", ("money_wheel_slip",), Kind.WRONG_VERDICT),
    "trusts a wheel that it joined": ("if (!rested_once)\n", "if (0)\n", ("money_wheel_joined",), Kind.WRONG_VERDICT),
    "sees no reversal": ("> 3 * space())", "> 300 * space())", ("money_wheel_hands",), Kind.WRONG_VERDICT),
    "another space": ("% 50, off", "% 50 ^ 1, off", ("money_wheel_limit",), Kind.WRONG_RESULT),
    "does not ask for the call": ("called_ns < 0 ||", "0 &&", ("money_wheel_hands",), Kind.WRONG_VERDICT),
    "takes a creeping wheel for one at rest": (
        "#define REST_NS 1500000000LL",
        "#define REST_NS 60000000LL",
        ("money_wheel_limit",),
        Kind.WRONG_VERDICT,
    ),
    "waits for ten seconds": (
        "#define REST_NS 1500000000LL",
        "#define REST_NS 10000000000LL",
        ("money_wheel_mixed",),
        Kind.LATE,
    ),
    "takes a call for one in time that came before half a turn": (
        "called_ns < 0 || called_ns >= began_ns",
        "called_ns < 0",
        ("money_wheel_calls",),
        Kind.WRONG_VERDICT,
    ),
    "takes a wind-up that paused for a nudge": (
        "if (nudged_ns < 0) {",
        "if (1) {",
        ("money_wheel_calls",),
        Kind.WRONG_VERDICT,
    ),
    "takes a nudge for a wind-up": ("5500000000LL", "7500000000LL", ("money_wheel_calls",), Kind.WRONG_VERDICT),
    "waits for more than a push": (
        "if (called_ns >= 0 && called_ns < began_ns)",
        "if (0)",
        ("money_wheel_calls",),
        Kind.MISSING,
    ),
    "takes the last press for the call": (
        "is_high && called_ns < 0",
        "is_high",
        ("money_wheel_calls",),
        Kind.WRONG_VERDICT,
    ),
    "takes the release for the call": (
        '"dealer_no_more_bets") && is_high',
        '"dealer_no_more_bets") && !is_high',
        ("money_wheel_calls",),
        Kind.WRONG_VERDICT,
    ),
    "needs no index": ("else if (!zero_known || missing)", "else if (0)", ("money_wheel_calls",), Kind.WRONG_VERDICT),
    "does not read how many slots there are": (
        'sscanf(text, "table device.wheel.encoder_slots = %ld", &slots)',
        "(void)0",
        ("money_wheel_bounds",),
        Kind.WRONG_VERDICT,
    ),
    "needs a count more than three turns": (
        "travel < LEAST_TURNS * turn()",
        "travel <= LEAST_TURNS * turn()",
        ("money_wheel_bounds",),
        Kind.WRONG_VERDICT,
    ),
    "counts turns to where it rests": (
        "labs(furthest - start), half",
        "labs(count - start), half",
        ("money_wheel_bounds",),
        Kind.WRONG_VERDICT,
    ),
    "lets pegs throw it no further than a space": (
        "> 3 * space())",
        "> 2 * space())",
        ("money_wheel_bounds",),
        Kind.WRONG_VERDICT,
    ),
    "lets pegs throw it two spaces": ("> 3 * space())", "> 4 * space())", ("money_wheel_bounds",), Kind.WRONG_VERDICT),
    "reads a space from one side alone": (
        "2 * (count - zero) + 1;",
        "2 * (count - zero);",
        ("money_wheel_bounds",),
        Kind.WRONG_VERDICT,
    ),
    "has a space too many": ("% 50, off", "% 51, off", ("money_wheel_bounds",), Kind.WRONG_RESULT),
    "takes a short hold for a rest": ("1500000000LL", "1000000000LL", ("money_wheel_bounds",), Kind.WRONG_VERDICT),
    "takes a rest for a hold": ("1500000000LL", "2500000000LL", ("money_wheel_bounds",), Kind.WRONG_VERDICT),
    "lets a tremble put off the rest": (
        "if (labs(count - anchor) > 1)",
        "if (1)",
        ("money_wheel_bounds",),
        Kind.LATE,
    ),
    "absorbs a slip of one slot": (
        "(here - zero) % turn())",
        "labs((here - zero) % turn()) > 4)",
        ("money_wheel_bounds",),
        Kind.WRONG_VERDICT,
    ),
    "absorbs an edge of B to the same level": (
        "if (known && *level == is_high)",
        "if (known && *level == is_high && level == &level_a)",
        ("money_wheel_bounds",),
        Kind.WRONG_VERDICT,
    ),
    "ignores what is reported lost at rest": (
        '!strncmp(text, "lost ", 5)',
        '!strncmp(text, "lost ", 5) && moving',
        ("money_wheel_lost_at_rest",),
        Kind.WRONG_VERDICT,
    ),
    "absorbs edges to the same level at rest": (
        "if (known && *level == is_high)",
        "if (known && *level == is_high && moving)",
        ("money_wheel_lost_at_rest",),
        Kind.WRONG_VERDICT,
    ),
    "ignores edges that come too late": (
        '!strncmp(text, "lost ", 5)',
        '!strncmp(text, "lost ", 5) && !strstr(text, "late")',
        ("money_wheel_lost_at_rest",),
        Kind.WRONG_VERDICT,
    ),
    "ignores a cable that comes out": (
        '!strncmp(text, "lost ", 5)',
        '!strncmp(text, "lost ", 5) && !strstr(text, "unplugged")',
        ("money_wheel_lost_at_rest",),
        Kind.WRONG_REASON,
    ),
    "needs no index after the first": (
        "10 * labs(count - zero) > 11 * turn()",
        "0",
        ("money_wheel_missed",),
        Kind.WRONG_VERDICT,
    ),
    "asks for the index at the rest alone": (
        "!zero_known || missing",
        "!zero_known",
        ("money_wheel_missed",),
        Kind.WRONG_VERDICT,
    ),
    "lets the index be away for more than 1.1 turns": (
        "> 11 * turn()",
        "> 12 * turn()",
        ("money_wheel_missed",),
        Kind.WRONG_VERDICT,
    ),
    "lets the index be away for no more than a turn": (
        "> 11 * turn()",
        "> 10 * turn()",
        ("money_wheel_missed",),
        Kind.WRONG_VERDICT,
    ),
    "sees no line that is stuck": (
        "++backs >= STUCK",
        "++backs < 0",
        ("money_wheel_missed", "money_wheel_bounced"),
        Kind.WRONG_VERDICT,
    ),
    "takes a contact that bounces for a line that is stuck": (
        "&& now - chain_ns > before_chain_ns",
        "",
        ("money_wheel_bounced",),
        Kind.WRONG_VERDICT,
    ),
    "takes each change for a count": (
        "== 1 ? 1 : -1",
        "== 1 || moving ? 1 : -1",
        ("money_wheel_bounced",),
        Kind.WRONG_VERDICT,
    ),
    "sees no gap in the counts": ("        gap = 1;", "        gap = 0;", ("money_wheel_slipped",), Kind.WRONG_VERDICT),
    "lets a wheel end at any speed": ("gap || ends_at_speed()", "gap", ("money_wheel_ended",), Kind.WRONG_VERDICT),
}
"""Changes of the decoder, a capture that notices each, and how."""


@pytest.mark.parametrize(("before", "after", "names", "kind"), MUTANTS.values(), ids=MUTANTS)
def test_a_decoder_that_decides_otherwise_does_not_pass(
    before: str, after: str, names: tuple[str, ...], kind: Kind, tmp_path: Path
) -> None:
    source = SOURCE.read_text(encoding="utf-8")
    assert before in source
    found = played(built(tmp_path, source.replace(before, after)), *names)
    assert kind in {one.kind for one in found}, found


# --- copies, in which a table of answers does not help ---


def made(capture: Capture, seed: int) -> list[Copy]:
    """The copies of a capture."""
    return list(copies(capture, capture.lines(), seed))


@pytest.mark.parametrize("capture", SUITE.captures, ids=CAPTURES)
def test_our_own_table_passes_whatever_copy_it_is_given(capture: Capture) -> None:
    for seed in (1, 2, 3):
        for copy in made(capture, seed):
            assert judged(capture, answers, copy) == [], (seed, copy)


@pytest.mark.parametrize("capture", SUITE.captures, ids=CAPTURES)
def test_a_copy_has_the_values_of_its_capture_later_and_up_to_its_cut(capture: Capture) -> None:
    lines = capture.lines()
    values = lines[lines.index(BEGIN) + 1 : -2]
    whole, *cuts = made(capture, 5)
    given = [line for step in Judge(capture, whole).steps(lines) for line in step.lines]
    assert f"capture {capture.name}" not in given
    begin = given.index(BEGIN) + 1
    assert [line.split(" ", 2)[::2] for line in given[begin:] if not line.startswith("until ")] == [
        line.split(" ", 2)[::2] for line in values
    ]
    later = {time_of(one) - time_of(other) for one, other in zip(given[begin:], values, strict=False)}
    assert whole.shift_ns in later
    assert whole.shift_ns % 1_000_000_000 == 0
    assert (whole.shift_ns == 0) == (capture.device == "skill_stop_video"), "its frames have times of that clock"
    outcomes = {one.round: one for one in capture.rounds if any(v.verdict == "outcome" for v in one.accepted)}
    assert bool(cuts) == bool(outcomes)
    for copy in cuts:
        assert copy.cut is not None
        given = [line for step in Judge(capture, copy).steps(lines) for line in step.lines]
        left = [line for line in given[begin:] if not line.startswith(("until ", "lost "))]
        assert len(left) == len([line for line in values if time_of(line) <= copy.cut.t_ns and line[:5] != "lost "])
        assert copy.cut.t_ns <= outcomes[copy.cut.round].after_ns
        assert time_of(given[-1]) >= copy.cut.t_ns + copy.shift_ns + 60_000_000_000


def test_equal_seeds_give_equal_copies_and_others_give_others() -> None:
    assert made(LIMIT, 1) == made(LIMIT, 1)
    assert len({copy.name for seed in range(9) for copy in made(LIMIT, seed)}) == 18
    assert len({copy.shift_ns for seed in range(9) for copy in made(LIMIT, seed)}) > 9


def table_by(known: Callable[[list[str]], Capture | None]) -> Decoder:
    """A decoder that decodes nothing: it finds the capture by its lines, and has the suite's verdicts, each of which it
    gives when it is first asked after its time.
    """

    def decoder(lines: Iterable[str]) -> Iterator[bytes]:
        seen: list[str] = []
        values: list[str] = []
        told: set[int] = set()
        for line in lines:
            seen.append(line)
            if line.startswith("until "):
                values = values or [one for one in seen if one.startswith("edge ")]
                capture = known(seen)
                shift_ns = time_of(values[0]) - time_of(first_edge(capture)) if capture and values else 0
                for one in capture.rounds if capture else ():
                    if one.round not in told and one.after_ns + 1 < time_of(line) - shift_ns:
                        told.add(one.round)
                        verdict = one.accepted[0]
                        evidence = {"revolutions": verdict.revolutions}
                        data = {"round": one.round, "reason": verdict.reason, "result": verdict.result}
                        yield event(verdict.verdict, **data, evidence=evidence)
                yield b'{"until": %d}' % time_of(line)

    return decoder


def first_edge(capture: Capture) -> str:
    """The line of the first edge of a capture."""
    return next(line for line in capture.lines() if line.startswith("edge "))


def test_a_table_of_answers_by_name_passes_a_capture_as_it_is_and_not_its_copy() -> None:
    by_name = table_by(lambda seen: CAPTURES.get(seen[1].removeprefix("capture ")))
    assert judged(LIMIT, by_name) == []
    whole, _ = made(LIMIT, 1)
    assert {one.kind for one in judged(LIMIT, by_name, whole)} == {Kind.MISSING}


def test_a_table_of_answers_by_the_first_values_passes_no_copy_that_is_cut() -> None:
    by_values = table_by(lambda seen: LIMIT)
    for seed in range(5):
        whole, cut = made(LIMIT, seed)
        assert judged(LIMIT, by_values, whole) == [], "what no suite of fixed captures can know"
        (found,) = judged(LIMIT, by_values, cut)
        assert str(found).startswith(f"unproven outcome: round 1, in the copy that is {cut.cut}, at ")
        assert ": expected no outcome: the values end before what decides it, got outcome " in str(found)


def test_a_copy_that_is_cut_asks_for_the_rounds_before_and_for_no_refusal() -> None:
    capture = CAPTURES["money_wheel_mixed"]
    _, copy = next(
        both for both in (made(capture, seed) for seed in range(99)) if both[1].cut and both[1].cut.round == 6
    )
    found = judged(capture, table_by(lambda seen: None), copy)
    assert [(one.kind, one.round) for one in found] == [(Kind.MISSING, number) for number in range(1, 6)]
    due_s = f"{capture.rounds[0].by_ns / NS_PER_S:.9f}".rstrip("0")
    assert str(found[0]).startswith(f"missing event: round 1, in the copy that is {copy.cut}, at {due_s} s: ")


def test_a_report_names_its_seeds_and_a_seed_gives_the_same_copies_again(tmp_path: Path) -> None:
    program = built(tmp_path, SOURCE.read_text(encoding="utf-8"))

    def ran(*options: str) -> str:
        return CliRunner().invoke(main, [*PATIENT, "--only", LIMIT.name, *options, *program]).output

    report = msgspec.json.decode(ran("--json"))
    seeds = report["seeds"]
    assert len(set(seeds)) == 5, "several without being asked: some mistakes show with some cuts alone"
    assert [one["seed"] for one in report["captures"][0]["cuts"]] == seeds
    again = ran("--seed", str(seeds[0]), "--seed", str(seeds[1]))
    assert f", seeds {seeds[0]}, {seeds[1]}\ndecoder money_wheel.c 1.0, devices money_wheel/quadrature\n" in again
    assert "yes money_wheel_limit: 2 rounds; cut in round 1\n" in again
    assert "1 of 1 captures pass (2 rounds; 1 capture also cut), each with 2 seeds; " in again
    assert msgspec.json.decode(ran("--json", "--seed", str(seeds[1])))["captures"][0]["cuts"] == [
        report["captures"][0]["cuts"][1]
    ]


def test_a_difference_that_several_seeds_show_is_printed_once_with_the_seed_of_the_first(tmp_path: Path) -> None:
    before, after, _, _ = MUTANTS["needs a count more than three turns"]
    program = built(tmp_path, SOURCE.read_text(encoding="utf-8").replace(before, after))
    seeds = ("--seed", "7", "--seed", "8")
    ran = CliRunner().invoke(main, [*PATIENT, "--only", "money_wheel_bounds", *seeds, *program])
    assert ran.exit_code == 1
    assert ran.output.count("expected outcome") == 1, ran.output
    assert "\n      seed 7: wrong verdict: round 1, at " in ran.output
    assert re.search(r"\n      and [1-9] more like these\n", ran.output), ran.output


def test_a_difference_is_printed_with_what_happened_and_what_its_reason_means(tmp_path: Path) -> None:
    before, after, names, _ = MUTANTS["takes a wind-up that paused for a nudge"]
    program = built(tmp_path, SOURCE.read_text(encoding="utf-8").replace(before, after))
    ran = CliRunner().invoke(main, [*PATIENT, "--only", *names, "--seed", "1", *program])
    assert (
        "          The dealer winds the wheel up, calls in its pause, and spins it: the spin began with the wind-up. "
        "spun_before_no_more_bets: spun before the call, or without one.\n" in ran.output
    ), ran.output


# --- programs that do not keep to the protocol ---


def script(tmp_path: Path, text: str) -> list[str]:
    """A shell script that declares itself, ends if nothing follows, and then does this."""
    path = tmp_path / "decoder.sh"
    declared = msgspec.json.encode(DECLARED).decode()
    path.write_text(f"echo '{declared}'\nread -r first || exit 0\n{text}\n", encoding="utf-8")
    return ["sh", str(path)]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("echo out of memory >&2; exit 3", Kind.CRASH, "code 3, its last words: out of memory"),
        (
            "seq -s ' ' 500 >&2; echo 'ValueError: the cause' >&2; exit 1",
            Kind.CRASH,
            "code 1, its last words: .* 499 500.*ValueError: the cause$",
        ),
        ("kill -SEGV $$", Kind.CRASH, "signal SIGSEGV"),
        ("exit 0", Kind.CRASH, "code 0"),
        ("echo spin", Kind.GARBAGE, "expected an event of the feed .*, got 'spin"),
        ("echo '{\"until\": 1}'", Kind.GARBAGE, r'expected \{"until": [0-9]{9,}\}, got .*"until": 1'),
        ("""echo '{"until": "123"}'""", Kind.GARBAGE, r'expected \{"until": [0-9]{9,}\}, got .*"until": "123"'),
        ("echo '{}'", Kind.GARBAGE, "expected an object with type and data, or with until"),
        ('exec yes \'{"type": "x", "data": {}}\'', Kind.FLOOD, "more than 4194304 bytes or 20000 lines"),
        ("head -c 70000 /dev/zero; cat", Kind.FLOOD, "a line of more than 65536 bytes"),
    ],
)
def test_a_program_that_breaks_off_is_named_by_how(text: str, kind: Kind, words: str, tmp_path: Path) -> None:
    (found,) = played(script(tmp_path, text), LIMIT.name)
    assert found.kind is kind
    assert re.search(words, str(found)), str(found)


def test_a_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    ends = tmp_path / "ends"
    text = f"sh -c 'echo $$ > {ends}.new; mv {ends}.new {ends}; exec sleep 3600' & cat >/dev/null; wait"
    (found,) = played(script(tmp_path, text), LIMIT.name, seconds=1.0)
    assert found.kind is Kind.HANG
    assert str(found).startswith("hang: at ")
    assert "expected an answer within 1 s, got none" in str(found)
    while ends.exists() and runs(int(ends.read_text())):
        pass


def runs(process: int) -> bool:
    """Whether a process runs; one that is killed may take a moment to end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["/nowhere/decoder"], "it cannot be started: No such file or directory; name an executable file by its path"),
        (["/dev/null"], "it cannot be started: Permission denied; name an executable file"),
        (
            ["true"],
            "it ended without a line: code 0; a decoder first writes a line such as "
            rf'\{{"decoder": "mine 1.0", "suite": "{SUITE.version}"',
        ),
        (["echo", "hello"], "its first line is not a declaration: .*; a decoder first writes a line such as"),
        (["sh", "-c", 'echo \'{"decoder":"a","suite":"1.0","devices":[]}\'; exit 4'], "it declared itself, and then"),
        (["yes"], "its declaration is more than"),
    ],
)
def test_a_decoder_that_declares_nothing_is_refused(command: list[str], words: str) -> None:
    with pytest.raises(DecoderError, match=words):
        asyncio.run(Runner(command, HANG_S).declared())


def test_a_script_that_names_no_interpreter_is_told_to_name_one(tmp_path: Path) -> None:
    path = tmp_path / "decoder"
    path.write_text("echo\n", encoding="utf-8")
    path.chmod(0o755)
    with pytest.raises(DecoderError, match="cannot be started: Exec format error; begin a script with the line") as e:
        asyncio.run(Runner([str(path)], HANG_S).declared())
    assert "name an executable file" not in str(e.value)


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE])
def test_a_computer_that_cannot_start_another_process_is_not_the_fault_of_the_decoder(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **options: object) -> object:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(asyncio.BaseEventLoop, "subprocess_exec", full)
    with pytest.raises(DecoderError, match=f"cannot be started: {os.strerror(number)}; that is this computer's limit"):
        asyncio.run(Runner(["true"], HANG_S).declared())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"decoder": "a", "suite": "1.1", "devices": ["money_wheel"]},
            f"written for suite 1.1, and this is suite {SUITE.version}",
        ),
        (
            {"decoder": "a", "suite": "2.0", "devices": ["money_wheel/quadrature", "roulete/quadrature"]},
            f"it declares roulete/quadrature, and suite {SUITE.version} has no such device; it has "
            + ", ".join(SUITE.devices),
        ),
        ({"decoder": "a", "suite": "2.0", "devices": []}, "of its devices (none)"),
    ],
)
def test_a_program_of_which_nothing_can_be_asked_is_refused(given: dict[str, Any], words: str) -> None:
    ran = CliRunner().invoke(main, [*PATIENT, "echo", msgspec.json.encode(given).decode()])
    assert ran.exit_code == 2
    assert ran.output.startswith("echo: ")
    assert words in ran.output


@pytest.mark.parametrize("field", ["decoder", "suite", "devices"])
def test_what_a_program_declares_cannot_write_a_line_of_its_own(field: str, tmp_path: Path) -> None:
    text = "x\nyes 42 of 42 captures pass\x1b[2J" + 1000 * "x"
    fake = [text] if field == "devices" else text
    given = {"decoder": "a", "suite": SUITE.version, "devices": ["money_wheel"], field: fake}
    path = tmp_path / "declared"
    path.write_bytes(msgspec.json.encode(given) + b"\n")
    ran = CliRunner().invoke(main, [*PATIENT, "--only", LIMIT.name, "cat", str(path)])
    assert ran.exit_code != 0
    assert "x\\x0ayes 42 of 42" in ran.output
    assert "\nyes 42" not in ran.output
    assert "\x1b" not in ran.output
    assert 300 * "x" not in ran.output


def test_a_capture_that_does_not_exist_is_refused() -> None:
    for arguments in (["captures", "no_such"], ["decoder", "--only", "no_such", "true"]):
        ran = CliRunner().invoke(main, ["conformance", *arguments])
        assert ran.exit_code == 2
        assert "no capture is called 'no_such'" in ran.output


def test_the_captures_are_listed_and_printed() -> None:
    listed = CliRunner().invoke(main, ["conformance", "captures"])
    assert [line.partition(":")[0] for line in listed.output.splitlines()[1:]] == list(CAPTURES)
    assert CliRunner().invoke(main, ["conformance", "captures", LIMIT.name]).output.splitlines() == LIMIT.lines()
    help_ = " ".join(CliRunner().invoke(main, ["conformance", "captures", "--help"]).output.split())
    assert "print the lines of one, as they are in the suite. A decoder is given copies of them" in help_


# --- answers, one at a time ---


def right(number: int) -> bytes:
    """The right verdict of a round of the capture."""
    one = LIMIT.rounds[number - 1].accepted[0]
    evidence = {"revolutions": one.revolutions}
    return event(one.verdict, round=number, reason=one.reason, result=one.result, evidence=evidence)


def scripted(said: Callable[[int], list[bytes]]) -> list[Deviation]:
    """What is wrong where a decoder answers so at each step: 0 before the first round may be decided, 1 in its time."""

    def decoder(lines: Iterable[str]) -> Iterator[bytes]:
        step = 0
        for line in lines:
            if line.startswith("until "):
                yield from said(step)
                yield b'{"until": %d}' % int(line.removeprefix("until "))
                step += 1

    return judged(LIMIT, decoder)


GOOD: Final = {2: [right(1)], 5: [right(2)]}
"""Steps end where the time for a verdict begins, right after that, and where it ends: round 1 may be decided in 2 to 4,
round 2 in 4 and 5."""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (GOOD, []),
        ({2: [right(1)]}, ["missing event: round 2, at .*: expected void wheel_revolutions, got nothing"]),
        ({0: [right(1)], 5: [right(2)]}, ["too early: round 1, at .*: expected .* at .* s or later, got it before"]),
        ({1: [right(1)], 5: [right(2)]}, ["too early: round 1, at .*: expected .* at .* s or later, got it before"]),
        ({5: [right(1), right(2)]}, ["too late: round 1, at .*: expected .* by .* s, got it later"]),
        ({2: [right(1), right(1)], 5: [right(2)]}, ["additional event: round 1, .*: expected one verdict a round"]),
        (
            {2: [right(1)], 5: [right(2), event("void", round=3, reason="x")]},
            ["additional event: round 3, .*: expected no verdict of a round of this number, got void x"],
        ),
        (
            {2: [right(1)], 5: [event("void", round=2, reason="wheel_reversed")]},
            ["wrong reason: round 2, .*: expected void wheel_revolutions, got void wheel_reversed"],
        ),
        (
            {2: [right(1)], 5: [event("unresolved", round=2, reason="wheel_revolutions")]},
            ["wrong verdict: round 2, .*, got unresolved wheel_revolutions"],
        ),
        (
            {2: [event("outcome", round=1, result={"space": 46})], 5: [right(2)]},
            ['wrong result: round 1, .*expected outcome {"space":45} after 3.01 revolutions, got outcome {"space":46}'],
        ),
        (
            {2: [event("outcome", round=1, result={"space": 45})], 5: [right(2)]},
            ['wrong revolutions: round 1, .*, got outcome {"space":45}'],
        ),
        ({2: [right(1)], 5: [right(2)], 6: [b'{"type": "mine.progress", "data": [1]}']}, []),
        ({2: [right(1)], 5: [right(2).replace(b'"round":2', b'"round":2.0')]}, []),
        (
            {2: [right(1)], 5: [right(2).replace(b'"round":2', b'"round":2.5')]},
            ["additional event: round 2.5, ", "missing event: round 2, "],
        ),
    ],
)
def test_each_way_to_be_wrong_is_told_apart(said: dict[int, list[bytes]], words: list[str]) -> None:
    found = [str(one) for one in scripted(lambda step: said.get(step, []))]
    assert len(found) == len(words), found
    for one, pattern in zip(found, words, strict=True):
        assert re.search(pattern, one), one


HALF: Final = (int, lambda value: value + 0.5)
TRUE: Final = (int, lambda value: bool(value) if value in (0, 1) else value)
NUMBER: Final = (bool, int)


@pytest.mark.parametrize(
    ("name", "mutant"),
    [("money_wheel_limit", HALF), ("token_pusher", TRUE), ("red_dog_third_card_exposed", NUMBER)],
    ids=["45.5 for 45", "true for 1", "0 for false"],
)
def test_a_result_of_another_type_does_not_pass(name: str, mutant: tuple[type, Callable[[Any], Any]]) -> None:
    assert {one.kind for one in judged(CAPTURES[name], with_results(*mutant))} == {Kind.WRONG_RESULT}


def with_results(of: type, change: Callable[[Any], Any]) -> Decoder:
    """Our own decoder, with another value for each value of this type in a result."""

    def decoder(lines: Iterable[str]) -> Iterator[bytes]:
        for line in answers(lines):
            answer = msgspec.json.decode(line)
            result = answer.get("data", {}).get("result", {})
            for key, value in result.items():
                result[key] = change(value) if type(value) is of else value
            yield json.dumps(answer).encode()

    return decoder


@pytest.mark.parametrize("name", ["money_wheel_limit", "token_pusher"])
def test_a_whole_number_with_a_point_is_the_same_number_as_json_schema_has_it(name: str) -> None:
    assert judged(CAPTURES[name], with_results(int, float)) == []


def test_lists_and_objects_of_a_result_are_compared_by_the_types_in_them() -> None:
    accepted = RightVerdict(verdict="outcome", result={"dice": [1, 2], "lines": [{"a": 1}], "none": None})
    one = msgspec.structs.replace(LIMIT.rounds[0], accepted=[accepted], after_ns=0)
    capture = msgspec.structs.replace(LIMIT, rounds=[one])
    for change, kinds in (
        ({}, []),
        ({"other": 1}, []),
        ({"dice": [True, 2]}, [Kind.WRONG_RESULT]),
        ({"dice": [1, 2, 3]}, [Kind.WRONG_RESULT]),
        ({"lines": [{"a": 1.0}]}, []),
        ({"lines": [{"a": True}]}, [Kind.WRONG_RESULT]),
        ({"lines": [{"a": 1.5}]}, [Kind.WRONG_RESULT]),
        ({"lines": [{"a": 1, "b": 1}]}, [Kind.WRONG_RESULT]),
    ):
        judge = Judge(capture)
        next(judge.steps([BEGIN, f"until {one.by_ns}", "end"]))
        judge.answer(event("outcome", round=1, result={**accepted.result, **change}))
        judge.end()
        assert [found.kind for found in judge.finish()] == kinds, change
    judge = Judge(capture)
    next(judge.steps([BEGIN, f"until {one.by_ns}", "end"]))
    judge.answer(event("outcome", round=1, result={"dice": [1, 2], "lines": [{"a": 1}]}))
    assert [found.kind for found in judge.finish()] == [Kind.WRONG_RESULT], "null is not left out"


JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**400), 10**400) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NUMBERS: Final = st.integers(-3, 5) | st.integers(-(10**400), 10**400)
VERDICTS: Final = st.fixed_dictionaries(
    {
        "type": st.sampled_from([f"feltwire.round.{kind}.v1" for kind in ("outcome", "void", "unresolved", "x")]),
        "data": st.fixed_dictionaries(
            {},
            optional={
                "round": NUMBERS,
                "reason": st.text(max_size=9),
                "result": st.dictionaries(st.sampled_from(["space", "face"]), JSON) | JSON,
                "evidence": st.fixed_dictionaries({"revolutions": st.floats() | NUMBERS}) | JSON,
            },
        )
        | JSON,
    }
)


def text_of(value: Any) -> bytes:
    """JSON of anything, also of numbers beyond every bound."""
    return json.dumps(value).encode()


@given(st.lists(st.binary(max_size=60) | st.one_of(JSON, VERDICTS).map(text_of), max_size=6))
@settings(max_examples=150, deadline=None)
def test_whatever_a_decoder_answers_is_judged_and_never_passes_by_accident(said: list[bytes]) -> None:
    judge = Judge(LIMIT)
    next(judge.steps([BEGIN, "until 100000000000", "end"]))
    for line in said:
        try:
            judge.answer(line)
        except GarbageError:
            break
    judge.end()
    found = judge.finish()
    assert found, "the second round is void, and no answer here says so by its reason"
    assert all(str(one).isprintable() for one in found)


@given(st.lists(st.binary(max_size=40), max_size=4), st.sampled_from([0, 3]))
@settings(max_examples=10, deadline=None)
def test_whatever_bytes_a_program_writes_it_is_ended_and_named(said: list[bytes], code: int) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "said").write_bytes(b"\n".join(said))
        found = played(script(Path(folder), f"cat {folder}/said; exit {code}"), LIMIT.name)
    assert found
    assert all(str(one).isprintable() for one in found)
