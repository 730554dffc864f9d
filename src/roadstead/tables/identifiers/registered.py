"""Recognize numbers from states, health services, and banks. Such numbers have check digits.

The library python-stdnum checks most of these numbers. ``data/numbers.toml`` lists the modules of
this library. A passed check is weak evidence, because one in eleven random numbers passes a check
digit modulo eleven. So most values of a column must pass the check, and random values of the same
shape must fail much more often. Copies of the values with one changed digit must also fail, because
numbers in a narrow range may pass only because of their first digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import log10
from random import Random
from typing import Final

from roadstead.tables.identifiers.vocabulary import table_of

_LOOKED_AT: Final = 200
_FEWEST: Final = 10
_NEARLY_ALL: Final = 0.95
_FEW_OF_FIRST: Final = 4
"""The number of values, among the first ten, that must pass before more values are tested."""
_MOST, _TIMES = 0.6, 4
_MOST_OF_COPIES: Final = 0.95
_ODDS: Final = 6.0
"""The lowest surprise. By chance, the values of one in 10**6 columns would pass."""
_SHORTEST, _LONGEST, _LEAST_DIGITS = 8, 40, 5
_DIGIT = re.compile(r"\d")
_TITLE = re.compile(r"\((.*)\)\.?$")
_NPI = re.compile(r"[12]\d{9}")
_DEA = re.compile(r"[A-Z][A-Z9]\d{7}")
_MEDICARE = re.compile(r"[2-6]\d{9,10}")
_MEDICARE_WEIGHTS = (1, 3, 7, 9, 1, 3, 7, 9)
_OWN_NAMES: Final = {
    "npi": "National Provider Identifier, United States",
    "dea": "DEA registration number, United States",
    "medicare_au": "Medicare card number, Australia",
}


@dataclass(frozen=True)
class NumberFormat:
    """A number format, with its name, its Safe Harbor identifier, and its check."""

    name: str
    identifier: int
    passes: Callable[[str], bool]


@dataclass(frozen=True)
class RegisteredNumbers:
    """The format of a column's numbers, with the evidence."""

    format: NumberFormat
    share: float  # the share of values that pass
    chance: float  # the share of random numbers that pass

    @property
    def why(self) -> str:
        """Return the evidence in words that do not contain a value."""
        return (
            f"{int(100 * self.share)}% of its values pass the check of {self.format.name} "
            f"(random numbers: {round(100 * self.chance)}%)"
        )


def registered_numbers(values: Sequence[str]) -> RegisteredNumbers | None:
    """Return the format whose check the values pass, but random numbers pass least often."""
    drawn = [value for value in values[:_LOOKED_AT] if _could_be(value)]
    if len(drawn) < max(_FEWEST, _NEARLY_ALL * min(len(values), _LOOKED_AT)):
        return None
    altered = [_altered(value, at) for at, value in enumerate(drawn)]
    drawing = Random(len(drawn))  # noqa: S311 - not a secret, and the same for equal columns
    random = [_DIGIT.sub(lambda _: str(drawing.randrange(10)), value) for value in drawn]
    found = []
    for one in formats():
        first = sum(map(one.passes, drawn[:_FEWEST]))
        if first < _FEW_OF_FIRST:
            continue
        share = sum(map(one.passes, drawn)) / len(drawn)
        chance = sum(map(one.passes, random)) / len(random)
        copies = sum(map(one.passes, altered)) / len(altered)
        passes = share >= max(_MOST, _TIMES * chance) and copies <= _MOST_OF_COPIES * share
        if passes and _surprise(share, chance, len(drawn)) >= _ODDS:
            found.append(RegisteredNumbers(one, share, chance))
    return min(found, key=lambda one: round(one.chance, 1), default=None)


def _surprise(share: float, chance: float, number: int) -> float:
    """Return the negative log10 of the Chernoff bound on the chance that so many values pass."""
    usual = min(max(chance, 1 / (2 * number)), 1 - 1 / (2 * number))
    if share <= usual:
        return 0.0
    passing = share * log10(share / usual)
    failing = (1 - share) * log10((1 - share) / (1 - usual)) if share < 1 else 0.0
    return number * (passing + failing)


@cache
def formats() -> tuple[NumberFormat, ...]:
    """Import the formats that the data file lists."""
    chosen = []
    for group in table_of("numbers.toml")["group"]:
        for name in group.get("modules", ()):
            module = import_module(f"stdnum.{name}")
            chosen.append(
                NumberFormat(_named(name, module.__doc__ or ""), group["number"], module.is_valid)
            )
        for name in group.get("own", ()):
            check: Callable[[str], bool] = globals()[f"is_{name}"]
            chosen.append(NumberFormat(_OWN_NAMES[name], group["number"], check))
    return tuple(chosen)


def is_npi(text: str) -> bool:
    """Return whether a string is a National Provider Identifier (Luhn check, prefix 80840)."""
    from stdnum import luhn  # noqa: PLC0415 - only where a column could be such numbers

    return bool(_NPI.fullmatch(text)) and bool(luhn.is_valid("80840" + text))


def is_dea(text: str) -> bool:
    """Return whether a string is a valid number of the Drug Enforcement Administration (DEA)."""
    if not _DEA.fullmatch(text):
        return False
    digits = [int(sign) for sign in text[2:]]
    return (sum(digits[0:6:2]) + 2 * sum(digits[1:6:2])) % 10 == digits[6]


def is_medicare_au(text: str) -> bool:
    """Return whether a string is a valid number of an Australian Medicare card."""
    compact = text.replace(" ", "").replace("-", "")
    if not _MEDICARE.fullmatch(compact):
        return False
    total = sum(
        weight * int(sign) for weight, sign in zip(_MEDICARE_WEIGHTS, compact[:8], strict=True)
    )
    return total % 10 == int(compact[8])


def _could_be(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    return _SHORTEST <= len(value) <= _LONGEST and digits >= _LEAST_DIGITS


def _altered(value: str, at: int) -> str:
    """Change one digit of a value. The position differs from value to value."""
    places = [place for place, sign in enumerate(value) if sign.isdigit()]
    place = places[(7 * at + 3) % len(places)]
    other = str((int(value[place]) + 1 + (at // len(places)) % 9) % 10)
    return value[:place] + other + value[place + 1 :]


def _named(module: str, doc: str) -> str:
    """Name a format with the first line of its module's docstring and the end of its own name."""
    line = doc.strip().splitlines()[0].rstrip(".") if doc.strip() else module
    short = module.rsplit(".", maxsplit=1)[-1].upper()
    title = _TITLE.search(line)
    words = title[1].split(",")[-1].strip() if title else line
    return f"{words} ({short})"
