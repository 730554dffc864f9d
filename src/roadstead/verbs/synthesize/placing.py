"""Find the position of each record of a table in the public domains of a private release.

The columns and the domains of the release are fixed before the table is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.differential.private_table import PrivateTable, within
from roadstead.errors import RoleError, SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.taxonomy import NOT_LISTED
from roadstead.release.private.tables import check_names
from roadstead.release.private.units import PrivacyUnit
from roadstead.reports.synthesis.custodian import CustodianFacts
from roadstead.reports.wording import listed
from roadstead.tables import names
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.identifiers.person_keys import named_person_keys
from roadstead.tables.item_sets import ItemTable, check_apart, items_of, unmatched, with_item_sets
from roadstead.tables.source import Source
from roadstead.verbs.synthesize.domains import SET_FANOUT, Declarations, domain_of, set_domain_of
from roadstead.verbs.synthesize.gathering import gathering_of
from roadstead.verbs.synthesize.sets import columns_of_sets, most_alike, opened_sets, unit_of
from roadstead.verbs.synthesize.settings import AnySettings, EveryUseSettings


@dataclass(frozen=True, eq=False)
class Placement:
    """The positions of the records in the domains, with facts for the custodian."""

    records: PrivateTable = field(repr=False)
    origins: Mapping[str, str]
    unit: PrivacyUnit
    public: Mapping[str, Any]  # what the request says about people
    private: CustodianFacts = field(repr=False)


def place(
    source: Source,
    settings: AnySettings,
    declared: Declarations,
    domain_of: Callable[[str, Declarations], tuple[Domain, str]] = domain_of,
    check: Callable[[], object] = tuple,
    *,
    clamps: bool = True,
) -> Placement:
    """Place the records of a table in the declared domains, after a `check` of the settings."""
    sets = declared.sets
    attributes = _attributes(source, settings.target, declared)
    _require_several(attributes, declared)
    found_domains: dict[str, tuple[Domain, str]] = {
        name: domain_of(name, declared) for name in attributes
    }
    # For general use, a set is released item by item. For a target, a release must distinguish all
    # combinations of items.
    fanout = None if isinstance(settings, EveryUseSettings) else SET_FANOUT
    for one in sets:
        found_domains[one.name] = set_domain_of(one.name, one.longest, declared, fanout)
    domains = [domain for domain, _ in found_domains.values()]
    check()
    origins = {name: origin for name, (_, origin) in found_domains.items()}
    if settings.target is not None:
        check_names([*found_domains], settings.target, settings.classes)
    own = () if settings.target is None else (settings.target,)
    columns = (*(one.attribute for one in domains), *own)
    gathering = gathering_of(declared.persons, columns, sets, source)
    unit = unit_of(sets, gathering.persons)
    with opened_sets(sets, source) as found:
        joined = with_item_sets(source, found) if found else source
        # If empty tables were rejected, the existence of a release would reveal that there is a
        # record.
        table = summarize(joined, gathering.columns, may_be_empty=True)
        tables = [one for one in found if isinstance(one, ItemTable)]
        lost = [(one.name, unmatched(source, one)) for one in tables]
        sharing = [(one.name, gathering.sharing(source, one)) for one in tables]
    read = table.records
    table, rows = gathering.gathered(table)
    # If each person has one row, another column may be the person ID.
    alone = rows is None or rows.persons == read
    keys = named_person_keys(source) if alone else ()
    repeated = [(name, most_alike(source, name)) for name in declared.identifiers if alone]
    records = within(table, domains, settings.target, settings.classes, unit.records, clamps=clamps)
    if settings.outside == "stop":
        gathering.require_inside(rows)
        _require_inside(table, records, settings.target)
    private = replace(
        custodian_facts(table, records),
        persons=rows,
        gathered_by=gathering.gathered_by,
        whose=tuple(
            key.column
            for key in keys
            if key.found and key.column not in (*columns, *declared.identifiers)
        ),
        unmatched=tuple(one for one in lost if one[1]),
        sharing=tuple(one for one in sharing if one[1]),
        repeated=tuple(one for one in repeated if one[1] > 1),
    )
    return Placement(records, origins, unit, gathering.public, private)


def custodian_facts(table: FrequencyTable, placed: PrivateTable) -> CustodianFacts:
    """Count the values outside the domains, which only the custodian may know."""
    figures = (placed.left_out, placed.homeless, placed.clamped, placed.unlisted)
    return CustodianFacts(table.records, *figures)


def _attributes(source: Source, target: str | None, declared: Declarations) -> tuple[str, ...]:
    """Return the attributes to release in addition to the sets, after checking all names."""
    sets, identifiers = declared.sets, declared.identifiers
    own = () if target is None else (target,)
    called = {one.name for one in sets}
    parts = {*columns_of_sets(sets), *called}
    names.require((*own, *identifiers), source.columns)
    names.require(declared.named, (*source.columns, *called))
    if declared.quasi:
        released = tuple(name for name in declared.quasi if name not in called)
    else:
        apart = {*own, *parts, *identifiers}
        released = declared.known([name for name in source.columns if name not in apart])
    names.require(released, source.columns)
    twice = next((name for name in released if released.count(name) > 1), None)
    both = next((name for name in identifiers if name in {*released, *parts, *own}), None)
    if target is not None and target in declared.named:
        what, fix = "its domain is given by its classes", f"declare {option('classes')} alone"
        raise _wrong(target, f"this column is the target, and {what}", fix)
    if twice is not None:
        raise _wrong(twice, "this column is named twice", "name each column once")
    if target is not None and target in (*released, *called):
        fix = f"leave it out of {option('quasi')} and {option('sets')}"
        raise _wrong(target, "this column is the target and also an attribute", fix)
    check_apart(sets, (*released, *own))
    if both is not None:
        fix = "give it only one of these roles"
        raise _wrong(both, "this column is a direct identifier, but it would be released", fix)
    if not released and not sets:
        raise SettingError(
            "no attribute has a declared domain",
            where=source.name,
            fix=f"declare {option('ranges', {'age': 'LOW..HIGH'})} or "
            f"{option('values', {'sex': ('A', 'B')})} for the columns to release",
        )
    return released


def _require_several(attributes: Sequence[str], declared: Declarations) -> None:
    """If several columns lack a domain, raise one error. `domain_of` rejects a single column."""
    first, *others = declared.without_domain(attributes) or ("",)
    if others:
        raise SettingError(
            "no domain is declared for these columns",
            where=f"columns {listed([quoted(name) for name in (first, *others)])}",
            fix="declare the values of each column, such as "
            f"{option('ranges', {first: 'LOW..HIGH'})} or "
            f"{option('values', {first: ('A', 'B', 'C')})}, based on what the column can contain, "
            "not on this table",
        )


def _wrong(column: str, what: str, fix: str) -> RoleError:
    return RoleError(what, where=f"column {quoted(column)}", fix=fix)


def _require_inside(table: FrequencyTable, placed: PrivateTable, target: str | None) -> None:
    if not (placed.left_out or placed.clamped or placed.unlisted):
        return
    for domain in (*placed.domains, *(() if target is None else (None,))):
        column = str(target) if domain is None else domain.attribute
        at = table.attributes.index(column)
        for value in (table.domains[at][code] for code in np.unique(table.codes[at]).tolist()):
            if domain is None:
                cell = None if value in placed.classes else value
            else:
                cell = _outside(domain, value)
            if cell is not None:
                raise SourceError(
                    f"{quoted(cell)} is outside the declared domain" if cell else "a cell is empty",
                    where=f"column {quoted(column)}",
                    fix="correct it, declare all values that the column can contain, or give "
                    f"{option('outside', 'leave-out')}",
                )


def _outside(domain: Domain, value: str) -> str | None:
    """Return the part of a cell that is outside a domain, or None if the whole cell is inside."""
    match domain:
        case NumericDomain():
            lost = domain.beyond(value) or domain.locate([value])[0] == NOT_LISTED
            return value if lost else None
        case CategoricalDomain(taxonomy):
            return value if taxonomy.locate([value])[0] == NOT_LISTED else None
        case SetDomain(taxonomy):
            items = items_of(value)
            return next((one for one in items if taxonomy.locate([one])[0] == NOT_LISTED), None)
