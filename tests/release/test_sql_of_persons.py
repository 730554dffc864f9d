"""A policy that counts people as SQL, against its definition, and against apply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
import sqlglot
from effort import examples, sparing
from hypothesis import given
from hypothesis import strategies as st
from persons_by_hand import kept_records
from postgres_server import Server
from sqlglot import exp

import roadstead as rs
from roadstead.errors import PolicyError, RoleError
from roadstead.hierarchies.rules import Identity, Prefix, Rule
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy, PolicyColumns, Suppression
from roadstead.policies.person_rules import PersonRules
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.release.sql.dialects import DIALECTS
from roadstead.verbs.apply.as_sql import as_sql

HEAD = ("patient", "ward", "code", "n")
SAID: list[tuple[int | str, str]] = [(1, "rows"), ("all", "persons")]
"""Policies that SQL can express."""


def policy_of_persons(
    k: int, knows: int | str, leave_out: str, limit: float = 1.0, person: str = "patient"
) -> Policy:
    """Wards unchanged, and the first character of codes; other values are not covered."""
    rules: dict[str, Rule] = {"ward": Identity(("A", "B", "1:A|")), "code": Prefix(1, 2, "*")}
    model = PersonAnonymity(k, person, knows, leave_out)  # type: ignore[arg-type] # one of both
    return Policy(
        tuple(AttributePolicy(name, 0, 1, rule) for name, rule in rules.items()),
        (model.settings(),),
        Suppression(limit, "drop"),
        PolicyColumns(unchanged=("n",), removed=(person,), undecided=()),
        PersonRules(person),
    )


def label(ward: str | None, code: str | None) -> tuple[str, str] | None:
    """Give the label of a record; None if the rules do not cover it."""
    if ward not in (None, "A", "B", "1:A|") or (code and len(code) != 2):
        return None
    return (ward or "", code[0] + "*" if code else "")


Record = tuple[str, str | None, str | None]
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["p", "P", "p ", "q", "r", "é", "'"]),
        st.sampled_from(["A", "A", "B", "1:A|", None, "Z"]),
        st.sampled_from(["10", "11", "20", None, "3"]),
    ),
    min_size=1,
    max_size=24,
)


def numbered(records: Sequence[Record]) -> list[tuple[str | None, ...]]:
    """Put a number after each record, by which it is known in a release."""
    return [(*own, f"n{at}") for at, own in enumerate(records)]


def released_by_hand(
    records: Sequence[Record], k: int, knows: int | str, leave_out: str
) -> set[tuple[str | None, ...]]:
    """Work out what is released, with missing values as an engine has them."""
    labels = [label(*own) for _, *own in records]
    kept = kept_records([person for person, *_ in records], labels, k, knows, leave_out)
    return {(*(cell or None for cell in labels[at] or ()), f"n{at}") for at in kept}


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of its own."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (patient TEXT, ward TEXT, code TEXT, n TEXT)")
        yield connection


def filled(engine: duckdb.DuckDBPyConnection, rows: Sequence[Sequence[str | None]]) -> None:
    """Put other rows in the table."""
    engine.execute("DELETE FROM t")
    engine.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [list(row) for row in rows])


def checked(engine: duckdb.DuckDBPyConnection, policy: Policy, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - of as_sql
    """Run the statement that counts."""
    found = engine.execute(as_sql(policy, table="t", check=True, **more))
    names = [name for name, *_ in found.description]
    (row,) = found.fetchall()
    return dict(zip(names, row, strict=True))


@examples(60)
@given(records=RECORDS, k=st.integers(2, 3), how=st.sampled_from(SAID))
def test_rows_are_those_that_the_definition_keeps(
    engine: duckdb.DuckDBPyConnection, records: list[Record], k: int, how: tuple[int | str, str]
) -> None:
    """The other statement counts these rows.

    Fault class: rows counted instead of people; people who differ by case or blanks counted as one;
    a person with an uncovered value who protects others.
    """
    filled(engine, numbered(records))
    policy = policy_of_persons(k, *how)
    expected = released_by_hand(records, k, *how)
    found = engine.execute(as_sql(policy, table="t", unseen="suppress")).fetchall()
    assert set(found) == expected
    assert len(found) == len(expected)
    told = checked(engine, policy, unseen="suppress")
    persons = {person for person, *_ in records}
    kept = {records[int(row[-1][1:])][0] for row in found}
    assert (told["records"], told["persons"]) == (len(records), len(persons))
    assert told["records_suppressed"] == len(records) - len(found)
    assert told["persons_left_out"] == len(persons - kept)
    assert told["records_not_covered"] == sum(label(*own) is None for _, *own in records)
    assert (told["records_masked"], told["verdict"]) == (0, "released")
    assert told["fewest_persons_alike"] is None or told["fewest_persons_alike"] >= k


@pytest.mark.nightly
def test_postgresql_finds_the_same(postgres: Server) -> None:
    """Its own collation, its own lists."""

    @sparing
    @given(records=RECORDS, k=st.integers(2, 3), how=st.sampled_from(SAID))
    def check(records: list[Record], k: int, how: tuple[int | str, str]) -> None:
        postgres.load("t", HEAD, numbered(records))
        policy = policy_of_persons(k, *how)
        text = as_sql(policy, table="t", dialect="postgres", unseen="suppress")
        assert set(postgres.run(text)) == released_by_hand(records, k, *how)

    check()


@pytest.mark.quick(1)
@pytest.mark.parametrize("how", SAID)
def test_a_release_is_what_apply_makes(
    engine: duckdb.DuckDBPyConnection, how: tuple[int | str, str]
) -> None:
    """For a found policy, from typed columns: person IDs may be whole numbers with a point."""
    table = pd.DataFrame(
        {
            "patient": [float(at * at % 37) for at in range(300)],
            "age": [20 + at * 7 % 60 for at in range(300)],
            "sex": ["FM"[at * at % 37 % 2] for at in range(300)],
            "n": ["x"] * 300,
        }
    )
    made = rs.anonymize(
        table,
        quasi=["age", "sex"],
        unchanged=["n"],
        person="patient",
        k=3,
        suppression=0.5,
        knows=str(how[0]),
        leave_out="rows" if how[1] == "rows" else "persons",
    )
    engine.register("typed", table)
    text = as_sql(made.policy, table, table="typed")
    expected = Counter(tuple(row.values()) for row in made.to_arrow().to_pylist())
    assert expected
    assert Counter(engine.execute(text).fetchall()) == expected


def test_the_limit_is_of_records_or_of_persons(engine: duckdb.DuckDBPyConnection) -> None:
    """One of seven people has half of the records.

    Fault class: the limit compared with the share of the other unit.
    """
    alike = [(f"p{at // 2}", "A", "10") for at in range(12)]
    filled(engine, numbered([*alike, *[("q", "B", "20")] * 12]))
    rows = policy_of_persons(2, 1, "rows", limit=0.2)
    assert checked(engine, rows)["verdict"].startswith(
        "no release: more records would be suppressed"
    )
    assert engine.execute(as_sql(rows, table="t")).fetchall() == []
    persons = policy_of_persons(2, "all", "persons", limit=0.2)
    assert checked(engine, persons)["verdict"] == "released"
    assert len(engine.execute(as_sql(persons, table="t")).fetchall()) == 12
    fewer = policy_of_persons(2, "all", "persons", limit=0.1)
    assert engine.execute(as_sql(fewer, table="t")).fetchall() == []


@pytest.mark.parametrize("how", SAID)
def test_a_record_of_nobody_is_no_release(
    engine: duckdb.DuckDBPyConnection, how: tuple[int | str, str]
) -> None:
    """As apply refuses it, so the statement gives no rows and the other one says why."""
    records = [(f"p{at}", "A", "10") for at in range(6)]
    filled(engine, numbered([*records, (None, "A", "10")]))  # type: ignore[list-item] # of nobody
    policy = policy_of_persons(2, *how)
    assert engine.execute(as_sql(policy, table="t")).fetchall() == []
    assert checked(engine, policy)["verdict"] == "no release: a record has no person ID"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("how", SAID)
def test_every_dialect_reads_its_statement_back(how: tuple[int | str, str], dialect: str) -> None:
    """One statement of the released columns, without the person IDs, read back unchanged."""
    policy = policy_of_persons(2, *how, person="a'\"b")
    text = as_sql(policy, table="t", dialect=dialect)
    (tree,) = sqlglot.parse(text, read=dialect)
    assert isinstance(tree, exp.Select)
    assert tree.named_selects == ["ward", "code", "n"]
    assert "ROADSTEAD" not in text
    bare = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("--"))
    again = sqlglot.parse_one(bare, read=dialect).sql(dialect=dialect, pretty=True)
    assert again.split() == bare.split()


@pytest.mark.parametrize("person", ["person", "PERSON", "class_size", "records", "of_person"])
def test_columns_may_be_called_like_what_is_counted(person: str) -> None:
    """The names that are added give way."""
    with duckdb.connect() as own:
        own.execute(f'CREATE TABLE t ("{person}" TEXT, ward TEXT, code TEXT, n TEXT)')
        rows = numbered([(f"p{at}", "A", "10") for at in range(3)])
        own.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [list(row) for row in rows])
        for how in SAID:
            policy = policy_of_persons(2, *how, person=person)
            assert len(own.execute(as_sql(policy, table="t")).fetchall()) == 3


@pytest.mark.parametrize(("knows", "leave_out"), [(1, "persons"), (2, "persons"), (3, "persons")])
def test_what_must_be_counted_again_is_refused(knows: int, leave_out: str) -> None:
    """With the reason, and what could be said."""
    with pytest.raises(PolicyError) as caught:
        as_sql(policy_of_persons(2, knows, leave_out), table="t")
    assert "if people are left out with all their rows" in caught.value.message
    assert "counted again until nothing changes" in caught.value.message
    assert "leaves out rows and assumes that an attacker knows one row" in caught.value.message


def test_pseudonyms_are_refused() -> None:
    """The key does not go into a statement."""
    policy = policy_of_persons(2, "all", "persons")
    linked = replace(
        policy,
        persons=PersonRules("patient", "pseudonym"),
        columns=PolicyColumns(("n",), undecided=()),
    )
    with pytest.raises(PolicyError, match="SQL cannot make the pseudonyms in column 'patient'"):
        as_sql(linked, table="t")


def test_further_models_are_refused() -> None:
    """SQL does not count people's values; a model that counts records does not fit people."""
    table = pd.DataFrame(
        {
            "patient": [f"p{at // 2}" for at in range(40)],
            "age": [20 + at // 20 for at in range(40)],
            "note": [f"n{at % 3}" for at in range(40)],
        }
    )
    made = rs.anonymize(
        table,
        quasi=["age"],
        sensitive=["note"],
        person="patient",
        k=2,
        privacy=[{"kind": "distinct-l-diversity", "column": "note", "l": 2}],
    )
    assert len(made.policy.privacy) == 2
    with pytest.raises(PolicyError, match=r"SQL cannot express .* only the sizes of groups"):
        as_sql(made.policy, table="t")
    policy = policy_of_persons(2, 1, "rows")
    further = {"kind": "k-anonymity", "k": 2}
    with pytest.raises(PolicyError, match="counts records, but the policy counts people"):
        as_sql(replace(policy, privacy=(*policy.privacy, further)), table="t")


def test_a_table_that_does_not_say_whose_records_are_is_refused(tmp_path: Path) -> None:
    """Where a table is at hand."""
    pd.DataFrame({"ward": ["A"], "code": ["10"], "n": ["x"]}).to_csv(tmp_path / "t.csv")
    with pytest.raises(RoleError, match="the policy counts people by this column"):
        as_sql(policy_of_persons(2, 1, "rows"), tmp_path / "t.csv")


def test_a_statement_says_whose_records_are_where_only_the_model_does() -> None:
    """Fault class: a sentence about records above a query that counts people."""
    named = policy_of_persons(2, 1, "rows")
    for policy in (named, replace(named, persons=None)):
        said = " ".join(as_sql(policy, table="t").replace("--", "").split())
        assert "assumed to belong to a different person" not in said
        assert "counts people by the column patient," in said
