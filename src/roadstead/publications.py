"""A publication: how it is cited, and where it appeared.

Models, searches and reports name the known ones by a key of `reports/data/publications.toml`. A
model that nobody has published before, or that another package adds, brings its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Publication:
    """A publication: how it is cited, and where it appeared."""

    cited: str
    authors: str
    year: int
    title: str
    venue: str
    place: str = ""

    @property
    def key(self) -> str:
        """A name for links on a page: ``iyengar-2002``."""
        return re.sub(r"\W+", "-", self.cited).strip("-").lower()
