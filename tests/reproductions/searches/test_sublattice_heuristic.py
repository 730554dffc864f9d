from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count, repeat

import numpy as np
import pytest
from effort import sparing
from frontier_cells import every_policy, shares_by_definition, synthetic_cells, tiny_cells
from frontier_cells import worked_cells as worked
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.policies.cells import Cells
from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.protocol import Control, Ending
from roadstead_reproductions.searches.random_chain import (
    Chains,
    InitialFrontier,
    random_chain,
    top_and_bottom,
)
from roadstead_reproductions.searches.sublattice_heuristic import (
    PartitionRange,
    Pruned,
    Sampler,
    SublatticeHeuristic,
    fixed_bits,
)

SMALL = synthetic_cells(seed=3, sizes=(25, 2, 4, 20), records=400, people=6_000)
"""47 boundaries."""


def literals_alone(
    pruned: Pruned,
    frontier: Frontier[Partition],  # noqa: ARG001 - as every sampler
    random: np.random.Generator,
    stopped: Callable[[], bool],
) -> PartitionRange | None:
    """Fix only what must be fixed."""
    return pruned.avoiding(random, stopped=stopped)


searches = st.builds(
    SublatticeHeuristic,
    seed=st.integers(0, 9),
    threshold=st.sampled_from([0.1, 0.5, 1.0]),
    initial=st.sampled_from([top_and_bottom, random_chain]),
)


@sparing
@given(tiny_cells(boundaries=5), searches)
def test_when_all_is_pruned_the_frontier_is_that_of_all_policies(
    cells: Cells, search: SublatticeHeuristic
) -> None:
    """Every policy is dominated, and the members are what they are said to be."""
    outcome = search.run(FrontierProblem(cells), Control())
    assert outcome.ending == "complete"
    for policy in every_policy(cells.domains):
        risk, loss = shares_by_definition(cells, policy)
        assert outcome.frontier.dominates(risk + 1e-11, loss + 1e-11)
    for one in outcome.frontier:
        assert (one.risk, one.loss) == pytest.approx(
            shares_by_definition(cells, one.policy), rel=0, abs=1e-11
        )


def test_the_frontier_of_the_worked_example_comes_out() -> None:
    """Eight policies of sixteen."""
    outcome = SublatticeHeuristic(threshold=0.3).run(FrontierProblem(worked()), Control())
    assert [round(one.risk, 4) for one in outcome.frontier] == [
        0.1167, 0.2327, 0.2525, 0.2543, 0.3393, 0.4291, 0.6875, 1.0,
    ]  # fmt: skip
    assert outcome.frontier.area == pytest.approx(0.595743, abs=5e-7)


@dataclass
class Auditing:
    """A sampler that looks at what was pruned since it was last asked."""

    sampler: Sampler
    dominated: Callable[[Frontier[Partition], PartitionRange], bool]
    last: PartitionRange | None = None
    audited: int = 0

    def __call__(
        self,
        pruned: Pruned,
        frontier: Frontier[Partition],
        random: np.random.Generator,
        stopped: Callable[[], bool],
    ) -> PartitionRange | None:
        """Check the last sublattice if it was pruned; draw the next."""
        if pruned.number > self.audited:
            assert self.last is not None
            assert self.dominated(frontier, self.last)
            self.audited += 1
        assert pruned.number == self.audited
        self.last = self.sampler(pruned, frontier, random, stopped)
        return self.last


@sparing
@given(tiny_cells(boundaries=5), st.integers(0, 9))
def test_no_policy_of_a_pruned_sublattice_can_improve_the_frontier(cells: Cells, seed: int) -> None:
    """At the time of pruning, each of its policies is dominated."""

    def dominated(frontier: Frontier[Partition], sublattice: PartitionRange) -> bool:
        points = (
            shares_by_definition(cells, p) for p in every_policy(cells.domains) if p in sublattice
        )
        return all(frontier.dominates(risk + 1e-11, loss + 1e-11) for risk, loss in points)

    auditing = Auditing(fixed_bits, dominated)
    SublatticeHeuristic(seed, sampler=auditing).run(FrontierProblem(cells), Control())
    assert auditing.audited > 0


@dataclass
class Scripted:
    """A sampler that gives certain sublattices, and then says that all is pruned."""

    script: list[tuple[int, int]]
    pruned: list[int] = field(default_factory=list)

    def __call__(
        self,
        pruned: Pruned,
        frontier: Frontier[Partition],  # noqa: ARG002 - of the protocol
        random: np.random.Generator,  # noqa: ARG002 - of the protocol
        stopped: Callable[[], bool],  # noqa: ARG002 - of the protocol
    ) -> PartitionRange | None:
        """Give the next."""
        self.pruned.append(pruned.number)
        if len(self.pruned) > len(self.script):
            return None
        general, specific = self.script[len(self.pruned) - 1]
        return PartitionRange(Partition(general), Partition(specific))


def test_a_chain_costs_its_policies_and_a_sublattice_not_searched_two() -> None:
    """Evaluations are counted as in the paper, and only hopeless sublattices are pruned.

    In the box between 000|1 and 111|1 only the ends are known, so its share is 1 and it is
    searched, which takes four policies. The bottom alone is hopeless. The whole lattice's share is
    then less than 0.9, but not 0.
    """
    script = Scripted([(0b1000, 0b1111), (0b1111, 0b1111), (0b0000, 0b1111)])
    told: list[int] = []
    search = SublatticeHeuristic(threshold=0.9, sampler=script)
    outcome = search.run(
        FrontierProblem(worked()), Control(watch=lambda evaluated, _: told.append(evaluated))
    )
    assert outcome.ending == "complete"
    assert outcome.evaluated == 4 + 2 + 2
    assert told[-2:] == [6, 8]
    assert script.pruned == [0, 0, 1, 1]  # the bottom was pruned, the whole lattice was not


@pytest.mark.parametrize(("threshold", "evaluated"), [(0.71, 5), (0.72, 2)])
def test_a_sublattice_is_searched_if_its_share_reaches_the_threshold(
    threshold: float, evaluated: int
) -> None:
    """After the chain 111|1, 011|1, 010|1, 000|1, 000|0 a share of 0.7129 of the box is outside.

    By the worked numbers, (0.1160 + 0.9691 * 0.2733 + 0.6705 * 0.2183 + 0.3718 * 0.2758) / 0.8833.
    """
    script = Scripted([(0b0000, 0b1111)])

    def one_chain(chains: Chains) -> Ending | None:
        return chains.follow(Partition(0b1111), np.array([0, 2, 1, 3]))

    search = SublatticeHeuristic(threshold=threshold, sampler=script, initial=one_chain)
    outcome = search.run(FrontierProblem(worked()), Control())
    assert outcome.evaluated == 5 + evaluated


def test_ends_join_the_frontier_even_if_nothing_between_them_is_searched() -> None:
    """001|1 is on the worked frontier; met as an end only."""
    script = Scripted([(0b1100, 0b1100)])
    search = SublatticeHeuristic(threshold=1.0, sampler=script)
    outcome = search.run(FrontierProblem(worked()), Control())
    assert outcome.evaluated == 2
    assert [one.policy.kept for one in outcome.frontier] == [0, 0b1100, 0b1111]


def test_the_whole_lattice_drawn_again_and_again_is_paid_for_until_the_budget_ends_it() -> None:
    """The literals alone prune nothing where a chain was never worth it."""
    search = SublatticeHeuristic(threshold=0.9, sampler=literals_alone)
    outcome = search.run(FrontierProblem(SMALL), Control(budget=101))
    assert outcome.ending == "budget"
    assert outcome.evaluated == 48 + 2 * 27


@pytest.mark.parametrize("initial", [top_and_bottom, random_chain])
def test_a_seed_repeats_a_run_and_the_budget_is_kept(initial: InitialFrontier) -> None:
    """It is exceeded by a chain at most."""
    problem = FrontierProblem(SMALL)
    runs = [
        SublatticeHeuristic(seed, 0.3, fixed_bits, initial).run(problem, Control(budget=400))
        for seed in (5, 5, 6)
    ]
    frontiers = [[(one.risk, one.loss, one.policy) for one in run.frontier] for run in runs]
    assert frontiers[0] == frontiers[1]
    assert frontiers[0] != frontiers[2]
    for run in runs:
        assert run.ending == "budget"
        assert 400 <= run.evaluated < 400 + 48


def test_it_stops_when_told_to() -> None:
    """Between sublattices, within chains, and at the limit of time."""
    problem = FrontierProblem(SMALL)
    for patience in (0, 1, 2, 3, 10):
        asked = repeat(False, patience)
        control = Control(stopped=partial(next, asked, True))
        outcome = SublatticeHeuristic().run(problem, control)
        assert outcome.ending == "interrupted"
        assert len(outcome.frontier) >= 2
    late = SublatticeHeuristic().run(problem, Control(time_limit=0.0))
    assert (late.ending, late.evaluated) == ("time limit", 0)


def gives_up(
    pruned: Pruned,  # noqa: ARG001 - as every sampler
    frontier: Frontier[Partition],  # noqa: ARG001 - as every sampler
    random: np.random.Generator,  # noqa: ARG001 - as every sampler
    stopped: Callable[[], bool],
) -> PartitionRange | None:
    """Ask whether to stop, and give up then."""
    assert stopped()
    return None


def test_a_sampler_that_was_stopped_does_not_make_the_search_complete() -> None:
    """An empty draw means that all is pruned only if the drawing was not stopped."""
    asked = count()
    steering = Control(stopped=lambda: next(asked) == 1)
    outcome = SublatticeHeuristic(sampler=gives_up).run(FrontierProblem(worked()), steering)
    assert outcome.ending == "interrupted"


@pytest.mark.parametrize("threshold", [-0.1, 1.1])
def test_a_threshold_is_a_share(threshold: float) -> None:
    """From 0 to 1."""
    with pytest.raises(SettingError, match="threshold of sublattices"):
        SublatticeHeuristic(threshold=threshold)
