"""A text file is sorted while it is written, and reading, sorting, and writing change nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.release import publish, written
from roadstead.release.apply import released_batches
from roadstead.release.documents import read_back
from roadstead.release.written import forged, in_order, write_release
from roadstead.tables.dialect import Dialect
from roadstead.tables.sinks import write
from roadstead.tables.source import Csv

CELLS = st.one_of(
    st.none(),
    st.sampled_from(
        ["", " ", "*", "a", "A", "é", "1", "-1.5", "1,5", "NA", "'", '"', "a\nb", "=1"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=3),
)
POLICY: Any = SimpleNamespace(quasi=("q", "r"), two_columns={})


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Draw a release: labels of two quasi-identifiers as dictionaries, and texts of other columns.

    The first row has an "x" in each column, so that no row of other texts looks like a header.
    """
    records = draw(st.integers(2, 12))
    columns: dict[str, pa.Array] = {}
    for name in ("q", "before", "r", "after"):
        cells = draw(st.lists(CELLS, min_size=records, max_size=records))
        array = pa.array(["x", *cells], pa.string())
        columns[name] = array.dictionary_encode() if name in "qr" else array
    return pa.table(columns)


@given(tables(), st.sampled_from([",", ";", "\t"]))
@examples(60)
def test_the_file_is_what_its_reader_would_write(table: pa.Table, delimiter: str) -> None:
    """The witness reads the unsorted file, sorts what it read, and writes it."""
    form = Csv(Dialect(delimiter=delimiter))
    with TemporaryDirectory() as folder:
        once, twice = Path(folder, "once.csv"), Path(folder, "twice.csv")
        own = write_release(table.to_reader(), once, form, POLICY, once=True)
        write(table.to_reader(), twice, form)
        with read_back(twice, own) as source:
            records = in_order(source, POLICY)
            again = Path(folder, "again.csv")
            write(
                records,
                again,
                replace(form, dialect=replace(form.dialect, delimiter=str(own.delimiter))),
            )
        assert once.read_bytes() == again.read_bytes()
        with read_back(once, own) as source:
            assert forged(once, source, own, POLICY) is None


@pytest.mark.parametrize(
    "column", [[1, 3, 2, 10], [1.5, None, -0.0, float("nan")], [True, False] * 2]
)
def test_columns_of_other_types_are_sorted_as_texts(column: list[Any], tmp_path: Path) -> None:
    """Their texts are sorted, not their values: 10 comes before 2."""
    table = pa.table({"q": ["a", "a", "a", "a"], "r": ["b", "b", "b", "b"], "other": column})
    path = tmp_path / "release.csv"
    own = write_release(table.to_reader(), path, Csv(), POLICY)
    lines = path.read_text("utf-8").splitlines()[1:]
    written = [line.removeprefix("a,b,") for line in lines]
    assert written == sorted(written, key=lambda text: (not text, text))
    with read_back(path, own) as source:
        assert forged(path, source, own, POLICY) is None


@pytest.mark.parametrize("cells", [0, 1 << 20])
def test_a_large_release_is_sorted_after_it_is_written(
    cells: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault class: the records of a large release did not fit into the memory of the writer.

    Both ways write the same bytes, and the first file of a large release is in no order of the
    source, either.
    """
    monkeypatch.setattr(written, "_SORTED_AT_ONCE", cells)
    rows = [f"{'ba'[at % 2]},{30 + at * 7 % 5},note {at * 37 % 11}" for at in range(200)]
    source = tmp_path / "t.csv"
    source.write_text("\n".join(["sex,age,note", *rows, ""]), encoding="utf-8")
    asked: list[bool] = []
    first = released_batches

    def seen(*given: Any, ordered: bool, **how: Any) -> Any:  # noqa: ANN401 - as the function
        asked.append(ordered)
        return first(*given, ordered=ordered, **how)

    monkeypatch.setattr(publish, "released_batches", seen)
    rs.anonymize(source, quasi=["sex", "age"], sensitive=["note"]).write(tmp_path / "out")
    assert asked == [cells == 0]
    lines = (tmp_path / "out" / "t.csv").read_text("utf-8").splitlines()[1:]
    assert lines == sorted(lines, key=lambda line: line.split(","))
    assert rs.verify(tmp_path / "out").passed
