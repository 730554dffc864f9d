r"""Recognize identifiers in the values of a column, one value at a time.

Most detectors are patterns in ``data/contents.toml``. VINs, UDIs, and IBANs are also validated with
their check digits. A telephone number must fit the North American numbering plan, begin with the
code of a country, or follow a word such as ``Tel.`` (``data/labels.toml``). Telephone numbers,
email and web addresses, and social security numbers are also found inside longer text, such as
notes. Dates are parsed to find the year, which is the only part of a date that Safe Harbor allows.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Collection
from functools import cache

from roadstead.tables.identifiers.vocabulary import (
    TextForm,
    given_names,
    is_a_name,
    is_ordinary,
    table_of,
)

_TITLED = TextForm(r"(mr|mrs|ms|miss|dr)\.? [a-z'-]+( [a-z'-]+)*")
_IMAGING = re.compile("graph(y|ie)$", re.IGNORECASE)
_WORDS = TextForm(r"[^\W\d_][\w'.-]*(,? [^\W\d_][\w'.-]*){0,3}", 0)
_TRAILING_DIGITS = "0123456789."
_PHONE = TextForm(
    r"(?<![\w.+/-])(\+1[-. ]?|1[-. ])?(\([2-9]\d\d\) ?|[2-9]\d\d[-._/ ])([2-9]\d\d)[-._/ ]\d{4}"
    r"( ?(x|ext\.?) ?\d+)?(?![\w-])",
    within=True,
)
_PHONE_ABROAD = TextForm(
    r"(?<![\w.+-])(?:\+|00(?=\d{2,3} ))[1-9](?:[ .()/-]{0,3}\d){7,14}(?![\w-])", within=True
)
_PHONE_OF_FRANCE = TextForm(r"(?<![\d.-])0[1-9]([ .-])\d\d(?:\1\d\d){3}(?![\d.-])", within=True)
_DIGITS = r"\+?\d(?:[ ./()-]{0,3}\d){6,14}(?![\w-]|[.,]\d)"
_IBAN = TextForm(r"[A-Z]{2}\d\d[A-Z0-9]{11,30}", re.ASCII)
_VIN = TextForm(r"(?=.*[a-z])(?=.*\d)[a-hj-npr-z0-9]{17}")
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = dict(
    zip("0123456789ABCDEFGHJKLMNPRSTUVWXYZ", "012345678912345678123457923456789", strict=True)
)
_UDI = TextForm(r"\(01\)(\d{14})(\(.*)?")
_HARDWARE = TextForm(r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}")
_IP = TextForm(r"(?P<four>\d{1,3}(?:\.\d{1,3}){3})(?:[:/]\d+)?|(?P<six>[0-9a-f:.]{6,45})(?:/\d+)?")

_TIME = r"(?:(?:[T ]|, )[0-2]?\d:[0-5]\d.{0,20})?"
_YEAR = r"(?P<year>(?:1[89]|2[012])\d\d)"
_THREE = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_MONTH = rf"{_THREE}[a-z]{{0,6}}\.?"
_DATES = (
    TextForm(rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d){_TIME}"),
    TextForm(rf"{_YEAR}-(?P<month>\d\d)"),
    TextForm(rf"{_YEAR}/(?P<month>\d\d?)/(?P<day>\d\d?){_TIME}"),
    TextForm(rf"(?P<a>\d\d?)(?P<mark>[/.-])(?P<b>\d\d?)(?P=mark){_YEAR}{_TIME}"),
    TextForm(rf"(?P<a>\d\d?)/(?P<b>\d\d?)/(?P<year>\d\d){_TIME}"),
    TextForm(
        r"(?P<year>(?:1[89]|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)"
        r"(?:T?[0-2]\d[0-5]\d(?:[0-5]\d)?Z?)?"
    ),
    TextForm(rf"(?P<month>\d\d?)/{_YEAR}"),
    TextForm(rf"\d\d?[- ]{_MONTH}[- ,]{{1,2}}{_YEAR}{_TIME}"),
    TextForm(
        rf"\d\d?[- /]?{_THREE}[- /]?(?:{_YEAR}|(?P<short>\d\d))"
        rf"(?::[0-2]\d:[0-5]\d.{{0,12}})?{_TIME}"
    ),
    TextForm(rf"{_MONTH} \d\d?,? {_YEAR}{_TIME}"),
    TextForm(rf"{_MONTH}[- ]?{_YEAR}"),
)
_WITHOUT_DAY = TextForm(r"(?:1[89]|20)\d\d(?:0\d|1[0-2])00(?:0{4}|0{6})?", re.ASCII)
_LONGEST_DATE = 40
_MONTHS, _DAYS = 12, 31
_DIGITS_OF_DATE = 8
_NEARLY_ALL = 0.9


@cache
def detector(name: str) -> Callable[[str], bool]:
    """Return the detector with this name, which is a pattern or a function of this module."""
    written = table_of("contents.toml").get(name)
    if written is None:
        function: Callable[[str], bool] = globals()[name]
        return function
    return TextForm("".join(written.splitlines()), within=name.startswith("has_"))


def is_name(text: str) -> bool:
    """Return whether a string of up to four words begins with a common given name or a title."""
    if _TITLED(text):
        return not may_be_image(text)
    if not _WORDS(text):
        return False
    first, comma, rest = text.partition(", ")
    word = (rest if comma else first).split()[0].rstrip(_TRAILING_DIGITS)
    return word.casefold() in given_names()


def may_be_image(text: str) -> bool:
    """Return whether a string such as "MR Brain" may describe an image, and not a person."""
    words = text.split()[1:]
    return text.startswith(("MR ", "DR ")) and not any(
        is_a_name(word) or not (is_ordinary(word) or _IMAGING.search(word)) for word in words
    )


def has_phone(text: str) -> bool:
    """Return whether a string contains a telephone number.

    A number from outside North America must begin with a country code or follow a word such as
    "Tel.".
    """
    found = _PHONE.match(text)
    if found:
        return not found[3].endswith("11")
    if _PHONE_ABROAD(text) or _PHONE_OF_FRANCE(text):
        return True
    labeled = _labeled_phone().search(text)
    return labeled is not None and not any(map(is_date, labeled["number"].split()))


@cache
def _labeled_phone() -> re.Pattern[str]:
    """Return the pattern of a word such as "Tel.", up to two short words, and a number."""
    front = "|".join(table_of("labels.toml")["telephone"].split())
    return re.compile(
        rf"(?<!\w)(?:{front})\.?(?: [^\W\d_]{{1,6}}\.?){{0,2}}[ .:#=(]{{0,3}}(?P<number>{_DIGITS})",
        re.IGNORECASE,
    )


def is_iban(text: str) -> bool:
    """Return whether a string is an international bank account number (ISO 13616, modulo 97)."""
    plain = text.replace(" ", "")
    if not _IBAN(plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_vin(text: str) -> bool:
    """Return whether a string is a vehicle identification number (49 CFR 565.15)."""
    if not _VIN(text):
        return False
    vin = text.upper()
    total = sum(w * int(_VIN_VALUES[sign]) for w, sign in zip(_VIN_WEIGHTS, vin, strict=True))
    return vin[8] == "0123456789X"[total % 11]


def is_device(text: str) -> bool:
    """Return whether a string is a unique device identifier of GS1 or a hardware address."""
    found = _UDI.match(text)
    if not found:
        return _HARDWARE(text)
    digits = [int(sign) for sign in found[1]]
    return (3 * sum(digits[0::2]) + sum(digits[1::2])) % 10 == 0


def is_ip(text: str) -> bool:
    """Return whether a string is an IP address, but not four single digits as in an EC number."""
    found = _IP.match(text)
    if not found or (found["six"] and text.count(":") < 2):  # noqa: PLR2004 - two or more colons
        return False
    if found["four"] and all(len(part) == 1 for part in found["four"].split(".")):
        return False
    try:
        ipaddress.ip_address(found["four"] or found["six"])
    except ValueError:
        return False
    return True


def is_json(text: str) -> bool:
    """Return whether a string is a JSON object or list. Detectors do not examine its parts."""
    if not text.startswith(("{", "[")) or not text.endswith(("}", "]")):
        return False
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(parts, dict | list)


def year_of(text: str) -> str | None:
    """Return the year of a date as a string, or None if the text is not a date with a month."""
    if len(text) > _LONGEST_DATE:
        return None
    for form in _DATES:
        found = form.match(text)
        if found and _is_of_calendar(parts := found.groupdict()):
            return parts["year"] or parts.get("short")
    return None


def is_date(text: str) -> bool:
    """Return whether a string is a date that reveals more than the year."""
    return year_of(text) is not None


def date_detector(values: Collection[str]) -> Callable[[str], bool]:
    """Return the function that decides which values of a column are dates.

    Digits alone, such as 20190301 or 20190301123000, are dates only if nearly all values of eight
    digits or more are dates, or dates without a day, such as 20190300 or 20190000. Otherwise, they
    are numbers of people or households, some of which look like dates because they begin with a
    year.
    """
    digits = [text for text in values if len(text) >= _DIGITS_OF_DATE and text.isdecimal()]
    if sum(is_date(one) or _WITHOUT_DAY(one) for one in digits) >= _NEARLY_ALL * len(digits):
        return is_date
    return lambda text: not text.isdecimal() and is_date(text)


def _is_of_calendar(parts: dict[str, str | None]) -> bool:
    """Return whether two numbers are a month and a day, in either order."""
    named = [int(part) for name in ("month", "day") if (part := parts.get(name)) is not None]
    either = sorted(int(part) for name in ("a", "b") if (part := parts.get(name)) is not None)
    limits = (_MONTHS, _DAYS)
    return all(1 <= x <= most for x, most in zip(named or either, limits, strict=False))
