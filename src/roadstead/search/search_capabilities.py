"""What searches and recodings go with, by what they look for; each entry names one of these."""

from __future__ import annotations

from roadstead.capabilities import Feature, Reason, supporting

ON_LEVELS = supporting(Feature.PERSONS, Feature.LEVEL_LIMITS, Feature.MONOTONE)
"""Of searches of the lattice, which leave records, models, and losses to their problem."""
ON_PARTITIONS = supporting(
    reasons={
        Feature.PERSONS: Reason(
            "{part} adds up the records of each class, and persons cannot be added up: one who has "
            "rows in two classes is one person where they become one",
            "use {search=exact}, or leave {person} out",
        ),
        Feature.MONOTONE: Reason(
            "{part} prices a suppressed record by itself, and not by the class it would be in",
            "leave it out, or use {search=exact}",
        ),
        Feature.LEVEL_LIMITS: Reason(
            "{part} cuts ordered domains, which have no levels to choose from",
            "leave them out, or use {search=exact}",
            ("min_level", "max_level"),
        ),
    }
)
"""Of searches that cut ordered domains and add up the records of each class."""
_ALL_LOST = Reason("{part} counts suppression as losing everything", "leave {key} out")
CLASS_BY_CLASS = supporting(
    Feature.PERSONS,
    reasons={
        Feature.SUPPRESSION_FACTOR: _ALL_LOST,
        Feature.MONOTONE: _ALL_LOST,
        Feature.PERSON_WEIGHTS: Reason(
            "{part} counts each record alike in the loss", "leave {key} out"
        ),
        Feature.POPULATION: Reason(
            "{part} makes classes of the table's records, and knows no other people",
            "leave it out, or use {recoding=global}",
        ),
        Feature.GEOMETRIC_MEAN: Reason(
            "{part} minimizes the arithmetic mean, and tells the geometric one too",
            "leave {key} out",
        ),
        Feature.ROWS_TOGETHER: Reason(
            "{part} protects persons of whom one row is known, does not link rows, and leaves out "
            "rows",
            "use {knows=1} alone, or {recoding=global}",
            ("knows", "link", "leave_out"),
        ),
        Feature.LEVEL_LIMITS: Reason(
            "{part} takes intervals of values, which have no levels to choose from",
            "leave them out",
            ("min_level", "max_level"),
        ),
        Feature.IN_ENGINE: Reason(
            "there are {other} of the quasi-identifiers, and classes that differ in what they show "
            "are made of combinations in memory",
            "use {recoding=global}, fewer quasi-identifiers, or a larger {combinations}",
        ),
    },
)
"""Of recodings whose classes differ in the intervals that they show."""
WITH_OWN_LEVELS = CLASS_BY_CLASS.adding(Feature.LEVEL_LIMITS)
"""Of recodings whose classes differ in their levels."""
_CUT = (
    "cuts ordered domains and adds up the records of each class, and how many persons it has is no "
    "such sum"
)
FRONTIER_OF_PARTITIONS = supporting(
    Feature.ORDERS,
    Feature.EVALUATIONS,
    reasons={
        Feature.PERSONS: Reason(
            f"{{part}} {_CUT}", "use {search=exact}, for the levels of hierarchies"
        ),
        Feature.MODELS: Reason(
            "privacy models are given, and no threshold", "add {threshold=models}"
        ),
    },
)
"""Of searches for the frontier over partitions of ordered domains."""
FRONTIER_OF_LEVELS = supporting(
    Feature.PERSONS,
    Feature.EVALUATIONS,
    reasons={
        Feature.ORDERS: Reason(
            "levels of hierarchies need no order of values",
            "leave it out, or another search than {part}",
        ),
        Feature.MODELS: Reason(
            "the search {part} takes no privacy models",
            "leave them out, or use {threshold=models} without {search}",
        ),
    },
)
"""Of the search for the frontier over the levels of hierarchies."""
AT_A_THRESHOLD = supporting(
    Feature.ORDERS,
    Feature.MODELS,
    reasons={
        Feature.PERSONS: Reason(
            f"a search at a threshold {_CUT}", "leave it out, or {person}", ("threshold",)
        ),
        Feature.EVALUATIONS: Reason(
            "the search at a threshold is not limited by the policies evaluated",
            "use {iterations} or {time_limit}",
        ),
    },
)
"""Of searches for policies at a threshold."""
