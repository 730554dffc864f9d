"""Groups that have only one sensitive value are counted, and a user reads this first."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pyarrow as pa
import pytest
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs

ROWS = st.lists(
    st.tuples(st.sampled_from("01234"), st.sampled_from(("neg", "pos", "", " ", None))),
    min_size=4,
    max_size=40,
)
HIV = [("0", "pos"), ("0", "pos"), ("0", ""), ("1", "pos"), ("1", "neg"), ("1", "neg")]


@given(ROWS)
@examples(40)
def test_groups_with_one_value_are_counted(rows: list[tuple[str, str | None]]) -> None:
    """Against a count in Python, with suppressed records as a group if they are kept."""
    frame = pd.DataFrame(rows, columns=["place", "hiv"])
    made = rs.anonymize(
        frame, quasi=["place"], sensitive=["hiv"], k=2, suppression=1.0, max_level={"place": 0}
    )
    places = [row[0] for row in rows]
    groups: dict[str, list[str]] = defaultdict(list)
    for place, value in rows:
        if places.count(place) >= 2 or made.draft.counts.masked:
            groups[place if places.count(place) >= 2 else "*"].append((value or "").strip())
    one = [group for group in groups.values() if len(set(group) - {""}) == 1]
    found = [one.to_dict() for one in made.shared_values]
    expected = {
        "column": "hiv",
        "groups": len(one),
        "records": sum(map(len, one)),
        "of_groups": len(groups),
        "of_records": sum(map(len, groups.values())),
    }
    assert found == ([expected] if one else [])
    assert ("only one value of hiv" in str(made)) == bool(one)
    counted = bool(one and made.draft.counts.masked)
    assert ("consists of the suppressed records" in " ".join(made.content.notes)) == counted
    assert made.to_dict()["shared_sensitive_values"] == found


@given(ROWS, st.sampled_from(("mask", "drop")))
@examples(20)
def test_a_text_file_gives_the_counts_of_a_table_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str | None]],
    suppressed: Literal["mask", "drop"],
) -> None:
    """A text file is counted in DuckDB's SQL, and a table in memory with Ibis.

    Fault class: two queries for one figure that count blanks or suppressed records in two ways.
    """
    path = tmp_path_factory.mktemp("counts") / "hiv.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([("place", "hiv", "note"), *((*row, row[1]) for row in rows)])
    place, hiv = [row[0] for row in rows], [row[1] or None for row in rows]
    frame = pa.table({"place": place, "hiv": hiv, "note": hiv})
    one, other = (
        rs.anonymize(
            data,
            quasi=["place"],
            sensitive=["hiv"],
            unchanged=["note"],
            k=2,
            suppression=1.0,
            suppressed=suppressed,
            max_level={"place": 0},
        )
        for data in (path, frame)
    )
    assert one.shared_values == other.shared_values
    assert one.added == other.added


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with two groups, one of which has one value and a blank."""
    path = tmp_path / "hiv.csv"
    path.write_text("\n".join(["place,hiv_status", *map(",".join, HIV), ""]))
    return path


def test_the_output_and_the_report_warn(table: Path) -> None:
    """On the command line, and when the policy is applied; not if a model protects the column."""
    out = table.parent / "release"
    common = [str(table), "--quasi", "place", "--sensitive", "hiv_status", "--k", "3"]
    said = run("anonymize", *common, "--out", str(out)).out
    warning = "1 of 2 groups (50% of the records: 3 of 6) has only one value of hiv_status"
    assert warning in said
    model = "distinct-l-diversity:column=hiv_status,l=2"
    assert f"use --privacy {model}" in said
    assert warning in (out / "report.html").read_text()
    again = run(
        "apply", str(out / "policy.json"), str(table), "--out", str(table.parent / "again")
    ).out
    assert warning in again
    protected = run("anonymize", *common, "--privacy", model, "--suppression", "1").out
    assert "only one value" not in protected


@pytest.mark.quick(1)
@pytest.mark.parametrize("knows", [1, 2, "all"])
def test_the_count_of_one_known_row_is_named_as_such(
    knows: Literal[1, 2, "all"], tmp_path: Path
) -> None:
    """Whoever knows two rows of a person can learn more than is counted."""
    rows = [
        (f"p{number}", str(row), ("pos", "neg")[number % 2 and row > 0])
        for number in range(8)
        for row in range(3)
    ]
    asked: dict[str, Any] = {
        "data": pd.DataFrame(rows, columns=["who", "place", "hiv"]),
        "quasi": ["place"],
        "sensitive": ["hiv"],
        "person": "who",
        "link": "none" if knows == 1 else "pseudonym",
        "knows": knows,
        "k": 2,
    }
    made = rs.anonymize(**asked, max_level={"place": 0})
    (advice,) = re.findall(r"To require two values in each group, use (.*)\.", str(made))
    assert advice.startswith('knows="all" and privacy') == (knows == 2)
    model = {"kind": "distinct-l-diversity", "column": "hiv", "l": 2}
    advised = {"privacy": [model], **({"knows": "all"} if knows == 2 else {})}
    assert not rs.anonymize(**{**asked, **advised}).shared_values
    made.write(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    words: dict[object, str] = {
        1: "",
        2: "knows any two rows of a person",
        "all": "knows all rows of a person",
    }
    for text in (str(made), page):
        assert "1 of 3 groups" in text
        assert ("The count is for an attacker who knows one row" in text) == (knows != 1)
        assert words[knows] in text


def test_a_scan_says_that_k_does_not_protect_the_values(table: Path) -> None:
    """Where a role for the column is proposed."""
    said = run("scan", str(table), "--out", str(table.parent / "p.toml")).out
    assert "k-anonymity does not protect the values of hiv_status" in said
