"""The movement that proves a reading shoe: a known card is drawn."""

from __future__ import annotations

from typing import Final

from drivers.base.movement import Movement, MovementResult, Recording, failed, unusable
from drivers.cards.card_wire import CardLine, parse
from drivers.cards.shoe import BARRIERS, MOUTH, OUTSIDE, ShoeConfig

KNOWN_CARD: Final = "As"
"""The card that a person draws (ours): of an ace of spades there is no doubt."""


def shoe_movements(config: ShoeConfig) -> list[Movement]:
    """The movement of a reading shoe."""
    lines = (*(BARRIERS if config.barriers else ()), config.link)

    def judge(recording: Recording) -> MovementResult:
        if config.barriers:
            wrong = unusable(recording, BARRIERS)
            if wrong is not None:
                return wrong
            rises = [line for line, level, _ in recording.edges if level and line in BARRIERS]
            if any(recording.found.get(line) for line in BARRIERS):
                return failed("a barrier is covered at rest", "push the cards back, or write inverted the other way")
            if rises[0] != MOUTH:
                return failed(
                    f"{OUTSIDE} was covered before {MOUTH}",
                    f"exchange the wires of {MOUTH} and {OUTSIDE}, or their pins in the file",
                )
        frames = recording.frames(config.link)
        cards = [line for line in map(parse, frames) if isinstance(line, CardLine)]
        if not cards:
            heard = f"{len(frames)} lines without a card" if frames else "nothing"
            return failed(f"{heard} came on {config.link}", "check TX, ground, 19200 8N1 and the port in [links]")
        if len(cards) > 1:
            return failed(f"{len(cards)} cards left the shoe", "draw one card alone")
        if cards[0].card != KNOWN_CARD:
            return failed(
                f"the shoe read {cards[0].card}, and the ace of spades was drawn",
                "clean its window; if it comes again, the shoe reads another deck than this one",
            )
        return MovementResult(True, "the ace of spades, past the barriers in their order" * config.barriers or "read")

    instruction = "Put the ace of spades first into the shoe, close it, and draw that card all the way out"
    return [Movement("known_card", instruction, lines, judge)]
