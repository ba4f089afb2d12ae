"""The last minutes of one table's lines, and captures cut from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from secrets import token_bytes

from controller.captures.capture_store import CaptureRequest
from controller.captures.round_spans import RoundSpan
from controller.configuration.values import TableConfig
from controller.games.assembly import secret_links
from hal.capture.ring import Ring, RingCut
from hal.capture.secret import SEALED, FrameSealer
from hal.capture.vcd_writer import CaptureLines
from hal.values import Batch, Frame


class LineMemory:
    """Records what a table's lines did, as far back as the ring goes.

    Of a frame that may show a card it holds a commitment, until `show` exposes it. The key of the commitments is in
    memory alone: nothing that is stored can be tried against the 52 cards.
    """

    def __init__(self, config: TableConfig, lines: Collection[str], detects_loss: bool) -> None:
        """`detects_loss` is whether the lines' sources detect every lost edge; captures state it."""
        self._config = config
        self._lines = sorted(lines)
        self._detects_loss = detects_loss
        secret = secret_links(config)
        self._secret = frozenset(secret)
        self._sealer = FrameSealer(secret, token_bytes(32)) if secret else None
        self._ring: Ring | None = None
        self.until_ns = 0
        """The time up to which the lines are known."""

    @property
    def held_ns(self) -> int:
        """The time from which on the lines are known."""
        return 0 if self._ring is None else self._ring.start_ns

    def pass_to(self, until_ns: int) -> None:
        """Notes that nothing happened up to then. Cheap: the ring gets it when it is next read."""
        self.until_ns = until_ns

    def append(self, batch: Batch) -> None:
        """Adds a batch."""
        if self._ring is None:
            firsts = [values[0].t_ns for values in (batch.edges, batch.rare) if values]
            self._ring = Ring(min(firsts, default=batch.until_ns), sealer=self._sealer)
        self._ring.append(batch)
        self.until_ns = batch.until_ns

    def sealed(self, batch: Batch) -> Batch:
        """A batch as it may be written while nobody plays: no card of it is exposed."""
        return batch if self._sealer is None else self._sealer.batch(batch)

    def show(self, frames: Iterable[Frame]) -> None:
        """Exposes secret frames: captures hold them from now on."""
        if self._ring is not None:
            self._ring.show(frames)

    def cut(self, from_ns: int, to_ns: int) -> RingCut | None:
        """What the lines did in a span of time; None before anything came."""
        if self._ring is None:
            return None
        if self.until_ns > self._ring.until_ns:
            self._ring.append(Batch([], [], self.until_ns))
        return self._ring.cut(from_ns, to_ns)

    def capture_request(self, event_id: str, span: RoundSpan) -> CaptureRequest | None:
        """A capture of a span, named after an event; None where nothing of it is held."""
        cut = self.cut(span.from_ns, span.to_ns)
        if cut is None or cut.batch.until_ns <= cut.start_ns:
            return None
        return CaptureRequest(self._config.id, event_id, cut, self.capture_lines(event_id), span.complete)

    def capture_lines(self, event_id: str) -> CaptureLines:
        """The lines as a capture declares them."""
        kinds = {line: use.kind for line, use in self._config.uses.items()}
        reals = [line for line in self._lines if kinds.get(line) == "analogue"]
        links = [line for line in self._lines if kinds.get(line) == "link"]
        return CaptureLines(
            wires=tuple(line for line in self._lines if line not in reals and line not in links),
            reals=tuple(reals),
            links=(*links, *(link + SEALED for link in links if link in self._secret)),
            metadata={
                "table": self._config.id,
                "event": event_id,
                "detects_loss": "yes" if self._detects_loss else "no",
            },
        )
