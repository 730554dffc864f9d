"""Find the quasi-identifiers whose released labels show a direct identifier, such as a name.

A class of k records does not hide a direct identifier. For example, if the k records belong to one
person, the name of the person may be released unchanged. A label shows the identifier in three
cases: if it equals or contains an original value, if only one value has the label, or if the label
itself looks like the identifier or contains it. In a column of categories, one label with a name
is enough. A coarser label, such as the domain of email addresses, does not show the identifier.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from roadstead.number_ranges import parse_range
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.release.generalized import Generalized
from roadstead.tables.identifiers.findings import ANY_OTHER, REMOVE, IdentifierFinding, find
from roadstead.tables.identifiers.judgment import Examined
from roadstead.tables.identifiers.net import numbers_held
from roadstead.tables.identifiers.releasable import removed_identifier
from roadstead.tables.profile import MARKERS
from roadstead.tables.text import MISSING

_MOSTLY: Final = 0.3
"""From this share of values that look like an identifier, every value counts as one."""


def identifiers_shown(
    policy: Policy, generalized: Generalized, examined: Examined
) -> tuple[IdentifierFinding, ...]:
    """Return a finding for each quasi-identifier whose released labels show an identifier."""
    made = () if policy.persons is None else {rule.column for rule in policy.persons.dates}
    found = []
    for at, attribute in enumerate(policy.attributes):
        judgment = examined.judgments.get(attribute.name)
        if judgment is None or attribute.name in made:
            continue
        removed = [one for one in judgment.findings if one.remedy == REMOVE]
        if not removed:
            continue
        finding = removed_identifier(removed)
        groups = _released(generalized, at)
        kept = {SUPPRESSED, MISSING, *attribute.missing_codes}
        groups = {
            label: values
            for label, values in groups.items()
            if label not in kept and label.casefold() not in MARKERS
        }
        everybody = len(generalized.table.domains[at])
        if (
            finding is not None
            and _is_certain(finding)
            and any(
                _names_one(label, values) or (len(values) == 1 < everybody)
                for label, values in groups.items()
            )
        ):
            found.append(finding)
        elif (own := _looking_alike(removed, groups, examined)) is not None:
            found.append(own)
    return tuple(found)


def _is_certain(finding: IdentifierFinding) -> bool:
    """Return whether all values of a column are identifiers."""
    few = finding.share is not None and finding.share < _MOSTLY
    return finding.called or finding.number == ANY_OTHER or not few


def _names_one(label: str, values: set[str]) -> bool:
    """Return whether a label is or contains a value, as ``James Smith .. Karen Lee`` does."""
    if label in values:
        return True
    if parse_range(label) is not None:  # its ends may be values by chance
        return False
    return any(
        value in label and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", label)
        for value in values - {MISSING}
    )


def _released(generalized: Generalized, at: int) -> dict[str, set[str]]:
    """Return the original values of each released label of a quasi-identifier."""
    merged, table = generalized.merged, generalized.table
    labels, values = merged.domains[at], table.domains[at]
    groups: dict[str, set[str]] = defaultdict(set)
    for value, label in _pairs(generalized, at):
        groups[label].add(value)
    shown = {labels[code] for code in np.unique(merged.codes[at][generalized.kept]).tolist()}
    return {label: groups.get(label, {*values}) for label in shown}


def _pairs(generalized: Generalized, at: int) -> Iterator[tuple[str, str]]:
    table, merged = generalized.table, generalized.merged
    if generalized.row_of is None:
        yield from zip(table.domains[at], generalized.labels[at], strict=True)
        return
    own = np.stack((table.codes[at], merged.codes[at][generalized.row_of]))
    for value, label in np.unique(own, axis=1).T.tolist():
        yield table.domains[at][value], merged.domains[at][label]


def _looking_alike(
    removed: Sequence[IdentifierFinding], groups: dict[str, set[str]], examined: Examined
) -> IdentifierFinding | None:
    """Return a finding if labels look like an identifier or contain it, as a name in a remark.

    `removed` contains the findings about the column. The column's name does not matter.
    """
    name = removed[0].column
    (column,) = (one for one in examined.profiles if one.name == name)
    known = {one.number: one for one in removed}
    alike = find([replace(column, name="")], {"": tuple(sorted(groups))}, {})
    for one in alike:
        if one.number in known and one.number != ANY_OTHER and one.remedy == REMOVE:
            return replace(one, column=name)
    held = frozenset().union(*map(numbers_held, groups))
    return next((one for number, one in known.items() if number in held), None)
