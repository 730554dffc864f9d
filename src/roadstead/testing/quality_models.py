"""Check on random tables that a quality model meets the requirements of searches and reports.

::

    check_quality_model(WorstPrecision())

The random tables have the column ``sensitive``. If a model has a target column, pass
``"sensitive"`` as the target. A failed check raises an `AssertionError` that names the violated
requirement.
"""

from __future__ import annotations

import json
from itertools import product
from math import isclose
from string import Formatter
from typing import Any

import numpy as np

from roadstead.kernels.partitions import sum_costs
from roadstead.policies.classes import Classes
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.partition_losses import HasTerms, SummedLoss
from roadstead.quality.protocol import QualityModel
from roadstead.search.evaluation import FullDomainProblem, evaluate, start
from roadstead.search.evaluator import Evaluation
from roadstead.testing.tables import RandomTable, check_sources, random_tables

_OFF = 2e-10
"""The tolerance for losses, which may be rounded to ten decimal places."""
_K = 2


def check_quality_model(model: QualityModel, *, tables: int = 50, seed: int = 0) -> None:
    """Check all requirements for a quality model.

    Parameters
    ----------
    model
        The model.
    tables, seed
        The number of random tables, and the seed from which they are generated.

    Raises
    ------
    AssertionError
        If the model violates a requirement. The message names the requirement.
    """
    check_words(model)
    for table in random_tables(tables, seed):
        problem = FullDomainProblem(
            encoding=table.encoding,
            space=full_domain(table.encoding.hierarchies),
            privacy=KAnonymity(_K),
            quality=model.bind(table.encoding),
            limit=table.encoding.records,
        )
        check_losses(model, problem, table)
        check_bounds(problem, table)
        if isinstance(model, HasTerms):
            check_terms(SummedLoss(model), table)
        if hasattr(model, "prices"):
            check_prices(model, problem, table)


def check_words(model: QualityModel) -> None:
    """Check that the model has a description and settings that a certificate can store."""
    words = model.words
    assert words.title, "the model has no title"
    assert words.figure, "the model does not describe its figure"
    for text in (words.sentence, words.clause):
        places = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
        assert "share" in places, f"{text!r} has no placeholder for the share"
        assert places <= {"share", "target"}, f"{text!r} has an unknown placeholder"
    check_sources(words.sources)
    if hasattr(model, "terms"):
        assert words.meaning, "a model with terms describes their meaning for a partition"
    settings = json.loads(json.dumps(model.settings()))
    assert settings["kind"] == model.name, "the settings name the model as kind"


def check_losses(model: QualityModel, problem: FullDomainProblem, table: RandomTable) -> None:
    """Check that losses are between 0 and 1, and do not depend on the path of a search."""
    specific, between, general = table.chain()
    afresh = evaluate(problem, specific, start(problem))
    by_way = evaluate(problem, between, evaluate(problem, general, start(problem)))
    by_way = evaluate(problem, specific, by_way)
    assert _loss(problem, afresh) == _loss(problem, by_way), (
        "the loss of a policy is exactly the same on every path to the policy"
    )
    assert 0.0 <= _loss(problem, afresh) <= 1.0 + _OFF, "a loss is between 0 and 1"
    own = problem.quality.loss_by_attribute(specific, afresh.tally, afresh.kept)
    assert (own is not None) == model.words.by_attribute, (
        "the words say correctly whether each attribute has its own loss"
    )


def check_bounds(problem: FullDomainProblem, table: RandomTable) -> None:
    """Check that no policy in a sublattice has a loss below the lower bound."""
    lower, _, upper = table.chain()
    quality, top = problem.quality, evaluate(problem, upper, start(problem))
    steps = [range(low, high + 1) for low, high in zip(lower, upper, strict=True)]
    losses = {one: _loss(problem, evaluate(problem, one, top)) for one in product(*steps)}
    bound = quality.lower_bound(lower, upper, top.tally, top.kept)
    assert bound <= min(losses.values()) + _OFF, "a policy loses less than the lower bound"
    raised = quality.raised_bounds(lower, upper, top.tally, top.kept)
    assert [len(own) + 1 for own in raised] == [len(own) for own in steps], (
        "there is one raised bound for each higher level"
    )
    for i, own in enumerate(raised):
        assert own == sorted(own), "raised bounds do not fall with the level"
        for level, least in enumerate(own, start=lower[i] + 1):
            above = min(loss for one, loss in losses.items() if one[i] >= level)
            assert least <= above + _OFF, "a policy loses less than its raised bound"


def check_terms(loss: SummedLoss, table: RandomTable) -> None:
    """Check that the terms define a loss that never decreases when intervals are merged."""
    terms = loss.terms(table.cells)
    assert terms.by_class[0] == terms.by_interval[0] == 0.0, (
        "a release without changes has a loss of 0"
    )
    found = [loss.of(table.cells.classes(table.partition(one))) for one in table.chain()]
    least = loss.of(table.cells.classes(table.cells.domains.most_specific))
    unit = 1e-9 * (1.0 + max(map(abs, found)))
    for below, above in zip([least, *found], found, strict=False):
        assert below <= above + unit, "merging intervals lowers the loss of a partition"


def check_prices(model: Any, problem: FullDomainProblem, table: RandomTable) -> None:  # noqa: ANN401 - a model that has prices
    """Check that the integer cost of a policy agrees with its losses."""
    levels, _, _ = table.chain()
    prices = model.prices(table.encoding.records)
    everything = prices.suppressed * table.encoding.records
    found = evaluate(problem, levels, start(problem))
    totals = _by_target(table, table.classes(levels), bool(prices.minority))
    cost = int(sum_costs(totals, _K, prices.array)[0])
    assert isclose(cost / everything, _loss(problem, found), abs_tol=_OFF), (
        "the cost in whole numbers differs from the cost of the levels"
    )
    if hasattr(model, "terms"):
        sizes = table.cells.classes(table.partition(levels)).records
        shares = model.terms(table.cells).by_class[sizes] * table.encoding.records
        assert np.allclose(shares, prices.square * sizes**2), (
            "the terms for groups of a partition do not agree with the prices"
        )


def _by_target(table: RandomTable, classes: Classes, has_target: bool) -> np.ndarray:  # noqa: FBT001 - private
    """Count the records in each class, and by target value if minority records have a price."""
    if not has_target:
        return classes.sizes[:, None]
    target = table.table.alongside[0]
    found = np.zeros((classes.sizes.size, len(target.domain)), dtype=np.int64)
    number = np.zeros(target.rows, dtype=np.int64)
    number[classes.rows] = classes.ids
    np.add.at(found, (number[target.row_of_entry], target.codes), target.counts)
    return found


def _loss(problem: FullDomainProblem, found: Evaluation) -> float:
    levels: Levels = found.levels
    return problem.quality.loss(levels, found.tally, found.kept)
