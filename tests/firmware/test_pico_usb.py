"""The firmware on an emulated Pico whose own USB is its line: enumeration, the link, bad requests, a bus that fails.

The host is simulators/board/rp2040/usb_host.mjs, packet by packet: a packet with the wrong toggle, length or address is
a problem of the board, and fails the test. What it cannot show is in docs/boards-pico.md.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.board_rig import BEGINS_NS, hear
from feed import events
from hal.board import frames
from hal.board.chips import RP2040_USB
from hal.board.messages import (
    AliveCommand,
    IdentifyCommand,
    IdentityAnswer,
    NameBoardCommand,
    OkAnswer,
    OpenCommand,
    SetCommand,
    StateReport,
)
from tests.fakes.time_limits import HANG_S
from tests.firmware import emulated, test_examples_on_boards, test_pico
from tests.firmware.avr_board import TICK_NS, AvrBoard, at_rate
from tests.firmware.edge_patterns import INPUTS, Wires, batches
from tests.firmware.emulated import MS, board
from tests.firmware.inspected_board import InspectedBoard
from tests.firmware.live_evening import example
from tests.firmware.test_examples_on_boards import PlayedOnBoards, result_of, results_of

DESCRIPTOR, ADDRESS, CONFIGURATION = 6, 5, 9
ROUNDS = {"money_wheel_pico": 12, "token_pusher_pico": 6}
IDENTIFY = frames.END + frames.encode(0, IdentifyCommand())


@pytest.fixture(autouse=True)
def by_usb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated, "CHIP", RP2040_USB.name)


def request(kind: int, what: int, value: int = 0, index: int = 0, length: int = 0) -> bytes:
    """The eight bytes of a request."""
    return bytes((kind, what)) + b"".join(each.to_bytes(2, "little") for each in (value, index, length))


def ask(pico: InspectedBoard, packet: bytes, out: bytes = b"") -> tuple[str, bytes]:
    """How a control transfer ended, and what the board gave."""
    pico.usb("control", packet.hex(), out.hex())
    for _ in range(50):
        pico.run_until(pico.now_ns + MS // 10)
        answer: list[Any] | None = pico.usb("answer")
        if answer is not None:
            return answer[0], bytes(answer[1])
    raise AssertionError(f"no end of {packet.hex(' ')}")


def bare(kind: str = "wheel") -> InspectedBoard:
    """A board that no operating system enumerates: reset, and nothing else."""
    pico = board(kind)
    pico.usb("auto", False)
    pico.run_until(60 * MS)
    return pico


def texts(said: dict[str, Any]) -> list[str]:
    return [bytes(text[2:]).decode("utf-16-le") for text in said["texts"]]


def identity(pico: AvrBoard) -> IdentityAnswer:
    answer = pico.tell(IdentifyCommand())
    assert isinstance(answer, IdentityAnswer)
    return answer


def test_a_host_finds_a_serial_port_by_its_descriptors() -> None:
    with AvrBoard(chip=board("wheel")) as pico:
        said = pico.chip.usb("said")
        assert said["configured"]
        assert identity(pico).kind == 1
    device, whole = bytes(said["device"]), bytes(said["configuration"])
    assert (len(device), device[4], device[7], device[17]) == (18, 2, 64, 1)
    assert device[16] == 0, "it has no number yet"
    assert texts(said) == ["Feltwire", "board"]
    found = []
    while whole:
        found.append(whole[: whole[0]])
        whole = whole[whole[0] :]
    interfaces = [(each[2], each[4], each[5], each[6]) for each in found if each[1] == 4]
    endpoints = [(each[2], each[3], each[4]) for each in found if each[1] == 5]
    assert interfaces == [(0, 1, 2, 2), (1, 2, 10, 0)]
    assert endpoints == [(0x82, 3, 8), (0x01, 2, 64), (0x81, 2, 64)]
    assert [each[2] for each in found if each[1] == 0x24] == [0, 1, 2, 6]


def test_the_host_of_the_emulator_itself_finds_it_too() -> None:
    with board("wheel") as pico:
        pico.usb("other")
        pico.run_until(45 * MS)
        assert answers(pico)


def test_the_number_that_a_board_was_given_is_in_its_name() -> None:
    with AvrBoard(chip=board("wheel")) as pico:
        pico.tell(OpenCommand(1))
        assert pico.tell(NameBoardCommand(1_234_567_890)) == OkAnswer()
        pico.chip.usb("reset")
        pico.run(10 * MS)
        assert texts(pico.chip.usb("said")) == ["Feltwire", "board", "1234567890"]


def test_edges_are_dated_as_on_a_serial_line() -> None:
    assert 0 < test_pico.play_random_edges(500) < MS // 10, "an answer comes after the time that it names"


def test_outputs_are_off_as_soon_as_on_a_serial_line() -> None:
    test_pico.test_outputs_are_off_before_the_host_was_silent_for_half_a_second()


def test_both_ways_at_once_lose_nothing() -> None:
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        edges = at_rate(pico, 30_000, 1_000, INPUTS)
        pico.chip.usb("write", (IDENTIFY * 500).hex())
        stream = pico.play(edges)
        said = [message for _, _, message in pico.said if isinstance(message, IdentityAnswer)]
        assert (len(said), pico.chip.usb("said")["unsent"]) == (500, 0)
    assert (stream.missing, stream.lost) == (0, 0)
    assert [(edge.line, edge.level) for edge in stream.told] == [(edge.line, edge.level) for edge in edges]


def test_a_host_that_does_not_read_loses_no_frame_in_part_and_is_told_what_was_lost() -> None:
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        pico.chip.usb("deaf", True)
        edges = at_rate(pico, 10_000, 2_000, INPUTS)
        pico.chip.drive_many([(pico.pin(edge.line), edge.level, round(edge.t_ns)) for edge in edges])
        pico.run(250 * MS)
        pico.chip.usb("deaf", False)
        pico.live(60 * MS)
        assert pico.state().lost > 1_000
        assert pico.chip.resets == 0


def test_a_service_s_link_has_every_edge_within_the_bound_that_it_states(tmp_path: Path) -> None:
    wires = Wires(INPUTS)
    edges = list(islice(wires.steady(BEGINS_NS, 5_000, 60), 200))
    with board("wheel") as pico:
        heard = hear(pico, tmp_path / "port", wires.lines, batches(edges), edges[-1].t_ns)
    assert (heard.lost, heard.missing) == ([], 0)
    wrong_ns = [abs(told.t_ns - edge.t_ns) for told, edge in zip(heard.edges, edges, strict=True)]
    assert max(wrong_ns) <= max(heard.errors_ns) < 2 * MS


@pytest.mark.soak
@pytest.mark.timeout(HANG_S)
@pytest.mark.parametrize("name", ROUNDS)
def test_an_evening_of_a_service_is_played_by_usb(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = example(name)
    for section in values["board"].values():
        section["chip"] = RP2040_USB.name
    monkeypatch.setattr(test_examples_on_boards, "example", lambda name: values)
    table = PlayedOnBoards(name, tmp_path, rounds=ROUNDS[name])
    said = table.run()
    assert said.of(events.DeviceFault) == [], said.story()
    assert [result_of(outcome) for outcome in said.of(events.Outcome)] == results_of(table.truths), said.story()


KNOWN = [
    request(0x80, DESCRIPTOR, 0x0100, 0, 18),
    request(0x80, DESCRIPTOR, 0x0100, 0, 8),
    request(0x80, DESCRIPTOR, 0x0200, 0, 0xFFFF),
    request(0x80, DESCRIPTOR, 0x0200, 0, 64),
    request(0x80, DESCRIPTOR, 0x0302, 0x0409, 255),
    request(0x80, 8, 0, 0, 1),
    request(0x80, 0, 0, 0, 2),
    request(0x81, 0, 0, 1, 2),
    request(0x82, 0, 0, 0x81, 2),
    request(0x02, 1, 0, 0x81),
    request(0x02, 1, 0, 1),
    request(0x01, 11, 0, 1),
    request(0x81, 10, 0, 1, 1),
    request(0xA1, 0x21, 0, 0, 7),
    request(0x21, 0x22, 0, 0),
]
UNKNOWN = [
    request(0x80, DESCRIPTOR, 0x0101, 0, 18),  # there is one device
    request(0x80, DESCRIPTOR, 0x0201, 0, 255),
    request(0x80, DESCRIPTOR, 0x0303, 0x0409, 255),  # it has no number
    request(0x80, DESCRIPTOR, 0x0600, 0, 10),  # of another speed
    request(0x80, DESCRIPTOR, 0x0100, 0, 0),
    request(0x00, ADDRESS, 128),
    request(0x00, CONFIGURATION, 2),
    request(0x02, 3, 0, 0x81),  # to halt an endpoint
    request(0x02, 1, 0, 0x83),
    request(0x01, 11, 1, 1),
    request(0x21, 0x23, 0xFFFF),  # a break
    request(0x21, 0x20, 0, 0, 6),
    request(0xC0, 1, 0, 0, 18),
    request(0x40, 0xFF, 0xFFFF, 0xFFFF, 0xFFFF),
]


def configured(pico: InspectedBoard) -> None:
    """What an operating system does, in a few words."""
    pico.usb("reset")
    pico.run_until(pico.now_ns + MS)
    assert ask(pico, request(0, ADDRESS, 5)) == ("ok", b"")
    pico.usb("address", 5)
    ended, whole = ask(pico, request(0x80, DESCRIPTOR, 0x0200, 0, 255))
    assert ended == "ok"
    pico.usb("endpoints", list(whole))
    assert ask(pico, request(0, CONFIGURATION, 1)) == ("ok", b"")
    pico.usb("open")


def answers(pico: InspectedBoard) -> bool:
    """Whether it says who it is."""
    pico.take_sent()
    pico.receive(IDENTIFY)
    pico.run_until(pico.now_ns + 5 * MS)
    pieces = bytes(byte for _, byte in pico.take_sent()).split(b"\0")
    return any(piece and frames.decode(piece).id == IdentityAnswer.id for piece in pieces)


def test_a_request_that_is_none_is_refused_and_one_that_is_is_answered() -> None:
    with bare() as pico:
        configured(pico)
        coding = bytes((0x40, 0x42, 0x0F, 0, 0, 0, 8))
        assert ask(pico, request(0x21, 0x20, 0, 0, 7), coding) == ("ok", b"")
        assert ask(pico, request(0xA1, 0x21, 0, 0, 7)) == ("ok", coding)
        for packet in UNKNOWN:
            assert ask(pico, packet, bytes(7)[: packet[6]])[0] == "stall", packet.hex(" ")
            ended, _ = ask(pico, Random(1).choice(KNOWN))
            assert ended == "ok"
        for packet in KNOWN:
            ended, gave = ask(pico, packet)
            length = int.from_bytes(packet[6:], "little")
            assert (ended, len(gave) <= length) == ("ok", True), packet.hex(" ")
        assert answers(pico)


@pytest.mark.parametrize("clears", [[request(0x02, 1, 0, 1), request(0x02, 1, 0, 0x81)], [request(0x01, 11, 0, 1)]])
def test_the_host_counts_packets_anew(clears: list[bytes]) -> None:
    with bare() as pico:
        for packets in range(2):  # both ways: it refuses what comes without a session
            configured(pico)
            for _ in range(packets):
                pico.usb("write", (frames.END + frames.encode(1, AliveCommand())).hex())
                pico.run_until(pico.now_ns + 5 * MS)
            for packet in clears:
                assert ask(pico, packet) == ("ok", b"")
            pico.usb("open")
            assert answers(pico)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 12))])
def test_requests_of_any_bytes_end_and_leave_the_board_as_it_was(seed: int) -> None:
    draw = Random(seed)
    with bare() as pico:
        configured(pico)
        ended = []
        for _ in range(250):
            packet = bytearray(draw.choice(KNOWN + UNKNOWN) if draw.random() < 0.7 else draw.randbytes(8))
            if draw.random() < 0.5:
                packet[draw.randrange(8)] = draw.randrange(256)
            if packet[:2] in (bytes((0, ADDRESS)), bytes((0, CONFIGURATION))):
                continue
            out = draw.randbytes(min(int.from_bytes(packet[6:], "little"), 64)) if packet[0] < 0x80 else b""
            ended.append(ask(pico, bytes(packet), out)[0])
        assert {"ok", "stall"} == set(ended)
        configured(pico)
        assert answers(pico)
        assert pico.resets == 0


@pytest.mark.parametrize("cut", ["reset", "suspend", "unplug"])
def test_a_bus_that_fails_in_the_middle_of_a_frame_is_a_lost_link(cut: str) -> None:
    with AvrBoard(watch=0xFF, chip=board("wheel")) as pico:
        assert pico.tell(SetCommand(1, 255, 0)) == OkAnswer()
        assert pico.tell(AliveCommand()) == OkAnswer()
        heard_ns = pico.chip.now_ns
        pico.chip.take_changes()
        alive = frames.encode(9, AliveCommand())
        pico.chip.usb("write", alive[:4].hex())
        pico.run(MS // 5)
        pico.chip.usb(cut, *([] if cut == "reset" else [True]))
        pico.run(600 * MS)
        off = [change.t_ns for change in pico.chip.take_changes() if (change.pin, change.level) == ("B0", 0)]
        assert len(off) == 1
        assert 497 * MS <= off[0] - heard_ns < 500 * MS
        if cut != "reset":
            pico.chip.usb(cut, False)
        before, ticks = len(pico.said), pico.chip.now_ns // TICK_NS
        pico.run(20 * MS)
        old = [state for state in pico.reports(StateReport, before) if state.time < ticks - 20 * MS // TICK_NS]
        assert len(old) <= 3, "what waited is forgotten, except for the packet that the controller had"
        assert pico.chip.usb("said")["configured"]
        pico._bytes.clear()
        pico.chip.usb("write", frames.END.hex())
        assert identity(pico).kind == 1
        pico.tell(OpenCommand(2))
        assert pico.tell(SetCommand(1, 255, 0)) == OkAnswer()
        assert pico.chip.output("B0") == 1
        assert pico.chip.resets == 0


def test_a_board_that_restarts_is_found_anew() -> None:
    with AvrBoard(chip=board("wheel")) as pico:
        pico.chip.reset()
        pico.run(60 * MS)
        assert pico.chip.resets == 1
        assert pico.chip.usb("said")["configured"]
        assert identity(pico).kind == 1
