"""What a differentially private release is asked for, checked before the table is looked at.

The budget is a fraction, and so are its parts: 0.1 is a tenth, and not the float beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Literal, TypeAlias

from roadstead.differential.scores import SCORES, Score
from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.verbs.settings import choose

Epsilon: TypeAlias = int | float | str | Decimal | Fraction
"""A budget as a user writes it: ``1``, ``0.5``, ``"1/3"``."""

Outside: TypeAlias = Literal["leave-out", "stop"]
OUTSIDE: dict[str, Outside] = {"leave-out": "leave-out", "stop": "stop"}
AUTO = "auto"

LARGE = 10
"""An epsilon above this is warned of."""
_LARGEST = 2**20
_MOST = 1_000
"""Specializations; with so many steps each is nearly pure chance."""
_FEWEST_CLASSES = 2
_LONGEST_TEXT = 60

_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)
_RATIO = re.compile(r"[+-]?\d+/\d*[1-9]\d*", re.ASCII)


@dataclass(frozen=True)
class Request:
    """What is asked for; all of it is public.

    Attributes
    ----------
    epsilon
        The privacy budget.
    target, classes
        The column to be predicted, and what it can hold.
    specializations
        How many; None where they are to be chosen privately.
    score
        What a specialization is worth.
    outside
        What becomes of records outside the domains.
    """

    epsilon: Fraction
    target: str
    classes: tuple[str, ...]
    specializations: int | None
    score: Score
    outside: Outside


def request_of(
    epsilon: Epsilon | None,
    target: str | None,
    classes: Sequence[str],
    specializations: int | str,
    score: str,
    outside: str,
) -> Request:
    """Check what a user asks for.

    Raises
    ------
    SettingError
        When something is missing, out of its range or not known.
    """
    amount = epsilon_of(epsilon)
    if not target:
        raise SettingError(
            "no target is named", where=option("target"), fix="name the column to be predicted"
        )
    return Request(
        amount,
        target,
        _classes(target, classes),
        specializations_of(specializations),
        SCORES[choose(score, tuple(SCORES), option("score"))],
        OUTSIDE[choose(outside, OUTSIDE, option("outside"))],
    )


def epsilon_of(given: Epsilon | None) -> Fraction:
    """Read a privacy budget exactly as it is written.

    Raises
    ------
    SettingError
        It is missing, not a number, not above 0, or beyond all sense.
    """
    if given is None:
        raise SettingError(
            "no epsilon is given",
            where=option("epsilon"),
            fix="give the privacy budget of the release, such as 1; less protects more",
        )
    number = _fraction(given)
    if number is None:
        raise SettingError(
            f"{quoted(str(given))} is not a number that can be an epsilon",
            where=option("epsilon"),
            fix="write it as 1, 0.5 or 1/3",
        )
    if number <= 0:
        raise SettingError(
            f"epsilon is {given}, and has to be above 0",
            where=option("epsilon"),
            fix="give the privacy budget of the release, such as 1",
        )
    if number > _LARGEST:
        raise SettingError(
            f"an epsilon above {_LARGEST:,} protects nobody",
            where=option("epsilon"),
            fix="give the privacy budget of the release, such as 1",
        )
    return number


def specializations_of(given: int | str) -> int | None:
    """Read a number of specializations; None where it is to be chosen privately.

    Raises
    ------
    SettingError
        It is neither ``auto`` nor a number from 0 to 1,000.
    """
    if given == AUTO:
        return None
    text = str(given).strip()
    if isinstance(given, bool) or not re.fullmatch(r"[+-]?\d{1,9}", text, re.ASCII):
        raise SettingError(
            f"{quoted(text)} is not a number of specializations",
            where=option("specializations"),
            fix=f"give a whole number, such as 10, or {AUTO}",
        )
    if not 0 <= int(text) <= _MOST:
        raise SettingError(
            f"there cannot be {text} specializations",
            where=option("specializations"),
            fix=f"give a number from 0 to {_MOST:,}, or {AUTO}",
        )
    return int(text)


def _fraction(given: object) -> Fraction | None:
    match given:
        case bool():
            return None
        case Fraction():
            return given
        case int():
            return Fraction(given)
        case float() | Decimal():
            return Fraction(str(given)) if isfinite(given) else None
        case str():
            text = given.strip()
            read = _DECIMAL.fullmatch(text) or _RATIO.fullmatch(text)
            return Fraction(text) if read and len(text) <= _LONGEST_TEXT else None
        case _:
            return None


def _classes(target: str, given: Sequence[str]) -> tuple[str, ...]:
    where = f"classes of {target!r}"
    if isinstance(given, str):
        raise SettingError("is one text", where=where, fix="give a list of classes")
    classes = tuple(str(one) for one in given)
    if not classes:
        raise SettingError(
            "they are not declared",
            where=where,
            fix=f"declare {option('classes', {target: ('A', 'B')})}, from what the column can "
            "hold, not from this "
            "table",
        )
    for one in classes:
        if classes.count(one) > 1:
            raise SettingError(
                f"{quoted(one)} is listed twice", where=where, fix="list each class once"
            )
    if len(classes) < _FEWEST_CLASSES:
        raise SettingError(
            "with one class there is nothing to predict", where=where, fix="list all that can be"
        )
    return classes
