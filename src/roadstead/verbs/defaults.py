"""Find the default hierarchy of a column based on a code system or on the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tomlkit

from roadstead.code_systems.recognition import Recognition, recognized
from roadstead.front_end import worded
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.defaults import Meaning, propose
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.rules import MISSING
from roadstead.printable import named, printable_toml
from roadstead.release.persons.early_births import EarlyBirths, with_band
from roadstead.reports.wording import listed
from roadstead.tables.identifiers.vocabulary import is_called, meaning, words

_BY = {
    "name": "because of its name and its values",
    "form": "because of the form of its values",
    "values": "because of its values",
}


@dataclass(frozen=True)
class ProposedHierarchy:
    """A proposed hierarchy for a column, and the code systems that its values may belong to."""

    column: str
    declaration: Mapping[str, Any]
    systems: Recognition | None
    births_compared_with: int | None = None

    def build(self, values: Sequence[str]) -> Hierarchy:
        """Build the proposed hierarchy."""
        made = build_declared(self.column, self.declaration, values)
        return replace(made, births_compared_with=self.births_compared_with)

    def said(self) -> Iterator[str]:
        """Yield sentences that name the code system and describe how to change it."""
        found = self.systems
        if found is None:
            return
        if found.chosen is not None and self.declaration["kind"] == "codes":
            fit = "all" if found.fits == 1 else f"{int(100 * found.fits)}%"
            yield (
                f"Roadstead reads {named(self.column)} as {found.chosen.values}, {_BY[found.by]}: "
                f"{fit} of the distinct values fit{_besides(found)}."
            )
        elif found.chosen is None:
            names = listed([system.values for system in found.possible])
            books = listed([system.name for system in found.possible])
            line = self.line(found.possible[0].name)
            way = worded(
                command=f"under [hierarchies], write {line}. The code books are {books}",
                python=f"under [hierarchies], write {line}. The code books are {books}",
                page='choose "Code book" as the kind of levels, and then the book',
            )
            yield (
                f"The values of {named(self.column)} fit {names}, so Roadstead did not choose a "
                f"code book. If you know which codes they are, {way}."
            )

    def line(self, book: str) -> str:
        """Return the line of a project file that declares a code system for the column."""
        key = printable_toml(tomlkit.key(self.column).as_string())
        return f'{key} = {{kind = "codes", book = "{book}"}}'


def _besides(found: Recognition) -> str:
    """List the code systems of other countries that also match the values."""
    others = [system.values for system in found.besides]
    return f". They also fit {listed(others)}" if others else ""


def proposed_hierarchy(
    column: str,
    values: Sequence[str],
    means: Meaning | None = None,
    born: EarlyBirths | None = None,
) -> ProposedHierarchy:
    """Propose a hierarchy for the distinct values of a column.

    `means` is the meaning of the numbers if the column name does not indicate this meaning. For a
    column of births, `born` is a band for early births (see `early_births`).
    """
    means = means or meaning(column)
    texts = [value for value in values if value != MISSING]
    found = None
    if means not in ("days", "capped-age"):
        found = recognized(words(column), texts, postal=is_called(column, "zip"))
    if found is not None and found.chosen is not None and found.chosen.proposed:
        return ProposedHierarchy(column, {"kind": "codes", "book": found.chosen.name}, found)
    declaration = with_band(propose(column, values, means), born)
    year = None if born is None or "bottom" not in declaration else born.compared_with
    return ProposedHierarchy(column, declaration, found, year)


def default_hierarchy(
    column: str,
    values: Sequence[str],
    means: Meaning | None = None,
    born: EarlyBirths | None = None,
) -> Hierarchy:
    """Build the hierarchy that `proposed_hierarchy` proposes for a column."""
    return proposed_hierarchy(column, values, means, born).build(values)
