"""Define the content of an evaluation: accuracies, preserved marginals, and certainty.

An existing release is evaluated once, on records that were not used for it. A request is rehearsed
in several runs. Each run generates a release from a part of the table, and uses the release to
predict the rest. Each figure of a rehearsal is a mean with a confidence interval. No figure is
differentially private, because all figures are computed from unchanged records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from roadstead.differential.evaluation.accuracy import Similarity, mean_of_runs
from roadstead.reports.synthesis.custodian import CustodianFacts
from roadstead.reports.wording import CountedUnit

KEPT = ("one_way", "two_way", "correlation_change")
"""The names of the figures of a `Similarity`."""
MEANS = ("groups", "records", "specializations", *KEPT, "seconds")
"""The names of all figures of a method except its accuracy."""

MethodName: TypeAlias = Literal["diffgen", "contingency", "top-down"]


def what_is_counted(private: CustodianFacts) -> CountedUnit:
    """Return whether records or people are counted."""
    return CountedUnit(private.gathered_by)


class FigureRow(NamedTuple):
    """A row of a table with one figure. Fields that do not apply are empty."""

    run: int
    way: str
    classifier: str
    figure: str
    value: float


@dataclass(frozen=True)
class Figure:
    """A mean over runs, and half the width of its 95% confidence interval (None for one run)."""

    mean: float
    margin: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Return the figure as JSON."""
        mean, margin = self.mean, self.margin
        low, high = (None, None) if margin is None else (mean - margin, mean + margin)
        return {"mean": mean, "margin": margin, "low": low, "high": high}


def figure(values: Sequence[float]) -> Figure:
    """Return the mean of a figure over one or more runs."""
    if len(values) == 1:
        return Figure(float(values[0]), None)
    found = mean_of_runs(values)
    return Figure(found.mean, found.margin)


@dataclass(frozen=True)
class ReleaseMethod:
    """A method that turns records into a release from which a classifier can learn.

    ``diffgen`` is the method of `synthesize`. ``contingency`` counts all combinations with noise,
    and divides numbers into `detail` bands. ``top-down`` makes groups of at least `detail` records
    without noise.
    """

    method: MethodName
    epsilon: Fraction | None = None
    specializations: int | None = None
    detail: int | None = None

    @property
    def name(self) -> str:
        """The name of the method in tables."""
        budget = "" if self.epsilon is None else f"{float(self.epsilon):.4g}"
        match self.method:
            case "diffgen":
                steps = "" if self.specializations is None else f", h = {self.specializations}"
                return f"synthesize, epsilon = {budget}{steps}"
            case "contingency":
                return f"contingency table, epsilon = {budget}"
            case "top-down":
                return f"top-down, k = {self.detail}, not private"


@dataclass(frozen=True)
class MethodOutcome:
    """The results of one method in one run.

    For each classifier, `accuracy` gives the share of correct predictions for held-out records
    (CA). The distances are mean total variation distances between the marginals of the release and
    the marginals of its records. The change in the correlation is the change in Cramer's V.
    """

    way: ReleaseMethod
    accuracy: Mapping[str, float]
    groups: int
    records: int
    specializations: int
    one_way: float
    two_way: float
    correlation_change: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON."""
        return {**asdict(self), "way": self.way.name}


@dataclass(frozen=True)
class Run:
    """One run: the split of the records, and the results of all methods on the same split.

    The lower bound is LA, the share of the most frequent class. The baseline is BA, the accuracy of
    each classifier that learned from unchanged records. `absent` lists the classes that do not have
    any training records.
    """

    number: int
    train: int
    test: int
    lower_bound: float
    baseline: Mapping[str, float]
    outcomes: tuple[MethodOutcome, ...] = field(repr=False)
    absent: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the run as JSON."""
        shared = {name: getattr(self, name) for name in ("train", "test", "lower_bound")}
        ways = [one.to_dict() for one in self.outcomes]
        return {"run": self.number, **shared, "baseline": dict(self.baseline), "ways": ways}


WARNING = (
    "NOT PRIVATE: these figures are counted from the records without noise, so "
    "differential privacy does not cover them. Do not publish them. Do not use them to choose an "
    "epsilon, a number of specializations, or a taxonomy for a release of the same records: this "
    "would use up privacy budget, and no ledger would record it. Use other data for this choice, "
    "such as last year's extract."
)
"""The warning that appears in every form of the output."""


@dataclass(frozen=True)
class RehearsalFacts:
    """A request that is tried out on parts of the table, with the finished and the planned runs.

    `private` contains the number of records, and the number of records outside the domains.
    """

    source: str
    settings: Mapping[str, Any]
    planned: int
    runs: tuple[Run, ...] = field(repr=False)
    private: CustodianFacts = field(repr=False)
    notes: tuple[str, ...]
    seconds: float

    @property
    def ways(self) -> tuple[ReleaseMethod, ...]:
        """The methods that were tested."""
        return tuple(one.way for one in self.runs[0].outcomes)

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The names of the classifiers."""
        return tuple(self.runs[0].baseline)

    @property
    def lower_bound(self) -> Figure:
        """The lower bound on the accuracy, LA."""
        return figure([run.lower_bound for run in self.runs])

    def baseline(self, classifier: str) -> Figure:
        """Return the accuracy after learning from unchanged records, BA."""
        return figure([run.baseline[classifier] for run in self.runs])

    def accuracy(self, way: ReleaseMethod, classifier: str) -> Figure:
        """Return the accuracy of a method, CA."""
        return self.of(way, lambda one: one.accuracy[classifier])

    def cost(self, way: ReleaseMethod, classifier: str) -> Figure:
        """Return BA - CA as a mean over the runs."""
        return figure(
            [run.baseline[classifier] - one.accuracy[classifier] for run, one in self._both(way)]
        )

    def gain(self, way: ReleaseMethod, classifier: str) -> Figure:
        """Return CA - LA as a mean over the runs."""
        return figure([one.accuracy[classifier] - run.lower_bound for run, one in self._both(way)])

    def of(self, way: ReleaseMethod, value: Callable[[MethodOutcome], float]) -> Figure:
        """Return the mean of another figure of a method."""
        return figure([value(one) for _, one in self._both(way)])

    def _both(self, way: ReleaseMethod) -> list[tuple[Run, MethodOutcome]]:
        at = self.ways.index(way)
        return [(run, run.outcomes[at]) for run in self.runs]

    def rows(self) -> list[FigureRow]:
        """Return each figure of each run."""
        rows = []
        for run in self.runs:
            at = run.number
            rows.append(FigureRow(at, "most frequent class", "", "LA", run.lower_bound))
            rows += [
                FigureRow(at, "original records", name, "BA", right)
                for name, right in run.baseline.items()
            ]
            for one in run.outcomes:
                way = one.way.name
                rows += [FigureRow(at, way, name, "CA", r) for name, r in one.accuracy.items()]
                rows += [FigureRow(at, way, "", name, float(getattr(one, name))) for name in MEANS]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON."""
        return {
            **_head("rehearsal", self.private),
            "source": self.source,
            "records": self.private.records,
            **outside(self.private),
            "runs": len(self.runs),
            "runs_asked": self.planned,
            "train": self.runs[0].train,
            "test": self.runs[0].test,
            "lower_bound": self.lower_bound.to_dict(),
            "baseline": {one: self.baseline(one).to_dict() for one in self.classifiers},
            "ways": [self._way(way) for way in self.ways],
            "by_run": [run.to_dict() for run in self.runs],
            "settings": dict(self.settings),
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }

    def _way(self, way: ReleaseMethod) -> dict[str, Any]:
        return {
            "way": way.name,
            "method": way.method,
            "differentially_private": way.epsilon is not None,
            "epsilon": None if way.epsilon is None else float(way.epsilon),
            "specializations_asked": way.specializations,
            "accuracy": {
                one: {
                    "ca": self.accuracy(way, one).to_dict(),
                    "ba_minus_ca": self.cost(way, one).to_dict(),
                    "ca_minus_la": self.gain(way, one).to_dict(),
                }
                for one in self.classifiers
            },
            **{name: self.of(way, attrgetter(name)).to_dict() for name in MEANS},
        }


@dataclass(frozen=True)
class JudgmentFacts:
    """A release that is evaluated on records that were not used to create it.

    `source` is the name of the release folder, and `held_out` is the name of the file of records.
    `released` and `tested` count the records of each class, in the release and among the held-out
    records within the domains. `accuracy` gives the accuracy (CA) of each classifier. The
    majorities are two kinds of LA: the accuracy if the prediction is always the most frequent class
    of the release, or of the held-out records.
    """

    source: str
    held_out: str
    epsilon: float
    target: str
    classes: tuple[str, ...]
    released: tuple[int, ...]
    tested: tuple[int, ...]
    accuracy: Mapping[str, float]
    majority_of_release: float
    majority_of_held_out: float
    kept: Similarity = field(repr=False)
    private: CustodianFacts = field(repr=False)
    notes: tuple[str, ...]
    seconds: float

    def rows(self) -> list[FigureRow]:
        """Return each figure."""
        kept = self.kept
        figures = [
            ("most frequent class of the release", "", "LA", self.majority_of_release),
            ("most frequent class of the held-out records", "", "LA", self.majority_of_held_out),
            *((self.source, name, "CA", right) for name, right in self.accuracy.items()),
            *((self.source, "", name, getattr(kept, name)) for name in KEPT),
        ]
        return [FigureRow(1, *one) for one in figures]

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON."""
        kept = self.kept
        return {
            **_head("release", self.private),
            "release": self.source,
            "held_out": self.held_out,
            "epsilon": self.epsilon,
            "target": self.target,
            "records_released": sum(self.released),
            "records_by_class": dict(zip(self.classes, self.released, strict=True)),
            "held_out_records": self.private.records,
            **outside(self.private),
            "tested": sum(self.tested),
            "tested_by_class": dict(zip(self.classes, self.tested, strict=True)),
            "accuracy": dict(self.accuracy),
            "lower_bound": {
                "majority_of_release": self.majority_of_release,
                "majority_of_held_out": self.majority_of_held_out,
            },
            "kept": {
                **{name: getattr(kept, name) for name in KEPT},
                "variables": [asdict(one) for one in kept.ones],
                "pairs": [
                    {
                        "variables": list(two.variables),
                        "distance": two.distance,
                        "in_held_out": two.in_table,
                        "in_release": two.in_release,
                    }
                    for two in kept.twos
                ],
            },
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }


def outside(private: CustodianFacts) -> dict[str, Any]:
    """Return the number of records outside the domains, by kind and column."""
    by_column = {
        "left_out": dict(private.homeless),
        "clamped": dict(private.clamped),
        "unlisted": dict(private.unlisted),
    }
    return {"left_out": private.left_out, "outside": by_column}


def _head(question: str, private: CustodianFacts) -> dict[str, Any]:
    return {
        "question": question,
        "private": False,
        "warning": WARNING,
        "counted": what_is_counted(private).to_dict(),
    }
