"""Complete the settings of the privacy models that a user requests.

In a request, the sensitive column and the order or hierarchy of its values are optional. A policy
must contain these settings, because it must not depend on other files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from roadstead.errors import PolicyError, SettingError, quoted
from roadstead.front_end import option, worded
from roadstead.hierarchies.arx_csv import find_hierarchies, read_hierarchy
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import parse_number
from roadstead.near_names import did_you_mean
from roadstead.privacy.combination import columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from, needs_column
from roadstead.requests.checks import shown, wrong
from roadstead.verbs.hierarchies import Given, made_of

RequestedModel: TypeAlias = PrivacyModel | Mapping[str, Any]
"""A privacy model or its settings."""
Found: TypeAlias = Callable[[str], Hierarchy | None]
"""A function that returns the hierarchy of a column, or None."""


def models_of(
    requested: Sequence[RequestedModel],
    sensitive: Sequence[str],
    hierarchies: str | Path | None,
    given: Mapping[str, Given] | None = None,
    *,
    base: Path | None = None,
) -> tuple[PrivacyModel, ...]:
    """Return the requested privacy models, which must not use columns other than sensitive columns.

    The hierarchies for distances between sensitive values are given by column or as a folder of
    files. Relative paths in declarations start at `base`.
    """

    def found(column: str) -> Hierarchy | None:
        return _hierarchy_of(column, hierarchies, given or {}, base)

    models = tuple(_model(one, sensitive, found) for one in requested)
    for column in columns_of(models):
        if column not in sensitive:
            what = f"{column!r} is not listed as sensitive, but a privacy model uses it"
            fix = f"add {option('sensitive', (column,))}"
            raise wrong("privacy", what, did_you_mean(column, sensitive, fix, show=quoted))
    return models


def _model(requested: RequestedModel, sensitive: Sequence[str], found: Found) -> PrivacyModel:
    if not isinstance(requested, Mapping):
        if not hasattr(requested, "bind"):
            fix = 'write its settings, such as {"kind": "t-closeness", "t": 0.2}'
            raise wrong("privacy", f"{shown(requested)} is not a privacy model", fix)
        return requested
    settings = dict(requested)
    if "column" not in settings and needs_column(settings.get("kind")):
        settings["column"] = _only(sensitive, str(settings["kind"]))
    if settings.get("kind") == "t-closeness":
        settings |= _distances(settings, found)
    try:
        return model_from(settings, where=option("privacy"))
    except PolicyError as error:
        raise SettingError(error.what, where=option("privacy"), fix=error.fix) from None


def _only(sensitive: Sequence[str], kind: str) -> str:
    if len(sensitive) != 1:
        found = f"{len(sensitive)} are given" if sensitive else "none is given"
        raise SettingError(
            f"{kind} requires one sensitive column, but {found}",
            where=option("privacy"),
            fix=worded(
                command=f"write {kind}:column=NAME,... and --sensitive NAME",
                python=f'write {{"kind": "{kind}", "column": NAME}} and sensitive=[NAME]',
            ),
        )
    return sensitive[0]


def _distances(settings: Mapping[str, Any], found: Found) -> dict[str, Any]:
    """Add the order or the hierarchy of a column's values, if the model lacks this setting."""
    distance, column = settings.get("distance"), str(settings["column"])
    if distance == "hierarchical" and "hierarchy" not in settings:
        hierarchy = found(column)
        if hierarchy is None:
            raise SettingError(
                f"there is no hierarchy for {column!r}",
                where=f"{option('privacy')} t-closeness",
                fix=f"put {column}.csv into the folder of {option('hierarchies')}, or use "
                "distance=equal",
            )
        return {"hierarchy": _rows(hierarchy)}
    if distance == "ordered" and "order" not in settings:
        hierarchy = found(column)
        if hierarchy is not None and any(parse_number(v) is None for v in hierarchy.values):
            return {"order": list(hierarchy.values)}
    return {}


def _hierarchy_of(
    column: str, folder: str | Path | None, given: Mapping[str, Given], base: Path | None
) -> Hierarchy | None:
    """Return the hierarchy of a sensitive column. The hierarchy must list its values."""
    if column in given:
        one = given[column]
        made = one if isinstance(one, Hierarchy) else made_of(column, one, (), base)
        if not made.values:
            raise SettingError(
                "the hierarchy of a sensitive column must list its values",
                where=f"column {quoted(column)}",
                fix="give the hierarchy as a file or as groups of values",
            )
        return made
    files = find_hierarchies(Path(folder), [column]) if folder is not None else {}
    return read_hierarchy(files[column], column) if column in files else None


def _rows(hierarchy: Hierarchy) -> list[list[str]]:
    """Return each value with its labels, ordered from specific to general."""
    levels = [[level.labels[code] for code in level.codes] for level in hierarchy.levels]
    return [list(row) for row in zip(*levels, strict=True)]
