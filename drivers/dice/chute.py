r"""The dice chute: one beam a baffle, and every die through all of them, in order (13:47-20.21(a)1: three baffles).

    chute_1  ____|‾|_|‾‾|______________________________     two dice: two passes at each baffle
    chute_2  __________|‾‾|___|‾|______________________
    chute_3  ________________|‾|____|‾‾|________|<- `rest_s` ->| reported

A die that tumbles breaks a beam in pieces; pieces near to each other are one pass. Two dice in one beam are one pulse,
and nobody can count them: that is reported as a doubt, as is every count that is not the number of dice.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.key_problems import not_shorter
from drivers.base.sensed_device import SensedDevice
from drivers.base.view import dead_lines
from drivers.dice.observations import (
    ChuteCleared,
    ChuteJammed,
    ChutePassed,
    ChuteRested,
    DiceStirred,
    TumbleStarted,
)
from drivers.dice.view import ChuteBeam, ChuteView
from hal.values import Edge, EdgesLost, Loss

# One beam of a chute: which breaks of it are the passing of one die.
#
# line     ____|‾‾|_|‾‾‾|_________|‾‾‾‾|____
#              |<--->|<- gap ->|               pieces nearer than the gap are one die: its corners go by
#              one pass, over once the gap has passed


class Beam:
    """Counts the passes of one beam."""

    __slots__ = (
        "_dark_ns",
        "_fall_ns",
        "_gap_ns",
        "_jam_ns",
        "_known",
        "_rise_ns",
        "_shortest_ns",
        "breaks",
        "broken",
        "jammed",
        "passes",
        "since_ns",
    )

    def __init__(self, shortest_ns: int, gap_ns: int, jam_ns: int) -> None:
        self._shortest_ns = shortest_ns
        self._gap_ns = gap_ns
        self._jam_ns = jam_ns
        self._known = False
        self.broken = False
        """Whether something is in the beam."""
        self.jammed = False
        """Whether it has been there for too long, and the beam was not seen free since: a loss does not free it."""
        self.since_ns = 0
        """When the pass that is under way began."""
        self._rise_ns = 0
        self._fall_ns: int | None = None
        self._dark_ns = 0
        """The longest piece of the pass under way: a die darkens a beam for some time at once, noise does not."""
        self.begin()

    def begin(self) -> None:
        """A new run: its passes are counted again."""
        self.passes = 0
        self.breaks = 0
        """How often it was broken: a die that tumbles breaks it in more pieces than one that slides."""

    @property
    def begun(self) -> int:
        """Passes, with one that is under way."""
        return self.passes + (self.broken or self._fall_ns is not None)

    @property
    def due_ns(self) -> int:
        """When a pass is over, or a beam that stays broken is jammed."""
        if self.broken:
            return NEVER_NS if self.jammed else self.since_ns + self._jam_ns
        return NEVER_NS if self._fall_ns is None else self._fall_ns + self._gap_ns

    def edge(self, edge: Edge) -> bool:
        """Takes an edge; returns whether something moved in the beam."""
        known, self._known = self._known, True
        if not edge.level:
            moved = self.broken or self.jammed
            if moved:
                # What was there for too long is not a passing die, wherever it went.
                self._fall_ns = None if self.jammed else edge.t_ns
                self._dark_ns = max(self._dark_ns, edge.t_ns - self._rise_ns)
            self.broken = self.jammed = False
            return moved
        if self.broken:
            return False
        if self._fall_ns is None:
            self.since_ns = edge.t_ns
            self._dark_ns = 0
        self._rise_ns = edge.t_ns
        self._fall_ns = None
        self.broken = True
        self.breaks += 1
        # What is found in a beam moved there before anybody looked.
        return known

    def passed(self) -> int | None:
        """The gap has passed: returns how long the die took, or None where it was noise."""
        fall_ns, self._fall_ns = self._fall_ns, None
        if fall_ns is None or self._dark_ns < self._shortest_ns:
            return None
        self.passes += 1
        return fall_ns - self.since_ns

    def forget(self) -> None:
        """The line is not driven, or changes of it were lost."""
        self._known = self.broken = False
        self._fall_ns = None


DEAD_RUNS: Final = 2
"""This often in a row nothing at one beam while dice passed the others, and it is dead (ours)."""


class ChuteConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a dice chute under `[device.chute]`."""

    driver: Literal["chute"] = "chute"
    baffles: Annotated[
        int, Meta(ge=3, le=12, description="baffles, each with its beam: `chute_1` is the uppermost (13:47-20.21(a)1)")
    ] = 3
    shortest_ms: Annotated[
        float,
        Meta(ge=0.1, le=50, description="a beam not broken for this long at once saw no die: 24 mm at 3 m/s (ours)"),
    ] = 8.0
    gap_ms: Annotated[
        float, Meta(ge=1, le=100, description="a beam broken again this soon is broken by the same die (ours)")
    ] = 15.0
    longest_ms: Annotated[
        float, Meta(ge=50, le=2000, description="a beam broken for longer is broken by more than one die (ours)")
    ] = 300.0
    jam_s: Annotated[float, Meta(ge=0.5, le=30, description="a beam that is broken for this long is jammed (ours)")] = (
        2.0
    )
    rest_s: Annotated[
        float, Meta(ge=0.5, le=20, description="the dice are at rest when no beam changed for this long (ours)")
    ] = 3.0

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        return not_shorter("longest_ms", self.longest_ms, "jam_s", self.jam_s, "jam")


class Chute(SensedDevice):
    """The driver of one chute; see `drivers.base.driver.Driver`."""

    def __init__(self, config: ChuteConfig, dice: int, name: str = "chute") -> None:
        """`dice` is how many of them make a result.

        Raises:
            ValueError: no game has this many dice.
        """
        if dice < 1:
            raise ValueError(f"chute: a result has one die or more, not {dice}; give the game's number of dice")
        super().__init__(name)
        self._dice = dice
        lines = [f"chute_{k}" for k in range(1, config.baffles + 1)]
        ms = 1e6
        self._beams = {
            line: Beam(round(config.shortest_ms * ms), round(config.gap_ms * ms), round(config.jam_s * 1e9))
            for line in lines
        }
        self.lines = frozenset(lines)
        self._order = tuple(lines)
        self._longest_ns = round(config.longest_ms * ms)
        self._rest_ns = round(config.rest_s * 1e9)
        self._unbroken = dict.fromkeys(lines, 0)
        """Runs in a row in which a beam saw nothing and others did."""
        self._joined = True
        self._heard_ns: int | None = None
        self._unplugged: set[str] = set()
        self._clear_run()

    def _clear_run(self) -> None:
        self._began_ns: int | None = None
        self._moved_ns = 0
        self._started = False
        self._wrong: tuple[str, str] | None = None
        for beam in self._beams.values():
            beam.begin()

    def view(self, t_ns: int) -> ChuteView:
        """The chute at `t_ns`."""
        beams = [self._beams[line] for line in self._order]
        moving = self._began_ns is not None
        counted = tuple((f"baffle {k}", f"{beam.passes} of {self._dice} dice") for k, beam in enumerate(beams, 1))
        wrong = self._wrong
        return ChuteView(
            facts=(*counted, ("dice", "falling" if moving else "at rest")),
            doubts=(*(() if wrong is None else (f"{wrong[0]}: {wrong[1]}",)), *dead_lines(self._health)),
            beams=tuple(ChuteBeam(broken=one.broken, jammed=one.jammed, passes=one.passes) for one in beams),
            dice=self._dice,
            moving=moving,
        )

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """A pass may not have been seen."""
        found: list[Observation] = []
        if loss.line not in self.lines:
            return found
        self._pass_time(loss.t_ns - 1, found)
        self._move(loss.t_ns, found)
        self._beams[loss.line].forget()
        self._doubt("edges_lost", f"{loss.line}: {loss.cause}")
        if loss.cause is Loss.UNPLUGGED:
            self._unplugged.add(loss.line)
            self._health.line_unplugged(loss.line, loss.t_ns, found)
        return found

    # --- time ----------------------------------------------------------------------------------------------------

    def _quiet_ns(self) -> int:
        if self._heard_ns is None or (self._began_ns is None and not self._joined):
            return NEVER_NS
        if any(beam.broken and not beam.jammed for beam in self._beams.values()):
            return NEVER_NS
        return max(self._heard_ns, self._moved_ns) + self._rest_ns

    def _due_ns(self) -> int:
        return min(self._quiet_ns(), *(beam.due_ns for beam in self._beams.values()))

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while (t_ns := self._due_ns()) <= until_ns:
            for baffle, line in enumerate(self._order, 1):
                beam = self._beams[line]
                if beam.due_ns == t_ns:
                    self._beam_due(baffle, beam, t_ns, found)
                    break
            else:
                self._rest(t_ns, found)

    def _beam_due(self, baffle: int, beam: Beam, t_ns: int, found: list[Observation]) -> None:
        if beam.broken:
            beam.jammed = True
            self._move(t_ns, found)
            self._doubt("die_jammed", f"chute_{baffle} has been broken for {(t_ns - beam.since_ns) / 1e9:g} s")
            found.append(ChuteJammed(t_ns=t_ns, baffle=baffle, since_ns=beam.since_ns))
            return
        width_ns = beam.passed()
        if width_ns is None:
            return
        if not self._started:
            self._started = True
            found.append(TumbleStarted(t_ns=t_ns, began_ns=self._began_ns or t_ns, joined=self._joined))
        found.append(ChutePassed(t_ns=t_ns, baffle=baffle, passes=beam.passes))
        if width_ns > self._longest_ns:
            self._doubt("dice_together", f"chute_{baffle} was broken for {width_ns / 1e6:.0f} ms at once")
        if baffle > 1:
            above = self._beams[self._order[baffle - 2]]
            if beam.passes > above.begun:
                self._doubt("baffles_missed", f"a die came to baffle {baffle} that had not passed baffle {baffle - 1}")

    # --- movement and rest ---------------------------------------------------------------------------------------

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        beam = self._beams[edge.line]
        if self._heard_ns is None:
            self._heard_ns = edge.t_ns
        if edge.line in self._unplugged:
            # A die may have passed while nobody looked: what moves before a rest is seen has no known beginning.
            self._unplugged.discard(edge.line)
            self._heard_ns = edge.t_ns
            self._joined = self._joined or self._began_ns is None
        was_jammed = beam.jammed
        if not beam.edge(edge):
            return
        self._move(edge.t_ns, found)
        if was_jammed and not edge.level:
            found.append(ChuteCleared(t_ns=edge.t_ns, baffle=self._order.index(edge.line) + 1))

    def _move(self, t_ns: int, found: list[Observation]) -> None:
        self._moved_ns = t_ns
        if self._began_ns is None:
            self._began_ns = t_ns
            if not self._joined:
                found.append(DiceStirred(t_ns=t_ns))

    def _rest(self, t_ns: int, found: list[Observation]) -> None:
        if self._began_ns is not None:
            self._notice_dead(t_ns, found)
            self._count()
            doubt, detail = self._health.doubt or self._wrong or (None, "")
            found.append(
                ChuteRested(
                    t_ns=t_ns,
                    began_ns=self._began_ns,
                    moved_ns=self._moved_ns,
                    doubt=doubt,
                    detail=detail,
                    joined=self._joined,
                    pulses=sum(beam.breaks for beam in self._beams.values()),
                    passes=self._passes(),
                    required=self._dice,
                )
            )
        self._joined = False
        self._clear_run()

    def _passes(self) -> tuple[int, ...]:
        return tuple(self._beams[line].passes for line in self._order)

    def _count(self) -> None:
        """Every beam must have seen as many passes as there are dice."""
        passes = self._passes()
        if not any(passes) or all(count == self._dice for count in passes):
            return
        seen = "-".join(map(str, passes))
        if max(passes) > self._dice:
            self._doubt("too_many_passes", f"expected {self._dice} dice at each baffle, saw {seen}")
        elif len(set(passes)) == 1:
            self._doubt("dice_together", f"expected {self._dice} dice at each baffle, saw {seen}")
        else:
            self._doubt("baffles_missed", f"expected {self._dice} dice at each baffle, saw {seen}")

    def _notice_dead(self, t_ns: int, found: list[Observation]) -> None:
        passes = self._passes()
        for line, count in zip(self._order, passes, strict=True):
            # A beam is compared with the others: one die that fell past it proves nothing, nor is an empty chute.
            others = sum(1 for other in passes if other)
            self._unbroken[line] = 0 if count else self._unbroken[line] + (others == len(passes) - 1)
            if self._unbroken[line] >= DEAD_RUNS:
                detail = f"{line} saw nothing while dice passed every other beam, {self._unbroken[line]} times in a row"
                self._health.line_failed(line, "sensor_stuck", detail, t_ns, found)

    def _doubt(self, reason: str, detail: str) -> None:
        """The first thing that is wrong is the one that is reported."""
        if self._wrong is None:
            self._wrong = (reason, detail)
