"""Labels stand for codes one to one, and new codes are never missing codes."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.tables.formats.codebook import Code, Codebook, ColumnNotes, letter_code, letter_of
from roadstead.tables.formats.statistics.clocks import SPSS_CLOCK
from roadstead.tables.formats.statistics.writing import columns_of

CODES: st.SearchStrategy[Code] = st.integers(-9, 9).map(float)
TEXTS = st.sampled_from(["a", "b", "a (1)", "a (1) (1)", "1", "2", "", " a "])
ENDS = st.sampled_from([-1e308, -9.0, -2.0, 0.0, 3.0, 9.0, 1.7e308])


@given(labels=st.dictionaries(CODES, TEXTS, min_size=1))
def test_no_two_codes_have_the_same_text(labels: dict[Code, str]) -> None:
    """Whatever the labels are; fault class: two codes become one when they are written."""
    texts = ColumnNotes(labels=labels).texts
    assert [*texts] == [*labels]
    assert len({*texts.values()}) == len(labels)
    assert all(texts.values())


@given(
    labels=st.dictionaries(CODES, TEXTS, min_size=1),
    low=ENDS,
    high=ENDS,
    new=st.sets(st.sampled_from(["20-24", "25-29", "*"])),
)
def test_a_new_code_is_neither_known_nor_missing(
    labels: dict[Code, str], low: float, high: float, new: set[str]
) -> None:
    """Also where a range of missing codes has no end above, as in SPSS."""
    missing = ((low, high),) if low <= high and not (low < -9 and high > 9) else ()
    notes = ColumnNotes(labels=labels, missing=missing, shown="F8.2", labeled=True)
    texts = [*notes.texts.values(), *sorted(new)]
    rows = pa.table({"c": texts}).to_reader()
    columns = columns_of(rows, Codebook({"c": notes}), SPSS_CLOCK, labels=True)
    codes = columns.values["c"].tolist()
    assert codes[: len(labels)] == [*labels]
    assert len({*codes}) == len({*texts})
    for code in codes[len(labels) :]:
        assert code.is_integer()
        assert not notes.is_missing(code)


def test_a_new_text_that_is_another_code_gets_a_code_of_its_own() -> None:
    """Fault class: the group ``f`` became ``female``, whose code is ``f``."""
    notes = ColumnNotes(labels={"f": "female", "1": "one"}, shown="A1", labeled=True)
    rows = pa.table({"c": ["female", "f", "*", None]}).to_reader()
    columns = columns_of(rows, Codebook({"c": notes}), SPSS_CLOCK, labels=True)
    assert columns.values["c"].tolist() == ["f", "2", "*", ""]
    assert columns.labels["c"] == {"f": "female", "2": "f", "*": "*"}


def test_a_letter_has_a_number_of_its_own_that_no_value_has() -> None:
    """Fault class: a true number 1e22 became the missing value .h."""
    letters = "abcdefghijklmnopqrstuvwxyz_"
    codes = [letter_code(letter) for letter in letters]
    assert [letter_of(code) for code in codes if code is not None] == [*letters]
    assert min(code for code in codes if code is not None) > 8.9e307
    assert all(letter_of(one) is None for one in (0.0, 1.0, 1e22, 1e30, -1e308, 1.79e308))


def test_whole_numbers_of_json_keep_all_digits(tmp_path: Path) -> None:
    """Fault class: a record number of 17 digits was rounded to a floating-point number."""
    numbers = [2**53 + 1, 2**63 - 1, -5]
    path = tmp_path / "n.jsonl"
    path.write_text("".join(json.dumps({"n": one, "m": 10**30}) + "\n" for one in numbers), "utf-8")
    with rs.read(path) as source:
        found = source.table.to_pyarrow().to_pydict()
    assert found == {"n": numbers, "m": [str(10**30)] * 3}
