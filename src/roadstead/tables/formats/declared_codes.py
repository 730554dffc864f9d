"""Keep codes for missing values as separate values, such as ``refused``.

In a column of numbers, the table shows these codes as missing values. The staged copy of the file
contains the codes in additional columns. A release can keep the codes that enough records have. The
column of the release then contains text: the numbers and the labels of the codes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roadstead.tables.formats.codebook import LETTERS, Code, ColumnNotes, code_text, range_text
from roadstead.tables.missing_codes import without_codes
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from ibis.expr import types as ir

    from roadstead.tables.missing_codes import MissingCodes


@dataclass(frozen=True)
class DeclaredCodes:
    """The declared missing codes of numbers that a table shows as missing values.

    `table` is the table without the codes. `shown` contains the columns of this table, as columns
    of the staged table `rows`. For each column with declared codes, `codes` contains the staged
    column of code strings, and the number of records (or people) for each code.
    """

    rows: ir.Table
    table: ir.Table
    shown: Mapping[str, ir.Column]
    codes: Mapping[str, tuple[ir.Column, Mapping[float, int]]]

    def of_people(self, person: str) -> DeclaredCodes:
        """Count the people with each code, and return the codes. `person` is the ID column."""
        codes = {}
        for name, (staged, counts) in self.codes.items():
            rows = self.rows.select(code=staged, who=self.shown[person])
            having = rows.group_by("code").aggregate(people=rows["who"].nunique())
            people = {row["code"]: row["people"] for row in having.to_pyarrow().to_pylist()}
            codes[name] = (staged, {code: people.get(code_text(code), 0) for code in counts})
        return replace(self, codes=codes)

    def texts(
        self, column: str, notes: ColumnNotes, fewest: int, *, labels: bool
    ) -> dict[str, float]:
        """Map the texts in the table to the codes that at least `fewest` records or people have.

        If `labels` is false, because the format cannot contain labels, the text is the code itself.
        The result is in the order of the codes, which does not depend on the order of the records.
        """
        _, counts = self.codes[column]
        frequent = sorted(code for code, having in counts.items() if having >= fewest)
        found = {code: notes.missing_text(code) if labels else code_text(code) for code in frequent}
        return {text: code for code, text in found.items() if text is not None}

    def without(self, listed: MissingCodes) -> DeclaredCodes:
        """Return the codes and the table, in which `listed` codes become plain missing values."""
        shown = {**self.shown, **without_codes(self.shown, listed)}
        codes = {
            name: (
                staged,
                {c: n for c, n in counts.items() if listed.matching(name, code_text(c)) is None},
            )
            for name, (staged, counts) in self.codes.items()
        }
        return DeclaredCodes(self.rows, self.rows.select(**shown), shown, codes)

    def listed(self, codes: MissingCodes) -> dict[str, dict[str, int]]:
        """Count, by column and code, the records with declared codes that `codes` lists."""
        found: dict[str, dict[str, int]] = {}
        for name, (_, counts) in self.codes.items():
            for code, records in counts.items():
                if (text := codes.matching(name, code_text(code))) is not None:
                    own = found.setdefault(name, {})
                    own[text] = own.get(text, 0) + records
        return found

    def with_texts(self, texts: Mapping[str, Mapping[str, float]]) -> ir.Table:
        """Return the table, in which these codes are separate values."""
        import ibis  # noqa: PLC0415 - heavy

        columns = dict(self.shown)
        for name, own in texts.items():
            if not own:
                continue
            staged, _ = self.codes[name]
            cases = [(staged == code_text(code), text) for text, code in own.items()]
            value = as_text(columns[name]).nullif("")
            columns[name] = ibis.cases(*cases, else_=value)
        return self.rows.select(**columns)


def codes_lost(notes: ColumnNotes, found: Collection[Code], *, labeled: bool) -> tuple[str, ...]:
    """Return the missing codes that become plain missing values, as ranges from the file.

    The result does not contain single codes, because a code may be a real value, such as 97 if a
    file declares 90 to 99.
    """
    lost = {*found} - notes.labels.keys() if labeled else {*found}
    ranges = {notes.missing_range(code) for code in lost}
    letters = [code_text(code) for code in lost if notes.missing_range(code) == LETTERS]
    return (
        *(range_text(ends) for ends in notes.missing if ends in ranges and ends != LETTERS),
        *sorted(letters),
    )
