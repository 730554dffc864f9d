"""The effect of choices that the paper does not specify, and of other monotone rules.

The first variation is the domain of age: Table PCT12 of the census has single years up to 99 and
three groups above. Adult records all ages of 90 and over as 90. The second variation is the
exponent of the risk (equation 1). The third variation is k-anonymity instead of the threshold
(section 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.policies.partition_words import PartitionWords
from roadstead_reproductions.benitez2010.cases import Case
from roadstead_reproductions.benitez2010.nodes import expected
from roadstead_reproductions.benitez2010.published import ADULT, ITERATIONS, NODES
from roadstead_reproductions.benitez2010.runs import BISECTING, DIRECTED, Runs, repeated
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell

_SINGLE: Final = 100
_GROUPS: Final = ("100 to 104", "105 to 109", "110+")
_OLD: Final = 90

_EDGE: Final = (
    Column("boundaries", "L", "count"),
    Column("original", "risk of the original", "quality"),
    Column("threshold", "of Safe Harbor", "quality"),
    Column("level", "boundaries kept at the edge", "times"),
    Column("directed", "directed queries, per iteration", "times", "directed_published"),
    Column("expected", "expected", "times"),
    Column("bisecting", "bisecting queries", "times", "bisecting_published"),
)
DOMAINS: Final = (
    Column("data", "data", "text"),
    Column("ages", "ages", "text"),
    *_EDGE,
    Column("non_dominated", "not dominated, bisecting", "times"),
)
GAMMAS: Final = (
    Column("data", "data", "text"),
    Column("gamma", "gamma", "times"),
    *_EDGE,
    Column("non_dominated", "not dominated, bisecting", "times"),
    Column("agreeing", "acceptable among the policies of gamma 1", "share"),
)
ANONYMITY: Final = (
    Column("data", "data", "text"),
    Column("k", "k", "count"),
    Column("search", "search", "text"),
    Column("level", "boundaries kept at the edge", "times"),
    Column("nodes", "policies queried per iteration", "times"),
    Column("expected", "expected", "times"),
    Column("iterations", "boundary policies", "count"),
    Column("distinct", "distinct", "count"),
    Column("non_dominated", "not dominated in their run", "count"),
)


def domains(cases: Sequence[Case], seeds: int, iterations: int, tell: Tell) -> ResultTable:
    """Run the searches with other domains of age."""
    rows: list[Row] = []
    for case in cases:
        variants = {
            "0 to 120": case,
            "the census's, up to 110 and over": with_groups_of_the_census(case),
        }
        if case.name == ADULT:
            as_written = with_the_old_at_90(case)
            variants["0 to 120, old people at 90"] = as_written
            variants["the census's, old people at 90"] = with_groups_of_the_census(as_written)
        for ages, variant in variants.items():
            tell(f"other domains: {case.name}, ages {ages}")
            runs = repeated(variant, variant.rule(), seeds, iterations)
            rows.append({"data": case.name, "ages": ages, **_edge(runs, 1.0)})
    return ResultTable(
        "other-domains",
        "Other domains of age",
        DOMAINS,
        tuple(rows),
        (
            "The census's own tables have single years to 99, then 100 to 104, 105 to 109, and "
            "110 and over. The original Adult has 43 records of age 90 and none above. If a rare "
            "age is sampled for one of them, the record can be unique, with a risk of 1, and "
            "moves the edge away from the original data. With both changes, directed comes close "
            "to its published count. The paper does not say which domain it had, but its table 3 "
            "writes the ages of 90 and over as 90-120.",
        ),
    )


def gammas(
    cases: Sequence[Case], runs: Sequence[Runs], seeds: int, iterations: int, tell: Tell
) -> ResultTable:
    """Run the searches with other exponents of the risk.

    `runs` contains the runs with exponent 1. The table gives the share of the policies found by
    these runs that other exponents accept.
    """
    rows: list[Row] = []
    for case in cases:
        known = next(r for r in runs if r.case is case and r.search == BISECTING)
        policies = list(dict.fromkeys(one.policy for run in known.outcomes for one in run.found))
        for gamma in (0.5, 1.0, 2.0):
            tell(f"other exponents: {case.name}, gamma {gamma:g}")
            rule = case.rule(gamma)
            agreeing = float(np.mean([rule(policy) for policy in policies]))
            found = repeated(case, rule, seeds, iterations)
            rows.append(
                {
                    "data": case.name,
                    "gamma": gamma,
                    **_edge(found, gamma),
                    "directed_published": None,
                    "bisecting_published": None,
                    "agreeing": agreeing,
                }
            )
    return ResultTable(
        "other-exponents",
        "Other exponents of the risk",
        GAMMAS,
        tuple(rows),
        (
            "The risk of a record among g people is 1 / g ** gamma. The threshold is Safe "
            "Harbor's with the same gamma. Below 1, it gives large groups more weight; above 1, "
            "records that are nearly unique.",
        ),
    )


@dataclass(frozen=True, eq=False)
class AtLeast:
    """A k-anonymity rule, which accepts policies whose classes all have at least k records."""

    cells: Cells
    k: int

    def __call__(self, partition: Partition) -> bool:
        """Return whether each class has at least k records."""
        return int(self.cells.classes(partition).records.min()) >= self.k


def anonymity(
    cases: Sequence[Case], numbers: Sequence[int], seeds: int, iterations: int, tell: Tell
) -> ResultTable:
    """Run the searches with k-anonymity instead of the threshold."""
    rows: list[Row] = []
    for case in cases:
        for k in numbers:
            tell(f"k-anonymity: {case.name}, k = {k}")
            rule = AtLeast(case.cells, k)
            for name, found in repeated(case, rule, seeds, iterations).items():
                rows.append(_anonymous(case, k, name, found))
    return ResultTable(
        "k-anonymity",
        "k-anonymity instead of the risk threshold",
        ANONYMITY,
        tuple(rows),
        (
            "Every policy found places each record in a group of at least k records of the "
            "table. The searches are the same. The edge is nearer to the top here, because all "
            "ages with few records must be merged.",
        ),
    )


def with_groups_of_the_census(case: Case) -> Case:
    """Merge the ages of 100 and over into the three groups of table PCT12."""
    ages = np.arange(case.cells.domains.sizes[0])
    labels = np.where(ages < _SINGLE, ages, np.minimum(_SINGLE + (ages - _SINGLE) // 5, 102))
    cells, number = case.cells, int(labels.max()) + 1
    codes = cells.codes.astype(np.int64)
    codes[0] = labels[codes[0]]
    merged, place = np.unique(codes, axis=1, return_inverse=True)
    place = place.ravel()

    def counted(
        own: np.ndarray[tuple[int], np.dtype[np.int64]],
    ) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.bincount(place, weights=own, minlength=merged.shape[1]).astype(np.int64)

    space = OrderedDomains(cells.domains.attributes, (number, *cells.domains.sizes[1:]))
    values = [own.values for own in case.words.values]
    told = [(*values[0][:_SINGLE], *_GROUPS), *values[1:]]
    return Case(
        case.name,
        Cells(space, merged.astype(np.uint32), counted(cells.records), counted(cells.people)),
        PartitionWords.of(space.attributes, told),
        case.notes,
    )


def with_the_old_at_90(case: Case) -> Case:
    """Change all record ages of 90 and over to 90, as in Adult, but not the population's ages."""
    cells = case.cells
    records = cells.records.copy()
    where = {tuple(codes): i for i, codes in enumerate(cells.codes.T.tolist())}
    for i in np.flatnonzero((cells.codes[0] > _OLD) & (records > 0)).tolist():
        _, *others = cells.codes[:, i].tolist()
        records[where[(_OLD, *others)]] += records[i]
        records[i] = 0
    own = Cells(cells.domains, cells.codes, records, cells.people)
    return Case(case.name, own, case.words, case.notes)


def _edge(found: dict[str, Runs], gamma: float) -> dict[str, float | int | None]:
    case = found[DIRECTED].case
    rule, boundaries = case.rule(gamma), case.cells.domains.boundaries
    level = float(found[DIRECTED].ranks.mean())
    directed, bisecting = (NODES.get((case.name, name)) for name in (DIRECTED, BISECTING))
    return {
        "boundaries": boundaries,
        "original": rule.problem.greatest_risk,
        "threshold": rule.threshold,
        "level": level,
        "directed": float(found[DIRECTED].searched.mean()),
        "directed_published": directed / ITERATIONS if directed else None,
        "expected": expected(DIRECTED, boundaries, found[DIRECTED].ranks),
        "bisecting": float(found[BISECTING].searched.mean()),
        "bisecting_published": bisecting / ITERATIONS if bisecting else None,
        "non_dominated": float(found[BISECTING].non_dominated[:, -1].mean()),
    }


def _anonymous(case: Case, k: int, name: str, found: Runs) -> Row:
    boundaries, level = case.cells.domains.boundaries, float(found.ranks.mean())
    return {
        "data": case.name,
        "k": k,
        "search": name,
        "level": level,
        "nodes": float(found.searched.mean()),
        "expected": expected(name, boundaries, found.ranks),
        "iterations": found.seconds.size,
        "distinct": len({one.policy for run in found.outcomes for one in run.found}),
        "non_dominated": sum(len(run.non_dominated) for run in found.outcomes),
    }
