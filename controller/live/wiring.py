"""Opens what a live table's configuration names: its lines, its boards, its links and its lamps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from controller.configuration.sections import Parity
from controller.configuration.values import TableConfig
from controller.games.assembly import framed_by_device
from controller.games.base.spec import spec_of
from controller.live.board_watch import WatchedLink
from drivers.dealer.indicators import NumberDisplay
from hal.backend_spec import Pins
from hal.backends.reopening import ReopeningLines
from hal.board.errors import BoardError
from hal.board.message import MessageError
from hal.clock import Clock
from hal.framing import LineFramer
from hal.lines import LineError, LineSource
from hal.outputs import Outputs
from hal.values import Output, RunMotor, SendFrame, SetLine

if TYPE_CHECKING:
    from hal.carried_link import CarriedLink
    from hal.lamp_chain import LampChain
    from hal.serial_link import SerialLink
    from simulators.base.source import SimulatedSource


@dataclass
class Wiring:
    """The open ends of one table."""

    sources: list[LineSource] = field(default_factory=list)
    reopening: list[ReopeningLines] = field(default_factory=list)
    """Those of the sources that open their chip again by themselves."""
    links: dict[str, SerialLink] = field(default_factory=dict)
    outputs: Outputs | None = None
    """The outputs on pins of the Pi."""
    boards: dict[str, WatchedLink] = field(default_factory=dict)
    """The boards, by their names in the file."""
    board_outputs: dict[str, Outputs] = field(default_factory=dict)
    """The outputs of each board that has some."""
    output_of: dict[str, str] = field(default_factory=dict)
    """Which board has an output; none for one on a pin."""
    carried: dict[str, CarriedLink] = field(default_factory=dict)
    """The links whose messages boards carry, by their names."""
    chains: dict[str, LampChain] = field(default_factory=dict)
    """The chains of lamps, which hang on boards, by their names."""
    simulated: SimulatedSource | None = None
    """The simulated devices, which receive every output."""
    failure: LineError | None = None
    """Why this computer cannot have the wires at all."""
    read_only: bool = False
    """Whether nothing real is driven: no output is claimed, and what the table commands is dropped."""
    shown: Callable[[Output], None] = lambda command: None
    """Is shown what the table commands, as the bench wants it."""

    @property
    def display(self) -> SerialLink | None:
        """The display of the winning number, which is only sent to."""
        return self.links.get(NumberDisplay.link)

    def reclaim_outputs(self) -> None:
        """Claims the outputs on pins again, safe: a chip went and is back."""
        if self.outputs is not None:
            self.outputs.reclaim()

    def open_outputs(self) -> None:
        """Claims the outputs and makes them safe.

        Raises:
            LineError: one cannot be opened.
        """
        for outputs in self._driven():
            outputs.open()

    def show(self, command: Output) -> None:
        """Does something at an output; a lamp that is not wired shows nothing.

        Raises:
            LineError: the output is held safe, or cannot be written; or the lamps cannot be set.
            LinkError: the link is down.
        """
        self.shown(command)
        if self.simulated is not None:
            self.simulated.command(command)
        elif self.read_only:
            return
        elif isinstance(command, SendFrame) and command.link in self.carried:
            try:
                self.carried[command.link].send(command.data)
            except (BoardError, MessageError) as error:
                raise LineError(f"link {command.link}: {error}") from error
        elif isinstance(command, SendFrame):
            self.links[command.link].write(command.data)
        elif isinstance(command, SetLine):
            self._set(command.line, 1.0 if command.on else 0.0)
        elif isinstance(command, RunMotor):
            self._set(command.motor, command.speed)
        elif command.chain in self.chains:
            try:
                self.chains[command.chain].light(command.lit)
            except (BoardError, ValueError) as error:
                raise LineError(f"lamps {command.chain}: {error}") from error
        else:
            raise LineError(f"lamps {command.chain}: they are on no board; add a board of the kind table")

    def _set(self, name: str, value: float) -> None:
        outputs = self.board_outputs.get(self.output_of.get(name, ""), self.outputs)
        if outputs is not None and name in outputs.names:
            outputs.show(name, value)

    def close(self) -> None:
        """Makes the outputs safe, then lets everything go, whatever of it fails."""
        with ExitStack() as closing:
            for source in self.sources:
                # Those that failed too: they still hold what they had.
                closing.callback(source.close)
            if self.display is not None:
                closing.callback(self.display.close)
            for outputs in self._driven():
                # Called first: the stack is undone from its end.
                closing.callback(outputs.close)

    @property
    def all_outputs(self) -> list[Outputs]:
        """Those on pins of the Pi, then those of boards."""
        return [*([] if self.outputs is None else [self.outputs]), *self.board_outputs.values()]

    def _driven(self) -> list[Outputs]:
        return [] if self.read_only else self.all_outputs


PARITY: Mapping[Parity, str] = {"none": "N", "even": "E", "odd": "O"}
"""As `hal.serial_link` has it."""


def wire(config: TableConfig, clock: Clock, faults: Mapping[int | None, str], seed: int) -> Wiring:
    """Makes everything that a table's configuration names. Nothing is opened yet.

    `faults` and `seed` are for simulated devices, which are imported only where the configuration asks for them.

    Raises:
        LineError: this computer cannot have such lines or links.
    """
    if config.backend.simulated:
        simulated = _simulated(config, clock, faults, seed)
        return Wiring(sources=[simulated], simulated=simulated)
    wiring = Wiring()
    for name in config.links:
        wiring.links[name] = _link(name, config, clock)
    wiring.sources += [link for name, link in wiring.links.items() if name != NumberDisplay.link]
    inputs = [pin.spec() for line, pin in config.pins.items() if config.uses[line].kind == "input"]
    driven = {line: use.drives for line, use in config.uses.items() if use.kind == "output"}
    outputs = [pin.output_spec(driven[line]) for line, pin in config.pins.items() if line in driven]
    if config.backend.open is not None:
        opened = config.backend.open(Pins(config.id, inputs, outputs, config.lines.factory), clock)
        wiring.reopening += [ReopeningLines(source, clock) for source in opened.sources]
        if opened.writer is not None:
            wiring.outputs = Outputs(outputs, opened.writer, clock)
    if config.backend.on_boards:
        for name in config.boards:
            _wire_board(name, config, wiring, clock)
    wiring.sources += wiring.reopening
    return wiring


def _link(name: str, config: TableConfig, clock: Clock) -> SerialLink:
    from hal.serial_link import SerialLink, SerialSettings

    link = config.links[name]
    settings = SerialSettings(baudrate=link.baud, parity=PARITY[link.parity])
    return SerialLink(name, link.port, clock, framed_by_device(name, config) or LineFramer(), settings)


def _wire_board(name: str, config: TableConfig, wiring: Wiring, clock: Clock) -> None:
    """Adds one board: its link, its lines, and its outputs."""
    from controller.configuration.lamp_chains import board_of_lamps
    from controller.live.board_lines import analogues_of, inputs_of, outputs_of
    from hal.backends.board import BoardLines
    from hal.board.chips import CHIPS
    from hal.board.identity import ExpectedBoard
    from hal.board.link import BoardLink
    from hal.board.messages import KINDS, MotorLimitCommand
    from hal.carried_link import CARRIED, CarriedLink
    from hal.lamp_chain import LampChain
    from hal.lamp_fields import CHAIN
    from hal.outputs_board import BoardOutputs, motor_reading

    board = config.boards[name]
    expected = ExpectedBoard(KINDS[board.kind], image=board.required_image, serial=board.serial)
    link = BoardLink(name, board.port, expected, clock, chip=CHIPS[board.chip])
    wiring.boards[name] = link
    if board_of_lamps(config.devices, config.boards) == name:
        alone = not outputs_of(config, name)
        chain = wiring.chains[CHAIN] = LampChain(link, name=f"{config.id}:{CHAIN}", acknowledges=alone)
        wiring.sources.append(chain)
    limit = 0 if board.motor_most_a is None else motor_reading(board.motor_most_a, board.reference_v)
    for carried in config.carried_by(name):
        wiring.carried[carried] = CarriedLink(
            carried,
            link,
            CARRIED[board.kind],
            clock,
            source=f"{config.id}:{carried}",
            settings=[MotorLimitCommand(limit)] if limit else [],
        )
        wiring.sources.append(wiring.carried[carried])
    inputs, analogues, outputs = inputs_of(config, name), analogues_of(config, name), outputs_of(config, name)
    if inputs or analogues:
        source_name = f"{config.id}:board.{name}"
        wiring.sources.append(BoardLines(inputs, link, clock, analogues=analogues, name=source_name))
    if outputs:
        wiring.board_outputs[name] = Outputs(outputs, BoardOutputs(outputs, link, motor_limit=limit), clock)
        wiring.output_of.update(dict.fromkeys((spec.name for spec in outputs), name))


def _simulated(config: TableConfig, clock: Clock, faults: Mapping[int | None, str], seed: int) -> SimulatedSource:
    from simulators.base.source import SimulatedSource

    simulator = spec_of(config).geometry(config).simulator(seed)
    return SimulatedSource(simulator, clock.now_ns(), dict(faults), name=f"{config.id}:sim")
