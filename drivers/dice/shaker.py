r"""The manual sic bo shaker: its cover, how often it was shaken, and when its dice rest (19:47-9.5(c), 13:69F-9.5(d)1).

    cover    ______|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|______     level 1: covered
    shake    ___________|||__|||_||||__|||__________________
                         1    2   3     4    |<- `rest_s` ->| lie

The shake sensor is a switch that closes when the shaker is jerked, and must be deaf to the dice in it: one that feels
them would count their rattling. A shake is a burst of its pulses, however long. Shakes count while the cover is on, and
together only while no pause parts them: what came before a pause is another shaking. Since nothing feels the dice, they
are taken to lie when the shaker has been still for `rest_s`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.key_problems import not_shorter
from drivers.base.sensed_device import DebouncedLevel, SensedDevice
from drivers.base.view import dead_lines
from drivers.dice.observations import (
    DiceStirred,
    ShakerCovered,
    ShakerRested,
    ShakerShaken,
    ShakerUncovered,
    TumbleStarted,
)
from drivers.dice.shake_line import ShakeLine, unevenness
from drivers.dice.view import ShakerView
from hal.values import Edge, EdgesLost, Loss

COVER: Final = "cover"
SHAKE: Final = "shake"


class ShakerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a manual shaker under `[device.shaker]`."""

    driver: Literal["shaker", "pai_gow_shaker", "pai_gow_poker_shaker", "mini_dice_shaker"] = "shaker"
    minimum_shakes: Annotated[
        int,
        Meta(
            ge=1,
            le=20,
            description="shakes that a round must have: of sic bo the three of 19:47-9.5(c) and 13:69F-9.5(d)1, or "
            "more (ours); of another shaker any number is ours",
        ),
    ] = 3
    burst_gap_ms: Annotated[
        float, Meta(ge=5, le=500, description="pulses nearer to each other than this are of one shake (ours)")
    ] = 100.0
    shortest_ms: Annotated[
        float, Meta(ge=0.1, le=50, description="a shake is felt for this long at once; less is noise or a knock (ours)")
    ] = 4.0
    pause_s: Annotated[
        float, Meta(ge=0.3, le=10, description="shakes with a longer pause between them are not one shaking (ours)")
    ] = 1.5
    rest_s: Annotated[
        float, Meta(ge=0.3, le=20, description="the dice are at rest when nothing was felt for this long (ours)")
    ] = 2.0
    cover_ms: Annotated[
        float, Meta(ge=1, le=1000, description="the cover is on, or off, when it stayed so for this long (ours)")
    ] = 30.0

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        found = not_shorter("burst_gap_ms", self.burst_gap_ms, "pause_s", self.pause_s, "pause")
        if self.pause_s > self.rest_s:
            what = f"a pause of {self.pause_s:g} s is longer than a rest of {self.rest_s:g} s, which ends the shaking"
            found.append(("pause_s", what, "make it no longer than rest_s"))
        if self.cover_ms > self.burst_gap_ms:
            what = f"a cover that lifts is known after {self.cover_ms:g} ms, a shake after {self.burst_gap_ms:g} ms"
            found.append(("cover_ms", what, "make it no longer than burst_gap_ms"))
        return found


class Shaker(SensedDevice):
    """The driver of one manual shaker; see `drivers.base.driver.Driver`."""

    lines = frozenset((COVER, SHAKE))

    def __init__(self, config: ShakerConfig, name: str = "shaker") -> None:
        super().__init__(name)
        self.config = config
        self._shake = ShakeLine(SHAKE)
        self._cover = DebouncedLevel(round(config.cover_ms * 1e6))
        self._burst_gap_ns = round(config.burst_gap_ms * 1e6)
        self._shortest_ns = round(config.shortest_ms * 1e6)
        self._pause_ns = round(config.pause_s * 1e9)
        self._rest_ns = round(config.rest_s * 1e9)
        self._joined = True
        self._heard_ns: int | None = None
        self._unseen = 0
        """The shakes of the last shaking, until the cover next changes."""
        self._clear_run()

    def _clear_run(self) -> None:
        self._began_ns: int | None = None
        self._moved_ns = 0
        self._started_ns: int | None = None
        self._shakes = 0
        self._most = 0
        """The most shakes without a pause."""
        self._times_ns: list[int] = []
        """When the shakes since the last pause began."""
        self._shaken_ns: int | None = None
        """When the last pulse of the last shake began that was long enough to be felt as one."""
        self._burst = 0
        """Pulses of the burst under way."""
        self._felt_ns: tuple[int, int] | None = None
        """The first and the last of them that are long enough: noise beside a shake makes no pause shorter."""
        self._covered = True
        """Whether the cover was on through the whole burst: shaking may make its switch tremble, for less than the
        time in which it holds."""
        self._wrong: tuple[str, str] | None = None
        self._shake.begin()

    def view(self, t_ns: int) -> ShakerView:
        """The shaker at `t_ns`."""
        level, required = self._cover.level, self.config.minimum_shakes
        moving, shakes = self._began_ns is not None, max(self._most, self._unseen)
        facts = (
            ("cover", "not known" if level is None else "on" if level else "off"),
            ("shakes", f"{shakes} of {required}"),
            ("dice", "moving" if moving else "at rest"),
        )
        wrong = self._wrong
        return ShakerView(
            facts=facts,
            doubts=(*(() if wrong is None else (f"{wrong[0]}: {wrong[1]}",)), *dead_lines(self._health)),
            covered=None if level is None else bool(level),
            shakes=shakes,
            required=required,
            moving=moving,
        )

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Shakes that nobody counted, or a cover that came off unseen."""
        found: list[Observation] = []
        if loss.line not in self.lines:
            return found
        self._pass_time(loss.t_ns - 1, found)
        self._move(loss.t_ns, found)
        self._doubt("edges_lost", f"{loss.line}: {loss.cause}")
        if loss.line == COVER:
            self._cover.forget()
            self._covered = False
        else:
            self._shake.lost(loss.t_ns)
        if loss.cause is Loss.UNPLUGGED:
            if loss.line == SHAKE:
                self._shake.forget()
            self._health.line_unplugged(loss.line, loss.t_ns, found)
        return found

    # --- time ----------------------------------------------------------------------------------------------------

    def _burst_due_ns(self) -> int:
        return self._shake.since_ns + self._burst_gap_ns if self._burst and not self._shake.high else NEVER_NS

    def _stuck_ns(self) -> int:
        return NEVER_NS if SHAKE in self._health.dead else self._shake.stuck_ns

    def _quiet_ns(self) -> int:
        if self._heard_ns is None or (self._began_ns is None and not self._joined):
            return NEVER_NS
        # A sensor that died proves nothing of the time before.
        dead_ns = self._health.dead.get(SHAKE, 0)
        return max(self._heard_ns, self._moved_ns, self._shake.since_ns, dead_ns) + self._rest_ns

    def _due_ns(self) -> int:
        return min(self._cover.due_ns, self._burst_due_ns(), self._stuck_ns(), self._quiet_ns())

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while (t_ns := self._due_ns()) <= until_ns:
            if t_ns == self._burst_due_ns():
                self._end_burst(t_ns, found)
            elif t_ns == self._cover.due_ns:
                self._covers(t_ns, found)
            elif t_ns == self._stuck_ns():
                detail = f"{SHAKE} has been high for {(t_ns - self._shake.since_ns) / 1e9:g} s without a change"
                self._burst = 0
                self._health.line_failed(SHAKE, "sensor_stuck", detail, t_ns, found)
            else:
                self._rest(t_ns, found)

    # --- cover and shakes ----------------------------------------------------------------------------------------

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        if self._heard_ns is None:
            self._heard_ns = edge.t_ns
        if edge.line == COVER:
            self._cover.edge(edge.level, edge.t_ns)
            return
        missed, quiet_ns = self._shake.missed(edge), edge.t_ns - self._shake.since_ns
        if missed and self._began_ns is not None and quiet_ns >= self._burst_gap_ns:
            # Within a burst it changes nothing; here it may hide a pause.
            self._doubt("edges_lost", f"{SHAKE}: its level {edge.level} came twice, {quiet_ns / 1e9:.3g} s apart")
        if self._shake.edge(edge):
            self._move(edge.t_ns, found)
            if not self._burst:
                self._felt_ns = None
                self._covered = self._cover.level == 1 and COVER not in self._health.dead
            self._burst += 1
        elif self._burst and not missed and quiet_ns >= self._shortest_ns:
            last_ns = self._shake.last_ns
            if quiet_ns > self._pause_ns:  # nobody jerks a shaker for this long: it may have paused
                self._shakes = 0
                self._times_ns = []
            self._felt_ns = (last_ns if self._felt_ns is None else self._felt_ns[0], last_ns)

    def _covers(self, t_ns: int, found: list[Observation]) -> None:
        held = self._cover.due(t_ns)
        if held is None:
            return
        if held.level:
            self._unseen = 0
            found.append(ShakerCovered(t_ns=t_ns, covered_ns=held.since_ns))
            return
        moving = self._began_ns is not None
        if held.since_ns <= self._shake.last_ns:
            self._covered = False
        if self._started_ns is not None or self._burst:
            self._doubt("shaken_uncovered", "the cover came off before the dice came to rest")
        shakes, self._unseen = (self._most if moving else self._unseen), 0
        found.append(ShakerUncovered(t_ns=t_ns, uncovered_ns=held.since_ns, moving=moving, shakes=shakes))

    def _end_burst(self, t_ns: int, found: list[Observation]) -> None:
        self._burst = 0
        if self._felt_ns is None:
            return
        first_ns, last_ns = self._felt_ns
        if self._started_ns is None:
            self._started_ns = first_ns
            found.append(TumbleStarted(t_ns=t_ns, began_ns=self._began_ns or t_ns, joined=self._joined))
        paused = self._shaken_ns is not None and first_ns - self._shaken_ns > self._pause_ns
        if paused or not self._covered:
            self._shakes = 0
            self._times_ns = []
        if self._covered:
            self._shakes += 1
            self._times_ns.append(first_ns)
        else:
            self._doubt("shaken_uncovered", "it was shaken while the cover was off, or came off")
        self._most = max(self._most, self._shakes)
        self._shaken_ns = last_ns
        found.append(ShakerShaken(t_ns=t_ns, shakes=self._shakes, shaken_ns=first_ns, covered=self._covered))

    def _move(self, t_ns: int, found: list[Observation]) -> None:
        self._moved_ns = t_ns
        if self._began_ns is None:
            self._began_ns = t_ns
            if not self._joined:
                found.append(DiceStirred(t_ns=t_ns))

    # --- rest ----------------------------------------------------------------------------------------------------

    def _rest(self, t_ns: int, found: list[Observation]) -> None:
        if self._began_ns is not None:
            if self._shake.high:
                self._doubt("sensor_stuck", f"{SHAKE} stays high, though nothing moves")
            doubt, detail = self._health.doubt or self._wrong or (None, "")
            found.append(
                ShakerRested(
                    t_ns=t_ns,
                    began_ns=self._began_ns,
                    moved_ns=max(self._moved_ns, self._shake.since_ns),
                    doubt=doubt,
                    detail=detail,
                    joined=self._joined,
                    pulses=self._shake.pulses,
                    unevenness=unevenness(self._times_ns),
                    shakes=self._most,
                    required=self.config.minimum_shakes,
                    started_ns=self._started_ns,
                )
            )
            if self._started_ns is not None:
                self._unseen = self._most
        self._joined = False
        self._clear_run()

    def _doubt(self, reason: str, detail: str) -> None:
        """The first thing that is wrong is the one that is reported."""
        if self._wrong is None:
            self._wrong = (reason, detail)
