"""An emulated Pico: a process of Node with rp2040js (rp2040/run.mjs), called as `libsimboard.so` is.

`EmulatedBoard` calls the functions of simboard.h; those of `PicoLibrary` have the same names and arguments. What needs
no answer is sent with the next call that does, so a step of the board is one exchange:

    board_plan, board_receive ──┐
    board_run ──────────────────┴─► one line of JSON ──► Node ──► cycle, bytes sent, outputs that changed
"""

from __future__ import annotations

import atexit
import ctypes
import json
import shutil
import struct
import subprocess
from functools import cache
from pathlib import Path
from typing import IO, Any, Final

from hal.board.chips import PICO_ADC, PICO_GPIO
from simulators.board.library import EmulationError

RUNNER: Final = Path(__file__).with_name("rp2040")
MODULES: Final = RUNNER / "node_modules"
ERASED: Final = b"\xff" * 8192
"""A new FRAM (ours: a real one holds anything)."""

_ELF_MACHINE: Final = slice(18, 20)
_ARM: Final = (40).to_bytes(2, "little")
_FLASH: Final = 0x10000000
_FLASH_END: Final = 0x20000000
_NOT_DRIVEN: Final = -1
_MOST_FRAM: Final = 32768


def is_for_pico(elf: Path) -> bool:
    """Whether a file is a program for a Pico."""
    with elf.open("rb") as file:
        return file.read(20)[_ELF_MACHINE] == _ARM


def image_of(elf: Path) -> bytes:
    """What a program puts into the flash, from its beginning.

    Raises:
        EmulationError: the file is cut off.
    """
    content = elf.read_bytes()
    image = bytearray()
    try:
        (at,) = struct.unpack_from("<I", content, 28)
        size, count = struct.unpack_from("<2H", content, 42)
        heads = [struct.unpack_from("<5I", content, at + size * number) for number in range(count)]
    except struct.error as error:
        raise EmulationError(f"emulated Pico: {elf} is cut off; build it again") from error
    for kind, offset, _, load_at, length in heads:
        if kind == 1 and length and _FLASH <= load_at < _FLASH_END:
            data = content[offset : offset + length]
            if len(data) < length:
                raise EmulationError(f"emulated Pico: {elf} is cut off; build it again")
            begin = load_at - _FLASH
            image += b"\xff" * (begin + length - len(image))
            image[begin : begin + length] = data
    return bytes(image)


@cache
def _node() -> str:
    """The program `node`.

    Raises:
        EmulationError: it or rp2040js is missing.
    """
    program = shutil.which("node")
    if program is None or not (MODULES / "rp2040js").is_dir():
        raise EmulationError(
            "emulated Pico: it needs Node and rp2040js: sudo apt install nodejs npm, then: make -C firmware "
            "pico-emulator"
        )
    return program


_free: Final[list[subprocess.Popen[bytes]]] = []
"""Processes whose board is not used any more: another one begins sooner in them."""


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        (_node(), str(RUNNER / "run.mjs")), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )


@atexit.register
def _end_free() -> None:
    for process in _free:
        process.communicate()


class PicoLibrary:
    """One emulated Pico. Its functions are those of simboard.h; the board that they are given is always this one."""

    def __init__(self, elf: Path, fram: bytes, start_up: int) -> None:
        """Loads a program without executing it.

        Raises:
            EmulationError: the file is cut off, the FRAM has a size that none has, or Node or rp2040js is missing.
        """
        image = image_of(elf)
        if len(fram) & (len(fram) - 1) or len(fram) > _MOST_FRAM:
            raise EmulationError(
                f"emulated board: a FRAM has a power of two of bytes, at most {_MOST_FRAM}, got {len(fram)}"
            )
        self._process = _free.pop() if _free else _started()
        self._calls: list[list[Any]] = []
        self._sent: list[tuple[int, int]] = []
        self._changes: list[tuple[int, int, int]] = []
        self._outputs: dict[int, int] = {}
        self._reply: dict[str, Any] = {}
        self._fram_size = len(fram)
        gpio = [[8 * "BCD".index(name[0]) + int(name[1]), number] for name, number in PICO_GPIO.items()]
        channels = [PICO_ADC.get(name, -1) for name in ("C0", "C1", "C2", "C3", "C4", "C5", "A6", "A7")]
        self._ask("new", image.hex(), fram.hex(), start_up, gpio, channels)

    # --- its life

    def board_free(self, board: object) -> None:
        """Ends the board; its process waits for another."""
        if self._process.poll() is None:
            _free.append(self._process)

    def board_problem(self, board: object) -> bytes:
        return str(self._reply["problem"]).encode()

    def board_run(self, board: object, until: int, pause_at: int, pause_after: int) -> int:
        return int(self._ask("run", until, pause_at, pause_after))

    def board_run_to_change(
        self, board: object, until: int, every: int, rests_until: int, watched: int, pause_at: int, pause_after: int
    ) -> int:
        """Runs in steps until there is something to look at."""
        return int(self._ask("run_to_change", until, every, rests_until, watched, pause_at, pause_after))

    def board_step_began(self, board: object) -> int:
        return int(self._reply["step_began"])

    def board_cycle(self, board: object) -> int:
        return int(self._reply["cycle"])

    def board_reset(self, board: object) -> None:
        self._ask("reset")

    def board_power_off(self, board: object, seed: int) -> None:
        self._ask("power_off")

    def board_power_on(self, board: object) -> None:
        self._ask("power_on")

    def board_flashed(self, board: object) -> None:
        self._ask("flashed")

    def board_retime(self, board: object, ratio: float, less: int) -> None:
        self._ask("retime", ratio, less)

    def board_hang(self, board: object, interrupts: bool) -> None:
        self._ask("hang", interrupts)

    def board_resets(self, board: object) -> int:
        return int(self._reply["resets"])

    def board_last_cause(self, board: object) -> int:
        return int(self._reply["cause"])

    def board_base(self) -> int:
        """The cycle in which the chip began: its timer is 0 there."""
        return int(self._reply["base"])

    # --- the serial line

    def board_receive(self, board: object, data: bytes, count: int, start: int, cycles_a_byte: float) -> bool:
        """Bytes come over the line."""
        self._calls.append(["receive", data[:count].hex(), start, cycles_a_byte])
        return True

    def board_sent_count(self, board: object) -> int:
        return len(self._sent)

    def board_take_sent(self, board: object, ends: ctypes.Array[Any], data: ctypes.Array[Any]) -> None:
        """Gives the bytes that were sent, and forgets them."""
        for at, (end, byte) in enumerate(self._sent):
            ends[at], data[at] = end, byte
        self._sent.clear()
        self._calls.append(["taken"])

    def board_baud(self, board: object) -> float:
        return 1e9 / self._reply["bit_ns"] if self._reply["bit_ns"] else 1.0

    def board_overruns(self, board: object) -> int:
        return int(self._reply["overruns"])

    def board_unread(self, board: object) -> int:
        return int(self._reply["unread"])

    # --- its own USB, where the program has it in place of the serial line

    def usb(self, call: str, *given: Any) -> Any:
        """Calls what rp2040/run.mjs has of a host: `usb("reset")` is its `usb_reset`."""
        return self._ask(f"usb_{call}", *given)

    # --- pins

    def board_plan(
        self,
        board: object,
        count: int,
        cycles: ctypes.Array[Any],
        pins: ctypes.Array[Any],
        values: ctypes.Array[Any],
    ) -> bool:
        """Plans levels of pins, each at its cycle."""
        self._calls.append(["plan", list(cycles), list(pins), list(values)])
        return True

    def board_planned(self, board: object) -> int:
        """How many planned levels are still pending."""
        self._ask("taken")
        return int(self._reply["planned"])

    def board_change_count(self, board: object) -> int:
        return len(self._changes)

    def board_take_changes(
        self, board: object, cycles: ctypes.Array[Any], pins: ctypes.Array[Any], levels: ctypes.Array[Any]
    ) -> None:
        """Gives the changes of outputs, and forgets them."""
        for at, (cycle, pin, level) in enumerate(self._changes):
            cycles[at], pins[at], levels[at] = cycle, pin, level
        self._changes.clear()

    def board_output(self, board: object, pin: int) -> int:
        return self._outputs.get(pin, _NOT_DRIVEN)

    def board_feed(self, board: object, fed: int, feed: int) -> None:
        self._ask("feed", fed, feed)

    # --- the chain of lamps

    def board_chain(self, board: object, pins: ctypes.Array[Any], count: int, sense: int) -> None:
        self._ask("chain", list(pins), count, sense)

    def board_chain_faults(self, board: object, dead: int, stuck: int) -> None:
        self._ask("chain_faults", str(dead), str(stuck))

    def board_chain_drawn(self, board: object) -> int:
        return int(self._ask("chain_drawn"))

    def board_chain_out(self, board: object) -> int:
        return int(self._ask("chain_out"))

    # --- the FRAM, which is all of its non-volatile memory

    def board_fram_content(self, board: object, to: ctypes.Array[Any]) -> None:
        to[:] = list(self._fram())

    def board_fram_writes(self, board: object) -> int:
        return int(self._reply["writes"])

    def board_fram_faults(self, board: object, missing: bool, disturbed: int, held: int) -> None:
        self._ask("fram_faults", missing, disturbed, held)

    def board_eeprom_size(self, board: object) -> int:
        return self._fram_size

    def board_eeprom(self, board: object, to: ctypes.Array[Any]) -> None:
        to[:] = list(self._fram())

    def board_eeprom_busy(self, board: object) -> bool:
        return False

    def _fram(self) -> bytes:
        return bytes.fromhex(self._ask("fram"))

    # --- the process

    def _ask(self, *call: Any) -> Any:
        """Sends what waits and this call; returns its result.

        Raises:
            EmulationError: the process ended.
        """
        self._calls.append(list(call))
        calls, self._calls = self._calls, []
        self._pipe(self._process.stdin).write(json.dumps(calls).encode() + b"\n")
        line = self._read_line()
        if not line:
            raise EmulationError(f"emulated Pico: its process ended with {self._process.wait()}")
        reply: dict[str, Any] = json.loads(line)
        self._reply = reply
        self._sent += zip(reply["ends"], reply["bytes"], strict=True)
        for cycle, pin, level in reply["changes"]:
            self._changes.append((cycle, pin, level))
            self._outputs[pin] = level
        return reply["results"][-1]

    def _read_line(self) -> bytes:
        pipe = self._pipe(self._process.stdout)
        line = bytearray()
        while not line.endswith(b"\n"):
            piece = pipe.read(1 << 16)
            if not piece:
                return b""
            line += piece
        return bytes(line)

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise EmulationError("emulated Pico: its process has no pipes")
        return pipe
