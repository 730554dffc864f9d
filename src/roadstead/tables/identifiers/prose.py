"""Find identifying content in strings, such as addresses, numbers, dates, ages, and names.

`net.py` decides whether the content is an objection. A name is recognized if two words are
capitalized and are not in the list of ordinary words. A single surname looks like any other word
and is not recognized.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import pairwise
from typing import Final

from roadstead.number_ranges import parse_range
from roadstead.tables.identifiers.asides import (
    holds_device,
    holds_domain,
    holds_handle,
    holds_initials,
    holds_listed_name,
    holds_local_number,
)
from roadstead.tables.identifiers.contents import detector, has_phone, is_iban, is_vin
from roadstead.tables.identifiers.dated import holds_day
from roadstead.tables.identifiers.normal import normal
from roadstead.tables.identifiers.placed import place_within
from roadstead.tables.identifiers.vocabulary import given_names, is_ordinary, table_of

MAIL: Final = "email addresses"
PHONE: Final = "telephone numbers"
SSN: Final = "social security numbers"
WEB: Final = "web addresses"
RUN: Final = "long numbers"
DAY: Final = "dates"
AGE: Final = "ages above 89"
PERSON: Final = "names of people"
LISTED: Final = "names from the lists of frequent names"
DEVICE: Final = "names of personal devices, networks, or folders"
LOCAL: Final = "numbers of a room, a bed, a chart, or a telephone"
HANDLE: Final = "accounts in social media"
TITLED: Final = "names with a title or next to a word such as mother"
CODE: Final = "codes that identify a single thing worldwide"

_MAIL = re.compile(r"[^\s@<>,;:()\"']+@[^\s@<>,;:()\"'.]+(?:\.[^\s@<>,;:()\"'.]+)*\.[^\W\d_]{2,}")
_WEB = re.compile(
    r"(?:https?|ftps?|file)://[^\s/]+/[^\s/]|www\.[\w-]+\.[a-z]{2,}/\w", re.IGNORECASE
)
_RUN = re.compile(r"(?<![\d.,])\d{6,}(?![\d,]|\.\d)|(?<![\d.,])\d{2,6}(?:[- ]\d{2,6}){2,}(?!\d)")
_FEWEST_IN_GROUPS: Final = 8
_ICD_10 = re.compile(r"[A-TV-Z]\d[0-9AB][0-9A-Z]{0,4}")
_YEARS = re.compile(r"(?:(?:1[89]|20)\d\d[- ]?)+")
_ROUND = re.compile(r"(\d)\1+|\d+000")
_OLDEST: Final = 89
_UNITS: Final = {"m": 12, "w": 52, "d": 365}
"""The number of months, weeks, and days in a year."""
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
_MARKS = re.compile(r"[\s,._^]+")
_BETWEEN_WORDS = re.compile(r"[,._^]+|(?<=[a-z])(?=[A-Z])")
_SHORTEST_NAME: Final = 3


def held(text: str, usual: Collection[str] = ()) -> frozenset[str]:
    """Return the kinds of content in a normalized string. Words in `usual` are not names."""
    return frozenset(_held(text, usual))


def _held(text: str, usual: Collection[str]) -> Iterator[str]:
    mail = "@" in text and bool(_MAIL.search(text))
    if mail:
        yield MAIL
    elif holds_handle(text):
        yield HANDLE
    if ("." in text or "://" in text) and (_WEB.search(text) or (not mail and holds_domain(text))):
        yield WEB
    if any(map(str.isdigit, text)):
        yield from _with_digits(text)
    if holds_listed_name(text):
        yield LISTED
    if holds_device(text):
        yield DEVICE
    if " " not in text and "-" not in text:
        return  # a name has two words or follows a title
    if has_titled(text):
        yield TITLED
    elif has_person(text, usual):
        yield PERSON


def _with_digits(text: str) -> Iterator[str]:
    """Yield the kinds of content in a string with digits, which may be a single code."""
    if detector("is_pseudonym")(text) or is_iban(text) or is_vin(text):
        yield CODE
        return
    checks = ((PHONE, has_phone), (SSN, detector("has_ssn")), (AGE, has_old_age))
    yield from (what for what, holds in checks if holds(text))
    labeled = [what for what, form in _labels().items() if form.search(text)]
    yield from labeled
    if not labeled and holds_local_number(text):
        yield LOCAL
    if holds_day(text):
        yield DAY
    elif not labeled and has_run(text):
        yield RUN
    if "." in text and holds_initials(text):
        yield PERSON
    if place := place_within(text):
        yield place


def labeled_numbers() -> dict[str, int]:
    """Return the Safe Harbor identifier of each kind of number that can follow a label in text."""
    return {one["what"]: one["identifier"] for one in table_of("labels.toml")["label"]}


def has_run(text: str) -> bool:
    """Return whether a string contains at least six digits in a row.

    Six or more digits in at least three groups also count. Ranges, ICD-10 codes, years, and round
    numbers, such as doses, do not count.
    """
    if parse_range(text) is not None or _ICD_10.fullmatch(text):
        return False
    for found in _RUN.finditer(text):
        digits = re.sub(r"\D", "", found[0])
        grouped = not found[0].isdigit()
        if _YEARS.fullmatch(found[0]) or _ROUND.fullmatch(digits):
            continue
        if not grouped or len(digits) >= _FEWEST_IN_GROUPS:
            return True
    return False


def has_old_age(text: str) -> bool:
    """Return whether a string contains an age above 89, such as "92-year-old" or "94F"."""
    people = _people()
    if people["old_sex"].search(text):
        return True
    in_years = (int(one["years"] or one["after"]) for one in people["old"].finditer(text))
    in_units = (
        int(one["many"]) / _UNITS[one["unit"][0].lower()]
        for one in people["old_units"].finditer(text)
    )
    return any(years > _OLDEST for years in (*in_years, *in_units))


def has_person(text: str, usual: Collection[str] = ()) -> bool:
    """Return whether a string contains a name after a title, or two words that look like a name."""
    if has_titled(text):
        return True
    words = list(_WORD.finditer(text))
    for first, second in pairwise(words):
        between = text[first.end() : second.start()]
        if between not in (" ", ", ", ". ", "-") or not _is_capitalized(second[0]):
            continue
        if _is_known(second[0], usual):
            continue
        if _is_capitalized(first[0]) and (
            first[0].casefold() in given_names() or not _is_known(first[0], usual)
        ):
            return True
    return False


def has_titled(text: str) -> bool:
    """Return whether a string contains a name after a title, or after a word such as "mother"."""
    if _people()["titled"].search(text):
        return True
    for form in ("titled_small", "degree"):
        if any(not is_ordinary(one["name"]) for one in _people()[form].finditer(text)):
            return True
    kin = _people()["relative"].search(text)
    return kin is not None and not is_ordinary(kin["name"])


def pair_of_words(text: str) -> tuple[str, str] | None:
    """Return the two words of a string in lowercase, such as (doe, jo) for "Doe, Jo"."""
    words = [word for word in re.split(_MARKS if " " in text else _BETWEEN_WORDS, text) if word]
    if len(words) != 2 or not all(map(_WORD.fullmatch, words)):  # noqa: PLR2004 - a pair
        return None
    return words[0].casefold(), words[1].casefold()


def words_of(text: str) -> Iterator[str]:
    """Yield the words of a string in lowercase."""
    for found in _WORD.finditer(text):
        yield found[0].casefold()


def leaves(text: str) -> list[str] | None:
    """Return the strings and numbers in a JSON object or list, or None if the string is neither."""
    if not text.startswith(("{", "[")):
        return None
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found: list[str] = []
    _collect(parts, found)
    return found


def _collect(part: object, found: list[str]) -> None:
    stack = [part]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            stack.extend(reversed(list(one.values())))
            found.extend(key for key in one if has_run(key) or _MAIL.search(key))
        elif isinstance(one, list):
            stack.extend(reversed(one))
        elif isinstance(one, str):
            found.append(normal(one))
        elif isinstance(one, int | float) and not isinstance(one, bool):
            found.append(str(one))


@cache
def _labels() -> dict[str, re.Pattern[str]]:
    """Return patterns of a label before a number of four or more digits that is not a year."""
    table = table_of("labels.toml")
    number = rf"[ -]?(?:{_compact(table['number'])})(?![^\W\d_])\.?"
    digits = r"(?!(?:19|20)\d\d(?![\d-]))[a-z]{0,3}-?\d(?:[ -]?\d){3,}"
    return {
        one["what"]: re.compile(
            rf"(?<!\w)(?:(?:{_compact(one['numbered'])}){number}"
            + (rf"|(?:{_compact(one['alone'])})(?:{number})?" if "alone" in one else "")
            + rf")[ .:#=]{{0,3}}{digits}",
            re.IGNORECASE,
        )
        for one in table["label"]
    }


def _compact(written: str) -> str:
    return "".join(written.split()).replace("<_>", " ")


@cache
def _people() -> dict[str, re.Pattern[str]]:
    words = table_of("people.toml")
    small = "|".join(sorted({*words["titles"].lower().split(), "miss", "prof"} - {"dr", "mr"}))
    titles, relatives, degrees = (
        "|".join(words[key].split()) for key in ("titles", "relatives", "degrees")
    )
    behind, front = "|".join(words["behind"]), "|".join(words["front"].split())
    name = r"[^\W\d_a-z][^\W\d_A-Z]+"
    years = r"9\d|1[012]\d"
    return {
        "titled": re.compile(rf"(?<!\w)(?:{titles})\.? (?:[A-Z]\. ?)?{name}"),
        "relative": re.compile(rf"(?<!\w)(?i:{relatives})(?:[.:,]| of)? (?P<name>{name})"),
        "degree": re.compile(rf"(?<![\w-])(?P<name>{name}),? (?:{degrees})(?![\w-])"),
        "titled_small": re.compile(
            rf"(?<![\w/])(?:{words['before_titles']}) (?:{small})\.? (?P<name>[^\W\d_]{{3,}})",
            re.IGNORECASE,
        ),
        "old_sex": re.compile(r"(?<![\w.,$€£-])(?:9\d|10[1-9])[MF](?!\w)"),
        "old_units": re.compile(
            r"(?<![\w.,])(?P<many>\d{4,5})[ -]?(?P<unit>mo|mos|mths?|months?|wks?|weeks?|days?)"
            r"[ -](?:old|of age)\b",
            re.IGNORECASE,
        ),
        "old": re.compile(
            rf"(?<![\d.,$€£-])(?P<years>{years})(?:\.\d)?[ -]{{0,2}}(?:{behind})"
            rf"|\b(?:{front})[ :=]{{1,2}}(?P<after>{years})(?![\d.]|\s*[%+])",
            re.IGNORECASE,
        ),
    }


def _is_capitalized(word: str) -> bool:
    return len(word) >= _SHORTEST_NAME and word[0].isupper() and any(map(str.islower, word[1:]))


def _is_known(word: str, usual: Collection[str]) -> bool:
    return word.casefold() in usual or is_ordinary(word)
