"""A tree of condition concepts, out of the many ways up that a vocabulary has.

CONCEPT_ANCESTOR lists all ancestors of each concept, with the fewest steps between. In it a disease
lies below several groups, such as an infection of the lung below both. A hierarchy gives each
concept one place, by this rule: it stands under the ancestor that is the fewest steps away; of
several, under the one that covers the fewest conditions; of these, under the smallest number. The
same rule places that ancestor, and so on up. Concepts that CONCEPT lists as not standard, such as
those that only classify, are no groups.

An excerpt of a vocabulary may list the ancestors of the concepts in use, and not those of the
ancestors. Such an ancestor stands under the one that covers all its conditions and fewest others.

The conditions are the standard concepts of the domain Condition in CONCEPT, whether any person has
them or not. Source: OHDSI, OMOP Common Data Model v5.4, CONCEPT and CONCEPT_ANCESTOR.

The groups of an excerpt are those of the concepts in use, so a tree made of one tells which are in
use. For a release that promises differential privacy, take the whole vocabulary.
"""

from __future__ import annotations

import contextlib
import csv
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import HierarchyError, OutputError, SourceError
from roadstead.tables.failures import engine_errors
from roadstead.tables.health import cdm_tables as cdm

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ROOT = "*"
_FEWEST = 2


@dataclass(frozen=True)
class Vocabulary:
    """What is known of concepts.

    Attributes
    ----------
    names
        The name of each concept that has one.
    conditions
        The concepts to be placed.
    ancestors
        For concepts whose ancestors are listed, those that may be groups, with the steps between.
    """

    names: Mapping[str, str]
    conditions: Sequence[str]
    ancestors: Mapping[str, Mapping[str, int]]


def write_condition_hierarchy(
    folder: str | Path, path: str | Path, *, force: bool = False, memory_limit: str = "2GB"
) -> int:
    """Write the tree of a CDM's conditions as a hierarchy file, in ARX's form.

    The file serves as ``--taxonomy conditions=FILE`` of ``roadstead synthesize``. A row is a
    concept, then its groups from specific to general, padded with the concept's own name.

    Parameters
    ----------
    folder
        The folder of the CDM's files; CONCEPT and CONCEPT_ANCESTOR are read.
    path
        The file to be written, whole or not at all.
    force
        Replace a file that is there.
    memory_limit
        How much memory the private engine may use.

    Returns
    -------
    int
        How many conditions are in it.

    Raises
    ------
    SourceError
        A table is not there, lacks a column or cannot be read.
    HierarchyError
        There are fewer than two conditions, or a concept is its own ancestor.
    OutputError
        The file exists already or cannot be written.
    """
    target = Path(path)
    if target.exists() and not force:
        raise OutputError("exists already", where=str(target), mend="choose another, or force=True")
    vocabulary = read_vocabulary(Path(folder), memory_limit=memory_limit)
    rows = list(hierarchy_rows(vocabulary, where=str(folder)))
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with aside.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, delimiter=";", lineterminator="\n").writerows(rows)
        aside.replace(target)
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror})", where=str(target), mend="choose another place"
        ) from None
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
    return len(rows)


def hierarchy_rows(vocabulary: Vocabulary, *, where: str) -> Iterator[tuple[str, ...]]:
    """Give each condition with its groups from specific to general; all rows are equally long.

    Raises
    ------
    HierarchyError
        There are fewer than two conditions, or a concept is its own ancestor.
    """
    paths = condition_paths(vocabulary, where=where)
    if len(paths) < _FEWEST:
        raise HierarchyError(
            f"CONCEPT has {len(paths)} standard concepts of the domain Condition",
            where=where,
            mend="export the vocabulary's conditions",
        )
    # Every concept is a group of its own, too: one that others stand under has a place beside them.
    labels = {c: _label(c, vocabulary) for path in paths.values() for c in path} | {
        c: _label(c, vocabulary) for c in paths
    }
    depth = max(len(path) for path in paths.values()) + 1
    for concept in sorted(paths, key=_number):
        groups = [labels[concept], *(labels[group] for group in paths[concept])]
        padding = [labels[concept]] * (depth - len(groups))
        yield (concept, *padding, *groups, _ROOT)


def condition_paths(vocabulary: Vocabulary, *, where: str) -> dict[str, tuple[str, ...]]:
    """Give the groups of each condition, from specific to general.

    Raises
    ------
    HierarchyError
        A concept is its own ancestor.
    """
    parents = _parents(vocabulary)
    paths: dict[str, tuple[str, ...]] = {}
    for concept in vocabulary.conditions:
        path: list[str] = []
        at = concept
        while (above := parents.get(at)) is not None:
            if above in path or above == concept:
                raise HierarchyError(
                    f"concept {above} is its own ancestor",
                    where=f"{where}, table CONCEPT_ANCESTOR",
                    mend="get the vocabulary again",
                )
            path.append(above)
            at = above
        paths[concept] = tuple(path)
    return paths


def _parents(vocabulary: Vocabulary) -> dict[str, str]:
    """Place each concept under one other."""
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


def read_vocabulary(folder: Path, *, memory_limit: str = "2GB") -> Vocabulary:
    """Read what a CDM's vocabulary says of its conditions.

    Raises
    ------
    SourceError
        A table is not there, lacks a column or cannot be read.
    """
    places = cdm.in_folder(folder)
    concepts = _rows(cdm.needed(places, cdm.CONCEPT, str(folder)), cdm.CONCEPT_KINDS, memory_limit)
    place = cdm.needed(places, cdm.CONCEPT_ANCESTOR, str(folder))
    names, conditions, no_groups = {}, [], set()
    for number, name, domain, standard in concepts:
        names[number] = name
        if standard != "S":
            no_groups.add(number)
        elif domain == "Condition":
            conditions.append(number)
    ancestors: dict[str, dict[str, int]] = {}
    for above, below, levels in _rows(place, cdm.CONCEPT_ANCESTOR, memory_limit):
        found = ancestors.setdefault(below, {})
        if above != below and above not in no_groups and above != "0":
            try:
                found[above] = int(levels)
            except ValueError:
                raise SourceError(
                    f"min_levels_of_separation of concept {below} is not a whole number",
                    where=f"{folder}, table CONCEPT_ANCESTOR",
                    mend="get the vocabulary again",
                ) from None
    return Vocabulary(names, sorted(set(conditions), key=_number), ancestors)


def _rows(place: cdm.Place, wanted: cdm.CdmTable, memory_limit: str) -> Iterator[tuple[str, ...]]:
    """Give the rows of a table of the vocabulary, which holds no people."""
    from roadstead.tables.batches import stream  # noqa: PLC0415 - heavy

    opened = cdm.open_table(place, wanted, memory_limit)
    if opened is None:
        return
    with opened, engine_errors(opened.name):
        for batch in stream(opened.table):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _label(concept: str, vocabulary: Vocabulary) -> str:
    """Name a group; the number keeps two groups of one name apart."""
    name = vocabulary.names.get(concept)
    return f"{name} ({concept})" if name else f"concept {concept}"


def _number(concept: str) -> tuple[int, str]:
    """Order concepts by their numbers."""
    return (len(concept), concept)
