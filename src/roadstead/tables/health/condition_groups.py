"""Build a tree of condition concepts from the ancestors that a vocabulary lists.

The table CONCEPT_ANCESTOR lists all ancestors of each concept, with the number of steps to the
ancestor. The parent of a concept is the ancestor with the fewest steps. If several ancestors have
the fewest steps, the parent is the ancestor that covers the fewest conditions. If there is still a
tie, the parent is the ancestor with the smallest number. An excerpt of a vocabulary may lack the
ancestors of an ancestor. In this case, the parent of a concept is the ancestor that covers all
conditions of the concept and the fewest other conditions.

A tree from an excerpt reveals which concepts are in use. For a release with differential privacy,
use the full vocabulary. Source: OHDSI, OMOP Common Data Model v5.4, CONCEPT and CONCEPT_ANCESTOR.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import HierarchyError, OutputError, SourceError
from roadstead.regular_files import csv_bytes, write_whole
from roadstead.tables import engine
from roadstead.tables.failures import engine_errors
from roadstead.tables.health import cdm_tables as cdm
from roadstead.tables.health import joining
from roadstead.tables.health.locations import HealthLocation
from roadstead.tables.locations import CdmLocation
from roadstead.tables.transfer import stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import ibis

    from roadstead.tables.source import Source

ITEMS = "conditions"
"""The column that contains a person's conditions."""

_ROOT = "*"
_ID = "concept_id"
_ABOVE, _BELOW, _LEVELS = cdm.CONCEPT_ANCESTOR.needed
_FEWEST = 2


@dataclass(frozen=True)
class Vocabulary:
    """The part of a vocabulary that concerns the conditions."""

    names: Mapping[str, str]  # the names of the concepts that have a name
    conditions: Sequence[str]  # the concepts to put into groups
    # The possible groups of each concept with listed ancestors, and the number of steps to each
    # group.
    ancestors: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class ConditionGroups:
    """The groups of a source's conditions."""

    column: str  # the column of the conditions
    rows: tuple[tuple[str, ...], ...] = ()  # rows of the hierarchy file, if there is a vocabulary
    reason: str = ""  # the reason if there is no vocabulary


def condition_groups(source: Source) -> ConditionGroups | None:
    """Return the groups of a CDM's conditions, or None if the source has no such conditions."""
    place = source.location
    folder = place.folder if isinstance(place, HealthLocation) and place.model == "omop" else place
    if not isinstance(folder, Path | CdmLocation) or ITEMS not in source.columns:
        return None
    try:
        rows = hierarchy_rows(read_vocabulary(folder), where=source.name)
        return ConditionGroups(ITEMS, tuple(rows))
    except (SourceError, HierarchyError) as error:
        return ConditionGroups(ITEMS, reason=error.what)


def write_condition_hierarchy(
    place: str | os.PathLike[str] | CdmLocation,
    path: str | Path,
    *,
    force: bool = False,
    memory_limit: str = "2GB",
) -> int:
    """Write the tree of a CDM's conditions as a hierarchy file, in ARX's format.

    The file can be used as ``--taxonomy conditions=FILE`` of ``roadstead synthesize``. Each row
    contains a concept and its groups, from specific to general. Short rows repeat the concept.
    `place` is the folder of the CDM's files, or the location of its tables in a database. The
    function reads CONCEPT and CONCEPT_ANCESTOR. `force` replaces an existing file. Returns the
    number of conditions in the file. Raises SourceError if a table is missing, lacks a required
    column, or cannot be read. Raises HierarchyError if there are fewer than two conditions, or if a
    concept is its own ancestor. Raises OutputError if the file already exists or cannot be written.
    """
    target = Path(path)
    if target.exists() and not force:
        raise OutputError(
            "the file already exists",
            where=str(target),
            fix="choose another file, or use force=True",
        )
    where = place.name if isinstance(place, CdmLocation) else str(place)
    rows = list(hierarchy_rows(read_vocabulary(place, memory_limit=memory_limit), where=where))
    write_rows(rows, target)
    return len(rows)


def write_rows(rows: Sequence[tuple[str, ...]], target: Path) -> None:
    """Write the hierarchy file completely or not at all, and replace an existing file."""
    try:
        write_whole(target, csv_bytes(rows, ";"))
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror})", where=str(target), fix="choose another place"
        ) from None


def hierarchy_rows(vocabulary: Vocabulary, *, where: str) -> Iterator[tuple[str, ...]]:
    """Yield each condition with its groups, from specific to general, in rows of equal length."""
    paths = condition_paths(vocabulary, where=where)
    if len(paths) < _FEWEST:
        what = f"CONCEPT has only {len(paths)} standard concepts of the domain Condition"
        raise HierarchyError(what, where=where, fix="export the conditions of the vocabulary")
    # Every concept is also a group of its own, because a concept above others is also a condition.
    # The number of a group distinguishes it from a group with the same name.
    names = vocabulary.names
    labels = {
        c: f"{names[c]} ({c})" if names.get(c) else f"concept {c}"
        for c in {*paths, *itertools.chain(*paths.values())}
    }
    depth = max(len(path) for path in paths.values()) + 1
    for concept in sorted(paths, key=_number):
        groups = [labels[concept], *(labels[group] for group in paths[concept])]
        padding = [labels[concept]] * (depth - len(groups))
        yield (concept, *padding, *groups, _ROOT)


def condition_paths(vocabulary: Vocabulary, *, where: str) -> dict[str, tuple[str, ...]]:
    """Return the groups of each condition, from specific to general."""
    parents = _parents(vocabulary)
    paths: dict[str, tuple[str, ...]] = {}
    for concept in vocabulary.conditions:
        path: list[str] = []
        at = concept
        while (above := parents.get(at)) is not None:
            if above in path or above == concept:
                what, fix = f"concept {above} is its own ancestor", "get the vocabulary again"
                raise HierarchyError(what, where=f"{where}, table CONCEPT_ANCESTOR", fix=fix)
            path.append(above)
            at = above
        paths[concept] = tuple(path)
    return paths


def _parents(vocabulary: Vocabulary) -> dict[str, str]:
    ancestors = vocabulary.ancestors
    covered: dict[str, set[str]] = defaultdict(set)
    for concept in vocabulary.conditions:
        for above in ancestors.get(concept, {}):
            covered[above].add(concept)
    parents = {}
    for concept, steps in ancestors.items():
        groups = [
            (steps[group], len(covered[group]), _number(group), group)
            for group in steps
            if group in covered
        ]
        if groups:
            parents[concept] = min(groups)[-1]
    for group, below in covered.items():
        if group in ancestors:
            continue
        shared = set.intersection(*(set(ancestors[concept]) for concept in below))
        wider = [other for other in shared if len(covered[other]) > len(below)]
        if wider:
            parents[group] = min(wider, key=lambda other: (len(covered[other]), _number(other)))
    return parents


def read_vocabulary(
    place: str | os.PathLike[str] | CdmLocation, *, memory_limit: str = "2GB"
) -> Vocabulary:
    """Return the conditions in a CDM's vocabulary, and their groups.

    A vocabulary contains tens of millions of relations between concepts, but only the conditions
    and their ancestors are transferred.
    """
    with _vocabulary(place, memory_limit) as (where, concepts, steps):
        if concepts is None:
            return Vocabulary({}, (), {})
        standard = concepts.filter(concepts["standard_concept"] == "S")
        conditions = standard.filter(standard["domain_id"] == "Condition").select(_ID).distinct()
        rows = [] if steps is None else _texts(_relevant(steps, concepts, conditions), where)
        ancestors: dict[str, dict[str, int]] = {}
        for above, below, levels, is_group in rows:
            found = ancestors.setdefault(below, {})
            if is_group == "no":
                continue
            try:
                found[above] = int(levels)
            except ValueError:
                what = f"min_levels_of_separation of concept {below} is not a whole number"
                fix = "get the vocabulary again"
                raise SourceError(what, where=f"{where}, table CONCEPT_ANCESTOR", fix=fix) from None
        placed = sorted((number for (number,) in _texts(conditions, where)), key=_number)
        known = {*placed, *ancestors, *(above for own in ancestors.values() for above in own)}
        named = concepts.select(_ID, "concept_name")
        if steps is not None:
            near = steps.semi_join(conditions, steps[_BELOW] == conditions[_ID])
            inside = conditions.union(near.select(**{_ID: near[_ABOVE]})).distinct()
            named = named.semi_join(inside, _ID)
        names = {number: name for number, name in _texts(named, where) if number in known}
    return Vocabulary(names, placed, ancestors)


def _relevant(steps: ibis.Table, concepts: ibis.Table, conditions: ibis.Table) -> ibis.Table:
    """Return the rows of CONCEPT_ANCESTOR for conditions or their groups.

    Each row states whether the ancestor may be a group. If the only row of a concept lists the
    concept as its own ancestor, the concept has no other ancestors.
    """
    import ibis  # noqa: PLC0415 - heavy

    barred = concepts.filter(concepts["standard_concept"] != "S")
    barred = barred.select(barred=barred[_ID]).distinct()
    told = steps.left_join(barred, steps[_ABOVE] == barred["barred"])
    may = (
        (told[_ABOVE] != told[_BELOW]) & (told[_ABOVE] != cdm.NO_CONCEPT) & told["barred"].isnull()
    )
    rows = told.select(_ABOVE, _BELOW, _LEVELS, is_group=ibis.ifelse(may, "yes", "no"))
    near = rows.semi_join(conditions, rows[_BELOW] == conditions[_ID])
    groups = near.filter(near["is_group"] == "yes").select(**{_ID: _ABOVE}).distinct()
    requested = conditions.union(groups).distinct()
    return rows.semi_join(requested, rows[_BELOW] == requested[_ID])


@contextlib.contextmanager
def _vocabulary(
    place: str | os.PathLike[str] | CdmLocation, memory_limit: str
) -> Iterator[tuple[str, ibis.Table | None, ibis.Table | None]]:
    """Open CONCEPT and CONCEPT_ANCESTOR in one engine, or return None if a table has no rows."""
    with contextlib.ExitStack() as stack:
        if isinstance(place, CdmLocation):
            where, connection = place.name, cdm.connected(place, memory_limit)
            stack.callback(connection.close)
            found = cdm.places(connection, place)
        else:
            where, found = str(place), cdm.in_folder(Path(place))
            started = engine.start(memory_limit)
            stack.callback(started.close)
        tables: list[ibis.Table | None] = []
        for requested in (cdm.CONCEPT_KINDS, cdm.CONCEPT_ANCESTOR):
            opened = cdm.open_table(cdm.needed(found, requested, where), requested, memory_limit)
            if opened is None:
                tables.append(None)
            elif isinstance(place, CdmLocation):
                tables.append(opened.table)
            else:
                with opened:
                    tables.append(joining.bring(started, requested.name, opened.table, opened.name))
        yield where, tables[0], tables[1]


def _texts(rows: ibis.Table, where: str) -> Iterator[tuple[str, ...]]:
    """Yield rows of the vocabulary as strings. A vocabulary does not contain data about people."""
    with engine_errors(where):
        for batch in stream(rows):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _number(concept: str) -> tuple[int, str]:
    """Return a sort key that orders concepts by number."""
    return (len(concept), concept)
