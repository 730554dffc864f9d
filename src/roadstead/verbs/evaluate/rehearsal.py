"""Rehearse a private release: repeatedly release some records, and predict the other records.

Each run splits the records with its own seed, and tests every method on the same split, so methods
can be compared within a run. Accuracy is measured on the held-out records. Marginals and
correlations are measured on the released records.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, BudgetStep
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.comparators import (
    can_be_tabulated,
    contingency_table,
    finest_cuts,
    top_down,
)
from roadstead.differential.domains import CutGroups
from roadstead.differential.evaluation.accuracy import (
    accuracy_of,
    baseline_accuracy,
    lower_bound_accuracy,
    similarity,
    split,
)
from roadstead.differential.listing import few_false
from roadstead.differential.private_table import PrivateTable
from roadstead.front_end import option
from roadstead.jobs import SILENT, Observer
from roadstead.reports.evaluation.facts import (
    KEPT,
    MethodOutcome,
    RehearsalFacts,
    ReleaseMethod,
    Run,
)
from roadstead.reports.evaluation.notes import NO_CONTINGENCY_TABLE, learning, of_rehearsal
from roadstead.reports.wording import counted
from roadstead.requests.checks import wrong
from roadstead.tables.source import Source
from roadstead.verbs.evaluate.settings import RehearsalSettings
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.placing import place
from roadstead.verbs.synthesize.synthesis import drawn


@dataclass(frozen=True)
class EvaluationProgress:
    """The progress of a rehearsal."""

    run: int
    runs: int
    step: str
    seconds: float


def rehearsed(
    source: Source,
    settings: RehearsalSettings,
    declared: Declarations,
    mechanisms: Mechanisms,
    observer: Observer = SILENT,
) -> RehearsalFacts:
    """Run a rehearsal with validated settings. `mechanisms` adds the noise."""
    began = time.perf_counter()
    placed = place(source, settings.releases[0], declared)
    _check_sizes(placed.records, settings)
    ways, notes = _possible(placed.records, settings)
    runs = _runs(placed.records, settings, ways, mechanisms, observer)
    return RehearsalFacts(
        source=source.name,
        settings={**settings.settings, **placed.public, "domains": dict(placed.origins)},
        planned=settings.runs,
        runs=runs,
        private=placed.private,
        notes=(
            *notes,
            *of_rehearsal(runs, settings.runs, settings.releases[0].classes, placed.unit),
        ),
        seconds=time.perf_counter() - began,
    )


def _check_sizes(table: PrivateTable, settings: RehearsalSettings) -> None:
    train = round(table.records * float(1 - settings.share))
    if not 0 < train < table.records:
        part = "training record" if train == 0 else "test record"
        raise wrong(
            "held_out_share",
            f"the domains contain {counted(table.records, 'record')}, and with this share, there "
            f"would be no {part}",
            "give another share, or declare domains that contain the records",
        )
    if "top-down" in settings.comparators and train < settings.k:
        raise wrong(
            "k",
            f"{counted(train, 'training record')} are too few for a group of {settings.k}",
            f"give a smaller k, or {option('comparators', 'none')}",
        )


def _possible(
    table: PrivateTable, settings: RehearsalSettings
) -> tuple[tuple[ReleaseMethod, ...], list[str]]:
    """Return the methods to test, and notes. Omit a contingency table that has too many cells."""
    cuts = finest_cuts(table.domains, settings.bands)
    fits = can_be_tabulated(cuts, len(table.classes))
    if fits or "contingency" not in settings.comparators:
        return settings.ways, []
    return tuple(way for way in settings.ways if way.method != "contingency"), [
        NO_CONTINGENCY_TABLE
    ]


def _runs(
    table: PrivateTable,
    settings: RehearsalSettings,
    ways: Sequence[ReleaseMethod],
    mechanisms: Mechanisms,
    observer: Observer,
) -> tuple[Run, ...]:
    began = time.perf_counter()
    made: list[Run] = []
    for number in range(1, settings.runs + 1):

        def report(step: str, number: int = number) -> None:
            seconds = time.perf_counter() - began
            observer.progress(EvaluationProgress(number, settings.runs, step, seconds))

        observer.stopped()  # from this point, the user may stop
        made.append(_Running(settings, ways, mechanisms, report).run(table, number))
        if observer.stopped():
            break
    return tuple(made)


@dataclass(frozen=True)
class _Running:
    settings: RehearsalSettings
    ways: Sequence[ReleaseMethod]
    mechanisms: Mechanisms = field(repr=False)
    report: Callable[[str], None] = field(repr=False)

    def run(self, table: PrivateTable, number: int) -> Run:
        """Split the records, and test every method on the same parts."""
        # Each run has its own seed. The random numbers of neighboring seeds are unrelated.
        sequence = np.random.SeedSequence((self.settings.seed, number))
        seed = int(sequence.generate_state(1)[0])
        train, test = split(table, float(1 - self.settings.share), seed)
        baseline = {}
        for one in self.settings.classifiers:
            self.report(learning(one.name))
            baseline[one.name] = baseline_accuracy(train, test, one, seed)
        present = set(np.unique(train.target).tolist())
        return Run(
            number=number,
            train=train.records,
            test=test.records,
            lower_bound=lower_bound_accuracy(train, test),
            baseline=baseline,
            outcomes=tuple(self._outcome(way, train, test, seed) for way in self.ways),
            absent=tuple(name for at, name in enumerate(table.classes) if at not in present),
        )

    def _outcome(
        self, way: ReleaseMethod, train: PrivateTable, test: PrivateTable, seed: int
    ) -> MethodOutcome:
        self.report(way.name)
        began = time.perf_counter()
        groups, counts, specializations = self._made(way, train)
        seconds = time.perf_counter() - began
        kept = similarity(groups, counts, train)
        accuracy = {}
        for one in self.settings.classifiers:
            self.report(learning(one.name, way.name))
            accuracy[one.name] = accuracy_of(groups, counts, test, one, seed)
        return MethodOutcome(
            way=way,
            accuracy=accuracy,
            groups=groups.size,
            records=int(counts.sum()),
            specializations=specializations,
            seconds=seconds,
            **{name: getattr(kept, name) for name in KEPT},
        )

    def _made(
        self, way: ReleaseMethod, train: PrivateTable
    ) -> tuple[CutGroups, NDArray[np.int64], int]:
        """Return the released groups, their counts by class, and the number of specializations.

        All private methods get the same records and the same budget. Top-down specialization does
        not use a budget, because its groups are k-anonymous and its counts are exact.
        """
        settings = self.settings
        if way.epsilon is None:
            anonymous = top_down(train, settings.k)
            return anonymous.groups.groups, anonymous.groups.counts, len(anonymous.steps)
        if way.method == "contingency":
            grant = Accountant(way.epsilon, train.of_one).spend(BudgetStep("table"), way.epsilon)
            cuts = finest_cuts(train.domains, settings.bands)
            noisy = contingency_table(train, cuts, grant, few_false, self.mechanisms)
            return noisy.groups, noisy.counts, 0
        first = settings.releases[0]
        own = replace(first, epsilon=way.epsilon, specializations=way.specializations)
        made, counts = drawn(train, own, self.mechanisms)
        return made.groups.groups, counts, len(made.steps)
