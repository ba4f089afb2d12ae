"""What people do at a machine: the door, test mode, and the attendant's key."""

from __future__ import annotations

from typing import Final

from controller.games.machines.account import TokenAccount
from controller.games.machines.current_play import TEST, CurrentPlay

DOOR: Final = "door"


class MachineAttendant:
    """Who opens the door of one machine, tests it, and turns the key."""

    def __init__(self, account: TokenAccount, current: CurrentPlay) -> None:
        self._account = account
        self._current = current

    def move_door(self, t_ns: int, is_open: bool) -> None:
        """The door was opened or closed: nothing is played behind an open one."""
        if is_open == self._current.is_held_by(DOOR):
            return
        if is_open:
            self._current.hold(t_ns, DOOR)
            self._account.count(door_openings=1)
            self._account.write(t_ns, "door_opened")
        else:
            self._current.let_go(t_ns, DOOR)
            self._account.write(t_ns, "door_closed")

    def begin_test(self, t_ns: int, by: str) -> str | None:
        """A person begins test mode. Returns why not, if not."""
        if self._current.testing:
            return "test mode is on already"
        if self._current.under_way:
            return f"play {self._current.number} is on: wait for its end, or void it"
        if self._account.paying:
            return "the hopper pays: wait for its end"
        self._current.hold(t_ns, TEST)
        self._account.write(t_ns, "test_begun", by=by)
        return None

    def end_test(self, t_ns: int, by: str) -> str | None:
        """A person ends test mode. Returns why not, if not."""
        if not self._current.testing:
            return "test mode is not on"
        self._account.write(t_ns, "test_ended", by=by)
        self._current.let_go(t_ns, TEST)
        return None

    def turn_key(self, t_ns: int, key: str) -> None:
        """The attendant's key is turned."""
        self._account.write(t_ns, "attendant_key", by=key)
