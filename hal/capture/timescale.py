"""The unit of a VCD file's timestamps, exact in both directions.

IEEE 1364-2005, 18.2.3.6: 1, 10 or 100 of s, ms, us, ns, ps or fs.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_T_NS = 2**63 - 1
"""The last time that a capture holds, in nanoseconds: 292 years, what the kernel's own clock can say."""

_FEMTOSECONDS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
_FEMTOSECONDS_A_NANOSECOND = 10**6
_LEGAL = re.compile(r"(1|10|100)\s*(s|ms|us|ns|ps|fs)")


class Timescale(NamedTuple):
    """One unit of the file is `multiplier / divisor` nanoseconds; one of the two is 1."""

    multiplier: int
    divisor: int
    text: str

    @classmethod
    def parse(cls, text: str) -> Timescale:
        """`1 us`, `100ps` and so on; `ValueError` for anything that is not a legal timescale."""
        match = _LEGAL.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"expected 1, 10 or 100 of s, ms, us, ns, ps or fs, saw `{text[:40]}`")
        femtoseconds = int(match[1]) * _FEMTOSECONDS[match[2]]
        if femtoseconds >= _FEMTOSECONDS_A_NANOSECOND:
            return cls(femtoseconds // _FEMTOSECONDS_A_NANOSECOND, 1, f"{match[1]} {match[2]}")
        return cls(1, _FEMTOSECONDS_A_NANOSECOND // femtoseconds, f"{match[1]} {match[2]}")

    @property
    def last_legal(self) -> int:
        """The last timestamp that is not past `MAX_T_NS`."""
        return MAX_T_NS * self.divisor // self.multiplier

    def to_ns(self, units: int) -> int:
        """The time of a timestamp: to the nearest nanosecond, and half of one goes up."""
        return (units * self.multiplier * 2 + self.divisor) // (2 * self.divisor)

    def from_ns(self, t_ns: int) -> int:
        """The timestamp of a time: to the nearest unit, and half of one goes up."""
        return (t_ns * self.divisor * 2 + self.multiplier) // (2 * self.multiplier)
