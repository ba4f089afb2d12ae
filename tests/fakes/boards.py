"""Fake boards: an identity, and links whose state a test sets."""

from __future__ import annotations

import msgspec

from hal.board.link import BoardWatcher
from hal.board.messages import KINDS, IdentityAnswer, Reset, StateReport
from tests.fakes.model_board import ModelBoard


def identity(kind: str = "wheel", *, serial: int = 7, boots: int = 3, cause: int = Reset.EXTERNAL) -> IdentityAnswer:
    """The identity of a board of this kind."""
    whole = ModelBoard(KINDS[kind], version=(1, 0, 0), build=0x1A2B3C4D).identity
    return msgspec.structs.replace(whole, serial=serial, boots=boots, cause=cause)


class HandLink:
    """A board's link, whose state a test sets."""

    def __init__(self) -> None:
        self.watchers: list[BoardWatcher] = []

    def open(self, watcher: BoardWatcher) -> None:
        self.watchers.append(watcher)

    def close(self, watcher: BoardWatcher) -> None:
        if watcher in self.watchers:
            self.watchers.remove(watcher)

    def up(self, what: IdentityAnswer, t_ns: int = 0) -> None:
        for watcher in self.watchers:
            watcher.up(what, t_ns)

    def down(self, reason: str, t_ns: int = 0) -> None:
        for watcher in self.watchers:
            watcher.down(t_ns, reason)

    def state(self, flags: int, t_ns: int = 0, levels: int = 0) -> None:
        """Its state, with these flags, and levels of its inputs."""
        for watcher in self.watchers:
            watcher.reported(StateReport(0, 0, levels, 0, 0, flags, 0, 0), t_ns)
