"""All attacks on a recoding at once: what those who release it should know beforehand."""

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
    """What was asked of a sensitive column: `accepts` says whether a group may be a class.

    `distinct`: the l of distinct l-diversity, if that is what was asked.
    """

    column: str
    accepts: Accepts
    distinct: int | None = None


@dataclass(frozen=True)
class Attempt:
    """What attacks on a recoding found.

    Attributes
    ----------
    downcoding
        Of the quasi-identifiers.
    sensitive
        Of sensitive columns, by name; empty where nothing was asked of any, because the choice of
        classes then looks at none.
    """

    downcoding: Downcoding
    sensitive: tuple[tuple[str, Sensitive], ...] = ()

    @property
    def gains(self) -> tuple[Gain, ...]:
        """All gains over a guess that goes by the margins or by the class."""
        return (*self.of_quasi_identifiers, *(one.gain for _, one in self.sensitive))

    @property
    def of_quasi_identifiers(self) -> tuple[Gain, ...]:
        """Those of downcoding."""
        return tuple(one for one in self.downcoding.gains if one.prior == MARGINS)

    @property
    def above_noise(self) -> bool:
        """Whether any attack does better than guessing, as far as its interval tells."""
        quasi = any(one.above_noise for one in self.of_quasi_identifiers)
        return quasi or any(one.above_noise for _, one in self.sensitive)

    def to_dict(self) -> dict[str, Any]:
        """Give all figures."""
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
    """Try all attacks on a recoding that has a class.

    `requirements`: of sensitive columns, which the table has alongside. `bolder`: what the same
    search finds without a look at any, which `recoded` was merged from; without it only one attack
    on sensitive values is tried. `k`: the k that is published, where classes were made with a
    larger one.
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
    """Give what a model asks of a column of a group of records; None if it does not judge one."""
    if not isinstance(bound, OnValues) or len(model.columns) != 1:
        return None
    asked = condition(model.columns[0], bound)
    # A replay takes each value of the column for one that counts.
    if isinstance(model, DistinctLDiversity) and _valued(bound).all():
        return replace(asked, distinct=model.l)
    return asked


def distinct_values(column: str, least: int) -> Requirement:
    """Distinct l-diversity of a column without blanks."""
    return Requirement(column, distinct(least), least)


def _valued(bound: OnValues) -> NDArray[np.bool_]:
    """Which values of the column the condition looks at: blanks may be left out."""
    there = np.zeros(len(bound.histogram.domain), dtype=np.bool_)
    there[bound.histogram.codes] = True
    return there


def condition(column: str, bound: OnValues) -> Requirement:
    """Any condition on how often each value of a column is in a class."""
    valued = _valued(bound)

    def accepts(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        groups, codes = np.nonzero(counts * valued)
        starts = np.searchsorted(groups, np.arange(len(counts) + 1)).astype(np.int64)
        return bound.holds(ClassCounts(starts, codes.astype(np.int32), counts[groups, codes]))

    return Requirement(column, accepts)
