"""Create a private release of a table for a target, for general use, or as a generalized sample."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan, walk
from roadstead.differential.domains import Domain
from roadstead.differential.margins.every_use import for_every_use
from roadstead.differential.margins.groups import grouped
from roadstead.differential.private_table import NO_TARGET, PrivateTable
from roadstead.differential.sampled.ladders import Ladder
from roadstead.differential.sampled.release import SamplePlan, all_policies, checked_levels, sampled
from roadstead.differential.stopping import LONGEST_WALK, walk_choosing
from roadstead.differential.synthesis import Synthesis, listed_and_released
from roadstead.errors import MissingExtraError
from roadstead.jobs import SILENT, Observer, Stopped
from roadstead.release.private.tables import in_order
from roadstead.reports.synthesis.every_use import EveryUseFacts
from roadstead.reports.synthesis.facts import SynthesisFacts
from roadstead.reports.synthesis.notes import notes_of
from roadstead.reports.synthesis.sample import SampleFacts
from roadstead.tables.reading import read_privately
from roadstead.tables.source import Source
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.ladders import ladder_for
from roadstead.verbs.synthesize.placing import Placement, place
from roadstead.verbs.synthesize.result import SynthesisFinding
from roadstead.verbs.synthesize.settings import (
    AnySettings,
    EveryUseSettings,
    PrivateSettings,
    SampleSettings,
)


@dataclass(frozen=True)
class SynthesisProgress:
    """The progress of a synthesis."""

    step: str
    seconds: float


def drawn(
    table: PrivateTable, settings: PrivateSettings, mechanisms: Mechanisms
) -> tuple[Synthesis, NDArray[np.int64]]:
    """Specialize the attributes, and count the records in each group with noise."""
    accountant = Accountant(settings.epsilon, table.of_one)
    number = settings.specializations
    specialize = walk_choosing if number is None else walk
    plan = Plan(LONGEST_WALK if number is None else number, settings.score)
    walked = specialize(table, plan, accountant, mechanisms)
    return listed_and_released(table, walked, accountant, mechanisms)


class _Observed:
    """A wrapper that reports each question to a mechanism, and stops the run if requested.

    A stopped run raises `Stopped` and keeps nothing, because a partial result would cost privacy.
    The time at which a user stops a run can depend on how long the questions take, and this
    duration depends on the records. The answers before the stop have already spent their part of
    the budget.
    """

    def __init__(self, mechanisms: Mechanisms, observer: Observer) -> None:
        self._mechanisms = mechanisms
        self._observer = observer
        self._began = time.perf_counter()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        answer: Callable[..., Any] = getattr(self._mechanisms, name)
        if name in ("place", "order"):  # these questions do not use the records
            return answer

        def reported(grant: Grant, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - as the answer
            if self._observer.stopped():
                raise Stopped
            seconds = time.perf_counter() - self._began
            self._observer.progress(SynthesisProgress(grant.step.words, seconds))
            return answer(grant, *given, **more)

        return reported


def require_opendp() -> None:
    """Raise an error unless OpenDP, which generates the random numbers, is installed."""
    if find_spec("opendp") is None:
        raise MissingExtraError(
            "differential privacy requires OpenDP", fix="pip install 'roadstead[dp]'"
        )


def synthesized(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    settings: AnySettings,
    declared: Declarations,
    mechanisms: Mechanisms,
    observer: Observer = SILENT,
) -> SynthesisFinding:
    """Create a release with validated settings. `mechanisms` generates the random numbers."""
    began = time.perf_counter()
    source = data if isinstance(data, Source) else read_privately(data)
    observed = cast("Mechanisms", _Observed(mechanisms, observer))
    if isinstance(settings, SampleSettings):
        sample, own = _a_sample(source, settings, declared, observed)
        return SynthesisFinding(sample, settings, own.private, time.perf_counter() - began)
    placed = place(source, settings, declared)
    facts = (
        _for_every_use(source.name, settings, placed, observed)
        if isinstance(settings, EveryUseSettings)
        else _for_a_target(source.name, settings, placed, observed)
    )
    facts = replace(facts, notes=notes_of(facts))
    return SynthesisFinding(facts, settings, placed.private, time.perf_counter() - began)


def _for_a_target(
    source: str, settings: PrivateSettings, placed: Placement, mechanisms: Mechanisms
) -> SynthesisFacts:
    synthesis, counts = drawn(placed.records, settings, mechanisms)
    return SynthesisFacts(
        source=source,
        target=settings.target,
        settings={**settings.public(), **placed.public, "domains": dict(placed.origins)},
        synthesis=synthesis,
        counts=counts,
        unit=placed.unit,
        origins=placed.origins,
    )


def _for_every_use(
    source: str, settings: EveryUseSettings, placed: Placement, mechanisms: Mechanisms
) -> EveryUseFacts:
    records = placed.records
    made = for_every_use(records, settings.epsilon, settings.target, mechanisms)
    classes = settings.classes or (NO_TARGET,)
    groups, counts = grouped(made.values, made.variables, made.cuts, len(classes))
    return EveryUseFacts(
        epsilon=settings.epsilon,
        ledger=made.ledger,
        margins=made.margins,
        variables=made.variables,
        cuts=made.cuts,
        listed=in_order(groups, np.zeros_like(counts), counts)[0],
        target=settings.target,
        classes=settings.classes,
        source=source,
        unit=placed.unit,
        settings={**settings.public(), **placed.public, "domains": dict(placed.origins)},
        origins=placed.origins,
    )


def _a_sample(
    source: Source, settings: SampleSettings, declared: Declarations, mechanisms: Mechanisms
) -> tuple[SampleFacts, Placement]:
    """Sample records and generalize them, after checking the settings."""
    ladders: list[Ladder] = []
    plan = SamplePlan(settings.epsilon, settings.delta, settings.levels, settings.share)

    def domain_of(name: str, declared: Declarations) -> tuple[Domain, str]:
        ladder, origin = ladder_for(name, declared)
        ladders.append(ladder)
        return ladder.domain, origin

    def check() -> None:
        _ = plan.budget
        if settings.levels is None:
            all_policies(ladders)
        else:
            checked_levels(ladders, settings.levels)

    placed = place(source, settings, declared, domain_of, check, clamps=False)
    widths = {
        one.attribute: {
            "origin": str(one.widths.origin),
            "widths": [str(width) for width in one.widths.widths],
        }
        for one in ladders
        if one.widths is not None
    }
    facts = SampleFacts(
        sample=sampled(placed.records, ladders, plan, mechanisms),
        source=source.name,
        unit=placed.unit,
        settings={
            **settings.public(),
            **placed.public,
            "domains": dict(placed.origins),
            **({"widths": widths} if widths else {}),
        },
        origins=placed.origins,
    )
    return replace(facts, notes=notes_of(facts)), placed
