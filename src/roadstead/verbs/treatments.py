"""Turn the treatments of a request into treatments of a policy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from roadstead.errors import SettingError, quoted, right_form
from roadstead.front_end import named_with, option
from roadstead.near_names import did_you_mean
from roadstead.policies.person_rules import DateRule
from roadstead.policies.treatments.document import (
    LEAST,
    Microaggregation,
    Rounding,
    Treatment,
    treated_columns,
)
from roadstead.requests.checks import wrong
from roadstead.requests.texts import columns_named
from roadstead.tables import names
from roadstead.tables.roles import Roles

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from roadstead.tables.identifiers.judgment import Examined

_KINDS: dict[str, tuple[type[Rounding | Microaggregation], tuple[str, ...]]] = {
    "microaggregation": (
        Microaggregation,
        ("column", "columns", "k", "function", "within", "groups"),
    ),
    "rounding": (Rounding, ("column", "base", "low", "high")),
}
_RANDOM = ("post-randomization", "postrandomization", "pram", "noise", "noise-addition", "swapping")
"""Treatments that are rejected because they use random values."""


def treatments_of(
    requested: Sequence[Mapping[str, Any]], roles: Roles, columns: Sequence[str], k: int
) -> tuple[Treatment, ...]:
    """Return the requested treatments. The default group size is `k`."""
    made = tuple(_treatment(one, k) for one in requested)
    named_of = [column for one in made for column in one.columns]
    names.require(tuple(named_of), columns)
    for column in named_of:
        if named_of.count(column) > 1:
            raise _wrong(f"{quoted(column)} has two treatments", "use it in only one treatment")
        if column in roles.quasi:
            raise _wrong(
                f"{quoted(column)} is a quasi-identifier, so it is generalized instead of treated",
                "leave it out here; or remove it from the quasi-identifiers and treat it with "
                "within=classes, so that all records of a group get the same value",
            )
        if column in roles.identifiers or column == roles.person:
            raise _wrong(f"{quoted(column)} is not released", "leave it out here")
    return made


def _treatment(requested: Mapping[str, Any], k: int) -> Treatment:
    kind = requested.get("kind")
    if isinstance(kind, str) and kind.lower().replace("_", "-") in _RANDOM:
        raise _wrong(
            f"{kind} changes values at random without a privacy budget, so Roadstead cannot prove "
            "how much the result still reveals about a person",
            "use microaggregation or rounding, or use roadstead synthesize, which adds noise with "
            "a proven guarantee",
        )
    if not isinstance(kind, str) or kind not in _KINDS:
        raise _wrong(f"there is no treatment {kind!r}", did_you_mean(str(kind), _KINDS))
    made, takes = _KINDS[kind]
    given = {key: value for key, value in requested.items() if key != "kind"}
    for key in given:
        if key not in takes:
            what = f"{kind} has no parameter {quoted(str(key))}"
            raise _wrong(
                what, did_you_mean(str(key), takes, f"its parameters are {', '.join(takes)}")
            )
    return _made(made, kind, _completed(kind, given, k))


def _completed(kind: str, given: dict[str, Any], k: int) -> dict[str, Any]:
    if kind == "rounding":
        return {
            key: _written(value) if key in {"base", "low", "high"} else value
            for key, value in given.items()
        }
    columns = columns_named(given)
    given = {key: value for key, value in given.items() if key not in {"column", "columns"}}
    given.setdefault("k", max(k, LEAST))
    return {**given, "columns": columns}


def _written(value: object) -> object:
    """Return a number exactly as the user wrote it in a project file or in Python."""
    number = isinstance(value, Real | Decimal) and not isinstance(value, bool)
    return str(value) if number else value


def _made(made: type[Rounding | Microaggregation], kind: str, given: dict[str, Any]) -> Treatment:
    try:
        return TypeAdapter(made).validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise _wrong(f"{kind}: {_misfit(first)}", _example(kind)) from None
    except SettingError as error:
        raise _wrong(f"{kind}: {error.what}", error.fix or _example(kind)) from None


def _misfit(first: ErrorDetails) -> str:
    place = ".".join(map(str, first["loc"])) or "it"
    if first["type"] in {"missing", "missing_argument", "too_short"}:
        return f"{place} is missing"
    form = right_form(first["type"])
    if form is None:
        return f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    return f"{place} must be {form}"


def _example(kind: str) -> str:
    if kind == "rounding":
        example = option("treat", {"kind": kind, "column": "weight", "base": 5})
        return f"write, for example, {example}"
    example = option("treat", {"kind": kind, "column": "glucose", "k": 5})
    return f"write, for example, {example}; the smallest k is {LEAST}"


def _wrong(what: str, fix: str) -> SettingError:
    return wrong("treat", what, fix)


def with_treated_columns(roles: Roles, treatments: Sequence[Treatment]) -> Roles:
    """Add treated columns without another role to the released columns."""
    free = [name for name in treated_columns(treatments) if name not in roles.declared]
    return replace(roles, unchanged=(*roles.unchanged, *free)) if free else roles


def require_free(
    treatments: Sequence[Treatment], looked_at: Collection[str], dates: Sequence[DateRule]
) -> None:
    """Reject the treatment of a column that a privacy model uses or that has a rule for dates."""
    for column in treated_columns(treatments):
        if column in looked_at:
            raise _wrong(
                f"a privacy or quality model uses the original values of {quoted(column)}, so the "
                "model would not cover the treated values in the release",
                "leave the treatment or the model out",
            )
        if any(column in (rule.column, rule.anchor) for rule in dates):
            what = f"{quoted(column)} has a rule for dates"
            raise _wrong(what, f"leave it out here, or in {option('dates')}")


def require_no_identifier(
    treatments: Sequence[Treatment], roles: Roles, examined: Examined
) -> None:
    """Reject a treatment that reveals single values in a column that identifies people."""
    keys = {key.column for key in examined.persons if key.found}
    for column, one in treated_columns(treatments).items():
        shows = isinstance(one, Microaggregation) and one.function in {"median", "mode"}
        looks = column in keys or examined.judgments[column].role == "identifiers"
        if shows and looks and column not in roles.release_anyway:
            raise _wrong(
                f"{quoted(column)} looks like an identifier, and a median or a mode would show one "
                "of the values of this column",
                f"{named_with(option('identifiers', [column]))}, or release it anyway with "
                f"{option('release_anyway', [column])}",
            )
