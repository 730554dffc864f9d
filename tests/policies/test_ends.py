"""Intervals as two columns: the ends are those that the text of the same interval says."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from interval_text import ends_of_text

from roadstead.hierarchies.defaults import default_hierarchy
from roadstead.policies.axes import axis
from roadstead.policies.encoding import encode
from roadstead.policies.recodings.document import IntervalParts
from roadstead.policies.recodings.from_search import has_ends, recoding_of
from roadstead.policies.recodings.interval_columns import (
    by_label,
    cell_kind,
    cells_of,
    collision,
    joined,
    plain,
    typed,
    with_ends,
)
from roadstead.tables.frequency import canonical

VALUES = {
    "numbers": ["", "7", "18", "18.0", "30", "-3", "95", "41", "1e1"],
    "decimals": ["", "0.5", "1", "1.50", "2.25", "-0.75", "0.000001", "36.6"],
    "days": ["", "2024-01-31", "2024-02-29", "2023-12-31", "1999-01-01", "2023-02-28"],
    "times": [
        "",
        "2024-01-31 10:00:00",
        "2024-01-31",
        "2024-02-29 00:00:00",
        "2023-05-01 01:02:03",
    ],
    "European days": ["", "31.01.2024", "29.02.2024", "31.12.2023"],
}


@examples(150)
@given(st.data())
def test_two_columns_say_what_the_text_says(data: st.DataObject) -> None:
    """A value that is shown exactly is both ends; where nothing is shown there is none."""
    known = data.draw(st.sampled_from([*VALUES.values()]))
    domain = tuple(sorted(data.draw(st.sets(st.sampled_from(known), min_size=1))))
    codes = np.arange(len(domain), dtype=np.int32)
    table, _ = canonical(("x",), (domain,), [codes], np.ones(len(domain), dtype=np.int64))
    hierarchy = default_hierarchy("x", domain)
    own = axis(hierarchy, domain)
    place = st.integers(0, own.size - 1)
    ends = data.draw(st.lists(st.tuples(place, place).map(sorted), min_size=1, unique_by=tuple))
    parts = np.array(ends, dtype=np.int32).reshape(-1, 1, 2)
    encoding = encode(table, [hierarchy])
    text = recoding_of("intervals", encoding, parts, (own,))
    found = recoding_of("intervals", encoding, parts, (own,), released_as="columns")
    assert found.wrong is None
    before, after = text.attributes[0], found.attributes[0]
    assert isinstance(before, IntervalParts)
    assert isinstance(after, IntervalParts)
    assert np.array_equal(before.shows(domain), after.shows(domain))
    assert found.place(table).tolist() == text.place(table).tolist()
    if not has_ends(own, hierarchy):
        assert found == text
        return
    kind = after.cell_kind
    for label, said in zip(after.labels, before.labels, strict=True):
        low, high = (typed(cell, kind) for cell in cells_of(label))
        assert (low, high) == tuple(map(_as(kind), ends_of_text(said)))
    # Labels with the same meaning keep it, whatever the parts do.
    names, holds, place_of = by_label(after.labels, after.shows(domain), in_two=True)
    assert len({*names}) == len(names)
    assert (holds[:, place_of] >= after.shows(domain)).all()
    assert all(held.all() for name, held in zip(names, holds.T, strict=True) if name == "*")


def _as(kind: str) -> Any:  # noqa: ANN401 - a function of an end
    return lambda end: float(end) if isinstance(end, Decimal) and kind == "float64" else end


@pytest.mark.parametrize(
    ("order", "ends", "kind"),
    [
        ("numbers", ["1", "-30", "2.0"], "int64"),
        ("numbers", ["1", str(2**63)], "string"),
        ("numbers", ["0.1", "36.6"], "float64"),
        ("numbers", ["0.1", "1234567890.12345678901"], "string"),
        ("numbers", [], "int64"),
        ("dates", ["2024-01-31"], "date"),
    ],
)
def test_cells_lose_no_digit(order: str, ends: list[str], kind: str) -> None:
    """Numbers that no engine holds exactly stay text."""
    assert cell_kind(order, ends) == kind


def test_labels_and_cells_are_one_for_one() -> None:
    """A text that is not a label of two ends shows nothing."""
    assert cells_of(joined("1", "2")) == ("1", "2")
    assert cells_of(joined("", "2")) == (None, "2")
    assert joined("", "") == "*"
    assert cells_of("*") == cells_of("\x00unseen") == cells_of("") == (None, None)
    assert (plain("018.50"), plain("1e1"), plain("2024-01-31")) == ("18.5", "10", "2024-01-31")
    assert typed("2024-01-31", "date") == date(2024, 1, 31)
    assert typed(None, "int64") is None


def test_columns_of_two_names_are_found() -> None:
    """Also in other letters, and of two quasi-identifiers."""
    pairs = {"age": ("age_low", "age_high"), "age_low": ("age_low_low", "age_low_high")}
    assert with_ends(["sex", "age"], pairs) == ["sex", "age_low", "age_high"]
    assert collision(pairs, ["sex"]) is None
    assert collision(pairs, ["sex", "AGE_HIGH"]) == ("age", "age_high")
    assert collision(pairs, ["age", "age_low"]) == ("age", "age_low")
