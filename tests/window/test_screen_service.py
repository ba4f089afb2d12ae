"""The running program of a screen, without a display: fingers, lines, frames; and a table that plays on it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import pytest

from controller.games.assembly import table_for
from drivers.base.driver import NEVER_NS
from drivers.screen.screen_wire import (
    LINK,
    LONGEST,
    SILENT_NS,
    Alive,
    FlipMade,
    FromScreen,
    Scene,
    ScreenHello,
    ScreenTrouble,
    Show,
    SpinReel,
    StopReel,
    Touched,
    from_screen,
    line_of,
)
from feed.events import DeviceFault, Outcome
from hal.clock import SystemClock, VirtualClock
from hal.framing import LineFramer
from hal.line_server import LineServer, Readable
from hal.lines import LineError
from hal.touch_panel import TouchEvent
from hal.values import Batch, Edge, Frame, SendFrame
from screen.program import ScreenProgram
from screen.service import ScreenService, listen
from screen.window import Window
from tests.tables.bench import configured
from tests.tables.video_machine import video_toml
from tests.window.display import CALL
from tests.window.scenes import set_up
from tests.window.test_window import LIMIT_S, opened

S: Final = 1_000_000_000
MS: Final = 1_000_000


class FakePanel:
    """A touch panel whose fingers are the test's."""

    name = "test panel"

    def __init__(self) -> None:
        self.touches: list[TouchEvent] = []
        self.gone = False
        self.dropped = 0
        self._pipe = os.pipe()

    def fileno(self) -> int:
        return self._pipe[0]

    def read(self) -> list[TouchEvent]:
        if self.gone:
            raise LineError("/dev/input/event0: the touch panel is gone")
        touches, self.touches = self.touches, []
        return touches

    def close(self) -> None:
        for descriptor in self._pipe:
            os.close(descriptor)


class UnhurriedServer(LineServer):
    """A server whose program never waits: its time is the test's."""

    def wait(self, for_ns: int, others: Iterable[Readable] = ()) -> None:
        """Looks, and goes on."""

    def await_input(self) -> None:
        """Waits until something has come."""
        super().wait(LIMIT_S * S)


class Bench:
    """A screen in this process, and the table's end of its link."""

    def __init__(self, turned: int = 0) -> None:
        self.clock = VirtualClock()
        self.window = Window((1920, 1080), whole=False)
        self.server = UnhurriedServer(0, longest=LONGEST)
        self.panel = FakePanel()
        self.displays: tuple[str, ...] | None = ("HDMI-A-1",)
        program = ScreenProgram("1", display="dummy", width=1920, height=1080, synchronised=False, touch="p")
        self.service = ScreenService(
            program,
            self.window,
            self.server,
            self.clock,
            panel=self.panel,
            turned=turned,
            displays=lambda: self.displays,
        )
        self.table = socket.create_connection(("127.0.0.1", self.server.port), timeout=LIMIT_S)
        self.server.await_input()
        self._framer = LineFramer(LONGEST)

    def turn(self, times: int = 1) -> list[FromScreen]:
        """This many turns of its loop, a frame apart; what the table hears of them."""
        self.turn_alone(times)
        self.table.setblocking(False)
        data = b""
        try:
            while more := self.table.recv(65_536):
                data += more
        except BlockingIOError:
            pass
        self.table.settimeout(LIMIT_S)
        return [from_screen(line) for line in self._framer.feed(data).frames]

    def turn_alone(self, times: int) -> None:
        """This many turns, whoever is connected."""
        for _ in range(times):
            self.clock.advance_to(self.clock.now_ns() + 17 * MS)
            self.service.step()

    def reconnect(self) -> None:
        """The table connects again."""
        self.table.close()
        self.table = socket.create_connection(("127.0.0.1", self.server.port), timeout=LIMIT_S)
        self._framer.reset()
        self.server.await_input()

    def tell(self, *lines: bytes) -> None:
        """The table sends lines."""
        self.table.sendall(b"".join(line + b"\n" for line in lines))
        self.server.await_input()

    def close(self) -> None:
        self.table.close()
        self.server.close()
        self.panel.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    one = Bench()
    yield one
    one.close()


def test_it_says_who_it_is_and_reports_nothing_before_it_is_set_up(bench: Bench) -> None:
    (hello,) = bench.turn(3)
    assert isinstance(hello, ScreenHello)
    assert (hello.width, hello.height, hello.synchronised) == (1920, 1080, False)


def test_while_a_reel_turns_every_frame_is_reported_and_else_twice_a_second(bench: Bench) -> None:
    bench.tell(line_of(set_up("video_fruit_3")), line_of(Show(scene=Scene(view="play", play=1))))
    still = [one for one in bench.turn(60) if isinstance(one, FlipMade)]
    assert 2 <= len(still) <= 5
    bench.tell(line_of(SpinReel(reel=2)))
    turning = [one for one in bench.turn(40) if isinstance(one, FlipMade)]
    assert len(turning) == 40
    numbers = [one.number for one in [*still, *turning]]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert {one.images[1] for one in turning} == {0, 1, 2, 3, 4, 5, 6}
    assert {one.images[0] for one in turning} == {0}


@pytest.mark.parametrize(
    ("turned", "x", "y"), [(0, 0.32, 0.775), (90, 0.225, 0.32), (180, 0.68, 0.225), (270, 0.775, 0.68)]
)
def test_a_finger_is_dated_by_the_kernel_and_hits_the_stop_below_it(turned: int, x: float, y: float) -> None:
    bench = Bench(turned)
    try:
        bench.tell(line_of(set_up("video_fruit_3")), line_of(Show(scene=Scene(view="play", play=1))))
        bench.turn(2)
        bench.panel.touches = [TouchEvent(123_456_789, True, x, y)]
        (touch,) = [one for one in bench.turn() if isinstance(one, Touched)]
    finally:
        bench.close()
    assert (touch.at, touch.down, touch.reel, touch.by) == (123_456_789, True, 2, "kernel")


def test_only_the_last_finger_that_is_lifted_frees_the_panel(bench: Bench) -> None:
    bench.tell(line_of(set_up("video_fruit_3")))
    bench.turn(2)
    bench.panel.touches = [TouchEvent(1, True, 0.1, 0.8), TouchEvent(2, True, 0.3, 0.8), TouchEvent(3, False, 0.1, 0.8)]
    assert [one.down for one in bench.turn() if isinstance(one, Touched)] == [True, True]
    bench.panel.touches = [TouchEvent(4, False, 0.3, 0.8)]
    assert [one.down for one in bench.turn() if isinstance(one, Touched)] == [False]


def test_a_panel_or_a_display_that_goes_is_reported(bench: Bench) -> None:
    bench.turn(2)
    bench.panel.gone = True
    bench.displays = ()
    found = [one for one in bench.turn(70) if isinstance(one, ScreenTrouble)]
    assert [(one.what, one.fails) for one in found] == [("touch", True), ("display", True)]
    bench.displays = ("HDMI-A-1",)
    assert [(one.what, one.fails) for one in bench.turn(70) if isinstance(one, ScreenTrouble)] == [("display", False)]


@pytest.mark.parametrize("seen", [False, True])
def test_a_panel_that_is_gone_is_reported_on_every_connection(bench: Bench, seen: bool) -> None:
    (hello,) = bench.turn(2)
    assert isinstance(hello, ScreenHello)
    assert hello.touch == "p"
    if not seen:
        bench.table.close()
        bench.turn_alone(2)
    bench.panel.gone = True
    bench.turn_alone(2)
    bench.reconnect()
    hello, trouble = bench.turn(3)
    assert isinstance(hello, ScreenHello)
    assert isinstance(trouble, ScreenTrouble)
    assert (hello.touch, trouble.what, trouble.fails) == ("", "touch", True)
    assert "event0" in trouble.detail


def test_events_of_the_panel_that_are_dropped_while_a_reel_turns_are_a_fault_that_can_be_cleared(bench: Bench) -> None:
    bench.tell(line_of(set_up("video_fruit_3")))
    bench.turn(2)
    bench.panel.dropped = 1
    assert [one for one in bench.turn(2) if isinstance(one, ScreenTrouble)] == [], "nothing was to be stopped"
    bench.tell(line_of(SpinReel(reel=1)))
    bench.turn(2)
    bench.panel.dropped = 2
    found = [one for one in bench.turn(3) if isinstance(one, ScreenTrouble)]
    assert [(one.what, one.fails) for one in found] == [("touch", True), ("touch", False)]
    assert "a press may be lost" in found[0].detail


def test_lines_that_are_no_messages_hurt_nothing(bench: Bench) -> None:
    bench.tell(
        b"{", b"\xff\xfe", b'{"is":"spin","reel":9}', b'{"is":"stop","reel":5,"image":3}', line_of(SpinReel(reel=1))
    )
    bench.turn(3)
    assert bench.service.refused == 3
    bench.tell(line_of(set_up("video_fruit_3")))
    assert [one for one in bench.turn(3) if isinstance(one, FlipMade)] != []


def test_a_model_or_an_image_that_cannot_be_shown_is_refused_and_changes_nothing(bench: Bench) -> None:
    good = set_up("video_fruit_3")
    wrongs: list[dict[str, object]] = [
        {"reels": [[], ["a"], ["a"]]},
        {"reels": [], "images": []},
        {"reels": [["a"] * 101] * 3},
        {"images": [0, 0]},
        {"images": [0, 20, 0]},
        {"lines": [[0, 0]]},
    ]
    for wrong in wrongs:
        bench.tell(line_of(msgspec.structs.replace(good, **wrong)))
        bench.turn()
    assert bench.service.refused == 6
    bench.tell(line_of(good), line_of(StopReel(reel=1, image=19)), line_of(StopReel(reel=2, image=20)))
    found = [one for one in bench.turn(3) if isinstance(one, FlipMade)]
    assert bench.service.refused == 7
    assert found[-1].images == [19, 0, 0]


def test_a_new_connection_begins_anew(bench: Bench) -> None:
    bench.tell(line_of(set_up("video_fruit_3")), line_of(SpinReel(reel=1)))
    bench.turn(5)
    bench.reconnect()
    found = bench.turn(5)
    assert [type(one) for one in found] == [ScreenHello]


def shown_by(bench: Bench) -> tuple[object, bool]:
    """What holds on the screen: the model, and whether the machine is shown as out of order."""
    program = bench.service._program
    return program.model, program.picture(bench.clock.now_ns()).lost is not None


@pytest.mark.parametrize("hangs", [True, False], ids=["it hangs", "it died"])
def test_a_table_that_is_silent_for_two_seconds_is_shown_as_out_of_order(bench: Bench, hangs: bool) -> None:
    bench.tell(line_of(set_up("video_fruit_3")), line_of(Show(scene=Scene(view="attract", play=7, credits=55))))
    bench.turn(3)
    if not hangs:
        bench.table.close()
    bench.turn_alone(SILENT_NS // (17 * MS) - 5)
    assert shown_by(bench)[1] is False
    bench.turn_alone(10)
    assert shown_by(bench) == (None, True)
    if hangs:
        assert bench.table.recv(1 << 20), "what it reported before"
        bench.table.settimeout(LIMIT_S)
        while bench.table.recv(1 << 20):
            pass  # it hangs up: a table that was only stopped sets it up again
    bench.reconnect()
    bench.turn(2)
    assert shown_by(bench) == (None, True), "nothing holds before it is set up"
    bench.tell(line_of(set_up("video_fruit_3")))
    bench.turn(2)
    assert shown_by(bench)[0] is not None
    assert shown_by(bench)[1] is False


def test_a_table_that_reports_that_it_runs_is_not_out_of_order_however_long_nothing_changes(bench: Bench) -> None:
    bench.tell(line_of(set_up("video_fruit_3")))
    for _ in range(6):
        bench.turn(60)
        bench.tell(line_of(Alive()))
    assert shown_by(bench)[1] is False


def test_a_server_of_the_screen_is_on_the_loopback() -> None:
    server = listen(0)
    assert isinstance(server, LineServer)
    server.close()


# --- a table that plays on it -----------------------------------------------------------------------------------------

STOPS: Final = ("stop_1", "stop_2", "stop_3")
PATIENT: Final = (
    '[device.screen]\nsynchronised = false\nstops = "buttons"\nsilent_ms = 10000\nlate_ms = 5000\nanswer_ms = 10000\n'
)
"""Of a computer that is busy with other tests, frames may be late."""


def test_a_table_plays_on_the_real_program() -> None:
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    arguments = ["screen", "--window", "--size", "640x480", "--touch", "none", "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-c", CALL, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            link = opened(process)
            outcome, flips = played(link)
            link.close()
        finally:
            process.terminate()
    assert outcome.evidence.images is not None
    assert outcome.evidence.pressed_ns is not None
    assert outcome.evidence.stopped_by == ["player"] * 3
    for reel, (image, press_ns) in enumerate(zip(outcome.evidence.images, outcome.evidence.pressed_ns, strict=True)):
        assert image is not None
        assert press_ns is not None
        assert outcome.result["stops"][reel] == image.image
        # What was lit 25 ms after the frame that the program reported before the press: that image, or the next.
        before = [flip for flip in flips if flip.made + 25 * MS <= press_ns + 20 * MS]
        assert image.image in {flip.images[reel] for flip in before[-12:]}


def played(link: object) -> tuple[Outcome, list[FlipMade]]:
    """A play in real time: a token, and each reel pressed for until it stands."""
    from tests.window.test_window import TableEnd

    assert isinstance(link, TableEnd)
    clock, flips = SystemClock(), list[FlipMade]()
    table = table_for(configured(video_toml("", PATIENT)), epoch="sim", simulated=True, opens=True)
    said = table.open(clock.now_ns())
    stop_ns = clock.now_ns() + LIMIT_S * S
    still, next_ns, table_ns = 0, NEVER_NS, clock.now_ns()
    while not (found := [one.data for one in said if isinstance(one.data, Outcome)]):
        assert clock.now_ns() < stop_ns, [one.data for one in said][-5:]
        message = link.next()
        # What the test does at the wires takes the table's time ahead of the clock for a moment.
        now_ns = max(clock.now_ns(), table_ns + 1)
        until_ns, edges = now_ns, list[Edge]()
        if isinstance(message, FlipMade):
            flips.append(message)
            still += message.images == [0, 0, 0] and not message.turning
            if still == 3 and next_ns == NEVER_NS:
                story = (("token_in_1", 1), ("token_in_2", 1), ("token_in_1", 0), ("token_in_2", 0))
                edges = [Edge(line, 0, now_ns) for line in ("token_in_1", "token_in_2", "door", *STOPS)]
                edges += [Edge(line, level, now_ns + (1 + n) * 20 * MS) for n, (line, level) in enumerate(story)]
                next_ns = now_ns + 1200 * MS
            elif now_ns > next_ns and message.turning:
                line = STOPS[message.turning[0] - 1]
                edges = [Edge(line, 1, now_ns), Edge(line, 0, now_ns + 30 * MS)]
                next_ns = now_ns + 700 * MS
            until_ns = edges[-1].t_ns if edges else now_ns
        said += table.feed(Batch(edges, [Frame(LINK, line_of(message), now_ns)], until_ns))
        table_ns = until_ns
        for output in table.outputs():
            if isinstance(output, SendFrame):
                link.send(output.data)
    assert [one.data.fault for one in said if isinstance(one.data, DeviceFault)] == []
    return found[0], flips
