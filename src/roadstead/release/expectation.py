"""Count the released records that match fewer than k people, if the policy requires k-map.

The estimate is based on the sizes of all classes under the policy, including suppressed classes.
Records that are kept with ``*`` do not count, because their class contains all people outside the
other classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.privacy.models.k_map import KMap
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalized import Generalized
from roadstead.risk.below_k import BelowK, counted_below_k, estimated_below_k, least_size_within

_SLACK = 1e-9
_KEYS = frozenset(BelowK.__dataclass_fields__)


def k_of_people(models: Sequence[PrivacyModel]) -> int | None:
    """Return the number of people that k-map or estimated k-map requires, or None."""
    return max((m.k for m in models if isinstance(m, (KMap, EstimatedKMap))), default=None)


def rule_of(models: Sequence[PrivacyModel]) -> EstimatedKMap | None:
    """Return the estimated k-map that requires the most people, or None."""
    rules = [model for model in models if isinstance(model, EstimatedKMap)]
    return max(rules, key=lambda rule: rule.k, default=None)


def expected_below_k(generalized: Generalized, models: Sequence[PrivacyModel]) -> BelowK | None:
    """Count or estimate the released records in classes of fewer than k people.

    The function returns None if no model sets k.
    """
    k, rule = k_of_people(models), rule_of(models)
    if k is None:
        return None
    merged, kept = generalized.merged, generalized.kept
    if merged.population is not None:
        return counted_below_k(merged.counts[kept], merged.population[kept], k)
    if rule is None:
        return None
    looked_at = generalized.covered & (merged.counts > 0)
    return estimated_below_k(merged.counts[looked_at], kept[looked_at], rule.fraction, rule.k)


def least_size_that_keeps(generalized: Generalized, rule: EstimatedKMap) -> int:
    """Return the smallest class size for which the share of records below k is small enough."""
    looked_at = generalized.covered & (generalized.merged.counts > 0)
    sizes, kept = generalized.merged.counts[looked_at], generalized.kept[looked_at]
    return least_size_within(sizes, kept, rule.fraction, rule.k, rule.significance)


def contradiction(
    expected: dict[str, Any],
    released: int,
    sizes: NDArray[np.int64],
    models: Sequence[PrivacyModel],
) -> str | None:
    """Describe how a certified figure contradicts the released classes, or return None."""
    numbers = [expected.get(key) for key in ("low", "records", "high", "released", "k")]
    known = [number for number in numbers if type(number) is int]
    share = expected.get("share")
    if set(expected) != _KEYS or len(known) < len(numbers) or not isinstance(share, (int, float)):
        return "the certificate does not contain a valid expectation"
    low, records, high, of, k = known
    below = int(sizes[sizes < k].sum())
    if k != k_of_people(models):
        return f"the expectation is for {k:,} people, but the policy has a different k"
    if of != released:
        return f"the expectation is for {of:,} records, but {released:,} are released"
    if not 0 <= low <= records <= high <= below:
        return f"the numbers are not in order, or exceed the {below:,} records of small groups"
    if abs(share - records / max(released, 1)) > _SLACK:
        return "the share does not match the number of records"
    return None
