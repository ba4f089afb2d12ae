"""Makes the index of the conformance suite again, from its captures.

    .venv/bin/python -m tests.conformance.index VERSION

The captures stay as they are. Verdicts are those that are known without us, otherwise our own; `told.py` has the others
that the wires leave open, and the words. Where a verdict changes, `VERSION` is the next major one.
"""

from __future__ import annotations

import sys

import msgspec

from controller.conformance.captures import Capture, suite
from tests.conformance import made
from tests.conformance.added import TURNED
from tests.conformance.told import ROUNDS, SHOWS


def renewed(capture: Capture) -> Capture:
    """A capture of the suite with its verdicts and words, made again."""
    turned = TURNED.get(capture.name)
    if turned is not None:
        hand = turned.turned()
        right, told, shows = hand.right, hand.told, turned.shows
    else:
        simulated = capture.source == made.SIMULATOR
        right = {} if simulated else {one.round: one.accepted[0] for one in capture.rounds}
        told, shows = list(ROUNDS[capture.name]), SHOWS.get(capture.name, capture.shows)
    rounds = made.rounds(capture.name, capture.device, right, told, capture.lines())
    return msgspec.structs.replace(capture, shows=shows, rounds=rounds)


if __name__ == "__main__":
    made.write_index(sys.argv[1], [renewed(one) for one in suite().captures])
