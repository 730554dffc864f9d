"""A taxonomy in a document: the names of its nodes, which node is above each, how values are found.

Nodes stand in preorder, so their numbers are their places. That and the rule by which a value is
found are all there is to a taxonomy: whoever has the document can place a value without the files
that the taxonomy was made from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PureWindowsPath
from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import HierarchyError, SettingError
from roadstead.hierarchies.icd import by_icd9_category
from roadstead.hierarchies.taxonomy import (
    AtPosition,
    Find,
    Taxonomy,
    by_longest_prefix,
    exactly,
)
from roadstead.release.documents import STRICT

Number: TypeAlias = Annotated[int, Field(ge=0, lt=2**31)]
"""A node, a step, or how many there are."""

By: TypeAlias = Literal["the value", "longest prefix", "ICD-9-CM category"]
"""How a value is found: as it is written, by the longest leaf it begins with, or by category."""

_RULES: dict[By, Find] = {
    "the value": exactly,
    "longest prefix": by_longest_prefix,
    "ICD-9-CM category": by_icd9_category,
}


@checked_dataclass(frozen=True, config=STRICT)
class TaxonomyDocument:
    """A taxonomy: nodes in preorder, so a node, then all that is below its first child, and so on.

    `origin` is where it came from: a file by its name, without its folder. Where leaves are pairs
    such as ``1:401``, `positions` is how many positions there are.
    """

    origin: str
    found_by: By  # how a value is found among the leaves
    positions: Annotated[int, Field(ge=1, lt=2**31)] | None
    labels: tuple[str, ...]
    parents: tuple[Number | None, ...]  # the number of the node above each; null for the first


def document_of_taxonomy(taxonomy: Taxonomy) -> TaxonomyDocument:
    """Write a taxonomy down; a `SettingError` if its rule is one that no document can hold."""
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
        "values are found by a rule that cannot be written down",
        where=f"taxonomy of {taxonomy.attribute!r}",
        fix="let them be found as they are written, by longest prefix or by ICD-9-CM category",
    )


def origin_of(taxonomy: Taxonomy) -> str:
    """Say where a taxonomy came from; of a path, the folder is nobody's to know."""
    return PureWindowsPath(taxonomy.origin).name or taxonomy.origin


def taxonomy_of(tree: TaxonomyDocument, attribute: str) -> Taxonomy:
    """Build the taxonomy that a document describes; a `HierarchyError` if it is no tree."""
    _check_tree(tree, attribute)
    parents = np.array([-1 if one is None else one for one in tree.parents], dtype=np.int32)
    bare = Taxonomy(attribute, tree.labels, parents, tree.origin)
    if len(bare.leaves) != len(bare.leaf_labels):
        raise _damaged("two values have one name", attribute)
    return replace(bare, find=_find(tree, bare.leaves, attribute))


def _check_tree(tree: TaxonomyDocument, attribute: str) -> None:
    """Prove that nodes stand in preorder, each below its parent."""
    if len(tree.labels) != len(tree.parents) or len(tree.labels) < 2:  # noqa: PLR2004 - a value
        raise _damaged("it has no value, or not one parent for each node", attribute)
    path: list[int] = []
    for node, parent in enumerate(tree.parents):
        while path and path[-1] != parent:
            path.pop()
        if (parent is None) != (node == 0) or (node and not path):
            raise _damaged(f"node {node} does not stand where its parent says", attribute)
        path.append(node)


def _find(tree: TaxonomyDocument, leaves: Mapping[str, int], attribute: str) -> Find:
    """Give the rule; items at positions are found in the part of the leaves for the first one."""
    rule = _RULES[tree.found_by]
    if tree.positions is None:
        return rule
    each, rest = divmod(len(leaves), tree.positions)
    items = [label.removeprefix("1:") for label in list(leaves)[:each]]
    expected = [f"{at}:{item}" for at in range(1, tree.positions + 1) for item in items]
    if rest or list(leaves) != expected:
        raise _damaged("its values are not the same items at each position", attribute)
    return AtPosition(rule, {item: at for at, item in enumerate(items)}, tree.positions)


def _damaged(what: str, attribute: str) -> HierarchyError:
    return HierarchyError(f"the tree is damaged: {what}", where=f"taxonomy of {attribute!r}")
