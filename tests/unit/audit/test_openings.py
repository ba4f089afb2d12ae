"""What was opened is held against what was sealed, and against what was dealt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.verify import verify
from feed.commitments import card_commitment, lay_in_order, order_root
from feed.data import DealtCard
from feed.events import CardOpened, CardSealed, Data, Evidence, Outcome, StackLoaded, StackOpened, StackSealed
from tests.unit.audit.making import Evening

SALT = bytes(range(16))
ORDER = ("9s", "Kd", "6h", "2c", "Ts", "3d")
SALTS = tuple(bytes([n] * 16).hex() for n in range(len(ORDER)))
ROOT = order_root(ORDER, SALTS)

Said = tuple[type[Data], dict[str, Any]]


def sealed(card: str = "9s", place: int | None = None) -> Said:
    return CardSealed, {"device": "shoe", "commitment": card_commitment(SALT, card), "place": place}


def opened(card: str = "9s", of: str = "9s", place: int | None = None) -> Said:
    fields = {"commitment": card_commitment(SALT, of), "card": card, "salt": SALT.hex(), "why": "exposed"}
    return CardOpened, {"device": "shoe", "place": place, **fields}


def stack(root: str = ROOT) -> Said:
    return StackSealed, {"device": "shuffler", "batch": 1, "count": len(ORDER), "root": root}


def loaded(batch: int = 1) -> Said:
    return StackLoaded, {"device": "shoe", "method": "shuffler", "batch": batch}


def dealt(*cards: str, first: int = 1) -> Said:
    named = [DealtCard(card=card, to="player", left_ns=0, place=first + n) for n, card in enumerate(cards)]
    return Outcome, {"round": 1, "result": {}, "winning": [], "rule": "r", "evidence": Evidence(cards=named)}


def order(*cards: str, root: str = ROOT) -> Said:
    fields = {"cards": list(cards or ORDER), "salts": list(SALTS), "agrees": True}
    return StackOpened, {"device": "shuffler", "batch": 1, "root": root, **fields}


def found(folder: Path, *said: Said) -> list[str]:
    """What verification finds of a journal of these events, and where."""
    with Evening(folder / "journal.sqlite") as evening:
        evening.opened("b-1")
        for kind, fields in said:
            evening.say(evening.event("b-1", kind, **fields))
    report = verify(folder / "journal.sqlite")
    assert all(str(finding.kind) == "wrong opening" and finding.chain == "b-1" for finding in report.findings)
    return [f"{finding.first} {finding.detail}" for finding in report.findings]


def test_a_card_that_is_opened_as_it_was_sealed_verifies(tmp_path: Path) -> None:
    assert found(tmp_path, sealed(), opened()) == []


def test_another_card_than_the_one_that_was_sealed_is_found_with_its_record(tmp_path: Path) -> None:
    (wrong,) = found(tmp_path, sealed(), opened("Kd"))
    assert wrong.startswith("3 the card Kd and its salt do not give the commitment")


@pytest.mark.parametrize("said", [[opened()], [sealed(), opened(), opened()], [sealed("Kd"), opened()]])
def test_what_was_never_sealed_or_is_opened_twice_is_found(tmp_path: Path, said: list[Said]) -> None:
    (wrong,) = found(tmp_path, *said)
    assert "was never sealed, or is opened twice" in wrong


@pytest.mark.parametrize("cut", [0, 1, 4])
def test_a_shoe_that_dealt_the_order_of_the_shuffler_verifies_wherever_it_was_cut(tmp_path: Path, cut: int) -> None:
    cards = ORDER[cut:] + ORDER[:cut]
    assert found(tmp_path, stack(), loaded(), dealt(*cards[:4]), order()) == []


def test_a_card_that_came_from_elsewhere_is_found(tmp_path: Path) -> None:
    (wrong,) = found(tmp_path, stack(), loaded(), dealt("9s", "Kd", "As", "2c"), order())
    assert "were not in the order" in wrong


def test_an_order_is_held_against_its_own_stack_where_the_next_one_is_dealt_already(tmp_path: Path) -> None:
    after = [loaded(2), dealt("As", "2c", "As"), order()]
    assert found(tmp_path, stack(), loaded(), dealt("9s", "Kd"), *after) == []


def test_a_card_from_elsewhere_is_found_where_the_next_stack_is_dealt_already(tmp_path: Path) -> None:
    (wrong,) = found(tmp_path, stack(), loaded(), dealt("9s", "As"), loaded(2), dealt("9s", "Kd"), order())
    assert "were not in the order" in wrong


def test_a_sealed_card_is_held_against_the_order_once_it_is_opened(tmp_path: Path) -> None:
    good = [stack(), loaded(), sealed("9s", 1), dealt("Kd", first=2), opened("9s", place=1), order()]
    assert found(tmp_path, *good) == []


def test_a_sealed_card_of_another_place_is_found(tmp_path: Path) -> None:
    bad = [stack(), loaded(), sealed("9s", 3), dealt("Kd", first=2), opened("9s", place=3), order()]
    assert len(found(tmp_path, *bad)) == 1


def test_an_order_that_does_not_give_the_sealed_root_is_found(tmp_path: Path) -> None:
    swapped = (ORDER[1], ORDER[0], *ORDER[2:])
    (wrong,) = found(tmp_path, stack(), loaded(), order(*swapped))
    assert "do not give the root" in wrong


def test_an_order_that_was_sealed_otherwise_is_found(tmp_path: Path) -> None:
    (wrong,) = found(tmp_path, stack("0" * 64), loaded(), order())
    assert "was never sealed" in wrong


def test_only_a_cut_turns_an_order() -> None:
    assert lay_in_order({1: "2c", 3: "3d", 4: "9s"}, ORDER)
    assert not lay_in_order({1: "2c", 2: "6h"}, ORDER)
    assert not lay_in_order({7: "9s"}, ORDER)
    assert lay_in_order({}, ())
