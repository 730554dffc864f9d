"""Person ID: proposed by a scan, withheld without a decision, and used for counting."""

from __future__ import annotations

import random
import re
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import run, without_charts
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import InputError, Refusal, RoleError, SourceError
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.catalog import REQUESTS

QUASI = ("sex", "decade")
COLUMNS = ("pid", "sex", "decade", "answer")


def rows(person: str = "P{:04d}") -> list[tuple[str, ...]]:
    """Give two visits of each of 120 people."""
    chance = random.Random(5)  # noqa: S311 - no secret
    people = [
        (person.format(at * 37), chance.choice("FM"), str(chance.choice((1950, 1960, 1970))))
        for at in range(120)
    ]
    return [(*one, chance.choice("ab")) for one in people for _ in range(2)]


def visits(name: str = "pid", cells: list[tuple[str, ...]] | None = None) -> pa.Table:
    """Give them as a table."""
    columns = zip(*(cells or rows()), strict=True)
    return pa.table([pa.array(one) for one in columns], names=[name, *COLUMNS[1:]])


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the visits."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "visits.csv", COLUMNS, rows())
    return tmp_path


def test_a_scan_proposes_the_person_and_anonymize_counts_by_it(place: Path) -> None:
    """From the table to a release that counts people, with an unchanged project file."""
    ran = run("scan", "visits.csv")
    assert "People: pid is the person ID column" in ran.out
    document = tomllib.loads((place / "visits.toml").read_text("utf-8"))
    assert document["roles"]["person"] == "pid"
    assert not any("pid" in names for names in document["roles"].values() if names != "pid")
    roles = ("--quasi", "sex,decade", "--unchanged", "answer")
    said = run("anonymize", "--project", "visits.toml", *roles, "--json")
    assert said.json["counted"] == {
        "unit": "persons",
        "person": "pid",
        "look_like_persons": ["pid"],
        "sentence": "This counts people, not records. The person ID column is pid.",
    }
    assert run("scan", "visits.csv", "--force").code == 0


@pytest.mark.nightly
def test_a_proposal_in_python_is_used_as_it_is() -> None:
    """The role is that of the request, unless the request names another."""
    proposal = rs.scan(visits())
    assert proposal.person == "pid"
    assert proposal.to_dict()["person"] == "pid"
    result = rs.anonymize(visits(), roles=proposal, quasi=QUASI, unchanged=["answer"])
    assert result.roles.person == "pid"
    assert "pid" in result.policy.columns.removed
    found = rs.anonymize(
        visits(), roles=proposal, quasi=QUASI, identifiers=["pid"], unchanged=["answer"]
    )
    assert found.roles.person is None
    assert found.roles.identifiers == ("pid",)


def test_a_role_that_was_typed_goes_before_the_person_of_a_project_file(place: Path) -> None:
    """As for every other role."""
    (place / "own.toml").write_text(
        'data = "visits.csv"\n[roles]\nperson = "pid"\nquasi = ["sex"]\n', encoding="utf-8"
    )
    project = read_project(place / "own.toml", REQUESTS)
    assert joined(AnonymizeRequest, {}, project).person == "pid"
    assert joined(AnonymizeRequest, {"person": "sex"}, project).person == "sex"
    typed = joined(AnonymizeRequest, {"identifiers": ("pid",)}, project)
    assert (typed.person, typed.identifiers) == (None, ("pid",))


def test_what_may_be_a_person_waits_for_a_decision() -> None:
    """A column that is called otherwise, in which sex is the same, is undecided."""
    proposal = rs.scan(visits("zz"))
    assert proposal.person is None
    assert "zz" in proposal.names(None)
    with pytest.raises(RoleError, match=r"'zz'.* no role"):
        rs.anonymize(visits("zz"), roles=proposal, undecided="refuse")
    decided = proposal.deciding({"zz": "person", "answer": "unchanged", "decade": "quasi"})
    assert decided.person == "zz"
    assert rs.anonymize(visits("zz"), roles=decided).roles.person == "zz"


@pytest.mark.parametrize("name", ["pid", "zz"])
def test_nobodys_key_is_released_without_a_role(name: str, tmp_path: Path) -> None:
    """A hurried user names the quasi-identifiers alone.

    Fault class: a column that links the records of a person goes out.
    """
    result = rs.anonymize(visits(name), quasi=QUASI, k=2, suppression=1.0)
    told = result.to_dict()
    assert told["withheld_because"][name]["decide"] == (
        f'use person="{name}" to count people, or identifiers=["{name}"] to count records, '
        "and to leave the column out"
    )
    assert str(result).endswith(
        f'even though they may identify a person: release_anyway=["{name}"]'
    )
    result.write(tmp_path / "release")
    assert "P0037" not in (tmp_path / "release" / "report.html").read_text("utf-8")
    assert name not in result.to_arrow().column_names


@pytest.mark.quick(2)
@pytest.mark.parametrize("role", ["unchanged", "sensitive"])
@pytest.mark.parametrize("name", ["pid", "zz"])
def test_a_role_does_not_release_what_links_records(role: str, name: str) -> None:
    """Nor by any pattern; named one by one it goes out, with an alarm."""
    asked: dict[str, Any] = {"quasi": QUASI, "k": 2, "suppression": 1.0}
    for names in ([name], [f"{name[0]}*"]):
        given: dict[str, Any] = {**asked, role: names}
        with pytest.raises(RoleError, match=rf"'{name}'.*name it with person \(to count people\)"):
            rs.anonymize(visits(name), **given)
    result = rs.anonymize(visits(name), **asked, release_anyway=[name])
    assert str(result).startswith(
        "Warning: this column is released anyway, although HIPAA Safe Harbor requires removal: "
        f"{name}"
    )


def test_a_second_key_is_withheld_where_persons_are_counted_by_another() -> None:
    """It says the same as the first, and links the records as well."""
    table = visits().append_column("mrn", pa.array([f"M{at // 2}" for at in range(240)]))
    result = rs.anonymize(table, quasi=QUASI, person="pid", k=2, suppression=1.0)
    assert "mrn" in result.withheld
    assert "pid" not in result.withheld
    assert not {"pid", "mrn"} & set(result.to_arrow().column_names)


def test_a_person_that_is_given_twice_is_refused_with_the_way() -> None:
    """As a quasi-identifier it would be generalized."""
    with pytest.raises(
        RoleError,
        match=r"as a quasi-identifier and as the person ID; name this column only with person",
    ):
        rs.anonymize(visits(), quasi=("pid", *QUASI), person="pid")


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([("", "F"), ("1", "M")], "1 record has no person ID (record 1); remove such records"),
        ([("  ", "F"), ("1", "M")], "1 record has no person ID (record 1); remove such records"),
        (
            [("1", "F"), ("", "M"), (" ", "F")],
            "2 records have no person ID (the first is record 2); remove such records",
        ),
        ([("NULL", "F"), ("1", "M")], "1 record has 'NULL' instead of a person ID (record 1)"),
        (
            [("1", "F"), ("1\u200b", "M")],
            "differ only in outer blanks, invisible characters",
        ),
        ([("Zo\u00e9", "F"), ("Zoe\u0301", "M")], "differ only in outer blanks"),
        ([("\u200b", "F"), ("7", "M")], "1 record has no person ID (record 1)"),
        ([("1", "F"), ("1 ", "M")], "differ only in outer blanks, invisible characters"),
        ([("007", "F"), ("7", "M")], "differ only in outer blanks, invisible characters"),
        ([("7.0", "F"), ("7", "M")], "differ only in outer blanks, invisible characters"),
    ],
)
def test_a_record_of_nobody_and_a_person_written_twice_are_refused(
    cells: list[tuple[str, str]], said: str
) -> None:
    """Either would count people who are not there.

    Fault class: one person counts as two.
    """
    table = pa.table({"pid": [p for p, _ in cells], "sex": [s for _, s in cells]})
    with pytest.raises(SourceError, match=re.escape(said)) as caught:
        rs.anonymize(table, quasi=["sex"], person="pid", k=1)
    assert "007" not in str(caught.value)


@pytest.mark.nightly
def test_persons_may_be_numbers_and_one_for_each_record() -> None:
    """Numbers are read like texts; if no one has two records, the output says so."""
    table = pa.table({"pid": list(range(40)), "sex": ["F", "M"] * 20})
    result = rs.anonymize(table, quasi=["sex"], person="pid", k=2)
    assert str(result).split("\n")[2].endswith("Each person has one record.")
    twice = pa.table({"pid": [at // 2 for at in range(40)], "sex": ["F"] * 40})
    assert "Each person has one record" not in str(
        rs.anonymize(twice, quasi=["sex"], person="pid", k=2)
    )
    texts = pa.table({"pid": [str(at // 2) for at in range(40)], "sex": ["F"] * 40})
    found = [rs.anonymize(one, quasi=["sex"], person="pid", k=2).policy for one in (twice, texts)]
    assert found[0] == found[1]


def test_a_person_that_is_the_same_in_all_records_is_refused() -> None:
    """A single person has no similar people."""
    table = pa.table({"pid": ["x"] * 40, "sex": ["F", "M"] * 20})
    with pytest.raises(InputError, match="only 1 person; a single person cannot be protected"):
        rs.anonymize(table, quasi=["sex"], person="pid", k=2)


def test_a_person_in_each_record_makes_records_persons() -> None:
    """That is said, and nothing is withheld or refused for it."""
    table = pa.table({"person_id": list(range(100, 140)), "sex": ["F", "M"] * 20})
    result = rs.anonymize(table, quasi=["sex"], k=2)
    said = (
        "This counts records. Every record has a different person_id, so each record is treated as "
        "one person."
    )
    assert str(result).split("\n")[2] == said
    assert str(rs.risk(table, quasi=["sex"])).split("\n")[1] == said
    assert rs.scan(table).person is None


@pytest.mark.nightly
def test_rows_known_may_be_written_as_a_number(place: Path) -> None:
    """In Python and in a project file.

    Fault class: "2 is not known; use 1 or 2".
    """
    found = rs.anonymize(visits(), quasi=QUASI, unchanged=["answer"], person="pid", knows=2)
    assert "two rows known" in found.models[0].name
    text = 'data = "visits.csv"\n[roles]\nperson = "pid"\n[persons]\nknows = {}\n'
    for written in ("2", '"2"'):
        (place / "p.toml").write_text(text.format(written), encoding="utf-8")
        said = run("risk", "--project", "p.toml", "--quasi", "sex,decade", "--json")
        assert said.json["knows"] == "2"
    for wrong in (4, True, "x"):
        with pytest.raises(InputError, match="knows"):
            rs.risk(visits(), quasi=QUASI, person="pid", knows=wrong)


@pytest.mark.parametrize("person", [3, ["pid"]])
def test_a_person_that_is_no_name_is_refused(person: Any) -> None:  # noqa: ANN401 - wrong on purpose
    """Fault class: an error of another library, from deep inside."""
    with pytest.raises(InputError, match="is not text"):
        rs.anonymize(visits(), quasi=QUASI, person=person)


def test_a_release_of_nobody_is_refused_in_persons(place: Path) -> None:
    """Six people, each with a unique combination of sex and decade.

    Fault class: "fewer records than k", although people are counted.
    """
    cells: list[tuple[str, ...]] = [
        (f"P{at}", "FM"[at % 2], str(1900 + 10 * at), "a") for at in range(6) for _ in "ab"
    ]
    asked: dict[str, Any] = {"quasi": QUASI, "unchanged": ["answer"], "person": "pid", "k": 2}
    held = dict.fromkeys(QUASI, 0)
    with pytest.raises(Refusal, match="cannot release fewer people than k"):
        rs.anonymize(visits(cells=cells), **asked, suppression=1, max_level=held, out=place / "out")


def test_a_placeholder_in_the_person_id_is_reported_by_each_command() -> None:
    """Its records count as one person, so each figure of people may be wrong."""
    cells = rows()
    shared = [*dict.fromkeys(one[0] for one in cells)][::4]
    table = visits(cells=[("999999990" if a in shared else a, *rest) for a, *rest in cells])
    said = f"1 value of pid has {2 * len(shared)} records with 2 different values of sex."
    assert any(line.startswith(said) for line in rs.scan(table).noticed)
    release = rs.anonymize(table, quasi=QUASI, person="pid", k=2, suppression=1.0)
    assert any(line.startswith(said) for line in release.noticed)
    assert said in str(rs.apply(release.policy, table))
    assert said in str(rs.risk(table, quasi=QUASI, person="pid"))
    assert said in str(rs.frontier(table, quasi=QUASI, person="pid"))


def instruments(both: int = 0) -> list[str]:
    """Give a row with the facts about each of 60 people, and two rows with the dates of visits."""
    chance = random.Random(6)  # noqa: S311 - no secret
    lines = ["record_id,sex,birth_year,visit_date,hba1c"]
    for at in range(1, 61):
        facts = f"{chance.choice('FM')},{chance.choice((1950, 1960))}"
        days = [f"2024-0{chance.randrange(1, 9)}-11,{chance.randrange(5, 9)}" for _ in range(2)]
        lines += [f"{at},{facts},{'2024-01-02' if at <= both else ''},"]
        lines += [f"{at},,,{day}" for day in days]
    return lines


def test_facts_about_a_person_in_a_row_of_their_own_are_reported(tmp_path: Path) -> None:
    """Fault class: "two rows known" was read as the facts about a person and two visits."""
    table = tmp_path / "export.csv"
    table.write_text("\n".join([*instruments(), ""]), encoding="utf-8")
    found = rs.scan(table)
    assert found.kinds_of_rows == (("sex", "birth_year"), ("visit_date",))
    said = (
        "The rows of a person are of different kinds: some have values in sex, birth_year, and "
        "others in visit_date. Each row counts as one of the rows that an attacker may know. For "
        "example, an attacker who knows sex, and visit_date in two other rows, knows three rows. "
        "If the rows are linked by a pseudonym, use {} to protect people from this attacker."
    )
    assert said.format("knows=3") in str(found)
    assert said.format("--knows 3") in run("scan", table, "--out", tmp_path / "e.toml").out
    table.write_text("\n".join([*instruments(both=1), ""]), encoding="utf-8")
    assert rs.scan(table).kinds_of_rows == ()
    assert rs.scan(visits()).kinds_of_rows == ()
