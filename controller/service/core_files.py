"""No core file: an image of the process would show cards that are face down."""

from __future__ import annotations

import logging
import resource

log = logging.getLogger(__name__)


def forbid_core_files() -> None:
    """Sets the limit of core files to nothing, for this process and for those that it starts.

    A system whose core files go to a program (`/proc/sys/kernel/core_pattern`) may ignore the limit; systemd's keeps no
    image of a process that has it.
    """
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError) as error:
        log.warning("core files cannot be forbidden: %s; set LimitCORE=0 in the unit of the service", error)
