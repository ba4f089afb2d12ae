"""The keys of a venue's file, `venue.toml`."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

VENUE_FILE: Final = "venue.toml"
"""Its name in the venue's folder."""
MOST_SPONSORS: Final = 12
"""So many images are shown in turn at most (ours)."""

ImageName = Annotated[
    str,
    Meta(
        pattern=r"\A[A-Za-z0-9][A-Za-z0-9_. -]*\.(png|PNG|jpg|JPG|jpeg|JPEG|webp|WEBP)\Z",
        max_length=80,
        description="a file of the folder: PNG, JPEG or WebP, at most 8 MiB and 16,000,000 pixels, of one frame",
        extra={"cite": "ours"},
    ),
]
ColorText = Annotated[
    str,
    Meta(pattern=r"\A#[0-9A-Fa-f]{6}\Z", description='a color with six digits: "#e6c377"', examples=["#e6c377"]),
]


class SponsorKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[sponsor]]`: one image of the loop."""

    image: ImageName
    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=60,
            description="who it is: read by screen readers, and shown where the image cannot be",
        ),
    ]
    seconds: Annotated[
        float, Meta(ge=3, le=120, description="for how long it is shown, in its turn", extra={"cite": "ours"})
    ] = 8.0


class ColorKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[colors]`: those of states, of results and of SIMULATION are not among them."""

    accent: Annotated[ColorText | None, Meta(description="titles, frames, bars, and what won: brass without it")] = None
    background: Annotated[ColorText | None, Meta(description="of the boards, dark: green felt without it")] = None
    strip: Annotated[ColorText | None, Meta(description="of the venue's strip: a darker background without it")] = None
    strip_text: Annotated[ColorText | None, Meta(description="the words in the strip: ivory without it")] = None


class VenueKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`venue.toml`. Each key may be left out."""

    charity: Annotated[str, Meta(max_length=60, description="for whom the evening is")] = ""
    message: Annotated[str, Meta(max_length=90, description="one line: what is next, where the bar is")] = ""
    logo: Annotated[
        ImageName | None, Meta(description="at the start of the strip: a file of the folder, as `sponsor.image` is")
    ] = None
    colors: ColorKeys = ColorKeys()
    sponsor: Annotated[
        tuple[SponsorKeys, ...],
        Meta(max_length=MOST_SPONSORS, description="the images of the loop, in their order"),
    ] = ()
