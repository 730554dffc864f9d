"""Profitability compared with its definition in whole numbers, by policy and by search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import log, prod
from typing import Any

import definition
import numpy as np
import pytest
from definition import Judged, covered, label
from effort import thorough, unhurried
from hypothesis import assume, given
from hypothesis import strategies as st
from lattices import Case, cases
from peopled import Peopled, peopled

from roadstead.errors import SettingError
from roadstead.policies.classes import Classes, classes_at, keep
from roadstead.policies.full_domain import Levels
from roadstead.policies.label_bits import KeptAtLevels
from roadstead.privacy.combination import bind_all, with_labels
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.no_attack import NoAttack
from roadstead.privacy.models.profitability import Profitability
from roadstead.privacy.models.profitability_journalist import ProfitabilityByJournalist
from roadstead.privacy.protocol import BarsRows, PrivacyModel
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.search.registry import LevelSearch
from roadstead.testing.tables import random_tables
from roadstead_reproductions.searches.best_first import best_first
from roadstead_reproductions.searches.flash import flash
from roadstead_reproductions.searches.minimal import incognito, ola

_NEAR = 1e-4
"""Shares are rounded to millionths: examples nearer to the bound than this are passed over."""


@dataclass(frozen=True)
class Amounts:
    """The benefit of a record, the publisher's cost of a find, and the attacker's gain from it."""

    benefit: int
    loss: int
    gain: int
    cost: int

    def of(self, kind: type[Profitability] = Profitability) -> Profitability:
        """Make the model."""
        return kind(float(self.benefit), float(self.loss), float(self.gain), float(self.cost))

    def brings(self, case: Case, levels: Levels, rows: Sequence[int], alike: int) -> bool:
        """Whether a class of so many people brings anything, by the widths of its labels.

        It keeps 1 - ln W / ln D, and what it has to keep is p / q: W ** q < D ** (q - p).
        """
        places = range(len(levels))
        tops = [attribute.height - 1 for attribute in case.attributes]
        one = case.rows[rows[0]]
        wide = prod(covered(case, i, levels[i], one[i]) for i in places)
        all_of_it = prod(covered(case, i, tops[i], one[i]) for i in places)
        pays = Fraction(self.gain, alike) > self.cost
        owed = Fraction(self.loss, self.benefit * alike) if pays else Fraction(0)
        if all_of_it == 1 or owed >= 1:
            return False
        p, q = owed.numerator, owed.denominator
        left: tuple[int, int] = wide**q, all_of_it ** (q - p)
        near = abs(1 - log(wide) / log(all_of_it) - owed) < _NEAR
        assume(not near or left[0] == left[1])
        return left[0] < left[1]


def amounts() -> st.SearchStrategy[Amounts]:
    """Small numbers, so that classes of small tables are attacked, and some pay nevertheless."""
    return st.builds(
        Amounts, st.integers(1, 8), st.integers(0, 30), st.integers(0, 20), st.integers(0, 3)
    )


def judged(town: Peopled, levels: Levels, known: Amounts, k: int, *, people: bool) -> Judged:
    """Work out one policy: the classes of its labels that bring something, and of k records."""
    case = town.case
    classes: dict[tuple[str, ...], list[int]] = {}
    for number, row in enumerate(case.rows):
        labels = tuple(map(label, case.attributes, levels, row))
        classes.setdefault(labels, []).append(number)

    def admits(rows: list[int]) -> bool:
        records = town.records_of(rows)
        alike = town.people_of(rows) if people else records
        return records >= max(k, 1) and known.brings(case, levels, rows, alike)

    return definition.lost(case, levels, tuple(tuple(r) for r in classes.values() if admits(r)))


def problem_of(town: Peopled, known: Amounts, k: int, *, people: bool) -> FullDomainProblem:
    """Make the engine's problem of it, with k-anonymity unless k is 0."""
    kind = ProfitabilityByJournalist if people else Profitability
    models: list[PrivacyModel] = [known.of(kind), *([KAnonymity(k)] if k else [])]
    bound = bind_all(models, town.table)
    return replace(town.case.problem(bound), encoding=town.encoding)


def without_population(case: Case) -> Peopled:
    """A case in which everybody is in the table."""
    return Peopled(case, case.counts)


@pytest.mark.parametrize("people", [False, True])
@thorough
@given(town=peopled(), known=amounts(), data=st.data())
def test_a_class_is_released_if_it_brings_something(
    town: Peopled, known: Amounts, data: st.DataObject, *, people: bool
) -> None:
    """Under a random policy; what is left of a record is compared in whole numbers."""
    levels = tuple(
        data.draw(st.integers(low, high))
        for low, high in zip(town.case.bottom, town.case.top, strict=True)
    )
    expected = judged(town, levels, known, 0, people=people)
    problem = replace(problem_of(town, known, 0, people=people), limit=town.case.records)
    found = evaluate(problem, levels, start(problem)).candidate
    assert found is not None
    assert found.suppressed == expected.suppressed
    classes = classes_at(town.encoding, levels)
    released = problem.privacy_at(levels).satisfied(classes)
    rows = {tuple(sorted(one)) for one in by_class(keep(classes, released)[0])}
    assert rows == {one for one in expected.classes if town.records_of(one)}


def by_class(classes: Classes) -> list[list[int]]:
    """List the rows of each class."""
    rows: list[list[int]] = [[] for _ in range(classes.sizes.size)]
    for row, number in zip(classes.rows.tolist(), classes.ids.tolist(), strict=True):
        rows[number].append(row)
    return rows


SEARCHES: tuple[Callable[[], LevelSearch], ...] = (Exact, best_first, flash)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda one: one().name)
@pytest.mark.parametrize("people", [False, True])
@unhurried
@given(town=peopled(), known=amounts(), alone=st.booleans())
def test_the_optimum_is_that_of_the_definition(
    search: Callable[[], LevelSearch], town: Peopled, known: Amounts, *, people: bool, alone: bool
) -> None:
    """All policies are computed one by one, with k-anonymity and without."""
    k = 0 if alone else town.case.k
    pairs = zip(town.case.bottom, town.case.top, strict=True)
    every = [
        judged(town, levels, known, k, people=people)
        for levels in product(*(range(low, high + 1) for low, high in pairs))
    ]
    admissible = [one for one in every if one.suppressed <= town.case.limit]
    best = min(admissible, key=lambda one: (one.order, sum(one.levels), one.levels), default=None)
    outcome = search().run(problem_of(town, known, k, people=people), Control())
    assert outcome.proven
    if best is None:
        assert outcome.best is None
        return
    assert outcome.best is not None
    assert (outcome.best.policy, outcome.best.suppressed) == (best.levels, best.suppressed)
    assert outcome.best.loss == pytest.approx(best.loss)


@unhurried
@given(cases(), amounts())
def test_searches_that_rest_on_admissibility_refuse_it(case: Case, known: Amounts) -> None:
    """A more general policy keeps less, so one that is admissible says nothing of those above."""
    problem = replace(problem_of(without_population(case), known, 0, people=False), limit=0)
    for search in (ola(), incognito()):
        assert "does not guarantee" in str(search.refusal(problem))


def test_what_a_class_has_to_keep() -> None:
    """The page's example: 300 a record, 1,200 a find, attacks on classes of up to 74."""
    stakes = Profitability(300.0, 1200.0, 300.0, 4.0).stakes
    assert (stakes.attacked, stakes.least_alike) == (74, 5)
    needed = stakes.needed(np.array([4, 5, 10, 74, 75])).tolist()
    assert needed == [1_000_001, 800_001, 400_001, 54_055, 1]
    # Classes without a profit are suppressed: half of the records if half are needed.
    assert Profitability(2.0, 1.0, 1.0, 0.0).stakes.needed(np.array([1])).tolist() == [500_001]
    # Nor is it attacked.
    assert Profitability(1.0, 9.0, 3.0, 1.0).stakes.needed(np.array([2, 3])).tolist()[1] == 1


def test_the_smallest_class_follows_from_the_amounts() -> None:
    """No more than is never attacked, and no fewer than pay for a find with all they bring."""
    assert Profitability(1200.0, 300.0, 300.0, 4.0).threshold == 1.0
    assert Profitability(300.0, 1200.0, 300.0, 4.0).threshold == 1 / 5
    assert Profitability(1.0, 1e9, 300.0, 4.0).threshold == 1 / 75
    assert ProfitabilityByJournalist(1.0, 1e9, 300.0, 4.0).threshold == 1.0
    assert Profitability(0.3, 0.9, 1.0, 0.0).stakes.least_alike == 4  # as decimals: 3, and more
    assert "No attack" in Profitability(1.0, 1e9, 300.0, 4.0).promise
    assert "up to 74 matching records" in Profitability(300.0, 1200.0, 300.0, 4.0).promise
    assert "any number of matching people" in ProfitabilityByJournalist(1.0, 2.0, 1.0, 0.0).promise


def test_a_find_that_costs_all_leaves_what_no_attack_pays_on() -> None:
    """If an attack without a profit counts, no-attack requires one record more."""
    assert (
        Profitability(1.0, 1e9, 299.0, 4.0).stakes.least_alike == NoAttack(299.0, 4.0).least_records
    )
    assert NoAttack(300.0, 4.0).least_records == 76


def test_rows_are_barred_that_keep_too_little() -> None:
    """The bound says something: of policies from one on, and of no policy below that one."""
    model = Profitability(30.0, 60.0, 30.0, 4.0)
    some = 0
    for table in random_tables(50, 0):
        lower, _, upper = table.chain()
        classes = table.classes(upper)
        bound = with_labels(model.bind(table.table), KeptAtLevels(table.encoding, lower))
        parts = keep(classes, np.ones(classes.sizes.size, dtype=np.bool_))[0]
        assert isinstance(bound, BarsRows)
        some += int(bound.barred(parts, parts.sizes).sum())
    assert some > 0


def test_it_cannot_be_asked_of_labels_it_was_not_told() -> None:
    """Rather than take them for exact."""
    table = next(iter(random_tables(1, 0)))
    bound = Profitability(30.0, 60.0, 30.0, 4.0).bind(table.table)
    with pytest.raises(SettingError, match="the share of information that each group keeps"):
        bound.satisfied(table.classes(table.chain()[0]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"benefit": 0.0},
        {"benefit": float("inf")},
        {"loss": -1.0},
        {"gain": float("nan")},
        {"cost": -0.5},
        {"domains": {"age": 0}},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    """A record's benefit is above 0; the other amounts may be zero."""
    right: dict[str, Any] = {"benefit": 1.0, "loss": 0.0, "gain": 0.0, "cost": 0.0}
    for kind in (Profitability, ProfitabilityByJournalist):
        kind(**right)
        with pytest.raises(SettingError, match="must be"):
            kind(**{**right, **wrong})
