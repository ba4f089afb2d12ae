"""One request and its answer on a ccTalk bus, one at a time.

    ask ──► sent ──► echo heard ──► answer: data, NAK or BUSY ──► ready
                 └── nothing within `ANSWER_NS`, or noise ──► failed ──► quiet for `QUIET_NS` ──► ready

ccTalk numbers no messages, so an answer is known by its place alone: behind the echo of its own request. What was heard
before that echo is older. After a failure the bus is left alone until every receiver has dropped what it began. Nothing
is sent again here: whether that is safe, only who asked knows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from drivers.base.driver import NEVER_NS
from drivers.coins.cctalk_wire import HOST, CctalkMessage, Checksum, Header, encode
from drivers.coins.observations import BusMessage
from hal.values import SendFrame

ANSWER_NS: Final = 160_000_000
"""An answer comes within this time of its request (ours): 16 bytes and the 50 ms of the specification, and a host that
reads late."""
QUIET_NS: Final = 70_000_000
"""After a failure nothing is sent for this long (ours): longer than the gap of 50 ms that ends every message."""


_FAILURES: Final[dict[int, str]] = {Header.NAK: "it refused", Header.BUSY: "it is busy"}


class CctalkRequest(NamedTuple):
    """What is asked of a device."""

    address: int
    header: Header
    data: bytes = b""
    lengths: frozenset[int] = frozenset({0})
    """How many bytes of data its answer may have."""


class CctalkAnswer(NamedTuple):
    """What became of a request."""

    request: CctalkRequest
    data: bytes | None
    """The data of its answer; None where it failed."""
    failure: str = ""
    refused: bool = False
    """Whether the device answered that it refuses."""


class Exchange:
    """The requests of one host, one after another."""

    def __init__(self, link: str, checksum: Checksum, *, echo: bool) -> None:
        """`echo` is whether the host hears what it sends."""
        self._link = link
        self._checksum = checksum
        self._echo = echo
        self._request: CctalkRequest | None = None
        self._heard = False
        """Whether the echo of the request was heard."""
        self._due_ns = NEVER_NS
        self._ready_ns = 0

    @property
    def next_due_ns(self) -> int:
        """When the request under way fails; `NEVER_NS` where none is."""
        return self._due_ns

    @property
    def ready_ns(self) -> int:
        """From when on something can be asked; `NEVER_NS` while a request is under way."""
        return self._ready_ns if self._request is None else NEVER_NS

    def ask(self, request: CctalkRequest, t_ns: int) -> SendFrame:
        """Sends a request; the exchange is ready."""
        self._request, self._heard = request, not self._echo
        self._due_ns = t_ns + ANSWER_NS
        message = CctalkMessage(request.address, request.header, request.data)
        return SendFrame(self._link, encode(message, self._checksum), t_ns)

    def message(self, seen: BusMessage) -> CctalkAnswer | None:
        """Takes a message of the bus; returns the answer to the request under way, if it is that."""
        request = self._request
        if request is None:
            return None
        if seen.destination != HOST:
            if (seen.destination, seen.header, seen.data) == (request.address, request.header, request.data):
                self._heard = True
            return None
        if not self._heard or seen.source not in (request.address, None):
            return None
        if seen.header == Header.REPLY and len(seen.data) in request.lengths:
            return self._ended(seen.t_ns, CctalkAnswer(request, seen.data), 0)
        failure = _FAILURES.get(seen.header, "its answer has another form")
        return self._ended(seen.t_ns, CctalkAnswer(request, None, failure, seen.header == Header.NAK), QUIET_NS)

    def noise(self, t_ns: int) -> CctalkAnswer | None:
        """Noise was on the bus: the answer under way is spoilt, or its echo is."""
        if self._request is None:
            self._ready_ns = max(self._ready_ns, t_ns + QUIET_NS)
            return None
        return self._ended(t_ns, CctalkAnswer(self._request, None, "noise on the bus"), QUIET_NS)

    def due(self, t_ns: int) -> CctalkAnswer | None:
        """Advances time; returns the failure of a request without an answer."""
        if self._request is None or t_ns < self._due_ns:
            return None
        failure = "no answer" if self._heard else "its own echo was not received"
        return self._ended(t_ns, CctalkAnswer(self._request, None, failure), QUIET_NS)

    def leave_alone(self, until_ns: int) -> None:
        """Asks nothing before then."""
        self._ready_ns = max(self._ready_ns, until_ns)

    def _ended(self, t_ns: int, answer: CctalkAnswer, quiet_ns: int) -> CctalkAnswer:
        self._request, self._due_ns = None, NEVER_NS
        self._ready_ns = t_ns + quiet_ns
        return answer
