"""A board that reads the dice and reports them over a serial line, in one of three formats.

    board      M M M M   R R R R R          our lines; the others have fewer words
               │         │
          DiceMoving   DiceRead (once for each throw, and again where the board changes its mind)

The driver decodes frames. The actuator asks the board, keeps the deadline of its answer, and follows each throw:

    ReaderFrame ──► DiceMoving, DiceRead          ask ──► question ──► ReaderFrame within `answer_s`, or SensorDead

A board of values that only answers sees no movement: it is asked once the game knows the dice to be at rest, because
what set them going proves that (`dice_rest`). One that was silent is asked until it answers.

A reading is `agreed` only when the board reported the throw from its first movement on, every die is flat, and the
reading came as often as its checksum is worth. Everything else is reported with its doubts, for a person to decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.view import dead_lines
from drivers.dice.frame_wire import (
    FROM_HOST,
    SUCCESS,
    FrameCommand,
    ShakerFrame,
    ShakerFramer,
    encode_frame,
    parse_frame,
)
from drivers.dice.observations import DiceMoving, DiceRead, DiceShaken, ReaderDoubt, ReaderDoubtReason, ReaderFault
from drivers.dice.reader_wire import (
    ASK,
    MAX_LENGTH,
    THROWS,
    VALUED,
    BoardState,
    Die,
    Lying,
    MalformedReading,
    parse_line,
    parse_word,
)
from drivers.dice.view import ReaderView
from hal.framing import Framer, LineFramer
from hal.values import Edge, EdgesLost, Frame, Loss, Output, Reading, SendFrame

Format: TypeAlias = Literal["lines", "frames_7a", "state_words"]


class FormatFacts(NamedTuple):
    """What a format leaves to be proven otherwise."""

    beats: bool
    """Whether the board sends by itself all the time; otherwise it only answers."""
    noise_doubts: bool
    """Whether a frame that is refused may have been one that matters: not where throws are numbered."""
    asked: bool = False
    """Whether it gives values, and only those that it is asked for."""


FACTS: Final[dict[Format, FormatFacts]] = {
    "lines": FormatFacts(beats=True, noise_doubts=False),
    "frames_7a": FormatFacts(beats=False, noise_doubts=True, asked=True),
    "state_words": FormatFacts(beats=False, noise_doubts=True),
}


class DiceReaderConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a dice-reading board under `[device.reader]`."""

    driver: Literal["dice_reader"] = "dice_reader"
    link: Annotated[
        str, Meta(min_length=1, description="name of the serial link on which the board sends what it reads")
    ] = "dice_serial"
    format: Annotated[
        Format,
        Meta(
            description="lines: our own protocol, with a CRC; frames_7a: the frames 7A ... 55 of a serial dice shaker; "
            "state_words: S0, S1, S2, S90 of a studio's shaker, which give no values"
        ),
    ] = "lines"
    silent_s: Annotated[
        float,
        Meta(ge=1, le=30, description="lines: the board is at fault when nothing arrives for longer than this (ours)"),
    ] = 2.0
    answer_s: Annotated[
        float,
        Meta(
            ge=1,
            le=60,
            description="frames_7a, state_words: the board is at fault when it does not answer within this (public "
            "code of a server waits 15 s)",
        ),
    ] = 15.0
    times: Annotated[
        int, Meta(ge=1, le=5, description="how often the board must report a result alike before it counts (ours)")
    ] = 2


def framer_of(format_: Format) -> Framer:
    """A new framer for a link on which a board of this format sends."""
    return ShakerFramer() if format_ == "frames_7a" else LineFramer(MAX_LENGTH)


# --- formats ----------------------------------------------------------------------------------------------------------

ASK_AGAIN_NS: Final = 1_000_000_000
"""A board whose answer is refused is asked again after this (ours)."""
SHOWN_BYTES: Final = 40
"""How much of a refused frame a doubt repeats."""


MALFORMED: Final[Literal["malformed"]] = "malformed"
FRAMES_LOST: Final[Literal["frames_lost"]] = "frames_lost"
"""Reasons for which one frame is refused; where throws are numbered, it cannot have been one that matters."""


class ReaderWord(NamedTuple):
    """What one frame reports."""

    state: Literal["empty", "moving", "resting", "idle", "fault", "nothing"]
    """`idle`: whatever shook the dice has stopped, and nothing is reported of the dice."""
    throw: int | None = None
    dice: tuple[Die, ...] = ()
    total: int | None = None
    """Where the board reports the total alone."""
    shaken: bool = False
    """The frame itself reports that the dice were shaken for it."""


class RefusedFrame(NamedTuple):
    """A frame that is not taken."""

    reason: ReaderDoubtReason
    detail: str


Word: TypeAlias = ReaderWord | RefusedFrame

_STATES: Final[dict[BoardState, Literal["empty", "moving", "resting", "fault"]]] = {
    BoardState.EMPTY: "empty",
    BoardState.MOVING: "moving",
    BoardState.RESTING: "resting",
    BoardState.FAULT: "fault",
}
_NOTHING: Final = ReaderWord("nothing")


def word_of(format_: Format, data: bytes, dice: int) -> Word:
    """The meaning of a frame of a board that reads this many dice; never raises."""
    return _READERS[format_](data, dice)


def _line(data: bytes, dice: int) -> Word:
    line = parse_line(data)
    if isinstance(line, MalformedReading):
        return _malformed(line)
    return ReaderWord(_STATES[line.state], line.throw, line.dice)


def _frame(data: bytes, dice: int) -> Word:
    frame = parse_frame(data)
    if isinstance(frame, MalformedReading):
        return _malformed(frame)
    if frame.command is FrameCommand.START:
        return ReaderWord("moving")
    if frame.command is FrameCommand.STOP:
        return _NOTHING
    if frame.status != SUCCESS:
        if frame.command is FrameCommand.SHAKE_AND_REPORT and not frame.values:
            # It has received the command: what it shakes is not yet a result.
            return ReaderWord("moving")
        return RefusedFrame("not_recognised", f"the shaker answers with status {frame.status:02X}")
    values, shaken = tuple(frame.values), frame.command is FrameCommand.SHAKE_AND_REPORT
    if len(values) == 1 and dice > 1:
        if not dice <= values[0] <= 6 * dice:
            return RefusedFrame("impossible_value", f"{dice} dice do not total {values[0]}")
        return ReaderWord("resting", None, (), values[0], shaken)
    if not values or not all(1 <= value <= 6 for value in values):
        return RefusedFrame("impossible_value", f"expected values from 1 to 6, saw {list(values)}")
    return ReaderWord("resting", None, tuple(Die("flat", value) for value in values), None, shaken)


def _word(data: bytes, dice: int) -> Word:
    word = parse_word(data)
    if isinstance(word, MalformedReading):
        return _malformed(word)
    match word.word:
        case "shaking":
            return ReaderWord("moving")
        case "idle":
            return ReaderWord("idle")
        case "errors":
            return ReaderWord("fault")
        case "received":
            return _NOTHING


def _malformed(bad: MalformedReading) -> RefusedFrame:
    return RefusedFrame(MALFORMED, f"{bad.why}: {bad.data[:SHOWN_BYTES]!r}")


_READERS: Final[dict[Format, Callable[[bytes, int], Word]]] = {
    "lines": _line,
    "frames_7a": _frame,
    "state_words": _word,
}


# --- throws -----------------------------------------------------------------------------------------------------------

LYING_DOUBTS: Final[dict[Lying, str]] = {
    "cocked": "dice_not_flat",
    "two_sides": "die_on_two_sides",
    "stacked": "die_on_die",
    "off_table": "die_off_table",
    "unread": "not_recognised",
}


class DiceReading(NamedTuple):
    """What a board reports of resting dice."""

    throw: int | None
    dice: tuple[Die, ...]
    total: int | None

    def sum(self) -> int | None:
        """The sum of the dice, where all have a value."""
        values = [die.value for die in self.dice if die.value is not None]
        if self.total is not None or len(values) < len(self.dice) or not values:
            return self.total
        return sum(values)


FoundDoubt: TypeAlias = tuple[ReaderDoubtReason, str]
"""What does not fit, and its detail."""


class ThrowWatch:
    """Follows one throw after the other, and collects the doubts about the one that is there."""

    def __init__(self) -> None:
        self.moving = False
        self._seen = False
        """Whether the beginning of the throw was reported."""
        self._throw: int | None = None
        self._doubts: list[str] = []
        self._shown: DiceReading | None = None
        self._times = 0

    @property
    def doubts(self) -> tuple[str, ...]:
        """The doubts about the throw, in the order in which they came up."""
        return tuple(self._doubts)

    def doubt(self, reason: str) -> None:
        """Notes a doubt about the throw."""
        if reason not in self._doubts:
            self._doubts.append(reason)

    def moves(self, throw: int | None, known: bool) -> list[FoundDoubt]:
        """The dice move; `known` is whether the board had reported before. Returns what does not fit."""
        if self.moving:
            return self._changed(throw)
        before, self._throw = self._throw, throw
        self.moving, self._seen = True, known
        self._doubts, self._shown, self._times = [], None, 0
        if before is None or throw is None or throw == (before + 1) % THROWS:
            return []
        # Throws that were not reported are over; this one was reported from its beginning.
        return [("throw_order", f"throw {throw:03d} after {before:03d}")] if throw == before else []

    def leaves(self) -> None:
        """There are no dice, or the board is at fault: what comes next must begin again."""
        self.moving = self._seen = False
        self._shown = None

    def rests(self, shown: DiceReading) -> list[FoundDoubt]:
        """The dice are at rest. Returns what does not fit; the caller notes each as a doubt."""
        found = self._changed(shown.throw)
        self.moving = False
        if not self._seen:
            found.append(("joined_mid_throw", "the dice are at rest, and no movement before was reported"))
        if self._shown is not None and shown != self._shown:
            found.append(("value_changed", f"{_words(shown)} after {_words(self._shown)}, and no movement between"))
            self._times = 0
        self._shown = shown
        self._times += 1
        return found

    @property
    def shown(self) -> tuple[int | None, ...]:
        """The values of the dice that are there, as they were reported last; none where dice move or are not read."""
        return () if self._shown is None or self.moving else tuple(die.value for die in self._shown.dice)

    @property
    def times(self) -> int:
        """How often in a row the board has reported what it shows."""
        return self._times

    def lying_doubts(self) -> tuple[str, ...]:
        """The doubts that the way in which the dice came to rest gives."""
        shown = self._shown
        doubts = () if shown is None else tuple(LYING_DOUBTS[die.lying] for die in shown.dice if die.lying != "flat")
        return tuple(dict.fromkeys(doubts))

    def _changed(self, throw: int | None) -> list[FoundDoubt]:
        """The board's count of throws may change only where dice begin to move."""
        before = self._throw
        # A number that goes backwards is a late or corrupted line: kept, it would let the number that was already
        # received pass as the next throw.
        if before is None or throw is None or (throw - before) % THROWS < THROWS // 2:
            self._throw = throw
        if before == throw or before is None or throw is None:
            return []
        self._seen = False
        return [("throw_order", f"throw {throw:03d} after {before:03d}, and no movement between")]


def _words(shown: DiceReading) -> str:
    if shown.total is not None:
        return f"a total of {shown.total}"
    return "-".join(str(die.value) if die.lying in VALUED else die.lying for die in shown.dice)


_QUESTIONS: Final = {
    "lines": ASK,
    "frames_7a": encode_frame(ShakerFrame(FrameCommand.QUERY, FROM_HOST)),
    "state_words": b"/state\r\n",
}


class ReaderFrame(Observation, frozen=True, kw_only=True):
    """The board sent a frame that can be read."""

    word: ReaderWord


class ReaderNoise(Observation, frozen=True, kw_only=True):
    """The board sent a frame that is refused, or bytes of its link were lost."""

    reason: ReaderDoubtReason
    detail: str


class ReaderLinkDown(Observation, frozen=True, kw_only=True):
    """The link of the board is down."""

    detail: str


class DiceReader:
    """The driver of one reading board: frames to words; see `drivers.base.driver.Driver`."""

    def __init__(self, config: DiceReaderConfig, dice: int, name: str = "reader") -> None:
        """`dice` is how many of them make a result.

        Raises:
            ValueError: no game has this many dice.
        """
        if dice < 1:
            raise ValueError(f"dice reader: a result has one die or more, not {dice}; give the game's number of dice")
        self.name = name
        self.lines = frozenset({config.link})
        self._format = config.format
        self._dice = dice

    @property
    def next_due_ns(self) -> int | None:
        """The driver waits for nothing."""
        return None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """A reading board has no edges."""
        return []

    def reading(self, reading: Reading) -> list[Observation]:
        """A reading board has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes one frame of the board."""
        if frame.link not in self.lines:
            return []
        word = word_of(self._format, frame.data, self._dice)
        if isinstance(word, RefusedFrame):
            return [ReaderNoise(t_ns=frame.t_ns, reason=word.reason, detail=word.detail)]
        return [ReaderFrame(t_ns=frame.t_ns, word=word)]

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """The link is gone, or bytes of it were thrown away."""
        if loss.line not in self.lines:
            return []
        if loss.cause is Loss.UNPLUGGED:
            return [ReaderLinkDown(t_ns=loss.t_ns, detail=f"{loss.line}: the link is down")]
        return [ReaderNoise(t_ns=loss.t_ns, reason=FRAMES_LOST, detail=f"{loss.cause} on {loss.line}")]

    def due(self, t_ns: int) -> list[Observation]:
        """Time alone changes nothing."""
        return []


class ReaderActuator:
    """Asks one reading board and follows its throws; see `drivers.base.actuator.Actuator`."""

    observes: frozenset[type[Observation]] = frozenset({ReaderFrame, ReaderNoise, ReaderLinkDown})

    def __init__(self, config: DiceReaderConfig, dice: int, name: str = "reader") -> None:
        """`dice` is how many of them make a result."""
        self.name = name
        self.outputs: list[Output] = []
        self._config = config
        self._facts = FACTS[config.format]
        self._dice = dice
        self._silent_ns = round((config.silent_s if self._facts.beats else config.answer_s) * 1e9)
        self._health = SensorHealth()
        self._waits_ns: int | None = None
        """Since when a frame is awaited."""
        self._ask_ns = NEVER_NS
        """When it is asked again: its answer was refused, or it did not answer."""
        self._rest_ns: int | None = None
        """Since when the dice are at rest for which it is asked."""
        self._late = False
        """Whether the next answer may be to a question of before."""
        self._moved = False
        """Whether the board reported a movement since it was last asked for resting dice."""
        self._known = False
        """Whether the board has reported since it was last silent."""
        self._faulty = False
        self._watch = ThrowWatch()
        self._reported: tuple[DiceReading, tuple[str, ...]] | None = None
        """The reading of this throw that was reported last."""
        self._confirm_ns = NEVER_NS
        """When a reading that came too seldom is reported with that doubt."""
        self._pending: DiceReading | None = None
        self._refused: set[str] = set()
        """The reasons of refusals since the last good frame, so that a run of noise is reported once."""

    def view(self, t_ns: int) -> ReaderView:
        """What the board has reported up to `t_ns`."""
        watch = self._watch
        values = watch.shown
        facts = (
            ("dice", "moving" if watch.moving else "at rest" if values else "nothing read"),
            ("read", "-".join("?" if value is None else str(value) for value in values) or "-"),
            ("reported alike", f"{watch.times} times"),
            ("board", "AT FAULT" if self._faulty else "in order"),
        )
        return ReaderView(
            facts=facts,
            doubts=(*watch.doubts, *watch.lying_doubts(), *sorted(self._refused), *dead_lines(self._health)),
            moving=watch.moving,
            values=values,
            dice=self._dice,
            faulty=self._faulty,
        )

    @property
    def next_due_ns(self) -> int:
        """When the board has been silent or a reading waited for its repetition too long, or it is asked again."""
        return min(self._silent_due_ns(), self._confirm_ns, self._ask_ns)

    def ask(self, t_ns: int) -> None:
        """Asks the board how the dice came to rest; its answer is due within `answer_s`."""
        if self._waits_ns is None:
            self._waits_ns = t_ns
        self._ask_ns = NEVER_NS
        self.outputs.append(SendFrame(self._config.link, _QUESTIONS[self._config.format], t_ns))

    def dice_rest(self, t_ns: int) -> None:
        """The dice are at rest, as what set them going proves: a board of values that only answers is asked for them.

        Where the board itself has reported that they moved, it follows the throw by itself.
        """
        if not self._facts.asked:
            return
        moved, self._moved = self._moved, False
        if moved and (self._watch.shown or self._refused):
            return
        if not moved:
            self._forget()
            self._watch = ThrowWatch()
            self._watch.moves(None, known=True)
        self._rest_ns, self._late = t_ns, self._waits_ns is not None
        self.ask(t_ns)

    def rest(self, t_ns: int) -> list[Output]:
        """A board that only reads needs none."""
        return []

    def observe(self, seen: Observation) -> list[Observation]:
        """Takes a frame, noise, or that the link is down."""
        found: list[Observation] = []
        if isinstance(seen, ReaderFrame):
            self._take(seen.word, seen.t_ns, found)
        elif isinstance(seen, ReaderNoise):
            self._refuse(seen, found)
        elif isinstance(seen, ReaderLinkDown):
            self._silent(seen.detail, seen.t_ns, found)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Meets the deadlines up to `t_ns`."""
        found: list[Observation] = []
        if self._waits_ns is None and self._facts.beats:
            self._waits_ns = t_ns
        while (due_ns := self.next_due_ns) <= t_ns:
            if due_ns == self._ask_ns:
                self.ask(due_ns)
                if self._health.dead:
                    self._ask_ns = due_ns + self._silent_ns
            elif due_ns == self._confirm_ns:
                self._confirm_ns = NEVER_NS
                reading, self._pending = self._pending, None
                if reading is not None:
                    detail = f"reported {self._watch.times} times alike, expected {self._config.times}"
                    self._doubt("unconfirmed", detail, due_ns, found)
                    self._report(reading, due_ns, found)
            else:
                self._silent(f"nothing arrived for {self._silent_ns / 1e9:g} s", due_ns, found)
        return found

    def _silent_due_ns(self) -> int:
        if self._waits_ns is None or self._health.dead:
            return NEVER_NS
        return self._waits_ns + self._silent_ns

    def _silent(self, why: str, t_ns: int, found: list[Observation]) -> None:
        """The board is silent: who threw what is there when it reports again is not known."""
        self._health.line_failed(self._config.link, "sensor_missing", why, t_ns, found)
        self._waits_ns = None
        self._ask_ns = NEVER_NS if self._facts.beats else t_ns + self._silent_ns
        self._known = False
        self._forget()
        self._watch = ThrowWatch()

    def _take(self, word: ReaderWord, t_ns: int, found: list[Observation]) -> None:
        self._health.line_active(self._config.link, t_ns, found)
        self._waits_ns = t_ns if self._facts.beats else None
        self._ask_ns = NEVER_NS
        self._refused.clear()
        known, self._known = self._known, True
        if (word.state == "fault") is not self._faulty and word.state != "nothing":
            self._faulty = word.state == "fault"
            found.append(ReaderFault(t_ns=t_ns, active=self._faulty))
        match word.state:
            case "moving":
                self._move(word.throw, known, t_ns, found)
            case "resting" if self._late:
                self._late = False
                self.ask(t_ns)
            case "resting":
                if word.shaken and not self._watch.moving:
                    self._move(word.throw, known, t_ns, found)
                self._rest(DiceReading(word.throw, word.dice, word.total), t_ns, found)
            case "idle":
                if self._watch.moving:
                    found.append(DiceShaken(t_ns=t_ns))
                self._watch.moving = False
            case "empty" | "fault":
                self._forget()
                self._watch.leaves()

    def _move(self, throw: int | None, known: bool, t_ns: int, found: list[Observation]) -> None:
        self._moved = True
        began = not self._watch.moving
        self._doubts(self._watch.moves(throw, known), t_ns, found)
        if began:
            self._forget()
            found.append(DiceMoving(t_ns=t_ns, joined=not known))

    def _rest(self, reading: DiceReading, t_ns: int, found: list[Observation]) -> None:
        watch = self._watch
        self._doubts(watch.rests(reading), t_ns, found)
        if reading.total is not None:
            watch.doubt("total_only")
        elif len(reading.dice) != self._dice and "dice_count" not in watch.doubts:
            self._doubt("dice_count", f"expected {self._dice} dice, saw {len(reading.dice)}", t_ns, found)
        if watch.times >= self._config.times:
            self._pending, self._confirm_ns = None, NEVER_NS
            self._report(reading, t_ns, found)
            return
        self._pending = reading
        if self._confirm_ns == NEVER_NS:
            self._confirm_ns = t_ns + self._silent_ns
        if not self._facts.beats:
            self.ask(t_ns)

    def _report(self, reading: DiceReading, t_ns: int, found: list[Observation]) -> None:
        doubts = tuple(dict.fromkeys((*self._watch.doubts, *self._watch.lying_doubts())))
        if self._reported == (reading, doubts):
            return
        self._reported = (reading, doubts)
        found.append(
            DiceRead(
                t_ns=t_ns,
                dice=tuple(die.value for die in reading.dice),
                lying=tuple(die.lying for die in reading.dice),
                total=reading.sum(),
                throw=reading.throw,
                agreed=not doubts,
                doubts=doubts,
            )
        )

    def _forget(self) -> None:
        """Drops what was read: it is of a throw that is over."""
        self._pending, self._reported, self._confirm_ns = None, None, NEVER_NS

    def _doubts(self, doubts: Sequence[FoundDoubt], t_ns: int, found: list[Observation]) -> None:
        for reason, detail in doubts:
            if reason == "joined_mid_throw" and reason in self._watch.doubts:
                continue
            self._doubt(reason, detail, t_ns, found)

    def _doubt(self, reason: ReaderDoubtReason, detail: str, t_ns: int, found: list[Observation]) -> None:
        self._watch.doubt(reason)
        found.append(ReaderDoubt(t_ns=t_ns, reason=reason, detail=detail))

    def _refuse(self, noise: ReaderNoise, found: list[Observation]) -> None:
        """Doubts a frame that is not taken; a run of such frames is reported once, until a good one comes."""
        if self._facts.noise_doubts or noise.reason not in (MALFORMED, FRAMES_LOST):
            self._watch.doubt(noise.reason)
        if noise.reason not in (MALFORMED, FRAMES_LOST):
            self._health.line_active(self._config.link, noise.t_ns, found)
        if self._waits_ns is not None and self._rest_ns is not None:
            again_ns = noise.t_ns + ASK_AGAIN_NS
            asks = again_ns < self._rest_ns + self._silent_ns
            self._waits_ns, self._ask_ns = (noise.t_ns, again_ns) if asks else (None, NEVER_NS)
        if noise.reason not in self._refused:
            self._refused.add(noise.reason)
            found.append(ReaderDoubt(t_ns=noise.t_ns, reason=noise.reason, detail=noise.detail))
