"""The values of one ordered domain in words: what they are, and how an interval of them is named.

*Numbers* have bands, which may be regular and may be open at the end. *Codes*, like ZIP codes, have
ranges, which may be all codes with the same first characters. *Categories* are named. Long names
and lists are cut short.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeAlias

from roadstead.policies.partition import Interval

Kind: TypeAlias = Literal["number", "code", "category"]

_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_OPEN = re.compile(r"(\d+) ?(?:\+|and over|or older)")
_FEW_CATEGORIES = 40
_LONGEST_NAME = 32
_LEAST_CODE = 3
NAMED = 4
"""As many categories are named of a group."""


@dataclass(frozen=True)
class ValueWords:
    """The values of one ordered domain in words, with the text of each, in order.

    `unit` is the noun of one step between whole numbers that follow each other, or empty;
    `open_ended` says whether the last band has no upper end: 90 and over.
    """

    name: str
    values: tuple[str, ...]
    kind: Kind
    unit: str = ""
    open_ended: bool = False

    @classmethod
    def of(cls, name: str, values: Sequence[str]) -> ValueWords:
        """Describe from the values what they are.

        Whole numbers in ascending order are numbers, unless all have three digits or more and some
        are missing between: these are codes, as are texts of one length with digits. Few other
        texts are categories. An age has years, and an open end.
        """
        texts = tuple(values)
        kind = _kind_of(texts)
        age = kind == "number" and "age" in re.split(r"[^a-z]+", name.casefold())
        opened = kind == "number" and bool(_OPEN.fullmatch(texts[-1]))
        return cls(name, texts, kind, "year" if age else "", opened or age)

    @cached_property
    def numbers(self) -> tuple[int, ...] | None:
        """The values as whole numbers that follow each other; None where they are not such."""
        found = _integers(self.values) if self.kind == "number" else None
        steady = found is not None and all(b - a == 1 for a, b in pairwise(found))
        return found if steady else None

    @cached_property
    def prefixes(self) -> dict[frozenset[int], str]:
        """For groups of all codes with the same first characters: where they begin, in words."""
        found: dict[frozenset[int], str] = {}
        for length in range(1, min(map(len, self.values))):
            heads = [text[:length] for text in self.values]
            starts = [0, *(code for code, (a, b) in enumerate(pairwise(heads), 1) if a != b)]
            if len(starts) == len(set(heads)):
                noun = "digit" if all(map(str.isdigit, heads)) else "character"
                said = f"first {noun}" if length == 1 else f"first {length} {noun}s"
                found.setdefault(frozenset(starts), said)
        return found

    def value(self, code: int) -> str:
        """Text of a value, cut short."""
        text = " ".join(self.values[code].split()) or "(empty)"
        if len(text) <= _LONGEST_NAME:
            return text
        return f"{text[: _LONGEST_NAME - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"

    def interval(self, interval: Interval) -> str:
        """Name the values of an interval."""
        first, last = interval
        if first == last:
            return self.value(first)
        if self.kind == "category":
            return self._categories(first, last, ", ")
        if self.open_ended and first > 0 and last == len(self.values) - 1:
            return f"{self.value(first)} and over"
        return f"{self.value(first)} to {self.value(last)}"

    def merged(self, interval: Interval, parts: Sequence[Interval]) -> str:
        """Name what is put together: "52 and 53", "Asian, Black and Other", "20 to 24"."""
        first, last = interval
        few = last - first + 1 <= (NAMED if self.kind == "category" else 2)
        if few:
            return self._categories(first, last, " and ")
        if self.kind != "category" or not 0 < len(parts) <= NAMED:
            return self.interval(interval)
        return " and ".join(self.interval(part) for part in parts)

    def _categories(self, first: int, last: int, joined: str) -> str:
        if last - first + 1 > NAMED:
            count = last - first + 1
            return f"{self.value(first)} .. {self.value(last)} ({count} values)"
        *most, end = (self.value(code) for code in range(first, last + 1))
        return f"{', '.join(most)}{joined}{end}"


def _kind_of(texts: Sequence[str]) -> Kind:
    whole = _integers(texts)
    if whole is not None:
        gaps = any(b - a > 1 for a, b in pairwise(whole))
        long = all(len(text) >= _LEAST_CODE for text in texts)
        return "code" if gaps and long else "number"
    decimals = [
        float(text) for text in texts if _DECIMAL.fullmatch(text) or _INTEGER.fullmatch(text)
    ]
    if len(decimals) == len(texts) and all(a < b for a, b in pairwise(decimals)):
        return "number"
    lengths = {len(text) for text in texts}
    digits = all(any(c.isdigit() for c in text) for text in texts)
    if len(lengths) == 1 and digits and min(lengths) >= _LEAST_CODE:
        return "code"
    return "category" if len(texts) <= _FEW_CATEGORIES else "code"


def _integers(texts: Sequence[str]) -> tuple[int, ...] | None:
    """Read whole numbers in ascending order, of which the last may be open: 90+."""
    *most, last = texts
    opened = _OPEN.fullmatch(last)
    plain = [*most, opened.group(1) if opened else last]
    if not all(_INTEGER.fullmatch(text) for text in plain):
        return None
    found = tuple(map(int, plain))
    return found if all(a < b for a, b in pairwise(found)) else None
