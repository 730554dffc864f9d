"""Exact search with people who have several rows, compared with their definition.

The witness is `persons_by_definition`: it computes every policy with dictionaries and fractions.
The search is compared with it for all knowledge, both ways to leave out, limits from 0 to 100%, and
every model that counts people. The greatest set of people is compared with every possible set.
Pruning requires that this set only grows with generality, which is tested on chains of policies.
"""

from __future__ import annotations

from itertools import combinations
from random import Random

import definition
import numpy as np
import persons_by_definition as plain
import pytest
from effort import EXPLORING
from lattices import Attribute, Case
from persons_by_definition import MODELS, Population

from roadstead.errors import SettingError
from roadstead.policies.classes import classes_at
from roadstead.policies.full_domain import Levels
from roadstead.privacy.models.person_anonymity import Known
from roadstead.search import left_out
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.search.registry import LEVELS
from roadstead.tables.persons.profiles import PersonTable

Setting = tuple[Known, str]
SETTINGS: list[Setting] = [
    (1, "rows"),
    (1, "persons"),
    (2, "persons"),
    (3, "persons"),
    ("all", "persons"),
]
WITH_MODELS = [(knows, leaves_out) for knows, leaves_out in SETTINGS if knows in (1, "all")]
SEED = 1 if EXPLORING else 0
PROVES = ("exact", "best-first", "lattice-based")
"""Searches that prove their best, on tables of any kind."""


def agree(population: Population, search: str = "exact") -> bool:
    """Compare a search with the witness; give whether there is an admissible policy."""
    outcome = LEVELS[search](0).run(population.problem(), Control())
    expected = plain.best(population)
    if expected is None:
        assert outcome.best is None, population
        return False
    assert outcome.best is not None, population
    assert outcome.best.policy == expected.levels, population
    assert outcome.best.suppressed == expected.missing, population
    assert outcome.best.loss == pytest.approx(expected.loss, rel=0, abs=1e-12), population
    assert outcome.optimal, population
    return True


@pytest.mark.quick(1)
@pytest.mark.parametrize(("knows", "leaves_out"), SETTINGS)
def test_the_optimum_for_persons_is_that_of_enumeration(knows: Known, leaves_out: str) -> None:
    """Knowing one, two, three, or all rows; limits from 0 to 100%; rows or people weighed."""
    drawn = plain.populations(100 if EXPLORING else 50, SEED, knows, leaves_out)
    assert sum(map(agree, drawn)) > 25


@pytest.mark.slow
@pytest.mark.parametrize(("knows", "leaves_out"), SETTINGS)
def test_the_optimum_is_that_of_enumeration_a_thousand_times(knows: Known, leaves_out: str) -> None:
    """The same; benchmarks/persons_witness.py prints how often."""
    drawn = plain.populations(1000, 2, knows, leaves_out)
    assert sum(map(agree, drawn)) > 500


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(("knows", "leaves_out"), WITH_MODELS)
def test_with_a_model_of_values_too(knows: Known, leaves_out: str, kind: str) -> None:
    """A person counts once for each sensitive value, in a class or among identical people."""
    drawn = plain.populations(15, SEED, knows, leaves_out, kind)
    assert sum(map(agree, drawn)) > 0


@pytest.mark.quick(4)
@pytest.mark.parametrize("search", [name for name in PROVES if name != "exact"])
@pytest.mark.parametrize(("knows", "leaves_out"), SETTINGS)
def test_other_searches_that_prove_the_best_find_it(
    search: str, knows: Known, leaves_out: str
) -> None:
    """They ask the same problem."""
    for population in plain.populations(5, SEED, knows, leaves_out):
        agree(population, search)


@pytest.mark.quick(1)
@pytest.mark.parametrize("search", [name for name in LEVELS if name not in PROVES])
def test_what_any_search_finds_is_admissible(search: str) -> None:
    """Whatever it claims is no better than the best, and proven only if it is that."""
    for knows, leaves_out in SETTINGS:
        for population in plain.populations(3, SEED, knows, leaves_out):
            problem, expected = population.problem(), plain.best(population)
            if LEVELS[search](0).refusal(problem) is not None:
                continue
            outcome = LEVELS[search](0).run(problem, Control())
            if outcome.best is None:
                assert expected is None or not outcome.proven
                continue
            assert expected is not None
            again = problem.judge(outcome.best.policy)
            assert again is not None
            assert again.suppressed == outcome.best.suppressed <= population.limit
            assert outcome.best.loss >= expected.loss - 1e-12
            assert not outcome.optimal or outcome.best.loss <= expected.loss + 1e-12


@pytest.mark.parametrize("kind", [None, "distinct-l-diversity"])
@pytest.mark.parametrize(("knows", "leaves_out"), [one for one in SETTINGS if one[1] == "persons"])
def test_the_set_of_persons_kept_is_the_greatest(
    knows: Known, leaves_out: str, kind: str | None
) -> None:
    """It contains every set of people that is safe on its own, among all possible sets."""
    if kind is not None and knows in (2, 3):
        return
    for population in plain.populations(15, SEED, knows, leaves_out, kind):
        few = Population(**{**vars(population), "persons": population.persons[:7]})
        levels = _any_levels(few)
        labels = plain.labels_of(few, levels)
        kept = _kept(few.problem(), levels)
        for size in range(1, len(labels) + 1):
            for some in combinations(labels, size):
                alone = {person: labels[person] for person in some}
                if plain.admissible(alone, few.case.k, knows):
                    # Safe by what may be known; its values must satisfy the model as well.
                    released = plain.released(few, alone)
                    if {person for person, _ in released} == set(some):
                        assert set(some) <= kept
        alone = {person: labels[person] for person in kept}
        assert not kept or plain.admissible(alone, few.case.k, knows)


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", [None, *MODELS])
def test_whoever_is_kept_is_kept_under_a_more_general_policy(kind: str | None) -> None:
    """The test uses the monotone part of every model, the basis of all bounds."""
    for knows, leaves_out in SETTINGS if kind is None else WITH_MODELS:
        for population in plain.populations(15, SEED, knows, leaves_out, kind):
            problem, low = population.problem(), _any_levels(population)
            chance = Random(repr(population))  # noqa: S311 - for tests
            high = tuple(
                chance.randint(level, top)
                for level, top in zip(low, population.case.top, strict=True)
            )
            specific, general = (_rows(problem, levels) for levels in (low, high))
            assert specific <= general, (population, low, high)


def test_nobody_is_kept_by_a_search_that_looks_at_rows_alone() -> None:
    """Five rows of one person are one person: the fault that all this is against."""
    population = next(plain.populations(1, SEED, 1, "rows"))
    alone = Population(
        **{
            **vars(population),
            "persons": (tuple((0, "u") for _ in range(9)),),
            "limit": 0,
        }
    )
    assert Exact().run(alone.problem(), Control()).best is None


def test_who_fits_too_few_once_others_are_left_out_is_left_out_too() -> None:
    """A class fails, so its people go; then a class that is still diverse has too few."""
    values = ("a", "b", "c", "d")
    attribute = Attribute("ward", values, (values, ("*",) * 4), (1,) * 4)
    case = Case(
        attributes=(attribute,),
        rows=tuple((value,) for value in values),
        counts=(1,) * 4,
        k=3,
        limit=10,
        aggregate="arithmetic",
        weights=None,
        bottom=(0,),
        top=(1,),
    )
    a, b, c, d = range(4)
    persons = (
        ((a, "u"), (b, "v")),  # goes with the class a, and leaves two in b
        ((a, "u"),),
        ((a, "u"),),
        ((b, "u"), (c, "v")),  # goes with b, and leaves two in c
        ((b, "v"),),
        ((c, "u"),),
        ((c, "v"),),
        ((d, "u"),),
        ((d, "v"),),
        ((d, "u"),),
    )
    model = {"kind": "distinct-l-diversity", "l": 2, "column": plain.SENSITIVE}
    population = Population(case, persons, 1, "persons", 10, model)
    assert _kept(population.problem(), (0,)) == {7, 8, 9}
    released = plain.released(population, plain.labels_of(population, (0,)))
    assert {person for person, _ in released} == {7, 8, 9}


@pytest.mark.parametrize("knows", [1, 2, 3])
def test_what_it_costs_is_known_before_it_starts(knows: int) -> None:
    """As many combinations as the most specific policy has; fewer under any other."""
    for population in plain.populations(20, SEED, knows, "persons"):
        left = population.problem().persons
        assert left is not None
        rows = [[(str(row),) for row, _ in own] for own in population.persons]
        profiles = {tuple(sorted(own)): own for own in rows}
        most = sum(
            len(plain.known(own, size))
            for own in profiles.values()
            for size in range(1, min(knows, len(own)) + 1)
        )
        assert left.combinations == most


def test_more_than_memory_holds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the number, and what can be done."""
    monkeypatch.setattr(left_out, "MOST_COMBINATIONS", 0)
    (population,) = plain.populations(1, SEED, 2, "persons")
    with pytest.raises(
        SettingError, match=r"[0-9] combinations of rows that may be known"
    ) as refusal:
        left_out.persons_left_out(population.models, population.table())
    assert "knows" in (refusal.value.fix or "")


def _any_levels(population: Population) -> Levels:
    policies = list(definition.policies(population.case))
    chance = Random(repr(population))  # noqa: S311 - for tests
    return chance.choice(policies[: max(len(policies) // 2, 1)])


def _rows(problem: FullDomainProblem, levels: Levels) -> set[int]:
    """Rows that the monotone part keeps."""
    classes = classes_at(problem.encoding, levels)
    kept = problem.leaves_out.kept(classes, problem.privacy.monotone_part)
    return set(kept.classes.rows.tolist())


def _kept(problem: FullDomainProblem, levels: Levels) -> set[int]:
    """People whom the whole model keeps."""
    classes = classes_at(problem.encoding, levels)
    rows = problem.leaves_out.kept(classes, problem.privacy).classes.rows
    table = problem.encoding.table
    assert isinstance(table, PersonTable)
    persons = table.persons
    stays = np.isin(persons.profiles, persons.owners[rows])
    return set(np.flatnonzero(stays).tolist())
