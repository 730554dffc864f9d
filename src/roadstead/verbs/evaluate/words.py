"""An evaluation in words, for the terminal and for notebooks; the warning stands first and last."""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, legible, shortened, whole
from roadstead.verbs.evaluate.found import (
    WARNING,
    Figure,
    FoundJudgment,
    FoundRehearsal,
    Way,
    outside_words,
)

_SHOWN, _COLUMNS = 8, 48
_SMALL = 100
"""A mean below this is shown with a digit behind the point."""
LAST = "Not private: publish none of this, and choose nothing by it for the same records."


def judgment(found: FoundJudgment) -> list[str]:
    """Say how good a release is."""
    tested, released = sum(found.tested), sum(found.released)
    lines = [
        WARNING,
        "",
        f"{found.release} (epsilon = {found.epsilon:.4g}, {counted(released, 'record')}) on "
        f"{counted(tested, 'record')} of {found.held_out}, so as to tell {found.target}.",
        *outside_words(found.private),
        "",
    ]
    best = found.majority_of_held_out
    rows: list[Sequence[str]] = [("Accuracy on held-out records", "right", "above LA")]
    rows += [
        (f"CA, {name} learned from the release", percent(right), points(right - best))
        for name, right in found.accuracy.items()
    ]
    rows += [
        ("LA, most frequent class of the release", percent(found.majority_of_release), ""),
        ("LA, most frequent class of the held-out records", percent(best), ""),
    ]
    lines += [*_aligned(rows), ""]
    rows = [("Classes", "released", "share", "held out", "share")]
    rows += [
        (legible(name), whole(of), percent(of / max(released, 1)), whole(to), percent(to / tested))
        for name, of, to in zip(found.classes, found.released, found.tested, strict=True)
    ]
    lines += [*_aligned(rows), "", *_kept(found)]
    return [*lines, *(["", *found.notes] if found.notes else []), "", LAST]


def rehearsal(found: FoundRehearsal) -> list[str]:
    """Say how good releases of this kind are."""
    first = found.runs[0]
    lines = [
        WARNING,
        "",
        f"{found.source}: {counted(len(found.runs), 'run')}, each with "
        f"{counted(first.train, 'record')} to learn from and {whole(first.test)} held out, so as "
        f"to tell {found.settings['target']}.",
        *outside_words(found.private),
        "",
    ]
    for classifier in found.classifiers:
        lines += [*_aligned(_accuracies(found, classifier)), ""]
    lines += _aligned(_details(found))
    lines += [
        "",
        "One-way and two-way: mean total variation distance of the marginals from those of the "
        "records released; V: mean change of Cramer's V. Of what is not told nothing is compared, "
        "so a release that tells little is near.",
    ]
    if len(found.runs) > 1:
        lines.append("± is half of the 95 % confidence interval of the mean over the runs.")
    return [*lines, *(["", *found.notes] if found.notes else []), "", LAST]


def points(difference: float) -> str:
    """Write a difference of shares in percentage points."""
    return f"{round(100 * difference, 1) + 0.0:+.1f} points"


def _accuracies(found: FoundRehearsal, classifier: str) -> list[Sequence[str]]:
    """Table what a classifier gets right, what a way costs, and what it is good for."""
    rows: list[Sequence[str]] = [
        (f"Accuracy of {classifier}, in %", "CA", "BA - CA", "CA - LA"),
        (
            "records as they are (BA)",
            _share(found.baseline(classifier)),
            "",
            _share(found.baseline_gain(classifier)),
        ),
    ]
    rows += [
        (
            way.name,
            _share(found.accuracy(way, classifier)),
            _share(found.cost(way, classifier)),
            _share(found.gain(way, classifier)),
        )
        for way in found.ways
    ]
    rows.append(("most frequent class (LA)", _share(found.lower_bound), "", ""))
    return rows


def _details(found: FoundRehearsal) -> list[Sequence[str]]:
    """Table what was released, what is kept in it, and how long it took."""
    heads = ("h", "groups", "one-way, %", "two-way, %", "V", "seconds")
    rows: list[Sequence[str]] = [("What is released, and kept in it", *heads)]
    rows += [(way.name, *_detail(found, way)) for way in found.ways]
    return rows


def _detail(found: FoundRehearsal, way: Way) -> tuple[str, ...]:
    return (
        ""
        if way.method == "contingency"
        else _number(found.of(way, lambda one: one.specializations)),
        _number(found.of(way, lambda one: one.groups)),
        _share(found.of(way, lambda one: one.one_way), 2),
        _share(found.of(way, lambda one: one.two_way), 2),
        f"{found.of(way, lambda one: one.correlation_change).mean:.3f}",
        f"{found.of(way, lambda one: one.seconds).mean:.2f}",
    )


def _kept(found: FoundJudgment) -> list[str]:
    """Say what of the marginals is kept, and which variables changed most."""
    kept = found.kept
    rows: list[Sequence[str]] = [
        ("What is kept of the held-out records", "mean"),
        ("one-way distance (total variation)", percent(kept.mean_one_way)),
        ("two-way distance (total variation)", percent(kept.mean_two_way)),
        ("change of Cramer's V", f"{kept.mean_change:.3f}"),
    ]
    farthest = sorted(kept.ones, key=lambda one: -one.distance)[:_SHOWN]
    rows += [
        (f"distance of {shortened(legible(one.variable), _COLUMNS)}", percent(one.distance))
        for one in farthest
    ]
    return _aligned(rows)


def _share(found: Figure, digits: int = 1) -> str:
    mean = f"{round(100 * found.mean, digits) + 0.0:.{digits}f}"  # no minus before nothing
    return mean if found.margin is None else f"{mean} ± {100 * found.margin:.{digits}f}"


def _number(found: Figure) -> str:
    return f"{found.mean:.1f}" if found.mean < _SMALL else whole(round(found.mean))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Set rows in columns below a head: the first is text, the others are numbers."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        (
            ("" if place == 0 else "  ")
            + row[0].ljust(widths[0] + (2 if place == 0 else 0))
            + "".join(
                f"  {cell.rjust(width)}" for cell, width in zip(row[1:], widths[1:], strict=True)
            )
        ).rstrip()
        for place, row in enumerate(rows)
    ]
