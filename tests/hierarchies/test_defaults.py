"""Hierarchies proposed from a column's values."""

from __future__ import annotations

import csv
import gzip
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.defaults import Meaning, default_hierarchy, propose
from roadstead.tables.identifiers.vocabulary import meaning as by_name


def _integers(first: int, last: int) -> list[str]:
    return [str(number) for number in range(first, last + 1)]


@pytest.mark.parametrize(
    ("values", "spec"),
    [
        (_integers(17, 90), {"kind": "intervals", "widths": [5, 10, 20, 40]}),
        (_integers(0, 30), {"kind": "intervals", "widths": [2, 10, 20]}),
        (_integers(1900, 2020), {"kind": "intervals", "widths": [10, 50]}),
        (_integers(0, 1), {"kind": "flat"}),
        (["-3.5", "0", "0.7", "4.25", ""], {"kind": "intervals", "widths": [1]}),
        ([f"{n / 10}" for n in range(5, 40)], {"kind": "intervals", "widths": [0.2, 1, 2]}),
        (["10", "20", "30", "40", "50", "60"], {"kind": "intervals", "widths": [20]}),
        (["02139", "37212", "37203"], {"kind": "prefix", "keep": [5, 3]}),
        (["37212", "37203", "10001"], {"kind": "prefix", "keep": [5, 3]}),
        (["37212", "37203-1234", "10001"], {"kind": "prefix", "keep": [3], "mask": ""}),
        (["01", "02", "11"], {"kind": "prefix", "keep": [2, 1]}),
        (["1", "2", "11"], {"kind": "intervals", "widths": [4]}),
        (
            ["I50.9", "I50.1", "I51", "I48.0", "J45"],
            {"kind": "prefix", "keep": [3, 2, 1], "mask": ""},
        ),
        (["4280", "V4581", "42731", "4019"], {"kind": "prefix", "keep": [2, 1], "mask": ""}),
        (["0389", "4280", "42731", "4271"], {"kind": "prefix", "keep": [3, 2], "mask": ""}),
        (["038.9", "428.0", "428.1", "427.31"], {"kind": "prefix", "keep": [3, 2], "mask": ""}),
        (["White", "Black", "Other", ""], {"kind": "flat"}),
        (["", "M"], {"kind": "flat"}),
        ([""], {"kind": "flat"}),
        (["3", "4", "many"], {"kind": "flat"}),
        (
            ["2024-01-05", "2024-01-06", "2024-05-01", "2025-01-01"],
            {"kind": "dates", "units": ["day", "month", "year"]},
        ),
        (["2024-01-05T10:00", "2024-01-05T11:00"], {"kind": "dates", "units": ["day"]}),
        (
            ["25/12/1980", "26/12/1980", "01/02/2003"],
            {"kind": "dates", "units": ["day", "month"], "form": "%d/%m/%Y"},
        ),
        (
            ["03/04/2020", "01/02/2021"],
            {"kind": "dates", "units": ["year"], "form": "%m/%d/%Y"},
        ),
        (
            ["[0-10)", "[10-20)", "[20-30)", "[30-40)", "[90-100)"],
            {"kind": "ranges", "widths": [20, 40]},
        ),
        (
            ["<1", "1-4", "5-9", "10-14", "15-19", "80 and over"],
            {"kind": "ranges", "widths": [5, 10, 20]},
        ),
        (["0-9", "10-19", "20-29", "90+", ""], {"kind": "ranges", "widths": [20, 40]}),
        (["0-9", "5-14"], {"kind": "flat"}),
        (
            ["19800305", "19800306", "20240229"],
            {"kind": "dates", "units": ["day", "month"], "form": "%Y%m%d"},
        ),
        (["19803005", "19800306"], {"kind": "prefix", "keep": [8]}),
    ],
)
def test_proposals(values: list[str], spec: dict[str, object]) -> None:
    """Each shape of values has its proposal; levels without information are left out."""
    assert propose("x", values) == spec


@pytest.mark.parametrize(
    ("meaning", "values", "spec"),
    [
        ("id", _integers(1, 29), {"kind": "flat"}),
        ("id", ["8507", "8532", "320128"], {"kind": "flat"}),
        ("id", ["40481087", "80502123"], {"kind": "flat"}),
        ("id", ["001", "002", "013"], {"kind": "prefix", "keep": [3, 2]}),
        ("code", _integers(1, 29), {"kind": "flat"}),
        ("code", ["02139", "37212", "37203"], {"kind": "prefix", "keep": [5, 3]}),
        ("zip", ["91911.0", "91901.0", "2139.0"], {"kind": "intervals", "widths": [100]}),
        ("zip", ["2139", "91911", "2140"], {"kind": "intervals", "widths": [100]}),
        ("zip", ["02139", "37212", "37203"], {"kind": "prefix", "keep": [5, 3]}),
        ("any", _integers(17, 90), {"kind": "intervals", "widths": [5, 10, 20, 40]}),
    ],
)
def test_numbers_that_are_codes_have_no_neighbors(
    meaning: Meaning, values: list[str], spec: dict[str, object]
) -> None:
    """A range 10-19 has no meaning for a discharge to 11. Fault class: codes banded as numbers."""
    assert propose("x", values, meaning) == spec
    assert build_declared("x", spec, values).height >= 2


@pytest.mark.parametrize(
    "form",
    [
        *("%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", "%Y%m%d", "%Y%m%dT%H%M%S"),
        *("%d%b%Y", "%d%b%Y:%H:%M:%S", "%d%b%Y:%H:%M:%S.%f", "%d-%b-%Y", "%d %B %Y", "%B %d, %Y"),
        *("%m/%d/%Y", "%m/%d/%Y %I:%M %p", "%d.%m.%Y %H:%M", "%Y/%m/%d %H:%M:%S", "%Y%m%d%H%M"),
    ],
)
def test_dates_of_every_form_are_read(form: str) -> None:
    """By day, month and year, from SAS or Excel too. Fault class: a date lost for being a date."""
    days = [datetime(2018, 1, 5, 13, 45, tzinfo=UTC) + timedelta(days=17 * i) for i in range(60)]
    values = [day.strftime(form).upper() for day in days]
    spec = propose("x", values)
    assert spec["kind"] == "dates"
    assert spec["units"] == ["day", "month", "quarter", "year", "decade"]
    hierarchy = default_hierarchy("x", values)
    assert hierarchy.rule(0).label(values[0]) == "2018-01-05"
    assert hierarchy.rule(3).label(values[-1]) == "2020"


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        *((name, {"kind": "flat"}) for name in ("Sexo", "SEXE", "Geschlecht", "estado civil")),
        *((name, {"kind": "intervals", "widths": [4]}) for name in ("filhos", "sexual_partners")),
    ],
)
def test_codes_are_known_by_names_in_other_languages(name: str, spec: dict[str, object]) -> None:
    """A band 0-3 would merge men and women; counts have bands. Fault class: codes as numbers."""
    assert propose(name, ["1", "2", "9"], by_name(name)) == spec


def test_a_column_name_decides_nothing() -> None:
    """Ages in a column that is called zip are numbers."""
    ages = _integers(20, 80)
    assert propose("zip", ages) == propose("age", ages)


def test_a_column_without_values_is_refused() -> None:
    """There is nothing to propose from."""
    with pytest.raises(HierarchyError, match="column 'x' has no values"):
        propose("x", [])


def _texts() -> st.SearchStrategy[list[str]]:
    shapes = [
        st.integers(-5_000, 5_000).map(str),
        st.decimals(-100, 100, places=2).map(str),
        st.dates().map(lambda day: day.isoformat()),
        st.from_regex(r"[0-9]{5}", fullmatch=True),
        st.from_regex(r"[A-T][0-9]{2}(\.[0-9]{1,3})?", fullmatch=True),
        st.text(max_size=4),
    ]
    columns = [
        st.lists(shape | st.just(""), min_size=1, max_size=40, unique=True) for shape in shapes
    ]
    return st.one_of(columns)


@given(_texts())
def test_every_column_has_a_default_with_two_to_seven_levels(values: list[str]) -> None:
    """Any column can be built, from a proposal that a project file can hold."""
    spec = propose("x", values)
    hierarchy = default_hierarchy("x", values)
    assert 2 <= hierarchy.height <= 7
    again = build_declared("x", json.loads(json.dumps(spec)), values)
    assert [level.labels for level in again.levels] == [level.labels for level in hierarchy.levels]


@given(st.lists(st.integers(-10_000, 10_000), min_size=2, max_size=60, unique=True))
def test_proposed_widths_are_round(numbers: list[int]) -> None:
    """Widths are 1, 2, 4 or 5 times a power of ten: nothing of the data shows in them."""
    spec = propose("x", [str(number) for number in numbers])
    widths = spec.get("widths", [])
    assert isinstance(widths, list)
    assert {f"{width:e}"[0] for width in widths} <= {"1", "2", "4", "5"}
    assert all(f"{width:e}"[1:8] == ".000000" for width in widths)


def _columns(path: Path, delimiter: str) -> dict[str, list[str]]:
    content = path.read_bytes()
    plain = gzip.decompress(content) if path.suffix == ".gz" else content
    rows = list(csv.DictReader(io.StringIO(plain.decode("utf-8-sig")), delimiter=delimiter))
    return {name: sorted({row[name] for row in rows}) for name in rows[0]}


@pytest.mark.nightly
def test_real_columns_get_their_kind(data_dir: Path) -> None:
    """Ages and gifts are numbers, ZIPs and diagnoses codes, days dates, the rest texts."""
    cup = _columns(data_dir / "cup" / "cup.csv.gz", ";")
    assert propose("c", cup["AGE"])["kind"] == "intervals"
    assert propose("c", cup["RAMNTALL"])["kind"] == "intervals"
    assert propose("c", cup["STATE"]) == {"kind": "flat"}
    patients = _columns(data_dir / "mimic3_demo" / "PATIENTS.csv", ",")
    assert propose("c", patients["dob"])["kind"] == "dates"
    diagnoses = _columns(data_dir / "mimic3_demo" / "DIAGNOSES_ICD.csv", ",")
    assert propose("c", diagnoses["icd9_code"]) == {
        "kind": "prefix",
        "keep": [3, 2, 1],
        "mask": "",
    }
    zips = [
        v.zfill(5) for v in _columns(data_dir / "census" / "zcta_pop_2010.csv.gz", ",")["geoid"]
    ]
    assert propose("c", zips) == {"kind": "prefix", "keep": [5, 4, 3, 2, 1]}
    for name, values in cup.items():
        assert default_hierarchy(name, values).height >= 2


@pytest.mark.parametrize("decimals", [2, 4, 13, 30])
def test_numbers_of_any_fineness_get_bands(decimals: int) -> None:
    """Ages that a program computed from two dates often have 13 decimals or more.

    A finer step changes the loss of a band by less than one part in a billion, and the number of
    steps stays small enough for exact sums over billions of records.
    """
    ages = [f"{18 + at}.{at:0{decimals}d}" for at in range(60)]
    assert propose("age", ages) == {"kind": "intervals", "widths": [5, 10, 20]}
    hierarchy = default_hierarchy("age", ages)
    band = int(hierarchy.levels[1].leaves[5])  # of 23, in the band from 20 to 25
    assert hierarchy.domain_size <= 10**9 + 1
    assert (band - 1) / (hierarchy.domain_size - 1) == pytest.approx(5 / 59, rel=0.02)
