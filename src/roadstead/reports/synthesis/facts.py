"""Collect the content of a differentially private release for all outputs.

The content uses the private table only through the noisy counts and the private choices. The
content does not contain true counts, the number of records in the table, or the number of omitted
records. So the content may be shared together with the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    Combinations,
    NumericCut,
    SetCut,
)
from roadstead.differential.synthesis import NoisyGroups
from roadstead.release.private.cut import EMPTY_SET, names_of
from roadstead.release.private.drafts.for_target import GroupsDraft
from roadstead.reports.synthesis.promise import PromiseInWords, document_of

Kind: TypeAlias = Literal["numeric", "categorical", "set"]


class Label(NamedTuple):
    """A position in the cut of an attribute, and its released counts.

    `records` gives the number of released records of each class. `noisy` is the sum of `cells`
    listed noisy counts. Each count has its own noise.
    """

    label: str
    records: tuple[int, ...]
    noisy: int
    cells: int

    @property
    def all_records(self) -> int:
        """The number of released records of all classes."""
        return sum(self.records)


@dataclass(frozen=True)
class Marginal:
    """The distribution of the released records over the labels of an attribute.

    Each record has one interval of numbers, or one group of categories. For a set-valued attribute,
    a record can have several labels, or none. If the release has no detail about the attribute,
    there is one label.
    """

    attribute: str
    kind: Kind
    labels: tuple[Label, ...]

    @property
    def detailed(self) -> bool:
        """Indicates whether the release has any detail about the attribute."""
        return len(self.labels) > 1


def marginals_of(
    listed: NoisyGroups, released: NDArray[np.int64], names: Sequence[Sequence[str]]
) -> tuple[Marginal, ...]:
    """Return, for each attribute, the number of released records with each label."""
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
    """Add up the rows of `sums` by the labels of an attribute. The last label is the empty set."""
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


@dataclass(frozen=True, eq=False)
class SynthesisFacts(PromiseInWords, GroupsDraft):
    """A differentially private release, before it is written."""

    @property
    def chosen(self) -> bool:
        """Indicates whether the number of specializations was chosen with differential privacy."""
        return bool(self.settings["specializations"] == CHOSEN)

    @property
    def groups(self) -> int:
        """The number of listed groups."""
        return int(self.counts.shape[0])

    @property
    def by_class(self) -> tuple[int, ...]:
        """The number of released records of each class."""
        return tuple(self.counts.sum(axis=0).tolist())

    @cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        """The distribution of the released records over each attribute."""
        names = [names_of(cut) for cut in self.cuts]
        return marginals_of(self.synthesis.groups, self.counts, names)

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON."""
        made = self.synthesis
        return document_of(
            self,
            {
                "specializations": len(made.steps),
                "steps": [one.words for one in made.steps],
                "groups": self.groups,
                "all_groups": made.groups.all_groups,
                "least_count": made.groups.least,
                "records_by_class": dict(zip(self.classes, self.by_class, strict=True)),
            },
        )


CHOSEN = "auto"
"""The text for a number of specializations that was chosen automatically."""
