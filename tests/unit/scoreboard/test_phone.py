"""The address of a board for phones: one that they reach, of nothing but what is shown."""

from __future__ import annotations

import pytest

from scoreboard.phone import PhoneCode, phone_code
from scoreboard.web import NamesAllowed

NAMES = ["board.example", "pit-3.local"]
FINDER = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]


def code(
    origin: str = "http://127.0.0.1:8080", host: str = "0.0.0.0", names: list[str] = NAMES, **given: str
) -> PhoneCode:
    return phone_code(origin, names, NamesAllowed.on(host, names), 8080, given)


def test_a_screen_on_loopback_shows_the_name_that_the_server_was_given() -> None:
    found = code(table="sim/roulette 1", lang="es", motion="off", token="secret")
    assert found.address == "http://board.example:8080/?table=sim%2Froulette+1&lang=es"
    assert code().address == "http://board.example:8080/"
    assert phone_code("", NAMES, NamesAllowed.on("0.0.0.0", NAMES), 80, {}).address == "http://board.example/"


@pytest.mark.parametrize("origin", ["https://board.example", "http://pit-3.local:8080", "http://10.0.0.5:8080"])
def test_a_screen_that_reached_the_server_under_another_address_shows_that(origin: str) -> None:
    assert code(origin).address == f"{origin}/"


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "http://localhost:8080", "http://[::1]:8080", "javascript:alert(1)", "", "http://a b"],
)
def test_an_origin_that_is_not_the_servers_or_that_no_telephone_reaches_is_passed_over(origin: str) -> None:
    assert code(origin).address == "http://board.example:8080/"


def test_where_no_telephone_reaches_the_server_there_is_no_code_and_the_reason() -> None:
    assert code(host="127.0.0.1") == PhoneCode(refused="loopback")
    assert code(host="127.0.0.1", origin="https://board.example").address == "https://board.example/"
    assert code(names=[]) == PhoneCode(refused="no_name")
    assert code(names=["localhost", "not a name"]) == PhoneCode(refused="no_name")
    assert code(table="x" * 300) == PhoneCode(refused="long")


def test_a_name_that_no_origin_has_is_passed_over_and_one_with_a_final_dot_is_the_same() -> None:
    assert code(names=["board_1", "board.example."]).address == "http://board.example:8080/"
    assert code("http://board_1:8080", names=["board_1"]) == PhoneCode(refused="no_name")


def test_a_code_is_a_square_with_its_three_finders() -> None:
    rows = code(table="roulette-1").rows
    size = len(rows)
    assert {len(row) for row in rows} == {size}
    assert (size - 17) % 4 == 0, "the size of a version of ISO/IEC 18004"
    for top, left in ((0, 0), (0, size - 7), (size - 7, 0)):
        assert [row[left : left + 7] for row in rows[top : top + 7]] == FINDER
    timing = [rows[6][x] for x in range(8, size - 8)]
    assert timing == [str((x + 1) % 2) for x in range(8, size - 8)]
    assert rows != code(table="roulette-2").rows
