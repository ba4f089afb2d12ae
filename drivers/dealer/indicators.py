"""The "no more bets" lamp and the winning number on a serial display.

Both give outputs: a level for an output line, or bytes for a link. Passive number displays read a bare `ww` and CR LF
at 9600 8N1.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from hal.values import SendFrame, SetLine


class LampConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a lamp under `[device.lamp]`."""

    driver: Literal["lamp"] = "lamp"


class NumberDisplayConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a winning-number display under `[device.display]`; its port is `[links] number_display`."""

    driver: Literal["number_display"] = "number_display"


class NoMoreBetsLamp:
    """Lit from the call until the round is over."""

    line = "no_more_bets_lamp"

    def called(self, t_ns: int) -> SetLine:
        """Lights the lamp: "No more bets" was called."""
        return SetLine(self.line, True, t_ns)

    def over(self, t_ns: int) -> SetLine:
        """Puts the lamp out: the round is settled or void, and bets are open again."""
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
