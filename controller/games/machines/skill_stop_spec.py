"""What the rooms of skill-stop machines export alike: the devices of every one, and how its events read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, TypeVar

from msgspec import Meta

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameWords, NoSimulatorError, TableDevices
from controller.games.machines.account import CoinDevices
from controller.games.machines.coin_faults import COINS
from controller.games.machines.coins import SLOT_OF_COINS, coin_geometry
from controller.games.machines.game import MachineOptions
from controller.games.machines.model import model_values
from controller.games.machines.win_lines import ModelError, ModelFolder, PlayModel, aims, parking, possible_awards
from drivers.coins.coin_bus import CctalkConfig, CoinBus
from feed.events import RoundStarted, StatisticsKey
from hal.wording import counted

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
ModelName = Annotated[str, Meta(description="the machine's model: its symbols, win lines, awards and speed (ours)")]


class SkillStopOptions(MachineOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the plays of every skill-stop machine under `[game]`; each kind has a model of its own by default."""

    model: ModelName


class ChosenModel(Generic[M]):
    """The model that a table's file names, of the models of one kind of machine."""

    def __init__(self, models: ModelFolder[M], options: type[SkillStopOptions]) -> None:
        self._models = models
        self._options = options

    def of(self, config: TableConfig) -> M:
        """The model of a table that was checked."""
        return self._models.named(self._name(config))

    def _name(self, config: TableConfig) -> str:
        return config.game_options(self._options).model

    def name_in(self, setup: SetUp) -> str | None:
        """The name of the model in a file that is checked; None where its section of the game is wrong already."""
        return setup.options.model if isinstance(setup.options, self._options) else None

    def or_findings(self, setup: SetUp, device: str, reels: int) -> M | list[ConfigFinding]:
        """The model, for a `device` of this many reels; or why there is none that fits it."""
        name = self.name_in(setup)
        if name is None:
            return []
        try:
            model = self._models.named(name)
        except ModelError as error:
            return [ConfigFinding(("game", "model"), str(error), f"give one of: {', '.join(self._models.names)}")]
        if len(model.reels) != reels:
            wrong = f"is {reels}, and the model {name} has {len(model.reels)} reels"
            return [ConfigFinding(("device", device, "reels"), wrong, f"write reels = {len(model.reels)}")]
        return model

    def touches_play(self, config: TableConfig) -> dict[str, Any]:
        """As of every machine, and the file of its model."""
        return {**model_values(config), "model": self._models.digest(self._name(config))}

    def statistics(self, config: TableConfig) -> Sequence[StatisticsKey]:
        """What a play can award."""
        return [StatisticsKey(field="award", values=[*possible_awards(self.of(config))])]


def coins_of(devices: TableDevices) -> CoinDevices | None:
    """Makes what every skill-stop machine has, and returns its coin equipment, if it has any."""
    for device in ("chute", "cabinet"):
        devices.make(device)
    coins: CoinDevices | None = devices.commanded(COINS, CoinBus)
    return coins


def _result_words(result: Mapping[str, Any]) -> str:
    shown = "; ".join(" ".join(line["symbols"]) for line in result["lines"])
    return f"{shown}: {counted(result['award'], 'token')} won" if result["award"] else f"{shown}: nothing won"


def _begun(data: RoundStarted) -> str:
    return "a token is in: the reels spin"


WORDS: Final = GameWords(_result_words, _begun, lists_bets=False)


def rests(result: Mapping[str, Any]) -> tuple[int, ...]:
    """Where the reels are stopped."""
    return tuple(result["stops"])


def play_of(config: TableConfig, model: PlayModel, reels: int, spin_ms: float) -> StopPlay:
    """How simulated players play a model on a machine with this many reels, which nothing stops for `spin_ms`.

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
