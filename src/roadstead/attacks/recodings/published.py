"""Reconstruct what an attacker sees of a recoding in a release folder.

The policy defines the classes and their order. The released table shows which classes contain
records. If all records have the same levels, each combination of labels is a class, and no two
classes overlap. The policy shows only levels that a class uses. The children of a node are the
nodes at the next lower of these levels. The judge assigns the original records to classes in the
same way as the policy does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.recodings.view import PublishedView, Truth
from roadstead.attacks.target import Target
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy
from roadstead.policies.recodings.document import IntervalParts, NodeParts, Recoding
from roadstead.search.recoding.protocol import OUT
from roadstead.tables.frequency import FrequencyTable, canonical
from roadstead.tables.histograms import histogram

Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Published:
    """The attacker's view of a release, the original table, and the labels of each class.

    The table contains the quasi-identifiers and the sensitive columns.
    """

    view: PublishedView
    truth: Truth = field(repr=False)
    table: FrequencyTable = field(repr=False)  # the original values of the quasi-identifiers
    labels: tuple[tuple[str, ...], ...] = field(repr=False)


def published(target: Target, sensitive: tuple[str, ...] = ()) -> Published | None:
    """Return the attacker's view of a release, or None if no class contains an original record."""
    release = target.release
    assert release.policy is not None  # noqa: S101 - a private release has no classes
    table = _with_sensitive(target.people, release.policy.quasi, sensitive)
    return published_of(release, release.policy, table)


def published_of(
    release: AttackedRelease, policy: Policy, table: FrequencyTable
) -> Published | None:
    """Return the attacker's view of a release. `table` contains the quasi-identifiers."""
    if policy.recoding is None:
        shows, children, numbers, rows, labels = _of_levels(policy.attributes, table)
    else:
        shows, children, numbers, rows, labels = _of_classes(policy.recoding, table)
    kept = _released(release, policy, labels)
    rows[(rows != OUT) & ~kept[rows]] = OUT
    used, place = np.unique(rows[rows != OUT], return_inverse=True)
    if not used.size:
        return None
    new = np.full(rows.size, OUT, dtype=np.int32)
    new[rows != OUT] = place
    view = PublishedView(
        table.attributes,
        policy.recoding is not None and policy.recoding.kind == "intervals",
        k_of(release),
        tuple(shows),
        tuple(children),
        np.ascontiguousarray(numbers[used]),
        np.bincount(place, table.counts[rows != OUT]).astype(np.int64),
        tuple(
            np.bincount(codes, table.counts, minlength=len(domain)).astype(np.float64)
            for codes, domain in zip(table.codes, table.domains, strict=True)
        ),
    )
    codes = np.ascontiguousarray(np.stack(table.codes).astype(np.uint32))
    shown = tuple(labels[number] for number in used.tolist())
    return Published(view, Truth(codes, table.counts, new), table, shown)


def classes_of(
    release: AttackedRelease, policy: Policy, people: FrequencyTable
) -> tuple[NDArray[np.int32], tuple[tuple[str, ...], ...]] | None:
    """Assign people to classes, like an attacker who has the policy.

    Return the class of each row of people (or `OUT`), and the labels of the classes. Return None if
    no class contains anyone.
    """
    table = people.project(policy.quasi)
    seen = published_of(release, policy, table)
    if seen is None:
        return None
    codes = [people.codes[people.attributes.index(name)] for name in policy.quasi]
    _, row = canonical(policy.quasi, table.domains, codes, people.counts)
    return seen.truth.rows[row], seen.labels


def k_of(release: AttackedRelease) -> int:
    """Return the smallest number of records per class that the release guarantees."""
    return round(1.0 / (release.promised or 1.0))


def _with_sensitive(
    people: FrequencyTable, quasi: tuple[str, ...], sensitive: tuple[str, ...]
) -> FrequencyTable:
    """Count the records by quasi-identifiers and sensitive columns together."""
    found = people.project(quasi)
    own = []
    for column in sensitive:
        both = people.project((*quasi, column))
        _, row = canonical(quasi, both.domains[:-1], both.codes[:-1], both.counts)
        entries = row, both.codes[-1], both.counts
        own.append(histogram(column, both.domains[-1], entries, found.distinct))
    return replace(found, alongside=tuple(own))


_Made = tuple[
    list[Flags], list[Places], NDArray[np.int32], NDArray[np.int32], list[tuple[str, ...]]
]
"""The values and children of each part, the parts of each class, each row's class, and labels."""


def _of_levels(attributes: tuple[AttributePolicy, ...], table: FrequencyTable) -> _Made:
    shows, children, parts, names = [], [], [], []
    covered = np.ones(table.distinct, dtype=np.bool_)
    for attribute, domain, codes in zip(attributes, table.domains, table.codes, strict=True):
        own = [attribute.label(value) for value in domain]
        labels = sorted({label for label in own if label is not None})
        place = {label: at for at, label in enumerate(labels)}
        of_value = np.array([-1 if x is None else place[x] for x in own], dtype=np.int32)
        shows.append(of_value[:, None] == np.arange(len(labels)))
        # If all records have the same level, the policy does not show the level below.
        children.append(np.zeros((len(labels), len(domain)), dtype=np.int64))
        parts.append(of_value[codes])
        names.append(labels)
        covered &= parts[-1] >= 0
    together = np.stack(parts, axis=1)
    numbers, classes = np.unique(together[covered], axis=0, return_inverse=True)
    rows = np.full(table.distinct, OUT, dtype=np.int32)
    rows[covered] = classes.reshape(-1)
    shown = [tuple(own[at] for own, at in zip(names, one, strict=True)) for one in numbers.tolist()]
    return shows, children, numbers.astype(np.int32), rows, shown


def _of_classes(recoding: Recoding, table: FrequencyTable) -> _Made:
    shows, children = [], []
    for own, domain in zip(recoding.attributes, table.domains, strict=True):
        shows.append(own.shows(domain))
        if isinstance(own, IntervalParts):
            children.append(np.tile(own.ranks(domain), (len(own.parts), 1)))
        else:
            children.append(_one_below(own, domain))
    labels = [own.labels for own in recoding.attributes]
    shown = [
        tuple(own[part] for own, part in zip(labels, parts, strict=True))
        for parts in recoding.classes
    ]
    return shows, children, recoding.array, recoding.place(table), shown


def _one_below(own: NodeParts, domain: tuple[str, ...]) -> Places:
    """For each part and value, find the node with the value at the next lower used level."""
    by_level = []
    for rule in own.rules:
        labels = [own.label(rule, value) for value in domain]
        known = {label: at for at, label in enumerate(dict.fromkeys(labels))}
        by_level.append(np.array([known[label] for label in labels], dtype=np.int64))
    # Nothing is known below the lowest used level, so all values belong to one node.
    lowest = np.zeros(len(domain), dtype=np.int64)
    return np.array([by_level[level - 1] if level else lowest for level, _ in own.parts])


def _released(release: AttackedRelease, policy: Policy, labels: list[tuple[str, ...]]) -> Flags:
    there = set(release.rows.project(policy.quasi).texts())
    return np.array([one in there for one in labels], dtype=np.bool_)
