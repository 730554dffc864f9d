"""Safe Harbor is the most specific partition that the rule allows."""

from __future__ import annotations

import csv
import gzip
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from effort import sparing, thorough
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.policies.partition import OrderedDomains
from roadstead.policies.safe_harbor import (
    SafeHarbor,
    Treatment,
    age_attribute,
    safe_harbor,
    treatment,
    zip_attribute,
    zip_order,
)

AGES = tuple(map(str, range(121)))
ZIPS = ("03601", "03603", "37203", "37212", "37912", "59001", "82101", "05901")
"""Three of restricted areas: 036, 059, and 821; 590 is not restricted."""


def policy(
    attribute: str,
    values: tuple[str, ...],
    people: list[int] | None = None,
    role: Treatment | None = None,
) -> tuple[SafeHarbor, list[tuple[str, ...]]]:
    """Give the policy for one attribute, and the texts of its intervals."""
    domains = OrderedDomains((attribute,), (len(values),))
    found = safe_harbor(domains, [values], [people], {attribute: role} if role else None)
    (intervals,) = domains.intervals(found.partition)
    return found, [values[first : last + 1] for first, last in intervals]


@pytest.mark.parametrize(
    ("values", "whole"),
    [
        (("1922-05-01", "1935-12-31", "1936-01-01", "1936-07-01", "1950-01-01"), [2, 2, 1]),
        (("1922", "1935", "1936", "1950"), [2, 1, 1]),
        (("", "1922", "1935", "1936"), [1, 2, 1]),
    ],
)
def test_births_that_show_an_age_over_89_are_one_interval(
    values: tuple[str, ...], whole: list[int]
) -> None:
    """Dates and years of birth before the first year that shows no such age.

    Fault class: a Safe Harbor with ages over 89, beside which every other policy looks safer.
    """
    domains = OrderedDomains(("birth",), (len(values),))
    found = safe_harbor(domains, [values], born={"birth": 1936})
    (intervals,) = domains.intervals(found.partition)
    assert [last - first + 1 for first, last in intervals] == whole
    assert "births before 1936, which show an age over 89, are in one interval" in found.says[0]
    later = safe_harbor(domains, [values])
    assert "births before" not in later.says[0]


def test_safe_harbor_is_the_bit_string_of_the_paper() -> None:
    """Ages 0 to 120: 90 ones, 30 zeros; gender and race all ones; ZIP by three digits."""
    zips = ("37203", "37204", "37212", "37912", "37914", "38103")
    domains = OrderedDomains(("age", "gender", "race", "zip"), (121, 2, 5, 6))
    values = [AGES, ("F", "M"), tuple("abcde"), zips]
    found = safe_harbor(domains, values)
    expected = [1] * 90 + [0] * 30 + [1] + [1] * 4 + [0, 0, 1, 0, 1]
    assert domains.bits(found.partition).tolist() == list(map(bool, expected))
    assert found.restricted == ()
    assert found.says == (
        "age: ages of 90 and over are in one interval, and every other age is unchanged",
        "gender: unchanged",
        "race: unchanged",
        "zip: the first three digits are kept; areas with at most 20,000 people (source: "
        "Census 2010): none",
    )


def test_areas_of_few_people_are_one_group_where_the_order_lets_them() -> None:
    """036, 059 and 821 together, last."""
    order = [ZIPS[i] for i in zip_order(ZIPS)]
    assert order == ["37203", "37212", "37912", "59001", "03601", "03603", "05901", "82101"]
    found, intervals = policy("zip", tuple(order))
    assert intervals == [("37203", "37212"), ("37912",), ("59001",), tuple(order[4:])]
    assert found.restricted == ("036", "059", "821")
    assert found.says[0].endswith("036, 059, 821 (in one group, written as 000)")


def test_what_lies_between_areas_of_few_people_goes_with_them_and_is_said() -> None:
    """Never less private than Safe Harbor."""
    found, intervals = policy("zip", tuple(sorted(ZIPS)))
    assert intervals == [tuple(sorted(ZIPS))]
    assert found.says[0].endswith("; values between them are merged too")
    _, parted = policy("zip", ("37203", "03601", "37212", "59001"))
    assert parted == [("37203", "03601", "37212"), ("59001",)]


def test_a_population_says_itself_where_few_people_live() -> None:
    """At most 20,000 in all ZIP codes of three digits."""
    zips = ("03601", "03603", "37203", "37212")
    found, intervals = policy("zip", zips, [15_000, 5_001, 10_000, 10_000])
    assert found.restricted == ("372",)
    assert intervals == [("03601", "03603"), ("37203", "37212")]
    assert "(source: the given population): 372 (in one group" in found.says[0]
    assert [zips[i] for i in zip_order(zips, [0, 20_000, 0, 20_001])] == [
        "37203", "37212", "03601", "03603",
    ]  # fmt: skip
    assert policy("zip", zips, [0, 20_000, 0, 20_001])[0].restricted == ("036",)


def test_zip_plus_4_and_missing_codes_are_read() -> None:
    """The place of a person without a code is unknown."""
    zips = ("", "37203", "37203-1234", "37912")
    assert policy("zip", zips)[1] == [("",), ("37203", "37203-1234"), ("37912",)]
    assert [zips[i] for i in zip_order(zips)] == list(zips)
    assert zip_attribute("PatientZip", zips)


@pytest.mark.parametrize("wrong", ["2139", "K1A 0B1", "37203.0", "٣٧٢٠٣", "021390"])
def test_a_code_that_is_none_is_refused_by_the_one_cell(wrong: str) -> None:
    """With its column."""
    for attempt in (
        lambda: policy("home zip", ("37203", wrong)),
        lambda: zip_order(("37203", wrong), attribute="home zip"),
    ):
        with pytest.raises(SettingError) as caught:
            attempt()
        assert caught.value.where == "column 'home zip'"
        assert repr(wrong) in caught.value.message
        assert "37203" not in caught.value.message.replace(wrong, "")
    assert zip_attribute("home zip", ("37203", "", wrong, "37204"))
    assert not zip_attribute("home zip", ("", wrong, wrong, "37204"))


def test_three_digits_are_areas_and_those_of_few_people_go_together() -> None:
    """The codes may have been cut earlier by other people."""
    codes = ("372", "379", "590", "036", "821")
    assert policy("zip3", codes)[1] == [("372",), ("379",), ("590",), ("036", "821")]
    assert policy("zip", ("372**", "379**"))[1] == [("372**",), ("379**",)]


def test_dates_are_cut_to_years_and_places_are_one() -> None:
    """Of any form; years of birth are not looked at, which is said."""
    days = ("2019-12-31", "2020-01-01", "2020-06-30 12:00", "2021-01-01")
    found, intervals = policy("admitted", days)
    assert intervals == [days[:1], days[1:3], days[3:]]
    assert found.says == ("admitted: generalized to years",)
    assert "reveal an age over 89" in policy("birth_date", days)[0].says[0]
    assert policy("seen", ("03/04/2019", "13/04/2019", "", "05/06/2020"))[1] == [
        ("03/04/2019", "13/04/2019"), ("",), ("05/06/2020",),
    ]  # fmt: skip
    for name in ("county", "CITY", "census_tract", "street"):
        found, intervals = policy(name, ("a", "b", "c"))
        assert intervals == [("a", "b", "c")]
        assert "smaller than a state" in found.says[0]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("age", ("1", "95"), "age"),
        ("iage", ("", "1"), "age"),
        ("AGE_GROUP", ("85-89", "90-94"), "age"),
        ("alter", ("3",), "age"),
        ("stage", ("1", "2"), "kept"),
        ("age", ("young", "old"), "kept"),
        ("weight", ("95",), "kept"),
        ("state", ("MA",), "kept"),
        ("country", ("US",), "kept"),
        ("urinary_tract", ("1",), "kept"),
        ("plz", ("10115",), "place"),
        ("postcode", ("SW1A 1AA",), "place"),
        ("postal_code", ("10115", "75001"), "place"),
        ("postal_code", ("10115-1234",) * 5, "zip"),
        ("zip", ("372**", "2139"), "zip"),
        ("zcta5", ("37203",), "zip"),
        ("salary", ("37203",), "kept"),
        ("year", ("2019",), "kept"),
        ("day", ("2019-03-04", ""), "date"),
        ("zip", ("", ""), "zip"),
    ],
)
def test_an_attribute_is_known_by_its_name_and_its_values(
    name: str, values: tuple[str, ...], role: str
) -> None:
    """Unless the caller says what it is."""
    assert treatment(name, values) == role
    assert age_attribute(name, values) == (role == "age")


def test_the_caller_says_what_an_attribute_is() -> None:
    """Against its name."""
    assert len(policy("age", ("89", "90", "91"), role="kept")[1]) == 3
    assert policy("x", ("89", "90", "91"), role="age")[1] == [("89",), ("90", "91")]
    assert len(policy("x", ("a", "b"), role="place")[1]) == 1
    with pytest.raises(SettingError, match="'soon' is not a date"):
        policy("x", ("2020-01-01", "soon"), role="date")


def test_bands_of_ages_that_reach_90_go_with_those_over_89() -> None:
    """And so do codes above every age."""
    bands = ("", "80-84", "85-94", "95-99", "100+", "999", "unknown")
    assert policy("age", bands)[1] == [("",), ("80-84",), bands[2:6], ("unknown",)]


def test_the_end_of_a_band_that_is_not_taken_in_does_not_count() -> None:
    """[80-90) is 80 to 89, and is not merged with 90 and over: no more than 80-89 is.

    Fault class: a bound that is not taken in, read as one that is.
    """
    for bands in (
        ("[70-80)", "[80-90)", "[90-100)", "100+"),
        ("70-79", "80-89", "90-99", "100+"),
        ("(69-79]", "(79-89]", "(89-99]", ">99"),
    ):
        assert policy("age", bands)[1] == [bands[:1], bands[1:2], bands[2:]]


def test_what_does_not_fit_the_domains_is_refused() -> None:
    """Texts, people and roles."""
    domains = OrderedDomains(("age", "zip"), (2, 1))
    values = [("1", "2"), ("37203",)]
    for arguments in (
        ([("1", "2")],),
        ([("1",), ("37203",)],),
        (values, [None]),
        (values, [None, [1, 2]]),
        (values, None, {"sex": "kept"}),
        (values, None, {"age": "years"}),
    ):
        with pytest.raises(SettingError):
            safe_harbor(domains, *arguments)


def must_be_one(role: str, a: str, b: str, restricted: frozenset[str]) -> bool:
    """Whether the text of the rule merges two values."""
    if role == "place" or a == b:
        return True
    if "" in (a, b):
        return False
    if role == "age":
        return int(a) >= 90 and int(b) >= 90
    if role == "zip":
        return a[:3] == b[:3] or (a[:3] in restricted and b[:3] in restricted)
    return role == "date" and a[:4] == b[:4]


DRAWN = {
    "age": ("", "5", "88", "89", "90", "91", "110"),
    "zip": ("", "03601", "03602", "05901", "37203", "37212", "82101"),
    "date": ("", "2019-01-01", "2019-05-05", "2020-01-01", "2021-12-31"),
    "place": ("", "a", "b", "c"),
    "kept": ("", "a", "b", "90"),
}


@thorough
@given(st.sampled_from(sorted(DRAWN)), st.data())
def test_it_is_the_most_specific_partition_that_obeys(role: Treatment, data: st.DataObject) -> None:
    """Among all partitions of a few values in any order, enumerated."""
    values = tuple(data.draw(st.permutations(DRAWN[role]))[: data.draw(st.integers(1, 6))])
    restricted = frozenset({"036", "059", "821"})
    obeying = [
        bits
        for bits in product((0, 1), repeat=len(values) - 1)
        if all(
            not any(bits[i:j])
            for j in range(len(values))
            for i in range(j)
            if must_be_one(role, values[i], values[j], restricted)
        )
    ]
    best = max(obeying, key=sum)
    assert all(all(x <= y for x, y in zip(bits, best, strict=True)) for bits in obeying)
    domains = OrderedDomains(("x",), (len(values),))
    found = safe_harbor(domains, [values], None, {"x": role})
    assert domains.bits(found.partition).tolist() == list(map(bool, best))


@sparing
@given(st.data())
def test_in_the_order_for_zip_codes_nothing_lies_between(data: st.DataObject) -> None:
    """For people at any place."""
    code = st.builds("{:03d}{:02d}".format, st.integers(0, 12), st.integers(0, 99))
    zips = data.draw(st.lists(code, min_size=1, max_size=30, unique=True))
    counts = st.lists(st.integers(0, 15_000), min_size=len(zips), max_size=len(zips))
    people = data.draw(st.none() | counts)
    order = zip_order(zips, people)
    assert sorted(order) == list(range(len(zips)))
    ordered = tuple(zips[i] for i in order)
    found, intervals = policy("zip", ordered, people and [people[i] for i in order])
    assert "between" not in found.says[0]
    assert len(intervals) == len({"000" if z[:3] in found.restricted else z[:3] for z in zips})
    few = [zips[i][:3] in found.restricted for i in order]
    assert few == sorted(few)


def test_the_census_finds_the_areas_of_few_people(data_dir: Path) -> None:
    """By its own numbers the policy is that of the areas that come with the package."""
    with gzip.open(data_dir / "census" / "zcta_pop_2010.csv.gz", "rt", encoding="utf-8") as file:
        rows = [(row["geoid"], int(row["pop10"])) for row in csv.DictReader(file)]
    zips, people = tuple(row[0] for row in rows), [row[1] for row in rows]
    order = zip_order(zips, people)
    assert order == zip_order(zips)
    ordered = tuple(zips[i] for i in order)
    domains = OrderedDomains(("zip",), (len(zips),))
    counted = safe_harbor(domains, [ordered], [np.array(people)[list(order)]])
    packaged = safe_harbor(domains, [ordered])
    assert counted.partition == packaged.partition
    assert counted.partition.rank == 876
    assert counted.restricted == packaged.restricted == tuple(
        "036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893".split()  # noqa: SIM905 - as it is published
    )  # fmt: skip
