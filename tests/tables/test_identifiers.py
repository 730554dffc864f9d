"""The identifiers of Safe Harbor are found by name and by content, and little else is."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TypeAlias

import ibis
import polars as pl
import pyarrow as pa
import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st

from roadstead.tables.identifiers.contents import detector, year_of
from roadstead.tables.identifiers.findings import IdentifierFinding, find, identifiers, traces
from roadstead.tables.identifiers.samples import RECORDS, VALUES, sample
from roadstead.tables.identifiers.vocabulary import populous_areas, words
from roadstead.tables.profile import ColumnProfile, profile
from roadstead.tables.reading import read

READ: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "is_name": (
        ["Karen Johnson", "Johnson, Karen", "MARY", "Bertie593, James12", "Dr. Who", "Ms O'Hara"],
        [
            "Asthma",
            "Never-married",
            "discharged home",
            "I10",
            "37",
            "Karen was seen on Monday, late",
        ],
    ),
    "is_street": (
        ["342 Reinger Mews", "1600 Pennsylvania Ave. NW, Washington", "PO Box 12", "12-14 High St"],
        ["37203", "5 mg", "Main Street", "10 days", "250.00", "12 Lead ECG"],
    ),
    "is_postal": (
        ["37203-1234", "Nashville, TN 37203", "Boston MA 02139-4307"],
        ["37203", "25001", "I10-I15", "TN 37203 and more"],
    ),
    "is_point": (
        ["36.16266, -86.78160", "POINT(-86.78 36.16)", "(36.1626;-86.7816)"],
        ["120/80", "36.16", "1.5, 2.5"],
    ),
    "has_phone": (
        [
            *("(615) 555-0101", "+1 615 555 0101 ext 7", "call 615.555.0101", "+49 615 5550101"),
            *("ligar ao filho +351 930535812", "call 0044 20 7946 0018 at night"),
            *("Tel. 912345678", "contactar 912 345 678", "Telefon: 030 901820"),
            *("Telemóvel da filha: 912-345-678", "tél 01 23 45 67 89", "handy (0151) 23456789"),
        ],
        [
            *("6155550101", "115-555-0101", "615-911-0101", "123-45-6789", "2024-05-31", "250.00"),
            *(
                "912 345 678",
                "contact 2021-03-04 10:30",
                "call 12345",
                "tel 2021",
                "hotel 912345678",
            ),
            *("pH 7.35 7.40 7.38", "0012345678", "A*02:01+24020101", "contact 04/03/2021"),
        ],
    ),
    "has_email": (
        ["a.b@c.org", "write to a_b+c@d.co.uk, please"],
        ["a@b", "2 @ 5.00", "@home.org", "I10"],
    ),
    "has_ssn": (
        ["078-05-1120", "SSN 078 05 1120.", "999-47-2873"],
        ["000-12-3456", "666-12-3456", "123-00-4567", "123-45-0000", "1123-45-6789", "123-45 6789"],
    ),
    "is_record_number": (["MRN000123", "mrn: 4711"], ["R00136038", "MRN", "4711"]),
    "is_beneficiary": (["1EG4-TE5-MK73", "1eg4te5mk73"], ["0EG4TE5MK73", "12345678901"]),
    "is_iban": (["GB82 WEST 1234 5698 7654 32"], ["GB83WEST12345698765432", "C7A.0"]),
    "is_vin": (
        ["1M8GDM9AXKP042788", "1hgcm82633a004352"],
        ["1M8GDM9A1KP042788", "1M8GDM9AXKP04278", "IM8GDM9AXKP042788", "1" * 17],
    ),
    "is_device": (
        ["(01)00643169007222(17)141231", "00:1B:44:11:3a:b7"],
        ["(01)00643169007223", "12:30:45", "00643169007222"],
    ),
    "has_url": (["https://x.org/y", "see www.example.org"], ["x.org", "http", "I10.9"]),
    "is_ip": (
        ["10.0.0.1", "192.168.10.255:80", "2001:db8::8a2e:370:7334", "10.1.2.0/24"],
        ["10.0.0", "256.0.0.1", "1.1.1.1", "12:30:45", "deadbeef", "2001:db8::g", "01.02.03.04"],
    ),
    "is_image": (["faces/0012.JPG", "/9j/4AAQSk", "data:image/png;base64,"], ["jpg", "I10"]),
    "is_biometric": (["left_index.wsq", "Rk1SACAyMAAAAAEIAAABPAFiAMUA"], ["Rk1S", "AN2"]),
    "is_pseudonym": (
        ["3f2b8c1e-0000-4000-8000-0123456789ab", "d41d8cd98f00b204e9800998ecf8427e"],
        ["1" * 32, "3f2b8c1e", "300913006"],
    ),
    "is_base64": (
        ["QW5hIFNpbHZhIQ==", "TWFyaWEgU2lsdmE="],
        ["level=", "E11.9", "300913006", "QW5hIFNpbHZh", "a == b", "HLA-DRB1*15:01="],
    ),
    "is_file": (
        ["scans/Silva_Ana.dcm", "C:\\letters\\mueller.docx", "notes 2.PDF"],
        ["pdf", "E11.9", "5.5 mg", "csv"],
    ),
    "is_json": (
        ['{"name": "Ana"}', "[1, 2]", "{}"],
        ["[10-20)", "[10, 20)", "{a}", "12", '"Ana"', "[18-20]", "[" * 50_000 + "]" * 50_000],
    ),
}


@pytest.mark.parametrize("name", READ)
def test_a_content_is_what_it_says_and_nothing_else(name: str) -> None:
    """By examples on both sides."""
    reads = detector(name)
    good, bad = READ[name]
    assert [text for text in good if not reads(text)] == []
    assert [text for text in bad if reads(text)] == []


def test_every_content_has_examples_and_every_identifier_a_trace() -> None:
    """None is forgotten."""
    traced = {trace.reads for trace in traces() if trace.reads is not None}
    assert traced == {detector(name) for name in {*READ, "is_date"} - {"is_json"}}
    assert {trace.identifier for trace in traces()} == set(identifiers()) == set(range(1, 19))


ORDINARY = st.one_of(
    st.integers(0, 999_999).map(str),
    st.floats(0, 1e6).map(lambda number: f"{number:.2f}"),
    st.from_regex(r"[A-TV-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?", fullmatch=True),
    st.from_regex(r"([0-9]{3}|V[0-9]{2}|E[0-9]{3})(\.[0-9]{1,2})?", fullmatch=True),
    st.integers(1900, 2030).map(str),
)


@thorough
@given(ORDINARY)
def test_numbers_codes_and_years_read_like_no_identifier(text: str) -> None:
    """ICD codes, ages, salaries, counts, measurements."""
    assert [t.what for t in traces() if t.reads is not None and t.reads(text)] == []


@thorough
@given(
    st.dates(date(1000, 1, 1)),
    st.sampled_from(["%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%d.%m.%Y", "%Y%m%d"]),
)
def test_the_year_of_a_date_is_read_in_every_form(day: date, form: str) -> None:
    """As far as years go in which patients live."""
    text = f"{day:{form}}"
    read_as = year_of(text)
    if 1800 <= day.year < (2100 if form == "%Y%m%d" else 2300):
        assert read_as == f"{day.year}"
    else:
        assert read_as is None


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("2164-10-23 21:09:00", "2164"),
        ("1963-12-31T00:00:00Z", "1963"),
        ("2024-05", "2024"),
        ("31-May-2024", "2024"),
        ("31 May 2024", "2024"),
        ("September 5, 2024", "2024"),
        ("5/31/24", "24"),
        ("05JAN2018", "2018"),
        ("05JAN2018:13:45:00", "2018"),
        ("05JAN2018:13:45:00.000", "2018"),
        ("05JAN18", "18"),
        ("5-Jan-18", "18"),
        ("1/5/2018 1:45 PM", "2018"),
        ("2018-01-05T13:45:00.123+02:00", "2018"),
        ("20180105T134500", "2018"),
        ("201801051345", "2018"),
        ("2024", None),
        ("2024-13-01", None),
        ("2024-00-01", None),
        ("13/13/2024", None),
        ("20241331", None),
        ("120/80", None),
        ("1999-2005", None),
        ("31-Foo-2024", None),
        ("2024-05-31 " * 9, None),
    ],
)
def test_a_date_tells_more_than_a_year(text: str, year: str | None) -> None:
    """Forms with a month in words or a time."""
    assert year_of(text) == year


def test_names_are_read_as_words() -> None:
    """However they are written."""
    assert {words(name) for name in ("patientZip", "PATIENT ZIP", "patient-zip")} == {"patient_zip"}


Values: TypeAlias = Sequence[str] | Callable[[int], str]


def described(name: str, cells: Sequence[str]) -> ColumnProfile:
    """Describe a column in plain Python."""
    present = [cell for cell in cells if cell]
    return ColumnProfile(
        name=name,
        type="string",
        records=len(cells),
        missing=len(cells) - len(present),
        distinct=len(set(present)),
        shortest=min(map(len, present), default=0),
        longest=max(map(len, present), default=0),
    )


def found(
    name: str, values: Values, domain: Sequence[str] | None = None
) -> list[IdentifierFinding]:
    """Find identifiers in a column of 200 records, given by its values in turn or by record."""
    cells = [values(i) if callable(values) else values[i % len(values)] for i in range(200)]
    distinct = [text for cell in dict.fromkeys(cells) if (text := cell.strip())]
    domains = {} if domain is None else {name: domain}
    return list(find([described(name, cells)], {name: distinct}, domains))


def number_of(name: str, values: Values) -> list[int]:
    """Numbers of the identifiers found in one column."""
    return [finding.number for finding in found(name, values)]


CHANCE = random.Random(7)  # noqa: S311 - made-up values keep no secret
WORDS = [CHANCE.choice("bcdf") + "o" + CHANCE.choice("kmn") + f"i{i}a" for i in range(60)]
SEVEN = [str(CHANCE.randint(1_000_000, 9_999_999)) for _ in range(60)]


@pytest.mark.parametrize(
    ("name", "values", "number"),
    [
        ("lastName", WORDS, 1),
        ("Patient Name", WORDS, 1),
        ("mother_maiden_name", WORDS, 1),
        ("employer", WORDS, 1),
        ("city", WORDS, 2),
        ("homeAddress", WORDS, 2),
        ("county_fips", SEVEN, 2),
        ("zip", ["372xx", "021xx"], 2),
        ("latitude", ["36.1", "36.2"], 2),
        ("age", ["34", "88", "93"], 3),
        ("dob", ["05311", "04122"], 3),
        ("birthMonth", ["5", "6"], 3),
        ("year_of_birth", ["1931", "1960"], 3),
        ("home_phone", SEVEN, 4),
        ("fax", SEVEN, 5),
        ("e-mail", WORDS, 6),
        ("ssn_last4", [text[:4] for text in SEVEN], 7),
        ("MRN", SEVEN, 8),
        ("medical record no", SEVEN, 8),
        ("memberId", SEVEN, 9),
        ("medicare_number", SEVEN, 9),
        ("account_no", SEVEN, 10),
        ("drivers_license", SEVEN, 11),
        ("passport", SEVEN, 11),
        ("license_plate", SEVEN, 12),
        ("device_serial", SEVEN, 13),
        ("homepage", WORDS, 14),
        ("ip_address", ["10.x.y.1", "10.x.y.2"], 15),
        ("fingerprint", WORDS, 16),
        ("photo", WORDS, 17),
        ("patient_nbr", SEVEN, 18),
        ("ID", SEVEN, 18),
    ],
)
def test_an_identifier_is_known_by_the_name_of_its_column(
    name: str, values: list[str], number: int
) -> None:
    """With values that say nothing by themselves."""
    (finding,) = found(name, values)
    assert finding.number == number
    assert finding.called
    assert finding.why.startswith("named like")
    assert finding.identifier == identifiers()[number]


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (1, lambda i: f"{('Karen', 'John', 'Zyx')[i % 3]} Surname{i}"),
        (2, lambda i: f"{i + 1} Maple Street"),
        (2, lambda i: f"37203-{i:04d}"),
        (3, lambda i: f"20{i % 20:02d}-05-{i % 28 + 1:02d}"),
        (4, lambda i: f"(615) 555-{i:04d}"),
        (6, lambda i: f"somebody{i}@example.org"),
        (7, lambda i: f"078-05-{1120 + i}"),
        (8, lambda i: f"MRN{i:06d}"),
        (9, lambda i: f"1EG4-TE5-MK{i % 100:02d}"),
        (12, lambda i: ("1M8GDM9AXKP042788", "1HGCM82633A004352")[i % 2]),
        (13, lambda i: f"00:1B:44:11:3A:{i % 256:02X}"),
        (14, lambda i: f"https://example.org/{i}"),
        (15, lambda i: f"10.0.{i % 200}.17"),
        (17, lambda i: f"face{i}.jpg"),
        (18, lambda i: f"3f2b8c1e-0000-4000-8000-{i:012x}"),
        (18, lambda i: f"{100_000 + 37 * i}"),
        (18, lambda i: f"{i + 1}"),
        (18, lambda i: f"X{i}Y"),
    ],
)
def test_an_identifier_is_known_by_what_values_read_like(
    number: int, value: Callable[[int], str]
) -> None:
    """In a column called like nothing."""
    (finding,) = found("column_1", value)
    assert (finding.number, finding.called) == (number, False)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("diagnosis", ["I10", "E11.9", "S52501A"]),
        ("icd9", ["250.00", "V58", "03842", "25001"]),
        ("salary", lambda i: str(30_000 + 137 * i)),
        ("fnlwgt", lambda i: str(100_000 + 977 * i)),
        ("count", lambda i: str(2 * i)),
        ("age", lambda i: str(i % 90)),
        ("age_group", ["80-84", "85-89", "90+"]),
        ("age.under5", lambda i: str(50 + 11 * i)),
        ("stage", ["95", "96"]),
        ("year", lambda i: str(1900 + i % 120)),
        ("discharge_date", ["2019", "2020"]),
        ("zip3", ["372", "000", "021"]),
        ("zip", ["372**", "021**"]),
        ("state", ["TN", "MA"]),
        ("country", ["US", "FR"]),
        ("blood_pressure", lambda i: f"{100 + i % 60}/{60 + i % 40}"),
        ("phone_calls", ["1", "2", "12"]),
        ("email_ok", ["yes", "no", ""]),
        ("ip_days", ["1", "2", "3"]),
        ("admission_type_id", ["1", "2", "3"]),
        ("gender_concept_id", ["8507", "8532"]),
        ("drug_name", ["aspirin", "ibuprofen"]),
        ("platelets", lambda i: str(150 + i % 150)),
        ("driver_age", lambda i: str(18 + i % 60)),
        ("snomed", ["300913006", "91935009", "65363002"]),
        ("ndc", ["0002-1433-80", "0173-0682-20"]),
        ("loinc", ["2160-0", "718-7"]),
        ("creatinine", lambda i: f"{0.5 + i / 97:.4f}"),
        ("occupation", ["Adm-clerical", "Exec-managerial"]),
        ("native-country", ["United-States", "Jordan", "Georgia"]),
        ("ssn", ["", ""]),
        ("time_in_hospital", ["1", "9"]),
    ],
)
def test_what_is_no_identifier_is_left_alone(name: str, values: Values) -> None:
    """Codes, ages, salaries, counts, years, measurements, categories."""
    assert number_of(name, values) == []


def test_a_few_identifiers_among_other_texts_are_enough() -> None:
    """One in twenty."""
    notes = [f"call 615-555-{i:04d}" if i % 15 == 0 else f"note {i % 40}" for i in range(200)]
    (finding,) = found("column_1", notes)
    assert finding.number == 4
    assert finding.share is not None
    assert 0.05 <= finding.share < 0.3


@pytest.mark.parametrize(
    ("text", "number"),
    [("615-555-0101", 4), ("mail to a.b@example.org", 6), ("SSN 078-05-1120, called", 7)],
)
def test_one_form_that_nothing_else_has_is_enough(text: str, number: int) -> None:
    """One such note among 200 is a person's. Fault class: an identifier inside short notes."""
    (finding,) = found("column_1", [*(f"note {i}" for i in range(199)), text])
    assert finding.number == number
    assert finding.why.startswith("less than 1%")


def test_ages_over_89_are_found_wherever_they_stand() -> None:
    """In the whole domain, if it is known; 90 and over in words is one category."""
    assert number_of("age", [str(age) for age in range(91)]) == [3]
    assert number_of("age", ["89", "90+"]) == []
    assert number_of("age", ["85-89", "90-94", "95-99"]) == [3]
    assert number_of("age", ["[70-80)", "[80-90)", "[90-100)"]) == []
    assert number_of("age", ["<1", "1-4", "80 and over"]) == []
    assert found("age", ["34"]) == []
    (finding,) = found("age", ["34"], domain=("", "34", "102"))
    assert finding.why == "named like ages, and some values are over 89"


def test_a_name_does_not_count_against_the_values() -> None:
    """A date of death from another person's report."""
    (finding,) = found("dod_ssn", lambda i: f"20{i % 20:02d}-05-11")
    assert finding.number == 3
    (finding,) = found("patient_id", lambda i: f"078-05-{1120 + i}")
    assert finding.number == 7


def test_a_finding_tells_no_value() -> None:
    """A share, and what it is of."""
    (finding,) = found("mail", lambda i: f"somebody{i}@example.org")
    assert finding.to_dict() == {
        "column": "mail",
        "number": 6,
        "identifier": "email addresses",
        "why": "100% of the distinct values sampled look like email addresses",
        "remedy": "remove",
        "called": False,
        "share": 1.0,
    }


def test_plain_zip_codes_count_next_to_other_evidence() -> None:
    """The other evidence is the column's name or ZIP+4 codes. Five digits alone are not enough."""
    plain = ["37203", "02139", "10001", "60601", "94105", "73301", "33101", "98101"]
    for name in ("zip", "region_code"):
        assert [one.share for one in found(name, [*plain, "77002-1234"])] == [1.0]
    (finding,) = found("zip", plain)
    assert finding.why.endswith("100% of the distinct values sampled look like ZIP codes")
    assert not found("lab_result", [f"{77_000 + 7 * i}" for i in range(40)])


def test_a_sample_is_of_distinct_values_from_all_over_the_first_records() -> None:
    """Trimmed, without the missing ones, and the same every time."""
    table = pa.table(
        {
            "number": [f" {i} " for i in range(5_000)],
            "sex": ["F", "", None, "M", "F"] * 1_000,
            "late": ["" if i < 4_000 else f"x{i}" for i in range(5_000)],
            "none": pa.nulls(5_000, pa.string()),
        }
    )
    with read(table) as source:
        first = sample(source, profile(source))
        assert first == sample(source, profile(source))
    numbers = [int(text) for text in first["number"]]
    assert len(set(numbers)) == VALUES
    assert numbers[0] == 0
    assert RECORDS * 0.9 < numbers[-1] < RECORDS
    assert first["sex"] == ("F", "M")
    assert len(first["late"]) == VALUES
    assert first["none"] == ()


def test_another_engine_gives_the_same_findings() -> None:
    """Polars."""
    frame = pl.DataFrame({"c": [f"a{i}@b.org" for i in range(80)], "zip": ["02139", None] * 40})
    with read(frame) as here, read(ibis.polars.connect({"t": frame}).table("t")) as there:
        ours, theirs = (
            find(profiles, sample(source, profiles), {})
            for source in (here, there)
            for profiles in [profile(source)]
        )
    assert ours == theirs
    assert [finding.number for finding in ours] == [6, 2]


@thorough
@given(st.lists(st.text(max_size=30), min_size=1, max_size=20), st.text(max_size=12))
def test_any_text_can_be_looked_at(values: list[str], name: str) -> None:
    """Nothing fails, and no text is shown."""
    for finding in found(name, values):
        assert finding.column == name
        told = finding.why + finding.remedy
        assert not any(len(value) > 12 and value in told for value in values)


def test_areas_of_few_people_are_those_of_the_census() -> None:
    """876 areas of more than 20,000 people; neither others nor those without ZIP codes."""
    assert len(populous_areas()) == 876
    few = "036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893 000 999 340"
    assert [area for area in few.split() if area in populous_areas()] == ["999"]
    assert {"372", "021", "063", "790", "830", "831", "890"} <= populous_areas()


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("adult/adult.csv", {"age": 3}),
        ("fars/fars.csv.gz", {"iage": 3, "ideathmon": 3, "ideathday": 3}),
        ("cup/cup.csv.gz", {"ZIP": 2, "AGE": 3}),
        ("diabetes130/diabetic_data.csv.gz", {"encounter_id": 18, "patient_nbr": 18}),
        ("icd/vermont_dx.csv", {"visit_id": 18}),
        ("adult_uci/adult.data", {}),
        (
            "synthea/patients.csv.gz",
            {"ID": 18, "BIRTHDATE": 3, "DEATHDATE": 3, "SSN": 7, "DRIVERS": 11, "PASSPORT": 11}
            | {
                "PREFIX": 1,
                "FIRST": 1,
                "LAST": 1,
                "SUFFIX": 1,
                "MAIDEN": 1,
                "BIRTHPLACE": 2,
                "ADDRESS": 2,
                "CITY": 2,
            }
            | {"ZIP": 2},
        ),
        ("synthea/conditions.csv.gz", {"START": 3, "STOP": 3, "PATIENT": 18, "ENCOUNTER": 18}),
        (
            "mimic3_demo/ADMISSIONS.csv",
            {"row_id": 18, "subject_id": 18, "hadm_id": 8, "admittime": 3, "dischtime": 3}
            | {"deathtime": 3, "edregtime": 3, "edouttime": 3},
        ),
        (
            "eunomia_gibleed/PERSON.csv.gz",
            {"PERSON_ID": 18, "YEAR_OF_BIRTH": 3, "MONTH_OF_BIRTH": 3, "DAY_OF_BIRTH": 3}
            | {"BIRTH_DATETIME": 3, "PERSON_SOURCE_VALUE": 18},
        ),
    ],
)
def test_real_tables_hold_what_they_hold(
    data_dir: Path, file: str, expected: dict[str, int]
) -> None:
    """Every column that is named, and no other."""
    with read(data_dir / file) as source:
        profiles = profile(source)
        values = sample(source, profiles)
        ages = [name for name in source.columns if name.lower() in {"age", "iage"}]
        rows = source.table.select(ages).distinct().to_pyarrow().to_pydict() if ages else {}
    domains = {name: [str(value) for value in own] for name, own in rows.items()}
    findings = find(profiles, values, domains)
    assert {finding.column: finding.number for finding in findings} == expected
    assert len(findings) == len(expected)
