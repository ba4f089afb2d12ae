"""A card that has left its shoe: its face is given to whoever exposes it, and to nothing that prints or encodes it.

A shoe names a card the moment it leaves, and a hole card is face down for a minute after that. So an observation
holds no text that could reach a log, an error or an event: it holds a `HiddenCard`, and a game calls `expose` when the
rules turn the card over.
"""

from __future__ import annotations

from typing import NoReturn

from hal.values import Frame


class HiddenCard:
    """One card, face down. Two are equal where their faces are, so that drivers can be compared."""

    __slots__ = ("_face", "_frame")

    def __init__(self, face: str, frame: Frame) -> None:
        """`face` is rank and suit, or a joker; `frame` is the line of the shoe that named it."""
        self._face = face
        self._frame = frame

    def expose(self) -> str:
        """The face: rank and suit, or a joker. To be called where the rules expose the card, and nowhere before."""
        return self._face

    @property
    def frame(self) -> Frame:
        """The line that named it, for the capture of the round once the card is exposed. It shows the face."""
        return self._frame

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HiddenCard) and self._face == other._face

    def __hash__(self) -> int:
        return hash(HiddenCard)

    def __repr__(self) -> str:
        return "HiddenCard()"

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a hidden card is not copied out of the process: expose it first")
