"""Rare codes of a class become an ancestor that enough people share, or nothing."""

from __future__ import annotations

from collections import defaultdict

import effort  # noqa: F401 - how hard Hypothesis tries
from hypothesis import given
from hypothesis import strategies as st

from roadstead.release.database.codes import Ancestry, climb

CODES = st.integers(1, 8)


@st.composite
def ancestries(draw: st.DrawFn) -> Ancestry:
    """Draw ancestors with greater numbers, so that none is its own."""
    above = {
        code: sorted(draw(st.sets(st.integers(code + 1, 12), max_size=3))) if code < 12 else []
        for code in range(1, 13)
    }
    below: dict[int, int] = defaultdict(int)
    for own in above.values():
        for one in own:
            below[one] += 1
    return Ancestry(above, dict(below))


@given(
    st.dictionaries(CODES, st.frozensets(st.integers(0, 6), min_size=1, max_size=3), max_size=6),
    st.frozensets(st.integers(1, 12), max_size=3),
    ancestries(),
    st.integers(2, 4),
    st.sampled_from([None, 0]),
)
def test_what_a_code_becomes_is_shared_and_true(
    holders: dict[int, frozenset[int]],
    common: frozenset[int],
    ancestry: Ancestry,
    k: int,
    root: int | None,
) -> None:
    """By the definition: an ancestor, held by k people or common; no other code is possible."""
    holders = {code: held for code, held in holders.items() if code not in common}
    found = climb(holders, common, ancestry, k, root)
    assert found.keys() == holders.keys()
    shared: dict[int, set[int]] = defaultdict(set)
    for code, to in found.items():
        if to is not None:
            assert to in (root, code, *ancestry.above[code])
            shared[to] |= holders[code]
    for to, held in shared.items():
        assert to in common or len(held) >= k
    left = {code for code, to in found.items() if to is None}
    for ancestor in range(1, 13):
        below = [code for code in left if ancestor in ancestry.above[code]]
        together = set().union(*(holders[code] for code in below))
        assert not below or (ancestor not in common and len(together) < k)
