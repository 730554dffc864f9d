"""The one look at the table that is paid for: specializations, then noisy counts of the groups.

A release has both: the noisy counts that are believable, and the numbers of records that were made
of them, which add up to the noisy totals of the classes (``differential.counting.consistent``). The
second follow from what is noisy already.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Accountant, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.consistent import listed_and_released
from roadstead.differential.diffgen import Plan, walk
from roadstead.differential.private_table import PrivateTable
from roadstead.differential.stopping import LONGEST_WALK, walk_choosing
from roadstead.differential.synthesis import Synthesis
from roadstead.jobs import Observer, Stopped
from roadstead.verbs.synthesize.settings import PrivateSettings


@dataclass(frozen=True)
class SynthesisProgress:
    """How far a synthesis is: the question that is being answered, as its ledger calls it."""

    step: str
    seconds: float


def drawn(
    table: PrivateTable, settings: PrivateSettings, mechanisms: Mechanisms
) -> tuple[Synthesis, NDArray[np.int64]]:
    """Specialize as often as is set, or as is chosen privately, count, and spend the budget."""
    accountant, number = Accountant(settings.epsilon), settings.specializations
    specialize = walk_choosing if number is None else walk
    plan = Plan(LONGEST_WALK if number is None else number, settings.score)
    walked = specialize(table, plan, accountant, mechanisms)
    return listed_and_released(table, walked, accountant, mechanisms)


def observed(mechanisms: Mechanisms, observer: Observer) -> Mechanisms:
    """Report each question before it is answered, and ask whether to stop instead.

    A run that is stopped raises `Stopped` and keeps nothing. The best so far could be released only
    at a price: when somebody stops a run can depend on how long its questions take, and so on the
    records, and the answers that are there already have spent their part of the budget.
    """
    return cast("Mechanisms", _Observed(mechanisms, observer))


class _Observed:
    """Mechanisms whose every answer that is paid for goes through one place."""

    def __init__(self, mechanisms: Mechanisms, observer: Observer) -> None:
        self._mechanisms = mechanisms
        self._observer = observer
        self._began = time.perf_counter()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        answer: Callable[..., Any] = getattr(self._mechanisms, name)
        if name == "place":  # which asks nothing about the records
            return answer

        def reported(grant: Grant, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - as the answer
            if self._observer.stopped():
                raise Stopped
            seconds = time.perf_counter() - self._began
            self._observer.progress(SynthesisProgress(grant.step, seconds))
            return answer(grant, *given, **more)

        return reported
