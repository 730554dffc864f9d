"""Merging classes against a plain count of every policy from the cells.

The tables of the rules hold sixteenths, so that every sum is exact and what the loops say must be
what the count says, to the last bit. The slots that find classes are addressed directly, or hashed
with so little room that keys collide and slots are renewed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from effort import sparing, unhurried
from frontier_cells import tiny_cells
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from partition_definitions import any_policy, cells_of, counted, rows

from roadstead.kernels import merging as kernels
from roadstead.kernels.hash_table import GOLDEN, HashTable, find
from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.frontiers.walks import _gather

Slots = tuple[NDArray[np.int32], np.uint64, np.uint64]
FindSlots = Callable[[int, int], Slots]


def crowded(_: int, classes: int) -> Slots:
    """Hashed slots, two to four for each class."""
    bits = (2 * max(classes, 4) - 1).bit_length()
    slots = np.full(1 << bits, kernels.NOBODY, np.int32)
    return slots, GOLDEN, np.uint64(64 - bits)


either = pytest.mark.parametrize("find_slots", [kernels.find_slots, crowded])


@dataclass(frozen=True)
class Case:
    """Cells, rules in sixteenths, and where a walk begins."""

    cells: Cells
    rules: kernels.Rules
    start: Partition

    def merging(self, find_slots: FindSlots) -> kernels.Merging:
        """Gather the classes of the start."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "find_slots", find_slots)
            merging = _gather(FrontierProblem(self.cells), self.start)
        merging.totals[:] = self.total(self.start)
        return merging

    def weight(self, people: int) -> float:
        """Weight of a record."""
        if people < self.rules.small.size:
            return float(self.rules.small[people])
        return float(self.rules.scale * people**-self.rules.power)

    def by_classes(self, policy: Partition) -> tuple[float, float]:
        """Risk, and loss by classes."""
        records, people = counted(self.cells, policy)
        return (
            sum(f * self.weight(people[name]) for name, f in records.items() if f),
            sum(float(self.rules.by_class[f]) for f in records.values()),
        )

    def by_intervals(self, policy: Partition) -> float:
        """Loss by intervals."""
        found = 0.0
        begin = 0
        for a, cuts in enumerate(self.cells.domains.intervals(policy)):
            for first, last in cuts:
                f = sum(own for codes, own, _ in rows(self.cells) if first <= codes[a] <= last)
                found += f * float(self.rules.by_width[begin + last - first + 1])
                found += float(self.rules.interval_scale[a] * self.rules.by_interval[f])
            begin += self.cells.domains.sizes[a] + 1
        return found

    def total(self, policy: Partition) -> tuple[float, float]:
        """Risk and loss, counted from the cells."""
        risk, loss = self.by_classes(policy)
        return risk, loss + self.by_intervals(policy)

    def kept(self, policy: Partition) -> list[int]:
        """Boundaries of a policy."""
        return [b for b in range(self.cells.domains.boundaries) if b in policy]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw tables of arbitrary sixteenths, which are not measures."""
    cells = draw(tiny_cells())
    sixteenth = st.integers(-64, 64).map(lambda n: n / 16)

    def table(length: int) -> NDArray[np.float64]:
        return np.array(draw(st.lists(sixteenth, min_size=length, max_size=length)))

    by_class = table(cells.total + 1)
    by_class[0] = 0.0
    lengths = [size + 1 for size in cells.domains.sizes]
    rules = kernels.Rules(
        small=table(draw(st.sampled_from([2, 5, 100]))),
        scale=draw(sixteenth),
        power=draw(st.sampled_from([0.0, -1.0])),
        by_class=by_class,
        by_width=table(sum(lengths)),
        width_begins=np.cumsum([0, *lengths[:-1]]).astype(np.int64),
        by_interval=table(cells.total + 1),
        interval_scale=table(len(lengths)),
    )
    return Case(cells, rules, draw(any_policy(cells)))


def live_classes(m: kernels.Merging) -> list[int]:
    """Those that have not joined others."""
    return [int(i) for i in np.flatnonzero(m.keys >= 0)]


def listed(m: kernels.Merging, a: int, x: int) -> list[int]:
    """Classes in the list of an interval, those gone included."""
    found = []
    cell = int(m.first[x])
    last = kernels.NOBODY
    while cell >= 0:
        found.append(cell)
        last, cell = cell, int(m.following[a, cell])
    assert last == m.last[x]
    assert len(found) == m.length[x]
    assert len(set(found)) == len(found)
    return found


def intervals_of(m: kernels.Merging, a: int) -> list[int]:
    """Follow the neighbors to the right from the only interval of an attribute without a left."""
    own = range(int(m.begins[a]), int(m.begins[a + 1]))
    heads = [x for x in own if m.left[x] < 0 and (m.right[x] >= 0 or m.interval_width[x] > 0)]
    chains = []
    for head in heads:
        chain = [head]
        while m.right[chain[-1]] >= 0:
            assert m.left[m.right[chain[-1]]] == chain[-1]
            chain.append(int(m.right[chain[-1]]))
        chains.append(chain)
    return max(chains, key=lambda chain: int(m.interval_width[chain].sum()))


def check(case: Case, m: kernels.Merging, policy: Partition) -> None:
    """Recorded facts about classes and intervals equal counts of the policy."""
    records, people = counted(case.cells, policy)
    cuts = case.cells.domains.intervals(policy)
    place = {}
    for a, own in enumerate(cuts):
        chain = intervals_of(m, a)
        assert len(chain) == len(own)
        assert [int(m.interval_width[x]) for x in chain] == [
            last - first + 1 for first, last in own
        ]
        for x, (first, last) in zip(chain, own, strict=True):
            place[a, x] = (first, last)
            within = [f for codes, f, _ in rows(case.cells) if first <= codes[a] <= last]
            assert m.interval_records[x] == sum(within)
            if last + 1 < case.cells.domains.sizes[a]:
                boundary = case.cells.domains.boundary(a, last + 1)
                assert m.boundary[x] == boundary
                assert m.interval_of[boundary] == x
    found = {}
    for i in live_classes(m):
        xs = [int(m.begins[a] + m.intervals[a, i]) for a in range(len(cuts))]
        name = tuple(place[a, x] for a, x in enumerate(xs))
        assert name not in found
        found[name] = (int(m.records[i]), int(m.people[i]))
        assert m.keys[i] == sum(int(m.strides[a] * m.intervals[a, i]) for a in range(len(cuts)))
        assert kernels._find(m, int(m.keys[i])) == i
    assert found == {name: (records[name], people[name]) for name in people}
    for a, x in place:
        alive = [i for i in listed(m, a, x) if m.keys[i] >= 0]
        assert sorted(alive) == [i for i in live_classes(m) if m.begins[a] + m.intervals[a, i] == x]
    assert tuple(m.totals) == case.total(policy)


def check_changes(case: Case, m: kernels.Merging, policy: Partition) -> None:
    """The changes of classes without each boundary equal counts."""
    risk, loss = case.by_classes(policy)
    for boundary in case.kept(policy):
        x = m.interval_of[boundary]
        fewer = case.by_classes(policy.without(boundary))
        assert (m.risk_change[x], m.loss_change[x]) == (fewer[0] - risk, fewer[1] - loss)


def check_neighbors(case: Case, m: kernels.Merging, policy: Partition) -> None:
    """Points without each boundary are those counted."""
    boundaries, risks, losses = kernels.describe_neighbors(m, case.rules)
    told = {int(b): (r, u) for b, r, u in zip(boundaries, risks, losses, strict=True)}
    assert len(told) == boundaries.size
    assert told == {b: case.total(policy.without(b)) for b in case.kept(policy)}


@unhurried
@given(tiny_cells(), st.data())
def test_boxes_are_counted_by_key(cells: Cells, data: st.DataObject) -> None:
    """Empty ones included; the last attribute counts fastest."""
    policy = data.draw(any_policy(cells))
    labels = cells.domains.labels(policy)
    widths = [len(own) for own in cells.domains.intervals(policy)]
    expected: Counter[int] = Counter()
    populated: Counter[int] = Counter()
    for codes, f, g in rows(cells):
        at = tuple(int(label[code]) for label, code in zip(labels, codes, strict=True))
        box = int(np.ravel_multi_index(at, widths))
        expected[box] += f
        populated[box] += g
    boxes = int(np.prod(widths))
    found = kernels.count_boxes(cells.grid(labels), boxes)
    assert found[0].tolist() == [expected[box] for box in range(boxes)]
    assert found[1].tolist() == [populated[box] for box in range(boxes)]


@either
@sparing
@given(case=cases())
def test_gathered_classes_are_those_of_the_start(find_slots: FindSlots, case: Case) -> None:
    """With people alone too; lists visit every class of their interval once."""
    m = case.merging(find_slots)
    assert len(live_classes(m)) == m.keys.size == m.used[0]
    assert (np.sort(m.slots[m.slots >= 0]) == np.arange(m.keys.size)).all()
    check(case, m, case.start)
    for a in range(len(case.cells.domains.sizes)):
        own = [i for x in range(int(m.begins[a]), int(m.begins[a + 1])) for i in listed(m, a, x)]
        assert sorted(own) == list(range(m.keys.size))


@sparing
@given(st.data())
def test_links_chain_the_classes_of_each_interval_in_order(data: st.DataObject) -> None:
    """Whatever the intervals are; one without classes has an empty list."""
    widths = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    one = st.tuples(*(st.integers(0, width - 1) for width in widths))
    classes = data.draw(st.lists(one, min_size=1, max_size=9))
    intervals = np.array(classes, dtype=np.int32).T.copy()
    begins = np.cumsum([0, *widths]).astype(np.int64)
    following, first, last, length = kernels.link(intervals, begins)
    for a, width in enumerate(widths):
        for number in range(width):
            x = begins[a] + number
            own = [i for i, at in enumerate(classes) if at[a] == number]
            found = [int(first[x])]
            while found[-1] >= 0:
                found.append(int(following[a, found[-1]]))
            assert found == [*own, -1]
            assert length[x] == len(own)
            assert last[x] == (own[-1] if own else -1)


@either
@sparing
@given(case=cases(), data=st.data())
def test_following_boundaries_keeps_classes_and_sums(
    find_slots: FindSlots, case: Case, data: st.DataObject
) -> None:
    """Risk and loss after each are those counted from the cells; all the state is checked."""
    m = case.merging(find_slots)
    order = data.draw(st.permutations(case.kept(case.start)))
    order = order[: data.draw(st.integers(0, len(order)))]
    cut = data.draw(st.integers(0, len(order)))
    policy = case.start
    for part in (order[:cut], order[cut:]):
        risks, losses = kernels.follow(m, case.rules, np.array(part, dtype=np.int64))
        for i, boundary in enumerate(part):
            policy = policy.without(boundary)
            assert (risks[i], losses[i]) == case.total(policy)
        check(case, m, policy)


@either
@sparing
@given(case=cases(), data=st.data())
def test_removing_boundaries_keeps_what_the_others_would_change(
    find_slots: FindSlots, case: Case, data: st.DataObject
) -> None:
    """After every removal, for every boundary left; a new start gives the same."""
    m = case.merging(find_slots)
    order = data.draw(st.permutations(case.kept(case.start)))
    policy = case.start
    kernels.weigh(m, case.rules)
    check_changes(case, m, policy)
    check_neighbors(case, m, policy)
    for boundary in order:
        kernels.remove(m, case.rules, boundary)
        policy = policy.without(boundary)
        check(case, m, policy)
        check_changes(case, m, policy)
        check_neighbors(case, m, policy)
    kernels.weigh(m, case.rules)
    check_changes(case, m, policy)


@either
@sparing
@given(case=cases(), data=st.data())
def test_classes_can_be_weighed_after_some_have_joined(
    find_slots: FindSlots, case: Case, data: st.DataObject
) -> None:
    """Follow first, then weigh, then remove."""
    m = case.merging(find_slots)
    order = data.draw(st.permutations(case.kept(case.start)))
    half = len(order) // 2
    kernels.follow(m, case.rules, np.array(order[:half], dtype=np.int64))
    policy = case.start
    for boundary in order[:half]:
        policy = policy.without(boundary)
    kernels.weigh(m, case.rules)
    check_neighbors(case, m, policy)
    for boundary in order[half:]:
        kernels.remove(m, case.rules, boundary)
        policy = policy.without(boundary)
        check_neighbors(case, m, policy)
    check(case, m, policy)


def plain_price(loss: float, risk: float) -> float:
    """Loss for the risk taken away: free ones first, what takes nothing away last."""
    if loss <= 1e-13:
        return -1.0 - max(risk, 0.0)
    return 1e300 * (1.0 + loss) if risk <= 1e-13 else loss / risk


@either
@sparing
@given(case=cases(), steps=st.integers(0, 9), data=st.data())
def test_a_descent_always_takes_the_least_price(
    find_slots: FindSlots, case: Case, steps: int, data: st.DataObject
) -> None:
    """Among the removable boundaries; its rows list all remaining ones."""
    m = case.merging(find_slots)
    length = case.cells.domains.boundaries
    removable = np.array(
        data.draw(st.lists(st.booleans(), min_size=length, max_size=length)), dtype=np.bool_
    )
    units = np.array(data.draw(st.tuples(*[st.sampled_from([0.25, 1.0, 8.0])] * 2)))
    kernels.weigh(m, case.rules)
    order, alongside, risks, losses = kernels.descend(m, case.rules, units, removable, steps)
    policy = case.start
    may = [b for b in case.kept(policy) if removable[b]]
    assert order.size == min(steps, len(may))
    assert alongside.shape == risks.shape == losses.shape == (order.size, policy.rank)
    for i, boundary in enumerate(order.tolist()):
        standing = policy.rank
        assert (alongside[i, standing:] == kernels.NOBODY).all()
        row = zip(alongside[i], risks[i], losses[i], strict=True)
        told = {int(b): (r, u) for b, r, u in list(row)[:standing]}
        assert told == {b: case.total(policy.without(b)) for b in case.kept(policy)}
        risk, loss = case.total(policy)
        prices = {
            b: plain_price((u - loss) / units[1], (risk - r) / units[0])
            for b, (r, u) in told.items()
            if removable[b]
        }
        assert prices[boundary] == pytest.approx(min(prices.values()), rel=1e-12)
        policy = policy.without(boundary)
    check(case, m, policy)
    check_changes(case, m, policy)


@either
@sparing
@given(case=cases())
def test_risks_of_classes_add_up(find_slots: FindSlots, case: Case) -> None:
    """Classes without records have none."""
    m = case.merging(find_slots)
    assert kernels.sum_risks(case.rules, m.records, m.people) == case.by_classes(case.start)[0]


def test_slots_are_addressed_or_hashed_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key has a slot in the table, and most hashed slots are free."""
    slots, multiplier, shift = kernels.find_slots(10_000, 7)
    assert (slots.size, int(multiplier), int(shift)) == (1 << 14, 1, 0)
    monkeypatch.setattr(kernels, "_MOST_ADDRESSED", 100)
    for classes in (1, 7, 1_000):
        slots, multiplier, shift = kernels.find_slots(10_000, classes)
        assert 4 * classes <= slots.size
        assert slots.size & (slots.size - 1) == 0
        assert (slots < 0).all()
        table = HashTable(slots, np.arange(10_000), multiplier, shift)
        found = {int(find(table, key)) for key in range(10_000)}
        assert found == set(range(slots.size))
    assert kernels.find_slots(4_000, 1_000)[2] == 0
    assert kernels.find_slots(4_001, 1_000)[2] > 0


def test_keys_that_collide_in_the_last_slot_go_on_at_the_first() -> None:
    """Four values whose keys all hash to the end of eight slots."""
    slots, multiplier, shift = crowded(0, 4)
    free = HashTable(slots, np.arange(400), multiplier, shift)
    last = [key for key in range(400) if find(free, key) == 7][:4]
    cells = cells_of((400,), {(key,): (1, 2) for key in last})
    zero = np.zeros(cells.total + 1)
    rules = kernels.Rules(
        small=np.array([0.0, 1.0]),
        scale=1.0,
        power=0.0,
        by_class=zero,
        by_width=np.zeros(401),
        width_begins=np.array([0]),
        by_interval=zero,
        interval_scale=np.zeros(1),
    )
    case = Case(cells, rules, cells.domains.most_specific)
    m = case.merging(crowded)
    assert np.flatnonzero(m.slots >= 0).tolist() == [0, 1, 2, 7]
    check(case, m, case.start)
    kernels._renew_slots(m)
    assert np.flatnonzero(m.slots >= 0).tolist() == [0, 1, 2, 7]
    boundaries = np.arange(last[0], last[1])
    kernels.follow(m, rules, boundaries)
    policy = case.start
    for boundary in boundaries.tolist():
        policy = policy.without(boundary)
    check(case, m, policy)


def test_renewed_slots_forget_keys_that_are_no_more() -> None:
    """And find all those that are: half the squares of a board, whose classes move or join."""
    board = {(a, b): (1, 1) for a in range(64) for b in range(4) if (a + b) % 2}
    cells = cells_of((64, 4), board)
    zero = np.zeros(cells.total + 1)
    rules = kernels.Rules(
        small=np.array([0.0, 1.0]),
        scale=1.0,
        power=0.0,
        by_class=zero,
        by_width=np.zeros(70),
        width_begins=np.array([0, 65]),
        by_interval=zero,
        interval_scale=np.zeros(2),
    )
    case = Case(cells, rules, cells.domains.most_specific)
    m = case.merging(crowded)
    random = np.random.default_rng(3)
    policy, renewed = case.start, 0
    for boundary in random.permutation(66).tolist():
        before = int(m.used[0])
        kernels.follow(m, rules, np.array([boundary]))
        policy = policy.without(boundary)
        renewed += int(m.used[0]) < before
        assert 2 * m.used[0] <= m.slots.size
        check(case, m, policy)
    assert renewed > 0
    kernels._renew_slots(m)
    assert m.used[0] == (m.slots >= 0).sum() == 1
