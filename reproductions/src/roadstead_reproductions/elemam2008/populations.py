"""The populations from which samples are drawn, and the generalization of their attributes.

Fars is the same as in paper 001: people in fatal accidents by age, sex, race, and date of death.
Cup is the available part of the veterans' list, with the age instead of the date of birth. A
made-up register replaces the physicians' register (`register`). Records with an unknown value are
left out, as in the paper; for a person who did not die, this is a value and not an unknown value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import full_domain
from roadstead.tables.frequency import FrequencyTable
from roadstead_reproductions.elemam2008.lattices import Lattice, lattice_of
from roadstead_reproductions.elemam2008.published import FARS, PHYSICIANS, VETERANS
from roadstead_reproductions.elemam2008.register import CROWDED, register
from roadstead_reproductions.prasser2016.cases import load

_FARS = ("iage", "isex", "irace", "ideathmon", "ideathday")
_FARS_UNKNOWN = {
    "iage": ("99",),
    "isex": ("Unknown",),
    "irace": ("Unknown", "#NV"),
    "ideathmon": ("Unkown",),
    "ideathday": ("99",),
}
"""As they are written in it."""
_CUP = ("ZIP", "AGE", "GENDER")
_CUP_UNKNOWN = {"GENDER": ("A", "C", "J", "U", "")}
"""Of gender, all but the two that are one: unknown, joint accounts, and misprints."""

_CHARACTERS = {"ZIP": 2, "postal code": 3}
"""The level at which three characters of a code are left: an area of delivery."""


@dataclass(frozen=True, eq=False)
class Population:
    """A table of people with a hierarchy for every attribute.

    Attributes
    ----------
    name
        The name.
    stands_for
        The population of the paper that it replaces.
    encoding
        Its people, counted by combination.
    notes
        Sentences that belong next to every figure of the population.
    """

    name: str
    stands_for: str
    encoding: Encoding = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def people(self) -> int:
        """How many there are."""
        return self.encoding.records

    @property
    def values(self) -> dict[str, int]:
        """How many values of each attribute occur."""
        table = self.encoding.table
        return {
            name: int(np.unique(codes).size)
            for name, codes in zip(table.attributes, table.codes, strict=True)
        }

    @cached_property
    def lattice(self) -> Lattice:
        """All policies, with the people in all of their classes."""
        return lattice_of(self.encoding)

    def limited(self, maximum: Mapping[str, int]) -> Lattice:
        """Give the policies that go no higher than some levels, by attribute.

        Raises
        ------
        SettingError
            When a limit names no attribute, or no level of it.
        """
        return lattice_of(self.encoding, full_domain(self.encoding.hierarchies, maximum=maximum))

    def keeping_something(self) -> dict[str, int]:
        """Limit each attribute to the level below the one that removes it; see `_CHARACTERS`."""
        limits = {h.attribute: h.height - 2 for h in self.encoding.hierarchies}
        return {**limits, **{name: _CHARACTERS[name] for name in limits if name in _CHARACTERS}}


def population_of(
    name: str,
    stands_for: str,
    table: FrequencyTable,
    hierarchies: tuple[Hierarchy, ...],
    notes: tuple[str, ...] = (),
) -> Population:
    """Make a population of a table and its hierarchies."""
    return Population(name, stands_for, encode(table, hierarchies), notes)


def fars() -> Population:
    """Give the people in fatal accidents.

    Raises
    ------
    SourceError
        When it cannot be had.
    """
    case = load("Fars").of(_FARS)
    table = without(case.table, _FARS_UNKNOWN)
    left_out = case.table.records - table.records
    note = (
        f"Fars: {left_out:,} of {case.table.records:,} records with an unknown age, sex, race, "
        "month of death, or day of death are left out. The date of death is a month and a day "
        "without a year."
    )
    return population_of("Fars", FARS, table, case.hierarchies, (note,))


def cup() -> Population:
    """Give the list of veterans' donors.

    Raises
    ------
    SourceError
        When it cannot be had.
    MissingExtraError
        When it has to be fetched, and what fetches it is not installed.
    """
    case = load("Cup").of(_CUP)
    table = without(case.table, _CUP_UNKNOWN)
    left_out = case.table.records - table.records
    note = (
        f"Cup: the public extract has {case.table.records:,} of the 95,412 records, and the age "
        f"instead of the date of birth. {left_out:,} records without a known gender are left out."
    )
    return population_of("Cup", VETERANS, table, case.hierarchies, (note,))


def physicians(seed: int, offset: int = CROWDED) -> Population:
    """Make up a register of physicians, spread over codes as `register.register` says."""
    made = register(seed, offset=offset)
    note = (
        "Register: a seeded generator made it up from the figures that the paper reports for the "
        "real register (people, postal codes, years, genders). Its people do not exist. We chose "
        "how many people share a postal code. Figures that depend on this choice cannot be "
        "compared digit by digit."
    )
    return population_of("made-up register", PHYSICIANS, made.table, made.hierarchies, (note,))


def without(table: FrequencyTable, unknown: Mapping[str, tuple[str, ...]]) -> FrequencyTable:
    """Leave out the records with one of the values that mean unknown, by attribute."""
    stays = np.ones(table.distinct, dtype=bool)
    for name, values in unknown.items():
        place = table.attributes.index(name)
        domain = table.domains[place]
        wanted = [i for i, value in enumerate(domain) if value in values]
        stays &= ~np.isin(table.codes[place], wanted)
    return replace(
        table, codes=tuple(codes[stays] for codes in table.codes), counts=table.counts[stays]
    )
