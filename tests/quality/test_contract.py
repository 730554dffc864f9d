"""Every quality model keeps the contract that is shipped for those of other packages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.aggregates import ArithmeticMean, GeometricMean
from roadstead.quality.by_class import BoundByClass, RecordMeasure
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.partition_costs import Prices
from roadstead.quality.protocol import QualityModel
from roadstead.quality.registry import quality_model
from roadstead.quality.words import QUALITY_MODELS, QualityWords
from roadstead.testing.quality_models import check_quality_model
from roadstead.testing.tables import SENSITIVE


@pytest.mark.quick(12)
@pytest.mark.parametrize("name", QUALITY_MODELS.own)
@pytest.mark.parametrize("aggregate", [GeometricMean(), ArithmeticMean()], ids=lambda one: one.name)
def test_the_model_keeps_its_contract(name: str, aggregate: GeometricMean | ArithmeticMean) -> None:
    """Its declarations are true on random tables; models without a mean omit it."""
    check_quality_model(quality_model(name, aggregate, SENSITIVE))


class Falling(RecordMeasure):
    """Loses less, the fewer classes there are."""

    def price(self, classes: Classes) -> float:
        """How many classes there are."""
        return classes.sizes.size

    def loss(self, levels: Levels, suppressed: int, price: float) -> float:  # noqa: ARG002 - as the protocol has it
        """As a share of a number that is never reached."""
        return price / 1000


NO_TERMS = replace(Discernibility.words, meaning="")


@dataclass(frozen=True)
class FewClasses:
    """A model that falls where it must not."""

    name: ClassVar[str] = "few-classes"
    columns: ClassVar[tuple[str, ...]] = ()
    words: QualityWords = NO_TERMS

    def bind(self, encoding: Encoding) -> BoundByClass[int]:
        """It needs the classes alone."""
        return BoundByClass(encoding, Falling(encoding))

    def settings(self) -> dict[str, Any]:
        """Nothing to set."""
        return {"kind": self.name}


class WrongPrices(Discernibility):
    """Prices that are not those of the levels."""

    def prices(self, records: int) -> Prices:
        """Twice as dear."""
        return Prices(square=2, minority=0, suppressed=records)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (FewClasses(), "must not be below the lower bound"),
        (WrongPrices(), "must match the loss of the levels"),
        (FewClasses(replace(NO_TERMS, sentence="It loses.")), "no placeholder for the share"),
        (FewClasses(replace(NO_TERMS, by_attribute=True)), "has its own loss"),
        (FewClasses(replace(NO_TERMS, sources=("nobody",))), "not a known publication"),
    ],
)
def test_a_broken_promise_is_found(model: QualityModel, said: str) -> None:
    """The suite itself, on models that break one promise each."""
    with pytest.raises(AssertionError, match=said):
        check_quality_model(model)
