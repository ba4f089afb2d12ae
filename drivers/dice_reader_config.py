"""The keys of a dice-reading board in the configuration, and what each of its formats can prove."""

from __future__ import annotations

from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

Format: TypeAlias = Literal["lines", "frames_7a", "state_words"]


class FormatFacts(NamedTuple):
    """What a format leaves to be proven otherwise."""

    beats: bool
    """Whether the board sends by itself all the time; else it only answers."""
    noise_doubts: bool
    """Whether a frame that is refused may have been one that matters: not where throws are numbered."""


FACTS: Final[dict[Format, FormatFacts]] = {
    "lines": FormatFacts(beats=True, noise_doubts=False),
    "frames_7a": FormatFacts(beats=False, noise_doubts=True),
    "state_words": FormatFacts(beats=False, noise_doubts=True),
}


class DiceReaderConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a dice-reading board under `[device.reader]`."""

    driver: Literal["dice_reader"] = "dice_reader"
    link: Annotated[
        str, Meta(min_length=1, description="name of the serial link on which the board sends what it reads")
    ] = "dice_serial"
    format: Annotated[
        Format,
        Meta(
            description="lines: our own protocol, with a CRC; frames_7a: the frames 7A ... 55 of a serial dice shaker; "
            "state_words: S0, S1, S2, S90 of a studio's shaker, which tell no values"
        ),
    ] = "lines"
    silent_s: Annotated[
        float,
        Meta(ge=1, le=30, description="lines: the board is at fault when nothing came for longer than this (ours)"),
    ] = 2.0
    answer_s: Annotated[
        float,
        Meta(
            ge=1,
            le=60,
            description="frames_7a, state_words: the board is at fault when it does not answer within this (public "
            "code of a server waits 15 s)",
        ),
    ] = 15.0
    times: Annotated[
        int, Meta(ge=1, le=5, description="how often the board must say a result alike before it counts (ours)")
    ] = 2
