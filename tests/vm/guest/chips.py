"""Makes the chips before systemd begins: that of the header, and another one that no table uses."""

from tests.vm.guest.gpio_sim import SimulatedChip

SimulatedChip("header")
SimulatedChip("other", "raspberrypi-exp-gpio", 8)
