"""Privacy models by their settings, as policies and certificates hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roadstead.errors import PolicyError
from roadstead.privacy.k_anonymity import KAnonymity
from roadstead.privacy.protocol import PrivacyModel

_MODELS: dict[str, type[KAnonymity]] = {"k-anonymity": KAnonymity}


def model_from(settings: Mapping[str, Any], *, where: str) -> PrivacyModel:
    """Make the model that settings describe.

    Raises
    ------
    PolicyError
        When the kind of model is not known to this version, or its parameters do not fit.
    """
    parameters = {key: value for key, value in settings.items() if key != "kind"}
    kind = settings.get("kind")
    if kind not in _MODELS:
        raise PolicyError(
            f"privacy model {kind!r} is not known",
            where=where,
            mend="use one of " + ", ".join(_MODELS),
        )
    try:
        return _MODELS[kind](**parameters)
    except TypeError:
        raise PolicyError(
            f"the parameters of {kind} are not {', '.join(parameters) or 'none'}", where=where
        ) from None
