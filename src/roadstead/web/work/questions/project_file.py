"""Check whether the columns that are named in a project file fit the columns of a table.

Errors that depend on the values of the table appear only when the request runs. For example, a
hierarchy may lack some of the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from roadstead.capabilities import require_combination
from roadstead.errors import SettingError
from roadstead.hierarchies.declare import parse_declaration
from roadstead.jobs import Observer
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.requests.fields import checked
from roadstead.requests.joining import joined
from roadstead.requests.project import read_project
from roadstead.tables import names
from roadstead.tables.roles import Roles
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.catalog import REQUESTS
from roadstead.verbs.combination import anonymize_parts
from roadstead.verbs.persons.models import require_requestable
from roadstead.verbs.privacy import models_of
from roadstead.verbs.settings import (
    aggregate_of,
    check_target,
    k_alongside,
    roles_of,
)


def taken(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Check a project file. Return its roles with column names instead of patterns."""
    columns: Sequence[str] = given["columns"]
    project = read_project(Path(given["candidate"]), REQUESTS)
    request = checked(joined(AnonymizeRequest, {}, project))
    roles, _ = roles_of(request).matched(columns)
    _require_columns(roles, columns)
    for name, spec in (request.declared or {}).items():
        names.require([name], columns)
        parse_declaration(name, spec)
    _require_privacy(request, roles)
    aggregate_of(request.aggregate, request.weights, roles.quasi)
    check_target(request.target, roles)
    for limits in (request.min_level, request.max_level):
        for name in limits or {}:
            if name not in roles.quasi:
                raise SettingError(
                    f"a level limit names {name!r}, which is not a quasi-identifier",
                    fix="make the column a quasi-identifier, or remove the limit",
                )
    listed = ("quasi", "sensitive", "identifiers", "unchanged")
    found = {role: list(getattr(roles, role)) for role in listed}
    found["sensitive"] += roles.sensitive_anyway
    return {"roles": {**found, "release_anyway": [*roles.release_anyway, *roles.forced_quasi]}}


def _require_columns(roles: Roles, columns: Sequence[str]) -> None:
    """Reject missing columns, and columns that have two roles.

    A quasi-identifier is not required yet.
    """
    if roles.quasi:
        roles.check(columns)
    else:
        free = next((name for name in columns if name not in roles.declared), None)
        names.require(roles.declared, columns)
        if free is not None:
            replace(roles, quasi=(free,)).check(columns)


def _require_privacy(request: AnonymizeRequest, roles: Roles) -> None:
    folder = None if isinstance(request.hierarchies, Mapping) else request.hierarchies
    further = models_of(
        request.privacy, roles.for_models, folder, request.declared or {}, base=request.base
    )
    require_requestable(further)
    alongside = k_alongside(request.k, further)
    if alongside is not None:
        KAnonymity(alongside)
    require_combination(anonymize_parts(request, further, alongside))
