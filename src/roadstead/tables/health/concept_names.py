"""Names of the standard concepts for gender, race and ethnicity.

An excerpt of a CDM often lacks the concepts of its smallest vocabularies. Their numbers and names
are the same in every CDM. Source: OHDSI standardized vocabularies, domains Gender, Race, Ethnicity.
"""

from __future__ import annotations

from types import MappingProxyType

NO_CONCEPT = "0"
"""The concept of what could not be mapped: *No matching concept*."""

STANDARD_NAMES = MappingProxyType(
    {
        "8507": "MALE",
        "8532": "FEMALE",
        "8521": "OTHER",
        "8551": "UNKNOWN",
        "8570": "AMBIGUOUS",
        "8515": "Asian",
        "8516": "Black or African American",
        "8527": "White",
        "8557": "Native Hawaiian or Other Pacific Islander",
        "8657": "American Indian or Alaska Native",
        "38003563": "Hispanic or Latino",
        "38003564": "Not Hispanic or Latino",
    }
)
