"""A minimal host of a board: watches its inputs whenever it is up, and records the edges."""

from __future__ import annotations

from functools import partial

from hal.board.edge_stream import BoardEdge, EdgesMissing, EdgeStream, StreamItem
from hal.board.errors import BoardError
from hal.board.message import BoardAnswer
from hal.board.messages import EdgesReport, StateReport, WatchCommand
from hal.board.session import BoardDown, BoardReported, BoardUp, Session, SessionEvent
from tests.fakes.model_board import ModelBoard
from tests.fakes.model_edges import ModelEdges


class Watch:
    """The edges of one session: those delivered to the host, and those of the board."""

    def __init__(self, session: Session, board: ModelBoard, watched: int) -> None:
        self.clock = session.clock
        self.stream = EdgeStream(session.clock, watched)
        self.told: list[StreamItem] = []
        self.untils: list[int] = []
        """The time up to which everything was delivered, after each report."""
        self.early: list[StreamItem] = []
        """Edges delivered at or before a time already passed."""
        self.ended = False
        self.truth: ModelEdges | None = None
        self.life = board.life
        self._board = board

    def take(self) -> None:
        """Records what is new."""
        if self.truth is None:
            self.truth = self._board.edges_of.get(self.life)
        for told in self.stream.take():
            if self.untils and told.t_ns <= self.untils[-1]:
                self.early.append(told)
            self.told.append(told)
        if self.stream.until_ns is not None:
            self.untils.append(self.stream.until_ns)

    @property
    def edges(self) -> list[BoardEdge]:
        """The edges delivered, without the levels only found."""
        return [told for told in self.told if isinstance(told, BoardEdge) and not told.found]

    @property
    def missing(self) -> int:
        """How many were reported lost."""
        return sum(told.missing for told in self.told if isinstance(told, EdgesMissing))

    @property
    def levels(self) -> dict[int, int]:
        """The levels of the lines, as delivered."""
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
        """The watch of the current or the last session."""
        return self.watches[-1]

    def heard(self, said: SessionEvent) -> None:
        """Handles a session event."""
        if isinstance(said, BoardUp):
            self.watches.append(Watch(self._session, self._board, self._watched))
            self._session.submit(WatchCommand(self._watched, 0), lambda result: None)
        elif isinstance(said, BoardDown):
            if self.watches:
                self.watch.ended = True
        elif isinstance(said, BoardReported):
            self._reported(said)

    def _reported(self, said: BoardReported) -> None:
        watch = self.watch
        if isinstance(said.report, EdgesReport):
            watch.stream.edges(said.report)
        elif isinstance(said.report, StateReport):
            watch.stream.state(said.report)
        self._hand_on(watch)

    def _hand_on(self, watch: Watch) -> None:
        watch.take()
        ask = watch.stream.take_request()
        if ask is not None:
            self._session.submit(ask, partial(self._held, watch))

    def _held(self, watch: Watch, answer: BoardAnswer | BoardError) -> None:
        watch.stream.held(answer)
        self._hand_on(watch)
