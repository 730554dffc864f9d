"""Define the description of a publication.

Models, searches, and reports refer to known publications by the keys in
`reports/data/publications.toml`. A new model, or a model from another package, contains a
description of its own publication.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Publication:
    """A publication, with its citation and the place where it appeared."""

    cited: str
    authors: str
    year: int
    title: str
    venue: str
    place: str = ""

    @property
    def key(self) -> str:
        """Return the anchor for links on a page, such as ``iyengar-2002``."""
        return re.sub(r"\W+", "-", self.cited).strip("-").lower()
