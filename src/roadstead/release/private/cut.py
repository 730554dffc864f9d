"""Read and write cut.json, which states the level of detail of each attribute.

With cut.json, any record can be generalized. For each attribute, the document contains the whole
domain, the places of the cut, and the names of these places in the tables. This information is
public, because the domain was declared and the cut was chosen with differential privacy. For a
taxonomy, the document contains the names of the nodes in preorder, the parent of each node, and the
rule that finds the node of a value.

A cell in a release contains the name of a place, which is an interval or a group of categories. A
set is written as the names of all nodes above its items, for example, ``heart failure; diabetes``.
The empty set is written as ``(none)``. A backslash precedes each semicolon or backslash inside a
name. A backslash also precedes the name ``(none)``. If two groups in a cut have the same name, each
name is followed by the number of its node.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from decimal import Decimal, DecimalException
from itertools import pairwise
from pathlib import Path, PureWindowsPath
from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    CategoricalDomain,
    NumericCut,
    NumericDomain,
    SetCut,
    SetDomain,
)
from roadstead.errors import HierarchyError, InputError, SettingError, VerificationError
from roadstead.hierarchies.icd import by_icd9_category
from roadstead.hierarchies.taxonomy import AtPosition, Find, Taxonomy, by_longest_prefix, exactly
from roadstead.policies.json_document import STRICT, DocumentFormat
from roadstead.release.documents import read_document, write_json

EMPTY_SET = "(none)"
BETWEEN = "; "

_PART = re.compile(r"(?:[^\\;]|\\.)*", re.DOTALL)
_SPECIAL = re.compile(r"[\\;]")


def names_of(cut: AttributeCut) -> tuple[str, ...]:
    """Return a unique name for each place of a cut."""
    names = list(cut.labels)
    nodes = range(len(names)) if isinstance(cut, NumericCut) else cut.nodes
    while max((often := Counter(names)).values()) > 1:
        names = [
            f"{name} (node {node})" if often[name] > 1 else name
            for name, node in zip(names, nodes, strict=True)
        ]
    return tuple(names)


def cells_of(
    cut: AttributeCut, combinations: Sequence[tuple[int, ...]] | None = None
) -> tuple[str, ...]:
    """Return the cell of each combination of places, or of each place."""
    names = names_of(cut)
    if combinations is None:
        return names
    parts = [_escaped(name) for name in names]
    return tuple(
        BETWEEN.join(parts[place] for place in one) if one else EMPTY_SET for one in combinations
    )


def places_of(cut: AttributeCut, cells: Sequence[str]) -> list[tuple[int, ...] | None]:
    """Return the places that each cell names, or None for a cell that is not in the cut.

    The function is the inverse of `cells_of`. A cell names one place unless the attribute is
    set-valued.
    """
    names = names_of(cut)
    if not isinstance(cut, SetCut):
        at = {name: (place,) for place, name in enumerate(names)}
        return [at.get(cell) for cell in cells]
    parts = {_escaped(name): place for place, name in enumerate(names)}
    return [_places(cell, parts, specialized=cut.is_specialized) for cell in cells]


def _places(cell: str, parts: dict[str, int], *, specialized: bool) -> tuple[int, ...] | None:
    """Return the places in the cell of a set, or None if the places are not in ascending order."""
    if cell == EMPTY_SET:
        return () if specialized else None
    places = [parts.get(part, -1) for part in _split(cell)]
    ascending = all(one < other for one, other in zip([-1, *places], places, strict=False))
    return tuple(places) if ascending else None


def _split(cell: str) -> list[str]:
    """Split a cell at unescaped semicolons. A malformed cell is not split."""
    parts: list[str] = []
    at = 0
    while True:
        found = _PART.match(cell, at)
        assert found is not None  # noqa: S101 - the pattern matches nothing, too
        at = found.end()
        if at == len(cell):
            return [*parts, found[0]]
        if not cell.startswith(BETWEEN, at):
            return [cell]
        parts.append(found[0])
        at += len(BETWEEN)


def _escaped(name: str) -> str:
    escaped = _SPECIAL.sub(r"\\\g<0>", name)
    return f"\\{escaped}" if name == EMPTY_SET else escaped


Number: TypeAlias = Annotated[int, Field(ge=0, lt=2**31)]
"""The number of a node or step, or a count of nodes or steps."""

By: TypeAlias = Literal["exact", "longest-prefix", "icd-9-cm-category"]
"""How a value is found: exactly, by its longest prefix among the leaves, or by category."""

_RULES: dict[By, Find] = {
    "exact": exactly,
    "longest-prefix": by_longest_prefix,
    "icd-9-cm-category": by_icd9_category,
}


@checked_dataclass(frozen=True, config=STRICT)
class TaxonomyDocument:
    """A taxonomy whose nodes are listed in preorder.

    `origin` is the name of the taxonomy's source, without the folder. If leaves are pairs of a
    position and an item, such as ``1:401``, `positions` is the number of positions.
    """

    origin: str
    found_by: By  # the rule that finds a value among the leaves
    positions: Annotated[int, Field(ge=1, lt=2**31)] | None
    labels: tuple[str, ...]
    parents: tuple[Number | None, ...]  # the number of each node's parent; null for the first node


def document_of_taxonomy(taxonomy: Taxonomy) -> TaxonomyDocument:
    """Convert a taxonomy into a document.

    If a document cannot express a rule of the taxonomy, a `SettingError` is raised.
    """
    find = taxonomy.find
    positions = find.positions if isinstance(find, AtPosition) else None
    rule = find.find if isinstance(find, AtPosition) else find
    names = [name for name, known in _RULES.items() if known is rule]
    if names:
        parents = tuple(None if parent < 0 else int(parent) for parent in taxonomy.parents)
        tree = TaxonomyDocument(origin_of(taxonomy), names[0], positions, taxonomy.labels, parents)
        rebuilt = taxonomy_of(tree, taxonomy.attribute)
        if rebuilt.find == find:
            return tree
    raise SettingError(
        "the taxonomy finds values by a rule that cannot be written to a file",
        where=f"taxonomy of {taxonomy.attribute!r}",
        fix=(
            "use a taxonomy that finds values by their text, by the longest prefix, or by the "
            "ICD-9-CM category"
        ),
    )


def origin_of(taxonomy: Taxonomy) -> str:
    """Return the name of a taxonomy's source, without the folder, which must remain private."""
    return PureWindowsPath(taxonomy.origin).name or taxonomy.origin


def taxonomy_of(tree: TaxonomyDocument, attribute: str) -> Taxonomy:
    """Return the taxonomy in a document, or raise a `HierarchyError` if the tree is damaged."""
    _check_tree(tree, attribute)
    parents = np.array([-1 if one is None else one for one in tree.parents], dtype=np.int32)
    bare = Taxonomy(attribute, tree.labels, parents, tree.origin)
    if len(bare.leaves) != len(bare.leaf_labels):
        raise _damaged("two values have the same name", attribute)
    return replace(bare, find=_find(tree, bare.leaves, attribute))


def _check_tree(tree: TaxonomyDocument, attribute: str) -> None:
    """Check that nodes are in preorder and that each node is below its parent."""
    if len(tree.labels) != len(tree.parents) or len(tree.labels) < 2:  # noqa: PLR2004 - a value
        raise _damaged(
            "the tree has no values, or a node does not have exactly one parent",
            attribute,
        )
    path: list[int] = []
    for node, parent in enumerate(tree.parents):
        while path and path[-1] != parent:
            path.pop()
        if (parent is None) != (node == 0) or (node and not path):
            raise _damaged(f"node {node} is not directly below its parent", attribute)
        path.append(node)


def _find(tree: TaxonomyDocument, leaves: Mapping[str, int], attribute: str) -> Find:
    """Return a function that finds a value. All positions use the leaves of the first position."""
    rule = _RULES[tree.found_by]
    if tree.positions is None:
        return rule
    each, rest = divmod(len(leaves), tree.positions)
    items = [label.removeprefix("1:") for label in list(leaves)[:each]]
    expected = [f"{at}:{item}" for at in range(1, tree.positions + 1) for item in items]
    if rest or list(leaves) != expected:
        raise _damaged("the positions do not have the same items", attribute)
    return AtPosition(rule, {item: at for at, item in enumerate(items)}, tree.positions)


def _damaged(what: str, attribute: str) -> HierarchyError:
    return HierarchyError(f"the tree is damaged: {what}", where=f"taxonomy of {attribute!r}")


CUT = "cut.json"
FORMAT = DocumentFormat("roadstead_cut", 2, "make the release again with roadstead synthesize")


@checked_dataclass(frozen=True, config=STRICT)
class NumericEntry:
    """The intervals into which a cut divides a range."""

    attribute: str
    low: str  # the range includes both ends
    high: str
    step: str  # the smallest difference between values
    bounds: tuple[Number, ...]  # the first step of each interval, and the end of the last interval
    names: tuple[str, ...]
    kind: Literal["numeric"] = "numeric"


@checked_dataclass(frozen=True, config=STRICT)
class TaxonomyEntry:
    """Nodes of a taxonomy that cover each value exactly once."""

    attribute: str
    kind: Literal["categorical", "set"]  # one value or a set of values per record
    nodes: tuple[Number, ...]
    names: tuple[str, ...]
    taxonomy: TaxonomyDocument


Entry: TypeAlias = Annotated[NumericEntry | TaxonomyEntry, Field(discriminator="kind")]


@checked_dataclass(frozen=True, config=STRICT)
class CutDocument:
    """The content of cut.json. Classes and attributes have the order of the tables' columns."""

    target: str | None  # the column of classes; null in some releases for general use
    classes: tuple[str, ...]  # the values of the target; empty without a target
    attributes: Annotated[tuple[Entry, ...], Field(min_length=1)]
    roadstead_cut: Literal[2] = 2


_DOCUMENT: TypeAdapter[CutDocument] = TypeAdapter(CutDocument)


def document_of(
    cuts: Sequence[AttributeCut], target: str | None, classes: Sequence[str]
) -> CutDocument:
    """Convert cuts into a document. If a rule cannot be expressed, a `SettingError` is raised."""
    return CutDocument(target, tuple(classes), tuple(_entry(cut) for cut in cuts))


def _entry(cut: AttributeCut) -> NumericEntry | TaxonomyEntry:
    names = names_of(cut)
    if isinstance(cut, NumericCut):
        domain = cut.domain
        ends = (str(domain.low), str(domain.high), str(domain.step))
        return NumericEntry(domain.attribute, *ends, bounds=cut.bounds, names=names)
    return TaxonomyEntry(
        attribute=cut.attribute,
        kind="set" if isinstance(cut, SetCut) else "categorical",
        nodes=cut.nodes,
        names=names,
        taxonomy=document_of_taxonomy(cut.domain.taxonomy),
    )


def write_cut(document: CutDocument, path: Path) -> None:
    """Write a document as JSON."""
    entries = asdict(document)
    head = {"roadstead_cut": entries.pop("roadstead_cut")}
    write_json({**head, **entries}, path)


def read_cut(path: Path) -> CutDocument:
    """Read a document, and check that it has classes if and only if it has a target."""
    found = read_document(path, _DOCUMENT, "it", where=path.name, form=FORMAT)
    if (found.target is None) == bool(found.classes):
        raise VerificationError("the file is damaged in the entry target", where=path.name)
    return found


def cut_of(entry: NumericEntry | TaxonomyEntry) -> AttributeCut:
    """Check an entry, and return its cut.

    If the domain is invalid, a value is not covered exactly once, or a name is wrong, a
    `VerificationError` is raised.
    """
    try:
        cut = _cut(entry)
    except InputError as error:
        raise VerificationError(error.what, where=error.where) from None
    except DecimalException:
        raise VerificationError("the limits or the step of the range are not numbers") from None
    if (fault := _fault(cut)) is not None:
        raise VerificationError(fault)
    if entry.names != names_of(cut):
        raise VerificationError("the names do not match the places")
    return cut


def _cut(entry: NumericEntry | TaxonomyEntry) -> AttributeCut:
    if isinstance(entry, NumericEntry):
        low, high, step = (Decimal(text) for text in (entry.low, entry.high, entry.step))
        return NumericCut(NumericDomain(entry.attribute, low, high, step), entry.bounds)
    taxonomy = taxonomy_of(entry.taxonomy, entry.attribute)
    if max(entry.nodes, default=0) >= taxonomy.nodes:
        raise VerificationError("a node is not in the taxonomy")
    if entry.kind == "set":
        return SetCut(SetDomain(taxonomy), entry.nodes)
    return CategoricalCut(CategoricalDomain(taxonomy), entry.nodes)


def _fault(cut: AttributeCut) -> str | None:
    """Explain why a cut does not cover its domain exactly once, or return None."""
    if isinstance(cut, NumericCut):
        bounds, size = cut.bounds, cut.domain.size
        ascending = all(one < other for one, other in pairwise(bounds))
        if len(bounds) < 2 or not ascending or (bounds[0], bounds[-1]) != (0, size):  # noqa: PLR2004 - an interval has two
            return "the intervals do not cover the range exactly once"
        return None
    taxonomy, nodes = cut.domain.taxonomy, list(cut.nodes)
    begins = [*taxonomy.first[nodes].tolist(), taxonomy.size]
    ends = [0, *taxonomy.last[nodes].tolist()]
    return None if begins == ends else "the nodes do not cover each value exactly once"
