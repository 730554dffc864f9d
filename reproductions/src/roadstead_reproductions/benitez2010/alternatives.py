"""Table 3: descriptions in words of policies that are at most as risky as Safe Harbor.

Each of the three published alternatives merges as little as possible: the sexes, two races, or two
ages. These alternatives are evaluated unchanged. The table also contains, for each attribute, the
merge of two neighbors that has the lowest risk. It also contains merges of ages until Safe Harbor's
risk is reached, and examples from the bisecting search. Bisecting finds policies at the edge with
*some* unacceptable policy below. So the table also contains a completed version of each example, in
which boundaries are restored until every policy directly below is unacceptable (risk-minimal,
definition 2.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.boundary import RiskBelow
from roadstead.search.frontiers.walks import walk
from roadstead_reproductions.benitez2010.cases import Case
from roadstead_reproductions.benitez2010.published import PATIENTS, RISKS
from roadstead_reproductions.benitez2010.runs import BISECTING, Runs
from roadstead_reproductions.tables import Column, ResultTable, Row

COLUMNS: Final = (
    Column("data", "data", "text"),
    Column("policy", "policy", "text"),
    Column("merged", "merged values", "text"),
    Column("words", "different from Safe Harbor", "text"),
    Column("risk", "risk", "quality", "risk_published"),
    Column("share", "of Safe Harbor's", "share"),
    Column("acceptable", "acceptable", "text"),
    Column("merges", "boundaries removed", "count"),
)
SINGLE: Final = (
    Column("data", "data", "text"),
    Column("attribute", "attribute", "text"),
    Column("merges", "merges of two neighbors", "count"),
    Column("acceptable", "acceptable alone", "count"),
    Column("words", "with the least risk", "text"),
    Column("risk", "risk", "quality"),
    Column("share", "of Safe Harbor's", "share"),
)
RACES: Final = {
    PATIENTS: ("Asian", "Some other race"),
}
OTHER_RACES: Final = ("Asian-Pac-Islander", "Other")
_NAMED: Final = 8
"""The largest number of merged intervals to name per attribute."""
KINDS: Final = ("sexes merged", "sexes kept, races merged", "ages alone merged")


def alternatives(runs: Sequence[Runs]) -> ResultTable:
    """Return table 3 for the data that the bisecting search used."""
    rows: list[Row] = []
    for one in runs:
        if one.search == BISECTING:
            rows += _rows(one)
    return ResultTable(
        "table-3-alternatives",
        "Table 3: Safe Harbor, the published alternatives, and others",
        COLUMNS,
        tuple(rows),
        (
            "Risk is the expected number of re-identified records. The published figures are for "
            "Van. Our made-up patients replace Van.",
            "Whether merging two certain ages is enough depends on a few records in small "
            "groups: it lowers the risk only for people with one of these ages. Van's original "
            "risk is at least Safe Harbor's, so this merge lowered it there by 0.034 or more. If "
            "no two ages are enough, the row below shows how many merges of ages are.",
            "Found: for each kind, the policy that keeps the most boundaries after it is "
            "completed. Boundaries of age are restored first.",
        ),
    )


def single_merges(cases: Sequence[Case]) -> ResultTable:
    """Evaluate every policy that merges only two neighbors."""
    rows: list[Row] = []
    for case in cases:
        rule, domains = case.rule(), case.cells.domains
        risks = _after_one_merge(rule)
        for number, name in enumerate(domains.attributes):
            own = risks[domains.offsets[number] : domains.offsets[number + 1]]
            best = domains.offsets[number] + int(own.argmin())
            policy = Partition(domains.most_specific.kept & ~(1 << best))
            rows.append(
                {
                    "data": case.name,
                    "attribute": name,
                    "merges": own.size,
                    "acceptable": int((own <= rule.threshold).sum()),
                    "words": "; ".join(case.words.difference(policy, domains.most_specific)),
                    "risk": float(own.min()),
                    "share": float(own.min()) / rule.threshold,
                }
            )
    return ResultTable(
        "single-merges",
        "Policies that merge only two neighbors",
        SINGLE,
        tuple(rows),
        ("All of them are evaluated.",),
    )


def _rows(runs: Runs) -> list[Row]:
    case, rule = runs.case, runs.case.rule()
    specific = case.cells.domains.most_specific
    first, last = RACES.get(case.name, OTHER_RACES)
    told = {
        "original data": specific,
        "Safe Harbor": case.safe_harbor,
        "sexes merged": case.merging("sex", *_ends(case, "sex")),
        "Asian and Other merged": case.merging("race", first, last),
        "ages 52 and 53 merged": case.merging("age", "52", "53"),
        "ages merged one by one": by_ages(case, rule),
    }
    rows = [_row(case, rule, name, policy) for name, policy in told.items()]
    for kind, (policy, whole) in examples(runs, rule).items():
        rows.append(_row(case, rule, f"found: {kind}", policy))
        rows.append(_row(case, rule, f"completed: {kind}", whole))
    return rows


def _row(case: Case, rule: RiskBelow, name: str, policy: Partition) -> Row:
    risk = rule.risk(policy)
    return {
        "data": case.name,
        "policy": name,
        "merged": merged_values(case, policy) or None,
        "words": "; ".join(case.words.difference(policy, case.safe_harbor)) or None,
        "risk": risk,
        "risk_published": RISKS.get(name) if case.name == PATIENTS else None,
        "share": risk / rule.threshold,
        "acceptable": "yes" if risk <= rule.threshold else "no",
        "merges": case.cells.domains.boundaries - policy.rank,
    }


def by_ages(case: Case, rule: RiskBelow) -> Partition:
    """Merge ages until the risk is acceptable, choosing the lowest resulting risk each time.

    The result may merge all ages and still have an unacceptable risk.
    """
    domains = case.cells.domains
    number = domains.attributes.index("age")
    own = set(range(domains.offsets[number], domains.offsets[number + 1]))
    place = walk(rule.problem, domains.most_specific)
    while not rule(place.partition) and any(b in place.partition for b in own):
        beside = place.neighbors()
        ages = np.isin(beside.boundaries, list(own))
        place.remove(int(beside.boundaries[ages][beside.risks[ages].argmin()]))
    return place.partition


def examples(runs: Runs, rule: RiskBelow) -> dict[str, tuple[Partition, Partition]]:
    """Return one policy of each kind that was found, both unchanged and completed."""
    best: dict[str, tuple[Partition, Partition]] = {}
    for policy in dict.fromkeys(p for run in runs.outcomes for p in run.non_dominated):
        kind = kind_of(runs.case, policy)
        whole = completed(policy, rule)
        if kind not in best or whole.rank > best[kind][1].rank:
            best[kind] = (policy, whole)
    return {kind: best[kind] for kind in KINDS if kind in best}


def merged_values(case: Case, policy: Partition) -> str:
    """Name the merged values, as in the paper's table."""
    told = []
    for own, found in zip(case.words.values, case.cells.domains.intervals(policy), strict=True):
        names = [own.interval(interval) for interval in found if interval[0] < interval[1]]
        if len(names) > _NAMED:
            names = [*names[:_NAMED], f"and {len(names) - _NAMED} more"]
        if names:
            told.append(f"{own.name}: {' / '.join(names)}")
    return "; ".join(told)


def kind_of(case: Case, policy: Partition) -> str:
    """Return whether a policy merges the sexes, the races, or only the ages."""
    domains = case.cells.domains
    merged = {domains.place(b)[0] for b in range(domains.boundaries) if b not in policy}
    names = {domains.attributes[number] for number in merged}
    if "sex" in names:
        return KINDS[0]
    return KINDS[1] if "race" in names else KINDS[2]


def completed(policy: Partition, rule: RiskBelow) -> Partition:
    """Restore boundaries in order as long as the policy stays acceptable.

    One pass is enough, because the rule is monotone: a boundary that cannot be restored now cannot
    be restored later.
    """
    for boundary in range(rule.problem.domains.boundaries):
        more = Partition(policy.kept | 1 << boundary)
        if more != policy and rule(more):
            policy = more
    return policy


def _after_one_merge(rule: RiskBelow) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the risk of each policy that removes one boundary from the original data."""
    problem = rule.problem
    beside = walk(problem, problem.domains.most_specific).neighbors()
    return np.asarray(beside.risks * problem.risk_unit)


def _ends(case: Case, attribute: str) -> tuple[str, str]:
    values = case.words.values[case.cells.domains.attributes.index(attribute)].values
    return values[0], values[-1]
