"""Find the given or the default hierarchy of each quasi-identifier.

The module also finds the order of the values for searches that need ordered domains.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.hierarchies.arx_csv import find_hierarchies, read_hierarchy, require_known_names
from roadstead.hierarchies.coded import made_for_labels
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.defaults import Meaning
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.ordered_domain import OrderedDomain, ordered_domain
from roadstead.hierarchies.rules import MISSING
from roadstead.near_names import did_you_mean
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.partition import OrderedDomains
from roadstead.release.persons.early_births import EarlyBirths, early_births, this_year
from roadstead.requests.groups import Hierarchies
from roadstead.tables.codebooks.described import TableNotes
from roadstead.tables.frequency import FrequencyTable
from roadstead.verbs.defaults import default_hierarchy
from roadstead.verbs.settings import check_boundaries

Given: TypeAlias = Hierarchy | str | Path | Mapping[str, Any]
"""A hierarchy that a user gives as an object, a file, or a declaration."""


@dataclass(frozen=True)
class DeclaredHierarchies:
    """The hierarchies of a request. Hierarchies by column override the files in the folder."""

    folder: str | Path | None
    by_column: Mapping[str, Given]

    def without(self, columns: Collection[str]) -> dict[str, Given]:
        """Return the hierarchies by column, excluding the given columns."""
        return {name: one for name, one in self.by_column.items() if name not in columns}


def declared_hierarchies(
    request: Hierarchies, columns: Sequence[str], quasi: Sequence[str]
) -> DeclaredHierarchies:
    """Return the hierarchies of a request. Declared hierarchies take precedence.

    The names of the files in a folder are compared with the columns and the quasi-identifiers.
    """
    given, declared = request.hierarchies, request.declared or {}
    if isinstance(given, Mapping):
        return DeclaredHierarchies(None, {**given, **declared})
    if given is not None:
        require_known_names(given, columns, quasi)
    return DeclaredHierarchies(given, declared)


def choose_hierarchies(  # noqa: PLR0913 - everything that a hierarchy depends on
    table: FrequencyTable,
    folder: str | Path | None = None,
    given: Mapping[str, Given] | None = None,
    *,
    base: Path | None = None,
    means: Mapping[str, Meaning] | None = None,
    numbers: Collection[str] = (),
    codebook: TableNotes | None = None,
    born: Mapping[str, EarlyBirths] | None = None,
    missing_codes: Mapping[str, Sequence[str]] | None = None,
) -> tuple[tuple[Hierarchy, ...], dict[str, str]]:
    """Choose a hierarchy for every attribute of a table, and return the source of each hierarchy.

    A given hierarchy takes precedence over the files in the folder. The files have the format of
    ARX, and each file has the name of its attribute. Default hierarchies are built from the values
    in the table. Relative paths in declarations start at `base`. `means` contains the meaning of
    numbers that the column names do not indicate. The columns in `numbers` contain plain numbers,
    even if the column names suggest otherwise. If a `codebook` is given, hierarchies may use the
    labels of codes. Births that reveal an age over 89 are put into one band, except in `numbers`.
    The bands are given by `born`, or are determined from the table. `missing_codes` lists the
    declared missing codes of columns. Hierarchies keep these codes at all levels below the last.
    """
    named, own = dict(given or {}), means or {}
    for attribute in named:
        if attribute not in table.attributes:
            raise SettingError(
                f"a hierarchy is given for {attribute!r}, which is not a quasi-identifier",
                fix=did_you_mean(
                    attribute,
                    table.attributes,
                    f"leave the hierarchy out, or name the column in {option('quasi')}",
                    show=repr,
                ),
            )
    files = find_hierarchies(Path(folder), table.attributes) if folder is not None else {}
    chosen, origins = [], {}
    early = early_births(table, this_year()) if born is None else born
    for attribute, domain in zip(table.attributes, table.domains, strict=True):
        given_one = named.get(attribute, files.get(attribute))
        meant: Meaning | None = "any" if attribute in numbers else own.get(attribute)
        since = None if attribute in numbers else early.get(attribute)
        make = partial(_covering, attribute, given_one, base, meant, since)
        faces = None if codebook is None else codebook.faces(attribute, domain)
        kept = [code for code in (missing_codes or {}).get(attribute, ()) if code in domain]
        values = tuple(value for value in domain if value not in kept) or (MISSING,)
        hierarchy = make(values) if faces is None else made_for_labels(make, values, faces)
        hierarchy = hierarchy.keeping(kept)
        chosen.append(hierarchy)
        origins[attribute] = Path(hierarchy.origin).name  # a path shows the location
    return tuple(chosen), origins


def _covering(
    attribute: str,
    given: Given | None,
    base: Path | None,
    means: Meaning | None,
    born: EarlyBirths | None,
    domain: tuple[str, ...],
) -> Hierarchy:
    """Return the given or the default hierarchy, which covers every value in the domain."""
    if given is None:
        return default_hierarchy(attribute, domain, means, born).covering(domain)
    return made_of(attribute, given, domain, base).covering(domain)


def made_of(attribute: str, given: Given, domain: tuple[str, ...], base: Path | None) -> Hierarchy:
    """Convert a hierarchy from any form that a user can give."""
    match given:
        case Hierarchy():
            return given
        case str() | Path():
            return read_hierarchy(Path(given), attribute)
        case _:
            return build_declared(attribute, given, domain, folder=base)


def rare_values(table: FrequencyTable, domain: OrderedDomain, fewer_than: int) -> int:
    """Count values that few records have, and that no one else in a known population has.

    A policy may be shared, and a rule that lists values reveals that someone has these values.
    Values that the user listed are not counted.
    """
    if domain.declared:
        return 0
    i = table.attributes.index(domain.attribute)
    size = len(table.domains[i])
    people = table.counts if table.population is None else table.population
    records = np.bincount(table.codes[i], weights=table.counts, minlength=size)
    others = np.bincount(table.codes[i], weights=people, minlength=size) - records
    rare = (records < fewer_than) & (others == 0)
    named = np.array([value not in (MISSING, *domain.codes) for value in table.domains[i]])
    return int(np.count_nonzero(rare & named))


def refuse_rare(
    table: FrequencyTable, domain: OrderedDomain, fewer_than: int, *, where: str, fix: str
) -> None:
    """Raise an error if a policy would list values that only a few records have."""
    rare = rare_values(table, domain, fewer_than)
    if rare:
        raise SettingError(
            f"the policy would list values of {domain.attribute!r} that fewer than {fewer_than} "
            f"records have ({rare:,} of {len(domain.listed):,} values)",
            where=where,
            fix=fix,
        )


def places_in(
    table: FrequencyTable,
    ordered: Sequence[OrderedDomain],
    field: str,
    instead: str,
    *,
    searched: bool = True,
) -> tuple[OrderedDomains, NDArray[np.uint32]]:
    """Return the ordered domains, and the position of each row in each domain.

    If a search will cut the domains, domains with too many possible cuts are rejected.
    """
    domains = OrderedDomains(table.attributes, tuple(domain.size for domain in ordered))
    if searched:
        check_boundaries(domains, field, instead)
    codes = np.empty((len(ordered), table.distinct), dtype=np.uint32)
    for i, domain in enumerate(ordered):
        places = domain.place_of()
        lookup = np.array([places[value] for value in table.domains[i]], dtype=np.uint32)
        codes[i] = lookup[table.codes[i]]
    return domains, codes


def cut_at(domain: OrderedDomain, firsts: Sequence[int]) -> AttributePolicy:
    """Return the rule of an attribute whose intervals begin at the given positions."""
    stay, own, rest = domain.without_codes(firsts)
    kept = domain.codes[:stay]
    return AttributePolicy(own.attribute, own.size - len(rest), own.size, own.rule(rest), kept)


def missing_codes_in_order(table: FrequencyTable, hierarchy: Hierarchy) -> tuple[str, ...]:
    """Return the missing codes of a hierarchy, beginning with the most frequent code.

    Intervals can join the last of these codes with the missing value.
    """
    i = table.attributes.index(hierarchy.attribute)
    records = np.bincount(table.codes[i], weights=table.counts, minlength=len(table.domains[i]))
    counts = dict(zip(table.domains[i], records.tolist(), strict=True))
    return tuple(sorted(hierarchy.missing_codes, key=lambda code: (-counts[code], code)))


def ordered_with_codes(table: FrequencyTable, hierarchy: Hierarchy) -> OrderedDomain:
    """Return the values of a table in their order, which begins with the missing codes."""
    codes = missing_codes_in_order(table, hierarchy)
    domain = table.domains[table.attributes.index(hierarchy.attribute)]
    values = tuple(value for value in domain if value not in codes) or (MISSING,)
    return ordered_domain(hierarchy.without_codes().covering(values), values).with_codes(codes)
