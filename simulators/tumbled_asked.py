"""A simulated table of cage or chute whose reading board only answers what it is asked."""

from __future__ import annotations

from hal.output_values import Output, SendFrame
from hal.values import Batch, Rare
from simulators.tumbled_geometry import TumbledGeometry
from simulators.tumbled_table import TumbledSimulator


class AskedTumbledSimulator(TumbledSimulator):
    """The same table, whose board answers (see `simulators.answering`)."""

    def __init__(self, geometry: TumbledGeometry, seed: int) -> None:
        super().__init__(geometry, seed)
        self._answers: list[Rare] = []

    @property
    def next_answer_ns(self) -> int | None:
        """When the board's next answer comes."""
        return min((value.t_ns for value in self._answers), default=None)

    def command(self, output: Output) -> None:
        """The reading board is asked how the dice lie."""
        if isinstance(output, SendFrame) and output.link == self.geometry.reader_link:
            self._answers += self.givers.asked(output.t_ns)

    def answers(self, until_ns: int) -> Batch:
        """What the board answers up to then; each of it is told once."""
        due = [value for value in self._answers if value.t_ns <= until_ns]
        self._answers = [value for value in self._answers if value.t_ns > until_ns]
        return Batch([], due, until_ns)
