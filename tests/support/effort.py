"""Effort of Hypothesis; no example fails because of its duration.

In the quick suite, examples are the same in every run, so a failure comes from the tested change.
Examples of one run are not added to the next. A few examples are enough: a sixth of the number in
a test. A failure is shown without a search for a smaller example, which takes minutes if each
example is a whole release. ``make nightly`` sets ROADSTEAD_EXPLORE=1. Then examples are new in
every run, several times as many, and are reduced. A failure prints how to repeat it.

The profile is loaded here, before any test is made with it: ``conftest.py`` imports this first.
"""

from __future__ import annotations

import os
from math import ceil

from hypothesis import HealthCheck, Phase, settings

EXPLORING = bool(os.environ.get("ROADSTEAD_EXPLORE"))
_MORE = 8
_QUICK = 1 / 6
_QUICK_PHASES = (Phase.explicit, Phase.generate, Phase.target)


def _so_many(number: int, *, exploring: bool = EXPLORING) -> int:
    return number * _MORE if exploring else ceil(number * _QUICK)


for _name in ("quick", "nightly"):
    settings.register_profile(
        _name,
        max_examples=_so_many(40, exploring=_name == "nightly"),
        derandomize=_name == "quick",
        phases=_QUICK_PHASES if _name == "quick" else tuple(Phase),
        print_blob=True,
        deadline=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    )
settings.load_profile("nightly" if EXPLORING else "quick")


def examples(number: int) -> settings:
    """A sixth of so many examples in the quick suite, several times as many at night."""
    return settings(max_examples=_so_many(number))


thorough = examples(40)
unhurried = examples(25)
sparing = examples(12)
"""For examples that are each many runs."""
