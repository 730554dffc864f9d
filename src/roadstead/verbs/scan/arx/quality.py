"""Convert the quality model of an ARX project, which is a string such as ``Loss (0.5/1.0/1.0)``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from roadstead.printable import named
from roadstead.verbs.scan.arx.project import ArxProject

_LOSS = re.compile(r"Loss \((\d(?:\.\d+)?(?:E-?\d+)?)/.*\)", re.ASCII)
_PAYOUT = re.compile(r"PublisherBenefit \((Prosecutor|Journalist).*\)", re.ASCII)
_EVEN = 0.5
_SAME: Final[Mapping[str, Mapping[str, Any]]] = {
    "Non-monotonic precision": {"quality": "precision"},
    "Monotonic precision": {"quality": "precision", "monotone": True},
    "Non-uniform entropy": {"quality": "entropy", "monotone": True},
    "Non-monotonic non-uniform entropy": {"quality": "entropy"},
    "Normalized non-uniform entropy": {"quality": "entropy"},
    "Non-monotonic discernability": {"quality": "discernibility"},
    "Monotonic discernability (DM*)": {"quality": "discernibility", "monotone": True},
    "Average equivalence class size": {"quality": "class-size"},
    "Ambiguity": {"quality": "ambiguity"},
    "KL-Divergence": {"quality": "divergence"},
    "EntropyBasedInformationLoss": {"quality": "bits"},
}
_WEIGHTED = ("loss", "precision", "entropy")


def quality_of(
    project: ArxProject, models: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Any], list[str]]:
    """Return the section ``quality`` of a project file, and notes about differences from ARX.

    `models` contains the settings of the privacy models, which may include the amounts for the
    payout model.
    """
    found = _model_of(project, models)
    if found is None:
        note = (
            f"Roadstead does not have ARX's quality model {named(project.metric)}, so Roadstead "
            "minimizes"
        )
        found, notes = {"quality": "loss"}, [f"{note} its usual loss."]
    else:
        notes = []
    weights = {
        name: project.weights.get(name, _EVEN)
        for name, one in project.attributes.items()
        if one.role == "quasi"
    }
    if found["quality"] in _WEIGHTED and len({*weights.values()}) > 1:
        found["weights"] = weights
        notes.append(
            "The weights of the attributes come from ARX. However, ARX uses the weights "
            "differently: it multiplies the loss of an attribute by its weight. Therefore, a "
            "different policy may be optimal."
        )
    return found, notes


def _model_of(project: ArxProject, models: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    if (match := _LOSS.fullmatch(project.metric)) is not None:
        factor = float(match[1])
        even = {} if factor == _EVEN else {"gs_factor": factor}
        return {"quality": "loss", **even, **({"gs_formula": "arx"} if factor < _EVEN else {})}
    if (match := _PAYOUT.fullmatch(project.metric)) is not None:
        stakes = ("benefit", "loss", "gain", "cost")
        stated = next((one for one in models if "benefit" in one), project.stored.amounts)
        amounts = {key: stated[key] for key in stakes if key in stated}
        payout = {"quality": "payout", "attacker": match[1].lower()}
        return {**payout, "stakes": amounts} if amounts else payout
    if project.metric == "Classification accuracy":
        targets = [
            name
            for name, one in project.attributes.items()
            if one.response and one.role in ("sensitive", "unchanged")
        ]
        return {"quality": "classification", "target": targets[0]} if len(targets) == 1 else None
    known = _SAME.get(project.metric)
    return None if known is None else dict(known)
