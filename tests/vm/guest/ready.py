"""Shows that a machine boots here: a line of the kernel's simulator has the level that it is driven to."""

from tests.vm.guest.gpio_sim import SimulatedChip, drive, level
from tests.vm.guest.product import report

chip = SimulatedChip("header")
for wanted in (1, 0):
    drive(chip.lines, 4, wanted)
    report("level", wanted=wanted, found=level(chip.lines, 4))
