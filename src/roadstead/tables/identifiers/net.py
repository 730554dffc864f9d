"""Find objections to columns by their content. The names of the columns do not matter.

Every distinct value of every column is examined (`tally.py`). Some content, such as an email
address, leads to an objection even if only one value has it. Other content, such as a date or a
code, leads to an objection only in rare values, not in a category that many records share. Rare
diagnoses, drugs, and countries do not lead to an objection, because they are ordinary words or look
like the frequent values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import isfinite
from typing import Final, NamedTuple

from roadstead.tables.identifiers import dated, numbered, placed, prose
from roadstead.tables.identifiers.asides import bare_days, holds_full_name
from roadstead.tables.identifiers.contents import date_detector, is_date
from roadstead.tables.identifiers.named import names_of_people
from roadstead.tables.identifiers.normal import normal
from roadstead.tables.identifiers.objections import Objection, ObjectionKind
from roadstead.tables.identifiers.partial_dates import PARTIAL, are_counted_times, partial_dates
from roadstead.tables.identifiers.registered import registered_numbers
from roadstead.tables.identifiers.tally import RARE, ColumnTally, tallies
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.profile import ColumnProfile
from roadstead.tables.source import Source


class _Content(NamedTuple):
    """How to judge a string that has a certain kind of content.

    `number` is the number of the Safe Harbor identifier. If the content `suffices`, one value is
    enough, even if the value is frequent. `odd` content must also be unusual in its column.
    """

    number: int | None = None
    kind: ObjectionKind = "identifier"
    suffices: bool = False
    odd: bool = False


_CONTENTS: Final[Mapping[str, _Content]] = {
    prose.PERSON: _Content(1, "text", odd=True),
    prose.TITLED: _Content(1, "text", suffices=True),
    prose.LISTED: _Content(1, "text", suffices=True, odd=True),
    prose.DAY: _Content(3, "date", odd=True),
    prose.AGE: _Content(3, "text", suffices=True),
    prose.PHONE: _Content(4, suffices=True),
    prose.MAIL: _Content(6, suffices=True),
    prose.SSN: _Content(7, suffices=True),
    prose.WEB: _Content(14, suffices=True),
    prose.HANDLE: _Content(18, suffices=True),
    prose.DEVICE: _Content(18),
    prose.LOCAL: _Content(18, odd=True),
    prose.RUN: _Content(odd=True),
    "postcodes": _Content(kind="place"),
    "coordinates": _Content(kind="place", suffices=True),
    "street addresses": _Content(kind="place", suffices=True),
    "plus codes": _Content(kind="place"),
    "postcodes with a town": _Content(kind="place"),
    **{what: _Content(number) for what, number in prose.labeled_numbers().items()},
}
_OF_NAMES: Final = _CONTENTS[prose.PERSON].number
_FOREIGN = re.compile(r"[\u0370-\u1fff\u2e80-\ud7ff]{2}")
"""Two letters of a script other than the Latin script."""
_MANY: Final = 20
"""The minimum number of distinct values with one kind of content for them not to be categories."""
_NEARLY_ALL, _HALF, _SOME, _HARDLY = 0.9, 0.5, 0.3, 0.1
_HARDLY_ANY: Final = 0.001
_FEWEST_NAMES: Final = 50
_FEWEST_DATES: Final = 5
_LOOKED_AT: Final = 200
"""The number of values to examine before a column is searched for dates."""
_WORDS_OF_PROSE: Final = 3.0
_FEWEST_TEXTS: Final = 200
_MEASUREMENTS: Final = 4
"""If at least this many adjacent columns have many decimals, the columns are not coordinates."""


@dataclass(frozen=True)
class ColumnContent:
    """The content of a column's values. `rare` is the share of records with a rare value.

    `counted` is true if the numbers may count days, weeks, or months since a start date.
    """

    objections: tuple[Objection, ...]
    rare: float
    counted: bool = False


def numbers_held(text: str) -> frozenset[int]:
    """Return the Safe Harbor identifiers in a string, if one such value is enough evidence."""
    contents = (_CONTENTS.get(what, _Content()) for what in prose.held(normal(text)))
    return frozenset(one.number for one in contents if one.suffices and one.number is not None)


def contents_of(
    source: Source,
    profiles: Sequence[ColumnProfile],
    samples: Mapping[str, Sequence[str]],
    *,
    most: int | None = None,
) -> dict[str, ColumnContent]:
    """Examine all distinct values of columns, and omit columns without values.

    In a column with more than `most` distinct values, only a sample is examined.
    """
    found: dict[str, list[Objection]] = {}
    rare: dict[str, tuple[float, bool]] = {}
    degrees: dict[str, tuple[float, float]] = {}
    for tally in tallies(source, profiles, samples, most):
        found[tally.column] = list(_of_column(tally))
        rare[tally.column] = tally.rare_share, _are_counted(tally)
        ends = placed.coordinate(tally.numbers.keys())
        if ends is not None and not is_called(tally.column, "age", "year", "measures"):
            degrees[tally.column] = ends
    for one in _pairs_of_degrees([column.name for column in profiles], degrees):
        found[one.column].append(one)
    return {name: ColumnContent(tuple(own), *rare[name]) for name, own in found.items()}


def _of_column(tally: ColumnTally) -> Iterator[Objection]:
    """Yield one objection per kind and Safe Harbor identifier, starting with the most serious."""
    whole = [(*one, 1.0) for one in _of_whole(tally)]
    named = {why for kind, why, _ in whole if _number(kind, why) == _OF_NAMES}
    seen: set[tuple[ObjectionKind, int | str | None]] = set()
    for kind, why, share in (*whole, *_of_values(tally)):
        number = _number(kind, why)
        if named and number == _OF_NAMES and why not in named:
            continue  # the names in the whole column include these names
        own = (kind, why if kind == "text" or number is None else number)
        if own in seen or ((kind, None) in seen and kind != "text" and number is None):
            continue
        seen |= {(kind, None), own}
        yield Objection(tally.column, kind, why, number=number, share=share)


def _number(kind: ObjectionKind, why: str) -> int | None:
    """Return the number of the Safe Harbor identifier for a reason, or None if there is none."""
    held = (one.number for what, one in _CONTENTS.items() if one.number and why.endswith(what))
    return next(held, {"date": 3, "place": 2}.get(kind))


def _of_whole(tally: ColumnTally) -> Iterator[tuple[ObjectionKind, str]]:
    """Yield objections based on the form that nearly all values have."""
    values, texts = tally.kept, tally.texts
    if not values:
        return
    vocabulary = is_called(tally.column, "vocabulary")
    if not vocabulary and (registered := registered_numbers(sorted(values))) is not None:
        yield "identifier", registered.why
    why = _dates(tally)
    by_chance = date_detector(values) is not is_date and any(map(is_date, values))
    numbers = [*_place_or_number(tally, vocabulary=vocabulary)] if by_chance or not why else []
    yield from numbers or ([("date", why)] if why else [])
    if len(texts) > _HALF * len(values) and not vocabulary:
        coded = {text: many for text, many in texts.items() if not dated.is_day(text)}
        if len(coded) > _HALF * len(texts) and (why := numbered.codes_of_people(coded, tally)):
            yield "identifier", why
        if why := names_of_people(texts, tally):
            yield "text", why


def _place_or_number(
    tally: ColumnTally, *, vocabulary: bool
) -> Iterator[tuple[ObjectionKind, str]]:
    """Yield the reason why values may be codes of places, or ID numbers of people or records."""
    if not vocabulary and (number := numbered.record_numbers(tally)):
        yield "identifier", number
    elif place := placed.place_code(tally.kept):
        yield "place", f"nearly all of its values are {place}"
    elif not vocabulary and placed.are_zip_codes(tally.kept):
        yield "place", "its values could be ZIP codes: five digits, from neighboring areas"
    elif number := _numbers(tally, vocabulary=vocabulary):
        yield "identifier", number


def _numbers(tally: ColumnTally, *, vocabulary: bool) -> str:
    """Explain why numbers may be ID numbers of people, or return an empty string."""
    own = "" if vocabulary else numbered.numbers_of_people(tally)
    return own or numbered.odd_numbers(tally)


def _dates(tally: ColumnTally) -> str:
    """Explain which kind of date nearly all values are, or return an empty string."""
    values = tally.kept
    if len(values) < 2:  # noqa: PLR2004 - one date does not reveal a person
        return ""
    if _seem_days(values) and (days := sum(map(dated.is_day, values))) > _HALF * len(values):
        return f"{int(100 * days / len(values))}% of its values are dates"
    for what, is_one in (
        ("a year and a day of the year", dated.is_ordinal),
        ("a year and a month", dated.is_month_number),
    ):
        fits = sum(map(is_one, values))
        if fits >= _FEWEST_DATES and fits == len(values):
            return f"all of its values are {what}"
    named = is_called(tally.column, "of_time")
    if what := partial_dates(values, called_a_time=named):
        return f"{PARTIAL} {what}"
    if not tally.numeric:
        return ""
    numbers: Counter[float] = Counter()
    for text, many in tally.numbers.items():
        with suppress(ValueError):
            if isfinite(number := float(text)):  # a code such as 4E512 is infinite
                numbers[number] += many
    distinct = len(numbers) if tally.whole else tally.distinct
    called = is_called(tally.column, "moment")
    why = dated.numbers_that_are_dates(numbers, distinct, called_a_time=called)
    return f"its values are {why}" if why else ""


def _are_counted(tally: ColumnTally) -> bool:
    vocabulary = is_called(tally.column, "vocabulary")
    return tally.whole and not vocabulary and are_counted_times(tally.kept)


def _seem_days(values: Mapping[str, int]) -> bool:
    """Return whether a few evenly spaced values are dates."""
    some = list(values)[:: max(len(values) // _LOOKED_AT, 1)]
    return sum(map(dated.is_day, some)) > _SOME * len(some)


def _of_values(tally: ColumnTally) -> Iterator[tuple[ObjectionKind, str, float]]:
    """Yield objections based on single values and on the number of records with each value.

    Each objection has the share of records with this content, or 1 if most values have it.
    """
    texts, within = _looked_at(tally)
    if not texts:
        return
    usual = frozenset(
        word for text, many in texts.items() if many >= RARE for word in prose.words_of(text)
    )
    records = sum(tally.kept.values())
    holding: dict[str, list[str]] = {}
    for text in texts:
        for what in sorted(prose.held(text, usual)):
            holding.setdefault(what, []).append(text)
    if prose.DAY not in holding and (days := bare_days(texts, RARE)):
        holding[prose.DAY] = days
    for what, ones in sorted(holding.items()):
        rare = [text for text in ones if texts[text] < RARE]
        content = _CONTENTS.get(what, _Content())
        if not (content.suffices or rare or len(ones) >= _MANY):
            continue
        if content.odd and not _is_odd(what, ones, rare, texts, tally):
            continue
        where = f"{within} of " if within else ""
        yield (
            content.kind,
            f"{where}{_number_of(len(ones), 'value')} contain{'s' if len(ones) == 1 else ''} "
            f"{what}",
            1.0
            if len(ones) > _HALF * len(tally.kept)
            else sum(texts[one] for one in ones) / records,
        )
    if foreign := _in_another_script(texts):
        yield "text", f"{_number_of(foreign, 'rare value')} in another script", 1.0
    if not within and _is_prose(texts, tally):
        yield (
            "text",
            f"{_number_of(len(texts), 'text')} of several words, most of them in few records",
            1.0,
        )


def _is_one_name(ones: Sequence[str], texts: Mapping[str, int], tally: ColumnTally) -> bool:
    """Return whether hardly any record has a name after "see". It may be the name of a score."""
    few = len(ones) == 1 and texts[ones[0]] < _HARDLY_ANY * tally.records
    return few and not holds_full_name(ones[0])


def _in_another_script(texts: Mapping[str, int]) -> int:
    """Return the number of rare values whose script does not occur in frequent values."""
    foreign = [text for text in texts if not text.isascii() and _FOREIGN.search(text)]
    usual = any(many >= RARE for many in texts.values())
    odd = usual and foreign and all(texts[text] < RARE for text in foreign)
    return len(foreign) if odd else 0


def _looked_at(tally: ColumnTally) -> tuple[Mapping[str, int], str]:
    """Return the strings of the column. JSON values are divided into their parts."""
    texts: Counter[str] = Counter()
    parts = 0
    for text, many in tally.texts.items():
        inner = prose.leaves(text)
        if inner is None:
            texts[text] += many
            continue
        parts += 1
        for leaf in inner:
            texts[leaf] += many
    return texts, "the parts" if parts else ""


def _is_odd(
    what: str,
    ones: Sequence[str],
    rare: Sequence[str],
    texts: Mapping[str, int],
    tally: ColumnTally,
) -> bool:
    """Return whether values with this content differ from the frequent values of the column.

    The result is also true if most values have such content, and if their frequencies are typical
    of values that identify people.
    """
    if what == prose.LISTED:
        return not _is_one_name(ones, texts, tally)
    frequent = [text for text, many in texts.items() if many >= RARE]
    same = sum(texts[text] >= RARE for text in ones)
    if what == prose.DAY:
        return bool(rare) or len(ones) >= _MANY
    if frequent and same >= _HARDLY * len(frequent):
        counts = {text: texts[text] for text in ones}
        return (
            len(ones) >= _FEWEST_NAMES and len(ones) > _HALF * len(texts) and tally.spread(counts)
        )
    if what == prose.PERSON and not frequent:
        return len(ones) > _SOME * len(texts)
    return bool(rare)


def _is_prose(texts: Mapping[str, int], tally: ColumnTally) -> bool:
    """Return whether most records have a rare string of several words."""
    if len(texts) < _FEWEST_TEXTS or tally.numeric:
        return False
    rare = [text for text, many in texts.items() if many < RARE]
    words = sum(len(text.split()) for text in rare) / max(len(rare), 1)
    records = sum(texts[text] for text in rare)
    return words >= _WORDS_OF_PROSE and records > _HALF * sum(texts.values())


def _pairs_of_degrees(
    order: Sequence[str], degrees: Mapping[str, tuple[float, float]]
) -> Iterator[Objection]:
    """Yield objections to adjacent columns that could be latitude and longitude.

    If many such columns are next to each other, they are measurements or logarithms, which are
    common in research data.
    """
    for could_be, columns in groupby(order, key=degrees.__contains__):
        row = list(columns)
        if not could_be or len(row) >= _MEASUREMENTS:
            continue
        for first, second in pairwise(row):
            ways = ((degrees[first], degrees[second]), (degrees[second], degrees[first]))
            if any(placed.could_be_pair(*way) for way in ways):
                for one, other in ((first, second), (second, first)):
                    why = f"its numbers and the numbers of {other} could be coordinates of places"
                    yield Objection(one, "place", why, (other,))


def _number_of(many: int, noun: str) -> str:
    return f"{many:,} {noun}{'' if many == 1 else 's'}"
