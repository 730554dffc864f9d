"""Describe in words how releases compare with their original table.

The warning is the first and the last line.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import NamedTuple

from roadstead.analysis.imputation import Coefficient
from roadstead.analysis.prediction import FOLDS
from roadstead.reports.charts.risk_utility import MapPoint, RiskUtilityChart
from roadstead.reports.evaluation.comparison import (
    COMPARED_WARNING,
    ORIGINAL,
    ComparisonFacts,
    Regression,
    ReleaseInUse,
    folded,
    lost,
)
from roadstead.reports.evaluation.lines import share_of
from roadstead.reports.numbers import percent
from roadstead.reports.rounded import ROUNDED, about_with_range
from roadstead.reports.wording import counted, format_count, in_columns, legible, shortened

LAST_COMPARED = "Not for sharing: recipients of a release must not get these figures."
_LONGEST, _BESIDE = 40, 6


class ComparisonTable(NamedTuple):
    """A table in the output, with the meaning of its rows, its headings, and the text below it."""

    of: str
    heads: tuple[str, ...]
    rows: tuple[Sequence[str], ...]
    says: str = ""

    @property
    def lines(self) -> list[str]:
        """The table as lines of text."""
        below = ["", self.says] if self.says else []
        return [*in_columns([(self.of, *self.heads), *self.rows]), *below]


def comparison_lines(facts: ComparisonFacts) -> list[str]:
    """Describe how useful releases are, compared with their original."""
    parts = [
        [COMPARED_WARNING],
        [first_of(facts)],
        *(table.lines for table in comparison_tables(facts)),
        *([list(facts.notes)] if facts.notes else []),
        [LAST_COMPARED],
    ]
    lines: list[str] = []
    for part in parts:
        lines += [*([""] if lines else []), *part]
    return lines


def first_of(facts: ComparisonFacts) -> str:
    """Return a line that says what is compared."""
    records, columns = counted(facts.records, "record"), counted(len(facts.columns), "column")
    return f"{facts.source}: {records}; the releases are compared in {columns}."


def comparison_tables(facts: ComparisonFacts) -> list[ComparisonTable]:
    """Return all tables in order."""
    return [
        _all(facts),
        *(_distances(facts, releases) for releases in _blocks(facts)),
        *_accuracies(facts),
        *([] if facts.regression is None else _regression(facts, facts.regression)),
    ]


def title_of(release: ReleaseInUse) -> str:
    """Return a title for a release, from its privacy requirements and its method."""
    return shortened(
        f"{legible(release.name)} ({legible(release.promise)}; {release.recoding})", 2 * _LONGEST
    )


def _all(facts: ComparisonFacts) -> ComparisonTable:
    risks = percent(facts.largest_risk, bound="upper"), percent(facts.mean_risk)
    nothing = percent(0)
    rows: list[Sequence[str]] = [
        (ORIGINAL, format_count(facts.records), "", *risks, nothing, nothing, nothing, nothing)
    ]
    for one in facts.releases:
        risks = percent(one.largest_risk, bound="upper"), percent(one.mean_risk)
        kept = one.distances
        figures = (
            "" if one.loss is None else about_with_range(one.loss),
            *map(percent, (one.left_open, kept.one_way, kept.two_way)),
        )
        suppressed = format_count(one.left_out + one.masked)
        rows.append((title_of(one), format_count(one.records), suppressed, *risks, *figures))
    return ComparisonTable(
        "Release",
        (
            *("records", "suppressed", "highest risk", "average risk", "detail lost", "left open"),
            *("one-way", "two-way"),
        ),
        tuple(rows),
        "Risk: the prosecutor risk. Groups are formed by the quasi-identifiers of all "
        "these releases. Detail lost: the loss by the release's own measure and "
        f"hierarchies, as in its certificate, {ROUNDED}. Left open: the share of a "
        "column's values that are still possible for a cell, averaged over the "
        "quasi-identifiers and the records. It is measured the same way for all releases, "
        "so it differs from the loss that a search minimized. One-way and two-way: mean "
        "total variation distance of columns, and of pairs of columns, from the original.",
    )


def _blocks(facts: ComparisonFacts) -> list[tuple[ReleaseInUse, ...]]:
    """Split the list of releases into blocks, so that each table is narrow enough."""
    return [facts.releases[at : at + _BESIDE] for at in range(0, len(facts.releases), _BESIDE)]


def _distances(facts: ComparisonFacts, releases: Sequence[ReleaseInUse]) -> ComparisonTable:
    return ComparisonTable(
        "Distance of each column",
        tuple(shortened(legible(one.name), _LONGEST) for one in releases),
        tuple(
            (
                shortened(legible(name), _LONGEST),
                *(
                    "removed"
                    if name in one.distances.removed
                    else percent(one.distances.columns[name])
                    for one in releases
                ),
            )
            for name in facts.columns
        ),
    )


def _accuracies(facts: ComparisonFacts) -> list[ComparisonTable]:
    if facts.predictions is None:
        return []
    found = []
    for name in facts.classifiers:
        best = facts.predictions.original[name]
        rows: list[Sequence[str]] = [
            (f"learned from {ORIGINAL} (BA)", share_of(folded(best)), "", "")
        ]
        for one in facts.releases:
            called = shortened(f"learned from {legible(one.name)}", 2 * _LONGEST)
            if one.accuracy is None:
                rows.append((called, "not released", "", ""))
                continue
            own = one.accuracy[name]
            cost = share_of(folded(lost(best, own.as_they_are)))
            rows.append(
                (called, share_of(folded(own.as_they_are)), cost, share_of(folded(own.alike)))
            )
        least = share_of(folded(facts.predictions.majority))
        rows.append(("most frequent class (LA)", least, "", ""))
        title = f"Accuracy of {name} for {legible(facts.target or '')}, in %"
        heads = ("unchanged", "lost", "made coarser")
        found.append(ComparisonTable(title, heads, tuple(rows)))
    tests = FOLDS * facts.runs
    said = (
        f"Each figure is the mean of {format_count(tests)} tests. For each test, a classifier "
        f"learned from {FOLDS - 1} of {FOLDS} equal parts of the records, as the release shows "
        "them. Then it predicted the records of the remaining part: with their original values "
        "(unchanged), and with values made coarser as in the release (made coarser). ± is half of "
        "the 95% confidence interval over the tests."
    )
    return [*found[:-1], found[-1]._replace(says=said)]


def _regression(facts: ComparisonFacts, own: Regression) -> list[ComparisonTable]:
    event = "" if own.event is None else f" = {legible(own.event)}"
    outcome, _, others = legible(own.formula).partition(" ~ ")
    shares = [(one, one.mean_overlap(own.coefficients)) for one in facts.releases]
    rows = tuple(
        (title_of(one), "not released" if share is None else percent(share))
        for one, share in shares
    )
    said = (
        f"{own.kind.capitalize()} regression of {outcome}{event} on {others}, with "
        f"{counted(own.records, 'record')} without missing values. For each release, "
        f"Roadstead made {counted(own.draws, 'table')} by sampling a value within each "
        f"generalized cell (method: {own.drawn_from}), and fitted the regression to each table."
    )
    return [
        ComparisonTable("Mean overlap of 95% intervals", ("overlap",), rows, said),
        *(_coefficients(own, one) for one in facts.releases if one.coefficients is not None),
    ]


def _coefficients(own: Regression, release: ReleaseInUse) -> ComparisonTable:
    both = zip(
        own.coefficients,
        release.coefficients or (),
        release.overlaps(own.coefficients),
        strict=True,
    )
    return ComparisonTable(
        shortened(legible(release.name), _LONGEST),
        ("original", "95% interval", "release", "95% interval", "overlap"),
        tuple(
            (
                shortened(legible(before.term), _LONGEST),
                *_interval(before),
                *_interval(after),
                "" if share is None else percent(share),
            )
            for before, after, share in both
        ),
    )


def _interval(one: Coefficient) -> tuple[str, str]:
    if isnan(one.estimate):
        return "not determined", ""
    return f"{one.estimate:.4g}", f"{one.low:.4g} to {one.high:.4g}"


def map_of(facts: ComparisonFacts) -> RiskUtilityChart:
    """Return a map of the releases by risk and distance from the original."""
    points = tuple(
        MapPoint(title_of(one), one.mean_risk, one.distances.two_way, noisy=one.is_noisy)
        for one in facts.releases
    )
    return RiskUtilityChart(points, facts.mean_risk)
