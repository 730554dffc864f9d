"""How near the classes of a release come to what a privacy model allows.

For each model beyond k-anonymity one figure: the class that comes nearest to its bound. It is
worked out from the counts of the release, and says nothing of any single value.
"""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.diversity import entropies, fullest, heads_and_tails
from roadstead.policies.classes import Classes
from roadstead.privacy.class_counts import ClassCounts, class_counts
from roadstead.privacy.models.average_risk import AverageRisk
from roadstead.privacy.models.beta_likeness import BetaLikeness
from roadstead.privacy.models.delta_presence import DeltaPresence
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.models.entropy_l_diversity import EntropyLDiversity
from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.privacy.models.k_map import KMap
from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.privacy.models.recursive_cl_diversity import RecursiveCLDiversity
from roadstead.privacy.models.strict_average_risk import StrictAverageRisk
from roadstead.privacy.models.t_closeness import TCloseness
from roadstead.privacy.protocol import PrivacyModel
from roadstead.reports.content import Measured
from roadstead.reports.wording import decimal
from roadstead.tables.frequency import FrequencyTable


def measured(  # noqa: PLR0911 - one answer for each kind of model
    model: PrivacyModel, table: FrequencyTable, classes: Classes
) -> Measured | None:
    """Measure the released classes as a model does.

    Parameters
    ----------
    model
        The privacy model.
    table
        The frequency table, with the columns beside that the model looks at.
    classes
        The classes released, of rows of the table.

    Returns
    -------
    Measured or None
        None for a model without a figure of its own, and where nothing is released.
    """
    if not classes.sizes.size:
        return None
    match model:
        case DistinctLDiversity():
            least = _counts(table, model.column, classes).distinct.min()
            return Measured("fewest different values in a class", f"{least}", f"at least {model.l}")
        case EntropyLDiversity():
            counted = _counts(table, model.column, classes)
            least = exp(entropies(counted.starts, counted.counts).min())
            return _figure("least mixed class, as so many equal values", least, "at least", model.l)
        case RecursiveCLDiversity():
            counted = _counts(table, model.column, classes)
            heads, tails = heads_and_tails(counted.starts, counted.counts, model.l)
            return _figure(
                "most frequent value, in multiples of the rarer ones",
                float((heads / tails).max()),
                "less than",
                model.c,
            )
        case TCloseness():
            bound = model.bind(table)
            distance = bound.ground.of(class_counts(bound.histogram, classes)).max()
            return _figure(
                "largest distance of a class to the whole table", distance, "at most", model.t
            )
        case BetaLikeness():
            gain = _largest_gain(table, model.column, classes)
            return _figure("largest gain of a value in a class", gain, "at most", model.beta)
        case AverageRisk() | StrictAverageRisk():
            risk = classes.sizes.size / classes.records
            return _figure("average risk of the records", risk, "at most", model.average)
        case EstimatedKMap():
            fewest = classes.sizes.min()
            return Measured("smallest class", f"{fewest:,}", f"at least {model.smallest:,}")
        case _:
            return _against_population(model, table, classes)


def _against_population(
    model: PrivacyModel, table: FrequencyTable, classes: Classes
) -> Measured | None:
    """Measure what concerns the people of a class, in the table or not."""
    match model:
        case DeltaPresence() if table.population is not None:
            people = classes.totals(np.ascontiguousarray(table.population, dtype=np.int64))
            return _presence(model, classes.sizes / people)
        case KMap() if table.population is not None:
            fewest = classes.totals(np.ascontiguousarray(table.population, dtype=np.int64)).min()
            what = "fewest people of the population in a class"
            return Measured(what, f"{fewest:,}", f"at least {model.k:,}")
        case AveragePopulationRisk():
            return _population_risk(model, table, classes)
        case _:
            return None


def _counts(table: FrequencyTable, column: str, classes: Classes) -> ClassCounts:
    return class_counts(table.histogram(column), classes)


def _largest_gain(table: FrequencyTable, column: str, classes: Classes) -> float:
    """Largest share in a class over the share in the whole table, less 1."""
    whole = table.histogram(column).whole
    counted = _counts(table, column, classes)
    times = fullest(counted.starts, counted.codes, counted.counts, whole / whole.sum())
    return float(times.max()) - 1.0


def _presence(model: DeltaPresence, shares: NDArray[np.float64]) -> Measured:
    allowed = f"at most {model.maximum:g}"
    if not model.minimum:
        return Measured("largest share of a class in the data", decimal(shares.max()), allowed)
    found = f"{decimal(shares.min())} to {decimal(shares.max())}"
    return Measured(
        "share of a class in the data", found, f"{model.minimum:g} to {model.maximum:g}"
    )


def _population_risk(
    model: AveragePopulationRisk, table: FrequencyTable, classes: Classes
) -> Measured:
    """Mean risk, and the number of records that makes; small numbers are the usual case."""
    risk = model.bind(table).risk(classes)
    against = "people of the population" if table.population is not None else "records"
    what = (
        f"share of the records expected to be re-identified, among the {against} alike; "
        f"{decimal(risk * classes.records)} records"
        if model.gamma == 1.0
        else f"mean over the records of 1 / g ** {model.gamma:g}, for g {against} alike"
    )
    return Measured(what, f"{risk:.4g}", f"at most {model.maximum!r}")


def _figure(what: str, found: float, relation: str, allowed: float) -> Measured:
    return Measured(what, decimal(round(found, 9)), f"{relation} {allowed:g}")
