"""Sixty quasi-identifiers are released from end to end.

Fault class: a query as deep as the table is wide. Nested queries and sums end in a RecursionError,
and joins in many threads use more memory than there is.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from commands import without_charts

import roadstead as rs
from roadstead.errors import RoleError
from roadstead.tables import engine

if TYPE_CHECKING:
    from pathlib import Path

WIDTH, RECORDS = 60, 300
QUASI = tuple(f"q{at}" for at in range(WIDTH))


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """Make a table of 60 columns with a few kinds of records, and some that stray from these."""
    chance = random.Random(7)  # noqa: S311 - no secret
    kinds = [[chance.choice("abc") for _ in QUASI] for _ in range(5)]
    lines = [",".join(QUASI)]
    for at in range(RECORDS):
        record = [*chance.choice(kinds)]
        if at < 6:
            record[chance.randrange(WIDTH)] = "z"
        lines.append(",".join(record))
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "wide.csv"


def release(data: Any, out: Path, **how: Any) -> Any:  # noqa: ANN401 - a table of any library
    """Release a table for which no search is needed."""
    result = rs.anonymize(data, quasi=QUASI, k=3, search="datafly")
    return result.write(out, **how)


@pytest.mark.nightly
def test_sixty_columns_of_a_file_are_released_applied_and_said_in_sql(
    wide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The statement, run by DuckDB, gives the rows that apply writes."""
    without_charts(monkeypatch)
    assert release(wide, tmp_path / "first").passed
    policy = tmp_path / "first" / "policy.json"
    applied = rs.apply(policy, wide)
    assert applied.write(tmp_path / "second").passed
    first, second = ((tmp_path / one / "wide.csv").read_bytes() for one in ("first", "second"))
    assert first == second
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS FROM read_csv('{wide}', all_varchar = true)")
        said = connection.execute(rs.as_sql(policy, table="t")).fetchall()
    lines = first.decode().splitlines()[1:]
    assert sorted(",".join(row) for row in said) == sorted(lines)


@pytest.mark.nightly
def test_sixty_columns_of_a_database_are_released_into_it(
    wide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the same file, and verified there."""
    without_charts(monkeypatch)
    path = tmp_path / "wide.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE t AS FROM read_csv('{wide}', all_varchar = true)")
    address = f"duckdb://{path}?table="
    verification = release(f"{address}t", tmp_path / "out", into=f"{address}released")
    assert verification.passed
    with duckdb.connect(path) as connection:
        ((rows,),) = connection.execute("SELECT count(*) FROM released").fetchall()
    assert rows == RECORDS


def test_more_quasi_identifiers_than_can_be_released_are_refused_before_the_search() -> None:
    """With their number, and how many there may be."""
    table = {f"q{at}": ["a"] * 10 for at in range(201)}
    with pytest.raises(RoleError, match=r"201 quasi-identifiers.*at most 200"):
        rs.anonymize(table, quasi=tuple(table))


@pytest.mark.parametrize(("limit", "threads"), [("4GB", 8), ("1GB", 2), ("60MB", 1)])
def test_a_chain_of_joins_has_as_many_threads_as_its_memory_bears(limit: str, threads: int) -> None:
    """On a machine with eight."""
    started = engine.start(limit)
    try:
        started.backend.con.execute("SET threads = 8")
        engine.spare_memory(started.con, 60, 120)
        ((found,),) = started.backend.con.execute("SELECT current_setting('threads')").fetchall()
        assert found == threads
    finally:
        started.close()
