"""Which privacy models compare classes with a population.

Such a model says so with an attribute; most have none. One that `needs_population` refuses, in its
`bind`, a table without a population. One that `takes_population` does with the records alone where
no population is known, on the safe side. Every class that a model is asked about has a record: rows
of people who are not in the table are in classes of others or in none.

A model that says it `merges` must mean it of such people too: when they join a class that satisfies
the model, it still does.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.privacy.protocol import PrivacyModel


def needs_population(models: Sequence[PrivacyModel]) -> bool:
    """Whether any of the models can say nothing without a population."""
    return any(getattr(model, "needs_population", False) for model in models)


def takes_population(models: Sequence[PrivacyModel]) -> bool:
    """Whether any of the models looks at how many people of the population are in a class."""
    return needs_population(models) or any(
        getattr(model, "takes_population", False) for model in models
    )
