"""Skill-stop reel, as the catalogue lists it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, NoSimulatorError, TableDevices
from controller.games.machines.coin_faults import COINS
from controller.games.machines.coins import SLOT_OF_COINS, coin_findings, coin_geometry
from controller.games.machines.model import hash_of, model_values
from controller.games.machines.orders import ORDERS
from controller.games.machines.rules import MachineRules
from controller.games.skill_stop_reel.model import ANY, Model, ModelError, model_digest, model_named, model_names
from controller.games.skill_stop_reel.rounds import REELS, SkillStopOptions, SkillStopReel
from controller.rules.profile import profile
from controller.table.game import Game, GameContext
from controller.table.wording import counted
from drivers.coins.coin_bus import CctalkConfig, CoinBus
from drivers.reels.actuator import ReelsActuator
from drivers.reels.reels import ReelsConfig
from feed.events import RoundStarted, StatisticsKey

if TYPE_CHECKING:
    from simulators.reels.table import ReelsGeometry


def _model(config: TableConfig) -> Model:
    return model_named(config.game_options(SkillStopOptions).model)


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    options, model = config.game_options(SkillStopOptions), _model(config)
    for device in ("chute", "cabinet"):
        devices.make(device)
    coins = devices.commanded(COINS, CoinBus)
    reels = devices.commanded(REELS, ReelsActuator)
    if reels is None:
        raise LookupError("a skill-stop reel was made without its reels")
    reels.set_up(model.symbols, model.steps_per_s)
    rules = profile(config.rules).text(config.game, MachineRules)
    return SkillStopReel(context, rules, options, model, hash_of(_touches_play(config)), reels, coins)


def _touches_play(config: TableConfig) -> Mapping[str, Any]:
    """As of every machine, and the file of its model."""
    return {**model_values(config), "model": model_digest(config.game_options(SkillStopOptions).model)}


def _check(setup: SetUp) -> list[ConfigFinding]:
    """One way in for tokens; the model must be there, and be of as many reels as the machine has."""
    return [*coin_findings(setup), *_model_findings(setup)]


def _model_findings(setup: SetUp) -> list[ConfigFinding]:
    options = setup.options
    if not isinstance(options, SkillStopOptions):
        return []
    try:
        model = model_named(options.model)
    except ModelError as error:
        return [ConfigFinding(("game", "model"), str(error), f"give one of: {', '.join(model_names())}")]
    section = setup.devices.get(REELS)
    reels = section.keys(ReelsConfig) if section is not None else ReelsConfig()
    if len(model.reels) != reels.reels:
        wrong = f"is {reels.reels}, and the model {options.model} has {len(model.reels)} reels"
        return [ConfigFinding(("device", REELS, "reels"), wrong, f"write reels = {len(model.reels)}")]
    if model.symbols * 2 > reels.steps:
        wrong = f"is {reels.steps}, and the model {options.model} has {model.symbols} symbols: two steps each at least"
        return [ConfigFinding(("device", REELS, "steps"), wrong, f"give {model.symbols * 2} or more")]
    return []


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    model = _model(config)
    awards = {0}
    for _ in model.lines:
        awards |= {before + award.tokens for before in awards for award in model.awards}
    return [StatisticsKey(field="award", values=sorted(awards))]


def _suiting(model: Model, symbols: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """The stops at which each reel shows an award's symbol on the first line."""
    count, line = model.symbols, model.lines[0]
    return tuple(
        tuple(stop for stop in range(count) if want in (ANY, reel[(stop + offset) % count]))
        for reel, want, offset in zip(model.reels, symbols, line, strict=True)
    )


def _geometry(config: TableConfig) -> ReelsGeometry:
    from simulators.reels.table import ReelsGeometry

    if COINS in config.devices and "chute" in config.devices:
        raise NoSimulatorError("no simulated skill-stop reel has a chute and a hopper; leave one of the sections out")
    reels, model = config.devices[REELS].keys(ReelsConfig), _model(config)
    return ReelsGeometry(
        game=config.game,
        reels=reels.reels,
        symbols=model.symbols,
        steps=reels.steps,
        steps_per_s=model.steps_per_s,
        spin_s=reels.spin_ms / 1000,
        longest_s=model.longest_s,
        coins=coin_geometry(config.devices[COINS].keys(CctalkConfig)) if COINS in config.devices else None,
        aims=tuple(_suiting(model, award.symbols) for award in model.awards),
    )


def _result_words(result: Mapping[str, Any]) -> str:
    shown = "; ".join(" ".join(line["symbols"]) for line in result["lines"])
    return f"{shown}: {counted(result['award'], 'token')} won" if result["award"] else f"{shown}: nothing won"


def _begun(data: RoundStarted) -> str:
    return "a token is in: the reels spin"


def _rests(result: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(result["stops"])


SKILL_STOP_REEL = GameSpec(
    name="skill_stop_reel",
    rules=MachineRules,
    options=SkillStopOptions,
    devices={
        "chute": Slot(("token_chute",), unless=COINS),
        **SLOT_OF_COINS,
        REELS: Slot(("stepper_reels",)),
        "cabinet": Slot(("door",)),
        **SLOTS_OF_ALL,
    },
    build=_build,
    geometry=_geometry,
    rests=_rests,
    words=GameWords(_result_words, _begun, lists_bets=False),
    check=_check,
    statistics=_statistics,
    orders=ORDERS,
    model=_touches_play,
)
