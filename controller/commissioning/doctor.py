"""Everything between the socket and the verdict of one table: facts are gathered here, and judged by pure functions.

    file ─► computer ─► keys, journal, service, feed ─► lines: held? ─► driven by what? ─► quiet? ─► moved by a person

Lines that a running service holds are not touched: the service is asked instead. No output is driven.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from controller.calibration.movements import lines_of
from controller.calibration.table_calibration import state_of
from controller.commissioning import computer_checks, line_checks, table_checks
from controller.commissioning.computer_facts import (
    Roots,
    about,
    access,
    disk,
    holders,
    latency_timer,
    power,
    time_facts,
)
from controller.commissioning.findings import DoctorReport, Finding, failed, skipped, worst
from controller.commissioning.line_checks import Wired
from controller.commissioning.listening import OpenTable, TooManyValuesError, open_lines
from controller.commissioning.table_checks import KeyFacts
from controller.configuration.problems import Problem
from controller.configuration.sections import BoardSection
from controller.configuration.values import TableConfig
from controller.service.state_paths import StatePaths, keys_folder
from hal.backends.board import BoardLines
from hal.backends.gpiod_chip import Devices, gpio_devices
from hal.board.chips import CHIPS
from hal.board.errors import BoardError
from hal.board.messages import IdentityAnswer
from hal.board.ports import ask_identity, serial_ports
from hal.clock import NS_PER_S, Clock, SystemClock, clock_resolution_ns
from hal.install_words import how_to_start
from hal.lines import LineError
from hal.version import SOFTWARE

FEED_S: Final = 3.0
"""A service sends a heartbeat each second: this long is waited for one (ours)."""

Say: TypeAlias = Callable[[Finding], None]
Move: TypeAlias = Callable[[str, OpenTable], Awaitable[bool]]


class RunningService(NamedTuple):
    """The service that runs the table, on this computer."""

    base: str
    status: dict[str, Any] | None


class Asked(NamedTuple):
    """What a person is asked to do; None where nobody is asked."""

    rest_s: float = 3.0
    """How long nobody touches anything."""
    move: Move | None = None
    """Asks for one device to be moved, and returns when it was; false where the person left it out."""


class Surroundings(NamedTuple):
    """Where a table's things are on this computer."""

    paths: StatePaths
    state: Path
    service: RunningService | None = None
    roots: Roots = Roots()
    devices: Devices = gpio_devices
    keys: Path | None = None


async def examine(
    config: TableConfig,
    problems: Sequence[Problem],
    around: Surroundings,
    asked: Asked,
    say: Say,
    clock: Clock | None = None,
) -> DoctorReport:
    """Examines one table; each finding is given to `say` as it is made."""
    findings: list[Finding] = []

    def note(*made: Finding) -> None:
        for finding in made:
            findings.append(finding)
            say(finding)

    clock = SystemClock() if clock is None else clock
    note(*computer_checks.judge_file(problems))
    _computer(config, around, note)
    await _software(config, around, note)
    if not config.live:
        note(skipped("lines", f"the backend {config.lines.backend} has no real wires"))
    else:
        await _lines(config, around, asked, note, clock)
    return DoctorReport(
        table=config.id,
        file=config.file,
        software=SOFTWARE,
        time=datetime.fromtimestamp(clock.wall_time_ns() // NS_PER_S, UTC).isoformat().replace("+00:00", "Z"),
        computer=about(around.roots),
        status=worst(findings),
        findings=findings,
    )


Note: TypeAlias = Callable[..., None]
"""Takes findings as they are made."""


# --- the computer ---


def _computer(config: TableConfig, around: Surroundings, note: Note) -> None:
    facts = disk(around.paths.root, around.roots)
    note(*computer_checks.judge_disk(facts), *computer_checks.judge_wear(facts))
    note(*computer_checks.judge_power(power(around.roots)))
    note(*computer_checks.judge_time(time_facts(around.roots), clock_resolution_ns()))


# --- keys, calibration, service, feed, journal ---


async def _software(config: TableConfig, around: Surroundings, note: Note) -> None:
    keys = _key_facts(around)
    note(*table_checks.judge_keys(keys))
    if config.live:
        note(table_checks.judge_calibration(state_of(config, bytes.fromhex(keys.signing) if keys.signing else b"")))
    service = around.service
    base, status = ("", None) if service is None else (service.base, service.status)
    note(*table_checks.judge_service(config.id, base, status, how_to_start(config.file)))
    if service is not None:
        heard = await asyncio.get_running_loop().run_in_executor(None, _heartbeat, service.base, config)
        note(table_checks.judge_feed(service.base, heard, FEED_S))
    note(await asyncio.get_running_loop().run_in_executor(None, _journal, around.paths, keys.signing))
    note(*await asyncio.get_running_loop().run_in_executor(None, _witnessed, around.paths, SystemClock()))


def _key_facts(around: Surroundings) -> KeyFacts:
    from audit.signing import SigningKeyError, load, public_half
    from feed.allow_list import AllowList
    from feed.keys import BadKeyError, read_pair

    path = around.paths.signing_key
    signing = problem = server = server_problem = ""
    if path.exists():
        try:
            signing = public_half(load(path))
        except SigningKeyError as error:
            problem = str(error)
    folder = around.keys or keys_folder(around.state)
    clients = 0
    secret = folder / "server.secret"
    if secret.exists():
        try:
            server = read_pair(secret).public
        except BadKeyError as error:
            server_problem = str(error)
        clients = len(AllowList.load(folder / "allowed").entries)
    return KeyFacts(signing, problem, str(path), str(folder), server, server_problem, clients)


def _heartbeat(base: str, config: TableConfig) -> str | None:
    """The topic of a heartbeat of the table that the feed sends; None if none comes."""
    import zmq

    from feed.endpoints import Endpoints

    with zmq.Context() as context, context.socket(zmq.SUB) as feed:
        feed.linger = 0
        feed.subscribe(f"{'sim/' if config.simulated else ''}v1/{config.id}/heartbeat/".encode())
        feed.connect(Endpoints.parse(base).feed)
        if not feed.poll(round(FEED_S * 1000)):
            return None
        return feed.recv_multipart()[0].decode("utf-8", "replace")


def _journal(paths: StatePaths, signing: str) -> Finding:
    from audit.errors import JournalError
    from audit.verify import verify

    if not paths.journal.exists():
        return table_checks.judge_journal(str(paths.journal), None)
    try:
        report = verify(paths.journal, keys=[bytes.fromhex(signing)] if signing else [])
    except JournalError as error:
        return table_checks.judge_journal(str(paths.journal), str(error))
    return table_checks.judge_journal(str(paths.journal), report)


def _witnessed(paths: StatePaths, clock: Clock) -> list[Finding]:
    """What witnesses have signed, where the journal is published to any."""
    from audit.errors import JournalError
    from audit.reading import reading
    from audit.transparency.checkpoints import Checkpoint
    from audit.transparency.tree_file import MET, NEWEST, TreeFile, tree_path

    path = tree_path(paths.journal)
    if not path.exists():
        return []
    try:
        with TreeFile.open(path) as tree, reading(paths.journal, "looking what is signed") as connection:
            notes = (tree.note(NEWEST), tree.note(MET))
            signed, cosigned = (0 if note is None else Checkpoint.parse(note.text).size for note in notes)
            # After a retirement, or a loss, the journal may have fewer.
            row = connection.execute("SELECT time FROM record WHERE n = ?", (min(signed, cosigned) + 1,)).fetchone()
    except JournalError as error:
        return [failed("witnesses", error.what, error.fix, str(path))]
    return [table_checks.judge_witnessed(str(path), signed, cosigned, "" if row is None else str(row[0]), clock)]


# --- lines ---


def wired_lines(config: TableConfig) -> list[Wired]:
    """The inputs of a table that are wired to pins or boards, in words."""
    found: list[Wired] = []
    for line, use in config.uses.items():
        if use.kind not in ("input", "analogue"):
            continue
        if line in config.pins:
            pin = config.pins[line]
            place = f"GPIO{pin.gpio}" if isinstance(pin.gpio, int) else str(pin.name)
            place += f" (pin {pin.header})" if pin.header is not None else ""
            found.append(Wired(line, place, pin.pull, pin.inverted, use))
        elif line in config.terminals:
            end = config.terminals[line]
            found.append(Wired(line, f"{end.side} {end.number} of board {end.board}", end.pull, end.inverted, use))
    return found


async def _lines(config: TableConfig, around: Surroundings, asked: Asked, note: Note, clock: Clock) -> None:
    _ports(config, around, note)
    closed = _gpio(config, around, note) if config.backend.on_pins else ""
    if around.service is not None:
        _times(config, around, {}, note)
        held = f"the service at {around.service.base} holds the lines"
        note(skipped("edges", held, "close the table, stop the service, and run doctor again to look at its lines"))
        return
    if closed:
        note(skipped("edges", f"{closed}, so no line was opened"))
        return
    try:
        async with open_lines(config, clock) as opened:
            _boards(config, opened, note)
            await _listen(config, opened, asked, note)
            bounds = {one.board: one.bound_ns for one in opened.wiring.sources if isinstance(one, BoardLines)}
            _times(config, around, bounds, note)
    except (LineError, TooManyValuesError) as error:
        note(failed("lines", str(error), "the message above states what to do"))
        for name, board in config.boards.items():
            note(table_checks.judge_board(name, board.kind, await _identity(board, clock)))


def _ports(config: TableConfig, around: Surroundings, note: Note) -> None:
    by_device = {port.device: port.name for port in serial_ports()}
    for port in [*(link.port for link in config.links.values()), *(board.port for board in config.boards.values())]:
        if not port.startswith("/"):
            continue  # a URL has no permissions here
        note(*computer_checks.judge_access([access(port)]))
        device = str(Path(port).resolve())
        if Path(port).exists() and around.service is None:
            note(*computer_checks.judge_port(port, by_device.get(device, ""), holders(device.__eq__, around.roots)))


def _gpio(config: TableConfig, around: Surroundings, note: Note) -> str:
    """Chips, holders and what drives each line; returns why they cannot be opened, empty if they can."""
    from hal.backends.gpiod_probe import chips_seen, lines_seen, what_drives

    specs = [pin.spec() for line, pin in config.pins.items() if config.uses[line].kind == "input"]
    outputs = [pin.spec() for line, pin in config.pins.items() if config.uses[line].kind == "output"]
    try:
        note(*computer_checks.judge_access([access(path) for path in around.devices()]))
        chips = chips_seen(around.devices)
        labels = dict.fromkeys(spec.chip for spec in specs)
        made = [one for label in labels for one in line_checks.judge_chips(chips, label)]
        note(*made)
        if any(one.status == "failed" for one in made):
            return "the chip of its lines cannot be used"
        seen = lines_seen([*specs, *outputs], around.devices)
        held_by = (
            holders(lambda target: "gpio-line" in target, around.roots) if any(one.consumer for one in seen) else []
        )
        held = line_checks.judge_holders(seen, held_by, around.service.base if around.service else "")
        note(*held)
        if any(one.consumer for one in seen):
            return "lines of the table are not free"
        driven = what_drives(specs, around.devices)
    except LineError as error:
        note(failed("chip", str(error), "the message above states what to do"))
        return "its lines cannot be examined"
    for wired in wired_lines(config):
        if wired.line in driven:
            note(line_checks.judge_drive(wired, driven[wired.line]))
    return ""


def _boards(config: TableConfig, opened: OpenTable, note: Note) -> None:
    for name, board in config.boards.items():
        identity: IdentityAnswer | str = opened.identities.get(name) or opened.boards_down.get(name, "it is not up")
        note(table_checks.judge_board(name, board.kind, identity))


def _times(config: TableConfig, around: Surroundings, bounds: Mapping[str, int | None], note: Note) -> None:
    """How well boards date edges. Where their lines were open that was measured; a service that holds them is not
    asked, and what the adapter's driver reports is all that is known."""
    for name, board in config.boards.items():
        note(*computer_checks.judge_times(name, bounds.get(name), latency_timer(board.port, around.roots)))


async def _identity(board: BoardSection, clock: Clock) -> IdentityAnswer | str:
    try:
        return await ask_identity(board.port, clock, chip=CHIPS[board.chip])
    except (BoardError, LineError) as error:
        return str(error)


def _board_of(config: TableConfig, line: str) -> str:
    return config.terminals[line].board if line in config.terminals else ""


async def _listen(config: TableConfig, opened: OpenTable, asked: Asked, note: Note) -> None:
    listener = opened.listener
    # A board that is down was reported: each of its lines would report the same again.
    wires = [wired for wired in wired_lines(config) if _board_of(config, wired.line) not in opened.boards_down]
    listener.begin()
    await listener.wait(asked.rest_s)
    note(*line_checks.judge_rest(listener.recording(), wires, asked.rest_s))
    for error in opened.failures():
        note(failed("lines", str(error), "the message above states what to do"))
    for name, device in config.devices.items():
        own = set(lines_of(config, device))
        mine = [wired for wired in wires if wired.line in own]
        if not mine:
            continue
        if asked.move is None:
            note(line_checks.judge_untouched(name, f"nobody was asked to move {name}"))
            continue
        listener.begin()
        if not await asked.move(name, opened):
            note(line_checks.judge_untouched(name, f"{name} was left out"))
            continue
        bounds = device.spec.bounds(device.config)
        note(*line_checks.judge_moved(listener.recording(), mine, bounds, name))
