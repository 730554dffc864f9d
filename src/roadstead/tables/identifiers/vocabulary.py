"""Read words from the files in ``data``. The words indicate the content of columns and values.

A pattern may refer to patterns of other files by name. For example, ``<phone>`` includes the
telephone patterns of `languages.toml`, ``<column_zip>`` includes the ZIP code patterns of
`columns.toml`, and ``<no>`` includes the usual endings of names for number columns. Roadstead
searches the words of a column's name for the patterns. For example, ``patientZip`` and ``PATIENT
ZIP`` both become patient_zip.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal

from roadstead.tables.identifiers.normal import plain

_DATA = files(__package__) / "data"
_NUMBER = "_?(identification|identifier|id|no|nr|nbr|num|number|code|key)"
_PLACEHOLDER = re.compile(r"<([a-z_]+)>")
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_WORD = re.compile(r"\W+")


@dataclass(frozen=True)
class TextForm:
    """A function object that checks whether a string, or a part of it, has a form."""

    written: str
    flags: int = re.ASCII | re.IGNORECASE
    within: bool = False

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.written, self.flags)

    def match(self, text: str) -> re.Match[str] | None:
        """Return the match of the form in the text, or None if there is no match."""
        return self._compiled.search(text) if self.within else self._compiled.fullmatch(text)

    def __call__(self, text: str) -> bool:
        """Return whether the text has the form."""
        return self.match(text) is not None


@cache
def table_of(name: str) -> dict[str, Any]:
    """Read a TOML data file."""
    return tomllib.loads((_DATA / name).read_text(encoding="utf-8"))


@cache
def pattern(written: str) -> re.Pattern[str]:
    """Compile a pattern in the notation of the files."""
    return re.compile(_whole(written))


def _whole(written: str) -> str:
    return _PLACEHOLDER.sub(lambda found: _named(found[1]), "".join(written.split()))


def _named(name: str) -> str:
    if name == "no":
        return _NUMBER
    if name.startswith("column_"):
        return _whole(table_of("columns.toml")[name.removeprefix("column_")])
    return "".join(table_of("languages.toml")[name].split())


def words(name: str) -> str:
    """Return a column's name in lowercase, without accents, and with underscores between words."""
    parts = unicodedata.normalize("NFKD", name.replace("\N{LATIN SMALL LETTER SHARP S}", "ss"))
    plain = "".join(sign for sign in parts if not unicodedata.combining(sign))
    return _NO_WORD.sub("_", _BETWEEN_WORDS.sub("_", plain)).lower()


def is_called(name: str, *kinds: str) -> bool:
    """Return whether a column has a name of one of these kinds in `columns.toml`.

    The census's public files (ACS PUMS) have short column names, such as AGEP or RAC1P, which
    `columns.toml` also lists.
    """
    columns, called = table_of("columns.toml"), words(name)
    return any(
        (kind in columns and pattern(columns[kind]).search(called))
        or name.lower() in columns["census"].get(kind, "").split()
        for kind in kinds
    )


def meaning(name: str) -> Literal["any", "age", "code", "id", "zip"]:
    """Return what the name of a column says about its numbers, or ``any`` if this is unclear.

    For an ``id`` or a ``code``, neighboring numbers such as 11 and 12 are not similar.
    """
    if is_called(name, "age") and not is_called(name, "zip"):
        return "age"
    kinds: tuple[Literal["zip", "id", "code"], ...] = ("zip", "id", "code")
    return next((kind for kind in kinds if is_called(name, kind)), "any")


@cache
def given_names() -> frozenset[str]:
    """Return frequent lowercase given names of the United States and of other countries.

    The first list contains the names of about half of the people in the United States (U.S. Census
    Bureau, frequently occurring first names, Census 1990, public domain). The second list was
    compiled by hand, without names that are also places or ordinary words.
    """
    files = ("given_names.txt", "given_names_more.txt")
    return frozenset(" ".join((_DATA / one).read_text(encoding="utf-8") for one in files).split())


@cache
def surnames() -> frozenset[str]:
    """Return some frequent lowercase surnames of several countries, without accents.

    Some surnames are also ordinary words. The list was compiled by hand and is not complete.
    """
    return frozenset((_DATA / "surnames.txt").read_text(encoding="utf-8").split())


@cache
def ordinary_words() -> frozenset[str]:
    """Return lowercase words that do not name a person, even if they are capitalized.

    The words are the 11,000 most common English words, lowercase words from titles of diagnoses,
    and names of countries and peoples, states, specialties, days, and months. Sources: SCOWL
    (2020.12.07, sizes 10 and 20), copyright 2000-2011 by Kevin Atkinson: permission to use, copy,
    modify, distribute and sell these word lists is granted without fee, provided that this notice
    appears in all copies; ICD-9-CM and ICD-10-CM (2019), Centers for Medicare & Medicaid Services,
    public domain.
    """
    return frozenset((_DATA / "ordinary_words.txt").read_text(encoding="utf-8").split())


@cache
def is_ordinary(word: str) -> bool:
    """Return whether each part of a word is a form of an ordinary word."""
    small = plain(word).replace("\u2019", "'").removesuffix("'s")
    parts = small.split("-")
    return all(_in_list(part) for part in parts if part)


def _in_list(word: str) -> bool:
    known = ordinary_words()
    return word in known or any(
        word.endswith(ending) and word[: -len(ending)] + rest in known
        for ending, rest in (
            ("s", ""),
            ("es", ""),
            ("ies", "y"),
            ("ed", ""),
            ("ing", ""),
            ("ed", "e"),
        )
    )


def is_listed(word: str) -> bool:
    """Return whether a word is a frequent given name or surname, but not an ordinary word."""
    return is_a_name(word) and not is_ordinary(plain(word))


def is_a_name(word: str) -> bool:
    """Return whether a word is a frequent given name or surname, even if it is an ordinary word."""
    small = plain(word)
    return small in given_names() or small in surnames()


@cache
def populous_areas() -> frozenset[str]:
    """Return the three-digit ZIP areas with more than 20,000 people, which a release may show.

    All other areas must be written as 000. Among the areas with ZIP Code Tabulation Areas, the
    following have 20,000 people or fewer: 036 059 102 202 203 204 205 369 556 692 753 772 821 823
    878 879 884 893. The census counted no people in the remaining areas, so these areas also become
    000. Source: U.S. Census Bureau, Census 2010 Gazetteer, population by ZIP Code Tabulation Area,
    added up by the first three digits (United States and Puerto Rico). Public domain.
    """
    spans = (_DATA / "zip_areas.txt").read_text(encoding="utf-8").split()
    return frozenset(
        f"{area:03d}" for span in spans for area in range(int(span[:3]), int(span[-3:]) + 1)
    )
