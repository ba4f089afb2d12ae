"""What the screen shows: the play, the award, and whatever stops the play.

    recall ► fault ► door ► test ► play ► award ► hand pay ► attract, or closed      the first that is so is shown

An award is shown until the next play; the screen's program lets it give way to the next view after a while.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from controller.games.machines.account import TokenAccount
from controller.games.machines.attendant import DOOR
from controller.games.machines.current_play import CurrentPlay
from controller.games.machines.skill_stop import RECALL
from controller.table.faults import LatchedFault
from controller.table.phase import OPEN, RUNNING
from drivers.screen.actuator import ScreenActuator
from drivers.screen.screen_wire import RecalledPlay, Scene, ShownFault, View, WonLine

OF_CORRECTIONS: Final = frozenset({"tokens_taken_back", "tokens_restaked", "tokens_collected", "tokens_waived", "debt"})
"""What is 0 at a machine none of whose plays was corrected."""


class ScreenScenes:
    """Shows the plays of a machine on its screen; see `controller.games.machines.skill_stop.MachineDisplay`."""

    def __init__(self, screen: ScreenActuator, account: TokenAccount, current: CurrentPlay, *, simulated: bool) -> None:
        self._screen = screen
        self._account = account
        self._current = current
        self._simulated = simulated

    def refresh(self, t_ns: int, stops: Sequence[int | None], standing: Sequence[LatchedFault]) -> None:
        """Something may have changed."""
        self._screen.show(self.scene(stops, standing), t_ns)

    def scene(self, stops: Sequence[int | None], standing: Sequence[LatchedFault]) -> Scene:
        """What is to be shown now: `stops` of the play, None for a reel that is to spin, and the latched faults."""
        view, recent = self._view(standing), self._current.recent
        last = recent.last
        result: dict[str, Any] = (last.stands.result or {}) if last is not None else {}
        won = [WonLine(line=one["line"], award=one["award"]) for one in result.get("lines", []) if one["award"]]
        return Scene(
            view=view,
            play=self._current.number,
            credits=self._account.credits,
            by_hand=not self._account.pays,
            award=0 if view == "play" else result.get("award", 0),
            won=[] if view == "play" else won,
            stopped=[reel for reel, stop in enumerate(stops, 1) if stop is not None],
            faults=[ShownFault(device=one.device, fault=one.fault, detail=one.detail) for one in standing],
            plays=[_recalled(one.round, one.stands) for one in recent.newest_first] if view == "recall" else [],
            meters=meters_shown(self._account) if view in ("recall", "test") else {},
            simulated=self._simulated,
        )

    def _view(self, standing: Sequence[LatchedFault]) -> View:
        current = self._current
        if current.is_held_by(RECALL):
            return "recall"
        if any(one.blocks_play for one in standing):
            return "fault"
        if current.is_held_by(DOOR):
            return "door"
        if current.testing:
            return "test"
        if current.phase is RUNNING:
            return "play"
        if current.phase is not OPEN:
            return "closed"
        last = current.recent.last
        if last is not None and last.round == current.number - 1 and (last.stands.result or {}).get("award"):
            return "award"
        return "hand_pay" if self._account.credits and not self._account.pays else "attract"


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
