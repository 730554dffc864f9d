"""At most so many rows of each person, chosen at random for each person independently.

A person more or less then changes the table by at most c rows, if it changes the rows of nobody
else. So no choice may depend on others: neither on their rows, as "the first c of a sorted table"
does where something sorted follows from all rows, nor on how many there are. Each row gets a tag,
a keyed hash of the person and of what the row holds; a person's rows are those with the smallest
tags. With a secret key the tags of distinct rows are as good as random and independent (BLAKE2b
with a key is a pseudorandom function; RFC 7693), so every choice of c rows is as likely as every
other. The key is drawn for one release and forgotten: nobody can tell which rows were chosen.

Rows that are equal in all that is looked at are told apart by a number; which of them is chosen
makes no difference. How many rows were not chosen follows from the data, and is told to nobody but
the custodian.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.persons.person_rows import PersonRows, PersonTally, without_person
from roadstead.errors import SettingError
from roadstead.tables.frequency import FrequencyTable

_TAG = 16
"""Bytes: two rows of one person have the same tag once in 2^64 tables of 2^32 rows."""
_LENGTH = 8
_LEAST_KEY = 16


def at_most(
    table: FrequencyTable, person: str, most: int, key: bytes
) -> tuple[FrequencyTable, PersonTally]:
    """Keep at most `most` rows of each person, by a secret key of 16 bytes or more, 64 at most.

    `table` counts the rows by person and by all columns that are to be released; the result has
    these columns alone. Rows of nobody (the person is missing) are left out.
    """
    if most < 1:
        raise SettingError(
            f"a person cannot have at most {most} rows",
            where="rows of a person",
            fix="give a number of 1 or more",
        )
    if len(key) < _LEAST_KEY:
        raise ValueError("the key can be guessed")
    rows = PersonRows.of(table, person)
    kept = np.where(rows.known, table.counts, 0)
    each = np.zeros(len(rows.names), dtype=np.int64)
    np.add.at(each, rows.owner, kept)
    # Only of who has too many a choice is to be made.
    order = np.argsort(rows.owner, kind="stable")
    starts = np.searchsorted(rows.owner[order], np.arange(len(rows.names) + 1))
    written = [[_written(text) for text in table.domains[at]] for at in rows.others]
    for one in np.flatnonzero(each > most).tolist():
        own = order[starts[one] : starts[one + 1]]
        begin = _written(rows.names[one])
        cells = (
            [texts[code] for code in table.codes[at][own].tolist()]
            for at, texts in zip(rows.others, written, strict=True)
        )
        contents = [begin + b"".join(row) for row in zip(*cells, strict=True)]
        kept[own] = _chosen(contents, table.counts[own], most, key)
    chosen = int(table.counts[rows.known].sum() - kept.sum())
    return without_person(table, person, kept), replace(rows.figures, not_chosen=chosen)


def _chosen(
    contents: Sequence[bytes], counts: NDArray[np.int64], most: int, key: bytes
) -> NDArray[np.int64]:
    """Count how many of the rows with each content are among those with the smallest tags."""
    tags = sorted(
        (blake2b(content + copy.to_bytes(_LENGTH, "big"), key=key, digest_size=_TAG).digest(), at)
        for at, (content, times) in enumerate(zip(contents, counts.tolist(), strict=True))
        for copy in range(times)
    )
    taken = np.zeros(len(contents), dtype=np.int64)
    for _, at in tags[:most]:
        taken[at] += 1
    return taken


def _written(text: str) -> bytes:
    """Write a text with its length before it, so that no two rows are written alike."""
    content = text.encode("utf-8", "surrogatepass")
    return len(content).to_bytes(_LENGTH, "big") + content
