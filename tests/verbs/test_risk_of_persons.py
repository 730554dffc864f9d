"""Risk by people, figure by figure, compared with the definition in plain Python."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pytest
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.errors import InputError
from roadstead.risk.individual_risk import individual_risk

Row: TypeAlias = tuple[str, ...]
Rows: TypeAlias = dict[str, list[Row]]
"""The rows of each person."""

PEOPLE: st.SearchStrategy[Rows] = st.dictionaries(
    st.sampled_from("abcdefghijkl"),
    st.lists(st.tuples(st.sampled_from("0123"), st.sampled_from("FM")), min_size=1, max_size=5),
    min_size=2,
    max_size=12,
)
KNOWS = st.sampled_from(("1", "2", "3", "all"))
QUASI = ("a", "b")


def frame_of(people: Rows) -> pd.DataFrame:
    """Write the rows as a table."""
    rows = [(person, *row) for person, own in people.items() for row in own]
    return pd.DataFrame(rows, columns=["who", *QUASI])


def known(own: list[Row], knows: str) -> set[tuple[Row, ...]]:
    """List the possible knowledge about a person: multisets of rows, in order."""
    if knows == "all":
        return {tuple(sorted(own))}
    return {tuple(sorted(some)) for some in combinations(own, min(int(knows), len(own)))}


def fits(what: tuple[Row, ...], own: list[Row], knows: str) -> bool:
    """Whether a person has these rows, or these and no others."""
    if knows == "all":
        return Counter(what) == Counter(own)
    return not Counter(what) - Counter(own)


def least(person: str, people: Rows, among: Rows, knows: str) -> int:
    """Count the fewest people who match possible knowledge about a person."""
    return min(
        sum(fits(what, own, knows) for own in among.values())
        for what in known(people[person], knows)
    )


def least_of_either(person: str, people: Rows, others: Rows, knows: str) -> int:
    """Count those of the population, or of the table where they are more."""
    return min(
        max(sum(fits(what, own, knows) for own in group.values()) for group in (people, others))
        for what in known(people[person], knows)
    )


def check_shares(found: Any, risks: list[float], threshold: float) -> None:  # noqa: ANN401 - of either kind
    """Highest, mean, and share above the threshold."""
    assert found.maximum == pytest.approx(max(risks))
    assert found.average == pytest.approx(sum(risks) / len(risks))
    above = sum(risk > threshold * (1 + 1e-12) for risk in risks)
    assert found.share_above_threshold == pytest.approx(above / len(risks))


@examples(12)
@given(PEOPLE, KNOWS, st.sampled_from((0.2, 0.34, 0.5)))
def test_the_prosecutors_risk_is_that_of_the_definition(
    people: Rows, knows: str, threshold: float
) -> None:
    """1 over the smallest number of people who fit anything that may be known."""
    found = rs.risk(frame_of(people), quasi=QUASI, person="who", knows=knows, threshold=threshold)
    numbers = [least(person, people, people, knows) for person in people]
    check_shares(found.prosecutor, [1 / number for number in numbers], threshold)
    persons = found.by_person
    assert persons is not None
    assert persons.before.prosecutor.uniques == numbers.count(1)
    assert persons.before.marketer == pytest.approx(sum(1 / n for n in numbers) / len(numbers))
    assert persons.before.class_sizes == tuple(
        sorted(
            Counter(
                sum(row in own for own in people.values())
                for row in {row for own in people.values() for row in own}
            ).items()
        )
    )
    assert found.records == sum(map(len, people.values()))
    document = found.to_dict()
    assert document["counted"]["unit"] == "persons"
    assert document["prosecutor"]["maximum"] == found.prosecutor.maximum
    records = Counter(row for own in people.values() for row in own)
    assert document["counting_records"]["before"]["smallest_class"] == min(records.values())


@examples(12)
@given(PEOPLE, PEOPLE, KNOWS)
def test_the_journalist_counts_the_people_of_the_population(
    people: Rows, others: Rows, knows: str
) -> None:
    """The population has rows of people, with equal knowledge; it contains the table's people."""
    others = {f"+{person}": own for person, own in others.items()} | people
    found = rs.risk(
        frame_of(people), quasi=QUASI, person="who", knows=knows, population=frame_of(others)
    )
    numbers = [least(person, people, others, knows) for person in people]
    assert found.journalist is not None
    check_shares(found.journalist, [1 / number for number in numbers], 0.2)
    persons = found.by_person
    assert persons is not None
    assert persons.before.below_k is not None
    assert persons.before.below_k.records == sum(number < 5 for number in numbers)
    alone = sum(least(person, others, others, knows) == 1 for person in others)
    (counted,) = (one for one in persons.before.population_uniques if one.model == "counted")
    assert counted.uniques == alone
    assert counted.share == pytest.approx(alone / len(others))


@pytest.mark.nightly
@examples(12)
@given(PEOPLE, PEOPLE, KNOWS)
def test_people_whom_a_population_lacks_stop_the_work_or_are_counted(
    people: Rows, others: Rows, knows: str
) -> None:
    """Then a person counts as the table has it, where the population has fewer who fit."""
    arguments = {"quasi": QUASI, "person": "who", "knows": knows, "population": frame_of(others)}
    lacking = any(
        least(person, people, others, knows) < least(person, people, people, knows)
        for person in people
    )
    if lacking:
        with pytest.raises(InputError, match="fewer matching people than the table"):
            rs.risk(frame_of(people), **arguments)
    found = rs.risk(frame_of(people), absent="count", **arguments)
    numbers = [least_of_either(person, people, others, knows) for person in people]
    assert found.journalist is not None
    check_shares(found.journalist, [1 / number for number in numbers], 0.2)


@examples(12)
@given(PEOPLE, PEOPLE, KNOWS)
def test_a_register_has_one_row_a_person(people: Rows, others: Rows, knows: str) -> None:
    """Without the person ID column, each row is a person, and one row links."""
    rows = [row for own in (*others.values(), *people.values()) for row in dict.fromkeys(own)]
    found = rs.risk(
        frame_of(people),
        quasi=QUASI,
        person="who",
        knows=knows,
        population=pd.DataFrame(rows, columns=list(QUASI)),
    )
    numbers = [min(rows.count(row) for row in own) for own in people.values()]
    assert found.journalist is not None
    check_shares(found.journalist, [1 / number for number in numbers], 0.2)


@examples(12)
@given(PEOPLE, KNOWS, st.sampled_from((0.05, 0.3, 1.0)))
def test_the_journalists_risk_is_estimated_from_the_share_of_persons(
    people: Rows, knows: str, fraction: float
) -> None:
    """The expectation of 1/F for the number of matching people."""
    found = rs.risk(
        frame_of(people), quasi=QUASI, person="who", knows=knows, sampling_fraction=fraction
    )
    numbers = [least(person, people, people, knows) for person in people]
    risks = [float(individual_risk(pd.Series([n]).to_numpy(), fraction)[0]) for n in numbers]
    assert found.journalist is not None
    assert found.journalist.estimated
    check_shares(found.journalist, risks, 0.2)
    assert found.population.people == round(len(people) / fraction)


@examples(12)
@given(PEOPLE, KNOWS, st.sampled_from(("rows", "persons", "by records")))
def test_after_a_policy_the_persons_of_the_release_are_counted(
    people: Rows, knows: str, leave_out: str
) -> None:
    """Policies for people and for records are tested."""
    by_records = leave_out == "by records"
    if leave_out == "rows" and knows != "1":
        leave_out = "persons"
    frame = frame_of(people)
    made: dict[str, Any] = {"person": "who", "knows": knows, "leave_out": leave_out}
    made = {"identifiers": ("who",)} if by_records else made
    try:
        release = rs.anonymize(frame, quasi=QUASI, k=2, suppression=1.0, **made)
    except rs.errors.RoadsteadError:
        return
    found = rs.risk(frame, policy=release.policy, person="who", knows=knows)
    rules = [one.rule for one in release.policy.attributes]
    labels = {
        row: tuple(str(rule.label(value)) for rule, value in zip(rules, row, strict=True))
        for own in people.values()
        for row in own
    }
    released: Rows = {p: [labels[row] for row in own] for p, own in people.items()}
    if by_records:
        sizes = Counter(row for own in released.values() for row in own)
        released = {p: [row for row in own if sizes[row] >= 2] for p, own in released.items()}
    elif leave_out == "rows":
        sizes = Counter(row for own in released.values() for row in set(own))
        released = {p: [row for row in own if sizes[row] >= 2] for p, own in released.items()}
    else:
        before = None
        while before != released:
            before = released
            released = {
                p: own for p, own in released.items() if least(p, released, released, knows) >= 2
            }
    released = {p: own for p, own in released.items() if own}
    persons = found.by_person
    assert persons is not None
    assert persons.after is not None
    after = persons.after.prosecutor
    assert after.persons == len(released)
    assert persons.after.persons_left_out == len(people) - len(released)
    assert persons.after.records == sum(map(len, released.values()))
    if released:
        numbers = [least(person, released, released, knows) for person in released]
        check_shares(after, [1 / number for number in numbers], 0.2)
        (every,) = (one for one in persons.after.unicity if one.known is None)
        whole = [least(person, released, released, "all") for person in released]
        assert every.alone.share == pytest.approx(whole.count(1) / len(whole))


@examples(12)
@given(PEOPLE)
def test_what_singles_persons_out(people: Rows) -> None:
    """Combinations that only one person has, however often and in whichever rows."""
    found = rs.risk(frame_of(people), quasi=QUASI, person="who")
    assert found.by_person is not None
    sets = {one.attributes: one.records for one in found.by_person.before.combinations}

    def alone(columns: tuple[int, ...]) -> set[Row]:
        seen: dict[Row, set[str]] = {}
        for person, own in people.items():
            for row in own:
                seen.setdefault(tuple(row[at] for at in columns), set()).add(person)
        rows = {row for own in people.values() for row in own}
        return {row for row in rows if len(seen[tuple(row[at] for at in columns)]) == 1}

    single = {columns: alone(columns) for columns in ((0,), (1,))}
    both = alone((0, 1)) - single[0,] - single[1,]
    wanted = {
        ("a",): len({row[0] for row in single[0,]}),
        ("b",): len({row[1] for row in single[1,]}),
        QUASI: len(both),
    }
    assert sets == {columns: number for columns, number in wanted.items() if number}
    without = {one.attribute: one.uniques_without for one in found.by_person.before.contributions}
    assert without == {
        "a": len({row[1] for row in single[1,]}),
        "b": len({row[0] for row in single[0,]}),
    }


def test_a_value_in_several_rows_of_a_person_is_one_combination() -> None:
    """Fault class: a column of 1,816 values had 2,728 combinations that only one person has."""
    people: Rows = {"p": [("0", "F"), ("0", "M")], "q": [("1", "F")], "r": [("1", "F")]}
    found = rs.risk(frame_of(people), quasi=QUASI, person="who")
    assert found.by_person is not None
    sets = {one.attributes: one.records for one in found.by_person.before.combinations}
    assert sets == {("a",): 1, ("b",): 1}


SMALL: Rows = {"p": [("0", "F"), ("1", "F")], "q": [("0", "F")], "r": [("1", "M"), ("1", "M")]}


def test_the_first_lines_say_what_is_counted() -> None:
    """People, or records if requires a person ID column."""
    frame = frame_of(SMALL)
    lines = str(rs.risk(frame, quasi=QUASI, person="who", knows="2")).splitlines()
    assert lines[0].startswith("pandas table in memory: 5 records of 3 people, in ")
    assert lines[1].startswith("This counts people, not records. The person ID column is who.")
    assert "any two rows" in lines[1]
    assert "This counts records, not people." in str(rs.risk(frame, quasi=QUASI)).splitlines()[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"knows": "2"}, "requires a person ID column"),
        ({"person": "a"}, "and a quasi-identifier"),
        ({"person": "nobody"}, "nobody"),
        (
            {"person": "who", "sampling_fraction": 1e-200},
            "would be larger than the population of the world",
        ),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, Any], message: str) -> None:
    """Before the table is counted."""
    with pytest.raises(rs.errors.RoadsteadError, match=message):
        rs.risk(frame_of(SMALL), quasi=QUASI, **arguments)


def test_a_policy_that_counts_persons_says_which_column_and_what_is_known() -> None:
    """Neither needs to be said again."""
    frame = frame_of({f"{one}{at}": own for one, own in SMALL.items() for at in range(3)})
    made = rs.anonymize(frame, quasi=QUASI, k=2, person="who", knows="all")
    found = rs.risk(frame, policy=made.policy)
    assert found.by_person is not None
    assert (found.by_person.column, found.by_person.knows) == ("who", "all")


@pytest.mark.parametrize(
    ("settings", "more", "known"),
    [
        ("", (), "1"),
        ('link = "pseudonym"', (), "2"),
        ('link = "pseudonym"\nknows = "all"', (), "all"),
        ('link = "pseudonym"', ("--knows", "3"), "3"),
    ],
)
def test_a_project_file_says_what_a_release_assumes(
    tmp_path: Path, settings: str, more: tuple[str, ...], known: str
) -> None:
    """If the rows of a person are linked, an attacker is assumed to know two of them."""
    frame_of(SMALL).to_csv(tmp_path / "t.csv", index=False)
    roles = f'quasi = {list(QUASI)}\nperson = "who"'.replace("'", '"')
    text = f'data = "t.csv"\n[roles]\n{roles}\n[persons]\n{settings}\n'
    (tmp_path / "project.toml").write_text(text)
    done = run("risk", "--project", tmp_path / "project.toml", *more, "--json")
    assert done.code == 0, done.err
    assert done.json["knows"] == known


def test_page_and_figures_name_nobody(tmp_path: Path) -> None:
    """They contain counts, and no person of the table."""
    people: Rows = {f"patient-{number}": [("0", "F")] * (1 + number % 3) for number in range(9)}
    found = rs.risk(frame_of(people), quasi=QUASI, person="who", knows="2")
    found.write(tmp_path / "risk")
    page = (tmp_path / "risk" / "risk.html").read_text()
    figures = (tmp_path / "risk" / "risk.json").read_text()
    assert "patient-" not in page + figures
    assert "How many rows single out a person" in page
    assert json.loads(figures)["unicity"][-1]["known"] == "all"


def test_advice_is_of_persons() -> None:
    """There is one model of people, and the command requests it."""
    found = rs.risk(frame_of(SMALL), quasi=QUASI, person="who", knows="2", sampling_fraction=0.1)
    advice = found.advise(whole_population=False, membership_known=False, self_revealing=False)
    assert (advice.attacker, advice.model, advice.k) == ("journalist", "person-anonymity", 5)
    assert "k-map and its tests count records" in advice.notes[0]
    assert "any two rows of a person" in advice.statement[2]


@pytest.mark.quick(1)
@pytest.mark.parametrize("form", ["interval:first", "shift:first"])
def test_under_a_policy_with_dates_the_days_since_the_first_are_known(form: str) -> None:
    """The policy counts them; a register with one row per person does not contain them."""
    rows = [
        (f"p{person}", "FM"[person % 2], f"{2008 + person % 11}-05-{1 + 7 * visit:02}")
        for person in range(24)
        for visit in range(1 + person % 3)
    ]
    frame = pd.DataFrame(rows, columns=["who", "sex", "day"])
    linked: dict[str, Any] = {"link": "pseudonym"} if "shift" in form else {}
    made = rs.anonymize(
        frame, quasi=("sex", "day"), k=2, person="who", knows="2", dates={"day": form}, **linked
    )
    found = rs.risk(frame, policy=made.policy, population=frame)
    assert found.by_person is not None
    assert found.by_person.after is not None
    assert found.by_person.before.prosecutor.smallest == 4
    assert found.by_person.after.prosecutor.maximum <= 1 / 2
    assert any("shifts dates" in note for note in found.notes) == ("shift" in form)
    with pytest.raises(InputError, match="a single row does not show this date"):
        rs.risk(frame, policy=made.policy, population=frame[["sex", "day"]])
