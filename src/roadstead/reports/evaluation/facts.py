"""All that is said of an evaluation: accuracies, what is kept of marginals, and how sure that is.

Two questions have one form of answer. A release that is there is judged once, on records that were
not in it. A request is rehearsed: run after run, a part of the table is released and the rest
predicted, and each figure is a mean with its confidence interval.

Nothing here is differentially private: every figure was counted from records as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import Any

from roadstead.differential.evaluation.similarity import Similarity
from roadstead.reports.evaluation.runs import (
    MEANS,
    Figure,
    FigureRow,
    MethodOutcome,
    ReleaseMethod,
    Run,
    figure,
)
from roadstead.reports.synthesis.custodian import CustodianFacts

WARNING = (
    "NOT PRIVATE: these figures are counted from the records themselves, without noise, and no "
    "differential privacy holds of them. To choose an epsilon, a number of specializations or a "
    "taxonomy by them, and then to release these records, spends privacy that no ledger shows. "
    "Choose on other data, such as last year's extract, and publish none of these figures."
)
"""Stands in every form of the answer."""


@dataclass(frozen=True)
class RehearsalFacts:
    """A request rehearsed on parts of the table, with the runs that were made of those planned.

    `private` has how many records there are, and what has no place in the domains.
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
        """What was tried."""
        return tuple(one.way for one in self.runs[0].outcomes)

    @property
    def classifiers(self) -> tuple[str, ...]:
        """What learned."""
        return tuple(self.runs[0].baseline)

    @property
    def complete(self) -> bool:
        """Whether all runs were made."""
        return len(self.runs) == self.planned

    @property
    def lower_bound(self) -> Figure:
        """LA."""
        return figure([run.lower_bound for run in self.runs])

    def baseline(self, classifier: str) -> Figure:
        """Give BA."""
        return figure([run.baseline[classifier] for run in self.runs])

    def baseline_gain(self, classifier: str) -> Figure:
        """Give BA - LA: what could be learned at best."""
        return figure([run.baseline[classifier] - run.lower_bound for run in self.runs])

    def accuracy(self, way: ReleaseMethod, classifier: str) -> Figure:
        """Give CA."""
        return self.of(way, lambda one: one.accuracy[classifier])

    def cost(self, way: ReleaseMethod, classifier: str) -> Figure:
        """Give BA - CA, the difference of each run averaged."""
        return figure(
            [run.baseline[classifier] - one.accuracy[classifier] for run, one in self._both(way)]
        )

    def gain(self, way: ReleaseMethod, classifier: str) -> Figure:
        """Give CA - LA, the difference of each run averaged."""
        return figure([one.accuracy[classifier] - run.lower_bound for run, one in self._both(way)])

    def of(self, way: ReleaseMethod, value: Callable[[MethodOutcome], float]) -> Figure:
        """Average something else of a method."""
        return figure([value(one) for _, one in self._both(way)])

    def _both(self, way: ReleaseMethod) -> list[tuple[Run, MethodOutcome]]:
        at = self.ways.index(way)
        return [(run, run.outcomes[at]) for run in self.runs]

    def rows(self) -> list[FigureRow]:
        """Give each figure of each run."""
        rows = []
        for run in self.runs:
            at = run.number
            rows.append(FigureRow(at, "most frequent class", "", "LA", run.lower_bound))
            rows += [
                FigureRow(at, "records as they are", name, "BA", right)
                for name, right in run.baseline.items()
            ]
            for one in run.outcomes:
                way = one.way.name
                rows += [FigureRow(at, way, name, "CA", r) for name, r in one.accuracy.items()]
                rows += [FigureRow(at, way, "", name, float(getattr(one, name))) for name in MEANS]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Give the facts as JSON holds them."""
        return {
            "question": "rehearsal",
            "private": False,
            "warning": WARNING,
            "source": self.source,
            "records": self.private.records,
            "left_out": self.private.left_out,
            "outside": outside(self.private),
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
            "seconds": self.seconds,
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
    """A release judged on records that were not in it.

    `source` and `held_out` are what its folder and the file of the records are called; `released`
    and `tested` are records of each class, in the release and of those held out that have a place
    in its domains. Accuracy is CA by classifier; the majorities are LA, by the most frequent class
    of the release and of the held-out records; `kept` compares marginals and correlations.
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
        """Give each figure."""
        kept = self.kept
        figures = [
            ("most frequent class of the release", "", "LA", self.majority_of_release),
            ("most frequent class of the held-out records", "", "LA", self.majority_of_held_out),
            *((self.source, name, "CA", right) for name, right in self.accuracy.items()),
            (self.source, "", "one_way", kept.mean_one_way),
            (self.source, "", "two_way", kept.mean_two_way),
            (self.source, "", "correlation_change", kept.mean_change),
        ]
        return [FigureRow(1, *one) for one in figures]

    def to_dict(self) -> dict[str, Any]:
        """Give the facts as JSON holds them."""
        kept = self.kept
        return {
            "question": "release",
            "private": False,
            "warning": WARNING,
            "release": self.source,
            "held_out": self.held_out,
            "epsilon": self.epsilon,
            "target": self.target,
            "records_released": sum(self.released),
            "records_by_class": dict(zip(self.classes, self.released, strict=True)),
            "held_out_records": self.private.records,
            "left_out": self.private.left_out,
            "outside": outside(self.private),
            "tested": sum(self.tested),
            "tested_by_class": dict(zip(self.classes, self.tested, strict=True)),
            "accuracy": dict(self.accuracy),
            "lower_bound": {
                "majority_of_release": self.majority_of_release,
                "majority_of_held_out": self.majority_of_held_out,
            },
            "kept": {
                "one_way": kept.mean_one_way,
                "two_way": kept.mean_two_way,
                "correlation_change": kept.mean_change,
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
            "seconds": self.seconds,
        }


def outside(private: CustodianFacts) -> dict[str, dict[str, int]]:
    """Give by column how many records have no place, count as an end, or lost an item."""
    return {
        "left_out": dict(private.homeless),
        "clamped": dict(private.clamped),
        "unlisted": dict(private.unlisted),
    }
