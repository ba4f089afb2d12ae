"""What the package offers: the game and its rules."""

from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Final

from controller.configuration.registry import SLOTS_OF_ALL, Slot
from controller.configuration.values import TableConfig
from controller.games.base.options import RoundOptions
from controller.games.base.spec import GameSpec, GameWords, TableDevices
from controller.games.base.texts import texts_of
from controller.games.base.wheels import place_of, published_places, spun_words
from controller.rules.profile import RulesSpec
from controller.table.context import GameContext
from controller.table.rounds import RoundLifecycle
from controller.table.terms import Terms
from fair_wheel.device import SPACES
from fair_wheel.rounds import FairResult, FairRules, FairWheelGame
from feed.events import StatisticsKey
from feed.game_view import GameView

if TYPE_CHECKING:
    from fair_wheel.simulator import FairGeometry

ROOM: Final = resources.files("fair_wheel")
COLORS: Final = {"bear": "gold", "ball": "red", "sweet": "green", "none": "black"}


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> FairWheelGame:
    rules, settle_s = config.text(FairRules), config.game_options(RoundOptions).settle_after_s
    devices.make("wheel")
    terms = Terms(rules.no_more_bets, rules.reasons, rules.minimum_revolutions.cite, settle_s)
    return FairWheelGame(RoundLifecycle(context, terms), rules)


def _geometry(config: TableConfig) -> "FairGeometry":
    from fair_wheel.simulator import FairGeometry

    least = config.text(FairRules).minimum_revolutions.value
    return FairGeometry(least, config.called_by_button, config.settled_by_button)


def _statistics(config: TableConfig) -> Sequence[StatisticsKey]:
    return [StatisticsKey(field="prize", values=[*COLORS]), StatisticsKey(field="space", values=[*range(SPACES)])]


FAIR_WHEEL: Final = GameSpec(
    name="fair_wheel",
    rules=FairRules,
    result=FairResult,
    view=GameView(hero="prize", counts="prize", colors=COLORS),
    texts=texts_of(ROOM),
    devices={"wheel": Slot(("code_wheel",)), **SLOTS_OF_ALL},
    build=_build,
    geometry=_geometry,
    rests=place_of("space"),
    words=GameWords(started=spun_words),
    statistics=_statistics,
    published_bias=published_places("space"),
)
FAIR_RULES: Final = RulesSpec("fair", ROOM / "rules.toml")
