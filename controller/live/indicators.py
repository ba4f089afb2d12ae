"""The outputs that events lead to: the "no more bets" lamp and the winning number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from drivers.base.driver import NEVER_NS
from drivers.dealer.indicators import NoMoreBetsLamp, NumberDisplay
from feed import events
from feed.events import Event
from hal.values import Output, SendFrame, SetLine


class IndicatorOutputs:
    """Turns events into commands for the indicators that the table has."""

    def __init__(
        self,
        lamp: NoMoreBetsLamp | None,
        display: NumberDisplay | None,
        displayed: Callable[[Mapping[str, Any]], str | None],
    ) -> None:
        """`displayed` is what the display shows of a result of the game; None for nothing."""
        self._displayed = displayed
        self._lamp = lamp
        self._display = display
        self._round: int | None = None
        """The round whose number is on the display, or is awaited since its call; before the first, that which opened
        first, and None before that one: corrections of rounds before a start are not shown."""
        self._number: str | None = None
        """What the display shows; None while it is dark."""

    @property
    def next_due_ns(self) -> int:
        """When the lamp is set again; `NEVER_NS` while it is dark."""
        return NEVER_NS if self._lamp is None else self._lamp.next_due_ns

    def due(self, t_ns: int) -> list[Output]:
        """Sets a lamp again that has been on for some minutes."""
        return [] if self._lamp is None else self._lamp.due(t_ns)

    def display_again(self, t_ns: int) -> list[SendFrame]:
        """What the display shows now, for one whose port was opened: it may show what was sent before."""
        if self._display is None:
            return []
        return [self._display.clear(t_ns) if self._number is None else self._display.show(self._number, t_ns)]

    def of(self, published: Iterable[Event]) -> list[SetLine | SendFrame]:
        """The commands that events lead to, in their order."""
        commands: list[SetLine | SendFrame] = []
        for event in published:
            data = event.data
            if isinstance(data, events.RoundOpened) and self._round is None:
                self._round = data.round
            if self._lamp is not None:
                if isinstance(data, events.NoMoreBets):
                    commands.append(self._lamp.called(data.mono_ns))
                elif isinstance(data, events.RoundOpened | events.TableClosed) or _shuts(data):
                    commands.append(self._lamp.over(data.mono_ns))
            if self._display is not None:
                if isinstance(data, events.Outcome):
                    commands += self._shown(self._display, data.round, data.result, data.mono_ns)
                elif isinstance(data, events.RoundCorrected) and self._reaches(data.round):
                    # The next round may be open already.
                    commands.append(self._dark(self._display, data.round, data.mono_ns))
                    if data.to.result is not None:
                        commands += self._shown(self._display, data.round, data.to.result, data.mono_ns)
                elif isinstance(data, events.NoMoreBets):
                    commands.append(self._dark(self._display, data.round, data.mono_ns))
        return commands

    def _reaches(self, number: int) -> bool:
        """Whether the display shows that round, or one before it."""
        return self._round is not None and number >= self._round

    def _dark(self, display: NumberDisplay, number: int, t_ns: int) -> SendFrame:
        self._round, self._number = number, None
        return display.clear(t_ns)

    def _shown(self, display: NumberDisplay, number: int, result: Mapping[str, Any], t_ns: int) -> list[SendFrame]:
        text = self._displayed(result)
        if text is None:
            return []
        self._round, self._number = number, text
        return [display.show(text, t_ns)]


def _shuts(data: events.Data) -> bool:
    """Whether it shuts the table: outputs go safe on a fault."""
    return isinstance(data, events.DeviceFault) and data.blocks_play
