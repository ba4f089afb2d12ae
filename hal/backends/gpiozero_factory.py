"""Loads gpiozero's pin factory: the configured one, or an error; never whichever happens to load.

| factory   | runs on       | edge times                    | refused where                                    |
|-----------|---------------|-------------------------------|--------------------------------------------------|
| `lgpio`   | every Pi      | kernel, CLOCK_MONOTONIC       | its working directory cannot be written          |
| `rpigpio` | up to Pi 4    | Python, after the edge        | Pi 5; kernel 6.6 and newer; beside rpi-lgpio     |
| `pigpio`  | up to Pi 4    | DMA sampling, 1 µs, 32 bits   | no pigpiod answers                               |
| `native`  | up to Pi 4    | Python, after the edge        | Pi 5; kernel 6.6 and newer                       |
| `mock`    | anywhere      | Python                        | never; for tests, without real pins              |
"""

from __future__ import annotations

import atexit
import importlib
import logging
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hal.backends.gpiod_chip import gpio_devices
from hal.install_words import how_to_install, how_to_pip
from hal.lines import HEADER_CHIP_LABELS, LineError

if TYPE_CHECKING:
    from gpiozero.pins import Factory

log = logging.getLogger(__name__)

FACTORIES = {
    "lgpio": ("gpiozero.pins.lgpio", "LGPIOFactory"),
    "rpigpio": ("gpiozero.pins.rpigpio", "RPiGPIOFactory"),
    "pigpio": ("gpiozero.pins.pigpio", "PiGPIOFactory"),
    "native": ("gpiozero.pins.native", "NativeFactory"),
    "mock": ("gpiozero.pins.mock", "MockFactory"),
}
"""Name in the configuration -> module and class."""

_INSTALL = {
    "rpigpio": "gpiozero RPi.GPIO",
    "pigpio": "pigpio",
    "native": "gpiozero",
    "mock": "gpiozero",
}
"""The package that pip must install for a factory."""
_BY_SYSFS = ("rpigpio", "native")
"""Factories that access pins by the chip's registers and detect edges by sysfs."""
_LAST_PYTHON_WITH_LGPIO = (3, 12)
"""lgpio has no wheel for a later one (0.2.2.0, of every processor), and its sources need swig and a library of C."""
_LAST_KERNEL_WITHOUT_FAULT = (6, 5)
"""From 6.6 the numbers of sysfs GPIOs no longer begin at 0, as these factories assume."""
_PI_5 = re.compile(r"Raspberry Pi (5|Compute Module 5)")
"""Pi 5, 500 and Compute Module 5, whose pins are behind the RP1."""


class Probe(Protocol):
    """The facts about the computer needed before a factory is loaded."""

    def model(self) -> str:
        """The board's name, `"Raspberry Pi 4 Model B Rev 1.5"`; empty if there is none."""

    def kernel(self) -> str:
        """The kernel's release, `"6.6.31+rpt-rpi-v8"`."""

    def installed(self, distribution: str) -> bool:
        """Whether a Python distribution of that name is installed."""

    def python(self) -> tuple[int, int]:
        """The version of Python that runs this, `(3, 13)`."""


class SystemProbe:
    """Probes this computer."""

    def model(self) -> str:
        """The model in the device tree."""
        try:
            return Path("/proc/device-tree/model").read_text(encoding="utf-8").rstrip("\0\n")
        except OSError:
            return ""  # no device tree: not a Pi

    def kernel(self) -> str:
        """The release, as `uname -r` prints it."""
        return platform.release()

    def installed(self, distribution: str) -> bool:
        """Looks it up in Python's package metadata."""
        try:
            metadata.distribution(distribution)
        except metadata.PackageNotFoundError:
            return False
        return True

    def python(self) -> tuple[int, int]:
        """The version of this interpreter."""
        return sys.version_info[:2]


def load_factory(name: str, probe: Probe | None = None) -> Factory:
    """Creates the pin factory of that name. A process creates one, shares it among all users, and closes it last.

    Raises:
        LineError: there is no such factory, it cannot work on this computer, or it failed to load.
    """
    if name not in FACTORIES:
        raise LineError(
            f"backend gpiozero: expected factory = one of {', '.join(FACTORIES)}, got {name!r}; "
            "correct it under [lines]"
        )
    probe = probe or SystemProbe()
    refuse_where_it_cannot_work(name, probe)
    module, class_name = FACTORIES[name]
    library_errors()  # Fails when gpiozero itself is missing.
    try:
        with lgpio_directory() if name == "lgpio" else nullcontext():
            factory_class = getattr(importlib.import_module(module), class_name)
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        # AttributeError: PyPI has an empty package lgpio 0.0.0.2, which pip takes where it finds no wheel.
        # RuntimeError: RPi.GPIO is there, and this computer is no Pi.
        remedy = _advice(name) if isinstance(error, RuntimeError) else _remedy(name, probe)
        raise LineError(f"backend gpiozero: factory {name!r} cannot be loaded ({error}); {remedy}") from error
    try:
        factory: Factory = factory_class() if name != "lgpio" else _lgpio_factory(factory_class)
    except library_errors() as error:
        raise LineError(
            f"backend gpiozero: factory {name!r} cannot reach the pins ({type(error).__name__}: {error}); "
            + _advice(name)
        ) from error
    return factory


def _remedy(name: str, probe: Probe) -> str:
    """How a factory that cannot be loaded is installed, or what to use where it cannot be."""
    if name in _INSTALL:
        return how_to_pip(_INSTALL[name])
    python = probe.python()
    if python > _LAST_PYTHON_WITH_LGPIO:
        return f'there is no wheel of lgpio for Python {python[0]}.{python[1]}: use backend = "gpiod", under [lines]'
    return how_to_install("pi")


def _lgpio_factory(factory_class: Callable[..., Factory]) -> Factory:
    """lgpio on the chip with the header's label, whatever its number is.

    gpiozero itself goes by number: 4 on a Pi 5, otherwise 0. Kernels have given the header of a Pi 5 other numbers, and
    a chip that comes back has another one while somebody still holds the old one; 0 may then be one without a header.
    """
    number = _header_chip_number()
    return factory_class() if number is None else factory_class(chip=number)


def _header_chip_number() -> int | None:
    """The number of the one chip with a label of the Pi's header; None where this computer has none.

    Raises:
        LineError: several chips have one.
    """
    lgpio = sys.modules["lgpio"]
    found: list[int] = []
    for path in gpio_devices():
        number = int(path.removeprefix("/dev/gpiochip"))
        try:
            handle = lgpio.gpiochip_open(number)
        except library_errors():
            continue
        try:
            _, _, _, label = lgpio.gpio_get_chip_info(handle)
        finally:
            lgpio.gpiochip_close(handle)
        text = label.decode() if isinstance(label, bytes) else label
        if text in HEADER_CHIP_LABELS:
            found.append(number)
    if len(found) > 1:
        numbers = ", ".join(f"/dev/gpiochip{number}" for number in found)
        raise LineError(
            f'backend gpiozero: several chips have a label of the header ({numbers}); use backend = "gpiod", with the '
            "label of one as chip = …"
        )
    return found[0] if found else None


class SharedFactory:
    """The one factory of this process, which its users replace together once its chip or daemon has gone.

    gpiozero's factories hold what they opened first: they do not find a chip that was plugged in again.
    """

    def __init__(self, name: str, load: Callable[[str], Factory] = load_factory) -> None:
        """Loads nothing yet."""
        self._name = name
        self._load = load
        self._factory: Factory | None = None

    def current(self) -> Factory:
        """The factory; loads it where there is none.

        Raises:
            LineError: it cannot be loaded.
        """
        if self._factory is None:
            self._factory = self._load(self._name)
        return self._factory

    def is_current(self, factory: Factory) -> bool:
        """Whether a factory is still the one in use."""
        return factory is self._factory

    def replace(self, broken: Factory) -> Factory:
        """Closes a factory that no longer reaches its pins, and loads a new one, unless another user did so before.

        Raises:
            LineError: a new one cannot be loaded; a later call tries again.
        """
        if self.is_current(broken):
            self._factory = None
            close_broken(broken)
        return self.current()


def pin_is_taken(error: Exception) -> bool:
    """Whether a factory refused one pin (in use, or unable to do what is asked), and so reaches its chip.

    lgpio has one class for all its errors, and distinguishes them by text alone.
    """
    from gpiozero.exc import GPIOZeroError

    return isinstance(error, GPIOZeroError) or "busy" in str(error).lower()


def close_broken(factory: Factory) -> None:
    """Closes a factory whose chip has gone, as far as that goes.

    Its own `close` stops at the first pin that cannot be reset, and keeps the chip open: the kernel then gives the
    chip that comes back another number, and lgpio's thread reads the old one for ever. So the pins are closed one by
    one first, and those that fail are left out.
    """
    for pin in list(factory.pins.values()):
        try:
            pin.close()
        except library_errors() as error:
            log.debug("gpiozero: %r could not be closed: %s", pin, error)
    factory.pins.clear()
    try:
        factory.close()
    except library_errors() as error:
        log.warning("gpiozero: %s could not be closed: %s", type(factory).__name__, error)


def refuse_where_it_cannot_work(name: str, probe: Probe) -> None:
    """Refuses a factory that would load but detect no edges, or that another package replaces.

    Raises:
        LineError: names the obstacle, and the factory or backend to use instead.
    """
    if name not in _BY_SYSFS:
        return
    or_lgpio = ', or factory = "lgpio"' if probe.python() <= _LAST_PYTHON_WITH_LGPIO else ""
    instead = f'use backend = "gpiod"{or_lgpio}'
    model = probe.model()
    if _PI_5.search(model):
        raise LineError(f"backend gpiozero: factory {name!r} cannot run on a {model}; {instead}")
    kernel = probe.kernel()
    numbers = re.match(r"(\d+)\.(\d+)", kernel)
    if numbers is None:
        raise LineError(
            f"backend gpiozero: factory {name!r} needs a kernel before 6.6, this one calls itself {kernel!r}; {instead}"
        )
    if (int(numbers[1]), int(numbers[2])) > _LAST_KERNEL_WITHOUT_FAULT:
        raise LineError(
            f"backend gpiozero: factory {name!r} cannot detect edges on kernel {kernel} (6.6 and newer); {instead}"
        )
    if name == "rpigpio" and probe.installed("rpi-lgpio"):
        # Both are imported as `RPi`. rpi-lgpio drops the kernel's times, and debounces in another way.
        raise LineError(
            "backend gpiozero: factory 'rpigpio' expects the package RPi.GPIO, and rpi-lgpio is installed in its "
            'place; use factory = "lgpio", or: pip uninstall rpi-lgpio'
        )


@contextmanager
def lgpio_directory() -> Iterator[None]:
    """A directory in which importing lgpio is safe.

    The import creates a FIFO `.lgd-nfy0` in the working directory, or in `LG_WD`, and *changes the working directory to
    it*. Two processes in one directory steal each other's edges. So each process gets a directory of its own, unless
    `LG_WD` names one, and the working directory is restored.

    Raises:
        LineError: the directory in `LG_WD` cannot be written.
    """
    if "lgpio" in sys.modules:
        yield
        return
    given = os.environ.get("LG_WD")
    if given is not None and not os.access(given, os.W_OK | os.X_OK):
        raise LineError(
            f"backend gpiozero: lgpio needs a directory that it can write, and LG_WD names {given!r}; "
            "correct LG_WD, or unset it"
        )
    before = Path.cwd()
    if given is None:
        directory = tempfile.mkdtemp(prefix="feltwire-lgpio-")
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        os.environ["LG_WD"] = directory
    try:
        yield
    finally:
        os.chdir(before)
        if given is None:
            del os.environ["LG_WD"]


def library_errors() -> tuple[type[Exception], ...]:
    """The exceptions that gpiozero and the library under it raise when a pin is not available.

    lgpio and pigpio have exceptions of their own, derived directly from `Exception`.

    Raises:
        LineError: gpiozero is not installed.
    """
    try:
        from gpiozero.exc import GPIOZeroError
    except ImportError as error:
        raise LineError(
            f"backend gpiozero: the Python package gpiozero cannot be imported ({error}); {how_to_install('pi')}"
        ) from error
    found: list[type[Exception]] = [GPIOZeroError, OSError, RuntimeError, ValueError]
    for library in ("lgpio", "pigpio"):
        error_class = getattr(sys.modules.get(library), "error", None)
        if isinstance(error_class, type) and issubclass(error_class, Exception):
            found.append(error_class)
    return tuple(found)


def _advice(name: str) -> str:
    if name == "pigpio":
        return "start pigpiod (systemctl start pigpiod); it cannot run on a Pi 5"
    return "run it on a Raspberry Pi, as a user in the group gpio"
