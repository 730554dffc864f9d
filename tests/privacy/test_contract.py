"""Every privacy model meets the public contract for models of other packages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from roadstead.capabilities import Feature
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
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.privacy.models.population_uniqueness import PopulationUniqueness
from roadstead.privacy.models.profitability import Profitability
from roadstead.privacy.models.profitability_journalist import ProfitabilityByJournalist
from roadstead.privacy.models.records_at_risk import FewRecordsAtRisk
from roadstead.privacy.models.recursive_cl_diversity import RecursiveCLDiversity
from roadstead.privacy.models.sample_uniqueness import SampleUniqueness
from roadstead.privacy.models.strict_average_risk import StrictAverageRisk
from roadstead.privacy.models.t_closeness import TCloseness
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.privacy.protocol import BoundPrivacy, Monotone, PrivacyModel
from roadstead.privacy.registry import MADE_FOR_PERSONS, PRIVACY_MODELS
from roadstead.tables.frequency import FrequencyTable
from roadstead.testing.privacy_models import check_bounds, check_privacy_model
from roadstead.testing.tables import SENSITIVE, random_tables

OF_VALUES: list[dict[str, Any]] = [
    {"kind": "distinct-l-diversity", "column": SENSITIVE, "l": 2},
    {"kind": "entropy-l-diversity", "column": SENSITIVE, "l": 1.5},
    {"kind": "recursive-cl-diversity", "column": SENSITIVE, "c": 2.0, "l": 2},
    {"kind": "t-closeness", "column": SENSITIVE, "t": 0.2},
    {"kind": "beta-likeness", "column": SENSITIVE, "beta": 0.4},
    {"kind": "delta-disclosure", "column": SENSITIVE, "delta": 0.5},
]
MODELS: list[PrivacyModel] = [
    KAnonymity(3),
    KMap(6),
    EstimatedKMap(5, 0.2),
    DistinctLDiversity(SENSITIVE, 2),
    EntropyLDiversity(SENSITIVE, 1.5),
    GrassbergerLDiversity(SENSITIVE, 1.8),
    RecursiveCLDiversity(SENSITIVE, 2.0, 2),
    TCloseness(SENSITIVE, 0.2),
    BetaLikeness(SENSITIVE, 0.4),
    DeltaDisclosure(SENSITIVE, 0.5),
    DeltaDisclosure(SENSITIVE, 0.5, every_value=False),
    AverageRisk(0.3),
    StrictAverageRisk(0.3, 0.5),
    FewRecordsAtRisk(0.3, 0.2),
    FewRecordsAtRisk(0.3, 0.2, 0.25),
    FewRecordsAtRisk(0.5, 0.0),
    SampleUniqueness(0.1),
    SampleUniqueness(0.0),
    *(PopulationUniqueness(0.02, 1500, one) for one in ("dankar", "pitman", "zayatz", "snb")),
    NoAttack(30.0, 10.0),
    NoAttackByJournalist(55.0, 10.0),
    Profitability(30.0, 60.0, 30.0, 4.0),
    Profitability(30.0, 60.0, 30.0, 0.0),
    Profitability(12.0, 3.0, 3.0, 0.2, {"a": 5}),
    ProfitabilityByJournalist(30.0, 150.0, 55.0, 4.0),
    DeltaPresence(0.6),
    DeltaPresence(0.6, 0.2),
    DeltaPresence(0.9, 0.05, everybody=True),
    AveragePopulationRisk(0.2),
    AveragePopulationRisk(0.2, 0.5),
    PersonAnonymity(3, "person"),
    PersonAnonymity(3, "person", "all"),
    *(ValuesOfPersons(one, "person") for one in OF_VALUES),
    *(ValuesOfPersons(one, "person", "all") for one in OF_VALUES),
]


@pytest.mark.quick(24)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_model_keeps_its_contract(model: PrivacyModel) -> None:
    """The model's declarations are true on random tables."""
    check_privacy_model(model)


@pytest.mark.parametrize(
    "model",
    # These random tables never have people outside whose combination no record has.
    [one for one in MODELS if one.kind not in MADE_FOR_PERSONS and one != DeltaPresence(0.6, 0.2)],
    ids=lambda model: model.name,
)
def test_every_search_that_may_infer_is_declared(model: PrivacyModel) -> None:
    """A search is refused only with a model under which it may be wrong."""
    bound = [model.bind(one.table) for one in random_tables(20, 0)]
    declared = model.capabilities.supports
    assert (Feature.INFERENCE in declared) == all(one.merges for one in bound)
    monotone = all(one.monotone_part is one for one in bound)
    assert (Feature.INFERENCE_SUPPRESSED in declared) == monotone


def test_no_model_is_left_out() -> None:
    """A file in the folder of models is a model, and is checked."""
    assert {model.kind for model in MODELS} == {*PRIVACY_MODELS.own}


@dataclass(frozen=True)
class Wrong(Monotone, PrivacyModel):
    """A model that breaks one promise."""

    answers: Callable[[Classes], NDArray[np.bool_]]
    kind: str = "wrong"
    name: str = "wrong"
    promise: str = "Nothing is promised."
    sources: tuple[str, ...] = ()
    threshold: float = 1.0

    def bind(self, table: FrequencyTable) -> Wrong:  # noqa: ARG002 - needs nothing of it
        """Itself."""
        return self

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """As was said."""
        return self.answers(classes)

    def settings(self) -> dict[str, Any]:
        """Nothing to set."""
        return {"kind": self.kind, "answers": "any"}


def at_least_the_mean(classes: Classes) -> NDArray[np.bool_]:
    """Whether a class is as large as they are on average."""
    return classes.sizes * classes.sizes.size >= classes.records


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (lambda classes: classes.sizes < 4, "with additional records"),
        (at_least_the_mean, "if all other classes are suppressed"),
        (lambda classes: classes.sizes[:1] > 0, "one answer per class"),
        (lambda classes: (classes.sizes > 2).astype(int), "True or False"),
    ],
)
def test_a_broken_promise_is_found(
    answers: Callable[[Classes], NDArray[np.bool_]], said: str
) -> None:
    """The suite itself, on models that break one promise each."""
    with pytest.raises(AssertionError, match=said):
        check_privacy_model(Wrong(answers))


def fine(classes: Classes) -> NDArray[np.bool_]:
    """Whether a class has two records."""
    return classes.sizes > 1


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (Wrong(fine, promise="no"), "full sentence"),
        (Wrong(fine, kind=""), "the kind of the model"),
        (Wrong(fine, name=""), "the name of the model"),
        (Wrong(fine, sources=("nobody",)), "not a known publication"),
        (Wrong(fine, threshold=0.0), "the threshold must be a risk"),
    ],
)
def test_missing_words_are_found(model: PrivacyModel, said: str) -> None:
    """The report needs them."""
    with pytest.raises(AssertionError, match=said):
        check_privacy_model(model)


@dataclass(frozen=True)
class TooSure:
    """Even classes, with the claim that policies below release nothing of what is odd."""

    merges: bool = True
    per_class: bool = True

    @property
    def monotone_part(self) -> KAnonymity:
        """An even class has two records."""
        return KAnonymity(2)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Whether each class is even."""
        answer: NDArray[np.bool_] = classes.sizes % 2 == 0
        return answer

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: ARG002 - it knows too much
        """Nothing."""
        return np.zeros_like(most)


def on_random_intervals(bound: BoundPrivacy) -> None:
    """Check a model's bounds as the contract does."""
    for table in random_tables(50, 0):
        lower, _, upper = table.chain()
        check_bounds(bound, table, lower, upper)


def test_a_bound_that_is_too_low_is_found() -> None:
    """A policy between releases what the model said none does."""
    with pytest.raises(AssertionError, match="more records than the bounds allow"):
        on_random_intervals(TooSure())
