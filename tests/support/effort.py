"""How hard Hypothesis tries.

No deadline: the first call of a kernel compiles it, and machines that test are often busy.
"""

from __future__ import annotations

from hypothesis import settings

unhurried = settings(deadline=None)
thorough = settings(deadline=None, max_examples=250)
sparing = settings(deadline=None, max_examples=50)
"""For examples that are each many runs."""
