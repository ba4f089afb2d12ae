"""A token chute with two optos, one behind the other: direction, stringing, jam.

    token_in_1  ____┌──────────────┐_________      a token on its way in covers 1, then both, then 2
    token_in_2  ________┌──────────────┐_____      it is in when 2 is free again: one token

    covered    1 ─► 1+2 ─► 2 ─► none    in
               2 ─► 1+2 ─► 1 ─► none    out again: it was pulled back (a string)
               1 ─► none                it came to the mouth and went back: nothing is credited
               1 ─► 1+2 ─► 1 ─► none    the same, further in
               1 ─► 1+2 ─► 2 ─► 1+2 …   it is drawn back and forth: a string
               covered for `jam_ms`     a jam

A pass that is faster than a falling token, or in which an edge is missing, proves nothing and is reported as a doubt.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.key_problems import KeyProblem
from drivers.base.sensed_device import SensedDevice
from drivers.base.view import dead_lines
from drivers.coins.observations import TokenDoubt, TokenPassed, TokenWayClear
from drivers.coins.view import TokenChuteView
from hal.values import Edge, EdgesLost

OUTER: Final = "token_in_1"
INNER: Final = "token_in_2"
OPTOS: Final = (OUTER, INNER)

_IN: Final = ((1, 0), (1, 1), (0, 1))
"""The levels of both optos that a token passes on its way in."""
_OUT: Final = ((0, 1), (1, 1), (1, 0))
_HOLE: Final = (-1, -1)
"""In their place where a change was missed."""


class TokenChuteConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a token chute under `[device.chute]`."""

    driver: Literal["token_chute"] = "token_chute"
    shortest_ms: Annotated[
        float,
        Meta(
            ge=0.1,
            le=50,
            description="a pass that is shorter is not a token (ours): a token of 20 mm falls at some metres a second",
        ),
    ] = 2.0
    jam_ms: Annotated[float, Meta(ge=100, le=10_000, description="an opto covered for this long is a jam (ours)")] = (
        1000.0
    )

    def problems(self) -> list[KeyProblem]:
        """What is wrong between keys: (key, what, fix)."""
        if self.shortest_ms * 4 <= self.jam_ms:
            return []
        return [("jam_ms", "is not much longer than shortest_ms", "make it four times shortest_ms or more")]


class TokenChute(SensedDevice):
    """The driver of one chute; see `drivers.base.driver.Driver`."""

    def __init__(self, config: TokenChuteConfig, name: str = "chute") -> None:
        super().__init__(name)
        self.lines = frozenset(OPTOS)
        self._shortest_ns = round(config.shortest_ms * 1e6)
        self._jam_ns = round(config.jam_ms * 1e6)
        self._level: dict[str, int | None] = dict.fromkeys(OPTOS)
        self._way: list[tuple[int, int]] = []
        """The levels of both optos since the way was free."""
        self._began_ns = 0
        self._covered_ns = NEVER_NS
        """Since when one opto is covered without a pause; `NEVER_NS` where none is, or the jam is reported."""
        self._jam = False
        self._known = False
        """Whether the way was free once since the levels are known: a token that is in it then proves nothing."""

    def view(self, t_ns: int) -> TokenChuteView:
        """The chute at `t_ns`."""
        covered = tuple(self._level[opto] == 1 for opto in OPTOS)
        facts = (
            *((opto, "covered" if one else "free") for opto, one in zip(OPTOS, covered, strict=True)),
            ("way", "JAMMED" if self._jam else "clear"),
        )
        return TokenChuteView(facts=facts, doubts=dead_lines(self._health), covered=covered, jammed=self._jam)

    def _lose(self, loss: EdgesLost, found: list[Observation]) -> None:
        """What passed meanwhile is not known."""
        detail = f"{loss.line}: changes were lost ({loss.cause}); a token may have passed unseen"
        found.append(TokenDoubt(t_ns=loss.t_ns, code="edges_lost", detail=detail))
        self._level[loss.line] = None
        self._way, self._covered_ns, self._known = [], NEVER_NS, False

    def _due_ns(self) -> int:
        return self._covered_ns + self._jam_ns if self._covered_ns < NEVER_NS else NEVER_NS

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        due_ns = self._due_ns()
        if due_ns <= until_ns:
            covered = " and ".join(line for line in OPTOS if self._level[line])
            self._covered_ns, self._jam = NEVER_NS, True
            detail = f"{covered} covered for {self._jam_ns / 1e9:g} s"
            found.append(TokenDoubt(t_ns=due_ns, code="token_jam", detail=detail))

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        line, level, t_ns = edge
        before = self._level[line]
        if before == level:
            if self._way or level:
                self._way.append(_HOLE)
            return
        self._level[line] = level
        outer, inner = self._level[OUTER], self._level[INNER]
        if outer is None or inner is None:
            return
        if outer or inner:
            if not self._way and not self._jam:
                self._began_ns = t_ns
            self._covered_ns = NEVER_NS if self._jam else t_ns
            if self._known:
                self._way.append((outer, inner))
            return
        self._covered_ns = NEVER_NS
        way, self._way = tuple(self._way), []
        jam, self._jam = self._jam, False
        if jam:
            found.append(TokenWayClear(t_ns=t_ns))
        known, self._known = self._known, True
        if known and way:
            self._passed(way, jam, t_ns, found)

    def _passed(self, way: tuple[tuple[int, int], ...], jam: bool, t_ns: int, found: list[Observation]) -> None:
        """The way is free again: what it was that passed."""
        if _HOLE in way or (jam and (0, 1) in way):
            why = "it was jammed" if jam else "the order of the optos' changes has a hole"
            detail = f"a token may have passed: {why}"
            found.append(TokenDoubt(t_ns=t_ns, code="token_unproven", detail=detail))
        elif way == _IN and t_ns - self._began_ns < self._shortest_ns:
            detail = f"both optos were passed within {(t_ns - self._began_ns) / 1e6:.2f} ms: no token is so fast"
            found.append(TokenDoubt(t_ns=t_ns, code="pulse_length", detail=detail))
        elif way == _IN:
            found.append(TokenPassed(t_ns=t_ns, passed_ns=self._began_ns))
        elif way == _OUT:
            found.append(TokenDoubt(t_ns=t_ns, code="token_backwards", detail="a token moved out of the chute"))
        elif way.count((0, 1)) > 1 or (way[-1] == (1, 0) and (0, 1) in way):
            detail = "a token was drawn back and forth past the inner opto: it hangs on a string"
            found.append(TokenDoubt(t_ns=t_ns, code="token_stringed", detail=detail))
        elif way[-1] != (1, 0):
            detail = f"{OUTER if way[0] == (0, 1) else INNER} did not follow: one opto is blocked, blind or bypassed"
            found.append(TokenDoubt(t_ns=t_ns, code="pulse_length", detail=detail))
