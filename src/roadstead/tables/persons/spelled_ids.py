"""Find person IDs that are written in two ways, such as ``AB 123`` and ``ab123``.

A person with two IDs would count as two people. Some differences never distinguish two people:
outer blanks, invisible signs, leading zeros, decimals, thousands separators, foreign digits, and
letters that look the same. Other differences may distinguish people: uppercase and lowercase
letters, signs within the ID, exponents, and letters before or after the number. Two hospitals can
use the same numbers with different prefixes, and random IDs can differ only in the case of their
letters. So these IDs are compared by lifelong properties, such as the date of birth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise, takewhile
from math import log
from typing import TYPE_CHECKING, Final
from unicodedata import category, digit, normalize

import numpy as np

from roadstead.errors import SourceError
from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from roadstead.tables.source import Source

_FOREIGN: Final = "АВЕЅІЈКМНОРСТУХаеорсухѕіјΑΒΕΖΗΙΚΜΝΟΡΤΥΧο"  # noqa: RUF001 - they look like Latin
_LIKE_LATIN: Final = str.maketrans(_FOREIGN, "ABESIJKMHOPCTYXaeopcyxsijABEZHIKMNOPTYXo")
_NUMBER: Final = re.compile(r"[0-9]+([.]0+)?")
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}([,'][0-9]{3})+")
_EXPONENT: Final = re.compile(r"[0-9]+([.][0-9]+)?e[+]?[0-9]{1,2}")
_SIGNS: Final = re.compile(r"[\W_]+")
_AFFIXED: Final = re.compile(r"[^0-9]*([0-9]+)([^0-9]*|[^0-9a-z][0-9]{1,2})")
"""A number with letters or signs before and after it, or with a number of one visit after it."""
_ROWS: Final = 200_000
_CHANCE: Final = log(1e6)
_ERRORS: Final = 0.1
"""The largest share of pairs of the same person in which a lifelong property differs."""
_ENOUGH: Final = 20
"""The number of pairs from which a property shows that the IDs belong to different people."""
_MIXED: Final = 0.05
"""The share of IDs with both cases, from which the case of the letters distinguishes people."""
DIFFERENCES: Final = {
    "spelling": "uppercase letters, exponents, or characters such as blanks and hyphens",
    "affix": "letters or other characters before or after the number",
}


@dataclass(frozen=True)
class SpelledIds:
    """Pairs of person IDs that differ only in their spelling.

    `same` states whether the lifelong properties of the pairs show that the people are the same.
    """

    kind: str  # a key of DIFFERENCES
    pairs: int
    same: bool


def plain_id(name: str) -> str:
    """Return a person ID without outer blanks. Each letter and digit has only one encoding."""
    plain = name.strip()
    if not plain.isascii():
        letters = normalize("NFKC", plain)
        plain = "".join(map(_ascii, letters)).strip().translate(_LIKE_LATIN)
    return plain


def _ascii(letter: str) -> str:
    number = digit(letter, None)
    if number is not None:
        return str(number)
    return "" if category(letter) == "Cf" else "'" if letter in "\u2018\u2019" else letter


def require_one_spelling(names: Sequence[str], source: Source, person: str, where: str) -> None:
    """Check that no person has two IDs. Raises SourceError."""
    seen: set[str] = set()
    for name in names:
        plain = _number(plain_id(name).removeprefix("'"))
        if plain in seen:
            raise _written_twice(
                "two person IDs differ only in outer blanks, invisible characters, leading zeros, "
                "decimals, thousands separators, or letters of the same shape, so they are the "
                "same ID",
                where,
            )
        seen.add(plain)
    for found in spelled_ids(names, source, person):
        if found.same:
            raise _written_twice(
                f"{found.pairs:,} person IDs differ from another ID only in "
                f"{DIFFERENCES[found.kind]}, and lifelong properties such as the date of birth "
                "agree, so one person would count as two people",
                where,
            )


def _written_twice(what: str, where: str) -> SourceError:
    return SourceError(what, where=where, fix="write each person ID in the same way in all records")


def _number(plain: str) -> str:
    """Return a number without leading zeros, decimals, and thousands separators."""
    if _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "").replace("'", "")
    if _NUMBER.fullmatch(plain):
        return plain.partition(".")[0].lstrip("0") or "0"
    return plain


def spelled_ids(names: Sequence[str], source: Source, person: str) -> Iterator[SpelledIds]:
    """Yield how many IDs may be a second spelling of an ID, unless they belong to two people."""
    ends = zip(min(names, default=""), max(names, default=""), strict=False)
    letters = sum(
        1 for _ in takewhile(lambda own: own[0] == own[1] and not own[0].isdecimal(), ends)
    )
    if all(name[letters:].isdecimal() for name in names):
        return  # the same letters before each number
    by_spelling: dict[str, list[str]] = {}
    for name in names:
        by_spelling.setdefault(_spelled(name), []).append(name)
    by_core: dict[str, list[str]] = {}
    for group in by_spelling.values():
        first = min(group)
        if affixed := _AFFIXED.fullmatch(plain_id(first).casefold()):
            by_core.setdefault(affixed[1].lstrip("0"), []).append(first)
    for kind, groups in (("spelling", by_spelling), ("affix", by_core)):
        pairs = [pair for group in groups.values() for pair in pairwise(sorted(group))]
        if kind == "spelling":
            pairs = [pair for pair in pairs if _are_alike(*pair)]
        if not pairs:
            continue
        same = _are_same(pairs, source, person)
        if same is None:
            cases = kind == "spelling" and _has_both_cases(names)
            pairs = [pair for pair in pairs if _is_suspect(pair, kind, both_cases=cases)]
        if pairs and same is not False:
            yield SpelledIds(kind, len(pairs), same=bool(same))


def _spelled(name: str) -> str:
    """Return an ID in lowercase without signs, except for signs between two numbers."""
    small = plain_id(name).removeprefix("'").casefold()
    if _EXPONENT.fullmatch(small) and (number := Decimal(small)) == number.to_integral_value():
        small = f"{number:f}"
    return _number(_SIGNS.sub("", _number(small)))


def _are_alike(one: str, other: str) -> bool:
    """Return whether two IDs have the same parts. The parts of 1-23 and 12-3 are different."""
    parts = [_SIGNS.split(plain_id(name).casefold().strip("'")) for name in (one, other)]
    return parts[0] == parts[1] or min(map(len, parts)) == 1


def _is_suspect(pair: tuple[str, str], kind: str, *, both_cases: bool) -> bool:
    """Return whether a pair may be one person if the table has no lifelong properties.

    Different letters before a number can mean different hospitals, unless one of the IDs has no
    letters. The case of the letters distinguishes people if `both_cases` is true for the table.
    """
    if kind == "affix":
        return any(name.isdecimal() for name in pair)
    one, other = (_SIGNS.sub("", plain_id(name)) for name in pair)
    return one == other or not both_cases


def _has_both_cases(names: Sequence[str]) -> bool:
    """Return whether many IDs have uppercase and lowercase letters."""
    mixed = sum(name.upper() != name and name.lower() != name for name in names)
    return mixed > _MIXED * len(names)


def _are_same(pairs: Sequence[tuple[str, str]], source: Source, person: str) -> bool | None:
    """Return whether the IDs of the pairs belong to the same people, or None if this is unclear."""
    lasting = [one for one in source.columns if is_called(one, "lasting") and one != person]
    if not lasting:
        return None
    wanted = {name for pair in pairs for name in pair}
    with engine_errors(source.name):
        number = int(source.table.count().to_pyarrow().as_py())
        rows = texts_of(source, [person, *lasting]).drawn(min(1.0, _ROWS / max(number, 1)))
    people = rows.column(0).to_pylist()
    evidence, fewest, different = 0.0, 1.0, False
    for at in range(1, len(lasting) + 1):
        values: dict[str, set[str]] = {}
        for name, cell in zip(people, rows.column(at).to_pylist(), strict=True):
            if name in wanted and cell:
                values.setdefault(name, set()).add(cell)
        single = {name: next(iter(own)) for name, own in values.items() if len(own) == 1}
        if len(single) < (1 - _ERRORS) * len(values):
            continue  # not a property of a person here, such as the age at each event
        compared = [
            (single[one], single[other])
            for one, other in pairs
            if one in single and other in single
        ]
        shares = np.array([*Counter(single.values()).values()]) / max(len(single), 1)
        chance = float(shares @ shares)
        if not compared or chance > 1 - _ERRORS:
            continue
        agreeing = sum(one == other for one, other in compared)
        evidence += agreeing * log((1 - _ERRORS) / chance)
        evidence += (len(compared) - agreeing) * log(_ERRORS / (1 - chance))
        fewest = min(fewest, agreeing / len(compared))
        most = chance + 3 * (chance * (1 - chance) / len(compared)) ** 0.5
        different |= len(compared) >= _ENOUGH and agreeing <= most * len(compared)
    if different:
        return False
    return True if fewest >= 1 - _ERRORS and evidence >= _CHANCE else None
