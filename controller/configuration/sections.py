"""The sections of a table's file, declared key by key."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from controller.configuration.validation import OtherWord
from controller.rules.profile import DEFAULT_PROFILE
from feed.card_record import MISREADS_IN_1000
from feed.pace import IDLE_NS
from feed.statistics import DEFAULT_HISTORY, LEAST_HISTORY, MOST_HISTORY
from hal.board.chips import CHIPS
from hal.clock import NS_PER_S

PACKAGE_NAME: Final = r"\A[A-Za-z0-9]+([-_.]+[A-Za-z0-9]+)*\Z"
"""The name of a package, as an index has it."""
MOST_PACKAGES: Final = 16
"""This many packages a file can name (ours)."""
CallBy = Literal["button", "auto"]
Opens = Literal["at_start", "by_order"]
Repeats = Literal["warn", "shut", "off"]
InspectionAt = Literal["none", "opening"]
Calibration = Literal["required", "waived"]
Pull = Literal["up", "down", "none"]
Parity = Literal["none", "even", "odd"]
Name = Annotated[
    str, Meta(pattern=r"\A[!-~]+( [!-~]+)*\Z", max_length=64, description="write plain letters, digits and signs")
]
Port = Annotated[
    str, Meta(pattern=r"\A[!-~]+( [!-~]+)*\Z", max_length=256, description="write a device or a URL, in ASCII")
]

BoardKindName = Literal["wheel", "table", "reel", "pusher"]
"""The kinds of boards, with the names of the board protocol (`hal.board.messages.KINDS`)."""
ChipName = Literal["atmega328p", "rp2040", "rp2040_usb", "rp2350"]
"""What boards are built on (`hal.board.chips.CHIPS`)."""

Side = Literal["input", "output", "analogue"]
SIDES: Final[tuple[Side, ...]] = ("input", "output", "analogue")
"""What a terminal of a board can be."""

_NOUNS: Final[dict[Side, str]] = {"input": "input", "output": "output", "analogue": "analogue channel"}


_SHOWN = r"\A[^ ]([\s\S]*[^ ])?\Z"
"""A text that a board shows: some characters, and no space around them. That it is one line that can be printed is
checked of every text (`validation`)."""


class LabelKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of `labels` in `[table]`: the table's name in one language."""

    language: Annotated[
        str,
        Meta(
            pattern=r"\A[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z",
            description="write the tag of a language, such as en or es-US",
            examples=["en"],
        ),
    ]
    name: Annotated[
        str,
        Meta(pattern=_SHOWN, max_length=64, description="write the table's name on one line", examples=["Roulette 3"]),
    ]
    short: Annotated[
        Annotated[str, Meta(pattern=_SHOWN, max_length=12, description="write up to 12 characters on one line")] | None,
        Meta(description="the same in up to 12 characters, where a board has little room"),
    ] = None


class LimitKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of `limits` in `[table]`: what may be staked."""

    minimum: Annotated[float, Meta(ge=0, le=1e9, description="the least stake", examples=[5])]
    maximum: Annotated[Annotated[float, Meta(gt=0, le=1e9)] | None, Meta(description="the greatest stake")] = None
    bet: Annotated[
        Annotated[str, Meta(pattern=_SHOWN, max_length=64, description="write a wager on one line")] | None,
        Meta(description="the wager, in the words of the layout; without it, every wager without limits of its own"),
    ] = None


_MEANT_CALLS: Final = {
    **dict.fromkeys(("true", "dealer", "manual", "by_hand", "dealer_no_more_bets"), "button"),
    **dict.fromkeys(("false", "automatic", "controller"), "auto"),
}


class TableSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[table]`: which table this is, and what is played by which rules."""

    id: Annotated[
        str,
        Meta(
            pattern=r"\A[a-z0-9]+(-[a-z0-9]+)*\Z",
            max_length=64,
            description="write lower-case letters, digits and single hyphens, such as roulette-1",
            examples=["roulette-1"],
        ),
    ]
    game: Annotated[str, Meta(description="what is played at the table", examples=["roulette"])]
    rules: Annotated[
        str | None,
        Meta(
            description=f"the rules profile; without it {DEFAULT_PROFILE}, or, with a warning, the newest that has the "
            "game",
            extra={"cite": "ours"},
        ),
    ] = None
    packages: Annotated[
        tuple[Annotated[str, Meta(pattern=PACKAGE_NAME, description="write the name that pip has")], ...],
        Meta(
            max_length=MOST_PACKAGES,
            description="the packages of others whose games, devices, backends and rules this table may use; each is "
            "imported, and can do anything (docs/plugins.md)",
            examples=[["small-wheel"]],
            extra={"cite": "ours"},
        ),
    ] = ()
    no_more_bets: Annotated[
        CallBy | None,
        Meta(
            description="who calls it: the dealer with a button, or the controller by itself; required with real "
            'wires, but of a machine, which has no such call; "button" under sim, and under capture by the wires of '
            "the capture",
            extra={"meant": _MEANT_CALLS},
        ),
    ] = None
    opens: Annotated[
        Opens | None,
        Meta(
            description="whether the table opens by itself when the service starts, or by a supervisor's order or key; "
            'without it, "by_order" with real wires or an inspection, and "at_start" under sim and capture',
            extra={"cite": "ours"},
        ),
    ] = None
    inspection: Annotated[
        InspectionAt,
        Meta(
            description='with "opening", the table opens only after its device was inspected and passed',
            extra={"cite": "ours"},
        ),
    ] = "none"
    calibration: Annotated[
        Calibration,
        Meta(
            description="with real wires: whether the table stays shut without a calibration that fits (feltwire "
            "calibrate); a waiver is for a bench, is published each time the table begins, and is in its status",
            extra={"cite": "ours"},
        ),
    ] = "required"
    certificate: Annotated[
        Calibration,
        Meta(
            description="of a machine with real wires: whether it stays shut where it is not what was certified "
            "(feltwire certify); a waiver is for a bench, is published each time the machine begins, and is in its "
            "status",
            extra={"cite": "13:47-20.15(d)"},
        ),
    ] = "required"
    certified_by: Annotated[
        str,
        Meta(
            pattern=r"\A([0-9a-f]{64})?\Z",
            description="the public half of the key that signs a machine's certificate, 64 hexadecimal digits; empty: "
            "the table's own key",
            extra={"cite": "ours"},
        ),
    ] = ""
    bias_watch: Annotated[
        bool,
        Meta(
            description="whether a warning is published when the results of dice or a wheel are unlikely to be fair",
            extra={"cite": "ours"},
        ),
    ] = True
    repeats: Annotated[
        Repeats,
        Meta(
            description="what follows where one pocket, space or throw comes more often in a row than chance allows, "
            "as from a reader that is stuck: a warning, a fault that shuts the table, or nothing",
            extra={"cite": "ours"},
        ),
    ] = "warn"
    labels: Annotated[
        tuple[LabelKeys, ...],
        Meta(
            max_length=16,
            description="the table's name for spectators: { language, name, short } for each language, its own first",
        ),
    ] = ()
    limits: Annotated[
        tuple[LimitKeys, ...],
        Meta(
            max_length=64,
            description="the posted stakes, for spectators: { minimum, maximum, bet } for each wager or for all; "
            "nothing is checked by them",
        ),
    ] = ()
    limits_unit: Annotated[
        Annotated[str, Meta(pattern=_SHOWN, max_length=12, description="write what the limits count, such as chips")]
        | None,
        Meta(description="what limits count, such as USD or chips"),
    ] = None

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        if self.opens == "at_start" and self.inspection == "opening":
            wrong = 'is "at_start", but inspection = "opening" requires an inspection before the table opens'
            return [("opens", wrong, 'remove it, or write opens = "by_order"'), *self._posted_problems()]
        return self._posted_problems()

    def _posted_problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between labels, and between limits."""
        found: list[tuple[str, str, str]] = []
        for key, names in (
            ("labels", [label.language for label in self.labels]),
            ("limits", [limit.bet for limit in self.limits]),
        ):
            found += [
                (f"{key}[{index}]", "is the second one for " + (name or "every wager"), "write one of them")
                for index, name in enumerate(names)
                if name in names[:index]
            ]
        found += [
            (
                f"limits[{index}].maximum",
                f"{limit.maximum:g} is below the minimum, {limit.minimum:g}",
                "exchange them",
            )
            for index, limit in enumerate(self.limits)
            if limit.maximum is not None and limit.maximum < limit.minimum
        ]
        if bool(self.limits) != (self.limits_unit is not None):
            wrong = "is missing, and limits need it" if self.limits else "has no limits to count"
            found.append(("limits_unit", wrong, 'write limits = [...] and limits_unit = "chips", or neither'))
        return found

    def opens_with(self, live: bool) -> Opens:
        """How the table opens, where its wires are real or not."""
        if self.opens is not None:
            return self.opens
        return "by_order" if live or self.inspection == "opening" else "at_start"


class LinesSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[lines]`: where the lines come from."""

    backend: Annotated[
        str,
        Meta(
            description="gpiod or gpiozero for pins of the Pi, board for boards with firmware of their own, sim for "
            "simulated devices, capture for recorded ones",
            examples=["sim"],
        ),
    ]
    chip: Annotated[
        Name | None, Meta(description="the GPIO chip by its label; without it, the one of the Pi's header")
    ] = None
    factory: Annotated[
        Literal["lgpio", "rpigpio", "pigpio", "native"] | None,
        Meta(description="the pin factory of gpiozero; without it, lgpio"),
    ] = None


class FeedSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[feed]`: what scoreboards receive when they join."""

    history: Annotated[
        int,
        Meta(
            ge=LEAST_HISTORY,
            le=MOST_HISTORY,
            description="how many of the last outcomes a scoreboard receives when it joins, and the statistics count",
            extra={"cite": "ours"},
        ),
    ] = DEFAULT_HISTORY


class PaceKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every `[watch]` has of a table's pace."""

    least_games_an_hour: Annotated[
        Annotated[int, Meta(ge=1, le=600)] | None,
        Meta(
            description="a warning follows an hour of play with fewer games; without it, none", extra={"cite": "ours"}
        ),
    ] = None
    most_games_an_hour: Annotated[
        Annotated[int, Meta(ge=1, le=600)] | None,
        Meta(description="a warning follows an hour of play with more games; without it, none", extra={"cite": "ours"}),
    ] = None
    idle_s: Annotated[
        float,
        Meta(
            ge=10,
            le=3600,
            description="bets that are open for longer, before a call or a ball, leave the table idle; the warning of "
            "games an hour states for how long",
            extra={"cite": "ours"},
        ),
    ] = IDLE_NS / NS_PER_S


def pace_problems(keys: PaceKeys) -> list[tuple[str, str, str]]:
    """What is wrong between them: key, what, fix."""
    least, most = keys.least_games_an_hour, keys.most_games_an_hour
    if least is None or most is None or least < most:
        return []
    return [
        ("least_games_an_hour", f"{least} is not below most_games_an_hour, {most}", "write the smaller number here")
    ]


class ShakeWatchSection(PaceKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[watch]` of a table with dice: from where on the watch over pace and how they are shaken warns. All of it is
    ours."""

    least_moved_s: Annotated[
        Annotated[float, Meta(gt=0, le=60)] | None,
        Meta(
            description="a warning follows a result whose dice moved for less time, in seconds, as their device "
            "measures it; without it, none",
            extra={"cite": "ours"},
        ),
    ] = None
    least_pulses: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None,
        Meta(
            description="a warning follows a result with fewer pulses of the shake sensor, or breaks of the beams of "
            "the chute; without it, none",
            extra={"cite": "ours"},
        ),
    ] = None

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        return pace_problems(self)


class CardWatchSection(PaceKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[watch]` of a table of cards: from where on the watch over pace, reader, cards and shuffler warns. All of it is
    ours."""

    stall_s: Annotated[
        float,
        Meta(
            ge=5,
            le=3600,
            description="a warning follows a deal in which no card is exposed for longer",
            extra={"cite": "ours"},
        ),
    ] = IDLE_NS / NS_PER_S
    misreads_in_1000: Annotated[
        float,
        Meta(
            gt=0,
            le=500,
            description="a warning follows where a reader clearly fails to read more of 1,000 cards; a deck that wears "
            "is to be replaced before it is read as badly",
            extra={"cite": "ours"},
        ),
    ] = MISREADS_IN_1000

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        return pace_problems(self)


Wear: TypeAlias = Annotated[
    bool,
    Meta(description="whether the wheel's wear is measured, published and warned of", extra={"cite": "ours"}),
]
WearSince: TypeAlias = Annotated[
    Annotated[
        str,
        Meta(
            pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}"
            r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?\Z",
            examples=["2026-11-29T10:00:00-05:00"],
        ),
    ]
    | None,
    Meta(
        description="when a part was exchanged or cleaned: a moment with its zone, as 2026-11-29T10:00:00-05:00, or a "
        "day, as 2026-11-29, which begins at midnight in UTC; with quotation marks or without: the wheel is learnt "
        "again from there",
        extra={"cite": "ours"},
    ),
]


def wear_problems(since: str | None) -> list[tuple[str, str, str]]:
    """What is wrong with the moment: key, what, fix."""
    if since is None:
        return []
    if day_of(since) is None:
        return [("wear_since", f"{since} is not in the calendar", "write it as 2026-11-29T10:00:00-05:00")]
    if len(since) > len("2026-11-29") and datetime.fromisoformat(since).tzinfo is None:
        return [("wear_since", f"{since} has no zone", f"write it with its own, as {since}-05:00, or {since}Z")]
    return []


class WearSection(PaceKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[watch]` of a money wheel: the watch over its pace and its wear. All of it is ours."""

    wear: Wear = True
    wear_since: WearSince = None

    moments: ClassVar[Collection[str]] = ("wear_since",)

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong with the keys: key, what, fix."""
        return [*pace_problems(self), *wear_problems(self.wear_since)]


class WatchSection(PaceKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[watch]`: from where on the watch over a roulette wheel and its pace warns. All of it is ours."""

    same_direction: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="a warning follows where the ball ran the same way in so many spins in a row; 0: not watched; "
            "with 20, a dealer who takes either way by chance has one in 600 spins with a chance of 0.0006",
            extra={"cite": "ours"},
        ),
    ] = 20
    least_rotor_rpm: Annotated[
        float,
        Meta(
            ge=0, le=60, description="a warning follows where the rotor turns slower in a spin", extra={"cite": "ours"}
        ),
    ] = 6.0
    most_rotor_rpm: Annotated[
        float,
        Meta(
            gt=0, le=120, description="a warning follows where the rotor turns faster in a spin", extra={"cite": "ours"}
        ),
    ] = 36.0
    drop_zone: Annotated[
        bool,
        Meta(
            description="whether a warning follows where the ball leaves the track in one part of the bowl too often",
            extra={"cite": "ours"},
        ),
    ] = True

    wear: Wear = True
    wear_since: WearSince = None

    moments: ClassVar[Collection[str]] = ("wear_since",)

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        found = []
        if self.same_direction == 1:
            found.append(("same_direction", "is 1, and every spin has a direction", "write 2 or more, or 0 for none"))
        if self.least_rotor_rpm >= self.most_rotor_rpm:
            wrong = f"{self.least_rotor_rpm:g} is not below most_rotor_rpm, {self.most_rotor_rpm:g}"
            found.append(("least_rotor_rpm", wrong, "write the slower speed here"))
        return [*found, *pace_problems(self), *wear_problems(self.wear_since)]


def day_of(text: str) -> float | None:
    """Days from 1970 to a moment, or to a day's midnight, in UTC where it has no zone; None where the calendar has
    none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (zoned - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)


_OTHER_WORDS: Final = {
    "pull_up": OtherWord("pull", 'pull = "up"'),
    "pull_down": OtherWord("pull", 'pull = "down"'),
    "pullup": OtherWord("pull", 'pull = "up"'),
    "pulldown": OtherWord("pull", 'pull = "down"'),
    "active_low": OtherWord("inverted", "inverted = true"),
    "active_high": OtherWord("inverted", "inverted = false, or nothing"),
}
"""What people write on a line of `[pins]`, and what it is here."""
_MEANT_PULLS: Final = {
    **dict.fromkeys(("high", "pullup", "pull_up", "pull-up", "pud_up", "3v3", "true"), "up"),
    **dict.fromkeys(("low", "pulldown", "pull_down", "pull-down", "pud_down", "gnd"), "down"),
    **dict.fromkeys(("off", "false", "floating", "pud_off"), "none"),
}

_Inverted = Annotated[bool, Meta(description="the line is active when the wire is low")]


class PinSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of `[pins]` on the Pi: where a line is wired. Exactly one of `gpio`, `header` and `name`."""

    gpio: Annotated[int | None, Meta(description="the number of the GPIO (Broadcom), as in GPIO17")] = None
    header: Annotated[int | None, Meta(description="the pin of the 40-pin header, 1 to 40")] = None
    name: Annotated[Name | None, Meta(description="the chip's own name of the line, as in GPIO17")] = None
    chip: Annotated[Name | None, Meta(description="another chip than that of [lines]")] = None
    pull: Annotated[
        Pull | None,
        Meta(
            description="the resistor inside the chip; without it the one that holds an unplugged line at rest: "
            "down, or up where the line is inverted",
            extra={"cite": "ours", "meant": _MEANT_PULLS},
        ),
    ] = None
    inverted: _Inverted = False
    debounce_us: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000,
            description="edges closer than this are one; leave 0 for encoders and track sensors",
            extra={"cite": "ours"},
        ),
    ] = 0

    other_words: ClassVar[Mapping[str, OtherWord]] = {
        **_OTHER_WORDS,
        "bcm": OtherWord("gpio", "gpio = NUMBER: the Broadcom number, as in GPIO17"),
        "pin": OtherWord("gpio", "gpio = NUMBER for GPIO17 or header = NUMBER for pin 11 of the header: they differ"),
    }

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        given = [key for key in ("gpio", "header", "name") if getattr(self, key) is not None]
        return _unless_one(given, "pin", '{ gpio = 17 }, { header = 11 } and { name = "GPIO17" }')


def _unless_one(given: Sequence[str], place: str, ways: str) -> list[tuple[str, str, str]]:
    """That a wire has no place, or several; nothing where it has one."""
    if len(given) == 1:
        return []
    return [("", f"has {' and '.join(given)}" if given else f"names no {place}", f"write one of {ways}")]


class LinkSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of `[links]`: the serial port of a device."""

    port: Annotated[
        Port,
        Meta(
            description="the port by its id, or any URL that pyserial opens",
            examples=["/dev/serial/by-id/usb-FTDI_FT232R-if00-port0"],
        ),
    ]
    baud: Annotated[int, Meta(ge=300, le=4_000_000, description="bits a second; 8 data bits, 1 stop bit")] = 9600
    parity: Annotated[Parity, Meta(description="the bit behind each byte, as the device's maker has it")] = "none"


class BoardSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[board.NAME]`: a board with firmware of its own, on a serial port."""

    kind: Annotated[BoardKindName, Meta(description="what its firmware is made for")]
    chip: Annotated[
        ChipName,
        Meta(
            description="what it is built on: an Arduino Nano or Uno, a Raspberry Pi Pico, one whose own USB socket is "
            "its line, or a Pico 2 (docs/boards-pico.md)"
        ),
    ] = "atmega328p"
    port: Annotated[
        Port,
        Meta(
            description="the board's port by its id, or any URL that pyserial opens",
            examples=["/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"],
        ),
    ]
    serial: Annotated[
        Annotated[int, Meta(ge=1, le=4_294_967_295)] | None,
        Meta(description="the number that `feltwire boards name` gave the board: another one in its place is refused"),
    ] = None
    require_build: Annotated[
        Annotated[str, Meta(pattern=r"\A[0-9A-Fa-f]{8}([0-9A-Fa-f]{56})?\Z")] | None,
        Meta(
            description="the build that the board must have, as `feltwire boards identify` prints it, or the whole "
            "SHA-256 of its image (64 digits): any other image is refused. Without it every firmware of a known "
            "protocol works, and the journal records its build",
            examples=["1A2B3C4D"],
        ),
    ] = None
    supply_v: Annotated[
        Annotated[float, Meta(ge=3, le=5.5)] | None,
        Meta(
            description="the supply of the board's chip, against which it measures its analogue channels; without it "
            "5 V, and 3.3 V of a Pico",
            extra={"cite": "ours"},
        ),
    ] = None
    motor_most_a: Annotated[
        Annotated[float, Meta(ge=0.5, le=20)] | None,
        Meta(
            description="A that the motor of a table or pusher board may draw, where it has a shunt of 0.1 Ω: above it "
            "for 200 ms the board switches the motor off. Without it the current is not looked at",
            examples=["3.5"],
        ),
    ] = None
    hopper_most_a: Annotated[
        Annotated[float, Meta(ge=0.5, le=15)] | None,
        Meta(
            description="A that the hopper of a pusher board may draw, where its motor has a shunt of 0.1 Ω: above it "
            "for 50 ms the board takes it for jammed. Without it the current is not looked at",
            examples=["1.5"],
        ),
    ] = None
    hopper_errors: Annotated[
        bool,
        Meta(
            description="the error line of the hopper is wired to a pusher board, which takes pulses on it for a jam",
        ),
    ] = False
    emulated: Annotated[
        bool,
        Meta(description="the board is emulated (`feltwire boards emulate`): every event is marked as simulated"),
    ] = False

    @property
    def reference_v(self) -> float:
        """What its chip measures against."""
        return CHIPS[self.chip].supply_v if self.supply_v is None else self.supply_v

    @property
    def required_image(self) -> bytes | None:
        """How the SHA-256 of the only image that is accepted begins; None for any."""
        return None if self.require_build is None else bytes.fromhex(self.require_build)


class TerminalSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of `[pins]` on a board: its terminal. Exactly one of `input`, `output` and `analogue`."""

    board: Annotated[
        Name | None, Meta(description="which board, by the name of its section; needed where there are several")
    ] = None
    input: Annotated[int | None, Meta(description="the number of the input, from 1")] = None
    output: Annotated[int | None, Meta(description="the number of the output, from 1")] = None
    analogue: Annotated[int | None, Meta(description="the number of the analogue channel, from 1")] = None
    pull: Annotated[
        Pull | None,
        Meta(
            description="of an input: up, the resistor to + inside the chip, or none (not where the board always has "
            "it: shaft and home of a table board, every input of reel and pusher); a board has no pull-down. "
            "Without it, up",
            extra={"cite": "ours", "meant": _MEANT_PULLS},
        ),
    ] = None
    inverted: _Inverted = False
    zero_v: Annotated[
        Annotated[float, Meta(ge=0, le=5.5)] | None,
        Meta(description="of an analogue channel: the volts at which the reading is 0"),
    ] = None
    per_v: Annotated[
        Annotated[float, Meta(ge=-1000, le=1000)] | None,
        Meta(description="of an analogue channel: by how much the reading grows with each volt"),
    ] = None

    other_words: ClassVar[Mapping[str, OtherWord]] = _OTHER_WORDS

    @property
    def sides(self) -> list[Side]:
        """Those of `input`, `output` and `analogue` that are given; exactly one in a correct entry."""
        return [side for side in SIDES if getattr(self, side) is not None]

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between the keys: key, what, fix."""
        sides = self.sides
        found = _unless_one(sides, "terminal", "{ input = 1 }, { output = 1 } and { analogue = 1 }")
        if found:
            return found
        if self.pull == "down":
            fix = 'write pull = "up", or pull = "none" with an external resistor to ground'
            found.append(("pull", "is down, but a board has pull-up resistors only", fix))
        if self.pull is not None and sides != ["input"]:
            found.append(("pull", f"has no meaning for an {_NOUNS[sides[0]]}", "remove it"))
        if sides != ["analogue"]:
            scale = [key for key in ("zero_v", "per_v") if getattr(self, key) is not None]
            found += [(key, f"has no meaning for an {_NOUNS[sides[0]]}", "remove it") for key in scale]
        if sides == ["output"] and self.inverted:
            wrong = "is true, but a board makes its outputs low to be safe: this one would be on then"
            found.append(("inverted", wrong, "remove it, and wire the load so that it is on when the wire is high"))
        if sides == ["analogue"]:
            found += self._scale_problems()
        return found

    def _scale_problems(self) -> list[tuple[str, str, str]]:
        found: list[tuple[str, str, str]] = []
        if self.inverted:
            found.append(("inverted", "has no meaning for an analogue channel", "remove it, or make per_v negative"))
        if self.zero_v is None:
            found.append(("zero_v", "is missing", "add zero_v = 2.5, the volts that the sensor gives at 0"))
        if not self.per_v:
            wrong = "is missing" if self.per_v is None else "is 0, so every reading would be 0"
            found.append(("per_v", wrong, "write per_v = 5.0, the degrees for which the sensor gives one volt more"))
        return found
