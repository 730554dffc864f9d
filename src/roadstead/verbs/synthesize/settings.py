"""Check the settings of a differentially private release before the table is read.

The budget and its parts are exact fractions. For example, 0.1 is exactly one tenth instead of the
nearest floating-point number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, TypeAlias

from roadstead.differential.scores import SCORES, Score
from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.release.private.certificate import EVERYTHING, SAMPLE
from roadstead.reports.synthesis.facts import CHOSEN
from roadstead.requests.checks import wrong
from roadstead.verbs.settings import choose

Epsilon: TypeAlias = int | float | str | Decimal | Fraction
"""A budget that a user gives, such as ``1``, ``0.5``, or ``"1/3"``."""

OUTSIDE = ("leave-out", "stop")
AUTO = "auto"

_LARGEST = 2**20
_MOST = 1_000
"""The maximum number of specializations."""
_FEWEST_CLASSES = 2
_LONGEST_TEXT = 60

_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)
_RATIO = re.compile(r"[+-]?\d+/\d*[1-9]\d*", re.ASCII)


@dataclass(frozen=True)
class PrivateSettings:
    """The settings of a release for a target. All settings are public.

    If `specializations` is None, the release chooses the number privately.
    """

    epsilon: Fraction
    target: str
    classes: tuple[str, ...]
    specializations: int | None
    score: Score
    outside: str  # how to handle records outside the domains: one of `OUTSIDE`

    def public(self) -> dict[str, Any]:
        """Return the settings in the form that a release stores."""
        return {
            "epsilon": str(self.epsilon),
            "specializations": CHOSEN if self.specializations is None else self.specializations,
            "score": self.score.name,
            "outside": self.outside,
            "target": self.target,
            "classes": list(self.classes),
        }


@dataclass(frozen=True)
class EveryUseSettings:
    """The settings of a release for general use. All settings are public.

    A target is a column with declared classes, and is treated like any other column.
    """

    epsilon: Fraction
    target: str | None
    classes: tuple[str, ...]
    outside: str  # how to handle records outside the domains: one of `OUTSIDE`

    def public(self) -> dict[str, Any]:
        """Return the settings in the form that a release stores."""
        named = {} if self.target is None else {"target": self.target}
        found = {"epsilon": str(self.epsilon), "for": EVERYTHING, "outside": self.outside}
        return {**found, **named, "classes": list(self.classes)}


@dataclass(frozen=True)
class SampleSettings:
    """The settings of a generalized sample. All settings are public."""

    epsilon: Fraction
    delta: float
    levels: Mapping[str, int] | None  # by column, or None for a private choice
    share: Fraction  # of epsilon, for the choice of levels
    outside: str  # how to handle records outside the domains: one of `OUTSIDE`
    target: None = None  # all columns are generalized, so no target is released unchanged
    classes: tuple[str, ...] = ()

    def public(self) -> dict[str, Any]:
        """Return the settings in the form that a release stores."""
        chosen = {"levels": CHOSEN, "share": str(self.share)}
        found = chosen if self.levels is None else {"levels": dict(self.levels)}
        return {
            "epsilon": str(self.epsilon),
            "delta": self.delta,
            "for": SAMPLE,
            **found,
            "outside": self.outside,
        }


AnySettings: TypeAlias = PrivateSettings | EveryUseSettings | SampleSettings

PURPOSES = ("target", EVERYTHING, SAMPLE)


def every_use_settings_of(
    epsilon: Epsilon | None,
    target: str | None,
    classes: Sequence[str],
    specializations: int | str | None = None,
    score: str | None = None,
    outside: str | None = None,
) -> EveryUseSettings:
    """Return the checked settings for a release for general use."""
    for key, value in {"specializations": specializations, "score": score}.items():
        if value is not None:
            what = "a release for general use does not make specializations for a single target"
            raise wrong(key, what, f"leave this setting out, or leave {option('purpose')} out")
    if target is None and classes:
        what, fix = (
            "classes are given, but no target is named",
            ("name the column that contains them"),
        )
        raise wrong("target", what, f"{fix}, or declare its {option('values')}")
    return EveryUseSettings(
        epsilon_of(epsilon),
        target,
        () if target is None else _classes(target, classes),
        choose(OUTSIDE[0] if outside is None else outside, OUTSIDE, option("outside")),
    )


def settings_of(
    epsilon: Epsilon | None,
    target: str | None,
    classes: Sequence[str],
    specializations: int | str | None = None,
    score: str | None = None,
    outside: str | None = None,
) -> PrivateSettings:
    """Return the checked settings for a release with a target."""
    amount = epsilon_of(epsilon)
    if not target:
        everything = option("purpose", "everything")
        fix = f"give the column to predict, or release the table for general use: {everything}"
        raise wrong("target", "no target is named", fix)
    return PrivateSettings(
        amount,
        target,
        _classes(target, classes),
        specializations_of(AUTO if specializations is None else specializations),
        SCORES[choose("max" if score is None else score, tuple(SCORES), option("score"))],
        choose(OUTSIDE[0] if outside is None else outside, OUTSIDE, option("outside")),
    )


def epsilon_of(given: Epsilon | None, key: str = "epsilon") -> Fraction:
    """Return the privacy budget of a field as an exact fraction."""
    number = fraction_of(given)
    fix = "give the privacy budget of the release, such as 1"
    if given is None:
        what, fix = "no epsilon is given", f"{fix}; a smaller epsilon protects more"
    elif number is None:
        what = f"{quoted(str(given))} is not a valid epsilon"
        fix = "write it as 1, 0.5, or 1/3"
    elif number <= 0:
        what = f"epsilon is {given}, but must be above 0"
    elif number > _LARGEST:
        what = f"an epsilon above {_LARGEST:,} protects no one"
    else:
        return number
    raise wrong(key, what, fix)


def specializations_of(given: int | str) -> int | None:
    """Return the number of specializations, or None if it is chosen privately."""
    if given == AUTO:
        return None
    text = str(given).strip()
    if isinstance(given, bool) or not re.fullmatch(r"[+-]?\d{1,9}", text, re.ASCII):
        what = f"{quoted(text)} is not a number of specializations"
        fix = f"give a whole number, such as 10, or {AUTO}"
    elif not 0 <= int(text) <= _MOST:
        what = f"{text} is not a valid number of specializations"
        fix = f"give a number from 0 to {_MOST:,}, or {AUTO}"
    else:
        return int(text)
    raise wrong("specializations", what, fix)


def fraction_of(given: object) -> Fraction | None:
    """Convert a number to an exact fraction, or return None for other values."""
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
    classes = tuple(str(one) for one in given)
    twice = next((one for one in classes if classes.count(one) > 1), None)
    if isinstance(given, str):
        what, fix = "a single string is given", "give a list of classes"
    elif not classes:
        what = "the classes are not declared"
        fix = (
            f"declare {option('classes', {target: ('A', 'B')})}, based on what the column can "
            "contain, not on this table"
        )
    elif twice is not None:
        what, fix = f"{quoted(twice)} is listed twice", "list each class once"
    elif len(classes) < _FEWEST_CLASSES:
        what, fix = "with a single class, there is nothing to predict", "list all possible classes"
    else:
        return classes
    raise SettingError(what, where=f"classes of {target!r}", fix=fix)
