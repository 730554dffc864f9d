"""Walks against every policy counted from its cells: the two kinds of walk are one.

Whatever a walk is asked, in whatever order, its answers are those of `FrontierProblem.point` and
of the definitions in plain Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from effort import sparing, unhurried
from frontier_cells import synthetic_cells, tiny_cells, worked_cells
from hypothesis import given
from hypothesis import strategies as st
from partition_definitions import (
    LOSSES,
    RISKS,
    Definition,
    RarestRecord,
    any_policy,
    cells_of,
    divergence,
    population_risk,
)

from roadstead.errors import SettingError
from roadstead.kernels import merging as kernels
from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.quality.partition_losses import SummedLoss
from roadstead.quality.registry import partition_loss
from roadstead.risk import measures as risk_measures
from roadstead.risk.measures import PopulationRisk, SummedRisk
from roadstead.search.frontiers.frontier import Point
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.frontiers.walks import (
    CountedWalk,
    Descent,
    MergedWalk,
    Neighbors,
    Walk,
    price,
    walk,
)

KINDS: list[type[MergedWalk | CountedWalk]] = [MergedWalk, CountedWalk]
CLOSE = 1e-9
measures = st.tuples(st.sampled_from(RISKS), st.sampled_from(LOSSES))


@dataclass(frozen=True)
class Loops:
    """Most possible keys that are not hashed, and entries of the tables of weights."""

    addressed: int
    table: int

    @contextmanager
    def used(self) -> Iterator[None]:
        """Set them; hashed slots get little room."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "_MOST_ADDRESSED", self.addressed)
            patch.setattr(kernels, "_ROOM", 2 if self.addressed == 0 else 4)
            patch.setattr(risk_measures, "_TABLE", self.table)
            yield


loops = st.builds(Loops, st.sampled_from([0, 1 << 24]), st.sampled_from([2, 6, 64]))


@dataclass
class Witness:
    """Follows a walk, and counts every policy from the cells."""

    problem: FrontierProblem
    partition: Partition
    _points: dict[Partition, Point] = field(default_factory=dict)

    def point(self, policy: Partition) -> Point:
        """Evaluate a policy."""
        if policy not in self._points:
            self._points[policy] = self.problem.point(policy)
        return self._points[policy]

    @property
    def kept(self) -> list[int]:
        """Boundaries of the policy."""
        return [b for b in range(self.problem.domains.boundaries) if b in self.partition]

    def check(self, walked: Walk) -> None:
        """Position of the walk."""
        assert walked.partition == self.partition
        assert walked.point == pytest.approx(self.point(self.partition), abs=CLOSE)

    def check_follow(self, walked: Walk, boundaries: list[int]) -> None:
        """Points of a chain."""
        risks, losses = walked.follow(np.array(boundaries, dtype=np.int64))
        assert len(risks) == len(losses) == len(boundaries)
        for i, boundary in enumerate(boundaries):
            self.partition = self.partition.without(boundary)
            told = (risks[i], losses[i])
            assert told == pytest.approx(self.point(self.partition), abs=CLOSE)

    def check_neighbors(self, near: Neighbors) -> None:
        """Points of all policies with one boundary less, in order."""
        assert near.boundaries.tolist() == self.kept
        for boundary, *told in zip(*near, strict=True):
            expected = self.point(self.partition.without(int(boundary)))
            assert told == pytest.approx(expected, abs=CLOSE)

    def check_descent(self, descent: Descent, removable: list[bool], steps: int) -> None:
        """Rows list all neighbors, and the removable one with the least price goes."""
        assert descent.start == self.partition
        stood = self.partition.rank
        may = sum(removable[b] for b in self.kept)
        assert descent.boundaries.size == min(steps, may)
        assert descent.removable.shape == (descent.boundaries.size, stood)
        assert descent.risks.shape == descent.losses.shape == descent.removable.shape
        for i, gone in enumerate(descent.boundaries.tolist()):
            standing = self.partition.rank
            assert (descent.removable[i, standing:] == -1).all()
            order = descent.removable[i, :standing].argsort()
            self.check_neighbors(
                Neighbors(
                    descent.removable[i, order], descent.risks[i, order], descent.losses[i, order]
                )
            )
            prices = self.prices([b for b in self.kept if removable[b]])
            assert prices[gone] == pytest.approx(min(prices.values()), rel=1e-6)
            self.partition = self.partition.without(gone)

    def prices(self, boundaries: list[int]) -> dict[int, float]:
        """Loss for the risk taken away: what is free first, what takes none last."""
        here = self.point(self.partition)
        found = {}
        for boundary in boundaries:
            there = self.point(self.partition.without(boundary))
            loss, risk = there.loss - here.loss, here.risk - there.risk
            if loss <= 1e-13:
                found[boundary] = -1.0 - max(risk, 0.0)
            else:
                found[boundary] = loss / risk if risk > 1e-13 else 1e300 * (1 + loss)
        return found


def explore(walked: Walk, witness: Witness, data: st.DataObject) -> None:
    """Ask whatever comes."""
    witness.check(walked)
    length = witness.problem.domains.boundaries
    steps = st.sampled_from(["remove", "follow", "neighbors", "descend"])
    for step in data.draw(st.lists(steps, min_size=2, max_size=7)):
        kept = witness.kept
        if step == "remove" and kept:
            boundary = data.draw(st.sampled_from(kept))
            witness.partition = witness.partition.without(boundary)
            told = walked.remove(boundary)
            assert told == pytest.approx(witness.point(witness.partition), abs=CLOSE)
        elif step == "follow":
            order = data.draw(st.permutations(kept))[: data.draw(st.integers(0, 3))]
            witness.check_follow(walked, order)
        elif step == "neighbors":
            witness.check_neighbors(walked.neighbors())
        elif step == "descend":
            bits = data.draw(st.lists(st.booleans(), min_size=length, max_size=length))
            most = data.draw(st.integers(0, 4))
            descent = walked.descend(np.array(bits, dtype=np.bool_), most)
            witness.check_descent(descent, bits, most)
        witness.check(walked)


@pytest.mark.parametrize("kind", KINDS)
@unhurried
@given(cells=tiny_cells(), measured=measures, loop=loops, data=st.data())
def test_a_walk_tells_what_counting_tells(
    kind: type[MergedWalk | CountedWalk],
    cells: Cells,
    measured: tuple[tuple[SummedRisk, Definition], tuple[SummedLoss, Definition]],
    loop: Loops,
    data: st.DataObject,
) -> None:
    """Any questions in any order, from any start, with any measures."""
    (risk, _), (loss, _) = measured
    with loop.used():
        problem = FrontierProblem(cells, risk, loss)
        start = data.draw(any_policy(cells))
        explore(kind(problem, start), Witness(problem, start), data)


@pytest.mark.parametrize(("risk", "risk_by_definition"), RISKS)
@pytest.mark.parametrize(("loss", "loss_by_definition"), LOSSES)
def test_every_pair_of_measures_walks_by_its_definition(
    risk: SummedRisk,
    risk_by_definition: Definition,
    loss: SummedLoss,
    loss_by_definition: Definition,
) -> None:
    """From the data as they are to one class, with all neighbors, as plain Python has it."""
    cells = worked_cells()
    problem = FrontierProblem(cells, risk, loss)
    walked = walk(problem, problem.domains.most_specific)
    assert isinstance(walked, MergedWalk)
    bottom, top = problem.domains.most_specific, problem.domains.most_general
    most = risk_by_definition(cells, bottom) or 1.0
    least, greatest = loss_by_definition(cells, bottom), loss_by_definition(cells, top)

    def expected(policy: Partition) -> Point:
        share = (loss_by_definition(cells, policy) - least) / (greatest - least)
        return Point(risk_by_definition(cells, policy) / most, share)

    for boundary in (2, 3, 0, 1):
        for near, *told in zip(*walked.neighbors(), strict=True):
            policy = walked.partition.without(int(near))
            assert told == pytest.approx(expected(policy), abs=1e-12)
        assert walked.remove(boundary) == pytest.approx(expected(walked.partition), abs=1e-12)
    assert walked.partition == top


@sparing
@given(tiny_cells(), st.data())
def test_definitions_of_the_usual_measures_hold_along_a_walk(
    cells: Cells, data: st.DataObject
) -> None:
    """Expected re-identifications, and divergence combination by combination."""
    problem = FrontierProblem(cells)
    walked = walk(problem, problem.domains.most_specific)
    order = data.draw(st.permutations(range(problem.domains.boundaries)))
    risks, losses = walked.follow(np.array(order, dtype=np.int64))
    most = population_risk(cells, problem.domains.most_specific)
    greatest = divergence(cells, problem.domains.most_general)
    policy = problem.domains.most_specific
    for boundary, risk, loss in zip(order, risks, losses, strict=True):
        policy = policy.without(boundary)
        assert risk == pytest.approx(population_risk(cells, policy) / most, abs=1e-12)
        unit = greatest if greatest > 1e-12 else 1.0  # below it is a sum of zeros
        assert loss == pytest.approx(divergence(cells, policy) / unit, abs=1e-12)


@unhurried
@given(cells=tiny_cells(), measured=measures, loop=loops, data=st.data())
def test_both_walks_descend_alike(
    cells: Cells,
    measured: tuple[tuple[SummedRisk, Definition], tuple[SummedLoss, Definition]],
    loop: Loops,
    data: st.DataObject,
) -> None:
    """The same boundaries in the same order, until two cost the same."""
    (risk, _), (loss, _) = measured
    start = data.draw(any_policy(cells))
    length = cells.domains.boundaries
    removable = np.array(
        data.draw(st.lists(st.booleans(), min_size=length, max_size=length)), dtype=np.bool_
    )
    steps = data.draw(st.integers(0, 9))
    with loop.used():
        problem = FrontierProblem(cells, risk, loss)
        one, other = (kind(problem, start).descend(removable, steps) for kind in KINDS)
        assert one.start == other.start == start
        assert one.boundaries.shape == other.boundaries.shape
        witness = Witness(problem, start)
        for i, boundary in enumerate(one.boundaries.tolist()):
            prices = witness.prices([b for b in witness.kept if removable[b]])
            least = sorted(prices.values())
            if len(least) > 1 and least[1] == pytest.approx(least[0], rel=1e-6):
                break
            assert boundary == other.boundaries[i] == min(prices, key=prices.__getitem__)
            witness.partition = witness.partition.without(boundary)


def test_free_merges_come_first_and_useless_ones_last() -> None:
    """Values 1 to 3 and 5 have no people: joining 1 to 3 is free, and with others it is useless."""
    table = {(0, 0): (1, 1), (1, 0): (2, 2), (0, 4): (3, 9), (1, 4): (1, 9)}
    problem = FrontierProblem(cells_of((2, 6), table))
    for kind in KINDS:
        walked = kind(problem, problem.domains.most_specific)
        descent = walked.descend(np.ones(6, dtype=np.bool_), 6)
        order = descent.boundaries.tolist()
        assert sorted(order[:2]) == [2, 3]
        assert order[2] == 0
        assert sorted(order[3:]) == [1, 4, 5]
        assert walked.partition == problem.domains.most_general


@pytest.mark.parametrize(
    ("losses", "risks", "ascending"),
    [
        ([0.0, 0.1, 0.1], [0.1, 0.2, 0.1], [0, 1, 2]),
        ([0.0, 0.0, 1e-14], [0.1, 0.2, 0.3], [2, 1, 0]),
        ([0.2, 0.1, 0.9], [0.0, 0.0, 1e-3], [2, 1, 0]),
    ],
)
def test_prices_order_merges(losses: list[float], risks: list[float], ascending: list[int]) -> None:
    """Free ones by the risk they take away, then ratios, then useless ones by their loss."""
    prices = price(np.array(losses), np.array(risks))
    assert prices.argsort().tolist() == ascending
    assert price(np.array([0.08]), np.array([0.25]))[0] == pytest.approx(0.32, rel=1e-12)


WRONG = [[7], [-1], [2, 2], [0, 1, 2, 9], [4]]
"""Boundaries among 0 to 3, with 1 removed beforehand."""


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("wrong", [*WRONG, [1], [0, 1]])
def test_boundaries_that_are_not_kept_are_refused(weighed: bool, wrong: list[int]) -> None:  # noqa: FBT001 - a case
    """And the walk goes on as if nothing had been asked."""
    problem = FrontierProblem(worked_cells())
    walked = MergedWalk(problem, problem.domains.most_specific)
    walked.remove(1)
    witness = Witness(problem, problem.domains.of_boundaries([0, 2, 3]))
    if weighed:
        witness.check_neighbors(walked.neighbors())
    with pytest.raises(SettingError, match="is not in the partition"):
        walked.follow(np.array(wrong))
    if len(wrong) == 1:
        with pytest.raises(SettingError, match=f"boundary {wrong[0]} is not in the partition"):
            walked.remove(wrong[0])
    witness.check(walked)
    witness.check_neighbors(walked.neighbors())
    witness.check_follow(walked, [3, 0, 2])
    witness.check(walked)


def test_a_walk_that_is_at_its_end_has_no_neighbors() -> None:
    """One interval for each attribute; also where the domains have one value each."""
    for cells in (worked_cells(), cells_of((1, 1), {(0, 0): (2, 5)})):
        problem = FrontierProblem(cells)
        for kind in KINDS:
            walked = kind(problem, problem.domains.most_general)
            removable = np.ones(problem.domains.boundaries, dtype=np.bool_)
            assert walked.neighbors().boundaries.size == 0
            assert walked.descend(removable, 3).removable.shape == (0, 0)
            risks, losses = walked.follow(np.array([], dtype=np.int64))
            assert risks.size == losses.size == 0
            assert walked.point == pytest.approx(problem.point(Partition(0)), abs=1e-12)


def test_measures_that_are_no_sums_are_counted() -> None:
    """Also where so many combinations are possible that no integer counts them."""
    cells = worked_cells()
    bottom = cells.domains.most_specific
    assert isinstance(walk(FrontierProblem(cells), bottom), MergedWalk)
    rarest = FrontierProblem(cells, RarestRecord())
    walked = walk(rarest, bottom)
    assert isinstance(walked, CountedWalk)
    assert walked.point.risk == 1.0
    assert walked.remove(3).risk == pytest.approx((1 / 3) / (1 / 2))
    codes = np.zeros((5, 1), dtype=np.uint32)
    ones = np.ones(1, dtype=np.int64)
    huge = Cells(OrderedDomains(tuple("abcde"), (10_000,) * 5), codes, ones, ones)
    assert isinstance(walk(FrontierProblem(huge), Partition(0)), CountedWalk)


@pytest.mark.parametrize("addressed", [1 << 24, 64])
def test_a_long_walk_stays_exact(addressed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some thousand cells, all boundaries in a random order; hashed slots are renewed."""
    monkeypatch.setattr(kernels, "_MOST_ADDRESSED", addressed)
    monkeypatch.setattr(kernels, "_ROOM", 2)
    cells = synthetic_cells(3, (40, 2, 5, 30), 2_000, 8_600)
    problem = FrontierProblem(cells, PopulationRisk(), partition_loss("divergence"))
    random = np.random.default_rng(addressed)
    order = random.permutation(problem.domains.boundaries).tolist()
    witness = Witness(problem, problem.domains.most_specific)
    walked = MergedWalk(problem, witness.partition)
    assert (int(walked._classes.shift) > 0) is (addressed == 64)
    followed = MergedWalk(problem, witness.partition)
    witness.check_neighbors(walked.neighbors())
    renewed, used = 0, int(walked._classes.used[0])
    for step, boundary in enumerate(order):
        walked.remove(boundary)
        witness.check_follow(followed, [boundary])
        witness.check(walked)
        renewed += int(walked._classes.used[0]) < used
        used = int(walked._classes.used[0])
        if step % 12 == 0:
            witness.check_neighbors(walked.neighbors())
    assert walked.partition == problem.domains.most_general
    assert (renewed > 0) is (addressed == 64)


ORDER = [
    *["follow", "near", "follow", "near", "remove", "near"],
    *["descend", "follow", "descend", "remove", "near"],
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_walk_may_be_asked_in_any_order(kind: type[MergedWalk | CountedWalk]) -> None:
    """Results about neighbors apply to the walk's present place, not to where it was weighed."""
    problem = FrontierProblem(synthetic_cells(4, (6, 2, 4, 7), 300, 1_000))
    witness = Witness(problem, problem.domains.most_specific)
    walked = kind(problem, witness.partition)
    every = [True] * problem.domains.boundaries
    random = np.random.default_rng(4)
    for question in ORDER:
        boundary = int(random.choice(witness.kept))
        if question == "near":
            witness.check_neighbors(walked.neighbors())
        elif question == "follow":
            witness.check_follow(walked, [boundary])
        elif question == "remove":
            witness.partition = witness.partition.without(boundary)
            walked.remove(boundary)
        else:
            witness.check_descent(walked.descend(np.array(every), 2), every, 2)
        witness.check(walked)


def test_a_walk_of_many_boundaries_knows_where_it_stands() -> None:
    """More than the bits of a machine word."""
    cells = cells_of((200,), {(code,): (1, 2) for code in range(0, 200, 3)})
    problem = FrontierProblem(cells)
    witness = Witness(problem, problem.domains.most_specific)
    walked = MergedWalk(problem, witness.partition)
    descent = walked.descend(np.arange(199) > 150, 10)
    for boundary in descent.boundaries.tolist():
        witness.partition = witness.partition.without(boundary)
    witness.check(walked)
    witness.check_follow(walked, [150, 64, 63])
    witness.check(walked)
    assert (descent.boundaries > 150).all()
