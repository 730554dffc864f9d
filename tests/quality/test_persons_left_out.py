"""Losses if people are left out whole, so that a class may lose a part of its records."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import persons_by_definition as plain
import pytest
from definition import policies
from persons_by_definition import Population

from roadstead.policies.full_domain import Levels
from roadstead.privacy.models.person_anonymity import Known
from roadstead.quality.aggregates import Maximum
from roadstead.quality.models.ambiguity import Ambiguity
from roadstead.quality.models.bits import Bits
from roadstead.quality.models.class_size import AverageClassSize
from roadstead.quality.models.classification import Classification
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.models.entropy import Entropy
from roadstead.quality.models.payout import Payout
from roadstead.quality.models.precision import Precision
from roadstead.quality.protocol import QualityModel
from roadstead.quality.width_formula import LossOfWidths
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control

MODELS: dict[str, QualityModel] = {
    "ambiguity": Ambiguity(),
    "bits": Bits(gs_factor=0.3),
    "class-size": AverageClassSize(2),
    "classification": Classification(plain.SENSITIVE),
    "discernibility": Discernibility(),
    "discernibility, monotone": Discernibility(monotone=True),
    "entropy": Entropy(),
    "entropy, monotone": Entropy(monotone=True),
    "payout": Payout(5.0, 4.0, 7.0, 1.5),
    "precision": Precision(Maximum(), "persons", gs_factor=0.8),
    "widths": LossOfWidths(lambda widths: float(sum(widths))),
}
KNOWN: tuple[Known, ...] = (1, 2, 3, "all")
CLOSE = 1e-9
IN_PART = 58
"""Number of a draw in which people leave large classes in part."""


def problems(name: str, number: int) -> list[tuple[Population, FullDomainProblem]]:
    """Draw a number of problems and one more, with values if there may be a model of them."""
    found = []
    for knows in KNOWN:
        kind = "distinct-l-diversity" if knows in (1, "all") else None
        if kind is None and name == "classification":
            continue
        drawn = list(plain.populations(IN_PART + 1, 7, knows, "persons", kind))
        for one in (*drawn[:number], drawn[IN_PART]):
            known = one.problem()
            found.append((one, replace(known, quality=MODELS[name].bind(known.encoding))))
    return found


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", MODELS)
def test_the_optimum_is_that_of_enumeration(name: str) -> None:
    """With any knowledge about a person."""
    for _, known in problems(name, 8):
        found = [evaluate(known, levels, start(known)).candidate for levels in known.space]
        best = min((one for one in found if one), key=lambda one: one.preference, default=None)
        outcome = Exact().run(known, Control())
        assert outcome.proven
        assert outcome.best == best


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", MODELS)
def test_the_bound_is_below_every_policy_of_an_interval(name: str) -> None:
    """For all intervals between policies that release something."""
    for _, limited in problems(name, 8):
        known = replace(limited, limit=limited.leaves_out.units)
        losses = {
            levels: one.loss
            for levels in known.space
            if (one := evaluate(known, levels, start(known)).candidate) is not None
        }
        for upper in losses:
            top = evaluate(known, upper, start(known))
            for lower in losses:
                inside = between(lower, upper)
                if not inside:
                    continue
                bound = known.quality.lower_bound(lower, upper, top.least, top.kept)
                assert bound <= min(losses[levels] for levels in inside) + CLOSE


def between(lower: Levels, upper: Levels) -> list[Levels]:
    """All policies between two; none where they are not in order."""
    return list(product(*[range(a, b + 1) for a, b in zip(lower, upper, strict=True)]))


def test_a_record_left_out_counts_as_large_a_class_as_it_would_be_in() -> None:
    """With monotone discernibility, the sum is over all classes, whatever is left out."""
    suppressed = 0
    for population, known in problems("discernibility, monotone", 6):
        for levels in policies(population.case):
            labels = plain.labels_of(population, levels).values()
            every = [label for own in labels for label in own]
            squares = sum(every.count(label) for label in every)
            found = evaluate(known, levels, start(known)).candidate
            if found is not None:
                assert np.isclose(found.loss, squares / len(every) ** 2, rtol=0, atol=1e-12)
                suppressed += found.suppressed > 0
    assert suppressed > 5
