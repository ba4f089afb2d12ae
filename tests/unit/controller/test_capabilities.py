"""What a table asks of a game by type."""

from __future__ import annotations

import pytest

from controller.games.assembly import table_for
from controller.games.fixed_hands.rounds import FixedHands
from controller.games.red_dog.rounds import RedDogHands
from controller.table.capabilities import Capabilities, IncompleteGameError
from tests.tables.bench import configured
from tests.tables.card_shoe import card_toml


class WithJournal:
    awaits_journal = False

    def journalled(self, record: int, t_ns: int) -> None: ...


class WithHalfOfIt:
    def journalled(self, record: int, t_ns: int) -> None: ...


def test_a_capability_is_found_by_its_methods_and_all_others_are_none() -> None:
    game = WithJournal()
    found = Capabilities(game)
    assert found.journal is game
    assert [name for name, one in vars(found).items() if one is not None] == ["journal"]


def test_half_of_a_protocol_is_refused_with_what_lacks() -> None:
    with pytest.raises(IncompleteGameError) as raised:
        Capabilities(WithHalfOfIt())
    assert str(raised.value) == (
        "WithHalfOfIt has journalled, and lacks awaits_journal: AwaitsJournal is asked for as a whole"
    )


@pytest.mark.parametrize(
    ("game", "hands", "lost", "words"),
    [
        ("red_dog", RedDogHands, "next_stage", "RedDogHands has stage, and lacks next_stage: StagedHands"),
        (
            "caribbean_stud",
            FixedHands,
            "call_refused",
            "FixedHands has result_in and unnamed, and lacks call_refused: CorrectableHands",
        ),
    ],
)
def test_hands_of_cards_with_half_of_a_protocol_are_refused_too(
    monkeypatch: pytest.MonkeyPatch, game: str, hands: type, lost: str, words: str
) -> None:
    config = configured(card_toml(game))
    monkeypatch.delattr(hands, lost)
    with pytest.raises(IncompleteGameError) as raised:
        table_for(config, epoch="sim", simulated=True)
    assert str(raised.value) == f"{words} is asked for as a whole"


def test_no_game_has_no_capability() -> None:
    assert set(vars(Capabilities(None)).values()) == {None}
