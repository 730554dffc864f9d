"""The quality models by name, and what people read of each.

A model declares its words, for every place that speaks of it: the terminal, the report and the page
of a frontier.
"""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.publications import Publication
from roadstead.registry import Registry


@dataclass(frozen=True)
class QualityWords:
    """A quality model as a reader meets it.

    Attributes
    ----------
    title
        Its name.
    figure
        What its number is, in two or three words.
    sentence
        What a release loses, as a full sentence with a place for the ``{share}`` and the
        ``{target}``.
    clause
        The same in the short form of the terminal.
    by_attribute
        Whether it gives each quasi-identifier a loss of its own.
    formula
        A paragraph of HTML for the report: what it measures, what 0 and 1 mean; with a place for
        the citations, ``{cited}``, and the ``{target}``.
    sources
        Where it was published: names of known publications, or publications.
    meaning
        What it measures of a partition, as a clause; empty where it has no terms.
    explained
        The same as a sentence or two, for the page of a frontier.
    """

    title: str
    figure: str
    sentence: str
    clause: str
    by_attribute: bool
    formula: str = ""
    sources: tuple[str | Publication, ...] = ()
    meaning: str = ""
    explained: str = ""


QUALITY_MODELS = Registry(
    "roadstead.quality.models", "name", "roadstead.quality_models", default="loss"
)
UNKNOWN = QualityWords(
    "Loss", "Loss", "The release loses {share}.", "{share}", by_attribute=True, formula=""
)
"""Of a measure that this version has no words for."""


def words_of(name: str) -> QualityWords:
    """Give the words of a quality model, also of one that this version does not know."""
    if name not in QUALITY_MODELS:
        return UNKNOWN
    words: QualityWords = QUALITY_MODELS[name].words
    return words
