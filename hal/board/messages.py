"""Messages of boards and hosts. Generated from `firmware/wire/messages.toml` by `generate.py`: edit that."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from struct import Struct
from typing import ClassVar

from hal.board.message import BoardAnswer, BoardCommand, BoardKind, BoardReport

PROTOCOL = 3
DICTIONARY = 0x475C882B
TICK_HZ = 2_000_000
BAUD = 250_000
LONGEST = 64
DEADMAN_MS = 500

KINDS = {
    "wheel": BoardKind(
        id=1,
        oldest=1,
        late_ns=14_000,
        name="wheel",
        doc="a wheel: eight inputs whose edges are dated, a quadrature that is counted, a level sensor",
        inputs=(
            ("in_1", "D2"),
            ("in_2", "D3"),
            ("in_3", "D4"),
            ("in_4", "D5"),
            ("in_5", "D6"),
            ("in_6", "D7"),
            ("in_7", "C0"),
            ("in_8", "C1"),
        ),
        outputs=(
            ("lamp_1", 600_000),
            ("lamp_2", 600_000),
            ("lamp_3", 600_000),
            ("lamp_4", 600_000),
        ),
        analogues=(
            ("level_x", "C2"),
            ("level_y", "C3"),
            ("spare_1", "C4"),
            ("spare_2", "C5"),
        ),
        counters=(),
        output_pins=("B0", "B1", "B2", "B3"),
        active_high=(),
        active_low=(),
    ),
    "table": BoardKind(
        id=2,
        oldest=2,
        late_ns=14_000,
        name="table",
        doc="a dice table: a motor, beams, sensors of shaking and turning, a keypad, a chain of lamps",
        inputs=(
            ("shaft", "D2"),
            ("home", "D3"),
            ("beam_1", "D4"),
            ("beam_2", "D5"),
            ("beam_3", "D6"),
            ("beam_4", "D7"),
            ("shake", "C0"),
            ("turn", "C1"),
        ),
        outputs=(
            ("motor", 60_000),
            ("motor_back", 60_000),
        ),
        analogues=(),
        counters=(),
        output_pins=("B3", "B0"),
        active_high=(),
        active_low=("shaft", "home"),
        motor_current_pin="A6",
        keys=("1", "2", "3", "4", "5", "6", "enter", "clear", "spare"),
        first_key_line=9,
        key_columns=("B1", "B2", "B5"),
        key_rows=("C2", "C3", "C4"),
        lamps=56,
        lamp_pins=(
            ("data", "B1"),
            ("clock", "B2"),
            ("latch", "B4"),
            ("read_back", "C5"),
        ),
    ),
    "reel": BoardKind(
        id=3,
        oldest=2,
        late_ns=32_750,
        name="reel",
        doc="skill-stop reels: three steppers with home sensors, a stop button each, a token acceptor, lamps",
        inputs=(
            ("home_1", "D2"),
            ("home_2", "D3"),
            ("home_3", "D4"),
            ("stop_1", "D5"),
            ("stop_2", "D6"),
            ("stop_3", "D7"),
            ("token", "C0"),
            ("power_fail", "C1"),
        ),
        outputs=(
            ("reel_1", 30_000),
            ("reel_2", 30_000),
            ("reel_3", 30_000),
            ("accept", 86_400_000),
        ),
        analogues=(),
        counters=("tokens_in",),
        output_pins=("B0", "B1", "B2", "B3"),
        active_high=("home_1", "home_2", "home_3", "stop_1", "stop_2", "stop_3", "token", "power_fail"),
        active_low=(),
        fram_address=80,
        lamps=16,
        lamp_pins=(
            ("data", "B4"),
            ("clock", "B5"),
            ("latch", "C2"),
            ("read_back", "C3"),
        ),
        control=("direction_1", "direction_2", "direction_3", "disable_1", "disable_2", "disable_3", "sense", "spare"),
        reels=3,
    ),
    "pusher": BoardKind(
        id=4,
        oldest=2,
        late_ns=14_000,
        name="pusher",
        doc="a token pusher: token acceptor, win chute with two beams, shelf motor with shaft pulses, tilt, hopper",
        inputs=(
            ("token", "D2"),
            ("win_a", "D3"),
            ("win_b", "D4"),
            ("shaft", "D5"),
            ("tilt", "D6"),
            ("hopper_coin", "D7"),
            ("home", "C0"),
            ("power_fail", "C1"),
        ),
        outputs=(
            ("motor", 3_600_000),
            ("hopper", 20_000),
            ("accept", 86_400_000),
            ("alarm", 600_000),
        ),
        analogues=(),
        counters=("tokens_in", "paid_out", "won", "tilts"),
        output_pins=("B3", "B0", "B1", "B2"),
        active_high=("token", "win_a", "win_b", "shaft", "tilt", "hopper_coin", "home", "power_fail"),
        active_low=(),
        sense_pin="B4",
        motor_current_pin="A6",
        hopper_pins=(
            ("back", "B5"),
            ("current", "C2"),
            ("error", "C3"),
        ),
        fram_address=80,
    ),
}
"""Each kind of board, by its name."""


class Reset(IntFlag):
    """What reset a board."""

    POWER_ON = 1
    """Its power came on."""
    EXTERNAL = 2
    """Its reset line: the button, or a port that was opened."""
    BROWN_OUT = 4
    """Its power sagged below the brown-out level."""
    WATCHDOG = 8
    """Its program hung, and the watchdog reset it."""


class Flag(IntFlag):
    """The state of a board, as `state` reports it."""

    SESSION_OPEN = 1
    """A host has opened a session."""
    DEADMAN = 2
    """The host fell silent and the outputs were made safe."""
    WATCHING = 4
    """Edges of the inputs are reported."""
    STORE_FAILED = 8
    """The counters could not be kept."""
    FAULT = 16
    """A device of this kind of board has a fault; its own report says which."""
    STORE_WORN = 64
    """The EEPROM has had 80 % of the writes that it bears: fit a FRAM, or another board."""
    KEYS_AMBIGUOUS = 32
    """Keys are pressed that cannot be distinguished from others: their levels stay as they were."""
    STORM = 128
    """Inputs change so fast that the board does not listen to them now: `masked` says which."""


class RefusalCode(IntEnum):
    """Why a board refused a command."""

    NO_SESSION = 1
    """The board was reset, or never opened: open a session first."""
    UNKNOWN_COMMAND = 2
    """No such command on this kind of board."""
    WRONG_LENGTH = 3
    """The command's fields are too short or too long."""
    WRONG_VALUE = 4
    """A field has a value that this board cannot take."""
    BUSY = 5
    """What it would start is running already."""
    HELD_SAFE = 6
    """The output was on for its longest time, or has a fault: set it to 0 once."""
    NOT_SAFE = 7
    """An interlock of the board forbids it now."""
    STORE_FAILED = 8
    """The board's non-volatile memory does not keep what is written."""
    SILENT = 9
    """The host fell silent and the outputs were made safe: say all_safe, then what is wanted."""


class OkAnswer(BoardAnswer, frozen=True):
    """Done."""

    id: ClassVar[int] = 64
    layout: ClassVar[Struct] = Struct("<")
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")


class RefusedAnswer(BoardAnswer, frozen=True):
    """Nothing was done."""

    id: ClassVar[int] = 65
    layout: ClassVar[Struct] = Struct("<BB")
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    command: int
    """Id of the command."""
    why: int
    """A code of [refusals]."""


class IdentityAnswer(BoardAnswer, frozen=True):
    """What this board is."""

    id: ClassVar[int] = 66
    layout: ClassVar[Struct] = Struct("<HIBBBBIIHBBBBBHH28s")
    older: ClassVar[tuple[tuple[int, int], ...]] = ((2, 25), (3, 29))
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    protocol: int
    """Version of this table."""
    dictionary: int
    """CRC-32 of this table: where it is equal both sides were made from the same one; it need not be."""
    kind: int
    """The id of a kind."""
    major: int
    """Version of the firmware."""
    minor: int
    patch: int
    build: int
    """First 32 bits of the SHA-256 over the image in the board's flash, this number and `image` taken as 0."""
    serial: int
    """The number that a technician gave this board; 0 for none."""
    boots: int
    """How often this board began, modulo 65536."""
    cause: int
    """Why it began: bits of [resets]; 0: not known."""
    inputs: int
    """How many inputs it has."""
    outputs: int
    """How many outputs."""
    analogues: int
    """How many analogue channels."""
    counters: int
    """How many counters that survive power cuts."""
    oldest: int = 0
    """The oldest protocol whose hosts it works with."""
    hung_at: int = 0
    """Where its program hung before this start: the address in its flash, halved; 0: it did not, or it is not known."""
    image: bytes = bytes(28)
    """The other 224 bits of that SHA-256."""


class ClockAnswer(BoardAnswer, frozen=True):
    """The board's time when the command's last byte came, and how long it kept the answer."""

    id: ClassVar[int] = 67
    layout: ClassVar[Struct] = Struct("<IIH")
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    received: int
    """Ticks, low half."""
    received_high: int
    """High half."""
    kept: int
    """Ticks from there to the first byte of this answer."""


class CountsAnswer(BoardAnswer, frozen=True):
    """Counters that survive power cuts, as they are kept."""

    id: ClassVar[int] = 68
    layout: ClassVar[Struct] = Struct("<IIII")
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    first: int
    """In the order of the kind's counters."""
    second: int
    third: int
    fourth: int


class HeldAnswer(BoardAnswer, frozen=True):
    """Which of the edges asked for the board still has: those before `first` are lost for good."""

    id: ClassVar[int] = 69
    layout: ClassVar[Struct] = Struct("<I")
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    first: int
    """The first number that is sent again; where there is none, the number of the next edge."""


class IdentifyCommand(BoardCommand, frozen=True):
    """Asks what the board is; needs no session."""

    id: ClassVar[int] = 1
    layout: ClassVar[Struct] = Struct("<")
    answer: ClassVar[type[BoardAnswer]] = IdentityAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")


class OpenCommand(BoardCommand, frozen=True):
    """Begins a session: makes all outputs safe, stops all reports, and makes the next command number 1; needs none
    before.
    """

    id: ClassVar[int] = 2
    layout: ClassVar[Struct] = Struct("<I")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    session: int
    """Drawn at random by the host; a session of the same number goes on."""


class ClockCommand(BoardCommand, frozen=True):
    """Asks for the board's time."""

    id: ClassVar[int] = 3
    layout: ClassVar[Struct] = Struct("<")
    answer: ClassVar[type[BoardAnswer]] = ClockAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")


class AliveCommand(BoardCommand, frozen=True):
    """The host is there; any other good frame says so too."""

    id: ClassVar[int] = 4
    layout: ClassVar[Struct] = Struct("<")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")


class WatchCommand(BoardCommand, frozen=True):
    """Reports the edges of these inputs from now on; the levels found are the first report."""

    id: ClassVar[int] = 5
    layout: ClassVar[Struct] = Struct("<BB")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    inputs: int
    """Bit i: input i+1."""
    pull_ups: int
    """Bit i: with the resistor to + inside the chip."""


class EdgesFromCommand(BoardCommand, frozen=True):
    """Asks for edges again, from this number on, as far as the board still has them."""

    id: ClassVar[int] = 6
    layout: ClassVar[Struct] = Struct("<I")
    answer: ClassVar[type[BoardAnswer]] = HeldAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    number: int


class CountCommand(BoardCommand, frozen=True):
    """Counts a quadrature on the board: three of the watched inputs, numbered from 1; 0 for no index; all 0 stops
    it.
    """

    id: ClassVar[int] = 7
    layout: ClassVar[Struct] = Struct("<BBB")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    a: int
    b: int
    index: int


class SampleCommand(BoardCommand, frozen=True):
    """Samples analogue channels from now on; a period of 0 stops it."""

    id: ClassVar[int] = 8
    layout: ClassVar[Struct] = Struct("<BH")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    channels: int
    """Bit i: channel i+1."""
    period_ms: int


class SetCommand(BoardCommand, frozen=True):
    """Puts an output on a value, for so long at most; the board has a longest time of its own for each output."""

    id: ClassVar[int] = 9
    layout: ClassVar[Struct] = Struct("<BBH")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    starting: ClassVar[str] = "value"
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    output: int
    """From 1."""
    value: int
    """0 is safe; 255 is fully on."""
    for_ms: int
    """0: as long as the board allows."""


class AllSafeCommand(BoardCommand, frozen=True):
    """Makes all outputs safe and stops all that moves."""

    id: ClassVar[int] = 10
    layout: ClassVar[Struct] = Struct("<")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")


class CountsCommand(BoardCommand, frozen=True):
    """Asks for the counters."""

    id: ClassVar[int] = 11
    layout: ClassVar[Struct] = Struct("<")
    answer: ClassVar[type[BoardAnswer]] = CountsAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")


class NameBoardCommand(BoardCommand, frozen=True):
    """Gives this board a serial number, kept over power cuts."""

    id: ClassVar[int] = 12
    layout: ClassVar[Struct] = Struct("<I")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    serial: int


class MotorCommand(BoardCommand, frozen=True):
    """Turns the motor; it stops at its longest time, at a stall (shaft pulses stay away), at an over-current and
    with the dead-man.
    """

    id: ClassVar[int] = 20
    layout: ClassVar[Struct] = Struct("<bHB")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    starting: ClassVar[str] = "speed"
    kinds: ClassVar[tuple[str, ...]] = ("table", "pusher")
    speed: int
    """-127 to 127; 0 stops."""
    for_ms: int
    """0: as long as the board allows."""
    home: int
    """1: stops at the home sensor."""


class LampsCommand(BoardCommand, frozen=True):
    """Puts lamps of the chain on and off, then reads them back."""

    id: ClassVar[int] = 21
    layout: ClassVar[Struct] = Struct("<8s")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    starting: ClassVar[str] = "lit"
    kinds: ClassVar[tuple[str, ...]] = ("table", "reel")
    lit: bytes
    """Bit i of byte j: lamp 8j+i+1."""


class SpinCommand(BoardCommand, frozen=True):
    """Spins a reel up and keeps it turning, for so long at most."""

    id: ClassVar[int] = 22
    layout: ClassVar[Struct] = Struct("<BHH")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    starting: ClassVar[str] = "steps_per_s"
    kinds: ClassVar[tuple[str, ...]] = ("reel",)
    reel: int
    """From 1."""
    steps_per_s: int
    """62 to 2000, and no faster than the ramp goes: 402 without the command `ramp`."""
    for_ms: int
    """0: as long as the board allows."""


class StopCommand(BoardCommand, frozen=True):
    """Stops a reel at a step counted from home, at its next coming; 65535 stops it at the next symbol that it can
    reach, or where home is not known as soon as it can.
    """

    id: ClassVar[int] = 23
    layout: ClassVar[Struct] = Struct("<BH")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("reel",)
    reel: int
    """From 1."""
    step: int


class PayCommand(BoardCommand, frozen=True):
    """Pays so many tokens under this number, once: said again, it does nothing, whatever became of it; 'hopper'
    tells.
    """

    id: ClassVar[int] = 24
    layout: ClassVar[Struct] = Struct("<HB")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    starting: ClassVar[str] = "tokens"
    kinds: ClassVar[tuple[str, ...]] = ("pusher",)
    payout: int
    """A number of its own, from 1, above the last."""
    tokens: int
    """From 1; the same whenever this number is said."""


class AcceptCommand(BoardCommand, frozen=True):
    """Lets the token acceptor take tokens, or not."""

    id: ClassVar[int] = 25
    layout: ClassVar[Struct] = Struct("<B")
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    starting: ClassVar[str] = "on"
    kinds: ClassVar[tuple[str, ...]] = ("reel", "pusher")
    on: int
    """0 or 1."""


class HopperCommand(BoardCommand, frozen=True):
    """What hangs on the hopper's terminals, for this session; without it: 143 ms, not turned back, no limit, no
    error line.
    """

    id: ClassVar[int] = 26
    layout: ClassVar[Struct] = Struct("<HBHB")
    since: ClassVar[int] = 2
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("pusher",)
    token_ms: int
    """From one token to the next, 40 to 1000: from it follows when the hopper is empty or jammed."""
    turns_back: int
    """1: it is turned back to free a jam."""
    current: int
    """What `hopper_current` may reach, 1 to 1022 of 1023; 0: it is not looked at."""
    errors: int
    """1: `hopper_error` is looked at."""


class TestCommand(BoardCommand, frozen=True):
    """Tests the sensors, without their feed and with it; 'sensors' tells what was found where it is another
    result; busy while a reel turns.
    """

    id: ClassVar[int] = 27
    layout: ClassVar[Struct] = Struct("<")
    since: ClassVar[int] = 2
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("reel", "pusher")


class AcceptorCommand(BoardCommand, frozen=True):
    """How the acceptor's pulses are, for this session; without it: 20 to 250 ms, each pulse a coin."""

    id: ClassVar[int] = 28
    layout: ClassVar[Struct] = Struct("<HH")
    since: ClassVar[int] = 2
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("reel", "pusher")
    width_ms: int
    """25 to 500; a pulse within 20 % of it is one, 20 ms at least."""
    gap_ms: int
    """20 to 1000: pulses no further apart are of one coin; 0: each is a coin of its own."""


class ReelCommand(BoardCommand, frozen=True):
    """A reel, for this session; without it: 20 symbols, 500 ms, 6 symbols, 200 steps, home 1 to 50 steps, not
    turned round, held.
    """

    id: ClassVar[int] = 29
    layout: ClassVar[Struct] = Struct("<BBHBHBHBB")
    since: ClassVar[int] = 2
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("reel",)
    reel: int
    """From 1."""
    symbols: int
    """1 to 100, at equal distances, the first at home: the button stops the reel at one."""
    spin_ms: int
    """The button stops nothing before the reel has turned for so long."""
    slip: int
    """Symbols that may go by at most from the button's press: 'spin' refuses a speed that takes more."""
    steps: int
    """A turn, 20 to 3200: pulses of the driver, so with half steps twice the motor's; another count forgets home."""
    home_least: int
    """Steps that home is dark for at least, from 1: what is shorter is not home."""
    home_most: int
    """And at most: what is longer is a blocked sensor, which stops the reel."""
    turned_round: int
    """1: the driver's direction is high."""
    held: int
    """1: the driver stays on while the reel stands; 0: it is off 250 ms after the last step."""


class ArmCommand(BoardCommand, frozen=True):
    """From now on the button may stop this reel; each spin begins without."""

    id: ClassVar[int] = 30
    layout: ClassVar[Struct] = Struct("<BB")
    since: ClassVar[int] = 2
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("reel",)
    reel: int
    """From 1."""
    on: int
    """0 or 1."""


class RampCommand(BoardCommand, frozen=True):
    """A part of the ramp of all reels, for this session, while none turns; without it: 80 to 402 steps/s in 40
    steps.
    """

    id: ClassVar[int] = 31
    layout: ClassVar[Struct] = Struct("<B32s")
    since: ClassVar[int] = 2
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("reel",)
    first: int
    """From 0, which begins a new ramp; then where the part before ended."""
    ticks: bytes
    """16 times u16, 1000 to 32258: until the next step, at each from a stand, none above the one before; 0 ends it."""


class MotorLimitCommand(BoardCommand, frozen=True):
    """What the motor may draw, for this session, where its current is measured; without it: no limit. Above it for
    200 ms the motor is off, and held safe until it is set to 0.
    """

    id: ClassVar[int] = 32
    layout: ClassVar[Struct] = Struct("<H")
    since: ClassVar[int] = 2
    answer: ClassVar[type[BoardAnswer]] = OkAnswer
    kinds: ClassVar[tuple[str, ...]] = ("table", "pusher")
    current: int
    """What `motor_current` may reach at full power, of 1023; at less in proportion, down to a quarter; 0: no limit."""


class BootReport(BoardReport, frozen=True):
    """The board has just begun; no session is open."""

    id: ClassVar[int] = 128
    layout: ClassVar[Struct] = Struct("<BHB")
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    cause: int
    """Bits of [resets]; 0: not known."""
    boots: int
    """As in `identity`."""
    kind: int
    """The id of a kind."""


class EdgesReport(BoardReport, frozen=True):
    """Edges in the order of time, each with its number: a number that is missing is an edge that was lost."""

    id: ClassVar[int] = 129
    layout: ClassVar[Struct] = Struct("<IIB")
    has_rest: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    first: int
    """Number of the first edge here."""
    time: int
    """Its time, in ticks."""
    count: int
    """How many edges are here."""
    packed: bytes
    """See docs/wire.md, edges."""


class StateReport(BoardReport, frozen=True):
    """How the board stands; while it watches every 20 ms, else every 100 ms."""

    id: ClassVar[int] = 130
    layout: ClassVar[Struct] = Struct("<IIBHHBHHB")
    older: ClassVar[tuple[tuple[int, int], ...]] = ((2, 18),)
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    time: int
    """Ticks: every edge up to here has a number below `next`."""
    next: int
    """Number of the next edge."""
    levels: int
    """Bit i: level of input i+1."""
    lost: int
    """Edges that were lost for want of room or of time, modulo 65536; their numbers are never sent."""
    outputs: int
    """Bit i: output i+1 is not safe."""
    flags: int
    """Bits of [flags]."""
    bad_frames: int
    """Frames from the host that came broken, modulo 65536."""
    keys: int
    """Bit i: level of line 9+i, which is a key; 1 is pressed."""
    masked: int = 0
    """Bit i: input i+1 changes so fast that the board does not listen to it now; it tries again every 100 ms."""


class CountReport(BoardReport, frozen=True):
    """What the board counted of a quadrature, every 100 ms while it turns and once at rest."""

    id: ClassVar[int] = 131
    layout: ClassVar[Struct] = Struct("<IiiHH")
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    time: int
    """Ticks."""
    count: int
    """From where counting began."""
    index_count: int
    """The count at the index's last rising edge."""
    indexes: int
    """Rising edges of the index, modulo 65536."""
    invalid: int
    """Transitions that a quadrature cannot make, modulo 65536."""


class SampleReport(BoardReport, frozen=True):
    """One sample of each sampled channel, in their order."""

    id: ClassVar[int] = 132
    layout: ClassVar[Struct] = Struct("<HIB")
    has_rest: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    number: int
    """Modulo 65536."""
    time: int
    """Ticks."""
    channels: int
    """Bit i: channel i+1."""
    values: bytes
    """U16 each, 0 to 1023 of the supply."""


class MotorReport(BoardReport, frozen=True):
    """How the motor stands, at each change and every 100 ms while it turns."""

    id: ClassVar[int] = 133
    layout: ClassVar[Struct] = Struct("<IbHIB")
    kinds: ClassVar[tuple[str, ...]] = ("table", "pusher")
    time: int
    """Ticks."""
    speed: int
    """0: it stands."""
    turns: int
    """Home sensor passes, modulo 65536."""
    pulses: int
    """Shaft pulses since the start of the session."""
    why: int
    """Why it stands: 0 told to, 1 longest time, 2 home, 3 stall, 4 dead-man, 5 interlock, 6 over-current."""


class LampsReport(BoardReport, frozen=True):
    """What the lamp chain read back after the last command; on a reel board at each change of a control output
    that fails too: bits 17 to 24.
    """

    id: ClassVar[int] = 134
    layout: ClassVar[Struct] = Struct("<8s8s8s")
    kinds: ClassVar[tuple[str, ...]] = ("table", "reel")
    lit: bytes
    """Lamps that draw their current."""
    dead: bytes
    """Told to be lit, and drawing none."""
    stuck: bytes
    """Told to be dark, and drawing some."""


class ReelReport(BoardReport, frozen=True):
    """How a reel stands, at each change, every 100 ms while it turns, and when a session opens."""

    id: ClassVar[int] = 135
    layout: ClassVar[Struct] = Struct("<IBBHHBhHB")
    kinds: ClassVar[tuple[str, ...]] = ("reel",)
    time: int
    """Ticks."""
    reel: int
    """From 1."""
    moving: int
    """0 or 1."""
    step: int
    """Steps from home; 65535: not known."""
    slips: int
    """Home came where it should not, modulo 65536."""
    button: int
    """1: the player stopped it with the button of this reel."""
    off: int
    """Steps from where home was expected to where it came last; home is counted anew from there."""
    home: int
    """Steps that home was dark for when it last went by; 0: not known."""
    why: int
    """Why it stands: 0 told to, or never turned; 1 home did not come in two turns; 2 home stayed dark."""


class HopperReport(BoardReport, frozen=True):
    """How the last payout stands, at each token, at each change, and when a session opens."""

    id: ClassVar[int] = 136
    layout: ClassVar[Struct] = Struct("<HBBBBB")
    kinds: ClassVar[tuple[str, ...]] = ("pusher",)
    payout: int
    """0: there never was one."""
    asked: int
    """Tokens."""
    seen: int
    """Tokens that passed the sensor; 255: so many or more."""
    at_most: int
    """Tokens that may have been paid; 255: so many or more."""
    state: int
    """0 all paid, or none asked for; 1 paying; 2 empty; 3 runaway; 4 sensor not proven; 5 cut short; 6 jammed."""
    error: int
    """Pulses of the last burst on `hopper_error`; 0: none."""


class CountsReport(BoardReport, frozen=True):
    """The counters that survive power cuts, after each change that is kept."""

    id: ClassVar[int] = 137
    layout: ClassVar[Struct] = Struct("<IIII")
    kinds: ClassVar[tuple[str, ...]] = ("wheel", "table", "reel", "pusher")
    first: int
    """In the order of the kind's counters."""
    second: int
    third: int
    fourth: int


class SensorsReport(BoardReport, frozen=True):
    """What a test of the sensors found, at each other result and when a session opens; inputs that are in neither
    are proven.
    """

    id: ClassVar[int] = 138
    layout: ClassVar[Struct] = Struct("<BBB")
    since: ClassVar[int] = 2
    kinds: ClassVar[tuple[str, ...]] = ("reel", "pusher")
    tested: int
    """Bit i: input i+1."""
    shorted: int
    """Stayed low without the feed: shorted, or lit from elsewhere."""
    dark: int
    """Was high with the feed: cut, dead, or active."""


class CoinReport(BoardReport, frozen=True):
    """A coin whose value is its number of pulses; each of them is counted in tokens_in by itself."""

    id: ClassVar[int] = 139
    layout: ClassVar[Struct] = Struct("<HB")
    since: ClassVar[int] = 2
    kinds: ClassVar[tuple[str, ...]] = ("reel", "pusher")
    number: int
    """From 1 since the board began, modulo 65536: one that is missing was not told in time."""
    pulses: int
    """255: so many or more."""


COMMANDS: dict[int, type[BoardCommand]] = {
    1: IdentifyCommand,
    2: OpenCommand,
    3: ClockCommand,
    4: AliveCommand,
    5: WatchCommand,
    6: EdgesFromCommand,
    7: CountCommand,
    8: SampleCommand,
    9: SetCommand,
    10: AllSafeCommand,
    11: CountsCommand,
    12: NameBoardCommand,
    20: MotorCommand,
    21: LampsCommand,
    22: SpinCommand,
    23: StopCommand,
    24: PayCommand,
    25: AcceptCommand,
    26: HopperCommand,
    27: TestCommand,
    28: AcceptorCommand,
    29: ReelCommand,
    30: ArmCommand,
    31: RampCommand,
    32: MotorLimitCommand,
}
"""Each command, by its id."""

ANSWERS: dict[int, type[BoardAnswer]] = {
    64: OkAnswer,
    65: RefusedAnswer,
    66: IdentityAnswer,
    67: ClockAnswer,
    68: CountsAnswer,
    69: HeldAnswer,
}
"""Each answer, by its id."""

REPORTS: dict[int, type[BoardReport]] = {
    128: BootReport,
    129: EdgesReport,
    130: StateReport,
    131: CountReport,
    132: SampleReport,
    133: MotorReport,
    134: LampsReport,
    135: ReelReport,
    136: HopperReport,
    137: CountsReport,
    138: SensorsReport,
    139: CoinReport,
}
"""Each report, by its id."""
