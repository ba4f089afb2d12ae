"""The bus's driver: bytes in time to messages, whatever comes before, between and behind them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.coins.cctalk_bus import CctalkBus
from drivers.coins.cctalk_wire import CctalkMessage, Header, encode
from drivers.coins.observations import BusLost, BusMessage, BusNoise
from hal.values import EdgesLost, Frame, Loss

MS = 1_000_000
POLL = encode(CctalkMessage(2, Header.BUFFERED_CREDIT))
CREDIT = bytes.fromhex("01 0B 02 00 06 06 04 00 14 00 17 06 04 0D 02 9E")


def bus() -> CctalkBus:
    return CctalkBus("cctalk", (2, 3), "simple")


def headers(found: list[Observation]) -> list[int | str]:
    return [one.header if isinstance(one, BusMessage) else type(one).__name__ for one in found]


def test_an_echo_and_an_answer_in_one_piece() -> None:
    found = bus().frame(Frame("cctalk", POLL + CREDIT, 5 * MS))
    assert [type(one) for one in found] == [BusMessage, BusMessage]
    assert found[0] == BusMessage(t_ns=5 * MS, destination=2, source=1, header=229, data=b"")
    assert found[1] == BusMessage(t_ns=5 * MS, destination=1, source=2, header=0, data=CREDIT[4:-1])


def test_an_answer_that_comes_byte_by_byte() -> None:
    driver, found = bus(), list[Observation]()
    for number, byte in enumerate(CREDIT):
        found += driver.frame(Frame("cctalk", bytes((byte,)), number * 49 * MS))
    assert headers(found) == [0]


def test_a_gap_of_50_ms_ends_a_message() -> None:
    driver = bus()
    assert driver.frame(Frame("cctalk", CREDIT[:9], 0)) == []
    assert driver.next_due_ns == 50 * MS
    assert headers(driver.due(50 * MS)) == ["BusNoise"]
    driver.frame(Frame("cctalk", CREDIT[9:], 60 * MS))
    assert headers(driver.due(150 * MS)) == ["BusNoise"]
    assert headers(driver.frame(Frame("cctalk", CREDIT, 200 * MS))) == [0]


def test_a_lost_byte_costs_one_message_and_no_more() -> None:
    driver = bus()
    found = driver.frame(Frame("cctalk", POLL[:2] + POLL[3:] + POLL + CREDIT, 0))
    found += driver.due(100 * MS)
    assert headers(found) == ["BusNoise", 229, 0]


def test_what_devices_say_to_each_other_is_noise() -> None:
    found = bus().frame(Frame("cctalk", encode(CctalkMessage(3, 0, b"", 2)), 0))
    assert headers([*found]) == ["BusNoise"]


def test_an_unplugged_bus_is_a_dead_sensor_and_lives_with_the_next_bytes() -> None:
    driver = bus()
    driver.frame(Frame("cctalk", CREDIT[:4], 0))
    found = driver.lost(EdgesLost("cctalk", Loss.UNPLUGGED, 10 * MS))
    assert [type(one) for one in found] == [BusNoise, SensorDead, BusLost]
    assert driver.lost(EdgesLost("other", Loss.UNPLUGGED, 10 * MS)) == []
    again = driver.frame(Frame("cctalk", CREDIT, 99 * MS))
    assert [type(one) for one in again] == [SensorAlive, BusMessage]


def test_other_links_are_none_of_it() -> None:
    assert bus().frame(Frame("shoe", CREDIT, 0)) == []
    assert bus().edges([]) == []


@given(st.lists(st.sampled_from([POLL, CREDIT, b"\x01", b"\x02\x90\x01", b"noise", b""]), max_size=8), st.data())
def test_however_the_stream_is_cut_the_messages_are_the_same(pieces: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    whole, cut = bus(), bus()
    first = [*whole.frame(Frame("cctalk", stream, 0)), *whole.due(200 * MS)]
    second: list[Observation] = []
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(stream)], strict=True)):
        second += cut.frame(Frame("cctalk", stream[start:end], number))
    second += cut.due(200 * MS)
    messages = [[one.header for one in found if isinstance(one, BusMessage)] for found in (first, second)]
    assert messages[0] == messages[1]


@given(st.lists(st.tuples(st.binary(max_size=40), st.integers(0, 80 * MS)), max_size=20))
def test_no_bytes_break_the_driver(pieces: list[tuple[bytes, int]]) -> None:
    driver, t_ns = bus(), 0
    for data, later_ns in pieces:
        t_ns += later_ns
        driver.frame(Frame("cctalk", data, t_ns))
    driver.due(t_ns + 60 * MS)
    assert driver.next_due_ns is None
