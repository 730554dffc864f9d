"""Report values that are not among the codes that a codebook lists for a released column."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from roadstead.hierarchies.number_text import parse_number
from roadstead.printable import named
from roadstead.reports.wording import counted
from roadstead.tables.codebooks.described import plain
from roadstead.tables.formats.codebook import code_text
from roadstead.tables.frequency import summarize
from roadstead.tables.text import BLANKS

if TYPE_CHECKING:
    from roadstead.tables.codebooks.described import TableNotes
    from roadstead.tables.formats.codebook import Code, ColumnNotes
    from roadstead.tables.source import Source


def codes_not_listed(source: Source, columns: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each released column with values that its codebook does not list.

    New codes can appear in a later extract, and a policy releases them like the other values. The
    sentences do not contain the values, because few people may have them.
    """
    codebook = source.codebook
    if codebook is None:
        return
    for name, described in codebook.columns.items():
        notes = described.notes
        if name not in columns or name not in source.columns or described.type != "choice":
            continue
        if all(_is_missing(code, codebook, notes) for code in notes.texts):
            continue  # for example, a number whose codebook only explains the missing codes
        listed = {plain(code_text(code)) for code in notes.texts}
        listed |= {label.casefold() for label in notes.texts.values()}
        listed |= {plain(code_text(code)) for pair in notes.missing for code in pair}
        listed |= {plain(code) for code in codebook.missing}
        table = summarize(source, [name])
        counts = np.bincount(table.codes[0], table.counts, len(table.domains[0])).astype(np.int64)
        texts = [text.strip() for text in table.domains[0]]
        new = [
            at
            for at, text in enumerate(texts)
            if text not in BLANKS and not {plain(text), text.casefold()} & listed and counts[at]
        ]
        if new:
            of = counted(int(counts[[text not in BLANKS for text in texts]].sum()), "value")
            yield (
                f"{int(counts[new].sum()):,} of {of} of {named(name)} are not among the codes that "
                f"{named(codebook.name)} lists ({counted(len(new), 'different value')}). Check "
                "whether they are new codes or mistakes."
            )


def _is_missing(code: Code, codebook: TableNotes, notes: ColumnNotes) -> bool:
    """Return whether a labeled code is a missing code, or is in a range of missing codes."""
    text = code_text(code)
    if notes.is_missing(code) or text in codebook.missing:
        return True
    number = parse_number(text)
    spans = [pair for pair in notes.missing if isinstance(pair[0], float)]
    return number is not None and any(low <= number <= high for low, high in spans)  # type: ignore[operator] # numbers
