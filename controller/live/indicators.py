"""The outputs that events lead to: the "no more bets" lamp and the winning number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from drivers.dealer.indicators import NoMoreBetsLamp, NumberDisplay
from feed import events
from feed.events import Event
from hal.values import SendFrame, SetLine


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
        self._round = 0

    def of(self, published: Iterable[Event]) -> list[SetLine | SendFrame]:
        """The commands that events lead to, in their order."""
        commands: list[SetLine | SendFrame] = []
        for event in published:
            data = event.data
            if isinstance(data, events.RoundOpened):
                self._round = data.round
            if self._lamp is not None:
                if isinstance(data, events.NoMoreBets):
                    commands.append(self._lamp.called(data.mono_ns))
                elif isinstance(data, events.RoundOpened | events.TableClosed) or _shuts(data):
                    commands.append(self._lamp.over(data.mono_ns))
            if self._display is not None:
                if isinstance(data, events.Outcome):
                    commands += self._shown(self._display, data.result, data.mono_ns)
                elif isinstance(data, events.RoundCorrected) and data.round == self._round:
                    # The last round was called or corrected: older rounds are no longer shown.
                    commands.append(self._display.clear(data.mono_ns))
                    if data.to.result is not None:
                        commands += self._shown(self._display, data.to.result, data.mono_ns)
                elif isinstance(data, events.NoMoreBets):
                    commands.append(self._display.clear(data.mono_ns))
        return commands

    def _shown(self, display: NumberDisplay, result: Mapping[str, Any], t_ns: int) -> list[SendFrame]:
        text = self._displayed(result)
        return [] if text is None else [display.show(text, t_ns)]


def _shuts(data: events.Data) -> bool:
    """Whether it shuts the table: outputs go safe on a fault."""
    return isinstance(data, events.DeviceFault) and data.blocks_play
