"""Provide checks that a package with a new search can use in its tests.

A package that registers a search under ``roadstead.searches`` can test the search like this::

    @pytest.mark.parametrize("check", searches.checks(ENTRY), ids=lambda check: check.__name__)
    def test_contract(check):
        check(ENTRY)

Each check runs the search on small problems that are generated from seeds. The problems are so
small that a check can evaluate every policy. If a check fails, it raises an `AssertionError` that
names the violated requirement. A search must return admissible policies with correct figures, and a
valid lower bound. If the search claims a proof, it must return the best policy. For the same seed,
the search must return the same result. It must also end when it receives the signal to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice, pairwise, product, repeat
from math import inf, isclose
from typing import Any, TypeAlias

import numpy as np

from roadstead.hierarchies.numbers import intervals
from roadstead.policies.cells import Cells
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.models.loss import Loss
from roadstead.quality.registry import partition_loss
from roadstead.risk.measures import PopulationRisk, RecordsAtRisk
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.frontiers.boundary import BoundaryProblem, RiskBelow
from roadstead.search.frontiers.full_domain_problem import FullDomainFrontierProblem
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.partition_problem import PartitionProblem
from roadstead.search.protocol import Control, Outcome
from roadstead.search.registry import SearchEntry
from roadstead.tables.frequency import FrequencyTable

Check: TypeAlias = Callable[[SearchEntry[Any]], None]

_SEEDS = range(6)
_FEW = 2
_CLOSE = 1e-9
_same = partial(isclose, rel_tol=_CLOSE, abs_tol=_CLOSE)
_BUDGETS = {True: 2_000, False: 200}
"""The limit on evaluations for a search that ends by itself, and for any other search."""
_EARLY = (0, 1, 2, 5)
"""How many times the search can check the signal before the signal requests a stop."""


def checks(entry: SearchEntry[Any]) -> tuple[Check, ...]:
    """Return the checks that a search of this kind must pass."""
    if entry.kind in {"levels", "partition"}:
        return (
            best_is_what_it_says,
            bound_is_true,
            proof_is_true,
            ends_when_stopped,
            repeats_by_seed,
        )
    if entry.kind == "threshold":
        return finds_the_edge, ends_when_stopped, repeats_by_seed
    return frontier_is_what_it_says, staircase_is_true, ends_when_stopped, repeats_by_seed


def best_is_what_it_says(entry: SearchEntry[Any]) -> None:
    """Check that the policy is admissible, and that its loss and suppression are correct."""
    for problem in _accepted(entry):
        best = entry().run(problem, _control(entry)).best
        if best is not None:
            judged = problem.judge(best.policy)
            assert judged is not None, f"{best.policy} is not admissible"
            assert judged.suppressed == best.suppressed, f"{best} suppresses {judged.suppressed}"
            assert _same(judged.loss, best.loss), f"{best} loses {judged.loss}"


def bound_is_true(entry: SearchEntry[Any]) -> None:
    """Check that the lower bound is at most the loss of an admissible policy, even after a stop."""
    for problem in _accepted(entry):
        least = _least(problem)
        for control in (_control(entry), *_stopping()):
            bound = entry().run(problem, control).lower_bound
            assert bound <= least or _same(bound, least), (
                f"the bound is {bound}, but the lowest loss is {least}"
            )


def proof_is_true(entry: SearchEntry[Any]) -> None:
    """Check each claim of a proof: the policy is the best, or no policy is admissible."""
    for problem in _accepted(entry):
        outcome: Outcome[Any] = entry().run(problem, _control(entry))
        if outcome.proven:
            found = inf if outcome.best is None else outcome.best.loss
            assert _same(found, _least(problem)), f"{found} is not the lowest loss"


def frontier_is_what_it_says(entry: SearchEntry[Any]) -> None:
    """Check that risks and losses are correct, and that no policy beats another policy."""
    for problem in _accepted(entry):
        members = list(entry().run(problem, _control(entry)).frontier)
        for member in members:
            risk, loss = problem.point(member.policy)
            assert _same(member.risk, risk), f"{member} has the risk {risk}"
            assert _same(member.loss, loss), f"{member} loses {loss}"
        for one, other in pairwise(members):
            assert one.risk < other.risk, f"{one} is not before {other}"
            assert one.loss > other.loss, f"{one} improves on {other}"


def staircase_is_true(entry: SearchEntry[Any]) -> None:
    """Check that no policy lies below the lower staircase.

    If the frontier is proven, it must equal the lower staircase.
    """
    for problem in _accepted(entry):
        points = [problem.point(policy) for policy in problem.policies()]
        for control in (_control(entry), *_stopping()):
            outcome = entry().run(problem, control)
            lower = outcome.frontier if outcome.proven else outcome.lower
            for risk, loss in points if lower is not None else ():
                covered = lower.dominates(risk + _CLOSE, loss + _CLOSE)
                assert covered, f"a policy with risk {risk} and loss {loss} is better"


def finds_the_edge(entry: SearchEntry[Any]) -> None:
    """Check that every policy in the result is acceptable, and is at the edge of such policies.

    A policy is at the edge if at least one additional boundary would make the policy unacceptable.
    """
    for problem in _accepted(entry):
        for policy in entry().run(problem, _control(entry)).non_dominated:
            assert problem.accepts(policy), f"{policy} is not acceptable"
            missing = (b for b in range(problem.domains.boundaries) if b not in policy)
            below = [Partition(policy.kept | 1 << boundary) for boundary in missing]
            assert not below or not all(map(problem.accepts, below)), (
                f"{policy} is not at the boundary"
            )


def ends_when_stopped(entry: SearchEntry[Any]) -> None:
    """Check that the search ends soon after a signal to stop, or at the time limit."""
    for problem in _accepted(entry):
        for control in (*_stopping(), Control(time_limit=0.0)):
            ending = entry().run(problem, control).ending
            assert ending in {"complete", "interrupted", "time limit"}, (
                f"the search ended with {ending}"
            )


def repeats_by_seed(entry: SearchEntry[Any]) -> None:
    """Check that the same seed leads to the same result and the same number of evaluations."""
    for problem in islice(_accepted(entry), _FEW):
        for seed in (0, 1):
            one, other = (_facts(entry(seed).run(problem, _control(entry))) for _ in range(2))
            assert one == other, f"seed {seed} gives {one} and {other}"


def problems(entry: SearchEntry[Any]) -> Iterator[Any]:
    """Yield problems for this kind of search, so small that every policy can be evaluated."""
    for seed in _SEEDS:
        random = np.random.default_rng(seed)
        match entry.kind:
            case "levels":
                yield _levels(random)
            case "partition":
                yield _partition(random)
            case "frontier":
                measures = PopulationRisk(), partition_loss("divergence")
                yield FrontierProblem(_cells(random), *measures)
                yield FrontierProblem(_cells(random), RecordsAtRisk(3), partition_loss("loss"))
            case "threshold":
                whole = FrontierProblem(_cells(random))
                accepts = RiskBelow(whole, 0.5 * whole.greatest_risk)
                yield BoundaryProblem(whole.domains, accepts)
            case "frontier of levels":
                best = _levels(random)
                yield FullDomainFrontierProblem(
                    best.encoding, best.space, best.quality, PopulationRisk()
                )


def _accepted(entry: SearchEntry[Any]) -> Iterable[Any]:
    """Return the problems that the search accepts."""
    refusal = getattr(entry(), "refusal", lambda _: None)
    return (problem for problem in problems(entry) if refusal(problem) is None)


def _levels(random: np.random.Generator) -> FullDomainProblem:
    """Return a problem with k = 3, a few rows, and attributes with four, six, and eight values."""
    sizes = (4, 6, 8)
    rows = np.unique([random.integers(0, size, 20) for size in sizes], axis=1)
    domains = tuple(tuple(map(str, range(size))) for size in sizes)
    codes = tuple(row.astype(np.int32) for row in rows)
    counts = random.integers(1, 4, (rows.shape[1],))
    table = FrequencyTable(("a", "b", "c"), domains, codes, counts)
    hierarchies = [
        intervals(name, values, (2,) if size == sizes[0] else (2, 4))
        for name, values, size in zip(table.attributes, domains, sizes, strict=True)
    ]
    encoding = encode(table, hierarchies)
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies),
        privacy=KAnonymity(3),
        quality=Loss().bind(encoding),
        limit=int(random.integers(0, 6)),
    )


def _partition(random: np.random.Generator) -> PartitionProblem:
    """Return a partition problem with nine boundaries and k = 4."""
    cells = _cells(random)
    own = cells.records > 0
    return PartitionProblem(
        cells.domains, cells.codes[:, own], cells.records[own], 4, limit=int(random.integers(1, 8))
    )


def _cells(random: np.random.Generator) -> Cells:
    """Return a table of six ages, four places, and two sexes, with nine boundaries in total."""
    sizes = (6, 4, 2)
    codes = np.array(list(product(*map(range, sizes))), dtype=np.uint32).T.copy()
    records = random.poisson(0.6, (codes.shape[1],))
    records[0] = 1
    people = records + random.integers(1, 6, records.shape)
    return Cells(OrderedDomains(("age", "place", "sex"), sizes), codes, records, people)


def _least(problem: Any) -> float:  # noqa: ANN401 - a problem of either kind of policy
    """Return the lowest loss of all admissible policies, or infinity."""
    judged = map(problem.judge, problem.policies())
    return min((candidate.loss for candidate in judged if candidate is not None), default=inf)


def _control(entry: SearchEntry[Any]) -> Control:
    """Return a control that lets the search run to its end."""
    return Control(budget=_BUDGETS[entry.ends], iterations=20)


def _stopping() -> Iterator[Control]:
    """Yield controls that stop a search after different numbers of steps."""
    for number in _EARLY:
        yield Control(stopped=partial(next, repeat(False, number), True))


def _facts(outcome: Any) -> tuple[Any, ...]:  # noqa: ANN401 - the outcome of any kind of search
    """Return the parts of an outcome that do not depend on the running time."""
    if hasattr(outcome, "frontier"):
        return (outcome.evaluated, outcome.ending, [*outcome.frontier])
    if hasattr(outcome, "non_dominated"):
        return (outcome.evaluated, outcome.ending, outcome.non_dominated)
    return (outcome.evaluated, outcome.ending, outcome.best, outcome.lower_bound)
