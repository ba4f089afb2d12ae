"""What the screen shows of a game: the play, the award, and whatever stops the play.

    recall ► fault ► door ► test ► play ► award ► hand pay ► attract, or closed      the first that is so is shown

An award is shown until the next play; the screen's program lets it give way to the next view after a while.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from controller.games.machines.account import TokenAccount
from controller.games.machines.game import DOOR, TEST
from controller.games.machines.skill_stop import RECALL, SkillStopGame
from controller.table.phase import OPEN, RUNNING, SHUT
from drivers.screen.actuator import ScreenActuator
from drivers.screen.screen_wire import RecalledPlay, Scene, ShownFault, View, WonLine

OF_CORRECTIONS: Final = frozenset({"tokens_taken_back", "tokens_restaked", "tokens_collected", "tokens_waived", "debt"})
"""What is 0 at a machine none of whose plays was corrected."""


class ScreenScenes:
    """Shows a game on its screen; see `controller.games.machines.skill_stop.MachineDisplay`."""

    def __init__(self, screen: ScreenActuator) -> None:
        self._screen = screen

    def refresh(self, game: SkillStopGame, t_ns: int) -> None:
        """Something of the game may have changed."""
        self._screen.show(self.scene(game), t_ns)

    def scene(self, game: SkillStopGame) -> Scene:
        """What is to be shown now."""
        view = self._view(game)
        last = game.recent.last
        result: dict[str, Any] = (last.stands.result or {}) if last is not None else {}
        won = [WonLine(line=one["line"], award=one["award"]) for one in result.get("lines", []) if one["award"]]
        plays = [_recalled(one.round, one.stands) for one in game.recent.newest_first] if view == "recall" else []
        meters = meters_shown(game.account) if view in ("recall", "test") else {}
        return Scene(
            view=view,
            play=game.round,
            credits=game.account.credits,
            by_hand=not game.account.pays,
            award=0 if view == "play" else result.get("award", 0),
            won=[] if view == "play" else won,
            stopped=[reel for reel, stop in enumerate(game.stops_of_play, 1) if stop is not None],
            faults=[ShownFault(device=one.device, fault=one.fault, detail=one.detail) for one in game.standing],
            plays=plays,
            meters=meters,
            simulated=game.context.simulated,
        )

    def _view(self, game: SkillStopGame) -> View:
        if game.is_held_by(RECALL):
            return "recall"
        if any(one.blocks_play for one in game.standing):
            return "fault"
        if game.is_held_by(DOOR):
            return "door"
        if game.is_held_by(TEST):
            return "test"
        if game.phase is SHUT:
            return "closed"
        if game.phase is RUNNING:
            return "play"
        last = game.recent.last
        if game.phase is not OPEN:
            return "closed"
        if last is not None and last.round == game.round - 1 and (last.stands.result or {}).get("award"):
            return "award"
        return "hand_pay" if game.account.credits and not game.account.pays else "attract"


def meters_shown(account: TokenAccount) -> dict[str, int]:
    """Every meter and the debt; those of corrections where there are any."""
    meters = {**msgspec.structs.asdict(account.meters), "debt": account.debt}
    return {name: value for name, value in meters.items() if value or name not in OF_CORRECTIONS}


def _recalled(play: int, stands: Any) -> RecalledPlay:
    result = stands.result or {}
    return RecalledPlay(
        play=play,
        verdict=stands.verdict,
        symbols=[line["symbols"] for line in result.get("lines", [])],
        award=result.get("award", 0),
        reason=stands.reason or "",
    )
