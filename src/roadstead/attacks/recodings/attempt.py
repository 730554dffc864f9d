"""Run all attacks on a recoding before it is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.finding import CONFIDENCE
from roadstead.attacks.recodings.downcoding import MOST_CLASSES, Downcoding, downcode
from roadstead.attacks.recodings.sensitive import (
    Accepts,
    Sensitive,
    attack_by_merges,
    attack_by_parts,
    attack_by_replay,
    column_of,
    refused_classes,
)
from roadstead.attacks.recodings.view import truth_of, view_of
from roadstead.privacy.conditions import ClassCounts, OnValues
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.search.recoding.protocol import Recoded, RecodingProblem


@dataclass(frozen=True)
class Requirement:
    """A requirement for the values of a sensitive column.

    `accepts` is a function that returns whether a group may be a class.

    If the release requires distinct l-diversity, `distinct` is the required l.
    """

    column: str
    accepts: Accepts
    distinct: int | None = None


@dataclass(frozen=True)
class Attempt:
    """The results of all attacks on a recoding.

    `downcoding` contains the results for the quasi-identifiers. `sensitive` contains the results
    for each sensitive column with a requirement. Other columns do not influence the choice of
    classes, so they are not attacked.
    """

    downcoding: Downcoding
    sensitive: tuple[tuple[str, Sensitive], ...] = ()


def attempt(
    problem: RecodingProblem,
    recoded: Recoded,
    *,
    requirements: Sequence[Requirement] = (),
    bolder: Recoded | None = None,
    most_classes: int = MOST_CLASSES,
) -> Attempt:
    """Run all attacks on a recoding that has at least one class.

    `requirements` lists the requirements for sensitive columns of the table. `bolder` is the result
    of the same search without requirements for sensitive columns. The classes of `recoded` were
    created by merging classes of `bolder`. Without `bolder`, only one attack on sensitive values
    runs.
    """
    view, truth = view_of(problem, recoded), truth_of(problem, recoded)
    number = sum(1 if bolder is None else 2 + (one.distinct is not None) for one in requirements)
    apart = 1.0 - (1.0 - CONFIDENCE) / max(number, 1)
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
    own = downcode(view, truth, most_classes=most_classes)
    return Attempt(own, tuple(found))


def requirement(model: PrivacyModel, bound: BoundPrivacy) -> Requirement | None:
    """Return what a model requires of the values in a group, or None if there is no requirement."""
    if not isinstance(bound, OnValues) or len(model.columns) != 1:
        return None
    asked = condition(model.columns[0], bound)
    # A replay attack assumes that every value of the column counts.
    if isinstance(model, DistinctLDiversity) and _valued(bound).all():
        return replace(asked, distinct=model.l)
    return asked


def _valued(bound: OnValues) -> NDArray[np.bool_]:
    """Return which values of a column the condition considers. The condition may exclude blanks."""
    there = np.zeros(len(bound.histogram.domain), dtype=np.bool_)
    there[bound.histogram.codes] = True
    return there


def condition(column: str, bound: OnValues) -> Requirement:
    """Convert a condition on the frequencies of values in a class into a requirement."""
    valued = _valued(bound)

    def accepts(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        groups, codes = np.nonzero(counts * valued)
        starts = np.searchsorted(groups, np.arange(len(counts) + 1)).astype(np.int64)
        return bound.holds(ClassCounts(starts, codes.astype(np.int32), counts[groups, codes]))

    return Requirement(column, accepts)
