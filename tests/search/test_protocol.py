"""How a search is steered, and what an outcome says of itself."""

from __future__ import annotations

from math import inf

import pytest

from roadstead.policies.full_domain import Levels
from roadstead.search.protocol import (
    Candidate,
    Control,
    Ending,
    Outcome,
    Progress,
    preference,
)

BEST = Candidate((1, 2), 0.4, 3)


def outcome(
    best: Candidate[Levels] | None, lower_bound: float, ending: Ending = "complete"
) -> Outcome[Levels]:
    """Ten evaluations in a second."""
    return Outcome(best, lower_bound, 10, 4, 1.0, ending, proven=ending == "complete")


def test_candidates_are_compared_by_loss_then_rank_then_levels() -> None:
    """The order that every search shares."""
    ordered = [(0.1, (3, 3)), (0.2, (0, 1)), (0.2, (1, 0)), (0.2, (0, 2)), (0.2, (2, 0))]
    assert sorted(ordered, key=lambda pair: preference(*pair)) == ordered
    assert BEST.preference == (0.4, 3, (1, 2))


def test_losses_that_only_rounding_tells_apart_are_equal() -> None:
    """Rank decides between them: which attribute was added up first must not."""
    one, other = (0.1 + 0.2) + 0.3, (0.3 + 0.2) + 0.1
    assert other < one
    assert preference(one, (0, 0, 1)) < preference(other, (2, 0, 0))


def test_an_outcome_is_optimal_when_the_search_was_complete_and_found_something() -> None:
    """Not when it was stopped, nor when there is nothing."""
    assert outcome(BEST, 0.4).optimal
    assert not outcome(BEST, 0.3, "time limit").optimal
    assert not outcome(BEST, 0.3, "interrupted").optimal
    assert not outcome(None, inf).optimal


@pytest.mark.parametrize(
    ("best", "lower_bound", "gap"),
    [
        (BEST, 0.4, 0.0),
        (BEST, 0.3, 0.25),
        (BEST, 0.0, 1.0),
        (Candidate((0, 0), 0.0, 0), 0.0, 0.0),
        (None, 0.2, 1.0),
    ],
)
def test_the_gap_is_the_share_of_the_loss_that_might_be_avoided(
    best: Candidate[Levels] | None, lower_bound: float, gap: float
) -> None:
    """All of it when nothing is known, none when the best is proven."""
    assert outcome(best, lower_bound, "time limit").gap == pytest.approx(gap)


def test_a_search_goes_on_until_it_is_stopped_or_out_of_time() -> None:
    """A question asked each time, and a clock."""
    control = Control()
    control.begin()
    assert control.ending() is None
    assert Control(stopped=lambda: True).ending() == "interrupted"
    assert Control(time_limit=3600.0).ending() is None
    assert Control(time_limit=0.0).ending() == "time limit"


def test_progress_is_worked_out_only_when_it_is_time_to_tell() -> None:
    """Rarely, and not at all without a listener."""
    asked: list[int] = []
    told: list[Progress] = []

    def progress() -> Progress:
        asked.append(1)
        return Progress(1, 0.0, BEST, 0.1, 1)

    silent = Control(interval=0.0)
    silent.report_progress(progress)
    assert not asked
    eager = Control(report=told.append, interval=0.0)
    eager.begin()
    eager.report_progress(progress)
    eager.report_progress(progress)
    assert len(asked) == len(told) == 2
    patient = Control(report=told.append, interval=3600.0)
    patient.begin()
    patient.report_progress(progress)
    patient.report_progress(progress)
    assert len(asked) == len(told) == 3
