"""Which displays hang on this computer, as the kernel's graphics drivers report (/sys/class/drm)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER: Final = Path("/sys/class/drm")


def connected(folder: Path = FOLDER) -> tuple[str, ...] | None:
    """The connectors with a display, such as `card1-HDMI-A-1`; None where no driver says anything of displays."""
    states: dict[str, str] = {}
    for connector in sorted(folder.glob("*/status")):
        try:
            states[connector.parent.name] = connector.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue  # the connector went just now
    if not states:
        return None
    return tuple(name for name, state in states.items() if state == "connected")
