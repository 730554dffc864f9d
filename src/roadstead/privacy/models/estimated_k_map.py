"""k-map if only the size of the population, relative to the table, is known.

Each of the three methods of paper 001 leads to a minimum class size k' <= k (`minimal_size`), so
the model is k-anonymity with k'. The statement about the population is an estimate, which assumes
that the table is a simple random sample (docs/methods/k-map-expectation.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from roadstead.capabilities import Capabilities
from roadstead.errors import SettingError
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import SizeModel
from roadstead.privacy.model_capabilities import of_sizes
from roadstead.privacy.protocol import ModelFigure
from roadstead.risk.minimal_size import Estimator, minimal_size
from roadstead.tables.frequency import FrequencyTable


@dataclass(frozen=True)
class EstimatedKMap(SizeModel):
    """Classes that are estimated to have at least `k` people in the population."""

    k: int
    fraction: float  # share of the population in the table
    estimator: Estimator = "d4"
    # For d3 and d4: the probability that a class of k people passes as a larger class
    significance: float = 0.1
    # k', the minimum class size. k' follows from the other parameters; 0 means "compute k'".
    # Settings contain k' so that a policy states which classes are released.
    smallest: int = 0
    kind: ClassVar[str] = "estimated-k-map"
    sources: ClassVar[tuple[str, ...]] = ("emam",)
    instead_of_k_anonymity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        try:
            follows = minimal_size(self.k, self.fraction, self.estimator, self.significance)
        except SettingError as error:
            raise self.wrong(error.what, error.fix or "") from None
        if self.smallest not in (0, follows):
            raise self.wrong(
                f"the parameter smallest is {self.smallest}, but the other parameters give "
                f"{follows}",
                fix="leave it out",
            )
        object.__setattr__(self, "smallest", follows)

    @property
    def name(self) -> str:
        """Return the model's name, its parameters, and the resulting class size."""
        at = "" if self.estimator == "d2" else f" at {self.significance:g}"
        return (
            f"estimated {self.k}-map ({self.estimator}{at}, fraction {self.fraction:g}: groups of "
            f"{self.smallest} or more)"
        )

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"Every released group has {self.smallest} or more records (estimated {self.k}-map). "
            "An attacker who knows that a person is in the table finds the right record with a "
            f"probability of at most 1/{self.smallest}. {self._estimate}"
        )

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # a reason names the size
        """Return the supported features. Every method that knows class sizes supports the model."""
        return of_sizes(
            "assumes that the records are a random sample of people with one record each; if a "
            "person has several records, the number of records does not show the number of "
            "people",
            self.least_records,
        )

    @property
    def least_records(self) -> int:
        """Return the minimum class size."""
        return self.smallest

    @property
    def _estimate(self) -> str:
        """Describe the estimate of the population, and the reliability of the estimate."""
        sample = f"If the table is a random sample of {self.fraction:g} of the population"
        stranger = (
            "an attacker who does not know who is in the table can find the person behind a record"
        )
        if self.smallest >= self.k:
            return (
                f"At least {self.k} people in the population share these quasi-identifiers, so "
                f"{stranger} with a probability of at most 1/{self.k}."
            )
        not_bounded = (
            f"This does not limit how many of the released groups have fewer than {self.k} people; "
            "that number is estimated separately."
        )
        if self.estimator == "d2":
            return (
                f"{sample} and the sizes of its groups follow this rule's assumption, {stranger} "
                f"with an estimated probability of at most 1/{self.k} (d2). {not_bounded}"
            )
        seen = (
            (" with at least one record")
            if self.estimator == "d4"
            else ", with or without records,"
        )
        return (
            f"{sample}, a group of fewer than {self.k} people{seen} has {self.smallest} or more "
            f"records with a probability of at most {self.significance:g} ({self.estimator}). From "
            f"a group of {self.k} or more people, {stranger} with a probability of at most "
            f"1/{self.k}. {not_bounded}"
        )

    @property
    def bounded(self) -> str:
        """Return a clause that states what the rule guarantees about the released groups."""
        if self.smallest >= self.k:
            return (
                f"every released group has {self.k} records or more, so it has at least as many "
                "people"
            )
        if self.estimator == "d2":
            return (
                f"for each group, the mean of 1/F is at most 1/{self.k}, where F is a possible "
                "number of people in the population, and each F has the prior weight 1/F"
            )
        which = (
            "that have a record"
            if self.estimator == "d4"
            else ("in the population, with or without records")
        )
        return (
            f"among the groups of fewer than {self.k} people {which}, the expected share of groups "
            f"with {self.smallest} or more records is at most {self.significance:g}"
        )

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:  # noqa: ARG002 - of the classes alone
        """Return the size of the smallest class."""
        fewest = classes.sizes.min()
        return ModelFigure("smallest group", f"{fewest:,}", f"at least {self.smallest:,}")
