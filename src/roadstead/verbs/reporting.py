"""Fill a report with what an anonymization found."""

from __future__ import annotations

from datetime import UTC, datetime

from roadstead import __version__
from roadstead.release.publish import promise
from roadstead.reports.content import (
    Attribute,
    ClassSizes,
    Columns,
    Counts,
    Loss,
    Promise,
    ReportContent,
    Risk,
    Search,
    Setting,
    Withheld,
)
from roadstead.risk.prosecutor import ProsecutorRisk, size_histogram
from roadstead.verbs.finding import Finding
from roadstead.verbs.words import percent


def report_of(result: Finding) -> str:
    """Make the report's HTML."""
    from roadstead.reports.page import render  # noqa: PLC0415 - charts are heavy

    return render(content_of(result))


def summary_of(result: Finding) -> str:
    """Make a small table for a notebook."""
    from roadstead.reports.page import render_summary  # noqa: PLC0415 - templates are heavy

    return render_summary(content_of(result))


def content_of(result: Finding) -> ReportContent:
    """Gather what the report shows."""
    counts = result.draft.counts
    outcome, problem = result.outcome, result.problem
    quality = result.quality.settings()
    weights = dict(zip(result.roles.quasi, quality["weights"] or [], strict=False))
    return ReportContent(
        title="De-identification report",
        source=result.source.name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        promise=Promise(
            sentence=f"{promise(result.draft)}.",
            models=tuple(model.name for model in result.models),
            k=round(1.0 / result.risk.threshold),
            limit_share=result.policy.suppression.limit,
            limit_records=problem.limit,
        ),
        counts=Counts(counts.records, counts.masked, counts.dropped),
        attributes=tuple(
            Attribute(
                name=a.name,
                level=a.level,
                levels=a.levels,
                does=a.does,
                loss=result.loss_by_attribute[a.name],
                weight=weights.get(a.name, 1.0),
            )
            for a in result.policy.attributes
        ),
        columns=Columns(
            sensitive=result.policy.columns.sensitive,
            insensitive=result.policy.columns.insensitive,
            identifying=result.roles.identifying,
            withheld=tuple(
                Withheld(name, f"in {percent(share)} of the records its value is rare")
                for name, share in result.withheld.items()
            ),
        ),
        classes_before=ClassSizes(size_histogram(result.generalized.table.counts)),
        classes_after=ClassSizes(size_histogram(result.generalized.sizes)),
        risk_before=_risk(result.risk_before),
        risk_after=_risk(result.risk),
        loss=Loss(quality["aggregate"], result.loss, outcome.lower_bound, result.optimal),
        search=Search(
            name=result.search.name,
            guarantee=result.search.guarantee,
            evaluated=outcome.evaluated,
            lattice_size=problem.space.size,
            ending=outcome.ending,
            seconds=outcome.seconds,
        ),
        settings=_settings(result),
        notes=_notes(result),
    )


def _risk(risk: ProsecutorRisk) -> Risk:
    return Risk(risk.maximum, risk.average, risk.share_above_threshold, risk.uniques)


def _settings(result: Finding) -> tuple[Setting, ...]:
    told = [
        Setting("Quasi-identifiers", ", ".join(result.roles.quasi), "what others may know"),
        Setting("Privacy model", " and ".join(m.name for m in result.models), "what must hold"),
        Setting(
            "Suppression limit",
            percent(result.policy.suppression.limit),
            "largest share of records that may be suppressed",
        ),
        Setting(
            "Suppressed records",
            result.policy.suppression.records,
            "mask keeps them with * in every quasi-identifier; drop leaves them out",
        ),
        Setting("Loss", str(result.quality.settings()["kind"]), "what is minimized"),
        Setting("Search", result.search.name, result.search.guarantee),
    ]
    if result.time_limit is not None:
        told.append(Setting("Time limit", f"{result.time_limit:g} s", "for the search"))
    if result.seed is not None:
        told.append(Setting("Seed", str(result.seed), "of random choices"))
    told += [
        Setting(f"Hierarchy of {name}", origin, "what its levels are")
        for name, origin in result.origins.items()
    ]
    return tuple(told)


def _notes(result: Finding) -> tuple[str, ...]:
    counts, notes = result.draft.counts, []
    if result.policy.suppression.records == "mask" and counts.dropped:
        notes.append(
            f"{counts.dropped} suppressed records were to be kept with * and were left out: so few "
            "would have singled out whoever is known to be in the table."
        )
    if not result.optimal:
        notes.append(
            f"The search ended early ({result.outcome.ending}); a better policy could avoid at "
            f"most {percent(result.outcome.gap)} of the loss."
        )
    return tuple(notes)
