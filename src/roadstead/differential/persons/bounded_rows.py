"""Choose a limited number of rows per person at random, independently of other people.

If at most c rows per person are kept, adding or removing a person changes at most c rows, and does
not change the rows of other people. For each person, the rows with the smallest tags are chosen. A
tag is a keyed hash of the person and of the row's content (BLAKE2b with a key is a pseudorandom
function; RFC 7693). The key is drawn for one release and is not kept. Equal rows are numbered, so
that their tags differ. Only the custodian sees how many rows were not chosen.
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
"""The length of a tag in bytes.

Among tables of 2^32 rows, about one in 2^64 has two rows of one person with the same tag.
"""
_LENGTH = 8
_LEAST_KEY = 16


def at_most(
    table: FrequencyTable, person: str, most: int, key: bytes
) -> tuple[FrequencyTable, PersonTally]:
    """Keep at most `most` rows of each person, chosen with a secret key of 16 to 64 bytes.

    `table` counts the rows by person and by all columns of the release. The result has only the
    columns of the release. Rows without a person are omitted.
    """
    if most < 1:
        raise SettingError(
            f"the largest number of rows per person cannot be {most}",
            where="rows of a person",
            fix="give a number that is at least 1",
        )
    if len(key) < _LEAST_KEY:
        raise ValueError("the key can be guessed")
    rows = PersonRows.of(table, person)
    kept = np.where(rows.known, table.counts, 0)
    each = np.zeros(len(rows.names), dtype=np.int64)
    np.add.at(each, rows.owner, kept)
    # A choice is necessary only for people with too many rows.
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
    """Among the rows that have the smallest tags, count the rows with each content."""
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
    """Return the length of a string and the string, so that different rows give different bytes."""
    content = text.encode("utf-8", "surrogatepass")
    return len(content).to_bytes(_LENGTH, "big") + content
