"""Ignore settings of a project file for columns that are no longer quasi-identifiers.

`scan` writes hierarchies for the quasi-identifiers that it proposes. A person who then moves a
column to another role does not have to remove its hierarchy. A column that the table does not have
is still an error, because its name may be misspelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from roadstead.privacy.combination import columns_of
from roadstead.reports.terminal.columns import not_used
from roadstead.requests.groups import ColumnRoles
from roadstead.requests.origin import Origin
from roadstead.verbs.hierarchies import declared_hierarchies
from roadstead.verbs.privacy import models_of
from roadstead.verbs.settings import roles_of

_SETTINGS = {"declared": "hierarchies", "min_level": "levels.min", "max_level": "levels.max"}
"""The place of each field in a project file."""


Request = TypeVar("Request", bound=ColumnRoles)


def without_unused_settings(request: Request, columns: Sequence[str]) -> tuple[Request, list[str]]:
    """Return the request without these settings, and a line that lists the settings."""
    own: Any = request
    origin: Origin = own.origin
    if origin.project.path is None:
        return request, []
    used = _used(own, columns)
    changes: dict[str, Any] = {}
    unused: dict[str, list[str]] = {}
    for key, place in _SETTINGS.items():
        given = origin.given.get(key) or {}
        in_file = origin.project.get(place) or {} if hasattr(own, key) else {}
        found = [n for n in in_file if n in columns and n not in used and n not in given]
        if found:
            changes[key] = {n: one for n, one in getattr(own, key).items() if n not in found}
            unused[key] = found
    if not unused:
        return request, []
    reduced: Request = replace(own, **changes)
    return reduced, [not_used(unused, origin.project.path.name)]


def _used(request: Any, columns: Sequence[str]) -> set[str]:  # noqa: ANN401 - with a search
    """Return the quasi-identifiers, and the columns for which a privacy model uses a hierarchy."""
    roles, _ = roles_of(request).matched(columns)
    given = declared_hierarchies(request, columns, roles.quasi)
    models = models_of(
        request.privacy, roles.for_models, given.folder, given.by_column, base=request.base
    )
    return {*roles.quasi, *columns_of(models)}
