"""In place of the libraries below gpiozero: `lgpio`, `RPi.GPIO` and `pigpio`, as far as gpiozero calls them.

So gpiozero's own factories for them run as they are, and with them the ticks that each hands over: the kernel's
nanoseconds through lgpio, Python's time with RPi.GPIO, 32 bits of microseconds from pigpio.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

PI_4 = 0xB03115


class Board:
    """Pins that a test drives; a library calls its callbacks."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.levels: dict[int, int] = {}
        self.busy: set[int] = set()
        self.watchers: dict[int, Callable[[int, int], None]] = {}
        """GPIO -> what to call with the level and the time in nanoseconds."""

    def drive(self, gpio: int, level: int, t_ns: int) -> None:
        if self.levels.get(gpio, 0) != level:
            self.levels[gpio] = level
            self.tell(gpio, t_ns)

    def tell(self, gpio: int, t_ns: int) -> None:
        self.now_ns = t_ns
        if gpio in self.watchers:
            self.watchers[gpio](self.levels.get(gpio, 0), t_ns)


def _module(name: str, **names: object) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(names)
    return module


def _words(text: str) -> list[str]:
    return text.split()


def lgpio_module(board: Board) -> ModuleType:
    """`lgpio` 0.2: handles, claims, and callbacks with the kernel's nanoseconds."""

    class LgError(Exception):
        """lgpio's `error`, derived directly from Exception."""

    def claim(handle: int, gpio: int, flags: int = 0) -> int:
        if gpio in board.busy:
            raise LgError("GPIO busy")
        return 0

    def callback(handle: int, gpio: int, edge: int, func: Callable[..., None]) -> SimpleNamespace:
        board.watchers[gpio] = lambda level, t_ns: func(handle, gpio, level, t_ns)
        return SimpleNamespace(cancel=lambda: board.watchers.pop(gpio))

    return _module(
        "lgpio",
        error=LgError,
        BOTH_EDGES=3,
        RISING_EDGE=1,
        FALLING_EDGE=2,
        SET_PULL_NONE=128,
        SET_PULL_UP=32,
        SET_PULL_DOWN=64,
        gpiochip_open=lambda chip: 0,
        gpiochip_close=lambda handle: 0,
        gpio_get_chip_info=lambda handle: (0, 54, "gpiochip0", "no header"),
        gpio_claim_input=claim,
        gpio_claim_output=claim,
        gpio_claim_alert=lambda handle, gpio, edges, flags: 0,
        gpio_free=lambda handle, gpio: 0,
        gpio_get_mode=lambda handle, gpio: 0,
        gpio_read=lambda handle, gpio: board.levels.get(gpio, 0),
        gpio_set_debounce_micros=lambda handle, gpio, micros: 0,
        callback=callback,
    )


def rpi_gpio_module(board: Board) -> ModuleType:
    """`RPi.GPIO` 0.7: callbacks with the channel and nothing else."""

    def add_event_detect(channel: int, edge: int, callback: Callable[[int], None], bouncetime: int) -> None:
        board.watchers[channel] = lambda level, t_ns: callback(channel)

    names = _words("BCM IN OUT I2C SPI HARD_PWM SERIAL UNKNOWN PUD_UP PUD_DOWN PUD_OFF BOTH RISING FALLING")
    return _module(
        "RPi.GPIO",
        **{name: number for number, name in enumerate(names)},
        setmode=lambda mode: None,
        setwarnings=lambda on: None,
        setup=lambda channel, direction, pull_up_down=0, initial=None: None,
        gpio_function=lambda channel: names.index("IN"),
        input=lambda channel: board.levels.get(channel, 0),
        add_event_detect=add_event_detect,
        remove_event_detect=lambda channel: board.watchers.pop(channel, None),
        cleanup=lambda channel=None: None,
    )


def pigpio_module(board: Board) -> ModuleType:
    """`pigpio`: a connection to its daemon, with ticks of microseconds in 32 bits."""

    class Pi:
        def __init__(self, host: str, port: int) -> None:
            self.sl = SimpleNamespace(s=object())

        def callback(self, gpio: int, edge: int, func: Callable[..., None]) -> SimpleNamespace:
            board.watchers[gpio] = lambda level, t_ns: func(gpio, level, t_ns // 1_000 % 2**32)
            return SimpleNamespace(cancel=lambda: board.watchers.pop(gpio))

        def get_current_tick(self) -> int:
            return board.now_ns // 1_000 % 2**32

        def get_hardware_revision(self) -> int:
            return PI_4

        def read(self, gpio: int) -> int:
            return board.levels.get(gpio, 0)

        def get_mode(self, gpio: int) -> int:
            return 0

        def __getattr__(self, name: str) -> Callable[..., int]:
            if name.startswith(("set_", "write", "stop")):
                return lambda *args: 0
            raise AttributeError(name)

    names = "INPUT OUTPUT ALT0 ALT1 ALT2 ALT3 ALT4 ALT5 PUD_UP PUD_DOWN PUD_OFF EITHER_EDGE RISING_EDGE FALLING_EDGE"
    return _module(
        "pigpio",
        error=type("error", (Exception,), {}),
        pi=Pi,
        **{name: number for number, name in enumerate(_words(names))},
    )


@contextmanager
def library(name: str, board: Board) -> Iterator[None]:
    """Inside, the library is the fake one, and this computer is a Pi 4 whose monotonic time is the board's."""
    modules: dict[str, ModuleType]
    if name == "lgpio":
        modules = {"lgpio": lgpio_module(board)}
    elif name == "rpigpio":
        gpio = rpi_gpio_module(board)
        modules = {"RPi": _module("RPi", GPIO=gpio, __path__=[]), "RPi.GPIO": gpio}
    else:
        modules = {"pigpio": pigpio_module(board)}
    factory_module = f"gpiozero.pins.{name}"
    local: Any = importlib.import_module("gpiozero.pins.local")
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(sys.modules, modules))
        sys.modules.pop(factory_module, None)
        stack.enter_context(mock.patch.object(local, "get_pi_revision", lambda: PI_4))
        stack.enter_context(mock.patch.object(local, "monotonic", lambda: board.now_ns / 1e9))
        yield


class Pi:
    """A probe of a computer that is described, not looked at: without arguments, one on which every factory works."""

    def __init__(
        self,
        model: str = "Raspberry Pi 4 Model B Rev 1.5",
        kernel: str = "6.1.21-v8+",
        has: str = "",
        python: tuple[int, int] = (3, 11),
    ) -> None:
        self._model, self._kernel, self._has, self._python = model, kernel, has, python

    def model(self) -> str:
        return self._model

    def kernel(self) -> str:
        return self._kernel

    def installed(self, distribution: str) -> bool:
        return distribution == self._has

    def python(self) -> tuple[int, int]:
        return self._python
