"""Random plans of link faults."""

from __future__ import annotations

from random import Random

from simulators.board.link_faults import LinkFault, PlannedLinkFault


def plan_link_faults(
    seed: int,
    from_ns: int,
    until_ns: int,
    *,
    mean_gap_ns: int,
    longest_ns: int,
    kinds: tuple[LinkFault, ...] = tuple(LinkFault),
) -> list[PlannedLinkFault]:
    """A random plan of link faults, none of which begins before the last is over."""
    rng = Random(seed)
    plan: list[PlannedLinkFault] = []
    t_ns = from_ns
    while True:
        t_ns += round(rng.expovariate(1.0 / mean_gap_ns))
        if t_ns >= until_ns:
            return plan
        lasts_ns = rng.randint(1, longest_ns)
        plan.append(PlannedLinkFault(t_ns, rng.choice(kinds), lasts_ns))
        t_ns += lasts_ns
