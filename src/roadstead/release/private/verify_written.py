"""Check that the files of a differentially private release are exactly as Roadstead writes them.

The module rewrites each file and compares the bytes. So quotes, blanks, keys, or unread bytes
cannot hide any information.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roadstead.errors import VerificationError
from roadstead.release.documents import fingerprint
from roadstead.release.private.cut import CUT, CutDocument, write_cut
from roadstead.release.private.tables import (
    GROUPS,
    RECORDS,
    groups_header,
    read_lines,
    records_header,
    write_lines,
)
from roadstead.release.verification.checks import Check
from roadstead.release.written import OTHER_BYTES
from roadstead.tables.scratch import scratch


def check_written(folder: Path, document: CutDocument) -> Iterator[Check]:
    """Check the bytes of the cut and the tables. Other checks report unreadable files."""
    attributes, target = [one.attribute for one in document.attributes], document.target
    tables = {RECORDS: records_header(attributes, target)}
    if target is not None and (folder / GROUPS).exists():
        tables[GROUPS] = groups_header(attributes, target, document.classes)
    with scratch() as aside:
        again = Path(aside)
        write_cut(document, again / CUT)
        yield _same(folder, again, CUT)
        for name, header in tables.items():
            try:
                write_lines(header, read_lines(folder / name, header), again / name)
            except VerificationError:
                continue
            yield _same(folder, again, name)


def _same(folder: Path, again: Path, name: str) -> Check:
    wrong = None if fingerprint(folder / name) == fingerprint(again / name) else OTHER_BYTES
    return Check.of(
        f"{name} has the format that Roadstead writes", wrong, "it contains nothing else"
    )
