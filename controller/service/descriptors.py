"""The file descriptors that the service may have: connections, files and ports take one each."""

from __future__ import annotations

import logging
import resource
from typing import Final

log = logging.getLogger(__name__)

WANTED: Final = 65_536
"""Descriptors that are asked for (ours): a hall full of scoreboards, many times over."""
ENOUGH: Final = 1_024
"""With fewer a warning is logged (ours): the unproven connections of three sockets take up to 768 of them."""


LEAST: Final = 128
"""With fewer no service starts (ours): one table takes some thirty, 64 are kept free, and libzmq aborts the process
where it gets none."""


class TooFewDescriptorsError(Exception):
    """The service may open too few files; the message states how many, and what to do."""


def raise_descriptor_limit() -> None:
    """Raises the soft limit (1,024 where nobody raised it) towards the hard one, which it never passes.

    Raises:
        TooFewDescriptorsError: with the hard limit no service can run.
    """
    try:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    except OSError as error:
        # A filter of system calls may refuse even the question (glibc asks with prlimit64).
        log.warning("the limit of file descriptors cannot be read: %s", error)
        return
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (OSError, ValueError) as error:
            log.warning("the limit of %d file descriptors cannot be raised to %d: %s", soft, wanted, error)
    if soft != resource.RLIM_INFINITY and soft < LEAST:
        raise TooFewDescriptorsError(
            f"only {soft} file descriptors may be open, and a service needs {LEAST}: raise LimitNOFILE= in its unit, "
            "or ulimit -Hn, and start again"
        )
    if soft != resource.RLIM_INFINITY and soft < ENOUGH:
        log.warning(
            "only %d file descriptors may be open, and a service should have %d: set LimitNOFILE= in its unit, or "
            "ulimit -Hn",
            soft,
            ENOUGH,
        )
