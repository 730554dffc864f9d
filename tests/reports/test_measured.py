"""Measures of a release under each model, on seven records computed by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from roadstead.policies.classes import Classes
from roadstead.privacy.models.average_risk import AverageRisk
from roadstead.privacy.models.beta_likeness import BetaLikeness
from roadstead.privacy.models.delta_disclosure import DeltaDisclosure
from roadstead.privacy.models.delta_presence import DeltaPresence
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.models.entropy_l_diversity import EntropyLDiversity
from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.privacy.models.grassberger_l_diversity import GrassbergerLDiversity
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.k_map import KMap
from roadstead.privacy.models.no_attack import NoAttack
from roadstead.privacy.models.no_attack_journalist import NoAttackByJournalist
from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.privacy.models.population_uniqueness import PopulationUniqueness
from roadstead.privacy.models.profitability import Profitability
from roadstead.privacy.models.profitability_journalist import ProfitabilityByJournalist
from roadstead.privacy.models.records_at_risk import FewRecordsAtRisk
from roadstead.privacy.models.recursive_cl_diversity import RecursiveCLDiversity
from roadstead.privacy.models.sample_uniqueness import SampleUniqueness
from roadstead.privacy.models.strict_average_risk import StrictAverageRisk
from roadstead.privacy.models.t_closeness import TCloseness
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.registry import MADE_FOR_PERSONS, PRIVACY_MODELS, sources_of
from roadstead.release.generalized import every_row_a_class
from roadstead.reports.sentences import measured
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.reading import read

BY_A_JOURNALIST = ProfitabilityByJournalist(9.0, 1.0, 9.0, 1.0)
_CASES: list[tuple[PrivacyModel, str, str]] = [
    # Women a a b, men a b b c; of all seven a and b have 3, c has 1.
    (DistinctLDiversity("x", 2), "2", "at least 2"),
    (EntropyLDiversity("x", 1.5), "1.89", "at least 1.5"),
    # Women: G(3) = G(2) = 2 - .577 - ln 2, less 2/3 of the same and 1/3 of G(1) = G(2) - 2: 2/3.
    (GrassbergerLDiversity("x", 1.5), "1.95", "at least 1.5"),
    (RecursiveCLDiversity("x", 2.5, 2), "2.00", "less than 2.5"),
    (TCloseness("x", 0.3), "0.238", "at most 0.3"),
    (BetaLikeness("x", 1.0), "0.750", "at most 1"),
    # Men have c in a share of 1/4, all in 1/7: log2(7/4). Women lack it.
    (DeltaDisclosure("x", 1.0), "0.807", "less than 1"),
    (AverageRisk(0.3), "0.286", "at most 0.3"),
    (StrictAverageRisk(0.3, 0.5), "0.286", "at most 0.3"),
    (FewRecordsAtRisk(0.3, 0.5), "0.429", "at most 0.5"),
    (FewRecordsAtRisk(0.3, 0.5, 0.3), "0.429", "at most 0.5, 0.3 on average"),
    (SampleUniqueness(0.1), "0", "at most 0.1"),
    (PopulationUniqueness(0.1, 18), "0", "at most 0.1"),
    (NoAttack(10.0, 4.0), "3.33", "less than 4"),
    (NoAttackByJournalist(10.0, 1.5), "1.25", "less than 1.5"),
    # Three women of seven records are attacked, or four men of eight people.
    (
        Profitability(9.0, 1.0, 7.0, 2.0),
        "0.429",
        "any share, if the release still earns more than it costs",
    ),
    (BY_A_JOURNALIST, "0.571", "any share, if the release still earns more than it costs"),
    (DeltaPresence(0.6), "0.500", "at most 0.6"),
    (KMap(5), "8", "at least 5"),
    (EstimatedKMap(5, 0.1), "3", "at least 3"),
    (AveragePopulationRisk(0.2), "0.1143", "at most 0.2"),
    (AveragePopulationRisk(0.02, 2.0), "0.01321", "at most 0.02"),
    (DeltaPresence(0.6, 0.2), "0.300 to 0.500", "0.2 to 0.6"),
]


@pytest.fixture(scope="module")
def table() -> FrequencyTable:
    """Three women of ten, four men of eight."""
    frame = pd.DataFrame({"sex": list("fffmmmm"), "x": list("aababbc")})
    with read(frame) as source:
        return replace(summarize(source, ("sex",), ("x",)), population=np.array([10, 8]))


@pytest.mark.parametrize(("model", "found", "allowed"), _CASES)
def test_the_figure_is_that_of_the_class_nearest_to_the_bound(
    table: FrequencyTable, model: PrivacyModel, found: str, allowed: str
) -> None:
    """Worked by hand."""
    figure = measured(model, table, every_row_a_class(table))
    assert figure is not None
    assert (figure.found, figure.allowed) == (found, allowed)


def test_every_kind_of_model_is_measured_and_cited() -> None:
    """Exceptions are k-anonymity, the subject of the rest of the report, and models of people.

    The merged table of a release has no figures for models of people, because it has no person IDs.
    """
    kinds = {str(model.settings()["kind"]) for model, _, _ in _CASES}
    assert kinds == {*PRIVACY_MODELS} - {"k-anonymity", *MADE_FOR_PERSONS}
    assert all(sources_of(kind) for kind in PRIVACY_MODELS)


def test_there_is_no_figure_where_there_is_nothing_to_measure(table: FrequencyTable) -> None:
    """Of k-anonymity, without classes, or without a population."""
    every = every_row_a_class(table)
    none = Classes(every.members[:0], every.numbers[:0], every.sizes[:0])
    assert measured(KAnonymity(2), table, every) is None
    assert measured(DistinctLDiversity("x", 2), table, none) is None
    for model in (DeltaPresence(0.5), KMap(5), NoAttackByJournalist(5.0, 1.0), BY_A_JOURNALIST):
        assert measured(model, replace(table, population=None), every) is None


def test_what_rounding_leaves_of_no_distance_is_shown_as_none() -> None:
    """A class that is the whole table."""
    with read(pd.DataFrame({"sex": list("ffffff"), "x": list("aabbbc")})) as source:
        table = summarize(source, ("sex",), ("x",))
    every = every_row_a_class(table)
    for model in (TCloseness("x", 0.3), BetaLikeness("x", 1.0)):
        figure = measured(model, table, every)
        assert figure is not None
        assert figure.found == "0"
