"""Describe an evaluation in words and as a chart.

The warning is the first and the last line.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.reports.charts.share_bars import ShareBar, ShareChart
from roadstead.reports.evaluation.facts import (
    WARNING,
    Figure,
    JudgmentFacts,
    RehearsalFacts,
    ReleaseMethod,
    figure,
    what_is_counted,
)
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, format_count, in_columns, legible, shortened

_SHOWN, _COLUMNS = 8, 48
_SMALL = 100
"""Means below this number are written with one decimal."""
LAST = (
    "Not private: do not publish these figures, and do not use them to choose settings for the "
    "same records."
)


def summary(facts: JudgmentFacts | RehearsalFacts) -> list[str]:
    """Describe the quality of a release, or the quality of rehearsed releases."""
    first, body = _judgment(facts) if isinstance(facts, JudgmentFacts) else _rehearsal(facts)
    outside = [f"{one}." for one in facts.private.outside()]
    notes = ["", *facts.notes] if facts.notes else []
    said = what_is_counted(facts.private).sentence
    return [WARNING, "", first, said, *outside, "", *body, *notes, "", LAST]


def _judgment(facts: JudgmentFacts) -> tuple[str, list[str]]:
    tested, released = sum(facts.tested), sum(facts.released)
    first = (
        f"{facts.source} (epsilon = {facts.epsilon:.4g}, {counted(released, 'record')}) was tested "
        f"on {counted(tested, 'record')} of {facts.held_out}. The column to predict is "
        f"{facts.target}."
    )
    best = facts.majority_of_held_out
    right: list[Sequence[str]] = [("Accuracy on held-out records", "right", "above LA")]
    right += [
        (f"CA ({name} trained on the release)", percent(share), points(share - best))
        for name, share in facts.accuracy.items()
    ]
    right += [
        ("LA (most frequent class of the release)", percent(facts.majority_of_release), ""),
        ("LA (most frequent class of the held-out records)", percent(best), ""),
    ]
    classes: list[Sequence[str]] = [("Classes", "released", "share", "held out", "share")]
    classes += [
        (
            legible(name),
            format_count(of),
            percent(of / max(released, 1)),
            format_count(to),
            percent(to / tested),
        )
        for name, of, to in zip(facts.classes, facts.released, facts.tested, strict=True)
    ]
    return first, [*in_columns(right), "", *in_columns(classes), "", *_kept(facts)]


def _rehearsal(facts: RehearsalFacts) -> tuple[str, list[str]]:
    run = facts.runs[0]
    first = (
        f"{facts.source}: {counted(len(facts.runs), 'run')} to predict {facts.settings['target']}, "
        f"each with {counted(run.train, 'record')} for training and {format_count(run.test)} held "
        "out."
    )
    lines = []
    for classifier in facts.classifiers:
        lines += [*in_columns(_accuracies(facts, classifier)), ""]
    heads = ("h", "groups", "one-way, %", "two-way, %", "V", "seconds")
    details: list[Sequence[str]] = [("Released, and information kept", *heads)]
    details += [(way.name, *_detail(facts, way)) for way in facts.ways]
    lines += [
        *in_columns(details),
        "",
        "One-way and two-way: mean total variation distance between the marginals of the "
        "release and of the original records. V: mean change of Cramer's V. Columns that "
        "are not released are not compared, so a release with few columns has small "
        "distances.",
    ]
    if len(facts.runs) > 1:
        lines.append("± is half of the 95% confidence interval of the mean over the runs.")
    return first, lines


def points(difference: float) -> str:
    """Return the difference between two shares, in percentage points."""
    return f"{round(100 * difference, 1) + 0.0:+.1f} points"


def _accuracies(facts: RehearsalFacts, classifier: str) -> list[Sequence[str]]:
    """Return a table of each classifier's accuracy, and of the cost and gain of each method."""
    best = facts.baseline(classifier)
    # BA - LA is the largest gain that a classifier could achieve.
    gain = figure([run.baseline[classifier] - run.lower_bound for run in facts.runs])
    return [
        (f"Accuracy of {classifier}, in %", "CA", "BA - CA", "CA - LA"),
        ("original records (BA)", share_of(best), "", share_of(gain)),
        *(
            (
                way.name,
                share_of(facts.accuracy(way, classifier)),
                share_of(facts.cost(way, classifier)),
                share_of(facts.gain(way, classifier)),
            )
            for way in facts.ways
        ),
        ("most frequent class (LA)", share_of(facts.lower_bound), "", ""),
    ]


def _detail(facts: RehearsalFacts, way: ReleaseMethod) -> tuple[str, ...]:
    steps = facts.of(way, lambda one: one.specializations)
    return (
        "" if way.method == "contingency" else _number(steps),
        _number(facts.of(way, lambda one: one.groups)),
        share_of(facts.of(way, lambda one: one.one_way), 2),
        share_of(facts.of(way, lambda one: one.two_way), 2),
        f"{facts.of(way, lambda one: one.correlation_change).mean:.3f}",
        f"{facts.of(way, lambda one: one.seconds).mean:.2f}",
    )


def _kept(facts: JudgmentFacts) -> list[str]:
    kept = facts.kept
    farthest = sorted(kept.ones, key=lambda one: -one.distance)[:_SHOWN]
    return in_columns(
        [
            ("Information kept about the held-out records", "mean"),
            ("one-way distance (total variation)", percent(kept.one_way)),
            ("two-way distance (total variation)", percent(kept.two_way)),
            ("change of Cramer's V", f"{kept.correlation_change:.3f}"),
            *(
                (f"distance of {shortened(legible(one.variable), _COLUMNS)}", percent(one.distance))
                for one in farthest
            ),
        ]
    )


def share_of(found: Figure, digits: int = 1) -> str:
    """Return the mean of a share in percent, with its margin if it has one."""
    mean = f"{round(100 * found.mean, digits) + 0.0:.{digits}f}"  # no minus before zero
    return mean if found.margin is None else f"{mean} ± {100 * found.margin:.{digits}f}"


def _number(found: Figure) -> str:
    return f"{found.mean:.1f}" if found.mean < _SMALL else format_count(round(found.mean))


def chart_of(facts: JudgmentFacts | RehearsalFacts) -> ShareChart:
    """Draw the accuracy of each method and classifier, and the share of the largest class.

    In a rehearsal, each figure is the mean over the runs.
    """
    bars: dict[str, list[float]] = {}
    for row in facts.rows():
        if row.figure in ("CA", "BA", "LA"):
            name = f"{row.way}, {row.classifier}" if row.classifier else row.way
            bars.setdefault(name, []).append(row.value)
    return ShareChart(
        "accuracy",
        "Bar chart of the accuracies",
        "The share of the held-out records whose class is predicted correctly. Not private.",
        "learned from",
        "records predicted correctly",
        tuple(ShareBar(name, sum(values) / len(values)) for name, values in bars.items()),
    )
