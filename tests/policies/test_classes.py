"""Equivalence classes by refinement, against classes found from the labels themselves."""

from __future__ import annotations

import definition
import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import Case, cases, chains, crowded

from roadstead.policies import classes as module
from roadstead.policies.classes import (
    Classes,
    classes_at,
    keep,
    make_contiguous,
    one_class,
    pack,
    part,
    refine,
    unpack,
)


def partition(classes: Classes) -> dict[frozenset[int], int]:
    """Rows that are together, with the size of their class."""
    together: dict[int, set[int]] = {}
    for row, number in zip(classes.rows.tolist(), classes.ids.tolist(), strict=True):
        together.setdefault(number, set()).add(row)
    assert sorted(together) == list(range(classes.sizes.size))  # numbered without gaps
    return {frozenset(rows): int(classes.sizes[number]) for number, rows in together.items()}


def expected(case: Case, levels: tuple[int, ...]) -> dict[frozenset[int], int]:
    """Find the same by the definition, with nothing suppressed."""
    classes = definition.judge(case, levels, admits=lambda _: True).classes
    return {frozenset(rows): sum(case.counts[row] for row in rows) for rows in classes}


@unhurried
@given(cases(), st.data())
def test_classes_of_a_policy_are_the_rows_with_equal_labels(
    case: Case, data: st.DataObject
) -> None:
    """Every row is in one class, and a class counts its records."""
    levels, _, _ = data.draw(chains(case))
    classes = classes_at(case.encoding(), levels)
    assert partition(classes) == expected(case, levels)
    assert classes.records == case.records


@unhurried
@given(cases(), st.data())
def test_refining_a_more_general_policy_gives_the_same_as_starting_afresh(
    case: Case, data: st.DataObject
) -> None:
    """In one step or in two, where the classes between are renumbered."""
    encoding = case.encoding()
    specific, between, general = data.draw(chains(case))
    start = classes_at(encoding, general)
    everything, nothing = keep(start, np.ones(start.sizes.size, dtype=np.bool_))
    assert not nothing.size
    assert partition(everything) == expected(case, general)
    halfway = refine(encoding, everything, general, between)
    assert partition(halfway) == expected(case, between)
    halfway, _ = keep(halfway, np.ones(halfway.sizes.size, dtype=np.bool_))
    assert partition(refine(encoding, halfway, between, specific)) == expected(case, specific)


@unhurried
@given(cases(), st.data())
def test_classes_not_kept_are_left_out_of_every_refinement(case: Case, data: st.DataObject) -> None:
    """Their rows are handed over, and the others are split as if these had never been."""
    encoding = case.encoding()
    specific, _, general = data.draw(chains(case))
    classes = classes_at(encoding, general)
    number = classes.sizes.size
    chosen = data.draw(st.lists(st.booleans(), min_size=number, max_size=number), label="kept")
    kept, dropped = keep(classes, np.array(chosen, dtype=np.bool_))
    gone = set(dropped.tolist())
    before = partition(classes)
    assert partition(kept) == {rows: size for rows, size in before.items() if not rows & gone}
    assert sorted([*kept.rows.tolist(), *gone]) == list(range(len(case.rows)))
    assert kept.records == case.records - sum(case.counts[row] for row in gone)
    after = {rows: n for rows, n in expected(case, specific).items() if not rows & gone}
    assert partition(refine(encoding, kept, general, specific)) == after


@unhurried
@given(cases())
def test_everything_generalized_is_one_class(case: Case) -> None:
    """All records are in it, and its memory is known."""
    classes = one_class(case.encoding())
    assert partition(classes) == {frozenset(range(len(case.rows))): case.records}
    assert classes.nbytes >= 8 * len(case.rows)


@unhurried
@given(cases(), st.data())
def test_packed_classes_are_given_again(case: Case, data: st.DataObject) -> None:
    """With the same rows in the same classes, those that were dropped left out."""
    encoding = case.encoding()
    levels, _, _ = data.draw(chains(case))
    classes = classes_at(encoding, levels)
    kept, _ = keep(classes, classes.sizes >= case.k)
    for whole in (classes, kept):
        packed = pack(whole, encoding.counts.size)
        assert packed is not None
        again = unpack(packed)
        assert again.rows.tolist() == whole.rows.tolist()
        assert again.ids.tolist() == whole.ids.tolist()
        assert again.sizes.tolist() == whole.sizes.tolist()
        assert packed.nbytes == 2 * encoding.counts.size + whole.sizes.nbytes


@unhurried
@given(cases(), st.data())
def test_classes_that_lie_together_are_parted_and_small_ones_dropped_at_once(
    case: Case, data: st.DataObject
) -> None:
    """As by refining and then keeping; too many records dropped, or too many labels, are said."""
    encoding = case.encoding()
    specific, _, general = data.draw(chains(case))
    start = classes_at(encoding, general)
    whole = make_contiguous(start)
    assert partition(whole) == partition(start)
    most, labels = data.draw(st.integers(0, case.records)), data.draw(st.sampled_from([1, 4, 4096]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_LABELS", labels)
        found = part(encoding, whole, (general, specific), case.k, most)
    refined = refine(encoding, start, general, specific)
    kept, dropped = keep(refined, refined.sizes >= case.k)
    lost = case.records - kept.records
    if found is None:
        assert refined is start or labels < 4096
    elif isinstance(found, int):
        assert most < found <= lost
    else:
        assert partition(found[0]) == partition(kept)
        assert sorted(found[1].tolist()) == sorted(dropped.tolist())
        packed = pack(found[0], encoding.counts.size)
        assert packed is not None
        again = unpack(packed)
        assert again.together is not None
        assert partition(again) == partition(found[0])


def test_more_classes_than_two_bytes_can_number_are_not_packed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One number is for rows that are in none."""
    encoding = crowded(3).encoding()
    classes = classes_at(encoding, (0, 0, 0, 0))
    monkeypatch.setattr(module, "_MOST_PACKED", classes.sizes.size)
    assert pack(classes, encoding.counts.size) is not None
    monkeypatch.setattr(module, "_MOST_PACKED", classes.sizes.size - 1)
    assert pack(classes, encoding.counts.size) is None
