"""Convert settings from policies and certificates to privacy models."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from roadstead.errors import PolicyError, SettingError, quoted, right_form
from roadstead.near_names import did_you_mean
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.registry import PRIVACY_MODELS

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MOST = 10**15
"""The largest whole number that a parameter may have, because compiled loops count in 64 bits."""


def _parameters(kind: object) -> Mapping[str, Parameter]:
    """Return the parameters of a kind of model. An unknown kind has no parameters."""
    if not isinstance(kind, str) or kind not in PRIVACY_MODELS:
        return {}
    return signature(PRIVACY_MODELS[kind]).parameters


def needs_column(kind: object) -> bool:
    """Return whether a kind of model needs the name of a column."""
    return "column" in _parameters(kind)


def number_as_text(settings: Mapping[str, Any]) -> str | None:
    """Return the first numeric parameter whose value is text or a boolean, if any.

    All values from a command line are text. In a file, a number in quotes is an error.
    """
    takes = _parameters(settings.get("kind"))
    for key, value in settings.items():
        number = key in takes and takes[key].annotation in ("int", "float")
        if number and isinstance(value, str | bool):
            return key
    return None


def model_from(settings: Mapping[str, Any], *, where: str) -> PrivacyModel:
    """Build the model that the settings describe.

    `where` is the option or file that contains the settings.

    Raises
    ------
    PolicyError
        If the kind is unknown or a parameter is wrong.
    """
    given = {key: value for key, value in settings.items() if key != "kind"}
    kind = settings.get("kind")
    if not isinstance(kind, str) or kind not in PRIVACY_MODELS:
        raise PolicyError(
            f"there is no privacy model {kind!r}",
            where=where,
            fix=did_you_mean(str(kind), PRIVACY_MODELS),
        )
    takes = list(_parameters(kind))
    for key, value in given.items():
        if key not in takes:
            raise PolicyError(
                f"{kind} has no parameter {quoted(str(key))}",
                where=where,
                fix=did_you_mean(str(key), takes, f"its parameters are {', '.join(takes)}"),
            )
        if _parameters(kind)[key].annotation == "int" and _too_large(value):
            raise PolicyError(
                f"parameter {quoted(key)} of {kind} is above {_MOST:,}",
                where=where,
                fix="give a smaller number, because no table has so many records",
            )
    try:
        model: PrivacyModel = TypeAdapter(PRIVACY_MODELS[kind]).validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        what, fix = _misfit(kind, given, takes, first)
        raise PolicyError(what, where=where, fix=fix) from None
    except SettingError as error:
        raise PolicyError(f"{kind}: {error.what}", where=where, fix=error.fix) from None
    return model


def _too_large(value: object) -> bool:
    if isinstance(value, str) and value.isdecimal():  # Python rejects thousands of digits
        digits = value.lstrip("0")
        return len(digits) > len(str(_MOST)) or int(digits or "0") > _MOST
    return isinstance(value, int) and value > _MOST


def _misfit(
    kind: str, given: Mapping[str, Any], takes: list[str], first: ErrorDetails
) -> tuple[str, str]:
    """Explain Pydantic's first error, and suggest a fix."""
    name, fault = str(first["loc"][0]), first["type"]
    if name not in given:
        fix = f"add it; the parameters of {kind} are {', '.join(takes)}"
        return f"parameter {quoted(name)} of {kind} is missing", fix
    value = given[name]
    shown = quoted(str(value)) if isinstance(value, str | int | float) else "of a different type"
    right = right_form(fault)
    if fault == "literal_error":
        right = str(first["ctx"]["expected"]).replace("'", "")
    what = (
        f"parameter {quoted(name)} of {kind} is {shown}, but must be {right or 'a different value'}"
    )
    return what, "correct it"
