"""Writes an image into a board's flash with avrdude, through the board's own bootloader."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.boards.firmware_error import FirmwareError

PROGRAM: Final = "avrdude"
BAUDS: Final = (115_200,)
"""Baud rates of bootloaders, not of our protocol. The older one of Nanos (57,600) does not survive the watchdog, so
nothing is written through it (hal/board/bootloader.py)."""

_IMAGE: Final = "image.hex"
_WRITING: Final = re.compile(r"writing (\d+ bytes )?flash", re.IGNORECASE)
"""In the output of avrdude (versions 6 and 7) once a bootloader has answered."""
_TAIL: Final = 4000
"""The last characters of its output that are kept for the error message (ours)."""


def command_for(program: str, port: str, baud: int, image: str) -> list[str]:
    """The command line of avrdude. Without -D it would try to erase the chip, which these bootloaders cannot."""
    return [program, "-c", "arduino", "-p", "atmega328p", "-P", port, "-b", str(baud), "-D", "-U", f"flash:w:{image}:i"]


def flash(content: bytes, port: str, bauds: tuple[int, ...], show: Callable[[str], None]) -> int:
    """Writes an image and has avrdude read it back. Returns the baud rate of the bootloader.

    Each rate of `bauds` is tried until a bootloader answers. The output of avrdude goes to `show` as it comes.

    Raises:
        FirmwareError: avrdude is missing, or failed; the board may hold half an image then, and can be flashed again.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        raise FirmwareError(f"{PROGRAM} is not installed, and flashing needs it: sudo apt install {PROGRAM}")
    failed = ""
    with tempfile.TemporaryDirectory(prefix="feltwire-") as folder:
        # A copy of the checked bytes, under a name without a colon, which avrdude would misread.
        image = Path(folder) / _IMAGE
        image.write_bytes(content)
        for baud in bauds:
            show(f"{PROGRAM}: {port} at {baud} baud\n")
            code, output = _run(command_for(program, port, baud, str(image)), show)
            if code == 0:
                return baud
            failed = f"{PROGRAM} ended with {code} at {baud} baud: {_last_line(output)}"
            if _WRITING.search(output):
                raise FirmwareError(
                    f"{port}: {failed}; the board may hold half an image: check cable and supply, and flash it again"
                )
    raise FirmwareError(
        f"{port}: no bootloader answered; {failed}; check that the port is the board's and that no other program holds "
        "it, press the board's reset button just before, or try another --baud"
    )


def _run(command: list[str], show: Callable[[str], None]) -> tuple[int, str]:
    """Runs a command, and shows its output as it comes, also within a line. Returns its exit code and last output."""
    output = ""
    try:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        ) as running:
            if running.stdout is not None:
                while piece := running.stdout.read(256):
                    text = piece.decode("utf-8", "replace")
                    show(text)
                    output = (output + text)[-_TAIL:]
            code = running.wait()
    except OSError as error:
        raise FirmwareError(f"{command[0]}: it cannot be run ({error.strerror}); reinstall {PROGRAM}") from error
    return code, output


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.replace("\r", "\n").split("\n") if line.strip()]
    return lines[-1][:200] if lines else "it printed nothing"
