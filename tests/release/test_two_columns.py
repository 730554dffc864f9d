"""Intervals of numbers and dates as two columns: the same release as text, read and checked."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from commands import run, undrawn
from interval_text import ends_of_text
from recoded_visits import FOREIGN, HEADER, QUASI, visits
from recodings_by_hand import apply
from small_tables import Row, read_csv, write_csv

import roadstead
from roadstead import verify
from roadstead.release.documents import fingerprint, json_text
from roadstead.verbs.apply.as_sql import as_sql

COLUMNS = ("--recoding", "intervals", "--search", "mondrian", "--intervals", "columns")
RELEASED = [
    *("age_low", "age_high", "sex", "zip", "temp_low", "temp_high", "visit_low", "visit_high"),
    "diagnosis",
]
PAIRS = {"age", "temp", "visit"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two extracts, and a release of the first."""
    made = tmp_path_factory.mktemp("in_two")
    write_csv(made / "first.csv", HEADER, visits(300, 1))
    write_csv(made / "next.csv", HEADER, visits(400, 2) + FOREIGN[:3])
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        ran = run(
            *("anonymize", made / "first.csv", "--quasi", QUASI, "--identifiers", "name"),
            *("--unchanged", "diagnosis", *COLUMNS, "--out", made / "out", "--json"),
        )
        assert ran.code == 0, ran.err
    return made


def cell(text: str | None) -> Any:  # noqa: ANN401 - a number, a date, or nothing
    """Read one cell of two columns."""
    if not text:
        return None
    return date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else Decimal(text)


def in_two(header: Row, rows: list[Row], pairs: set[str]) -> Counter[Row]:
    """Make of a release as text what it is in two columns."""
    found: Counter[Row] = Counter()
    for row in rows:
        cells: list[Any] = []
        for name, text in zip(header, row, strict=True):
            cells += ends_of_text(text) if name in pairs else [text]
        found[tuple(cells)] += 1
    return found


def as_read(header: Row, rows: list[Row]) -> Counter[Row]:
    """Count the rows of a release in two columns, ends as numbers and dates."""
    return Counter(
        tuple(
            cell(text) if name.endswith(("_low", "_high")) else text
            for name, text in zip(header, row, strict=True)
        )
        for row in rows
    )


@pytest.fixture
def release(folder: Path, tmp_path: Path) -> Path:
    """A copy of the release, to be tampered with."""
    return Path(shutil.copytree(folder / "out", tmp_path / "release"))


def by_hand(policy: Path, rows: list[Row]) -> Counter[Row]:
    """Apply a policy in plain Python, and part its labels."""
    found: Counter[Row] = Counter()
    names = [name for name in HEADER if name != "name"]
    for row, number in apply(json.loads(policy.read_text()), HEADER, rows).items():
        cells: list[str] = []
        for name, text in zip(names, row, strict=True):
            ends = ("", "") if text == "*" else text.partition(" .. ")[::2]
            cells += ends if name in PAIRS else [text]
        found[tuple(cells)] += number
    return found


def rewritten(release: Path, change: Callable[[dict[str, str]], object]) -> set[str]:
    """Change rows and certify the file again, like a thorough forger; name the failed checks."""
    table = release / "first.csv"
    header, *rows = read_csv(table)
    found = [dict(zip(header, row, strict=True)) for row in rows]
    for one in found:
        change(one)
    write_csv(table, [*found[0]], [tuple(one.values()) for one in found])
    path = release / "certificate.json"
    certificate = json.loads(path.read_text())
    own = fingerprint(table)
    certificate["table"] |= {"sha256": own.sha256, "bytes": own.bytes}
    path.write_text(json_text(certificate), "utf-8")
    return {check.check for check in verify(release).failed}


def first_only(change: Callable[[dict[str, str]], object]) -> Callable[[dict[str, str]], object]:
    """Change the first row that has an interval of ages."""
    left = [1]

    def once(row: dict[str, str]) -> None:
        if left and row["age_low"] and row["age_low"] != row["age_high"]:
            left.pop()
            change(row)

    return once


def test_the_release_is_what_its_policy_makes_by_hand(folder: Path) -> None:
    """Plain numbers and ISO dates, equal where one value is shown, and nothing where none is."""
    header, *rows = read_csv(folder / "out" / "first.csv")
    assert list(header) == RELEASED
    assert Counter(rows) == by_hand(
        folder / "out" / "policy.json", read_csv(folder / "first.csv")[1:]
    )
    assert any(row[0] == row[1] != "" for row in rows)
    assert any(row[4] == "" != row[5] for row in rows)
    for low, high in ((0, 1), (4, 5), (6, 7)):
        both = [(cell(row[low]), cell(row[high])) for row in rows if row[low]]
        assert all(one <= other for one, other in both)


def test_nothing_fails_as_it_was_written(release: Path) -> None:
    """The forger's own way changes nothing by itself."""
    assert rewritten(release, lambda _row: None) == set()


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("age_low", "23"),
        ("age_high", "57"),
        ("age_low", "999"),
        ("age_high", ""),
        ("age_low", "twenty"),
        ("age_low", "*"),
        ("age_high", " .. "),
    ],
)
def test_another_end_is_found(release: Path, name: str, text: str) -> None:
    """Also a low end above its high end, a missing end, and an invalid number."""
    failed = rewritten(release, first_only(lambda row: row.update({name: text})))
    assert {"age is generalized by its rule", "every group belongs to the policy"} & failed


def test_ends_that_change_places_are_found(release: Path) -> None:
    """Low is not above high."""
    swap = first_only(lambda row: row.update(age_low=row["age_high"], age_high=row["age_low"]))
    assert "age is generalized by its rule" in rewritten(release, swap)


@pytest.mark.parametrize("name", ["age_low", "visit_high", "sex"])
def test_a_column_that_is_gone_or_new_is_found(release: Path, name: str) -> None:
    """Half an interval is invalid."""
    assert "the columns match the policy" in rewritten(release, lambda row: row.pop(name))
    assert "the columns match the policy" in rewritten(release, lambda row: row.update(age="30"))


@pytest.mark.parametrize(
    "change",
    [
        lambda own: own.update(released_as="three columns"),
        lambda own: own["labels"].__setitem__(0, "1 .. 2"),
        lambda own: own["labels"].__setitem__(-1, own["labels"][0]),
        lambda own: own.update(order="texts", missing=[]),
    ],
)
def test_a_policy_whose_labels_are_no_ends_is_refused(
    folder: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    """Labels follow from the parts, so forgers cannot write others."""
    policy = json.loads((folder / "out" / "policy.json").read_text())
    before = json.dumps(policy)
    change(policy["recoding"]["attributes"][0])
    assert json.dumps(policy) != before
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(policy))
    ran = run("apply", path, folder / "first.csv", "--out", tmp_path / "out")
    assert ran.code not in (0, 70), ran.err
    assert not (tmp_path / "out").exists()


@pytest.mark.nightly
def test_the_next_extract_is_released_alike(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the folder alone: from a file, as a statement, and as Arrow, with types."""
    undrawn(monkeypatch)
    policy = folder / "out" / "policy.json"
    ran = run(
        *("apply", policy, folder / "next.csv", "--suppression", "0.9"),
        *("--unseen", "suppress", "--out", tmp_path / "out"),
    )
    assert ran.code == 0, ran.err
    assert "kept with * in every quasi-identifier and empty cells in interval columns" in ran.out
    header, *rows = read_csv(tmp_path / "out" / "next.csv")
    assert list(header) == RELEASED
    assert any(row[:8] == ("", "", "*", "*", "", "", "", "") for row in rows)
    assert Counter(rows) == by_hand(policy, read_csv(folder / "next.csv")[1:])
    assert run("verify", tmp_path / "out").code == 0
    applied = roadstead.apply(policy, folder / "next.csv", suppression=0.9, unseen="suppress")
    table = applied.to_arrow()
    kinds = dict(zip(table.schema.names, map(str, table.schema.types), strict=True))
    assert (kinds["age_low"], kinds["temp_high"]) == ("int64", "double")
    assert (kinds["visit_low"], kinds["sex"]) == ("date32[day]", "string")
    wanted = as_read(header, rows)
    assert counted(tuple(row.values()) for row in table.to_pylist()) == wanted
    relaxed = tmp_path / "policy.json"
    document = json.loads(policy.read_text())
    document["suppression"]["limit"] = 0.9
    relaxed.write_text(json_text(document), "utf-8")
    with duckdb.connect() as engine:
        engine.execute(f"CREATE TABLE t ({', '.join(f'{name} TEXT' for name in HEADER)})")
        engine.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", read_csv(folder / "next.csv")[1:]
        )
        found = engine.sql(as_sql(relaxed, table="t", unseen="suppress"))
        assert found.columns == RELEASED
        assert [str(kind) for kind in found.types][:2] == ["BIGINT", "BIGINT"]
        assert counted(found.fetchall()) == wanted


def counted(rows: Iterable[Iterable[Any]]) -> Counter[tuple[Any, ...]]:
    """Count rows of an engine as those of a file: numbers exactly, and no text as a missing one."""
    return Counter(
        tuple(
            Decimal(str(one))
            if isinstance(one, int | float)
            else one
            if one is not None or RELEASED[at].endswith(("_low", "_high"))
            else ""
            for at, one in enumerate(row)
        )
        for row in rows
    )


@pytest.mark.nightly
def test_an_engine_makes_the_same_table(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a table to a table; the recipient verifies it there."""
    undrawn(monkeypatch)
    with duckdb.connect(str(tmp_path / "t.duckdb")) as engine:
        engine.execute(
            "CREATE TABLE visits AS SELECT * FROM read_csv(?, all_varchar = true)",
            [str(folder / "first.csv")],
        )
    place = f"duckdb://{tmp_path}/t.duckdb?table="
    ran = run(
        *("anonymize", f"{place}visits", "--quasi", QUASI, "--identifiers", "name"),
        *("--unchanged", "diagnosis", *COLUMNS, "--into", f"{place}released"),
        *("--out", tmp_path / "out"),
    )
    assert ran.code == 0, ran.err
    assert run("verify", tmp_path / "out", "--table", f"{place}released").code == 0
    header, *rows = read_csv(folder / "out" / "first.csv")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as engine:
        found = engine.sql("SELECT * FROM released")
        assert counted(found.fetchall()) == as_read(header, rows)
        engine.execute("UPDATE released SET age_low = 23 WHERE age_low = 22")
    ran = run("verify", tmp_path / "out", "--table", f"{place}released")
    assert ran.code != 0
    assert "age is generalized by its rule" in ran.out


def test_what_cannot_be_is_refused_before_any_work(folder: Path, tmp_path: Path) -> None:
    """Labels of hierarchies have no ends, and no column gets the name of another."""
    table = folder / "first.csv"
    for kind in ("global", "cells", "local"):
        ran = run(
            *("anonymize", table, "--quasi", QUASI, "--intervals", "columns", "--recoding", kind)
        )
        assert ran.code != 0
        assert "only a recoding with intervals can have two columns per interval" in ran.error
    header = ["AGE_Low" if name == "name" else name for name in HEADER]
    write_csv(tmp_path / "t.csv", header, read_csv(table)[1:])
    asked = ("anonymize", tmp_path / "t.csv", "--identifiers", "AGE_Low", *COLUMNS)
    ran = run(*asked, "--quasi", QUASI)
    assert ran.code != 0
    assert "'age' would be released as 'age_low' and 'age_high'" in ran.error
    assert run(*asked, "--quasi", "sex,zip,visit").code == 0


@pytest.mark.nightly
def test_original_and_release_are_compared(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each record has the ends of its label as text; distances and losses are the same."""
    undrawn(monkeypatch)
    table = folder / "first.csv"
    ran = run(
        *("anonymize", table, "--quasi", QUASI, "--identifiers", "name"),
        *("--unchanged", "diagnosis", "--recoding", "intervals", "--search", "mondrian"),
        *("--out", tmp_path / "text"),
    )
    assert ran.code == 0, ran.err
    columns, *ends = read_csv(folder / "out" / "first.csv")
    header, *labels = read_csv(tmp_path / "text" / "first.csv")
    assert as_read(columns, ends) == in_two(header, labels, PAIRS)
    found = {}
    for release in (folder / "out", tmp_path / "text"):
        ran = run("evaluate", release, "--original", table, "--formula", "temp ~ sex", "--json")
        assert ran.code == 0, ran.err
        (found[release.name],) = ran.json["releases"]
    for figure in ("loss", "one_way", "two_way"):
        assert found["out"][figure] == pytest.approx(found["text"][figure])
    assert found["out"]["risk"] == found["text"]["risk"]


def test_a_project_says_it_and_persons_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The columns of a file without a header are named in its certificate as they are released."""
    undrawn(monkeypatch)
    rows = [(f"P{number // 2}", *row[1:3], row[6]) for number, row in enumerate(visits(200, 3))]
    write_csv(tmp_path / "bare.csv", None, rows)
    (tmp_path / "project.toml").write_text(
        """
        data = "bare.csv"
        reading = {header = false}
        roles = {quasi = ["column_2", "column_3"], unchanged = ["column_4"], person = "column_1"}
        search = {recoding = "intervals", intervals = "columns", search = "mondrian"}
        """
    )
    out = tmp_path / "out"
    ran = run("anonymize", "--project", tmp_path / "project.toml", "--out", out)
    assert ran.code == 0, ran.err
    certificate = json.loads((out / "certificate.json").read_text())
    columns = ["column_2_low", "column_2_high", "column_3", "column_4"]
    assert certificate["format"]["columns"] == columns
    assert len(read_csv(out / "bare.csv")[0]) == 4
    assert verify(out).passed
