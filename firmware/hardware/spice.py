"""A deck for ngspice from rows of a circuit, and what comes out of it.

The models are generic elements of SPICE with parameters of data sheets; worst cases are parameters of the caller.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from firmware.hardware.circuit import GND, Circuit, CircuitPart, Hang, Series, Transistor
from firmware.hardware.controllers import NANO, V5, V33

PROGRAM: Final = "ngspice"
LIMIT_S: Final = 120.0
"""Ends a simulation that hangs; the longest takes about a second."""
_MEASURED: Final = re.compile(r"^(\w+)\s*=\s*([-+0-9.eE]+)", re.MULTILINE)
"""A figure that was asked for, as it is printed: its name in small letters, and its value."""


_WRONG: Final = re.compile(
    r"^(?:\s*(?:error|fatal)\b.*|.*timestep too small.*|.*aborted.*)$", re.MULTILINE | re.IGNORECASE
)
_OPTIONS: Final = ".options reltol=2e-3 abstol=1e-10 vntol=1e-5 itl4=200"


class SimulationError(Exception):
    """ngspice is missing, failed, or did not give a figure that was asked for."""


class Corner(NamedTuple):
    """What varies between specimens: thresholds as parts of the supply, voltages, gains."""

    vcc: float = 5.0
    logic: float = 3.3
    """V of a Pico's rail."""
    up: float = 0.55
    """V_T+ of the inverters at the inputs, as a part of their supply (`Controller.up`)."""
    down: float = 0.36
    """V_T− of the inverters at the inputs (`Controller.down`)."""
    ttl_up: float = 1.5
    """V_T+ of the 74AHCT14: 0.9 to 2.1 V."""
    ttl_down: float = 0.9
    """V_T− of the 74AHCT14: 0.5 to 1.7 V."""
    tvs_volt: float = 30.0
    """Breakdown of the field TVS: 28.5 to 31.5 V."""
    zener_volt: float = 6.2
    """BZX55C6V2: 5.8 to 6.6 V."""
    pfi: float = 1.25
    """Threshold of the power-fail comparator: 1.20 to 1.30 V."""
    gain: float = 250.0
    """Current gain of BC337-40 and BC327-40, 160 at the least; that of BD140-16 is 100 where theirs is 160."""
    ctr: float = 0.5
    """Least current transfer ratio of the optocoupler."""
    threshold: float = 2.0
    """Of the MOSFETs: 1.0 to 2.0 V (data sheet)."""
    threshold_p: float = 4.0
    """Of those with a P-channel: 1.0 V (SUP53P06, at the least) to 4.0 V (IRF4905, at the most)."""
    efficiency: float = 0.84
    vin_least: float = 7.0


UP_LEAST, UP_MOST = NANO.up
DOWN_LEAST, DOWN_MOST = NANO.down
HYSTERESIS_LEAST = 0.4 / 4.5
V_IL_MOST, V_IH_LEAST = NANO.low_most, NANO.high_least
TTL_UP_MOST, TTL_DOWN_LEAST = 2.1, 0.5


def models(corner: Corner) -> list[str]:
    """The model cards and subcircuits."""
    return [
        ".model D1N4148 D(IS=2.5n N=1.75 RS=0.6 CJO=4p TT=4n BV=100 IBV=5u)",
        ".model D1N4007 D(IS=7n N=1.8 RS=0.04 CJO=25p TT=3u BV=1000 IBV=5u)",
        ".model D1N5819 D(IS=2u N=1.05 RS=0.06 CJO=110p BV=40 IBV=100u)",
        ".model D1N5822 D(IS=5u N=1.05 RS=0.03 CJO=200p BV=40 IBV=500u)",
        ".model DBAT85 D(IS=0.2u N=1.05 RS=2.5 CJO=10p BV=30 IBV=100u)",
        f".model DZ6V2 D(IS=1n N=1.4 RS=3 CJO=90p BV={corner.zener_volt} IBV=5m NBV=3)",
        ".model DZ15 D(IS=1n N=1.4 RS=5 CJO=60p BV=15 IBV=5m NBV=3)",
        f".model DTVS30 D(IS=10n N=1.1 RS=0.34 CJO=900p BV={corner.tvs_volt} IBV=1m)",
        ".model DTVS18 D(IS=10n N=1.1 RS=0.26 CJO=2n BV=18 IBV=1m)",
        ".model DCLAMP D(IS=1f N=1.05 RS=20 CJO=2p)",
        ".model DLED D(IS=1e-15 N=1.6 RS=3 CJO=30p)",
        # Of a width of 0.1 mm, as elements have without one: 1.6 nF and 0.6 nF (26 nC of Miller charge over 44 V).
        f".model MNFET NMOS(LEVEL=1 VTO={corner.threshold} KP=15 RD=8m RS=4m CGSO=16u CGDO=6u CBD=1n PB=0.8 IS=1n)",
        # 2.8 nF and 2 nF (86 nC over 44 V); 20 mΩ at 25 °C are 32 mΩ at 125 °C.
        f".model MPFET PMOS(LEVEL=1 VTO={-corner.threshold_p} KP=20 RD=18m RS=6m CGSO=28u CGDO=20u CBD=1n PB=0.8"
        " IS=1n)",
        f".model QNPN NPN(IS=2e-14 BF={corner.gain} RB=8 RC=0.4 RE=0.1 VAF=80 CJE=30p CJC=12p TF=0.8n TR=80n)",
        f".model QPNP PNP(IS=2e-14 BF={corner.gain} RB=8 RC=0.4 RE=0.1 VAF=60 CJE=30p CJC=15p TF=0.8n TR=80n)",
        f".model QPASS PNP(IS=1e-13 BF={0.625 * corner.gain} RB=5 RC=0.2 RE=0.05 VAF=80 CJE=100p CJC=40p TF=3n)",
        ".model DIDEAL D(IS=1n N=0.1 RS=0.01)",
        *_tolerant("AHC14", f"V(vcc,gnd)*({corner.down} + ({corner.up} - {corner.down})*V(m,gnd)/(V(vcc,gnd)+1m))"),
        *_tolerant("AHCT14", f"({corner.ttl_down} + ({corner.ttl_up} - {corner.ttl_down})*V(m,gnd)/(V(vcc,gnd)+1m))"),
        ".model DTVS6 D(IS=10n N=1.1 RS=0.1 CJO=4n BV=6.8 IBV=10m)",
        ".subckt HC14 a y vcc gnd",
        "Dh a vcc DCLAMP",
        "Dl gnd a DCLAMP",
        "Ci a gnd 4p",
        f"Bt d gnd V = V(vcc,gnd)*0.5*(1 - tanh((V(a,gnd) - V(vcc,gnd)*({corner.down} + ({corner.up} - {corner.down})"
        "*V(m,gnd)/(V(vcc,gnd)+1m)))/5m))",
        "Rm d m 1k",
        "Cm m gnd 12p",
        "Ey e gnd m gnd 1",
        "Ro e y 60",
        ".ends",
        ".subckt PFC pfi pfo vcc gnd",
        "Ri pfi gnd 50meg",
        f"Bt d gnd V = V(vcc,gnd)*0.5*(1 + tanh((V(pfi,gnd) - {corner.pfi})/1m))",
        "Rm d m 1k",
        "Cm m gnd 1n",
        "Ey e gnd m gnd 1",
        "Ro e pfo 100",
        ".ends",
        ".subckt BUCK5 vin gnd vout",
        f"Bo o gnd V = 5*0.5*(1 + tanh((V(vin,gnd) - {corner.vin_least} + 0.1)/0.03))",
        "Vs o vout 0",
        f"Bi vin gnd I = V(vout,gnd)*I(Vs)/({corner.efficiency}*max(V(vin,gnd),2)) + 2m",
        ".ends",
        ".subckt OPTO a k c e",
        "Dl a n DLED",
        "Vn n k 0",
        f"Fb c b Vn {corner.ctr / 100}",
        "Q1 c b e QOPTO",
        ".ends",
        ".model QOPTO NPN(IS=1e-14 BF=100 VAF=60 CJC=10p CJE=10p TF=2n)",
    ]  # fmt: skip


def _tolerant(name: str, threshold: str) -> list[str]:
    """A Schmitt-trigger inverter whose input has no clamp to its supply; what comes into its output goes there."""
    return [
        f".subckt {name} a y vcc gnd",
        "Dl gnd a DCLAMP",
        "Ci a gnd 4p",
        f"Bt d gnd V = V(vcc,gnd)*0.5*(1 - tanh((V(a,gnd) - {threshold})/5m))",
        "Rm d m 1k",
        "Cm m gnd 12p",
        "Ey e gnd m gnd 1",
        "Vo e o 0",
        "Fo vcc gnd Vo 1",
        "Ro o y 60",
        ".ends",
    ]


def rails(circuit: Circuit, corner: Corner) -> list[str]:
    """The 5 V of a circuit, and where it has a Pico its 3.3 V: of a regulator that takes no current back."""
    lines = [f"V5 {node(V5)} 0 {corner.vcc}"]
    if V33 in circuit.rails:
        lines.append(f"V33 s_3v3 0 {corner.logic}\nD33 s_3v3 {node(V33)} DIDEAL")
    return lines


def node(net: str) -> str:
    """The name of a net in a deck."""
    if net == GND:
        return "0"
    return "n_" + re.sub(r"[^a-z0-9]", "_", net.lower().replace("+", "p"))


def metered(
    lines: Iterable[str], element: str, outer: str, inner: str, source: str, *, inward: bool = False
) -> list[str]:
    """A deck with a source of 0 V between an element and its node `outer`, which measures the current there.

    Positive is the current out of the element; with `inward`, into it. `inner` is the node between the two.
    """
    ends = (outer, inner) if inward else (inner, outer)
    return [
        f"{line.replace(outer, inner, 1)}\n{source} {ends[0]} {ends[1]} 0" if line.startswith(f"{element} ") else line
        for line in lines
    ]


def deck(
    circuit: Circuit,
    rows: Iterable[str],
    *,
    closed: Iterable[str] = (),
    vary: Callable[[CircuitPart], float] = lambda part: 1.0,
    without: Iterable[str] = (),
) -> list[str]:
    """The elements of these rows.

    `closed` are relays that have pulled in, jumpers that are fitted, keys that are pressed. `vary` gives the factor on
    the value of a resistor or capacitor. `without` are parts that were forgotten or have failed open.
    """
    wanted, shut, absent = set(rows), set(closed), set(without)
    lines: dict[str, None] = {}
    found: set[str] = set()
    for sheet in circuit.sheets:
        for row in sheet.rows:
            if row.name not in wanted:
                continue
            found.add(row.name)
            for step in row.steps:
                if isinstance(step, Series | Hang | Transistor) and step.ref not in absent:
                    part = circuit.parts[step.ref]
                    gate = (step.enters, step.leaves) if isinstance(step, Series) else None
                    for line in _element(part, gate, part.ref in shut, vary(part)):
                        lines[line] = None
    missing = wanted - found
    if missing:
        raise SimulationError(f"{circuit.name}: it has no row {', '.join(sorted(missing))}")
    return list(lines)


def _element(part: CircuitPart, gate: tuple[str, str] | None, is_closed: bool, factor: float) -> list[str]:
    if not part.type.spice:
        return []
    names = {
        pin: node(part.nets[pin]) if pin in part.nets else f"nc_{part.ref}_{i}" for i, pin in enumerate(part.type.pins)
    }
    values = {
        "ref": part.ref,
        "value": f"{part.type.number * factor:.6g}",
        "closed": "0.02" if is_closed else "1e9",
        "rest": "1e9" if is_closed else "0.02",
    }
    if part.type.symbol == "inverter" and gate is not None:
        values |= {"gate": gate[0], "A": names[gate[0]], "Y": names[gate[1]]}
    text = part.type.spice
    for key, value in {**names, **values}.items():
        text = text.replace("{" + key + "}", value)
    return text.splitlines()


def run(title: str, lines: Sequence[str], analysis: str, measures: Mapping[str, str]) -> dict[str, float]:
    """Runs a transient analysis such as `tran 1u 10m uic`; `measures` are what `meas tran NAME` is followed by.

    Raises:
        SimulationError: ngspice is not installed, or it failed, or a figure is missing.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        raise SimulationError(f"{PROGRAM} is not installed: sudo apt install {PROGRAM}")
    kind = analysis.split()[0]
    asked = [f"meas {kind} {name} {how}" for name, how in measures.items()]
    for options in (_OPTIONS, f"{_OPTIONS} trtol=1", f"{_OPTIONS} cshunt=1e-12"):
        control = [".control", "set noaskquit", analysis, *asked, "quit", ".endc", ".end", ""]
        text = "\n".join([title, *lines, options, *control])
        output, wrong = _simulated(program, title, text)
        # Where a gate switches, a step may be too long for the solver: once more, with finer ones; then with the
        # picofarad that every wire has to 0 V.
        if "timestep too small" not in wrong.lower():
            break
    if wrong:
        raise SimulationError(f"{title}: {PROGRAM}: {wrong}\n{output[-3000:]}\n{text}")
    told = dict(_MEASURED.findall(output))
    found: dict[str, float] = {}
    for name in measures:
        if name.lower() not in told:
            raise SimulationError(f"{title}: {PROGRAM} gave no {name}:\n{output[-3000:]}\n{text}")
        found[name] = float(told[name.lower()])
    return found


def _simulated(program: str, title: str, text: str) -> tuple[str, str]:
    """What ngspice printed of a deck, and the line that states what is wrong; empty where nothing is."""
    with tempfile.TemporaryDirectory(prefix="feltwire-spice-") as folder:
        path = Path(folder) / "deck.cir"
        path.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run(
                [program, "-b", str(path)], capture_output=True, text=True, timeout=LIMIT_S, check=False, cwd=folder
            )
        except subprocess.TimeoutExpired as error:
            raise SimulationError(f"{title}: {PROGRAM} did not end in {LIMIT_S:g} s") from error
    output = done.stdout + done.stderr
    wrong = _WRONG.search(output)
    if wrong is not None:
        return output, wrong[0]
    return output, str(done.returncode) if done.returncode else ""
