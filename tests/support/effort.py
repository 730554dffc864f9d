"""How hard Hypothesis tries.

No deadline: the first call of a kernel compiles it, and machines that test are often busy.

Examples are the same in every run (see ``conftest.py``), so those of one run are not added to those
of the last, and fewer will do. With ROADSTEAD_EXPLORE=1, where they are new, there are more.
"""

from __future__ import annotations

import os

from hypothesis import settings

_EXPLORING = bool(os.environ.get("ROADSTEAD_EXPLORE"))

unhurried = settings(deadline=None, max_examples=100 if _EXPLORING else 70)
thorough = settings(deadline=None, max_examples=250 if _EXPLORING else 150)
sparing = settings(deadline=None, max_examples=50 if _EXPLORING else 35)
"""For examples that are each many runs."""
