"""Convert the privacy models of an ARX project, which are strings such as ``5-anonymity``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from roadstead.printable import named
from roadstead.reports.wording import listed
from roadstead.verbs.scan.arx.stored import ESTIMATED, UNIQUENESS, StoredSettings

_N = r"\d+(?:\.\d+)?(?:E-?\d+)?"
_OF = r" for attribute '(?P<column>.*)'"
_STAKES = r"(?:\[benefit=(?P<benefit>N), loss=(?P<loss>N), gain=(?P<gain>N), cost=(?P<cost>N)\])?"
_COSTS = r"(?:\[benefit=N, loss=N, gain=(?P<gain>N), cost=(?P<cost>N)\])?"
_FORMS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    r"distinct-(?P<l>N)-diversity" + _OF: ("distinct-l-diversity", {}),
    r"(?:shannon-)?entropy-(?P<l>N)-diversity" + _OF: ("entropy-l-diversity", {}),
    r"grassberger-entropy-(?P<l>N)-diversity" + _OF: ("grassberger-l-diversity", {}),
    r"recursive-\((?P<c>N),(?P<l>N)\)-diversity" + _OF: ("recursive-cl-diversity", {}),
    r"(?P<t>N)-closeness with equal ground-distance" + _OF: ("t-closeness", {"distance": "equal"}),
    r"(?P<t>N)-closeness with hierarchical ground-distance" + _OF: (
        "t-closeness",
        {"distance": "hierarchical"},
    ),
    r"(?P<t>N)-closeness with ordered distance" + _OF: ("t-closeness", {"distance": "ordered"}),
    r"(?P<delta>N)-disclosure privacy" + _OF: ("delta-disclosure", {"every_value": False}),
    r"basic-(?P<beta>N)-likeness" + _OF: ("beta-likeness", {"enhanced": False}),
    r"enhanced-(?P<beta>N)-likeness" + _OF: ("beta-likeness", {"enhanced": True}),
    r"\((?P<average>N)\)-avg-reidentification-risk": ("average-risk", {}),
    r"\((?P<average>N), N \((?P<maximum>N)\), 0\.0\)-avg-reidentification-risk": (
        "strict-average-risk",
        {},
    ),
    r"\((?P<average>N), N \((?P<maximum>N)\), (?P<at_risk>N)\)-avg-reidentification-risk": (
        "records-at-risk",
        {},
    ),
    r"\((?P<maximum>N)\)-sample-uniqueness": ("sample-uniqueness", {}),
    r"\((?P<maximum>N)\)-population-uniqueness \((?P<estimator>dankar|pitman|zayatz|snb)\)": (
        "population-uniqueness",
        {},
    ),
    r"\((?P<k>N)\)-map": ("k-map", {}),
    r"\((?P<minimum>N),(?P<maximum>N)\)-presence": ("delta-presence", {}),
    r"profitability \(prosecutor\)" + _STAKES: ("profitability", {}),
    r"profitability \(journalist\)" + _STAKES: ("profitability-journalist", {}),
    r"no-attack-profitability \(prosecutor\)" + _COSTS: ("no-attack", {}),
    r"no-attack-profitability \(journalist\)" + _COSTS: ("no-attack-journalist", {}),
}
"""Patterns of ARX models, mapped to Roadstead's settings."""
_K: Final = "(?P<k>N)-anonymity"
_ESTIMATED: Final = r"\((?P<map>N)\)-map estimated as \((?P<k>N|unknown)\)-anonymity \(.*\)"
_PRIVATE: Final = r"\((?P<epsilon>N),(?P<delta>N)\)-DP"
_SELECTED: Final = "Inclusion"
_UNREAD: Final = "ARX stores the setting in a form that Roadstead does not read."
_TWO, _FOUR = ("gain", "cost"), ("benefit", "loss", "gain", "cost")
_AMOUNTS: Final[Mapping[str, tuple[str, ...]]] = {
    "no-attack": _TWO,
    "no-attack-journalist": _TWO,
    "profitability": _FOUR,
    "profitability-journalist": _FOUR,
}
POPULATION_MODELS = frozenset(("k-map", "delta-presence"))
"""The models that compare selected rows with the whole table."""
_JOURNALISTS = frozenset(("profitability-journalist", "no-attack-journalist"))
_WHOLE = ("k", "l")


@dataclass
class ArxModels:
    """The privacy models of an ARX project, as settings for a project file.

    If the project does not require k-anonymity, `k` is None. `models` contains the settings of the
    other models. `private` contains the epsilon and delta of differential privacy. `selects` is
    true if ARX releases only some rows. `notes` describes differences from ARX in sentences.
    """

    k: int | None = None
    models: list[dict[str, Any]] = field(default_factory=list)
    private: dict[str, float | int | str] = field(default_factory=dict)
    selects: bool = False
    notes: list[str] = field(default_factory=list)


def models_of(criteria: Iterable[str], stored: StoredSettings, records: int) -> ArxModels:
    """Convert the privacy models of a project in which ARX releases `records` records.

    A model that Roadstead does not support keeps its name from ARX. In this case, `anonymize`
    reports an error until a person edits the project file.
    """
    found = ArxModels()
    for text in sorted(criteria):
        if (match := _match(_K, text)) is not None:
            found.k = _numbers(match)["k"]
        elif (match := _match(_ESTIMATED, text)) is not None:
            _add_estimated(found, match, stored.people.get(ESTIMATED), records)
        elif (match := _match(_PRIVATE, text)) is not None:
            found.private = {**_numbers(match), "for": "sample"}
            found.notes.append(
                f"ARX requires {text}, a kind of differential privacy. `anonymize` does not offer "
                "it: use `roadstead synthesize` with the section [synthesis]."
            )
        elif text == _SELECTED:
            found.selects = True
        else:
            _add(found, text, stored)
    _settle_k(found)
    return found


def _add(found: ArxModels, text: str, stored: StoredSettings) -> None:
    for form, (kind, more) in _FORMS.items():
        if (match := _match(form, text)) is not None:
            amounts = stored.amounts_of(_AMOUNTS.get(kind, ()))
            found.models.append({"kind": kind, **amounts, **_numbers(match), **more})
            if kind == "population-uniqueness" and UNIQUENESS in stored.people:
                found.models[-1]["people"] = stored.people[UNIQUENESS]
            found.notes += _lacking(kind, found.models[-1])
            return
    found.models.append({"kind": text})
    found.notes.append(
        f"Roadstead does not have the privacy model {named(text)}. `anonymize` stops until you "
        "replace or remove it."
    )


def _lacking(kind: str, settings: Mapping[str, Any]) -> Iterator[str]:
    if kind in _JOURNALISTS:
        yield f"{kind}: add a table of the population under `population`."
    if kind in _AMOUNTS and "gain" not in settings:
        yield f"{kind}: add {listed([f'`{one}`' for one in _AMOUNTS[kind]])}. {_UNREAD}"
    if kind == "population-uniqueness" and "people" not in settings:
        yield f"{kind}: add `people`, the number of people in the population. {_UNREAD}"


def _add_estimated(
    found: ArxModels, match: re.Match[str], people: int | None, records: int
) -> None:
    """Use the group size that ARX derived for k-map, or `people` if there is no group size."""
    wanted = int(match["map"])
    if match["k"] == "unknown" and people is not None and people >= records:
        fraction = records / people
        found.models.append({"kind": "estimated-k-map", "k": wanted, "fraction": fraction})
        return
    if match["k"] == "unknown":
        found.models.append({"kind": "estimated-k-map", "k": wanted})
        found.notes.append(
            "estimated-k-map: add `fraction`, the share of the population that is in the table. "
            f"{_UNREAD}"
        )
        return
    found.k = max(int(match["k"]), found.k or 0)
    found.notes.append(
        f"ARX estimates that groups of {match['k']} records satisfy {wanted}-map. In the project "
        "file, this number is `k`. For Roadstead's own estimate, use estimated-k-map."
    )


def _settle_k(found: ArxModels) -> None:
    """Set k and add a note if the project does not require k-anonymity."""
    if found.k is not None:
        return
    if found.models:
        found.k = 1
        found.notes.append("The ARX project does not require k-anonymity, so `k` is 1.")
    else:
        found.notes.append(
            "The ARX project does not have a privacy model for `anonymize`, so `k` is 5."
        )


def _match(form: str, text: str) -> re.Match[str] | None:
    return re.fullmatch(re.sub(r"\bN\b", lambda _: _N, form), text, re.ASCII)


def _numbers(match: re.Match[str]) -> dict[str, Any]:
    return {key: _number(key, text) for key, text in match.groupdict().items() if text is not None}


def _number(key: str, text: str) -> float | int | str:
    if key in ("column", "estimator"):
        return text
    number = float(text)
    return int(number) if key in _WHOLE and number.is_integer() else number
