"""How often the search by people agrees with the definition: random tables, every setting.

    python benchmarks/persons_witness.py [--tables 1000] [--seed 2]

The definition is computed in plain Python, policy by policy (`tests/support`), and shares no code
with the search. For each setting, the script prints in how many tables both found the same optimum,
with the same levels, loss, and number left out, and in how many both found that none exists.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import persons_by_definition as plain

import measuring
from roadstead.privacy.models.person_anonymity import Known
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control

_ROUNDING = 1e-12
SETTINGS: tuple[tuple[Known, str], ...] = (
    (1, "rows"),
    (1, "persons"),
    (2, "persons"),
    (3, "persons"),
    ("all", "persons"),
)


def main() -> int:
    """Compare and print; 1 if they ever disagree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2)
    given = parser.parse_args()
    rows, wrong = [], 0
    for kind in (None, *plain.MODELS):
        for knows, leaves_out in SETTINGS:
            if kind is not None and knows in (2, 3):
                continue
            found = [0, 0, 0]
            for one in plain.populations(given.tables, given.seed, knows, leaves_out, kind):
                found[_agreement(one)] += 1
            rows.append([kind or "k-anonymity alone", str(knows), leaves_out, *map(str, found)])
            wrong += found[2]
    columns = ("model", "known", "left out", "same optimum", "both none", "disagree")
    measuring.show_table(columns, rows)
    return int(wrong > 0)


def _agreement(population: plain.Population) -> int:
    """Return 0 for the same optimum, 1 if neither finds a policy, and 2 for anything else."""
    outcome, expected = Exact().run(population.problem(), Control()), plain.best(population)
    if outcome.best is None or expected is None:
        return 1 if outcome.best is None and expected is None else 2
    same = (
        outcome.optimal
        and outcome.best.policy == expected.levels
        and outcome.best.suppressed == expected.missing
        and abs(outcome.best.loss - expected.loss) < _ROUNDING
    )
    return 0 if same else 2


if __name__ == "__main__":
    sys.exit(main())
