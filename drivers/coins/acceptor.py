"""A ccTalk coin acceptor: polls its event counter, and proves each change of it before a token is credited.

    event counter     … 254 255 1 2 …      0 only after a reset; 255 is followed by 1
    buffer            the last five events, newest first: (coin 1 to 16, sorter path) or (0, error code)

An answer whose checksum is right by chance, or that a lost and a doubled byte have shifted, would be a token that
nobody inserted. So a change counts when two answers in a row are equal. More than five new events, or a reset while it
may have taken tokens, leave a doubt: both counts are reported, and a person decides.

A reset inhibits every coin, and no token is taken again before that is recorded. So its inhibits are read with each
change, and every second: an acceptor that accepts a coin, is reset, and counts an error has the counter that it had.

It takes tokens only while it is enabled and polled: it is inhibited at the start, after each reset, and whenever the
machine takes none (X6 manual: it stops by itself after a second without a poll).
"""

from __future__ import annotations

from typing import Final

from drivers.base.driver import Observation
from drivers.coins.cctalk_wire import (
    COINS,
    CREDIT_BYTES,
    EVENTS_HELD,
    Header,
    events_between,
)
from drivers.coins.exchange import CctalkAnswer, CctalkRequest
from drivers.coins.observations import AcceptorEvents, AcceptorInhibited, CoinDeviceSilent
from hal.wording import counted

POLL_NS: Final = 200_000_000
"""From one poll to the next (X6 manual: 20 x 10 ms)."""
PROOF_NS: Final = 1_000_000
"""From an answer that shows a change to the poll that proves it (ours: at once)."""
SETTING_NS: Final = 20_000_000
"""From one setting to the next (ours)."""
CHECK_NS: Final = 1_000_000_000
"""From one look at its inhibits to the next (ours): a reset that its counter does not show is found then."""
SILENT_NS: Final = 2_000_000_000
"""Without an answer for this long the acceptor is silent (ours)."""


class Acceptor:
    """One acceptor on a bus."""

    def __init__(self, address: int, coins: frozenset[int]) -> None:
        """`coins` are the numbers of those that are tokens."""
        self._address = address
        self._coins = coins
        mask = sum(1 << (coin - 1) for coin in coins if 1 <= coin <= COINS)
        self._mask = mask.to_bytes(2, "little")
        self._wanted = False
        self.counter: int | None = None
        """Its event counter as far as it is reported; None where nothing is known."""
        self._shown: bytes | None = None
        """The last answer, which the next one must repeat."""
        self._masked = False
        """Whether its coins are known to be set since its last reset."""
        self._expects = False
        """Whether its coins were set once: where they are not any more, it was reset."""
        self._intact = False
        """Whether its coins were still set after the answer that shows a change."""
        self._astray = 0
        """How many answers in a row gave other coins than were set."""
        self._check_ns = 0
        """When it is checked next whether its coins are still set."""
        self._accepting: bool | None = None
        """Whether it takes tokens, as it has confirmed; None where that is not known."""
        self._told: bool | None = None
        """The last command, which it has not confirmed yet."""
        self._may_have_accepted = True
        """Whether it may have taken a token since its last proven answer."""
        self._report_inhibit = False
        """Whether the next proven poll reports that it takes tokens, or none."""
        self._poll_ns = self._set_ns = 0
        self._heard_ns: int | None = None
        self._silent = False

    def restore(self, counter: int, *, accepting: bool) -> None:
        """Continues from a counter that was recorded; `accepting` is whether it may have taken tokens since."""
        self.counter, self._may_have_accepted = counter, accepting
        self._expects = accepting

    def accept(self, wanted: bool, t_ns: int = 0) -> None:
        """Has it take tokens, or none, from `t_ns` on: the command is not sent before."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._told = None
            self._set_ns = t_ns

    @property
    def accepting(self) -> bool:
        """Whether it has confirmed that it takes tokens."""
        return self._accepting is True and self._wanted

    @property
    def next_due_ns(self) -> int:
        """When it is asked something next."""
        due_ns = self._poll_ns if self._set() else min(self._poll_ns, self._set_ns)
        return min(due_ns, self._check_ns) if self._expects else due_ns

    def request(self, t_ns: int) -> CctalkRequest:
        """What it is asked now; polls go before settings."""
        if self._heard_ns is None:
            self._heard_ns = t_ns
        if self._expects and self._check_ns <= t_ns:
            self._check_ns = t_ns + CHECK_NS
            return CctalkRequest(self._address, Header.GET_INHIBITS, lengths=frozenset({len(self._mask)}))
        if self._poll_ns <= t_ns or self._set():
            self._poll_ns = t_ns + POLL_NS
            return CctalkRequest(self._address, Header.BUFFERED_CREDIT, lengths=frozenset({CREDIT_BYTES}))
        self._set_ns = t_ns + POLL_NS
        if self._wanted and not self._masked:
            return CctalkRequest(self._address, Header.SET_INHIBITS, self._mask)
        if self._told is None:
            self._may_have_accepted = self._may_have_accepted or self._wanted
            self._accepting = None  # until it confirms: what is wanted may change before it answers
            return CctalkRequest(self._address, Header.SET_MASTER_INHIBIT, bytes((int(self._wanted),)))
        return CctalkRequest(self._address, Header.GET_MASTER_INHIBIT, lengths=frozenset({1}))

    def answered(self, answer: CctalkAnswer, t_ns: int) -> list[Observation]:
        """What an answer to `request` proves."""
        found: list[Observation] = []
        if answer.data is None:
            self._failed(answer, t_ns, found)
            return found
        self._heard_ns = t_ns
        if self._silent:
            self._silent = False
            found.append(CoinDeviceSilent(t_ns=t_ns, device="acceptor", silent=False))
        self._set_ns = t_ns + SETTING_NS
        match answer.request.header:
            case Header.BUFFERED_CREDIT:
                self._credit(answer.data, t_ns, found)
            case Header.GET_INHIBITS:
                self._checked(answer.data == self._mask, t_ns, found)
            case Header.SET_INHIBITS:
                self._masked = self._expects = True
                self._check_ns = t_ns + CHECK_NS
            case Header.SET_MASTER_INHIBIT:
                self._told = bool(answer.request.data[0])
            case _:
                self._confirmed(bool(answer.data[0] & 1))
        return found

    def _set(self) -> bool:
        """Whether everything is set as it is wanted."""
        return self._accepting == self._wanted and (self._masked or not self._wanted)

    def _confirmed(self, accepting: bool) -> None:
        if self._told == self._wanted == accepting:
            self._accepting = accepting
            self._poll_ns = 0  # what it took until then is read before it is reported as inhibited
            self._report_inhibit = True
        self._told = None

    def _failed(self, answer: CctalkAnswer, t_ns: int, found: list[Observation]) -> None:
        self._shown = None
        if self._silent or self._heard_ns is None or t_ns - self._heard_ns < SILENT_NS:
            return
        self._silent = True
        self._forget_settings()
        detail = f"the acceptor at address {self._address} has not answered for {SILENT_NS / 1e9:g} s"
        found.append(CoinDeviceSilent(t_ns=t_ns, device="acceptor", silent=True, detail=f"{detail}: {answer.failure}"))

    def _forget_settings(self) -> None:
        """It may have been reset: it is checked and set again."""
        self._masked, self._accepting, self._told = False, None, None
        self._check_ns = 0

    def _credit(self, data: bytes, t_ns: int, found: list[Observation]) -> None:
        """An answer to a poll: it counts when the one before was equal."""
        changed = data[0] != self.counter
        if data != self._shown:
            self._shown, self._intact = data, False
            if changed or self._report_inhibit:
                self._poll_ns = t_ns + PROOF_NS
            if changed:
                self._check_ns = 0
            return
        if changed and self._expects and not self._intact:
            self._poll_ns, self._check_ns = t_ns + PROOF_NS, 0
            return
        counter, before = data[0], self.counter
        may_have, self._may_have_accepted = self._may_have_accepted, self._accepting is not False
        if counter != before:
            self._moved(before, data, may_have, t_ns, found)
        if self._report_inhibit and self._accepting is not None:
            self._report_inhibit = False
            found.append(AcceptorInhibited(t_ns=t_ns, accepting=self._accepting, counter=counter))

    def _checked(self, as_set: bool, t_ns: int, found: list[Observation]) -> None:
        """Whether its coins are still set: a reset inhibits all of them, even where the counter does not show it."""
        if as_set:
            self._astray, self._intact, self._masked = 0, True, True
            return
        self._astray += 1
        self._check_ns = t_ns + PROOF_NS
        if self._astray < 2:
            return
        if self.counter is None:
            self._reset(self._may_have_accepted, None, 0)
            return
        # What it has counted since its reset is not a token.
        before, self.counter = self.counter, 0 if self._shown is None else self._shown[0]
        doubt = self._reset(self._may_have_accepted, before, self.counter)
        found.append(AcceptorEvents(t_ns=t_ns, before=before, counter=self.counter, reset=True, doubt=doubt))

    def _reset(self, may_have_accepted: bool, before: int | None, counter: int) -> str:
        """It was reset, which inhibits every coin: it is to take none until its counter is recorded, and is set again.
        Returns the doubt that this leaves, with both counts; empty where it took no tokens meanwhile.
        """
        self._astray = 0
        self._expects = self._wanted = self._may_have_accepted = False
        self._forget_settings()
        if before is None or not may_have_accepted:
            return ""
        return f"its event counter was {before} and is {counter}: it was reset while it took tokens"

    def _moved(self, before: int | None, data: bytes, may_have: bool, t_ns: int, found: list[Observation]) -> None:
        counter = data[0]
        events = [(data[1 + 2 * i], data[2 + 2 * i]) for i in range(EVENTS_HELD)]
        self.counter = counter
        if before is None:
            # Whatever it has counted before the machine knew of it was not this machine's.
            found.append(AcceptorEvents(t_ns=t_ns, before=None, counter=counter))
            return
        new, doubt, reset = events_between(before, counter), "", False
        if counter == 0 or (new > EVENTS_HELD and _cleared(counter, events)):
            # A reset inhibits every coin, so what it has counted since is not a token.
            new, reset = counter, True
            doubt = self._reset(may_have, before, counter)
        elif new > EVENTS_HELD:
            doubt = (
                f"its event counter was {before} and is {counter}: {counted(new - EVENTS_HELD, 'event')} lost, for it "
                f"holds {EVENTS_HELD}"
            )
        kept = events[: min(new, EVENTS_HELD)][::-1]
        coins = tuple(coin for coin, _ in kept if coin)
        unknown = [coin for coin in coins if coin not in self._coins]
        if unknown:
            strange = f"it accepted coin {unknown[0]}, which is not a token"
            doubt = f"{doubt}; {strange}" if doubt else strange
        found.append(
            AcceptorEvents(
                t_ns=t_ns,
                before=before,
                counter=counter,
                coins=tuple(coin for coin in coins if coin in self._coins),
                errors=tuple(path for coin, path in kept if not coin),
                reset=reset,
                doubt=doubt,
            )
        )


def _cleared(counter: int, events: list[tuple[int, int]]) -> bool:
    """Whether the buffer holds no more events than the counter has counted: it was cleared by a reset."""
    return counter < EVENTS_HELD and all(event == (0, 0) for event in events[counter:])
