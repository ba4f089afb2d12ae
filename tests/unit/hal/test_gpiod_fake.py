"""The fake below `gpiod` does what libgpiod's documentation and the kernel's uAPI say, and has the real signatures."""

from __future__ import annotations

import ast
import errno
import inspect
import select
from collections.abc import Iterator
from pathlib import Path

import gpiod
import pytest
from gpiod.line import Direction, Edge, Value

from tests.fakes.fake_gpiod import (
    ExtChip,
    ExtLineConfig,
    ExtRequest,
    FakeChip,
    FakeKernel,
    WouldBlockError,
)

INPUT = gpiod.LineSettings(direction=Direction.INPUT, edge_detection=Edge.BOTH)


@pytest.fixture
def kernel() -> Iterator[FakeKernel]:
    kernel = FakeKernel()
    with kernel.installed():
        yield kernel


@pytest.fixture
def chip(kernel: FakeKernel) -> FakeChip:
    return kernel.add_chip()


def request(chip: FakeChip, *lines: int | str, **settings: object) -> gpiod.LineRequest:
    config = gpiod.LineSettings(**{"direction": Direction.INPUT, "edge_detection": Edge.BOTH, **settings})  # type: ignore[arg-type]
    return gpiod.request_lines(chip.path, {lines: config}, consumer="test")


@pytest.mark.parametrize(("name", "fake"), [("Chip", ExtChip), ("Request", ExtRequest), ("LineConfig", ExtLineConfig)])
def test_the_fake_has_the_methods_and_parameters_of_the_real_extension(name: str, fake: type) -> None:
    stub = ast.parse((Path(gpiod.__file__).parent / "_ext.pyi").read_text())
    real = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == name)
    for method in (node for node in real.body if isinstance(node, ast.FunctionDef)):
        mine = inspect.getattr_static(fake, method.name)
        if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in method.decorator_list):
            assert isinstance(mine, property), method.name
        elif method.name != "__init__":  # A test makes the fakes by other means.
            assert list(inspect.signature(mine).parameters) == [arg.arg for arg in method.args.args], method.name


def test_the_package_sees_the_fake_only_while_it_is_installed() -> None:
    kernel = FakeKernel()
    path = kernel.add_chip("mine").path
    with kernel.installed(), gpiod.Chip(path) as chip:
        assert chip.get_info() == gpiod.ChipInfo("gpiochip0", "mine", 58)
    with pytest.raises(FileNotFoundError):
        gpiod.Chip(path)


def test_a_chip_that_may_not_be_opened_says_so(chip: FakeChip) -> None:
    chip.openable = False
    with pytest.raises(PermissionError):
        gpiod.Chip(chip.path)


def test_lines_are_had_by_name_and_by_offset(chip: FakeChip) -> None:
    chip.drive(17, 1, 0)
    with request(chip, "GPIO17", 4) as lines:
        assert lines.offsets == [17, 4]
        assert lines.get_value("GPIO17") is Value.ACTIVE
        assert lines.get_values() == [Value.ACTIVE, Value.INACTIVE]


def test_a_line_belongs_to_one_request_until_it_is_released(chip: FakeChip) -> None:
    first = request(chip, 17)
    with pytest.raises(OSError) as refused:
        request(chip, 17)
    assert refused.value.errno == errno.EBUSY
    with gpiod.Chip(chip.path) as opened:
        info = opened.get_line_info(17)
        assert (info.used, info.consumer) == (True, "test")
    first.release()
    request(chip, 17).release()


def test_a_released_request_says_so(chip: FakeChip) -> None:
    lines = request(chip, 17)
    lines.release()
    with pytest.raises(gpiod.RequestReleasedError):
        lines.read_edge_events()
    with pytest.raises(gpiod.RequestReleasedError):
        lines.get_values()


def test_edges_become_events_with_numbers_from_one(chip: FakeChip) -> None:
    rising, falling = gpiod.EdgeEvent.Type.RISING_EDGE, gpiod.EdgeEvent.Type.FALLING_EDGE
    with request(chip, 17, 27) as lines:
        chip.drive(17, 1, 10)
        chip.drive(27, 1, 20)
        chip.drive(17, 1, 25)  # No edge.
        chip.drive(17, 0, 30)
        events = lines.read_edge_events()
    assert [(e.event_type, e.timestamp_ns, e.line_offset, e.global_seqno, e.line_seqno) for e in events] == [
        (rising, 10, 17, 1, 1),
        (rising, 20, 27, 2, 1),
        (falling, 30, 17, 3, 2),
    ]


def test_only_the_edges_requested_become_events(chip: FakeChip) -> None:
    with request(chip, 17, edge_detection=Edge.RISING) as lines:
        chip.drive(17, 1, 10)
        chip.drive(17, 0, 20)
        assert [event.timestamp_ns for event in lines.read_edge_events()] == [10]
    with request(chip, 17, edge_detection=Edge.NONE) as lines:
        chip.drive(17, 1, 10)
        assert not lines.wait_edge_events(0)


def test_the_descriptor_is_readable_exactly_while_events_are_pending(chip: FakeChip) -> None:
    with request(chip, 17) as lines:
        poll = select.poll()
        poll.register(lines.fd, select.POLLIN)
        assert poll.poll(0) == []
        assert not lines.wait_edge_events(0)
        chip.drive(17, 1, 10)
        chip.drive(17, 0, 20)
        assert lines.wait_edge_events(0)
        lines.read_edge_events(1)
        assert poll.poll(0) != []
        lines.read_edge_events(1)
        assert poll.poll(0) == []


def test_a_read_with_nothing_pending_would_block(chip: FakeChip) -> None:
    with request(chip, 17) as lines, pytest.raises(WouldBlockError):
        lines.read_edge_events()


def test_a_read_takes_64_events_unless_more_are_requested_and_buffered(chip: FakeChip) -> None:
    with gpiod.request_lines(chip.path, {(17,): INPUT}, event_buffer_size=1024) as lines:
        for n in range(1, 101):
            chip.drive(17, n % 2, n)
        assert len(lines.read_edge_events()) == 64
        assert len(lines.read_edge_events(1024)) == 36


def test_the_buffer_holds_16_events_a_line_by_default_and_drops_the_oldest(chip: FakeChip) -> None:
    with request(chip, 17) as lines:
        for n in range(1, 21):
            chip.drive(17, n % 2, n)
        events = lines.read_edge_events()
    assert [event.line_seqno for event in events] == list(range(5, 21))
    assert events[0].timestamp_ns == 5


def test_the_buffer_holds_1024_events_at_most(chip: FakeChip) -> None:
    with gpiod.request_lines(chip.path, {(17,): INPUT}, event_buffer_size=5000) as lines:
        for n in range(1, 1031):
            chip.drive(17, n % 2, n)
        events = lines.read_edge_events(5000)
    assert (len(events), events[0].line_seqno, events[-1].line_seqno) == (1024, 7, 1030)


def test_two_edges_in_one_interrupt_are_one_event_with_the_level_read_afterwards(chip: FakeChip) -> None:
    with request(chip, 17) as lines:
        chip.glitch(17, 10)
        [event] = lines.read_edge_events()
    assert (event.event_type, event.line_seqno) == (gpiod.EdgeEvent.Type.FALLING_EDGE, 1)


def test_active_low_turns_values_and_event_types_round(chip: FakeChip) -> None:
    with request(chip, 17, active_low=True) as lines:
        assert lines.get_value(17) is Value.ACTIVE
        chip.drive(17, 1, 10)
        assert lines.get_value(17) is Value.INACTIVE
        [event] = lines.read_edge_events()
        assert event.event_type is gpiod.EdgeEvent.Type.FALLING_EDGE


def test_an_output_has_its_value_from_the_start_and_when_it_is_set(chip: FakeChip) -> None:
    output = gpiod.LineSettings(direction=Direction.OUTPUT, output_value=Value.ACTIVE)
    with gpiod.request_lines(chip.path, {(22,): output}) as lines:
        assert chip.lines[22].level == 1
        lines.set_value(22, Value.INACTIVE)
        assert chip.lines[22].level == 0
    chip.drive(22, 1, 0)
    with request(chip, 22) as lines, pytest.raises(PermissionError):
        lines.set_value(22, Value.INACTIVE)


def test_a_chip_that_was_removed_makes_its_descriptor_readable_and_its_calls_fail(chip: FakeChip) -> None:
    with request(chip, 17) as lines:
        chip.unplug()
        assert lines.wait_edge_events(0)
        for call in (lines.read_edge_events, lines.get_values):
            with pytest.raises(OSError) as gone:
                call()
            assert gone.value.errno == errno.ENODEV
