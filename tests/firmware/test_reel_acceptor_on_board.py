"""Tokens of a reel board's own program on the emulated chip, as the reels' driver and actuator take them: each once."""

from __future__ import annotations

from typing import Final

from drivers.base.board_counter import AcceptSet, TokensCounted
from drivers.base.driver import Observation
from drivers.reels.actuator import ReelsActuator
from drivers.reels.reels import Reels, ReelsConfig
from hal.board.carried import RefusedCommand, carried, command_in
from hal.board.messages import CountsAnswer, CountsReport, RefusedAnswer
from hal.carried_link import CARRIED
from hal.values import Frame, SendFrame
from tests.firmware.kind_bench import KindBench
from tests.firmware.test_fram import EMPTY, READY_MS

LINK: Final = "reels"
CONFIG: Final = ReelsConfig(acceptor=True, pulse_ms=50)


class Service:
    """One life of a service, which continues from the counter that the one before has recorded."""

    def __init__(self, bench: KindBench, recorded: int | None, session: int) -> None:
        self.bench = bench
        self.driver, self.actuator = Reels(CONFIG), ReelsActuator(CONFIG)
        self.seen: list[Observation] = []
        assert self.actuator.acceptor is not None
        self.acceptor = self.actuator.acceptor
        self.acceptor.restore(recorded)
        self.acceptor.accept(True, bench.now_ns)
        bench.talks = False
        bench.run(READY_MS)
        bench.reported.clear()
        bench.open(session)
        bench.talks = True
        self._hear(carried(bench.identity()))

    def run(self, ms: float) -> None:
        """Lets time pass; what the board reported is taken then."""
        self.bench.run(ms)
        reports = [one.report for one in self.bench.reported]
        self.bench.reported.clear()
        for report in reports:
            if isinstance(report, CARRIED["reel"]):
                self._hear(carried(report))

    def _hear(self, data: bytes) -> None:
        for one in self.driver.frame(Frame(LINK, data, self.bench.now_ns)):
            self.seen += self.actuator.observe(one) if type(one) in self.actuator.observes else [one]
        outputs, self.actuator.outputs = self.actuator.outputs, []
        for output in outputs:
            assert isinstance(output, SendFrame)
            self._send(output.data)

    def _send(self, data: bytes) -> None:
        """As the link does it: what was asked for is carried as a report, and a refusal with its command."""
        command = command_in(data)
        answer = self.bench.say(command)
        if isinstance(answer, CountsAnswer):
            self._hear(carried(CountsReport(answer.first, answer.second, answer.third, answer.fourth)))
        elif isinstance(answer, RefusedAnswer):
            self._hear(carried(RefusedCommand(answer.why, command)))

    @property
    def tokens(self) -> int:
        """What it has credited."""
        return sum(one.tokens for one in self.seen if isinstance(one, TokensCounted))

    @property
    def recorded(self) -> int:
        """The counter of its last record."""
        return [one.counter for one in self.seen if isinstance(one, TokensCounted | AcceptSet)][-1]


def test_tokens_are_each_counted_once_over_power_cuts_of_service_and_board() -> None:
    with KindBench("reel", fram=EMPTY, session=None) as bench:
        first = Service(bench, None, 1)
        assert bench.output("accept") == 1
        for number in range(2):
            bench.pulse("token", 50, 10 + number * 120)
        bench.pulse("token", 30, 250)  # of another width: no token
        first.run(400)
        assert first.tokens == 2
        # The service is gone; its dead-man ends the acceptor, after a token that was in it.
        bench.talks = False
        bench.pulse("token", 50, 10)
        bench.run(600)
        assert bench.output("accept") == 0
        second = Service(bench, first.recorded, 2)
        assert (second.tokens, bench.output("accept")) == (1, 1)
        bench.pulse("token", 50, 10)
        second.run(100)
        assert second.tokens == 2
        # The board loses its power with a token that the service has not recorded.
        bench.pulse("token", 50, 10)
        bench.run(100)
        eeprom, fram = bench.board.power_cut(), bench.board.fram
    with KindBench("reel", eeprom=eeprom, fram=fram, session=None) as later:
        third = Service(later, second.recorded, 3)
        assert (third.tokens, later.output("accept")) == (1, 1)
        third.run(50)
        assert third.tokens == 1
    # A board with another memory is a doubt, and no windfall.
    with KindBench("reel", fram=EMPTY, session=None) as other:
        fourth = Service(other, third.recorded, 4)
        assert fourth.tokens == 0
        assert any(one.doubt for one in fourth.seen if isinstance(one, TokensCounted))
