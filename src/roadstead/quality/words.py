"""The quality models by name, and the words that describe each model.

The terminal, the report, and the frontier page use these words. The words of the built-in models
are in files in ``models/data``.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from roadstead.publications import Publication
from roadstead.registry import classes_in


@dataclass(frozen=True)
class QualityWords:
    """The description of a quality model for readers.

    `title` is the name of the model, and `figure` describes the model's number in two or three
    words. `sentence` describes the loss of a release, with placeholders for the ``{share}`` and the
    ``{target}``. `clause` is the short form of the sentence for the terminal. `by_attribute` states
    whether the model gives each quasi-identifier a separate loss.

    `formula` is a paragraph of HTML for the report. The paragraph describes what the model measures
    and what 0 and 1 mean, with placeholders for the citations, ``{cited}``, and the ``{target}``.
    `sources` lists the model's publications, either as names of known publications or as
    publication objects.

    `meaning` is a clause that describes what the model measures in a partition. `meaning` is empty
    if the model does not have terms. `explained` gives the same information in one or two
    sentences, for the frontier page.
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


def own_words(name: str) -> QualityWords:
    """Read the words of a built-in model."""
    file = files(__package__) / "models" / "data" / f"{name.replace('-', '_')}.toml"
    words = tomllib.loads(file.read_text(encoding="utf-8"))
    return QualityWords(**words | {"sources": tuple(words.get("sources", ()))})


QUALITY_MODELS = classes_in(
    "roadstead.quality.models", "name", "roadstead.quality_models", default="loss"
)
UNKNOWN = QualityWords(
    "Loss", "Loss", "The release loses {share}.", "{share}", by_attribute=True, formula=""
)
"""The words for a model that is unknown in this version."""


def words_of(name: str) -> QualityWords:
    """Return the words of a quality model, or general words for an unknown model."""
    if name not in QUALITY_MODELS:
        return UNKNOWN
    words: QualityWords = QUALITY_MODELS[name].words
    return words
