"""Images of others, made harmless: decoded and encoded again, in a process of their own.

    file ──► child: format and size from the header ──► Pillow decodes ──► smaller ──► WebP ──► page

What leaves is what Pillow has encoded from pixels: no metadata, no color profile, no second frame, and nothing of the
bytes that came. The child may use 20 s of the processor and 1 GiB of addresses for each image; what it takes or leaves
behind does not reach the process that serves pages.
"""

from __future__ import annotations

import io
import resource
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import IO, TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_BYTES: Final = 8 * 1024 * 1024
"""Of an image's file (ours)."""
MOST_PIXELS: Final = 16_000_000
"""Of an image (ours): more than a phone's photograph has."""
MOST_SCANS: Final = 100
"""Of a JPEG (ours): a progressive one has about ten. Each scan goes over all pixels again."""
CPU_S: Final = 20
"""Of the processor, for one image (ours)."""
ADDRESSES: Final = 1024**3
"""Of the child's memory, in octets (ours)."""
HANG_S: Final = 120.0
"""For one image on a busy computer: it ends a hang, and measures nothing (ours)."""
QUALITY: Final = 86
"""Of the WebP that pages load (ours)."""

PROGRAM: Final = "from scoreboard.venue.images import serve; serve()"
"""What the child runs."""

FORMATS: Final = ("PNG", "JPEG", "WEBP")
_NOT_RASTER: Final = "it is not PNG, JPEG or WebP; export it as PNG (SVG and HTML are never taken)"
_EIGHT_BITS: Final = frozenset({"1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr"})
_ORIENTATION: Final = 0x0112
"""The tag of EXIF that says which side is up."""
_OPAQUE: Final = 255
_STEPS: Final = {3: 180, 6: 270, 8: 90}


class ImageError(Exception):
    """An image that is not shown; the message says why, and what to do."""


class WantedImage(msgspec.Struct, frozen=True):
    """What is to become of a file."""

    content: bytes
    width: int
    height: int
    """The box that it has to fit in, in pixels."""


class MadeImage(msgspec.Struct, frozen=True):
    """What a page loads, or why there is none."""

    content: bytes = b""
    width: int = 0
    height: int = 0
    dark: bool = False
    """Something shows through it, and what is seen of it is dark: it needs a light plate."""
    refused: str = ""


def can_decode() -> bool:
    """Whether Pillow is installed."""
    return find_spec("PIL") is not None


def make_all(wanted: Sequence[WantedImage]) -> list[MadeImage]:
    """Each image, made in a child process; one that ends the child is refused, and the others are made."""
    made: list[MadeImage] = []
    while len(made) < len(wanted):
        made += _in_child(wanted[len(made) :])
    return made


def _in_child(wanted: Sequence[WantedImage]) -> list[MadeImage]:
    """As many as a child makes, with the one that ended it."""
    program = f"import sys; sys.path[:] = {sys.path!r}; {PROGRAM}"
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", program],
            input=msgspec.msgpack.encode(wanted),
            capture_output=True,
            timeout=HANG_S * len(wanted),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        output, why = error.stdout or b"", "it takes minutes to decode"
    else:
        output, why = done.stdout, "it cannot be decoded within 20 s and 1 GiB"
    made = list(_answers(output))
    if len(made) < len(wanted):
        made.append(MadeImage(refused=f"{why}; export it again as PNG, with fewer pixels"))
    return made


def _answers(output: bytes) -> Iterator[MadeImage]:
    """Those of the child that are whole."""
    while len(output) >= 4:
        size = int.from_bytes(output[:4], "big")
        if len(output) < 4 + size:
            return
        yield msgspec.msgpack.decode(output[4 : 4 + size], type=MadeImage)
        output = output[4 + size :]


def serve(source: IO[bytes] = sys.stdin.buffer, target: IO[bytes] = sys.stdout.buffer) -> None:
    """What the child does: an answer for each image, as soon as it is made."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for one in msgspec.msgpack.decode(source.read(), type=list[WantedImage]):
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + CPU_S
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        try:
            made = make(one)
        except ImageError as error:
            made = MadeImage(refused=str(error))
        answer = msgspec.msgpack.encode(made)
        target.write(len(answer).to_bytes(4, "big") + answer)
        target.flush()


def make(wanted: WantedImage) -> MadeImage:
    """An image, decoded and encoded again in this process.

    Raises:
        ImageError: it is not an image of one frame within the bounds, or it is damaged.
    """
    content = wanted.content
    _check_before_decoding(content)
    from PIL import Image, UnidentifiedImageError

    # Ours is smaller, and comes before the pixels as well.
    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            _check_size(*image.size)
            frames = getattr(image, "n_frames", 1)
            if frames > 1 and image.format in ("PNG", "WEBP"):
                raise ImageError(f"it has {frames} frames; save one of them alone: nothing on a board may blink")
            if image.mode not in _EIGHT_BITS:
                raise ImageError(f"its pixels are {image.mode}; save it with 8 bits for each color")
            return _encoded(image, wanted)
    except UnidentifiedImageError as error:
        raise ImageError(_NOT_RASTER) from error
    except (
        OSError,
        ValueError,
        SyntaxError,
        MemoryError,
        ArithmeticError,
        LookupError,
        TypeError,
        struct.error,
    ) as error:
        # What Pillow raises of damaged files is of these kinds, and its words help nobody.
        raise ImageError("it is damaged; export it again as PNG") from error


def _encoded(image: Image, wanted: WantedImage) -> MadeImage:
    """Its pixels alone, upright, within its box, as WebP."""
    from PIL import Image as ImageModule

    turned = _STEPS.get(image.getexif().get(_ORIENTATION, 1), 0)
    # A JPEG is decoded no larger than it is needed: in less memory.
    image.draft("RGB", (wanted.width, wanted.height))
    pixels = image.convert("RGBA" if "A" in image.mode or "transparency" in image.info else "RGB")
    if turned:
        pixels = pixels.rotate(turned, expand=True)
    pixels.thumbnail((wanted.width, wanted.height), ImageModule.Resampling.LANCZOS)
    fresh = ImageModule.new(pixels.mode, pixels.size)
    fresh.paste(pixels)
    written = io.BytesIO()
    fresh.save(written, "WEBP", quality=QUALITY, method=4)
    return MadeImage(written.getvalue(), fresh.width, fresh.height, _is_dark(fresh))


def _is_dark(image: Image) -> bool:
    from PIL import ImageStat

    if image.mode != "RGBA" or image.getchannel("A").getextrema()[0] == _OPAQUE:
        return False
    seen = ImageStat.Stat(
        image.convert("L"), image.getchannel("A").point(lambda alpha: alpha > _OPAQUE // 2 and _OPAQUE)
    )
    return bool(seen.count[0]) and seen.mean[0] < _OPAQUE / 2


def _check_before_decoding(content: bytes) -> None:
    """What can be seen of a file without a decoder: WebP's reserves memory for the whole image as it opens it."""
    if len(content) > MOST_BYTES:
        raise ImageError(f"it is larger than {MOST_BYTES // 1024**2} MiB; save it smaller")
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        _check_size(*_webp_size(content))
    elif content.startswith(b"\xff\xd8"):
        scans = content.count(b"\xff\xda")
        if scans > MOST_SCANS:
            raise ImageError(f"it goes over its pixels {scans} times; export it again as PNG")
    elif not content.startswith(b"\x89PNG\r\n\x1a\n"):
        raise ImageError(_NOT_RASTER)


def _webp_size(content: bytes) -> tuple[int, int]:
    """The size that the header of a WebP states (RFC 9649)."""
    kind, body = content[12:16], content[20:34].ljust(14, b"\0")
    match kind:
        case b"VP8X":
            return int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1
        case b"VP8L":
            bits = int.from_bytes(body[1:5], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", body, 6)
            return width & 0x3FFF, height & 0x3FFF
        case _:
            raise ImageError(_NOT_RASTER)


def _check_size(width: int, height: int) -> None:
    if not width or not height:
        raise ImageError("it has no pixels; export it again as PNG")
    if width * height > MOST_PIXELS:
        raise ImageError(f"it has {width} x {height} pixels, and {MOST_PIXELS:,} are the most; save it smaller")
