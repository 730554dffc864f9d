"""Checks of single fields: a wrong value is refused before any work, and named by its field.

Each takes the value and the field's key, as `roadstead.requests.fields.option` wants it, and gives
the value in its one form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from math import isfinite
from numbers import Integral, Real
from os import PathLike
from pathlib import Path

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.near_names import did_you_mean

UNDECIDED = ("withhold", "refuse", "release")
"""What can happen to columns without a role."""
LONGEST_SHIFT = 36_500
"""Most days by which a date is shifted."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def wrong(key: str, what: str, fix: str) -> SettingError:
    """Make the error of a field that is wrong, named as the front end in use writes it."""
    return SettingError(what, where=option(key), fix=fix)


def number(value: object, key: str) -> None:
    """Refuse what is no number, such as ``"5%"``."""
    if isinstance(value, bool) or not isinstance(value, Real):
        what = f"{quoted(str(value))} is not a number"
        raise wrong(key, what, "write a number, without quotes")


def whole(value: object, key: str) -> int:
    """Refuse what is no whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise wrong(key, f"{quoted(str(value))} is not a whole number", "write one such as 5")
    return int(value)


def suppression(share: float, key: str = "suppression") -> float:
    """Refuse a limit that is not between 0 and 1."""
    number(share, key)
    if not isfinite(share) or not 0.0 <= share <= 1.0:
        what = f"the suppression limit is {share:g}, and must be between 0 and 1"
        raise wrong(key, what, "write 5% as 0.05")
    return float(share)


def share(value: float, key: str) -> float:
    """Refuse a bound on the risk that is no share of the original data's."""
    number(value, key)
    if not 0.0 <= value <= 1.0:
        what = f"the {key} is {value:g}, and must be from 0 to 1"
        raise wrong(key, what, "give a share of the original data's risk, such as 0.1")
    return value


def part(value: float, key: str) -> float:
    """Refuse what is no share of a whole."""
    number(value, key)
    if not 0.0 <= value <= 1.0:
        raise wrong(key, f"it is {value:g}", "give a share from 0 to 1, such as 0.1")
    return value


def overlap(value: float, key: str = "overlap") -> float:
    """Refuse a share of people in the release that is none: nobody could be found there."""
    if part(value, key) == 0.0:
        what = "it is 0, and of people who are not in the release nobody is found"
        raise wrong(key, what, "give a share above 0, such as 0.5")
    return value


def seconds(value: float, key: str = "time_limit") -> float:
    """Refuse a time limit that is no time."""
    number(value, key)
    if not isfinite(value) or value < 0:
        raise wrong(key, f"the time limit is {value:g} seconds", "give a number of seconds")
    return value


def seed(value: int, key: str = "seed") -> int:
    """Refuse a seed below 0, which generators do not take."""
    number(value, key)
    if value < 0:
        raise wrong(key, f"the seed is {value}", "use 0 or more")
    return value


def combinations(value: int, key: str = "combinations") -> int:
    """Refuse a number of combinations that is no whole number, or below 1."""
    number(value, key)
    if value % 1 or value < 1:
        fix = "give a whole number from 1 on; 20000000 take about 1 GB"
        raise wrong(key, f"{value} combinations cannot be held in memory", fix)
    return int(value)


def names(columns: object, key: str) -> tuple[str, ...]:
    """Take a list of column names; one text is none, though Python would go through its letters."""
    if isinstance(columns, str):
        raise wrong(key, f"{columns!r} is one text, not a list of names", f"write [{columns!r}]")
    if not isinstance(columns, Iterable) or not all(isinstance(one, str) for one in columns):
        what = f"{quoted(str(columns))} is no list of names"
        raise wrong(key, what, 'write one such as ["age", "sex"]')
    return tuple(columns)


def path(value: object, key: str) -> Path:
    """Take a path, or the text of one."""
    if not isinstance(value, str | PathLike):
        raise wrong(key, f"{quoted(str(value))} is no path", 'write one such as "release"')
    return Path(value)


def text(value: object, key: str) -> str:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise wrong(key, f"{quoted(str(value))} is no text", "write it in quotes")
    return value


def texts_by_name(value: object, key: str) -> dict[str, str]:
    """Take a text for each of some names."""
    if not isinstance(value, Mapping) or not all(
        isinstance(one, str) for pair in value.items() for one in pair
    ):
        raise wrong(key, f"{quoted(str(value))} is no table of texts", 'write {"a": "shift"}')
    return dict(value)


def tables(value: object, key: str) -> tuple[dict[str, object], ...]:
    """Take a list of settings; one alone is no list."""
    if isinstance(value, Iterable) and not isinstance(value, str | Mapping):
        found: list[object] = list(value)
        if all(isinstance(one, Mapping) for one in found):
            return tuple(dict(one) for one in found if isinstance(one, Mapping))
    fix = 'write it in brackets, such as [{"kind": "rounding", "column": "weight", "base": 5}]'
    raise wrong(key, f"{quoted(str(value))} is no list of settings", fix)


def shift(value: object, key: str) -> int:
    """Refuse a longest shift of less than a day, or of more than a hundred years."""
    days = whole(value, key)
    if not 1 <= days <= LONGEST_SHIFT:
        what = f"dates cannot be shifted by up to {days:,} days"
        raise wrong(key, what, f"give a whole number of days from 1 to {LONGEST_SHIFT:,}")
    return days


def yes_or_no(value: object, key: str) -> bool:
    """Refuse what is neither true nor false, such as ``"no"``, which Python takes for true."""
    if not isinstance(value, bool):
        fix = f"write {option(key, value=True)} or leave it out"
        raise wrong(key, f"{quoted(str(value))} is neither true nor false", fix)
    return value


def day(value: object, key: str) -> date:
    """Take a day, or the text of one as in 2027-06-30."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        if isinstance(value, str) and _DAY.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:  # such as February 30
        pass
    raise wrong(key, f"{quoted(str(value))} is no day", "write one such as 2027-06-30")


def undecided(value: object, key: str) -> object:
    """Refuse what cannot happen to columns without a role, and the word of earlier versions."""
    if value == "judge":
        what = "'judge' is no longer used"
        fix = f"write {option(key, 'release')}, which does the same; the default is now withhold"
        raise wrong(key, what, fix)
    require_one_of(value, key, UNDECIDED)
    return value


def require_one_of(value: object, key: str, words: Sequence[str]) -> None:
    """Refuse what is not one of a few words."""
    if value not in words:
        fix = did_you_mean(str(value), words, "use " + " or ".join(words))
        raise wrong(key, f"{value!r} is not known", fix)
