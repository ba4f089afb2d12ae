"""Compares a machine with its certificate: at the start, each hour, and when a board or a device reports who it is.

    start ──► model, software: before the wires are opened ──► differs: not_certified, and no play begins
    tick  ──► some files of the software ──► … ──► all of them ──► an hour's rest
          └─► boards and devices, where they have changed

The files are read a few in each tick, so that no tick is late. What is fixed is found at the next comparison: then the
fault can be cleared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from controller.certification.certificate import (
    CertificateState,
    Facts,
    device_differences,
    difference_words,
    model_differences,
    software_differences,
)
from controller.certification.software import installed_files
from controller.configuration.values import TableConfig
from controller.live.pending_faults import ServiceFault
from controller.table.table import Table
from feed.events import Event
from hal.clock import NS_PER_S

DEVICE: Final = "certificate"
"""The device under which a machine reports the state of its certificate."""
NOT_CERTIFIED: Final = "not_certified"
WAIVED: Final = "certificate_waived"
CAUSE: Final = "what differs from the certificate"
AGAIN_NS: Final = 3_600 * NS_PER_S
"""From one comparison to the next (ours)."""
FILES_A_TICK: Final = 4
"""Files of the software that are read in one tick (ours): under a millisecond."""

Files = Callable[[], Iterator[tuple[str, str]]]


class CertificateWatch:
    """The comparison of one table with its certificate."""

    def __init__(self, config: TableConfig, state: CertificateState, t_ns: int, files: Files = installed_files) -> None:
        """Reads all `files`, those of the software that is installed, with their hashes: no tick waits for it yet."""
        self.state = state
        self._config = config
        self._files = files
        self._software: list[str] = []
        self._model: list[str] = []
        self._devices: Facts = {}
        """The boards and devices that were compared last."""
        self._reading: Iterator[tuple[str, str]] | None = None
        self._read: dict[str, str] = {}
        self._again_ns = t_ns + AGAIN_NS
        self._compared = False
        """Whether the software was compared since the last report."""
        self._reported = ""
        if state.certificate is not None:
            self._compare_software(dict(files()))

    @property
    def words(self) -> str:
        """The state of the table's certificate, for its status."""
        return self._reported or self.state.words

    def begin(self) -> ServiceFault | None:
        """What shuts the table before it begins."""
        if self.state.kind == "missing":
            return ServiceFault(DEVICE, NOT_CERTIFIED, self.state.words, CAUSE)
        if self.state.certificate is None:
            return None
        self._reported = self._found()
        return ServiceFault(DEVICE, NOT_CERTIFIED, self._reported, CAUSE) if self._reported else None

    def warning(self) -> ServiceFault | None:
        """A waiver, which is published each time the table begins."""
        if self.state.kind != "waived":
            return None
        return ServiceFault(DEVICE, WAIVED, self.state.words)

    def report(self, table: Table, t_ns: int) -> list[Event]:
        """Continues with the comparison; latches what differs, at a table that has begun."""
        if self.state.certificate is None:
            return []
        self._read_on(t_ns)
        devices = reported_devices(table)
        if devices == self._devices and not self._compared:
            return []
        self._devices, self._compared = devices, False
        words = self._found()
        if words == self._reported:
            return []
        self._reported = words
        if not words:
            table.cause_gone(DEVICE, CAUSE)
            return []
        events = table.raise_fault(DEVICE, NOT_CERTIFIED, words, t_ns, cause=CAUSE)
        # What is latched already is not a new fault: that something else differs now is published all the same.
        return events or table.warn(DEVICE, NOT_CERTIFIED, words, t_ns)

    def _found(self) -> str:
        certificate = self.state.certificate
        if certificate is None:
            return ""
        differences = [*self._model, *device_differences(certificate, self._devices), *self._software]
        return difference_words(differences) if differences else ""

    def _read_on(self, t_ns: int) -> None:
        """Reads some files, if an hour has passed since all were read."""
        if self._reading is None:
            if t_ns < self._again_ns:
                return
            self._reading, self._read = self._files(), {}
        for _ in range(FILES_A_TICK):
            file = next(self._reading, None)
            if file is None:
                self._reading, self._again_ns = None, t_ns + AGAIN_NS
                self._compare_software(self._read)
                return
            self._read[file[0]] = file[1]

    def _compare_software(self, files: Mapping[str, str]) -> None:
        self._compared = True
        if self.state.certificate is not None:
            self._model = model_differences(self.state.certificate, self._config)
            self._software = software_differences(self.state.certificate, files)


def reported_devices(table: Table) -> Facts:
    """The boards and devices that have reported who they are, and what."""
    boards = {name: facts for name, facts in table.lifecycle.devices.items() if "hash" in facts}
    return {**boards, **table.identities}
