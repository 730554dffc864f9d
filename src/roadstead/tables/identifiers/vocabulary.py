"""Words that tell what columns and values are, from the files in ``data``.

Patterns are written there over several lines, with the patterns of other languages by their names:
``<phone>`` stands for what `languages.toml` has for telephones, ``<column_zip>`` for what
`columns.toml` has for ZIP codes, and ``<no>`` for how a column of numbers ends.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

_DATA = files(__package__) / "data"
_NUMBER = "_?(id|no|nr|nbr|num|number|code|key)"
_PLACEHOLDER = re.compile(r"<([a-z_]+)>")


def text_of(name: str) -> str:
    """Read a file of data."""
    return (_DATA / name).read_text(encoding="utf-8")


@cache
def table_of(name: str) -> dict[str, Any]:
    """Read a file of data in TOML."""
    return tomllib.loads(text_of(name))


def pattern(written: str) -> re.Pattern[str]:
    """Compile a pattern as it is written in a file."""
    return re.compile(_whole(written))


def column_pattern(name: str) -> re.Pattern[str]:
    """Compile the pattern of columns that hold something."""
    return pattern(table_of("columns.toml")[name])


def census_columns(kind: str) -> frozenset[str]:
    """Give the names of columns in public files of the census, of one kind."""
    return frozenset(table_of("columns.toml")["census"][kind].split())


def _whole(written: str) -> str:
    return _PLACEHOLDER.sub(lambda found: _named(found[1]), "".join(written.split()))


def _named(name: str) -> str:
    if name == "no":
        return _NUMBER
    if name.startswith("column_"):
        return _whole(table_of("columns.toml")[name.removeprefix("column_")])
    return "".join(table_of("languages.toml")[name].split())


GIVEN_NAMES: Final = frozenset(text_of("given_names.txt").split())
"""Given names that are common in the United States, in small letters.

They need not be complete: of the people of the country about half have one of them. Source: U.S.
Census Bureau, frequently occurring first names, Census 1990. Public domain.
"""

POPULOUS_AREAS: Final = frozenset(
    f"{area:03d}"
    for span in text_of("zip_areas.txt").split()
    for area in range(int(span[:3]), int(span[-3:]) + 1)
)
"""Three-digit ZIP areas in which more than 20,000 people live, and so may be told.

Safe Harbor lets the first three digits of a ZIP code stand if all ZIP codes that begin with them
have more than 20,000 inhabitants together, by current data of the Bureau of the Census; the others
become 000. Of the areas with ZIP Code Tabulation Areas, these have not: 036 059 102 202 203 204 205
369 556 692 753 772 821 823 878 879 884 893. In areas that are neither here nor there the census
counted nobody, so they are restricted too. Source: U.S. Census Bureau, Census 2010 Gazetteer,
population by ZIP Code Tabulation Area, added up by the first three digits (United States and Puerto
Rico). Public domain.
"""


def is_restricted(area: str) -> bool:
    """Whether three digits may not be told, by Census 2010."""
    return area not in POPULOUS_AREAS
