"""Recognize ID numbers and codes of people by their distribution over the records.

A measurement with six digits rarely repeats, unless it is rounded. Codes of a vocabulary have a few
frequent values and many rare values. The ID number of a person occurs in each record of the person,
and no person has a hundred times as many records as another person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from math import exp
from typing import Final

from roadstead.number_ranges import parse_range
from roadstead.tables.identifiers.tally import RARE, ColumnTally

_WHOLE = re.compile(r"([+-]?\d{1,99})(?:\.0+)?")
_SCIENTIFIC = re.compile(r"[+-]?\d(?:\.\d+)?[eE]\+?\d{1,2}")
_DIGIT = re.compile(r"\d")
_TIME = re.compile(r"[0-2]?\d[:h][0-5]\d(?:[:.][0-5]\d)?.{0,6}")
_RUN = re.compile(r"\d{5,}")
_FEWEST: Final = 30
_FEWEST_OF_SEVEN: Final = 20
_SHORTEST, _LONG, _VERY_LONG = 5, 7, 9
_ROUND: Final = 100_000
_NEARLY_ALL: Final = 0.95
_MOSTLY: Final = 0.8
_FEWER_THAN_BY_CHANCE: Final = 0.8
_ROUNDED: Final = 0.3
_MOST_FORMS: Final = 3
_MANY_CODES: Final = 100
_NUMBERED = re.compile(r"(?P<prefix>.*?)(?P<digits>\d{3,})", re.DOTALL)
_MOST_PREFIXES: Final = 12
_DENSE: Final = 0.9
_PREFIXED = re.compile(r"(?P<prefix>[A-Za-z]{0,6}[-_ #]?)(?P<digits>0*\d{3,})")


def whole_number(text: str) -> int | None:
    """Parse a whole number, which may be written as 91911.0 or 1.201e+08."""
    found = _WHOLE.fullmatch(text)
    if found:
        return int(found[1])
    if _SCIENTIFIC.fullmatch(text):
        value = float(text)
        return int(value) if value == int(value) else None
    return None


def numbers_of_people(tally: ColumnTally) -> str:
    """Explain why numbers may be ID numbers of people, or return an empty string."""
    numbers = _whole_numbers(tally)
    length = _one_length(numbers)
    if not length or not tally.spread(numbers):
        return ""
    distinct = len(numbers) if tally.whole else tally.distinct
    if length >= _LONG:
        return f"{distinct:,} different whole numbers of {length} digits, like ID numbers of people"
    if len(numbers) < _FEWEST or not tally.numeric:
        return ""
    span = max(numbers) - min(numbers) + 1
    by_chance = span * (1.0 - exp(-tally.records / span))
    repeat = 2 * distinct <= tally.records
    if repeat and distinct < _FEWER_THAN_BY_CHANCE * min(by_chance, tally.records):
        each = round(tally.records / distinct)
        return (
            f"{distinct:,} different whole numbers of {length} digits, each in about {each} "
            "records, like ID numbers of people with several records"
        )
    return ""


def record_numbers(tally: ColumnTally) -> str:
    """Explain why consecutive numbers or codes may identify records, or return an empty string.

    Plain numbers must be different in each record. Codes such as ``2024-001`` must have few
    prefixes, for example, years. Postal codes are hardly ever consecutive.
    """
    plain = len(tally.numbers) == len(tally.kept)
    parts = [found for text in tally.kept if (found := _NUMBERED.fullmatch(text))]
    if len(parts) < max(_MANY_CODES, _NEARLY_ALL * len(tally.kept)):
        return ""
    if plain and (tally.distinct < tally.records or not _one_length(_whole_numbers(tally))):
        return ""
    if not plain and (tally.numbers or not tally.spread(tally.kept)):
        return ""
    numbers: dict[str, list[int]] = {}
    for found in parts:
        numbers.setdefault("" if plain else found["prefix"], []).append(int(found["digits"]))
    span = sum(max(own) - min(own) + 1 for own in numbers.values())
    distinct = len(parts) if tally.whole else tally.distinct
    if len(numbers) > _MOST_PREFIXES or distinct < _DENSE * span:
        return ""
    if plain:
        return f"{distinct:,} consecutive whole numbers, each in one record, like record numbers"
    return f"{distinct:,} different consecutive codes of the same form, like ID numbers of people"


def _whole_numbers(tally: ColumnTally) -> Counter[int]:
    """Return the whole numbers of a column, or no numbers if many have fractions or are rounded."""
    numbers: Counter[int] = Counter()
    for text, many in tally.numbers.items():
        if (value := whole_number(text)) is not None:
            numbers[value] += many
    rounded = sum(value % 100 == 0 for value in numbers)
    scientific = any(map(_SCIENTIFIC.fullmatch, tally.numbers))
    if rounded > _ROUNDED * len(numbers) and not scientific:
        return Counter()
    return numbers if len(numbers) >= _NEARLY_ALL * len(tally.numbers) else Counter()


def _one_length(numbers: Mapping[int, int]) -> int:
    """Return the number of digits that nearly all numbers have, or 0 if lengths vary."""
    if len(numbers) < _FEWEST_OF_SEVEN:
        return 0
    lengths = Counter(len(str(abs(value))) for value in numbers)
    length, usual = lengths.most_common(1)[0]
    return length if usual >= _NEARLY_ALL * len(numbers) and length >= _SHORTEST else 0


def codes_of_people(values: Mapping[str, int], tally: ColumnTally) -> str:
    """Explain why strings may be codes of people or cases, or return an empty string."""
    coded = {text: many for text, many in values.items() if _is_coded(text)}
    if len(coded) < _FEWEST or len(coded) < _MOSTLY * len(values) or not tally.spread(coded):
        return ""
    forms = Counter(_form(text) for text in coded)
    few = sum(many for _, many in forms.most_common(_MOST_FORMS))
    if few < _MOSTLY * len(coded):
        return ""
    distinct = len(coded) if tally.whole else tally.distinct
    runs = sum(_RUN.search(text) is not None for text in coded)
    if runs >= _MOSTLY * len(coded):
        return (
            f"{distinct:,} different text values of the same form, with five or more digits in a "
            "row"
        )
    prefixed = [found for text in coded if (found := _PREFIXED.fullmatch(text))]
    one = len({found["prefix"].casefold() for found in prefixed}) == 1
    if len(prefixed) >= _NEARLY_ALL * len(coded) >= _MANY_CODES and one:
        return (
            f"{distinct:,} different consecutive codes of the same form, like ID numbers of people"
        )
    return ""


def odd_numbers(tally: ColumnTally) -> str:
    """Explain why rare numbers among strings may be ID numbers, or return an empty string."""
    if tally.numeric:
        return ""
    rare = {
        text: value
        for text, many in tally.numbers.items()
        if many < RARE and (value := whole_number(text)) is not None
    }
    lengths = Counter(len(str(abs(value))) for value in rare.values())
    if not lengths:
        return ""
    length, usual = lengths.most_common(1)[0]
    alike = usual >= _NEARLY_ALL * len(rare) and usual >= _FEWEST_OF_SEVEN
    long = [
        value for value in rare.values() if len(str(abs(value))) >= _VERY_LONG and value % _ROUND
    ]
    if long:
        return f"{len(long):,} rare values among texts are numbers of {_VERY_LONG} digits or more"
    if length >= _SHORTEST + 1 and alike:
        return f"{usual:,} rare values among texts are numbers of {length} digits"
    return ""


def _is_coded(text: str) -> bool:
    digits = len(_DIGIT.findall(text))
    return digits >= 3 and parse_range(text) is None and not _TIME.fullmatch(text)  # noqa: PLR2004


def _form(text: str) -> str:
    """Replace each digit with 0, and each run of letters, of any length, with one letter."""
    return re.sub(r"[^\W\d_]+", "a", _DIGIT.sub("0", text))
