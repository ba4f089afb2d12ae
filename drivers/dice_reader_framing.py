"""What cuts the stream of a dice-reading board into frames: by its format."""

from __future__ import annotations

from drivers.dice_frame_wire import ShakerFramer
from drivers.dice_reader_config import Format
from drivers.dice_reader_wire import MAX_LENGTH
from hal.framing import Framer, LineFramer


def framer_of(format_: Format) -> Framer:
    """A new framer for a link on which a board of this format sends."""
    return ShakerFramer() if format_ == "frames_7a" else LineFramer(MAX_LENGTH)
