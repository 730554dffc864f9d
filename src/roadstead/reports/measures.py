"""What each quality model measures, in words: what is lost, and where one reads of it.

Some measure each quasi-identifier by itself and take a mean; the others look at the classes of a
release and cannot tell quasi-identifiers apart. Losses beside these are Iyengar's.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """A quality model as a reader meets it.

    Attributes
    ----------
    title
        Its name.
    figure
        What its number is, in two or three words.
    sentence
        What a release loses, as a full sentence with a place for the `share` and the `target`.
    clause
        The same in the short form of the terminal.
    by_attribute
        Whether it gives each quasi-identifier a loss of its own.
    sources
        Where it was published.
    """

    title: str
    figure: str
    sentence: str
    clause: str
    by_attribute: bool
    sources: tuple[str, ...]


UNKNOWN = Measure(
    "Loss", "Loss", "The release loses {share}.", "{share}", by_attribute=True, sources=()
)
"""A measure that this version has no words for."""

_MEASURES = {
    "loss": Measure(
        "Loss",
        "Detail lost",
        "The release loses {share} of the detail of the quasi-identifiers.",
        "{share} of the information",
        by_attribute=True,
        sources=("iyengar",),
    ),
    "precision": Measure(
        "Precision",
        "Precision lost",
        "The release climbs {share} of the levels of the hierarchies.",
        "{share} of the levels of the hierarchies",
        by_attribute=True,
        sources=("sweeney2002",),
    ),
    "entropy": Measure(
        "Non-uniform entropy",
        "Entropy lost",
        "The release loses {share} of the entropy of the quasi-identifiers.",
        "{share} of the entropy",
        by_attribute=True,
        sources=("gionis",),
    ),
    "discernibility": Measure(
        "Discernibility",
        "Not discernible",
        "On average a record cannot be told from {share} of all records.",
        "on average a record cannot be told from {share} of all records (discernibility)",
        by_attribute=False,
        sources=("bayardo",),
    ),
    "class-size": Measure(
        "Average class size",
        "Average group",
        "A group of records that look the same holds {share} of all records on average.",
        "a group of records that look the same holds {share} of all on average (class size)",
        by_attribute=False,
        sources=("lefevre2006",),
    ),
    "divergence": Measure(
        "Kullback-Leibler divergence",
        "Divergence",
        "The release loses {share} of what there is to lose of the joint distribution of the "
        "quasi-identifiers.",
        "{share} of the joint distribution (divergence)",
        by_attribute=False,
        sources=("kifer", "xia"),
    ),
    "classification": Measure(
        "Classification metric",
        "Misclassified",
        "Of the records, {share} are suppressed or do not have the value of {target} that is most "
        "frequent in their class.",
        "{share} of the records, without the most frequent {target} of their class or suppressed "
        "(classification)",
        by_attribute=False,
        sources=("iyengar",),
    ),
}


def measure_of(kind: str) -> Measure:
    """Give the words for a quality model."""
    return _MEASURES.get(kind, UNKNOWN)
