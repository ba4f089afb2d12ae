"""The base of all messages to and from a board: an id, and fields of a fixed layout."""

from __future__ import annotations

from struct import Struct, error
from typing import ClassVar, Self

import msgspec

MAX_U32 = 1 << 32


class MessageError(ValueError):
    """Bytes are not a valid message; says which and why."""


class BoardMessage(msgspec.Struct, frozen=True):
    """A message; its subclasses are bound to the wire protocol's table."""

    id: ClassVar[int]
    layout: ClassVar[Struct]
    has_rest: ClassVar[bool] = False
    """Whether the last field takes the rest of the frame."""
    since: ClassVar[int] = 1
    """The protocol that brought it."""
    older: ClassVar[tuple[tuple[int, int], ...]] = ()
    """Each protocol that appended fields, and how many bytes of fields there were before it."""
    kinds: ClassVar[tuple[str, ...]]
    """The kinds of boards that have it."""

    def pack(self, protocol: int | None = None) -> bytes:
        """The fields as bytes; for a board of an older `protocol`, those that it knows.

        Raises:
            MessageError: a value does not fit its field, or the other side does not know a field that is not 0.
        """
        values = msgspec.structs.astuple(self)
        rest = values[-1] if self.has_rest else b""
        fixed = values[:-1] if self.has_rest else values
        try:
            packed = self.layout.pack(*fixed) + rest
        except error as problem:
            raise MessageError(f"{type(self).__name__}: {problem} in {self}") from problem
        if protocol is None:
            return packed
        if protocol < self.since:
            raise MessageError(
                f"{type(self).__name__}: it was added in protocol {self.since}; expected {protocol} or older"
            )
        known = next((size for since, size in self.older if protocol < since), len(packed))
        if any(packed[known:]):
            raise MessageError(
                f"{type(self).__name__}: protocol {protocol} has only {known} bytes of its fields: {self}"
            )
        return packed[:known]

    @classmethod
    def unpack(cls, payload: bytes) -> Self:
        """Decodes the fields. Those that the sender's protocol had not yet are 0; those that this one does not know are
        left alone.

        Raises:
            MessageError: there are too few bytes for any protocol.
        """
        size = cls.layout.size
        if len(payload) < size:
            if len(payload) not in [known for _, known in cls.older]:
                raise MessageError(f"{cls.__name__}: expected {size} bytes of fields, got {len(payload)}")
            payload += bytes(size - len(payload))
        values = cls.layout.unpack_from(payload)
        return cls(*values, payload[size:]) if cls.has_rest else cls(*values)


class BoardAnswer(BoardMessage, frozen=True):
    """A board's answer to one command."""


class BoardCommand(BoardMessage, frozen=True):
    """A command from the host to a board. The board executes it once, however often it is sent."""

    answer: ClassVar[type[BoardAnswer]]
    """The answer to a command that was executed."""
    starting: ClassVar[str] = ""
    """The field that turns something on or makes it move; empty for a command that never does."""

    @property
    def starts(self) -> bool:
        """Whether it turns something on or makes it move. A board whose dead-man has acted refuses that."""
        value = getattr(self, self.starting) if self.starting else 0
        return any(value) if isinstance(value, bytes) else value != 0


class BoardReport(BoardMessage, frozen=True):
    """A message that a board sends unasked."""


class UnknownReport(BoardReport, frozen=True):
    """A report that came with a later protocol: counted, and left alone."""

    layout: ClassVar[Struct] = Struct("<B")
    has_rest: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ()
    report: int
    """Its id."""
    fields: bytes


class BoardKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of board: its terminals, in the order of their numbers, which begin at 1."""

    id: int
    oldest: int = 1
    """The protocol of the oldest boards and hosts that work with those of today."""
    late_ns: int = 0
    """How late an edge may be dated: interrupts are off meanwhile, or another one goes first."""
    name: str
    doc: str
    inputs: tuple[tuple[str, str], ...]
    """Name and pin of the chip."""
    outputs: tuple[tuple[str, int], ...]
    """Name and longest time on, in milliseconds."""
    analogues: tuple[tuple[str, str], ...]
    """Name and pin of the chip."""
    counters: tuple[str, ...]
    """Counters that survive power cuts."""
    output_pins: tuple[str, ...] = ()
    """The pin of the chip of each output."""
    active_high: tuple[str, ...] = ()
    """Inputs that are active while the wire is high: a cut wire is active, and never at rest."""
    active_low: tuple[str, ...] = ()
    """Inputs that are active while the wire is low. Those in neither are as they are wired."""
    sense_pin: str = ""
    """The pin that feeds the sensors while it is high."""
    motor_current_pin: str = ""
    """The pin of the converter that measures the motor's current; A6 and A7 are pins of a Nano alone."""
    hopper_pins: tuple[tuple[str, str], ...] = ()
    """Signal of the hopper that is not a numbered terminal, and pin of the chip."""
    fram_address: int = 0
    """Where its FRAM is on the two-wire bus (C4 is its data, C5 its clock); 0 for none."""
    keys: tuple[str, ...] = ()
    """Keys of its keypad, whose lines are numbered from `first_key_line`."""
    first_key_line: int = 0
    key_columns: tuple[str, ...] = ()
    """The pins of the chip of the keypad's columns."""
    key_rows: tuple[str, ...] = ()
    """The pins of its rows."""
    lamps: int = 0
    """Lamps of its chain."""
    lamp_pins: tuple[tuple[str, str], ...] = ()
    """Signal of the chain and pin of the chip."""
    control: tuple[str, ...] = ()
    """Outputs of a register behind the last lamp of the chain, which only the board sets."""
    reels: int = 0
