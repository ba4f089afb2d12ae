"""The messages between a table and the screen of a machine: a line of JSON each, on the link `screen`.

    table ──setup, spin, stop, show, alive──► screen
    table ◄──hello, flip, touch, trouble── screen

Times are nanoseconds of the screen's own monotonic clock, which is none that the table has: see
`drivers.screen.flips.ScreenClock`. A message that cannot be read is refused whole.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

LINK: Final = "screen"
LONGEST: Final = 65_536
"""Bytes of the longest line: a set-up of five reels with a hundred symbols each has some 8,000."""
MOST_REELS: Final = 5
MOST_SYMBOLS: Final = 100
"""Of a reel."""
ALIVE_NS: Final = 500_000_000
"""How often a table reports that it runs (ours)."""
SILENT_NS: Final = 2_000_000_000
"""A screen that has heard nothing of its table for this long shows that the machine is out of order (ours)."""

Time: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 62)]
Image: TypeAlias = Annotated[int, Meta(ge=0, lt=MOST_SYMBOLS)]
Symbols: TypeAlias = Annotated[list[str], Meta(min_length=1, max_length=MOST_SYMBOLS)]
"""The symbols of a reel, by their images."""
ScreenLanguage: TypeAlias = Literal["de", "en", "es"]
"""The languages of which `screen/languages` has words."""
ReelNumber: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_REELS)]
Source: TypeAlias = Literal["kernel", "window"]
"""Who dated a touch: the kernel, as it came; or the window, as it was taken from a queue."""


class ScreenMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="is"):
    """What every message has: its kind."""


# --- what the screen sends --------------------------------------------------------------------------------------------


class ScreenHello(ScreenMessage, frozen=True, kw_only=True, tag="hello"):
    """The screen's program runs. It is sent first on every connection."""

    session: Annotated[str, Meta(max_length=64)]
    """Another one at every start of the program: what it was sent before is gone."""
    at: Time
    """When it was sent."""
    program: Annotated[str, Meta(max_length=64)]
    """Name and version of the program."""
    display: Annotated[str, Meta(max_length=64)]
    """What shows the picture: `KMSDRM`, `x11`, `dummy`."""
    width: Annotated[int, Meta(ge=1, le=16_384)]
    height: Annotated[int, Meta(ge=1, le=16_384)]
    refresh_mhz: Annotated[int, Meta(ge=0, le=1_000_000)]
    """Refresh rate in thousandths of a hertz; 0 where the display does not state it."""
    synchronised: bool
    """Whether its flips wait for the display: otherwise a frame may be lit up to a whole refresh later than it is
    made."""
    touch: Annotated[str, Meta(max_length=128)]
    """The name of the touch panel; empty where there is none."""


class FlipMade(ScreenMessage, frozen=True, kw_only=True, tag="flip"):
    """A frame was given to the display. Sent for each while a reel turns, and twice a second else."""

    number: Annotated[int, Meta(ge=0)]
    """Counts up by one in a session: a gap is a loss."""
    begun: Time
    """When the flip was asked for."""
    made: Time
    """When the display reported it made: the frame became visible between the two, and its own latency later."""
    images: Annotated[list[Image], Meta(max_length=MOST_REELS)]
    """The image of each reel in the frame."""
    turning: Annotated[list[ReelNumber], Meta(max_length=MOST_REELS)]
    """The reels that turn."""
    patch: bool = False
    """Whether the patch for the light sensor is lit in it."""


class Touched(ScreenMessage, frozen=True, kw_only=True, tag="touch"):
    """A finger came down on the panel, or was lifted."""

    at: Time
    down: bool
    x: Annotated[int, Meta(ge=-16_384, le=16_384)]
    y: Annotated[int, Meta(ge=-16_384, le=16_384)]
    reel: Annotated[int, Meta(ge=0, le=MOST_REELS)]
    """The stop button on the screen that it hit; 0 for none."""
    by: Source


class ScreenTrouble(ScreenMessage, frozen=True, kw_only=True, tag="trouble"):
    """Something of the screen fails, or works again."""

    at: Time
    what: Literal["display", "touch"]
    fails: bool
    detail: Annotated[str, Meta(max_length=500)]


FromScreen: TypeAlias = ScreenHello | FlipMade | Touched | ScreenTrouble

# --- what the table sends ---------------------------------------------------------------------------------------------


class SetUpScreen(ScreenMessage, frozen=True, kw_only=True, tag="setup"):
    """The model, and the keys. It is answered by flips; what was shown before is gone."""

    title: str
    reels: Annotated[list[Symbols], Meta(min_length=1, max_length=MOST_REELS)]
    lines: list[list[int]]
    awards: list[tuple[list[str], int]]
    symbol_ns: Annotated[int, Meta(ge=1)]
    """How long each image is lit."""
    images: Annotated[list[Image], Meta(max_length=MOST_REELS)]
    """The image that each reel shows first."""
    touch: bool
    """Whether there are stop buttons on the screen."""
    light: bool = False
    """Whether there is a patch for a light sensor."""
    language: ScreenLanguage = "en"


class SpinReel(ScreenMessage, frozen=True, kw_only=True, tag="spin"):
    """A reel turns from the image that it shows: the next one each `symbol_ns`."""

    reel: ReelNumber


class StopReel(ScreenMessage, frozen=True, kw_only=True, tag="stop"):
    """A reel is at an image; at the one that it shows next where none is given."""

    reel: ReelNumber
    image: Image | None = None


class WonLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A win line with an award."""

    line: int
    award: int


class RecalledPlay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One of the last plays."""

    play: int
    verdict: str
    """`outcome`, `void` or `unresolved`."""
    symbols: list[list[str]] = []
    """Of each win line; empty without an outcome."""
    award: int = 0
    reason: str = ""


class ShownFault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A latched fault."""

    device: str
    fault: str
    detail: str


View: TypeAlias = Literal["closed", "attract", "play", "award", "hand_pay", "fault", "door", "test", "recall"]


class Scene(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the screen shows beside the reels."""

    view: View
    play: int = 0
    """The number of the play."""
    credits: int = 0
    """Tokens that belong to the player."""
    by_hand: bool = False
    """Whether an attendant pays them."""
    award: int = 0
    """Of the last play, in tokens."""
    won: list[WonLine] = []
    stopped: list[ReelNumber] = []
    """The reels of the play that have stopped."""
    faults: list[ShownFault] = []
    plays: list[RecalledPlay] = []
    """The last plays, newest first."""
    meters: dict[str, int] = {}
    simulated: bool = False


class Show(ScreenMessage, frozen=True, kw_only=True, tag="show"):
    """The screen shows a scene."""

    scene: Scene


class Alive(ScreenMessage, frozen=True, kw_only=True, tag="alive"):
    """The table runs: what is shown holds still. Sent every `ALIVE_NS`."""


ToScreen: TypeAlias = SetUpScreen | SpinReel | StopReel | Show | Alive

# --- lines ------------------------------------------------------------------------------------------------------------


class ScreenWireError(ValueError):
    """A line is not a message: why."""


_FROM: Final[msgspec.json.Decoder[FromScreen]] = msgspec.json.Decoder(FromScreen)
_TO: Final[msgspec.json.Decoder[ToScreen]] = msgspec.json.Decoder(ToScreen)
_ENCODER: Final = msgspec.json.Encoder()
M = TypeVar("M")


def line_of(message: FromScreen | ToScreen) -> bytes:
    """A message as its line, without the line's end."""
    return _ENCODER.encode(message)


def from_screen(line: bytes) -> FromScreen:
    """What a screen sent.

    Raises:
        ScreenWireError: it is not a message of a screen.
    """
    return _decoded(_FROM, line)


def to_screen(line: bytes) -> ToScreen:
    """What a table sent.

    Raises:
        ScreenWireError: it is not a message of a table.
    """
    return _decoded(_TO, line)


def _decoded(decoder: msgspec.json.Decoder[M], line: bytes) -> M:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ScreenWireError(str(error)) from error
