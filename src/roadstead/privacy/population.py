"""Which privacy models compare classes with a population.

Such a model says so with an attribute `needs_population`; most do not have it. Its `bind` refuses a
table without a population. Every class that a model is asked about has a record: rows of people who
are not in the table are in classes of others or in none.

A model that says it `merges` must mean it of such people too: when they join a class that satisfies
the model, it still does.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.privacy.protocol import PrivacyModel


def needs_population(models: Sequence[PrivacyModel]) -> bool:
    """Whether any of the models looks at how many people of the population are in a class."""
    return any(getattr(model, "needs_population", False) for model in models)
