"""The "no more bets" lamp and the winning number on a serial display.

Both give outputs: a level for an output line, or bytes for a link. Passive number displays read a bare `ww` and CR LF
at 9600 8N1.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from drivers.base.lasting_lines import LastingLines
from hal.values import Output, SendFrame, SetLine


class LampConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a lamp under `[device.lamp]`."""

    driver: Literal["lamp"] = "lamp"


class NumberDisplayConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a winning-number display under `[device.display]`; its port is `[links] number_display`."""

    driver: Literal["number_display"] = "number_display"


class NoMoreBetsLamp:
    """Lit from the call until the round is over, however long a person takes to settle it."""

    line = "no_more_bets_lamp"

    def __init__(self) -> None:
        self._lasting = LastingLines()

    @property
    def next_due_ns(self) -> int:
        """When a lamp that is lit is set again."""
        return self._lasting.due_ns

    def due(self, t_ns: int) -> list[Output]:
        """Sets again what has been on for some minutes."""
        return self._lasting.due(t_ns)

    def called(self, t_ns: int) -> SetLine:
        """Lights the lamp: "No more bets" was called."""
        self._lasting.keep([self.line], t_ns)
        return SetLine(self.line, True, t_ns)

    def over(self, t_ns: int) -> SetLine:
        """Puts the lamp out: the round is settled or void, and bets are open again."""
        self._lasting.keep([], t_ns)
        return SetLine(self.line, False, t_ns)


class NumberDisplay:
    """A display of the last winning number, right-justified in two places."""

    link = "number_display"

    def show(self, pocket: str, t_ns: int) -> SendFrame:
        """The frame that shows a pocket: `" 7"`, `"36"`, `"00"`."""
        if not (pocket.isascii() and pocket.isdigit() and len(pocket) <= 2):
            raise ValueError(f"a number display shows 0 to 36 and 00, not {pocket!r}")
        return SendFrame(self.link, f"{pocket:>2}\r\n".encode("ascii"), t_ns)

    def clear(self, t_ns: int) -> SendFrame:
        """The frame that blanks it."""
        return SendFrame(self.link, b"  \r\n", t_ns)
