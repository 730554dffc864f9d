"""Evaluate a private release on held-out records."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roadstead.differential.domains import SetCut
from roadstead.differential.evaluation.accuracy import accuracy_of, similarity
from roadstead.differential.evaluation.classifiers import Classifier, Majority
from roadstead.differential.private_table import PrivateTable, within
from roadstead.errors import RoleError, SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.release.kind import release_of
from roadstead.release.private.tables import PrivateRelease
from roadstead.reports.evaluation.facts import JudgmentFacts
from roadstead.reports.evaluation.notes import of_judgment
from roadstead.reports.synthesis.custodian import CustodianFacts
from roadstead.reports.wording import listed
from roadstead.tables import names
from roadstead.tables.frequency import summarize
from roadstead.tables.item_sets import ItemSet, check_apart, with_item_sets
from roadstead.tables.source import Source
from roadstead.verbs.synthesize.gathering import gathering_of
from roadstead.verbs.synthesize.persons import PersonRecords
from roadstead.verbs.synthesize.placing import custodian_facts
from roadstead.verbs.synthesize.sets import columns_of_sets, opened_sets


def judged(
    folder: Path,
    held_out: Source,
    sets: Sequence[ItemSet],
    classifiers: Sequence[Classifier],
    seed: int,
    persons: PersonRecords | None = None,
) -> JudgmentFacts:
    """Evaluate a private release on held-out records.

    If the release combined rows by person, the held-out rows are combined in the same way.
    """
    began = time.perf_counter()
    release = opened_release(folder)
    if release.target is None:
        raise SettingError(
            "this release is for general use, so it does not have a target to predict",
            where=str(folder),
            fix=f"compare it with the table that it was made from: {option('original', 'FILE')}",
        )
    table, private = _placed(release, release.target, held_out, sets, persons)
    groups, counts = release.listed.groups, release.listed.released
    found = JudgmentFacts(
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
        notes=(),
        seconds=time.perf_counter() - began,
    )
    same_name = held_out.path is not None and held_out.name == release.certificate.source
    return replace(found, notes=tuple(of_judgment(found, same_name=same_name)))


def opened_release(folder: Path) -> PrivateRelease:
    """Open a differentially private release, and reject any other release."""
    private = release_of(folder).shown((), "judged").private
    if private is None:
        raise SettingError(
            "this release is not differentially private, so it has no counts to learn from",
            where=str(folder),
            fix=f"compare it with the table that it was made from: {option('original', 'FILE')}",
        )
    return private


def _placed(
    release: PrivateRelease,
    target: str,
    source: Source,
    sets: Sequence[ItemSet],
    persons: PersonRecords | None,
) -> tuple[PrivateTable, CustodianFacts]:
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
            "each record describes a person, but the person ID column of the held-out records is "
            "not given",
            where="the release",
            fix=f"give {option('person', 'COLUMN')} and {option('per_person')} the same values as "
            "for roadstead synthesize",
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
        reasons = (
            f"all {table.records:,} records are outside the domains; by column: {private.columns}"
        )
        why = reasons if private.homeless else "the file does not contain records"
        raise SourceError(
            f"no held-out record is within the domains of the release ({why})",
            where=source.name,
            fix="give original records (not de-identified), with the columns of the original table",
        )
    return placed, private


def _check_sets(own: Sequence[str], given: Sequence[str]) -> None:
    for name in own:
        if name not in given:
            raise SettingError(
                "the release has this set, but you did not say which columns of the held-out "
                "records contain its items",
                where=f"set {quoted(name)}",
                fix=f"name these columns with {option('sets', {name: 'COLUMN'})}, as for "
                "roadstead synthesize",
            )
    for name in given:
        if name not in own:
            has = f"its sets are {listed(own)}" if own else "it has no sets"
            raise RoleError("the release has no such set", where=f"set {quoted(name)}", fix=has)
