"""The files and folders that a service keeps over restarts.

<state>/                  --state, else $STATE_DIRECTORY, else $XDG_STATE_HOME/feltwire, else ~/.local/state/feltwire
├── journal.sqlite        what happened, of tables with real wires
├── signing.key           seals the journal; mode 0600
├── salts/<table>         opens the cards of a stack that are face down (controller.table.salts); mode 0600
├── captures/<table>/     captures of rounds
└── sim/                  the same of simulated tables: the two never meet in one file
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from audit.signing import FILE_NAME
from controller.configuration.values import TableConfig

SIMULATED: Final = "sim"
CAPTURES: Final = "captures"
INSTALLED_TABLES: Final = Path("/etc/feltwire")
INSTALLED_STATE: Final = Path("/var/lib/feltwire")
"""Where the unit of the installed service has its tables and its state."""


class StatePathError(Exception):
    """The state of these tables cannot be kept together; the message states why, and what to do."""


class StatePaths(NamedTuple):
    """The files and folders of one service."""

    root: Path

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.root / "journal.sqlite"

    @property
    def signing_key(self) -> Path:
        """The key that seals the journal."""
        return self.root / FILE_NAME

    @property
    def salts(self) -> Path:
        """The folder of the keys that open cards."""
        return self.root / "salts"

    @property
    def captures(self) -> Path:
        """The folder of captures."""
        return self.root / CAPTURES


def state_paths_for(state: Path, configs: Sequence[TableConfig]) -> StatePaths:
    """The paths of the tables' history below a state directory.

    Raises:
        StatePathError: simulated tables and tables with real wires are to run together.
    """
    simulated = [config.id for config in configs if config.simulated]
    real = [config.id for config in configs if not config.simulated]
    if simulated and real:
        raise StatePathError(
            f"{', '.join(simulated)} is simulated, and {', '.join(real)} has real wires: one service runs the ones or "
            "the others, so that no bench round is in the journal of real ones; start two services"
        )
    return StatePaths(state / SIMULATED if simulated else state)


def state_folder(given: Path | None, environ: Mapping[str, str] = os.environ) -> Path:
    """The state directory: the given one, or the first that the environment names."""
    if given is not None:
        return given
    if folders := environ.get("STATE_DIRECTORY"):
        # systemd separates several with colons; ours is the first.
        return Path(folders.split(":")[0])
    if folder := environ.get("XDG_STATE_HOME"):
        return Path(folder) / "feltwire"
    return Path(environ.get("HOME") or Path.home()) / ".local" / "state" / "feltwire"


def state_of_table(given: Path | None, table: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """The state directory of one table, for a command that a person gives beside the service: that of the installed
    service for a table of its folder, otherwise as `state_folder`.
    """
    if given is None and "STATE_DIRECTORY" not in environ and table.absolute().parent == INSTALLED_TABLES:
        return INSTALLED_STATE
    return state_folder(given, environ)


def keys_folder(state: Path) -> Path:
    """The default folder of keys, below the state directory."""
    return state / "keys"
