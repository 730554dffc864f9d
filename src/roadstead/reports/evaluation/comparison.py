"""Compare releases with their original table by the results of analyses.

Every figure is computed from the original records, so the figures are not differentially private.
All outputs contain this warning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isnan
from statistics import fmean
from typing import Any

from roadstead.analysis.distances import Distances
from roadstead.analysis.imputation import Coefficient, overlap
from roadstead.analysis.prediction import FoldAccuracies, Predictions, mean_of_folds
from roadstead.release.shown import NOISY
from roadstead.reports.evaluation.facts import Figure, FigureRow

COMPARED_WARNING = (
    "NOT FOR SHARING: these figures compare releases with the original records, so they "
    "reveal information about these records that the releases do not reveal. Privacy "
    "models and differential privacy do not cover these figures. They are for the people "
    "who decide about a release, and for research on data that are already public."
)
"""The warning that appears in every form of the output."""
ORIGINAL = "original records"


@dataclass(frozen=True)
class Regression:
    """A regression on the original table, and how random values are chosen for the releases."""

    formula: str
    kind: str  # linear or logistic
    event: str | None  # for a logistic regression: the value of the outcome that it predicts
    draws: int
    drawn_from: str
    records: int  # the number of records of the original without missing values
    coefficients: tuple[Coefficient, ...] = field(repr=False)


@dataclass(frozen=True)
class ReleaseInUse:
    """One release, with its risk, its loss, and its usefulness for an analysis.

    For the prosecutor risks, records are grouped by all compared columns that any release
    generalizes. `left_open` measures how many values remain possible in these columns, as a mean
    over the records. `loss` is the release's own measure, rounded as in its certificate, or None.
    `accuracy` has one entry per classifier, or is None if the release lacks the target.
    `coefficients` is None if the release lacks a column of the regression.
    """

    name: str
    promise: str
    recoding: str
    records: int
    left_out: int
    masked: int
    largest_risk: float
    mean_risk: float
    loss: float | None
    left_open: float
    distances: Distances = field(repr=False)
    accuracy: Mapping[str, FoldAccuracies] | None = None
    coefficients: tuple[Coefficient, ...] | None = None

    @property
    def is_noisy(self) -> bool:
        """Indicates whether noise, instead of group size, protects the records."""
        return self.recoding == NOISY

    def overlaps(self, original: Sequence[Coefficient]) -> tuple[float | None, ...]:
        """Return the overlap of the two confidence intervals of each coefficient."""
        own = self.coefficients or ()
        return tuple(overlap(a, b) for a, b in zip(original, own, strict=True))

    def mean_overlap(self, original: Sequence[Coefficient]) -> float | None:
        """Return the mean overlap for all coefficients except the intercept."""
        if self.coefficients is None:
            return None
        known = [one for one in self.overlaps(original)[1:] if one is not None]
        return fmean(known) if known else None


@dataclass(frozen=True)
class ComparisonFacts:
    """Several releases, compared with their original table.

    `columns` lists the compared columns, and `quasi` lists the generalized columns.
    """

    source: str
    records: int
    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    target: str | None
    runs: int
    largest_risk: float
    mean_risk: float
    predictions: Predictions | None = field(repr=False)
    regression: Regression | None = field(repr=False)
    releases: tuple[ReleaseInUse, ...] = field(repr=False)
    notes: tuple[str, ...]
    seconds: float

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The names of the classifiers."""
        return () if self.predictions is None else tuple(self.predictions.original)

    def rows(self) -> list[FigureRow]:
        """Return each figure.

        Accuracies are given per fold. The folds are numbered across all runs.
        """
        rows = []
        if self.predictions is not None:
            folds = enumerate(self.predictions.majority, 1)
            rows += [FigureRow(at, "most frequent class", "", "LA", one) for at, one in folds]
            rows += [
                FigureRow(at, ORIGINAL, name, "BA", one)
                for name, own in self.predictions.original.items()
                for at, one in enumerate(own, 1)
            ]
        for release in self.releases:
            rows += self._rows_of(release)
        return rows

    def _rows_of(self, release: ReleaseInUse) -> list[FigureRow]:
        way = release.name
        rows = [
            FigureRow(1, way, "", name, float(getattr(release, name)))
            for name in ("largest_risk", "mean_risk", "left_open", "loss")
            if getattr(release, name) is not None
        ]
        kept = release.distances
        rows += [
            FigureRow(1, way, "", name, getattr(kept, name)) for name in ("one_way", "two_way")
        ]
        for name, own in (release.accuracy or {}).items():
            rows += [
                FigureRow(at, way, name, "CA", one) for at, one in enumerate(own.as_they_are, 1)
            ]
            rows += [
                FigureRow(at, way, name, "CA alike", one) for at, one in enumerate(own.alike, 1)
            ]
        if self.regression is not None and release.coefficients is not None:
            overlaps = release.overlaps(self.regression.coefficients)
            rows += [
                FigureRow(1, way, "", f"overlap of {term.term}", one)
                for term, one in zip(self.regression.coefficients, overlaps, strict=True)
                if one is not None
            ]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON."""
        return {
            "question": "comparison",
            "private": False,
            "warning": COMPARED_WARNING,
            "counted": {"unit": "record"},
            "original": self.source,
            "records": self.records,
            "columns": list(self.columns),
            "quasi": list(self.quasi),
            "target": self.target,
            "runs": self.runs,
            "risk": {"largest": self.largest_risk, "mean": self.mean_risk},
            "lower_bound": self._folds(
                None if self.predictions is None else self.predictions.majority
            ),
            "baseline": {
                name: self._folds(own)
                for name, own in (self.predictions.original if self.predictions else {}).items()
            },
            "regression": None if self.regression is None else _regression(self.regression),
            "releases": [self._release(one) for one in self.releases],
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }

    def _release(self, release: ReleaseInUse) -> dict[str, Any]:
        kept, own = release.distances, self.regression
        accuracy = None
        if release.accuracy is not None and self.predictions is not None:
            accuracy = {
                name: {
                    "ca": self._folds(folds.as_they_are),
                    "ca_alike": self._folds(folds.alike),
                    "ba_minus_ca": folded(
                        lost(self.predictions.original[name], folds.as_they_are)
                    ).to_dict(),
                }
                for name, folds in release.accuracy.items()
            }
        coefficients = None
        if own is not None and release.coefficients is not None:
            overlaps = release.overlaps(own.coefficients)
            coefficients = [
                {**_coefficient(one), "overlap": share}
                for one, share in zip(release.coefficients, overlaps, strict=True)
            ]
        return {
            "release": release.name,
            "promise": release.promise,
            "recoding": release.recoding,
            "records": release.records,
            "left_out": release.left_out,
            "masked": release.masked,
            "risk": {"largest": release.largest_risk, "mean": release.mean_risk},
            "loss": release.loss,
            "left_open": release.left_open,
            "one_way": kept.one_way,
            "two_way": kept.two_way,
            "distances": {
                "columns": dict(kept.columns),
                "removed": list(kept.removed),
                "pairs": [
                    {"columns": list(pair), "distance": far} for pair, far in kept.pairs.items()
                ],
            },
            "accuracy": accuracy,
            "coefficients": coefficients,
            "mean_overlap": None if own is None else release.mean_overlap(own.coefficients),
        }

    def _folds(self, values: Sequence[float] | None) -> dict[str, float | None] | None:
        return None if values is None else folded(values).to_dict()


def folded(values: Sequence[float]) -> Figure:
    """Average a figure over the folds."""
    return Figure(*mean_of_folds(values))


def lost(best: Sequence[float], own: Sequence[float]) -> list[float]:
    """Return the loss of accuracy in each fold."""
    return [one - other for one, other in zip(best, own, strict=True)]


def _regression(own: Regression) -> dict[str, Any]:
    return {**asdict(own), "coefficients": [_coefficient(one) for one in own.coefficients]}


def _coefficient(one: Coefficient) -> dict[str, Any]:
    return {
        key: None if isinstance(value, float) and isnan(value) else value
        for key, value in asdict(one).items()
    }
