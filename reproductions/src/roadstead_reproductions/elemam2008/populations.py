"""The populations from which samples are drawn, with hierarchies for their attributes.

Fars is used as in paper 001, and contains the people in fatal accidents by age, sex, race, and date
of death. Cup is the available part of the veterans' list, with the age instead of the date of
birth. A made-up register replaces the physicians' register (`register`). Records with an unknown
value are excluded, as in the paper. If a person did not die, the missing date of death counts as a
value, not as an unknown value.
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
"""The unknown values, as they are spelled in Fars."""
_CUP = ("ZIP", "AGE", "GENDER")
_CUP_UNKNOWN = {"GENDER": ("A", "C", "J", "U", "")}
"""All values of gender except the two sexes: unknown, joint accounts, and misprints."""

_CHARACTERS = {"ZIP": 2, "postal code": 3}
"""The level at which three characters of a code remain: a delivery area."""


@dataclass(frozen=True, eq=False)
class Population:
    """A table of people with a hierarchy for every attribute.

    `stands_for` is the population of the paper that this population replaces. `notes` must be
    displayed with every figure.
    """

    name: str
    stands_for: str
    encoding: Encoding = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def people(self) -> int:
        """Return the number of people."""
        return self.encoding.records

    @property
    def values(self) -> dict[str, int]:
        """Return the number of values of each attribute."""
        table = self.encoding.table
        return {
            name: int(np.unique(codes).size)
            for name, codes in zip(table.attributes, table.codes, strict=True)
        }

    @cached_property
    def lattice(self) -> Lattice:
        """Return all policies, with the people in all classes."""
        return lattice_of(self.encoding)

    def limited(self, maximum: Mapping[str, int]) -> Lattice:
        """Return the policies up to a maximum level of each attribute.

        The method raises a SettingError if an attribute or level is unknown.
        """
        return lattice_of(self.encoding, full_domain(self.encoding.hierarchies, maximum=maximum))

    def keeping_something(self) -> dict[str, int]:
        """Limit each attribute to the level below its removal, as described for `_CHARACTERS`."""
        limits = {h.attribute: h.height - 2 for h in self.encoding.hierarchies}
        return {**limits, **{name: _CHARACTERS[name] for name in limits if name in _CHARACTERS}}


def population_of(
    name: str,
    stands_for: str,
    table: FrequencyTable,
    hierarchies: tuple[Hierarchy, ...],
    notes: tuple[str, ...] = (),
) -> Population:
    """Create a population from a table and its hierarchies."""
    return Population(name, stands_for, encode(table, hierarchies), notes)


def fars() -> Population:
    """Return the people in fatal accidents, or raise a SourceError if the data are missing."""
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
    """Return the list of veterans' donors.

    The function raises a SourceError if data are missing, and a MissingExtraError if the library
    for fetching data is not installed.
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
    """Create a register of physicians, distributed over codes as in `register.register`."""
    made = register(seed, offset=offset)
    note = (
        "Register: a seeded generator made it up from the figures that the paper reports for the "
        "real register (people, postal codes, years, genders). Its people do not exist. We chose "
        "how many people share a postal code. Figures that depend on this choice cannot be "
        "compared digit by digit."
    )
    return population_of("made-up register", PHYSICIANS, made.table, made.hierarchies, (note,))


def without(table: FrequencyTable, unknown: Mapping[str, tuple[str, ...]]) -> FrequencyTable:
    """Remove the records that have an unknown value in any attribute."""
    stays = np.ones(table.distinct, dtype=bool)
    for name, values in unknown.items():
        place = table.attributes.index(name)
        domain = table.domains[place]
        wanted = [i for i, value in enumerate(domain) if value in values]
        stays &= ~np.isin(table.codes[place], wanted)
    return replace(
        table, codes=tuple(codes[stays] for codes in table.codes), counts=table.counts[stays]
    )
