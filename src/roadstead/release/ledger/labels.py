"""Find a column whose cells are written differently than in an earlier release.

Suppose that one release has ``F`` and the other release has ``female``. Then no group has the same
cells in both releases, and a comparison does not find anything, although the people are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.release.ledger.classes import ReleasedClasses
from roadstead.tables.frequency import FrequencyTable

_TIME = re.compile(r"[<>]?=?(19|20)[0-9]{2}([^0-9].*)?")
"""A year or a date. Releases of two periods have different dates, although they are comparable."""


def column_without_common_labels(
    earlier: ReleasedClasses, labels: Mapping[str, Iterable[str | None]]
) -> str | None:
    """Return the first quasi-identifier without any label of an earlier release, or None.

    `labels` contains the labels of each quasi-identifier in the new table.
    """
    for name, own in zip(earlier.attributes, earlier.labels, strict=True):
        before = {label for label in own if label not in ("", SUPPRESSED)}
        now = {label for label in labels.get(name, ()) if label not in (None, "", SUPPRESSED)}
        if not before or not now or before & now:
            continue
        if not all(_TIME.fullmatch(label or "") for label in before | now):
            return name
    return None


def labels_of(classes: ReleasedClasses) -> dict[str, tuple[str, ...]]:
    """Return the labels of each quasi-identifier of a release."""
    return dict(zip(classes.attributes, classes.labels, strict=True))


def labels_under(policy: Policy, table: FrequencyTable) -> dict[str, set[str | None]]:
    """Return the labels that a policy gives to the values of a table."""
    if policy.recoding is not None:
        return {}  # the labels of a value depend on its class
    return {
        one.name: {one.label(value) for value in table.domains[table.attributes.index(one.name)]}
        for one in policy.attributes
    }
