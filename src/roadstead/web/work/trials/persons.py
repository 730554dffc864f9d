"""Return the figures about people in a candidate, and the fewest people whose values are named."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from roadstead.release.certificate import Certificate

FEWEST = 5
"""A value in a covered column is named only if at least this many records or people have it."""


def persons_of(certificate: Certificate | None) -> dict[str, Any] | None:
    """Return the numbers of people, and whether people are left out with all their records."""
    if certificate is None or certificate.persons is None:
        return None
    whole = any(one.get("leaves_out") == "persons" for one in certificate.policy["privacy"])
    return {**asdict(certificate.persons), "whole": whole}
