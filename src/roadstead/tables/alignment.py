"""Recognize lines whose fields are aligned or separated by blanks rather than by a delimiter.

If Roadstead read such a file as a delimited file, the table would have one column, and the first
patient would become the header. A *gap* is a run of positions that are blank in every line, with
text on both sides. A gap next to a delimiter, as in ``M, 34``, is ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from roadstead.errors import SourceError
from roadstead.front_end import option

_FEWEST = 5
"""The minimum number of lines to examine. Fewer lines may agree by chance."""
_FEWEST_WORDS = 3
MOST_LINES = 2000
_KINDS = 3
"""The largest number of kinds of records in a file with fields of fixed width."""
_LONG = 20
"""The length from which it is unlikely that a header is exactly as long as a value."""
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)*")


def require_delimiters(path: Path, lines: Sequence[str], delimiter: str | None) -> None:
    """Raise SourceError if the fields of the lines are aligned or separated by blanks.

    `delimiter` splits the lines into cells. None means that each line is one cell.
    """
    if len(lines) < _FEWEST:
        return
    lines = lines[:MOST_LINES]
    ways = f"{option('header', True)} or {option('header', False)}"
    if widths := field_widths(lines, delimiter):
        many = ",".join(map(str, widths))
        called = ",".join(f"NAME{at}" for at in range(1, len(widths) + 1))
        raise SourceError(
            f"each line looks like {len(widths)} fields of fixed width (fields without a "
            "blank between them count as one field), not like cells between delimiters",
            where=path.name,
            fix=(
                "give the width and the name of each field, for example, "
                f"'{path.name}?widths={many}&names={called}'; or give a layout file, "
                f"'{path.name}?layout=FILE' (a DDI codebook, or a CSV file with the name, start, "
                f"and width of each field); for a table with delimiters, give {ways}"
            ),
        )
    if delimiter is None and separated_by_blanks(lines):
        fix = f"save it as CSV; for a table with one column, give {ways}"
        if not any("  " in line.strip() for line in lines):
            fix = f"give {option('delimiter', ' ')}; for a table with one column, give {ways}"
        what = "blanks seem to separate the cells of each line"
        raise SourceError(what, where=path.name, fix=fix)
    if delimiter is None and (same_form(lines) or same_lengths(lines)):
        what = "the first line looks like the others, so it is unclear whether it is a header"
        fix = (
            f"give {ways}; for fields of fixed width, give '{path.name}?widths=W,W&names=A,B', or "
            f"'{path.name}?layout=FILE' with a layout or a DDI codebook"
        )
        raise SourceError(what, where=path.name, fix=fix)


def field_widths(lines: Sequence[str], delimiter: str | None = None) -> list[int]:
    """Return the widths of aligned fields, each including the gap after the field."""
    found = [line.rstrip() for line in lines]
    if "\t" in "".join(found) or (delimiter is not None and len({*map(len, lines)}) > 1):
        return []
    # Some programs remove blanks at the ends of lines, so up to a quarter of the lines may be
    # shorter.
    lengths = sorted(map(len, found))
    usual, longest = lengths[len(lengths) // 4], lengths[-1]
    blank = [not any(line[at : at + 1].strip() for line in found) for at in range(usual)]
    starts = [at for at in range(1, usual) if blank[at - 1] and not blank[at]]
    # The header above a single column of dates and times ends before the first gap.
    starts = [at for at in starts if at < len(found[0]) and not all(blank[:at])]
    if delimiter is not None:
        starts = [at for at in starts if not _at_delimiter(found, blank, at, delimiter)]
    return [end - start for start, end in pairwise([0, *starts, longest])] if starts else []


def _at_delimiter(lines: Sequence[str], blank: Sequence[bool], at: int, delimiter: str) -> bool:
    """Return whether every line has a delimiter before or after a gap."""
    before = max(place for place in range(at) if not blank[place])
    return any(all(line[place] == delimiter for line in lines) for place in (before, at))


def separated_by_blanks(lines: Sequence[str]) -> bool:
    """Return whether all lines have the same number of words, and one column has only numbers.

    The number of words must be at least three. The first line may be a header without numbers.
    """
    words = [line.split() for line in lines]
    if len(words[0]) < _FEWEST_WORDS or len({*map(len, words)}) > 1:
        return False
    return any(all(map(_NUMBER.fullmatch, column)) for column in zip(*words[1:], strict=True))


def same_form(lines: Sequence[str]) -> bool:
    """Return whether all lines have digits and letters at the same positions."""
    forms = set(map(_form, lines))
    return len(forms) == 1 and "9" in next(iter(forms))


def same_lengths(lines: Sequence[str]) -> bool:
    """Return whether all lines, including the first line, are long and have only a few lengths.

    Fields of fixed width without gaps have one length for each kind of record.
    """
    lengths = Counter(len(line.rstrip()) for line in lines)
    few = len(lengths) <= min(_KINDS, len(lines) // _FEWEST)
    return few and min(lengths) >= _LONG and lengths[len(lines[0].rstrip())] > 1


def _form(line: str) -> str:
    return re.sub(r"[^\W\d_]", "A", re.sub(r"\d", "9", line.strip()))
