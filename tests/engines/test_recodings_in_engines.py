"""Policies whose classes each show their own parts, applied where the table lies, and as SQL."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from commands import run, undrawn
from recoded_visits import FOREIGN, HEADER, KINDS, QUASI, visits
from small_tables import Row, read_csv, write_csv

import roadstead
from roadstead.policies.document import to_json
from roadstead.release.documents import write_json
from roadstead.verbs.apply.as_sql import as_sql

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from postgres_server import Server
    from spark_tables import Spark

pytestmark = pytest.mark.nightly


IN_TWO = "intervals in two columns"
FORMS = [*KINDS, IN_TWO]
NEXT = [*visits(250, 2), *FOREIGN]
TABLE = "recoded_visits"


def policy_of(kind: str, folder: Path) -> Path:
    """Make a policy of one extract, whose limit the next one keeps."""
    first = write_csv(folder / "first.csv", HEADER, visits(200, 1))
    form = "columns" if kind == IN_TWO else "text"
    kind = kind.partition(" ")[0]
    policy = roadstead.anonymize(
        first,
        quasi=QUASI.split(","),
        identifiers=["name"],
        unchanged=["diagnosis"],
        recoding=kind,  # type: ignore[arg-type] # one of them
        search=KINDS[kind],
        intervals=form,  # type: ignore[arg-type] # one of them
        suppression=0.3,
    ).policy
    relaxed = replace(policy, suppression=replace(policy.suppression, limit=0.9))
    write_json(to_json(relaxed), folder / "policy.json")
    return folder / "policy.json"


def from_file(policy: Path, folder: Path) -> Counter[Row]:
    """Release the next extract from a file."""
    table = write_csv(folder / "next.csv", HEADER, NEXT)
    ran = run("apply", policy, table, "--unseen", "suppress", "--out", folder / "of file")
    assert ran.code == 0, ran.err
    return Counter(read_csv(folder / "of file" / "next.csv")[1:])


def texts(rows: Sequence[Sequence[Any]]) -> Counter[Row]:
    """Count rows of an engine; whole numbers have no point, as in a file."""
    return Counter(
        tuple("" if cell is None else str(cell).removesuffix(".0") for cell in row) for row in rows
    )


def in_file(folder: Path) -> Counter[Row]:
    """Count the rows of a released file."""
    (file,) = folder.glob("*.parquet")
    return texts(duckdb.read_parquet(str(file)).fetchall())


@pytest.mark.parametrize("kind", FORMS)
def test_postgres_releases_what_a_file_gives(
    postgres: Server, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the table to a file, to a table, and by the statement alone: the same rows."""
    undrawn(monkeypatch)
    policy = policy_of(kind, tmp_path)
    wanted = from_file(policy, tmp_path)
    postgres.run("DROP TABLE IF EXISTS released")
    postgres.load(TABLE, HEADER, NEXT)
    try:
        source = postgres.address(TABLE)
        ran = run(
            *("apply", policy, source, "--unseen", "suppress", "--out", tmp_path / "of table"),
        )
        assert ran.code == 0, ran.err
        assert in_file(tmp_path / "of table") == wanted
        ran = run(
            *("apply", policy, postgres.address(TABLE, user="owner"), "--unseen", "suppress"),
            *("--out", tmp_path / "into", "--into", postgres.address("released", user="owner")),
        )
        assert ran.code == 0, ran.err
        assert texts(postgres.run("SELECT * FROM released")) == wanted
        kept = postgres.address("released", user="owner")
        assert run("verify", tmp_path / "into", "--table", kept).code == 0
        said = as_sql(policy, dialect="postgres", table=TABLE, unseen="suppress")
        assert texts(postgres.run(said)) == wanted
        checked = as_sql(policy, dialect="postgres", table=TABLE, unseen="suppress", check=True)
        assert postgres.run(checked)[0][-1] == "released"
    finally:
        postgres.run(f"DROP TABLE IF EXISTS released, {TABLE}")


@pytest.mark.nightly
@pytest.mark.parametrize("kind", FORMS)
def test_spark_releases_what_a_file_gives(
    spark: Spark, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the table to a file, and by the statement alone: the same rows."""
    undrawn(monkeypatch)
    policy = policy_of(kind, tmp_path)
    wanted = from_file(policy, tmp_path)
    spark.load(TABLE, HEADER, NEXT)
    try:
        source = spark.address(TABLE)
        ran = run("apply", policy, source, "--unseen", "suppress", "--out", tmp_path / "of table")
        assert ran.code == 0, ran.err
        assert in_file(tmp_path / "of table") == wanted
        said = as_sql(policy, dialect="spark", table=f"{spark.schema}.{TABLE}", unseen="suppress")
        assert texts(spark.session.sql(said).collect()) == wanted
    finally:
        spark.drop(TABLE)
