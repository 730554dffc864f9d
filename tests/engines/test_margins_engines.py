"""Margins of a population may lie in a database, each in a table of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from commands import run
from stores import Duckdb, Files, Postgres

if TYPE_CHECKING:
    from pathlib import Path

    from postgres_server import Server
    from stores import Cells, Store

pytestmark = pytest.mark.nightly


PEOPLE: list[Cells] = [(("F", "M")[at % 2], str(at * at % 3)) for at in range(60)]
SEXES: list[Cells] = [("F", "300"), ("M", "200")]
AREAS: list[Cells] = [("0", "150"), ("1", "350")]


def test_an_estimate_is_the_same_from_margins_in_files_and_in_databases(
    postgres: Server, tmp_path: Path
) -> None:
    """Every point of the frontier; and no command that is shown names a user."""
    stores: list[Store] = [
        Files(tmp_path),
        Duckdb(tmp_path / "census.duckdb"),
        Postgres(postgres),
    ]
    table = Files(tmp_path).load("people", ("sex", "area"), PEOPLE)
    found = []
    for store in stores:
        margins = [
            store.load("by_sex", ("sex", "people::int"), SEXES),
            store.load("by_area", ("area", "people::int"), AREAS),
        ]
        given = [part for margin in margins for part in ("--margin", margin)]
        ran = run(
            *("frontier", table, "--quasi", "sex,area", "--population-counts", "people"),
            *(*given, "--json"),
        )
        assert ran.code == 0, ran.err
        assert "reader@" not in ran.out
        found.append({k: v for k, v in ran.json.items() if k in ("points", "policies", "frontier")})
    assert found[0]
    assert found[0] == found[1] == found[2]


def test_a_margin_with_a_password_is_refused(tmp_path: Path) -> None:
    table = Files(tmp_path).load("people", ("sex", "area"), PEOPLE)
    ran = run(
        *("frontier", table, "--quasi", "sex,area", "--population-counts", "people"),
        *("--margin", "postgresql://ann:word@h/census?table=by_sex"),
    )
    assert ran.code == 2
    assert "contains a password" in ran.error
    assert "ann" not in ran.error


@pytest.mark.parametrize("name", ["no.csv", "duckdb://no.duckdb?table=t"])
def test_a_margin_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    table = Files(tmp_path).load("people", ("sex", "area"), PEOPLE)
    ran = run(
        *("frontier", table, "--quasi", "sex,area", "--population-counts", "people"),
        *("--margin", name),
    )
    assert ran.code == 2
    assert ran.error.startswith("no.")
