"""What recodings cannot lose less than: how near, how fast, and whether it is true.

    python benchmarks/recoding_bounds.py [--intervals] [--tiny 1000] [--k 2 5] [--only Adult-9]

Tiny tables need no data: every partition of their records is tried. Of the others the losses are
those of first fit, the base line; with ``--intervals`` recodings are by intervals, and no loss is
set beside the bounds.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from problems import ADULT, CUP, FARS, DataSet, recoding_problem_of, summary
from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds.boxes import box_bound
from roadstead.search.recoding.bounds.nodes import node_bound
from roadstead.search.recoding.first_fit import FirstFit

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))


def tiny(number: int) -> None:
    """Hold bounds against the best of all partitions of tiny tables."""
    from recodings_by_definition import drawn, least_loss  # noqa: PLC0415 - of the tests

    above, ratios = 0, []
    for seed in range(number):
        case = drawn(seed)
        best = least_loss(case, intervals=False)
        found = node_bound(case.problem(intervals=False), Control())
        loss = np.inf if best is None else float(best)
        above += found.value > loss + 1e-12 or found.first > loss + 1e-12
        if 0.0 < loss < np.inf:
            ratios.append((found.first / loss, found.value / loss))
    mean, median = np.mean(ratios, axis=0), np.median(ratios, axis=0)
    print(f"{number} tiny tables, {len(ratios)} that lose something")
    print(f"bounds that are too high: {above}")
    print(f"bound / optimum, mean: first {mean[0]:.3f}, tightened {mean[1]:.3f}")
    print(f"bound / optimum, median: first {median[0]:.3f}, tightened {median[1]:.3f}")


def tiny_by_intervals(number: int) -> None:
    """Hold bounds on recodings by intervals against the best of all partitions of tiny tables."""
    from recodings_by_definition import drawn, least_loss  # noqa: PLC0415 - of the tests

    above, ratios = 0, []
    for seed in range(number):
        case = drawn(seed)
        best = least_loss(case, intervals=True)
        found = box_bound(case.problem(intervals=True), Control())
        loss = np.inf if best is None else float(best)
        bounds = found.neighbor, found.smallest, found.value
        above += max(bounds) > loss + 1e-12
        if 0.0 < loss < np.inf:
            ratios.append([own / loss for own in bounds])
    mean, median = np.mean(ratios, axis=0), np.median(ratios, axis=0)
    print(f"{number} tiny tables, {len(ratios)} that lose something")
    print(f"bounds that are too high: {above}")
    for name, own in (("mean", mean), ("median", median)):
        print(
            f"bound / optimum, {name}: neighbor {own[0]:.3f}, smallest box {own[1]:.3f}, "
            f"prices {own[2]:.3f}"
        )


def real_by_intervals(data: DataSet, attributes: int, k: int) -> None:
    """Bound what a table loses by intervals; a line of a Markdown table."""
    problem = recoding_problem_of(
        summary(data.path, data.quasi(attributes)), data.hierarchy_folder, k, 0.05, intervals=True
    )
    before = time.process_time()
    found = box_bound(problem, Control())
    used = time.process_time() - before
    print(
        f"| {data.name} {attributes} | {k} | {found.neighbor:.4f} | {found.smallest:.4f} "
        f"| {found.value:.4f} | {used:.1f} | {found.ending} |",
        flush=True,
    )


def real(data: DataSet, attributes: int, k: int) -> None:
    """Bound what a table loses; a line of a Markdown table."""
    problem = recoding_problem_of(
        summary(data.path, data.quasi(attributes)), data.hierarchy_folder, k, 0.05, intervals=False
    )
    loss = FirstFit().run(problem, Control()).loss
    before = time.process_time()
    found = node_bound(problem, Control())
    used = time.process_time() - before
    print(
        f"| {data.name} {attributes} | {k} | {found.first:.4f} | {found.value:.4f} | {used:.1f} "
        f"| {found.rounds} | {found.ending} | {loss:.4f} | {1 - found.value / loss:.0%} |",
        flush=True,
    )


def main() -> None:
    """Tell what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", type=int, help="only tables of so many seeds")
    parser.add_argument("--k", type=int, nargs="+", default=[2, 5, 10, 20])
    parser.add_argument("--only", help="one table, such as Adult-9")
    parser.add_argument("--intervals", action="store_true", help="recodings by intervals")
    chosen = parser.parse_args()
    if chosen.tiny:
        (tiny_by_intervals if chosen.intervals else tiny)(chosen.tiny)
        return
    tables = [*((ADULT, number) for number in range(3, 10)), (CUP, 8), (FARS, 8)]
    columns = "first | bound | processor, s | rounds | ended | first fit | gap"
    if chosen.intervals:
        columns = "neighbor | smallest box | prices | processor, s | ended"
    print(f"| table | k | {columns} |")
    print("|---" * (columns.count("|") + 3) + "|")
    for data, number in tables:
        for k in chosen.k:
            if chosen.only in {None, f"{data.name}-{number}"}:
                (real_by_intervals if chosen.intervals else real)(data, number, k)


if __name__ == "__main__":
    main()
