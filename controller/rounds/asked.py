"""What a table and its orders ask of a game, and the answers of a game that has nothing to say to it.

Most games open their rounds one by one and settle each; some hold a round up, or have devices that a person tries.
"""

from __future__ import annotations

from typing import Any

from controller.rounds.voice import Voice
from drivers.base.driver import SensorAlive, SensorDead
from hal.values import Output


class Asked(Voice):
    """The answers that a game may have of its own."""

    @property
    def course_told(self) -> dict[str, Any] | None:
        """Where the game stands, for a game of which a round hangs on those before it."""
        return None

    @property
    def uncalled(self) -> int | None:
        """The unresolved round that a person must call before the next one can open; most games go on without."""
        return None

    def still_voids(self, reason: str) -> bool:
        """Whether a person may call a round void for it that has its outcome, until it is settled."""
        return False

    def call_refused(self, reason: str, position: str) -> str | None:
        """Why a person in this position may not call a round void for that reason; None where the rules let them."""
        return None

    @property
    def settle_refused(self) -> str | None:
        """Why nobody but a supervisor, or nobody yet, may have the round settled; None where nothing is against it."""
        return None

    def begin_outputs(self, t_ns: int) -> list[Output]:
        """What puts to rest all that its outputs may have set going, whatever the game itself knows of it.

        It is done as the table begins, for the service before may have died in a round; and again before its wires
        close, also where nothing can be said any more. It changes nothing of the round.
        """
        return []

    def leave(self, t_ns: int) -> None:
        """The table closes while a round may not be settled: it stays as it is, until the table opens again."""

    def begin_shut(self, t_ns: int) -> None:
        """The table begins, and a fault of before shuts it: no round opens."""

    def keeps(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether that a sensor dies or lives means nothing to the table now, because its device is not in use."""
        return False

    @property
    def busy(self) -> str | None:
        """What a person has the devices of the closed table do, in words; None where they do nothing."""
        return None

    def attended(self, t_ns: int, key: str) -> bool:
        """The supervisor's key was turned. Returns whether the round waited for a supervisor, and went on."""
        return False

    def inspection_begins(self) -> None:
        """A person begins to inspect the closed table: what was tried before is not of it."""

    @property
    def inspection_lacks(self) -> str | None:
        """What must be tried at the device before an inspection can pass, and was not; None where nothing is left."""
        return None
