"""How far an evaluation is, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class EvaluationProgress:
    """What is being done.

    Attributes
    ----------
    run, runs
        Which run of how many.
    step
        What is made or learned in it.
    seconds
        Time since the start.
    """

    run: int
    runs: int
    step: str
    seconds: float


@dataclass(frozen=True)
class EvaluationWatch:
    """How a running evaluation is watched and stopped.

    Attributes
    ----------
    progress
        Told of each step.
    stopped
        Asked after each run; True ends the evaluation with the runs so far.
    """

    progress: Callable[[EvaluationProgress], None] | None = None
    stopped: Callable[[], bool] = lambda: False
