"""The movement that proves a reading shoe: a known card is drawn."""

from __future__ import annotations

from typing import Final

from drivers.base.movement import Movement, MovementResult, Recording, failed, unusable
from drivers.cards.card_tokens import card_of
from drivers.cards.card_way import BARRIERS, MOUTH, OUTSIDE
from drivers.cards.card_wire import CardLine, parse
from drivers.cards.shoe import ShoeConfig

KNOWN_CARD: Final = "As"
"""The card that a person draws (ours): of an ace of spades there is no doubt."""


def shoe_movements(config: ShoeConfig) -> list[Movement]:
    """The movement of a reading shoe: the ace of spades is the first card that leaves it."""
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
        cards = _cards(config, frames)
        if not cards:
            heard = f"{len(frames)} lines without a card" if frames else "nothing"
            return failed(f"{heard} arrived on {config.link}", "check TX, ground, baud and the port in [links]")
        if len(cards) > 1 and not config.stack_cards:
            return failed(f"{len(cards)} cards left the shoe", "draw one card alone")
        if cards[0] != KNOWN_CARD:
            return failed(
                f"the shoe read {cards[0]}, and the ace of spades came first",
                "clean its window; if it happens again, the shoe reads another deck than this one, or codes is wrong",
            )
        return MovementResult(True, "the ace of spades" + ", past the barriers in their order" * config.barriers)

    draw = "have it deal one stack" if config.stack_cards else "draw that card all the way out"
    instruction = f"Put the ace of spades first into the shoe, close it, and {draw}"
    return [Movement("known_card", instruction, lines, judge)]


def _cards(config: ShoeConfig, frames: list[bytes]) -> list[str]:
    """The cards that the shoe has read; a token that is sent several times for one card counts once."""
    if config.reading == "lines":
        return [line.card for line in map(parse, frames) if isinstance(line, CardLine)]
    tokens = [card_of(frame, config.codes, config.checksum) for frame in frames]
    return [token for token in tokens if isinstance(token, str)][:: config.repeats]
