"""The features that losses support."""

from __future__ import annotations

from roadstead.capabilities import Feature, supporting

ANY_LOSS = supporting(Feature.PERSONS, Feature.WEIGHTS)
"""The features of losses that count each record equally."""
PRICED_SUPPRESSION = ANY_LOSS.adding(Feature.SUPPRESSION_FACTOR, Feature.MONOTONE)
"""The features of losses that price suppression separately from generalization."""
OF_RECORDS = PRICED_SUPPRESSION.adding(Feature.SUPPRESSION_FORMULA, Feature.PERSON_WEIGHTS)
"""The features of losses that are sums over records."""
