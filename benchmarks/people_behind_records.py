"""Records with fewer than k people behind them: estimate, range and truth on known populations.

    python benchmarks/people_behind_records.py [--samples 5] [--people 200000]

Seven shapes of class sizes, and people of columns that go together; shares of 1% to 50% drawn; k
of 5, 10 and 20; the classes that rule d4 releases. One line of a table for each: means over samples
of the true share, of the estimate and of the ends of the range, the standard deviation of the
estimate's error, and in how many samples the truth was within the range.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from class_size_populations import SHAPES, Sizes, people_by_columns, population

from roadstead.risk.below_k import estimated_below_k
from roadstead.risk.minimal_size import minimal_size

FRACTIONS = (0.01, 0.05, 0.1, 0.3, 0.5)
KS = (5, 10, 20)
_POPULATION, _SAMPLE = 5, 1_000
"""Seeds; those of samples are not those of populations, whose chance they would repeat."""


@dataclass(frozen=True)
class Row:
    """Means over samples: records released, shares of them, and how often the range held."""

    released: float
    truth: float
    estimate: float
    error: float
    low: float
    high: float
    held: int


def measured(people: Sizes, fraction: float, k: int, samples: int) -> Row:
    """Draw samples of a population, and compare the estimates with the truth."""
    least, rows = minimal_size(k, fraction, "d4"), []
    for sample in range(samples):
        sizes = np.random.default_rng(_SAMPLE + sample).binomial(people, fraction)
        passed = sizes >= least
        truth, released = int(sizes[passed & (people < k)].sum()), int(sizes[passed].sum())
        found = estimated_below_k(sizes, passed, fraction, k)
        held = found.low <= truth <= found.high
        of = max(released, 1)
        rows.append((released, truth / of, found.share, found.low / of, found.high / of, held))
    table = np.array(rows, dtype=np.float64)
    released, truth, estimate, low, high, _ = table.mean(axis=0)
    error = float(np.std(table[:, 2] - table[:, 1]))
    return Row(released, truth, estimate, error, low, high, int(table[:, 5].sum()))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--people", type=int, default=200_000)
    asked = parser.parse_args()
    populations = {shape: population(shape, asked.people, _POPULATION) for shape in SHAPES}
    populations["correlated columns"] = people_by_columns(asked.people, _POPULATION)
    print("| sizes | drawn | k | released | truth | estimate | error | range | held |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, people in populations.items():
        for fraction in FRACTIONS:
            for k in KS:
                row = measured(people, fraction, k, asked.samples)
                print(
                    f"| {name} | {fraction:g} | {k} | {row.released:,.0f} | {row.truth:.3f} "
                    f"| {row.estimate:.3f} | {row.error:.3f} | {row.low:.3f}-{row.high:.3f} "
                    f"| {row.held}/{asked.samples} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
