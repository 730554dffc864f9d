"""Lower bounds of the loss of recodings: how close, how fast, and whether they are true.

    python benchmarks/recoding_bounds.py [--intervals] [--tiny 1000] [--k 2 5] [--only Adult-9]
        [--truth 40 --records 60 100]

Tiny tables need no data: every partition of their records is tested. For other tables, the losses
are those of first fit, the baseline. With ``--intervals``, recodings are by intervals, and no loss
is printed with the bounds. With ``--truth``, this many parts of Adult are drawn, with 4 to 9
attributes, and an integer program computes the least loss of local recoding. Each has at most a
minute; unsolved parts are only counted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from problems import ADULT, CUP, FARS, DataSet, recoding_problem_of, summary
from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds.boxes import box_bound
from roadstead.search.recoding.bounds.nodes import node_bound
from roadstead.search.recoding.first_fit import first_fit_classes
from roadstead.search.recoding.local import LocalSearch
from roadstead.search.recoding.protocol import RecodingProblem
from roadstead.search.recoding.solve import solve
from roadstead.tables.frequency import canonical

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

_SECONDS = 60.0
"""For the solver, of each part of Adult."""


def tiny(number: int, *, intervals: bool) -> None:
    """Compare bounds with the best of all partitions of tiny tables."""
    from recodings_by_definition import drawn, least_loss  # noqa: PLC0415 - of the tests

    names = ("neighbor", "smallest box", "prices") if intervals else ("first", "tightened")
    above, ratios = 0, []
    for seed in range(number):
        case = drawn(seed)
        best = least_loss(case, intervals=intervals)
        problem = case.problem(intervals=intervals)
        if intervals:
            boxes = box_bound(problem, Control())
            bounds = [boxes.neighbor, boxes.smallest, boxes.value]
        else:
            nodes = node_bound(problem, Control())
            bounds = [nodes.first, nodes.value]
        loss = np.inf if best is None else float(best)
        above += max(bounds) > loss + 1e-12
        if 0.0 < loss < np.inf:
            ratios.append([own / loss for own in bounds])
    print(f"{number} tiny tables, {len(ratios)} that lose something")
    print(f"bounds that are too high: {above}")
    for center in (np.mean, np.median):
        found = zip(names, center(ratios, axis=0), strict=True)
        told = ", ".join(f"{name} {own:.3f}" for name, own in found)
        print(f"bound / optimum, {center.__name__}: {told}")


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
    loss = first_fit_classes(problem, Control()).loss
    before = time.process_time()
    found = node_bound(problem, Control())
    used = time.process_time() - before
    print(
        f"| {data.name} {attributes} | {k} | {found.first:.4f} | {found.value:.4f} | {used:.1f} "
        f"| {found.rounds} | {found.ending} | {loss:.4f} | {1 - found.value / loss:.0%} |",
        flush=True,
    )


def part_of_adult(seed: int, records: int, attributes: int, k: int) -> RecodingProblem:
    """Draw records of Adult and make their problem."""
    adult = summary(ADULT.path, ADULT.columns)
    rows = np.repeat(np.arange(adult.distinct), adult.counts)
    drawn = np.random.default_rng(seed).choice(rows, records, replace=False)
    places = [adult.attributes.index(name) for name in ADULT.quasi(attributes)]
    table, _ = canonical(
        ADULT.quasi(attributes),
        tuple(adult.domains[at] for at in places),
        [adult.codes[at][drawn] for at in places],
        np.ones(records, dtype=np.int64),
    )
    return recoding_problem_of(table, ADULT.hierarchy_folder, k, 0.05, intervals=False)


def truth(number: int, records: Sequence[int], k: int) -> None:
    """Compare search and bound with the proven optimum of parts of Adult."""
    from recodings_by_solver import (  # noqa: PLC0415 - of the tests
        Prices,
        cells_of,
        least_by_solver,
        levels_of,
        worth_using,
    )

    ratios = []
    print("| records | attributes | first fit | search | bound | optimum |")
    print("|---" * 6 + "|")
    for seed in range(number):
        size, attributes = records[seed % len(records)], 4 + seed // len(records) % 6
        problem = part_of_adult(seed, size, attributes, k)
        first = first_fit_classes(problem, Control()).loss
        found = solve(problem, LocalSearch(), Control())
        bound = node_bound(problem, Control())
        cells = cells_of(problem, levels_of(problem))
        prices = Prices(bound.prices, bound.suppression)
        used = worth_using(problem, cells, prices, found.loss)
        best = least_by_solver(problem, used, _SECONDS)
        shown = "" if best is None else f"{best:.4f}"
        print(
            f"| {size} | {attributes} | {first:.4f} | {found.loss:.4f} | {bound.value:.4f} "
            f"| {shown} |",
            flush=True,
        )
        if best is not None:
            ratios.append((first / best, found.loss / best, bound.value / best))
    print(f"{len(ratios)} of {number} solved")
    for name, own in zip(("first fit", "search", "bound"), np.array(ratios).T, strict=True):
        print(f"{name} / optimum: mean {own.mean():.3f}, from {own.min():.3f} to {own.max():.3f}")


def main() -> None:
    """Print the requested tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", type=int, help="only tables of so many seeds")
    parser.add_argument("--k", type=int, nargs="+", default=[2, 5, 10, 20])
    parser.add_argument("--only", help="one table, such as Adult-9")
    parser.add_argument("--intervals", action="store_true", help="recodings by intervals")
    parser.add_argument("--truth", type=int, help="so many parts of Adult, solved")
    parser.add_argument("--records", type=int, nargs="+", default=[60, 100], help="of a part")
    chosen = parser.parse_args()
    if chosen.truth:
        truth(chosen.truth, chosen.records, 5)
        return
    if chosen.tiny:
        tiny(chosen.tiny, intervals=chosen.intervals)
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
