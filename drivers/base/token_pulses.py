"""The pulses of a token acceptor on a board that counts them by itself, watched for what the board does not count.

    ____|‾‾‾‾‾‾|__________|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|___________|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
        counted            of another width: whether    active for too long:
                           a token is in is not known   the line is stuck

Widths and bounces are those of the board (docs/boards-wiring.md): without `pulse_ms` 20 to 250 ms, otherwise within a
fifth of it; what is shorter than 20 ms is noise.
"""

from __future__ import annotations

from typing import Final

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.sensed_device import DebouncedLevel

BOUNCE_NS: Final = 5_000_000
NOISE_NS: Final = 20_000_000
USUAL_NS: Final = 250_000_000
"""The longest pulse that a board counts without `pulse_ms`."""


class PulseNotCounted(Observation, frozen=True, kw_only=True):
    """A pulse that is not noise, and that the board does not count: a token may be in."""

    detail: str


class TokenPulses:
    """The line of one acceptor: 1 while its pulse lasts."""

    def __init__(self, line: str, pulse_ms: int, stuck_ns: int) -> None:
        """`pulse_ms` is the width of a token's pulse, 0 where it is not set; a line that is active for `stuck_ns` is
        stuck.
        """
        self._line = line
        self._least_ns = max(NOISE_NS, pulse_ms * 800_000)
        self._most_ns = pulse_ms * 1_200_000 or USUAL_NS
        self._stuck_ns = stuck_ns
        self._level = DebouncedLevel(BOUNCE_NS)
        self._began_ns = NEVER_NS
        """When the pulse that is under way began; `NEVER_NS` where none is, or it is reported as stuck."""
        self._whole = False
        """Whether that was seen; the line may have been active before it was first looked at."""

    @property
    def due_ns(self) -> int:
        """When something of it is decided next."""
        stuck_ns = self._began_ns + self._stuck_ns if self._began_ns < NEVER_NS else NEVER_NS
        return min(self._level.due_ns, stuck_ns)

    def edge(self, level: int, t_ns: int) -> None:
        """The line changes; `due` was called up to before."""
        if self._level.edge(level, t_ns) and level:
            self._began_ns, self._whole = t_ns, False

    def forget(self) -> None:
        """Changes were lost, or the line is not driven."""
        self._level.forget()
        self._began_ns = NEVER_NS

    def due(self, t_ns: int, health: SensorHealth, found: list[Observation]) -> None:
        """Decides what is due up to then."""
        while (due_ns := self.due_ns) <= t_ns:
            change = self._level.due(due_ns)
            if change is None:
                self._began_ns = NEVER_NS
                detail = f"{self._line} is active for {self._stuck_ns / 1e9:g} s: it is stuck, or its wire is cut"
                health.line_failed(self._line, "sensor_stuck", f"{detail}; its board counts nothing", due_ns, found)
            elif change.level:
                self._began_ns, self._whole = change.since_ns, True
            else:
                if self._began_ns < NEVER_NS and self._whole:
                    self._ended(change.since_ns - self._began_ns, due_ns, found)
                self._began_ns = NEVER_NS

    def _ended(self, width_ns: int, t_ns: int, found: list[Observation]) -> None:
        if width_ns < NOISE_NS or self._least_ns <= width_ns <= self._most_ns:
            return
        counts = f"its board counts {self._least_ns / 1e6:g} to {self._most_ns / 1e6:g} ms"
        advice = "where the acceptor's pulses are that wide, give their width as pulse_ms"
        detail = f"a pulse of {self._line} had {width_ns / 1e6:.1f} ms, and {counts}: a token may be in; {advice}"
        found.append(PulseNotCounted(t_ns=t_ns, detail=detail))
