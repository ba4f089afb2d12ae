"""A minimal host of a board: it watches the inputs whenever the board is up, and keeps every report."""

from __future__ import annotations

from functools import partial

from hal.board.edge_stream import BoardEdge, EdgesMissing, EdgeStream, Told
from hal.board.errors import BoardError
from hal.board.message import Answer
from hal.board.messages import EdgesReport, StateReport, WatchCommand
from hal.board.session import Down, Reported, Said, Session, Up
from tests.fakes.model_board import ModelBoard
from tests.fakes.model_edges import ModelEdges


class Watch:
    """The edges of one session: what the host was told, and what the board had."""

    def __init__(self, session: Session, board: ModelBoard, watched: int) -> None:
        self.clock = session.clock
        self.stream = EdgeStream(session.clock, watched)
        self.told: list[Told] = []
        self.untils: list[int] = []
        """Up to where all was told, after each report."""
        self.early: list[Told] = []
        """What came at or before a time that was over."""
        self.ended = False
        self.truth: ModelEdges | None = None
        self.life = board.life
        self._board = board

    def take(self) -> None:
        """Notes what is new."""
        if self.truth is None and self._board.life == self.life:
            self.truth = self._board.edges
        for told in self.stream.take():
            if self.untils and told.t_ns <= self.untils[-1]:
                self.early.append(told)
            self.told.append(told)
        if self.stream.until_ns is not None:
            self.untils.append(self.stream.until_ns)

    @property
    def edges(self) -> list[BoardEdge]:
        """The edges that were told, and not only found."""
        return [told for told in self.told if isinstance(told, BoardEdge) and not told.found]

    @property
    def missing(self) -> int:
        """How many were told as lost."""
        return sum(told.missing for told in self.told if isinstance(told, EdgesMissing))

    @property
    def levels(self) -> dict[int, int]:
        """How the lines stand, as far as was told."""
        return {told.line: told.level for told in self.told if isinstance(told, BoardEdge)}


class BoardHost:
    """Watches a board's inputs in every session. `heard` is for a `BoardWire`."""

    def __init__(self, session: Session, board: ModelBoard, watched: int = 0xFF) -> None:
        self.watches: list[Watch] = []
        self._session = session
        self._board = board
        self._watched = watched

    @property
    def watch(self) -> Watch:
        """The watch of the session that is up, or was last."""
        return self.watches[-1]

    def heard(self, said: Said) -> None:
        """Takes what the session says."""
        if isinstance(said, Up):
            self.watches.append(Watch(self._session, self._board, self._watched))
            self._session.submit(WatchCommand(self._watched, 0), lambda result: None)
        elif isinstance(said, Down):
            if self.watches:
                self.watch.ended = True
        elif isinstance(said, Reported):
            self._reported(said)

    def _reported(self, said: Reported) -> None:
        watch = self.watch
        if isinstance(said.report, EdgesReport):
            watch.stream.edges(said.report)
        elif isinstance(said.report, StateReport):
            watch.stream.state(said.report)
        self._hand_on(watch)

    def _hand_on(self, watch: Watch) -> None:
        watch.take()
        ask = watch.stream.take_ask()
        if ask is not None:
            self._session.submit(ask, partial(self._held, watch))

    def _held(self, watch: Watch, answer: Answer | BoardError) -> None:
        watch.stream.held(answer)
        self._hand_on(watch)
