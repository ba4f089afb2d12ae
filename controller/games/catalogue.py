"""Every game, every kind of device and every backend of this project: a new one is its room, and a line here.

A room is imported where a table plays its game, and a family of devices where a table has one of it. Those of others
come by entry points into the same lists: `controller.games.outside`.
"""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

from controller.configuration.registry import Offering, Registry, nobody_offers
from controller.games.base.spec import GameSpec
from controller.packages.listed import Listed, by_name
from controller.rules.profile import SOURCES
from controller.table.orders.book import VERBS
from controller.table.orders.order import Verb
from drivers.base.device_spec import DeviceSpec
from feed.data import TablePackage
from hal.backend_spec import BackendSpec
from hal.backend_specs import BOARDS, GPIOD, GPIOZERO, RECORDED, SIMULATED

GAME: Final = Listed.of(
    GameSpec,
    (
        "money_wheel = controller.games.money_wheel.spec:MONEY_WHEEL",
        "roulette = controller.games.roulette.spec:ROULETTE",
        "beat_the_dealer = controller.games.tumbled.spec:BEAT_THE_DEALER",
        "chuck_a_luck = controller.games.tumbled.spec:CHUCK_A_LUCK",
        "under_over = controller.games.tumbled.spec:UNDER_OVER",
        "sic_bo = controller.games.sic_bo.spec:SIC_BO",
        "craps = controller.games.craps.spec:CRAPS",
        "mini_craps = controller.games.craps.spec:MINI_CRAPS",
        "baccarat = controller.games.baccarat.spec:BACCARAT",
        "mini_baccarat = controller.games.baccarat.spec:MINI_BACCARAT",
        "red_dog = controller.games.red_dog.spec:RED_DOG",
        "blackjack = controller.games.blackjack.spec:BLACKJACK",
        "multi_action_blackjack = controller.games.blackjack.spec:MULTI_ACTION_BLACKJACK",
        "caribbean_stud = controller.games.fixed_hands.spec:CARIBBEAN_STUD",
        "let_it_ride = controller.games.fixed_hands.spec:LET_IT_RIDE",
        "joker_seven = controller.games.fixed_hands.spec:JOKER_SEVEN",
        "token_pusher = controller.games.token_pusher.spec:TOKEN_PUSHER",
        "skill_stop_reel = controller.games.skill_stop_reel.spec:SKILL_STOP_REEL",
        "skill_stop_video = controller.games.skill_stop_video.spec:SKILL_STOP_VIDEO",
    ),
)
"""Every game by its name."""

DEVICE: Final = Listed.of(
    DeviceSpec,
    (
        "money_wheel = drivers.money_wheel.spec:MONEY_WHEEL",
        "pokette_wheel = drivers.money_wheel.spec:POKETTE_WHEEL",
        "number_generator = drivers.numbers.spec:NUMBER_GENERATOR",
        "roulette_wheel = drivers.roulette.specs:ROULETTE_WHEEL",
        "star_x = drivers.roulette.specs:STAR_X",
        "buttons = drivers.dealer.specs:BUTTON_BOX",
        "lamp = drivers.dealer.specs:LAMP",
        "number_display = drivers.dealer.specs:NUMBER_DISPLAY",
        "dice_keypad = drivers.dice.specs:DICE_KEYPAD",
        "dice_reader = drivers.dice.specs:DICE_READER",
        "cage = drivers.dice.specs:CAGE",
        "chute = drivers.dice.specs:CHUTE",
        "cage_motor = drivers.dice.specs:CAGE_MOTOR",
        "shaker = drivers.dice.specs:SHAKER",
        "pai_gow_shaker = drivers.dice.specs:PAI_GOW_SHAKER",
        "pai_gow_poker_shaker = drivers.dice.specs:PAI_GOW_POKER_SHAKER",
        "mini_dice_shaker = drivers.dice.specs:MINI_DICE_SHAKER",
        "automated_shaker = drivers.dice.specs:AUTOMATED_SHAKER",
        "lamp_board = drivers.lamps.specs:LAMP_BOARD",
        "puck = drivers.lamps.specs:PUCK",
        "shoe = drivers.cards.specs:SHOE",
        "shuffling_shoe = drivers.cards.specs:SHUFFLING_SHOE",
        "shuffler = drivers.cards.specs:SHUFFLER",
        "card_reader = drivers.cards.specs:CARD_READER",
        "discard_rack = drivers.cards.specs:DISCARD_RACK",
        "progressive = drivers.cards.specs:PROGRESSIVE",
        "token_chute = drivers.coins.specs:TOKEN_CHUTE",
        "cctalk = drivers.coins.specs:CCTALK",
        "door = drivers.cabinet.specs:DOOR_DEVICE",
        "pusher_bed = drivers.pusher.specs:PUSHER_BED",
        "pusher_board = drivers.pusher.specs:PUSHER_BOARD",
        "stepper_reels = drivers.reels.specs:STEPPER_REELS",
        "video_screen = drivers.screen.specs:VIDEO_SCREEN",
    ),
)
"""Every kind of device by its name."""

BACKENDS: Final[tuple[BackendSpec, ...]] = (GPIOD, GPIOZERO, BOARDS, SIMULATED, RECORDED)

_FIXED_HANDS: Final = "caribbean_stud let_it_ride joker_seven"
_HANDS: Final = f"blackjack multi_action_blackjack {_FIXED_HANDS}"
_CARDS: Final = f"baccarat mini_baccarat red_dog {_HANDS}"
_MACHINES: Final = "token_pusher skill_stop_reel skill_stop_video"
_ORDERS: Final = (
    "sic_bo: inspect_dice lamp_test operate_shaker shift_begins dice_placed settle_attended",
    "sic_bo craps mini_craps: shaker_removed shaker_placed",
    "craps mini_craps: pass_dice change_dice roll_for_come line_wager",
    f"{_CARDS}: new_shoe break_up shuffler_removed shuffler_placed excess_card face_up_card announce reshuffle",
    f"{_CARDS}: new_dealer",
    f"{_HANDS}: hands",
    "blackjack multi_action_blackjack: all_bust",
    f"{_FIXED_HANDS}: misdeal progressive_pay",
    f"{_MACHINES}: test_begin test_end hand_pay reconcile settle_debt",
    "skill_stop_video: recall_begin recall_end",
)
"""The orders that not every game takes, behind those that do."""

GAMES_OF_ORDER: Final = {
    name: games.split() for games, names in (line.split(": ") for line in _ORDERS) for name in names.split()
}
"""The games that take each of those orders: what another's refusal names, which imports no room."""


def _order(game: str, name: str) -> Verb:
    return next(verb for verb in GAME[game].orders if verb.name == name)


ORDERS: Final = Listed(
    {name: partial(VERBS.__getitem__, name) for name in VERBS}
    | {name: partial(_order, games[0], name) for name, games in GAMES_OF_ORDER.items()}
)
"""Every order that a table of some game takes."""

GAMES: Final = GAME.values()
DEVICES: Final = DEVICE.values()


class Catalogue(NamedTuple):
    """Games, devices and backends by name, and rules: ours, or those of ours and of packages together."""

    games: Listed[GameSpec]
    devices: Listed[DeviceSpec]
    backends: Listed[BackendSpec]
    profiles: tuple[str, ...]
    """The names of the profiles of rules."""

    def registry(self, packages: tuple[TablePackage, ...] = (), offering: Offering = nobody_offers) -> Registry:
        """What a table's file can name."""
        return Registry(
            games=self.games,
            drivers=self.devices,
            backends=self.backends,
            profiles=self.profiles,
            packages=packages,
            offering=offering,
        )


OURS: Final = Catalogue(GAME, DEVICE, by_name(BACKENDS), tuple(SOURCES))
"""What this project has."""
REGISTRY: Final = OURS.registry()
"""What a table's file can name that trusts no package."""
