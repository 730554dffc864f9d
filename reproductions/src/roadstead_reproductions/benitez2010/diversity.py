"""Figure 8: the number of found policies that no other found policy dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from roadstead.policies.partition import is_below
from roadstead_reproductions.benitez2010.published import NON_DOMINATED
from roadstead_reproductions.benitez2010.runs import Runs, deviation
from roadstead_reproductions.tables import Column, ResultTable, Row

COLUMNS: Final = (
    Column("data", "data", "text"),
    Column("search", "search", "text"),
    Column("iteration", "after iterations", "count"),
    Column("mean", "not dominated, mean", "times", "published"),
    Column("deviation", "standard deviation", "times"),
    Column("least", "least", "count"),
    Column("most", "most", "count"),
)
FOUND: Final = (
    Column("data", "data", "text"),
    Column("search", "search", "text"),
    Column("iterations", "iterations", "count"),
    Column("distinct", "distinct policies", "count"),
    Column("below", "with less risk than Safe Harbor", "count"),
    Column("incomparable", "neither more nor less general", "count"),
    Column("non_dominated", "not dominated in their run", "count"),
    Column("old_ages", "that distinguish ages over 89", "count"),
)
CURVES: Final = (
    Column("data", "data", "text"),
    Column("search", "search", "text"),
    Column("iteration", "iteration", "count"),
    Column("seconds", "cumulative time", "seconds"),
    Column("searched", "policies queried", "times"),
    Column("mean", "not dominated, mean", "times"),
    Column("deviation", "standard deviation", "times"),
)
_OLDEST: Final = "89"


def non_dominated(runs: Sequence[Runs]) -> ResultTable:
    """Return figure 8's table after a quarter, half, three quarters, and all of the iterations."""
    rows: list[Row] = []
    for one in runs:
        steps = sorted({max(1, one.iterations * part // 4) for part in (1, 2, 3, 4)})
        for step in steps:
            values = one.non_dominated[:, step - 1]
            rows.append(
                {
                    "data": one.case.name,
                    "search": one.search,
                    "iteration": step,
                    "mean": float(values.mean()),
                    "published": NON_DOMINATED.get((one.case.name, one.search, step)),
                    "deviation": deviation(values),
                    "least": int(values.min()),
                    "most": int(values.max()),
                }
            )
    return ResultTable(
        "figure-8-non-dominated",
        "Figure 8: policies found that are not dominated",
        COLUMNS,
        tuple(rows),
        (
            "The published figures are from one run on Van, which our patients replace. No "
            "policy is dominated before the 25th iteration.",
            "Even weights are the control: the same search without the heuristic of diversity. "
            "The formulas of the paper's weights are lost. Ours follow its description.",
        ),
    )


def curves(runs: Sequence[Runs]) -> ResultTable:
    """Return the means over all seeds for each iteration, as shown in the pictures."""
    rows: list[Row] = []
    for one in runs:
        seconds = one.seconds.cumsum(axis=1).mean(axis=0)
        searched = one.searched.cumsum(axis=1).mean(axis=0)
        for i in range(one.iterations):
            values = one.non_dominated[:, i]
            rows.append(
                {
                    "data": one.case.name,
                    "search": one.search,
                    "iteration": i + 1,
                    "seconds": float(seconds[i]),
                    "searched": float(searched[i]),
                    "mean": float(values.mean()),
                    "deviation": deviation(values),
                }
            )
    return ResultTable(
        "by-iteration", "All by iteration, means of the runs", CURVES, tuple(rows), (), drawn=True
    )


def found(runs: Sequence[Runs]) -> ResultTable:
    """Count the distinct policies that at least one run of a search found."""
    return ResultTable(
        "policies-found",
        "Policies found with no more risk than Safe Harbor",
        FOUND,
        tuple(_found(one) for one in runs),
        ("All runs of a search combined.",),
    )


def _found(runs: Runs) -> Row:
    rule, harbor = runs.case.rule(), runs.case.safe_harbor
    policies = list(dict.fromkeys(one.policy for run in runs.outcomes for one in run.found))
    risks = np.array([rule.risk(policy) for policy in policies])
    if (risks > rule.threshold).any():
        raise RuntimeError("the search found a policy with a risk above the threshold")
    age = runs.case.cells.domains.attributes.index("age")
    ages = runs.case.words.values[age].values
    old = [
        runs.case.cells.domains.boundary(age, code)
        for code in range(ages.index(_OLDEST) + 2, len(ages))
    ]
    return {
        "data": runs.case.name,
        "search": runs.search,
        "iterations": runs.seconds.size,
        "distinct": len(policies),
        "below": int((risks < rule.threshold).sum()),
        "incomparable": sum(
            not is_below(policy, harbor) and not is_below(harbor, policy) for policy in policies
        ),
        "non_dominated": sum(len(run.non_dominated) for run in runs.outcomes),
        "old_ages": sum(any(b in policy for b in old) for policy in policies),
    }
