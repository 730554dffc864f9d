"""Profitability: a class is released if its publisher expects a net benefit in spite of attacks.

For a record that is in a class of f records and keeps a share s of its information, the publisher
earns

    benefit * s - loss / f   if gain / f > cost (an attack pays), and otherwise   benefit * s

and the class is released if this amount is above 0 (Wan et al. 2015; ARX's profitability). The
model is not monotone. Its monotone part and its bounds are in docs/methods/profitability.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, isfinite
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature, Reason, supporting
from roadstead.errors import SettingError
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import LeastSize, none_below
from roadstead.privacy.models.k_map import Peopled
from roadstead.privacy.protocol import BoundPrivacy, ModelFigure, PrivacyModel
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.kept_bits import MILLION, KeptOfRows

_EVERY = 1 << 62
"""A number larger than any class size, for attacks that always pay."""


@dataclass(frozen=True)
class Stakes:
    """The cost of an attack on a class with a given number of candidates, in exact numbers."""

    attacked: int  # classes of up to this size are attacked
    per_find: Fraction  # the cost of a re-identified record divided by a record's benefit

    @property
    def least_alike(self) -> int:
        """If all information is kept, return the smallest class size that gives a net benefit."""
        return min(self.attacked, floor(self.per_find)) + 1

    def needed(self, alike: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the share of the information that classes must keep, in millionths.

        The result is above 100% if no share is enough.
        """
        least = np.ones(alike.shape, dtype=np.int64)
        risky = alike <= self.attacked
        distinct, place = np.unique(alike[risky], return_inverse=True)
        of, per = MILLION * self.per_find.numerator, self.per_find.denominator
        each = [min(MILLION, of // (per * max(one, 1))) + 1 for one in distinct.tolist()]
        least[risky] = np.array(each, dtype=np.int64)[place.reshape(-1)]
        return least


@dataclass(frozen=True, eq=False)
class Profitable:
    """Classes with a net benefit for the publisher.

    If people are counted, `people` is the number of people with each row's combination of values.
    `kept` is the information that the labels of each row keep, or None if it is not known.
    """

    stakes: Stakes
    unknown: SettingError  # the error to raise if the kept information is not known
    people: NDArray[np.int64] | None = field(repr=False)
    kept: KeptOfRows | None = field(repr=False)
    merges: ClassVar[bool] = False
    per_class: ClassVar[bool] = True

    def with_labels(self, kept: KeptOfRows) -> Profitable:
        """Return the same model with different labels."""
        return replace(self, kept=kept)

    @cached_property
    def monotone_part(self) -> BoundPrivacy:
        """Require at least the size of the smallest class that has a net benefit."""
        least = self.stakes.least_alike
        return LeastSize(least) if self.people is None else Peopled(self.people, least)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class keeps the required share of its information."""
        kept = self._known
        one = np.zeros(classes.sizes.size, dtype=np.uint32)
        one[classes.ids] = classes.rows  # any row of the class: the labels are equal
        enough: NDArray[np.bool_] = kept.of(one) >= self.needed(classes)
        return enough

    def most_released(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.int64]:
        """Lower the bound to 0 for each part that is too small for a net benefit."""
        return np.where(self._alike(parts) >= self.stakes.least_alike, none_below(most, 1), 0)

    def barred(self, parts: Classes, most: NDArray[np.int64]) -> NDArray[np.bool_]:  # noqa: ARG002 - of all their records
        """Mark rows that keep too little information, even if their whole part were one class."""
        kept = self._known.of(parts.rows)
        too_little: NDArray[np.bool_] = kept < self.needed(parts)[parts.ids]
        return too_little

    def attacked(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether an attack on each class is profitable."""
        return self._alike(classes) <= self.stakes.attacked

    def needed(self, classes: Classes) -> NDArray[np.int64]:
        """For each class, return the required share of its information, in millionths."""
        return self.stakes.needed(self._alike(classes))

    @property
    def _known(self) -> KeptOfRows:
        if self.kept is None:
            raise self.unknown
        return self.kept

    def _alike(self, classes: Classes) -> NDArray[np.int64]:
        """Return the number of candidates in each class."""
        return classes.sizes if self.people is None else classes.totals(self.people)


@dataclass(frozen=True)
class Profitability(PrivacyModel):
    """Classes for which the publisher earns more than attacks are expected to cost.

    If all hierarchies list their values, `domains` gives the number of values in each
    quasi-identifier's hierarchy. With these numbers, a reader of the policy can compute how much
    information a class keeps. Roadstead sets `domains`.
    """

    benefit: float
    loss: float
    gain: float
    cost: float
    domains: Mapping[str, int] | None = None
    kind: ClassVar[str] = "profitability"
    sources: ClassVar[tuple[str, ...]] = ("wan",)
    sees_labels: ClassVar[bool] = True
    capabilities: ClassVar[Capabilities] = supporting(
        reasons={
            Feature.PERSONS: Reason(
                "{part} counts the records of a group, and several of these records may belong "
                "to one person",
                "leave the model out",
            ),
            Feature.RECODING: Reason(
                "{part} uses the share of information that each group keeps. With {other}, this "
                "share differs between groups and is not measured",
                "leave the model out, or use {recoding=global}",
            ),
        }
    )

    def __post_init__(self) -> None:
        for key, what in _AMOUNTS.items():
            amount, above = getattr(self, key), key == "benefit"
            fits = isfinite(amount) and (amount > 0.0 if above else amount >= 0.0)
            self.require(key, fits, "above 0" if above else "0 or more", f"the {key} is {what}")
        sizes = () if self.domains is None else self.domains.values()
        fix = "leave this parameter out, because Roadstead fills it in"
        self.require(
            "domains", all(0 < size < _EVERY for size in sizes), "at least 1 for each column", fix
        )

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return f"{self._called} ({self._amounts})"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            "For every released group of records, the benefit to the publisher is larger than the "
            f"expected cost of attacks ({self._called}). An original record is worth "
            f"{self.benefit:g}; a released record is worth this amount times the share of "
            "information that its group keeps. "
            f"{self._chance} An attacker gains {self.gain:g} by finding a record and "
            f"pays {self.cost:g} per try. The attacker tries only if the expected gain exceeds "
            f"this cost. Each record that an attacker finds costs the publisher {self.loss:g}. "
            f"{self._attacked}"
        )

    @property
    def threshold(self) -> float:
        """Return the prosecutor risk of a record in the smallest allowed class."""
        return 1.0 / self.stakes.least_alike

    @property
    def stakes(self) -> Stakes:
        """Return the amounts as exact ratios of the user's decimal fractions."""
        loss, benefit, gain, cost = (
            Fraction(repr(float(one))) for one in (self.loss, self.benefit, self.gain, self.cost)
        )
        most = (ceil(gain / cost) - 1 if cost else _EVERY) if gain else 0
        return Stakes(min(max(most, 0), _EVERY), loss / benefit)

    def listing(self, domains: Mapping[str, int] | None) -> Self:
        """Return the model with the number of values in each quasi-identifier's hierarchy."""
        return replace(self, domains=domains)

    def bind(self, table: FrequencyTable) -> Profitable:
        """Bind the model to a table and the information in its labels."""
        return Profitable(self.stakes, self._unknown, None, table.kept)

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate."""
        own = {"kind": self.kind, **{key: getattr(self, key) for key in _AMOUNTS}}
        return own if self.domains is None else {**own, "domains": dict(self.domains)}

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure | None:
        """Return the share of the records in attacked classes.

        The amount of kept information is omitted, because this amount would reveal more.
        """
        attacked = self.bind(table).attacked(classes)
        share = float(classes.sizes[attacked].sum() / classes.records)
        what = "share of the released records that are in groups on which an attack pays"
        return ModelFigure(what, share, "any share, if the release still earns more than it costs")

    @property
    def _amounts(self) -> str:
        return ", ".join(f"{key} {getattr(self, key):g}" for key in _AMOUNTS)

    @property
    def _called(self) -> str:
        return "profitability against a prosecutor"

    @property
    def _chance(self) -> str:
        return (
            "An attacker who knows the quasi-identifiers of a person in the table finds the right "
            "record with a probability of one divided by the number of records in its group."
        )

    @property
    def _attacked(self) -> str:
        return self._allowed("records")

    def _allowed(self, alike: str) -> str:
        stakes = self.stakes
        if stakes.least_alike > stakes.attacked:
            return "No attack on a released group pays."
        most = "any number of" if stakes.attacked == _EVERY else f"up to {stakes.attacked:,}"
        return f"Attacks are allowed: they pay on groups of {most} matching {alike}."

    @property
    def _unknown(self) -> SettingError:
        return self.wrong(
            "the share of information that each group keeps is not known",
            fix="leave the model out, or anonymize the table again",
        )


_AMOUNTS = {
    "benefit": "the value of an original record to its publisher",
    "loss": "the cost to the publisher if a person's record is found",
    "gain": "the value of one person's record to the attacker",
    "cost": "the cost of searching for one person's record",
}
