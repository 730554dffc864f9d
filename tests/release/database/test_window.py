"""The days that the release of a whole database covers, with placeholders for missing dates."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from roadstead.release.database.persons import Window, window_of


@pytest.mark.parametrize("code", ["2999-12-31", "1900-01-01", None])
def test_a_placeholder_that_many_people_share_does_not_extend_the_window(code: str | None) -> None:
    """Fault class: k people with the placeholder made it the last covered day."""
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE visits AS SELECT i % 50 AS person, DATE '2020-01-01' + i::INTEGER AS day "
            "FROM range(400) AS numbers(i)"
        )
        if code is not None:
            con.execute("INSERT INTO visits SELECT i, ?::DATE FROM range(9) AS numbers(i)", [code])
        rules = SimpleNamespace(person="person", dates=("day",), periods=False)
        opened: Any = SimpleNamespace(
            of_persons=[SimpleNamespace(rules=rules, view="visits")],
            run=con.execute,
            rows=lambda query: con.execute(query).fetchall(),
            name="set",
        )
        settings: Any = SimpleNamespace(k=1, days=30)
        assert window_of(opened, settings) == Window(date(2020, 1, 31), date(2021, 1, 4))
