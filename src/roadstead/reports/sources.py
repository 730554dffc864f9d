"""List the publications that a report may cite."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.resources import files

from roadstead.publications import Publication


def _read(group: str) -> dict[str, Publication]:
    text = (files("roadstead.reports") / "data" / "publications.toml").read_text(encoding="utf-8")
    return {key: Publication(**one) for key, one in tomllib.loads(text)[group].items()}


SOURCES = _read("reports")
"""The publications with their keys, in the order of the list at the end of a report."""

PRIVATE = _read("private")
"""Publications about differentially private releases. Only their page cites them."""

ATTACKS = _read("attacks")
"""Publications about attacks on optimal releases."""

TRIED = _read("tried")
"""Publications about attacks that Roadstead runs. Only the page of attacks cites them."""

IN_USE = _read("use")
"""Publications about the usefulness of releases. Only the page of a comparison cites them."""

ALWAYS = ("prasser", "emam", "samarati", "machanavajjhala")
"""Publications that every report cites."""

UNIQUES = ("hoshino", "zayatz", "chen", "dankar")
"""Publications about models of population uniques. Only a risk assessment cites them."""

SCORES = ("elliot",)
"""Publications about scores of unique records. Only a risk assessment cites them."""

SEARCHES = {
    "best-first": "prasser",
    "flash": "kohlmayer",
    "ola": "emam2009",
    "incognito": "lefevre2005",
    "lattice-based": "wan",
    "igreedy": "babu",
    "datafly": "sweeney1997",
    "k-optimize": "bayardo",
    "partition-genetic": "iyengar",
}
"""The publication that describes each search. The other searches are Roadstead's own."""


def with_own(sources: Iterable[str | Publication]) -> dict[str, Publication]:
    """Return the known publications, followed by the publications that a model adds."""
    own = {one.key: one for one in sources if isinstance(one, Publication)}
    return SOURCES | own


def keys_of(sources: Iterable[str | Publication]) -> tuple[str, ...]:
    """Return the keys of publications."""
    return tuple(one if isinstance(one, str) else one.key for one in sources)
