"""DiffGen with a privately chosen number of specializations, and with every fixed number.

    ROADSTEAD_DATA=folder python benchmarks/choosing_specializations.py [--full] [--data NAME ...]

The first table: classification accuracy of a pruned tree that learned from the release of two
thirds of the records, on the last third. The best fixed number of specializations is known only
from all of these accuracies; the private choice is paid from the same budget. A release with the
chosen number is counted in two ways, by a threshold and consistently.

The second table: the same groups counted in both ways, with the error of the one-way marginals
(total variation distance, mean over the specialized attributes), and the total.

By default, the script makes a few runs on Adult and the made-up tables. With `--full`, it makes
more runs with more privacy budgets, and adds the diabetes data set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from statistics import fmean, stdev

import numpy as np

import measuring
from choosing_problems import TABLES
from roadstead.differential.budget import Accountant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan, walk
from roadstead.differential.domains import SetCut
from roadstead.differential.evaluation.accuracy import accuracy_of, lower_bound_accuracy, split
from roadstead.differential.evaluation.classifiers import PrunedTree
from roadstead.differential.listing import few_false
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.stopping import LONGEST_WALK, walk_choosing
from roadstead.differential.synthesis import NoisyGroups
from roadstead_reproductions.mohammed2013.counting import counted, counted_consistently
from roadstead_reproductions.parallel import spread

WORKERS = 2
CHOOSE = -1
"""Used in place of a number of specializations."""


@dataclass(frozen=True)
class Job:
    """One release to be made: of which part of a table, and how."""

    table: str
    epsilon: Fraction
    specializations: int
    seed: int
    longest: int = LONGEST_WALK


@dataclass(frozen=True)
class Counted:
    """The result of a way of counting the groups: accuracy, and error of the counts."""

    accuracy: float
    distance: float
    total: float


@dataclass(frozen=True)
class Run:
    """One release, counted in both ways from the same groups."""

    table: str
    epsilon: float
    asked: int
    steps: int
    listed: Counted
    consistent: Counted


def release(tables: dict[str, PrivateTable], job: Job) -> Run:
    """Make a release in two ways of counting, each of which spends all that the walk left."""
    train, test = split(tables[job.table], 2 / 3, job.seed)
    mechanisms = Mechanisms()
    purse = Accountant(job.epsilon)
    if job.specializations == CHOOSE:
        walked = walk_choosing(train, Plan(job.longest), purse, mechanisms)
    else:
        walked = walk(train, Plan(job.specializations), purse, mechanisms)
    same = Accountant(job.epsilon)
    for grant in purse.ledger:
        same.spend(grant.step, grant.epsilon)
    listed = counted(train, walked, purse, mechanisms, few_false)
    consistent = counted_consistently(train, walked, same, mechanisms)
    return Run(
        table=job.table,
        epsilon=float(job.epsilon),
        asked=job.specializations,
        steps=len(listed.steps),
        listed=judged(listed.groups, train, test),
        consistent=judged(consistent.groups, train, test),
    )


def judged(made: NoisyGroups, train: PrivateTable, test: PrivateTable) -> Counted:
    """Compare a release with its original records, and predict other records by it."""
    return Counted(
        accuracy=accuracy_of(made.groups, made.counts, test, PrunedTree()),
        distance=distance(made, train),
        total=made.records / train.records - 1,
    )


def distance(made: NoisyGroups, train: PrivateTable) -> float:
    """Return the mean total variation distance of the marginals of specialized attributes."""
    weights = made.counts.sum(axis=1)
    distances = []
    for cut, released, original in zip(
        made.groups.cuts, made.groups.codes, train.codes, strict=True
    ):
        if isinstance(cut, SetCut) or (size := len(cut.labels)) == 1:
            continue
        ours = np.bincount(released, weights=weights, minlength=size) / max(weights.sum(), 1)
        true = np.bincount(cut.of(original), weights=train.counts, minlength=size) / train.records
        distances.append(float(np.abs(ours - true).sum() / 2))
    return fmean(distances) if distances else 0.0


def choices(runs: Sequence[Run], lowest: dict[str, float]) -> list[tuple[str, ...]]:
    """Return the lines of the first table."""
    lines: list[tuple[str, ...]] = []
    for table, epsilon in sorted({(run.table, run.epsilon) for run in runs}):
        mine = [run for run in runs if (run.table, run.epsilon) == (table, epsilon)]
        fixed = {
            number: fmean(run.listed.accuracy for run in mine if run.asked == number)
            for number in sorted({run.asked for run in mine} - {CHOOSE})
        }
        best = max(fixed, key=lambda number: fixed[number])
        chosen = [run for run in mine if run.asked == CHOOSE]
        accuracies = [run.listed.accuracy for run in chosen]
        error = stdev(accuracies) / len(accuracies) ** 0.5
        lines.append(
            (
                table,
                f"{epsilon:g}",
                f"{lowest[table]:.1%}",
                f"{best}",
                f"{fixed[best]:.1%}",
                f"{fixed[10]:.1%}",
                f"{fmean(accuracies):.1%} ± {error:.1%}",
                f"{fmean(run.consistent.accuracy for run in chosen):.1%}",
                f"{fmean(run.steps for run in chosen):.1f}",
            )
        )
    return lines


def counts(runs: Sequence[Run]) -> list[tuple[str, ...]]:
    """Return the lines of the second table."""
    lines: list[tuple[str, ...]] = []
    for table, epsilon in sorted({(run.table, run.epsilon) for run in runs}):
        mine = [run for run in runs if (run.table, run.epsilon) == (table, epsilon)]
        ways = [[run.listed for run in mine], [run.consistent for run in mine]]
        lines.append(
            (
                table,
                f"{epsilon:g}",
                *(f"{fmean(one.accuracy for one in way):.1%}" for way in ways),
                *(f"{fmean(one.distance for one in way):.2%}" for way in ways),
                *(f"{fmean(abs(one.total) for one in way):.1%}" for way in ways),
            )
        )
    return lines


CHOICES = (
    *("data", "epsilon", "majority", "best h", "CA, best h", "CA, h = 10"),
    *("CA, chosen h", "counted consistently", "chosen h, mean"),
)
COUNTS = (
    *("data", "epsilon", "CA, threshold", "CA, consistent", "distance, threshold"),
    *("distance, consistent", "total off, threshold", "total off, consistent"),
)


def main() -> None:
    """Make all releases and print both tables."""
    parser = measuring.parser(__doc__)
    parser.add_argument("--full", action="store_true", help="more runs, budgets and data")
    parser.add_argument("--data", nargs="+", choices=list(TABLES), help="only these tables")
    parser.add_argument("--runs", type=int, help="for each fixed number; twice as many choose")
    parser.add_argument("--longest", type=int, default=LONGEST_WALK, help="most to choose from")
    given = parser.parse_args()
    measuring.show_machine()
    names = given.data or [name for name in TABLES if given.full or name != "diabetes"]
    epsilons = ("0.1", "0.25", "0.5", "1") if given.full else ("0.1", "1")
    numbers = (0, 2, 4, 7, 10, 13, 16, 20) if given.full else (2, 4, 10, 16)
    repeats = given.runs or (12 if given.full else 3)
    tables = {name: TABLES[name]() for name in names}
    jobs = [
        Job(name, Fraction(epsilon), number, seed, given.longest)
        for name in names
        for epsilon in epsilons
        for number in (*numbers, CHOOSE)
        for seed in range(repeats * (2 if number == CHOOSE else 1))
    ]
    runs = spread(tables, release, jobs, WORKERS)
    lowest = {name: lower_bound_accuracy(*split(tables[name], 2 / 3, seed=0)) for name in names}
    measuring.show_table(CHOICES, choices(runs, lowest))
    print()
    measuring.show_table(COUNTS, counts([run for run in runs if run.asked != CHOOSE]))
    measuring.save(given.json, [asdict(run) for run in runs])


if __name__ == "__main__":
    main()
