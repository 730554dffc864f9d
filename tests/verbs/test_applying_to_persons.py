"""A policy that counts people, applied: releases, refusals, and drift."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from persons_by_hand import kept_records

import roadstead as rs
from roadstead.errors import PolicyError, Refusal, RoleError
from roadstead.hierarchies.rules import Identity, Prefix, Rule
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy, PolicyColumns, Suppression, to_json
from roadstead.policies.person_rules import PersonRules
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.release.documents import write_json
from roadstead.release.persons.pseudonyms import write_key

KNOWN: list[tuple[int | str, str]] = [
    (1, "rows"),
    (1, "persons"),
    (2, "persons"),
    (3, "persons"),
    ("all", "persons"),
]


def policy_of_persons(
    k: int = 2, knows: int | str = 1, leave_out: str = "rows", limit: float = 1.0
) -> Policy:
    """Wards unchanged, and the first character of codes; other values are not covered."""
    rules: dict[str, Rule] = {"ward": Identity(("A", "B", "C")), "code": Prefix(1, 2, "*")}
    model = PersonAnonymity(k, "patient", knows, leave_out)  # type: ignore[arg-type] # one of both
    return Policy(
        tuple(AttributePolicy(name, 0, 1, rule) for name, rule in rules.items()),
        (model.settings(),),
        Suppression(limit, "drop"),
        PolicyColumns(unchanged=("n",), removed=("patient",), undecided=()),
        PersonRules("patient"),
    )


def label(ward: str, code: str) -> tuple[str, str] | None:
    """Give the label of a record; None if the rules do not cover it."""
    return (ward, code[0] + "*") if ward in "ABC" and len(code) == 2 else None


RECORDS = st.lists(
    st.tuples(
        st.sampled_from([f"p{at}" for at in range(7)]),
        st.sampled_from(["A", "A", "B", "C", "Z"]),
        st.sampled_from(["10", "11", "20", "3"]),
    ),
    min_size=1,
    max_size=24,
)


@examples(16)
@given(records=RECORDS, k=st.integers(2, 3), how=st.sampled_from(KNOWN))
def test_what_is_released_is_what_the_definition_keeps(
    records: list[tuple[str, str, str]], k: int, how: tuple[int | str, str]
) -> None:
    """Rows or whole people; people with a value that is not covered protect no one.

    Fault class: rows counted instead of people; an uncovered value that is counted, or released.
    """
    table = pd.DataFrame(records, columns=["patient", "ward", "code"])
    table["n"] = [f"n{at}" for at in range(len(records))]
    policy = policy_of_persons(k, *how)
    kept = kept_records(
        [person for person, *_ in records], [label(*own) for _, *own in records], k, *how
    )
    result = rs.apply(policy, table, unseen="suppress", release_anyway=["n"])
    if not kept:
        with pytest.raises(Refusal, match="nothing would be released"):
            result.to_arrow()
        return
    found = result.to_arrow()
    assert found.column_names == ["ward", "code", "n"]
    expected = {(*(label(*records[at][1:]) or ()), f"n{at}") for at in kept}
    assert {tuple(row.values()) for row in found.to_pylist()} == expected
    assert {tuple(row.values()) for row in result.table().to_pyarrow().to_pylist()} == expected
    counts = result.draft.counts
    assert (counts.released, counts.masked) == (len(kept), 0)
    assert result.drift.unseen_records == sum(label(*own) is None for _, *own in records)


VISITS = [(f"p{at // 2}", "A", "10") for at in range(12)]
"""Six people with two identical records each."""


def visits(*more: tuple[str, str, str]) -> pd.DataFrame:
    """Make a table of the six, and some more records."""
    table = pd.DataFrame([*VISITS, *more], columns=["patient", "ward", "code"])
    return table.assign(n="x")


def test_rows_of_one_person_are_not_taken_for_several() -> None:
    """Fault class: a class of four visits of one patient, released as 2-anonymous."""
    alone = [("q", "B", "20")] * 4
    released = rs.apply(policy_of_persons(), visits(*alone)).to_arrow()
    assert released.num_rows == 12
    assert set(released.column("ward").to_pylist()) == {"A"}


@pytest.mark.parametrize("rules", [PersonRules("patient"), None])
def test_a_table_that_does_not_say_whose_records_are_is_refused(rules: PersonRules | None) -> None:
    """The same is true if only the model names the column.

    Fault class: records without person IDs treated as separate people.
    """
    table = visits().drop(columns="patient")
    with pytest.raises(RoleError) as caught:
        rs.apply(replace(policy_of_persons(), persons=rules), table)
    assert "'patient': the policy counts people by this column" in caught.value.message


def test_a_policy_that_names_two_columns_of_persons_is_refused() -> None:
    """A stranger's policy may contradict itself."""
    with pytest.raises(PolicyError, match="people are identified by 'n' and 'patient'"):
        rs.apply(replace(policy_of_persons(), persons=PersonRules("n")), visits())


def test_a_policy_that_releases_the_persons_is_refused() -> None:
    """The policy is made by hand, so it did not come from a file.

    Fault class: person IDs released unchanged.
    """
    policy = replace(
        policy_of_persons(), columns=PolicyColumns(unchanged=("patient",), undecided=())
    )
    with pytest.raises(PolicyError, match="'patient' identifies people, but is released"):
        rs.apply(policy, visits())


def test_nothing_is_masked_where_only_the_model_names_persons() -> None:
    """Three records of two unique people: with * they would be a group of three.

    Fault class: suppressed records kept, because there are enough rows.
    """
    alone = [("q", "B", "20"), ("q", "B", "21"), ("r", "C", "10")]
    policy = replace(policy_of_persons(3), persons=None, suppression=Suppression(1.0, "mask"))
    result = rs.apply(policy, visits(*alone))
    assert (result.draft.counts.masked, result.draft.counts.dropped) == (0, 3)
    assert result.to_arrow().num_rows == 12


def test_a_policy_that_counts_records_too_is_refused() -> None:
    """An additional k-anonymity would promise something that is not true for people."""
    policy = policy_of_persons()
    both = replace(policy, privacy=(*policy.privacy, {"kind": "k-anonymity", "k": 2}))
    with pytest.raises(PolicyError, match="2-anonymity counts records, but the policy counts"):
        rs.apply(both, visits())


@pytest.mark.quick(1)
@pytest.mark.parametrize("mean", [1, 2])
def test_ids_of_visits_are_not_taken_for_people(tmp_path: Path, mean: int) -> None:
    """Fault class: an ID per visit made each record one person, and nothing said so."""
    people = [(f"p{at // mean}", "AB"[at // mean % 2], f"n{at % 7}") for at in range(240)]
    columns = ["patient", "ward", "n"]
    policy = tmp_path / "first" / "policy.json"
    made: dict[str, Any] = {"quasi": ["ward"], "sensitive": ["n"], "person": "patient"}
    rs.anonymize(pd.DataFrame(people, columns=columns), k=3, **made).write(policy.parent)
    visits = [(f"v{at}", *row[1:]) for at, row in enumerate(people)]
    table = tmp_path / "visits.csv"
    pd.DataFrame(visits, columns=columns).to_csv(table, index=False)
    ran = run("apply", policy, table, "--out", tmp_path / "out")
    if mean == 1:
        assert "The person ID column is patient. Each person has one record." in ran.out
        return
    assert ran.code == 2
    assert "every record has a different person ID" in ran.error
    assert "anonymize the new table again" in ran.error
    few = pd.DataFrame(visits[:12], columns=columns)  # twelve people may have one record each
    assert "Each person has one record." in str(rs.apply(policy, few))


def test_a_record_of_nobody_is_refused() -> None:
    """The record could belong to anyone."""
    table = visits()
    table.loc[3, "patient"] = None
    with pytest.raises(rs.InputError, match="1 record has no person"):
        rs.apply(policy_of_persons(), table)


@pytest.mark.nightly
def test_the_limit_is_of_persons_where_persons_are_left_out() -> None:
    """One of seven people has half of the records; if rows are left out, the limit is of records.

    Fault class: the limit compared with the share of the other unit.
    """
    table = visits(*[("q", "B", "20")] * 12)
    with pytest.raises(Refusal, match="suppress 12 of 24 records, but its limit is 4"):
        rs.apply(policy_of_persons(limit=0.2), table)
    result = rs.apply(policy_of_persons(leave_out="persons", limit=0.2), table)
    assert (result.drift.units, result.drift.missing, result.drift.number) == ("persons", 1, 7)
    assert result.drift.within
    assert "), with all their records (12 records)" in str(result)
    with pytest.raises(Refusal, match="suppress 1 of 7 people, but its limit is 0") as caught:
        rs.apply(policy_of_persons(leave_out="persons", limit=0.1), table)
    drift = caught.value.drift
    assert drift.fits == 0.1429
    assert "Suppressed: 1 of 7 people (14.3%; limit 10%)." in str(drift)
    again = rs.apply(
        policy_of_persons(leave_out="persons", limit=0.1), table, suppression=drift.fits
    )
    assert again.draft.counts.released == 12


def test_what_drifted_is_told_in_persons() -> None:
    """Two people have a ward that is not covered; without the ward, both would stay."""
    table = visits(("p0", "Z", "10"), ("p1", "Z", "10"))
    drift = rs.apply(policy_of_persons(leave_out="persons"), table, unseen="suppress").drift
    assert (drift.missing, drift.unseen_records) == (2, 2)
    assert [one.suppressed_without for one in drift.attributes] == [0, 2]
    assert "2 of 6 people" in str(drift)
    assert "; 2 records with a value that the policy does not cover" in str(drift)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("knows", "leave_out"), KNOWN)
def test_a_file_is_released_like_a_frame_and_verified(
    tmp_path: Path, knows: int | str, leave_out: str
) -> None:
    """From the command line; the column of person IDs is not released."""
    table = visits(*[("q", "B", "20")] * 3, ("r", "C", "10"), ("s", "C", "10"))
    table.to_csv(tmp_path / "visits.csv", index=False)
    policy = policy_of_persons(2, knows, leave_out)
    write_json(to_json(policy), tmp_path / "policy.json")
    out = tmp_path / "out"
    ran = run("apply", tmp_path / "policy.json", tmp_path / "visits.csv", "--out", out)
    assert ran.code == 0, ran
    assert "17 records of 9 people (column patient) of visits.csv" in ran.out
    written = pd.read_csv(out / "visits.csv", dtype=str)
    assert list(written.columns) == ["ward", "code", "n"]
    expected = rs.apply(policy, table).to_arrow().to_pylist()
    assert Counter(map(tuple, written.values.tolist())) == Counter(
        tuple(row.values()) for row in expected
    )
    assert run("verify", out).code == 0


def test_a_policy_with_two_models_of_persons_is_refused() -> None:
    """One model decides which people are left out, so the other would be promised but not met.

    Fault class: the second of two models of a stranger's policy treated as the first.
    """
    first, second = policy_of_persons(knows="all", leave_out="persons"), policy_of_persons()
    policy = replace(first, privacy=(*second.privacy, *first.privacy))
    for refused in (lambda: rs.apply(policy, visits()), lambda: rs.as_sql(policy, table="t")):
        with pytest.raises(PolicyError, match="several models of what an attacker knows"):
            refused()


def test_the_column_of_persons_is_not_unknown_to_the_policy() -> None:
    """The policy names it, though it does not list it among what is removed.

    Fault class: "the policy does not speak of it", of the column that it counts by.
    """
    policy = replace(policy_of_persons(), columns=PolicyColumns(unchanged=("n",), undecided=()))
    result = rs.apply(policy, visits())
    assert result.unknown_columns == ()
    assert "patient" not in result.to_arrow().column_names


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("then", "now", "wrong"),
    [
        ([f"{at:04}" for at in range(12)], [str(at) for at in range(12)], "without leading zeros"),
        ([f"P{at}" for at in range(12)], [str(at) for at in range(12)], "without leading zeros"),
        (
            [str(at) for at in range(12)],
            [f"{at}.0" for at in range(12)],
            "mostly not whole numbers",
        ),
        ([f"{at:04}" for at in range(12)], [str(2000 + at) for at in range(12)], None),
        (["X1", *map(str, range(11))], [str(at) for at in range(50, 62)], None),
    ],
)
def test_ids_in_another_form_do_not_get_other_pseudonyms(
    tmp_path: Path, then: list[str], now: list[str], wrong: str | None
) -> None:
    """Fault class: a program reads 0012 as 12, and the key links nobody."""
    write_key(tmp_path / "key")
    more: Any = {"key": tmp_path / "key"}
    tables = [pd.DataFrame({"patient": ids, "ward": "A"}) for ids in (then, now)]
    first = rs.anonymize(tables[0], quasi=["ward"], person="patient", link="pseudonym", k=2, **more)
    if wrong is None:
        assert rs.apply(first.policy, tables[1], **more).to_arrow().num_rows == len(now)
        return
    with pytest.raises(rs.SourceError, match=wrong):
        rs.apply(first.policy, tables[1], **more)
    assert rs.apply(first.policy, tables[1]).to_arrow().num_rows == len(now)
