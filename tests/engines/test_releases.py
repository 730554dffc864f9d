"""A release made where the data are, in each engine, against one made by hand."""

from __future__ import annotations

import math
import secrets
from collections import Counter
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa
import pytest
from commands import undrawn
from effort import examples
from hypothesis import HealthCheck, given, settings
from releases_in_engines import NAMES, TWINS, Drawn, bag, check, drawn, one_of_all
from small_tables import PATIENTS, QUASI, patients, write_csv
from streams import watch_streams

from roadstead import Anonymization, anonymize, read, verify
from roadstead.errors import OutputError
from roadstead.release import staging
from roadstead.release.apply import released_rows
from roadstead.release.certificate import TableFingerprint, read_certificate
from roadstead.tables import transfer
from roadstead.tables.content import content_digest
from roadstead.tables.stores.access import workbench
from roadstead.tables.stores.spark.engine import quiet
from roadstead.tables.transfer import portable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import ibis
    from postgres_server import Server
    from spark_tables import Spark

    from roadstead.tables.source import Source

_TYPES = {
    pa.string(): "text",
    pa.int64(): "bigint",
    pa.float64(): "double precision",
    pa.date32(): "date",
    pa.bool_(): "boolean",
}
few = settings(examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def _plain_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    undrawn(monkeypatch)


class Postgres:
    """Puts tables into a server."""

    def __init__(self, server: Server) -> None:
        self.server = server

    @contextmanager
    def load(self, table: pa.Table) -> Iterator[Source]:
        """A table of a name of its own, for a while."""
        name = f"t{secrets.token_hex(4)}"
        columns = [f"{field.name}::{_TYPES[field.type]}" for field in table.schema]
        rows = [tuple(row.values()) for row in table.to_pylist()]
        self.server.load(name, columns, rows)
        try:
            with read(self.server.address(name)) as source:
                yield source
        finally:
            self.server.run(f"DROP TABLE {name}")


class InSpark:
    """Puts tables into a session."""

    def __init__(self, spark: Spark) -> None:
        self.spark = spark

    @contextmanager
    def load(self, table: pa.Table) -> Iterator[Source]:
        """A view of a name of its own, for a while."""
        name = f"t{secrets.token_hex(4)}"
        with quiet():
            frame = self.spark.session.createDataFrame(table)
        with read(frame, name=name) as source:
            yield source


@few
@given(case=drawn((*NAMES, "a")))
def test_a_release_made_in_postgres_is_what_the_policy_makes_by_hand(
    postgres: Server, case: Drawn
) -> None:
    """By a user with only the right to SELECT; ``A`` and ``a`` both occur."""
    check(case, Postgres(postgres).load)


@pytest.mark.nightly
def test_a_release_made_in_spark_is_what_the_policy_makes_by_hand(spark: Spark) -> None:
    """Whatever its columns are called and of whatever types they are."""
    check(one_of_all(), InSpark(spark).load)


@pytest.mark.nightly
def test_texts_that_look_alike_keep_their_own_labels_in_spark(spark: Spark) -> None:
    """Blanks at the end too."""
    with InSpark(spark).load(pa.table({"x": list(TWINS) * 2})) as source:
        result = anonymize(source, quasi=["x"], k=2, max_level={"x": 0})
        wanted = Counter({(text,): 2 for text in TWINS})
        assert bag(result.to_arrow()) == bag(table_of(result)) == wanted


CELLS = pa.table(
    {
        "text": ["a", "A ", "", None, 'q"x', "ä,☃", "\\n"],
        "number": pa.array([0, -1, 2**53 + 1, None, 7, 7, 7], pa.int64()),
        "day": pa.array([date(2024, 2, 29), date(1900, 1, 1), *[None] * 5], pa.date32()),
        "flag": [True, False, None, True, True, False, None],
        "share": [0.5, -0.25, 39.0, None, math.nan, 1e20, 0.1],
    }
)


@pytest.mark.nightly
def test_one_table_has_one_digest_in_every_engine(postgres: Server, spark: Spark) -> None:
    """And another table has another."""
    other = CELLS.set_column(0, "text", pa.array(["a", "A", *CELLS["text"].to_pylist()[2:]]))
    for table in (CELLS, other, CELLS.select(["day"])):
        with (
            read(table) as here,
            Postgres(postgres).load(table) as in_postgres,
            InSpark(spark).load(table) as in_spark,
        ):
            found = {content_digest(one.table) for one in (here, in_postgres, in_spark)}
        assert len(found) == 1
    assert content_digest(read(other).table) != content_digest(read(CELLS).table)


def test_a_release_is_published_in_the_postgres_of_its_source(
    postgres: Server, tmp_path: Path
) -> None:
    """It is what a file would hold; a stranger can check it, and a change of it is found."""
    postgres.run("DROP TABLE IF EXISTS visits_release")
    postgres.load("visits", PATIENTS, patients(300))
    into = postgres.address("visits_release", "owner")
    with read(postgres.address("visits", "owner")) as source:
        result = anonymized(source)
        released = bag(result.to_arrow())
        assert result.write(tmp_path / "release", into=into).passed
    with read(postgres.address("visits_release", "owner")) as made:
        assert bag(made.table.to_pyarrow()) == released
    assert verify(tmp_path / "release", table=into).passed
    copied = postgres.address("visits_release", "owner").replace("postgresql://", "postgres://")
    assert verify(tmp_path / "release", table=copied).passed
    document = (tmp_path / "release" / "certificate.json").read_text("utf-8")
    assert "127.0.0.1" not in document
    assert "owner" not in document
    postgres.run("UPDATE visits_release SET diagnosis = 'x' WHERE ctid = '(0,1)'")
    assert not verify(tmp_path / "release", table=into).passed


def test_a_table_of_postgres_is_withdrawn_if_its_folder_cannot_appear(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though its transaction was committed."""

    def taken(*_: object, **__: object) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr(staging, "_replace", taken)
    postgres.run("DROP TABLE IF EXISTS visits_release")
    postgres.load("visits", PATIENTS, patients(300))
    with read(postgres.address("visits", "owner")) as source:
        result = anonymized(source)
        with pytest.raises(OutputError, match="the disk is full"):
            result.write(tmp_path / "release", into=postgres.address("visits_release", "owner"))
    left = "SELECT count(*) FROM pg_class WHERE relname ~ 'visits_release|roadstead'"
    assert postgres.run(left) == [(0,)]
    assert not list(tmp_path.iterdir())


def test_a_release_goes_from_one_engine_into_another(postgres: Server, tmp_path: Path) -> None:
    """From a file into PostgreSQL, and from there into DuckDB; the content is the same."""
    postgres.run("DROP TABLE IF EXISTS from_file")
    write_csv(tmp_path / "patients.csv", PATIENTS, patients(300))
    postgres.load("visits", PATIENTS, patients(300))
    places = {
        tmp_path / "patients.csv": postgres.address("from_file", "owner"),
        postgres.address("visits"): f"duckdb://{quote(str(tmp_path))}/x.duckdb?table=from_server",
    }
    contents = set()
    for at, (data, into) in enumerate(places.items()):
        with read(data) as source:
            assert anonymized(source).write(tmp_path / str(at), into=into).passed
        assert verify(tmp_path / str(at), table=into).passed
        certificate, _ = read_certificate(tmp_path / str(at) / "certificate.json")
        assert isinstance(certificate.table, TableFingerprint)
        contents.add(certificate.table.content)
    assert len(contents) == 1


@pytest.mark.nightly
def test_a_release_is_published_in_the_spark_of_its_source(spark: Spark, tmp_path: Path) -> None:
    """It is what a file would hold, and a stranger can check it."""
    spark.load("visits", PATIENTS, patients(300))
    into = spark.address("visits_release")
    with read(spark.address("visits")) as source:
        result = anonymized(source)
        released = bag(result.to_arrow())
        assert result.write(tmp_path / "release", into=into, force=True).passed
    with read(into) as made:
        assert bag(made.table.to_pyarrow()) == released
    assert verify(tmp_path / "release", table=into).passed
    assert [name for name in spark.tables() if "roadstead" in name] == []


def test_only_what_is_released_leaves_the_engine(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """From a file, the released rows, with a number for quasi-identifiers; from a table, none."""
    postgres.load("visits", PATIENTS, patients(300))
    postgres.run("DROP TABLE IF EXISTS visits_release")
    fetched: list[tuple[list[str], int]] = []

    def counting(table: ibis.Table, *how: int, **more: Any) -> pa.RecordBatchReader:  # noqa: ANN401 - passed on
        reader = batches_of(table, *how, **more)
        parts = list(reader)
        fetched.append((list(table.columns), sum(part.num_rows for part in parts)))
        return pa.RecordBatchReader.from_batches(reader.schema, parts)

    batches_of = transfer.stream
    with read(postgres.address("visits", "owner")) as source:
        result = anonymize(
            source,
            quasi=["age", "zip"],
            identifiers=["name", "record", "sex"],
            unchanged=["diagnosis"],
            suppression=0.5,
            suppressed="drop",
            max_level={"age": 1, "zip": 1},
        )
        released = result.draft.counts.released
        assert 0 < released < 300
        watch_streams(monkeypatch, counting)
        assert result.to_arrow().num_rows == released
        counts = [(names, rows) for names, rows in fetched if names[-1] == "records"]
        assert all(rows < released for _, rows in counts)  # what the checks of a release count
        assert [one for one in fetched if one not in counts] == [(["number", "other_0"], released)]
        fetched.clear()
        result.write(tmp_path / "release", into=postgres.address("visits_release", "owner"))
    (_, classes), *others = fetched  # the check of the staged table groups it
    assert all("records" in names for names, _ in others)  # combinations with counts
    assert classes == int(result.generalized.kept.sum())


def anonymized(source: Source) -> Anonymization:
    """Anonymize made-up patients."""
    return anonymize(
        source,
        quasi=QUASI.split(","),
        identifiers=["name", "record"],
        unchanged=["diagnosis"],
        suppression=0.3,
    )


def test_texts_that_look_alike_keep_their_own_labels_in_postgres(postgres: Server) -> None:
    """Also in columns of a fixed length, and where a collation takes them for one another."""
    postgres.run(
        "CREATE COLLATION IF NOT EXISTS folding (provider = icu, locale = 'und-u-ks-level1', "
        "deterministic = false)",
    )
    for kind in ("text", "varchar(9)", 'text COLLATE "folding"', "char(9)"):
        texts = [text.rstrip(" ") if kind == "char(9)" else text for text in TWINS if text != "*"]
        distinct = len(set(texts))
        rows = [(text,) for text in sorted(set(texts)) for _ in range(3)]
        postgres.load("twins", [f"x::{kind}"], rows)
        with read(postgres.address("twins")) as source:
            result = anonymize(source, quasi=["x"], k=2, max_level={"x": 0})
            released = bag(result.to_arrow())
            made = bag(table_of(result))
        assert len(released) == distinct, kind
        assert set(released.values()) == {3}, kind
        assert made == released, kind
        assert {text for (text,) in released} == set(texts), kind


def table_of(result: Anonymization) -> pa.Table:
    """Make the release as an expression."""
    with workbench(result.source) as bench:
        rows = released_rows(
            bench.table, bench.small, result.policy, result.generalized, mask=result.draft.masks
        )
        return portable(rows).to_pyarrow()


def test_types_that_only_postgres_has_are_released(postgres: Server) -> None:
    """Documents and addresses, which have no order there or no type elsewhere."""
    postgres.run(
        "DROP TABLE IF EXISTS odd_types",
        "CREATE TABLE odd_types AS SELECT i % 2 AS x, json_build_object('a', i) AS doc, "
        "('10.0.0.' || i)::inet AS host, ARRAY[i, NULL] AS list FROM generate_series(1, 10) t(i)",
        "GRANT SELECT ON odd_types TO reader",
    )
    with read(postgres.address(quote("odd_types"))) as source:
        result = anonymize(
            source, quasi=["x"], k=2, unchanged=["doc", "list"], release_anyway=["host"]
        )
        released, made = bag(result.to_arrow()), table_of(result)
    wanted = Counter(
        {(str(i % 2), f'{{"a" : {i}}}', f"10.0.0.{i}/32", f"{{{i},NULL}}"): 1 for i in range(1, 11)}
    )
    assert released == bag(made) == wanted
