"""Report codes that a file declares as missing, and that become plain missing values.

A column keeps such a code as a separate value if each of its values has a label.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from roadstead.printable import named, printable
from roadstead.reports.wording import listed
from roadstead.tables.source import ProgramFile, Source


def declared_codes_lost(source: Source, columns: Collection[str]) -> Iterator[str]:
    """Yield one sentence per column with such codes."""
    if not isinstance(source.format, ProgramFile):
        return
    for name in columns:
        notes = source.format.codebook.of(name)
        if not notes.codes_lost:
            continue
        codes = listed([printable(one) for one in notes.codes_lost])
        several = len(notes.codes_lost) > 1 or " to " in codes
        becoming = "become plain missing values" if several else "becomes a plain missing value"
        yield (
            f"{named(name)}: the declared missing {'codes' if several else 'code'} {codes} "
            f"{becoming}, because not all values of the column have labels."
        )
