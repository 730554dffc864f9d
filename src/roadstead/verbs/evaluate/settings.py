"""Check the settings of a rehearsal before any record is used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from roadstead.differential.evaluation.classifiers import CLASSIFIERS, Classifier, Majority
from roadstead.errors import MissingExtraError, SettingError, quoted
from roadstead.front_end import option
from roadstead.reports.evaluation.facts import ReleaseMethod
from roadstead.reports.synthesis.facts import CHOSEN
from roadstead.requests.checks import wrong
from roadstead.verbs.settings import choose
from roadstead.verbs.synthesize.settings import Epsilon, PrivateSettings, settings_of

if TYPE_CHECKING:
    from roadstead.verbs.evaluate.request import EvaluateRequest

Several: TypeAlias = Epsilon | Sequence[Epsilon]
"""One value, several values, or a comma-separated string."""

_MOST_RUNS, _MOST = 1_000, 10**9
COMPARATORS = ("top-down", "contingency")
LEARNING = tuple(name for name, one in CLASSIFIERS.items() if not isinstance(one, Majority))
"""The classifiers that learn, excluding the majority class."""

_SHARE = re.compile(r"\d{0,9}\.?\d{1,9}|\d{1,9}/\d{0,8}[1-9]\d{0,8}", re.ASCII)


@dataclass(frozen=True)
class RehearsalSettings:
    """The settings of a rehearsal.

    The rehearsal tests one release for each combination of a budget and a number of
    specializations. `share` is the fraction of records that are held out. `k` is the smallest group
    size in top-down specialization. `bands` is the number of intervals per numeric column in the
    contingency table. The seed controls the split and the classifiers, but not the noise.
    """

    releases: tuple[PrivateSettings, ...]
    classifiers: tuple[Classifier, ...]
    comparators: tuple[str, ...]
    runs: int
    share: Fraction
    k: int
    bands: int
    seed: int

    @property
    def ways(self) -> tuple[ReleaseMethod, ...]:
        """Return the methods that each run tests, in the order of the result tables."""
        found = [
            ReleaseMethod("diffgen", one.epsilon, one.specializations) for one in self.releases
        ]
        if "contingency" in self.comparators:
            budgets = dict.fromkeys(one.epsilon for one in self.releases)
            found += [
                ReleaseMethod("contingency", epsilon, detail=self.bands) for epsilon in budgets
            ]
        if "top-down" in self.comparators:
            found.append(ReleaseMethod("top-down", detail=self.k))
        return tuple(found)

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings in the form that the JSON file stores."""
        made = dict.fromkeys(one.specializations for one in self.releases)
        return {
            **self.releases[0].public(),
            "epsilon": [str(one) for one in dict.fromkeys(one.epsilon for one in self.releases)],
            "specializations": [CHOSEN if one is None else one for one in made],
            "runs": self.runs,
            "held_out_share": str(self.share),
            "classifiers": [one.name for one in self.classifiers],
            "comparators": list(self.comparators),
            "k": self.k,
            "bands": self.bands,
            "seed": self.seed,
        }


def rehearsal_of(
    request: EvaluateRequest,
    classes: Sequence[str],
    classifiers: tuple[Classifier, ...],
    seed: int,
) -> RehearsalSettings:
    """Validate the settings of a rehearsal, and return them."""
    return RehearsalSettings(
        releases=releases_of(
            request.epsilon,
            request.target,
            classes,
            request.specializations,
            request.score,
            request.outside,
        ),
        classifiers=classifiers,
        comparators=comparators_of(request.comparators),
        runs=whole_of(request.runs, 10, "runs", "runs", _MOST_RUNS),
        share=share_of("1/3" if request.held_out_share is None else request.held_out_share),
        k=whole_of(request.k, 5, "k", "records in a group"),
        bands=whole_of(request.bands, 2, "bands", "bands"),
        seed=seed,
    )


def releases_of(
    epsilon: Several | None,
    target: str | None,
    classes: Sequence[str],
    specializations: Several | None = None,
    score: str | None = None,
    outside: str | None = None,
) -> tuple[PrivateSettings, ...]:
    """Return the settings of one release for each budget and number of specializations."""
    budgets = _parts(epsilon, "epsilon")
    found = [
        settings_of(one, target, classes, steps, score, outside)  # type: ignore[arg-type] # it checks itself
        for one in budgets
        for steps in _parts(specializations, "specializations")
    ]
    _twice(
        [(one.epsilon, one.specializations) for one in found],
        f"{option('epsilon')}, {option('specializations')}",
    )
    return tuple(found)


def classifiers_of(
    given: str | Sequence[str] | None, usual: Sequence[str] = ()
) -> tuple[Classifier, ...]:
    """Return the named or the default classifiers. The required library must be installed."""
    chosen = _names(usual if given is None else given)
    if not chosen:
        raise wrong("classifiers", "no classifier is named", f"name {' or '.join(LEARNING)}")
    found = tuple(CLASSIFIERS[choose(one, LEARNING, option("classifiers"))] for one in chosen)
    _twice(chosen, option("classifiers"))
    if find_spec("sklearn") is None:
        raise MissingExtraError("classifiers need scikit-learn", fix="pip install 'roadstead[dp]'")
    return found


def comparators_of(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Check the names of the comparison methods. The name ``none`` means no comparison."""
    chosen = COMPARATORS if given is None else _names(given)
    if chosen in ((), ("none",)):
        return ()
    _twice(chosen, option("comparators"))
    return tuple(choose(one, COMPARATORS, option("comparators")) for one in chosen)


def share_of(given: Epsilon) -> Fraction:
    """Return the share of records to hold out as an exact fraction."""
    text = str(given).strip()
    share = Fraction(text) if _SHARE.fullmatch(text) else None
    if share is None or not 0 < share < 1:
        raise wrong(
            "held_out_share",
            f"{quoted(text)} is not a share of the records",
            "give a number between 0 and 1, such as 1/3 or 0.2",
        )
    return share


def whole_of(given: int | None, usual: int, key: str, what: str, most: int | None = None) -> int:
    """Check a whole number of 1 or more, or return the default."""
    if given is None:
        return usual
    if isinstance(given, bool) or not 1 <= given <= (most or _MOST):
        range_ = f"from 1 to {most:,}" if most else "of at least 1"
        raise wrong(
            key, f"{given} is not a valid number of {what}", f"give a whole number {range_}"
        )
    return given


def _parts(given: Several | None, key: str) -> list[Epsilon | None]:
    """Convert one value, several values, or None to a list. Strings are split at commas."""
    parts: list[Epsilon | None] = [given]  # type: ignore[list-item] # neither a string nor a list
    if isinstance(given, str):
        parts = [one.strip() for one in given.split(",") if one.strip()]
    elif isinstance(given, Sequence):
        parts = list(given)
    if not parts:
        raise wrong(key, "nothing is given", f"write {option(key, '1')}")
    return parts


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    texts = [given] if isinstance(given, str) else given
    return tuple(part.strip() for one in texts for part in one.split(",") if part.strip())


def _twice(found: Sequence[object], option: str) -> None:
    if len(set(found)) < len(found):
        raise SettingError(
            "the same item is given twice", where=option, fix="leave one of them out"
        )
