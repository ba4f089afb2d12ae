"""Who the devices on a ccTalk bus are: manufacturer, category, product, software and serial number, each read twice.

    start, return from silence, each hour ──► every field of every device, equal in two answers ──► CoinDeviceIdentified

A field that a device refuses or leaves unanswered six times is not known of it: that is in its identity too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from drivers.base.driver import NEVER_NS, Observation
from drivers.coins.cctalk_wire import Header
from drivers.coins.exchange import CctalkAnswer, CctalkRequest
from drivers.coins.observations import CoinDevice, CoinDeviceIdentified

AGAIN_NS: Final = 3_600_000_000_000
"""From one reading to the next (ours): a device can be exchanged while the machine has its power."""
TRIES: Final = 6
"""How often a field is asked for without an answer (ours)."""
TEXT: Final = frozenset(range(1, 256))
FIELDS: Final[Mapping[str, tuple[Header, frozenset[int]]]] = {
    "manufacturer": (Header.MANUFACTURER, TEXT),
    "category": (Header.CATEGORY, TEXT),
    "product": (Header.PRODUCT, TEXT),
    "software": (Header.SOFTWARE, TEXT),
    "serial": (Header.SERIAL, frozenset({3})),
}
UNKNOWN: Final = "not answered"


class Identities:
    """The identities of the devices of one bus."""

    def __init__(self, addresses: Mapping[CoinDevice, int]) -> None:
        self._addresses = dict(addresses)
        self._left: list[tuple[CoinDevice, str]] = []
        """What is not read yet, in order."""
        self._known: dict[CoinDevice, dict[str, str]] = {}
        self._shown: bytes | None = None
        self._failed = 0
        self._due_ns = 0
        self.read_again()

    def read_again(self, device: CoinDevice | None = None) -> None:
        """Has a device, or all of them, read again."""
        again = [one for one in self._addresses if device in (None, one)]
        self._left = [left for left in self._left if left[0] not in again]
        self._left += [(one, field) for one in again for field in FIELDS]
        self._known |= {one: {} for one in again}
        self._shown, self._failed = None, 0
        self._due_ns = 0

    @property
    def next_due_ns(self) -> int:
        """When something is asked next."""
        return self._due_ns if self._addresses else NEVER_NS

    def request(self, t_ns: int) -> CctalkRequest:
        """What is asked now."""
        if not self._left:
            self.read_again()
        device, field = self._left[0]
        header, lengths = FIELDS[field]
        return CctalkRequest(self._addresses[device], header, lengths=lengths)

    def answered(self, answer: CctalkAnswer, t_ns: int) -> list[Observation]:
        """What an answer to `request` proves."""
        device, field = self._left[0]
        if answer.data is None:
            self._shown = None
            self._failed += 1
            # A device that is silent leaves everything unanswered: that is found by who polls it.
            return self._read(device, field, UNKNOWN, t_ns) if self._failed >= TRIES else []
        if answer.data != self._shown:
            self._shown = answer.data
            return []
        return self._read(device, field, _text(field, answer.data), t_ns)

    def _read(self, device: CoinDevice, field: str, value: str, t_ns: int) -> list[Observation]:
        self._shown, self._failed = None, 0
        self._known[device][field] = value
        del self._left[0]
        if not self._left:
            self._due_ns = t_ns + AGAIN_NS
        if len(self._known[device]) < len(FIELDS):
            return []
        known = self._known[device]
        if all(one == UNKNOWN for one in known.values()):
            self.read_again(device)
            return []
        return [CoinDeviceIdentified(t_ns=t_ns, device=device, address=self._addresses[device], identity=dict(known))]


def _text(field: str, data: bytes) -> str:
    if field == "serial":
        return str(int.from_bytes(data, "little"))
    return "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in data)
