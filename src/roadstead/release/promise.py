"""What a release promises, in words that follow from its policy alone."""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.policies.document import Policy
from roadstead.privacy.protocol import PrivacyModel


def promise_of(policy: Policy, models: Sequence[PrivacyModel]) -> str:
    """Say what holds of every release under a policy."""
    quasi = ", ".join(policy.quasi)
    promises = " ".join(model.promise for model in models)
    return (
        f"Others may know {quasi} of a person. Each record is taken to be of another person. "
        f"{promises}"
    )
