"""Say how good a release is, or would be: three questions, one verb.

Of any releases whose original is at hand: what is left in them for an analysis, next to the records
that they were made of? (`comparison`.)

Of a private release that is there: how well does a classifier that learned from it predict records
that were not in it, and what is kept of their marginals? Of one that is only planned: the same,
rehearsed on parts of the table, with the mean over runs and its confidence interval, compared with
what the records as they are, k-anonymity and a noisy contingency table would bring.

The answers are counted from records as they are. They are not private, and to choose by them spends
privacy that no ledger shows.

A release says itself how any record is to be generalized: its cut has every attribute's domain and
how detailed it is. The held-out records are placed in these domains and generalized, and then a
classifier that learned from the release predicts their class (paper 002, "Adult data set"). Records
that *were* in the release are no test: a classifier may have learned them by heart.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import SetCut
from roadstead.differential.evaluation.accuracy import accuracy_of, similarity
from roadstead.differential.evaluation.classifiers import Classifier, Majority
from roadstead.differential.private_table import PrivateTable, within
from roadstead.errors import RoleError, SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.release.kind import release_of
from roadstead.release.private.tables import PrivateRelease
from roadstead.release.private.units import PrivacyUnit
from roadstead.reports.evaluation.facts import JudgmentFacts
from roadstead.reports.synthesis.custodian import CustodianFacts
from roadstead.reports.wording import listed
from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.requests.fields import options_of, set_fields
from roadstead.requests.groups import Reading
from roadstead.tables import names
from roadstead.tables.frequency import summarize
from roadstead.tables.item_sets import ItemSet, check_apart, with_item_sets
from roadstead.tables.reading import read_privately
from roadstead.tables.source import Source
from roadstead.verbs.evaluate.comparison import compare, comparison_settings, folders_of
from roadstead.verbs.evaluate.rehearsal import rehearsed
from roadstead.verbs.evaluate.result import EvaluationFinding, check_folder
from roadstead.verbs.evaluate.settings import classifiers_of, rehearsal_of
from roadstead.verbs.opening import opened
from roadstead.verbs.synthesize.domains import declarations_of
from roadstead.verbs.synthesize.gathering import gathering_of
from roadstead.verbs.synthesize.persons import PersonRecords, gathered_sets, persons_of
from roadstead.verbs.synthesize.placing import custodian_facts
from roadstead.verbs.synthesize.run import require_opendp
from roadstead.verbs.synthesize.sets import columns_of_sets, opened_sets, sets_of
from roadstead.verbs.synthesize.texts import classes_of
from roadstead.verbs.writing import nothing_written

if TYPE_CHECKING:
    from roadstead.verbs.evaluate.request import EvaluateRequest

_OF_RELEASES = ("tree", "boosted")
_OF_REHEARSALS = ("tree",)
_FOR_RELEASES = {
    *("data", "held_out", "sets", "delimiter_in_sets", "sequences", "longest"),
    *("person", "per_person", "rows_per_person"),
    *("base", "classifiers", "seed", "out", "force", *options_of(Reading)),
}
"""The fields that a judgment of a release takes; a release says the rest itself."""


def deliver(request: EvaluateRequest, observer: Observer) -> Delivery[EvaluationFinding]:
    """Evaluate, write the figures, and say what was found."""
    out = request.out
    if out is not None:
        check_folder(out, force=request.force)
    found = result_of(request, observer)
    observer.finished()
    lines, document = found.lines, found.to_dict()
    if out is None:
        return Delivery(found, tuple(lines), document, (nothing_written("the figures"),))
    found.write(out, force=request.force)
    lines += ["", f"Written to {out}: {', '.join(found.files)}."]
    return Delivery(found, tuple(lines), {**document, "out": str(out)})


def result_of(request: EvaluateRequest, observer: Observer) -> EvaluationFinding:
    """Judge a release, or rehearse a request."""
    seed = 0 if request.seed is None else request.seed
    checks.seed(seed)
    if request.original is not None:
        return _comparison(request, seed, observer)
    _only_for_comparisons(request)
    folder = _folder(request.data, request.held_out)
    if folder is not None:
        _only_for_rehearsals(request)
        persons = _gathered_as(opened_release(folder).certificate.privacy_unit, request)
        sets = gathered_sets(sets_of(request), persons)
        learning = classifiers_of(request.classifiers, _OF_RELEASES)
        records = opened(request.held_out, request, observer, read_privately)
        return EvaluationFinding(judged(folder, records, sets, learning, seed, persons))
    declared = declarations_of(request)
    source = opened(request.data, request, observer, read_privately)
    classes = classes_of(request.classes or (), request.target, source.columns)
    learning = classifiers_of(request.classifiers, _OF_REHEARSALS)
    settings = rehearsal_of(request, classes, learning, seed)
    require_opendp()
    return EvaluationFinding(rehearsed(source, settings, declared, Mechanisms(), observer))


def _comparison(request: EvaluateRequest, seed: int, observer: Observer) -> EvaluationFinding:
    """Compare releases with the table they were made of."""
    settings = comparison_settings(request, seed)
    folders = folders_of(request.data, request.others)
    source = opened(request.original, request, observer, read_privately)
    return EvaluationFinding(
        compare(folders, source, settings, observer, request.allow_plugin or ())
    )


def _only_for_comparisons(request: EvaluateRequest) -> None:
    """Refuse what means nothing without an original."""
    for key in ("others", "formula", "draws", "drawn_from", "allow_plugin"):
        if getattr(request, key):
            what = "releases are compared with the table that they were made of, which is not named"
            raise wrong(key, what, f"add {option('original', 'FILE')}, or leave it out")


def _folder(data: object, held_out: object) -> Path | None:
    """Find the release to be judged; None where a request is to be rehearsed."""
    folder = Path(data) if isinstance(data, str | Path) and Path(data).is_dir() else None
    if folder is None and held_out is not None:
        raise wrong(
            "held_out",
            "held-out records are given, and no folder of a release to judge by them",
            "name the release's folder, or leave it out to rehearse a request on the table",
        )
    if folder is not None and held_out is None:
        raise SettingError(
            "a folder is given, and no records to judge it by",
            where=str(folder),
            fix=f"add {option('original', 'FILE')} with the table that the release was made of; or "
            f"{option('held_out', 'FILE')} with records that were not in it; or name a table, to "
            "rehearse a request on it",
        )
    return folder


def _gathered_as(unit: PrivacyUnit, request: EvaluateRequest) -> PersonRecords | None:
    """Say whose the held-out rows are, if the release was made of persons' gathered rows."""
    if unit.persons and unit.rows is None:
        return persons_of(request)
    own = set_fields(request) if request.origin.project.path is None else request.origin.given
    for key in ("person", "per_person", "rows_per_person"):
        if own.get(key) is not None:
            raise wrong(
                key,
                "the records of this release are rows, and not the gathered rows of persons",
                "leave it out",
            )
    return None


def _only_for_rehearsals(request: EvaluateRequest) -> None:
    """Refuse what a release says itself; a project file may say it, for rehearsals."""
    origin = request.origin
    own = set_fields(request) if origin.project.path is None else origin.given
    for key in options_of(type(request)):
        if key not in _FOR_RELEASES and own.get(key) is not None:
            raise wrong(
                key,
                "it is for rehearsing a request; a release that is there says so itself",
                "leave it out, or name a table instead of a release",
            )


_FEW = 0.5
"""If less than this share of the held-out records is inside, they are probably of another kind."""


def judged(
    folder: Path,
    held_out: Source,
    sets: Sequence[ItemSet],
    classifiers: Sequence[Classifier],
    seed: int,
    persons: PersonRecords | None = None,
) -> JudgmentFacts:
    """Judge a release; of one that gathered the rows of persons, by persons gathered alike."""
    began = time.perf_counter()
    release = opened_release(folder)
    if release.target is None:
        raise SettingError(
            "this release was made for everything, and names no target to predict",
            where=str(folder),
            fix=f"compare it with the table that it was made of: {option('original', 'FILE')}",
        )
    table, private = _placed(release, release.target, held_out, sets, persons)
    groups, counts = release.listed.groups, release.listed.released
    return JudgmentFacts(
        source=folder.name or str(folder),
        held_out=held_out.name,
        epsilon=release.certificate.epsilon,
        target=release.target,
        classes=release.classes,
        released=tuple(counts.sum(axis=0).tolist()),
        tested=tuple(table.by_class.tolist()),
        accuracy={one.name: accuracy_of(groups, counts, table, one, seed) for one in classifiers},
        majority_of_release=accuracy_of(groups, counts, table, Majority()),
        majority_of_held_out=int(table.by_class.max()) / table.records,
        kept=similarity(groups, counts, table),
        private=private,
        notes=tuple(_notes(release, held_out, table, private)),
        seconds=time.perf_counter() - began,
    )


def opened_release(folder: Path) -> PrivateRelease:
    """Read a release, if it is a differentially private one."""
    private = release_of(folder).shown((), "judged").private
    if private is None:
        raise SettingError(
            "this release is not differentially private, and has no counts to learn from",
            where=str(folder),
            fix=f"compare it with the table that it was made of: {option('original', 'FILE')}",
        )
    return private


def _placed(
    release: PrivateRelease,
    target: str,
    source: Source,
    sets: Sequence[ItemSet],
    persons: PersonRecords | None,
) -> tuple[PrivateTable, CustodianFacts]:
    """Place the held-out records in the release's domains."""
    attributes = [cut.attribute for cut in release.listed.groups.cuts]
    in_sets = [cut.attribute for cut in release.listed.groups.cuts if isinstance(cut, SetCut)]
    _check_sets(in_sets, [one.name for one in sets])
    plain = [name for name in attributes if name not in in_sets]
    names.require((*plain, target, *columns_of_sets(sets)), source.columns)
    check_apart(sets, (*plain, target))
    unit = release.certificate.privacy_unit
    gathering = gathering_of(persons, (*attributes, target), sets, source)
    if unit.persons and unit.rows is None and gathering.gathered_by is None:
        raise SettingError(
            "its records are those of persons, and whose each held-out row is is not said",
            where="the release",
            fix=f"give {option('person', 'COLUMN')} and {option('per_person')} as for roadstead "
            "synthesize",
        )
    with opened_sets(sets, source) as found:
        joined = with_item_sets(source, found) if found else source
        table = summarize(joined, gathering.columns)
    table, rows = gathering.gathered(table)
    domains = [cut.domain for cut in release.listed.groups.cuts]
    placed = within(table, domains, target, release.classes)
    private = replace(
        custodian_facts(table, placed), persons=rows, gathered_by=gathering.gathered_by
    )
    if not placed.records:
        reasons = f"of {table.records:,} have no place: {private.columns}"
        why = reasons if private.homeless else "there is none"
        raise SourceError(
            f"no held-out record is within the domains of the release ({why})",
            where=source.name,
            fix="give records as they were before the release, in the columns of its table",
        )
    return placed, private


def _check_sets(own: Sequence[str], given: Sequence[str]) -> None:
    """See that every set of the release is said where to find, and no other."""
    for name in own:
        if name not in given:
            raise SettingError(
                "it is a set in the release, and where the held-out records have it is not said",
                where=f"set {quoted(name)}",
                fix=f"give {option('sets', {name: 'COLUMN'})}, as for roadstead synthesize",
            )
    for name in given:
        if name not in own:
            has = f"its sets are {listed(own)}" if own else "it has none"
            raise RoleError("the release has no such set", where=f"set {quoted(name)}", fix=has)


def _notes(
    release: PrivateRelease, held_out: Source, table: PrivateTable, private: CustodianFacts
) -> list[str]:
    """Say what a reader has to know."""
    notes = []
    if held_out.path is not None and held_out.name == release.certificate.source:
        notes.append(
            "The held-out file has the name of the table that the release was made of. If its "
            "records were in the release, the accuracies are too good."
        )
    by_class = release.listed.released.sum(axis=0)
    if not by_class.any():
        notes.append("The release has no records; nothing can be learned from it.")
    elif missing := _without(release.classes, by_class):
        notes.append(
            f"The release has no record of the class {listed(missing)}; no classifier that learns "
            "from it predicts it."
        )
    if absent := _without(release.classes, table.by_class):
        notes.append(f"No held-out record has the class {listed(absent)}.")
    if table.records < _FEW * private.records:
        notes.append(
            "Most held-out records have no place in the domains of the release: see whether they "
            "are of the same kind, and written alike."
        )
    return notes


def _without(classes: Sequence[str], records: NDArray[np.int64]) -> list[str]:
    """Name the classes that no record has."""
    return [name for name, number in zip(classes, records, strict=True) if not number]
