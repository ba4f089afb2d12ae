"""`python -m firmware.proofs`: proves the firmware's core with CBMC 6.6; prints what is proven and how long it took."""

from __future__ import annotations

import argparse
import sys

from firmware.proofs.checker import MACHINES, ProofError, reach, run, wrong
from firmware.proofs.table import Proof, proofs


def _prove(proof: Proof) -> bool:
    good = True
    for machine in MACHINES:
        found = run(proof, machine)
        faults = wrong(proof, found)
        print(
            f"{proof.name} ({machine.name}): {found.properties} properties, {found.seconds:.1f} s of the processor",
            flush=True,
        )
        for fault in faults:
            print(f"  {fault}")
        good = good and not faults
    for claim, why in proof.known.items():
        print(f"  known, and refuted: {claim}: {why}")
    return good


def _refute(proof: Proof) -> bool:
    good = True
    for mistake in proof.mistakes:
        found = run(proof, MACHINES[0], mistake)
        if mistake.claim not in found.refuted:
            print(f"{proof.name}: {mistake.source}: {mistake.becomes!r} does not refute {mistake.claim!r}")
            print(f"  refuted: {found.refuted}")
            good = False
    reached, unreached = reach(proof, MACHINES[0])
    for words in unreached:
        print(f"{proof.name}: no path reaches: {words}")
        good = False
    print(f"{proof.name}: {len(proof.mistakes)} planted mistakes; {len(reached)} claims reached", flush=True)
    return good


def main() -> int:
    """Exit status 1 where a claim is refuted that is not known, or not reached, or not refuted by its mistake."""
    parser = argparse.ArgumentParser(prog="python -m firmware.proofs", description=__doc__)
    mistakes = "plant each mistake instead: it must be refuted; each claim must be reached"
    parser.add_argument("--mistakes", action="store_true", help=mistakes)
    parser.add_argument("names", nargs="*", metavar="NAME", help="these proofs, instead of all")
    given = parser.parse_args()
    table = proofs()
    unknown = [name for name in given.names if name not in table]
    if unknown:
        parser.error(f"no such proof: {', '.join(unknown)}; there are {', '.join(table)}")
    check = _refute if given.mistakes else _prove
    try:
        good = [check(table[name]) for name in given.names or table]
    except ProofError as error:
        print(error, file=sys.stderr)
        return 1
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
