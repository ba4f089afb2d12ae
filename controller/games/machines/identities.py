"""Who the devices of coin equipment are: before all have reported, nothing is accepted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from controller.games.machines.coin_faults import COINS
from controller.games.machines.current_play import CurrentPlay
from controller.games.machines.records import MachineRecords
from drivers.coins.observations import CoinDeviceIdentified

IDENTITY: Final = "identity"


class CoinIdentities:
    """What the devices of one machine have reported of themselves; one that was exchanged is recorded."""

    def __init__(self, devices: Collection[str], records: MachineRecords, current: CurrentPlay) -> None:
        """`devices` are those of the coin equipment."""
        self.devices = tuple(f"{COINS}.{name}" for name in sorted(devices))
        self.reported: dict[str, dict[str, str]] = {}
        """What they have reported since the start."""
        self._records = records
        self._current = current
        self._unidentified = set(devices)
        self._recorded: dict[str, dict[str, str]] = {}
        records.carry(self._carried)
        if devices:
            current.begin_held(IDENTITY)

    def _carried(self) -> Mapping[str, Any]:
        return {"identities": self._recorded} if self._recorded else {}

    def restore(self, carried: Mapping[str, Any]) -> None:
        """Continues from the last record."""
        identities = carried.get("identities")
        self._recorded = identities if isinstance(identities, dict) else {}

    def take(self, seen: CoinDeviceIdentified) -> None:
        """A device has reported who it is."""
        name = f"{COINS}.{seen.device}"
        known = {"driver": "cctalk", "address": str(seen.address), **seen.identity}
        self.reported[name] = known
        if self._recorded.get(name) != known:
            self._recorded = {**self._recorded, name: known}
            words = ", ".join(f"{field} {value}" for field, value in seen.identity.items())
            self._records.account.write(seen.t_ns, "device_identified", detail=f"{name}: {words}")
        self._unidentified.discard(seen.device)
        if not self._unidentified and self._current.is_held_by(IDENTITY):
            self._current.let_go(seen.t_ns, IDENTITY)
