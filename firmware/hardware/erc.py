"""Electrical rules: what a circuit must not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from firmware.hardware.blocks import SENSE, V12_LOAD, CarrierBoard
from firmware.hardware.circuit import GND, Circuit, CircuitPart
from firmware.hardware.manifest_pins import kind as kind_of
from firmware.hardware.manifest_pins import pins_of
from firmware.hardware.parts import HC14_PAIRS, HC165, HC595, HC595_OUTPUTS, RIBBON, STEPPER_DRIVER, TPIC

CONDUCTS = {"resistor", "fuse", "jumper"}
"""Symbols of parts that conduct a direct current both ways; a jumper is taken as open for floating inputs."""
MARGIN = 1.25
"""A capacitor withstands this many times the voltage of its rails (ours)."""


def findings(circuit: Circuit) -> list[str]:
    """Everything that breaks a rule, one sentence each; empty for a good circuit."""
    return [
        *_open_pins(circuit),
        *_lonely_nets(circuit),
        *_two_outputs(circuit),
        *_floating_inputs(circuit),
        *_supplies(circuit),
        *_flyback(circuit),
        *_both_wires(circuit),
        *_ratings(circuit),
        *_sources(circuit),
        *_drawn(circuit),
        *_tile(circuit),
        *((*_manifest(circuit), *_too_high(circuit), *_chain(circuit)) if isinstance(circuit, CarrierBoard) else ()),
    ]


def _open_pins(circuit: Circuit) -> Iterator[str]:
    for part in circuit.parts.values():
        for pin, kind in part.type.pins.items():
            if kind == "unused" and pin in part.nets:
                yield f"{part.ref} pin {pin}: must stay open, and is at {part.nets[pin]}"
            elif kind != "unused" and pin not in part.nets and pin not in part.open_pins:
                yield f"{part.ref} pin {pin} ({part.type.name}): not connected, and not left open on purpose"


def _lonely_nets(circuit: Circuit) -> Iterator[str]:
    for net, pins in circuit.nets().items():
        if len(pins) < 2:
            yield f"net {net}: only {pins[0][0].ref} pin {pins[0][1]} is there"


def _drives(circuit: Circuit, part: CircuitPart, pin: str) -> bool:
    """Whether a pin drives its net both ways."""
    kind = part.type.pins[pin]
    if kind in ("out", "source"):
        return True
    if kind == "both" and isinstance(circuit, CarrierBoard) and part is circuit.module:
        return pin in module_outputs(circuit)
    return False


def module_outputs(board: CarrierBoard) -> set[str]:
    """Pins of the module that the firmware drives: outputs, the chain's wires, columns, and what its table names so."""
    names = {entry[0] for entry in kind_of(board.kind)["outputs"]}
    names |= {"lamps data", "lamps clock", "lamps latch", "sense", "hopper back", "fram clock", "link out"}
    names |= {use for use in board.at if use.startswith("keys columns")}
    return {board.at[use] for use in names if use in board.at}


def _two_outputs(circuit: Circuit) -> Iterator[str]:
    for net, pins in circuit.nets().items():
        drivers = sorted({f"{part.ref} pin {pin}" for part, pin in pins if _drives(circuit, part, pin)})
        rail = net in circuit.rails
        if len(drivers) > 1 or (rail and any(part.type.pins[pin] == "out" for part, pin in pins)):
            yield f"net {net}: outputs are joined: {', '.join(drivers)}{' and a rail' if rail else ''}"


def _islands(circuit: Circuit) -> dict[str, str]:
    """Nets that resistors and fuses join, each with the name of its island."""
    parent = {net: net for net in circuit.nets()}

    def root(net: str) -> str:
        while parent[net] != net:
            net = parent[net]
        return net

    for part in circuit.parts.values():
        if part.type.symbol in CONDUCTS - {"jumper"}:
            first, second = (root(net) for net in part.nets.values())
            parent[first] = second
    return {net: root(net) for net in parent}


def _floating_inputs(circuit: Circuit) -> Iterator[str]:
    """Every digital input has a way to a rail or an output, with all plugs out."""
    islands = _islands(circuit)
    held = {islands[net] for net in circuit.rails if net in islands}
    by_net = circuit.nets()
    for net, pins in by_net.items():
        if any(_drives(circuit, part, pin) for part, pin in pins) or _enters_from_header(circuit, net, pins):
            held.add(islands[net])
    for net, pins in by_net.items():
        for part, pin in pins:
            kind = part.type.pins[pin]
            module_input = kind == "both" and part.ref == "U0" and not _resets(circuit, pin)
            module_input = module_input and not _drives(circuit, part, pin)
            if (kind == "in" or module_input) and islands[net] not in held:
                yield f"{part.ref} pin {pin}: floats: nothing drives {net} when all plugs are out"


def _resets(circuit: Circuit, pin: str) -> bool:
    return isinstance(circuit, CarrierBoard) and pin == circuit.controller.reset


def _enters_from_header(circuit: Circuit, net: str, pins: list[tuple[CircuitPart, str]]) -> bool:
    """On a tile, the fast wires of the ribbon are driven by the board before; without it the tile has no supply."""
    return not isinstance(circuit, CarrierBoard) and any(part.type is RIBBON for part, _ in pins)


def _supplies(circuit: Circuit) -> Iterator[str]:
    for part in circuit.parts.values():
        for pin, kind in part.type.pins.items():
            if (
                kind == "supply"
                and pin in part.nets
                and part.nets[pin] not in circuit.rails
                and part.nets[pin] != "VREG"
            ):
                yield f"{part.ref} pin {pin}: takes its supply from {part.nets[pin]}, which is not a rail"
    for rail in circuit.rails:
        chips = [part for part in circuit.parts.values() if rail in (part.nets.get("VCC"), part.nets.get("VDD"))]
        capacitors = [
            part for part in circuit.parts.values()
            if part.type.value == "100 nF" and set(part.nets.values()) == {rail, GND}
        ]  # fmt: skip
        if len(capacitors) < len(chips):
            yield f"{len(chips)} chips and {len(capacitors)} capacitors of 100 nF at their supply, {rail}"


def _flyback(circuit: Circuit) -> Iterator[str]:
    for net, feed in circuit.inductive.items():
        low, high = (net, feed) if feed != GND else (GND, net)
        diodes = [
            part
            for part in circuit.parts.values()
            if part.type.letter == "D" and part.nets.get("A") == low and part.nets.get("K") == high
        ]
        if not diodes:
            yield f"net {net}: switches an inductive load, and has no diode from {low} to {high}"
        fast = any(part.type.symbol == "nfet" and net in part.nets.values() for part in circuit.parts.values())
        if fast and any(part.type.symbol != "schottky" for part in diodes):
            yield f"net {net}: a MOSFET switches it, and its diode is not a Schottky diode"


def _both_wires(circuit: Circuit) -> Iterator[str]:
    """What moves is switched at its + wire, too: otherwise 0 V at its − wire start it."""
    for net, feed in circuit.inductive.items():
        if feed in (GND, V12_LOAD):
            continue
        fuses = [set(part.nets.values()) for part in circuit.parts.values() if part.type.symbol == "fuse"]
        before = {feed}.union(*(nets for nets in fuses if feed in nets))
        switches = [part for part in circuit.parts.values() if part.type.symbol == "pfet"]
        switch = next((part for part in switches if part.nets.get("D") in before), None)
        if switch is None:
            yield f"net {net}: switches what moves, and no P-channel MOSFET has its drain at {feed} or before its fuse"
            continue
        gate, source = switch.nets["G"], switch.nets["S"]
        if source not in circuit.rails:
            yield f"{switch.ref}: its source is at {source}, no rail: it is half on while {feed} is at 0 V"
        if not any(
            part.type.symbol == "resistor" and set(part.nets.values()) == {gate, source}
            for part in circuit.parts.values()
        ):
            yield f"{switch.ref}: no resistor between its gate and its source keeps it off"


def _ratings(circuit: Circuit) -> Iterator[str]:
    for part in circuit.parts.values():
        bears = part.type.limits.get("supply")
        for pin, kind in part.type.pins.items():
            volt = circuit.rails.get(part.nets.get(pin) or "", 0.0)
            if bears is not None and kind == "supply" and volt > bears:
                yield f"{part.ref} pin {pin}: its supply is {volt:g} V; it bears {bears:g} V"
        if part.type.letter != "C":
            continue
        volts = [circuit.rails.get(net, 12.0 if net in ("VREG", "BANK") else 0.0) for net in part.nets.values()]
        stress = max(volts) - min(volts)
        if stress * MARGIN > part.type.limits["volt"]:
            yield f"{part.ref}: {stress:g} V at a capacitor of {part.type.limits['volt']:g} V"
        if "+" in part.nets and circuit.rails.get(part.nets["-"], 0.0) > circuit.rails.get(part.nets["+"], 99.0):
            yield f"{part.ref}: its + is at the lower rail"


def _sources(circuit: Circuit) -> Iterator[str]:
    for part in circuit.parts.values():
        makers = {source.maker for source in part.type.sources}
        if len(part.type.sources) < 2 or (len(makers) < 2 and part.type.symbol != "box"):
            yield f"{part.ref} ({part.type.name}): fewer than two sources"
        for source in part.type.sources:
            if not (source.maker and source.number and source.checked):
                yield f"{part.ref} ({part.type.name}): a source without maker, number or check"


def _drawn(circuit: Circuit) -> Iterator[str]:
    """Each connected pin is on a sheet."""
    from firmware.hardware.drawing import drawn_pins

    shown = drawn_pins(circuit)
    for ref, pin, net in circuit.joints():
        if (ref, pin) not in shown:
            yield f"{ref} pin {pin} ({net}): on no drawing"


OVER = 0.3
"""V that a rail may be above the pins that hang on it, or above the rail that it feeds through a diode."""


def _too_high(board: CarrierBoard) -> Iterator[str]:
    """Nothing lifts a pin of the module above its rail, and no rail is fed from a higher one through a diode."""
    joins: dict[str, list[str]] = {}
    for part in board.parts.values():
        if part.type.symbol in CONDUCTS:
            one, other = part.nets.values()
            joins.setdefault(one, []).append(other)
            joins.setdefault(other, []).append(one)
    for use, pin in board.served.items():
        net = board.module.nets.get(pin)
        seen, left = {net}, [net] if net else []
        found: list[tuple[str, str]] = []
        while left:
            for other in joins.get(left.pop(), ()):
                if other in board.rails:
                    found.append(("is pulled up to", other))
                elif other not in seen:
                    seen.add(other)
                    left.append(other)
        found += [each for part in board.parts.values() for each in _lifts(part, seen)]
        for how, rail in found:
            if board.rails.get(rail, 0.0) > board.controller.volt + OVER:
                yield f"{use}: the module's pin {pin} {how} {rail}; it bears {board.controller.volt:g} V"
    for part in board.parts.values():
        if part.type.symbol == "schottky" and {part.nets.get("A"), part.nets.get("K")} <= board.rails.keys():
            above = board.rails[part.nets["A"]] - board.rails[part.nets["K"]]
            if above > OVER:
                yield f"{part.ref}: feeds {part.nets['K']} from {part.nets['A']}, {above:.1f} V above it"


def _lifts(part: CircuitPart, nets: Collection[str | None]) -> Iterator[tuple[str, str]]:
    """How a part brings nets up to a rail, and to which: an output that it supplies, a diode that clamps there."""
    if any(kind == "out" and part.nets.get(pin) in nets for pin, kind in part.type.pins.items()):
        for supply in ("VCC", "VDD"):
            if rail := part.nets.get(supply):
                yield f"is driven by {part.ref} with", rail
    if part.type.symbol == "schottky" and part.nets.get("A") in nets and (rail := part.nets.get("K")):
        yield f"is clamped by {part.ref} to", rail


def _manifest(board: CarrierBoard) -> Iterator[str]:
    wanted = pins_of(board.kind)
    for use in wanted:
        if use not in board.served and board.at.get(use) != "":
            yield f"the firmware's {use} ({wanted[use]}): no circuit"
    for use, pin in board.served.items():
        if board.module.nets.get(pin) is None:
            yield f"{use}: the module's pin {pin} is not connected"
    by_pin: dict[str, list[str]] = {}
    for use, pin in board.served.items():
        by_pin.setdefault(pin, []).append(use)
    for pin, uses in by_pin.items():
        if len(uses) > 1 and {use.split()[0] for use in uses} != {"keys", "lamps"}:
            yield f"the module's pin {pin} serves {', '.join(uses)}"
    for pin in board.module.nets:
        if pin not in by_pin and board.module.type.pins[pin] == "both" and pin != board.controller.reset:
            yield f"the module's pin {pin} is connected, and the firmware does not use it"


# The chain of lamps

HEADER = {"data": "3", "clock": "5", "latch": "7", "data back": "8", "read back": "10"}
"""The pins of a ribbon header: what the board sends, and what comes back from the last tile."""
ONWARD = {"B": "C", "G": "D"} | dict(HC14_PAIRS)
"""Through a transistor and an inverter, by their pins."""


def _leads_to(circuit: Circuit, net: str) -> set[str]:
    """The nets that a level comes to through resistors, inverters and transistors; it ends at a rail."""
    at = circuit.nets()
    seen, left = {net}, [net]
    while left:
        here = left.pop()
        for part, pin in at.get(here, ()) if here not in circuit.rails else ():
            if part.type.symbol == "resistor":
                onward = next(other for other in part.nets if other != pin)
            else:
                onward = ONWARD.get(pin, "") if part.type.symbol in ("inverter", "npn", "pnp", "nfet", "pfet") else ""
            to = part.nets.get(onward, here)
            if to not in seen:
                seen.add(to)
                left.append(to)
    return seen


def _chain(board: CarrierBoard) -> Iterator[str]:
    """The chain from the module out to the last register, and what is read back; each control output at its bit.

    The bit that is sent first goes furthest, and what is furthest comes back first: the n-th control output is the n-th
    of the 74HC595, and the n-th input of the 74HC165 reads it.
    """
    if "lamps data" not in board.served:
        return
    module = {wire: board.served[f"lamps {wire}"] for wire in ("data", "clock", "latch", "read_back")}
    header = next(part for part in board.tagged("lamps data") if part.type is RIBBON)
    joints = [(board.module, module[wire], header, HEADER[wire]) for wire in ("data", "clock", "latch")]
    names: list[str] = kind_of(board.kind).get("control", [])
    if names:
        control, watch = (next(part for part in board.parts.values() if part.type is type_) for type_ in (HC595, HC165))
        joints += [
            (header, HEADER["data back"], control, "SER"),
            (header, HEADER["read back"], watch, "DS"),
            (watch, "Q7", board.module, module["read_back"]),
            *((board.module, module["clock"], *end) for end in ((control, "SRCLK"), (watch, "CP"))),
            *((board.module, module["latch"], *end) for end in ((control, "RCLK"), (watch, "PL"))),
        ]
    else:
        joints.append((header, HEADER["read back"], board.module, module["read_back"]))
    for one, pin, other, its_pin in joints:
        if other.nets.get(its_pin) not in _leads_to(board, one.nets.get(pin, "")):
            yield f"{one.ref} pin {pin}: does not lead to {other.ref} pin {its_pin}, the next place of the chain"
    for bit, (name, pin) in enumerate(zip(names, HC595_OUTPUTS, strict=True) if names else ()):
        found, wanted = _controlled(board, control.nets.get(pin, "")), _place_of(board, name)
        if found != wanted:
            yield f"{control.ref} pin {pin}: {name} for the firmware, and leads to {', '.join(found) or 'nothing'}"
        if watch.nets.get(f"D{bit}") != control.nets.get(pin):
            yield f"{watch.ref} pin D{bit}: reads another output than {control.ref} pin {pin}, {name}"


def _tile(circuit: Circuit) -> Iterator[str]:
    """Of a lamp tile, each lamp at its bit: the n-th output switches the n-th lamp, and the n-th input reads it."""
    drive = next((part for part in circuit.parts.values() if part.type is TPIC), None)
    if drive is None:
        return
    watch = next(part for part in circuit.parts.values() if part.type is HC165)
    at = {to: part.nets[pin] for part in circuit.parts.values() for pin, (_, to) in part.wires.items()}
    for bit in range(8):
        lamp = f"lamp {bit + 1}"
        if drive.nets.get(f"DRAIN{bit}") != at[f"{lamp}: −, switched"]:
            yield f"{drive.ref} pin DRAIN{bit}: does not switch {lamp}"
        if watch.nets.get(f"D{bit}") not in _leads_to(circuit, at[f"{lamp}: +"]):
            yield f"{watch.ref} pin D{bit}: does not read the current of {lamp}"


def _controlled(board: CarrierBoard, net: str) -> list[str]:
    """What an output of the control register leads to."""
    nets = _leads_to(board, net)
    pins = ((part, pin) for part in board.parts.values() if part.type is STEPPER_DRIVER for pin in ("DIR", "ENABLE"))
    return [f"{part.ref} pin {pin}" for part, pin in pins if part.nets.get(pin) in nets] + [SENSE] * (SENSE in nets)


def _place_of(board: CarrierBoard, name: str) -> list[str]:
    """What the firmware's control output of this name is for."""
    what, _, number = name.partition("_")
    if not number:
        return [SENSE] if name == "sense" else []
    steps = _leads_to(board, board.module.nets[board.served[f"reel_{number}"]])
    drivers = (part for part in board.parts.values() if part.type is STEPPER_DRIVER and part.nets.get("STEP") in steps)
    return [f"{part.ref} pin {'DIR' if what == 'direction' else 'ENABLE'}" for part in drivers]
