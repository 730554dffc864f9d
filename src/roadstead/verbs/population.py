"""Put the population that a user names alongside a table, where a privacy model looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.privacy.combination import needs_population, takes_population
from roadstead.privacy.protocol import PrivacyModel
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.populations import read_population, with_population
from roadstead.tables.reading import read
from roadstead.tables.source import Source


def populated(
    table: FrequencyTable,
    models: Sequence[PrivacyModel],
    population: Any,  # noqa: ANN401 - a path, or a table of any library
    counts: str | None,
) -> FrequencyTable:
    """Give the table with its population, or as it is where none is given.

    Parameters
    ----------
    table
        The frequency table of the quasi-identifiers.
    models
        The privacy models.
    population
        A table of people with the same columns, or None.
    counts
        Its column that says how many people a row stands for; None if each stands for one.

    Raises
    ------
    SettingError
        When a model needs a population and none is given, or no model looks at the one given; or
        when the population does not contain the table, so that nothing can be promised by it.
    """
    if population is None:
        if needs_population(models):
            raise SettingError(
                "a privacy model compares classes with a population, and none is given",
                where=option("privacy"),
                fix=f"name a table of it with {option('population', 'FILE')}",
            )
        if counts is not None:
            raise SettingError(
                "a column of counts is named, and no population",
                where=option("population_counts"),
                fix=f"name the population too, with {option('population', 'FILE')}",
            )
        return table
    if not takes_population(models):
        raise SettingError(
            "a population is given, and no privacy model looks at it",
            where=option("population"),
            fix="leave it out, or ask for "
            f"{option('privacy', {'kind': 'population-risk', 'maximum': 0.01})}",
        )
    people = population if isinstance(population, Source) else read(population)
    found = with_population(table, read_population(people, table.attributes, counts))
    if found.missing:
        raise SettingError(
            f"the population lacks {found.missing:,} of the {table.records:,} records of the table",
            where=people.name,
            fix="it must hold everybody who is in the table, with values written the same way",
        )
    return found.table
