"""Make a differentially private release: generalized records with noisy counts, for a classifier.

The table is summarized where it lies and placed in public domains; DiffGen specializes the
attributes privately, so that the groups tell the target well, and counts the groups with noise
(paper 002). How many specializations is chosen privately too, unless it is said. Chance comes from
generators for cryptography, and no seed is kept: whoever knew it could take the noise off again.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

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
from roadstead.front_end import option
from roadstead.jobs import SILENT, Delivery, Observer, Stopped
from roadstead.release.certificate import REPORT
from roadstead.release.kind import files_of
from roadstead.release.private.certificate import (
    EVERYTHING,
    SAMPLE,
)
from roadstead.release.private.guarantee import amount, factor
from roadstead.release.private.tables import in_order
from roadstead.release.private.units import PrivacyUnit
from roadstead.release.staging import check_output
from roadstead.reports.numbers import percent
from roadstead.reports.synthesis.every_use import EveryUseFacts
from roadstead.reports.synthesis.facts import SynthesisFacts
from roadstead.reports.synthesis.sample import SampleFacts
from roadstead.reports.verification import held
from roadstead.tables.reading import read_privately
from roadstead.tables.source import Source
from roadstead.verbs.ledger import Spender, ledger_of, require_ledger
from roadstead.verbs.opening import opened
from roadstead.verbs.settings import choose
from roadstead.verbs.synthesize.domains import Declarations, declarations_of
from roadstead.verbs.synthesize.ladders import ladder_for
from roadstead.verbs.synthesize.placing import Placement, place
from roadstead.verbs.synthesize.result import SynthesisFinding
from roadstead.verbs.synthesize.samples import refuse_of_samples, sample_settings_of
from roadstead.verbs.synthesize.settings import (
    LARGE,
    OUTSIDE,
    PURPOSES,
    AnySettings,
    EveryUseSettings,
    PrivateSettings,
    SampleSettings,
    epsilon_of,
    every_use_settings_of,
    settings_of,
)
from roadstead.verbs.synthesize.texts import classes_of
from roadstead.verbs.writing import nothing_written

if TYPE_CHECKING:
    from roadstead.verbs.synthesize.request import SynthesizeRequest


@dataclass(frozen=True)
class SynthesisProgress:
    """How far a synthesis is: the question that is being answered, as its ledger calls it."""

    step: str
    seconds: float


def drawn(
    table: PrivateTable, settings: PrivateSettings, mechanisms: Mechanisms
) -> tuple[Synthesis, NDArray[np.int64]]:
    """Specialize as often as is set, or as is chosen privately, count, and spend the budget."""
    accountant = Accountant(settings.epsilon, table.of_one)
    number = settings.specializations
    specialize = walk_choosing if number is None else walk
    plan = Plan(LONGEST_WALK if number is None else number, settings.score)
    walked = specialize(table, plan, accountant, mechanisms)
    return listed_and_released(table, walked, accountant, mechanisms)


class _Observed:
    """Mechanisms that report each question before it is answered, and ask whether to stop instead.

    A run that is stopped raises `Stopped` and keeps nothing. The best so far could be released only
    at a price: when somebody stops a run can depend on how long its questions take, and so on the
    records, and the answers that are there already have spent their part of the budget.
    """

    def __init__(self, mechanisms: Mechanisms, observer: Observer) -> None:
        self._mechanisms = mechanisms
        self._observer = observer
        self._began = time.perf_counter()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        answer: Callable[..., Any] = getattr(self._mechanisms, name)
        if name in ("place", "order"):  # which ask nothing about the records
            return answer

        def reported(grant: Grant, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - as the answer
            if self._observer.stopped():
                raise Stopped
            seconds = time.perf_counter() - self._began
            self._observer.progress(SynthesisProgress(grant.step.words, seconds))
            return answer(grant, *given, **more)

        return reported


_NOT_MUCH_LESS = 0.1
"""Records released times delta, above which a note says that delta is large."""
_MOST_LISTED = 0.8
"""If fewer of the records stand behind the groups, whoever reads the release is warned."""


def deliver(request: SynthesizeRequest, observer: Observer) -> Delivery[SynthesisFinding]:
    """Make a release, write it, and say what was done."""
    out = request.out
    if out is not None:
        check_output(out, force=request.force, own=files_of)
    require_ledger(request, out)
    with _spending(request) as spender:
        return _delivered(request, observer, spender)


@contextlib.contextmanager
def _spending(request: SynthesizeRequest) -> Iterator[Spender | None]:
    """Hold the ledger that a request names, and refuse what it cannot spend, before it is spent."""
    use = ledger_of(request)
    if use is None:
        yield None
        return
    limit = request.ledger_epsilon
    allowed = None if limit is None else epsilon_of(limit, "ledger_epsilon")
    delta = 0.0 if request.purpose != SAMPLE else sample_settings_of(request).delta
    with use.spending(epsilon_of(request.epsilon), allowed, str(use.folder), delta) as spender:
        yield spender


def _delivered(
    request: SynthesizeRequest, observer: Observer, spender: Spender | None
) -> Delivery[SynthesisFinding]:
    out = request.out
    try:
        found = result_of(request, observer)
        if spender is not None:
            shown = replace(found.shown, notes=(*found.shown.notes, *spender.notes))
            found = replace(found, shown=shown)
        observer.finished()
        for line in found.private.lines:
            observer.note(line)
        if found.settings.epsilon > LARGE:
            observer.note(f"warning: {found.shown.notes[0]}")
        lines, document = found.lines, found.to_dict()
        if out is not None:
            verification = found.write(out, force=request.force, spender=spender)
            document |= {"out": str(out), "verified": verification.passed}
            lines += [
                "",
                *(() if spender is None else spender.use.alone(spender.ledger)),
                f"Written to {out}, and {held(verification)}.",
                f"Read {out / REPORT}; check with: roadstead verify {out}",
            ]
    except KeyboardInterrupt:
        observer.note(
            "Nothing was written. The run that was stopped told nobody anything, if what stands "
            "above is not passed on."
        )
        raise
    unwritten = (
        f"{nothing_written('a release')} It is drawn anew then, and what stands above must not "
        "be passed on too: both together cost twice the epsilon."
    )
    return Delivery(found, tuple(lines), document, (unwritten,) if out is None else ())


def result_of(request: SynthesizeRequest, observer: Observer) -> SynthesisFinding:
    """Make a release with chance that nobody can repeat."""
    declared = declarations_of(request)
    source = opened(request.data, request, observer, read_privately)
    purpose = "target" if request.purpose is None else request.purpose
    if choose(purpose, PURPOSES, option("purpose")) == SAMPLE:
        sample = sample_settings_of(request)
        require_opendp()
        return synthesized(source, sample, declared, Mechanisms(), observer)
    refuse_of_samples(request)
    read = every_use_settings_of if purpose == EVERYTHING else settings_of
    settings = read(
        request.epsilon,
        request.target,
        classes_of(request.classes or (), request.target, source.columns),
        request.specializations,
        request.score,
        request.outside,
    )
    require_opendp()
    return synthesized(source, settings, declared, Mechanisms(), observer)


def require_opendp() -> None:
    """Refuse to go on without the library that chance comes from."""
    if find_spec("opendp") is None:
        raise MissingExtraError(
            "differential privacy needs OpenDP", fix="pip install 'roadstead[dp]'"
        )


def synthesized(
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    settings: AnySettings,
    declared: Declarations,
    mechanisms: Mechanisms,
    observer: Observer = SILENT,
) -> SynthesisFinding:
    """Make the release that checked settings ask for, with chance from `mechanisms`."""
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
    return SynthesisFinding(facts, settings, placed.private, time.perf_counter() - began)


def _for_a_target(
    source: str, settings: PrivateSettings, placed: Placement, mechanisms: Mechanisms
) -> SynthesisFacts:
    """Make groups that tell the target, and count them."""
    synthesis, counts = drawn(placed.records, settings, mechanisms)
    return SynthesisFacts(
        source=source,
        target=settings.target,
        settings={**settings.public(), **placed.public, "domains": dict(placed.origins)},
        synthesis=synthesis,
        counts=counts,
        unit=placed.unit,
        origins=placed.origins,
        notes=tuple(_notes(settings, synthesis, int(counts.sum()), placed.unit)),
    )


def _for_every_use(
    source: str, settings: EveryUseSettings, placed: Placement, mechanisms: Mechanisms
) -> EveryUseFacts:
    """Count margins, fit a model to them, and draw records of it."""
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
        notes=tuple(_notes_of_any(settings, placed.unit)),
    )


def _a_sample(
    source: Source, settings: SampleSettings, declared: Declarations, mechanisms: Mechanisms
) -> tuple[SampleFacts, Placement]:
    """Draw records and generalize them; what can be refused is refused before the table is read."""
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
        notes=(),
    )
    notes = _notes_of_any(settings, placed.unit)
    if not facts.records:
        notes.append(
            f"No class has {facts.sample.budget.least:,} records that were drawn, so none is "
            "released. More would be with coarser levels, a larger delta or more records."
        )
    if settings.delta * facts.records > _NOT_MUCH_LESS:
        notes.append(
            f"A delta of {settings.delta:g} is not much less than one over the {facts.records:,} "
            "records released, so it protects hardly anybody: to show each record as it is with "
            "that chance would keep it too. Use less, such as 1e-6."
        )
    return replace(facts, notes=tuple(notes)), placed


def _notes(
    settings: PrivateSettings, synthesis: Synthesis, released: int, unit: PrivacyUnit
) -> list[str]:
    """Say what a reader has to know; none of it depends on the records but through the release."""
    notes = _notes_of_any(replace(settings, outside=OUTSIDE[0]), unit)
    made, planned = len(synthesis.steps), settings.specializations
    if planned == 0:
        notes.append("Without a specialization only the distribution of the classes is told.")
    elif synthesis.totals_alone:
        notes.append(
            "No group stands out from the noise, so only the distribution of the classes is told. "
            "More would be with a larger epsilon, fewer specializations, a number that is chosen "
            "privately, or more records."
        )
    elif planned is not None and made < planned:
        notes.append(
            f"{made} of {planned} specializations could be made: nothing can be told finer."
        )
    if unit.records > 1 and (synthesis.totals_alone or not released):
        notes.append(
            f"Noise is {unit.records:,} times as large as with one row of each person; fewer rows, "
            "or one record of all rows of a person, may tell more."
        )
    if not released:
        notes.append(
            "No count stands out from the noise, so no record is released. More would be with a "
            "larger epsilon or more records."
        )
    elif (listed := synthesis.groups.records) < _MOST_LISTED * released:
        notes.append(
            f"The counts that stand out from the noise hold about {percent(listed / released)} of "
            "the records; the others are in groups too small for that, and are released as if they "
            "were distributed like these. A larger epsilon, fewer specializations or a number that "
            "is chosen privately would list more."
        )
    if settings.outside == "stop":
        notes.append(
            "The run would have stopped at a record outside the domains, so that there is a "
            "release tells that there was none; the guarantee does not cover this."
        )
    return notes


def _notes_of_any(settings: AnySettings, unit: PrivacyUnit) -> list[str]:
    """Say what a reader of any private release has to know."""
    notes = []
    if settings.epsilon > LARGE:
        notes.append(
            f"An epsilon of {amount(settings.epsilon)} protects hardly anybody: one {unit.noun} "
            f"may change the odds of an output by a factor of e^{amount(settings.epsilon)} = "
            f"{factor(settings.epsilon)}."
        )
    if settings.outside == "stop":
        notes.append(
            "The run would have stopped at a record outside the domains, so that there is a "
            "release tells that there was none; the guarantee does not cover this."
        )
    return notes
