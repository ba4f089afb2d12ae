"""Skill-stop reel, as the catalogue lists it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, TableDevices
from controller.games.base.texts import texts_of
from controller.games.machines.board_coins import BoardCoins
from controller.games.machines.coins import acceptor_findings, coin_findings
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
from controller.games.skill_stop_reel.model import MODELS
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.reels.actuator import ReelsActuator
from drivers.reels.reels import ReelsConfig
from feed.results.skill_stop_reel import RESULTS

if TYPE_CHECKING:
    from simulators.reels.table import ReelsGeometry

REELS: Final = "reels"
ACCEPTOR_KEYS: Final = frozenset({"acceptor", "pulse_ms"})

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM.with_name("machines"), ROOM)


class SkillStopReelOptions(SkillStopOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a skill-stop reel's plays under `[game]`."""

    model: ModelName = "fruit_3"


CHOSEN: Final = ChosenModel(MODELS, SkillStopReelOptions)
"""The model of a table."""


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    options, model = config.game_options(SkillStopReelOptions), CHOSEN.of(config)
    coins = coins_of(devices)
    reels = devices.commanded(REELS, ReelsActuator)
    if reels is None:
        raise LookupError("a skill-stop reel was made without its reels")
    reels.set_up(model.symbols, model.steps_per_s)
    if reels.acceptor is not None:
        coins = BoardCoins(reels.acceptor)
    rules = profile(config.rules).text(config.game, MachineRules)
    parts = MachineParts(context, rules, options, hash_of(_touches_play(config)), coins)
    return MachineGame(parts, SkillStopPlays(parts, model, reels, REELS, test=reels.test_sensors))


def _touches_play(config: TableConfig) -> Mapping[str, Any]:
    """As of every such machine; one without an acceptor on its board has no keys of one."""
    values = CHOSEN.touches_play(config)
    if not config.devices[REELS].keys(ReelsConfig).acceptor:
        values["devices"][REELS]["keys"] = {
            key: value for key, value in values["devices"][REELS]["keys"].items() if key not in ACCEPTOR_KEYS
        }
    return values


def _check(setup: SetUp) -> list[ConfigFinding]:
    """One way in for tokens; the model must be there, and be of as many reels as the machine has."""
    reels = setup.devices.get(REELS)
    by_board = reels is not None and reels.keys(ReelsConfig).acceptor
    return [*(acceptor_findings(setup) if by_board else coin_findings(setup)), *_model_findings(setup)]


def _model_findings(setup: SetUp) -> list[ConfigFinding]:
    section = setup.devices.get(REELS)
    reels = section.keys(ReelsConfig) if section is not None else ReelsConfig()
    model = CHOSEN.or_findings(setup, REELS, reels.reels)
    if isinstance(model, list):
        return model
    if model.symbols * 2 > reels.steps:
        named = f"the model {CHOSEN.name_in(setup)} has {model.symbols} symbols"
        wrong = f"is {reels.steps}, and {named}: two steps each at least"
        return [ConfigFinding(("device", REELS, "steps"), wrong, f"give {model.symbols * 2} or more")]
    return []


def _geometry(config: TableConfig) -> ReelsGeometry:
    from simulators.reels.table import ReelsGeometry

    reels, model = config.devices[REELS].keys(ReelsConfig), CHOSEN.of(config)
    return ReelsGeometry(
        play=play_of(config, model, reels.reels, reels.spin_ms),
        steps=reels.steps,
        steps_per_s=model.steps_per_s,
        acceptor=reels.acceptor,
    )


SKILL_STOP_REEL = GameSpec(
    name="skill_stop_reel",
    result=RESULTS["skill_stop_reel"],
    texts=TEXTS,
    page="machine",
    rules=MachineRules,
    options=SkillStopReelOptions,
    devices=slots_of({REELS: Slot(("stepper_reels",))}, (REELS, "acceptor")),
    build=_build,
    geometry=_geometry,
    rests=rests,
    words=WORDS,
    check=_check,
    statistics=CHOSEN.statistics,
    orders=ORDERS,
    model=_touches_play,
)
