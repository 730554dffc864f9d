"""How a release for every use divides its epsilon, on tables to which nothing was fitted.

    python benchmarks/shares_of_epsilon.py [--records N] [--columns N] [--tables N] [--runs N]
        [--epsilon E ...]

Each column of a made-up table has 2 to 64 values, ordered or not, and depends on an earlier column
with a strength from 0 to .8. The rule is compared with fixed shares of epsilon for single columns.
The limits in use for the cost and the noise of a choice are compared with other limits. Releases
have two thirds of the records, without a target. The figure is the mean total variation of all
pairs of columns, with its standard error over the runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import ExitStack
from decimal import Decimal
from fractions import Fraction
from statistics import fmean, stdev
from typing import TypeAlias
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import measuring
from private_for_every_use import CLASS, pairs_off, without_target
from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain
from roadstead.differential.evaluation.accuracy import split
from roadstead.differential.margins import choosing
from roadstead.differential.margins.finest_cuts import finest_cut
from roadstead.differential.margins.variables import coded
from roadstead.differential.private_table import PrivateTable
from roadstead.hierarchies.taxonomy import from_branches

Codes: TypeAlias = NDArray[np.int64]


def _fixed(share: Fraction) -> dict[str, object]:
    return {"ONES_SHARE": share, "MORE_FOR_ONES": share}


WAYS: Mapping[str, Mapping[str, object]] = {
    "the rule": {},
    "a third": _fixed(Fraction(1, 3)),
    "a half": _fixed(Fraction(1, 2)),
    "two thirds": _fixed(Fraction(2, 3)),
    "a choice at most a quarter": {"MOST_CHOICE": Fraction(1, 4)},
    "a choice may hide 1/12": {"CLEAR": 12},
    "a choice may hide 1/50": {"CLEAR": 50},
}


def made_up(records: int, columns: int, seed: int) -> PrivateTable:
    """Draw a table; the last column is a class of two or three values, tied to two others."""
    chance = np.random.default_rng(seed)
    codes: list[Codes] = []
    ordered: list[bool] = []
    for at in range(columns):
        last = at == columns - 1
        size = int(chance.integers(2, 4)) if last else round(2 * 32 ** chance.random())
        in_order = bool(chance.random() < 1 / 2) and not last and size > 4  # noqa: PLR2004 - few
        codes.append(_column(codes, records, size, chance, in_order=in_order, last=last))
        ordered.append(in_order)
    distinct, counts = np.unique(np.stack(codes), axis=1, return_counts=True)
    sizes = [int(one.max()) + 1 for one in codes]
    domains: list[Domain] = [
        NumericDomain(f"c{at}", Decimal(0), Decimal(size - 1))
        if in_order
        else CategoricalDomain(from_branches(f"c{at}", "*", _names(size), origin="made up"))
        for at, (size, in_order) in enumerate(zip(sizes[:-1], ordered, strict=False))
    ]
    return PrivateTable(
        domains=tuple(domains),
        classes=_names(sizes[-1]),
        codes=tuple(np.ascontiguousarray(one, dtype=np.int32) for one in distinct[:-1]),
        sets=(None,) * (columns - 1),
        target=distinct[-1].astype(np.int32),
        counts=counts.astype(np.int64),
    )


def _names(size: int) -> tuple[str, ...]:
    return tuple(f"v{at:03}" for at in range(size))


def _column(
    before: list[Codes],
    records: int,
    size: int,
    chance: np.random.Generator,
    *,
    in_order: bool,
    last: bool,
) -> Codes:
    """Draw values by themselves, and have some follow an earlier column."""
    places = np.arange(size)
    if in_order:
        middle, width = chance.uniform(0, size), size * chance.uniform(0.15, 0.5)
        share = np.exp(-(((places - middle) / width) ** 2)) + 0.01
    else:
        share = (1 + places) ** -chance.uniform(0.3, 1.8)
    share = share / share.sum()
    found: Codes = chance.choice(size, size=records, p=share).astype(np.int64)
    for _ in range((2 if last else 1) * bool(before)):
        parent = before[int(chance.integers(len(before)))]
        rank = parent.argsort(kind="stable").argsort(kind="stable") / records
        strength = chance.uniform(0.1, 0.5) if last else chance.uniform(0, 0.8)
        order = places if in_order else chance.permutation(size)
        moved = np.clip(rank + chance.normal(0, 0.1, records), 0, 0.999999)
        followed = np.minimum(np.searchsorted(np.cumsum(share[order]), moved), size - 1)
        found = np.where(chance.random(records) < strength, order[followed], found)
    return found


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--tables", type=int, default=3)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--epsilon", nargs="+", default=["0.1", "0.5"])
    given = parser.parse_args()
    measuring.show_machine()
    print(f"| table | epsilon | {' | '.join(WAYS)} |\n|---|---|{'---|' * len(WAYS)}")
    for number in range(given.tables):
        table = made_up(given.records, given.columns, 100 * number + given.columns)
        cuts = [finest_cut(one) for one in table.domains]
        for epsilon in map(Fraction, given.epsilon):
            cells = []
            for way in WAYS.values():
                off = []
                for run in range(given.runs):
                    train, _ = split(table, 2 / 3, run)
                    with ExitStack() as patched:
                        for name, value in way.items():
                            patched.enter_context(patch.object(choosing, name, value))
                        made = without_target(train, epsilon)
                    off.append(pairs_off(made.values, coded(train, cuts, CLASS)))
                error = stdev(off) / len(off) ** 0.5 if len(off) > 1 else 0.0
                cells.append(f"{fmean(off):.3f} ± {error:.3f}")
            print(f"| {number + 1} | {float(epsilon):g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
