"""Column contents can prevent a release, under any name; honest columns pass."""

from __future__ import annotations

import random
from collections.abc import Callable

import pyarrow as pa
import pytest
from effort import examples
from hidden_identifiers import ALL, RARE, among, person
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.tables.identifiers.dated import holds_day
from roadstead.tables.identifiers.findings import checklist
from roadstead.tables.identifiers.judgment import Examined, examine
from roadstead.tables.identifiers.normal import normal
from roadstead.tables.identifiers.placed import place_code
from roadstead.tables.identifiers.registered import registered_numbers
from roadstead.tables.identifiers.titles import held_by_column_name, shareable_name
from roadstead.tables.reading import read

RECORDS = 3_000


def looked_at(values: list[str] | pa.Array, name: str = "x") -> Examined:
    """Look at a column next to another."""
    with read(pa.table({"sex": ["f", "m"] * (len(values) // 2), name: values})) as source:
        return examine(source, source.columns)


def kinds(values: list[str] | pa.Array, name: str = "x") -> set[str]:
    """Give the kinds of objections to a column."""
    return {one.kind for one in looked_at(values, name).objections.get(name, ())}


def rarely(make: Callable[[int], str], rare: int) -> list[str]:
    """Hide rare values among categories."""
    return among(make, rare, RECORDS)


@pytest.mark.quick(10)
@pytest.mark.parametrize("what", ALL)
def test_a_column_of_identifiers_is_objected_to_under_a_meaningless_header(what: str) -> None:
    """The header says nothing, and each person has several records."""
    make, kind = ALL[what]
    assert kind in kinds([make(at % 300) for at in range(RECORDS)])


@pytest.mark.parametrize("what", RARE)
def test_one_rare_value_late_in_the_table_suffices(what: str) -> None:
    """A sample of the first records would not have it."""
    make, kind = RARE[what]
    assert kind in kinds(rarely(make, 1))


DRAWN = random.Random(11)  # noqa: S311 - no secret
DRUGS = [
    f"{word} {mg} mg" for word in ("aspirin", "Metformin", "Heparin sodium") for mg in (5, 500)
]
RACES = ["White", "Black", "Asian", "Native American", "Pacific Islander", "Puerto Rican"]
TITLES = ["Acute Myocardial Infarction", "Heart Failure", "Sepsis", "Hip Fracture", "Lung Cancer"]
CODES = [f"{letter}{at:02}.{end}" for letter in "CEIJK" for at in range(40) for end in range(3)]


def zipf(words: list[str]) -> list[str]:
    """Draw words of which few are frequent and many rare, as categories are."""
    weights = [1 / (at + 1) ** 1.3 for at in range(len(words))]
    return DRAWN.choices(words, weights, k=RECORDS)


def load() -> str:
    """Draw a viral load, which most records do not have."""
    return "undetected" if DRAWN.random() < 0.6 else str(int(10 ** DRAWN.uniform(2, 6.9)))


def band() -> str:
    """Draw a band of incomes."""
    low = DRAWN.randrange(9) * 10_000
    return f"{low}-{low + 9_999}"


def each(make: Callable[[], str]) -> list[str]:
    """Draw a value for each record."""
    return [make() for _ in range(RECORDS)]


HONEST: dict[str, Callable[[], list[str]]] = {
    "diagnosis codes": lambda: zipf(CODES),
    "diagnosis titles": lambda: zipf(TITLES),
    "drugs": lambda: zipf(DRUGS),
    "races": lambda: zipf(RACES),
    "sodium": lambda: each(lambda: f"{DRAWN.gauss(140, 4):.1f}"),
    "platelets": lambda: each(lambda: str(round(DRAWN.gauss(250, 60)) * 1_000)),
    "CD4": lambda: each(lambda: str(DRAWN.randrange(50, 1_400))),
    "grams": lambda: each(lambda: str(DRAWN.randrange(900, 5_200))),
    "pressure": lambda: each(lambda: f"{DRAWN.randrange(90, 180)}/{DRAWN.randrange(50, 110)}"),
    "wages": lambda: each(lambda: str(round(DRAWN.lognormvariate(10, 0.6), -2))),
    "bands": lambda: each(band),
    "scores": lambda: each(lambda: f"{DRAWN.gauss(0, 1):.5f}"),
    "probabilities": lambda: each(lambda: f"{DRAWN.random():.6f}"),
    "years": lambda: each(lambda: str(DRAWN.randrange(1930, 2020))),
    "stages of tumors": lambda: each(lambda: "T{}N{}M{}".format(*DRAWN.choices("0123", k=3))),
    "viral load": lambda: each(load),
}
"""Columns that an analyst would release, each by how it is made."""


@pytest.mark.quick(8)
@pytest.mark.parametrize("what", HONEST)
def test_an_honest_column_passes(what: str) -> None:
    """A false alarm costs the analyst a decision that is not obvious."""
    assert kinds(HONEST[what]()) == set()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("MRN 0123{} transferred", 8),
        ("see medical record number: 8{}", 8),
        ("chart no. 47{}-02 reviewed", 8),
        ("Fall-Nr. 88{}", 8),
        ("nº de processo 44{}", 8),
        ("N° de dossier 55{}", 8),
        ("Medicare number A123{}", 9),
        ("Acct # 99{}", 10),
        ("passport no. X12{}", 11),
        ("Patient ID: 55{}", 18),
    ],
)
def test_a_number_after_its_label_in_text_is_the_identifier(text: str, number: int) -> None:
    """Also if other texts of the column hold telephone numbers."""
    values = rarely(lambda at: text.format(at + 10_000), 40)
    values[:40] = [f"call 713-555-{1_000 + at}" for at in range(40)]
    findings = looked_at(values).judgments["x"].findings
    assert {4, number} <= {one.number for one in findings}
    assert any(
        one.number == number and one.why.startswith("40 values contain ") for one in findings
    )


@pytest.mark.parametrize(
    "text",
    [
        "IPP 40 mg, 2{}",
        "MRN 2019, stage {}",
        "record number {}",
        "hospital no longer needs 50{} beds",
        "account of 120{} dollars",
    ],
)
def test_words_like_labels_do_not_make_a_number_an_identifier(text: str) -> None:
    """The label is not in front of the number, or the number is a year or has few digits."""
    findings = looked_at(rarely(lambda at: text.format(at % 100), 40)).judgments["x"].findings
    assert not {one.number for one in findings} & {8, 9, 10, 11, 18}


def test_a_column_has_one_finding_per_identifier() -> None:
    """Names of people and names with a title have the same number of the list."""
    values = rarely(lambda at: f"rang Frau {person(at)}" if at % 2 else f"VIP {person(at)}", 60)
    numbers = [one.number for one in looked_at(values).judgments["x"].findings]
    assert numbers.count(1) == 1


def test_elements_of_lists_are_looked_at_one_by_one() -> None:
    """An address in one element of one list speaks against the column."""
    lists = [["a", "b"] if at != RECORDS - 3 else ["a", "q@canary.org"] for at in range(RECORDS)]
    assert kinds(pa.array(lists)) == {"identifier"}
    names = [["a", person(at % 56)] for at in range(RECORDS)]
    assert kinds(pa.array(names)) == {"text"}


def test_coordinates_are_seen_in_pairs() -> None:
    """Two columns of degrees next to each other are places, whatever they are called."""
    north = [f"{52.3 + at % 90 * 0.00173:.5f}" for at in range(RECORDS)]
    east = [f"{13.1 + at % 90 * 0.00291:.5f}" for at in range(RECORDS)]
    with read(pa.table({"p": north, "q": east})) as source:
        found = examine(source, source.columns).objections
    assert {name: [one.kind for one in ones] for name, ones in found.items()} == {
        "p": ["place"],
        "q": ["place"],
    }
    measured = ({"age": north, "score": east}, dict.fromkeys(("log_a", "b", "c", "d"), north))
    for table in measured:
        with read(pa.table(table)) as source:
            objections = examine(source, source.columns).objections
        assert "place" not in {one.kind for ones in objections.values() for one in ones}


def test_a_sensitive_name_is_proposed_only_for_what_looks_so() -> None:
    """A column called outcome that holds names is left to a person to decide, with the reason."""
    honest = looked_at(["died", "discharged"] * (RECORDS // 2), "outcome").judgments["outcome"]
    assert honest.role == "sensitive"
    hiding = looked_at(rarely(lambda at: f"to {person(at)}", 40), "outcome").judgments["outcome"]
    assert hiding.role is None
    assert "names of people" in hiding.reason


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("q\N{FULLWIDTH COMMERCIAL AT}canary.org", "q@canary.org"),
        ("q [at] canary [dot] org", "q@canary.org"),
        ("q at canary dot org", "q@canary.org"),
        ("q%40canary.org", "q@canary.org"),
        ("219\N{EN DASH}09\u200b\N{EM DASH}31", "219-09-31"),
        ("\N{ARABIC-INDIC DIGIT ONE}\N{DEVANAGARI DIGIT TWO}", "12"),
        ("met at noon", "met at noon"),
    ],
)
def test_texts_are_written_plainly_before_they_are_looked_at(written: str, plain: str) -> None:
    """Tricks of writing hide nothing, and prose stays prose."""
    assert normal(written) == plain


def test_numbers_with_check_digits_are_named_by_their_format() -> None:
    """Valid numbers are seen, and random numbers of the same shape are not."""
    from stdnum.pl import pesel  # noqa: PLC0415 - heavy

    drawn = random.Random(2)  # noqa: S311 - no secret
    valid: list[str] = []
    while len(valid) < 20:
        text = str(drawn.randrange(10**10, 10**11))
        valid += [text] if pesel.is_valid(text) else []
    found = registered_numbers(sorted(valid))
    assert found is not None
    assert "PESEL" in found.why
    for _ in range(20):
        other = [str(drawn.randrange(10**10, 10**11)) for _ in range(40)]
        assert registered_numbers(sorted(other)) is None


def test_names_of_columns_and_files_hold_no_person() -> None:
    """Both are shown in every document of a release."""
    assert held_by_column_name("score of Karen Uchendu")
    assert held_by_column_name("result 219-09-3107")
    assert not held_by_column_name("First Name")
    assert not held_by_column_name("Mini Mental State 2021-03-05")
    assert shareable_name("karen_uchendu.csv.gz") == "release.csv.gz"
    assert shareable_name("visits_1957-04-03.parquet") == "release.parquet"
    assert shareable_name("heart_failure_2019.csv") == "heart_failure_2019.csv"


def _from(make: Callable[[int], str], shift: int) -> Callable[[int], str]:
    """Return the maker that begins at a later value."""
    return lambda one: make(one + shift)


@given(st.data())
@examples(6)
def test_no_planted_identifier_passes_in_any_column(data: st.DataObject) -> None:
    """Whatever is planted, in every record or in one, something speaks against its column."""
    columns: dict[str, list[str]] = {}
    hidden = set()
    for at in range(data.draw(st.integers(1, 3), label="columns")):
        name, rare = f"c{at}", data.draw(st.booleans(), label="rare")
        make, _ = (RARE if rare else ALL)[data.draw(st.sampled_from(sorted(RARE if rare else ALL)))]
        shift = data.draw(st.integers(0, 40), label="shift")
        if rare:
            columns[name] = rarely(_from(make, shift), 1)
        else:
            columns[name] = [make((one + shift) % 300) for one in range(RECORDS)]
        hidden.add(name)
    columns["arm"] = ["usual care", "drug A"] * (RECORDS // 2)
    with read(pa.table(columns)) as source:
        assert set(examine(source, source.columns).objections) == hidden


def test_letters_before_a_number_are_no_geohashes() -> None:
    """Record numbers are reported as such, and not as places."""
    assert place_code([f"n{at:05d}" for at in range(60)]) == ""
    places = [f"u4pru{'bcdefghj'[at % 8]}{at % 10}" for at in range(80)]
    assert place_code(places) == "geohashes"


@pytest.mark.parametrize("cell", ["{}" * 20_000, "A{}" + "0" * 20_000, "{}." + "0" * 20_000])
def test_a_cell_of_thousands_of_digits_is_examined(cell: str) -> None:
    """Fault class: Python refuses to read so long a number, which ended the run."""
    cells = [cell.replace("{}", str(at % 3)) for at in range(60)]
    table = {"sex": ["f", "m"] * 30, "code": cells}
    found = rs.anonymize(table, quasi=["sex"], k=5, release_anyway=["code"])
    assert found.to_arrow().num_rows == len(cells)


@pytest.mark.parametrize("usual", ["{}", "{}.25"])
def test_a_code_that_reads_as_an_infinite_number_does_not_hide_dates(usual: str) -> None:
    """Fault class: one code like 4E512 in any column of numbers ended the run."""
    days = [usual.format(44_000 + at * 7 % 2_000) for at in range(RECORDS)]
    assert kinds(["4E512" if at % 100 == 7 else day for at, day in enumerate(days)]) == {"date"}


EIRCODES = [
    f"{key} {'ACDEFHKNPRTV'[at % 12]}{at % 10}X{at % 7}"
    for at, key in enumerate(["D02", "A67", "T12", "D6W", "V94", "H91"] * 20)
]


def test_record_numbers_are_not_eircodes() -> None:
    """Fault class: a letter and six digits passed as an Irish postal code of no existing area."""
    assert place_code(EIRCODES) == "Eircodes of Ireland"
    assert place_code([code.replace(" ", "") for code in EIRCODES]) == "Eircodes of Ireland"
    assert place_code([f"H{100_007 + 31 * at}" for at in range(900)]) == ""
    assert place_code([f"H12{1_007 + 31 * at}" for at in range(200)]) == ""


NUMBERED: dict[str, Callable[[int], str]] = {
    "years and numbers, as Portuguese postcodes": lambda at: f"{2022 + at % 3}-{1 + at // 3:03d}",
    "a letter and a number, as postcodes with a country": lambda at: f"S-{10_001 + at}",
    "two digits and a number, as Polish postcodes": lambda at: f"{23 + at % 2}-{100 + at // 2:03d}",
}


@pytest.mark.parametrize("what", NUMBERED)
def test_consecutive_codes_number_people_and_are_not_places(what: str) -> None:
    """Each person has several records. Postal codes of the same form are not consecutive."""
    make = NUMBERED[what]
    assert kinds([make(at % 1_500) for at in range(RECORDS)]) == {"identifier"}
    postal = [
        f"{area}-{at * 37 % 1000:03d}" for area in ("1000", "1250", "4050") for at in range(40)
    ]
    assert kinds([postal[at % len(postal)] for at in range(RECORDS)]) == {"place"}


@pytest.mark.parametrize("first", [1_001, 40_001, 50_001, 70_001, 2_450_001])
def test_consecutive_numbers_of_records_are_not_days(first: int) -> None:
    """Fault class: respondents 50001 to 53000 were days of the years 2036 to 2045."""
    numbers = [str(first + at * 7 % RECORDS) for at in range(RECORDS)]
    expected = set() if first < 10_000 else {"identifier"}
    assert kinds(numbers) == expected


def test_day_numbers_end_with_the_year_2035() -> None:
    """The end is fixed, so the result does not depend on the day of the scan."""
    assert kinds([str(44_000 + at * 7 % 2_000) for at in range(RECORDS)]) == {"date"}
    assert "date" not in kinds([str(50_100 + at * 7 % 2_000) for at in range(RECORDS)])


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("seen on 14 May", True),
        ("am 3. Mai gesehen", True),
        ("vista el 3 de mayo", True),
        ("since June 5th", True),
        ("3rd of June, at home", True),
        ("2 may be given", False),
        ("14-Oct", True),
        ("7 days in August", False),
        ("12 set", False),
        ("seen on 44 May", False),
    ],
)
def test_a_day_and_a_month_in_text_are_a_date(*, text: str, holds: bool) -> None:
    """Fault class: notes with days of a year, next to shifted dates, revealed the shifts."""
    assert holds_day(text) == holds


MOBILES = [f"9{DRAWN.choice('1236')}{DRAWN.randrange(10**7):07d}" for _ in range(RECORDS)]


def test_telephone_numbers_of_nine_digits_are_not_dates() -> None:
    """As seconds since 1970, they would be in the years 1998 to 2001. Only a name can decide."""
    found = looked_at(MOBILES, "Cama")
    assert [one.number for one in found.judgments["Cama"].findings] == [18]
    assert "date" not in {one.kind for one in found.objections.get("Cama", ())}
    assert "date" in kinds(MOBILES, "admission_time")
    called = looked_at(MOBILES, "Contacto").judgments["Contacto"]
    assert (called.role, [one.number for one in called.findings]) == ("identifiers", [4])


def test_a_telephone_number_in_one_note_is_found() -> None:
    """Also without the code of a country, next to a word; the checklist says so."""
    for note in ("Tel. 912345678", "contactar 912 345 678", "ligar ao filho +351 912345678"):
        notes = [note, *["sem alteração"] * (RECORDS - 1)]
        found = looked_at(notes, "obs").judgments["obs"].findings
        assert [one.number for one in found] == [4]
    line = checklist(())[3]
    assert (line.number, line.answer) == (4, "not found")
    assert "follows a word such as Tel." in line.note
