"""What a table asks of a game by type."""

from __future__ import annotations

import pytest

from controller.table.capabilities import Capabilities, IncompleteGameError


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


def test_no_game_has_no_capability() -> None:
    assert set(vars(Capabilities(None)).values()) == {None}
