"""Releases compared with their original, in words; the warning stands first and last."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from roadstead.analysis.imputation import Coefficient
from roadstead.analysis.prediction import FOLDS
from roadstead.reports.charts.risk_utility import MapPoint, RiskUtilityChart
from roadstead.reports.charts.svg import Picture, picture
from roadstead.reports.evaluation.comparison import (
    COMPARED_WARNING,
    ORIGINAL,
    ComparisonFacts,
    Regression,
    ReleaseInUse,
    folded,
    lost,
)
from roadstead.reports.evaluation.facts import Figure
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, in_columns, legible, shortened, whole

LAST_COMPARED = "Not for sharing: whoever has a release must not have these figures of it."
_LONGEST, _FARTHEST = 40, 8


def comparison_lines(facts: ComparisonFacts) -> list[str]:
    """Say what releases are good for, next to their original."""
    first = (
        f"{facts.source}: {counted(facts.records, 'record')}; compared in "
        f"{counted(len(facts.columns), 'column')}."
    )
    parts = [
        [COMPARED_WARNING],
        [first],
        in_columns(_table(facts)),
        [
            "Risk: a prosecutor's, by the classes of the quasi-identifiers of all these releases. "
            "Loss: the part of a column's domain that a cell leaves open, on average. One-way and "
            "two-way: mean total variation distance of columns and of pairs from the original's."
        ],
        *(in_columns(_distances(facts, *places)) for places in _blocks(facts)),
        *_accuracies(facts),
        *([] if facts.regression is None else _regression(facts, facts.regression)),
        *([list(facts.notes)] if facts.notes else []),
        [LAST_COMPARED],
    ]
    lines: list[str] = []
    for part in parts:
        lines += [*([""] if lines else []), *part]
    return lines


def title_of(release: ReleaseInUse) -> str:
    """Name a release with what it promises and how it was made."""
    return shortened(
        f"{legible(release.name)} ({legible(release.promise)}; {release.recoding})", 2 * _LONGEST
    )


def _table(facts: ComparisonFacts) -> list[Sequence[str]]:
    heads = ("records", "suppressed", "largest risk", "mean risk", "loss", "one-way", "two-way")
    rows: list[Sequence[str]] = [("Release", *heads)]
    risks = percent(facts.largest_risk), percent(facts.mean_risk)
    rows.append((ORIGINAL, whole(facts.records), "", *risks, "0 %", "0 %", "0 %"))
    for one in facts.releases:
        risks = percent(one.largest_risk), percent(one.mean_risk)
        kept = one.distances
        figures = percent(one.loss), percent(kept.one_way), percent(kept.two_way)
        suppressed = whole(one.left_out + one.masked)
        rows.append((title_of(one), whole(one.records), suppressed, *risks, *figures))
    return rows


def _blocks(facts: ComparisonFacts) -> list[tuple[int, int]]:
    """Part the columns into tables that are narrow enough."""
    number = len(facts.columns)
    return [(at, min(at + _FARTHEST, number)) for at in range(0, number, _FARTHEST)]


def _distances(facts: ComparisonFacts, first: int, last: int) -> list[Sequence[str]]:
    names = facts.columns[first:last]
    heads = [shortened(legible(name), _LONGEST) for name in names]
    rows: list[Sequence[str]] = [("Distance of each column", *heads)]
    for one in facts.releases:
        own = [percent(one.distances.columns[name]) for name in names]
        rows.append((shortened(legible(one.name), _LONGEST), *own))
    return rows


def _accuracies(facts: ComparisonFacts) -> list[list[str]]:
    if facts.predictions is None:
        return []
    found = []
    for name in facts.classifiers:
        best = facts.predictions.original[name]
        heads = ("as they are", "lost", "made coarser alike")
        rows: list[Sequence[str]] = [
            (f"Accuracy of {name} for {legible(facts.target or '')}, in %", *heads)
        ]
        rows.append((f"learned from {ORIGINAL} (BA)", _share(folded(best)), "", ""))
        for one in facts.releases:
            if one.accuracy is None:
                rows.append((f"learned from {legible(one.name)}", "not released", "", ""))
                continue
            own = one.accuracy[name]
            rows.append(
                (
                    shortened(f"learned from {legible(one.name)}", 2 * _LONGEST),
                    _share(folded(own.as_they_are)),
                    _share(folded(lost(best, own.as_they_are))),
                    _share(folded(own.alike)),
                )
            )
        rows.append(
            ("most frequent class (LA)", _share(folded(facts.predictions.majority)), "", "")
        )
        found.append(in_columns(rows))
    folds = counted(facts.runs, "time") if facts.runs > 1 else "once"
    found.append(
        [
            f"Records were dealt to {FOLDS} folds, {folds}. Learned from what a release shows of "
            "four folds, tested on the records of the fifth: as they are in the original, and made "
            "coarser as in the release. ± is half of the 95 % confidence interval over the folds."
        ]
    )
    return found


def _share(found: Figure) -> str:
    mean = f"{round(100 * found.mean, 1) + 0.0:.1f}"
    return mean if found.margin is None else f"{mean} ± {100 * found.margin:.1f}"


def _regression(facts: ComparisonFacts, own: Regression) -> list[list[str]]:
    event = "" if own.event is None else f" = {legible(own.event)}"
    outcome, _, others = legible(own.formula).partition(" ~ ")
    rows: list[Sequence[str]] = [
        ("Mean overlap of 95 % intervals", "overlap"),
        *(
            (title_of(one), "not released" if share is None else percent(share))
            for one in facts.releases
            for share in (one.mean_overlap(own.coefficients),)
        ),
    ]
    first = (
        f"{own.kind.capitalize()} regression of {outcome}{event} on {others}, "
        f"{counted(own.records, 'record')} with nothing missing. Of each release "
        f"{counted(own.draws, 'completed table')}, values drawn within the cells: {own.drawn_from}."
    )
    shown = [one for one in facts.releases if one.coefficients is not None]
    return [[first], in_columns(rows), *(in_columns(_coefficients(own, one)) for one in shown)]


def _coefficients(own: Regression, release: ReleaseInUse) -> list[Sequence[str]]:
    heads = ("original", "95 % interval", "release", "95 % interval", "overlap")
    rows: list[Sequence[str]] = [(shortened(legible(release.name), _LONGEST), *heads)]
    both = zip(
        own.coefficients,
        release.coefficients or (),
        release.overlaps(own.coefficients),
        strict=True,
    )
    for before, after, share in both:
        said = "" if share is None else percent(share)
        term = shortened(legible(before.term), _LONGEST)
        rows.append((term, *_interval(before), *_interval(after), said))
    return rows


def _interval(one: Coefficient) -> tuple[str, str]:
    if isnan(one.estimate):
        return "not determined", ""
    return f"{one.estimate:.4g}", f"{one.low:.4g} to {one.high:.4g}"


def map_of(facts: ComparisonFacts) -> Picture:
    """Draw the releases by their risk and their distance from the original."""
    points = tuple(
        MapPoint(title_of(one), one.mean_risk, one.distances.two_way, noisy=one.is_noisy)
        for one in facts.releases
    )
    return picture(RiskUtilityChart(points, facts.mean_risk))
