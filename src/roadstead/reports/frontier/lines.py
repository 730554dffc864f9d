"""Describe a frontier in words for the terminal, and as JSON."""

from __future__ import annotations

from typing import Any

from roadstead.reports.frontier.facts import FrontierFacts
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, format_count
from roadstead.search.protocol import Progress

PAGE, PICTURE, POINTS = "frontier.html", "frontier.png", "frontier.json"
"""The names of the files of a frontier."""
_SHOWN = 12
"""The approximate number of policies to list."""


def lines(facts: FrontierFacts[Any]) -> list[str]:
    """Describe the results as a list of lines."""
    search = facts.search
    derived = f", {format_count(search.derived)} more derived" if search.derived else ""
    area = f", area {facts.area:.4f}" if facts.threshold is None else ""
    kind = "on the frontier" if facts.threshold is None else f"at the threshold, {facts.threshold}"
    said = [
        (
            f"{facts.size} of {facts.table}. There are {facts.policies.size} for "
            f"{', '.join(facts.attributes)}."
        ),
        facts.counted.sentence,
        f"Population: {facts.population.label}.",
        f"{counted(len(facts.members), 'policy', 'policies')} {kind}{area} "
        f"({search.name}: {counted(search.evaluated, 'policy', 'policies')} evaluated{derived}, "
        f"{search.seconds:.2f} s).",
        (
            f"Risk is the {facts.risk.meaning}; the original data have a risk of "
            f"{facts.risk.greatest:,.6g}."
        ),
    ]
    if search.gap is None and facts.threshold is None:
        said.append(
            "Not proven: policies that were not evaluated may have both lower risk and lower loss."
        )
    if search.gap is not None:
        said.append(
            (
                f"Proven optimal: none of the {facts.policies.size} has both lower risk "
                "and lower loss than a listed policy."
            )
            if search.gap == 0
            else (
                "The search stopped early. A better frontier could reduce the area by at most "
                f"{search.gap:.4f}."
            )
        )
    said += [*_safe_harbor(facts), *_some_policies(facts), *facts.notes]
    if facts.ended_early:
        said.append(
            f"The search stopped early ({search.ending}), so indices may differ in the next run."
        )
    return said


def in_brief(facts: FrontierFacts[Any]) -> tuple[str, ...]:
    """Return the key figures for a single line."""
    return (
        facts.size,
        f"{len(facts.members):,} policies",
        f"area {facts.area:.4f}",
        f"{len(facts.dominating)} of them dominate Safe Harbor"
        if facts.safe_harbor is not None
        else "Safe Harbor does not apply",
    )


def document(facts: FrontierFacts[Any]) -> dict[str, Any]:
    """Return the results as JSON."""
    policies, reference, search = facts.policies, facts.safe_harbor, facts.search

    def point(risk: float, loss: float, policy: object) -> dict[str, Any]:
        return {"risk": risk, "utility_loss": loss, "policy": policies.document(policy)}

    return {
        "points": [point(*member) for member in facts.members],
        "area": facts.area,
        "safe_harbor": None
        if reference is None
        else {**point(*reference.point, reference.policy), "says": list(reference.says)},
        "dominating_safe_harbor": len(facts.dominating),
        "clusters": [
            {"medoid": one.medoid, "indices": list(one.indices), "common": list(one.common)}
            for one in facts.clusters
        ],
        "threshold": facts.threshold,
        "domains": policies.domains(),
        "boundaries": policies.boundaries,
        "records": facts.records,
        "persons": facts.persons,
        "counted": facts.counted.to_dict(),
        "risk_measure": {**facts.risk.settings, "greatest": facts.risk.greatest},
        "loss_measure": {**facts.loss.settings, "greatest": facts.loss.greatest},
        "population": {"basis": facts.population.basis, "label": facts.population.label},
        "search": search.name,
        "evaluated": search.evaluated,
        "told": search.known,
        "gap": search.gap,
        "ending": search.ending,
        "seed": search.seed,
        "notes": list(facts.notes),
        "seconds": round(search.seconds, 3),
        "seconds_total": round(facts.seconds, 3),
    }


def progress_line(progress: Progress) -> str:
    """Return the progress of a search as one line."""
    return (
        f"{progress.seconds:.0f} s, {counted(progress.evaluated, 'policy', 'policies')} evaluated, "
        f"{progress.members:,} on the frontier, area {progress.area:.4f}"
    )


def _safe_harbor(facts: FrontierFacts[Any]) -> list[str]:
    reference = facts.safe_harbor
    if reference is None:
        return []
    risk, loss = reference.point
    better = len(facts.dominating)
    said = [f"Safe Harbor: risk {percent(risk)}, {facts.loss.name} {percent(loss)}."]
    if not better:
        return [*said, "None of the policies found dominates Safe Harbor."]
    said.append(
        f"{counted(better, 'policy dominates', 'policies dominate')} Safe Harbor (not "
        "worse in risk or loss, and better in one of them). They form "
        f"{counted(len(facts.clusters), 'group')} of similar policies. The risk is for all "
        "records together; an individual record may have a risk of 100%. The groups are:"
    )
    for group in facts.clusters:
        words = facts.policies.words(facts.members[group.medoid].policy)
        pairs = zip(facts.attributes, words, strict=True)
        said += [
            f"  {len(group.indices):>5,} like {_point(facts, group.medoid)}",
            *(f"        {name}: {text}" for name, text in pairs),
        ]
    return said


def _some_policies(facts: FrontierFacts[Any]) -> list[str]:
    number = len(facts.members)
    step = max(number // _SHOWN, 1)
    places = sorted({*range(0, number, step), number - 1})
    title = "Policies" if step == 1 else "Some policies"
    return [f"{title}, by risk:", *(f"  {_point(facts, i)}" for i in places)]


def _point(facts: FrontierFacts[Any], index: int) -> str:
    member = facts.members[index]
    return f"{index:>5}  risk {percent(member.risk):>8}  loss {percent(member.loss):>8}"
