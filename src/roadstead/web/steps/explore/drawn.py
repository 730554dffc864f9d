"""Draw the map for the fourth step.

The result has a picture, the points for the page's script, and a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roadstead.reports.charts.svg import NARROW, WIDE, Picture, picture
from roadstead.reports.charts.tradeoff import PlacedRelease, TradeoffChart
from roadstead.reports.wording import people_losing
from roadstead.web.sessions.candidates import CandidateState
from roadstead.web.sessions.declared_promise import DeclaredOnPage

_LISTED = 12
_SMALLEST = 5
"""The index, within a point, of the size of the smallest group."""
_WHY_NOT = 6
"""The index, within a point, of the reason why the policy cannot be released."""


def keeps(declared: DeclaredOnPage, point: Sequence[Any]) -> bool:
    """Return whether a policy of the frontier meets the declared requirements."""
    return not missing(declared, point)


def why_not(point: Sequence[Any]) -> str:
    """Return why a policy of the frontier cannot be released, or an empty string."""
    return str(point[_WHY_NOT]) if len(point) > _WHY_NOT else ""


def missing(declared: DeclaredOnPage, point: Sequence[Any]) -> tuple[str, ...]:
    """Return the declared requirements that a policy of the frontier does not meet."""
    return declared.missing(int(point[_SMALLEST]) if len(point) > _SMALLEST else 1, ())


def chart(
    frontier: Mapping[str, Any],
    candidates: Sequence[CandidateState],
    declared: DeclaredOnPage,
) -> TradeoffChart | None:
    """Return the map, or None if there is nothing to show."""
    if not frontier and not candidates:
        return None
    harbor = frontier.get("safe_harbor")
    original = frontier.get("original")
    return TradeoffChart(
        [(one[1], one[2]) for one in frontier.get("points", ()) if keeps(declared, one)],
        tuple(
            PlacedRelease(
                one.number,
                one.tried.title,
                one.facts["risk"],
                one.facts["left_open"],
                one.kind,
                one.chosen,
                bool(one.missing),
            )
            for one in candidates
        ),
        None if original is None else (original[1], original[2]),
        None if harbor is None else (harbor[1], harbor[2]),
        "persons" if counts_people(frontier, candidates) else "records",
        below=[(one[1], one[2]) for one in frontier.get("points", ()) if not keeps(declared, one)],
    )


def counts_people(frontier: Mapping[str, Any], candidates: Sequence[CandidateState]) -> bool:
    """Return whether the risks on the map are risks of people."""
    units = "persons" if any(one.facts.get("persons") for one in candidates) else "records"
    return bool(frontier.get("units", units) == "persons")


def drawing(
    frontier: Mapping[str, Any],
    candidates: Sequence[CandidateState],
    declared: DeclaredOnPage,
) -> Picture | None:
    """Draw the map in two versions, for wide and for narrow windows."""
    found = chart(frontier, candidates, declared)
    return None if found is None else picture(found)


def points(
    frontier: Mapping[str, Any],
    candidates: Sequence[CandidateState],
    declared: DeclaredOnPage,
) -> dict[str, Any]:
    """Return the points, their text, and the scales.

    The last two items of a point are the reason why its policy cannot be released, and whether the
    policy meets the declared requirements.
    """
    found = chart(frontier, candidates, declared)
    if found is None:
        return {"points": [], "releases": []}
    canvases = {"wide": WIDE, "narrow": NARROW}
    return {
        **{
            key: frontier.get(key, [])
            for key in ("phrases", "attributes", "safe_harbor", "original")
        },
        "points": [
            [*one[:_SMALLEST], why_not(one), keeps(declared, one)]
            for one in frontier.get("points", ())
        ],
        "declared": declared.words,
        "number": frontier.get("number", 0),
        "releases": [_release(one) for one in candidates],
        "scales": {name: found.scale(one)._asdict() for name, one in canvases.items()},
    }


def _release(one: CandidateState) -> dict[str, Any]:
    facts = one.facts
    return {
        "name": one.name,
        "title": f"{one.number} {one.tried.title}",
        "risk": facts["risk"],
        "loss": facts["left_open"],
        "suppressed": suppressed(facts),
        "kept": not one.missing,
        "words": [[own["name"], said(own)] for own in facts["attributes"]],
    }


def said(attribute: Mapping[str, Any]) -> str:
    """Describe the treatment of a column by its policy or its bands."""
    if attribute["words"]:
        return str(attribute["words"])
    bands = len(attribute["bands"]) + attribute["more"]
    return "any value" if bands == 1 else f"{bands:,} groups of values"


def suppressed(facts: Mapping[str, Any]) -> str:
    """Report how many records are suppressed and, if people are counted, how many people."""
    records = f"{facts['suppressed']:,} of {facts['records']:,} records"
    persons = facts.get("persons")
    if persons is None:
        return records
    return f"{records}; {of_people(persons)}"


def of_people(persons: Mapping[str, Any]) -> str:
    """Report how many people lost records, and what the limit of suppression counts."""
    if persons.get("whole"):
        return f"{persons['left_out']:,} of {persons['persons']:,} people; the limit counts people"
    losing = people_losing(persons["left_out"], persons.get("in_part", 0))
    return f"{losing}; the limit counts records"


def listed(frontier: Mapping[str, Any], first: int, declared: DeclaredOnPage) -> dict[str, Any]:
    """Return some policies of the frontier and their descriptions, starting at an index."""
    every = frontier.get("points", [])
    begin = min(first, max(len(every) - 1, 0))
    begin -= begin % _LISTED
    phrases = frontier.get("phrases", [])
    return {
        "first": begin,
        "many": _LISTED,
        "of": len(every),
        "number": frontier.get("number", 0),
        "attributes": frontier.get("attributes", []),
        "rows": [
            {
                "index": one[0],
                "risk": one[1],
                "loss": one[2],
                "words": [phrases[w] for w in one[3]],
                "kept": keeps(declared, one),
                "why_not": why_not(one),
            }
            for one in every[begin : begin + _LISTED]
        ],
    }
