"""How hard Hypothesis tries, and that no example fails for having taken long.

In the quick suite examples are the same in every run, so that a failure is of the change that is
tested. Those of one run are not added to those of the last, and few will do: two in five of what
a test asks for. A failure is shown as it is met: to look for a smaller example takes minutes where
each is a whole release. ``make nightly`` sets ROADSTEAD_EXPLORE=1: then examples are new in every
run, several times as many, and made smaller; a failure prints how to see it again.

The profile is loaded here, before any test is made with it: ``conftest.py`` imports this first.
"""

from __future__ import annotations

import os
from math import ceil

from hypothesis import HealthCheck, Phase, settings

EXPLORING = bool(os.environ.get("ROADSTEAD_EXPLORE"))
_MORE = 8
_QUICK = 0.4
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
    """Two in five of so many examples in the quick suite, several times as many at night."""
    return settings(max_examples=_so_many(number))


thorough = examples(40)
unhurried = examples(25)
sparing = examples(12)
"""For examples that are each many runs."""
