"""The movements that prove the equipment of dice: tumbled, dropped, pressed, covered, and a die of each face read."""

from __future__ import annotations

from typing import Final

from drivers.base.movement import Movement, MovementResult, Recording, failed, in_order, observe, press, unusable
from drivers.dice.automated_shaker import PRESENT, AutomatedShakerConfig
from drivers.dice.cage import SHAKE as CAGE_SHAKE
from drivers.dice.cage import Cage, CageConfig
from drivers.dice.chute import ChuteConfig
from drivers.dice.keypad import CLEAR, ENTER, VALUES, DiceKeypadConfig
from drivers.dice.observations import CageInverted
from drivers.dice.reader import DiceReaderConfig
from drivers.dice.reader_wire import BoardLine, BoardState, parse_line
from drivers.dice.shaker import COVER, SHAKE, ShakerConfig

INVERSIONS: Final = 5
"""As often a person inverts the cage (ours): more than the rules' three, and an odd number, so that it ends other way
up."""
FACES: Final = range(1, 7)


def cage_movements(config: CageConfig) -> list[Movement]:
    """The movement of a cage: a known number of inversions."""
    turning = ("cage_a", "cage_b") if config.sensing == "encoder" else ("cage_turn",)
    lines = (*turning, CAGE_SHAKE)

    def judge(recording: Recording) -> MovementResult:
        wrong = unusable(recording, lines)
        if wrong is not None:
            return wrong
        counted = [one.inversions for one in observe(Cage(config), recording) if isinstance(one, CageInverted)]
        most = max(counted, default=0)
        if most != INVERSIONS:
            return failed(
                f"{most} inversions were counted, and {INVERSIONS} were asked for",
                "begin with the cage upright and the dice at rest, turn it over five times without a long pause; "
                "if it happens again, look at its sensor (fewer) or at hold_ms (more)",
            )
        return MovementResult(True, f"{INVERSIONS} inversions, and the dice were heard")

    instruction = f"Turn the cage over {INVERSIONS} times, at the speed of play, and wait until the dice are at rest"
    return [Movement("invert_cage", instruction, lines, judge, INVERSIONS)]


def chute_movements(config: ChuteConfig) -> list[Movement]:
    """The movement of a chute: one die, from the top."""
    lines = tuple(f"chute_{baffle}" for baffle in range(1, config.baffles + 1))
    return [in_order("drop_die", "Let one die fall through the chute from the top", lines)]


def shaker_movements(config: ShakerConfig) -> list[Movement]:
    """The movements of a manual shaker."""
    del config  # a shaker has no keys that change its movements
    return [
        press(COVER, "With the cover off, put it on for a second, and take it off again", (SHAKE,)),
        press(SHAKE, "With the cover off, jerk the shaker once, and leave it", (COVER,)),
    ]


def automated_shaker_movements(config: AutomatedShakerConfig) -> list[Movement]:
    """The movement of an automated shaker: taken from its place."""
    if not config.present_sensor:
        return []

    def judge(recording: Recording) -> MovementResult:
        levels = [level for line, level, _ in recording.edges if line == PRESENT]
        if levels[:1] != [1] or 0 not in levels or levels[-1] != 1:
            shown = " ".join(map(str, levels)) or "nothing"
            fix = "begin and end with the shaker in its place; if you did, write inverted the other way"
            return failed(f"{PRESENT} was {shown}", fix)
        return MovementResult(True, f"{PRESENT} went to 0 and back")

    return [Movement("take_shaker", "Take the shaker from its place, and put it back", (PRESENT,), judge)]


def dice_keypad_movements(config: DiceKeypadConfig) -> list[Movement]:
    """The movements of a keypad: each key alone."""
    del config  # a keypad has no keys that change its movements
    keys = {line: str(value) for line, value in VALUES.items()} | {ENTER: "ENTER", CLEAR: "CLEAR"}
    return [press(line, f"Press and let go of the key {name}", tuple(keys)) for line, name in keys.items()]


def dice_reader_movements(config: DiceReaderConfig) -> list[Movement]:
    """The movements of a reading board: a die of each face. Only its own lines carry values without a question; a board
    that sends nothing unasked has none.
    """
    if config.format == "frames_7a":
        return []
    if config.format == "state_words":
        return [_speaks(config)]
    return [_face(config, face) for face in FACES]


def _face(config: DiceReaderConfig, face: int) -> Movement:
    def judge(recording: Recording) -> MovementResult:
        frames = recording.frames(config.link)
        lines = [line for line in map(parse_line, frames) if isinstance(line, BoardLine)]
        if not lines:
            heard = f"{len(frames)} frames, none of them a line of ours" if frames else "nothing"
            return failed(f"{heard} arrived on {config.link}", "check TX, ground, baud and the port in [links]")
        last = lines[-1]
        if last.state is not BoardState.RESTING or len(last.dice) != 1:
            seen = f"{len(last.dice)} dice" if last.state is BoardState.RESTING else f"state {last.state.name.lower()}"
            return failed(f"the board reported {seen}", "put one die where it reads, and nothing else; wait a second")
        value = last.dice[0].value
        if last.dice[0].lying != "flat" or value != face:
            shown = f"{last.dice[0].lying}, {value}" if value is not None else last.dice[0].lying
            return failed(
                f"the board read {shown}, and {face} is there",
                "clean the window and the die; if it happens again, the board's own set-up has the faces wrong",
            )
        return MovementResult(True, f"the board read {face}")

    instruction = f"Put one die where the board reads, {face} up, and take the others away"
    return Movement(f"read_{face}", instruction, (config.link,), judge, face)


def _speaks(config: DiceReaderConfig) -> Movement:
    def judge(recording: Recording) -> MovementResult:
        count = len(recording.frames(config.link))
        if not count:
            return failed(f"nothing arrived on {config.link}", "check TX, RX, ground, baud and the port in [links]")
        return MovementResult(True, f"{count} frames arrived")

    return Movement("shake_once", "Have the shaker toss once by its own button", (config.link,), judge)
