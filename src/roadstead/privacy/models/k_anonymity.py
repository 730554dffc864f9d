"""k-anonymity: each released record shares its quasi-identifiers with k - 1 or more other records.

If an attacker knows that a person is in the data, the re-identification risk of the person's record
is at most 1/k (paper 001, prosecutor risk; Samarati and Sweeney 1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from roadstead.capabilities import Capabilities, Feature
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.privacy.conditions import SizeModel
from roadstead.privacy.model_capabilities import of_sizes

SMALLEST_K = 2
_FEATURES = (Feature.SQL, Feature.PROOF)


@dataclass(frozen=True)
class KAnonymity(SizeModel):
    """Classes of at least `k` records; k is at least 2, because one record gives no protection."""

    k: int
    kind: ClassVar[str] = "k-anonymity"
    sources: ClassVar[tuple[str, ...]] = ("samarati",)

    def __post_init__(self) -> None:
        if self.k < SMALLEST_K:
            raise SettingError(
                f"k is {self.k}, but must be at least {SMALLEST_K}",
                where=option("k"),
                fix="5 is usual for research data under an agreement, and 11 or 20 for public data",
            )

    @property
    def name(self) -> str:
        """Return the model's name with its parameter."""
        return f"{self.k}-anonymity"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"Every released record shares its quasi-identifiers with at least {self.k - 1} other "
            f"records ({self.k}-anonymity). An attacker who knows the quasi-identifiers of a "
            "person in the table finds the right record with a probability of at most "
            f"1/{self.k}."
        )

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # a reason names the size
        """Return the supported features. Every method that knows class sizes supports the model."""
        return of_sizes("counts the records of a group", self.least_records, *_FEATURES)

    @property
    def least_records(self) -> int:
        """Return the minimum class size."""
        return self.k
