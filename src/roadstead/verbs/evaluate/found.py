"""What an evaluation found: accuracies, what is kept of marginals, and how sure that is.

Two questions have one form of answer. A release that is there is judged once, on records that were
not in it. A request is rehearsed: run after run, a part of the table is released and the rest
predicted, and each figure is a mean with its confidence interval.

Nothing here is differentially private: every figure was counted from records as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from operator import attrgetter
from typing import Any, Literal, TypeAlias

from roadstead.differential.evaluation.accuracy import mean_of_runs
from roadstead.differential.evaluation.similarity import Similarity
from roadstead.reports.wording import counted
from roadstead.verbs.synthesize.outside import Private

WARNING = (
    "NOT PRIVATE: these figures are counted from the records themselves, without noise, and no "
    "differential privacy holds of them. To choose an epsilon, a number of specializations or a "
    "taxonomy by them, and then to release these records, spends privacy that no ledger shows. "
    "Choose on other data, such as last year's extract, and publish none of these figures."
)
"""Stands in every form of the answer."""

Method: TypeAlias = Literal["diffgen", "contingency", "top-down"]


@dataclass(frozen=True)
class Figure:
    """A mean over runs.

    Attributes
    ----------
    mean
        Of the runs.
    margin
        Half the width of its 95 % confidence interval; None of one run, which tells no spread.
    """

    mean: float
    margin: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Give it as JSON holds it."""
        none = self.margin is None
        return {
            "mean": self.mean,
            "margin": self.margin,
            "low": None if none else self.mean - (self.margin or 0),
            "high": None if none else self.mean + (self.margin or 0),
        }


def figure(values: Sequence[float]) -> Figure:
    """Average a figure over the runs, at least one."""
    if len(values) == 1:
        return Figure(float(values[0]), None)
    found = mean_of_runs(values)
    return Figure(found.mean, found.margin)


@dataclass(frozen=True)
class Way:
    """A way to make something of the records that a classifier can learn from.

    Attributes
    ----------
    method
        ``diffgen``, what `synthesize` does; ``contingency``, all combinations counted with noise;
        ``top-down``, k-anonymous groups without noise.
    epsilon
        The privacy budget; None where there is none.
    specializations
        How many are asked for; None where that is chosen, or there are none.
    detail
        For a contingency table into how many bands numbers are parted, for top-down the least
        size of a group.
    """

    method: Method
    epsilon: Fraction | None = None
    specializations: int | None = None
    detail: int | None = None

    @property
    def name(self) -> str:
        """What it is called in tables."""
        match self.method:
            case "diffgen":
                asked = "" if self.specializations is None else f", h = {self.specializations}"
                return f"synthesize, epsilon = {self.budget}{asked}"
            case "contingency":
                return f"contingency table, epsilon = {self.budget}"
            case "top-down":
                return f"top-down, k = {self.detail}, not private"

    @property
    def budget(self) -> str:
        """The privacy budget as a number."""
        return "" if self.epsilon is None else f"{float(self.epsilon):.4g}"


@dataclass(frozen=True)
class Outcome:
    """What one way brought in one run.

    Attributes
    ----------
    way
        Which.
    accuracy
        CA by classifier: the share of the held-out records whose class is predicted.
    groups, records
        How many are released.
    specializations
        How many were made.
    one_way, two_way
        Mean total variation distance of the marginals from those of the records released.
    correlation_change
        Mean change of Cramer's V, up or down.
    seconds
        How long the release took.
    """

    way: Way
    accuracy: Mapping[str, float]
    groups: int
    records: int
    specializations: int
    one_way: float
    two_way: float
    correlation_change: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        found = {name: value for name, value in asdict(self).items() if name != "way"}
        return {"way": self.way.name, **found}


@dataclass(frozen=True)
class Run:
    """One run: the records parted, and every way tried on the same parts.

    Attributes
    ----------
    number
        From 1.
    train, test
        Records to learn from, and held out.
    lower_bound
        LA: the share of the held-out records that the most frequent class is right of.
    baseline
        BA by classifier: learned from the records as they are.
    outcomes
        By way, in the order asked for.
    absent
        Classes that no record to learn from has.
    """

    number: int
    train: int
    test: int
    lower_bound: float
    baseline: Mapping[str, float]
    outcomes: tuple[Outcome, ...] = field(repr=False)
    absent: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        return {
            "run": self.number,
            "train": self.train,
            "test": self.test,
            "lower_bound": self.lower_bound,
            "baseline": dict(self.baseline),
            "ways": [one.to_dict() for one in self.outcomes],
        }


@dataclass(frozen=True)
class FoundRehearsal:
    """A request rehearsed on parts of the table.

    Attributes
    ----------
    source
        What the table is called.
    settings
        What was asked for.
    asked
        How many runs were.
    runs
        Those that were made; fewer where somebody stopped them.
    private
        How many records there are, and what has no place in the domains.
    notes
        What a reader has to know.
    seconds
        How long it took.
    """

    source: str
    settings: Mapping[str, Any]
    asked: int
    runs: tuple[Run, ...] = field(repr=False)
    private: Private = field(repr=False)
    notes: tuple[str, ...]
    seconds: float

    @property
    def ways(self) -> tuple[Way, ...]:
        """What was tried."""
        return tuple(one.way for one in self.runs[0].outcomes)

    @property
    def classifiers(self) -> tuple[str, ...]:
        """What learned."""
        return tuple(self.runs[0].baseline)

    @property
    def complete(self) -> bool:
        """Whether all runs were made."""
        return len(self.runs) == self.asked

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

    def accuracy(self, way: Way, classifier: str) -> Figure:
        """Give CA."""
        return self.of(way, lambda one: one.accuracy[classifier])

    def cost(self, way: Way, classifier: str) -> Figure:
        """Give BA - CA, the difference of each run averaged."""
        return figure(
            [run.baseline[classifier] - one.accuracy[classifier] for run, one in self._both(way)]
        )

    def gain(self, way: Way, classifier: str) -> Figure:
        """Give CA - LA, the difference of each run averaged."""
        return figure([one.accuracy[classifier] - run.lower_bound for run, one in self._both(way)])

    def of(self, way: Way, value: Callable[[Outcome], float]) -> Figure:
        """Average something else of a way."""
        return figure([value(one) for _, one in self._both(way)])

    def _both(self, way: Way) -> list[tuple[Run, Outcome]]:
        at = self.ways.index(way)
        return [(run, run.outcomes[at]) for run in self.runs]

    def to_dict(self) -> dict[str, Any]:
        """Give the document that ``--json`` prints."""
        return {
            "question": "rehearsal",
            "private": False,
            "warning": WARNING,
            "source": self.source,
            "records": self.private.records,
            "left_out": self.private.left_out,
            "outside": outside(self.private),
            "runs": len(self.runs),
            "runs_asked": self.asked,
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

    def _way(self, way: Way) -> dict[str, Any]:
        means = (
            "groups",
            "records",
            "specializations",
            "one_way",
            "two_way",
            "correlation_change",
            "seconds",
        )
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
            **{name: self.of(way, attrgetter(name)).to_dict() for name in means},
        }


@dataclass(frozen=True)
class FoundJudgment:
    """A release judged on records that were not in it.

    Attributes
    ----------
    release, held_out
        What folder and file are called.
    epsilon
        The release's privacy budget.
    target, classes
        The column of the class, and its values.
    released
        Records of each class in the release.
    tested
        Held-out records of each class that have a place in its domains.
    accuracy
        CA by classifier.
    majority_of_release, majority_of_held_out
        LA: how many held-out records the most frequent class of either is right of, as a share.
    kept
        The release's marginals and correlations beside those of the held-out records.
    private
        How many held-out records there are, and what has no place in the domains.
    notes
        What a reader has to know.
    seconds
        How long it took.
    """

    release: str
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
    private: Private = field(repr=False)
    notes: tuple[str, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Give the document that ``--json`` prints."""
        kept = self.kept
        return {
            "question": "release",
            "private": False,
            "warning": WARNING,
            "release": self.release,
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


def outside(private: Private) -> dict[str, dict[str, int]]:
    """Give by column how many records have no place, count as an end, or lost an item."""
    return {
        "left_out": dict(private.homeless),
        "clamped": dict(private.clamped),
        "unlisted": dict(private.unlisted),
    }


def outside_words(private: Private) -> list[str]:
    """Say what has no place in the domains."""
    said = []
    if private.left_out:
        reasons = ", ".join(f"{column} {number:,}" for column, number in private.homeless)
        said.append(
            f"{counted(private.left_out, 'record')} of {private.records:,} left out, for lack of a "
            f"place in the domains ({reasons})."
        )
    said += [
        f"{counted(number, 'record')} with {column} beyond its range, taken for the nearest end."
        for column, number in private.clamped
    ]
    said += [
        f"{counted(number, 'record')} with items in {name} that its taxonomy lacks, left out of "
        "their sets."
        for name, number in private.unlisted
    ]
    return said
