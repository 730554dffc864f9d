"""Describe the labels of a release that a recipient could misunderstand.

The sentences do not contain counts of the original values. Otherwise, a recipient could compare
these counts with the released table, and learn the values of the suppressed people. They only
describe labels that the released table contains, and they do not advise the custodian.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from roadstead.errors import quoted
from roadstead.hierarchies.code_rules import Beginnings, CodeParts
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import plain_number
from roadstead.hierarchies.rules import Bands, Calendar
from roadstead.hierarchies.written_numbers import FIRST_OLD_AGE
from roadstead.printable import named
from roadstead.reports.noticed.births import band_of_births
from roadstead.tables.identifiers.vocabulary import is_called


def notes_for_sharing(
    hierarchies: Sequence[Hierarchy], left: Mapping[str, Collection[str]]
) -> Iterator[str]:
    """Yield sentences about bands and code books. `left` contains each column's released labels."""
    for made in hierarchies:
        name, shown = named(made.attribute), left.get(made.attribute, ())
        year, ages = made.births_compared_with, _band_of_ages(made)
        compared = f"The dates of birth were compared with the end of {year}" if year else ""
        births = next((one for one in _bands_of_births(made) if _contain(shown, one)), None)
        if births is not None:
            yield (
                f"Early births in {name} are in one band at every level: {births}. Safe Harbor "
                "requires one category for births that show an age over 89."
                + (f" {compared}." if compared else "")
            )
        elif compared and shown:
            yield f"{compared} to find ages over 89 in {name}."
        if ages is not None and _contain(shown, ages):
            yield (
                f"Ages over 89 in {name} are in the band {ages} at every level, as Safe Harbor "
                "requires."
            )
        rules = (level.rule for level in made.levels)
        codes = next((one for one in rules if isinstance(one, Beginnings | CodeParts)), None)
        if codes is not None and codes.other in shown:
            yield (
                f"Codes in {name} that are not in the code book {quoted(codes.book)} are shown as "
                f"{quoted(codes.other)}."
            )


def _contain(labels: Collection[str], band: str) -> bool:
    """Return whether at least one label contains the label of the band."""
    return any(band in label for label in labels)


def _bands_of_births(made: Hierarchy) -> Iterator[str]:
    """Yield the labels of the band for early births: in a hierarchy, and as an interval of days."""
    band, rule = band_of_births(made), made.levels[0].rule
    if band is not None:
        yield band
        if isinstance(rule, Calendar) and rule.bottom is not None:
            yield f"up to {rule.bottom - 1:04d}-12-31"


def _band_of_ages(made: Hierarchy) -> str | None:
    rule = made.levels[0].rule
    if not isinstance(rule, Bands) or rule.top is None or not is_called(made.attribute, "age"):
        return None
    return f"{plain_number(rule.top)}+" if rule.top <= FIRST_OLD_AGE else None
