"""Express HIPAA's Safe Harbor as a partition, to which other policies are compared.

Safe Harbor (45 CFR 164.514(b)(2); paper 004, appendix A) lists the values that must be merged
(docs/methods/safe-harbor.md). The partition puts these values into the same interval, and keeps
every other boundary. Suppose that values that must be merged are not neighbors in the order of
their domain. Then the values between them are also merged. As a result, the partition is never less
private than Safe Harbor. Roadstead reports this additional merging. For ZIP codes, the order from
`zip_order` avoids additional merging.

The direct identifiers that Safe Harbor removes, such as names, are not quasi-identifiers and must
already be removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError, quoted
from roadstead.hierarchies.number_text import parse_number
from roadstead.number_ranges import parse_range
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.tables.identifiers.contents import year_of
from roadstead.tables.identifiers.findings import FEWEST_PEOPLE, OLDEST
from roadstead.tables.identifiers.postal import country_of
from roadstead.tables.identifiers.vocabulary import is_called, populous_areas, words

Treatment: TypeAlias = Literal["age", "zip", "date", "place", "kept"]
"""How Safe Harbor treats an attribute."""

People: TypeAlias = Sequence[int] | NDArray[np.int64]
"""The number of people with each value of an attribute."""

_MISSING = ""
_ZIP = re.compile(r"\d{3}(?:\d\d(?:-\d{4})?|\*\*|XX)?", re.ASCII)
"""A ZIP code, a ZIP+4 code, or the first three digits."""
_NUMBER = re.compile(r"\d+", re.ASCII)
_NO_ZIP = "a ZIP code", "write five digits with leading zeros, ZIP+4, or the first three digits"
_NO_DATE = "a date that can be generalized to its year", "write it in this form: 2024-05-31"
_MOST_NAMED = 20


@dataclass(frozen=True)
class SafeHarbor:
    """The Safe Harbor policy, descriptions of its treatments, and the merged ZIP areas."""

    partition: Partition
    says: tuple[str, ...]
    restricted: tuple[str, ...]


def safe_harbor(
    domains: OrderedDomains,
    values: Sequence[Sequence[str]],
    people_by_value: Sequence[People | None] | None = None,
    roles: Mapping[str, Treatment] | None = None,
    born: Mapping[str, int] | None = None,
) -> SafeHarbor:
    """Return the Safe Harbor rule as a partition. Reject invalid ZIP codes and dates.

    For each attribute, `values` contains the values of its domain in order. `people_by_value`
    contains the number of people in the population with each value, or None. The empty string
    represents the missing value. The numbers of people are used only for ZIP codes, and must count
    everyone who lives in the area. The numbers determine which areas have 20,000 people or fewer.
    Without these numbers, data from the 2010 census is used. `roles` gives the treatment of some
    attributes. The treatment of all other attributes is determined from their names and values. For
    attributes with dates of birth, `born` gives the first year of birth that does not show an age
    over 89.
    """
    _check(domains, values, people_by_value, roles or {})
    bits: list[NDArray[np.bool_]] = []
    says: list[str] = []
    restricted: tuple[str, ...] = ()
    for i, (name, texts) in enumerate(zip(domains.attributes, values, strict=True)):
        role = (roles or {}).get(name) or treatment(name, texts)
        people = None if people_by_value is None else people_by_value[i]
        small = _restricted(name, texts, people) if role == "zip" else frozenset[str]()
        restricted = tuple(sorted({*restricted, *small}))
        if role == "date":
            _check_texts(name, texts, year_of, *_NO_DATE)
        young = (born or {}).get(name)
        keys = [_key(role, code, text, small, young) for code, text in enumerate(texts)]
        kept = _parting(keys)
        bits.append(kept)
        mixed = any(a != b and not own for (a, b), own in zip(pairwise(keys), kept, strict=True))
        more = "; values between them are merged too" if mixed else ""
        says.append(f"{name}: {_in_words(role, name, sorted(small), people, young)}{more}")
    return SafeHarbor(domains.of_bits(np.concatenate(bits)), tuple(says), restricted)


def treatment(attribute: str, values: Sequence[str]) -> Treatment:
    """Determine how the rule treats an attribute, given its name and the values of its domain."""
    present = [value for value in values if value != _MISSING]
    if present and all(year_of(value) is not None for value in present):
        return "date"
    if is_called(attribute, "zip"):
        return "zip" if country_of(attribute, present) == "us" else "place"
    if age_attribute(attribute, values):
        return "age"
    return "place" if is_called(attribute, "street", "place") else "kept"


def age_attribute(attribute: str, values: Sequence[str]) -> bool:
    """Return whether an attribute is an age, based on its name and the numbers in its values.

    Bands of ages, and codes such as 999, also count as ages. Values that reveal an age of 90 or
    more are merged.
    """
    return is_called(attribute, "age") and any(_oldest(value) >= 0 for value in values)


def zip_attribute(attribute: str, values: Sequence[str]) -> bool:
    """Return whether an attribute is a US ZIP code, based on its name and most of its values.

    Values in other forms are errors, which are reported when the codes are ordered or cut.
    """
    present = [value for value in values if value != _MISSING]
    codes = sum(1 for value in present if _ZIP.fullmatch(value))
    called = is_called(attribute, "zip")
    return called and 2 * codes > len(present) and country_of(attribute, present) == "us"


def zip_order(
    zips: Sequence[str], people: People | None = None, *, attribute: str = "ZIP codes"
) -> tuple[int, ...]:
    """Return an ordering of ZIP codes in which all codes that Safe Harbor merges are neighbors.

    Each code is a five-digit code, a ZIP+4 code, or the first three digits of a code. Other values
    raise a `SettingError`. The empty string represents the missing value. `people` is the number of
    people in each area. If `people` is not given, the 2010 census determines which areas have few
    people. `attribute` is the name of the column in error messages. The result contains indices
    into `zips`: first the missing value, then the codes in ascending order, and finally the codes
    of restricted areas.
    """
    small = _restricted(attribute, zips, people)
    return tuple(
        sorted(range(len(zips)), key=lambda code: (zips[code][:3] in small, zips[code], code))
    )


def _key(
    role: Treatment, code: int, text: str, small: frozenset[str], young: int | None
) -> Hashable:
    """Return a key that is equal for values that must be merged, and different otherwise."""
    if role == "place":
        return "one"
    if text == _MISSING:
        return code
    if role == "zip":
        return "000" if text[:3] in small else text[:3]
    year = year_of(text) or text
    if role == "age" and _oldest(text) > OLDEST:
        return "90+"
    if young is not None and year.isdigit() and int(year) < young:
        return "90+"
    return year if role == "date" else code


def _parting(keys: Sequence[Hashable]) -> NDArray[np.bool_]:
    """Keep all boundaries except the boundaries between values with the same key."""
    last = {key: code for code, key in enumerate(keys)}
    reach = np.maximum.accumulate([last[key] for key in keys])
    return reach[:-1] < np.arange(1, len(keys))


def _oldest(text: str) -> float:
    """Return the highest age in a label, else the largest number in the text, else -1."""
    number = parse_number(text)
    if number is not None:
        return int(number)
    if (band := parse_range(text)) is not None:
        return inf if band.high is None else band.last
    return max(map(int, _NUMBER.findall(text)), default=-1)


def _restricted(attribute: str, zips: Sequence[str], people: People | None) -> frozenset[str]:
    """Return the three-digit ZIP areas with at most 20,000 people."""
    _check_texts(attribute, zips, _ZIP.fullmatch, *_NO_ZIP)
    areas = [text[:3] for text in zips]
    if people is None:
        return frozenset(area for area in areas if area and area not in populous_areas())
    if len(people) != len(zips):
        raise SettingError(
            f"the number of people is given for {len(people)} of {len(zips)} ZIP codes",
            where=f"column {quoted(attribute)}",
            fix="give the number of people for each ZIP code",
        )
    living: dict[str, int] = {}
    for area, some in zip(areas, people, strict=True):
        living[area] = living.get(area, 0) + int(some)
    return frozenset(area for area, some in living.items() if area and some <= FEWEST_PEOPLE)


def _check_texts(
    attribute: str, texts: Sequence[str], read: Callable[[str], object], what: str, fix: str
) -> None:
    for text in texts:
        if text != _MISSING and read(text) is None:
            where = f"column {quoted(attribute)}"
            raise SettingError(f"{quoted(text)} is not {what}", where=where, fix=fix)


def _in_words(
    role: Treatment, name: str, small: Sequence[str], people: People | None, young: int | None
) -> str:
    early = f"births before {young}, which show an age over 89, are in one interval"
    if role == "age":
        return "ages of 90 and over are in one interval, and every other age is unchanged"
    if role == "zip":
        source = "Census 2010" if people is None else "the given population"
        shown = ", ".join(small[:_MOST_NAMED])
        more = f" and {len(small) - _MOST_NAMED} more" if len(small) > _MOST_NAMED else ""
        group = f"{shown}{more} (in one group, written as 000)" if small else "none"
        return (
            "the first three digits are kept; areas with at most 20,000 people (source: "
            f"{source}): {group}"
        )
    if role == "date":
        more = ""
        if young is not None:
            more = f"; {early}"
        elif "birth" in words(name) or "dob" in words(name):
            more = "; years of birth that reveal an age over 89 are not merged"
        return f"generalized to years{more}"
    if role == "place":
        return (
            "a place that is smaller than a state and not a known ZIP code: all values are in "
            "one interval"
        )
    return "unchanged" if young is None else f"{early}, and every other value is unchanged"


def _check(
    domains: OrderedDomains,
    values: Sequence[Sequence[str]],
    people_by_value: Sequence[People | None] | None,
    roles: Mapping[str, Treatment],
) -> None:
    sizes = tuple(len(texts) for texts in values)
    if sizes != domains.sizes:
        raise SettingError(
            f"the domains have {domains.sizes} values, but the labels are for {sizes} values",
            fix="give one label for each value",
        )
    if people_by_value is not None and len(people_by_value) != len(sizes):
        raise SettingError(
            f"the numbers of people are given for {len(people_by_value)} of {len(sizes)} "
            "attributes",
            fix="give one list per attribute, or None",
        )
    for name, role in roles.items():
        if name not in domains.attributes or role not in get_args(Treatment):
            raise SettingError(
                f"{quoted(name)} cannot be treated as {quoted(role)}",
                fix=(
                    "name an attribute, and one of these treatments: "
                    f"{', '.join(get_args(Treatment))}"
                ),
            )
