"""The population that a frontier's risk is measured against: counted, listed, or estimated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from roadstead.errors import InputError, SettingError, SourceError
from roadstead.tables.reading import read
from roadstead.verbs.frontier.result import FrontierFinding
from roadstead.verbs.functions import frontier

Row = tuple[str, ...]
NAMES = ("stage", "sex")
ORDER = {"stage": ["I", "II", "III"]}
ROWS: list[Row] = [("I", "F"), ("I", "F"), ("II", "M"), ("III", "F"), ("III", "M"), ("III", "M")]
PEOPLE: dict[Row, int] = {
    ("I", "F"): 8,
    ("II", "F"): 3,
    ("II", "M"): 5,
    ("III", "F"): 1,
    ("III", "M"): 4,
}


def arrow(rows: Sequence[Sequence[str]], names: Sequence[str] = NAMES) -> pa.Table:
    """Put rows into a table."""
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def counts(people: Mapping[Row, int], names: Sequence[str] = NAMES) -> pa.Table:
    """Put numbers of people into a table."""
    return arrow([(*row, str(n)) for row, n in people.items()], (*names, "people"))


def find(rows: Sequence[Row] = ROWS, **more: Any) -> FrontierFinding[Any]:  # noqa: ANN401 - as frontier
    """Find the frontier of rows."""
    return frontier(arrow(rows), quasi=NAMES, orders=ORDER, search="steepest", **more)


def original(people: Mapping[Row, int], rows: Sequence[Row] = ROWS) -> float:
    """Compute the risk of the original data."""
    return fsum(1 / people[row] for row in rows)


def greatest(found: FrontierFinding[Any]) -> float:
    """The highest risk in the output."""
    amount: float = found.to_dict()["risk_measure"]["greatest"]
    return amount


def test_a_population_may_be_counted_or_listed_person_by_person() -> None:
    """In any order of the rows and of the columns; other columns do not matter."""
    by_count = find(population=counts(PEOPLE), population_counts="people")
    listed = [(row[1], "x", row[0]) for row, n in PEOPLE.items() for _ in range(n)]
    by_person = find(population=arrow(listed[::-1], ("sex", "town", "stage")))
    assert greatest(by_count) == pytest.approx(original(PEOPLE))
    one, other = by_count.to_dict(), by_person.to_dict()
    assert one["points"] == other["points"]
    assert one["population"]["basis"] == other["population"]["basis"] == "file"


def test_without_a_population_records_protect_each_other() -> None:
    """It is called cautious, in the document and the words."""
    found = find()
    assert greatest(found) == pytest.approx(original(Counter(ROWS)))
    assert found.to_dict()["population"]["basis"] == "sample"
    assert "only the records of the table, each counted as a person" in str(found)
    assert "no population" in found.population.meaning.lower()


@pytest.mark.nightly
def test_an_estimate_holds_the_table_and_counts_nobody_beside_its_margins() -> None:
    """Margins of no more people than the table has leave no other people, in any combination."""
    stages = counts({("I",): 2, ("II",): 1, ("III",): 3}, ("stage",))
    sexes = counts({("F",): 3, ("M",): 3}, ("sex",))
    for seed in range(5):
        found = find(margins=[stages, sexes], population_counts="people", seed=seed)
        table = found.study.people.table
        assert table.population is not None
        assert int(table.population.sum()) == len(ROWS)
        assert (table.population == table.counts).all()
        assert greatest(found) == pytest.approx(original(Counter(ROWS)))


def test_margins_of_fewer_people_than_records_are_refused() -> None:
    """With all other settings, the estimate could not contain the table."""
    stages = counts({("I",): 9, ("II",): 1, ("III",): 2}, ("stage",))
    sexes = counts({("F",): 6, ("M",): 6}, ("sex",))
    for absent in (None, "count"):
        with pytest.raises(SourceError, match="for 1 of"):
            find(margins=[stages, sexes], population_counts="people", absent=absent)


def test_a_number_written_otherwise_in_the_population_is_the_same_person() -> None:
    """7.0 is 7, so no one is counted twice."""
    rows = arrow([("7.0", "F"), ("8.0", "M"), ("9.0", "F")], ("dose", "sex"))
    people = arrow([("7", "F"), ("8", "M"), ("9", "F")], ("dose", "sex"))
    found = frontier(rows, quasi=("dose", "sex"), population=people, search="steepest")
    assert found.study.people.counted == 0
    assert found.members[0].risk * found.risk.greatest == pytest.approx(1.0)


def test_margins_make_an_estimate_that_is_called_so() -> None:
    """Two disjoint margins are kept to the last person; in document, words and page."""
    margins = [
        counts({("I",): 200, ("II",): 100, ("III",): 100}, ("stage",)),
        counts({("F",): 300, ("M",): 100}, ("sex",)),
    ]
    found = find(margins=margins, population_counts="people")
    told = found.to_dict()["population"]
    assert told["basis"] == "estimate"
    assert "an estimate" in told["label"]
    assert "an estimate" in str(found)
    assert found.population.basis == "estimate"
    assert found.population.people == 400
    independent: dict[Row, float] = {
        (a, b): n * m / 400
        for a, n in (("I", 200), ("II", 100), ("III", 100))
        for b, m in (("F", 300), ("M", 100))
    }
    assert greatest(found) == pytest.approx(fsum(1 / independent[row] for row in ROWS), rel=0.1)
    again = find(margins=margins, population_counts="people")
    assert again.to_dict()["points"] == found.to_dict()["points"]


def test_records_that_nobody_is_like_stop_the_search() -> None:
    """A value without people is named, or else a value of a combination without people."""
    strange = [*ROWS, ("IV", "F")]
    with pytest.raises(SourceError, match=r"no one .* has stage 'IV'; for 1 of the 7 records"):
        frontier(arrow(strange), quasi=NAMES, population=counts(PEOPLE), population_counts="people")
    with pytest.raises(SourceError, match=r"no one .* of a record with stage 'I'; .* 2 of"):
        find([*ROWS, ("I", "M"), ("I", "M")], population=counts(PEOPLE), population_counts="people")


def test_the_combination_named_is_one_that_lacks_people() -> None:
    """And not one of which all people are in the table."""
    rows = [("I", "F")] * 2 + [("II", "M")] * 3
    people: dict[Row, int] = {("I", "F"): 2, ("II", "M"): 2}
    with pytest.raises(SourceError, match="a record with stage 'II' is less frequent"):
        find(rows, population=counts(people), population_counts="people")


def test_records_that_nobody_is_like_can_be_counted_as_people() -> None:
    """How many is said."""
    rows = [*ROWS, ("I", "M"), ("I", "M")]
    found = find(rows, population=counts(PEOPLE), population_counts="people", absent="count")
    assert greatest(found) == pytest.approx(original({**PEOPLE, ("I", "M"): 2}, rows))
    assert any("for 2 records, no matching" in note.lower() for note in found.to_dict()["notes"])


def test_a_population_smaller_than_the_table_is_refused() -> None:
    """Unless it is to be raised."""
    with pytest.raises(SourceError, match="for 4 of the 6 records"):
        find(population=arrow([("I", "F"), ("III", "M")]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"population": counts(PEOPLE), "population_counts": "sex"}, "'sex': it is named twice"),
        ({"population": counts(PEOPLE), "population_counts": "persons"}, "'persons'.*no such col"),
        ({"population_counts": "people"}, "population_counts: this setting requires a population"),
        ({"margins": [counts(PEOPLE)]}, "margins: .* population_counts"),
        (
            {
                "population": counts(PEOPLE),
                "margins": [counts(PEOPLE)],
                "population_counts": "people",
            },
            "population, margins: .* leave one of them out",
        ),
        ({"population": arrow([("I",)], ("stage",))}, "population has no column 'sex'"),
        (
            {"population": counts({("I", "F"): -8}), "population_counts": "people"},
            "count '-8' is not a whole number",
        ),
        (
            {"population": counts({("I", "F"): 0}), "population_counts": "people"},
            "all counts are 0",
        ),
        (
            {"margins": [counts({("x",): 3}, ("town",))], "population_counts": "people"},
            "none of the quasi-identifiers",
        ),
        (
            {
                "margins": [counts({("I",): 3, ("II",): 3, ("III",): 3}, ("stage",))],
                "population_counts": "people",
            },
            "no margin has sex; add margins",
        ),
        ({"absent": "ignore"}, "absent: 'ignore' is not known; use stop or count"),
    ],
)
def test_a_population_that_cannot_be_one_is_refused(settings: dict[str, Any], message: str) -> None:
    """With what is wrong and the fix."""
    with pytest.raises(InputError, match=message):
        find(**settings)


def test_a_file_of_the_population_is_named(tmp_path: Path) -> None:
    """By its name alone, not by where it lies."""
    path = tmp_path / "people.csv"
    text = "".join(f"{a},{b},{n}\n" for (a, b), n in PEOPLE.items())
    path.write_text(f"stage,sex,people\n{text}")
    with read(path) as source:
        found = find(population=source, population_counts="people")
        assert found.to_dict()["population"]["label"] == "the people in people.csv"
    assert str(tmp_path) not in str(found)


@pytest.fixture
def few() -> dict[str, Any]:
    """Two people with a stage that the population lacks, counted as people."""
    rows = [*ROWS * 2, *[("IV", "F")] * 2]
    return {
        "data": arrow(rows),
        "quasi": NAMES,
        "population": counts({row: 2 * n for row, n in PEOPLE.items()}),
        "population_counts": "people",
        "absent": "count",
        "search": "steepest",
    }


def test_a_rare_value_that_the_population_lacks_is_not_listed(few: dict[str, Any]) -> None:
    """Only the table has it; a user who lists the values may release the policy."""
    found = frontier(**few)
    cut = next(
        i
        for i, point in enumerate(found.to_dict()["points"])
        if "1" in point["policy"]["stage"] and "0" in point["policy"]["stage"]
    )
    with pytest.raises(
        SettingError, match=r"values of 'stage' that fewer than 5 .*\(1 of 4 values\)"
    ):
        found.choose(cut)
    listed = frontier(**few, orders={"stage": ["I", "II", "III", "IV"]})
    assert (
        listed.choose(cut, reason="These are made-up people of a test").to_dict()["suppressed"] == 0
    )
    known = frontier(**{**few, "data": arrow(ROWS)})
    assert known.choose(1, reason="These are made-up people of a test").to_dict()["suppressed"] == 0
