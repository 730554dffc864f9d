"""Create a quality model from a user's settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from inspect import signature
from typing import Any

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.quality.aggregates import Aggregate
from roadstead.quality.by_attribute import AverageOver
from roadstead.quality.partition_losses import SummedLoss
from roadstead.quality.protocol import QualityModel
from roadstead.quality.words import QUALITY_MODELS


def quality_model(
    name: str,
    aggregate: Aggregate,
    target: str | None = None,
    smallest: int = 1,
    average_over: AverageOver | None = None,
    *,
    suppression: Mapping[str, float | str] | None = None,
    stakes: Mapping[str, float | str] | None = None,
) -> QualityModel:
    """Return the named quality model, with the parameters that it takes.

    `target` is the column to predict. `smallest` is the minimum size of a released group.
    `average_over` states whether the mean is taken over rows or over people. `suppression` contains
    `gs_factor`, `monotone`, and `gs_formula`. The caller must first reject features that the model
    does not support (`roadstead.capabilities`).
    """
    kind = QUALITY_MODELS[name]
    takes = signature(kind).parameters
    given: dict[str, Any] = {"aggregate": aggregate, "target": target, "smallest": smallest}
    given |= {**(suppression or {}), **_stakes(name, stakes or {}, takes)}
    if average_over is not None:
        given["average_over"] = average_over
    model: QualityModel = kind(**{key: value for key, value in given.items() if key in takes})
    return model


def _stakes(
    name: str, stakes: Mapping[str, float | str], takes: Collection[str]
) -> dict[str, float | str]:
    """Reject amounts that the model does not use."""
    known = [key for key in ("benefit", "loss", "gain", "cost", "attacker") if key in takes]
    for key in stakes:
        if key not in known:
            fix = f"use {', '.join(known)}"
            where = option(key if key == "attacker" else "stakes")
            raise SettingError(f"{name} has no parameter {key!r}", where=where, fix=fix)
    return dict(stakes)


def predicts(name: str) -> bool:
    """Return whether a quality model requires a column whose values are predicted."""
    return "target" in signature(QUALITY_MODELS[name]).parameters


def with_member(member: str, requested: str | None) -> tuple[str, ...]:
    """Return the built-in and requested models that have a member (``terms`` or ``prices``)."""
    return tuple(name for name in _known(requested) if hasattr(QUALITY_MODELS[name], member))


def without_target(requested: str | None) -> tuple[str, ...]:
    """Return the built-in and requested models that do not predict a column."""
    return tuple(name for name in _known(requested) if not predicts(name))


def _known(requested: str | None) -> tuple[str, ...]:
    """Return the built-in models and the requested model, without loading other models."""
    more = (requested,) if requested is not None and requested in QUALITY_MODELS else ()
    return tuple(dict.fromkeys((*QUALITY_MODELS.own, *more)))


def partition_loss(name: str) -> SummedLoss:
    """Return the partition loss for a model that has terms."""
    return SummedLoss(QUALITY_MODELS[name]())
