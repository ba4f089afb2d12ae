"""Token pusher, as the catalogue lists it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, NoSimulatorError, TableDevices
from controller.games.base.texts import texts_of
from controller.games.machines.board_coins import BoardCoins
from controller.games.machines.coin_faults import COINS
from controller.games.machines.coins import SLOT_OF_COINS, acceptor_findings, coin_findings, coin_geometry
from controller.games.machines.game import MachineGame, MachineParts
from controller.games.machines.model import model_hash, model_values
from controller.games.machines.orders import ORDERS
from controller.games.machines.rules import MachineRules
from controller.games.token_pusher.rounds import BOARD, PusherPlays, TokenPusherOptions
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.coins.coin_bus import CctalkConfig, CoinBus
from drivers.coins.token_chute import TokenChuteConfig
from drivers.pusher.bed import PusherBedConfig
from drivers.pusher.board import PusherBoardConfig
from drivers.pusher.board_actuator import PusherBoardActuator
from feed.events import RoundStarted, StatisticsKey
from feed.results.token_pusher import RESULTS
from hal.outputs_board import motor_reading
from hal.wording import counted

if TYPE_CHECKING:
    from simulators.pusher.table import PusherGeometry

COUNTED_TOKENS: Final = 100
"""Plays are counted by the tokens that they won, below this many (ours)."""

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    for device in ("chute", "bed", "cabinet"):
        devices.make(device)
    coins = devices.commanded(COINS, CoinBus)
    board = devices.commanded(BOARD, PusherBoardActuator)
    if board is not None:
        board.set_up(*_hopper_limits(config))
    rules = profile(config.rules).text(config.game, MachineRules)
    options = config.game_options(TokenPusherOptions)
    equipment = coins if board is None else BoardCoins(board.acceptor, board)
    parts = MachineParts(context, rules, options, model_hash(config), equipment)
    return MachineGame(parts, PusherPlays(parts, options, board))


def _hopper_limits(config: TableConfig) -> tuple[int, bool]:
    """What the hopper's motor may draw, as its board reads it (0: anything), and whether its error line is wired."""
    link = config.devices[BOARD].keys(PusherBoardConfig).link
    for name, board in config.boards.items():
        if link in config.carried_by(name):
            most_a = board.hopper_most_a
            return 0 if most_a is None else motor_reading(most_a, board.reference_v), board.hopper_errors
    return 0, False


def _check(setup: SetUp) -> list[ConfigFinding]:
    """Tokens come in by one way: the board's acceptor, another one, or a chute."""
    return acceptor_findings(setup) if BOARD in setup.devices else coin_findings(setup)


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    return [StatisticsKey(field="tokens_won", values=[*range(COUNTED_TOKENS)])]


def _geometry(config: TableConfig) -> PusherGeometry:
    from simulators.pusher.table import PusherGeometry

    bed = config.devices["bed"].keys(PusherBedConfig) if "bed" in config.devices else PusherBedConfig()
    chute = config.devices["chute"].keys(TokenChuteConfig) if "chute" in config.devices else TokenChuteConfig()
    if COINS in config.devices and "chute" in config.devices:
        raise NoSimulatorError("no simulated pusher has a chute and a hopper; leave one of the sections out")
    return PusherGeometry(
        play_s=config.game_options(TokenPusherOptions).play_s,
        stall_s=bed.stall_ms / 1000,
        stuck_s=bed.stuck_ms / 1000,
        jam_s=chute.jam_ms / 1000,
        coins=coin_geometry(config.devices[COINS].keys(CctalkConfig)) if COINS in config.devices else None,
        board=config.devices[BOARD].keys(PusherBoardConfig).link if BOARD in config.devices else None,
    )


def _result_words(result: Mapping[str, Any]) -> str:
    return f"{counted(result['tokens_in'], 'token')} in, {counted(result['tokens_won'], 'token')} won"


def _begun(data: RoundStarted) -> str:
    return "a token is in: the play has begun"


def _rests(result: Mapping[str, Any]) -> tuple[int, ...]:
    return (result["tokens_in"], result["tokens_won"])


TOKEN_PUSHER = GameSpec(
    name="token_pusher",
    result=RESULTS["token_pusher"],
    texts=TEXTS,
    page="machine",
    rules=MachineRules,
    options=TokenPusherOptions,
    devices={
        "chute": Slot(("token_chute",), unless=COINS, or_unless=BOARD),
        BOARD: Slot(("pusher_board",), always=False, excludes="bed"),
        **SLOT_OF_COINS,
        "bed": Slot(("pusher_bed",), unless=BOARD),
        "cabinet": Slot(("door",)),
        **SLOTS_OF_ALL,
    },
    build=_build,
    check=_check,
    geometry=_geometry,
    rests=_rests,
    words=GameWords(_result_words, _begun, lists_bets=False),
    statistics=_statistics,
    orders=ORDERS,
    model=model_values,
)
