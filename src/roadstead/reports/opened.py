"""Describe a table that was opened, and its codebook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.reports.wording import counted, first_few
from roadstead.tables.source import Source

_NUMBERED = re.compile(r" \([0-9]+\)$")


def opened_table(source: Source, held: str) -> str:
    """Describe a table. `held` describes an identifier in the original name, or is empty."""
    columns = counted(len(source.columns), "column")
    if source.from_folders:
        columns += f" ({', '.join(source.from_folders)} from the names of folders)"
    skipped = f", {source.skipped}" if source.skipped else ""
    unnamed = names_given(source)
    renamed = (
        f"; the name of the table contains {held}, so the documents use the name {source.name}"
    )
    form = source.format.describe()
    return f"{source.name}: {form}, {columns}{skipped}{unnamed}{renamed if held else ''}"


def names_given(source: Source) -> str:
    """Say which columns have a name that the header of the table does not contain."""
    numbered = [named(name) for name in source.named_by_us if _NUMBERED.search(name)]
    said = [
        f"; the first column has no name, so Roadstead calls it {x}"
        for x in source.named_by_us
        if not _NUMBERED.search(x)
    ]
    if numbered:
        said.append(f"; columns with the same name are numbered: {first_few(numbered)}")
    return "".join(said)


def described_by(source: Source) -> str:
    """Describe what information the codebook of a table provides."""
    codebook = source.codebook
    assert codebook is not None  # noqa: S101 - callers have checked
    columns = len(source.columns)
    found = columns - len(codebook.lacking(source.columns))
    labeled = sum(
        bool(one.notes.labels) for name, one in codebook.columns.items() if name in source.columns
    )
    return (
        f"{codebook.name}: {codebook.kind}, describes {found:,} of {counted(columns, 'column')}, "
        f"with labels in {counted(labeled, 'column')}"
    )


def made_missing(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Describe how many values became missing, so that users notice if a code is a real value."""
    if not counts:
        return f"No column has a value that {option('missing')} lists."
    return f"Values that you declared as missing: {_by_column(counts)}."


def codebook_lines(source: Source) -> Iterator[str]:
    """Describe the codebook of a table, if there is one, and the missing codes that it declares."""
    if source.codebook is not None:
        yield described_by(source)
    yield from codebook_codes(source)


def codebook_codes(source: Source) -> Iterator[str]:
    """Describe which missing codes of a codebook occur, and name the columns that have none."""
    if source.codebook_missing:
        yield _codebook_missing(source)
    if source.codebook is not None and source.codebook_unused:
        columns = first_few([*map(named, source.codebook_unused)])
        yield (
            f"No value of {columns} is a code that {named(source.codebook.name)} declares as "
            "missing."
        )


def _codebook_missing(source: Source) -> str:
    """Describe how many values became missing because the codebook declares them as missing."""
    assert source.codebook is not None  # noqa: S101 - it declares the codes
    counts: dict[str, dict[str, int]] = {}
    for entry, number in source.codebook_missing.items():
        name, _, code = entry.partition("=")
        counts.setdefault(name, {})[code] = number
    first = named(next(iter(counts)))
    return (
        f"Values that {named(source.codebook.name)} declares as missing: {_by_column(counts)}. "
        f"To keep them as values, use {option('missing', [f'{first}='])}."
    )


def recorded_codes(codes: Sequence[str], rare: Sequence[str]) -> str:
    """Say which missing codes of a release are used for its original, and which are unknown."""
    known = (
        f"Roadstead uses the missing codes in the certificate: {', '.join(map(named, codes))}. "
        if codes
        else ""
    )
    if rare:
        return (
            f"{known}The release has more missing codes in {', '.join(map(named, rare))}. "
            "The certificate does not list them, because few records have them. To read "
            f"the table in the same way, give all codes with {option('missing')}."
        )
    return f"{known}To use other codes, give {option('missing')}."


def _by_column(counts: Mapping[str, Mapping[str, int]]) -> str:
    listed = (
        f"{sum(by_code.values()):,} in {named(name)}{_by_code(by_code)}"
        for name, by_code in counts.items()
    )
    return ", ".join(listed)


def _by_code(counts: Mapping[str, int]) -> str:
    """Describe how many values each code made missing, if a column has several codes."""
    listed = ", ".join(f"{code}: {number:,}" for code, number in counts.items())
    return f" ({listed})" if len(counts) > 1 else ""
