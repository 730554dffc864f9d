"""Decide which columns other than quasi-identifiers are released.

If a column with a role looks like an identifier on the Safe Harbor list, it is released only if
``release_anyway`` lists it. A column without a role is withheld by default. The setting ``undecided
= "release"`` releases a column without a role, unless there is an objection.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.reports.release.columns import (
    NESTED,
    UNDECIDED,
    ColumnDecisions,
    Why,
    WithheldColumn,
    found_by,
    rare_values,
)
from roadstead.tables.identifiers import releasable
from roadstead.tables.identifiers.contents import is_json
from roadstead.tables.identifiers.findings import PLACES
from roadstead.tables.identifiers.judgment import Examined, Judgment, is_free_text
from roadstead.tables.identifiers.releasable import removed_identifier
from roadstead.tables.profile import rare_shares
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source

MOST_RARE = 0.05
"""The largest accepted share of rare values in an undecided column."""
MOST_UNIQUE = 0.5
"""The largest accepted share of unique values in an undecided column of a small table."""
MANY = 200
"""The maximum number of undecided columns that are examined completely."""
SMALL = 20
"""A table is small if it has fewer records than this number times k."""


def looked_at_briefly(source: Source, roles: Roles) -> frozenset[str]:
    """Return the columns that are examined only by name and by a sample of their values.

    The result contains the quasi-identifiers and the direct identifiers, because their values are
    never released unchanged. Their values matter only for the checklist of the report. If very many
    columns have no role, the result also contains these columns. A column that the request releases
    by name is always examined completely.
    """
    free = roles.undeclared(source.columns)
    many = free if len(free) > MANY and roles.undecided != "release" else ()
    return frozenset((*roles.quasi, *roles.identifiers, *many))


def require_releasable(roles: Roles, examined: Examined, *, fix: str | None = None) -> None:
    """Raise an error if a released column is an identifier that ``release_anyway`` does not list.

    `fix` replaces the default advice, which is to give the column another role.
    """
    columns = [column.name for column in examined.profiles]
    releasable.require_plain_names(columns, (*roles.release_anyway, *roles.forced_quasi))
    suspects = [] if roles.person is not None else [k.column for k in examined.persons if k.found]
    releasable.require_releasable(
        {"sensitive": roles.sensitive, "unchanged": roles.unchanged},
        {name: judgment.findings for name, judgment in examined.judgments.items()},
        suspects,
        examined.objections,
        fix=fix,
    )


def decide_columns(
    source: Source, roles: Roles, examined: Examined, *, k: int, records: int
) -> ColumnDecisions:
    """Decide about every column that is not a quasi-identifier.

    `examined` must contain the columns without a role. A value is rare if fewer than `k` of the
    table's `records` have the value. The function raises a `RoleError` if a column has no role and
    the request forbids this.
    """
    roles.require_decided(source.columns)
    fewer_than, most = (2, MOST_UNIQUE) if records < SMALL * k else (k, MOST_RARE)
    free = roles.undeclared(source.columns)
    counted = [name for name in free if name not in examined.briefly]
    rare = dict.fromkeys(free, 0.0)
    rare |= rare_shares(source, counted, fewer_than=fewer_than, negligible=most)
    suspects = () if roles.person is not None else examined.persons
    keys = {key.column: key.why for key in suspects if key.doubt != "single"}
    withheld: list[WithheldColumn] = []
    for name in free:
        judgment, values = examined.judgments[name], examined.samples[name]
        objections = examined.objections.get(name, ())
        found: tuple[Why, str] | None
        if name in keys:
            found = ("person", keys[name])
        elif (found := _spoken_against(examined, name)) is None and is_free_text(values):
            found = ("text", judgment.reason)
        elif found is None and rare[name] > most:
            found = ("rare", rare_values(rare[name], fewer_than))
        elif found is None and _has_parts(source, name, values):
            found = ("nested", NESTED)
        if found is None and roles.undecided != "release":
            found = ("undecided", UNDECIDED)
        if found is not None:
            numbers = tuple(dict.fromkeys(one.number for one in judgment.findings))
            forced = bool(objections) or removed_identifier(judgment.findings) is not None
            withheld.append(WithheldColumn(name, *found, rare[name], numbers, forced))
    gone = {column.name for column in withheld}
    unnamed = tuple(name for name in free if name not in gone)
    return ColumnDecisions(roles, unnamed, tuple(withheld), examined)


def _spoken_against(examined: Examined, name: str) -> tuple[Why, str] | None:
    """Return the detectors' objection to a column.

    The values take precedence over the column name, unless the name suggests an identifier, or
    something that an attacker may know.
    """
    judgment, objected = examined.judgments[name], _objected(examined, name)
    if judgment.role in (None, "sensitive") and objected is not None:
        return objected
    return _suspected(judgment) or objected


def _objected(examined: Examined, name: str) -> tuple[Why, str] | None:
    """Return an objection that is based on the values of a column, regardless of its name."""
    objections = examined.objections.get(name, ())
    if not objections:
        return None
    coarser = objections[0].kind in ("date", "place")
    return "known" if coarser else "objection", "; ".join(one.why for one in objections)


def _suspected(judgment: Judgment) -> tuple[Why, str] | None:
    places = {one.number for one in judgment.findings} == {PLACES}
    if not places and (judgment.identifier or judgment.role == "identifiers"):
        return "identifier", found_by(judgment)
    if judgment.findings or judgment.role == "quasi":
        return "known", found_by(judgment)
    sensitive = judgment.role == "sensitive" or judgment.confidential
    return ("sensitive", found_by(judgment)) if sensitive else None


def _has_parts(source: Source, name: str, values: Sequence[str]) -> bool:
    """Return whether the values have parts that the detectors do not examine, as in JSON."""
    nested = False
    if source.texts is None:
        kind = source.table[name].type()
        nested = kind.is_struct() or kind.is_map() or kind.is_json() or kind.is_binary()
    return nested or sum(map(is_json, values)) > MOST_RARE * len(values)
