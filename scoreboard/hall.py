"""The tables that a gateway follows, and the messages that their boards are made of.

    items of subscribers ──► Hall ──► messages for pages, each a JSON object in one frame

    {"type": "hello", "gateway": id, "boards": [key, …], "services": […]}   first of a connection
    {"type": "board", "key": k, "revision": n, "board": {…}}                a table, whole: `scoreboard.board.BoardView`
    {"type": "motion", "key": k, "revision": n, "motion": {…}}              what moves now; not repeated
    {"type": "beat", "at": ms, "silent": {k: ms or null}, "services": […], "day_ms": ms}    twice a second, always

A page that acknowledges has them in batches, each with its time (`scoreboard.newest`).

A board's message has all that the page shows of that table. A page that was away needs the last one only, asks with
the revisions that it has, and can neither miss an event nor show one twice. Revisions count up while a gateway runs;
another gateway has another id, and sends every board again.

Nothing here does I/O or reads a clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from feed.events import RoundProgress
from feed.state import TableState
from feed.subscriber import (
    CaughtUp,
    Fact,
    Filled,
    Halted,
    Item,
    Joined,
    Missing,
    Notice,
    Restarted,
    Rewritten,
    Trouble,
    Waiting,
)
from scoreboard.board import BoardView, Live, Motion, view_of

_JSON: Final = msgspec.json.Encoder()
READY_STALE_MS: Final = 3_000
"""A table that is silent for longer has no current board for a supervisor that asks `/readyz`, and a service of which
all tables are is not received (ours)."""


class Message(NamedTuple):
    """A message for pages."""

    key: str
    """The board that it is of; empty for every page."""
    body: bytes
    kind: Literal["hello", "board", "motion", "beat"]


class HallBoard(msgspec.Struct, frozen=True, tag_field="type", tag="board"):
    """A table, whole."""

    key: str
    revision: int
    board: BoardView


class MotionMessage(msgspec.Struct, frozen=True, tag_field="type", tag="motion"):
    """What moves now at a table."""

    key: str
    revision: int
    motion: Motion


class ServiceStatus(msgspec.Struct, frozen=True):
    """One service that is followed."""

    name: str
    connected: bool
    """Whether it is received: of one of its tables at least what is known is current."""
    trouble: str = ""
    """What is wrong with what is followed of it, or of a table of which nothing current is known."""


class BeatMessage(msgspec.Struct, frozen=True, tag_field="type", tag="beat", omit_defaults=True):
    """That the gateway runs, and for each table how old what is known of it may be, in milliseconds; null where that is
    not known."""

    at: int
    """The gateway's clock, in milliseconds: a table was alive, and its newest board was true, `silent` before."""
    silent: dict[str, int | None]
    services: list[ServiceStatus]
    day_ms: int | None = None
    """The time of day at the gateway, in milliseconds since midnight."""


class HelloMessage(msgspec.Struct, frozen=True, tag_field="type", tag="hello"):
    """The first message of a connection."""

    gateway: str
    boards: list[str]
    services: list[ServiceStatus]


class _Board:
    """One table."""

    def __init__(self) -> None:
        self.live = Live()
        self.revision = 0
        self.view: BoardView | None = None
        self.service = ""
        """The name of its service."""
        self.is_alone = True
        """Whether a person takes no other board for it."""

    @property
    def table(self) -> str:
        """The table's id; empty while nothing is shown of it."""
        return "" if self.view is None else self.view.table


class HallService:
    """The tables of one service. `Hall` names them."""

    def __init__(self, hall: Hall, name: str) -> None:
        self.name = name
        self._hall = hall
        self.suffix = ""
        """The end of its tables' keys."""
        self.connected = False
        """Whether anything was received from it."""
        self.trouble = ""
        self._current: set[str] = set()
        """Its tables that are current."""
        self._is_silent = False
        """Whether none of its tables is."""
        self._troubles: dict[str, str] = {}
        """By table, why its events could not be read. It counts while the table is not current: it may be over."""
        self.refused = ""
        """Why it does not let this reader in; empty where it does."""

    @property
    def status(self) -> ServiceStatus:
        """As sent to pages."""
        trouble = self.refused or self.trouble
        if self._troubles and not trouble:
            trouble = next((self._troubles[name] for name in sorted(self._troubles.keys() - self._current)), "")
        return ServiceStatus(self.name, self.connected and not self.refused and not self._is_silent, trouble)

    def aged(self, silent_ms: Mapping[str, int | None]) -> None:
        """How old what is known of each of its tables may be, by its name there; None where that is not known."""
        self._current = {name for name, ms in silent_ms.items() if ms is not None and ms <= READY_STALE_MS}
        self._is_silent = bool(silent_ms) and not self._current

    def key(self, name: str) -> str:
        """The key of a table, by its name among the service's: `sim/` begins that of a simulated one."""
        return name + self.suffix

    def item(self, item: Item, states: Mapping[str, TableState]) -> list[Message]:
        """Takes one item of the subscriber, whose `states` have it applied."""
        if isinstance(item, Fact):
            return self._fact(item, states)
        return self._notice(item, states)

    def _fact(self, fact: Fact, states: Mapping[str, TableState]) -> list[Message]:
        self.connected, self.trouble = True, ""
        name = fact.name
        key = self.key(name)
        live = self._hall.live(key)
        live.event(fact.event)
        state = states.get(name)
        if state is None:
            return []
        if fact.event.seq is None:
            if not isinstance(fact.event.data, RoundProgress) or live.motion is None:
                return []
            return [self._hall.motion(key, live.motion)]
        return self._hall.changed(key, state, self.name, fact.venue)

    def _notice(self, notice: Notice, states: Mapping[str, TableState]) -> list[Message]:
        key = self.key(notice.name)
        match notice:
            case Waiting():
                self.connected = False
                return []
            case Trouble(table="", detail=detail):
                self.trouble = detail
                return []
            case Trouble(name=name):
                self._troubles[name] = str(notice)
                return []
            case CaughtUp(name=name) | Filled(name=name):
                self._troubles.pop(name, None)
                return []
            case Joined(name=name):
                self.connected, self.trouble = True, ""
                self._troubles.pop(name, None)
                self._hall.reset(key)
            case Restarted():
                self._hall.live(key).halted = False
            case Halted():
                self._hall.live(key).halted = True
            case Rewritten() | Missing():
                # Its numbers are no longer the table's: none is shown until the table is joined again.
                return self._hall.unknown(key, notice, self.name)
            case _:
                return []
        state = states.get(notice.name)
        return [] if state is None else self._hall.changed(key, state, self.name, notice.venue)


class Hall:
    """All boards of a gateway."""

    def __init__(self, gateway: str) -> None:
        """`gateway` is its id, another one at each start."""
        self.gateway = gateway
        self.services: list[HallService] = []
        self._boards: dict[str, _Board] = {}
        self._alike: dict[tuple[str, str, bool], list[str]] = {}
        """The keys of the boards that a person knows by the same venue, id and kind, real or simulated."""

    def add_service(self, name: str) -> HallService:
        """Follows one more service; all are added before the first item comes.

        Of several services, the keys of each one's tables end in its number: two tables of one id are two boards.
        """
        service = HallService(self, name)
        self.services.append(service)
        if len(self.services) > 1:
            for number, each in enumerate(self.services, start=1):
                each.suffix = f"@{number}"
        return service

    @property
    def keys(self) -> list[str]:
        """The boards."""
        return sorted(self._boards)

    def hello(self) -> Message:
        """The first message of a connection."""
        return Message("", _JSON.encode(HelloMessage(self.gateway, self.keys, self._statuses())), "hello")

    def beat(self, silent_ms: Mapping[str, int | None], at_ms: int, day_ms: int | None = None) -> Message:
        """That the gateway runs, and how old what is known of each table may be, at a time of the gateway's clock; what
        time of day that is."""
        silent = {key: silent_ms.get(key) for key in self.keys}
        return Message("", _JSON.encode(BeatMessage(at_ms, silent, self._statuses(), day_ms)), "beat")

    def missing(self, seen: Mapping[str, int], wanted: Iterable[str] | None = None) -> list[Message]:
        """The boards that a page does not have as they are now; `seen` are its revisions, of this gateway."""
        shown = self.keys if wanted is None else wanted
        return [
            self._message(key, board, board.view)
            for key in shown
            if (board := self._boards.get(key)) is not None
            and board.view is not None
            and seen.get(key) != board.revision
        ]

    def view(self, key: str) -> BoardView | None:
        """The board of a key, as pages have it; None where nothing is shown of it."""
        board = self._boards.get(key)
        return None if board is None or board.view is None else self._told_apart(board, board.view)

    def keys_named(self, name: str) -> list[str]:
        """The boards of a table, by its key or by its id."""
        return [key for key, board in sorted(self._boards.items()) if name in (key, board.table)]

    def is_named(self, key: str, name: str) -> bool:
        """Whether a board is of the table of that key or id."""
        board = self._boards.get(key)
        return key == name or (board is not None and board.table == name)

    # --- for services ---------------------------------------------------------------------------------------------

    def live(self, key: str) -> Live:
        """What is known of a table beside its events."""
        return self._board(key).live

    def reset(self, key: str) -> None:
        """The table is joined again."""
        self._board(key).live = Live()

    def changed(self, key: str, state: TableState, service: str, venue: str = "") -> list[Message]:
        """The state of a service's table has changed; `venue` is where it is, in a hall of several."""
        view = view_of(state, self.live(key))
        return self._show(key, msgspec.structs.replace(view, venue=venue) if venue else view, service)

    def unknown(self, key: str, notice: Notice, service: str) -> list[Message]:
        """What was known of a table is void, as a notice has it."""
        self.reset(key)
        view = BoardView(table=notice.table, game="", simulated=notice.simulated, status="waiting", venue=notice.venue)
        return self._show(key, view, service)

    def motion(self, key: str, motion: Motion) -> Message:
        """The live measurements of a table; a page that comes later has them in its board."""
        board = self._board(key)
        if board.view is not None:
            board.view = msgspec.structs.replace(board.view, motion=motion)
        return Message(key, _JSON.encode(MotionMessage(key, board.revision, motion)), "motion")

    def _show(self, key: str, view: BoardView, service: str) -> list[Message]:
        board = self._board(key)
        alike = [] if board.view is not None else self._introduce(key, board, view, service)
        board.view = view
        board.revision += 1
        return [self._message(key, board, view), *alike]

    def _introduce(self, key: str, board: _Board, view: BoardView, service: str) -> list[Message]:
        """Notes whose board it is, which never changes; gives the board that was alone with its name until now."""
        board.service = service
        alike = self._alike.setdefault((view.venue, view.table, view.simulated), [])
        alike.append(key)
        board.is_alone = len(alike) == 1
        first = self._boards[alike[0]]
        if board.is_alone or not first.is_alone or first.view is None:
            return []
        first.is_alone = False
        first.revision += 1
        return [self._message(alike[0], first, first.view)]

    def _message(self, key: str, board: _Board, view: BoardView) -> Message:
        """A table, whole."""
        return Message(key, _JSON.encode(HallBoard(key, board.revision, self._told_apart(board, view))), "board")

    @staticmethod
    def _told_apart(board: _Board, view: BoardView) -> BoardView:
        """With its service, where another one has a table of the same name."""
        return view if board.is_alone else msgspec.structs.replace(view, service=board.service)

    def _board(self, key: str) -> _Board:
        return self._boards.setdefault(key, _Board())

    def _statuses(self) -> list[ServiceStatus]:
        return [service.status for service in self.services]
