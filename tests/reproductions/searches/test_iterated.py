"""The exact search on what it suppressed, again and again."""

from __future__ import annotations

import numpy as np
from recodings_by_definition import drawn, least_loss

from roadstead.quality.aggregates import GeometricMean
from roadstead.quality.models.loss import Loss
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.search.recoding.protocol import OUT
from roadstead_reproductions.searches.iterated import Iterated


def test_its_classes_have_k_records_and_lose_no_less_than_the_best() -> None:
    """On tables that are drawn, against every partition."""
    alike = 0
    for seed in range(80):
        tiny = drawn(seed, 7)
        problem = tiny.problem(intervals=False)
        best = least_loss(tiny, intervals=False)
        found = Iterated().run(problem, Control())
        if found.best is None:
            assert best is None
            continue
        assert best is not None
        assert found.loss >= float(best) - 1e-9
        alike += found.loss <= float(best) + 1e-9
        assert found.best.suppressed(problem) <= tiny.limit
        inside = found.best.rows != OUT
        sizes = np.bincount(found.best.rows[inside], problem.encoding.counts[inside])
        assert (sizes >= tiny.k).all()
    assert alike > 20


def test_one_round_is_the_exact_search() -> None:
    """Its classes are those of the best levels, and so is what it suppresses."""
    same = 0
    for seed in range(40):
        tiny = drawn(seed, 9)
        problem = tiny.problem(intervals=False)
        exact = Exact().run(
            FullDomainProblem(
                encoding=problem.encoding,
                space=problem.space,
                privacy=problem.privacy,
                quality=Loss(GeometricMean(tuple(problem.shares.tolist()))).bind(problem.encoding),
                limit=problem.limit,
            ),
            Control(),
        )
        found = Iterated(1, (None,)).run(problem, Control())
        if exact.best is None or found.best is None:
            continue
        assert found.best.suppressed(problem) == exact.best.suppressed
        levels = {tuple(row) for row in found.best.parts[:, :, 0].tolist()}
        assert levels <= {exact.best.policy}
        same += 1
    assert same > 20


def test_stopped_it_gives_the_rounds_it_has() -> None:
    """Or nothing, where there was none."""
    problem = drawn(4, 9).problem(intervals=False)
    found = Iterated().run(problem, Control(stopped=lambda: True))
    assert found.ending == "interrupted"
    assert found.best is None or found.best.suppressed(problem) <= problem.limit
