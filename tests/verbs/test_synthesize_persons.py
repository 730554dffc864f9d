"""People with several rows: their release, its texts, and its refusals."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from small_tables import write_csv

import roadstead as rs
from roadstead.differential.persons.one_record import OneValue
from roadstead.differential.private_table import PrivateTable
from roadstead.errors import InputError
from roadstead.release.private.certificate import read_private_certificate, rendered, sealed
from roadstead.release.private.guarantee import mechanisms
from roadstead.tables.item_sets import ItemTable
from roadstead.tables.reading import read_privately
from roadstead.verbs.synthesize import gathering
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.persons import PersonRecords
from roadstead.verbs.synthesize.placing import place
from roadstead.verbs.synthesize.result import SynthesisFinding
from roadstead.verbs.synthesize.settings import settings_of

pytest.importorskip("opendp")

CODES = ("a", "b", "c")
ROWS = [
    (f"p{at // 3}", "F" if at // 3 % 2 else "M", CODES[at % 3], str(at % 3), "yes")
    for at in range(240)
]
"""80 people of three visits each, with one code in each visit."""
COLUMNS = ("who", "sex", "code", "visit", "died")
NOISELESS = 10**5
CELLS = (("", "a", "b", "c"), ("F", "M", "", "X"), ("1", "2", "10", ""), ("no", "yes", "?"))
"""For a person: a sex, a visit, and a class; some are outside their domains."""


def release(rows: Any = ROWS, **more: Any) -> SynthesisFinding:  # noqa: ANN401 - whatever is given
    """Release rows, without noise to speak of."""
    table = {name: [row[at] for row in rows] for at, name in enumerate(COLUMNS)}
    given: dict[str, Any] = {
        "epsilon": NOISELESS,
        "target": "died",
        "classes": ["no", "yes"],
        "values": {"sex": ["F", "M"]},
        "specializations": 1,
        "score": "max-gain",
        "person": "who",
    }
    return rs.synthesize(table, **{**given, **more})


def shown_by(found: SynthesisFinding) -> Counter[tuple[str, ...]]:
    """Count the records that are released."""
    return Counter(zip(*found.to_arrow().to_pydict().values(), strict=True))


def test_one_record_a_person_has_all_codes_of_the_rows() -> None:
    """A column of one code a row is a set of the person's codes."""
    found = release(
        [row for at, row in enumerate(ROWS) if at >= 60 or row[2] != "c"],
        target="sex",
        classes=["F", "M"],
        per_person="same",
        sets={"code": {"column": "code"}},
        values={"code": CODES},
    )
    assert shown_by(found) == {
        ("a; b; c", "F"): 30,
        ("a; b; c", "M"): 30,
        ("a; b", "F"): 10,
        ("a; b", "M"): 10,
    }
    assert found.facts.unit.persons
    assert found.facts.unit.rows is None


def test_few_rows_of_each_person_are_used() -> None:
    """A fixed number of rows of 80 people; only the custodian learns the number of others."""
    found = release(rows_per_person=2)
    assert shown_by(found).total() == 160
    assert found.private.lines == [
        "for your eyes only: 80 people have rows in the table",
        "for your eyes only: 80 rows were not used, because only the requested number of rows "
        "per person is used",
    ]
    assert release(rows_per_person=5).facts.records == 240
    assert {one.records for one in found.facts.synthesis.ledger} == {2}


@pytest.mark.parametrize(
    "more", [{"per_person": "same"}, {"rows_per_person": 2}], ids=["record", "rows"]
)
def test_a_release_for_persons_says_so_everywhere_and_is_verified(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    """Guarantee, JSON, page, certificate, verify; and nothing says that records are meant."""
    found = release(epsilon=1, **more)
    assert "adding or removing one person with all records of the table" in found.guarantee
    assert found.write(tmp_path / "out").passed
    document = found.to_dict()
    assert document["protects"] == "persons"
    assert document["rows_per_person"] == more.get("rows_per_person")
    certificate = json.loads((tmp_path / "out/certificate.json").read_text())
    assert certificate["protects"] == "persons"
    assert certificate["rows_per_person"] == more.get("rows_per_person")
    page = (tmp_path / "out/report.html").read_text()
    assert "What this means for one person" in page
    for text in (page, json.dumps(certificate), str(found)):
        assert "for records" not in text
    verification = rs.verify(tmp_path / "out")
    assert verification.terms.clause.startswith("differential privacy with epsilon ")
    assert " per person " in verification.terms.clause
    checks = {one.check: one for one in verification.checks}
    assert checks["people are protected"].passed
    assert any(
        one.startswith("which rows belonged to the same person") for one in verification.unchecked
    )
    steps = [one.step for one in read_private_certificate(tmp_path / "out/certificate.json").ledger]
    said = mechanisms(steps, certificate["rows_per_person"])
    scale = [one for one in said if one.startswith("Counts")]
    rows = more.get("rows_per_person", 1)
    assert scale == [
        f"Counts: discrete Laplace noise with the scale {rows} divided by the epsilon of the step."
    ]


@pytest.mark.parametrize(
    ("entry", "value"),
    [("protects", "persons"), ("rows_per_person", 2), ("settings", {"person": "who"})],
)
def test_a_release_for_records_cannot_be_said_to_be_for_persons(
    tmp_path: Path, entry: str, value: object
) -> None:
    """Even with a new seal, one of its words or the request reveals it."""
    release(epsilon=1, person=None).write(tmp_path / "out")
    path = tmp_path / "out/certificate.json"
    document = json.loads(path.read_text())
    assert document["protects"] == "records"
    path.write_text(json.dumps({**document, entry: value}))
    path.write_bytes(rendered(sealed(read_private_certificate(path))))
    failed = {one.check for one in rs.verify(tmp_path / "out").failed}
    assert failed & {"people are protected", "records are protected"}


def test_the_first_value_is_the_first_that_is_not_missing(tmp_path: Path) -> None:
    """In each column by itself, and the report says so."""
    rows = [
        row
        for at in range(60)
        for row in ((f"p{at}", "", "a", "1", "yes"), (f"p{at}", "F", "a", "2", "no"))
    ]
    found = release(rows, per_person="first:visit")
    assert shown_by(found) == {("F", "yes"): 60}
    found.write(tmp_path / "out")
    page = (tmp_path / "out/report.html").read_text()
    assert "skips missing values and is applied to each column separately" in page


def test_persons_with_several_values_are_left_out_or_stop_the_run() -> None:
    """The custodian is informed about them, and about rows without a person."""
    rows = [*ROWS, ("p1", "M", "a", "4", "yes"), ("", "M", "a", "4", "yes")]
    found = release(rows, per_person="same")
    said = "\n".join(found.private.lines)
    assert found.facts.records == 79
    assert "1 person with several values of sex was left out" in said
    assert "1 row without a person ID was left out" in said
    assert release(rows, per_person={"": "same", "sex": "last:visit"}).facts.records == 80
    assert shown_by(release(rows, per_person="last:visit", specializations=1)).total() == 80
    with pytest.raises(InputError, match="column 'sex': a person has two different values"):
        release(rows, per_person="same", outside="stop")
    with pytest.raises(InputError, match="column 'who': a cell is empty"):
        release([*ROWS, rows[-1]], per_person="same", outside="stop")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, "column 'sex': a person can have several values in this column"),
        ({"per_person": {"sex": "same"}}, "column 'died': a person can have several values"),
        ({"per_person": "often"}, "is not a rule for choosing one of a person's values"),
        ({"per_person": "first"}, "does not name the column that orders the rows"),
        (
            {"per_person": {"": "same", "sxe": "most"}},
            "column 'sxe': a rule chooses one of a person's values",
        ),
        ({"per_person": "first:vist"}, "vist"),
        ({"rows_per_person": 0}, "0 is not a valid number of rows"),
        ({"rows_per_person": 2, "per_person": "same"}, "no single value represents the person"),
        ({"person": None, "rows_per_person": 2}, "requires a person ID column"),
        ({"person": "nobody", "rows_per_person": 2}, "nobody"),
        (
            {"person": "sex", "rows_per_person": 2},
            "this is the person ID column, but it would be released",
        ),
    ],
)
def test_what_is_not_said_of_persons_is_asked_for(more: dict[str, Any], says: str) -> None:
    """Whatever the rows are: the same request is refused of any table."""
    for rows in (ROWS, ROWS[:1]):
        with pytest.raises(InputError, match=says):
            release(rows, **more)


def test_a_second_table_by_visit_gives_each_person_all_items(tmp_path: Path) -> None:
    """Its key is a visit or the person; the custodian is informed about keys of several people."""
    visits = [(row[0], row[1], f"v{at}", row[4]) for at, row in enumerate(ROWS)]
    write_csv(tmp_path / "visits.csv", ("who", "sex", "visit", "died"), visits)
    codes = [(f"v{at}", row[0], row[2]) for at, row in enumerate(ROWS)]
    write_csv(tmp_path / "codes.csv", ("visit", "who", "code"), codes)
    for key in ("visit", "who"):
        found = rs.synthesize(
            tmp_path / "visits.csv",
            epsilon=NOISELESS,
            target="sex",
            classes=["F", "M"],
            values={"dx": CODES},
            sets={"dx": {"file": tmp_path / "codes.csv", "key": key, "code": "code"}},
            specializations=1,
            score="max-gain",
            person="who",
            per_person="same",
        )
        assert shown_by(found) == {("a; b; c", "F"): 40, ("a; b; c", "M"): 40}
        assert found.facts.unit.words == (
            "one person with all records of the table and the rows of codes.csv that do not "
            "belong to another person"
        )
        assert not any("several people" in one for one in found.private.lines)


def test_a_column_that_says_whose_a_record_is_is_not_overlooked() -> None:
    """If records are protected and patients have several, the custodian is informed."""
    table = {"patient_id": [row[0] for row in ROWS], "sex": [row[1] for row in ROWS]}
    asked: dict[str, Any] = {
        "epsilon": 1,
        "target": "sex",
        "classes": ["F", "M"],
        "ranges": {"age": "0..9"},
    }
    found = rs.synthesize({**table, "age": [str(at % 10) for at in range(240)]}, **asked)
    assert [one for one in found.private.lines if "patient_id" in one] == [
        "for your eyes only: the column patient_id looks like a person ID, and people have several "
        'records; to protect people, use person="patient_id"'
    ]


def test_a_person_id_with_one_row_each_does_not_hide_another_one() -> None:
    """A visit ID would protect visits."""
    table = {"patient_id": [row[0] for row in ROWS], "sex": [row[1] for row in ROWS]}
    table["visit"] = [f"V{at}" for at in range(len(ROWS))]
    asked: dict[str, Any] = {"purpose": "everything", "epsilon": 1, "per_person": "same"}
    asked |= {"quasi": ["sex"], "values": {"sex": ["F", "M"]}}
    said = [
        rs.synthesize(table, **asked, person=who).private.lines for who in table if who != "sex"
    ]
    overlooked = [
        any("patient_id looks like a person ID" in one for one in lines) for lines in said
    ]
    assert overlooked == [False, True]


def test_what_is_kept_of_persons_is_numbers() -> None:
    """A result that is pickled and sent on takes no name along."""
    rows = [(f"patient number {row[0]}", *row[1:]) for row in ROWS]
    for more in ({"per_person": "same"}, {"rows_per_person": 2}):
        found = release(rows, **more)
        assert b"patient number" not in pickle.dumps(found)
        assert b"visit" not in pickle.dumps(release(rows, **more).private)


def test_a_project_file_names_the_person(tmp_path: Path) -> None:
    """And says which value counts, as the command line does."""
    write_csv(tmp_path / "rows.csv", COLUMNS, ROWS)
    (tmp_path / "p.toml").write_text(
        'data = "rows.csv"\n[roles]\nperson = "who"\n[synthesis]\nepsilon = 1\ntarget = "died"\n'
        'classes = ["no", "yes"]\nper_person = {sex = "most", died = "last:visit"}\n'
        '[domains.sex]\nvalues = ["F", "M"]\n'
    )
    ran = run("synthesize", "--project", tmp_path / "p.toml")
    assert ran.code == 0, ran.err
    assert "one person with all records" in ran.out
    again = run("synthesize", "--project", tmp_path / "p.toml", "--rows-per-person", "2")
    assert again.code == 2
    few = run(
        *("synthesize", tmp_path / "rows.csv", "--person", "who", "--rows-per-person", "2"),
        *("--epsilon", "1", "--target", "died", "--classes", "no,yes", "--values", "sex=F,M"),
    )
    assert few.code == 0, few.err
    assert (
        "The guarantee is for people, however many records they have; at most 2 records per"
        in few.out
    )


@pytest.mark.parametrize("person", [None, "person_id"])
def test_a_row_of_a_common_data_model_is_a_person(tmp_path: Path, person: str | None) -> None:
    """All its tables are joined by the person, so nothing has to be said."""
    rows = [(str(at), "8507" if at % 2 else "8532", "1951", "8527", "38003564") for at in range(60)]
    columns = (
        *("person_id", "gender_concept_id", "year_of_birth"),
        *("race_concept_id", "ethnicity_concept_id"),
    )
    write_csv(tmp_path / "PERSON.csv", columns, rows)
    found = rs.synthesize(
        f"omop:{tmp_path}",
        epsilon=1,
        target="gender",
        classes=["MALE", "FEMALE"],
        ranges={"year_of_birth": "1900..2025"},
        person=person,
    )
    assert found.facts.unit.persons
    assert found.facts.counted.sentence.startswith(
        "This counts people, not records. The person ID column is person_id"
    )
    assert found.private.lines == []


@pytest.mark.nightly
def test_a_rehearsal_and_a_judgment_gather_persons_too(tmp_path: Path) -> None:
    """240 rows are 80 records; for a release for people, held-out rows need a person."""
    write_csv(tmp_path / "rows.csv", COLUMNS, ROWS)
    given: dict[str, Any] = {"person": "who", "per_person": "same"}
    found = rs.evaluate(
        tmp_path / "rows.csv",
        epsilon=1,
        target="sex",
        classes=["F", "M"],
        sets={"code": {"column": "code"}},
        values={"code": CODES},
        specializations=1,
        runs=1,
        comparators="none",
        **given,
    )
    assert found.to_dict()["records"] == 80
    assert found.to_dict()["counted"]["unit"] == "persons"
    release(per_person="same", quasi=["sex"]).write(tmp_path / "out")
    held_out = tmp_path / "rows.csv"
    with pytest.raises(
        InputError, match="the person ID column of the held-out records is not given"
    ):
        rs.evaluate(tmp_path / "out", held_out=held_out, classifiers=["tree"])
    judged = rs.evaluate(tmp_path / "out", held_out=held_out, classifiers=["tree"], **given)
    assert judged.to_dict()["held_out_records"] == 80
    release(rows_per_person=2).write(tmp_path / "rows")
    with pytest.raises(InputError, match="not the combined rows of a person"):
        rs.evaluate(tmp_path / "rows", held_out=held_out, classifiers=["tree"], **given)


@examples(4)
@given(
    st.lists(st.tuples(*(st.sampled_from(cells) for cells in CELLS)), max_size=30),
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(CODES)), max_size=8),
    st.sampled_from([None, 1, 3]),
)
def test_a_person_more_or_less_is_so_many_records_more_or_less(
    rows: list[tuple[str, ...]], codes: list[tuple[str, str]], most: int | None
) -> None:
    """Read, joined with a second table, chosen or gathered, and placed: no other person changes."""
    values = {"same": OneValue("same"), "last": OneValue("last", "visit")}
    persons = PersonRecords("who", most, {"sex": values["same"], "died": values["last"]})
    settings = settings_of(1, "died", ("no", "yes"), 1, "max", "leave-out")

    def placed(without: str) -> Counter[tuple[Any, ...]]:
        kept = [row for row in rows if row[0] != without]
        second = texts_of(("who", "code"), [one for one in codes if one[0] != without])
        dx = ItemTable("dx", second, key="who", own_key="who", code="code")
        declared = Declarations(
            values={"sex": ("F", "M"), "dx": CODES}, sets=(dx,), persons=persons
        )
        table = texts_of(("who", "sex", "visit", "died"), kept)
        with (
            pytest.MonkeyPatch.context() as patched,
            read_privately(table) as source,
        ):
            patched.setattr(gathering, "token_bytes", lambda size: b"k" * size)
            return records_of(place(source, settings, declared).records)

    whole = placed("nobody at all")
    for who in "abc":
        others = placed(who)
        assert not others - whole
        assert (whole - others).total() <= (most or 1)


def texts_of(names: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> pa.Table:
    """Make a table of texts, which may be empty."""
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    return pa.table(columns, schema=pa.schema([(name, pa.string()) for name in names]))


def records_of(table: PrivateTable) -> Counter[tuple[Any, ...]]:
    """Take a private table apart into its records."""
    sets = table.sets_of([one.attribute for one in table.domains].index("dx"))
    found: Counter[tuple[Any, ...]] = Counter()
    for sex, items, died, count in zip(
        *(table.codes), table.target.tolist(), table.counts.tolist(), strict=True
    ):
        own = tuple(sets.items[sets.starts[items] : sets.starts[items + 1]].tolist())
        found[int(sex), own, died] += count
    return found
