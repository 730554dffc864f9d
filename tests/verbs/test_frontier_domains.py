"""The order of values that a frontier cuts: its own, a given one, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from roadstead.errors import InputError, SettingError, SourceError
from roadstead.verbs.functions import frontier
from roadstead.verbs.settings import MOST_BOUNDARIES


def document(name: str, values: Sequence[str], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as frontier
    """Give the frontier of one column and a sex that all records share."""
    table = pa.table(
        {
            name: pa.array([value or None for value in values], pa.string()),
            "sex": ["F"] * len(values),
        }
    )
    found = frontier(table, quasi=(name, "sex"), search="steepest", **more)
    return found.to_dict()


def domain(name: str, values: Sequence[str], **more: Any) -> list[str]:  # noqa: ANN401 - as frontier
    """Give the domain of the column."""
    order: list[str] = document(name, values, **more)["domains"][name]
    return order


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("age", ["20", "17", "20.0", ""], ["missing", "17", "18", "19", "20"]),
        ("weight", ["1.5", "10", "2"], ["1.5", "2", "10"]),
        ("income", ["0", "1999"], [str(n) for n in range(2000)]),
        ("income", ["0", "2000"], ["0", "2000"]),
        ("change", ["-2", "1"], ["-2", "-1", "0", "1"]),
        ("born", ["2001-03-04", "1999-12-31"], ["1999-12-31", "2001-03-04"]),
        ("ward", ["b", "a"], ["a", "b"]),
        ("zip", ["59001", "03601", "02139", ""], ["missing", "02139", "59001", "03601"]),
        ("zip", ["03602", "02139-1234", "03601"], ["02139-1234", "03601", "03602"]),
    ],
)
def test_values_have_their_order(name: str, values: list[str], expected: list[str]) -> None:
    """Numbers by size with those between, dates by time; ZIP areas of few people are last."""
    assert domain(name, values) == expected


def test_values_without_an_order_are_taken_as_they_come_and_that_is_said() -> None:
    """Not of two values, and not of codes, whose characters order them."""
    notes = document("race", ["W", "B", "X"] * 5)["notes"]
    assert any("'race' have no natural order" in note and "give an order" in note for note in notes)
    for values in (["W", "B"], ["C34", "C50", "I21"]):
        assert not any("no order" in note for note in document("race", values)["notes"])


def test_an_order_that_is_given_is_kept() -> None:
    """Values without records stay in it; the missing value is the first, named or not."""
    values = ["low", "high", "middle", ""]
    given = ["low", "fair", "middle", "high"]
    expected = ["missing", *given]
    assert domain("stage", values, orders={"stage": given}) == expected
    assert domain("stage", values, orders={"stage": [*given, ""]}) == expected
    notes = document("stage", values, orders={"stage": given})["notes"]
    assert not any("alphabetically" in note for note in notes)


def test_numbers_may_be_given_an_order_with_what_is_none() -> None:
    """As the refusal says."""
    ages = ["88", "89", "90+"]
    assert domain("age", ages * 3, orders={"age": ages}) == ages


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"race": ["W", "B"]},
            "orders: the order of 'race' does not include 'X'; list every value",
        ),
        ({"race": ["W"]}, "does not include 'B' and 1 more"),
        ({"race": ["W", "B", "X", "W"]}, "lists 'W' twice"),
        ({"color": ["W"]}, "an order is given for 'color', which is not a quasi-identifier"),
    ],
)
def test_an_order_that_is_none_is_refused(given: dict[str, list[str]], message: str) -> None:
    """With the first value that is wrong."""
    with pytest.raises(SettingError, match=message):
        document("race", ["W", "B", "X"], orders=given)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("age", ["40", "41", "no"], "column 'age': 'no' is mixed with numbers.* orders=.*age"),
        ("age", ["40", "41", "121"], "column 'age': age '121' is above 120"),
        ("age", ["40", "41", "-1"], "column 'age': age '-1' is negative"),
        ("born", ["2001-03-04", "2001-03-05", "soon"], "column 'born': 'soon' is mixed with dates"),
        ("zip", ["02139", "02140", "0213A"], "column 'zip': '0213A' is not a ZIP code"),
        ("zip", ["02139", "02140", "2139"], "column 'zip': '2139' is not a ZIP code"),
        ("income", ["5", "7", "much"], "'much' is mixed with numbers"),
    ],
)
def test_a_value_that_has_no_place_is_refused(name: str, values: list[str], message: str) -> None:
    """The column and the one value are named, with the fix."""
    with pytest.raises(InputError, match=message):
        document(name, values)


def test_ages_up_to_the_oldest_are_taken() -> None:
    """From birth on."""
    assert len(domain("age", ["0", "120"])) == 121


def test_too_many_boundaries_are_refused_before_the_search() -> None:
    """The column that has most of them is named."""
    values = [str(3 * i + 100_000) for i in range(MOST_BOUNDARIES + 2)]
    with pytest.raises(SettingError, match=r"10,001 possible cuts; 'ward' has the most, with"):
        document("ward", values)


def test_odd_names_of_columns_are_carried_through() -> None:
    """Quotes, separators and letters of other scripts."""
    name = 'a"ge; ü\N{SNOWMAN}, {b}'
    found = document(name, ["40", "42"] * 3)
    assert found["domains"][name] == ["40", "41", "42"]
    assert all(name in point["policy"] for point in found["points"])


def test_a_column_of_one_value_has_no_boundary() -> None:
    """Nothing can be merged there."""
    assert all(p["policy"]["sex"] == "" for p in document("age", ["40", "44"])["points"])


def test_a_column_without_any_value_is_taken() -> None:
    """It is missing everywhere."""
    assert domain("age", ["", "", ""]) == ["missing"]


def test_a_table_without_records_is_refused() -> None:
    """There is no risk to speak of."""
    with pytest.raises(SourceError, match="no records"):
        document("age", [])


def test_ages_with_leading_zeros_go_by_size() -> None:
    """A hundred is above eleven, whatever the texts say."""
    ages = [f"{age:02d}" for age in (*range(5, 90), 93, 100, 102)]
    rows = {"age": ages * 2, "sex": ["F"] * len(ages) + ["M"] * len(ages)}
    found = frontier(pa.table(rows), quasi=("age", "sex"), search="steepest")
    values = found.policies.domains()["age"]
    assert [int(value) for value in values] == list(range(5, 103))
    assert found.safe_harbor is not None
    bits = found.policies.document(found.safe_harbor.policy)["age"]
    assert bits == "1" * 85 + "0" * 12


def test_rules_tell_neither_how_far_a_domain_reaches_nor_more_of_cuts_than_is_needed() -> None:
    """A cut between 40 and 95 is a round number, and levels count the values that occur."""
    ages = [str(age) for age in (20, 21, 22, 40, 95)] * 4
    found = frontier(pa.table({"age": ages}), quasi=("age",), search="steepest")
    for index, member in enumerate(found.members):
        (age,) = found.choose(index, reason="These are made-up people of a test").policy.attributes
        assert age.levels == 5
        assert member.risk <= 1.0
        assert not {"95", "93", "107"} & set(age.does.replace(",", "").split())
