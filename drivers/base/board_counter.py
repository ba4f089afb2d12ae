"""A token acceptor on a board that counts its tokens in a store of its own: its commands, and what has come in.

    session begins ──► `acceptor`, `counts` ──► counters ──► `accept`, as it is wanted
                                                   └── tokens since the last record, whatever was off meanwhile

The count survives the power cuts of board and service, so a token is in exactly one difference between two records. An
actuator of such a board has one of these beside its own commands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from drivers.base.driver import NEVER_NS, Observation
from hal.board.message import BoardCommand
from hal.board.messages import AcceptCommand, AcceptorCommand, CountsCommand, RefusalCode

MODULUS: Final = 1 << 32
MOST_NEW: Final = 10_000
"""More than this many at once is another board, or a store that was lost (ours)."""
AGAIN_NS: Final = 10_000_000_000
"""That it takes tokens is commanded again this often (ours): a dead-man, or the output's longest time, may end that."""


class TokensCounted(Observation, frozen=True, kw_only=True):
    """The counter of tokens that came in has moved."""

    before: int | None
    """Its value as it was recorded; None where nothing was known of it."""
    counter: int
    tokens: int
    """How many came in since."""
    doubt: str = ""
    """Why that is not known, with both counts; empty where it is."""


class AcceptSet(Observation, frozen=True, kw_only=True):
    """The acceptor was commanded to take tokens, or none, and the board has reported since."""

    accepting: bool
    counter: int


class BoardCounter:
    """The acceptor of one board, and the counter of its tokens."""

    def __init__(self, command: Callable[[BoardCommand, int], None], pulse_ms: int) -> None:
        """`command` sends a command at a time, and does nothing while the board is down. `pulse_ms` is the width of the
        acceptor's pulse; 0: any that the board takes without a command.
        """
        self.due_ns = NEVER_NS
        """When it commands something next."""
        self._command = command
        self._pulse_ms = pulse_ms
        self._tokens_in: int | None = None
        """The counter as far as it is reported."""
        self._known = False
        """Whether the board has reported its counter in this session."""
        self._wanted = False
        """Whether it is to take tokens."""
        self._held = False
        """Whether the board holds its output safe: it was on for its longest time, and is to be set to 0 once."""
        self._reports_inhibit = False

    def restore(self, counter: int | None) -> None:
        """Continues from the counter as it was recorded."""
        self._tokens_in = counter

    def accept(self, wanted: bool, t_ns: int) -> None:
        """Has the acceptor take tokens, or none."""
        if wanted == self._wanted:
            return
        self._wanted, self._reports_inhibit = wanted, True
        self._command(AcceptCommand(int(wanted)), t_ns)
        self.due_ns = t_ns + AGAIN_NS if wanted and self._known else NEVER_NS

    def begin(self, t_ns: int) -> None:
        """A session begins: the acceptor takes nothing, and the counter is asked for."""
        self.end()
        if self._pulse_ms:
            self._command(AcceptorCommand(self._pulse_ms, 0), t_ns)
        self._command(CountsCommand(), t_ns)

    def end(self) -> None:
        """The board is away."""
        self._known, self.due_ns = False, NEVER_NS

    def command_again(self, t_ns: int) -> None:
        """The board has begun again, has refused it, or was made safe: the command to take tokens is sent again."""
        if self._wanted and self._known:
            if self._held:
                self._held = False
                self._command(AcceptCommand(0), t_ns)
            self._command(AcceptCommand(1), t_ns)
            self.due_ns = t_ns + AGAIN_NS

    def refused(self, command: BoardCommand, why: int) -> None:
        """The board refused a command; whoever knows when to try again calls `command_again`."""
        self._held = self._held or (isinstance(command, AcceptCommand) and why == RefusalCode.HELD_SAFE)

    def counted(self, t_ns: int, counter: int, another: str = "") -> list[Observation]:
        """The board has reported its counter. `another` is why it is not the board whose counter was recorded."""
        found: list[Observation] = []
        self._known = True
        if another and self._tokens_in is not None:
            doubt = f"{another}; the counter was {self._tokens_in} and is {counter}"
            found.append(TokensCounted(t_ns=t_ns, before=self._tokens_in, counter=counter, tokens=0, doubt=doubt))
            self._tokens_in = counter
        elif counter != self._tokens_in:
            found.append(_since(t_ns, self._tokens_in, counter))
            self._tokens_in = counter
        if self._reports_inhibit:
            self._reports_inhibit = False
            found.append(AcceptSet(t_ns=t_ns, accepting=self._wanted, counter=counter))
        return found


def _since(t_ns: int, before: int | None, counter: int) -> TokensCounted:
    """The tokens between two values of a counter."""
    new = 0 if before is None else (counter - before) % MODULUS
    doubt = ""
    if new > MOST_NEW:
        new = 0
        doubt = f"the board's counter was {before} and is {counter}: it is another board, or its store is lost"
    return TokensCounted(t_ns=t_ns, before=before, counter=counter, tokens=new, doubt=doubt)
