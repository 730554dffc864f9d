"""Systems of codes: what their codes become, against the standards and by definition."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from roadstead.code_systems.forms import BAR, shape_of
from roadstead.code_systems.system import CodeSystem, system_named, systems
from roadstead.errors import HierarchyError, SettingError
from roadstead.hierarchies.codes import code_rules, codes
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.rules import Rule
from roadstead.release.sql.rules import rule_sql

EVERY = list(systems().values())
ANY: TypeAdapter[Rule] = TypeAdapter(Rule)


@st.composite
def written(draw: st.DrawFn, system: CodeSystem) -> str:
    """Draw a code in one of the forms, with or without marks, in small or large letters."""
    if system.whole:
        return draw(st.sampled_from(sorted(system.levels[0].listed)))
    text = draw(st.sampled_from(system.forms)).replace(BAR, "")
    if draw(st.booleans()):
        text = "".join(sign for sign in text if sign in "0A")
    starts = sorted(system.first or (system.levels[0].listed if system.levels else ()))
    choices = {"0": "0123456789", "A": "ABCDEFGHJKXZabxz"}
    signs = [draw(st.sampled_from(list(choices.get(sign, sign)))) for sign in text]
    if starts and draw(st.sampled_from([True, True, False])):
        start = draw(st.sampled_from(starts))
        if shape_of(start) == text[: len(start)]:
            signs[: len(start)] = start
    return "".join(signs)


def labels_of(rules: list[Rule], value: str) -> list[str]:
    """Return the labels of a value, from specific to general."""
    found = [rule.label(value) for rule in rules]
    assert all(label is not None for label in found)
    return [label for label in found if label is not None]


@pytest.mark.quick(9)
@pytest.mark.parametrize("system", EVERY, ids=lambda one: one.name)
@settings(max_examples=20)
@given(data=st.data())
def test_each_level_is_coarser_than_the_level_below(
    system: CodeSystem, data: st.DataObject
) -> None:
    """By brute force over pairs; texts that are no codes are apart; labels are recognized."""
    rules = list(code_rules(system))
    drawn = st.one_of(written(system), st.text(max_size=8))
    values = data.draw(st.lists(drawn, min_size=2, max_size=12))
    rows = [labels_of(rules, value) for value in values]
    for finer, coarser in pairwise(range(len(rules))):
        above: dict[str, str] = {}
        for row in rows:
            assert above.setdefault(row[finer], row[coarser]) == row[coarser]
    for value, row in zip(values, rows, strict=True):
        assert all(rule.produces(label) for rule, label in zip(rules, row, strict=True))
        if value == "":
            assert set(row) == {""}
        elif not system.loose:
            assert ({*row} == {system.other}) == (not system.has(value))
    for rule in rules:
        assert ANY.validate_json(ANY.dump_json(rule)) == rule


@pytest.mark.quick(3)
@pytest.mark.parametrize("system", EVERY, ids=lambda one: one.name)
def test_sql_labels_as_the_rules_do(system: CodeSystem) -> None:
    """Codes of every form, and texts that are not codes."""
    begins = sorted(system.first or (system.levels[0].listed if system.levels else {"X"}))
    values = ["", "O'x", "?", "ß12", "١٢٣٤٥", "\t10115", *begins[:300:7]]
    for form in system.forms:
        text = form.replace(BAR, "")
        for start in begins[:: max(len(begins) // 3, 1)]:
            code = start + text[len(start) :].replace("A", "B").replace("0", "3")
            values += [code, code.lower(), re.sub("[^0-9A-Z]", "", code), f"{code}9"]
    with duckdb.connect() as connection:
        for rule in code_rules(system):
            made = rule_sql("x", rule, lambda name: name)
            steps = ", ".join(f'{one} AS "{name}"' for name, one in made.steps[0].items())
            asked = (
                f"SELECT {made.label} FROM (SELECT x{', ' + steps if steps else ''} "  # noqa: S608 - the rule's own
                "FROM (SELECT unnest(?) AS x))"
            )
            found = [row[0] for row in connection.execute(asked, [values]).fetchall()]
            assert found == [rule.label(value) for value in values]


@pytest.mark.parametrize(
    ("book", "value", "expected"),
    [
        ("postcode_gb", "SW1A 1AA", ["SW1A 1", "SW1A", "SW"]),
        ("postcode_gb", "n19gu", ["N1 9", "N1", "N"]),
        ("postcode_gb", "N10", ["N10", "N10", "N"]),
        ("postcode_gb", "QQ1 1AA", ["other"] * 3),
        ("postcode_gb", "BX1 1LT", ["other"] * 3),
        ("postcode_ca", "K1A 0B1", ["K1A", "K", "Ontario"]),
        ("postcode_ca", "h0h-0h0", ["H0H", "H", "Quebec"]),
        ("postcode_ca", "D1A 1A1", ["other"] * 3),
        ("postcode_de", "01067", ["010**", "01***", "0****"]),
        ("postcode_de", "43000", ["other"] * 3),
        ("postcode_de", "1067", ["other"] * 3),
        ("postcode_nl", "1012 AB", ["1012", "10**", "1***"]),
        ("postcode_pt", "9500-321", ["9500", "95**", "9***"]),
        ("postcode_pt", "4050", ["4050", "40**", "4***"]),
        ("postcode_au", "2601", ["26** ACT", "ACT"]),
        ("postcode_au", "2619", ["26** NSW", "NSW"]),
        ("postcode_au", "0872", ["08** NT", "NT"]),
        ("postcode_us", "02139-1234", ["02139", "021**"]),
        ("nuts", "DE300", ["DE30", "DE3", "DE"]),
        ("nuts", "EL30", ["EL30", "EL3", "EL"]),
        ("country", "PRT", ["Southern Europe", "Europe"]),
        ("country", "Deutschland", ["Western Europe", "Europe"]),
        ("country", "TW", ["Eastern Asia", "Asia"]),
        ("country", "Atlantis", ["other", "other"]),
        ("atc", "A10BA02", ["A10BA", "A10B", "A10", "A alimentary tract and metabolism"]),
        ("isco08", "2211", ["221", "22", "2 professionals"]),
        ("isco08", "0110", ["011", "01", "0 armed forces"]),
        ("naics", "311811", ["31181", "3118", "311", "31 to 33 manufacturing"]),
        ("naics", "491110", ["49111", "4911", "491", "48 to 49 transportation and warehousing"]),
    ],
)
def test_known_codes_have_the_levels_of_their_standard(
    book: str, value: str, expected: list[str]
) -> None:
    """With and without marks, in small letters, and beside codes that do not exist."""
    made = codes("x", [value], book)
    assert [level.labels[0] for level in made.levels] == [value, *expected, "*"]


@pytest.mark.parametrize("code", ["A17.0†", "A170", "a17.0", "A17.0*", "A17", "A17.-"])
def test_a_who_code_is_found_with_its_marks(code: str) -> None:
    """The dagger and the asterisk say how a code is used, and not what it is."""
    labels = [level.labels[0] for level in codes("dx", [code], "icd10who").levels[1:3]]
    assert labels == ["A17", "A15 to A19 tuberculosis"]


STATES = {
    "ACT": ((200, 299), (2600, 2618), (2900, 2920)),
    "NSW": ((1000, 2599), (2619, 2899), (2921, 2999)),
    "VIC": ((3000, 3999), (8000, 8999)),
    "QLD": ((4000, 4999), (9000, 9999)),
    "SA": ((5000, 5999),),
    "WA": ((6000, 6999),),
    "TAS": ((7000, 7999),),
    "NT": ((800, 999),),
}


def test_every_australian_postcode_is_in_the_state_of_its_range() -> None:
    """All 10,000 numbers, compared with the ranges themselves."""
    *_, states = code_rules(system_named("postcode_au", where="here"))
    for number in range(10_000):
        expected = [s for s, own in STATES.items() if any(a <= number <= b for a, b in own)]
        assert [states.label(f"{number:04d}")] == (expected or ["other"])


BRITISH = re.compile(
    r"(?:[A-Z]\d\d?|[A-Z][A-Z]\d\d?|[A-Z]\d[A-Z]|[A-Z][A-Z]\d[A-Z]) ?\d[A-Z]{2}", re.ASCII
)


@given(st.from_regex(BRITISH, fullmatch=True))
def test_uk_postcodes_end_in_three_signs_wherever_the_blank_is(code: str) -> None:
    """The outward code is all but the last three signs; the area its first letters."""
    plain = code.replace(" ", "")
    sector, district, area = (
        rule.label(code) for rule in code_rules(system_named("postcode_gb", where="here"))
    )
    letters = re.match("[A-Z]+", plain)
    assert letters is not None
    known = letters[0] in system_named("postcode_gb", where="here").first
    expected = (f"{plain[:-3]} {plain[-3]}", plain[:-3], letters[0])
    assert (sector, district, area) == (expected if known else ("other",) * 3)


@pytest.mark.parametrize("system", EVERY, ids=lambda one: one.name)
def test_the_facts_of_a_system_agree(system: CodeSystem) -> None:
    """A code is in one group of each level, and groups continue the parts below them."""
    assert system.source
    assert system.edition
    for level in system.levels:
        begins = [begin for own in level.groups.values() for begin in own]
        assert len(begins) == len(set(begins))
    if system.first:
        for level in system.levels:
            assert all(any(f.startswith(b) for b in level.listed) for f in system.first)


def test_an_unknown_book_is_refused_with_a_near_name() -> None:
    """The error names the column."""
    with pytest.raises(SettingError, match=r"hierarchy of 'plz'.*postcode_d"):
        build_declared("plz", {"kind": "codes", "book": "postcode_d"}, ["10115"])


def test_a_table_of_concepts_gives_the_groups(tmp_path: Path) -> None:
    """A code that it does not list stands apart; errors show no cell of the file."""
    file = tmp_path / "snomed.csv"
    file.write_text("id,top,group\n22298006,heart,infarction\n44054006,endocrine,diabetes\n")
    spec = {"kind": "concepts", "path": "snomed.csv", "code": "id", "groups": ["top", "group"]}
    made = build_declared("finding", spec, ["22298006", "1", ""], folder=tmp_path)
    assert [[level.label(row) for level in made.levels] for row in range(3)] == [
        ["22298006", "infarction", "heart", "*"],
        ["1", "other", "other", "*"],
        ["", "", "", "*"],
    ]
    assert made.describe(1) == "as snomed group"
    file.write_text("id,top,group\n1,secret,inner\n2,private,inner\n")
    with pytest.raises(HierarchyError, match="to two groups in 'top'") as refused:
        build_declared("finding", spec, ["1"], folder=tmp_path)
    file.write_text("secret,private\n1,2\n")
    with pytest.raises(HierarchyError, match="no column") as unnamed:
        build_declared("finding", spec, ["1"], folder=tmp_path)
    assert not re.search("secret|private|inner", f"{refused.value}{unnamed.value}")
