"""Ignore settings of a project file for columns that are no longer quasi-identifiers.

`scan` writes hierarchies for the quasi-identifiers that it proposes. A person who then moves a
column to another role does not have to remove its hierarchy. A column that the table does not have
is still an error, because its name may be misspelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from roadstead.printable import named
from roadstead.privacy.combination import columns_of
from roadstead.reports.wording import first_few
from roadstead.requests.groups import ColumnRoles
from roadstead.requests.origin import Origin
from roadstead.verbs.hierarchies import RequestedHierarchies, declared_hierarchies
from roadstead.verbs.privacy import RequestedModel, models_of
from roadstead.verbs.settings import roles_of

_SETTINGS = {
    "declared": ("hierarchies", "a hierarchy"),
    "min_level": ("levels.min", "a lowest level"),
    "max_level": ("levels.max", "a highest level"),
}
"""For each field, its place in a project file and its name in a sentence."""


class _ForQuasi(RequestedHierarchies, Protocol):
    @property
    def privacy(self) -> Sequence[RequestedModel]: ...

    @property
    def origin(self) -> Origin: ...
    @property
    def base(self) -> Path | None: ...


Request = TypeVar("Request", bound=ColumnRoles)


def without_unused_settings(request: Request, columns: Sequence[str]) -> tuple[Request, list[str]]:
    """Return the request without these settings, and a line that lists the settings."""
    own: Any = request
    origin: Origin = own.origin
    if origin.project.path is None:
        return request, []
    used = _used(request, own, columns)
    changes: dict[str, Any] = {}
    listed: list[str] = []
    for key, (place, words) in _SETTINGS.items():
        given = origin.given.get(key) or {}
        in_file = origin.project.get(place) or {} if hasattr(own, key) else {}
        unused = [n for n in in_file if n in columns and n not in used and n not in given]
        if unused:
            changes[key] = {n: one for n, one in getattr(own, key).items() if n not in unused}
            listed.append(f"{words} for {first_few([named(one) for one in unused])}")
    if not listed:
        return request, []
    reduced: Request = replace(own, **changes)
    return reduced, [
        f"Not used, because only quasi-identifiers have levels: {' and '.join(listed)} "
        f"(in {origin.project.path.name})."
    ]


def _used(request: ColumnRoles, own: _ForQuasi, columns: Sequence[str]) -> set[str]:
    """Return the quasi-identifiers, and the columns for which a privacy model uses a hierarchy."""
    roles, _ = roles_of(request).matched(columns)
    given = declared_hierarchies(own)
    models = models_of(own.privacy, roles.sensitive, given.folder, given.by_column, base=own.base)
    return {*roles.quasi, *columns_of(models)}
