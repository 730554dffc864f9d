"""The description of a partition is correct, and lists all differences of two partitions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.policies.partition_words import PartitionWords, ValueWords

_AGES = [str(age) for age in range(121)]
_RACES = ["White", "Black", "American Indian", "Asian", "Hawaiian", "Other", "Several"]
_ZIPS = [f"37{number:03}" for number in range(10, 622, 3)]
_ALL = PartitionWords.of(["gender", "race", "age", "zip"], [["M", "F"], _RACES, _AGES, _ZIPS])
_DOMAINS = _ALL.domains


def _ages(*firsts: int) -> tuple[PartitionWords, Partition]:
    words = PartitionWords.of(["age"], [_AGES])
    return words, words.domains.of_boundaries(first - 1 for first in firsts)


def _said(*firsts: int) -> str:
    words, partition = _ages(*firsts)
    return words.describe(partition)[0]


def _cut(**firsts: object) -> Partition:
    """Keep the boundaries before these values; all of an attribute that is not named."""
    kept = []
    for place, (name, size) in enumerate(zip(_DOMAINS.attributes, _DOMAINS.sizes, strict=True)):
        wanted = firsts.get(name, range(1, size))
        assert isinstance(wanted, range | list | set)
        kept += [_DOMAINS.boundary(place, first) for first in wanted]
    return _DOMAINS.of_boundaries(kept)


_THREE_DIGITS = [code for code, (a, b) in enumerate(pairwise(_ZIPS), 1) if a[:3] != b[:3]]
_SAFE_HARBOR = _cut(age=range(1, 91), zip=_THREE_DIGITS)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (_AGES, "number"),
        (["1990", "1991", "1992"], "number"),
        (["0", "5", "10"], "number"),
        (["1.5", "2.5", "10.0"], "number"),
        ([*map(str, range(90)), "90+"], "number"),
        (_ZIPS, "code"),
        (["01001", "01002", "02001"], "code"),
        (["A01", "A02", "B11"], "code"),
        ([f"town {number}" for number in range(41)], "code"),
        (_RACES, "category"),
        (["10", "9"], "category"),
        (["yes"], "category"),
    ],
)
def test_values_tell_what_they_are(values: list[str], kind: str) -> None:
    """Numbers ascend; codes have digits and gaps; few other texts are categories."""
    assert ValueWords.of("attribute", values).kind == kind


def test_only_an_age_has_years_and_an_open_end() -> None:
    """The name decides; a last value of 90+ is open on its own."""
    assert ValueWords.of("age", _AGES) == ValueWords("age", tuple(_AGES), "number", "year", True)
    assert ValueWords.of("patient_age", _AGES).unit == "year"
    assert ValueWords.of("stage", _AGES).unit == ""
    assert ValueWords.of("score", [*map(str, range(10)), "10+"]).open_ended
    words = PartitionWords.of(["score"], [[*map(str, range(10)), "10+"]])
    assert words.describe(words.domains.of_boundaries([4, 9])) == ("bands of 5, then 10+",)
    assert words.describe(words.domains.of_boundaries(range(7)))[0].endswith("then 7 and over")


@pytest.mark.parametrize(
    ("firsts", "said"),
    [
        ([*range(1, 121)], "single years"),
        ([], "all merged"),
        ([*range(1, 91)], "single years to 89, then 90 and over"),
        ([*range(5, 120, 5)], "5-year bands to 114, then 115 and over"),
        ([*range(5, 121, 5)], "5-year bands, then 120"),
        ([*range(5, 86, 5)], "5-year bands to 84, then 85 and over"),
        ([3, *range(8, 120, 5)], "0 to 2, 5-year bands, then 118 and over"),
        (
            [*range(1, 18), *range(18, 91, 12)],
            "single years to 17, 12-year bands to 89, then 90 and over",
        ),
        ([53, *range(55, 121)], "0 to 52, 53 to 54, then single years from 55"),
        ([18], "0 to 17, then 18 and over"),
        ([1, 3, 6, 10, 15], "121 values in 6 groups of 1 to 106 values, e.g. 15 and over"),
    ],
)
def test_bands_of_an_age_are_told_as_people_tell_them(firsts: list[int], said: str) -> None:
    """Regular ones by their width, others piece by piece, many by their number."""
    assert _said(*firsts) == said


def test_bands_of_other_numbers_have_an_end() -> None:
    """121 and no more: ten bands of twelve, and one left over."""
    words = PartitionWords.of(["score"], [_AGES[:120]])
    assert words.describe(words.domains.of_boundaries(range(11, 119, 12))) == ("bands of 12",)
    assert words.describe(words.domains.of_boundaries([59])) == ("bands of 60",)


def test_sets_of_categories_are_named() -> None:
    """Two groups by their values, a large one by its ends, further ones by their number."""

    def said(*firsts: int) -> str:
        return _ALL.describe(_cut(race=list(firsts)))[1]

    assert said(1, 2, 3, 4, 6) == "Hawaiian and Other merged; 6 groups"
    assert said(1, 2, 3) == "Asian, Hawaiian, Other and Several merged; 4 groups"
    assert said(1) == "Black .. Several (6 values) merged; 2 groups"
    assert (
        said(2, 4, 6)
        == "White and Black merged; American Indian and Asian merged; 1 more group merged; 4 groups"
    )
    assert _ALL.describe(_cut(gender=[]))[0] == "merged"
    assert _ALL.describe(_cut(race=[]))[1] == "all merged"


def test_codes_are_told_by_their_first_digits_or_by_one_range() -> None:
    """Never by all of them."""
    assert _ALL.describe(_SAFE_HARBOR)[3] == f"first 3 digits, {len(_THREE_DIGITS) + 1} groups"
    assert (
        _ALL.describe(_cut(zip=[2, 10]))[3]
        == "204 values in 3 groups of 2 to 194 values, e.g. 37040 to 37619"
    )
    letters = PartitionWords.of(["code"], [["A01", "A02", "B11", "B12"]])
    assert letters.describe(Partition(0b010)) == ("first character, 2 groups",)
    apart = PartitionWords.of(["code"], [["A01", "B11", "A02"]])
    assert "first" not in apart.describe(Partition(0b10))[0]


def test_alternatives_are_told_as_in_the_paper() -> None:
    """Table 3: merge M and F; Asian and Other; the ages 52 and 53."""

    def told(partition: Partition) -> str:
        return "; ".join(_ALL.difference(partition, _SAFE_HARBOR))

    zips = {"zip": _THREE_DIGITS}
    assert told(_cut(gender=[], **zips)) == "merges M and F; keeps every age over 89"
    races = PartitionWords.of(["race"], [["White", "Asian", "Other"]])
    assert races.difference(Partition(0b01), Partition(0b11)) == ("merges Asian and Other",)
    assert told(_cut(age={*range(1, 91)} - {53}, **zips)) == "merges age 52 and 53"


@pytest.mark.parametrize(
    ("firsts", "known", "told"),
    [
        ([], [90], ["merges all of age"]),
        ([*range(1, 121)], [50, 90], ["keeps every age"]),
        ([50, 90], [50], ["splits age 50 and over into 50 to 89 and 90 and over"]),
        ([50, *range(60, 121, 10)], [50], ["splits age 50 and over into 8 groups"]),
        ([50], [40], ["has age 0 to 49 and 50 and over, not 0 to 39 and 40 and over"]),
        ([*range(60, 71), 80], [60, 80], ["splits age 60 to 79 into 11 groups"]),
        ([*range(60, 81)], [60, 80], ["keeps every age of 60 to 79"]),
        (
            [*range(5, 91, 5)],
            [*range(1, 91)],
            ["cuts age into 5-year bands to 89, then 90 and over"],
        ),
        ([1, 3, 6, 10, 15, 20, 40], [*range(1, 41)], ["merges age from 41 groups into 8"]),
        (
            [*range(1, 41)],
            [1, 3, 6, 10, 15, 20, 40],
            ["cuts age into single years to 39, then 40 and over"],
        ),
        ([20, 50], [20], ["splits age 20 and over into 20 to 49 and 50 and over"]),
    ],
)
def test_differences_are_told_place_by_place_or_as_a_whole(
    firsts: list[int], known: list[int], told: list[str]
) -> None:
    """As many as a reader can take in."""
    words, partition = _ages(*firsts)
    _, reference = _ages(*known)
    assert list(words.difference(partition, reference)) == told


def test_categories_that_stay_apart_are_named() -> None:
    """The reference puts three together."""
    reference = _cut(race=[1, 2, 3, 6])
    assert _ALL.difference(_cut(), reference) == ("keeps Asian, Hawaiian and Other apart",)


def test_what_policies_have_in_common_is_told() -> None:
    """The same, as many groups, or between so many."""
    one = _cut(gender=[], race=[1], age=range(1, 91))
    two = _cut(gender=[], race=[2], age=[])
    assert _ALL.common([one, two]) == (
        "merged",
        "2 groups with different limits",
        "1 to 91 groups",
        "unchanged",
    )
    assert _ALL.common([one]) == _ALL.describe(one)


def test_odd_texts_are_told_and_cut_short() -> None:
    """An empty value has a name; a long one is cut; a line break is escaped."""
    words = ValueWords.of("place", ["", "a" * 80, "two\nlines"])
    assert [words.value(code) for code in range(3)] == ["(empty)", "a" * 31 + "…", "two lines"]


def test_texts_that_do_not_fit_the_domains_are_refused() -> None:
    """Names and numbers of values must be the same."""
    words = (ValueWords.of("age", ["1", "2"]),)
    for domains in (OrderedDomains(("age",), (3,)), OrderedDomains(("sex",), (2,))):
        with pytest.raises(SettingError, match="one label for each"):
            PartitionWords(domains, words)


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[PartitionWords, Partition, Partition]:
    texts = st.sampled_from([["a", "b"], _RACES, _AGES[:30], _ZIPS[:40], ["x1", "x1", "", "only"]])
    values = draw(st.lists(texts, min_size=1, max_size=3))
    words = PartitionWords.of([f"age {place}" for place in range(len(values))], values)
    kept = st.integers(0, (1 << words.domains.boundaries) - 1)
    return words, Partition(draw(kept)), Partition(draw(kept))


@unhurried
@given(_pairs())
def test_a_difference_is_told_if_and_only_if_there_is_one(
    drawn: tuple[PartitionWords, Partition, Partition],
) -> None:
    """For any partitions; every description is short."""
    words, one, two = drawn
    told = words.difference(one, two)
    assert bool(told) == (one != two)
    attributes = words.domains.attributes
    cut = [a != b for a, b in zip(*map(words.domains.intervals, (one, two)), strict=True)]
    assert len(told) <= 3 * sum(cut)
    for phrases in (told, words.describe(one), words.common([one, two])):
        assert all(phrase.strip() == phrase and 0 < len(phrase) < 250 for phrase in phrases)
    assert len(words.describe(one)) == len(attributes)
