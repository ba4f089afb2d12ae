"""`python -m simulators.board`: an emulated board on a pty, with a simulated table on its pins."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from hal.board.messages import KINDS
from simulators.base.faults import FaultError, fault_named
from simulators.base.geometry import Geometry
from simulators.board.emulated import EmulationError
from simulators.board.lines_to_pins import WiringError, wired, wired_in_order
from simulators.board.serve import serve
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.roulette.geometry import RouletteGeometry

GEOMETRIES: Final[Mapping[str, Geometry]] = {
    "money_wheel": MoneyWheelGeometry(),
    "roulette": RouletteGeometry(object_beams=0),
}


@click.command("simulators.board")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.option("--game", type=click.Choice(list(GEOMETRIES)), help="A simulated table on its pins; default: no table.")
@click.option("--port", required=True, type=click.Path(path_type=Path), help="The path under which its port appears.")
@click.option("--pin", "pins", metavar="LINE=INPUT", multiple=True, help="Which line is on which input.")
@click.option("--fault", metavar="NAME", help="A fault in every round.")
@click.option("--seed", type=int, default=1, show_default=True, help="Equal seeds play alike.")
@click.option("--speed", type=click.FloatRange(min=0.01), default=1.0, show_default=True, help="Times real time.")
@click.option("--elf", type=click.Path(path_type=Path), help="Another program than the firmware of this kind.")
@click.option("--eeprom", type=click.Path(path_type=Path), help="A file that keeps the board's non-volatile memory.")
def main(
    kind: str,
    game: str | None,
    port: Path,
    pins: tuple[str, ...],
    fault: str | None,
    seed: int,
    speed: float,
    elf: Path | None,
    eeprom: Path | None,
) -> None:
    """Run the firmware of a board of a KIND on a port that programs can open.

    \b
    Example:
        python -m simulators.board wheel --game money_wheel --port /tmp/feltwire-wheel
    """
    board = KINDS[kind]
    try:
        simulator = wiring = None
        if game is not None:
            simulator = GEOMETRIES[game].simulator(seed)
            wiring = wired(board, dict(map(_numbered, pins))) if pins else wired_in_order(board, simulator.lines)
            for line, wire in wiring.pins.items():
                number = [pin for _, pin in board.inputs].index(wire.pin) + 1
                click.echo(f"{line} = {{ input = {number} }}    # pin {wire.pin}")
            if fault is not None:
                fault_named(fault, GEOMETRIES[game])
        click.echo(f"{kind} board on {port}; Ctrl-C ends it", err=True)
        serve(
            board,
            port,
            elf=elf,
            simulator=simulator,
            wiring=wiring,
            faults={None: fault} if fault else None,
            speed=speed,
            eeprom=eeprom,
            on_opened=lambda opened: click.echo("the port was opened" if opened else "the port was closed", err=True),
        )
    except (EmulationError, WiringError, FaultError, OSError) as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(0)


def _numbered(pin: str) -> tuple[str, int]:
    line, _, number = pin.partition("=")
    if not line or not number.isdecimal():
        raise WiringError(f"--pin {pin}: expected LINE=INPUT, such as wheel_a=1")
    return line, int(number)


if __name__ == "__main__":
    main()
