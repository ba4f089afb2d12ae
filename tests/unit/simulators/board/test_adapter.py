"""The USB-serial chip: when it passes its bytes on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulators.board.adapter import EXACT, Adapter, UsbSerial
from tests.fakes.adapters import CH340, FTDI

MS = 1_000_000
BYTE_NS = 40_000


def timed(data: bytes, start_ns: int = 0) -> list[tuple[int, int]]:
    return [(start_ns + (i + 1) * BYTE_NS, byte) for i, byte in enumerate(data)]


def all_of(usb: UsbSerial) -> list[tuple[int, bytes]]:
    """Advances time until nothing is left."""
    given_: list[tuple[int, bytes]] = []
    while (ready_ns := usb.ready_ns) is not None:
        if data := usb.give(ready_ns):
            given_.append((ready_ns, data))
    return given_


def test_a_frame_is_there_when_its_last_byte_ended() -> None:
    usb = UsbSerial(EXACT, 0)
    usb.take(timed(b"abc\0de\0"))
    assert all_of(usb) == [(4 * BYTE_NS, b"abc\0"), (7 * BYTE_NS, b"de\0")]


def test_bytes_without_an_end_are_handed_over_after_the_timer() -> None:
    usb = UsbSerial(EXACT, 0)
    usb.take(timed(b"abc"))
    assert usb.ready_ns == BYTE_NS + EXACT.timer_ns
    assert usb.give(usb.ready_ns - 1) == b""
    assert all_of(usb) == [(BYTE_NS + EXACT.timer_ns, b"abc")]


def test_bytes_after_the_timers_time_are_another_packet() -> None:
    usb = UsbSerial(Adapter(None, 62, MS), 0)
    usb.take(timed(b"ab") + timed(b"cd", 2 * MS))
    assert [data for _, data in all_of(usb)] == [b"ab", b"cd"]


def test_a_full_packet_does_not_wait() -> None:
    usb = UsbSerial(Adapter(None, 32, 16 * MS), 0)
    usb.take(timed(bytes(range(70))))
    assert [(t_ns, len(data)) for t_ns, data in all_of(usb)] == [
        (32 * BYTE_NS, 32),
        (64 * BYTE_NS, 32),
        (65 * BYTE_NS + 16 * MS, 6),
    ]


def test_room_is_how_many_bytes_may_follow_before_a_packet_closes() -> None:
    usb = UsbSerial(CH340, 0)
    assert usb.room == 1
    usb.take(timed(b"x"))
    assert usb.room == 31


def test_what_it_has_is_lost_with_the_cable() -> None:
    usb = UsbSerial(FTDI, 0)
    usb.take(timed(b"x" * 100))
    usb.forget()
    assert usb.ready_ns is None


@given(
    gaps=st.lists(st.integers(BYTE_NS, 30 * MS), max_size=200),
    adapter=st.sampled_from([EXACT, FTDI, CH340]),
    seed=st.integers(0, 9),
)
def test_every_byte_comes_once_in_order_and_in_time(gaps: list[int], adapter: Adapter, seed: int) -> None:
    usb = UsbSerial(adapter, seed)
    t_ns, sent = 0, []
    for i, gap in enumerate(gaps):
        t_ns += gap
        sent.append((t_ns, i & 255))
    usb.take(sent)
    given_ = all_of(usb)
    assert b"".join(data for _, data in given_) == bytes(byte for _, byte in sent)
    place, longest_ns = 0, adapter.timer_ns + adapter.delay_ns + adapter.jitter_ns
    for ready_ns, data in given_:
        first_ns, last_ns = sent[place][0], sent[place + len(data) - 1][0]
        assert last_ns <= ready_ns <= first_ns + longest_ns
        place += len(data)
    assert [ready_ns for ready_ns, _ in given_] == sorted(ready_ns for ready_ns, _ in given_)
