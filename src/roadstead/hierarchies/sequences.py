"""Items with their order: a taxonomy of pairs such as ``1:401.9``.

Where the order of items means something, of visits for one, an item and its place together are
taken for the item (paper 002, Discussion). The taxonomy of the pairs begins with the place: below
its root stands one node for each position, and below that a copy of the taxonomy of items. So the
order is shown first, and then what happened there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from roadstead.errors import SettingError
from roadstead.hierarchies.taxonomy import NOT_LISTED, Find, Taxonomy, from_paths


@dataclass(frozen=True)
class AtPosition:
    """How a pair of position and item is found: the item as the items' own taxonomy finds it."""

    find: Find  # how an item is found among `items`
    items: Mapping[str, int]  # the leaves of the taxonomy of items
    positions: int  # how many positions there are; a pair beyond them is not listed

    def __call__(self, leaves: Mapping[str, int], value: str) -> int:
        """Find the leaf of a pair, or `NOT_LISTED`."""
        position, colon, item = value.partition(":")
        if not colon or not (position.isascii() and position.isdigit()):
            return NOT_LISTED
        if not 1 <= int(position) <= self.positions:
            return NOT_LISTED
        place = self.find(self.items, item)
        if place == NOT_LISTED:
            return NOT_LISTED
        # Copies stand one after the other, so leaves are found by counting.
        return (int(position) - 1) * (len(leaves) // self.positions) + place


def ordered(taxonomy: Taxonomy, positions: int) -> Taxonomy:
    """Build the taxonomy of item-order pairs from the taxonomy of items.

    Parameters
    ----------
    taxonomy
        The tree of the items.
    positions
        How many positions there are: a public number, the same as the set's `longest`.

    Returns
    -------
    Taxonomy
        Root, position, tree. The labels of groups stay; leaves are called ``1:401``. What the
        taxonomy of items does not list is not listed at any position.

    Raises
    ------
    SettingError
        `positions` is below 1.
    """
    if positions < 1:
        raise SettingError(
            f"a sequence cannot have {positions} positions",
            where=f"taxonomy of {taxonomy.attribute!r}",
            fix="give at least 1",
        )
    below = list(_paths(taxonomy, 0, ()))
    return from_paths(
        taxonomy.attribute,
        (
            (f"position {position}", *groups, f"{position}:{item}")
            for position in range(1, positions + 1)
            for *groups, item in below
        ),
        root=taxonomy.labels[0],
        origin=taxonomy.origin,
        find=AtPosition(taxonomy.find, taxonomy.leaves, positions),
    )


def _paths(taxonomy: Taxonomy, node: int, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Walk down to every leaf, in order; the root's own label is left out."""
    for child in taxonomy.children[node]:
        path = (*above, taxonomy.labels[child])
        if taxonomy.children[child]:
            yield from _paths(taxonomy, child, path)
        else:
            yield path
