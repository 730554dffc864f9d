"""Private releases for every use compared with DiffGen's: pairs of columns, a class, and time.

    ROADSTEAD_DATA=folder python benchmarks/private_for_every_use.py [--data NAME ...] [--runs N]
        [--epsilon E ...]

Tables are those of `choosing_problems.py`, and ``ARX Adult``, nine columns of 30,162 records.

There are three ways: a release for every use with the class as its target, one without a target,
where the class is a column like any other, and DiffGen's, whose target is always the class. Figures
are means, with the smallest and the largest of all runs.

* **pairs**: total variation distance of two columns in release and table, mean over all pairs of
  columns, at the level of detail of a release for every use. DiffGen's coarser values are replaced
  by finer values, drawn uniformly, as any user who needs values would do.
* **accuracy**: boosted trees learn from a release of two thirds of the records, and predict the
  class of the last third. The same split for both.
* **seconds**: for one release, with all records.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

import measuring
from choosing_problems import TABLES
from problems import ADULT, summary
from roadstead.differential.budget import Accountant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan
from roadstead.differential.domains import (
    CategoricalDomain,
    CutGroups,
    Domain,
    NumericCut,
    NumericDomain,
    SetCut,
)
from roadstead.differential.evaluation.accuracy import accuracy_of, split
from roadstead.differential.evaluation.classifiers import BoostedTrees
from roadstead.differential.margins.every_use import for_every_use
from roadstead.differential.margins.finest_cuts import finest_cut
from roadstead.differential.margins.groups import grouped
from roadstead.differential.margins.variables import TARGET, Coded, coded
from roadstead.differential.private_table import PrivateTable, within
from roadstead.differential.scores import SCORES
from roadstead.differential.stopping import LONGEST_WALK, walk_choosing
from roadstead.differential.synthesis import listed_and_released
from roadstead.hierarchies.taxonomy import from_branches

CLASS = "class"
EPSILONS = ("0.1", "0.25", "0.5", "1")
Values = NDArray[np.int64]


def arx_adult() -> PrivateTable:
    """Read the nine columns of Adult that ARX's benchmark has; the class is the salary."""
    table = summary(ADULT.path, ADULT.columns)
    domains: list[Domain] = [
        NumericDomain(name, Decimal(17), Decimal(90))
        if name == "age"
        else CategoricalDomain(from_branches(name, "*", own, origin="declared"))
        for name, own in zip(ADULT.columns[:-1], table.domains[:-1], strict=True)
    ]
    return within(table, domains, ADULT.columns[-1], table.domains[-1])


@dataclass(frozen=True)
class Released:
    """Groups with their classes, and values of variables."""

    groups: CutGroups
    counts: NDArray[np.int64]
    values: Values


def without_target(table: PrivateTable, epsilon: Fraction) -> Released:
    """Release a table for every use, to which the class is a column like any other."""
    known = CategoricalDomain(from_branches(CLASS, "*", table.classes, origin="declared"))
    leaves = known.taxonomy.locate(table.classes)
    every = replace(
        table,
        domains=(*table.domains, known),
        codes=(*table.codes, leaves[table.target]),
        sets=(*table.sets, None),
        classes=("all",),
        target=np.zeros_like(table.target),
    )
    found = for_every_use(every, epsilon, None, Mechanisms())
    *others, last = found.variables
    label = np.argsort(leaves)[found.values[-1]]
    variables = (*others, replace(last, attribute=TARGET))
    values = np.concatenate((found.values[:-1], label[None]))
    groups, counts = grouped(values, variables, found.cuts[:-1], len(table.classes))
    return Released(groups, counts, values)


def for_everything(table: PrivateTable, epsilon: Fraction) -> Released:
    """Release a table for every use, with the class as its target."""
    found = for_every_use(table, epsilon, CLASS, Mechanisms())
    groups, counts = grouped(found.values, found.variables, found.cuts, len(table.classes))
    return Released(groups, counts, found.values)


def for_the_class(table: PrivateTable, epsilon: Fraction) -> Released:
    """Release a table by DiffGen, as the command does by default."""
    accountant, mechanisms = Accountant(epsilon), Mechanisms()
    walked = walk_choosing(table, Plan(LONGEST_WALK, SCORES["max"]), accountant, mechanisms)
    made, counts = listed_and_released(table, walked, accountant, mechanisms)
    groups = made.groups.groups
    return Released(groups, counts, _drawn(groups, counts))


def _drawn(groups: CutGroups, counts: NDArray[np.int64]) -> Values:
    """Draw a value under each coarser one."""
    chance = np.random.default_rng(0)
    cell = np.repeat(np.arange(counts.size), counts.ravel())
    group, label = np.divmod(cell, counts.shape[1])
    columns = []
    for cut, codes, _ in groups.attributes:
        if isinstance(cut, SetCut):
            raise SystemExit("sets are not drawn here")
        finest = finest_cut(cut.domain)
        if isinstance(cut, NumericCut):
            places = np.arange(cut.domain.size, dtype=np.int32)
        else:
            places = np.arange(cut.domain.taxonomy.size, dtype=np.int32)
        own, fine = cut.of(places), finest.of(places)
        column = np.zeros(cell.size, dtype=np.int64)
        for place in np.unique(codes[group]):
            some = np.flatnonzero(codes[group] == place)
            column[some] = chance.choice(fine[own == place], size=some.size)
        if finest.is_specialized:
            columns.append(column)
    return np.stack([*columns, label])


def pairs_off(values: Values, truth: Coded) -> float:
    """Average the distance of all pairs."""
    released = Coded(truth.variables, truth.cuts, values, np.ones(values.shape[1], dtype=np.int64))
    found = []
    for pair in combinations(range(len(truth.variables)), 2):
        each = [np.arange(truth.variables[at].size) for at in pair]
        true, own = truth.margin(pair, each), released.margin(pair, each)
        found.append(np.abs(true / true.sum() - own / max(own.sum(), 1)).sum() / 2)
    return fmean(found)


WAYS: dict[str, Callable[[PrivateTable, Fraction], Released]] = {
    "everything, target": for_everything,
    "everything, no target": without_target,
    "DiffGen": for_the_class,
}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    tables = {"ARX Adult": arx_adult, **TABLES}
    parser.add_argument("--data", nargs="+", default=["ARX Adult", "Adult", "diabetes"])
    parser.add_argument("--epsilon", nargs="+", default=list(EPSILONS))
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    measuring.show_machine()
    print("| table | epsilon | way | pairs | accuracy | seconds |\n|---|---|---|---|---|---|")
    for name in given.data:
        table = tables[name]()
        truth = coded(table, [finest_cut(one) for one in table.domains], CLASS)
        for epsilon in map(Fraction, given.epsilon):
            for way, make in WAYS.items():
                off, right, seconds = [], [], []
                for run in range(given.runs):
                    began = time.perf_counter()
                    off.append(pairs_off(make(table, epsilon).values, truth))
                    seconds.append(time.perf_counter() - began)
                    train, test = split(table, 2 / 3, run)
                    found = make(train, epsilon)
                    right.append(accuracy_of(found.groups, found.counts, test, BoostedTrees()))
                pairs = f"{fmean(off):.3f} ({min(off):.3f} to {max(off):.3f})"
                accuracy = f"{fmean(right):.1%} ({min(right):.1%} to {max(right):.1%})"
                row = f"{pairs} | {accuracy} | {fmean(seconds):.1f}"
                print(f"| {name} | {float(epsilon):g} | {way} | {row} |", flush=True)


if __name__ == "__main__":
    main()
