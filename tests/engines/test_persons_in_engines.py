"""People counted in a database: its release is that of memory, and of the statement."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pytest

import roadstead as rs
from roadstead.tables.stores.spark.engine import quiet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from postgres_server import Server
    from spark_tables import Spark

HEAD = ("patient", "age", "sex", "note")
ROWS = [
    (f"p{person:02}", str(20 + person // 8 * 10 + visit), "FM"[person % 2], f"n{visit}")
    for person in range(48)
    for visit in range(1 + person // 2 % 3)
] + [("alone", "99", "X", "n0")] * 5
KNOWN = ["1", "2", "all"]


def made(data: object, knows: str) -> rs.Anonymization:
    """Anonymize visits by their patients."""
    leave_out: Literal["rows", "persons"] = "rows" if knows == "1" else "persons"
    return rs.anonymize(
        data,
        quasi=["age", "sex"],
        sensitive=["note"],
        person="patient",
        knows=knows,
        leave_out=leave_out,
        k=3,
        suppression=0.2,
    )


def bag(table: pa.Table) -> Counter[tuple[object, ...]]:
    """The rows, whatever their order."""
    return Counter(tuple(row.values()) for row in table.to_pylist())


def in_memory(knows: str) -> rs.Anonymization:
    """The same from memory; some people are left out, but not all."""
    columns = map(list, zip(*ROWS, strict=True))
    found = made(pa.table(dict(zip(HEAD, columns, strict=True))), knows)
    assert 0 < found.draft.counts.dropped < len(ROWS)
    return found


def same_as_memory(
    address: str,
    knows: str,
    stated: Callable[[rs.Policy, list[str]], Iterable[tuple[object, ...]]],
) -> None:
    """Compare the release from an address, and what the statement gives where there is one."""
    expected = in_memory(knows)
    found = made(address, knows)
    assert found.policy == expected.policy
    assert bag(found.to_arrow()) == bag(expected.to_arrow())
    if knows != "2":
        rows = stated(found.policy, found.to_arrow().column_names)
        assert Counter(rows) == bag(expected.to_arrow())


@pytest.mark.quick(1)
@pytest.mark.parametrize("knows", KNOWN)
def test_postgresql_gives_the_release_of_memory(postgres: Server, knows: str) -> None:
    """From its address, and by the statement where there is one."""

    def stated(policy: rs.Policy, names: list[str]) -> list[tuple[object, ...]]:
        text = rs.as_sql(policy, table="visits", dialect="postgres")
        columns = [policy.released.index(name) for name in names]
        return [tuple(row[at] for at in columns) for row in postgres.run(text)]

    postgres.load("visits", HEAD, ROWS)
    same_as_memory(postgres.address("visits"), knows, stated)


@pytest.mark.nightly
@pytest.mark.parametrize("knows", KNOWN)
def test_spark_gives_the_release_of_memory(spark: Spark, knows: str) -> None:
    """From its address, and by the statement where there is one."""

    def stated(policy: rs.Policy, names: list[str]) -> list[tuple[object, ...]]:
        text = rs.as_sql(policy, table=f"{spark.schema}.visits", dialect="spark")
        with quiet():
            rows = spark.session.sql(text).collect()
        return [tuple(row[name] for name in names) for row in rows]

    spark.load("visits", HEAD, ROWS)
    same_as_memory(spark.address("visits"), knows, stated)
