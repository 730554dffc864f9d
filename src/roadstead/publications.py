"""Describe a publication: its citation, and where it appeared.

Models, searches, and reports refer to known publications by a key of
`reports/data/publications.toml`. If a model is not in the literature, or is part of another
package, it contains its own publication.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Publication:
    """A publication: its citation, and where it appeared."""

    cited: str
    authors: str
    year: int
    title: str
    venue: str
    place: str = ""

    @property
    def key(self) -> str:
        """Return the name for links on a page, such as ``iyengar-2002``."""
        return re.sub(r"\W+", "-", self.cited).strip("-").lower()
