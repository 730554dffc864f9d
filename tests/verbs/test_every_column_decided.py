"""No column is released by oversight."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from commands import run, undrawn
from pyarrow import parquet

import roadstead as rs
from roadstead.errors import RoleError

QUASI = ("age", "sex", "zip")
RECORDS = 2_000
SECRET = ("ssn", "next_of_kin_phone")


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let charts be left out: they take longer to draw than all else together."""
    undrawn(monkeypatch)


def patients() -> dict[str, list[str]]:
    """Patients with a number of social security and a telephone number in 19 of 100 records."""
    chance = random.Random(19)  # noqa: S311 - no secret
    filled = [chance.random() < 0.19 for _ in range(RECORDS)]
    numbers = [f"{i % 564 + 101}-{i % 89 + 10}-{i + 1001}" for i in range(RECORDS)]
    phones = [f"({i % 700 + 201}) {i % 780 + 210}-{i + 2001}" for i in range(RECORDS)]
    return {
        "age": [str(chance.randint(20, 80)) for _ in range(RECORDS)],
        "sex": [chance.choice("FM") for _ in range(RECORDS)],
        "zip": [str(78700 + chance.randint(0, 40)) for _ in range(RECORDS)],
        "ssn": [n if full else "" for n, full in zip(numbers, filled, strict=True)],
        "next_of_kin_phone": [p if full else "" for p, full in zip(phones, filled, strict=True)],
        "answer": [chance.choice(("agree", "differ", "skip")) for _ in range(RECORDS)],
    }


def with_column(name: str, values: list[Any]) -> pa.Table:
    """Give the patients without their secrets, and with one more column."""
    table = {key: cells for key, cells in patients().items() if key not in SECRET}
    return pa.table({**table, name: values})


def csv_of(folder: Path, table: dict[str, list[str]]) -> Path:
    """Write a table as CSV."""
    path = folder / "patients.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def test_what_nobody_named_and_looks_like_an_identifier_stays(tmp_path: Path) -> None:
    """Numbers that are mostly blank are withheld from CSV and pandas, with the reason.

    Fault class: a forgotten column.
    """
    path = csv_of(tmp_path, patients())
    for place, data in (("csv", path), ("pandas", pd.read_csv(path))):
        result = rs.anonymize(data, quasi=QUASI, undecided="release")
        out = tmp_path / place
        assert result.write(out).passed
        table = next(f for f in out.iterdir() if f.suffix in {".csv", ".parquet"})
        read = pd.read_csv(table) if table.suffix == ".csv" else pd.read_parquet(table)
        assert list(read.columns) == [*QUASI, "answer"]
        told = result.to_dict()
        assert set(told["withheld"]) == set(SECRET)
        assert told["withheld_because"]["ssn"]["identifiers"] == [7]
        assert 'release_anyway=["ssn"]' in told["withheld_because"]["ssn"]["decide"]
        assert told["released_without_a_role"] == ["answer"]
        assert "Withheld: 2 columns that you did not name for release." in str(result)
        assert str(result).endswith('release_anyway=["ssn", "next_of_kin_phone"]')


@pytest.mark.nightly
def test_what_is_chosen_on_a_frontier_releases_no_forgotten_column(tmp_path: Path) -> None:
    """The same net hangs below every verb that releases columns.

    Fault class: a forgotten column.
    """
    found = rs.frontier(pa.table(patients()), quasi=QUASI, search="steepest")
    release = found.choose(0, reason="These are made-up people of a test")
    assert release.write(tmp_path / "release").passed
    columns = parquet.read_table(tmp_path / "release" / "release.parquet").column_names
    assert columns == list(QUASI)
    assert set(release.to_dict()["withheld"]) == {*SECRET, "answer"}
    with pytest.raises(RoleError, match=r'release_anyway=\["ssn"\]'):
        rs.frontier(pa.table(patients()), quasi=QUASI, unchanged=["ssn"])


@pytest.mark.parametrize("role", ["sensitive", "unchanged"])
def test_a_role_does_not_release_what_safe_harbor_removes(role: str, tmp_path: Path) -> None:
    """The request is refused before the search, with the column, the identifier and the way.

    Fault class: a role that overrules a detector.
    """
    path = csv_of(tmp_path, patients())
    done = run("anonymize", path, "--quasi", "age,sex,zip", f"--{role}", "ssn")
    assert done.code == 2
    line = done.error
    for word in ("'ssn'", role, "social security numbers", "--release-anyway ssn", "--identifiers"):
        assert word in line


def test_what_is_released_by_name_is_told_everywhere(tmp_path: Path) -> None:
    """Terminal, JSON, certificate, policy, and a red band at the top of the report."""
    result = rs.anonymize(pa.table(patients()), quasi=QUASI, release_anyway=["ssn"])
    assert str(result).startswith(
        "Warning: this column is released anyway, although HIPAA Safe Harbor requires removal: ssn"
    )
    told = result.to_dict()
    assert told["released_by_name"] == ["ssn"]
    (one,) = told["released_identifiers"]
    assert (one["column"], one["number"], one["forced"]) == ("ssn", 7, True)
    out = tmp_path / "release"
    assert result.write(out).passed
    assert "ssn" in parquet.read_table(out / "release.parquet").column_names
    certificate = json.loads((out / "certificate.json").read_text("utf-8"))
    assert certificate["policy"]["columns"]["forced"] == ["ssn"]
    (certified,) = certificate["identifiers"]
    assert certified == {"column": "ssn", "number": 7, "objection": None, "forced": True}
    page = (out / "report.html").read_text("utf-8")
    band, done = page.index('class="alarm"'), page.index('id="done"')
    assert band < page.index("<strong>ssn</strong>") < done


def test_a_date_that_was_declared_is_refused_until_it_is_released_by_name(tmp_path: Path) -> None:
    """Dates reveal people under any role: with its name under release, a red band shows it."""
    days = [f"2024-0{i % 9 + 1}-1{i % 9}" for i in range(RECORDS)]
    table = with_column("seen_on", days)
    with pytest.raises(RoleError, match="are dates") as caught:
        rs.anonymize(table, quasi=QUASI, unchanged=["seen_on"])
    assert set(caught.value.refused) == {"seen_on"}
    result = rs.anonymize(table, quasi=QUASI, release_anyway=["seen_on"])
    assert str(result).startswith(
        "Warning: this column is released anyway, although HIPAA Safe Harbor requires removal"
    )
    result.write(tmp_path / "release")
    assert 'class="alarm"' in (tmp_path / "release" / "report.html").read_text("utf-8")
    assert not rs.anonymize(table, quasi=QUASI).decided.released_identifiers


def test_the_report_answers_for_each_of_the_eighteen(tmp_path: Path) -> None:
    """Found with what became of the column, not found, or not assessed."""
    rs.anonymize(pa.table(patients()), quasi=QUASI).write(tmp_path / "release")
    page = (tmp_path / "release" / "report.html").read_text("utf-8")
    listed = page[page.index('id="checklist"') : page.index('id="method"')]
    assert listed.count('<th scope="row">') == 18
    assert "ssn: withheld" in listed
    assert "zip: quasi-identifier" in listed
    assert "not assessed" in listed


def test_the_checklist_of_a_release_is_that_of_the_scan() -> None:
    """Also for what the values of withheld and generalized columns hold, as text or as codes."""
    chance = random.Random(5)  # noqa: S311 - no secret
    areas = ("02139", "10001", "60601", "94105", "73301", "33101", "98101", "48201", "37203")
    notes = (
        lambda i: f"MRN {i:08d} transferred",
        lambda i: f"Frau Vollrath, call 713-555-{1_000 + i}",
        lambda i: f"seen on {i % 12 + 1:02d}/{i % 28 + 1:02d}/2024",
        lambda _: "stable at discharge",
    )
    table = pa.table(
        {
            "sex": [chance.choice("FM") for _ in range(RECORDS)],
            "area": [chance.choice(areas) for _ in range(RECORDS)],
            "note": [notes[i % 4](i) for i in range(RECORDS)],
        }
    )
    scanned = {line.number: line.columns for line in rs.scan(table).checklist}
    release = rs.anonymize(table, quasi=["sex", "area"], identifiers=["note"])
    listed = {line["number"]: tuple(line["columns"]) for line in release.to_dict()["checklist"]}
    assert listed == scanned
    assert [number for number, columns in listed.items() if "note" in columns] == [1, 3, 4, 8]


TYPED: dict[str, list[Any]] = {
    "numbers as floats": [float(123456789 + 7919 * i) if i % 5 == 0 else None for i in range(2000)],
    "a struct": [{"kind": "kin", "name": "Ada"} for _ in range(2000)],
    "bytes": [b"\x00face" for _ in range(2000)],
    "a list of numbers": [[f"{100000 + i}"] for i in range(2000)],
    "a measurement of its own": [50 + i / 1000 for i in range(2000)],
    "nearly empty": ["Lou Gehrig" if i < 2 else "" for i in range(2000)],
    "placeholders": [f"Q{i * 37}" if i % 25 == 0 else "N/A" for i in range(2000)],
    "notes": [
        f"Seen by the wife, Mrs. Maria Lopez, on ward {i % 3}, who brought the old papers along"
        for i in range(2000)
    ],
    "days": [pd.Timestamp("2024-01-01") + pd.Timedelta(days=i % 300) for i in range(2000)],
}


@pytest.mark.quick(4)
@pytest.mark.parametrize("what", TYPED)
def test_a_forgotten_column_of_any_type_stays(what: str) -> None:
    """Whatever the type, and however few have a value. Fault class: a forgotten column."""
    table = with_column("extra", TYPED[what])
    result = rs.anonymize(table, quasi=QUASI, undecided="release")
    assert set(result.withheld) == {"extra"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["SSN", "Ssn", "PatientSSN"])
def test_upper_case_hides_no_identifier(name: str) -> None:
    """Names of columns are read in any case. Fault class: a forgotten column."""
    result = rs.anonymize(with_column(name, patients()["ssn"]), quasi=QUASI)
    assert result.to_dict()["withheld_because"][name]["identifiers"] == [7]


def test_columns_that_tell_apart_only_together_are_told() -> None:
    """Two columns of forty harmless values each: neither is rare, and both together are."""
    extra = {"left": [f"L{i % 40}" for i in range(RECORDS)]}
    extra["right"] = [f"R{i // 50}" for i in range(RECORDS)]
    table = {key: cells for key, cells in patients().items() if key not in SECRET}
    result = rs.anonymize(pa.table({**table, **extra}), quasi=QUASI, undecided="release")
    assert {"left", "right"} <= set(result.decided.unnamed)
    added = result.to_dict()["released_columns_add"]
    assert added["together"]["unique"] > 1.5 * added["columns"]["left"]["unique"]
    said = str(result)
    assert "an attacker who also knows" in said
    assert "answer, left, right" in said


def test_a_column_to_be_predicted_counts_as_named() -> None:
    """A user who names the target of the classification metric wants to release it."""
    wards = [f"W{i % 4}" for i in range(RECORDS)]
    table = with_column("diagnosis", wards)
    result = rs.anonymize(table, quasi=QUASI, quality="classification", target="diagnosis")
    assert result.policy.columns.sensitive == ("diagnosis",)


def test_a_policy_is_not_applied_to_a_column_that_became_an_identifier(tmp_path: Path) -> None:
    """Next month's file may hold something else under the same name.

    Fault class: a released column that changes its meaning.
    """
    policy = rs.anonymize(
        with_column("extra", ["a", "b"] * (RECORDS // 2)), quasi=QUASI, unchanged=["extra"]
    ).policy
    later = with_column("extra", patients()["ssn"])
    with pytest.raises(RoleError, match=r'column .extra.*release_anyway=\["extra"\]'):
        rs.apply(policy, later)
    result = rs.apply(policy, later, release_anyway=["extra"])
    assert result.policy.columns.forced == ("extra",)
    assert str(result).startswith("Warning: this column is released anyway")
    assert result.write(tmp_path / "release").passed


def test_texts_of_json_are_withheld_as_values_with_parts() -> None:
    """Even a few texts are enough. Fault class: a name inside a cell that is not checked."""
    cells = [json.dumps({"name": f"Zyx{i % 9}", "stage": i % 3}) for i in range(RECORDS)]
    result = rs.anonymize(with_column("payload", cells), quasi=QUASI)
    assert result.to_dict()["withheld_because"]["payload"]["why"] == "nested"


@pytest.mark.nightly
def test_all_columns_released_without_a_role_are_listed() -> None:
    """None hides behind "and 3 more". Fault class: a list that is cut where it matters."""
    chance = random.Random(4)  # noqa: S311 - no secret
    more = {f"answer_{i}": [chance.choice("abc") for _ in range(RECORDS)] for i in range(20)}
    table = {key: cells for key, cells in patients().items() if key not in SECRET}
    made = rs.anonymize(pa.table({**table, **more}), quasi=QUASI, undecided="release")
    told = str(made).splitlines()
    (line,) = (line for line in told if line.startswith("Released without a role"))
    assert all(f" {name}" in line for name in more)


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", ["SSN", "ssn ", "s\u200bsn", "\uff53\uff53\uff4e", "s\u0455n"])
def test_a_removed_column_under_a_name_that_looks_the_same_is_found_out(
    tmp_path: Path, name: str
) -> None:
    """A recipient reads the name as that of the removed column."""
    table = pa.table({key: cells for key, cells in patients().items() if key != SECRET[1]})
    out = tmp_path / "out"
    rs.anonymize(table, quasi=QUASI, identifiers=["ssn"], unchanged=["answer"]).write(out)
    path = out / "release.parquet"
    parquet.write_table(
        parquet.read_table(path).append_column(name, pa.array(range(RECORDS))), path
    )
    (failed,) = (
        one for one in rs.verify(out).failed if one.check == "no direct identifier is released"
    )
    assert "is in the table" in failed.detail
