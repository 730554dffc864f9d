"""Check single fields, and reject a wrong value before any work starts.

A check receives the value and the key of a field, and returns the standardized value. The error
message of a check contains the name of the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from math import isfinite
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.near_names import did_you_mean

UNDECIDED = ("withhold", "refuse", "release")
"""The allowed settings for columns without a role."""
LONGEST_SHIFT = 36_500
"""The maximum shift of dates in days."""
_MOST_SHOWN = 5
_SINGLE = (str, int, float, date, NoneType)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def wrong(key: str, what: str, fix: str) -> SettingError:
    """Return the error for a wrong value. It names the field in the notation of the front end."""
    return SettingError(what, where=option(key), fix=fix)


def number(value: object, key: str) -> None:
    """Reject a value that is not a number, such as ``"5%"``."""
    if isinstance(value, bool) or not isinstance(value, Real):
        what = f"{shown(value)} is not a number"
        raise wrong(key, what, "write a number without quotes")


def folders(value: object, key: str) -> object:
    """Reject a table, because the value must be a list of folders."""
    if hasattr(value, "columns"):
        what = f"{shown(value)} is a table, not a list of folders"
        fix = f"if the releases were made from this table, write {option('original', 'TABLE')}"
        raise wrong(key, what, fix)
    return value


def whole(value: object, key: str) -> int:
    """Reject a value that is not a whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise wrong(
            key,
            f"{shown(value)} is not a whole number",
            "write a whole number, for example 5",
        )
    return int(value)


def suppression(share: float, key: str = "suppression") -> float:
    """Reject a limit that is not between 0 and 1."""
    number(share, key)
    if not isfinite(share) or not 0.0 <= share <= 1.0:
        what = f"the suppression limit is {share:g}, but it must be between 0 and 1"
        raise wrong(key, what, "write 5% as 0.05")
    return float(share)


def share(value: float, key: str) -> float:
    """Reject a risk limit (a fraction of the original data's risk) that is not from 0 to 1."""
    number(value, key)
    if not 0.0 <= value <= 1.0:
        what = f"the {key} is {value:g}, but it must be between 0 and 1"
        raise wrong(key, what, "write a share of the original data's risk, such as 0.1 for 10%")
    return value


def part(value: float, key: str) -> float:
    """Reject a value that is not between 0 and 1."""
    number(value, key)
    if not 0.0 <= value <= 1.0:
        raise wrong(
            key,
            f"the share is {value:g}, but it must be between 0 and 1",
            "write a share, such as 0.1 for 10%",
        )
    return value


def overlap(value: float, key: str = "overlap") -> float:
    """Reject an overlap of 0, because an attack needs targets who are in the release."""
    if part(value, key) == 0.0:
        what = "the share is 0, but an attack can find only people who are in the release"
        raise wrong(key, what, "write a share above 0, such as 0.5 for 50%")
    return value


def seconds(value: float, key: str = "time_limit") -> float:
    """Reject a time limit that is not a number of seconds (0 or more)."""
    number(value, key)
    if not isfinite(value) or value < 0:
        raise wrong(
            key, f"the time limit is {value:g} seconds", "write a number of seconds, 0 or more"
        )
    return value


def seed(value: int, key: str = "seed") -> int:
    """Reject a seed below 0, because random generators do not accept such a seed."""
    number(value, key)
    if value < 0:
        raise wrong(key, f"the seed is {value}", "use a whole number, 0 or more")
    return value


def combinations(value: int, key: str = "combinations") -> int:
    """Reject a number of combinations that is below 1 or not a whole number."""
    number(value, key)
    if value % 1 or value < 1:
        fix = "write a whole number, 1 or more; 20000000 combinations need about 1 GB of memory"
        raise wrong(key, f"{value} combinations cannot be held in memory", fix)
    return int(value)


def names(columns: object, key: str) -> tuple[str, ...]:
    """Return a list of column names.

    Reject a single string, because Python would treat each letter as a name.
    """
    if isinstance(columns, str):
        given = [one.strip() for one in columns.split(",")]
        what = f"{quoted(columns)} is a single string, not a list of names"
        raise wrong(key, what, f"write {option(key, given)}")
    found = [*columns] if isinstance(columns, Iterable) else [None]
    if not all(map(_is_name, found)):
        what = f"{shown(columns)} is not a list of names"
        raise wrong(key, what, f"write {option(key, ['age', 'sex'])}")
    return tuple(map(str, found))  # a data frame can also have numbers and tuples as names


def _is_name(value: object) -> bool:
    return isinstance(value, str | tuple | Integral) and not isinstance(value, bool)


def shown(value: object) -> str:
    """Return the text of a wrong value for a message, or the type of a value with many cells."""
    parts = [value]
    if isinstance(value, list | tuple | Mapping):
        parts = [*value.values(), *value] if isinstance(value, Mapping) else [*value]
    if len(parts) <= _MOST_SHOWN and all(isinstance(one, _SINGLE) for one in parts):
        return quoted(str(value))
    return f"a value of the type {type(value).__name__}"


def path(value: object, key: str) -> Path:
    """Return a `Path` from a path or a string."""
    if not isinstance(value, str | PathLike):
        raise wrong(key, f"{shown(value)} is not a path", 'write a path, for example "release"')
    return Path(value)


def text(value: object, key: str) -> str:
    """Reject a value that is not a string."""
    if not isinstance(value, str):
        raise wrong(key, f"{shown(value)} is not text", "write it in quotes")
    return value


def texts_by_name(value: object, key: str) -> dict[str, str]:
    """Check that a value is a mapping from names to strings."""
    if not isinstance(value, Mapping) or not all(
        isinstance(one, str) for pair in value.items() for one in pair
    ):
        what = f"{shown(value)} is not a mapping from names to text"
        raise wrong(key, what, 'write {"a": "shift"}')
    return dict(value)


def tables(value: object, key: str) -> tuple[dict[str, object], ...]:
    """Check that a value is a list of settings."""
    if isinstance(value, Iterable) and not isinstance(value, str | Mapping):
        found: list[object] = list(value)
        if all(isinstance(one, Mapping) for one in found):
            return tuple(dict(one) for one in found if isinstance(one, Mapping))
    fix = 'write it in brackets, for example [{"kind": "rounding", "column": "weight", "base": 5}]'
    raise wrong(key, f"{shown(value)} is not a list of settings", fix)


def shift(value: object, key: str) -> int:
    """Reject a maximum shift that is less than 1 day or more than 100 years."""
    days = whole(value, key)
    if not 1 <= days <= LONGEST_SHIFT:
        what = f"dates cannot be shifted by up to {days:,} days"
        raise wrong(key, what, f"write a whole number of days from 1 to {LONGEST_SHIFT:,}")
    return days


def yes_or_no(value: object, key: str) -> bool:
    """Reject a value other than true and false, such as ``"no"``, which Python treats as true."""
    if not isinstance(value, bool):
        fix = f"write {option(key, value=True)}, or leave this setting out"
        raise wrong(key, f"{shown(value)} is not true or false", fix)
    return value


def day(value: object, key: str) -> date:
    """Return a date, which may be given as a date or as a string such as "2027-06-30"."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        if isinstance(value, str) and _DAY.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:  # for example, February 30
        pass
    raise wrong(key, f"{shown(value)} is not a day", "write a day, for example 2027-06-30")


def undecided(value: object, key: str) -> object:
    """Reject an unknown setting for columns without a role."""
    if isinstance(value, str) and value == "judge":
        what = "'judge' is a keyword from an earlier version"
        fix = f"write {option(key, 'release')}, which does the same (the default is now withhold)"
        raise wrong(key, what, fix)
    require_one_of(value, key, UNDECIDED)
    return value


def require_one_of(value: object, key: str, words: Sequence[str]) -> None:
    """Reject a value that is not in the list of allowed words."""
    single = isinstance(value, _SINGLE)
    if not single or value not in words:
        near = str(value) if single else ""
        fix = did_you_mean(near, words, "use " + " or ".join(words))
        raise wrong(key, f"{repr(value) if single else shown(value)} is not known", fix)
