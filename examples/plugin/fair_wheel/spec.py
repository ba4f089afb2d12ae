"""What the package offers: the game and its rules."""

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import msgspec

from controller.configuration.registry import SLOTS_OF_ALL, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, TableDevices
from controller.games.base.wheels import place_of, published_places, spun_words, wheel_plan
from controller.rules.profile import RulesSpec
from controller.table.context import GameContext
from controller.table.rounds import RoundLifecycle
from controller.table.terms import Terms
from fair_wheel.device import SPACES
from fair_wheel.rounds import FairOptions, FairResult, FairRules, FairWheelGame
from feed.events import StatisticsKey
from feed.game_view import GameView

if TYPE_CHECKING:
    from fair_wheel.simulator import FairGeometry

FILES: Final = resources.files("fair_wheel")


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> FairWheelGame:
    rules, settle_s = config.text(FairRules), config.game_options(FairOptions).settle_after_s
    devices.make("wheel")
    terms = Terms(rules.no_more_bets, rules.reasons, rules.minimum_revolutions.cite, settle_s)
    return FairWheelGame(RoundLifecycle(context, terms), rules)


def _geometry(config: TableConfig) -> "FairGeometry":
    from fair_wheel.simulator import FairGeometry

    least, buttons = config.text(FairRules).minimum_revolutions.value, config.buttons
    calls, settles = "dealer_no_more_bets" in buttons, "dealer_settled" in buttons
    return FairGeometry(minimum_revolutions=least, no_more_bets_button=calls, settled_button=settles)


def _words(result: Mapping[str, Any]) -> str:
    return f"{result['prize']} (space {result['space']})"


def _statistics(config: TableConfig) -> Sequence[StatisticsKey]:
    prizes = dict.fromkeys(config.text(FairRules).faces.value)
    return [StatisticsKey(field="prize", values=[*prizes]), StatisticsKey(field="space", values=[*range(SPACES)])]


FAIR_WHEEL: Final = GameSpec(
    name="fair_wheel",
    rules=FairRules,
    options=FairOptions,
    result=FairResult,
    view=msgspec.json.decode(FILES.joinpath("view.json").read_bytes(), type=GameView),
    devices={"wheel": Slot(("code_wheel",)), **SLOTS_OF_ALL},
    build=_build,
    geometry=_geometry,
    rests=place_of("space"),
    words=GameWords(_words, spun_words),
    statistics=_statistics,
    bias=lambda config: wheel_plan("space", range(SPACES)),
    published_bias=published_places("space"),
)
FAIR_RULES: Final = RulesSpec("fair", FILES.joinpath("rules.toml"))
