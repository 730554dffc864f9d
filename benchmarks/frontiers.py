"""Frontiers of boundary policies: chains by merging, and our searches compared with the paper's.

    ROADSTEAD_DATA=folder python benchmarks/frontiers.py [--quick] [--json FILE]

The data are Adult among the people of Tennessee, estimated again for each seed. The first table
shows how many policies of random chains are evaluated per second: by a walk that merges classes,
including its start, and one by one, from the cells and from a table of the population. All are
timed on the same chain, one after the other, in processor seconds, because other work on the
machine changes these least.

The second table compares paper 000's sublattice search after its 14,780 policies with our search
after a tenth of them. All searches of a population are timed one after the other.
"""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

import measuring
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.frontiers.walks import MergedWalk
from roadstead_reproductions.xia2013.beyond import Timed, compared, race, shs, warm_up
from roadstead_reproductions.xia2013.instances import adult
from roadstead_reproductions.xia2013.published import BUDGET
from roadstead_reproductions.xia2013.readings import CHOSEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead_reproductions.xia2013.instances import Instance

SEEDS = (1, 2, 3, 4, 5)
CHAINS = 5
EVERY = 5
"""One policy in so many of a chain is evaluated by itself."""


@dataclass(frozen=True)
class Speed:
    """Policies of a chain a processor second: by merging, and each from the cells or a table."""

    seed: int
    chain: int
    merged: float
    cells: float
    table: float

    @property
    def ratio(self) -> float:
        """How many times faster merging is than from the cells."""
        return self.merged / self.cells


def speed(instance: Instance, seed: int, chain: int) -> Speed:
    """Time one random chain."""
    problem, plain = instance.problem, FrontierProblem(instance.problem.cells)
    domains = problem.domains
    order = np.random.default_rng((seed, chain)).permutation(domains.boundaries)
    began = time.process_time()
    risks, losses = MergedWalk(problem, domains.most_specific).follow(order)
    merged = (order.size + 1) / (time.process_time() - began)
    policies, current = [], domains.most_specific
    for boundary in order.tolist():
        current = current.without(boundary)
        policies.append(current)
    some = policies[::EVERY]
    rates = []
    for way in (plain, problem):
        way.point(some[0])
        began = time.process_time()
        points = np.array([way.point(policy) for policy in some])
        rates.append(len(some) / (time.process_time() - began))
        if not np.allclose(points, np.column_stack([risks, losses])[::EVERY], rtol=0, atol=1e-9):
            sys.exit(f"seed {seed}, chain {chain}: not the same risks and losses")
    return Speed(seed, chain, merged, *rates)


def searches(instance: Instance, budget: int) -> tuple[Timed, ...]:
    """Run SHS with two readings, ours, and SHS as its command evaluates it."""
    warm_up(instance.problem)
    found = race(instance.problem, budget, strict=True)
    plain = FrontierProblem(instance.problem.cells)
    warm_up(plain)
    slow = shs(plain, CHOSEN, budget, 0)
    return (*found, Timed(**{**asdict(slow), "name": f"{slow.name}, from the cells"}))


def show_speeds(speeds: Sequence[Speed]) -> None:
    """Print policies a second, the median of the chains of each seed."""
    rows = []
    for seed in sorted({one.seed for one in speeds}):
        own = [one for one in speeds if one.seed == seed]
        ratios = [one.ratio for one in own]
        rows.append(
            (
                str(seed),
                str(len(own)),
                *(
                    f"{median(getattr(o, n) for o in own):,.0f}"
                    for n in ("merged", "cells", "table")
                ),
                f"{median(ratios):.0f} ({min(ratios):.0f} to {max(ratios):.0f})",
            )
        )
    columns = ("population", "chains", "merged, 1/s", "cells, 1/s", "table, 1/s", "merged / cells")
    measuring.show_table(columns, rows)
    print(flush=True)


def show_searches(found: dict[int, tuple[Timed, ...]]) -> None:
    """Print the outcomes of the searches, and ratios to the SHS with the least area."""
    rows = [
        (
            str(seed),
            str(row["search"]),
            f"{row['area']:.4f}",
            f"{row['members']:,}",
            f"{row['evaluated']:,}",
            f"{row['seconds']:.2f}",
            *(
                "" if row[name] is None else f"{row[name]:.3f}"
                for name in (
                    "complete",
                    "complete_area_ratio",
                    "complete_seconds_ratio",
                    "area_ratio",
                    "evaluated_ratio",
                    "seconds_ratio",
                )
            ),
        )
        for seed, own in found.items()
        for row in compared(seed, own)
    ]
    columns = (
        "population", "search", "area", "members", "evaluated", "seconds", "complete after, s",
        "its area / SHS", "its seconds / quickest SHS", "area / SHS",
        "evaluated / SHS", "seconds / SHS",
    )  # fmt: skip
    measuring.show_table(columns, rows)


def main() -> None:
    """Measure every population."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--quick", action="store_true", help="one population, one chain")
    given = parser.parse_args()
    seeds, chains = (SEEDS[:1], 1) if given.quick else (SEEDS, CHAINS)
    measuring.show_machine()
    speeds: list[Speed] = []
    found: dict[int, tuple[Timed, ...]] = {}
    for seed in seeds:
        instance = adult(seed)
        speed(instance, seed, 0)  # to load compiled code
        speeds += [speed(instance, seed, chain) for chain in range(chains)]
        found[seed] = searches(instance, BUDGET)
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    show_speeds(speeds)
    show_searches(found)
    rows = [asdict(one) for one in speeds]
    rows += [{"seed": seed, **asdict(one)} for seed, own in found.items() for one in own]
    measuring.save(given.json, rows)


if __name__ == "__main__":
    main()
