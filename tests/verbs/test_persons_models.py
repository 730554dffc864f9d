"""Models of a sensitive column with people, from the request to the released rows.

The requirements are counted again in plain Python in the released rows, found by a record number
that is released for this purpose.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import log, log2
from pathlib import Path
from random import Random
from typing import Any, Literal

import pyarrow as pa
import pytest

import roadstead as rs
from roadstead.errors import SettingError
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.release.generalized import every_row_a_class
from roadstead.release.verification.persons import LinkedRows
from roadstead.release.verification.table import check_promised
from roadstead.tables.frequency import summarize
from roadstead.tables.persons.profiles import summarize_persons
from roadstead.tables.reading import read
from roadstead.tables.source import Source

QUASI = ("age", "sex")
K = 3
RISKS = {"average": 0.1, "maximum": 0.5}
PEOPLE = {"maximum": 0.1, "people": 10_000}
EVERYBODY = {"minimum": 0.1, "everybody": True}
STAKES = {"gain": 300, "cost": 4}
WORTH = {**STAKES, "benefit": 1200.0, "loss": 300.0}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hundred people with one to six visits; some have a single illness in all visits."""
    chance = Random(5)  # noqa: S311 - for tests
    notes = chance.sample(range(10_000, 99_999), 2000)  # in no order, which would link rows
    lines = ["note,person,age,sex,illness"]
    for person in range(200):
        sex, usual = chance.choice("FM"), chance.choice("uuvw")
        for _ in range(chance.choice([1, 1, 2, 3, 6])):
            illness = usual if chance.random() < 0.8 else chance.choice("uvw")
            age = chance.choice([20, 30, 40, 50, 60])
            lines.append(f"n{notes.pop()},p{person},{age},{sex},{illness}")
    path = tmp_path_factory.mktemp("persons") / "visits.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def released(result: rs.Anonymization, table: Path) -> list[tuple[str, tuple[str, ...], str]]:
    """Give the person, the class and the illness of each row released."""
    lines = table.read_text(encoding="utf-8").splitlines()[1:]
    person = {note: person for note, person, *_ in (line.split(",") for line in lines)}
    rows = result.to_arrow().to_pylist()
    return [
        (person[row["note"]], tuple(row[name] for name in QUASI), row["illness"]) for row in rows
    ]


def values(rows: list[tuple[str, tuple[str, ...], str]], knows: str) -> list[Counter[str]]:
    """Count people by illness in each group, or among people with the same rows."""
    if knows == "all":
        own: dict[str, list[tuple[str, ...]]] = {}
        for person, where, _ in rows:
            own.setdefault(person, []).append(where)
        place: dict[Any, Any] = {p: tuple(sorted(classes)) for p, classes in own.items()}
        found = {(place[person], person, illness) for person, _, illness in rows}
    else:
        found = {(where, person, illness) for person, where, illness in rows}
    groups: dict[Any, Counter[str]] = {}
    for group, _, illness in found:
        groups.setdefault(group, Counter())[illness] += 1
    return list(groups.values())


def anonymized(table: Path, **more: Any) -> rs.Anonymization:  # noqa: ANN401 - options
    given = {
        "k": K,
        "suppression": 0.6,
        "sensitive": ["illness"],
        "release_anyway": ["note"],
        **more,
    }
    return rs.anonymize(table, quasi=QUASI, person="person", **given)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("knows", "leave_out"), [("1", "rows"), ("1", "persons"), ("all", "persons")]
)
@pytest.mark.parametrize("kind", ["distinct", "entropy", "recursive", "t", "beta", "disclosure"])
def test_the_rows_released_keep_the_promise(
    table: Path, kind: str, knows: str, leave_out: str
) -> None:
    """Counting each person once for each illness."""
    models: dict[str, dict[str, Any]] = {
        "distinct": {"kind": "distinct-l-diversity", "l": 3},
        "entropy": {"kind": "entropy-l-diversity", "l": 2.2},
        "recursive": {"kind": "recursive-cl-diversity", "c": 2, "l": 2},
        "t": {"kind": "t-closeness", "t": 0.2},
        "beta": {"kind": "beta-likeness", "beta": 0.6},
        "disclosure": {"kind": "delta-disclosure", "delta": 0.7},
    }
    result = anonymized(table, knows=knows, leave_out=leave_out, privacy=[models[kind]])
    assert result.optimal
    found = values(released(result, table), knows)
    assert found
    persons = {tuple(line.split(",")[1::3]) for line in table.read_text().splitlines()[1:]}
    whole = Counter(illness for _, illness in persons)
    for own in found:
        shares = {value: own[value] / own.total() for value in whole}
        table_shares = {value: number / whole.total() for value, number in whole.items()}
        if kind == "distinct":
            assert len(own) >= 3
        elif kind == "entropy":
            assert -sum(p * log(p) for p in shares.values() if p) >= log(2.2) - 1e-9
        elif kind == "recursive":
            first, *others = sorted(own.values(), reverse=True)
            assert first < 2 * sum(others)
        elif kind == "t":
            assert sum(abs(shares[v] - table_shares[v]) for v in whole) / 2 <= 0.2 + 1e-9
        elif kind == "disclosure":
            for value, share in table_shares.items():
                assert abs(log2(shares[value] / share)) < 0.7
        else:
            for value, share in table_shares.items():
                gain = min(0.6, -log(share))
                assert shares[value] <= share * (1 + gain) + 1e-9


def test_a_person_of_many_rows_does_not_make_a_value_frequent(tmp_path: Path) -> None:
    """Nine visits with flu are one person with flu: by rows it would be hidden among the others."""
    rows = [f"a,{'flu'}" for _ in range(9)] + ["b,cold", "c,cold", "d,cold", "e,cold"]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(["person,illness,age", *(f"{row},30" for row in rows)]))
    given: dict[str, Any] = {"quasi": ["age"], "k": 2, "sensitive": ["illness"], "suppression": 0}
    model = {"kind": "entropy-l-diversity", "l": 1.8}
    assert rs.anonymize(path, identifiers=["person"], privacy=[model], **given).suppressed == 0
    with pytest.raises(rs.NoPolicyError, match="counting people"):
        rs.anonymize(path, person="person", privacy=[model], **given)


@pytest.mark.quick(12)
@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"privacy": [{"kind": "average-risk", "average": 0.1}]}, "mean over records"),
        ({"privacy": [{"kind": "k-map", "k": 5}]}, "lists each person once"),
        ({"privacy": [{"kind": "delta-presence", "maximum": 0.5}]}, "lists each person once"),
        ({"privacy": [{"kind": "estimated-k-map", "k": 5, "fraction": 0.1}]}, "random sample"),
        ({"privacy": [{"kind": "strict-average-risk", **RISKS}]}, "mean over records"),
        ({"privacy": [{"kind": "records-at-risk", "maximum": 0.5, "at_risk": 0.1}]}, "or a share"),
        ({"k": None, "privacy": [{"kind": "sample-uniqueness", "maximum": 0.1}]}, "or a share"),
        ({"k": None, "privacy": [{"kind": "population-uniqueness", **PEOPLE}]}, "or a share"),
        (
            {"k": None, "privacy": [{"kind": "no-attack", **STAKES}]},
            "several of these records may belong to one person",
        ),
        ({"privacy": [{"kind": "no-attack-journalist", **STAKES}]}, "lists each person once"),
        ({"privacy": [{"kind": "profitability", **WORTH}]}, "several of these records may belong"),
        ({"privacy": [{"kind": "profitability-journalist", **WORTH}]}, "lists each person once"),
        (
            {"privacy": [{"kind": "delta-presence", "maximum": 0.5, **EVERYBODY}]},
            "lists each person once",
        ),
        ({"privacy": [{"kind": "grassberger-l-diversity", "l": 2}]}, "rows of one person are not"),
        (
            {"privacy": [{"kind": "delta-disclosure", "delta": 1, "every_value": False}]},
            "two groups of people",
        ),
        (
            {"privacy": [{"kind": "distinct-l-diversity", "l": 2}], "knows": "2"},
            "these groups of people overlap",
        ),
        (
            {"privacy": [{"kind": "person-anonymity", "k": 5, "person": "note"}]},
            "you cannot name",
        ),
        (
            {"k": 1, "privacy": [{"kind": "distinct-l-diversity", "l": 2}]},
            "counting people requires",
        ),
        ({"search": "k-optimize", "quality": "discernibility"}, "cannot be added up"),
        ({"average_over": "persons", "quality": "discernibility"}, "not a sum over records"),
    ],
)
def test_what_cannot_be_counted_in_persons_is_refused_with_why(
    table: Path, more: dict[str, Any], why: str
) -> None:
    """Not "not implemented"."""
    with pytest.raises(SettingError, match=why):
        anonymized(table, **more)


def test_an_attacker_s_stakes_become_a_number_of_persons(table: Path) -> None:
    """Where records are not what they are about."""
    with pytest.raises(SettingError) as refused:
        anonymized(table, k=None, privacy=[{"kind": "no-attack", **STAKES}])
    assert refused.value.fix == "use k=76, which applies to people"


def test_a_k_that_is_added_is_one_of_persons(table: Path) -> None:
    """And cannot be left out."""
    model = {"kind": "distinct-l-diversity", "l": 2}
    told = anonymized(table, k=None, privacy=[model]).added_model
    assert told == "5-anonymity of people was added because no k was given"


def test_a_model_of_persons_is_not_asked_for_without_them(table: Path) -> None:
    """Its promise would count people, but the release counts rows."""
    model = {"kind": "person-anonymity", "k": 5, "person": "person"}
    with pytest.raises(SettingError, match="you cannot name"):
        rs.anonymize(table, quasi=QUASI, identifiers=["person", "note"], privacy=[model])
    with pytest.raises(SettingError, match="requires a person ID column"):
        rs.anonymize(table, quasi=QUASI, identifiers=["person", "note"], average_over="persons")


@pytest.mark.nightly
def test_persons_alike_in_the_loss_are_weighed_so(table: Path) -> None:
    """The loss is the mean over people of the mean over their rows, counted by hand."""
    result = anonymized(table, knows="1", average_over="persons", aggregate="arithmetic")
    lines = [line.split(",") for line in table.read_text().splitlines()[1:]]
    records = Counter(person for _, person, *_ in lines)
    notes = {row["note"] for row in result.to_arrow().to_pylist()}
    lost = {attribute.name: attribute.level for attribute in result.policy.attributes}
    assert lost == {"age": 0, "sex": 0}  # so what is lost is what is left out
    missing = sum(1 / records[person] for note, person, *_ in lines if note not in notes)
    assert result.loss == pytest.approx(missing / len(records), abs=1e-9)
    assert result.quality.settings()["average_over"] == "persons"


def test_verify_checks_the_values_of_persons_where_rows_are_linked(
    table: Path, tmp_path: Path
) -> None:
    """The check uses people with the same rows; a stricter model than the release has fails."""
    model = {"kind": "entropy-l-diversity", "column": "illness", "l": 2.0}
    result = anonymized(table, knows="all", link="pseudonym", privacy=[model])
    verification = result.write(tmp_path / "release")
    assert verification.passed
    name = "entropy 2-diversity of illness, counting people"
    assert name in [one.check for one in verification.checks]
    with read(next((tmp_path / "release").glob("visits*.csv"))) as source:
        linked = LinkedRows(source, "person", QUASI)
        known = summarize(source, QUASI, ["illness"])
        for least, passes in ((2.0, True), (2.9, False)):
            stricter = ValuesOfPersons({**model, "l": least}, "person", "all")
            (check,) = check_promised(known, linked, stricter)
            assert check.passed == passes


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "model",
    [
        {"kind": "entropy-l-diversity", "l": 2.0},
        {"kind": "t-closeness", "t": 0.3},
        {"kind": "delta-disclosure", "delta": 1.0},
    ],
)
def test_verify_says_what_unlinked_rows_do_not_show(
    table: Path, tmp_path: Path, model: dict[str, Any]
) -> None:
    """The number of people with a value; the line does not pass as a check."""
    result = anonymized(table, knows="1", privacy=[model])
    verification = result.write(tmp_path / "release")
    assert verification.passed
    assert any(one.startswith(result.models[1].name) for one in verification.unchecked)
    assert "each value of illness" in verification.promise_rests_on
    assert result.models[1].name not in [one.check for one in verification.checks]


@pytest.mark.nightly
def test_verify_does_not_compare_with_a_table_that_it_does_not_have(
    table: Path, tmp_path: Path
) -> None:
    """The whole table includes people who were left out; its distribution is certified."""
    model = {"kind": "t-closeness", "t": 0.3}
    result = anonymized(table, knows="all", link="pseudonym", privacy=[model])
    verification = result.write(tmp_path / "release")
    assert verification.passed
    assert result.models[1].name in verification.unchecked


def test_what_holds_of_two_classes_may_fail_of_both_together() -> None:
    """A person with a row in each counts once in both; identical people are not affected.

    Each ward has one person with u and one with v, and r with v is in both.
    """
    model = ValuesOfPersons({"kind": "entropy-l-diversity", "column": "ill", "l": 2}, "who")

    def visits(wards: str) -> Source:
        return read(pa.table({"who": list("prqr"), "ward": list(wards), "ill": list("uvuv")}))

    assert LinkedRows(visits("aabb"), "who", ("ward",)).holds(model) == (2, 0)
    assert LinkedRows(visits("aaaa"), "who", ("ward",)).holds(model) == (1, 1)
    table = summarize_persons(visits("aabb"), "who", ("ward",), ("ill",))
    assert not model.bind(table).merges
    assert replace(model, knows="all").bind(table).merges


def test_rows_alone_are_not_compared_with_a_table_that_is_not_there() -> None:
    """A released table is not its original: it does not show how close it is to it."""
    model = ValuesOfPersons({"kind": "t-closeness", "column": "ill", "t": 0.1}, "who")
    table = summarize(
        read(pa.table({"ward": list("aabb"), "ill": list("uuvv")})), ("ward",), ("ill",)
    )
    assert model.bind_rows(table).satisfied(every_row_a_class(table)).all()
    diverse = replace(model, model={"kind": "distinct-l-diversity", "column": "ill", "l": 2})
    assert not diverse.bind_rows(table).satisfied(every_row_a_class(table)).any()


@pytest.mark.quick(1)
@pytest.mark.parametrize("link", ["pseudonym", "none"])
def test_a_group_of_rows_may_have_one_value_if_all_rows_are_known(
    tmp_path: Path, link: Literal["none", "pseudonym"]
) -> None:
    """The model counts the values in all rows of a person, also after people are left out."""
    rows = [
        f"p{at},{age},F,{'u' if age == 30 else 'uv'[at % 2]}" for at in range(6) for age in (30, 40)
    ]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(["person,age,sex,illness", *rows, "p9,60,M,w"]), encoding="utf-8")
    found = rs.anonymize(
        path,
        quasi=QUASI,
        sensitive=["illness"],
        person="person",
        link=link,
        knows="all",
        k=K,
        suppression=0.5,
        hierarchies={name: {"kind": "flat"} for name in QUASI},
        privacy=[{"kind": "distinct-l-diversity", "column": "illness", "l": 2}],
    )
    again = rs.apply(found.policy, path)
    for name, release in (("first", found), ("again", again)):
        release.write(tmp_path / name)
        assert rs.verify(tmp_path / name).passed
        table = release.to_arrow().to_pylist()
        assert {row["illness"] for row in table if row["age"] == "30"} == {"u"}
        assert len(table) == len(rows)
