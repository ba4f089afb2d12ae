"""Every game, every kind of device and every backend of this project: a new one is its room, and a line here.

Those of others come by entry points into the same tuples: `controller.games.outside`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from controller.configuration.registry import Offering, Registry, nobody_offers
from controller.games.baccarat.spec import BACCARAT, MINI_BACCARAT
from controller.games.base.spec import GameSpec
from controller.games.blackjack.spec import BLACKJACK, MULTI_ACTION_BLACKJACK
from controller.games.craps.spec import CRAPS, MINI_CRAPS
from controller.games.fixed_hands.spec import CARIBBEAN_STUD, JOKER_SEVEN, LET_IT_RIDE
from controller.games.money_wheel.spec import MONEY_WHEEL
from controller.games.red_dog.spec import RED_DOG
from controller.games.roulette.spec import ROULETTE
from controller.games.sic_bo.spec import SIC_BO
from controller.games.skill_stop_reel.spec import SKILL_STOP_REEL
from controller.games.skill_stop_video.spec import SKILL_STOP_VIDEO
from controller.games.token_pusher.spec import TOKEN_PUSHER
from controller.games.tumbled.spec import BEAT_THE_DEALER, CHUCK_A_LUCK, UNDER_OVER
from controller.rules.profile import SOURCES
from controller.table.orders.book import VERBS
from controller.table.orders.order import Verb
from drivers.base.device_spec import DeviceSpec
from drivers.cabinet.specs import DOOR_DEVICE
from drivers.cards.specs import CARD_READER, DISCARD_RACK, PROGRESSIVE, SHOE, SHUFFLER, SHUFFLING_SHOE
from drivers.coins.specs import CCTALK, TOKEN_CHUTE
from drivers.dealer.specs import BUTTON_BOX, LAMP, NUMBER_DISPLAY
from drivers.dice.specs import AUTOMATED_SHAKER, CAGE, CAGE_MOTOR, CHUTE, DICE_KEYPAD, DICE_READER, SHAKER
from drivers.lamps.specs import LAMP_BOARD, PUCK
from drivers.money_wheel.spec import MONEY_WHEEL as MONEY_WHEEL_DEVICE
from drivers.pusher.specs import PUSHER_BED, PUSHER_BOARD
from drivers.reels.specs import STEPPER_REELS
from drivers.roulette.specs import ROULETTE_WHEEL, STAR_X
from drivers.screen.specs import VIDEO_SCREEN
from feed.data import TablePackage
from hal.backend_spec import BackendSpec
from hal.backend_specs import BOARDS, GPIOD, GPIOZERO, RECORDED, SIMULATED

GAMES: Final[tuple[GameSpec, ...]] = (
    MONEY_WHEEL,
    ROULETTE,
    BEAT_THE_DEALER,
    CHUCK_A_LUCK,
    UNDER_OVER,
    SIC_BO,
    CRAPS,
    MINI_CRAPS,
    BACCARAT,
    MINI_BACCARAT,
    RED_DOG,
    BLACKJACK,
    MULTI_ACTION_BLACKJACK,
    CARIBBEAN_STUD,
    LET_IT_RIDE,
    JOKER_SEVEN,
    TOKEN_PUSHER,
    SKILL_STOP_REEL,
    SKILL_STOP_VIDEO,
)

DEVICES: Final[tuple[DeviceSpec, ...]] = (
    MONEY_WHEEL_DEVICE,
    ROULETTE_WHEEL,
    STAR_X,
    BUTTON_BOX,
    LAMP,
    NUMBER_DISPLAY,
    DICE_KEYPAD,
    DICE_READER,
    CAGE,
    CHUTE,
    CAGE_MOTOR,
    SHAKER,
    AUTOMATED_SHAKER,
    LAMP_BOARD,
    PUCK,
    SHOE,
    SHUFFLING_SHOE,
    SHUFFLER,
    CARD_READER,
    DISCARD_RACK,
    PROGRESSIVE,
    TOKEN_CHUTE,
    CCTALK,
    DOOR_DEVICE,
    PUSHER_BED,
    PUSHER_BOARD,
    STEPPER_REELS,
    VIDEO_SCREEN,
)

BACKENDS: Final[tuple[BackendSpec, ...]] = (GPIOD, GPIOZERO, BOARDS, SIMULATED, RECORDED)

GAME: Final = {game.name: game for game in GAMES}
"""Every game by its name."""
DEVICE: Final = {device.name: device for device in DEVICES}
"""Every kind of device by its name."""


class Catalogue(NamedTuple):
    """Games, devices, backends and rules: ours, or those of ours and of packages together."""

    games: tuple[GameSpec, ...]
    devices: tuple[DeviceSpec, ...]
    backends: tuple[BackendSpec, ...]
    profiles: tuple[str, ...]
    """The names of the profiles of rules."""

    def registry(self, packages: tuple[TablePackage, ...] = (), offering: Offering = nobody_offers) -> Registry:
        """What a table's file can name."""
        return Registry(
            games={game.name: game for game in self.games},
            drivers={device.name: device for device in self.devices},
            backends={backend.name: backend for backend in self.backends},
            profiles=self.profiles,
            packages=packages,
            offering=offering,
        )


OURS: Final = Catalogue(GAMES, DEVICES, BACKENDS, tuple(SOURCES))
"""What this project has."""
REGISTRY: Final = OURS.registry()
"""What a table's file can name that trusts no package."""

ORDERS: Final[dict[str, Verb]] = VERBS | {verb.name: verb for game in GAMES for verb in game.orders}
"""Every order that a table takes, or refuses because it plays another game."""
