"""Find a recoding, and prove a limit on how much better any other recoding could be."""

from __future__ import annotations

from dataclasses import replace

from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds.boxes import box_bound
from roadstead.search.recoding.bounds.nodes import node_bound
from roadstead.search.recoding.merging import merged
from roadstead.search.recoding.protocol import (
    RecodingOutcome,
    RecodingProblem,
    RecodingSearch,
    everything,
    opened,
    within_limit,
)

_FOR_SEARCH = 0.6
"""The share of a time limit that the search may use; the rest is for the bound."""


def proposed(problem: RecodingProblem, search: RecodingSearch, control: Control) -> RecodingOutcome:
    """Search with the quasi-identifiers alone if the privacy model uses further columns.

    The result meets the suppression limit before any sensitive value is read.
    """
    if problem.blind is None:
        return search.run(problem, control)
    own = replace(problem, privacy=problem.blind, blind=None)
    found = search.run(own, control)
    return found if found.best is None else replace(found, best=within_limit(own, found.best))


def solve(problem: RecodingProblem, search: RecodingSearch, control: Control) -> RecodingOutcome:
    """Search for a recoding within the suppression limit, and prove a bound."""
    control.begin()
    limited = control.time_limit is not None
    own = (
        replace(control, time_limit=(control.time_limit or 0.0) * _FOR_SEARCH)
        if limited
        else control
    )
    found = proposed(problem, search, own)
    if problem.blind is not None and found.best is not None:
        found = replace(found, best=merged(problem, found.best), proposal=found.best)
    start = opened(problem, everything(problem)) if found.best is None else found.best
    best = within_limit(problem, start)
    if best is None or not best.parts.size:
        return replace(found, best=None, loss=1.0, seconds=control.seconds)
    bound, prices = found.lower_bound, None
    if bound <= 0.0 and problem.axes:  # the search gives no bound
        bound = box_bound(problem, control).value
    elif bound <= 0.0:
        own_bound = node_bound(problem, control)
        bound, prices = own_bound.value, own_bound.prices
    return replace(
        found,
        best=best,
        loss=best.loss(problem),
        lower_bound=bound,
        seconds=control.seconds,
        prices=prices,
    )
