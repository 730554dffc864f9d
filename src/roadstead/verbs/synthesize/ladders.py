"""Use declarations to determine the public levels of each attribute in a generalized sample.

A hierarchy that lists its values defines its own levels. A range has a level for each declared
width or for round widths. Any other tree has one level per depth.
"""

from __future__ import annotations

from decimal import Decimal

from roadstead.differential.domains import CategoricalDomain, NumericDomain, SetDomain
from roadstead.differential.sampled.ladders import MOST_INTERVALS, Ladder, Widths, ladder_of
from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.arx_csv import read_hierarchy
from roadstead.hierarchies.declare import ChosenCuts, Intervals, build_declared, parse_declaration
from roadstead.hierarchies.taxonomy import with_every_level
from roadstead.verbs.synthesize.domains import Declarations, domain_of


def ladder_for(name: str, declared: Declarations) -> tuple[Ladder, str]:
    """Return the levels of a column, and describe their source."""
    if name not in declared.known((name,)):
        raise SettingError(
            "no domain is declared for this column. A sample shows a column only at declared "
            "levels, because levels from the table would reveal records of the table",
            where=f"column {quoted(name)}",
            fix=f"declare {option('ranges', {name: 'LOW..HIGH'})}, "
            f"{option('values', {name: ('A', 'B', 'C')})}, or a hierarchy, based on what "
            f"the column can contain; or leave the column out of {option('quasi')}",
        )
    spec, base = declared.hierarchies.get(name), declared.base
    values = declared.values.get(name)
    stated = name in declared.ranges or name in declared.taxonomies
    if spec is not None and values is not None and not stated:
        made = build_declared(name, spec, values, folder=base)
        return ladder_of(CategoricalDomain(with_every_level(made))), "declared: values in groups"
    domain, origin = domain_of(name, declared)
    if isinstance(domain, NumericDomain):
        return ladder_of(domain, _widths(name, domain, declared)), origin
    assert not isinstance(domain, SetDomain)  # noqa: S101 - the domain of one column
    if not stated and values is None:
        file = declared.files((name,)).get(name)
        if spec is not None:
            made = build_declared(name, spec, (), folder=base)
        elif file is not None:
            made = read_hierarchy(file, name, show_cells=False)
        else:
            return ladder_of(domain), origin
        return ladder_of(CategoricalDomain(with_every_level(made))), origin
    return ladder_of(domain), origin


def _widths(name: str, domain: NumericDomain, declared: Declarations) -> Widths | None:
    """Return the declared interval widths, including the step of the domain as the finest width."""
    spec = declared.hierarchies.get(name)
    found = None if spec is None else parse_declaration(name, spec)
    if isinstance(found, ChosenCuts):
        raise SettingError(
            "in a sample, numbers are in intervals of equal width, so cuts are not possible",
            where=f"column {quoted(name)}",
            fix="declare intervals, or groups of values",
        )
    if not isinstance(found, Intervals):
        return None
    if (found.bottom, found.top) != (None, None):
        raise SettingError(
            "the hierarchy of this column sets a bottom or a top, but a sample requires intervals "
            "of equal width",
            where=f"column {quoted(name)}",
            fix="leave the bottom and the top out",
        )
    fits = domain.size <= MOST_INTERVALS and domain.step < found.widths[0]
    finest = [domain.step] if fits else []
    return Widths(tuple(map(Decimal, (*finest, *found.widths))), found.origin)
