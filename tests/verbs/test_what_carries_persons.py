"""Sources and features with people: unsupported ones are refused with the reason and a fix."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from commands import run

import roadstead as rs
from roadstead.errors import SettingError

QUASI = ["age", "sex"]


def visits() -> pd.DataFrame:
    """Forty patients with one to four visits each; one has five unique visits."""
    rows = [
        (f"p{person}", 20 + person * 7 % 50 + visit // 2, "FM"[person % 2], f"n{person % 3}")
        for person in range(40)
        for visit in range(1 + person % 4)
    ]
    rows += [("alone", 99, "X", "n0")] * 5
    return pd.DataFrame(rows, columns=["patient", "age", "sex", "note"])


def anonymized(data: Any, **more: Any) -> Any:  # noqa: ANN401 - as anonymize
    """Anonymize visits by their patients."""
    given: dict[str, Any] = {"k": 4, "suppression": 0.2, "sensitive": ["note"], **more}
    return rs.anonymize(data, quasi=QUASI, person="patient", **given)


def as_csv(folder: Path) -> Any:  # noqa: ANN401 - what anonymize takes
    """A text file."""
    visits().to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def as_parquet(folder: Path) -> Any:  # noqa: ANN401 - what anonymize takes
    """A typed file."""
    visits().to_parquet(folder / "t.parquet")
    return folder / "t.parquet"


def in_duckdb(folder: Path) -> Any:  # noqa: ANN401 - what anonymize takes
    """A table in a database file."""
    table = visits()
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE t AS FROM given")
    return f"duckdb:///{folder}/t.duckdb?table=t"


def in_sqlite(folder: Path) -> Any:  # noqa: ANN401 - what anonymize takes
    """A table in another one."""
    with sqlite3.connect(folder / "t.sqlite") as connection:
        connection.execute("CREATE TABLE t (patient TEXT, age INTEGER, sex TEXT, note TEXT)")
        rows = [tuple(row) for row in visits().astype(object).to_numpy().tolist()]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    return f"sqlite:///{folder}/t.sqlite?table=t"


def as_frame(_folder: Path) -> Any:  # noqa: ANN401 - what anonymize takes
    """A data frame."""
    return visits()


def as_arrow(_folder: Path) -> Any:  # noqa: ANN401 - what anonymize takes
    """An Arrow table."""
    return pa.Table.from_pandas(visits(), preserve_index=False)


@pytest.fixture(scope="module")
def releases() -> dict[str, Any]:
    """The release of the data frame, for each way to leave out."""
    return {one: anonymized(visits(), leave_out=one) for one in ("rows", "persons")}


@pytest.mark.quick(2)
@pytest.mark.filterwarnings("ignore:.*infer_string")  # of the pandas that brings Ibis its rows
@pytest.mark.parametrize("leave_out", ["rows", "persons"])
@pytest.mark.parametrize(
    "place",
    [as_csv, as_parquet, in_duckdb, in_sqlite, as_frame, as_arrow],
    ids=lambda f: f.__name__,
)
def test_every_source_gives_the_same_release(
    tmp_path: Path,
    place: Any,  # noqa: ANN401 - one of the above
    leave_out: str,
    releases: dict[str, Any],
) -> None:
    """Each group has four people, by an independent count."""
    made = anonymized(place(tmp_path), leave_out=leave_out)
    expected = releases[leave_out]
    assert made.policy == expected.policy
    rows = [tuple(row.values()) for row in made.to_arrow().to_pylist()]
    assert Counter(rows) == Counter(tuple(row.values()) for row in expected.to_arrow().to_pylist())
    assert made.to_arrow().column_names == ["age", "sex", "note"]
    whose = defaultdict(set)
    rules = {one.name: one.rule for one in made.policy.attributes}
    for person, age, sex, _ in visits().itertuples(index=False):
        whose[rules["age"].label(str(age)), rules["sex"].label(sex)].add(person)
    for age, sex, _ in rows:
        assert len(whose[age, sex]) >= 4


@pytest.mark.nightly
def test_a_new_table_has_no_persons(tmp_path: Path) -> None:
    """In a database, with the documents in a folder.

    Fault class: the person column carried along into a table.
    """
    made = anonymized(in_duckdb(tmp_path))
    made.write(tmp_path / "out", into=f"duckdb:///{tmp_path}/t.duckdb?table=released")
    with duckdb.connect(str(tmp_path / "t.duckdb"), read_only=True) as connection:
        found = connection.execute("FROM released")
        assert [name for name, *_ in found.description] == ["age", "sex", "note"]
        rows = found.fetchall()
    assert Counter(rows) == Counter(tuple(row.values()) for row in made.to_arrow().to_pylist())
    for written in (tmp_path / "out").iterdir():
        assert "p17" not in written.read_text("utf-8")


def test_too_many_combinations_are_refused_and_not_counted_by_rows(tmp_path: Path) -> None:
    """The search in the engine counts records.

    Fault class: a table that is too large, released by a search that counts rows.
    """
    with pytest.raises(SettingError) as caught:
        anonymized(visits(), combinations=20)
    assert "people are counted in memory, but there are more than 20" in caught.value.message
    assert "round the quasi-identifiers that vary most" in caught.value.message
    ran = run(
        "anonymize",
        as_csv(tmp_path),
        *("--quasi", "age,sex", "--person", "patient", "--combinations", "20"),
        *("--out", tmp_path / "out"),
    )
    assert ran.code == 2
    assert "--combinations: people are counted in memory" in ran.error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("search", ["k-optimize", "partition-greedy", "partition-genetic"])
def test_searches_that_add_up_records_are_refused(search: str) -> None:
    """Cuts of ordered domains.

    Fault class: an end with a defect, after the whole search.
    """
    with pytest.raises(SettingError, match=r"people cannot be added up.*exact"):
        anonymized(visits(), search=search, quality="discernibility")


def test_a_loss_of_whole_combinations_is_refused() -> None:
    """Where a combination is left out in part, divergence has no bound."""
    with pytest.raises(SettingError, match="If a person is left out"):
        anonymized(visits(), quality="divergence")
