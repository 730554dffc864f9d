"""Parse database addresses for the stores, and reject addresses that contain passwords.

Every user of a computer can see command lines, and the shell stores them in its history. The
character ``@`` is also rejected, except between a user and a host, because a password may be before
this character. Messages never repeat an address.
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
class AddressForm:
    """The form of addresses with a scheme."""

    example: str | None = None  # None if there are many forms
    # The alternative to writing a password.
    password: str = "give the password in the way that the database's own tools use"  # noqa: S105 - advice
    parts: int = 2  # the maximum number of parts in a table's name


@dataclass(frozen=True)
class Address:
    """An address of a table, which begins with a scheme."""

    text: str
    scheme: str  # the scheme, in lowercase letters
    form: AddressForm
    base: Path  # the folder that relative paths start at

    @property
    def rest(self) -> str:
        """The text after the scheme."""
        return self.text.partition("://")[2]

    def split(self) -> SplitResult:
        """Split the address of a server, and reject a password or a possible part of a password."""
        try:
            parts = urlsplit(self.text)
            password, _ = parts.password, parts.port
        except ValueError:
            raise self.wrong(
                "does not have the form of an address",
                "write scheme://host:port/database?table=NAME",
            ) from None
        if password is not None or self.text.count("@") > min(parts.netloc.count("@"), 1):
            raise self.holds_password()
        if "#" in self.text:
            raise self.wrong("contains a #", "write it as %23")
        return parts

    def table(self, query: str) -> tuple[TableName, Options]:
        """Return the table and the options in the query of an address. Reject secret options."""
        pairs = [part.partition("=") for part in query.split("&") if part]
        named = [(unquote(name), unquote(value)) for name, _, value in pairs]
        tables = [value for name, value in named if name == "table"]
        options = tuple((name, value) for name, value in named if name != "table")
        if any(SECRET.search(name) for name, _ in options):
            raise self.holds_password()
        if len(tables) != 1 or not tables[0]:
            what = "names two tables" if len(tables) > 1 else "does not name a table"
            example = self.form.example or f"{self.scheme}://...?table=NAME"
            raise self.wrong(what, f"write {example}")
        parts = name_parts(tables[0], self.form.parts)
        if parts is None:
            *forms, last = _NAME_FORMS[: self.form.parts]
            raise self.wrong(
                f"does not name its table as {', '.join(forms)} or {last}",
                'put a name with a dot or a quote in double quotes: table=care."odd.name"',
            )
        return TableName(*reversed(parts)), options

    def holds_password(self) -> SourceError:
        """Return the error for an address that contains a password."""
        return self.wrong(
            "contains a password, which others could read",
            f"remove it and {self.form.password}; write an @ as %40 unless it separates user and "
            "host",
        )

    def unknown(self, name: str, known: tuple[str, ...] = ()) -> SourceError:
        """Return the error for an address with an unknown setting."""
        # Text that is not a plain word may be part of a secret.
        shown = f" {name}" if _WORD.fullmatch(name) else ""
        fix = f"the settings are table, {', '.join(known)}"
        fix = fix if known else "the only setting is table"
        return self.wrong(f"has an unknown setting{shown}", fix)

    def wrong(self, what: str, fix: str) -> SourceError:
        """Return an error that shows only the scheme of the address."""
        return wrong(self.scheme, what, fix)


def name_parts(text: str, most: int) -> list[str] | None:
    """Split a name at its dots. Parts in double quotes may contain dots and doubled quotes.

    Returns None if the name has a different form or too many parts.
    """
    pattern = r'"(?:[^"]|"")+"|[^".]+'
    if not re.fullmatch(rf"(?:{pattern})(?:\.(?:{pattern})){{0,{most - 1}}}", text):
        return None
    return [
        part[1:-1].replace('""', '"') if part.startswith('"') else part
        for part in re.findall(pattern, text)
    ]


def wrong(scheme: str, what: str, fix: str) -> SourceError:
    """Return an error that shows only the scheme of an address."""
    return SourceError(f"the address {what}", where=f"{scheme}://", fix=fix)


def path_of(written: str) -> str:
    """Return the path that a part of an address represents."""
    path = unquote(written)
    return path[1:] if _DRIVE.match(path) else path
