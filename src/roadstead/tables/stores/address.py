"""The parts of an address of a database, taken apart with care, for the stores that read one.

A command line is seen by every user of a machine and kept in the history of the shell, so a
password in an address is refused. Every character ``@`` that does not stand between a user and a
host is refused as well, because it is what a password with a ``/``, ``?`` or ``#`` leaves behind.
No message repeats an address.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from roadstead.errors import SourceError
from roadstead.tables.locations import TableName

if TYPE_CHECKING:
    from pathlib import Path

Options: TypeAlias = tuple[tuple[str, str], ...]

SECRET = re.compile(
    r"pass(?!file)|pwd|secret|token|credential|(api|access|private)_?key", re.IGNORECASE
)
_WORD = re.compile(r"\w{1,30}", re.ASCII)
_DRIVE = re.compile(r"/[A-Za-z]:[/\\]")
_NAME_FORMS = ("NAME", "SCHEMA.NAME", "CATALOG.SCHEMA.NAME")


@dataclass(frozen=True)
class Form:
    """How the addresses of a scheme are written.

    `example`: an address; None where there are many forms. `password`: what to do in the place of
    writing a password. `parts`: most parts of a table's name.
    """

    example: str | None = None
    password: str = "give it in the way that the database's own tools do"  # noqa: S105 - advice
    parts: int = 2


@dataclass(frozen=True)
class Address:
    """A text that names a table by a scheme.

    `text`: the whole text. `scheme`: what it begins with, in small letters. `form`: how such
    addresses are written. `base`: the folder that relative paths start at.
    """

    text: str
    scheme: str
    form: Form
    base: Path

    @property
    def rest(self) -> str:
        """What follows the scheme."""
        return self.text.partition("://")[2]

    def split(self) -> SplitResult:
        """Split an address of a server.

        Raises SourceError: it has a password, or what may be part of one, or is not written like an
        address.
        """
        try:
            parts = urlsplit(self.text)
            password, _ = parts.password, parts.port
        except ValueError:
            raise self.wrong(
                "is not written like one", "write scheme://host:port/database?table=NAME"
            ) from None
        if password is not None or self.text.count("@") > min(parts.netloc.count("@"), 1):
            raise self.holds_password()
        if "#" in self.text:
            raise self.wrong("has a #", "write it as %23")
        return parts

    def table(self, query: str) -> tuple[TableName, Options]:
        """Take the table out of the query, where it must be.

        Raises SourceError: there is none, or the rest holds a secret.
        """
        pairs = [part.partition("=") for part in query.split("&") if part]
        named = [(unquote(name), unquote(value)) for name, _, value in pairs]
        tables = [value for name, value in named if name == "table"]
        options = tuple((name, value) for name, value in named if name != "table")
        if any(SECRET.search(name) for name, _ in options):
            raise self.holds_password()
        if len(tables) != 1 or not tables[0]:
            raise self.wrong(
                "names two tables" if len(tables) > 1 else "names no table",
                f"write {self.form.example or f'{self.scheme}://...?table=NAME'}",
            )
        return self._table_name(tables[0]), options

    def _table_name(self, text: str) -> TableName:
        """Part a name at its dot; a part in double quotes may have dots, and quotes doubled."""
        pattern = r'"(?:[^"]|"")+"|[^".]+'
        if not re.fullmatch(rf"(?:{pattern})(?:\.(?:{pattern})){{0,{self.form.parts - 1}}}", text):
            *forms, last = _NAME_FORMS[: self.form.parts]
            raise self.wrong(
                f"does not name its table as {', '.join(forms)} or {last}",
                'put a name that has a dot or a quote in double quotes: table=care."odd.name"',
            )
        parts = [
            part[1:-1].replace('""', '"') if part.startswith('"') else part
            for part in re.findall(pattern, text)
        ]
        return TableName(*reversed(parts))

    def holds_password(self) -> SourceError:
        """Say that nobody should write a password there."""
        return self.wrong(
            "holds a password, which others could read",
            f"take it out and {self.form.password}; "
            "write an @ elsewhere than between user and host as %40",
        )

    def unknown(self, name: str, known: tuple[str, ...] = ()) -> SourceError:
        """Say that there is no such setting."""
        # What is no plain word may be a piece of something that nobody should see.
        shown = f" {name}" if _WORD.fullmatch(name) else ""
        fix = (
            f"the settings are table, {', '.join(known)}" if known else "the only setting is table"
        )
        return self.wrong(f"has an unknown setting{shown}", fix)

    def wrong(self, what: str, fix: str) -> SourceError:
        """Say what is wrong, and show no more of the address than its scheme."""
        return wrong(self.scheme, what, fix)


def wrong(scheme: str, what: str, fix: str) -> SourceError:
    """Say what is wrong with an address, and show no more of it than its scheme."""
    return SourceError(f"the address {what}", where=f"{scheme}://", fix=fix)


def path_of(written: str) -> str:
    """Give the path that a part of an address stands for."""
    path = unquote(written)
    return path[1:] if _DRIVE.match(path) else path
