"""Writes an image into a board's flash with avrdude, through the bootloader that the board was sold with."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.boards.firmware_image import FirmwareError

PROGRAM: Final = "avrdude"
BAUDS: Final = (115_200, 57_600)
"""Of the bootloader, not of our wire: Optiboot on an Uno and on a Nano since 2018; the older one of a Nano."""

_IMAGE: Final = "image.hex"
_WRITING: Final = re.compile(r"writing (\d+ bytes )?flash", re.IGNORECASE)
"""What it says once a bootloader has answered: version 6, version 7."""
_TAIL: Final = 4000
"""Characters of its output that are looked at when it failed (ours)."""


def command_for(program: str, port: str, baud: int, image: str) -> list[str]:
    """What is run. Without -D it would try to erase the chip, which these bootloaders cannot."""
    return [program, "-c", "arduino", "-p", "atmega328p", "-P", port, "-b", str(baud), "-D", "-U", f"flash:w:{image}:i"]


def flash(content: bytes, port: str, bauds: tuple[int, ...], show: Callable[[str], None]) -> int:
    """Writes an image, which was checked, and has avrdude read it back. Returns the bootloader's baud rate.

    Each rate of `bauds` is tried until a bootloader answers. What avrdude says goes to `show` as it comes.

    Raises:
        FirmwareError: avrdude is missing, or failed; the board may hold half an image then, and can be flashed again.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        raise FirmwareError(f"{PROGRAM} is not installed, and flashing needs it: sudo apt install {PROGRAM}")
    failed = ""
    with tempfile.TemporaryDirectory(prefix="feltwire-") as folder:
        # A copy under a plain name: what was checked is what is written, and no colon of a path is misread.
        image = Path(folder) / _IMAGE
        image.write_bytes(content)
        for baud in bauds:
            show(f"{PROGRAM}: {port} at {baud} baud\n")
            code, said = _run(command_for(program, port, baud, str(image)), show)
            if code == 0:
                return baud
            failed = f"{PROGRAM} ended with {code} at {baud} baud: {_last_line(said)}"
            if _WRITING.search(said):
                raise FirmwareError(
                    f"{port}: {failed}; the board may hold half an image: check cable and supply, and flash it again"
                )
    raise FirmwareError(
        f"{port}: no bootloader answered; {failed}; check that the port is the board's and that no other program holds "
        "it, press the board's reset button just before, or try another --baud"
    )


def _run(command: list[str], show: Callable[[str], None]) -> tuple[int, str]:
    """Runs it, and shows what it says while it says it: its progress has no ends of lines. Returns the end of that."""
    said = ""
    try:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        ) as running:
            if running.stdout is not None:
                while piece := running.stdout.read(256):
                    text = piece.decode("utf-8", "replace")
                    show(text)
                    said = (said + text)[-_TAIL:]
            code = running.wait()
    except OSError as error:
        raise FirmwareError(f"{command[0]}: it cannot be run ({error.strerror}); reinstall {PROGRAM}") from error
    return code, said


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.replace("\r", "\n").split("\n") if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"
