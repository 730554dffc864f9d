"""The features that privacy models support."""

from __future__ import annotations

from roadstead.capabilities import Capabilities, Feature, Reason, supporting

INFERRED = (Feature.INFERENCE, Feature.INFERENCE_SUPPRESSED)
"""The features of monotone models. Other mergeable models have only the first feature."""
OF_VALUES = supporting(Feature.RECODING, Feature.PERSONS, Feature.INFERENCE)
"""The features of models that check only values in each class and can count people."""
OVER_RECORDS = supporting(
    reasons={
        Feature.PERSONS: Reason(
            "{part} is a mean over records, or a share of records, so a person with many rows "
            "would count several times",
            "leave the model out, and use {k} to limit the risk of each person",
        )
    }
)
"""The features of models that check all classes together."""
WITH_PEOPLE = supporting(
    reasons={
        Feature.PERSONS: Reason(
            "{part} compares records with a population that lists each person once; a person with "
            "several rows has several combinations and would be matched several times",
            "leave the model out",
        )
    }
)
"""The features of models that need a population."""


def not_in_persons(why: str, fix: str = "leave the model out", *features: Feature) -> Capabilities:
    """Return the capabilities of a model that cannot count people, and the reason for this."""
    return supporting(*features, reasons={Feature.PERSONS: Reason(f"{{part}} {why}", fix)})


def of_sizes(why: str, least: int, *further: Feature) -> Capabilities:
    """Return the capabilities of a class-size model that counts only rows, and the reason why."""
    sizes = (Feature.CUTS, Feature.IN_ENGINE, Feature.RECODING, *INFERRED)
    return not_in_persons(why, f"use {{k={least}}}, which applies to people", *sizes, *further)
