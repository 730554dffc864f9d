"""Distinguish the sampling weights of a survey from body weights.

A sampling weight reveals the stratum of a person, and a rare weight may single the person out. A
column called ``weight`` is judged by its values. Sampling weights are not whole numbers. In
addition, the median of sampling weights is outside the range of body weights, or the values have
more digits than a scale shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

from roadstead.tables.identifiers.vocabulary import TextForm, is_called

_SHOWS = (
    "the weight shows the stratum of a person in the survey, and a rare weight may single a "
    "person out"
)
SAMPLING_WEIGHT: Final = f"a sampling weight; {_SHOWS}"
LIKE_SAMPLING_WEIGHT: Final = f"its values look like a sampling weight, not a body weight; {_SHOWS}"

_NUMBER: Final = TextForm(r"\d+([.,]\d+)?")
_MOSTLY: Final = 0.9
_LIGHTEST, _HEAVIEST = 1.8, 400.0
"""The lowest and the highest median of body weights, in kilograms or pounds."""
_DIGITS: Final = 6
"""The number of digits in single precision, in which 72.3 may be stored as 72.30000305."""
_OF_SCALES: Final = 2
"""The number of digits after the point that scales show."""
_POUNDS: Final = (2.2, 2.2046, 2.20462262)
"""Factors for converting pounds to kilograms. Converted weights have many digits."""


def is_sampling_weight(name: str, values: Sequence[str]) -> bool:
    """Return whether a column is named like a sampling weight and contains numbers."""
    return is_called(name, "sampling_weight") and not is_body_weight(name) and _are_numbers(values)


def is_body_weight(name: str) -> bool:
    """Return whether a name or a description indicates a body weight."""
    return is_called(name, "body_weight")


def looks_like_sampling_weight(name: str, values: Sequence[str]) -> bool:
    """Return whether the values of a column named ``weight`` look like sampling weights."""
    if not is_called(name, "any_weight") or is_body_weight(name) or not _are_numbers(values):
        return False
    numbers = [float(value.replace(",", ".")) for value in values]
    if _share(not one.is_integer() for one in numbers) < _MOSTLY:
        return False
    if not _LIGHTEST <= median(numbers) <= _HEAVIEST:
        return True
    return _share(_digits(one) > _OF_SCALES for one in numbers) >= _MOSTLY and not any(
        _share(_is_on_a_scale(one * factor) for one in numbers) >= _MOSTLY for factor in _POUNDS
    )


def _are_numbers(values: Sequence[str]) -> bool:
    return bool(values) and all(map(_NUMBER, values))


def _share(answers: Iterable[bool]) -> float:
    found = list(answers)
    return sum(found) / len(found)


def _digits(number: float) -> int:
    """Count the digits after the point."""
    return len(f"{number:.{_DIGITS}g}".partition(".")[2])


def _is_on_a_scale(number: float) -> bool:
    """Return whether a scale could show this number of pounds."""
    return abs(number - round(number, 1)) < 0.005  # noqa: PLR2004 - half of the next digit
