"""Run all attacks on a recoding before its publication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.downcoding import MARGINS, MOST_CLASSES, Downcoding, downcode
from roadstead.attacks.recodings.gain import Gain
from roadstead.attacks.recodings.sensitive import (
    Accepts,
    Sensitive,
    attack_by_merges,
    attack_by_parts,
    attack_by_replay,
    column_of,
    distinct,
    refused_classes,
)
from roadstead.attacks.recodings.view import truth_of, view_of
from roadstead.privacy.conditions import ClassCounts, OnValues
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.search.recoding.protocol import Recoded, RecodingProblem


@dataclass(frozen=True)
class Requirement:
    """The requirement for a sensitive column.

    `accepts` returns whether a group may be a class.

    `distinct` is the l of distinct l-diversity, if the release requires it.
    """

    column: str
    accepts: Accepts
    distinct: int | None = None


@dataclass(frozen=True)
class Attempt:
    """The results of attacks on a recoding.

    `downcoding` has the results for the quasi-identifiers. `sensitive` has the results for each
    sensitive column with a requirement. Other columns do not influence the choice of classes.
    """

    downcoding: Downcoding
    sensitive: tuple[tuple[str, Sensitive], ...] = ()

    @property
    def gains(self) -> tuple[Gain, ...]:
        """All gains over a guess that uses only the margins or the class."""
        return (*self.of_quasi_identifiers, *(one.gain for _, one in self.sensitive))

    @property
    def of_quasi_identifiers(self) -> tuple[Gain, ...]:
        """The gains of downcoding."""
        return tuple(one for one in self.downcoding.gains if one.prior == MARGINS)

    @property
    def above_noise(self) -> bool:
        """Whether the interval of any attack shows that it beats guessing."""
        quasi = any(one.above_noise for one in self.of_quasi_identifiers)
        return quasi or any(one.above_noise for _, one in self.sensitive)

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as a dictionary."""
        return {
            "above_noise": self.above_noise,
            "quasi_identifiers": asdict(self.downcoding),
            "sensitive": {name: asdict(one) for name, one in self.sensitive},
        }


def attempt(
    problem: RecodingProblem,
    recoded: Recoded,
    *,
    requirements: Sequence[Requirement] = (),
    bolder: Recoded | None = None,
    k: int | None = None,
    most_classes: int = MOST_CLASSES,
    confidence: float = 0.95,
) -> Attempt:
    """Run all attacks on a recoding that has at least one class.

    `requirements` are the requirements for sensitive columns of the table. `bolder` is the result
    of the same search without sensitive columns, from which `recoded` was merged. Without `bolder`,
    only one attack on sensitive values runs. `k` is the published k, if the classes were made with
    a larger k.
    """
    view, truth = view_of(problem, recoded, k=k), truth_of(problem, recoded)
    number = sum(1 if bolder is None else 2 + (one.distinct is not None) for one in requirements)
    apart = 1.0 - (1.0 - confidence) / max(number, 1)
    found: list[tuple[str, Sensitive]] = []
    for one in requirements:
        column = column_of(problem.encoding.table.histogram(one.column))
        by_parts = attack_by_parts(view, truth, column, one.accepts, confidence=apart)
        found.append((one.column, by_parts))
        if bolder is None:
            continue
        if one.distinct is not None:
            refused = refused_classes(problem, recoded, bolder)
            by_replay = attack_by_replay(
                view, truth, column, one.distinct, refused, confidence=apart
            )
            found.append((one.column, by_replay))
        by_merges = attack_by_merges(
            problem, recoded, bolder, column, one.accepts, confidence=apart
        )
        found.append((one.column, by_merges))
    own = downcode(view, truth, most_classes=most_classes, confidence=confidence)
    return Attempt(own, tuple(found))


def requirement(model: PrivacyModel, bound: BoundPrivacy) -> Requirement | None:
    """Return what a model requires of a column's values in a group, or None for other models."""
    if not isinstance(bound, OnValues) or len(model.columns) != 1:
        return None
    asked = condition(model.columns[0], bound)
    # A replay assumes that every value of the column counts.
    if isinstance(model, DistinctLDiversity) and _valued(bound).all():
        return replace(asked, distinct=model.l)
    return asked


def distinct_values(column: str, least: int) -> Requirement:
    """Return the requirement of distinct l-diversity for a column without blanks."""
    return Requirement(column, distinct(least), least)


def _valued(bound: OnValues) -> NDArray[np.bool_]:
    """Return which values of the column the condition uses. The condition may exclude blanks."""
    there = np.zeros(len(bound.histogram.domain), dtype=np.bool_)
    there[bound.histogram.codes] = True
    return there


def condition(column: str, bound: OnValues) -> Requirement:
    """Return a requirement for a condition on the frequencies of values in a class."""
    valued = _valued(bound)

    def accepts(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        groups, codes = np.nonzero(counts * valued)
        starts = np.searchsorted(groups, np.arange(len(counts) + 1)).astype(np.int64)
        return bound.holds(ClassCounts(starts, codes.astype(np.int32), counts[groups, codes]))

    return Requirement(column, accepts)
