"""All that is said of a differentially private release: by a terminal, JSON, its page, a notebook.

None of it comes from the private table but through the noisy counts and the private choices: no
true count, no number of its records, no number left out. So it may go wherever the release goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import AttributeCut, SetCut
from roadstead.differential.budget import Grant
from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain
from roadstead.differential.synthesis import Synthesis
from roadstead.release.private import promise as private_promise
from roadstead.release.private.cells import names_of
from roadstead.reports.synthesis.marginals import Marginal, marginals_of
from roadstead.reports.wording import counted, listed

_DECLARED = "declared"


class PublicInput(NamedTuple):
    """What was known beforehand: an attribute, what it can hold, and where that is from."""

    attribute: str
    holds: str
    origin: str


@dataclass(frozen=True, eq=False)
class SynthesisFacts:
    """A differentially private release, before it is written.

    Attributes
    ----------
    source
        What the table is called.
    target
        The column to be predicted.
    settings
        The request; all of it is public.
    synthesis
        The groups, their noisy counts, and what the budget was spent on.
    counts
        Shape ``(groups, classes)``: records to be released.
    unit
        What one more or one less of is not noticed.
    origins
        Where each attribute's domain came from.
    notes
        What to mind.
    """

    source: str
    target: str
    settings: Mapping[str, Any]
    synthesis: Synthesis = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    unit: str
    origins: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def epsilon(self) -> Fraction:
        """The privacy budget, exactly."""
        return self.synthesis.epsilon

    @property
    def guarantee(self) -> str:
        """What is promised, in a sentence."""
        return private_promise.guarantee(self.epsilon, self.unit, self.settings)

    @property
    def cuts(self) -> tuple[AttributeCut, ...]:
        """How detailed the release is in each attribute."""
        return self.synthesis.groups.groups.cuts

    @property
    def classes(self) -> tuple[str, ...]:
        """What the target can hold."""
        return self.synthesis.groups.classes

    @property
    def score(self) -> str:
        """What specializations were chosen by."""
        return str(self.settings["score"])

    @property
    def chosen(self) -> bool:
        """Whether the number of specializations was chosen privately."""
        return bool(self.settings["specializations"] == CHOSEN)

    @property
    def steps(self) -> tuple[str, ...]:
        """The specializations in their order, in words."""
        return self.synthesis.steps

    @property
    def ledger(self) -> tuple[Grant, ...]:
        """What the budget was spent on, in order."""
        return self.synthesis.ledger

    @property
    def counts_epsilon(self) -> Fraction:
        """What the counts of the groups cost: it determines their noise."""
        return self.synthesis.counted_for

    @property
    def groups(self) -> int:
        """How many groups are listed."""
        return int(self.counts.shape[0])

    @property
    def all_groups(self) -> int:
        """How many groups the cuts make."""
        return self.synthesis.groups.all_groups

    @property
    def least(self) -> int:
        """The least noisy count that is listed."""
        return self.synthesis.groups.least

    @property
    def by_class(self) -> tuple[int, ...]:
        """Released records of each class."""
        return tuple(self.counts.sum(axis=0).tolist())

    @property
    def records(self) -> int:
        """How many records are released."""
        return sum(self.by_class)

    @cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        """How the released records are spread over each attribute."""
        names = [names_of(cut) for cut in self.cuts]
        return marginals_of(self.synthesis.groups, self.counts, names)

    @property
    def public(self) -> tuple[PublicInput, ...]:
        """The declared domains, and the classes."""
        found = [_public(cut.domain, self.origins[cut.attribute]) for cut in self.cuts]
        return (*found, PublicInput(self.target, listed(self.classes), _DECLARED))

    def to_dict(self) -> dict[str, Any]:
        """Give the facts as JSON holds them."""
        return {
            "source": self.source,
            "guarantee": self.guarantee,
            "epsilon": float(self.epsilon),
            "unit": self.unit,
            "target": self.target,
            "classes": list(self.classes),
            "ledger": [{"step": one.step, "epsilon": float(one.epsilon)} for one in self.ledger],
            "specializations": len(self.steps),
            "steps": list(self.steps),
            "cut": {cut.attribute: list(names_of(cut)) for cut in self.cuts},
            "told": [cut.attribute for cut in self.cuts if is_detailed(cut)],
            "groups": self.groups,
            "all_groups": self.all_groups,
            "least_count": self.least,
            "records": self.records,
            "records_by_class": dict(zip(self.classes, self.by_class, strict=True)),
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }


CHOSEN = "chosen privately"
"""Stands for a number of specializations that was not set."""


def is_detailed(cut: AttributeCut) -> bool:
    """Say whether a release has any detail of an attribute."""
    return cut.is_specialized if isinstance(cut, SetCut) else len(cut.labels) > 1


def _public(domain: Domain, origin: str) -> PublicInput:
    match domain:
        case NumericDomain():
            holds = f"numbers from {domain.low} to {domain.high} in steps of {domain.step}"
        case CategoricalDomain():
            holds = counted(domain.size, "value")
        case _:
            holds = f"sets of {counted(domain.taxonomy.size, 'item')}"
    declared = origin.startswith(f"{_DECLARED}:")
    return PublicInput(domain.attribute, holds, _DECLARED if declared else origin)
