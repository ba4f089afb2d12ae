"""Card equipment as devices: its lines, and what makes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from drivers.base.device_spec import Device, DeviceSpec, LineUse, Recorded, RecordedError, by_keys, by_keys_and_name
from drivers.cards import card_reader, shoe, shuffler
from drivers.cards.card_reader import CardReader, CardReaderConfig
from drivers.cards.card_way import BARRIERS, EMPTY, JAM, LID, MOUTH, OUTSIDE
from drivers.cards.discard_rack import CARD, DiscardRack, DiscardRackConfig
from drivers.cards.movements import shoe_movements
from drivers.cards.progressive import LOCK, AcceptorActuator, Acceptors, ProgressiveConfig, acceptor, lamp
from drivers.cards.shoe import CUT, GATES, Shoe, ShoeConfig
from drivers.cards.shuffler import Shuffler, ShufflerConfig
from drivers.cards.shuffler_actuator import ShufflerActuator
from drivers.cards.shuffling_shoe import INTAKE, ShufflingShoe, ShufflingShoeConfig
from hal.capture.secret import PublicPart


def barrier_lines() -> dict[str, LineUse]:
    """The two barriers in the card's way."""
    covered, output = "a card covers it", "output of the light barrier"
    return {
        MOUTH: LineUse("light barrier 1 of the shoe, at its mouth", covered, output),
        OUTSIDE: LineUse("light barrier 2 of the shoe, outside the mouth", covered, output),
    }


def body_lines() -> dict[str, LineUse]:
    """What the body of a shoe reports."""
    return {
        EMPTY: LineUse("sensor of an empty shoe", "no card is in it", "output of the sensor", required=False),
        LID: LineUse("lid of the shoe", "the lid is open", "output of the lid's switch", required=False),
        JAM: LineUse("jam of the shoe", "a card is jammed", "output JAM of the shoe", required=False),
    }


def shoe_lines(config: ShoeConfig) -> dict[str, LineUse]:
    """The lines of a reading shoe: its barriers, the sensors of its body, and its link."""
    lines = barrier_lines() if config.barriers else {}
    if config.body:
        at_mouth = "the cutting card is at the mouth"
        lines[CUT] = LineUse("sensor of the cutting card", at_mouth, "output of the sensor", required=False)
        lines |= body_lines()
    if config.double:
        for side, gate in enumerate(GATES, 1):
            contact = "output of the gate's contact"
            lines[gate] = LineUse(f"gate of compartment {side} of the double shoe", "it is open", contact)
    lines[config.link] = LineUse("reading shoe", "19200 8N1", "serial port of the shoe", "link")
    return lines


def _recorded(keys: ShoeConfig, name: str, wires: Collection[str]) -> ShoeConfig:
    """A capture has both barriers of a shoe, or none."""
    seen = [line for line in BARRIERS if line in wires]
    if len(seen) == 1:
        other = BARRIERS[1 - BARRIERS.index(seen[0])]
        raise RecordedError(f"the capture has {seen[0]} and no {other}", "record both barriers of the shoe, or none")
    return msgspec.structs.replace(keys, barriers=bool(seen))


def shuffling_shoe_lines(config: ShufflingShoeConfig) -> dict[str, LineUse]:
    """The lines of a continuous shuffling shoe: its barriers, its intake, and the sensors of its body."""
    lines = barrier_lines()
    lines[INTAKE] = LineUse("intake of the shoe", "a card passes", "output of the intake's optics")
    if config.body:
        lines |= body_lines()
    return lines


SHUFFLING_SHOE = DeviceSpec(
    name="shuffling_shoe",
    keys=ShufflingShoeConfig,
    lines=shuffling_shoe_lines,
    make=by_keys_and_name(ShufflingShoe),
)


SHOE = DeviceSpec(
    name="shoe",
    keys=ShoeConfig,
    lines=shoe_lines,
    make=by_keys(Shoe),
    recorded=Recorded(BARRIERS, _recorded),
    secrets=lambda keys: {keys.link: shoe.public_part_of(keys)},
    movements=lambda keys, wired: shoe_movements(keys),
)


def shuffler_lines(config: ShufflerConfig) -> dict[str, LineUse]:
    """The lines of a shuffler: its contacts and its counter, or its link."""
    lines: dict[str, LineUse] = {}
    if config.control == "serial":
        lines[config.link] = LineUse("shuffler", "19200 8N1", "serial port of the shuffler", "link")
    else:
        lines[shuffler.BUSY] = LineUse("cycle of the shuffler", "it shuffles", "output BUSY of the shuffler")
        lines[shuffler.COMPLETE] = LineUse("complete cycle", "the cycle is complete", "output COMPLETE of the shuffler")
        lines[shuffler.JAM] = LineUse("jam of the shuffler", "a card is jammed", "output JAM of the shuffler")
        lines[shuffler.DOOR] = LineUse("door of the shuffler", "the door is open", "output of the door's switch")
        if config.counter:
            lines[shuffler.CARD] = LineUse("counter of the shuffler", "a card passes", "output of the counter's optics")
    if config.present_sensor:
        lines[shuffler.PRESENT] = LineUse("place of the shuffler", "it is at the table", "output of the sensor")
    return lines


def _shuffler(keys: ShufflerConfig, name: str, parts: Sequence[str]) -> Device:
    return Device(Shuffler(keys, name), ShufflerActuator(keys, name) if keys.control == "serial" else None)


def card_reader_lines(config: CardReaderConfig) -> dict[str, LineUse]:
    """The link of a card reader."""
    return {config.link: LineUse("card reader", "19200 8N1", "serial port of the card reader", "link")}


def _shuffler_secrets(keys: ShufflerConfig) -> dict[str, PublicPart]:
    return {keys.link: shuffler.public_part} if keys.control == "serial" else {}


def _reader_secrets(keys: CardReaderConfig) -> dict[str, PublicPart]:
    return {keys.link: card_reader.public_part}


SHUFFLER = DeviceSpec(
    name="shuffler",
    keys=ShufflerConfig,
    lines=shuffler_lines,
    make=_shuffler,
    secrets=_shuffler_secrets,
)
CARD_READER = DeviceSpec(
    name="card_reader",
    keys=CardReaderConfig,
    lines=card_reader_lines,
    make=by_keys_and_name(CardReader),
    secrets=_reader_secrets,
)


def discard_rack_lines(config: DiscardRackConfig) -> dict[str, LineUse]:
    """The counter of a discard rack."""
    del config  # it has one counter
    return {CARD: LineUse("counter of the discard rack", "a card passes", "output of the counter's optics")}


DISCARD_RACK = DeviceSpec(
    name="discard_rack", keys=DiscardRackConfig, lines=discard_rack_lines, make=by_keys_and_name(DiscardRack)
)


def progressive_lines(config: ProgressiveConfig) -> dict[str, LineUse]:
    """The sensor and the lamp of each position, and the lock-out of all of them."""
    lines: dict[str, LineUse] = {}
    for position in range(1, config.positions + 1):
        sensor = "output of the acceptor's sensor"
        lines[acceptor(position)] = LineUse(f"acceptor of position {position}", "a wager is in it", sensor)
        driver = "input of the lamp's driver"
        lines[lamp(position)] = LineUse(f"lamp of position {position}", "lit", driver, "output")
    lines[LOCK] = LineUse("lock-out of the acceptors", "no wager is taken", "input LOCK", "output", required=False)
    return lines


PROGRESSIVE = DeviceSpec(
    name="progressive",
    keys=ProgressiveConfig,
    lines=progressive_lines,
    make=by_keys_and_name(Acceptors, AcceptorActuator),
)
