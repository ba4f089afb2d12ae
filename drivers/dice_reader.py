"""A board that reads the dice and says so over a serial line, in one of three formats.

    board      M M M M   R R R R R          our lines; the others have fewer words
               │         │
          DiceMoving   DiceRead (once for each throw, and again where the board changes its mind)

A reading is `agreed` only when the board was heard from the throw's first movement on, every die lies flat, and what it
says came as often as its checksum is worth. Everything else is told with its doubts, and is for a person to decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from drivers.dice_frame_wire import FROM_HOST, Command, ShakerFrame, encode_frame
from drivers.dice_observations import DiceMoving, DiceRead, DiceShaken, ReaderDoubt, ReaderFault, ReaderToAsk
from drivers.dice_reader_config import FACTS, DiceReaderConfig
from drivers.dice_reader_wire import ASK
from drivers.dice_reader_words import Refused, Said, said
from drivers.dice_throw_watch import Shown, ThrowWatch
from drivers.driver import NEVER_NS, Observation
from drivers.sensor_health import SensorHealth
from hal.output_values import SendFrame
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

_QUESTIONS: Final = {
    "lines": ASK,
    "frames_7a": encode_frame(ShakerFrame(Command.QUERY, FROM_HOST)),
    "state_words": b"/state\r\n",
}


class DiceReader:
    """The driver of one reading board; see `drivers.driver.Driver`."""

    def __init__(self, config: DiceReaderConfig, dice: int, name: str = "reader") -> None:
        """`dice` is how many of them make a result.

        Raises:
            ValueError: no game has so many dice.
        """
        if dice < 1:
            raise ValueError(f"dice reader: a result has one die or more, not {dice}; give the game's number of dice")
        self.name = name
        self.lines = frozenset({config.link})
        self._config = config
        self._facts = FACTS[config.format]
        self._dice = dice
        self._silent_ns = round((config.silent_s if self._facts.beats else config.answer_s) * 1e9)
        self._health = SensorHealth()
        self._waits_ns: int | None = None
        """Since when something is waited for."""
        self._known = False
        """Whether the board has been heard since it was last silent."""
        self._faulty = False
        self._watch = ThrowWatch()
        self._told: tuple[Shown, tuple[str, ...]] | None = None
        """The reading that was told last of this throw."""
        self._confirm_ns = NEVER_NS
        """When a reading that was said too seldom is told with that doubt."""
        self._pending: Shown | None = None
        self._refused: set[str] = set()
        """The reasons of refusals since the last good frame, so that a run of noise is told once."""

    @property
    def next_due_ns(self) -> int | None:
        """When the board has been silent for too long, or a reading waited too long for being said again."""
        due_ns = min(self._silent_due_ns(), self._confirm_ns)
        return due_ns if due_ns < NEVER_NS else None

    def ask(self, t_ns: int) -> SendFrame:
        """The question to send: from now on an answer is waited for."""
        if self._waits_ns is None:
            self._waits_ns = t_ns
        return SendFrame(self._config.link, _QUESTIONS[self._config.format], t_ns)

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
        found: list[Observation] = []
        self._pass_time(frame.t_ns - 1, found)
        word = said(self._config.format, frame.data, self._dice)
        if isinstance(word, Refused):
            self._refuse(word, frame.t_ns, found)
        else:
            self._hear(word, frame.t_ns, found)
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """The link is gone, or bytes of it were thrown away."""
        found: list[Observation] = []
        if loss.line not in self.lines:
            return found
        self._pass_time(loss.t_ns - 1, found)
        if loss.cause is Loss.UNPLUGGED:
            self._silent(f"{loss.line}: the link is down", loss.t_ns, found)
        else:
            self._refuse(Refused("frames_lost", f"{loss.cause} on {loss.line}"), loss.t_ns, found)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Lets time pass."""
        found: list[Observation] = []
        if self._waits_ns is None and self._facts.beats:
            self._waits_ns = t_ns
        self._pass_time(t_ns, found)
        return found

    # --- time ----------------------------------------------------------------------------------------------------

    def _silent_due_ns(self) -> int:
        if self._waits_ns is None or self._health.dead:
            return NEVER_NS
        return self._waits_ns + self._silent_ns

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while (t_ns := min(self._silent_due_ns(), self._confirm_ns)) <= until_ns:
            if t_ns == self._confirm_ns:
                self._confirm_ns = NEVER_NS
                shown, self._pending = self._pending, None
                if shown is not None:
                    detail = f"said {self._watch.times} times alike, expected {self._config.times}"
                    self._doubt("unconfirmed", detail, t_ns, found)
                    self._tell(shown, t_ns, found)
            else:
                self._silent(f"nothing came for {self._silent_ns / 1e9:g} s", t_ns, found)

    def _silent(self, why: str, t_ns: int, found: list[Observation]) -> None:
        """The board is not heard: what lies there when it is heard again was thrown by nobody knows whom."""
        self._health.die(self._config.link, "sensor_missing", why, t_ns, found)
        self._waits_ns = None
        self._known = False
        self._forget()
        self._watch = ThrowWatch()

    # --- what the board says -------------------------------------------------------------------------------------

    def _hear(self, word: Said, t_ns: int, found: list[Observation]) -> None:
        self._health.hear(self._config.link, t_ns, found)
        self._waits_ns = t_ns if self._facts.beats else None
        self._refused.clear()
        known, self._known = self._known, True
        if (word.state == "fault") is not self._faulty and word.state != "nothing":
            self._faulty = word.state == "fault"
            found.append(ReaderFault(t_ns=t_ns, active=self._faulty))
        match word.state:
            case "moving":
                self._move(word.throw, known, t_ns, found)
            case "resting":
                if word.shaken and not self._watch.moving:
                    self._move(word.throw, known, t_ns, found)
                self._rest(Shown(word.throw, word.dice, word.total), t_ns, found)
            case "idle":
                if self._watch.moving:
                    found.append(DiceShaken(t_ns=t_ns))
                self._watch.moving = False
            case "empty" | "fault":
                self._forget()
                self._watch.leaves()

    def _move(self, throw: int | None, known: bool, t_ns: int, found: list[Observation]) -> None:
        began = not self._watch.moving
        self._doubts(self._watch.moves(throw, known), t_ns, found)
        if began:
            self._forget()
            found.append(DiceMoving(t_ns=t_ns, joined=not known))

    def _rest(self, shown: Shown, t_ns: int, found: list[Observation]) -> None:
        watch = self._watch
        self._doubts(watch.rests(shown), t_ns, found)
        if shown.total is not None:
            watch.doubt("total_only")
        elif len(shown.dice) != self._dice and "dice_count" not in watch.doubts:
            self._doubt("dice_count", f"expected {self._dice} dice, saw {len(shown.dice)}", t_ns, found)
        if watch.times >= self._config.times:
            self._pending, self._confirm_ns = None, NEVER_NS
            self._tell(shown, t_ns, found)
            return
        self._pending = shown
        if self._confirm_ns == NEVER_NS:
            self._confirm_ns = t_ns + self._silent_ns
        if not self._facts.beats:
            found.append(ReaderToAsk(t_ns=t_ns))

    def _tell(self, shown: Shown, t_ns: int, found: list[Observation]) -> None:
        doubts = tuple(dict.fromkeys((*self._watch.doubts, *self._watch.lying_doubts())))
        if self._told == (shown, doubts):
            return
        self._told = (shown, doubts)
        found.append(
            DiceRead(
                t_ns=t_ns,
                dice=tuple(die.value for die in shown.dice),
                lying=tuple(die.lying for die in shown.dice),
                total=shown.sum(),
                throw=shown.throw,
                agreed=not doubts,
                doubts=doubts,
            )
        )

    def _forget(self) -> None:
        """What was read is of a throw that is over."""
        self._pending, self._told, self._confirm_ns = None, None, NEVER_NS

    def _doubts(self, doubts: Sequence[tuple[str, str]], t_ns: int, found: list[Observation]) -> None:
        for reason, detail in doubts:
            if reason == "joined_mid_throw" and reason in self._watch.doubts:
                continue
            self._doubt(reason, detail, t_ns, found)

    def _doubt(self, reason: str, detail: str, t_ns: int, found: list[Observation]) -> None:
        self._watch.doubt(reason)
        found.append(ReaderDoubt(t_ns=t_ns, reason=reason, detail=detail))

    def _refuse(self, refused: Refused, t_ns: int, found: list[Observation]) -> None:
        """Doubts a frame that is not taken; a run of such frames is told once, until a good one comes."""
        if self._facts.noise_doubts or refused.reason not in ("malformed", "frames_lost"):
            self._watch.doubt(refused.reason)
        if refused.reason not in self._refused:
            self._refused.add(refused.reason)
            found.append(ReaderDoubt(t_ns=t_ns, reason=refused.reason, detail=refused.detail))
