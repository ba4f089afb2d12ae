"""Identities of boards, and links to boards whose state a test sets."""

from __future__ import annotations

import msgspec

from hal.board.link import BoardWatcher
from hal.board.messages import KINDS, IdentityAnswer, Reset
from tests.fakes.model_board import ModelBoard


def identity(kind: str = "wheel", *, serial: int = 7, boots: int = 3, cause: int = Reset.EXTERNAL) -> IdentityAnswer:
    """What a board of this kind says it is."""
    whole = ModelBoard(KINDS[kind], version=(1, 0, 0), build=0x1A2B3C4D).identity
    return msgspec.structs.replace(whole, serial=serial, boots=boots, cause=cause)


class HandLink:
    """A board's link, whose ups and downs a test tells."""

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
