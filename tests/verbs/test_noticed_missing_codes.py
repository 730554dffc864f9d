"""Values that may mean "missing" are proposed, and real extremes are not."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from roadstead import read, risk, scan
from roadstead.reports.noticed.column_values import ColumnValues
from roadstead.reports.noticed.missing_codes import missing_codes


def _said(values: Sequence[object], name: str = "age") -> list[str]:
    records = Counter(map(str, values))
    frequent = {value for value, many in records.items() if many >= 5}
    return [*missing_codes(ColumnValues(name, records, frequent, "fewer than 5 records"))]


def _ages(many: int = 400) -> list[int]:
    made = random.Random(2)  # noqa: S311 - reproducible test data
    return [made.randrange(18, 90) for _ in range(many)]


@pytest.mark.parametrize(
    ("codes", "proposed"),
    [
        ([999] * 23, ["age=999"]),
        ([-9] * 6, ['age=-9"']),  # nearer to 18 than 90 is, but negative
        ([-9, -3] * 6, []),
        ([-999] * 6 + [998] * 7 + [999] * 8, ["age=-999", "age=998", "age=999"]),
        ([300] * 9, ["age=300"]),
        ([999] * 4, []),  # fewer than five records
        ([110] * 9, []),
    ],
)
def test_numbers_far_from_all_others(codes: list[int], proposed: list[str]) -> None:
    said = " ".join(_said([*_ages(), *codes]))
    assert sorted(
        one for one in ('age=-9"', "age=-999", "age=300", "age=998", "age=999") if one in said
    ) == (sorted(proposed))
    if codes == [999] * 23:
        assert said == (
            "23 values of age are 999, far from all other values: if 999 means missing, use "
            'missing=["age=999"].'
        )


def test_codes_after_categories() -> None:
    assert "marital=9" in _said([1, 2, 3, 4, 9] * 40, "marital")[0]
    assert _said([1, 2, 3, 4, 5] * 40, "marital") == []
    assert _said([0, 1, 8] * 40, "dose") == []
    assert _said([*range(21)] * 20, "cigs") == []


def test_a_long_tail_is_not_a_code() -> None:
    made = random.Random(7)  # noqa: S311 - reproducible test data
    incomes = [round(made.lognormvariate(10, 1)) for _ in range(5000)]
    assert _said(incomes, "income") == []
    assert _said([*incomes, *[max(incomes) * 2] * 6], "income") == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("deaths", [*range(0, 60_000, 997), *[15_900_000] * 44, *[20_000_000] * 89]),
        ("provnum", [*(f"0{30_001 + at}" for at in range(60)), *["032000"] * 38]),
        ("population", [*range(500_000, 900_000, 9_000), *[313_914_040] * 20]),
        ("years_since_joining", [*range(52), *[115] * 14]),
        ("visitdy", [14, 28, 42, 56, 84, 112, 140, 168, 182, -7] * 30),
        ("sbase", [-30, -8, 8] * 400),
    ],
)
def test_real_values_are_not_codes(name: str, values: list[object]) -> None:
    """Cases from the data sets of R. Fault class: 12 of 41 proposals were false."""
    assert _said(values, name) == []


def test_codes_of_data_sets_are_still_found() -> None:
    """The true proposals of the same data sets."""
    for name, values in (
        ("kids", [*[*range(11)] * 9, *[98] * 73, *[99] * 45]),
        ("pct", [0, 17, 33, 50, 67, 83, 100, 999] * 12),
        ("ady", [*[13] * 12, *[43] * 16, *[-99] * 28]),
        ("child_care", [*[*range(1, 40)] * 3, *[150, 168], *[-99] * 217]),
        ("pressure", [*[*range(60, 80)] * 5, *[0] * 35]),
    ):
        code = "0" if name == "pressure" else str(values[-1])
        assert f"{name}={code}" in " ".join(_said(values, name))


def test_dates_of_programs() -> None:
    days = [f"19{20 + at % 80}-0{1 + at % 9}-1{at % 10}" for at in range(400)]
    assert _said(days, "birth") == []
    said = " ".join(_said([*days, *["9999-12-31"] * 5, *["1900-01-01"] * 60], "birth"))
    assert "birth=9999-12-31" in said
    assert "birth=1900-01-01" in said


def test_words_and_namibia() -> None:
    assert "'ward=.'" in _said([*"AB" * 20, *"." * 6], "ward")[0].replace('"', "'")
    assert "race=Refused" in _said([*["White"] * 9, *["Refused"] * 6], "race")[0]
    assert _said([*["White"] * 9, *["Refused"] * 4], "race") == []
    countries = ["ZA", "DE", "FR", "US", "BW", "AO", "ZM"] * 9
    assert "Namibia" in _said([*countries, *["NA"] * 7], "country")[0]
    assert "Namibia" not in _said([*"AB" * 20, *["NA"] * 7], "ward")[0]


def test_a_label_says_what_a_code_means() -> None:
    """A far code with another label is no finding; a code of refusals is one, by its code."""
    records = {"1": 900, "2": 900, "3": 700, "4": 200, "96": 150, "99": 40}
    labels = {"1": "Catholic", "2": "Protestant", "3": "Muslim", "4": "None", "96": "Other"}

    def said(label: str) -> list[str]:
        own = {**labels, "99": label}
        return [*missing_codes(ColumnValues("V130", records, records, "", labels=own))]

    assert said("Another") == []
    (line,) = said("Refused")
    assert line.startswith("40 values of V130 are 99 = Refused")
    assert "V130=99" in line


def test_a_code_of_one_column_is_proposed_in_the_others(tmp_path: Path) -> None:
    """Fault class: -999 was proposed for weights, but not for smoking, nor in two ZIP codes."""
    rows = [f"{60 + at * 7 % 40},{at % 3},4321{at % 8},{at * 13 % 90}" for at in range(400)]
    rows += ["-999,-999,-999,-999"] * 2 + ["-999,-999,NA,5"] * 4
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(["weight,smoking,zip,shift", *rows, ""]), encoding="utf-8")
    proposed = {one.name: one.warning for one in scan(path).columns}
    assert "6 values of weight are -999, far from all other values" in proposed["weight"]
    also = "which may also mean missing in weight: if -999 means missing, use"
    for name, many in (("smoking", 6), ("zip", 2), ("shift", 2)):
        assert f"{many} values of {name} are -999, {also}" in proposed[name]
        assert proposed[name].count(f"{name}=-999") == 1
    assert "4 values of zip are NA: if NA means missing" in proposed["zip"]
    assert "fewer than 5" not in proposed["zip"]
    named = risk(path, quasi=["weight", "zip"]).notes
    assert any(f"2 values of zip are -999, {also}" in one for one in named)
    again = scan(read(path, missing=["-999", "NA"]))
    assert not any("missing" in one.warning for one in again.columns)


def test_a_number_among_the_values_of_another_column_is_not_a_code(tmp_path: Path) -> None:
    rows = [f"{20 + at % 60},{at % 1500}" for at in range(3000)] + ["999,40"] * 9
    (tmp_path / "ages.csv").write_text("\n".join(["age,dose", *rows, ""]), encoding="utf-8")
    proposed = {one.name: one.warning for one in scan(tmp_path / "ages.csv").columns}
    assert "age=999" in proposed["age"]
    assert "999" not in proposed["dose"]
