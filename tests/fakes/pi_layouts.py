"""The GPIO chips of each Pi as kernels number them: for fakes of the kernel, and for chips of its own simulator."""

from __future__ import annotations

from typing import Final, NamedTuple


class Layout(NamedTuple):
    """The chips of one Pi under one kernel."""

    labels: dict[int, str]
    """By the number of `/dev/gpiochip…`."""
    header: int
    """The number of the chip behind the header."""
    link: int | None = None
    """The number of a link to it: Raspberry Pi OS keeps the old one."""


_BRCMSTB: Final = (
    "gpio-brcmstb@107d508500",
    "gpio-brcmstb@107d508520",
    "gpio-brcmstb@107d517c00",
    "gpio-brcmstb@107d517c20",
)
LAYOUTS: Final = {
    "Pi Zero 2 W": Layout({0: "pinctrl-bcm2835", 1: "raspberrypi-exp-gpio"}, 0),
    "Pi 3": Layout({0: "pinctrl-bcm2835", 1: "brcmvirt-gpio", 2: "raspberrypi-exp-gpio"}, 0),
    "Pi 4": Layout({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, 0),
    "Pi 4, the expander probed first": Layout({0: "raspberrypi-exp-gpio", 1: "pinctrl-bcm2711"}, 1),
    "Pi 4 with a simulated chip beside": Layout({0: "pinctrl-bcm2711", 1: "gpio-sim.0-node0"}, 0),
    "Pi 5, before kernel 6.6.45": Layout({**dict(enumerate(_BRCMSTB)), 4: "pinctrl-rp1"}, 4),
    "Pi 5, from kernel 6.6.45": Layout({0: "pinctrl-rp1", **dict(enumerate(_BRCMSTB, 10))}, 0, link=4),
    "Pi 5, renumbered again": Layout({**dict(enumerate(_BRCMSTB)), 11: "pinctrl-rp1"}, 11),
}
