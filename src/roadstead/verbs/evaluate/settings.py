"""What is asked of a rehearsal, checked before the table is looked at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from typing import Any, TypeAlias, TypeVar

from roadstead.differential.evaluation.classifiers import CLASSIFIERS, Classifier, Majority
from roadstead.errors import MissingExtraError, SettingError, quoted
from roadstead.front_end import option
from roadstead.verbs.evaluate.found import Way
from roadstead.verbs.settings import choose
from roadstead.verbs.synthesize.settings import Epsilon, Request, request_of

Several: TypeAlias = Epsilon | Sequence[Epsilon]
"""One, several, or several in a text with commas."""

RUNS, SHARE, K, BANDS = 10, "1/3", 5, 2
_MOST_RUNS = 1_000
COMPARATORS = ("top-down", "contingency")
NONE = "none"
LEARNING = tuple(name for name, one in CLASSIFIERS.items() if not isinstance(one, Majority))
"""Classifiers that learn; the majority class is told anyway, as LA."""

_SHARE = re.compile(r"\d{0,9}\.?\d{1,9}|\d{1,9}/\d{0,8}[1-9]\d{0,8}", re.ASCII)
One = TypeVar("One")


@dataclass(frozen=True)
class Rehearsal:
    """What is rehearsed, and how.

    Attributes
    ----------
    requests
        One for each budget and number of specializations; else alike.
    classifiers
        What learns.
    comparators
        What the releases are compared with.
    runs
        How often the records are parted anew.
    share
        The part of the records that is held out.
    k
        The least size of a group in top-down specialization.
    bands
        Into how many bands the contingency table parts numbers.
    seed
        Of the parting and of chance in classifiers; the noise has none.
    """

    requests: tuple[Request, ...]
    classifiers: tuple[Classifier, ...]
    comparators: tuple[str, ...]
    runs: int
    share: Fraction
    k: int
    bands: int
    seed: int

    @property
    def ways(self) -> tuple[Way, ...]:
        """What is tried in each run, in the order of the tables."""
        found = [Way("diffgen", one.epsilon, one.specializations) for one in self.requests]
        if "contingency" in self.comparators:
            budgets = dict.fromkeys(one.epsilon for one in self.requests)
            found += [Way("contingency", epsilon, detail=self.bands) for epsilon in budgets]
        if "top-down" in self.comparators:
            found.append(Way("top-down", detail=self.k))
        return tuple(found)

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for."""
        first = self.requests[0]
        made = dict.fromkeys(one.specializations for one in self.requests)
        return {
            "epsilon": [str(one) for one in dict.fromkeys(one.epsilon for one in self.requests)],
            "specializations": ["chosen privately" if one is None else one for one in made],
            "score": first.score.name,
            "outside": first.outside,
            "target": first.target,
            "classes": list(first.classes),
            "runs": self.runs,
            "held_out_share": str(self.share),
            "classifiers": [one.name for one in self.classifiers],
            "comparators": list(self.comparators),
            "k": self.k,
            "bands": self.bands,
            "seed": self.seed,
        }


def requests_of(
    epsilon: Several | None,
    target: str | None,
    classes: Sequence[str],
    specializations: Several,
    score: str,
    outside: str,
) -> tuple[Request, ...]:
    """Check what is to be rehearsed: each budget with each number of specializations.

    Raises
    ------
    SettingError
        When something is missing, out of its range, not known or given twice.
    """
    budgets: list[Epsilon | None] = (
        [None] if epsilon is None else _parts(epsilon, option("epsilon"))
    )
    found = [
        request_of(one, target, classes, steps, score, outside)  # type: ignore[arg-type] # it checks itself
        for one in budgets
        for steps in _parts(specializations, option("specializations"))
    ]
    _twice(
        [(one.epsilon, one.specializations) for one in found],
        f"{option('epsilon')}, {option('specializations')}",
    )
    return tuple(found)


def classifiers_of(given: str | Sequence[str]) -> tuple[Classifier, ...]:
    """Find classifiers by their names, and see that their library is there.

    Raises
    ------
    SettingError
        One is not known, or there is none.
    MissingExtraError
        scikit-learn is not installed.
    """
    wanted = _names(given)
    if not wanted:
        raise SettingError(
            "no classifier is named",
            where=option("classifiers"),
            fix=f"name {' or '.join(LEARNING)}",
        )
    found = tuple(CLASSIFIERS[choose(one, LEARNING, option("classifiers"))] for one in wanted)
    _twice(wanted, option("classifiers"))
    if find_spec("sklearn") is None:
        raise MissingExtraError("classifiers need scikit-learn", fix="pip install 'roadstead[dp]'")
    return found


def comparators_of(given: str | Sequence[str]) -> tuple[str, ...]:
    """Check the names of what to compare with; ``none`` for nothing.

    Raises
    ------
    SettingError
        One is not known.
    """
    wanted = _names(given)
    if wanted in ((), (NONE,)):
        return ()
    _twice(wanted, option("comparators"))
    return tuple(choose(one, COMPARATORS, option("comparators")) for one in wanted)


def share_of(given: Epsilon) -> Fraction:
    """Read the part of the records to be held out, as it is written.

    Raises
    ------
    SettingError
        It is no number between 0 and 1.
    """
    text = str(given).strip()
    share = Fraction(text) if _SHARE.fullmatch(text) else None
    if share is None or not 0 < share < 1:
        raise SettingError(
            f"{quoted(text)} is not a part of the records",
            where=option("held_out_share"),
            fix="give a number between 0 and 1, such as 1/3 or 0.2",
        )
    return share


def whole_of(given: int, least: int, option: str, what: str, most: int = 10**9) -> int:
    """Check a whole number.

    Raises
    ------
    SettingError
        It is not one, or out of its range.
    """
    if isinstance(given, bool) or not least <= given <= most:
        raise SettingError(
            f"there cannot be {given} {what}",
            where=option,
            fix=f"give a whole number from {least} to {most:,}"
            if most < 10**9
            else f"give a whole number of at least {least}",
        )
    return given


def runs_of(given: int) -> int:
    """Check the number of runs.

    Raises
    ------
    SettingError
        It is below 1, or beyond all patience.
    """
    return whole_of(given, 1, option("runs"), "runs", _MOST_RUNS)


def _parts(given: Several, option: str) -> list[Epsilon | None]:
    """List one or several; texts are taken apart at commas."""
    if isinstance(given, str):
        parts: list[Epsilon | None] = [one.strip() for one in given.split(",") if one.strip()]
    elif isinstance(given, Sequence):
        parts = list(given)
    else:
        parts = [given]
    if not parts:
        raise SettingError("nothing is given", where=option, fix=f"write {option} 1")
    return parts


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    texts = [given] if isinstance(given, str) else given
    return tuple(part.strip() for one in texts for part in one.split(",") if part.strip())


def _twice(found: Sequence[object], option: str) -> None:
    if len(set(found)) < len(found):
        raise SettingError("something is given twice", where=option, fix="leave one of them out")
