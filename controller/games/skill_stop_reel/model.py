"""The models of skill-stop reels: what `controller.games.machines.win_lines` has, and the speed of the motors."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from controller.games.machines.win_lines import ModelFolder, PlayModel


class ReelModel(PlayModel, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model."""

    steps_per_s: Annotated[int, Meta(ge=62, le=402)]
    """The speed of every reel: the fastest is that of the boards' own ramp."""


MODELS: Final = ModelFolder("controller.games.skill_stop_reel", ReelModel)
"""Every model there is."""
