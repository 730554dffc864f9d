"""Privacy models by their settings, as policies and certificates hold them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from pydantic import TypeAdapter, ValidationError

from roadstead.errors import PolicyError, SettingError
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.registry import PRIVACY_MODELS
from roadstead.privacy.wrong_settings import misfit, unknown


def needs_column(kind: object) -> bool:
    """Whether a kind of model looks at a column that is to be named."""
    return isinstance(kind, str) and kind in PRIVACY_MODELS and "column" in _parameters(kind)


def _parameters(kind: str) -> list[str]:
    return [name for name in signature(PRIVACY_MODELS[kind]).parameters if name != "name"]


def number_as_text(settings: Mapping[str, Any]) -> str | None:
    """Name the first parameter that must be a number and is a text or true or false, if any.

    A command line has texts alone; a file has numbers, and one in quotes is a mistake in it.
    """
    kind = settings.get("kind")
    if not isinstance(kind, str) or kind not in PRIVACY_MODELS:
        return None
    takes = signature(PRIVACY_MODELS[kind]).parameters
    for key, value in settings.items():
        number = key in takes and takes[key].annotation in ("int", "float")
        if number and isinstance(value, str | bool):
            return key
    return None


def model_from(settings: Mapping[str, Any], *, where: str) -> PrivacyModel:
    """Make the model that settings describe.

    Raises
    ------
    PolicyError
        When the kind of model is not known to this version, or its parameters do not fit.
    """
    parameters = {key: value for key, value in settings.items() if key != "kind"}
    kind = settings.get("kind")
    if not isinstance(kind, str) or kind not in PRIVACY_MODELS:
        raise PolicyError(
            f"privacy model {kind!r} is not known",
            where=where,
            fix="use one of " + ", ".join(PRIVACY_MODELS),
        )
    takes = _parameters(kind)
    for key in parameters:
        if key not in takes:
            raise unknown(kind, str(key), takes, where=where)
    try:
        model: PrivacyModel = TypeAdapter(PRIVACY_MODELS[kind]).validate_python(parameters)
    except ValidationError as error:
        raise misfit(kind, parameters, takes, error, where=where) from None
    except SettingError as error:
        raise PolicyError(f"{kind}: {error.what}", where=where, fix=error.fix) from None
    return model
