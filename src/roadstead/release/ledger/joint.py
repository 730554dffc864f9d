"""Two or more policies on the same people: how many are alike in all of them.

A person is in a class of the one release and in a class of the other. Whoever knows both policies
knows both classes, and whoever can match records, by cells that both release as they are or by
counts that fit in one way alone, is left with those in both. The custodian has the records of this
extract, so these are counted exactly: the earlier policy is applied to them. Records that one of
the two does not show are alike in that one; what the other shows of them is then a difference of
counts.

Why the groups alike in all releases are enough: whatever sum and difference of class counts is the
number of people of some kind, people who are alike in all releases are of that kind together, or
none of them is. So each such number is of whole groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import Policy
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.release.generalized import generalize
from roadstead.release.ledger.classes import ReleasedClasses, masked_class
from roadstead.tables.frequency import FrequencyTable, canonical

Integers = NDArray[np.int64]
OUT = -1
"""In no class that is shown."""
_ANY = KAnonymity(2)
"""Decides what is left out, which is not asked here."""


def joint_sizes(
    table: FrequencyTable, releases: Sequence[tuple[Policy, ReleasedClasses]]
) -> Integers:
    """Count the records of a table that are in the same class of all releases.

    Those that none shows are left out. Of a table of persons, the persons with such a record.
    """
    places = np.stack([placed(table, *release) for release in releases], axis=1)
    shown = (places != OUT).any(axis=1)
    if not shown.any():
        return np.zeros(0, dtype=np.int64)
    _, place = np.unique(places[shown], axis=0, return_inverse=True)
    place = place.reshape(-1)
    sizes = np.zeros(int(place.max()) + 1, dtype=np.int64)
    if table.persons is None:
        np.add.at(sizes, place, table.counts[shown])
        return sizes
    owners = table.persons.owners[shown].astype(np.int64)
    width = table.persons.people.size
    key = np.unique(place * width + owners)
    np.add.at(sizes, key // width, table.persons.people[key % width])
    return sizes


def placed(table: FrequencyTable, policy: Policy, classes: ReleasedClasses) -> Integers:
    """Give the class of a release that each row of a table is in; `OUT` of those it has not."""
    quasi = policy.quasi
    at = [table.attributes.index(name) for name in quasi]
    domains, codes = tuple(table.domains[x] for x in at), [table.codes[x] for x in at]
    # Of records alone, and whatever the promise was: what was left out is in no class released.
    own, of_row = canonical(quasi, domains, codes, table.counts)
    own = replace(own, persons=None)
    found = generalize(own, policy, (_ANY,), suppress_unseen=True)
    texts = classes.texts
    masked = masked_class(texts)
    number = {labels: where for where, labels in enumerate(texts) if where != masked}
    if found.row_of is not None:
        merged = found.merged
        columns = [
            [domain[code] for code in column.tolist()]
            for domain, column in zip(merged.domains, merged.codes, strict=True)
        ]
        of_class = [number.get(labels, OUT) for labels in zip(*columns, strict=True)]
        return np.array(of_class, dtype=np.int64)[found.row_of][of_row]
    columns = [
        [labels[code] for code in column.tolist()]
        for labels, column in zip(found.labels, own.codes, strict=True)
    ]
    rows = [number.get(labels, OUT) for labels in zip(*columns, strict=True)]
    return np.array(rows, dtype=np.int64)[of_row]
