"""How each identifier shows: what its column is called, and what its values read like.

A *trace* says both for one identifier. A name alone counts only if most values could be such
identifiers: ``phone_calls`` with small numbers holds no telephone numbers, and ``ip_days`` no IP
addresses. Of the traces that a name fits, the first counts. The traces stand in
``data/traces.toml``; to know another identifier by its name or its values, add one there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from roadstead.tables.identifiers import contents
from roadstead.tables.identifiers.dates import is_date
from roadstead.tables.identifiers.rule import (
    KEEP_AREA,
    KEEP_STATE,
    KEEP_YEAR,
    ONE_YEAR,
    REMOVE,
)
from roadstead.tables.identifiers.vocabulary import pattern, table_of

_YEAR = re.compile(r"(1[89]|2[012])\d\d", re.ASCII)
_SHORT_NUMBER = re.compile(r"\d{1,4}", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d*\.?\d*(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_MASKED = re.compile(r"[\W_]+")
_DIGITS_OF_A_PHONE, _SIGNS_OF_AN_AREA, _MARKS_OF_AN_IP = 7, 3, 2


def _is_anything(text: str) -> bool:
    return bool(text)


def _is_text(text: str) -> bool:
    return not _NUMBER.fullmatch(text)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _is_long_number(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= _DIGITS_OF_A_PHONE


def _is_whole_code(text: str) -> bool:
    return len(_MASKED.sub("", text)) > _SIGNS_OF_AN_AREA


def _has_marks(text: str) -> bool:
    return sum(text.count(mark) for mark in ".:") >= _MARKS_OF_AN_IP


def _is_year(text: str) -> bool:
    return _YEAR.fullmatch(text) is not None


def _is_no_year(text: str) -> bool:
    return not _SHORT_NUMBER.fullmatch(text)


@dataclass(frozen=True)
class Trace:
    """How an identifier shows.

    Attributes
    ----------
    identifier
        Its number in the rule.
    what
        What the values are, in the plural.
    remedy
        What is to be done with the column.
    called
        What the column is called, in words; None if any name will do.
    could_be
        Whether a text could be such a value, if the column is called so.
    reads
        Whether a text is such a value, or holds one; None if that cannot be seen.
    enough
        The least share of values that tells; 1e-9 for forms that nothing else has, where one value
        among all that are looked at suffices.
    of_one
        Whether a column that is called so numbers people one by one, so that few numbers in many
        records are few people with many records each, and no categories.
    """

    identifier: int
    what: str
    remedy: str = REMOVE
    called: re.Pattern[str] | None = None
    could_be: Callable[[str], bool] = _is_anything
    reads: Callable[[str], bool] | None = None
    enough: float = 0.05
    of_one: bool = False

    @property
    def is_number(self) -> bool:
        """Whether each person has an identifier of their own, so that a column has many."""
        return 4 <= self.identifier <= 13 or self.identifier == 18  # noqa: PLR2004 - the rule's


_REMEDIES: Final = {
    "keep_area": KEEP_AREA,
    "keep_state": KEEP_STATE,
    "keep_year": KEEP_YEAR,
    "one_year": ONE_YEAR,
    "remove": REMOVE,
}
_COULD_BE: Final[Mapping[str, Callable[[str], bool]]] = {
    "is_text": _is_text,
    "has_digit": _has_digit,
    "is_long_number": _is_long_number,
    "is_whole_code": _is_whole_code,
    "has_marks": _has_marks,
    "is_year": _is_year,
    "is_no_year": _is_no_year,
}


def _trace(written: Mapping[str, Any]) -> Trace:
    """Take a trace from the file; what reads values is a function of `contents` or of dates."""
    more: dict[str, Any] = {key: written[key] for key in ("enough", "of_one") if key in written}
    if "called" in written:
        more["called"] = pattern(written["called"])
    if "could_be" in written:
        more["could_be"] = _COULD_BE[written["could_be"]]
    if (reads := written.get("reads")) is not None:
        more["reads"] = is_date if reads == "is_date" else getattr(contents, reads)
    remedy = _REMEDIES[written.get("remedy", "remove")]
    return Trace(written["identifier"], written["what"], remedy, **more)


TRACES: Final = tuple(map(_trace, table_of("traces.toml")["trace"]))
