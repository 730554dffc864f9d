"""A frontier in words, for the terminal and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, whole
from roadstead.verbs.frontier.found import FoundFrontier

_SHOWN = 12
"""Policies that are listed where there are more."""


def summary(found: FoundFrontier[Any]) -> list[str]:
    """Say what was found."""
    searched = found.searched
    told = searched.evaluated + searched.beside
    beside = f", {whole(told)} told" if searched.beside else ""
    area = f", area {found.area:.4f}" if found.threshold is None else ""
    kind = "on the frontier" if found.threshold is None else f"at the edge of {found.threshold}"
    lines = [
        f"{counted(found.records, 'record')} of {found.source.name}; "
        f"{', '.join(found.roles.quasi)}: {found.policies.size}.",
        f"The population: {found.people.label}.",
        f"{counted(len(found.members), 'policy', 'policies')} {kind}{area} "
        f"({searched.name}: {counted(searched.evaluated, 'policy', 'policies')} evaluated{beside}, "
        f"{searched.seconds:.2f} s).",
        f"Risk is the {found.risk.meaning}; the original data's is {found.risk.greatest:,.6g}.",
    ]
    if searched.gap is None and found.threshold is None:
        lines.append("Not proven: policies that were not met may better some of these in both.")
    if searched.gap is not None:
        lines.append(
            f"Proven: of {found.policies.size}, no other betters any of these in both."
            if searched.gap == 0
            else f"Ended early; a better frontier's area is at most {searched.gap:.4f} less."
        )
    lines += [*_safe_harbor(found), *_listed(found), *found.notes]
    if searched.ending in {"time limit", "interrupted"}:
        lines.append(f"The search was ended ({searched.ending}); indices may differ the next time.")
    return lines


def _safe_harbor(found: FoundFrontier[Any]) -> list[str]:
    reference = found.safe_harbor
    if reference is None:
        return []
    risk, loss = reference.point
    better = len(found.dominating)
    lines = [f"Safe Harbor: risk {percent(risk)}, {found.loss.name} {percent(loss)}."]
    if not better:
        return [*lines, "None of the policies found dominates Safe Harbor."]
    lines.append(
        f"{counted(better, 'policy dominates', 'policies dominate')} Safe Harbor: no worse in "
        f"both, better in one; {counted(len(found.clusters), 'group')} of similar ones. This is "
        "of the risk of all records together; single records may have a risk of 100 %:"
    )
    for group in found.clusters:
        member = found.members[group.medoid]
        lines += [
            f"  {len(group.indices):>5,} like {_point(group.medoid, member.risk, member.loss)}",
            *(f"        {text}" for text in _by_attribute(found, member.policy)),
        ]
    return lines


def _listed(found: FoundFrontier[Any]) -> list[str]:
    number = len(found.members)
    step = max(number // _SHOWN, 1)
    places = sorted({*range(0, number, step), number - 1})
    title = "Policies" if step == 1 else "Some policies"
    return [
        f"{title}, by risk:",
        *(f"  {_point(i, found.members[i].risk, found.members[i].loss)}" for i in places),
    ]


def _by_attribute(found: FoundFrontier[Any], policy: object) -> Sequence[str]:
    words = found.policies.words(policy)
    return [f"{name}: {text}" for name, text in zip(found.roles.quasi, words, strict=True)]


def _point(index: int, risk: float, loss: float) -> str:
    return f"{index:>5}  risk {percent(risk):>8}  loss {percent(loss):>8}"
