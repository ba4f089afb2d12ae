"""Finds GPIO chips and lines through libgpiod, and explains why one is not available.

Shared by the input lines (`hal.backends.gpiod`) and the outputs (`hal.outputs_gpiod`). The package `gpiod` is imported
only when a chip is opened, so that a bench without it can run everything else.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from hal.install_words import how_to_install
from hal.lines import HEADER_CHIP_LABELS, LineError

if TYPE_CHECKING:
    import gpiod

Devices: TypeAlias = Callable[[], Sequence[str]]
"""Returns the paths of GPIO chips. Tests substitute a fake, or the kernel's `gpio-sim`."""

CONSUMER = "feltwire"
"""The consumer of the line, as `gpioinfo` shows it."""

_WANTED = "2.2 or newer"


@dataclass(frozen=True, slots=True)
class ChipIdentity:
    """What identifies a chip: its label, its number of lines, and the kernel's names of those in use."""

    label: str
    num_lines: int
    names: tuple[tuple[int, str], ...]
    """The offset and name of each line in use; the name is empty where the kernel has none."""

    def check_same(self, found: ChipIdentity) -> None:
        """Checks that the chip found is this one.

        Raises:
            LineError: it is another one, whose lines may be other wires.
        """
        if found != self:
            raise LineError(
                f"chip {self.label!r}: another one was plugged in: expected {self}, found {found}; plug in the one "
                "that was there, or start the service again after checking the wires"
            )

    def __str__(self) -> str:
        """In words."""
        names = ", ".join(f"{offset} {name!r}" if name else f"{offset} without a name" for offset, name in self.names)
        return f'"{self.label}" with {self.num_lines} lines, of them {names}'


def identity_of(chip: gpiod.Chip, offsets: Sequence[int]) -> ChipIdentity:
    """The identity of an open chip of which these lines are used."""
    info = chip.get_info()
    return ChipIdentity(
        info.label, info.num_lines, tuple((offset, chip.get_line_info(offset).name or "") for offset in sorted(offsets))
    )


class WiredLine(Protocol):
    """Something with a wire on a chip: an input line or an output."""

    @property
    def name(self) -> str:
        """The name in the table."""

    @property
    def gpio(self) -> int | str | None:
        """The GPIO number or the kernel's name of the line."""


def gpio_devices() -> Sequence[str]:
    """The paths of this computer's GPIO chips.

    Links are left out: Raspberry Pi OS has one from the header's old number to its new one, and it is one chip.
    """
    return sorted(str(path) for path in Path("/dev").glob("gpiochip*") if not path.is_symlink())


def require_gpiod() -> None:
    """Makes sure that the package `gpiod` can be imported and is libgpiod's binding of version 2.

    Raises:
        LineError: it is missing, cannot be loaded, or is an unrelated package of the same name.
    """
    try:
        import gpiod
    except ImportError as error:
        raise LineError(
            f"backend gpiod: expected the Python package gpiod ({_WANTED}), but it cannot be imported ({error}); "
            f"{how_to_install('pi')}"
        ) from error
    if not (hasattr(gpiod, "request_lines") and hasattr(gpiod, "LineSettings")):
        # On 32-bit ARM, PyPI's only wheel of that name is version 1.5.4 of another project.
        seen = getattr(gpiod, "__version__", "unknown")
        raise LineError(
            f"backend gpiod: expected libgpiod's Python package ({_WANTED}), found version {seen}, which is another "
            f"one; remove it, then {how_to_install('pi')}"
        )


def open_chip(label: str | None, devices: Devices, *, again: bool = False) -> gpiod.Chip:
    """Opens the chip of that label; None means the one behind the Pi's header.

    `again` is whether it was open before: it is to be plugged in then, and the label is right.

    Raises:
        LineError: there is none, or several; the message lists the chips found.
    """
    import gpiod

    wanted = (label,) if label is not None else HEADER_CHIP_LABELS
    matching: list[gpiod.Chip] = []
    seen: list[str] = []
    refused: list[str] = []
    for path in devices():
        try:
            chip = gpiod.Chip(path)
            info = chip.get_info()
        except PermissionError:
            refused.append(path)
            continue
        except OSError as error:
            seen.append(f"{path} (cannot be opened: {error.strerror})")
            continue
        seen.append(f'{path} "{info.label}" with {info.num_lines} lines')
        if info.label in wanted:
            matching.append(chip)
        else:
            chip.close()
    if len(matching) == 1:
        return matching[0]
    paths = ", ".join(chip.path for chip in matching)
    for chip in matching:
        chip.close()
    expected = f"chip {label!r}" if label is not None else f"a chip of the header ({', '.join(HEADER_CHIP_LABELS)})"
    if matching:
        raise LineError(f"{expected}: expected one, found {len(matching)} ({paths}); unload the driver of the others")
    if again and not refused:
        raise LineError(f"{expected}: not found; plug it in again (the chips here are: {'; '.join(seen) or 'none'})")
    if refused and not seen:
        raise LineError(_forbidden(expected, refused))
    if not seen and not refused:
        raise LineError(
            f"{expected}: not found; the chips here are: none. This computer has no GPIO: run it on the Pi, or write "
            'backend = "sim" for simulated devices'
        )
    there = "; ".join(seen) or "none"
    hint = f" ({_forbidden('others', refused)})" if refused else ""
    raise LineError(f"{expected}: not found; the chips here are: {there}{hint}. Give the label of one as chip = …")


def chip_path(label: str | None, devices: Devices) -> str:
    """The device file of the chip of that label; None means the one behind the Pi's header.

    Raises:
        LineError: as `open_chip`.
    """
    require_gpiod()
    chip = open_chip(label, devices)
    try:
        return str(chip.path)
    finally:
        chip.close()


def line_offset(chip: gpiod.Chip, wired: WiredLine) -> int:
    """The offset of a line on its chip.

    Raises:
        LineError: the chip has no such line.
    """
    info = chip.get_info()
    where = repr(wired.name)
    if isinstance(wired.gpio, int):
        if not 0 <= wired.gpio < info.num_lines:
            raise LineError(
                f'{where}: chip "{info.label}" has lines 0 to {info.num_lines - 1}, and gpio = {wired.gpio} was asked '
                "for; correct it under [pins]"
            )
        return wired.gpio
    try:
        return chip.line_offset_from_id(str(wired.gpio))
    except (OSError, ValueError) as error:
        names = [chip.get_line_info(offset).name for offset in range(info.num_lines)]
        near = get_close_matches(str(wired.gpio), [name for name in names if name], n=3)
        raise LineError(
            f'{where}: chip "{info.label}" has no line named {wired.gpio!r}; '
            + (f"did you mean {' or '.join(near)}?" if near else "gpioinfo lists its names")
        ) from error


def request_refused(chip: gpiod.Chip, wanted: Sequence[tuple[WiredLine, int]], error: OSError) -> LineError:
    """The error for lines that the kernel refused, with the remedy."""
    label = chip.get_info().label
    names = ", ".join(wired.name for wired, _ in wanted)
    if error.errno == errno.EBUSY:
        infos = [(wired.name, offset, chip.get_line_info(offset)) for wired, offset in wanted]
        held = [
            f"line {name!r} (GPIO{offset}) is held by {info.consumer or 'the kernel'!r}"
            for name, offset, info in infos
            if info.used
        ]
        return LineError(
            f'chip "{label}": {"; ".join(held) or f"one of {names} is held by another program"}; '
            "stop that program, or free the pin in /boot/firmware/config.txt"
        )
    if error.errno in (errno.EPERM, errno.EACCES):
        return LineError(_forbidden(f'chip "{label}"', [chip.path]))
    return LineError(
        f'chip "{label}": the kernel refused the lines {names}: {error.strerror}; '
        "check that the chip can do what pull, debounce and edges ask of it (gpioinfo, dmesg)"
    )


def _forbidden(what: str, paths: Sequence[str]) -> str:
    if all(os.access(path, os.R_OK | os.W_OK) for path in paths):
        # By their modes the user may: a filter of devices (the cgroup's) refused it.
        return (
            f"{what}: no permission to open {', '.join(paths)}, though the user may by its groups: the unit's device "
            "filter refuses it; add DeviceAllow=char-gpiochip rw"
        )
    return (
        f"{what}: no permission to open {', '.join(paths)}; add the user to the group gpio (usermod -aG gpio USER), "
        "then log in again"
    )
