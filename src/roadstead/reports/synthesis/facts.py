"""All that is said of a differentially private release: by a terminal, JSON, its page, a notebook.

None of it comes from the private table but through the noisy counts and the private choices: no
true count, no number of its records, no number left out. So it may go wherever the release goes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    CategoricalDomain,
    Combinations,
    Domain,
    NumericCut,
    NumericDomain,
    SetCut,
)
from roadstead.differential.synthesis import NoisyGroups
from roadstead.release.private.certificate import guarantee
from roadstead.release.private.cut import EMPTY_SET, names_of
from roadstead.release.private.publish import PrivateDraft
from roadstead.reports.wording import CountedUnit, counted, listed

_DECLARED = "declared"

Kind: TypeAlias = Literal["numeric", "categorical", "set"]


class Label(NamedTuple):
    """One place in the cut of an attribute, and what is released of it.

    Records are those of each class; `noisy` is the sum of `cells` listed noisy counts, each
    with noise of its own.
    """

    label: str
    records: tuple[int, ...]
    noisy: int
    cells: int

    @property
    def all_records(self) -> int:
        """Released records of all classes."""
        return sum(self.records)


@dataclass(frozen=True)
class Marginal:
    """How the released records are spread over the cut of an attribute.

    Intervals of numbers and groups of categories part the records; of a set-valued attribute a
    record may have several labels, or none. There is one label where the release has no detail.
    """

    attribute: str
    kind: Kind
    labels: tuple[Label, ...]

    @property
    def detailed(self) -> bool:
        """Whether the release has any detail of the attribute."""
        return len(self.labels) > 1


def marginals_of(
    listed: NoisyGroups, released: NDArray[np.int64], names: Sequence[Sequence[str]]
) -> tuple[Marginal, ...]:
    """Add up the groups by the labels of each attribute."""
    sums = np.column_stack((released, listed.counts.sum(axis=1), (listed.counts > 0).sum(axis=1)))
    columns = zip(listed.groups.attributes, names, strict=True)
    return tuple(_marginal(*one, tuple(labels), sums) for one, labels in columns)


def _marginal(
    cut: AttributeCut,
    codes: NDArray[np.int32],
    combinations: Combinations | None,
    names: tuple[str, ...],
    sums: NDArray[np.int64],
) -> Marginal:
    """Add up the rows of `sums` by the labels of one attribute; the empty set is the last label."""
    each = np.zeros((len(names if combinations is None else combinations), sums.shape[1]), np.int64)
    np.add.at(each, codes, sums)
    if combinations is not None:
        names = (*names, EMPTY_SET) if isinstance(cut, SetCut) and cut.is_specialized else names
        held = np.zeros((len(names), len(combinations)), dtype=np.int64)
        for number, places in enumerate(combinations):
            held[list(places) or len(names) - 1, number] = 1
        each = held @ each
    labels = tuple(
        Label(name, tuple(records), noisy, cells)
        for name, (*records, noisy, cells) in zip(names, each.tolist(), strict=True)
    )
    kinds: dict[type, Kind] = {NumericCut: "numeric", CategoricalCut: "categorical", SetCut: "set"}
    return Marginal(cut.attribute, kinds[type(cut)], labels)


class PublicInput(NamedTuple):
    """What was known beforehand: an attribute, what it can hold, and where that is from."""

    attribute: str
    holds: str
    origin: str


@dataclass(frozen=True, eq=False)
class SynthesisFacts(PrivateDraft):
    """A differentially private release, before it is written."""

    origins: Mapping[str, str]  # where each attribute's domain came from
    notes: tuple[str, ...]  # what to mind

    @property
    def guarantee(self) -> str:
        """What is promised, in a sentence."""
        return guarantee(self.synthesis.epsilon, self.unit, self.settings)

    @property
    def counted(self) -> CountedUnit:
        """Whether records are counted, or persons; nothing that the table would tell."""
        return CountedUnit(self.settings.get("person"))

    @property
    def chosen(self) -> bool:
        """Whether the number of specializations was chosen privately."""
        return bool(self.settings["specializations"] == CHOSEN)

    @property
    def groups(self) -> int:
        """How many groups are listed."""
        return int(self.counts.shape[0])

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
        found = [public_input(cut.domain, self.origins[cut.attribute]) for cut in self.cuts]
        return (*found, PublicInput(self.target, listed(self.classes), _DECLARED))

    def to_dict(self) -> dict[str, Any]:
        """Give the facts as JSON holds them."""
        made = self.synthesis
        return {
            "source": self.source,
            "guarantee": self.guarantee,
            "epsilon": float(made.epsilon),
            "unit": self.unit.words,
            "protects": self.unit.protects,
            "rows_per_person": self.unit.rows,
            "counted": self.counted.to_dict(),
            "target": self.target,
            "classes": list(self.classes),
            "ledger": [{"step": one.step, "epsilon": float(one.epsilon)} for one in made.ledger],
            "specializations": len(made.steps),
            "steps": list(made.steps),
            "cut": {cut.attribute: list(names_of(cut)) for cut in self.cuts},
            "told": [cut.attribute for cut in self.cuts if cut.is_specialized],
            "groups": self.groups,
            "all_groups": made.groups.all_groups,
            "least_count": made.groups.least,
            "records": self.records,
            "records_by_class": dict(zip(self.classes, self.by_class, strict=True)),
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }


CHOSEN = "chosen privately"
"""Stands for a number of specializations that was not set."""


def public_input(domain: Domain, origin: str) -> PublicInput:
    """Say what a domain holds, and where it is from."""
    match domain:
        case NumericDomain():
            holds = f"numbers from {domain.low} to {domain.high} in steps of {domain.step}"
        case CategoricalDomain():
            holds = counted(domain.size, "value")
        case _:
            holds = f"sets of {counted(domain.taxonomy.size, 'item')}"
    declared = origin.startswith(f"{_DECLARED}:")
    return PublicInput(domain.attribute, holds, _DECLARED if declared else origin)
