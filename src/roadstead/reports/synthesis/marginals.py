"""How released records are spread over each attribute: sums over the groups, for the page.

A group has one label of each attribute, or, of a set-valued one, a combination of labels. Its
records are added to each of them. So is the number of its cells (a group and a class) with a noisy
count that is listed, as each of these has noise of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import AttributeCut, NumericCut, SetCut
from roadstead.differential.synthesis import NoisyGroups

Kind: TypeAlias = Literal["numeric", "categorical", "set"]
EMPTY_SET = "(none)"


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
    listed: NoisyGroups,
    released: NDArray[np.int64],
    names: Sequence[Sequence[str]],
) -> tuple[Marginal, ...]:
    """Add up the groups by the labels of each attribute."""
    sums = np.column_stack((released, listed.counts.sum(axis=1), (listed.counts > 0).sum(axis=1)))
    groups = listed.groups
    columns = zip(groups.cuts, groups.codes, groups.combinations, names, strict=True)
    return tuple(
        _marginal(cut, codes, combinations, tuple(labels), sums)
        for cut, codes, combinations, labels in columns
    )


def _marginal(
    cut: AttributeCut,
    codes: NDArray[np.int32],
    combinations: tuple[tuple[int, ...], ...] | None,
    names: tuple[str, ...],
    sums: NDArray[np.int64],
) -> Marginal:
    """Add up the rows of `sums` by the labels of one attribute; the empty set is the last label."""
    each = np.zeros((len(names if combinations is None else combinations), sums.shape[1]), np.int64)
    np.add.at(each, codes, sums)
    if combinations is not None:
        names = (*names, EMPTY_SET) if isinstance(cut, SetCut) and cut.is_specialized else names
        each = _held(combinations, len(names)).astype(np.int64) @ each
    labels = tuple(
        Label(name, tuple(records), noisy, cells)
        for name, (*records, noisy, cells) in zip(names, each.tolist(), strict=True)
    )
    return Marginal(cut.attribute, _kind(cut), labels)


def _held(combinations: tuple[tuple[int, ...], ...], labels: int) -> NDArray[np.bool_]:
    """Say which combinations have each label; ``(labels, combinations)``."""
    held = np.zeros((labels, len(combinations)), dtype=np.bool_)
    for number, places in enumerate(combinations):
        held[list(places) or labels - 1, number] = True
    return held


def _kind(cut: AttributeCut) -> Kind:
    if isinstance(cut, NumericCut):
        return "numeric"
    return "set" if isinstance(cut, SetCut) else "categorical"
