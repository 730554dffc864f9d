"""The features that searches and recodings support, as one constant per goal."""

from __future__ import annotations

from roadstead.capabilities import Feature, Reason, supporting

ON_LEVELS = supporting(Feature.PERSONS, Feature.LEVEL_LIMITS, Feature.MONOTONE)
"""The features that lattice searches support."""
ON_PARTITIONS = supporting(
    reasons={
        Feature.PERSONS: Reason(
            "{part} adds up the records of each group, but people cannot be added up: a person "
            "with rows in two groups is still one person after the groups are merged",
            "use {search=exact}, or leave {person} out",
        ),
        Feature.MONOTONE: Reason(
            "{part} has a fixed price for a suppressed record, regardless of the record's group",
            "leave {key} out, or use {search=exact}",
        ),
        Feature.LEVEL_LIMITS: Reason(
            "{part} cuts ordered domains, which do not have levels to choose from",
            "leave the level limits out, or use {search=exact}",
            ("min_level", "max_level"),
        ),
    }
)
"""The features of searches that cut ordered domains and sum over the records of each class."""
_ALL_LOST = Reason("with {part}, a suppressed record always loses all detail", "leave {key} out")
CLASS_BY_CLASS = supporting(
    Feature.PERSONS,
    reasons={
        Feature.SUPPRESSION_FACTOR: _ALL_LOST,
        Feature.MONOTONE: _ALL_LOST,
        Feature.PERSON_WEIGHTS: Reason(
            "{part} gives each record the same weight in the loss", "leave {key} out"
        ),
        Feature.POPULATION: Reason(
            "{part} makes groups from the table's records, and does not use the population",
            "leave the population out, or use {recoding=global}",
        ),
        Feature.OTHER_AGGREGATE: Reason(
            "{part} minimizes the arithmetic mean, and also reports the geometric mean",
            "leave {key} out",
        ),
        Feature.ROWS_TOGETHER: Reason(
            "{part} works only if an attacker knows one row per person, the rows of a person are "
            "not linked, and rows are left out one by one",
            "use {knows=1} alone, or {recoding=global}",
            ("knows", "link", "leave_out"),
        ),
        Feature.LEVEL_LIMITS: Reason(
            "{part} uses intervals of values, which do not have levels to choose from",
            "leave the level limits out",
            ("min_level", "max_level"),
        ),
        Feature.IN_ENGINE: Reason(
            "there are {other} of the quasi-identifiers, but this recoding makes its groups in "
            "memory",
            "use {recoding=global}, fewer quasi-identifiers, or a larger {combinations}",
        ),
    },
)
"""The features of recodings in which classes have different intervals."""
WITH_OWN_LEVELS = CLASS_BY_CLASS.adding(Feature.LEVEL_LIMITS, Feature.PROOF)
"""The features of recodings in which classes have different levels."""
_CUT = (
    "cuts ordered domains and adds up the records of each group, but numbers of people "
    "cannot be added up"
)
FRONTIER_OF_PARTITIONS = supporting(
    Feature.ORDERS,
    Feature.EVALUATIONS,
    reasons={
        Feature.PERSONS: Reason(
            f"{{part}} {_CUT}", "use {search=exact}, which chooses levels of hierarchies"
        ),
        Feature.MODELS: Reason(
            "privacy models are given, but no threshold is given", "add {threshold=models}"
        ),
    },
)
"""The features of searches for the frontier over partitions of ordered domains."""
FRONTIER_OF_LEVELS = supporting(
    Feature.PERSONS,
    Feature.EVALUATIONS,
    reasons={
        Feature.ORDERS: Reason(
            "a search over levels of hierarchies does not use an order of values",
            "leave the order out, or use a search other than {part}",
        ),
        Feature.MODELS: Reason(
            "the {part} search does not use privacy models",
            "leave the models out, or use {threshold=models} without {search}",
        ),
    },
)
"""The features of the search for the frontier over levels of hierarchies."""
AT_A_THRESHOLD = supporting(
    Feature.ORDERS,
    Feature.MODELS,
    reasons={
        Feature.PERSONS: Reason(
            f"a search at a threshold {_CUT}", "leave out the threshold or {person}", ("threshold",)
        ),
        Feature.EVALUATIONS: Reason(
            "a search at a threshold does not limit the number of evaluated policies",
            "use {iterations} or {time_limit}",
        ),
    },
)
"""The features of searches for policies at a threshold."""
