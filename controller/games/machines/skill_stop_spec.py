"""What the rooms of skill-stop machines export alike: the devices of every one, and how its events read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameWords, NoSimulatorError
from controller.games.machines.coin_faults import COINS
from controller.games.machines.coins import SLOT_OF_COINS, coin_geometry
from controller.games.machines.win_lines import ModelError, ModelFolder, PlayModel, aims, parking, possible_awards
from controller.table.wording import counted
from drivers.coins.coin_bus import CctalkConfig
from feed.events import RoundStarted, StatisticsKey

if TYPE_CHECKING:
    from simulators.stops.player import StopPlay


def slots_of(reels: Mapping[str, Slot], acceptor: tuple[str, str] = ("", "")) -> Mapping[str, Slot]:
    """The devices of a machine with these reels; `acceptor` is the device and its key that takes the chute's place."""
    return {
        "chute": Slot(("token_chute",), unless=COINS, unless_true=acceptor),
        **SLOT_OF_COINS,
        **reels,
        "cabinet": Slot(("door",)),
        **SLOTS_OF_ALL,
    }


M = TypeVar("M", bound=PlayModel)


def model_or_findings(models: ModelFolder[M], name: str, device: str, reels: int) -> M | list[ConfigFinding]:
    """The model of a file, for a `device` of so many reels; or why there is none that fits it."""
    try:
        model = models.named(name)
    except ModelError as error:
        return [ConfigFinding(("game", "model"), str(error), f"give one of: {', '.join(models.names)}")]
    if len(model.reels) != reels:
        wrong = f"is {reels}, and the model {name} has {len(model.reels)} reels"
        return [ConfigFinding(("device", device, "reels"), wrong, f"write reels = {len(model.reels)}")]
    return model


def _result_words(result: Mapping[str, Any]) -> str:
    shown = "; ".join(" ".join(line["symbols"]) for line in result["lines"])
    return f"{shown}: {counted(result['award'], 'token')} won" if result["award"] else f"{shown}: nothing won"


def _begun(data: RoundStarted) -> str:
    return "a token is in: the reels spin"


WORDS: Final = GameWords(_result_words, _begun, lists_bets=False)


def rests(result: Mapping[str, Any]) -> tuple[int, ...]:
    """Where the reels stand."""
    return tuple(result["stops"])


def statistics_of(model: PlayModel) -> Sequence[StatisticsKey]:
    """What a play can award."""
    return [StatisticsKey(field="award", values=[*possible_awards(model)])]


def play_of(config: TableConfig, model: PlayModel, reels: int, spin_ms: float) -> StopPlay:
    """How simulated players play a model on a machine with so many reels, which nothing stops for `spin_ms`.

    Raises:
        NoSimulatorError: no simulated machine has a chute and a hopper.
    """
    from simulators.stops.player import StopPlay

    if COINS in config.devices and "chute" in config.devices:
        raise NoSimulatorError("no simulated skill-stop machine has a chute and a hopper; leave one of them out")
    return StopPlay(
        reels=reels,
        symbols=model.symbols,
        spin_s=spin_ms / 1000,
        longest_s=model.longest_s,
        aims=aims(model),
        parks=partial(parking, model),
        coins=coin_geometry(config.devices[COINS].keys(CctalkConfig)) if COINS in config.devices else None,
    )
