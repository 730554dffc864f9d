"""Suggest commands and options for the words that other tools and earlier versions use.

Roadstead looks for these words before it looks for similar spellings, because a similar spelling
can have the opposite meaning. For example, ``--insensitive`` looks like ``--sensitive``, but means
``--unchanged``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from roadstead.near_names import nearest

WORDS_OF_OTHERS: Final = {
    "anonymize": "release deidentify de-identify publish mask k-anonymize",
    "apply": "repeat rerun reuse",
    "determine": "document certify",
    "evaluate": "utility quality",
    "explore": "gui ui web app page serve workbench",
    "risk": "assess measure reidentification",
    "scan": "classify detect inspect profile",
    "synthesize": "synth synthetic dp",
    "verify": "check validate audit",
    "--help": "help",
    "--identifiers": "--identifying --identifier --drop --remove --delete --exclude --id --ids",
    "--quasi": "--quasi-identifiers --quasi-identifier --qi --qis --qid --keyvars",
    "--unchanged": "--insensitive --keep --include --other",
    "--release-anyway": "--release",
    "--person": "--patient --subject --person-id --patient-id --hid",
    "--average-over": "--weigh",
    "--rules": "--policy",
    "--out": "--output --output-dir --outdir --to",
    "--project": "--config --settings",
    "--missing": "--na --null --nan",
    "--delimiter": "--sep --separator",
    "--force": "--overwrite --replace",
}
_MEANT = {word: name for name, words in WORDS_OF_OTHERS.items() for word in words.split()}


def meant_by(word: str, known: Collection[str]) -> str | None:
    """Return the known command or option that a user probably meant, or None."""
    meant = _MEANT.get(word.casefold())
    return meant if meant in known else nearest(word, known)
