"""Numbers with open ends and ages with units, against a second reader."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.hierarchies.defaults import default_hierarchy, propose
from roadstead.hierarchies.numbers import intervals
from roadstead.hierarchies.rules import Bands
from roadstead.hierarchies.written_numbers import APART, form_of, read_span

MONTHS_PER = {"y": Fraction(12), "m": Fraction(1), "w": Fraction(84, 365), "d": Fraction(12, 365)}
WORDS = {
    "y": ["y", "Y", " yr", " yrs", " year", " years", " years old"],
    "m": ["m", "M", " mo", " months", " mos."],
    "w": ["w", "W", " wk", " weeks"],
    "d": ["d", "D", " days", " d"],
}
SIGNS = {
    "above": [("> ", ""), (">", ""), ("over ", "")],
    "least": [(">=", ""), ("≥ ", ""), ("", "+"), ("", " +"), ("", " and over")],
    "below": [("<", ""), ("< ", ""), ("under ", "")],
    "most": [("<=", ""), ("≤ ", ""), ("", " or less")],
}


@st.composite
def ages(draw: st.DrawFn) -> tuple[str, Fraction]:
    """An age with a unit, and its length in months, made from the parts, not from the text."""
    unit = draw(st.sampled_from("ymwd"))
    number = draw(st.integers(0, 130))
    padded = draw(st.sampled_from([f"{number}", f"{number:03}"]))
    return padded + draw(st.sampled_from(WORDS[unit])), number * MONTHS_PER[unit]


@given(ages())
def test_an_age_is_read_in_completed_years(age: tuple[str, Fraction]) -> None:
    """Months and years are exact. A year has 365 or 366 days."""
    text, months = age
    span = read_span(text, "ages", whole=True)
    assert span is not None
    assert span.low == span.high
    assert floor(months / 12 * Fraction(365, 366)) <= span.place <= floor(months / 12)
    if months.denominator == 1:
        assert span.place == months // 12


@given(st.sampled_from(sorted(SIGNS)), st.data(), st.integers(0, 120), st.integers(1, 40))
def test_a_band_holds_an_open_end_only_if_it_holds_all_its_numbers(
    kind: str, data: st.DataObject, number: int, width: int
) -> None:
    """Every whole number that the text may mean has the label of the text."""
    before, after = data.draw(st.sampled_from(SIGNS[kind]))
    top = data.draw(st.none() | st.integers(41, 120))
    bottom = data.draw(st.none() | st.integers(-5, 40))
    rule = Bands(
        Decimal(width),
        bottom=None if bottom is None else Decimal(bottom),
        top=None if top is None else Decimal(top),
        form="mixed",
    )
    label = rule.label(f"{before}{number}{after}")
    low = {"above": number + 1, "least": number}.get(kind, -inf)
    high = {"below": number - 1, "most": number}.get(kind, inf)
    meant = [n for n in range(-300, 300) if low <= n <= high]
    labels = {rule.label(str(n)) for n in meant}
    assert label == (labels.pop() if len(labels) == 1 else APART)
    assert label is not None
    assert rule.produces(label)


@given(st.lists(st.integers(0, 95), min_size=30, max_size=60), st.integers(80, 95))
def test_proposed_bands_are_true_of_every_value(numbers: list[int], end: int) -> None:
    """Ages with an open end, and a word: no band next to the open one may hold the open end."""
    texts = sorted({*map(str, numbers), f"> {end}", "unknown"})
    hierarchy = default_hierarchy("age", texts)
    rows = {value: row for row, value in enumerate(hierarchy.values)}
    for level in hierarchy.levels[1:-1]:
        labels = {value: level.label(row) for value, row in rows.items()}
        assert labels["unknown"] == APART
        alike = [value for value in labels if labels[value] == labels[f"> {end}"]]
        if labels[f"> {end}"] == APART:
            assert alike == [f"> {end}", "unknown"]
        else:
            low = int(labels[f"> {end}"].removesuffix("+"))
            assert low <= end + 1
            held = {int(value) for value in alike if value.isdigit()}
            assert held == {number for number in numbers if number >= low}


def test_the_form_of_a_column_is_that_of_nearly_all_its_values() -> None:
    """Units without a blank are read only if every value is an age."""
    numbers = [str(number) for number in range(20, 60)]
    assert form_of(numbers) == "plain"
    assert form_of([*numbers, "unknown", "n/a", "refused"]) == "mixed"
    assert form_of(["1", "2", "unknown"]) is None
    assert form_of([f"{number:03}Y" for number in range(90)]) == "ages"
    assert form_of(["6m", "2y", *numbers]) == "ages"
    assert form_of(["6m", "2y", *numbers, "tree"]) is None
    assert form_of(["6 months", "2 years", *numbers, "unknown"]) == "ages"
    assert form_of(["1m", "2m", "red", "green"]) is None
    padded = [f"{number:05}" for number in range(60, 99)]
    assert propose("code", [*padded, "unknown"]) == {"kind": "flat"}


def test_the_loss_counts_values_apart_as_values_of_the_domain() -> None:
    """Two words are two values more than the range from 20 to 59."""
    made = intervals("age", ["20", "59", "unknown", "n/a"], [10], form="mixed")
    leaves = {
        label: int(n) for label, n in zip(made.levels[1].labels, made.levels[1].leaves, strict=True)
    }
    assert leaves == {"20-29": 10, "50-59": 10, APART: 2}
    assert made.domain_size == 42


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("> 18 months", 1, None),
        ("< 1 month", 0, 1),
        ("<= 18 months", 0, 2),
        ("> 89 years", 90, None),
        ("2 years 6 months", 2, 2),
        ("1y6m", 1, 1),
        ("45.9", 45, 45),
        ("-5", None, None),
        ("5 months and", None, None),
        ("unknown", None, None),
    ],
)
def test_limits_of_ages(text: str, low: int | None, high: int | None) -> None:
    """Older than 18 months is one completed year or more."""
    span = read_span(text, "ages", whole=True)
    assert (span and span.low, span and span.high) == (
        low if low is None else Decimal(low),
        high if high is None else Decimal(high),
    )


@given(st.decimals("-50", "50", places=1), st.sampled_from(["<", ">", "<=", ">="]))
def test_fractions_have_open_ends_too(number: Decimal, sign: str) -> None:
    """A column that is not whole: ``<0.5`` is below 0.5, and not up to 0."""
    span = read_span(f"{sign}{number}", "mixed", whole=False)
    assert span is not None
    assert (span.high if sign.startswith("<") else span.low) == number
    whole = read_span(f"{sign}{number}", "mixed", whole=True)
    expected = {
        "<": ceil(number),
        "<=": floor(number) + 1,
        ">": floor(number) + 1,
        ">=": ceil(number),
    }
    assert whole is not None
    assert (whole.high if sign.startswith("<") else whole.low) == expected[sign]
