"""Define the settings for reading data.

A reader gets the data and these settings. The reader returns a `Source`, or None for data of a
different kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from roadstead.errors import SettingError, SourceError
from roadstead.front_end import option
from roadstead.tables.dialect import AsWritten, Sniffed, dialect_of_header, sniff


@dataclass(frozen=True)
class Manner:
    """The settings for reading data.

    `written` contains the user's settings for how a text file is written. `name` is the name of the
    table in messages. The default is the name of the data. If `private` is set, a record must not
    affect how, or whether, other records are read. This is not possible for the files of programs
    such as Excel and SPSS. Such files are rejected unless `programs` is set. `skip_rows` lists the
    rows to skip (:mod:`roadstead.tables.skipped_rows`). `layout` is a DDI codebook with the places
    of the fields (:mod:`roadstead.tables.laid_out`).
    """

    memory_limit: str
    written: AsWritten = field(default_factory=AsWritten)
    name: str | None = None
    private: bool = False
    programs: bool = False
    skip_rows: str | None = None
    layout: Path | None = None

    def dialect(self, path: Path) -> Sniffed:
        """Determine how a text file is written."""
        return (dialect_of_header if self.private else sniff)(path, **self.written)

    def in_memory(self) -> None:
        """Reject settings for text files, because a table in memory is not read from text."""
        for key, value in {**self.written, "skip_rows": self.skip_rows}.items():
            if value is not None:
                what = "this setting is for text files, but the table is in memory"
                raise SettingError(what, where=option(key), fix="leave it out")

    def without_records(self, name: str) -> None:
        """Reject a table without records, unless this would reveal that it has no records."""
        if not self.private:
            raise SourceError(
                "there are no records", where=name, fix="use a table that has records"
            )

    def header_again(self, name: str, line: int) -> None:
        """Reject a file if the record on this line repeats the header; line 0 means no record."""
        if line and not self.private:
            what = "this record repeats the header, as if several files were joined together"
            fix = "remove the line, or put the separate files into a folder and use the folder"
            raise SourceError(what, where=f"{name}, line {line}", fix=fix)
