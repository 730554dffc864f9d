"""Create a differentially private release of a table.

For a release with a target, DiffGen specializes the attributes privately so that the groups predict
the target well, and then counts the groups with noise (paper 002). The seed of the random numbers
is not stored, because anyone who knows the seed could remove the noise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.front_end import argument, option
from roadstead.jobs import Delivery, Observer
from roadstead.release.certificate import REPORT
from roadstead.release.kind import files_of
from roadstead.release.private.certificate import EVERYTHING, SAMPLE
from roadstead.release.staging import check_output
from roadstead.reports.synthesis.notes import NEW_NOISE, STOPPED, on_epsilon
from roadstead.reports.written import nothing_written, read_and_check, written
from roadstead.tables.reading import read_privately
from roadstead.verbs.ledger import Spender, require_ledger
from roadstead.verbs.opening import opened
from roadstead.verbs.settings import choose
from roadstead.verbs.synthesize.domains import declarations_of
from roadstead.verbs.synthesize.result import SynthesisFinding
from roadstead.verbs.synthesize.samples import refuse_of_samples, sample_settings_of
from roadstead.verbs.synthesize.settings import (
    PURPOSES,
    epsilon_of,
    every_use_settings_of,
    settings_of,
)
from roadstead.verbs.synthesize.spending import spending
from roadstead.verbs.synthesize.synthesis import require_opendp, synthesized
from roadstead.verbs.synthesize.texts import classes_of
from roadstead.verbs.writing import replaced_signature

if TYPE_CHECKING:
    from roadstead.verbs.synthesize.request import SynthesizeRequest


def deliver(request: SynthesizeRequest, observer: Observer) -> Delivery[SynthesisFinding]:
    """Create a release, write it, and describe the result."""
    out = request.out
    if out is not None:
        check_output(out, force=request.force, own=files_of)
    require_ledger(request, out)
    sample = request.purpose == SAMPLE
    delta = sample_settings_of(request).delta if sample else 0.0
    with spending(request, epsilon_of(request.epsilon), delta) as spender:
        return _delivered(request, observer, spender)


def _delivered(
    request: SynthesizeRequest, observer: Observer, spender: Spender | None
) -> Delivery[SynthesisFinding]:
    out = request.out
    try:
        found = _found(request, observer)
        if spender is not None:
            shown = replace(found.shown, notes=(*found.shown.notes, *spender.notes))
            found = replace(found, shown=shown)
        observer.finished()
        for line in found.private.lines:
            observer.note(line)
        for line in on_epsilon(found.settings.epsilon, found.shown.unit):
            observer.note(f"warning: {line}")
        lines, document = found.lines, found.to_dict()
        if out is not None:
            unsigned, told = replaced_signature(out)
            verification = found.write(
                out, force=request.force, ledger=spender, verifier=request.verifier
            )
            document |= {"out": str(out), **told, "verified": verification.passed}
            lines += [
                "",
                *unsigned,
                *(() if spender is None else spender.use.alone(spender.ledger)),
                written(out, verification),
                read_and_check(out / REPORT, f"roadstead verify {argument(str(out))}"),
            ]
    except KeyboardInterrupt:
        observer.note(STOPPED)
        raise
    unwritten = f"{nothing_written('a release')} {NEW_NOISE}"
    return Delivery(found, tuple(lines), document, (unwritten,) if out is None else ())


def result_of(request: SynthesizeRequest, observer: Observer) -> SynthesisFinding:
    """Create a private release of a table, with random numbers that cannot be reproduced."""
    require_ledger(request, request.out)
    return _found(request, observer)


def _found(request: SynthesizeRequest, observer: Observer) -> SynthesisFinding:
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
