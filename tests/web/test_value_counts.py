"""The card of a column names frequent and unusual values, but no rare hidden value."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from workbench import Bench, served


@pytest.fixture(scope="module")
def piece(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, str]]:
    """A workbench with a table: 98% of the weights are numbers; the names are all different."""
    folder = tmp_path_factory.mktemp("values")
    odd = {0: "unknown", 1: "unknown", 50: "n/k"}
    rows = [f"Zq{i:04},{odd.get(i, 60 + i % 20)},{'fm'[i % 2]},x{i % 3}" for i in range(150)]
    (folder / "patients.csv").write_text("\n".join(["who,weight,sex,score", *rows, ""]))
    with served(folder / "state", [folder], folder=folder) as bench:
        own = bench.begin()
        bench.open(own, "patients.csv")
        bench.post(f"{own}/columns/1/role", role="identifiers")
        for number in (2, 3):
            bench.post(f"{own}/columns/{number}/role", role="quasi")
        yield bench, own


def test_what_is_not_a_number_is_named_with_a_button(piece: tuple[Bench, str]) -> None:
    bench, own = piece
    text = bench.get(f"{own}/columns/2/values").text
    assert "98% of the values are numbers. 3 records have something else" in text
    assert "<q>unknown</q> (2)" in text
    assert 'name="value" value="n/k"' in text
    assert (
        "Most frequent: <q>f</q> (75), <q>m</q> (75)." in bench.get(f"{own}/columns/3/values").text
    )


def test_rare_values_of_a_hidden_column_are_counted_only(piece: tuple[Bench, str]) -> None:
    bench, own = piece
    text = bench.get(f"{own}/columns/1/values").text
    assert "Zq0" not in text
    assert "hides 150 values with fewer than 5 records" in text


def test_selected_values_are_read_as_missing(piece: tuple[Bench, str]) -> None:
    """The roles stay; the table is read again."""
    bench, own = piece
    assert bench.post(f"{own}/columns/2/missing").status == 422
    assert bench.post(f"{own}/columns/2/missing", value=["unknown", "n/k"]).status == 303
    assert bench.wait(own, "scan")["state"] == "done"
    text = bench.get(f"{own}/columns/2/values").text
    assert "are numbers" not in text
    assert "unknown" not in text
    project = tomllib.loads((bench.folder(own) / "project.toml").read_text())
    assert project["roles"]["quasi"] == ["weight", "sex"]
