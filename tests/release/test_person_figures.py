"""A release's figures about the risk of people, against the definition in plain Python."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pytest
from effort import sparing
from hypothesis import example, given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.persons import figures as person_figures
from roadstead.risk.persons import prosecutor as person_risk
from roadstead.risk.persons.prosecutor import PersonRisk

Row: TypeAlias = tuple[str, ...]
Rows: TypeAlias = dict[str, list[Row]]

QUASI = ("a", "b")
PEOPLE: st.SearchStrategy[Rows] = st.dictionaries(
    st.sampled_from("abcdefghijkl"),
    st.lists(st.tuples(st.sampled_from("0123"), st.sampled_from("FM")), min_size=1, max_size=5),
    min_size=4,
    max_size=12,
)


def frame_of(people: Rows) -> pd.DataFrame:
    """Write the rows as a table."""
    rows = [(person, *row) for person, own in people.items() for row in own]
    return pd.DataFrame(rows, columns=["who", *QUASI])


def fitting(people: Rows, knows: str) -> list[int]:
    """Count, for each person, whom what may be known fits, where that is fewest."""

    def known(own: list[Row]) -> set[tuple[Row, ...]]:
        if knows == "all":
            return {tuple(sorted(own))}
        return {tuple(sorted(some)) for some in combinations(own, min(int(knows), len(own)))}

    def fits(what: tuple[Row, ...], own: list[Row]) -> bool:
        if knows == "all":
            return Counter(what) == Counter(own)
        return not Counter(what) - Counter(own)

    return [
        min(sum(fits(what, other) for other in people.values()) for what in known(own))
        for own in people.values()
    ]


NOBODY_ALIKE: Rows = {
    "a": [("0", "F"), ("1", "M"), ("1", "M"), ("3", "M"), ("3", "M")],
    "c": [("0", "M"), ("0", "M"), ("2", "F"), ("3", "F"), ("3", "F")],
    "f": [("2", "M")],
    "k": [("1", "M"), ("2", "M"), ("3", "F"), ("3", "M")],
}
"""Each person has another number of rows, so that no policy makes any two of them equal."""


@sparing
@given(PEOPLE, st.sampled_from(("1", "2", "3", "all")))
@example(NOBODY_ALIKE, "all")
def test_the_risk_of_a_release_is_that_of_its_persons(people: Rows, knows: str) -> None:
    """Before and after, in Python, in the certificate's figures and in the report's content."""
    made = rs.anonymize(
        frame_of(people),
        quasi=QUASI,
        k=2,
        person="who",
        knows=knows,
        leave_out="persons",
        suppression=1.0,
    )
    rules = [one.rule for one in made.policy.attributes]
    assert isinstance(made.generalized, GeneralizedPersons)
    out = made.generalized.persons_out or frozenset()
    released = {
        person: [
            tuple(str(rule.label(value)) for rule, value in zip(rules, row, strict=True))
            for row in own
        ]
        for person, own in people.items()
        if person not in out
    }
    for risk, rows in ((made.risk_before, people), (made.risk, released)):
        risks = [1 / one for one in fitting(rows, knows)]
        assert isinstance(risk, PersonRisk)
        assert risk.persons == len(risks)
        # If every person is left out, no one is at risk.
        assert risk.maximum == pytest.approx(max(risks, default=0.0))
        assert risk.average == pytest.approx(sum(risks) / max(len(risks), 1))
    persons = made.content.persons
    assert persons is not None
    assert persons.after == made.risk
    assert persons.released == len(released)
    whole = fitting(released, "all")
    alone = [unicity.alone.share for unicity in persons.unicity_after[-1:]]
    assert alone == pytest.approx([whole.count(1) / len(whole)] if whole else [])
    told = made.to_dict()["risk"]
    assert told["maximum"] == made.risk.maximum
    assert told["average_before"] == pytest.approx(made.risk_before.average)
    # The result of counting records is about the groups, for any owners of their rows.
    sizes = Counter(row for own in people.values() for row in own)
    assert made.content.risk_before.classes == len(sizes)
    assert dict(made.content.classes_before) == {
        size: size * list(sizes.values()).count(size) for size in set(sizes.values())
    }


@sparing
@given(PEOPLE, st.sampled_from((2, 3, "all")))
def test_a_release_with_links_counts_whom_all_rows_single_out(
    people: Rows, knows: int | str
) -> None:
    """By the released quasi-identifiers; not if a model covers all rows, or without links."""
    settings: dict[str, Any] = {
        "quasi": QUASI,
        "k": 2,
        "person": "who",
        "knows": knows,
        "leave_out": "persons",
        "suppression": 1.0,
    }
    made = rs.anonymize(frame_of(people), link="pseudonym", **settings)
    unlinked = rs.anonymize(frame_of(people), **settings)
    assert unlinked.draft.all_rows is None
    if knows == "all":
        assert made.draft.all_rows is None
        assert "all_rows_known" not in made.to_dict()
        return
    rules = [one.rule for one in made.policy.attributes]
    assert isinstance(made.generalized, GeneralizedPersons)
    out = made.generalized.persons_out or frozenset()
    whole = fitting(
        {
            person: [
                tuple(str(rule.label(value)) for rule, value in zip(rules, row, strict=True))
                for row in own
            ]
            for person, own in people.items()
            if person not in out
        },
        "all",
    )
    told = made.to_dict()["all_rows_known"]
    assert told == {
        "knows": "all",
        "persons": len(whole),
        "unique": whole.count(1),
        "below_k": whole.count(1),
    }
    assert ("in all rows of a person can single out" in str(made)) == bool(whole.count(1))
    assert made.content.persons is not None
    assert made.content.persons.all_rows == made.draft.all_rows


def test_the_report_begins_with_whom_all_rows_single_out(tmp_path: Path) -> None:
    """Two people match in any two rows, and one has one more row."""
    zero, one = ("0", "F"), ("1", "F")
    people: Rows = {"a": [zero, zero, one, one], "b": [zero, zero, one, one, one]}
    made = rs.anonymize(frame_of(people), quasi=QUASI, k=2, person="who", knows=2, link="pseudonym")
    made.write(tmp_path / "release")
    page = (tmp_path / "release" / "report.html").read_text()
    summary = page[page.index("Summary") : page.index("</dl>")]
    assert "Unique if all rows are known</dt><dd>100%" in summary
    assert "2 of 2 people (2 in groups of fewer than 2 people)" in summary


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "explains the model and shows"),
        ({"privacy": [{"kind": "t-closeness", "column": "ward", "t": 1}]}, "explains the models"),
    ],
)
def test_the_report_names_another_model_only_if_there_is_one(
    more: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """For people, k-anonymity is itself explained in the section about the models."""
    people: Rows = {f"p{n}": [("0", "F"), ("1", "F")] for n in range(8)}
    frame = frame_of(people).assign(ward="A")
    made = rs.anonymize(frame, quasi=QUASI, sensitive=["ward"], k=2, person="who", **more)
    made.write(tmp_path / "release")
    page = (tmp_path / "release" / "report.html").read_text()
    assert said in page
    assert "explains the other" not in page


def test_a_risk_before_that_is_too_much_to_count_is_that_of_one_row(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In figures; the report says that it was not counted."""
    people: Rows = {f"p{n}": [("0", "F"), (str(n % 2), "M")] for n in range(8)}
    made = rs.anonymize(frame_of(people), quasi=QUASI, k=2, person="who", knows="2")
    monkeypatch.setattr(person_risk, "MOST_MULTISETS", 1)
    left = person_figures.person_risk_left(made.generalized, made.models)
    assert left is not None
    assert left.before is None
    assert left.after.smallest >= 2
    assert person_figures.risk_of_persons_before(made.generalized, left).knows == 1
    # The copy does not have the risk that was counted before.
    replace(made).write(tmp_path / "release")
    page = (tmp_path / "release" / "report.html").read_text()
    assert "too many combinations of any two rows to count" in page


def test_a_release_that_counts_records_has_no_risk_of_persons() -> None:
    """Nor a curve."""
    people: Rows = {f"p{n}": [("0", "F")] for n in range(8)}
    made = rs.anonymize(frame_of(people), quasi=QUASI, k=2, identifiers=("who",))
    assert person_figures.person_risk_left(made.generalized, made.models) is None
    assert person_figures.unicity_left(made.generalized, 2) is None
    assert made.content.persons is None
