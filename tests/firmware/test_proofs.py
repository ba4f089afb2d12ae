"""The core's proofs (`python -m firmware.proofs`): a share of them, and mistakes that they must refute."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firmware.proofs.checker import BOARD, MACHINES, ProofError, Target, reach, run, write_changed, wrong
from firmware.proofs.table import FIRMWARE, FOLDER, Change, Proof, meant, proofs
from tests.shares import first_of

PROOFS = proofs()
QUICK = [name for name, proof in PROOFS.items() if proof.quick]
MISTAKES = [(name, at) for name, proof in PROOFS.items() for at in range(len(proof.mistakes))]


@pytest.mark.long
@pytest.mark.parametrize("name", QUICK)
def test_the_board_has_no_counterexample(name: str) -> None:
    assert wrong(PROOFS[name], run(PROOFS[name], BOARD)) == ()


@pytest.mark.long
@pytest.mark.parametrize("name", QUICK)
def test_its_first_planted_mistake_is_refuted(name: str) -> None:
    mistake = PROOFS[name].mistakes[0]
    assert mistake.claim in run(PROOFS[name], BOARD, mistake).refuted


@pytest.mark.soak
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
@pytest.mark.parametrize("name", PROOFS)
def test_nothing_has_a_counterexample(name: str, machine: Target) -> None:
    assert wrong(PROOFS[name], run(PROOFS[name], machine)) == ()


@pytest.mark.soak
@pytest.mark.parametrize(("name", "at"), MISTAKES)
def test_each_planted_mistake_is_refuted(name: str, at: int) -> None:
    mistake = PROOFS[name].mistakes[at]
    assert mistake.claim in run(PROOFS[name], BOARD, mistake).refuted


def _ends(name: str) -> set[str]:
    main = (FOLDER / f"{name}.c").read_text().partition("int main(void)")[2]
    return {"the end", *(f"the end of case {at}" for at in range(main.count("    case ") + main.count("    default:")))}


def _all_is_reached(name: str) -> bool:
    reached, unreached = reach(PROOFS[name], BOARD)
    return unreached == () and _ends(name) <= set(reached)


@pytest.mark.long
@pytest.mark.parametrize("name", first_of(2, QUICK))
def test_each_case_and_each_claim_is_reached(name: str) -> None:
    assert _all_is_reached(name)


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in PROOFS if name not in QUICK])
def test_each_claim_of_a_slow_proof_is_reached(name: str) -> None:
    assert _all_is_reached(name)


@pytest.mark.long
def test_a_case_and_a_claim_that_no_path_reaches_are_named() -> None:
    hangs = Change("kinds/hopper.c", "    if (hopper->stage == HOPPER_NOTING)\n", "    __CPROVER_assume(0);\n")
    never = Change(
        "kinds/hopper.c",
        "void hopper_stop(struct hopper *hopper, uint32_t now)\n{\n",
        "void hopper_stop(struct hopper *hopper, uint32_t now)\n{\n    __CPROVER_assume(0);\n",
    )
    _, unreached = reach(replace(PROOFS["hopper_step"], cuts=(hangs, never)), BOARD)
    assert sorted(unreached) == ["a hopper that is stopped does not turn", "the end of case 2", "the end of case 6"]


def test_each_harness_is_in_the_table_and_has_a_mistake_that_it_refutes() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.c")) == sorted(PROOFS)
    assert all(proof.mistakes for proof in PROOFS.values())


def test_the_page_has_each_proof_and_each_claim_that_is_refuted() -> None:
    page = (FIRMWARE / "README.md").read_text()
    for name, proof in PROOFS.items():
        assert f"| `{name}` | {proof.shows} | {proof.bounds} |" in page
        assert all(why in page for why in proof.known.values() if why != "as in hopper_step")


def test_each_line_that_may_wrap_is_in_its_source() -> None:
    for source, lines in meant().items():
        there = {line.strip() for line in (FIRMWARE / source).read_text().splitlines()}
        assert set(lines) <= there, source


@pytest.mark.long
def test_a_loop_that_turns_more_often_than_it_is_unwound_is_refuted() -> None:
    found = run(replace(PROOFS["crc16"], unwind=8), BOARD)
    assert [words for words in found.refuted if "unwinding" in words]


@pytest.mark.long
def test_an_overflow_that_is_not_meant_is_refuted_and_named() -> None:
    wraps = Change("core/crc16.h", "uint8_t x = (uint8_t)((crc >> 8) ^ byte);", "uint8_t x = (uint8_t)(crc ^ byte);")
    found = run(replace(PROOFS["crc16"], cuts=(wraps,)), BOARD)
    assert [words for words in found.refuted if words.startswith("core/crc16.h:12: arithmetic overflow")]


@pytest.mark.long
def test_what_is_known_and_no_longer_refuted_fails() -> None:
    proof = replace(PROOFS["crc16"], known={"it is CRC-16/CCITT-FALSE": "no more"})
    assert wrong(proof, run(proof, BOARD)) == ("not refuted any more: it is CRC-16/CCITT-FALSE",)


@pytest.mark.parametrize("name", PROOFS)
def test_each_cut_and_each_mistake_finds_its_place_and_its_claim(name: str, tmp_path: Path) -> None:
    harness = "".join(path.read_text() for path in (FOLDER / f"{name}.c", *FOLDER.glob("*.h")))
    for mistake in PROOFS[name].mistakes:
        write_changed((*PROOFS[name].cuts, mistake), tmp_path)
        assert f'"{mistake.claim}"' in harness


def test_a_change_that_finds_no_place_is_named() -> None:
    nowhere = Change("core/crc16.h", "x >> 9", "x >> 8")
    with pytest.raises(ProofError, match=r"core/crc16\.h: 'x >> 9' is there 0 times; expected once"):
        run(replace(PROOFS["crc16"], cuts=(nowhere,)), BOARD)


def test_a_harness_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    unknown = Proof(name=str(tmp_path / "none"), shows="", bounds="", unwind=1)
    with pytest.raises(ProofError, match="none: avr-gcc failed"):
        run(unknown, BOARD)
