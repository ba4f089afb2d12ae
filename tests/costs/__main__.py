"""`python -m tests.costs`: compares what fixed scripts cost with the figures that are kept (figures.toml).

Costs are instructions, calls and memory of fixed scripts: no clock, so a slow or busy computer changes nothing.
"""

from __future__ import annotations

import argparse
import sys

from tests.costs.figures import FILE, TOLERANCE, VERSION, differences, read, renewed, write
from tests.costs.measuring import costs as counted

RENEW = 'python -m tests.costs --renew "REASON"'


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 1 where a figure is worse and was not renewed."""
    parser = argparse.ArgumentParser(prog="python -m tests.costs", description=__doc__)
    parser.add_argument(
        "--renew",
        metavar="REASON",
        help="write the figures that differ by more than the tolerance, with this reason; commit them with the change",
    )
    options = parser.parse_args(arguments)
    if options.renew is not None and not options.renew.strip():
        parser.error("--renew: a reason is needed: what costs more or less now, and why it is worth it")
    try:
        versions = read()
    except ValueError as error:
        print(f"costs: {error}", file=sys.stderr)
        return 1
    if options.renew is None and VERSION not in versions:
        print(f"costs: no figures are kept for Python {VERSION} (but for {', '.join(versions)}): nothing is compared")
        return 0
    costs = counted()
    kept = versions.get(VERSION, {})
    different = differences(kept, costs)
    if options.renew is not None:
        write({**versions, VERSION: renewed(kept, costs, different, options.renew.strip())})
        for one in different:
            print(f"renewed: {one}")
        print(f"costs: {len(different)} figures renewed in {FILE}; commit them with the change")
        return 0
    worse = [one for one in different if not one.is_better]
    for one in different:
        print(f"{'better' if one.is_better else 'WORSE'}: {one}")
    if worse:
        print(
            f"costs: {len(worse)} figures are over {TOLERANCE:.0%} worse, or not kept. Remove the loss; or, if it is "
            f"worth it, keep it with its reason: {RENEW}, and commit {FILE.name} with the change"
        )
    elif different:
        print(f"costs: {len(different)} figures are over {TOLERANCE:.0%} better; keep the gain: {RENEW}")
    else:
        print(f"costs: all figures of {len(costs)} scripts are within {TOLERANCE:.0%} of those that are kept")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
