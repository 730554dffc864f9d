"""An engine that uses an instance again finds nothing of the engine before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import duckdb
import pyarrow as pa
import pytest

from roadstead.tables import engine, instances
from roadstead.tables.engine import PrivateEngine

SETTINGS = ("TimeZone", "threads", "memory_limit", "python_enable_replacements")


@pytest.fixture(autouse=True)
def _nothing_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(instances, "_waiting", {})
    yield
    for waiting in instances._waiting.values():
        for again in waiting:
            again.close()


def settings_of(started: PrivateEngine) -> list[tuple[object, ...]]:
    named = ", ".join(f"current_setting('{name}')" for name in SETTINGS)
    return started.con.execute(f"SELECT {named}").fetchall()


def used(change: Callable[[PrivateEngine], object]) -> tuple[PrivateEngine, PrivateEngine]:
    """Return an engine that was changed and closed, and the engine after it."""
    first = engine.start("300MB")
    change(first)
    first.close()
    return first, engine.start("300MB")


def leave_everything(started: PrivateEngine) -> None:
    started.con.register("source", pa.table({"a": [1]}))
    started.con.execute("CREATE TEMP TABLE rows_before AS SELECT 1 AS a")
    started.con.execute("CREATE TEMP MACRO doubled(a) AS 2 * a")
    started.con.execute("SET TimeZone = 'Asia/Tokyo'; SET threads = 1")


def test_an_instance_is_used_again_and_as_new() -> None:
    """No table, no data, no macro, and no setting is left of the engine before."""
    fresh = engine.start("300MB")
    expected = settings_of(fresh)
    first, second = used(leave_everything)
    assert second._instance is first._instance
    assert settings_of(second) == expected
    for query in ("FROM source", "FROM rows_before", "SELECT doubled(1)"):
        with pytest.raises(duckdb.CatalogException):
            second.con.execute(query)
    assert not first.scratch.exists()
    assert second.scratch.is_dir()
    fresh.close()
    second.close()


def test_the_memory_limit_is_that_of_the_engine() -> None:
    """Whatever the engine before was allowed."""
    engine.start("2GB").close()
    second = engine.start("300MB")
    assert "286.1 MiB" in str(settings_of(second))
    second.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda started: started.confine(),
        lambda started: started.con.execute("ATTACH ':memory:' AS aside"),
        lambda started: started.con.execute("CREATE SCHEMA aside"),
        lambda started: started.con.execute("CREATE TABLE kept AS SELECT 1 AS a"),
        lambda started: started.con.execute("CREATE VIEW kept AS SELECT 1 AS a"),
        lambda started: (started.scratch / "spilled").write_bytes(b"x"),
    ],
    ids=["confined", "attached", "schema", "table", "view", "spilled"],
)
def test_an_instance_that_keeps_something_is_not_used_again(
    change: Callable[[PrivateEngine], object],
) -> None:
    """Attributes of an instance would outlive its engine."""
    first, second = used(change)
    assert second._instance is not first._instance
    second.close()


def test_few_instances_wait() -> None:
    """A command that opened many tables does not keep the memory of all."""
    started = [engine.start("300MB") for _ in range(4)]
    for each in started:
        each.close()
        each.close()
    (waiting,) = instances._waiting.values()
    assert len(waiting) == 2
