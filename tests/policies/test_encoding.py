"""Encoding: look-ups that generalize codes as the hierarchies generalize values."""

from __future__ import annotations

from itertools import pairwise

import definition
import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from lattices import Case, cases

from roadstead.errors import HierarchyError
from roadstead.hierarchies.hierarchy import from_columns
from roadstead.policies.encoding import encode
from roadstead.tables.frequency import FrequencyTable


@unhurried
@given(cases())
def test_two_rows_have_one_label_code_where_they_have_one_label(case: Case) -> None:
    """Looking a code up is generalizing a value."""
    encoding = case.encoding()
    for i, attribute in enumerate(case.attributes):
        for level in range(attribute.height):
            codes = encoding.lookups[i][level][encoding.codes[i]].tolist()
            labels = [definition.label(attribute, level, row[i]) for row in case.rows]
            # As many pairs as codes and as labels: one label a code, one code a label.
            pairs = set(zip(codes, labels, strict=True))
            assert len(pairs) == len(set(codes)) == len(set(labels))


@unhurried
@given(cases())
def test_leaves_are_the_domain_values_under_a_label(case: Case) -> None:
    """Counted over the whole domain of the hierarchy, not over the values that occur."""
    encoding = case.encoding()
    for i, attribute in enumerate(case.attributes):
        for level in range(attribute.height):
            leaves = encoding.leaves[i][level][encoding.codes[i]].tolist()
            assert leaves == [definition.covered(case, i, level, row[i]) for row in case.rows]


@unhurried
@given(cases())
def test_label_codes_have_no_gaps_and_nest(case: Case) -> None:
    """Labels that do not occur get no code, and the last level has one."""
    encoding = case.encoding()
    for lookups, labels in zip(encoding.lookups, encoding.labels, strict=True):
        for lookup, number in zip(lookups, labels, strict=True):
            assert sorted(set(lookup.tolist())) == list(range(number))
        assert labels[-1] == 1
        for finer, coarser in pairwise(lookups):
            pairs = set(zip(finer.tolist(), coarser.tolist(), strict=True))
            assert len(pairs) == len(set(finer.tolist()))


@unhurried
@given(cases())
def test_the_shape_of_the_arrays_is_what_kernels_were_compiled_for(case: Case) -> None:
    """One type each, contiguous, so that nothing is compiled twice."""
    encoding = case.encoding()
    assert encoding.attributes == tuple(attribute.name for attribute in case.attributes)
    assert encoding.heights == tuple(attribute.height for attribute in case.attributes)
    assert encoding.records == case.records
    assert encoding.codes.shape == (len(case.attributes), len(case.rows))
    assert encoding.codes.dtype == np.uint32
    assert encoding.codes.flags.c_contiguous
    assert encoding.counts.dtype == np.int64
    for lookup in (array for arrays in encoding.lookups for array in arrays):
        assert lookup.dtype == np.uint32
        assert lookup.flags.c_contiguous
    assert all(a.dtype == np.int64 for arrays in encoding.leaves for a in arrays)


def table(*values: str) -> FrequencyTable:
    """Each value once."""
    codes = (np.arange(len(values), dtype=np.int32),)
    return FrequencyTable(("x",), (values,), codes, np.ones(len(values), dtype=np.int64))


HIERARCHY = from_columns(
    "x", [("a", "b", "c"), ("g", "g", "h"), ("*", "*", "*")], origin="x_hierarchy.csv"
)


def test_a_missing_value_becomes_one_more_value_of_the_domain() -> None:
    """It is covered although the hierarchy has no row for it."""
    encoding = encode(table("", "a"), [HIERARCHY])
    assert encoding.hierarchies[0].domain_size == 4
    assert [leaves.tolist() for leaves in encoding.leaves[0]] == [[1, 1], [1, 2], [4, 4]]
    assert encoding.labels == ((2, 2, 1),)


def test_a_value_that_the_hierarchy_does_not_cover_is_named() -> None:
    """With the attribute and the file it is missing from."""
    with pytest.raises(HierarchyError, match=r"x_hierarchy\.csv: value 'd' of 'x' is not in"):
        encode(table("a", "d"), [HIERARCHY])
