"""Privacy models by their settings, as policies and certificates hold them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from pydantic import TypeAdapter, ValidationError

from roadstead.errors import PolicyError, SettingError
from roadstead.privacy.models.average_risk import AverageRisk, StrictAverageRisk
from roadstead.privacy.models.beta_likeness import BetaLikeness
from roadstead.privacy.models.delta_presence import DeltaPresence
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.models.entropy_l_diversity import EntropyLDiversity
from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.k_map import KMap
from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.privacy.models.recursive_cl_diversity import RecursiveCLDiversity
from roadstead.privacy.models.t_closeness import TCloseness
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.wrong_settings import misfit, unknown

MODELS: dict[str, type[Any]] = {
    "k-anonymity": KAnonymity,
    "k-map": KMap,
    "estimated-k-map": EstimatedKMap,
    "distinct-l-diversity": DistinctLDiversity,
    "entropy-l-diversity": EntropyLDiversity,
    "recursive-cl-diversity": RecursiveCLDiversity,
    "t-closeness": TCloseness,
    "beta-likeness": BetaLikeness,
    "average-risk": AverageRisk,
    "strict-average-risk": StrictAverageRisk,
    "delta-presence": DeltaPresence,
    "population-risk": AveragePopulationRisk,
}
"""The models by kind."""


def needs_column(kind: object) -> bool:
    """Whether a kind of model looks at a column that is to be named."""
    return isinstance(kind, str) and kind in MODELS and "column" in _parameters(kind)


def _parameters(kind: str) -> list[str]:
    return [name for name in signature(MODELS[kind]).parameters if name != "name"]


def number_as_text(settings: Mapping[str, Any]) -> str | None:
    """Name the first parameter that must be a number and is a text or true or false, if any.

    A command line has texts alone; a file has numbers, and one in quotes is a mistake in it.
    """
    kind = settings.get("kind")
    if not isinstance(kind, str) or kind not in MODELS:
        return None
    takes = signature(MODELS[kind]).parameters
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
    if not isinstance(kind, str) or kind not in MODELS:
        raise PolicyError(
            f"privacy model {kind!r} is not known",
            where=where,
            fix="use one of " + ", ".join(MODELS),
        )
    takes = _parameters(kind)
    for key in parameters:
        if key not in takes:
            raise unknown(kind, str(key), takes, where=where)
    try:
        model: PrivacyModel = TypeAdapter(MODELS[kind]).validate_python(parameters)
    except ValidationError as error:
        raise misfit(kind, parameters, takes, error, where=where) from None
    except SettingError as error:
        raise PolicyError(f"{kind}: {error.what}", where=where, fix=error.fix) from None
    return model
