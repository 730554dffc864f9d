"""Ordered domains: what the order is, and what rule becomes of intervals."""

from __future__ import annotations

from decimal import Decimal
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.hierarchies.arx_csv import read_hierarchy
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.defaults import default_hierarchy
from roadstead.hierarchies.ordered_domain import (
    OrderedDomain,
    in_words,
    ordered_domain,
    roundest,
)
from roadstead.hierarchies.rules import MISSING, Cuts, Everything, Groups, Identity


def by_default(*domain: str) -> OrderedDomain:
    """Order values that no hierarchy is given for."""
    return ordered_domain(default_hierarchy("a", domain).covering(domain), domain)


def listed(order: str, *domain: str) -> OrderedDomain:
    """Order values as a declaration lists them."""
    spec = {"kind": "ordered", "order": order.split(), "groups": []}
    return ordered_domain(build_declared("a", spec, domain), domain)


def test_numbers_are_in_numeric_order_and_equal_ones_at_one_place() -> None:
    """Whatever their texts are."""
    domain = by_default("10", "9", "-3", "9.0", "")
    assert domain.places == (("",), ("-3",), ("9", "9.0"), ("10",))
    assert (domain.size, domain.numeric, domain.origin) == (4, True, "in numeric order")
    assert domain.place_of() == {"": 0, "-3": 1, "9": 2, "9.0": 2, "10": 3}


def test_a_file_gives_the_order_of_its_rows(tmp_path: Path) -> None:
    """And its name; not the folder it is in."""
    path = tmp_path / "stage.csv"
    path.write_text("low;*\nmiddle;*\nhigh;*\n")
    domain = ordered_domain(read_hierarchy(path, "stage"), ["high", "low"])
    assert domain.places == (("low",), ("high",))
    assert domain.listed == ("low", "middle", "high")
    assert (domain.origin, domain.declared) == ("as listed in stage.csv", True)


def test_dates_are_in_order_of_time() -> None:
    """Also where their texts are not."""
    domain = by_default("31/01/2024", "15/02/2023", "01/03/2024")
    assert domain.listed == ("15/02/2023", "31/01/2024", "01/03/2024")
    assert domain.origin == "in order of time"


def test_codes_of_digits_are_not_numbers() -> None:
    """Groups of ZIP codes are named by their ends."""
    domain = by_default("02139", "02140", "37203")
    assert not domain.numeric
    assert not domain.declared
    assert domain.rule([0, 2]) == Groups(
        (("02139 .. 02140", ("02139", "02140")), ("37203", ("37203",)))
    )


def test_codes_that_begin_with_a_zero_are_not_numbers_in_a_file_either() -> None:
    """Their order is that of the file."""
    domain = listed("10001 02139 37203", "02139", "10001")
    assert not domain.numeric
    assert domain.places == (("10001",), ("02139",))
    assert listed("3 1 2", "1", "3").numeric


def test_both_ends_keep_all_or_nothing() -> None:
    """A declared domain stays declared."""
    domain = listed("a b c d", "a", "b", "d")
    assert domain.rule([0, 1, 2]) == Identity(("a", "b", "c", "d"))
    assert domain.rule([0]) == Everything()
    assert by_default("1", "2", "").rule([0, 1, 2]) == Identity()
    assert by_default("1", "2", "").rule([0]) == Everything()


def test_cuts_part_numbers_at_the_roundest_number_between_them() -> None:
    """A rule therefore reveals little about the numbers in the table."""
    domain = by_default("17", "34", "38", "91")
    assert domain.rule([0, 1, 3]) == Cuts((Decimal(30), Decimal(90)), integer=True)
    assert by_default("1.5", "2.5").rule([0, 1]) == Identity()
    assert by_default("1.5", "2.25", "2.5").rule([0, 2]) == Cuts((Decimal("2.5"),), integer=False)


def test_equal_numbers_of_different_texts_are_never_kept_apart() -> None:
    """With every boundary kept they are still one."""
    rule = by_default("7", "7.0", "9").rule([0, 1])
    assert rule == Cuts((Decimal(9),), integer=True)
    assert rule.label("7") == rule.label("7.0") != rule.label("9")


def test_a_missing_number_is_apart_or_one_with_the_lowest() -> None:
    """Cuts keep it missing; where it is merged, groups list what goes with it."""
    domain = by_default("", "17", "34", "91")
    apart = domain.rule([0, 1, 3])
    assert apart == Cuts((Decimal(90),), integer=True)
    assert apart.label(MISSING) == MISSING
    assert domain.rule([0, 1]) == Cuts((), integer=True)
    assert in_words(domain.rule([0, 1])) == "all numbers in one group"
    assert domain.rule([0, 2]) == Groups(
        (("missing or <30", (MISSING, "17")), ("30+", ("34", "91")))
    )


def test_a_missing_text_is_apart_or_one_with_the_first() -> None:
    """As for numbers."""
    domain = listed("low middle high", "", "low", "middle", "high")
    assert domain.rule([0, 1, 3]) == Groups(
        (("low .. middle", ("low", "middle")), ("high", ("high",)))
    )
    assert domain.rule([0, 2]) == Groups(
        (("missing or low", (MISSING, "low")), ("middle .. high", ("middle", "high")))
    )


def test_what_is_listed_and_does_not_occur_goes_with_the_value_before_it() -> None:
    """The first go with the first."""
    domain = listed("a b c d e f", "b", "c", "e")
    assert domain.rule([0, 1]) == Groups((("a .. b", ("a", "b")), ("c .. f", ("c", "d", "e", "f"))))


def test_intervals_have_different_names_even_where_values_are_odd() -> None:
    """A value may read like the name of an interval."""
    order = ["a", "b", "a .. b"]
    spec = {"kind": "ordered", "order": order, "groups": []}
    rule = ordered_domain(build_declared("a", spec, order), order).rule([0, 2])
    assert [rule.label(value) for value in order] == ["a .. b (2)", "a .. b (2)", "a .. b"]


def test_many_cuts_are_not_all_told() -> None:
    """A line has an end."""
    domain = by_default(*map(str, range(10, 40)))
    words = in_words(domain.rule([0, *range(2, 30)]))
    assert words.startswith("cut at 12, 13, 14")
    assert words.endswith("23 and 16 more")
    assert in_words(domain.rule([0, 20])) == "cut at 30"
    assert in_words(Everything()) == "removed"


def zeros(number: int) -> int:
    """Count the zeros a number ends with; 0 has the most."""
    return 9 if number == 0 else len(str(number)) - len(str(number).rstrip("0"))


@given(st.integers(-1500, 1500), st.integers(1, 300), st.integers(-3, 3))
def test_the_roundest_number_between_two_ends_with_most_zeros(
    low: int, apart: int, exponent: int
) -> None:
    """Above the lower and not above the higher, as trying all shows."""
    found = roundest(Decimal(low).scaleb(exponent), Decimal(low + apart).scaleb(exponent))
    assert "E" not in str(found)
    whole = int(found.scaleb(-exponent))
    assert Decimal(whole).scaleb(exponent) == found
    between = range(low + 1, low + apart + 1)
    assert whole in between
    assert zeros(whole) == max(map(zeros, between))


@given(
    st.lists(st.integers(-50, 50), min_size=1, unique=True),
    st.sampled_from([(), (MISSING,)]),
    st.data(),
)
def test_a_rule_of_numbers_makes_the_intervals_it_is_made_of(
    numbers: list[int], missing: tuple[str, ...], data: st.DataObject
) -> None:
    """Two values have one label if and only if they are in one interval."""
    domain = by_default(*map(str, numbers), *missing)
    flags = data.draw(st.lists(st.booleans(), min_size=domain.size - 1, max_size=domain.size - 1))
    firsts = [0, *(i + 1 for i, kept in enumerate(flags) if kept)]
    rule = domain.rule(firsts)
    labels = [rule.label(values[0]) for values in domain.places]
    assert [len(list(same)) for _, same in groupby(labels)] == [
        b - a for a, b in zip(firsts, [*firsts[1:], domain.size], strict=True)
    ]
    assert len(set(labels)) == len(firsts)
    assert all(label is not None and rule.produces(label) for label in labels)
    assert domain.hierarchy(rule).levels[1].labels


@pytest.mark.parametrize("exponent", [29, 5, 0, -30])
def test_numbers_far_out_can_be_parted(exponent: int) -> None:
    """Nothing is rounded on the way."""
    low, high = (
        Decimal(f"1.00000000000000000001e{exponent}"),
        Decimal(f"1.00000000000000000002e{exponent}"),
    )
    assert low < roundest(low, high) <= high
