"""Stamp forms, so that a form does not undo a change that was made in another tab.

A form carries a stamp of the choices that it shows. If the choices are different when the form
arrives, the form is rejected, and the user first sees the new choices. Forms about different
choices do not affect each other. A request without a stamp does not come from a page, so it is not
checked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from roadstead.errors import SettingError
from roadstead.web.sessions.choices import Choices

PROMISE = ("privacy", "persons", "population", "population_counts")
RISK = ("advice", "sampling_fraction", "population", "persons.knows")
OF_A_COLUMN = ("hierarchies", "levels.min", "levels.max", "quality.weights")


def stamp(*shown: object) -> str:
    """Return a stamp of the displayed content. Different content has a different stamp."""
    text = json.dumps(shown, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def stamp_of(choices: Choices, places: Sequence[str], column: str | None = None) -> str:
    """Return a stamp of the choices at some places, either for all columns or for one column."""
    found = [choices.get(place) for place in places]
    if column is not None:
        found = [one.get(column) if isinstance(one, dict) else None for one in found]
    return stamp(*found)


def require_as_shown(seen: object, now: str, what: str) -> None:
    """Reject a form if the choices differ from the choices that the form displayed."""
    if seen and seen != now:
        raise SettingError(
            f"another tab changed {what}, so your change was not saved",
            fix="reload the page, and make your change again",
        )
