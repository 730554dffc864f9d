"""The map of the step: its picture, the points that the page's script answers with, and a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roadstead.reports.charts.svg import NARROW, WIDE, Picture, picture
from roadstead.reports.charts.tradeoff import PlacedRelease, TradeoffChart
from roadstead.web.sessions.candidates import CandidateState

_LISTED = 12


def chart(
    frontier: Mapping[str, Any], candidates: Sequence[CandidateState]
) -> TradeoffChart | None:
    """Make the map; None where there is nothing to show."""
    if not frontier and not candidates:
        return None
    harbor = frontier.get("safe_harbor")
    original = frontier.get("original")
    return TradeoffChart(
        [(one[1], one[2]) for one in frontier.get("points", ())],
        tuple(
            PlacedRelease(
                one.number,
                one.tried.title,
                one.facts["risk"],
                one.facts["left_open"],
                one.kind,
                one.chosen,
            )
            for one in candidates
        ),
        None if original is None else (original[1], original[2]),
        None if harbor is None else (harbor[1], harbor[2]),
        frontier.get("units", "records"),
    )


def drawing(frontier: Mapping[str, Any], candidates: Sequence[CandidateState]) -> Picture | None:
    """Draw the map, for wide and for narrow windows."""
    found = chart(frontier, candidates)
    return None if found is None else picture(found)


def points(frontier: Mapping[str, Any], candidates: Sequence[CandidateState]) -> dict[str, Any]:
    """Give the points with what is said of each, and where the scales put them."""
    found = chart(frontier, candidates)
    if found is None:
        return {"points": [], "releases": []}
    canvases = {"wide": WIDE, "narrow": NARROW}
    return {
        **{
            key: frontier.get(key, [])
            for key in ("points", "phrases", "attributes", "safe_harbor", "original")
        },
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
        "words": [[own["name"], said(own)] for own in facts["attributes"]],
    }


def said(attribute: Mapping[str, Any]) -> str:
    """Say what became of a column: what its policy says, or its bands."""
    if attribute["words"]:
        return str(attribute["words"])
    bands = len(attribute["bands"]) + attribute["more"]
    return "any value" if bands == 1 else f"{bands:,} groups of values"


def suppressed(facts: Mapping[str, Any]) -> str:
    """Say how many records, and persons, are suppressed."""
    records = f"{facts['suppressed']:,} of {facts['records']:,} records"
    persons = facts.get("persons")
    if persons is None:
        return records
    return f"{records}; {persons['left_out']:,} of {persons['persons']:,} persons"


def listed(frontier: Mapping[str, Any], first: int) -> dict[str, Any]:
    """Give some policies of the frontier, from a place on, with their words."""
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
            {"index": index, "risk": risk, "loss": loss, "words": [phrases[w] for w in words]}
            for index, risk, loss, words, _ in every[begin : begin + _LISTED]
        ],
    }
