"""Lines that are active for a moment, watched for one that stays so."""

from __future__ import annotations

from collections.abc import Collection

from drivers.base.driver import NEVER_NS


class HeldLines:
    """The lines of one device that are active, until they change or are reported as stuck."""

    __slots__ = ("_since_ns", "stuck_ns")

    def __init__(self, stuck_ns: int) -> None:
        self.stuck_ns = stuck_ns
        """A line that is active for this long is stuck."""
        self._since_ns: dict[str, int] = {}

    @property
    def lines(self) -> Collection[str]:
        """The lines that are active, and not reported."""
        return self._since_ns.keys()

    @property
    def due_ns(self) -> int:
        """When the next one is stuck."""
        return min(self._since_ns.values()) + self.stuck_ns if self._since_ns else NEVER_NS

    def begin(self, line: str, t_ns: int) -> None:
        """A line is active from then on, or has been for longer."""
        self._since_ns.setdefault(line, t_ns)

    def end(self, line: str) -> int | None:
        """A line is not active any more, or nobody knows. Returns since when it was; None where it was not, or was
        reported.
        """
        return self._since_ns.pop(line, None)

    def stuck(self, t_ns: int) -> list[tuple[int, str]]:
        """When lines were stuck up to then, and which, in order; each is returned once."""
        found = sorted(
            (at_ns, line) for line, since in self._since_ns.items() if (at_ns := since + self.stuck_ns) <= t_ns
        )
        for _, line in found:
            del self._since_ns[line]
        return found
