"""Build the report on a policy that was chosen on a frontier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roadstead.release.added_risk import AddedRisk
from roadstead.release.draft import Draft
from roadstead.reports.content import ReportContent, ReportedLoss, ReportedSearch, Setting
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted
from roadstead.verbs.anonymize.reporting import attribute, content_of_release, limits, of_columns
from roadstead.verbs.columns import ColumnDecisions
from roadstead.verbs.frontier.chosen import ChosenPolicy


def content_of(
    draft: Draft,
    chosen: ChosenPolicy,
    decided: ColumnDecisions,
    added: AddedRisk,
    warnings: Sequence[str],
    promised: str,
) -> ReportContent:
    """Return the content of the report on a chosen policy. `promised` describes the guarantee."""
    content = content_of_release(draft, limit=0)
    risk, loss = chosen.axes
    search = chosen.search
    losses, label = chosen.loss_by_attribute, chosen.population
    kind = loss.name  # or its unit, if the report cannot name it
    if kind not in {"divergence", "loss"}:
        kind = f"{loss.meaning}, as a share of the most that can be lost"
    members = counted(chosen.members, "policy", "policies")
    return replace(
        content,
        attributes=tuple(attribute(draft, a, losses[a.name], 1.0) for a in draft.policy.attributes),
        **of_columns(decided, draft, added),
        loss=ReportedLoss(None, chosen.loss, kind=kind),
        search=ReportedSearch(
            name=search.name,
            guarantee=search.guarantee,
            evaluated=search.evaluated,
            lattice_size=chosen.lattice_size,
            ending=search.ending,
            seconds=search.seconds,
            cuts=chosen.cuts,
            frontier=True,
        ),
        settings=_settings_of_frontier(draft, chosen),
        assumptions=(*content.assumptions, *_on_the_population(draft, label)),
        notes=(
            promised,
            f"The policy was chosen from the {members} of a frontier. No policy on the frontier "
            "has both less risk and less loss than another policy. The risk of the chosen policy "
            f"is {percent(chosen.risk)} of the original data's risk ({risk.meaning}).",
            *(f"{one[:1].upper()}{one[1:]}" for one in draft.figures),
            *([] if label is None else [f"Population: {label}."]),
            *warnings,
        ),
    )


def _on_the_population(draft: Draft, label: str | None) -> tuple[str, ...]:
    """Return sentences about the assumptions on which the risk is based."""
    if draft.generalized.table.population is None:
        return (
            "No population is given, so the risk assumes an attacker who knows that the person is "
            "in the data. This is the easiest case for an attacker.",
        )
    known = "" if label is None else f": {label}"
    return (
        f"The attacker must guess which person of the population a record describes{known}. If the "
        "given population is larger than the real one, the risk is larger than stated. An "
        "attacker who knows that a person is in the data has fewer people to choose from. The "
        "prosecutor risk above describes this attacker. The limit does not apply to the "
        "prosecutor risk.",
    )


def _settings_of_frontier(draft: Draft, chosen: ChosenPolicy) -> tuple[Setting, ...]:
    settings = [
        Setting(
            "Quasi-identifiers",
            ", ".join(draft.policy.quasi),
            "the columns that an attacker may know",
        ),
        Setting(
            "Privacy model",
            " and ".join(m.name for m in draft.models),
            "the requirements that the release must meet",
        ),
        Setting("Risk measure", chosen.axes[0].name, chosen.axes[0].meaning),
        Setting("Loss measure", chosen.axes[1].name, chosen.axes[1].meaning),
        Setting("Search", chosen.search.name, chosen.search.guarantee),
    ]
    if chosen.population is not None:
        settings.append(
            Setting("Population", chosen.population, "the people that a record may describe")
        )
    return (
        *settings,
        *limits(chosen.search.time_limit, chosen.search.seed),
        *(
            Setting(
                f"Order of {name}" if chosen.cuts else f"Hierarchy of {name}",
                how,
                "its values are cut into intervals" if chosen.cuts else "the levels of its values",
            )
            for name, how in chosen.origins.items()
        ),
    )
