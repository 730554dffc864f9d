"""What a process can be asked to do, by name.

A task takes what it needs as JSON has it, and an `Observer`; what it finds goes to the page as
JSON. `questions` has a file for each that is answered at once, of the table as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from roadstead.jobs import Observer

Task = Callable[[Mapping[str, Any], Observer], dict[str, Any]]
_PLACES = {
    "deliver": "deliver:deliver",
    "risk": "risk:risk",
    "scan": "scan:scan",
    "rows": "questions.rows:rows",
    "publish": "publishing:publish",
    "attack": "attacking:attack",
    "released": "questions.released:released",
    "words": "questions.released:words",
    "frontier": "trials.frontier:frontier",
    "trial": "trials.trial:trial",
    "pairs": "trials.pairs:pairs",
    "regression": "trials.regression:regression",
    "levels": "questions.levels:levels",
    "proposed": "questions.levels:proposed",
    "exported": "questions.levels:exported",
    "models": "questions.promise:models",
    "taken": "questions.project_file:taken",
    "determine": "determining:determine",
    "asked": "questions.determination:columns",
    "answers": "questions.determination:answers",
    "answers-taken": "questions.determination:taken",
}
"""Where the function of each stands, below this package."""
_USUAL = ("verbs.anonymize.run", "verbs.scan.run", "web.work.deliver")


def _found(place: str) -> Task:
    module, _, name = place.partition(":")

    def task(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
        work: Task = getattr(import_module(f"roadstead.web.work.{module}"), name)
        return work(given, observer)

    return task


TASKS: dict[str, Task] = {name: _found(place) for name, place in _PLACES.items()}


def warmed() -> None:
    """Import what nearly every task needs, before one is asked for."""
    for module in _USUAL:
        import_module(f"roadstead.{module}")
