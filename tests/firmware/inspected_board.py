"""An emulated board of which a test reads what only the emulator knows, without advancing it."""

from __future__ import annotations

import ctypes
from typing import Any

from simulators.board.emulated import EmulatedBoard


class InspectedBoard(EmulatedBoard):
    """A board, and the state of its chip."""

    @property
    def planned(self) -> int:
        """How many planned levels are still pending."""
        return int(self._c.board_planned(self._board))

    @property
    def overruns(self) -> int:
        """Bytes that the program read too late: the chip buffers two, and a third until a fourth begins."""
        return int(self._c.board_overruns(self._board))

    @property
    def unread(self) -> int:
        """Bytes that came while the receiver was off, or the board was frozen or without power."""
        return int(self._c.board_unread(self._board))

    @property
    def eeprom_busy(self) -> bool:
        """Whether a byte is being written."""
        return bool(self._c.board_eeprom_busy(self._board))

    @property
    def eeprom_writes(self) -> int:
        """How many bytes were written or erased so far; a real cell bears 100,000 times."""
        return int(self._c.board_eeprom_writes(self._board))

    @property
    def resets(self) -> int:
        """Resets since the first power-on."""
        return int(self._c.board_resets(self._board))

    @property
    def last_cause(self) -> int:
        """The cause of the last reset: 1 power, 2 reset line, 8 watchdog (`hal.board.messages.Reset`)."""
        return int(self._c.board_last_cause(self._board))

    def flashed(self) -> None:
        """The boot ROM of a Pico restarts the chip by its watchdog, as when it has written an image."""
        self._c.board_flashed(self._board)

    @property
    def begun_cycle(self) -> int:
        """The cycle in which a Pico began: its timer is 0 there."""
        return int(self._c.board_base())

    def usb(self, call: str, *given: Any) -> Any:
        """Calls the host at the USB of a Pico whose line it is (simulators/board/rp2040/usb_host.mjs)."""
        return self._c.usb(call, *given)

    @property
    def stack_left(self) -> int:
        """Bytes between the variables and the stack that were never written: the stack's low-water mark."""
        return int(self._c.board_stack_left(self._board))

    def set_register(self, number: int, value: int) -> None:
        """Sets a general register (0 to 31). What they hold at power-on is random on a chip."""
        self._c.board_set_register(self._board, number, value)

    def longest_closed(self) -> tuple[int, int]:
        """The longest time with interrupts off since the last call, in cycles, and the address where it began."""
        begun = ctypes.c_uint32()
        cycles = self._c.board_longest_closed(self._board, ctypes.byref(begun))
        return int(cycles), int(begun.value)
