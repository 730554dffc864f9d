"""The stores of this process keep what every store keeps; a store that does not is found out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from store_places import DuckdbPlace, SqlitePlace

from roadstead.tables.stores import store as stores
from roadstead.tables.stores.staged import Sink
from roadstead.testing.stores import CHECKS, Check, a_failure_leaves_nothing

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.quick(4)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_duckdb_keeps(check: Check, tmp_path: Path) -> None:
    check(DuckdbPlace(tmp_path / "place.duckdb"))


@pytest.mark.quick(4)
@pytest.mark.filterwarnings("ignore")  # of pandas, which Ibis reads SQLite with
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_any_database_of_ibis_keeps(check: Check, tmp_path: Path) -> None:
    check(SqlitePlace(tmp_path / "place.sqlite"))


@pytest.mark.filterwarnings("ignore")  # as above
def test_a_store_that_leaves_what_it_staged_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The witness itself."""
    monkeypatch.setattr(Sink, "__exit__", lambda *_: None)
    with pytest.raises(AssertionError, match="a staged table must be removed"):
        a_failure_leaves_nothing(SqlitePlace(tmp_path / "place.sqlite"))


def test_a_store_of_another_package_is_asked_before_the_general_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By its scheme, and by Ibis's name for it."""
    made = replace(stores.fallback(), backend="sqlite", label="SQLite")
    monkeypatch.setattr(stores, "_LOADED", {})  # for earlier requests of other tests
    monkeypatch.setattr(stores, "_installed", {"sqlite": made}.get)
    assert stores.by_backend("sqlite") is made
    assert stores.by_backend("mysql") is stores.fallback()
    assert stores.by_backend("duckdb").label == "DuckDB"
