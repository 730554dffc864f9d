"""Checks of single fields: a wrong value is refused before any work, and named by its field.

Each takes the value and the field's key, as `roadstead.requests.fields.option` wants it, and gives
the value in its one form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from numbers import Integral, Real
from os import PathLike
from pathlib import Path

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option


def number(value: object, key: str) -> None:
    """Refuse what is no number, such as ``"5 %"``."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise SettingError(
            f"{quoted(str(value))} is not a number",
            where=option(key),
            fix="write a number, without quotes",
        )


def whole(value: object, key: str) -> int:
    """Refuse what is no whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise SettingError(
            f"{quoted(str(value))} is not a whole number",
            where=option(key),
            fix="write one such as 5",
        )
    return int(value)


def suppression(share: float, key: str = "suppression") -> float:
    """Refuse a limit that is not between 0 and 1."""
    number(share, key)
    if not isfinite(share) or not 0.0 <= share <= 1.0:
        raise SettingError(
            f"the suppression limit is {share:g}, and must be between 0 and 1",
            where=option(key),
            fix="write 5 % as 0.05",
        )
    return float(share)


def share(value: float, key: str) -> float:
    """Refuse a bound on the risk that is no share of the original data's."""
    number(value, key)
    if not 0.0 <= value <= 1.0:
        raise SettingError(
            f"the {key} is {value:g}, and must be from 0 to 1",
            where=option(key),
            fix="give a share of the original data's risk, such as 0.1",
        )
    return value


def seconds(value: float, key: str = "time_limit") -> float:
    """Refuse a time limit that is no time."""
    number(value, key)
    if not isfinite(value) or value < 0:
        raise SettingError(
            f"the time limit is {value:g} seconds",
            where=option(key),
            fix="give a number of seconds",
        )
    return value


def seed(value: int, key: str = "seed") -> int:
    """Refuse a seed below 0, which generators do not take."""
    number(value, key)
    if value < 0:
        raise SettingError(f"the seed is {value}", where=option(key), fix="use 0 or more")
    return value


def combinations(value: int, key: str = "combinations") -> int:
    """Refuse a number of combinations that is no whole number, or below 1."""
    number(value, key)
    if value % 1 or value < 1:
        raise SettingError(
            f"{value} combinations cannot be held in memory",
            where=option(key),
            fix="give a whole number from 1 on; 20000000 take about 1 GB",
        )
    return int(value)


def names(columns: object, key: str) -> tuple[str, ...]:
    """Take a list of column names; one text is none, though Python would go through its letters."""
    if isinstance(columns, str):
        raise SettingError(
            f"{columns!r} is one text, not a list of names",
            where=option(key),
            fix=f"write [{columns!r}]",
        )
    if not isinstance(columns, Iterable) or not all(isinstance(one, str) for one in columns):
        raise SettingError(
            f"{quoted(str(columns))} is no list of names",
            where=option(key),
            fix='write one such as ["age", "sex"]',
        )
    return tuple(columns)


def path(value: object, key: str) -> Path:
    """Take a path, or the text of one."""
    if not isinstance(value, str | PathLike):
        raise SettingError(
            f"{quoted(str(value))} is no path", where=option(key), fix='write one such as "release"'
        )
    return Path(value)


def text(value: object, key: str) -> str:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise SettingError(
            f"{quoted(str(value))} is no text", where=option(key), fix="write it in quotes"
        )
    return value


def yes_or_no(value: object, key: str) -> bool:
    """Refuse what is neither true nor false, such as ``"no"``, which Python takes for true."""
    if not isinstance(value, bool):
        raise SettingError(
            f"{quoted(str(value))} is neither true nor false",
            where=option(key),
            fix=f"write {option(key, value=True)} or leave it out",
        )
    return value


def require_one_of(value: object, key: str, words: Sequence[str]) -> None:
    """Refuse what is not one of a few words."""
    if value not in words:
        raise SettingError(
            f"{value!r} is not known", where=option(key), fix="use " + " or ".join(words)
        )
