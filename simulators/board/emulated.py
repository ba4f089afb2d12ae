"""An emulated board: the real ELF on an ATmega328P of libsimavr or an RP2040 of rp2040js, in lock-step with its caller.

Time advances only in `run_until`, in real nanoseconds. The chip's own clock may be fast or slow against it
(`clock_hz`), or stopped (`freeze`). A cycle is 62.5 ns, a Pico's 8 ns. Equal calls give equal bytes, on any computer.

    world     run_until(t) ──────────────► drive, supply: at their times, at the first instruction's end after them
    host      receive(bytes) ── 10 bits a byte at its baud ──► UART ──► take_sent: when each byte's stop bit ended
    outputs   take_changes: each new level of a pin that the chip drives, PWM as a share, None if not driven

What is modelled and what is not is listed in simboard.h and its parts, and for a Pico in rp2040/chip.mjs. The chip is
that of the ELF; pins have the dictionary's names on both.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from hal.board.chips import ATMEGA328P, CHIPS, PICOS, RP2040, Chip
from hal.board.message import BoardKind
from hal.clock import NS_PER_S
from simulators.board import pico
from simulators.board.library import LIBRARY, EmulationError, library

__all__ = ["CLOCK_HZ", "START_UP_NS", "EmulatedBoard", "EmulationError", "PinChange"]

CLOCK_HZ = 16_000_000
START_UP_NS = 66_024_000
"""The start-up time by an Arduino's fuses: 16,384 cycles and 65 ms from a reset to the first instruction."""
BITS_A_BYTE = 10

_ANALOGUE = 32
_SUPPLY = 1 << 24
_CRASHED = -1

# --- the pins of an ATmega328P by name, as simboard.h numbers them ---

PIN_NAMES = tuple(f"{port}{bit}" for port in "BCD" for bit in range(8))
PINS = {name: number for number, name in enumerate(PIN_NAMES) if name not in ("B6", "B7", "C6", "C7")}
"""Those that an Arduino leaves free: B6 and B7 are the crystal, C6 is the reset."""
CHANNELS = {**{f"C{bit}": bit for bit in range(6)}, "A6": 6, "A7": 7}
"""The analogue ones; A6 and A7 are not pins of a port."""
NOT_DRIVEN = -1
_FULL = 65535


def elf_of(kind: str, chip: Chip = ATMEGA328P) -> Path:
    """Where the firmware of a kind is built for a chip."""
    return (LIBRARY.parent / chip.name if chip.name in PICOS else LIBRARY.parent) / f"{kind}.elf"


def emulator_of(chip: Chip) -> Path:
    """What emulates a chip, where it is installed or built."""
    return pico.MODULES if chip.name in PICOS else LIBRARY


class PinChange(NamedTuple):
    """A change of an output."""

    pin: str
    level: float | None
    """0 or 1; the duty cycle where a timer drives it; None when it is no longer driven."""
    t_ns: int


# --- the chip ---


class ChipTime:
    """Converts between times and cycles of a chip, in integers, so without rounding drift."""

    def __init__(self, begins_ns: int, hz: int) -> None:
        """Cycle 0 is at `begins_ns`."""
        self.hz = hz
        self._base_ns = begins_ns
        self._base_cycle = 0

    def cycle_at(self, t_ns: int) -> int:
        """The first cycle that does not begin before `t_ns`; 0 where the chip had not begun."""
        return max(0, self._base_cycle - (self._base_ns - t_ns) * self.hz // NS_PER_S)

    def ns_at(self, cycle: int) -> int:
        """When a cycle begins, rounded down."""
        return self._base_ns + (cycle - self._base_cycle) * NS_PER_S // self.hz

    def all_ns_at(self, cycles: Iterable[int]) -> list[int]:
        """As `ns_at`, of many."""
        base_ns, base_cycle, hz = self._base_ns, self._base_cycle, self.hz
        return [base_ns + (cycle - base_cycle) * NS_PER_S // hz for cycle in cycles]

    def cycles_in(self, duration_ns: int) -> int:
        """The whole cycles in a duration."""
        return duration_ns * self.hz // NS_PER_S

    def set_hz(self, hz: int, cycle: int) -> None:
        """Changes the clock rate from `cycle` on."""
        self._base_ns, self._base_cycle, self.hz = self.ns_at(cycle), cycle, hz

    def stand(self, duration_ns: int) -> None:
        """Stops the crystal for a duration: all later cycles are this much later."""
        self._base_ns += duration_ns


class Bootloader(NamedTuple):
    """A program that every reset begins with."""

    image: bytes
    address: int
    """Where it is in the flash, and where the fuses let the chip begin."""


class EmulatedBoard:
    """One board, from power-on. Use it as a context manager, or `close` it: it holds memory outside Python."""

    def __init__(
        self,
        elf: Path,
        *,
        eeprom: bytes | None = None,
        fram: bytes | None = None,
        begins_ns: int = 0,
        clock_hz: int | None = None,
        start_up_ns: int = 0,
        bootloader: Bootloader | None = None,
    ) -> None:
        """Loads a program without executing it.

        `eeprom` are the bytes of the non-volatile memory (default: erased), `fram` those of a FRAM on its two-wire bus,
        a power of two of them (default: there is none). A Pico has no EEPROM, and a FRAM whatever is given: both names
        are those of its bytes, and without them it is erased. The power comes at `begins_ns`. `start_up_ns` is from
        each reset to the first instruction: `START_UP_NS` is that of a real Nano. Every reset begins in the bootloader,
        if there is one.

        Raises:
            EmulationError: the library or the file cannot be opened, the file is not a program for the chip, or the
                bootloader does not fit.
        """
        if not elf.is_file():
            raise EmulationError(f"emulated board: there is no file {elf}; build it with: make -C firmware avr pico")
        self.chip = CHIPS.get(elf.parent.name, RP2040) if pico.is_for_pico(elf) else ATMEGA328P
        """The chip that its program is for; of a Pico with its line, by the folder that it is built in."""
        self._clock_hz = self.chip.hz
        start_up = start_up_ns * self._clock_hz // NS_PER_S
        self._c: Any
        self._board: Any
        if self.chip.name in PICOS:
            memory = fram if fram is not None else eeprom if eeprom is not None else pico.ERASED
            self._c, self._board, self._fram_size = pico.PicoLibrary(elf, memory, start_up), True, len(memory)
        else:
            self._load(elf, eeprom, fram, start_up, bootloader)
        self.elf = elf
        self.host_baud: float = self.chip.baud
        """The setting of the host's port: with another baud than the board's, every byte is corrupted."""
        self.powered = True
        self._time = ChipTime(begins_ns, clock_hz or self._clock_hz)
        self._frozen_ns: int | None = None
        self._world_ns = begins_ns
        self._line_free_ns = begins_ns
        self._sent: list[tuple[int, int]] = []
        self._changes: list[PinChange] = []

    def _load(
        self, elf: Path, eeprom: bytes | None, fram: bytes | None, start_up: int, bootloader: Bootloader | None
    ) -> None:
        """Loads a program into an ATmega328P."""
        self._c = library()
        image = None if eeprom is None else eeprom + b"\xff" * (1024 - len(eeprom))
        self._board = self._c.board_new(str(elf).encode(), image, start_up)
        if not self._board:
            raise MemoryError("emulated board: no memory")
        problem = self._problem()
        if problem or (image is not None and len(image) != self._c.board_eeprom_size(self._board)):
            self.close()
            raise EmulationError(f"emulated board: cannot run {elf}: {problem or 'the EEPROM has 1024 bytes'}")
        if bootloader is not None and not self._c.board_load_boot(
            self._board, bootloader.image, len(bootloader.image), bootloader.address
        ):
            self.close()
            raise EmulationError(f"emulated board: a bootloader at {bootloader.address:#x} does not fit the flash")
        self._fram_size = len(fram or b"")
        if fram and not self._c.board_fram(self._board, fram, len(fram)):
            self.close()
            raise EmulationError(f"emulated board: a FRAM has a power of two of bytes, at most 32768, got {len(fram)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Frees its memory; it cannot be used any more."""
        if self._board:
            self._c.board_free(self._board)
            self._board = None

    @property
    def now_ns(self) -> int:
        """Its current time: what it was last run to, or at most 3 cycles later."""
        if self._frozen_ns is not None:
            return self._world_ns
        return self._time.ns_at(self._c.board_cycle(self._board))

    def run_until(self, t_ns: int, pause_at: int | None = None, pause_after: int | None = None) -> None:
        """Runs to `t_ns`, or only until a byte `pause_at`, or `pause_after` bytes, have left the board.

        `now_ns` is then `t_ns` or at most 3 cycles later, or earlier if it paused.

        Raises:
            EmulationError: the program jumped out of its code.
        """
        if self._frozen_ns is not None:
            self._world_ns = max(self._world_ns, t_ns)
            return
        at = -1 if pause_at is None else pause_at
        if self._c.board_run(self._board, self._time.cycle_at(t_ns), at, pause_after or 0) == _CRASHED:
            raise EmulationError(f"emulated board ({self.elf.name}): {self._problem()}")

    def run_to_change(
        self,
        t_ns: int,
        every_ns: int,
        *,
        rests_until_ns: int | None = None,
        watched: tuple[str, ...] = tuple(PINS),
        pause_at: int | None = None,
        pause_after: int | None = None,
    ) -> int:
        """Runs to `t_ns`, in steps of `every_ns`, or only to the end of the step in which a `watched` output changed.

        For whoever has nothing to do after a step without such a change, up to `rests_until_ns`: the step that ends
        there or later is the last. With `pause_at` and `pause_after`, as in `run_until`, a step in which a byte left
        the board is the last, too. Returns when the last step began.

        Raises:
            EmulationError: the program jumped out of its code.
        """
        if self._frozen_ns is not None or self._changes:
            began_ns = self.now_ns
            EmulatedBoard.run_until(self, min(t_ns, began_ns + every_ns), pause_at, pause_after)
            return began_ns
        until = self._time.cycle_at(t_ns)
        every = max(1, self._time.cycles_in(every_ns))
        rests_until = until if rests_until_ns is None else min(until, self._time.cycle_at(rests_until_ns))
        at = -1 if pause_at is None else pause_at
        pins = _bits_of(watched)
        ran = self._c.board_run_to_change(self._board, until, every, rests_until, pins, at, pause_after or 0)
        if ran == _CRASHED:
            raise EmulationError(f"emulated board ({self.elf.name}): {self._problem()}")
        return self._time.ns_at(self._c.board_step_began(self._board))

    def drive(self, pin: str, level: int | None, t_ns: int | None = None) -> None:
        """Drives a pin to a level at `t_ns` (default, or if that has passed: at once); None releases it.

        A released pin keeps its level, or is pulled up by the resistor that the program switched on.

        Raises:
            ValueError: there is no such pin or level.
        """
        self.drive_many([(pin, level, self.now_ns if t_ns is None else t_ns)])

    def drive_many(self, levels: Iterable[tuple[str, int | None, int]]) -> None:
        """As `drive`, for many levels at once: (pin, level, time) in any order."""
        cycles: list[int] = []
        pins: list[int] = []
        values: list[int] = []
        for pin, level, t_ns in levels:
            if level not in (0, 1, None):
                raise ValueError(f"pin {pin}: expected level 0, 1 or None, got {level!r}")
            pins.append(_number_of(pin, PINS))
            values.append(NOT_DRIVEN if level is None else level)
            cycles.append(self._time.cycle_at(t_ns))
        if cycles:
            self._plan(cycles, pins, values)

    def feed(self, pins: Iterable[str], by: str | None) -> None:
        """Hangs sensors on pins that pull low only while the output `by`, or with None that of the chain, is high.

        Without it their lines are high. Replaces those of the call before.

        Raises:
            ValueError: there is no such pin.
        """
        fed = sum(1 << _number_of(pin, PINS) for pin in pins)
        self._c.board_feed(self._board, fed, NOT_DRIVEN if by is None else _number_of(by, PINS))

    def chain_of(self, kind: BoardKind) -> None:
        """Hangs the chain of lamps and control outputs on the pins of a kind that has one."""
        if not kind.lamp_pins:
            return
        pins = dict(kind.lamp_pins)
        numbers = [_number_of(pins[wire], PINS) for wire in ("data", "clock", "latch", "read_back")]
        outputs = kind.lamps + len(kind.control)
        sense = kind.lamps + kind.control.index("sense") + 1 if "sense" in kind.control else 0
        self._c.board_chain(self._board, (ctypes.c_uint8 * len(numbers))(*numbers), outputs, sense)

    @property
    def chain_out(self) -> int:
        """The outputs of the chain that are on: bit i is output i + 1."""
        return int(self._c.board_chain_out(self._board))

    @property
    def burning(self) -> frozenset[int]:
        """The outputs of the chain, from 1, whose lamps draw current: what is commanded, except for its faults."""
        drawn = int(self._c.board_chain_drawn(self._board))
        return frozenset(at + 1 for at in range(drawn.bit_length()) if drawn >> at & 1)

    def chain_faults(self, *, dead: Iterable[int] = (), stuck: Iterable[int] = ()) -> None:
        """Outputs of the chain, from 1, that draw no current, and that always do."""
        self._c.board_chain_faults(
            self._board, *(sum(1 << (place - 1) for place in {*places}) for places in (dead, stuck))
        )

    def supply(self, channel: str, share: float, t_ns: int | None = None) -> None:
        """Sets an analogue pin ("C2") to a share of the supply, 0 to 1, at `t_ns` (default: at once).

        Raises:
            ValueError: there is no such channel, or the share is beyond the supply.
        """
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"channel {channel}: expected 0 to 1 of the supply, got {share}")
        cycle = self._time.cycle_at(self.now_ns if t_ns is None else t_ns)
        self._plan([cycle], [_ANALOGUE + _number_of(channel, CHANNELS)], [round(share * _SUPPLY)])

    def receive(self, data: bytes, t_ns: int | None = None) -> None:
        """Sends bytes from the host, from `t_ns` (default: now) or after those that are still being sent."""
        begins_ns = max(self._line_free_ns, self.now_ns if t_ns is None else t_ns)
        byte_ns = BITS_A_BYTE * NS_PER_S / self.host_baud
        self._line_free_ns = begins_ns + round(byte_ns * len(data))
        begins, cycles_a_byte = self._time.cycle_at(begins_ns), byte_ns * self._time.hz / NS_PER_S
        self._c.board_receive(self._board, data, len(data), begins, cycles_a_byte)

    def take_sent(self) -> list[tuple[int, int]]:
        """The bytes that left the board since the last call: the end of the stop bit, and the byte."""
        self._collect_sent()
        sent, self._sent = self._sent, []
        return sent

    def take_changes(self) -> list[PinChange]:
        """The changes of the board's outputs since the last call, in the order of time."""
        self._collect_changes()
        changes, self._changes = self._changes, []
        return changes

    def output(self, pin: str) -> float | None:
        """The current output on a pin, as in `PinChange.level`."""
        return _share_of(self._c.board_output(self._board, _number_of(pin, PINS)))

    def reset(self) -> None:
        """Pulls the reset line for a moment, as a port that is opened does to an Arduino."""
        self._c.board_reset(self._board)

    def hang(self, interrupts: bool = False) -> None:
        """Hangs the program until the watchdog or a reset, with interrupts off or, with `interrupts`, as they are."""
        self._c.board_hang(self._board, interrupts)

    def freeze(self, on: bool) -> None:
        """Stops the chip's clock, or starts it again: nothing is executed, outputs stay, the watchdog does not run.

        Pins that are driven meanwhile have their levels when it continues; what the host sends meanwhile is lost.
        """
        if on and self._frozen_ns is None:
            self._collect_sent()
            self._collect_changes()
            self._world_ns = self._frozen_ns = self.now_ns
        elif not on and self._frozen_ns is not None:
            stood_ns = self._world_ns - self._frozen_ns
            self._frozen_ns = None
            self._time.stand(stood_ns)
            self._c.board_retime(self._board, 1.0, max(1, self._time.cycles_in(stood_ns)))

    def set_clock_hz(self, clock_hz: int) -> None:
        """Sets the rate of the chip's clock from now on: crystals drift with the temperature.

        Raises:
            ValueError: the clock is stopped (`freeze`), or the rate is not positive.
        """
        if self._frozen_ns is not None or clock_hz <= 0:
            raise ValueError(f"emulated board: expected a clock that runs and a rate above 0, got {clock_hz} Hz")
        self._collect_sent()
        self._collect_changes()
        self._c.board_retime(self._board, clock_hz / self._time.hz, 0)
        self._time.set_hz(clock_hz, self.cycle)

    def power_cut(self, seed: int = 0) -> bytes:
        """Cuts the power; returns the EEPROM as it is then.

        A byte that is being written is torn: as time goes on, more of its bits have first become 1 and then the value
        written; `seed` draws which. The board is off until `power_on`, or until another one starts with these bytes.
        """
        self._c.board_power_off(self._board, seed & (1 << 64) - 1)
        self.powered = False
        return self.eeprom

    def power_on(self) -> None:
        """Restores the power after `power_cut`: RAM is lost, the EEPROM is kept, driven levels are there."""
        if not self.powered:
            self._c.board_power_on(self._board)
            self.powered = True

    # --- the state of the chip, which can be read without advancing it ---

    @property
    def cycle(self) -> int:
        """Cycles of the chip since its power first came."""
        return int(self._c.board_cycle(self._board))

    @property
    def baud(self) -> float:
        """The baud that the board's registers make: 250,000 exactly, or 117,647 where it calls it 115,200."""
        return float(self._c.board_baud(self._board))

    @property
    def eeprom(self) -> bytes:
        """The non-volatile memory; a byte that is being written is still as it was."""
        image = (ctypes.c_uint8 * self._c.board_eeprom_size(self._board))()
        self._c.board_eeprom(self._board, image)
        return bytes(image)

    @property
    def fram(self) -> bytes:
        """The FRAM; empty where there is none."""
        image = (ctypes.c_uint8 * self._fram_size)()
        self._c.board_fram_content(self._board, image)
        return bytes(image)

    @property
    def fram_writes(self) -> int:
        """How many bytes the FRAM has kept so far."""
        return int(self._c.board_fram_writes(self._board))

    def fram_faults(self, *, missing: bool = False, next_bytes: int = 0, held_clocks: int = 0) -> None:
        """The FRAM does not answer, the next bytes on its bus are lost, or it holds the bus until this many clocks."""
        self._c.board_fram_faults(self._board, missing, next_bytes, held_clocks)

    # --- helpers ---

    def _collect_sent(self) -> None:
        count = self._c.board_sent_count(self._board)
        if count:
            ends, data = (ctypes.c_uint64 * count)(), (ctypes.c_uint8 * count)()
            self._c.board_take_sent(self._board, ends, data)
            self._sent += zip(self._time.all_ns_at(ends), bytes(data), strict=True)

    def _collect_changes(self) -> None:
        count = self._c.board_change_count(self._board)
        if count:
            cycles, pins, levels = (ctypes.c_uint64 * count)(), (ctypes.c_uint8 * count)(), (ctypes.c_int32 * count)()
            self._c.board_take_changes(self._board, cycles, pins, levels)
            self._changes += [
                PinChange(PIN_NAMES[pin], _share_of(level), self._time.ns_at(cycle))
                for cycle, pin, level in zip(cycles, pins, levels, strict=True)
            ]

    def _plan(self, cycles: list[int], pins: list[int], values: list[int]) -> None:
        count = len(cycles)
        planned = self._c.board_plan(
            self._board,
            count,
            (ctypes.c_uint64 * count)(*cycles),
            (ctypes.c_uint8 * count)(*pins),
            (ctypes.c_int32 * count)(*values),
        )
        if not planned:
            raise MemoryError(f"emulated board: no memory to plan {count} levels")

    def _problem(self) -> str:
        return str(self._c.board_problem(self._board).decode(errors="replace"))


def _number_of(name: str, known: dict[str, int]) -> int:
    """The number of a pin or channel.

    Raises:
        ValueError: there is none of this name.
    """
    if name not in known:
        raise ValueError(f"pin {name!r}: the board has none of this name; there are: {', '.join(known)}")
    return known[name]


@cache
def _bits_of(pins: tuple[str, ...]) -> int:
    """A set of pins as simboard.h has it."""
    return sum(1 << PINS[pin] for pin in {*pins})


def _share_of(level: int) -> float | None:
    """A level of simboard.h as `PinChange.level`."""
    return None if level == NOT_DRIVEN else level / _FULL
