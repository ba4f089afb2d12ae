"""The models of skill-stop videos: what `controller.games.machines.win_lines` has, and how long an image is lit."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from controller.games.machines.win_lines import ModelFolder, PlayModel


class VideoModel(PlayModel, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model."""

    symbol_ms: Annotated[int, Meta(ge=60, le=1000)]
    """How long each image is lit: 60 ms are three to four frames of a display at 60 Hz, the fewest (ours)."""


MODELS: Final = ModelFolder("controller.games.skill_stop_video", VideoModel)
"""Every model there is."""
