"""Say of a model's settings which one is wrong, what was given, and what is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from roadstead.errors import PolicyError, quoted

if TYPE_CHECKING:
    from pydantic import ValidationError

_KINDS = {
    "float": "a number",
    "finite": "a finite number",
    "int": "a whole number",
    "string": "text",
    "tuple": "a list",
    "list": "a list",
    "bool": "true or false",
}
"""What is right, by how Pydantic's names of faults begin."""


def unknown(kind: str, name: str, takes: Sequence[str], *, where: str) -> PolicyError:
    """Say that a model has no such parameter."""
    near = get_close_matches(name, takes, n=1)
    meant = f"did you mean {near[0]}?" if near else f"it takes {', '.join(takes)}"
    return PolicyError(f"parameter {quoted(name)} of {kind} is not known", where=where, fix=meant)


def misfit(
    kind: str, given: Mapping[str, Any], takes: Sequence[str], error: ValidationError, *, where: str
) -> PolicyError:
    """Say which parameter is missing, or wrong.

    Parameters
    ----------
    kind, given, takes
        The model, its parameters as given, and all that it has.
    error
        Pydantic's complaint, of which the first is reported.
    where
        The option or file that has the settings.
    """
    first = error.errors(include_url=False, include_input=False)[0]
    name, fault = str(first["loc"][0]), first["type"]
    if name not in given:
        return PolicyError(
            f"parameter {quoted(name)} of {kind} is missing",
            where=where,
            fix=f"give it a value; {kind} takes {', '.join(takes)}",
        )
    value = given[name]
    shown = quoted(str(value)) if isinstance(value, str | int | float) else "of another form"
    right = _right(fault, first.get("ctx", {}))
    what = f"parameter {quoted(name)} of {kind} is {shown}, and must be {right}"
    return PolicyError(what, where=where, fix="correct it")


def _right(fault: str, context: Mapping[str, Any]) -> str:
    if fault == "literal_error":
        return str(context["expected"]).replace("'", "")
    return next(
        (right for start, right in _KINDS.items() if fault.startswith(start)), "another value"
    )
