"""Bring a table into its public domains: the records as a private release looks at them.

What is released, and within which domains, is settled before the table is looked at. Then its
distinct combinations come over from the engine, each with its sets, and each gets its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from roadstead.differential.domains import Domain
from roadstead.differential.private_table import PrivateTable, within
from roadstead.errors import RoleError, SettingError, quoted
from roadstead.front_end import option
from roadstead.release.private.tables import check_names
from roadstead.reports.synthesis.custodian import CustodianFacts
from roadstead.tables import names
from roadstead.tables.frequency import summarize
from roadstead.tables.item_sets import ItemSet, ItemTable, check_apart, unmatched, with_item_sets
from roadstead.tables.source import Source
from roadstead.verbs.synthesize.domains import Declarations, domain_of, set_domain_of
from roadstead.verbs.synthesize.outside import custodian_facts, require_inside
from roadstead.verbs.synthesize.sets import (
    columns_of_sets,
    most_alike,
    opened,
    sharing_keys,
    unit_of,
)
from roadstead.verbs.synthesize.settings import PrivateSettings


@dataclass(frozen=True, eq=False)
class Placement:
    """The records within their domains, where these came from, and what had no place in them."""

    records: PrivateTable = field(repr=False)
    origins: Mapping[str, str]
    unit: str
    private: CustodianFacts = field(repr=False)


def place(
    source: Source,
    settings: PrivateSettings,
    declared: Declarations,
    sets: Sequence[ItemSet],
    *,
    quasi: Sequence[str] = (),
    identifying: Sequence[str] = (),
) -> Placement:
    """Place the records of a table in the declared domains."""
    attributes = _attributes(source, settings, declared, sets, quasi, identifying)
    domains, origins = _domains(attributes, sets, declared)
    check_names([one.attribute for one in domains], settings.target, settings.classes)
    with opened(sets, source) as found:
        joined = with_item_sets(source, found) if found else source
        columns = (*(one.attribute for one in domains), settings.target)
        # If an empty table were refused, that there is a release would tell of a first record.
        table = summarize(joined, columns, may_be_empty=True)
        tables = [one for one in found if isinstance(one, ItemTable)]
        lost = [(one.name, unmatched(source, one)) for one in tables]
        sharing = [(one.name, sharing_keys(source, one)) for one in tables]
        repeated = [(name, most_alike(source, name)) for name in identifying]
    records = within(table, domains, settings.target, settings.classes)
    if settings.outside == "stop":
        require_inside(table, records, settings.target)
    private = custodian_facts(table, records, settings.target, lost, sharing, repeated)
    return Placement(records, origins, unit_of(sets), private)


def _attributes(
    source: Source,
    settings: PrivateSettings,
    declared: Declarations,
    sets: Sequence[ItemSet],
    quasi: Sequence[str],
    identifying: Sequence[str],
) -> tuple[str, ...]:
    """Name the attributes to be released alongside the sets, and check all names."""
    called = {one.name for one in sets}
    parts = {*columns_of_sets(sets), *called}
    names.require((settings.target, *identifying), source.columns)
    names.require(declared.named, (*source.columns, *called))
    if quasi:
        released = tuple(name for name in quasi if name not in called)
    else:
        apart = {settings.target, *parts, *identifying}
        released = declared.known([name for name in source.columns if name not in apart])
    names.require(released, source.columns)
    if settings.target in declared.named:
        raise _wrong(
            settings.target,
            "is the target, and its domain is its classes",
            f"declare {option('classes')} alone",
        )
    for name in released:
        if released.count(name) > 1:
            raise _wrong(name, "is named twice", "name each column once")
    if settings.target in (*released, *called):
        raise _wrong(
            settings.target,
            "is the target and also an attribute",
            f"leave it out of {option('quasi')} and {option('sets')}",
        )
    check_apart(sets, (*released, settings.target))
    for name in identifying:
        if name in released or name in parts or name == settings.target:
            raise _wrong(
                name, "is identifying, and would be released", "leave it out of one of them"
            )
    if not released and not sets:
        raise SettingError(
            "no attribute has a declared domain",
            where=source.name,
            fix=f"declare {option('ranges', {'age': 'LOW..HIGH'})} or "
            f"{option('values', {'sex': ('A', 'B')})} for the columns to be released",
        )
    return released


def _wrong(column: str, what: str, fix: str) -> RoleError:
    return RoleError(what, where=f"column {quoted(column)}", fix=fix)


def _domains(
    attributes: Sequence[str], sets: Sequence[ItemSet], declared: Declarations
) -> tuple[list[Domain], dict[str, str]]:
    found: dict[str, tuple[Domain, str]] = {name: domain_of(name, declared) for name in attributes}
    for one in sets:
        found[one.name] = set_domain_of(one.name, one.longest, declared)
    domains = [domain for domain, _ in found.values()]
    return domains, {name: origin for name, (_, origin) in found.items()}
