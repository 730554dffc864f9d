"""Count the people who are indistinguishable in all releases under several policies.

A person belongs to one class in each release. An attacker who can match the records of both
releases finds the person in the intersection of the two classes. Roadstead applies the earlier
policy to the records of the current extract, and counts the people in each intersection exactly. If
a release does not show a group of records, these records count as indistinguishable in this
release. The reason is that differences between counts in the other release may reveal facts about
the records.

Roadstead needs to examine only these groups. The reason is that an attacker can only add and
subtract the counts of classes. Every resulting number includes either all people in a group or none
of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import Policy
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.release.generalization import generalize
from roadstead.release.ledger.classes import ReleasedClasses, masked_class, masked_under
from roadstead.release.ledger.differences import REST, Kept, Shared
from roadstead.tables.frequency import FrequencyTable, canonical

Integers = NDArray[np.int64]
OUT = -1
"""The number for records that are not in any released class."""
_ANY = KAnonymity(2)
"""A privacy model, which is required but does not have any effect here."""


def joint_sizes(
    table: FrequencyTable, releases: Sequence[tuple[Policy, ReleasedClasses]]
) -> Integers:
    """Count the records in a table that are in the same classes in all releases.

    Records that no release shows form an additional group. The condition is that each release that
    masks records has more masked records than this group. For a table of people, the function
    counts people.
    """
    places = np.stack([placed(table, *release) for release in releases], axis=1)
    shown = np.asarray((places != OUT).any(axis=1), dtype=np.bool_)
    groups = np.full(shown.size, OUT, dtype=np.int64)
    if shown.any():
        groups[shown] = np.unique(places[shown], axis=0, return_inverse=True)[1].reshape(-1)
    sizes = table.units_in(groups, int(groups.max(initial=OUT)) + 1)
    masked = [
        _all_of(table, places[:, at] == OUT)
        for at, (policy, classes) in enumerate(releases)
        if masked_under(policy, classes) is not None
    ]
    hidden = _all_of(table, ~shown)
    return np.append(sizes, hidden) if masked and 0 < hidden < min(masked) else sizes


def shared_unions(
    table: FrequencyTable,
    earlier: tuple[Policy, ReleasedClasses],
    later: tuple[Policy, ReleasedClasses],
    kept: Kept,
) -> Shared:
    """Find the smallest sets of records that are unions of whole classes in both releases.

    The table of the later release shows which classes share people. If a release keeps masked
    records, these form a class. Unions that contain dropped records are omitted.
    """
    releases, rows = (earlier, later), table.counts > 0
    nodes, width = [], [len(one.texts) + 1 for _, one in releases]
    for (policy, classes), own in zip(releases, width, strict=True):
        masked = masked_under(policy, classes)
        place = placed(table, policy, classes)[rows]
        # If records are not masked, the records outside all classes form an additional class.
        nodes.append(np.where(place == OUT, own - 1 if masked is None else masked, place))
    dropped = [
        own - 1 if masked_under(policy, one) is None else OUT
        for own, (policy, one) in zip(width, releases, strict=True)
    ]
    pairs = np.unique(np.stack(nodes, axis=1), axis=0)
    leader = list(range(sum(width)))

    def find(node: int) -> int:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for first, second in pairs.tolist():
        leader[find(first)] = find(width[0] + second)
    hidden = {
        find(start + node)
        for start, node, keeps in zip((0, width[0]), dropped, kept, strict=True)
        if not keeps and node != OUT
    }
    hit = {find(first) for first in pairs[:, 0].tolist()} - hidden
    number = {root: at for at, root in enumerate(sorted(hit))}
    places = [
        np.array([number.get(find(start + at), OUT) for at in range(own - 1)], dtype=np.int64)
        for start, own in zip((0, width[0]), width, strict=True)
    ]
    return (REST,) * len(number), (places[0], places[1])


def _all_of(table: FrequencyTable, rows: NDArray[np.bool_]) -> int:
    """Count the records, or the people, in some rows."""
    return int(table.units_in(np.where(rows, 0, OUT), 1)[0])


def placed(table: FrequencyTable, policy: Policy, classes: ReleasedClasses) -> Integers:
    """Return the released class of each row in a table, or `OUT` for rows without a class."""
    quasi = policy.quasi
    at = [table.attributes.index(name) for name in quasi]
    domains, codes = tuple(table.domains[x] for x in at), [table.codes[x] for x in at]
    # The privacy requirements do not have any effect here. Suppressed records are not in a released
    # class.
    own, of_row = canonical(quasi, domains, codes, table.counts)
    found = generalize(own, policy, (_ANY,), suppress_unseen=True)
    texts = classes.texts
    masked = masked_class(texts)
    number = {labels: where for where, labels in enumerate(texts) if where != masked}
    if found.row_of is not None:
        of_class = [number.get(labels, OUT) for labels in found.merged.texts()]
        return np.array(of_class, dtype=np.int64)[found.row_of][of_row]
    columns = [
        [labels[code] for code in column.tolist()]
        for labels, column in zip(found.labels, own.codes, strict=True)
    ]
    rows = [number.get(labels, OUT) for labels in zip(*columns, strict=True)]
    return np.array(rows, dtype=np.int64)[of_row]
