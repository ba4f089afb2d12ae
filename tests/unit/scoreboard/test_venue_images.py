"""Images of others: what leaves is a new image of one frame, and what is none is refused before it costs anything."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from scoreboard.venue import images
from scoreboard.venue.images import MOST_BYTES, ImageError, MadeImage, WantedImage, make, make_all
from tests.shares import first_of

SECRET = b"51.4779 N, 0.0015 W"
RED = (200, 10, 20, 255)


def file(form: str = "PNG", size: tuple[int, int] = (40, 20), mode: str = "RGB", **options: Any) -> bytes:
    """An image's file."""
    written = io.BytesIO()
    Image.new(mode, size, RED[: len(mode)] if mode.startswith("RGB") else 120).save(written, form, **options)
    return written.getvalue()


def made(content: bytes, width: int = 640, height: int = 320) -> MadeImage:
    return make(WantedImage(content, width, height))


def why(content: bytes) -> str:
    with pytest.raises(ImageError) as refused:
        made(content)
    return str(refused.value)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_of(width: int, height: int) -> bytes:
    """A PNG whose header states a size, and whose pixels are a kilobyte of zeros, packed."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_an_image_is_encoded_again_within_its_box_and_without_what_it_carried(form: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    options: dict[str, Any] = {"exif": exif}
    if form == "PNG":
        options["pnginfo"] = PngImagePlugin.PngInfo()
        options["pnginfo"].add_text("Comment", SECRET.decode(), zip=False)
    content = file(form, (1000, 200), **options) + b"<script>alert(1)</script>"
    assert SECRET in content
    image = made(content)
    assert (image.width, image.height, image.dark) == (640, 128, False)
    assert image.content[:4] + image.content[8:12] == b"RIFFWEBP"
    assert SECRET not in image.content and b"<script>" not in image.content
    with Image.open(io.BytesIO(image.content)) as shown:
        shown.load()
        assert (shown.size, dict(shown.getexif()), shown.info.get("icc_profile")) == ((640, 128), {}, None)
        pixel = shown.convert("RGB").getpixel((300, 60))
    assert isinstance(pixel, tuple)
    assert all(abs(one - wanted) < 12 for one, wanted in zip(pixel, RED, strict=False))


def test_a_small_image_is_made_no_larger() -> None:
    image = made(file(size=(30, 10)))
    assert (image.width, image.height) == (30, 10)


def test_a_photograph_is_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    image = made(file("JPEG", (60, 20), exif=exif))
    assert (image.width, image.height) == (20, 60)


@pytest.mark.parametrize(("ink", "dark"), [((0, 0, 90), True), ((250, 250, 200), False)])
def test_an_image_that_something_shows_through_says_whether_it_is_dark(ink: tuple[int, int, int], dark: bool) -> None:
    written = io.BytesIO()
    logo = Image.new("RGBA", (40, 20), (0, 0, 0, 0))
    logo.paste((*ink, 255), (10, 5, 30, 15))
    logo.save(written, "PNG")
    assert made(written.getvalue()).dark is dark


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK"])
def test_an_image_of_any_mode_of_eight_bits_is_taken(mode: str) -> None:
    assert made(file("JPEG" if mode == "CMYK" else "PNG", mode=mode)).width == 40


def test_more_than_one_frame_and_deep_pixels_are_refused() -> None:
    more = [Image.new("RGB", (40, 20), color) for color in ("white", "black")]
    for form in ("PNG", "WEBP"):
        assert why(file(form, save_all=True, append_images=more)) == (
            "it has 3 frames; save one of them alone: nothing on a board may blink"
        )
    assert why(file(mode="I;16")) == "its pixels are I;16; save it with 8 bits for each color"


@pytest.mark.parametrize(
    "content",
    [
        b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        b"<!doctype html><img src=x onerror=alert(1)>",
        *(file(form) for form in ("GIF", "BMP", "TIFF", "PPM")),
        b"",
        b"RIFF\x10\0\0\0WEBPVP9 ",
    ],
    ids=["svg", "html", "gif", "bmp", "tiff", "ppm", "empty", "an unknown WebP"],
)
def test_what_is_none_of_three_formats_is_refused(content: bytes) -> None:
    assert why(content) == "it is not PNG, JPEG or WebP; export it as PNG (SVG and HTML are never taken)"


def test_an_image_that_would_fill_the_memory_is_refused_by_its_header(monkeypatch: pytest.MonkeyPatch) -> None:
    def decoded(self: Image.Image, *_: object) -> None:
        raise AssertionError("its pixels were decoded")

    monkeypatch.setattr(Image.Image, "convert", decoded)
    words = "it has 30000 x 20000 pixels, and 16,000,000 are the most; save it smaller"
    assert why(png_of(30_000, 20_000)) == words
    extended = b"VP8X" + struct.pack("<IB3x", 10, 0) + struct.pack("<I", 29_999)[:3] + struct.pack("<I", 19_999)[:3]
    lossless = b"VP8L" + struct.pack("<IB", 9, 0x2F) + struct.pack("<I", 16_382 | 16_382 << 14)
    simple = b"VP8 " + struct.pack("<I", 20) + b"\x30\x01\0\x9d\x01\x2a" + struct.pack("<HH", 16_383, 16_383)
    for body in (extended, lossless, simple):
        assert "pixels, and 16,000,000 are the most" in why(b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body)
    assert why(b"\x89PNG\r\n\x1a\n" + bytes(MOST_BYTES)) == "it is larger than 8 MiB; save it smaller"
    photograph = file("JPEG")
    scans = photograph[:-2] + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" * 101
    assert why(scans) == "it goes over its pixels 102 times; export it again as PNG"


@given(st.sampled_from(["PNG", "JPEG", "WEBP"]), st.data())
def test_a_damaged_image_is_an_image_or_refused(form: str, data: st.DataObject) -> None:
    content = bytearray(file(form))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        image = made(bytes(content[: data.draw(st.integers(0, len(content)))]))
    except ImageError as error:
        assert "; " in str(error)
    else:
        assert image.width <= 640 and image.content


@pytest.mark.long
@pytest.mark.parametrize("worst", first_of(2, [b"ends", b"fills", b"never ends"]))
def test_an_image_that_ends_the_child_is_refused_and_the_others_are_made(
    worst: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = """
import os
from scoreboard.venue import images
whole = images.make
images.CPU_S = 1
def make(wanted):
    if wanted.content == b"ends":
        os._exit(1)
    while wanted.content == b"never ends":
        pass
    return whole(images.WantedImage(bytes(2 << 30), 1, 1)) if wanted.content == b"fills" else whole(wanted)
images.make = make
images.serve()
"""
    monkeypatch.setattr(images, "PROGRAM", f"exec({program!r})")
    answers = make_all([WantedImage(one, 640, 320) for one in (file(), worst, file("WEBP"))])
    ended = "it cannot be decoded within 20 s and 1 GiB; export it again as PNG, with fewer pixels"
    assert [one.refused for one in answers] == ["", ended, ""]
    assert [one.width for one in answers] == [40, 0, 40]
