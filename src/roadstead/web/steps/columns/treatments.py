"""Treat a released column.

A column is unchanged, is rounded, or has one value per group of records.

The page offers treatments of single columns. A treatment of several columns together is displayed,
but can be changed only in the project file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import tomlkit

from roadstead.errors import RoleError, SettingError, quoted
from roadstead.front_end import naming
from roadstead.policies.treatments.document import LEAST, MOST_IN_GROUP
from roadstead.requests.texts import columns_named
from roadstead.tables.roles import Roles
from roadstead.verbs.treatments import treatments_of
from roadstead.web.sessions.choices import Choices
from roadstead.web.typed_numbers import number_in
from roadstead.web.words import PageNaming

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_PLACE = "treatments"
_LEAST = "Smallest group size (k)"


class Way(NamedTuple):
    """A treatment of a column that the page offers."""

    way: str
    title: str
    number: str  # the meaning of the number next to the treatment; empty if there is none
    settings: Mapping[str, str]

    @property
    def key(self) -> str:
        """The name of the setting for the number."""
        return "base" if self.settings.get("kind") == "rounding" else "k"


_GROUPS = "microaggregation"
WAYS = (
    Way("as-it-is", "Unchanged", "", {}),
    Way(
        "mean",
        "Mean of similar records in the same group",
        _LEAST,
        {"kind": _GROUPS, "within": "classes"},
    ),
    Way(
        "median",
        "Median of similar records in the same group",
        _LEAST,
        {"kind": _GROUPS, "within": "classes", "function": "median"},
    ),
    Way(
        "interval", "Interval of similar records", _LEAST, {"kind": _GROUPS, "function": "interval"}
    ),
    Way("rounded", "Rounded", "Multiple to round to", {"kind": "rounding"}),
)
OTHERWISE = "otherwise"
"""The name for any treatment that can be specified only in the project file."""


class ShownTreatment(NamedTuple):
    """The treatment of a column in the form."""

    way: str
    number: str
    written: str  # the text in the project file; empty if there is none


def shown_treatment(choices: Choices, name: str) -> ShownTreatment:
    """Return the current treatment of a column."""
    own = _own(choices.document, name)
    if own is None:
        return ShownTreatment(WAYS[0].way, "", "")
    written = ", ".join(f"{key} = {value}" for key, value in own.items())
    for one in WAYS[1:]:
        rest = {key: value for key, value in own.items() if key not in {"column", "columns"}}
        number = rest.pop(one.key, "")
        if rest == one.settings and columns_named(own) == [name]:
            return ShownTreatment(one.way, str(number), written)
    return ShownTreatment(OTHERWISE, "", written)


def requested_treatment(
    name: str, way: str, number: str, choices: Choices
) -> dict[str, Any] | None:
    """Return the settings of a chosen treatment, or None if the column is unchanged."""
    chosen = next((one for one in WAYS if one.way == way), None)
    if chosen is None:
        raise SettingError(
            f"{quoted(way)} is not a way to release a column", fix="choose a way from the list"
        )
    if not chosen.settings:
        return None
    settings: dict[str, Any] = {**chosen.settings, "column": name}
    if number.strip() or chosen.key == "base":
        settings[chosen.key] = _number(number.strip(), chosen)
    with naming(PageNaming()):
        treatments_of([settings], Roles(choices.quasi), [one["name"] for one in choices.columns], 5)
    return settings


def _number(text: str, chosen: Way) -> int | float:
    """Return the number in the form. An empty field is not a multiple to round to."""
    if chosen.key == "base":
        what = "this is not a number above zero" if text else "is empty"
        return number_in(text, chosen.number, above=0, what=what)
    what, fix = "this is not a possible group size", f"enter a whole number, {LEAST} or more"
    return number_in(
        text, chosen.number, whole=True, above=LEAST - 1, most=MOST_IN_GROUP, what=what, fix=fix
    )


def set_treatment(document: TOMLDocument, name: str, spec: Mapping[str, Any] | None) -> None:
    """Write the treatment of a column to the project file.

    The value None leaves the column unchanged.

    A column that is grouped with other columns is rejected.
    """
    own = _own(document, name)
    if own is not None and len(columns_named(own)) > 1:
        raise RoleError(
            "the project file groups this column with other columns",
            where=f"column {quoted(name)}",
            fix=f"change or remove its table [[{_PLACE}]] in the project file first",
        )
    left = [one for one in document.get(_PLACE, ()) if columns_named(one) != [name]]
    made = tomlkit.aot()
    for one in (*left, *([] if spec is None else [spec])):
        table = tomlkit.table()
        table.update(one.unwrap() if hasattr(one, "unwrap") else one)
        made.append(table)
    document.pop(_PLACE, None)
    if len(made):
        document[_PLACE] = made


def _own(document: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    return next((one for one in document.get(_PLACE, ()) if name in columns_named(one)), None)
