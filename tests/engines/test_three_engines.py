"""From a file, DuckDB, PostgreSQL and Spark comes the same release; it may stay where the data are.

Whole commands, on Adult and on made-up patients: the same policy, figures and classes, and the same
released rows as a bag, be the release a file or a table next to its source; the certificate of the
table verifies there, and its fingerprint is the same in every engine.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from commands import run, without_charts
from stores import Duckdb

from roadstead.cohort import write_csv
from roadstead.tables.reading import read
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from postgres_server import Server
    from spark_tables import Spark

Row = tuple[str | None, ...]
COHORT = (
    *("--quasi", "sex,race,zip,admission_date", "--sensitive", "diagnosis,outcome"),
    *("--identifiers", "record_number,name,birth_date"),
)
TYPED = {"birth_date": "date", "admission_date": "date", "length_of_stay": "int", "age": "int"}


class Home(Protocol):
    """An engine that holds the source, and may hold the release."""

    def load(self, columns: Sequence[str], rows: Sequence[Row]) -> str:
        """Put a table called ``source`` there; return its address."""
        ...

    def alongside(self, name: str) -> str:
        """Write the address of another table."""
        ...


@dataclass(frozen=True)
class InDuckdb:
    """A DuckDB file."""

    path: Path

    def load(self, columns: Sequence[str], rows: Sequence[Row]) -> str:
        """Make the table."""
        return Duckdb(self.path).load("source", columns, rows)

    def alongside(self, name: str) -> str:
        """Name a table of the same file."""
        return f"duckdb://{self.path}?table={name}"


@dataclass(frozen=True)
class InPostgres:
    """The server of the tests, as its owner."""

    server: Server

    def load(self, columns: Sequence[str], rows: Sequence[Row]) -> str:
        """Make the table."""
        self.server.load("source", columns, rows)
        self.server.run("DROP TABLE IF EXISTS released, again")
        return self.alongside("source")

    def alongside(self, name: str) -> str:
        """Name a table of the same database."""
        return self.server.address(name, user="owner")


@dataclass(frozen=True)
class InSpark:
    """The cluster of the tests."""

    spark: Spark

    def load(self, columns: Sequence[str], rows: Sequence[Row]) -> str:
        """Make the table."""
        self.spark.load("source", columns, rows)
        self.spark.drop("released", "again")
        return self.alongside("source")

    def alongside(self, name: str) -> str:
        """Name a table of the same schema."""
        return self.spark.address(name)


@pytest.fixture(
    params=[
        *("duckdb", "postgres"),
        pytest.param("spark", marks=pytest.mark.nightly),
        pytest.param("spark_connect", marks=pytest.mark.nightly),
    ]
)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """Give each engine in turn."""
    if request.param == "duckdb":
        return InDuckdb(tmp_path / "clinic.duckdb")
    server: Any = request.getfixturevalue(request.param)
    return InPostgres(server) if request.param == "postgres" else InSpark(server)


def told(document: dict[str, Any]) -> dict[str, Any]:
    """Take out what differs between two runs of one thing."""
    return {k: v for k, v in document.items() if not k.startswith("seconds")}


def content(place: str | Path) -> Counter[tuple[str, ...]]:
    """Count the records of a table, as texts."""
    with read(place) as source:
        texts = {f"c{at}": as_text(source.table[name]) for at, name in enumerate(source.columns)}
        table = source.table.select(**texts).to_pyarrow()
    return Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))


def check(home: Home, path: Path, delimiter: str, asked: Sequence[str | Path], out: Path) -> None:
    """Release a file, and the same records from an engine into a file and into a table."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter=delimiter)
    typed = [f"{name}::{TYPED[name]}" if name in TYPED else name for name in header]
    place = home.load(typed, [tuple(cell or None for cell in row) for row in rows])

    wanted = run("anonymize", path, *asked, "--out", out / "file", "--json")
    assert wanted.code == 0, wanted.err
    released = content(out / "file" / path.name)
    assert sum(released.values()) == wanted.json["released"]
    known = {k: v for k, v in told(wanted.json).items() if k != "out"}

    streamed = run("anonymize", place, *asked, "--out", out / "streamed", "--json")
    assert streamed.code == 0, streamed.err
    assert {k: v for k, v in told(streamed.json).items() if k != "out"} == known
    assert content(out / "streamed" / "release.parquet") == released

    into = ("--into", home.alongside("released"))
    made = run("anonymize", place, *asked, *into, "--out", out / "table", "--json")
    assert made.code == 0, made.err
    assert {k: v for k, v in told(made.json).items() if k not in ("out", "into")} == known
    assert content(home.alongside("released")) == released
    assert not list((out / "table").glob("*.parquet"))
    verified = run("verify", out / "table", "--table", home.alongside("released"))
    assert verified.code == 0, verified.err + verified.out
    of_file = run("anonymize", path, *asked, "--out", out / "copied", "--json", *_copy(out))
    assert of_file.code == 0, of_file.err
    assert fingerprint(out / "table") == fingerprint(out / "copied")

    policy = out / "file" / "policy.json"
    again = ("--into", home.alongside("again"), "--out", out / "again")
    assert run("apply", policy, place, *again).code == 0
    assert content(home.alongside("again")) == released
    refused = run("apply", policy, place, *again[:2], "--out", out / "refused")
    assert refused.code == 2
    assert "exists" in refused.error
    assert not (out / "refused").exists()


def _copy(out: Path) -> tuple[str, str]:
    """Write the release of the file to a table of DuckDB, as a witness."""
    return "--into", f"duckdb://{out / 'witness.duckdb'}?table=witness"


def fingerprint(folder: Path) -> str:
    """Read the fingerprint of a table's content from its certificate."""
    certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    found: str = certificate["table"]["content"]
    return found


@pytest.mark.quick(1)
def test_the_cohort_is_released_alike_in_every_engine(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Days and numbers have types there, and are text in the file."""
    without_charts(monkeypatch)
    check(home, write_csv(tmp_path / "patients.csv", 1_000, seed=3), ",", COHORT, tmp_path)


@pytest.mark.nightly
def test_adult_is_released_alike_in_every_engine(
    home: Home, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All nine quasi-identifiers and 30,162 records."""
    without_charts(monkeypatch)
    path = data_dir / "adult" / "adult.csv"
    with path.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file, delimiter=";"))
    asked = ("--quasi", ",".join(header), "--hierarchies", data_dir / "adult" / "hierarchies")
    check(home, path, ";", asked, tmp_path)
