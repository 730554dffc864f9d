"""List the privacy models that can be added to the requirements, and their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any, get_args, get_origin, get_type_hints

from roadstead.jobs import Observer
from roadstead.privacy.registry import MADE_FOR_PERSONS, PRIVACY_MODELS

_NUMBERS: Mapping[Any, str] = {int: "whole", float: "number"}


def models(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:  # noqa: ARG001 - a task
    """Return the models that can be added, each with its parameters."""
    alone = (*MADE_FOR_PERSONS, "k-anonymity")
    return {"models": [_model(kind) for kind in PRIVACY_MODELS.own if kind not in alone]}


def _model(kind: str) -> dict[str, Any]:
    made = PRIVACY_MODELS[kind]
    says = (made.__doc__ or "").strip().partition("\n\n")[0]
    return {
        "kind": kind,
        "says": " ".join(says.replace("`", "").split()),
        "population": bool(getattr(made, "needs_population", False)),
        "replaces_k": bool(getattr(made, "instead_of_k_anonymity", False)),
        "parameters": [*_parameters(made)],
    }


def _parameters(made: type[Any]) -> Iterator[dict[str, Any]]:
    """Yield the parameters for the form. Lists of values come from hierarchies."""
    hints = get_type_hints(made)
    for one in fields(made):
        hint, default = hints[one.name], None if one.default is MISSING else one.default
        about = {"key": one.name, "default": default, "needed": one.default is MISSING}
        words = get_args(hint)
        if one.name == "column":
            yield {**about, "shape": "column", "words": []}
        elif hint is bool:
            yield {**about, "shape": "yes-no", "words": []}
        elif hint in _NUMBERS:
            yield {**about, "shape": _NUMBERS[hint], "words": []}
        elif words and get_origin(hint) is not tuple and all(isinstance(w, str) for w in words):
            yield {**about, "shape": "choice", "words": list(words)}
