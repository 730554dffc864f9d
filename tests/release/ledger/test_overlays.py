"""Comparison of releases, against counting everything by hand."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from typing import TypeAlias

from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from monthly_extracts import (
    K,
    Record,
    classes_by_hand,
    labels_of,
    policy_of,
    released_by_hand,
    table_of,
)

from roadstead.release.ledger.differences import (
    difference_of,
    sets_of_values,
    values_of_newcomers,
)
from roadstead.release.ledger.joint import joint_sizes

RECORDS = st.lists(
    st.tuples(st.sampled_from("AB"), st.sampled_from(("11", "12", "21")), st.sampled_from("xyz")),
    min_size=2,
    max_size=30,
)
LEVELS = st.tuples(st.integers(0, 1), st.integers(0, 2))
MASKED, REST = ("*", "*"), ("",)
EVERYTHING = (1, 2)


def by_class(rows: list[Record]) -> dict[tuple[str, ...], Counter[str]]:
    """Group released rows by their labels."""
    found: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for ward, code, diagnosis in rows:
        found[ward, code][diagnosis] += 1
    return found


Shown: TypeAlias = dict[tuple[str, ...], Counter[str]]
Levels: TypeAlias = tuple[int, int]


def comparable(one: Shown, two: Shown) -> list[Shown]:
    """Merge what only one shows with the masked records: classes that both then have."""
    ends = [{own for own in shown if own != MASKED or len(shown) == 1} for shown in (one, two)]
    common, found = ends[0] & ends[1], []
    for shown in (one, two):
        merged: Shown = defaultdict(Counter)
        for labels, own in shown.items():
            merged[labels if labels in common else REST] += own
        found.append(merged)
    return found


@examples(60)
@given(RECORDS, RECORDS, st.randoms(use_true_random=False), LEVELS)
def test_who_came_and_went_is_counted_as_by_hand(
    before: list[Record], new: list[Record], chance: random.Random, levels: Levels
) -> None:
    """In each class that both show, and never more than really came or went."""
    stay = [one for one in before if chance.random() < 0.8] or before
    after = stay + new
    released = [released_by_hand(own, *levels) for own in (before, after)]
    own = [classes_by_hand(rows, *levels) for rows in (before, after)]
    found = difference_of(*own, kept=(True, True))
    shown = comparable(*(by_class(rows) for rows in released))
    assert set(found.common) == {*shown[0], *shown[1]}
    common = {*found.common}
    came = [labels_of(one, *levels) for one in new]
    others = MASKED if MASKED in common else REST  # where both releases mask everybody
    truly: Counter[tuple[str, ...]] = Counter(own if own in common else others for own in came)
    for labels, added, removed in zip(found.common, found.added, found.removed, strict=True):
        assert added == (shown[1][labels] - shown[0][labels]).total()
        assert removed == (shown[0][labels] - shown[1][labels]).total()
        assert added <= truly[labels]


@examples(60)
@given(RECORDS, RECORDS, LEVELS)
def test_values_of_classes_and_newcomers_are_those_counted_by_hand(
    before: list[Record], new: list[Record], levels: Levels
) -> None:
    """Sets of values that changed, and values of those who came."""
    released = [released_by_hand(own, *levels) for own in (before, before + new)]
    own = [classes_by_hand(rows, *levels) for rows in (before, before + new)]
    shown = comparable(*(by_class(rows) for rows in released))
    common = {*shown[0], *shown[1]}
    sets = [{c: set(one[c]) for c in common} for one in shown]
    kept = (True, True)
    ((column, changed, found),) = sets_of_values(
        own[0], own[1], ["diagnosis"], promised={}, name="e", kept=kept
    )
    assert column == "diagnosis"
    assert changed == sum(sets[0][c] != sets[1][c] for c in common)
    few = [
        c
        for c in common
        if len(sets[0][c] & sets[1][c]) < 2 <= min(len(sets[0][c]), len(sets[1][c]))
    ]
    assert (0 if found is None else found.classes) == len(few)
    came = [len(shown[1][c] - shown[0][c]) for c in common]
    promised = list(values_of_newcomers(*own, promised={"diagnosis": 2}, name="e", kept=kept))
    assert sum(one.classes for one in promised) == sum(n == 1 for n in came)


@examples(60)
@given(RECORDS, LEVELS, LEVELS)
def test_records_alike_in_two_policies_are_counted_as_by_hand(
    records: list[Record], one: Levels, other: Levels
) -> None:
    """A record that one policy masks matches all records that this policy masks."""
    released = [released_by_hand(records, *levels) for levels in (one, other)]
    classes = [classes_by_hand(records, *levels) for levels in (one, other)]
    table = table_of(records).project(("ward", "code"))
    sizes = joint_sizes(table, [(policy_of(*one), classes[0]), (policy_of(*other), classes[1])])
    pairs = Counter((a[:2], b[:2]) for a, b in zip(*released, strict=True))
    if EVERYTHING not in (one, other):  # else that class is everybody, and is shown
        hidden = pairs.pop((MASKED, MASKED), 0)
        masked = [sum(row[:2] == MASKED for row in rows) for rows in released]
        if 0 < hidden < min(masked):  # fewer than each release masks by itself
            pairs[MASKED, MASKED] = hidden
    assert Counter(sizes.tolist()) == Counter(pairs.values())


def test_a_nested_policy_that_shows_a_small_class_by_difference_is_found() -> None:
    """The coarse class of 6 less the fine class of 4 are 2, whom the fine policy masks."""
    records = [("A", "11", "x")] * 4 + [("A", "12", "x")] * 2 + [("B", "21", "y")] * 5
    fine, coarse = (0, 0), (0, 1)
    classes = [classes_by_hand(records, *own) for own in (fine, coarse)]
    table = table_of(records).project(("ward", "code"))
    sizes = joint_sizes(table, [(policy_of(*fine), classes[0]), (policy_of(*coarse), classes[1])])
    assert sorted(sizes.tolist()) == [2, 4, 5]
    assert min(sizes) < K
