"""What a search asks of a privacy model.

A model decides class by class; the records of classes that fail are suppressed (paper 003,
Transformation models). To add a model, write one small class with these members. A search never
asks which model it has.

A model is *monotone* when a class that satisfies it satisfies it together with any other records.
Then a record suppressed under a policy is suppressed under every more specific one, which is what
pruning needs. A model that is not monotone names a weaker one that is, as `monotone_part`: what
fails the weaker model fails the model.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes


class PrivacyModel(Protocol):
    """A condition on equivalence classes."""

    @property
    def name(self) -> str:
        """The model with its parameters, as shown to people: ``5-anonymity``."""
        ...

    @property
    def promise(self) -> str:
        """What the model promises of a release, as a full sentence."""
        ...

    @property
    def threshold(self) -> float:
        """Largest prosecutor risk that it accepts for a record; 1 where it does not bound it."""
        ...

    @property
    def monotone_part(self) -> PrivacyModel:
        """The model itself when it is monotone, else a weaker model that is."""
        ...

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, whether it may be released; shape ``(classes,)``."""
        ...

    def settings(self) -> dict[str, Any]:
        """Parameters for the certificate, with the model's kind under ``kind``."""
        ...
