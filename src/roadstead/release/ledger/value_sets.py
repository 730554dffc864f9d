"""Intersect the sets of sensitive values of a group over all releases under one policy.

The value of a person who is in several releases belongs to every one of the sets. Two sets may have
enough common values, although all sets together have only one common value. So this module
intersects the sets of all releases that show a group. It examines every choice of these releases
that includes the new release. If the sets of a choice have no common value, no person with an
unchanged value can be in all of its releases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from roadstead.release.ledger.classes import ReleasedClasses, masked_class
from roadstead.release.ledger.differences import TELLS, cells_of_column
from roadstead.release.ledger.facts import OverlayFinding, SetsTried
from roadstead.release.ledger.parts import SeriesMember

MOST_SETS: Final = 2_000
"""The largest number of intersections of one group that are tried."""
_Sets: TypeAlias = Mapping[tuple[str, ...], frozenset[str]]


def values_in_all(
    series: Sequence[SeriesMember], columns: Sequence[str], promised: Mapping[str, int]
) -> SetsTried:
    """Find the groups in which too few values of a column remain after several releases.

    `columns` lists the columns that have changed sets but no finding for a pair of releases. The
    first release of the series is the new one. Pairs of releases are compared elsewhere
    (`sets_of_values`), so the series must have at least two earlier releases.
    """
    new, *earlier = series
    if len(earlier) < 2:  # noqa: PLR2004 - a pair is compared already
        return SetsTried((), cut_short=False)
    findings, cut_short = [], False
    for column in columns:
        least = max(promised.get(column, 0), TELLS)
        before = {one.name: _sets_of(one.classes, new.classes, column) for one in earlier}
        few: list[int] = []
        shown: set[str] = set()
        for labels, values in _sets_of(new.classes, new.classes, column).items():
            sets = {name: found[labels] for name, found in before.items() if labels in found}
            if len(values) < least or any(len(one) < least for one in sets.values()):
                continue  # a set that is too small by itself is not due to the other releases
            smallest, whole = _smallest(values, sets.values(), least)
            cut_short |= not whole
            if smallest is not None:
                few.append(smallest)
                shown |= sets.keys()
        if few:
            *others, last = sorted(shown)
            findings.append(
                OverlayFinding(
                    "values", last, len(few), least, min(few), column, others=tuple(others)
                )
            )
    return SetsTried(tuple(findings), cut_short)


def _smallest(
    values: frozenset[str], sets: Iterable[frozenset[str]], least: int
) -> tuple[int | None, bool]:
    """Return the size of the smallest common set below a limit, and whether all sets were tried."""
    tried, whole = {values}, True
    for one in sets:
        if len(tried) > MOST_SETS:
            tried, whole = {own & one for own in tried}, False
        else:
            tried |= {own & one for own in tried}
    return min((len(own) for own in tried if 0 < len(own) < least), default=None), whole


def _sets_of(classes: ReleasedClasses, new: ReleasedClasses, column: str) -> _Sets:
    """Return the fingerprints of the values of each group, without the masked records.

    The result is empty if the release does not have the column in the form of the new release.
    """
    both = cells_of_column((classes, new), column)
    if both is None:
        return {}
    cells, texts = both[0], classes.texts
    masked = masked_class(texts)
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for group, value in zip(cells.in_class, cells.codes[0], strict=True):
        if group != masked:
            found[texts[group]].add(cells.values[0][value])
    return {labels: frozenset(values) for labels, values in found.items()}
