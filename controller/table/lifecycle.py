"""The life cycle of a table: closed, under inspection, open, or shut by a fault.

    closed ──inspect_start──► inspecting ──pass or fail──► closed
    closed ──open, or the supervisor's key──► open ◄──clear── shut
    open or shut ──close──► closed             open ──fault that blocks play──► shut

While it is closed its devices are read and its faults latch, but no round is open and no spin is judged.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, Protocol

from controller.table.event_sequencer import Identity
from controller.table.faults import FaultLatch, LatchedFault
from controller.table.inspection import Inspections
from controller.table.phase import SETTLING
from controller.table.rounds import RoundLifecycle
from controller.table.terms import DEALER_CALL, SERVICE_STOPPED
from feed import events
from feed.events import Data
from feed.state import CLOSED as STOOD_CLOSED
from feed.state import TableState

NOT_OPENED: Final = "not opened yet"
"""The reason of a table that no person has opened since the service began."""


class LifecycleState(StrEnum):
    """The states of a table."""

    CLOSED = "closed"
    INSPECTING = "inspecting"
    OPEN = "open"
    SHUT = "shut"


class EmitEvent(Protocol):
    """Emits an event of the table's own, after those of the game."""

    def __call__(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """`fields` are those of the event type beyond the common ones."""


class TableLifecycle:
    """The state of one table, with its rounds, faults and inspections."""

    def __init__(
        self, identity: Identity, rounds: RoundLifecycle, faults: FaultLatch, inspections: Inspections, emit: EmitEvent
    ) -> None:
        self.rounds = rounds
        self.game = rounds.game
        self.faults = faults
        self.inspections = inspections
        self.emit = emit
        self.devices: dict[str, dict[str, str]] = {device["device"]: dict(device) for device in identity.devices}
        """The identities of the devices, which the next opening publishes."""
        self._identity = identity
        self.taking_part = False
        """Whether it is open, even where a fault shuts it."""
        self._before: TableState | None = None

    @property
    def state(self) -> LifecycleState:
        """The state now."""
        if self.taking_part:
            return LifecycleState.SHUT if self.faults.blocks_play else LifecycleState.OPEN
        return LifecycleState.INSPECTING if self.inspections.under_way else LifecycleState.CLOSED

    @property
    def no_round(self) -> str:
        """Why no round is open, in words."""
        return f"no round is open: the table is {self.words}"

    @property
    def words(self) -> str:
        """The state in words, with the faults that shut the table."""
        if self.state is not LifecycleState.SHUT:
            return self.state
        return f"shut by {' and '.join(f'device.fault {fault.fault}' for fault in self.faults.blocking)}"

    # --- from start to end ---------------------------------------------------------------------------------------

    def restore(self, state: TableState) -> None:
        """Restores the state of before a restart; `begin` publishes what follows from it."""
        self._before = state
        for fault in state.faults:
            self.faults.latch(LatchedFault(fault.device, fault.fault, fault.detail, fault.blocks_play))

    def begin(self, t_ns: int, opens: bool) -> None:
        """The first event of the epoch: the table opens, or stays closed until a person opens it.

        A table that was open when the power went is open again, without another command.
        """
        can = self.rounds.can
        if can.begins is not None:
            can.begins.begin(t_ns)
        before, self._before = self._before, None
        was = {}
        if before is not None and before.last:
            was = {"previous_epoch": before.epoch, "previous_sequence": before.last}
        if opens or (before is not None and before.state != STOOD_CLOSED):
            self.taking_part = True
            self._emit_opened(t_ns, **was)
        else:
            self.emit(events.TableClosed, t_ns, reason=NOT_OPENED, **self._identity.posted, **was)
        if before is not None and before.unfinished_round is not None:
            self.rounds.lost_power(t_ns, recalled=before.game == self._identity.game)
        for fault in () if before is None else before.faults:
            self.emit(
                events.DeviceFault,
                t_ns,
                device=fault.device,
                fault=fault.fault,
                detail=fault.detail,
                blocks_play=fault.blocks_play,
                before_restart=True,
            )
        if self.faults.standing:
            self._faults_changed(t_ns)
        if self.state is LifecycleState.OPEN:
            self.rounds.open(t_ns)
        elif self.state is LifecycleState.SHUT:
            self.rounds.begin_shut(t_ns)

    # --- commands ------------------------------------------------------------------------------------------

    def why_not_open(self) -> str | None:
        """Why the table cannot be opened; None where it can."""
        if self.taking_part:
            return (
                "the table is open already"
                if self.state is LifecycleState.OPEN
                else f"the table is {self.words}: clear it"
            )
        if self.inspections.under_way:
            return "an inspection is under way: pass or fail it first"
        if self.busy is not None:
            return f"{self.busy}: wait for it"
        if self.inspections.missing:
            device = self.inspections.plan.device
            return f"{device} was not inspected: inspect_start device={device} first, then inspect_pass"
        if self.faults.blocks_play:
            standing = " and ".join(f"{fault.fault} of {fault.device}" for fault in self.faults.blocking)
            return f"{standing} is latched: clear it first"
        return None

    def open(self, t_ns: int, by: str) -> None:
        """A person opens it; `why_not_open` is None. The first round opens once the device is quiet."""
        self.taking_part = True
        self.inspections.used()
        self._emit_opened(t_ns, by=by)
        self.rounds.reopen(t_ns)

    def close(self, t_ns: int, reason: str, by: str = "") -> None:
        """Closes the table: a person (`by`), or the end of the service.

        A round without a verdict is void; one that may not be settled is left.
        """
        rounds = self.rounds
        settling = rounds.phase is SETTLING
        rounds.shut(t_ns, DEALER_CALL if by else SERVICE_STOPPED, f"the table closed: {reason}")
        if settling and by and rounds.settle_refused is not None:
            if rounds.can.leaves is not None:
                rounds.can.leaves.leave(t_ns)
        elif settling and by:
            rounds.settle(t_ns, "dealer")
        self.taking_part = self.inspections.under_way = False
        self.emit(events.TableClosed, t_ns, reason=reason, by=by)

    def clear(self, t_ns: int, device: str, by: str) -> list[str]:
        """Clears the faults of a device whose causes are gone, for a named person. Returns those that were cleared."""
        cleared = self.faults.clear(device)
        for fault in self.faults.standing:
            if fault.device == device and self.faults.causes(device, fault.fault):
                self.emit(events.DeviceWarning, t_ns, device=device, warning="not_cleared", detail=self.stays(fault))
        for fault in cleared:
            self.emit(events.DeviceCleared, t_ns, device=device, fault=fault.fault, by=by)
        if cleared:
            self._faults_changed(t_ns)
        if cleared and self.state is LifecycleState.OPEN:
            self.rounds.reopen(t_ns)
        return [fault.fault for fault in cleared]

    def stays(self, fault: LatchedFault) -> str:
        """That a fault is not cleared, and which causes keep it."""
        return f"{fault.fault} stays, because of {' and '.join(self.faults.causes(fault.device, fault.fault))}"

    def turn_key(self, t_ns: int, key: str) -> None:
        """The supervisor's key: settles what waits for a supervisor, clears what can be cleared, or opens a closed
        table that nothing keeps closed.
        """
        attended = self.rounds.can.attended
        if attended is not None and attended.settle_attended(t_ns, key):
            return
        devices = dict.fromkeys(fault.device for fault in self.faults.standing)
        cleared = [fault for device in devices for fault in self.clear(t_ns, device, key)]
        if cleared or self.taking_part:
            return
        against = self.why_not_open()
        if against is None:
            self.open(t_ns, key)
        else:
            self.emit(events.DeviceWarning, t_ns, device="table", warning="not_opened", detail=against)

    @property
    def busy(self) -> str | None:
        """What a person has the devices of the closed table do, in words; None where they do nothing."""
        return None if self.rounds.can.busy is None else self.rounds.can.busy.busy

    def _faults_changed(self, t_ns: int) -> None:
        if self.rounds.can.faults is not None:
            self.rounds.can.faults.faults_changed(t_ns, self.faults.standing)

    def _emit_opened(self, t_ns: int, **fields: Any) -> None:
        identity = self._identity
        devices = [dict(device) for device in self.devices.values()]
        about = {"rules": identity.rules, "software": identity.software, "devices": devices}
        packages = list(identity.packages)
        self.emit(events.TableOpened, t_ns, **about, packages=packages, **identity.posted, **fields)
