"""Report values that are not among the codes that a codebook lists for a released column."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from roadstead.printable import named
from roadstead.reports.wording import counted
from roadstead.tables.codebooks.described import plain
from roadstead.tables.formats.codebook import code_text
from roadstead.tables.frequency import summarize
from roadstead.tables.text import BLANKS

if TYPE_CHECKING:
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
        if not notes.texts:
            continue
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
