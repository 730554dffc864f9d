"""Without a person ID column, no figure of records reads as a figure of people."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from commands import run

import roadstead as rs

RECORDS = "This counts records, not people."
QUASI = ["sex", "age"]


def first_lines(result: object) -> list[str]:
    """Give the lines that every user sees, after a warning."""
    return [line for line in str(result).split("\n") if not line.startswith("Warning")][:3]


def says_it_early(result: object) -> bool:
    """Whether one of the first lines says what was counted."""
    return any(line.startswith(RECORDS) for line in first_lines(result))


@pytest.fixture
def table() -> pa.Table:
    """Visits without a person ID."""
    return pa.table({"sex": ["F", "M"] * 20, "age": [20 + at // 10 for at in range(40)]})


def test_an_anonymization_says_it_on_the_screen_the_page_and_in_json(
    table: pa.Table, tmp_path: Path
) -> None:
    """In the first lines of each."""
    result = rs.anonymize(table, quasi=QUASI, k=2)
    assert says_it_early(result)
    assert result.to_dict()["counted"]["unit"] == "records"
    result.write(tmp_path / "release")
    page = (tmp_path / "release" / "report.html").read_text(encoding="utf-8")
    assert page.index(RECORDS) < page.index("Suppressed")
    assert RECORDS in result._repr_html_()


def test_an_applied_policy_says_it(table: pa.Table) -> None:
    """Also of a table that the policy was not made for."""
    result = rs.apply(rs.anonymize(table, quasi=QUASI, k=2).policy, table)
    assert says_it_early(result)
    assert result.to_dict()["counted"]["unit"] == "records"
    assert result.content.counted.startswith(RECORDS)


def test_an_assessment_of_risk_says_it(table: pa.Table, tmp_path: Path) -> None:
    """A share of records is not a share of people."""
    found = rs.risk(table, quasi=QUASI)
    assert says_it_early(found)
    assert found.to_dict()["counted"]["unit"] == "records"
    found.write(tmp_path / "risk")
    assert RECORDS in (tmp_path / "risk" / "risk.html").read_text(encoding="utf-8")


def test_a_frontier_says_it(table: pa.Table, tmp_path: Path) -> None:
    """Its risks are of records."""
    found = rs.frontier(table, quasi=QUASI, search="exact")
    assert says_it_early(found)
    assert found.to_dict()["counted"]["unit"] == "records"
    found.write(tmp_path / "frontier")
    assert RECORDS in (tmp_path / "frontier" / "frontier.html").read_text(encoding="utf-8")


def test_a_verified_table_says_it(tmp_path: Path) -> None:
    """It has no certificate that would."""
    path = tmp_path / "visits.csv"
    path.write_text("sex,pid\n" + "F,1\nM,2\nF,1\nM,3\n" * 5, encoding="utf-8")
    done = run("verify", path, "--quasi", "sex", "--k", "2")
    assert "The column pid looks like a person ID" in done.out
    told = run("verify", path, "--quasi", "sex", "--k", "2", "--json").json["counted"]
    assert (told["unit"], told["look_like_persons"]) == ("records", ["pid"])


@pytest.mark.parametrize("verb", ["anonymize", "risk", "frontier"])
def test_a_column_that_repeats_like_a_key_is_named(verb: str, table: pa.Table) -> None:
    """In each command that could count people; the column's values are not shown."""
    visits = table.append_column("pid", pa.array([f"secret{at % 20}" for at in range(40)]))
    more = {"search": "exact"} if verb == "frontier" else {}
    found = getattr(rs, verb)(visits, quasi=QUASI, **more)
    assert any('To count people, use person="pid"' in line for line in first_lines(found))
    assert "secret" not in str(found)
