"""Round losses in shared files to steps that do not reveal the data.

If a domain is read from the table, the size of the domain influences the loss. For example, a
recipient could compute the age of the oldest patient from an exact loss, even if that patient was
suppressed. Two digits are not coarse enough: a comparison of a few releases of the same table can
leave only one possible age.

The steps are 1, 2, 5, 10, 20, 50, 80, and 90%. Below 1%, the steps continue as 0.5, 0.2, 0.1,
0.05%, and so on. A loss of exactly 0 or 1 is not rounded, because the policy already shows that
nothing or everything is lost. No other loss is rounded to 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

_STEPS = (1, 2, 5, 10)
"""The steps in each power of ten."""
_MOST = (Decimal("0.8"), Decimal("0.9"))
"""Further steps for losses that would otherwise be rounded to one half."""


def coarse(loss: float) -> float:
    """Round a loss to the nearest step."""
    below, above = _around(loss)
    return below if above >= 1.0 or loss - below < above - loss else above


def coarse_at_least(bound: float) -> float:
    """Round a lower bound on a loss down to a step."""
    return _around(bound)[0]


def coarse_at_most(gap: float) -> float:
    """Round an upper bound, such as a gap, up to a step."""
    return _around(gap)[1]


def coarse_bound(bound: float, loss: float, *, optimal: bool) -> float:
    """Round the lower bound on a loss. The bound of an optimal policy becomes the rounded loss."""
    return coarse(loss) if optimal else min(coarse_at_least(bound), coarse(loss))


def rounded_from(loss: float) -> tuple[float, float]:
    """Return the smallest and the largest loss that `coarse` rounds to the same step."""
    step = Decimal(repr(coarse(loss)))
    if not 0 < step < 1:
        return float(step), float(step)
    power = Decimal(1).scaleb(step.adjusted())
    steps = sorted({*(p * one for p in (power / 10, power) for one in _STEPS), *_MOST})
    below = max(one for one in steps if one < step)
    above = min(one for one in steps if one > step)
    # Nothing below 1 is rounded to 1, so all losses up to 1 belong to the last step.
    return float((below + step) / 2), float(above if above >= 1 else (step + above) / 2)


def loss_for_sharing(loss: Mapping[str, Any]) -> dict[str, Any]:
    """Round the total loss and the loss of each attribute in a certificate."""
    by_attribute = {name: coarse(own) for name, own in loss["by_attribute"].items()}
    return {**loss, "loss": coarse(loss["loss"]), "by_attribute": by_attribute}


def search_for_sharing(facts: Mapping[str, Any], loss: Mapping[str, Any] | None) -> dict[str, Any]:
    """Round the figures about the search in a certificate. `loss` is the certified loss."""
    rounded = dict(facts)
    if "lower_bound" in facts:
        whole = facts["lower_bound"] if loss is None else loss["loss"]
        bound, optimal = facts["lower_bound"], bool(facts["optimal"])
        rounded["lower_bound"] = coarse_bound(bound, whole, optimal=optimal)
        rounded["gap"] = coarse_at_most(facts["gap"])
    if "area" in facts:
        rounded["area"] = coarse(facts["area"])
    return rounded


def gap_between(lower_bound: float, loss: float) -> float:
    """Return the share of the loss that is above the lower bound, without rounding errors."""
    lower_bound, loss = float(lower_bound), float(loss)  # not as ranked losses
    if loss <= 0.0 or lower_bound >= loss:
        return 0.0
    return float(1 - Fraction(repr(lower_bound)) / Fraction(repr(loss)))


def _around(number: float) -> tuple[float, float]:
    """Return the steps below and above a number, or the number twice if it is a step."""
    number = float(number)
    if not 0.0 < number < 1.0:
        return number, number
    exact = Decimal(repr(number))
    power = Decimal(1).scaleb(exact.adjusted())
    steps = sorted({*(power * step for step in _STEPS), *_MOST})
    below = max(step for step in steps if step <= exact)
    return float(below), float(min(step for step in steps if step >= exact))
