"""Power cuts of a machine whose tables play: nothing that a subscriber or a dealer outside had seen may be missing.

    boot ─► journal verified, and all it holds ─► service ─► events and answers as they come ─► cut ─► boot ─► …

The machine is a process of this computer; the cut is SIGKILL. Its disk keeps what it had given to it (`fdatasync` goes
through to this computer's file), and loses its own memory, as at a real cut.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.vm.images import ROOT, captures, installed, make_disk
from tests.vm.machine import Machine, MachineHungError, Record
from tests.vm.scenarios import Outcome

DISK_BYTES: Final = 128_000_000
LONGEST_PLAY_S: Final = 4.0
"""From the first event and the first answer to the cut, at most."""
EARLY: Final = 0.2
"""The share of cuts that come while the service starts."""
LONGEST_START_S: Final = 4.0
MOST_HUNG: Final = 3
SHOWN_EVERY: Final = 10
OPEN_TABLE: Final = "roulette-4"
ORDERED_TABLE: Final = "money-wheel-3"
STATES: Final = {"open": "open", "close": "closed"}


@dataclass
class Witness:
    """What was seen from outside, over all cuts of one disk."""

    seen: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Each event by chain and id: its digest and type."""
    answered: dict[str, str] = field(default_factory=dict)
    """Each order that was answered with yes, and what it was."""
    allowed: set[str] = field(default_factory=lambda: {"closed"})
    """The states in which the table that is closed and opened may come back."""
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    cuts: int = 0
    hung: int = 0
    """Machines whose own kernel stood still before the cut."""
    checked: int = 0
    """Boots after a cut, of which the journal was compared."""

    def compare(self, held: dict[str, str], orders: set[str]) -> None:
        """Compares what a journal holds with what was seen before; what is lost is not asked for again."""
        gone = [key for key, (digest, _) in self.seen.items() if held.get(key) != digest]
        self.lost += [f"{key} ({self.seen[key][1]})" for key in gone]
        for key in gone:
            del self.seen[key]
        forgotten = [order for order in self.answered if order not in orders]
        self.lost += [f"order {order}" for order in forgotten]
        for order in forgotten:
            del self.answered[order]
        self.checked += 1


@dataclass
class Moment:
    """When the power is cut, on the monotonic clock; None while that is not known."""

    cut_at: float | None = None


def cut_again_and_again(
    cuts: int, seed: int, *, suite: str = "", unsafe: bool = False, checkout: bool = False
) -> Witness:
    """Cuts the power of one machine this often; its disk stays."""
    random_ = random.Random(seed)
    witness = Witness()
    capture = (captures() / "money_wheel_mixed.vcd").relative_to(ROOT)
    with tempfile.TemporaryDirectory(prefix="feltwire-cuts-") as folder:
        disk = Path(folder) / "data.ext4"
        make_disk(disk, DISK_BYTES)
        options = [f"capture={capture}", *(["unsafe=yes"] if unsafe else [])]
        while True:
            # The last boot only looks.
            last = witness.cuts == cuts
            early = random_.random() < EARLY
            wait_s = random_.uniform(0.02, LONGEST_START_S if early else LONGEST_PLAY_S)
            with Machine(None if checkout else installed(suite), run="cuts", data=disk, options=options) as machine:
                try:
                    _watch(machine, witness, early=early, wait_s=wait_s, last=last)
                except MachineHungError:
                    # Its own kernel stands still, so that the cut comes when it comes.
                    witness.hung += 1
                    if last and witness.hung <= MOST_HUNG:
                        continue
                machine.cut()
            if witness.wrong or last:
                break
            witness.cuts += 1
            if witness.cuts % SHOWN_EVERY == 0:
                done = f"{witness.cuts} of {cuts} cuts, {len(witness.seen)} events seen, {len(witness.lost)} lost"
                print(f"   disk {seed}: {done}", file=sys.stderr, flush=True)
    return witness


def _watch(machine: Machine, witness: Witness, *, early: bool, wait_s: float, last: bool) -> None:
    """Listens to a machine until the moment of the cut."""
    held: dict[str, str] = {}
    orders: set[str] = set()
    moment = Moment()
    outside: set[str] = set()
    for record in machine.records_until(lambda: moment.cut_at):
        kind = record["kind"]
        if kind == "verified" and record["wrong"]:
            witness.wrong.append(f"the journal does not verify: {record['wrong']}")
        elif kind == "held":
            held.update({f"{chain} {name}": digest for chain, name, digest in record["events"]})
        elif kind == "orders":
            orders.update(record["ids"])
        elif kind == "read":
            if (len(held), len(orders)) != (record["events"], record["orders"]):
                witness.wrong.append(f"{record}: {len(held)} events and {len(orders)} orders came")
            witness.compare(held, orders)
        elif kind == "starting":
            if early and not last:
                moment.cut_at = time.monotonic() + wait_s
        elif kind == "standing":
            _compare_states(record, witness)
            if last:
                return
        elif kind == "seen":
            witness.seen[f"{record['chain']} {record['id']}"] = (record["digest"], record["type"])
            outside.add(kind)
        elif kind == "order":
            witness.allowed.add(STATES[record["verb"]])
        elif kind == "answer":
            outside.add(kind)
            if record["accepted"]:
                witness.answered[record["id"]] = record["verb"]
                witness.allowed = {STATES[record["verb"]]}
        elif kind in ("failed", "ended"):
            witness.wrong.append(f"{record}: {machine.other[-12:]}")
            return
        if len(outside) == 2 and moment.cut_at is None:
            moment.cut_at = time.monotonic() + wait_s
    if moment.cut_at is None:
        witness.wrong.append(f"the machine ended by itself: {machine.other[-12:]}")


def _compare_states(record: Record, witness: Witness) -> None:
    states = record["states"]
    if states[OPEN_TABLE] != "open" or states[ORDERED_TABLE] not in witness.allowed:
        witness.wrong.append(f"the tables came back as {states}; {ORDERED_TABLE} was one of {sorted(witness.allowed)}")
    # It is open or closed for certain now.
    witness.allowed = {states[ORDERED_TABLE]}


def power_cuts(cuts: int, seed: int = 1, *, suite: str) -> Outcome:
    """Cuts of one machine."""
    return judged([cut_again_and_again(cuts, seed, suite=suite)], cuts)


def judged(witnesses: Iterable[Witness], cuts: int) -> Outcome:
    """What this many cuts together came to."""
    outcome = Outcome()
    total = Witness()
    for one in witnesses:
        total.cuts += one.cuts
        total.checked += one.checked
        total.hung += one.hung
        total.lost += one.lost
        total.wrong += one.wrong
        total.seen |= {f"{id(one)} {key}": value for key, value in one.seen.items()}
        total.answered |= {f"{id(one)} {key}": value for key, value in one.answered.items()}
    outcome.figures = {
        "power cuts": total.cuts,
        "events seen outside": len(total.seen) + len([one for one in total.lost if not one.startswith("order")]),
        "orders answered": len(total.answered),
        "lost": len(total.lost),
        "journals compared after a cut": total.checked,
        "machines that was still before the cut": total.hung,
    }
    outcome.check(total.cuts == cuts, f"{total.cuts} cuts instead of {cuts}")
    outcome.check(not total.lost, f"lost: {total.lost[:10]}")
    outcome.check(total.checked > 0, "no journal was compared: this proves nothing")
    outcome.check(bool(total.seen) and bool(total.answered), "nothing was seen: this proves nothing")
    for wrong in total.wrong:
        outcome.check(False, wrong)
    return outcome


def unsafe_cuts(cuts: int, seed: int = 1, *, suite: str) -> Outcome:
    """The same with a journal that does not wait for the disk has to lose something: the witness would notice."""
    witness = cut_again_and_again(cuts, seed, suite=suite, unsafe=True)
    outcome = Outcome(figures={"power cuts": witness.cuts, "lost with synchronous=OFF": len(witness.lost)})
    outcome.check(bool(witness.lost) or bool(witness.wrong), "nothing was lost: the cuts cut nothing")
    return outcome
