"""Skill-stop video, as the catalogue lists it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, TableDevices
from controller.games.base.texts import texts_of
from controller.games.machines.coins import coin_findings
from controller.games.machines.game import MachineGame, MachineParts
from controller.games.machines.model import hash_of
from controller.games.machines.orders import ORDERS
from controller.games.machines.rules import MachineRules
from controller.games.machines.skill_stop import SkillStopPlays
from controller.games.machines.skill_stop_spec import (
    WORDS,
    ChosenModel,
    ModelName,
    SkillStopOptions,
    coins_of,
    play_of,
    rests,
    slots_of,
)
from controller.games.skill_stop_video.model import MODELS
from controller.games.skill_stop_video.orders import RECALL_ORDERS
from controller.games.skill_stop_video.scenes import ScreenScenes
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.screen.actuator import ScreenActuator, ScreenModel
from drivers.screen.screen import ScreenConfig
from feed.results.skill_stop_reel import RESULTS

if TYPE_CHECKING:
    from simulators.screen.table import ScreenGeometry

SCREEN: Final = "screen"
FRAME_MS: Final = 1000 / 60
"""A frame of a display at 60 Hz."""

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM.with_name("machines"), ROOM)


class SkillStopVideoOptions(SkillStopOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a skill-stop video's plays under `[game]`."""

    model: ModelName = "video_fruit_3"


CHOSEN: Final = ChosenModel(MODELS, SkillStopVideoOptions)
"""The model of a table."""


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    options, model = config.game_options(SkillStopVideoOptions), CHOSEN.of(config)
    coins = coins_of(devices)
    screen = devices.commanded(SCREEN, ScreenActuator)
    if screen is None:
        raise LookupError("a skill-stop video was made without its screen")
    screen.set_up(
        ScreenModel(
            title=model.title,
            reels=tuple(map(tuple, model.reels)),
            lines=tuple(map(tuple, model.lines)),
            awards=tuple((tuple(award.symbols), award.tokens) for award in model.awards),
            symbol_ns=model.symbol_ms * 1_000_000,
        )
    )
    rules = profile(config.rules).text(config.game, MachineRules)
    parts = MachineParts(context, rules, options, hash_of(CHOSEN.touches_play(config)), coins)
    scenes = ScreenScenes(screen, parts.account, parts.current, simulated=context.simulated)
    return MachineGame(parts, SkillStopPlays(parts, model, screen, SCREEN, scenes))


def _check(setup: SetUp) -> list[ConfigFinding]:
    """One way in for tokens; the model must be there, of as many reels, and shown slowly enough for the display."""
    return [*coin_findings(setup), *_model_findings(setup)]


def _model_findings(setup: SetUp) -> list[ConfigFinding]:
    section = setup.devices.get(SCREEN)
    screen = section.keys(ScreenConfig) if section is not None else ScreenConfig()
    model = CHOSEN.or_findings(setup, SCREEN, screen.reels)
    if isinstance(model, list):
        return model
    if screen.doubt_ms + FRAME_MS > model.symbol_ms:
        wrong = (
            f"leaves a doubt of {screen.doubt_ms:g} ms, and the model {CHOSEN.name_in(setup)} shows an image for "
            f"{model.symbol_ms} ms: three images could be possible at one press"
        )
        fix = "measure the display and the panel more exactly, or take a slower model"
        return [ConfigFinding(("device", SCREEN, "latency_error_ms"), wrong, fix)]
    return []


def _geometry(config: TableConfig) -> ScreenGeometry:
    from simulators.screen.table import ScreenGeometry

    screen, model = config.devices[SCREEN].keys(ScreenConfig), CHOSEN.of(config)
    return ScreenGeometry(
        play=play_of(config, model, screen.reels, screen.spin_ms),
        symbol_s=model.symbol_ms / 1000,
        stops=screen.stops,
        light=screen.light,
        latency_s=screen.latency_ms / 1000,
        touch_latency_s=screen.touch_latency_ms / 1000,
    )


SKILL_STOP_VIDEO = GameSpec(
    name="skill_stop_video",
    result=RESULTS["skill_stop_video"],
    texts=TEXTS,
    page="machine",
    rules=MachineRules,
    options=SkillStopVideoOptions,
    devices=slots_of({SCREEN: Slot(("video_screen",))}),
    build=_build,
    geometry=_geometry,
    rests=rests,
    words=WORDS,
    check=_check,
    statistics=CHOSEN.statistics,
    orders=(*ORDERS, *RECALL_ORDERS),
    model=CHOSEN.touches_play,
)
