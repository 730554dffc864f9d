"""More than two releases at once, against all tables that match the published ones."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TypeAlias

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from monthly_extracts import Record, classes_by_hand

from roadstead.hierarchies.rules import Everything, Identity
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy, PolicyColumns, Suppression
from roadstead.release.ledger.classes import ReleasedClasses, counted_classes
from roadstead.release.ledger.joint import joint_sizes
from roadstead.release.ledger.parts import NEW, SeriesMember, small_remainders
from roadstead.tables.frequency import FrequencyTable, canonical

Row: TypeAlias = tuple[str, ...]
THREE = ("a", "b", "c")


def counted(rows: list[Row], columns: tuple[str, ...]) -> FrequencyTable:
    """Count rows of some columns."""
    domains = tuple(tuple(sorted(set(own))) for own in zip(*rows, strict=True))
    codes = [
        np.array([domain.index(row[at]) for row in rows], dtype=np.int32)
        for at, domain in enumerate(domains)
    ]
    return canonical(columns, domains, codes, np.ones(len(rows), dtype=np.int64))[0]


def showing(names: str, k: int) -> Policy:
    """Give the policy that shows some of three columns unchanged, and nothing of the others."""
    rules = [Identity() if name in names else Everything() for name in THREE]
    return Policy(
        tuple(
            AttributePolicy(name, int(name not in names), 2, rule)
            for name, rule in zip(THREE, rules, strict=True)
        ),
        ({"kind": "k-anonymity", "k": k},),
        Suppression(1.0, "drop"),
        PolicyColumns(undecided=()),
    )


def released(rows: list[Row], names: str, k: int) -> tuple[Policy, ReleasedClasses] | None:
    """Release the rows under that policy; None where no class is large enough."""
    shown = [
        tuple(x if name in names else "*" for name, x in zip(THREE, row, strict=True))
        for row in rows
    ]
    sizes = Counter(shown)
    kept = [row for row in shown if sizes[row] >= k]
    policy = showing(names, k)
    return (policy, counted_classes(counted(kept, THREE), policy)) if kept else None


def test_three_policies_tell_what_no_two_of_them_do() -> None:
    """Each two columns are shown together, never three: at least four records match in two."""
    cells = list(product("01", repeat=3))
    even = [cell for cell in cells if "".join(cell).count("1") % 2 == 0]
    rows = [cell for cell in cells for _ in range(3 if cell in even else 1)]
    made = [released(rows, names, 2) for names in ("a", "b", "c")]
    releases = [one for one in made if one is not None]
    assert len(releases) == 3
    table = counted(rows, THREE)
    for at in range(3):
        assert min(joint_sizes(table, releases[:at] + releases[at + 1 :])) == 4
    assert sorted(joint_sizes(table, releases).tolist()) == [1, 1, 1, 1, 3, 3, 3, 3]


def counted_as_one(rows: list[Row], shown: list[str], k: int = 2) -> tuple[bool, bool]:
    """Say whether the ledger finds a group, and whether all tables that fit count some kind as 1.

    A kind is any set of combinations of values: 255 of them.
    """
    made = [(names, released(rows, names, k)) for names in dict.fromkeys(shown)]
    releases = [one for _, one in made if one is not None]
    if not releases:
        return False, False
    found = min(joint_sizes(counted(rows, THREE), releases), default=k) < k
    cells = list(product("01", repeat=3))
    most = max(Counter(rows).values())
    worlds = np.array(list(product(range(most + 1), repeat=len(cells))))
    fits = worlds.sum(axis=1) <= len(rows)
    for names, one in made:
        shown_as = [
            tuple(x if n in names else "*" for n, x in zip(THREE, cell, strict=True))
            for cell in cells
        ]
        published = {} if one is None else dict(zip(one[1].texts, one[1].counts, strict=True))
        for labels in set(shown_as):
            own = worlds[:, [labels == x for x in shown_as]].sum(axis=1)
            fits &= np.where(own >= k, own, 0) == published.get(labels, 0)
    assert fits.any()  # the table itself does
    kinds = np.array(list(product((0, 1), repeat=len(cells)))).T
    numbers = worlds[fits] @ kinds
    return found, bool(((numbers == 1).all(axis=0)).any())


CELLS = st.tuples(*[st.sampled_from("01")] * 3)


@examples(25)
@given(
    st.lists(CELLS, min_size=1, max_size=3, unique=True),
    st.lists(CELLS, max_size=2, unique=True),
    st.lists(st.sampled_from(("", "a", "b", "c", "ab", "bc", "ac")), min_size=2, max_size=3),
)
def test_where_nothing_is_found_no_table_that_fits_singles_anybody_out(
    two: list[Row], one: list[Row], shown: list[str]
) -> None:
    """Two of some kinds and one of others, released in two or three ways."""
    found, told = counted_as_one([*two, *two, *one], shown)
    assert found or not told


def test_a_finer_policy_that_leaves_one_out_is_found_and_does_single_out() -> None:
    """Of three women the finer one shows two; every table that fits has one other woman."""
    rows: list[Row] = [("0", "0", "0"), ("0", "0", "0"), ("0", "1", "0")]
    assert counted_as_one(rows, ["ab", "a"]) == (True, True)


def member(name: str, records: list[Record]) -> SeriesMember:
    """Release records by ward alone."""
    return SeriesMember(name, None, classes_by_hand(records, 0, 2), 3)


def of(ward: str, number: int, first: int = 0) -> list[Record]:
    """Give so many records of a ward."""
    return [(ward, "11", "xyz"[(first + at) % 3]) for at in range(number)]


def test_the_whole_less_its_parts_is_found_and_so_is_a_part_completed() -> None:
    """North and south apart, then both and two more; in whichever order they are released."""
    north, south, rest = of("A", 6) + of("B", 3), of("A", 9) + of("B", 12), of("A", 2)
    for order in (0, 1, 2):
        extracts = [north, south, north + south + rest]
        new = extracts.pop(order)
        series = [member(NEW, new), *(member(str(at), own) for at, own in enumerate(extracts))]
        (found,) = small_remainders(series).findings
        assert (found.kind, found.classes, found.smallest, found.least) == ("parts", 1, 2, 3)
        assert {found.earlier, *found.others} == {"0", "1"}
        exact = north + south
        extracts = [north, south, exact]
        new = extracts.pop(order)
        series = [member(NEW, new), *(member(str(at), own) for at, own in enumerate(extracts))]
        assert not small_remainders(series).findings


def test_parts_with_one_more_than_the_whole_are_found() -> None:
    """A person was in the north and is not in both."""
    north, south = of("A", 6) + of("B", 6), of("A", 9) + of("B", 12)
    series = [member(NEW, north[1:] + south), member("0", north), member("1", south)]
    (found,) = small_remainders(series).findings
    assert (found.classes, found.smallest) == (1, 1)


def test_months_are_no_parts_of_each_other_and_a_table_is_none_of_itself() -> None:
    """Growing extracts overlap, as their sums say."""
    months = [of("A", 20 + 4 * at) + of("B", 30 + 5 * at) for at in range(8)]
    series = [member(str(at), own) for at, own in enumerate(months[:-1])]
    assert not small_remainders([member(NEW, months[-1]), *series]).findings
    twice = [SeriesMember(str(at), "same", classes_by_hand(of("A", 9), 0, 2), 3) for at in (0, 1)]
    whole = SeriesMember(NEW, "other", classes_by_hand(of("A", 20), 0, 2), 3)
    assert not small_remainders([whole, *twice]).findings
    other = [SeriesMember(str(at), str(at), own.classes, 3) for at, own in enumerate(twice)]
    assert small_remainders([whole, *other]).findings


def test_many_parts_are_tried_up_to_a_limit_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The largest set first."""
    monkeypatch.setattr("roadstead.release.ledger.parts.MOST_FAMILIES", 7)
    parts = [member(str(at), of("A", 3)) for at in range(8)]
    tried = small_remainders([member(NEW, of("A", 26)), *parts])
    assert tried.cut_short
    assert tried.findings[0].smallest == 2
    assert len(tried.findings[0].others) == 7


@examples(25)
@given(
    st.lists(
        st.tuples(st.sampled_from("AB"), st.sampled_from(("north", "south", "neither"))),
        min_size=6,
        max_size=13,
    )
)
def test_where_no_part_tells_no_world_of_parts_singles_anybody_out(
    people: list[tuple[str, str]],
) -> None:
    """All ways to put people into two parts and a whole; every person is in a group of k."""
    k = 3
    chosen = {where: [ward for ward, own in people if own == where] for where in ("north", "south")}
    whole = [ward for ward, _ in people]
    published = [
        Counter({ward: n for ward, n in Counter(own).items() if n >= k})
        for own in (chosen["north"], chosen["south"], whole)
    ]
    if not all(published):
        return
    own = [
        member(name, [(ward, "11", "x") for ward, n in shown.items() for _ in range(n)])
        for name, shown in zip(("0", "1", NEW), published, strict=True)
    ]
    if small_remainders(own).findings:
        return
    for ward, number in published[2].items():
        shown = [one.get(ward) for one in published[:2]]
        groups: list[set[int]] = [set() for _ in range(8)]
        for split in product(range(number + 1), repeat=2):
            if sum(split) > number:
                continue
            seen = [n if n >= k else None for n in split]
            if seen != shown:
                continue
            sizes = (*split, number - sum(split))
            for kind in range(1, 8):
                groups[kind].add(sum(n for at, n in enumerate(sizes) if kind >> at & 1))
        for numbers in groups[1:]:
            assert len(numbers) != 1 or not 0 < min(numbers) < k
