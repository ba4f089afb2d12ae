"""Every example on boards plays on emulated ones, with keypads, lamps and motors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType

import pytest

from controller.boards.emulation import emulated_copy, links_of, machines_of, port_of, shared_table
from controller.games.assembly import geometry_of
from controller.games.baccarat.rounds import cards_in_order
from controller.live.wiring import Wiring, wire
from feed import events
from hal.board.link import BoardLink
from hal.board.messages import KINDS
from simulators.base.truth import Truth
from simulators.board.lockstep import LockStep
from simulators.board.machines import MachineBoard
from tests.fakes.time_limits import HANG_S
from tests.firmware.emulated import elf_on
from tests.firmware.live_evening import EXAMPLES, LiveEvening, TableEvening, example
from tests.firmware.test_lamp_chain_on_board import LAYOUT
from tests.tables.bench import configured

PLAYED_ELSEWHERE = ("roulette_board", "money_wheel_board", "skill_stop_five_reels_board", "beat_the_dealer_board")
"""The wheels in `test_tables_on_board`; the others are under_over and three
reels with more lines."""
ON_BOARDS = [
    pytest.param(
        path.stem, marks=pytest.mark.soak if path.stem in PLAYED_ELSEWHERE or path.stem.endswith("_pico") else ()
    )
    for path in sorted(EXAMPLES.glob("*.toml"))
    if "board" in example(path.stem)
]
SEED = 3


class PlayedOnBoards(LiveEvening):
    """An example on emulated boards, with one simulated table on all their pins."""

    def __init__(
        self,
        name: str,
        folder: Path,
        rounds: int = 1,
        faults: Mapping[int | None, str] = MappingProxyType({}),
        *,
        seed: int = SEED,
        least_ns: int = 0,
    ) -> None:
        """It ends with the first round that is at least the `rounds`-th and ends after `least_ns`."""
        values = example(name)
        config = configured(emulated_copy(values, folder))
        twin = geometry_of(config).simulator(seed)
        batches = [twin.start()]
        self.truths: list[Truth] = []
        while len(self.truths) < rounds or batches[-1].until_ns < least_ns:
            one = twin.round(faults.get(len(self.truths) + 1))
            batches.append(one.batch)
            self.truths.append(one.truth)
        super().__init__(config, TableEvening(batches, self.truths), supervised=True)
        self.chips: list[MachineBoard] = []
        self.lit: list[frozenset[int]] = []
        self._folder = folder
        self.simulator = geometry_of(config).simulator(seed)
        self.steps: dict[str, LockStep] = {}
        self._table = shared_table(self.simulator, config, faults)

    def _wire(self, opened: ExitStack) -> Wiring:
        for name, board in self.config.boards.items():
            machines = machines_of(self.config, name, self._table)
            elf = elf_on(board.kind, board.chip)
            chip = opened.enter_context(MachineBoard(elf, machines, kind=KINDS[board.kind]))
            self.chips.append(chip)
            self.steps[name] = opened.enter_context(LockStep(chip, port_of(self._folder, name)))
        self._play_links(opened, links_of(self.config, self._folder, self._table))
        return self._plug_in()

    def _plug_in(self) -> Wiring:
        """The wires of a service to the boards that are there."""
        wiring = wire(self.config, self.clock, {}, 1)
        self.links = [link for link in wiring.boards.values() if isinstance(link, BoardLink)]
        return wiring

    def _passes(self, t_ns: int) -> None:
        for chip in self.chips:
            if chip.burning and chip.burning not in self.lit:
                self.lit.append(chip.burning)

    async def _ended(self) -> None:
        for link in self.links:
            await link.wait_closed()


def result_of(outcome: events.Outcome) -> object:
    """The result of an outcome as the truth of its round has it."""
    result = outcome.result
    if "stops" in result:
        return tuple(result["stops"])
    if "tokens_won" in result:
        return (result["tokens_in"], result["tokens_won"])
    if "dice" in result:
        return (*result.get("dealer_dice", ()), *result["dice"])
    if "player" in result:
        return cards_in_order(result)
    return result.get("index", result.get("space"))


def results_of(truths: Sequence[Truth]) -> list[object]:
    """What the outcomes of these rounds must be."""
    return [truth.result for truth in truths if truth.valid]


@pytest.mark.timeout(HANG_S)
@pytest.mark.parametrize("name", ON_BOARDS)
def test_an_example_on_boards_plays_on_emulated_ones(tmp_path: Path, name: str) -> None:
    table = PlayedOnBoards(name, tmp_path, rounds=1)
    said = table.run()
    assert said.of(events.DeviceFault) == [], said.story()
    outcomes = said.of(events.Outcome)
    assert [result_of(outcome) for outcome in outcomes] == results_of(table.truths), said.story()
    assert outcomes
    assert all(event.data.simulated for event in said)
    if table.config.game == "sic_bo":
        areas = frozenset(area.number for area in LAYOUT.lit(tuple(outcomes[0].result["dice"])))
        assert table.lit == [areas], "these burned, and no others"
