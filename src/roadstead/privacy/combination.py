"""Combine several privacy models: a class is released only if it satisfies all models.

Models that check each class separately are applied first. Models that check all classes together
are then applied to the remaining classes only. The two steps are repeated until no class is
removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError, quoted
from roadstead.policies.classes import Classes, keep
from roadstead.privacy.protocol import BoundPrivacy, LabelDependent, PrivacyModel
from roadstead.tables.alike_values import alike_values
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.kept_bits import KeptOfRows


@dataclass(frozen=True)
class AllOf:
    """Several models that are bound to one table."""

    parts: tuple[BoundPrivacy, ...]

    @cached_property
    def monotone_part(self) -> BoundPrivacy:
        """Combine the monotone parts of the models."""
        weaker = tuple(part.monotone_part for part in self.parts)
        alike = all(a is b for a, b in zip(weaker, self.parts, strict=True))
        return self if alike else AllOf(weaker)

    @property
    def least_records(self) -> int:
        """Return the largest minimum class size of the models."""
        return max(getattr(part, "least_records", 1) for part in self.parts)

    @property
    def by_size_alone(self) -> bool:
        """Return whether every model checks only the number of records."""
        return all(getattr(part, "by_size_alone", False) for part in self.parts)

    @property
    def merges(self) -> bool:
        """Return whether the union of two valid classes is valid under every model."""
        return all(part.merges for part in self.parts)

    @property
    def per_class(self) -> bool:
        """Return whether all models check each class separately."""
        return all(part.per_class for part in self.parts)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return whether each class satisfies all models."""
        marked = np.ones(classes.sizes.size, dtype=np.bool_)
        for part in self.parts:
            if part.per_class:
                marked &= part.satisfied(classes)
        together = [part for part in self.parts if not part.per_class]
        while together:
            left = keep(classes, marked)[0]
            agreed = np.ones(left.sizes.size, dtype=np.bool_)
            for part in together:
                agreed &= part.satisfied(left)
            if agreed.all():
                break
            marked[np.flatnonzero(marked)[~agreed]] = False
        return marked


def bind_all(models: Sequence[PrivacyModel], table: FrequencyTable) -> BoundPrivacy:
    """Bind models to a table, and combine them.

    A `SettingError` is raised if two values of a column that a model uses differ only in case,
    blanks, or invisible characters, because the model would count them as different values.
    """
    used = columns_of(models)
    for one in table.alongside:
        if one.column in used and (many := alike_values(one.occurring)):
            raise SettingError(
                f"{many:,} values differ from another value only in case, blanks, or invisible "
                "characters, so a privacy model would count them as different values",
                where=f"column {quoted(one.column)}",
                fix=(
                    "write each value in the same way in all records, or leave out the privacy "
                    "models for this column"
                ),
            )
    bound = tuple(model.bind(table) for model in models)
    return bound[0] if len(bound) == 1 else AllOf(bound)


def with_labels(model: BoundPrivacy, kept: KeptOfRows) -> BoundPrivacy:
    """Give each model that uses labels the amount of information that the labels keep."""
    if isinstance(model, AllOf):
        return AllOf(tuple(with_labels(part, kept) for part in model.parts))
    return model.with_labels(kept) if isinstance(model, LabelDependent) else model


def looks_at_labels(model: BoundPrivacy) -> bool:
    """Return whether a bound model, or any model in a combination, uses labels."""
    parts = model.parts if isinstance(model, AllOf) else (model,)
    return any(isinstance(part, LabelDependent) for part in parts)


def columns_of(models: Sequence[PrivacyModel]) -> tuple[str, ...]:
    """Return the columns that the models need in addition to the quasi-identifiers."""
    return tuple(dict.fromkeys(column for model in models for column in model.columns))


def needs_population(models: Sequence[PrivacyModel]) -> bool:
    """Return whether any model requires a population."""
    return any(getattr(model, "needs_population", False) for model in models)


def sees_labels(models: Sequence[PrivacyModel]) -> bool:
    """Return whether any model uses labels."""
    return any(getattr(model, "sees_labels", False) for model in models)


def takes_population(models: Sequence[PrivacyModel]) -> bool:
    """Return whether any model requires a population or can use one."""
    return needs_population(models) or any(
        getattr(model, "takes_population", False) for model in models
    )
