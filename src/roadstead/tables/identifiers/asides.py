"""Recognize names, numbers, and accounts in short remarks, such as "asked for garcia" or "bed 3".

A name counts only if a list of frequent names contains it, because any word may follow "see".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Final

from roadstead.tables.identifiers.vocabulary import (
    given_names,
    is_a_name,
    is_listed,
    is_ordinary,
    surnames,
    table_of,
)

_HL7 = re.compile(r"(?<![\w^])([^\W\d_][^\W\d_'-]+)\^([^\W\d_][\w'-]+)")
_INITIAL = re.compile(r"(?<![\w.])[A-Z]\. ?(?P<name>[A-Z][^\W\d_]+)(?!\w)")
_HANDLE = re.compile(r"(?<![\w.+@-])@(?P<name>[A-Za-z]+)(?P<rest>[\w.]*)")
NETWORKS: Final = "insta|instagram|facebook|twitter|tiktok|snapchat|telegram|skype|linkedin"
"""The words before the name of an account, as a pattern."""
PLACES: Final = "room|rm|bed|zimmer|bett|extension|ext|last ?(?:4|four)|chart|apt"
"""The words before a number that is known in one building, as a pattern."""
_ACCOUNT = re.compile(
    rf"(?<!\w)(?:{NETWORKS})[: ]+"
    r"@?[a-z]\w*[._\d][\w.]*",
    re.IGNORECASE,
)
_DOMAIN = re.compile(r"(?<![\w@./-])[a-z0-9-]{4,}\.(?:com|net|org|info)(?![\w.])", re.IGNORECASE)
_LOCAL = re.compile(
    rf"(?<![\w-])(?:(?:{PLACES})"
    r"(?: (?:no|nr|number))?[ .:#]{1,3}\d{1,6}|(?-i:x)\d{4,5})(?![\w.])",
    re.IGNORECASE,
)
_FOLDER = re.compile(
    r"(?<!\w)(?:[a-z]:[\\/]+(?:users|documents and settings)|/users|/home)[\\/]+"
    r"(?P<name>[^\W\d_][\w.-]*)",
    re.IGNORECASE,
)
_SHARED_FOLDERS: Final = frozenset({"public", "default", "admin", "administrator", "all", "shared"})
_BORN = re.compile(
    r"(?<![\w.])(?!U\.? ?[SK]\.)[A-Z]\. ?[A-Z]\.?,? ?(?:b\.|born|\*|\()? ?(?:19|20)\d\d(?!\w)"
)
"""Initials and a year of birth."""
_BARE_DAY = re.compile(r"(?<![\w./-])(\d\d?)([/.-])(\d\d?)(?![\w/-]|\.\d)")
_MONTHS, _DAYS = 12, 31
_FEWEST_PAIRS, _FEWEST_DAYS, _FEWEST_MONTHS = 5, 4, 3
_SHORTEST_SPAN: Final = 14
"""The least difference between the first and the last day. Blood pressures (12/8) differ less."""


def holds_listed_name(text: str) -> bool:
    """Return whether a string contains a frequent full name, or a name after "see"."""
    if " " in text and any(is_listed(one["name"]) for one in _addressed().finditer(text)):
        return True
    return holds_full_name(text)


def holds_full_name(text: str) -> bool:
    """Return whether a string contains a frequent full name, or a name after a title."""
    if "^" in text and any(map(_is_hl7, _HL7.finditer(text))):
        return True
    if "." in text and any(is_listed(one["name"]) for one in _INITIAL.finditer(text)):
        return True
    if " " not in text:
        return False
    words = [word.rstrip(",;") for word in text.split(" ")]
    if any(is_a_name(one["name"]) for one in _titled().finditer(text)):
        return True
    comma = "," in text
    return any(
        (first.casefold() in given_names() and second.casefold() in surnames())
        or (comma and first.casefold() in surnames() and second.casefold() in given_names())
        for first, second in pairwise(words)
        if is_listed(first) and is_listed(second)
    )


def holds_handle(text: str) -> bool:
    """Return whether a string contains the name of a social media account."""
    if _ACCOUNT.search(text):
        return True
    return "@" in text and any(
        bool(one["rest"].strip(".")) or is_listed(one["name"]) for one in _HANDLE.finditer(text)
    )


def holds_device(text: str) -> bool:
    """Return whether a string contains the name of a person's device or of a user's folder."""
    folder = _FOLDER.search(text)
    if folder is not None and folder["name"].lower() not in _SHARED_FOLDERS:
        return True
    return any(
        is_listed(one["name"]) if one["also"] else not is_ordinary(one["name"])
        for one in _device().finditer(text)
    )


def holds_initials(text: str) -> bool:
    """Return whether a string contains initials and a year, such as "E.O. 1931"."""
    return _BORN.search(text) is not None


def holds_domain(text: str) -> bool:
    """Return whether a string contains a web address without "www."."""
    return _DOMAIN.search(text) is not None


def holds_local_number(text: str) -> bool:
    """Return whether a string contains the number of a room, a bed, a chart, or an extension."""
    return _LOCAL.search(text) is not None


def bare_days(texts: Mapping[str, int], fewer_than: int) -> list[str]:
    """Return the rare strings with a month and a day in numbers, such as "died 8/25".

    Months and days must have the same order in the whole column, and must vary. Scores ("9/15") and
    durations ("10/7", which means ten days in the United Kingdom) have few different second
    numbers.
    """
    pairs = {
        text: (int(one[1]), int(one[3]))
        for text, many in texts.items()
        for one in (_BARE_DAY.finditer(text) if many < fewer_than else ())
    }
    orders = (pairs, {text: (second, first) for text, (first, second) in pairs.items()})
    found = max(map(_days, orders), key=len)
    months, days = ({pair[at] for pair in found.values()} for at in (0, 1))
    enough = len(set(found.values())) >= _FEWEST_PAIRS and len(days) >= _FEWEST_DAYS
    varied = enough and len(months) >= _FEWEST_MONTHS and max(days) - min(days) >= _SHORTEST_SPAN
    return list(found) if varied else []


def _days(pairs: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Return the pairs of numbers that may be a month and a day."""
    return {
        text: (month, day)
        for text, (month, day) in pairs.items()
        if 1 <= month <= _MONTHS and 1 <= day <= _DAYS
    }


def _is_hl7(found: re.Match[str]) -> bool:
    words: Final = found.groups()
    unknown = not any(map(is_ordinary, words)) and all(word[0].isupper() for word in words)
    return unknown or any(map(is_listed, words))


@cache
def _device() -> re.Pattern[str]:
    """Return a pattern for names such as "Ingrid's iPhone", "KAREN-PC", and "Delgado-Home-5G"."""
    table = table_of("people.toml")
    devices, also = ("|".join(table[key].split()) for key in ("devices", "devices_also"))
    name = r"(?<![\w'-])(?P<name>[^\W\d_]{3,})"
    return re.compile(
        rf"{name}(?:['\u2019]s (?:{devices}|{also})|[-_](?:{devices}|(?P<also>{also})))(?![^\W_])",
        re.IGNORECASE,
    )


@cache
def _addressed() -> re.Pattern[str]:
    table = table_of("people.toml")
    before = "|".join((*table["addressed"], *table["relatives"].split()))
    return re.compile(
        rf"(?<!\w)(?:{before})[.:,]?(?: of| de| von| to| for)? (?P<name>[^\W\d_]{{3,}})",
        re.IGNORECASE,
    )


@cache
def _titled() -> re.Pattern[str]:
    """Return the pattern of lowercase titles. `prose` recognizes titles with capitals."""
    titles = {*table_of("people.toml")["titles"].lower().split(), "prof"} - {"ms"}
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(titles))})\.? (?P<name>[^\W\d_]{{3,}})")
