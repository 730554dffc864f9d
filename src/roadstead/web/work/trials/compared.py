"""Compare a candidate with the original table: its figures, its bands, and its distributions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from roadstead.analysis.retained_information import Band, bands_of, before_and_after, overlapping
from roadstead.hierarchies.rules import MISSING
from roadstead.policies.document import SUPPRESSED
from roadstead.printable import printable
from roadstead.release.values_left import in_words
from roadstead.reports.evaluation.comparison import ComparisonFacts
from roadstead.reports.evaluation.notes import RISKS_OF_RECORDS
from roadstead.tables.codebooks.shown import Faces, labels_of_codes, with_label
from roadstead.verbs.evaluate.comparison import (
    NO_QUESTIONS,
    NextToOriginal,
    compared_facts,
    next_to_original,
)
from roadstead.web.work.questions.source import source_of
from roadstead.web.work.trials.persons import FEWEST, persons_of

_MOST_BANDS = 60
"""The number of bands drawn per column. A local recoding can have thousands."""


def compared_with_table(given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the comparison of the release in a folder with the table of the project."""
    source = source_of(given["project"])
    both = next_to_original([folder], source, known=given["known"])
    return _compared(both, set(given["covered"]), labels_of_codes(source))


def _compared(both: NextToOriginal, covered: Collection[str], codes: Faces) -> dict[str, Any]:
    """Return the figures, the bands, and the distributions of one release.

    If the page covers a column, values that few records or people have are not named. `codes`
    contains the labels of codes.
    """
    opened = both.opened[0]
    facts = compared_facts(both, "the table", NO_QUESTIONS)
    own = facts.releases[0]
    certificate, words = opened.certificate, {}
    if opened.policy is not None:
        words = {printable(name): printable(says) for name, says in opened.policy.words.items()}
    risk, largest, persons = own.mean_risk, own.largest_risk, persons_of(certificate)
    if certificate is not None:
        largest = certificate.risk.highest
        risk = risk if persons is None else certificate.risk.average
    table = both.found[0].learned.table
    attributes = [
        _with_labels(
            _attribute(both, facts, at, words, fewest=FEWEST if column.name in covered else 1),
            codes.get(column.name, {}),
        )
        for at, column in enumerate(table.columns)
        if column.name in both.quasi
    ]
    return {
        "promise": own.promise,
        "recoding": own.recoding,
        "noisy": own.is_noisy,
        "risk": risk,
        "largest": largest,
        "left_open": own.left_open,
        "records": facts.records,
        "released": own.records,
        "suppressed": own.masked + own.left_out,
        "persons": persons,
        "two_way": own.distances.two_way,
        "attributes": attributes,
        # The risks of people are the risks in the certificate.
        "notes": [one for one in facts.notes if persons is None or one != RISKS_OF_RECORDS],
    }


def _attribute(
    both: NextToOriginal, facts: ComparisonFacts, at: int, words: Mapping[str, str], *, fewest: int
) -> dict[str, Any]:
    """Return the bands and distributions of a quasi-identifier, without naming rare values."""
    found, own = both.found[0], facts.releases[0]
    table = found.learned.table
    column = table.columns[at]
    name, labels = printable(column.name), found.labels[at] if found.labels else {}
    shown = ~found.masked
    often = None if fewest == 1 else both.holders(column.name) >= fewest
    bands = bands_of(
        column, table.codes[at][shown], table.weights[shown], labels, facts.records, often
    )
    everything = {
        column.parts - 1,
        *(labels[one] for one in (SUPPRESSED, MISSING) if one in labels),
    }
    left = not {*table.codes[at][shown].tolist()} <= everything
    named = [
        b
        for b in bands
        if b.whole
        or fewest == 1
        or (
            b.share * facts.records >= fewest - 0.5
            and both.holding(column.name, b.members) >= fewest
        )
    ]
    groups, before, after = before_and_after(both.original, table, column.name, own.left_out, often)
    return {
        "name": name,
        "column": column.name,
        "left": left,
        "words": in_words(words[name], left=left) if name in words else None,
        "bands": [_shown(b) for b in named[:_MOST_BANDS]],
        "more": len(bands) - len(named[:_MOST_BANDS]),
        "overlapping": overlapping(bands),
        "labels": [printable(text) for text in groups.labels],
        "places": groups.places,
        "before": before,
        "after": after,
        "distance": own.distances.columns[column.name],
        "removed": column.name in own.distances.removed,
    }


def _shown(band: Band) -> dict[str, Any]:
    ends = {"low": band.low, "high": band.high, "whole": band.whole}
    return {"label": printable(band.label), "share": band.share, **ends}


def _with_labels(attribute: dict[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """Add the labels of codes to the bands and the values of a quasi-identifier."""
    return {
        **attribute,
        "bands": [{**one, "label": with_label(one["label"], labels)} for one in attribute["bands"]],
        "labels": [with_label(text, labels) for text in attribute["labels"]],
    }
