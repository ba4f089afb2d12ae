"""The C side of the emulated board (simboard.h): the functions of `libsimboard.so` with their types."""

from __future__ import annotations

import ctypes
from functools import cache
from hashlib import sha256
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2] / "firmware" / "build" / "libsimboard.so"

BOARD = ctypes.c_void_p
U8S = ctypes.POINTER(ctypes.c_uint8)
U64S = ctypes.POINTER(ctypes.c_uint64)
I32S = ctypes.POINTER(ctypes.c_int32)

_FUNCTIONS: dict[str, tuple[object, list[object]]] = {
    "board_sources": (ctypes.c_char_p, []),
    "board_new": (BOARD, [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64]),
    "board_free": (None, [BOARD]),
    "board_problem": (ctypes.c_char_p, [BOARD]),
    "board_run": (ctypes.c_int, [BOARD, ctypes.c_uint64, ctypes.c_int, ctypes.c_size_t]),
    "board_run_to_change": (
        ctypes.c_int,
        [
            BOARD,
            ctypes.c_uint64,
            ctypes.c_uint64,
            ctypes.c_uint64,
            ctypes.c_uint32,
            ctypes.c_int,
            ctypes.c_size_t,
        ],
    ),
    "board_step_began": (ctypes.c_uint64, [BOARD]),
    "board_cycle": (ctypes.c_uint64, [BOARD]),
    "board_reset": (None, [BOARD]),
    "board_power_off": (None, [BOARD, ctypes.c_uint64]),
    "board_power_on": (None, [BOARD]),
    "board_retime": (None, [BOARD, ctypes.c_double, ctypes.c_uint64]),
    "board_resets": (ctypes.c_uint32, [BOARD]),
    "board_last_cause": (ctypes.c_uint8, [BOARD]),
    "board_hang": (None, [BOARD, ctypes.c_bool]),
    "board_load_boot": (ctypes.c_bool, [BOARD, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32]),
    "board_set_register": (None, [BOARD, ctypes.c_uint, ctypes.c_uint8]),
    "board_longest_closed": (ctypes.c_uint64, [BOARD, ctypes.POINTER(ctypes.c_uint32)]),
    "board_stack_left": (ctypes.c_int, [BOARD]),
    "board_receive": (
        ctypes.c_bool,
        [BOARD, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_double],
    ),
    "board_sent_count": (ctypes.c_size_t, [BOARD]),
    "board_take_sent": (None, [BOARD, U64S, U8S]),
    "board_baud": (ctypes.c_double, [BOARD]),
    "board_overruns": (ctypes.c_uint32, [BOARD]),
    "board_unread": (ctypes.c_uint32, [BOARD]),
    "board_eeprom_size": (ctypes.c_size_t, [BOARD]),
    "board_eeprom": (None, [BOARD, U8S]),
    "board_eeprom_busy": (ctypes.c_bool, [BOARD]),
    "board_eeprom_writes": (ctypes.c_uint32, [BOARD]),
    "board_plan": (ctypes.c_bool, [BOARD, ctypes.c_size_t, U64S, U8S, I32S]),
    "board_planned": (ctypes.c_size_t, [BOARD]),
    "board_change_count": (ctypes.c_size_t, [BOARD]),
    "board_take_changes": (None, [BOARD, U64S, U8S, I32S]),
    "board_output": (ctypes.c_int32, [BOARD, ctypes.c_uint]),
    "board_fram": (ctypes.c_bool, [BOARD, ctypes.c_char_p, ctypes.c_size_t]),
    "board_fram_content": (None, [BOARD, U8S]),
    "board_fram_writes": (ctypes.c_uint32, [BOARD]),
    "board_fram_faults": (None, [BOARD, ctypes.c_bool, ctypes.c_uint32, ctypes.c_uint32]),
    "board_feed": (None, [BOARD, ctypes.c_uint32, ctypes.c_int]),
    "board_chain": (None, [BOARD, U8S, ctypes.c_uint, ctypes.c_uint]),
    "board_chain_faults": (None, [BOARD, ctypes.c_uint64, ctypes.c_uint64]),
    "board_chain_drawn": (ctypes.c_uint64, [BOARD]),
    "board_chain_out": (ctypes.c_uint64, [BOARD]),
}


class EmulationError(Exception):
    """The emulated board is not available, or its program crashed; the message says what to do."""


@cache
def library() -> ctypes.CDLL:
    """The library, loaded once.

    Raises:
        EmulationError: it was not built, or of other sources than these; or this computer has no libsimavr.
    """
    if not LIBRARY.is_file():
        raise EmulationError(
            f"emulated board: there is no {LIBRARY}; build it with: make -C firmware emulator (it needs libsimavr-dev, "
            "libelf-dev, gcc-avr and avr-libc)"
        )
    try:
        loaded = ctypes.CDLL(str(LIBRARY))
    except OSError as error:
        raise EmulationError(f"emulated board: cannot load {LIBRARY}: {error}; install libsimavr2") from error
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name, None)
        if function is None:
            raise _old()
        function.restype = result
        function.argtypes = arguments
    if loaded.board_sources().decode() != _key():
        raise _old()
    return loaded


def _key() -> str:
    """What firmware/emulator.mk makes of the sources beside this file."""
    folder = Path(__file__).parent
    files = [*sorted(folder.glob("*.c")), folder / "simboard.h"]
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _old() -> EmulationError:
    return EmulationError(
        f"emulated board: {LIBRARY} was built of other sources than these; build it again: make -C firmware emulator"
    )
