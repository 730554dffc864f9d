"""How hard Hypothesis tries, and that no example fails for having taken long.

In the quick suite examples are the same in every run, so that a failure is of the change that is
tested. Those of one run are not added to those of the last, and few will do. ``make nightly`` sets
ROADSTEAD_EXPLORE=1: then they are new in every run, and several times as many; a failure prints how
to see it again.

The profile is loaded here, before any test is made with it: ``conftest.py`` imports this first.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXPLORING = bool(os.environ.get("ROADSTEAD_EXPLORE"))
_MORE = 8

for _name, _more in (("quick", 1), ("nightly", _MORE)):
    settings.register_profile(
        _name,
        max_examples=40 * _more,
        derandomize=_name == "quick",
        print_blob=True,
        deadline=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    )
settings.load_profile("nightly" if EXPLORING else "quick")


def examples(number: int) -> settings:
    """So many examples in the quick suite, several times as many at night."""
    return settings(max_examples=number * _MORE if EXPLORING else number)


thorough = examples(40)
unhurried = examples(25)
sparing = examples(12)
"""For examples that are each many runs."""
