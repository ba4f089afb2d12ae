"""One request at a time: when it may go out, when it is overdue, and how long to wait before the next."""

from __future__ import annotations

from typing import Final

ANSWER_NS: Final = 3_000_000_000
"""How long a request may be without a frame of its answer (ours)."""
LONGEST_WAIT_NS: Final = 8_000_000_000
"""The longest wait between two tries; the first is `FIRST_WAIT_NS`, and each doubles it (ours)."""
FIRST_WAIT_NS: Final = 250_000_000


class Asking:
    """The life of requests for one thing."""

    def __init__(self) -> None:
        self.request_id: bytes | None = None
        """Of the request that is out; answers to another are too late."""
        self.failures = 0
        """In a row."""
        self._overdue_ns = 0
        self._not_before_ns = 0

    def may_ask(self, now_ns: int) -> bool:
        """Whether a request can go out now."""
        return self.request_id is None and now_ns >= self._not_before_ns

    def asked(self, request_id: bytes, now_ns: int) -> None:
        """A request goes out."""
        self.request_id = request_id
        self._overdue_ns = now_ns + ANSWER_NS

    def is_answer(self, request_id: bytes, now_ns: int) -> bool:
        """Whether a frame that came belongs to the request that is out; if so, there may be more."""
        if self.request_id is None or request_id != self.request_id:
            return False
        self._overdue_ns = now_ns + ANSWER_NS
        return True

    def answered(self) -> None:
        """The answer is complete: the next request may go out at once."""
        self.request_id = None
        self.failures = 0
        self._not_before_ns = 0

    def failed(self, now_ns: int) -> None:
        """There was no answer, or no good one: the next request waits, each time longer."""
        self.request_id = None
        self._not_before_ns = now_ns + min(FIRST_WAIT_NS << min(self.failures, 16), LONGEST_WAIT_NS)
        self.failures += 1

    def overdue(self, now_ns: int) -> bool:
        """Whether the request that is out has been without an answer for too long."""
        return self.request_id is not None and now_ns >= self._overdue_ns

    def forget(self) -> None:
        """What is out no longer matters, or is lost with its connection: the next request may go out at once."""
        self.request_id = None
        self._not_before_ns = 0
