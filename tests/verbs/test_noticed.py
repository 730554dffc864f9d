"""What was noticed in the values of a column reaches every output, without rare values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import roadstead
from roadstead.policies.recodings.document import RecodingKind


@pytest.fixture
def ages(tmp_path: Path) -> Path:
    """Ages with a frequent value that is not a number, and a rare value, which is a name."""
    path = tmp_path / "ages.csv"
    rows = [*(f"{'FM'[age % 2]},{20 + age % 60}" for age in range(300)), *["F,unknown"] * 12]
    path.write_text("\n".join(["sex,age", *rows, "M,Jane Roe", ""]), encoding="utf-8")
    return path


def test_values_that_are_not_numbers_are_counted_everywhere(ages: Path) -> None:
    """Outputs count all of them, and do not show a value that fewer than k records have."""
    found = roadstead.anonymize(ages, quasi=["sex", "age"], k=5)
    said = found.noticed[0]
    assert said.startswith("13 of 313 values of age are not numbers")
    assert "'unknown' (12)" in said
    assert "1 other value that fewer than 5 records have" in said
    scanned = {one.name: one.warning for one in roadstead.scan(ages).columns}
    assessed = roadstead.risk(ages, quasi=["sex", "age"])
    frontier = roadstead.frontier(ages, quasi=["sex", "age"], search="exact")
    texts = [
        *(said, str(found), str(found.to_dict())),
        *(scanned["age"], " ".join(assessed.notes), " ".join(frontier.notes)),
    ]
    for text in texts:
        assert "13 of 313 values of age are not numbers" in text
        assert "Jane" not in text


def test_the_report_contains_no_count_of_the_original_values(tmp_path: Path) -> None:
    """Fault class: the difference from the release showed what the suppressed people are."""
    path = tmp_path / "t.csv"
    born = [f"19{40 + at % 50}-03-01" for at in range(300)]
    rows = [f"{20 + at % 60},{day},2024-0{1 + at % 9}-05" for at, day in enumerate(born)]
    odd = ["unknown,1950-01-01,2024-01-05"] * 12 + ["Roe,1951-01-01,2024-01-05"]
    odd += ["97,1920-01-01,2031-01-05", "5 months,01.02.1960,2024-01-05"]
    path.write_text("\n".join(["age,birth_date,admit_date", *rows, *odd, ""]), encoding="utf-8")
    found = roadstead.anonymize(path, quasi=["age", "birth_date", "admit_date"], k=5)
    own, shared = " ".join(found.noticed), " ".join(found.content.notes)
    for said in (
        "13 of 315 values of age are not numbers: 'unknown' (12), 1 other value",
        *("1 of 315 records have a value over 89", "1 of 315 values of admit_date is after"),
    ):
        assert said in own
    assert not re.search(r"of 315|[Ff]ewer than|--missing|over 89", shared)


@pytest.mark.parametrize("old", [1, 20])
def test_the_report_describes_only_bands_with_released_records(old: int) -> None:
    """With one old person, who is suppressed, it does not mention the band."""
    rows = [("1960-02-03", "50")] * 60 + [("1970-02-03", "40")] * 60 + [("1925-01-01", "97")] * old
    born, ages = (list(own) for own in zip(*rows, strict=True))
    found = roadstead.anonymize(
        {"birth_date": born, "age": ages}, quasi=["birth_date", "age"], k=5, suppression=0.1
    )
    own, shared = " ".join(found.noticed), " ".join(found.content.notes)
    assert "over 89" in own
    for said in (
        "Early births in birth_date are in one band at every level: before 1940.",
        "Ages over 89 in age are in the band 90+ at every level",
    ):
        assert (said in shared) == (old > 1)


def test_nothing_is_noticed_in_a_column_without_values(tmp_path: Path) -> None:
    """Such as a column that a source has for values that none of its records has."""
    path = tmp_path / "empty.csv"
    rows = [f"{'FM'[at % 2]},," for at in range(40)]
    path.write_text("\n".join(["sex,birth_date,age", *rows, ""]), encoding="utf-8")
    assert roadstead.anonymize(path, quasi=["sex", "birth_date", "age"], k=5).noticed == ()
    assert {one.warning for one in roadstead.scan(path).columns} == {""}


def test_a_value_of_one_person_is_not_shown_however_many_records_have_it(tmp_path: Path) -> None:
    """In any output of a release that counts people; fault class: records counted as people."""
    path = tmp_path / "visits.csv"
    rows = [f"{'FM'[at % 2]},{20 + at % 50},{at % 50}" for at in range(300)]
    odd = (
        ["F,Roe,60"] * 9
        + ["F,777,61"] * 9
        + ["M,> 95,62"] * 9
        + [f"M,unknown,{at}" for at in range(6)]
    )
    path.write_text("\n".join(["sex,age,person", *rows, *odd, ""]), encoding="utf-8")
    quasi = ["sex", "age"]
    found = roadstead.anonymize(path, quasi=quasi, person="person", k=5)
    assessed = roadstead.risk(path, quasi=quasi, person="person")
    frontier = roadstead.frontier(path, quasi=quasi, person="person", search="exact")
    notes = [*found.noticed, *found.content.notes, *assessed.notes, *frontier.notes]
    said = " ".join(notes)
    assert "'unknown' (6), 1 other value that fewer than 5 people have" in said
    assert not {"Roe", "777", "95"} & set(re.findall(r"\w+", said))


@pytest.mark.quick(1)
@pytest.mark.parametrize("recoding", ["intervals", "cells", "local"])
def test_ranges_that_became_dates_have_their_place_in_every_recoding(
    recoding: RecodingKind, tmp_path: Path
) -> None:
    """14-Oct is between 5-9 and 15-19, also in the intervals that a policy names."""
    groups = ["<5", "5-9", "14-Oct", "15-19", "20-24", "25-29", "30+"]
    rows = [(groups[at % 7], f"{at % 11:02}", "ab"[at % 2]) for at in range(150)]
    names = ("group", "ward", "result")
    table = {name: list(cells) for name, cells in zip(names, zip(*rows, strict=True), strict=True)}
    made = roadstead.anonymize(
        table, quasi=["group", "ward"], unchanged=["result"], k=8, recoding=recoding, time_limit=2
    )
    assert made.write(tmp_path / "release").passed
    assert "14-Oct looks like an age group" in " ".join(made.noticed)
