"""Search for the frontier of a project. The frontier has the same scale as the candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roadstead.errors import RoadsteadError
from roadstead.jobs import Observer
from roadstead.printable import printable
from roadstead.reports.wording import listed
from roadstead.verbs.frontier.release import RARE
from roadstead.verbs.frontier.scale import PlacedPolicy, placed
from roadstead.web.work.deliver import request_of
from roadstead.web.work.trials.persons import FEWEST

_LEVELS = "exact"
MOST = 5_000
"""The largest number of policies on a page. If there are more, evenly spaced policies are shown."""


def frontier(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Search for a frontier. Return each policy with its risk, its loss, and its rules in words.

    Each phrase is stored once and then referred to by its index, because thousands of policies
    share most phrases.
    """
    found, fields, notes = _searched(given, observer)
    phrases: dict[str, int] = {}

    def coded(words: Sequence[str]) -> list[int]:
        return [phrases.setdefault(printable(text), len(phrases)) for text in words]

    def shown(one: PlacedPolicy | None) -> list[Any] | None:
        return (
            None
            if one is None
            else [
                *(one.index, one.risk, one.loss, coded(one.words)),
                *(one.released and not one.lists, one.smallest, _why_not(one)),
            ]
        )

    observer.note("drawing the map")
    frontier = placed(found, MOST, given["covered"], FEWEST)
    search = found.search
    return {
        "points": [shown(one) for one in frontier.members],
        "original": shown(frontier.original),
        "safe_harbor": shown(frontier.safe_harbor),
        "phrases": list(phrases),
        "attributes": [printable(name) for name in found.attributes],
        "number": len(found.members),
        "size": found.policies.size,
        "cuts": found.policies.boundaries is not None,
        "proven": search.gap == 0,
        "ending": search.ending,
        "evaluated": search.evaluated,
        "known": search.known,
        "units": found.risk.units,
        "counted": found.counted.sentence,
        "population": None
        if found.population.basis in ("sample", "persons")
        else found.population.label,
        "notes": [*notes, *found.notes],
        "given": fields,
        "seconds": found.seconds,
    }


def _why_not(one: PlacedPolicy) -> str:
    """Return why a policy cannot be released, or an empty string."""
    if not one.released:
        return "it leaves at least one person unique"
    if one.lists:
        names = listed([printable(name) for name in one.lists])
        return f"it would list values of {names} that fewer than {RARE} records have"
    return ""


def _searched(
    given: Mapping[str, Any], observer: Observer
) -> tuple[Any, dict[str, Any], list[str]]:
    """Search for a frontier. If a search of cuts is impossible, search levels and add a note."""
    fields = dict(given["given"])
    try:
        return request_of({**given, "verb": "frontier"}).run(observer), fields, []
    except RoadsteadError as error:
        if "search" in fields:
            raise
        fields["search"] = _LEVELS
        observer.note("searching the levels of the hierarchies")
        request = request_of({**given, "verb": "frontier", "given": fields})
        try:
            found = request.run(observer)
        except RoadsteadError:
            raise error from None
        because = "boundaries between values are not possible here"
        note = f"This search used levels, because {because}: {error.message}."
        return found, fields, [note]
