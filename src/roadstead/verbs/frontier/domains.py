"""Sort the values of a table and of its population, for use in a frontier.

Partitions divide ordered values into intervals, so each quasi-identifier needs an order. A domain
of whole numbers also contains the numbers between the values in the table. For example, an interval
from 60 to 69 covers ten ages even if the table has only some of these ages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.number_text import parse_number
from roadstead.hierarchies.ordered_domain import OrderedDomain, ordered_domain
from roadstead.hierarchies.rules import MISSING
from roadstead.near_names import did_you_mean
from roadstead.policies.cells import Cells
from roadstead.policies.safe_harbor import age_attribute, zip_attribute, zip_order
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.requests.checks import wrong
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.identifiers.contents import year_of
from roadstead.verbs.hierarchies import missing_codes_in_order, places_in

OLDEST = 120
"""The highest age that a table may contain."""
_WIDEST = 2_000
"""The size limit for domains to which missing whole numbers are added."""
_HAS_ORDER = 2
"""A domain with at most this many values needs no order."""
_MISSING_LABEL = "missing"


@dataclass(frozen=True)
class OrderedTable:
    """A table whose attributes have ordered domains.

    `occurring` contains the domains without the added whole numbers. The rules of a policy use
    these domains, so that no rule reveals the range of a domain. `codes` contains the position of
    each value in its domain, and has the shape ``(attributes, rows)``. `cells` contains the records
    and people. `age` and `zip_code` are the indices of these attributes. For each attribute with
    dates of birth, `born` gives the first year that does not reveal an age over 89. `notes`
    contains messages about the orders.
    """

    domains: tuple[OrderedDomain, ...]
    occurring: tuple[OrderedDomain, ...]
    codes: NDArray[np.uint32] = field(repr=False)
    cells: Cells
    age: int | None
    zip_code: int | None
    born: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def values(self) -> tuple[tuple[str, ...], ...]:
        """Return the ordered values of each domain."""
        return tuple(
            tuple(_MISSING_LABEL if own[0] == MISSING else own[0] for own in domain.places)
            for domain in self.domains
        )


def put_in_order(
    table: FrequencyTable,
    hierarchies: Sequence[Hierarchy],
    orders: Mapping[str, Sequence[str]],
    *,
    searched: bool = True,
) -> OrderedTable:
    """Put the domains of a table in order, and count the cells.

    An order that the user specifies takes precedence over the order of the values in the hierarchy.
    The function rejects orders for other columns, orders that omit or repeat a value, domains that
    are too large, ages that are too high, invalid ZIP codes, and numbers mixed with other values.
    """
    for attribute in orders:
        if attribute not in table.attributes:
            what = f"an order is given for {attribute!r}, which is not a quasi-identifier"
            fix = f"leave the order out, or name the column in {option('quasi')}"
            raise wrong("orders", what, did_you_mean(attribute, table.attributes, fix, show=repr))
    age = _first(table, age_attribute)
    zip_code = _first(table, zip_attribute)
    domains, occurring, notes = [], [], []
    for i, hierarchy in enumerate(hierarchies):
        name, codes = table.attributes[i], missing_codes_in_order(table, hierarchy)
        values = tuple(value for value in table.domains[i] if value not in codes) or (MISSING,)
        plain_values = hierarchy.without_codes()
        if name in orders:
            domains.append(_given(plain_values, values, tuple(orders[name])).with_codes(codes))
            occurring.append(domains[-1])
            continue
        domain = ordered_domain(plain_values, values)
        if age_attribute(name, values):
            domain = _by_number(domain)
            _check_ages(domain)
        plain = domain
        if domain.numeric:
            domain = _filled(domain)
        elif i == zip_code:
            domain = _by_area(table, i, domain)
        elif "code points" in domain.origin:
            _check_mixed(name, values)
            if domain.size > _HAS_ORDER and not _are_codes(values):
                notes.append(
                    f"The {domain.size} values of {name!r} have no natural order, so Roadstead "
                    "sorts them alphabetically. If you give an order, policies keep neighboring "
                    "values together."
                )
        domains.append(domain.with_codes(codes))
        occurring.append((plain if domain.numeric else domain).with_codes(codes))
    places, cells = _cells(table, domains, searched=searched)
    born = dict(filter(None, map(_first_young_year, hierarchies)))
    return OrderedTable(
        tuple(domains), tuple(occurring), places, cells, age, zip_code, born, tuple(notes)
    )


def _first_young_year(hierarchy: Hierarchy) -> tuple[str, int] | None:
    """Return the name of a column of births, and the year before which births are in one band."""
    bottom = getattr(hierarchy.rule(0), "bottom", None)
    name = hierarchy.attribute
    return None if bottom is None or not is_called_a_birth(name) else (name, int(bottom))


def _first(table: FrequencyTable, is_one: Callable[[str, Sequence[str]], bool]) -> int | None:
    named = enumerate(zip(table.attributes, table.domains, strict=True))
    return next((i for i, (name, values) in named if is_one(name, values)), None)


def _given(hierarchy: Hierarchy, values: Sequence[str], order: tuple[str, ...]) -> OrderedDomain:
    """Return the domain in the user's order. The missing value always comes first."""
    name = hierarchy.attribute
    listed = tuple(value for value in order if value != MISSING)
    for value in listed:
        if listed.count(value) > 1:
            fix = "list each value once"
            raise wrong("orders", f"the order of {name!r} lists {quoted(value)} twice", fix)
    left_out = sorted({value for value in values if value != MISSING} - set(listed))
    if left_out:
        raise SettingError(
            f"the order of {name!r} does not include {quoted(left_out[0])}"
            + (f" and {len(left_out) - 1:,} more" if len(left_out) > 1 else ""),
            where=option("orders"),
            fix="list every value that occurs",
        )
    base = ordered_domain(hierarchy, values)
    places = tuple((value,) for value in listed)
    return replace(
        base,
        places=(((MISSING,),) if MISSING in values else ()) + places,
        listed=listed,
        numeric=False,
        declared=True,
        origin="in the order given",
    )


def _filled(domain: OrderedDomain) -> OrderedDomain:
    """Add the missing whole numbers between the lowest and the highest value."""
    present = [own for own in domain.places if own[0] != MISSING]
    numbers = [parse_number(own[0]) for own in present]
    whole = [int(n) for n in numbers if n is not None and n == n.to_integral_value()]
    if len(whole) < len(present) or not whole or whole[-1] - whole[0] >= _WIDEST:
        return domain
    known = dict(zip(whole, present, strict=True))
    places = tuple(known.get(n, (str(n),)) for n in range(whole[0], whole[-1] + 1))
    missing = ((MISSING,),) if domain.has_missing else ()
    return replace(domain, places=missing + places, listed=tuple(p for own in places for p in own))


def _by_area(table: FrequencyTable, i: int, domain: OrderedDomain) -> OrderedDomain:
    """Move ZIP codes to the end of the domain if Safe Harbor combines their areas."""
    people = table.counts if table.population is None else table.population
    by_value = np.bincount(table.codes[i], weights=people, minlength=len(table.domains[i]))
    known = dict(zip(table.domains[i], by_value.astype(np.int64), strict=True))
    listed = domain.listed
    inhabitants = None
    if table.population is not None:
        inhabitants = [int(known.get(value, 0)) for value in listed]
    places_of = zip_order(listed, inhabitants, attribute=domain.attribute)
    order = [listed[place] for place in places_of]
    if tuple(order) == listed:
        return domain
    places = tuple((value,) for value in order if value in known)
    missing = ((MISSING,),) if domain.has_missing else ()
    return replace(
        domain,
        places=missing + places,
        listed=tuple(order),
        origin=f"{domain.origin}, areas with few people last",
    )


def _by_number(domain: OrderedDomain) -> OrderedDomain:
    """Order ages by size, even if leading zeros make them look like codes.

    For example, 007 comes before 11.
    """
    known = [value for own in domain.places for value in own if value != MISSING]
    numbers = {value: number for value in known if (number := parse_number(value)) is not None}
    if domain.numeric or len(numbers) < len(known):
        return domain
    listed = sorted(known, key=lambda value: (numbers[value], value))
    places = [tuple(texts) for _, texts in groupby(listed, key=numbers.__getitem__)]
    missing = [(MISSING,)] if domain.has_missing else []
    return replace(
        domain,
        places=(*missing, *places),
        listed=tuple(listed),
        numeric=True,
        origin="in numeric order",
    )


def _check_ages(domain: OrderedDomain) -> None:
    for own in domain.places[::-1]:
        number = parse_number(own[0])
        if number is not None and not 0 <= number <= OLDEST:
            wrong = "negative" if number < 0 else f"above {OLDEST}"
            raise SourceError(
                f"age {quoted(own[0])} is {wrong}",
                where=f"column {quoted(domain.attribute)}",
                fix="correct it, or leave the cell empty if the age is missing",
            )


def _check_mixed(name: str, values: Sequence[str]) -> None:
    """Reject numbers or dates mixed with other values, because a mixture has no natural order."""
    known = [value for value in values if value != MISSING]
    for kind, is_one in (("numbers", parse_number), ("dates", year_of)):
        odd = [value for value in known if is_one(value) is None]
        if odd and len(odd) * 2 < len(known) and not _are_codes(values):
            raise SourceError(
                f"{quoted(odd[0])} is mixed with {kind}, so the values have no order",
                where=f"column {quoted(name)}",
                fix=f"write only {kind}, or give an order with "
                f"{option('orders', {name: ('A', 'B', 'C')})}",
            )


def _are_codes(values: Sequence[str]) -> bool:
    """Return whether all values have the same length and contain a digit, like codes."""
    known = [value for value in values if value != MISSING]
    return len({len(value) for value in known}) == 1 and all(
        any(letter.isdigit() for letter in value) for value in known
    )


def _cells(
    table: FrequencyTable, domains: Sequence[OrderedDomain], *, searched: bool
) -> tuple[NDArray[np.uint32], Cells]:
    instead = "leave the column out, or round its values"
    ordered, codes = places_in(table, domains, "quasi", instead, searched=searched)
    records = table.counts
    people = records if table.population is None else table.population
    if all(len(own) == 1 for domain in domains for own in domain.places):
        return codes, Cells(ordered, codes, records, people)
    # Strings for the same number are a single value, so several rows may become one cell.
    united, target = np.unique(codes, axis=1, return_inverse=True)
    added = np.zeros((2, united.shape[1]), dtype=np.int64)
    np.add.at(added[0], target.ravel(), records)
    np.add.at(added[1], target.ravel(), people)
    return codes, Cells(ordered, np.ascontiguousarray(united), added[0], added[1])
