"""Determine the public domain of each attribute from the declarations of the custodian.

A domain that is read from a table can reveal a record. Therefore, a column without a declared
domain stops the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.arx_csv import find_hierarchies
from roadstead.hierarchies.declare import (
    ChosenCuts,
    File,
    Intervals,
    Mapped,
    Ordered,
    build_declared,
    parse_declaration,
)
from roadstead.hierarchies.icd import by_prefix
from roadstead.hierarchies.number_text import parse_number
from roadstead.hierarchies.taxonomy import (
    Taxonomy,
    from_branches,
    from_hierarchy,
    ordered,
    with_fanout,
)
from roadstead.hierarchies.taxonomy_files import read_taxonomy
from roadstead.release.private.cut import document_of_taxonomy, origin_of
from roadstead.requests import checks
from roadstead.tables.item_sets import ItemSet
from roadstead.verbs.synthesize.persons import PersonRecords, gathered_sets, persons_of
from roadstead.verbs.synthesize.sets import sets_of
from roadstead.verbs.taxonomy_texts import CODE_SYSTEMS, PREFIX, file_of_taxonomy

if TYPE_CHECKING:
    from roadstead.verbs.synthesize.request import PublicDomains

Range: TypeAlias = str | Sequence[int | float | str | Decimal]
"""A range that a user gives, such as ``"15..95"``, ``"10..60/0.1"`` or ``(10, 60, 0.1)``."""

Tree: TypeAlias = Taxonomy | str | Path
"""A taxonomy that a user gives as an object, a file, or a string such as ``icd9``."""

SET_FANOUT = 4
"""The default limit on the children per node in the taxonomy of a set."""

_ANY = "*"
_FEWEST_VALUES = 2
_RANGE = re.compile(r"(?P<low>.+?)\.\.(?P<high>[^/]+)(?:/(?P<step>.+))?")


@dataclass(frozen=True)
class Declarations:
    """The declarations of columns and sets, by name.

    A fan-out with an empty name applies to all columns and sets. The hierarchies come from a
    project file and from the files in `folder`. Relative paths in the project file start at `base`.
    A hierarchy is used as a declaration if it lists its values or states the ends of its range.
    """

    ranges: Mapping[str, Range] = field(default_factory=dict)
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    taxonomies: Mapping[str, Tree] = field(default_factory=dict)
    fanout: Mapping[str, int] = field(default_factory=dict)
    hierarchies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folder: Path | None = None
    base: Path = field(default_factory=Path)
    sets: tuple[ItemSet, ...] = ()
    quasi: tuple[str, ...] = ()  # released attributes; by default, all columns with a domain
    identifiers: tuple[str, ...] = ()
    persons: PersonRecords | None = None  # the person ID of the rows, if people are protected

    @property
    def named(self) -> tuple[str, ...]:
        """Return the names of the declared columns and sets."""
        fanned = {name: most for name, most in self.fanout.items() if name}
        return tuple({**self.ranges, **self.values, **self.taxonomies, **fanned})

    def known(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that have a public domain."""
        stated = {*self.ranges, *self.values, *self.taxonomies, *self.files(columns)}
        return tuple(
            name
            for name in columns
            if name in stated
            or _lists_values(name, self.hierarchies.get(name))
            or _declared_range(name, self.hierarchies.get(name)) is not None
        )

    def without_domain(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that do not have a public domain."""
        known = self.known(columns)
        return [name for name in columns if name not in known]

    def files(self, columns: Sequence[str]) -> Mapping[str, Path]:
        """Return the hierarchy files for the given columns."""
        return {} if self.folder is None else find_hierarchies(self.folder, columns)


def declarations_of(request: PublicDomains) -> Declarations:
    """Collect the declarations of a request, with the domains in a project file as defaults.

    An option that declares a column overrides everything that the project file declares for the
    column, except the fan-out.
    """
    base = request.base or Path()
    ranges, values = dict(request.ranges or {}), dict(request.values or {})
    taxonomies, given = dict(request.taxonomies or {}), request.fanout
    fanout = dict(given or {}) if given is None or isinstance(given, Mapping) else {"": given}
    named = {*ranges, *values, *taxonomies}
    for name, domain in (request.domains or {}).items():
        if domain.fanout is not None:
            fanout.setdefault(name, domain.fanout)
        if name in named:
            continue
        if (domain.low, domain.high, domain.step) != (None, None, None):
            ranges[name] = domain.ends(f"domains.{name}")
        if domain.values is not None:
            values[name] = domain.values
        if (tree := domain.taxonomy) is not None:
            taxonomies[name] = tree if file_of_taxonomy(tree) is None else str(base / tree)
    folder = None if request.hierarchies is None else Path(request.hierarchies)
    declared = request.declared or {}
    quasi = checks.names(request.quasi or (), "quasi")
    persons = persons_of(request)
    sets = gathered_sets(sets_of(request), persons)
    lists = (sets, quasi, checks.names(request.identifiers, "identifiers"))
    return Declarations(ranges, values, taxonomies, fanout, declared, folder, base, *lists, persons)


def domain_of(name: str, declared: Declarations) -> tuple[Domain, str]:
    """Return the domain of a column, and describe its source."""
    if name in declared.ranges:
        if name in declared.values or name in declared.taxonomies:
            raise _two(name, "a range", "values or a taxonomy")
        domain = numeric_domain(name, declared.ranges[name])
        step = "" if domain.step == 1 else f" in steps of {domain.step}"
        return domain, f"declared: {domain.low} to {domain.high}{step}"
    if found := _taxonomy(name, declared):
        taxonomy, origin = found
        most = declared.fanout.get(name, declared.fanout.get(""))
        fanned = taxonomy if most is None else with_fanout(taxonomy, most)
        return CategoricalDomain(fanned), origin
    if found_range := _declared_range(name, declared.hierarchies.get(name)):
        return found_range, f"declared: {found_range.low} to {found_range.high}"
    raise SettingError(
        "no domain is declared for this column",
        where=f"column {quoted(name)}",
        fix=f"declare {option('ranges', {name: 'LOW..HIGH'})} or "
        f"{option('values', {name: ('A', 'B', 'C')})}, based on what the column can "
        "contain, not on this table",
    )


def set_domain_of(
    name: str, positions: int | None, declared: Declarations, usual: int | None = SET_FANOUT
) -> tuple[SetDomain, str]:
    """Return the domain of a set, and describe its source. `usual` is the default fan-out."""
    if name in declared.ranges:
        fix = "declare a taxonomy or the values of its items"
        raise SettingError("a range is declared for a set", where=f"set {quoted(name)}", fix=fix)
    if (found := _taxonomy(name, declared)) is None:
        raise SettingError(
            "no domain is declared for the items of this set",
            where=f"set {quoted(name)}",
            fix=f"declare {option('taxonomies', {name: 'icd9'})} (or icd10, or a file) or "
            f"{option('values', {name: ('A', 'B', 'C')})}, based on the items that can "
            "occur, not on this table",
        )
    taxonomy, origin = found
    if positions is not None:
        taxonomy = ordered(taxonomy, positions)
        origin = f"{origin}, at positions 1 to {positions}"
    most = declared.fanout.get(name, declared.fanout.get("", usual))
    if most is None:
        return SetDomain(taxonomy), origin
    return SetDomain(with_fanout(taxonomy, most)), f"{origin}, at most {most} below a node"


def numeric_domain(name: str, given: Range) -> NumericDomain:
    """Parse a numeric range."""
    parts: Sequence[object]
    if isinstance(given, str):
        found = _RANGE.fullmatch(given.strip())
        parts = () if found is None else [part for part in found.groups() if part is not None]
    else:
        stated: object = given
        parts = tuple(stated) if isinstance(stated, Iterable) else ()
    numbers = [parse_number(str(part)) for part in parts]
    known = [number for number in numbers if number is not None]
    if not _FEWEST_VALUES <= len(known) == len(numbers) <= _FEWEST_VALUES + 1:
        shown = ", ".join(map(str, parts)) if parts and not isinstance(given, str) else str(given)
        raise SettingError(
            f"{quoted(shown)} is not a range",
            where=f"domain of {name!r}",
            fix="write LOW..HIGH, such as 15..95, or LOW..HIGH/STEP, such as 10..60/0.1",
        )
    return NumericDomain(name, *known)


def _taxonomy(name: str, declared: Declarations) -> tuple[Taxonomy, str] | None:
    """Return the taxonomy of a column or set and its source, or None if there is no taxonomy."""
    values = declared.values.get(name)
    if (tree := declared.taxonomies.get(name)) is not None:
        return _given(name, tree, values)
    if values is not None:
        return _listed(name, values), f"declared: {len(values)} values"
    spec = declared.hierarchies.get(name)
    if _lists_values(name, spec):
        hierarchy = build_declared(name, spec, (), folder=declared.base)
        return from_hierarchy(hierarchy), f"declared: {len(hierarchy.values)} values in groups"
    if file := declared.files((name,)).get(name):
        # The path of the file would reveal where data are stored.
        return read_taxonomy(file, name, show_cells=False), file.name
    return None


def _given(name: str, tree: Tree, values: Sequence[str] | None) -> tuple[Taxonomy, str]:
    if isinstance(tree, Taxonomy):
        document_of_taxonomy(tree)  # rejects a taxonomy that cannot be stored
        return replace(tree, attribute=name), origin_of(tree)
    kind, _, rest = str(tree).partition(":")
    if kind == PREFIX:
        return _by_prefix(name, rest, values), f"declared: {len(values or ())} codes by prefixes"
    if values is not None:
        raise _two(name, "values", "a taxonomy")
    found = file_of_taxonomy(tree)
    if found is None:
        made = CODE_SYSTEMS[str(tree)](name)
        return made, made.origin
    file, columns = found
    if not columns:
        return read_taxonomy(file, name, show_cells=False), file.name
    _, code, groups = columns.split(":")
    return read_taxonomy(file, name, code=code, groups=groups.split("+")), file.name


def _by_prefix(name: str, lengths: str, codes: Sequence[str] | None) -> Taxonomy:
    where = f"taxonomy of {name!r}"
    if codes is None:
        fix = f"declare the codes too: {option('values', {name: ('A', 'B', 'C')})}"
        raise SettingError("prefixes are declared without codes", where=where, fix=fix)
    parts = lengths.split("+")
    if not all(re.fullmatch(r"\d{1,3}", part, re.ASCII) for part in parts):
        what = f"{quoted(lengths)} is not a list of lengths"
        raise SettingError(what, where=where, fix="write prefix:1+3")
    return by_prefix(name, codes, [int(part) for part in parts])


def _listed(name: str, values: Sequence[str]) -> Taxonomy:
    where = f"domain of {name!r}"
    if isinstance(values, str) or len(values) < _FEWEST_VALUES:
        what = "a list of values requires two or more values"
        fix = f"write {option('values', {name: ('A', 'B', 'C')})}"
        raise SettingError(what, where=where, fix=fix)
    return from_branches(name, _ANY, tuple(str(value) for value in values), origin=where)


def _lists_values(name: str, spec: Mapping[str, Any] | None) -> bool:
    return spec is not None and isinstance(parse_declaration(name, spec), Mapped | Ordered | File)


def _declared_range(name: str, spec: Mapping[str, Any] | None) -> NumericDomain | None:
    """Return the range that a declaration of intervals or cuts defines, or None.

    The step of the range is the unit of the last digit in the declared numbers.
    """
    found = None if spec is None else parse_declaration(name, spec)
    match found:
        case Intervals(lowest=Decimal() as low, highest=Decimal() as high, widths=widths):
            return NumericDomain(name, low, high, _finest(low, high, *widths))
        case ChosenCuts(lowest=Decimal() as low, highest=Decimal() as high, cuts=cuts):
            return NumericDomain(
                name, low, high, _finest(low, high, *(c for one in cuts for c in one))
            )
        case _:
            return None


def _finest(*numbers: Decimal) -> Decimal:
    """Return the unit of the last decimal place in the numbers, which is 1 for whole numbers."""
    exponents = [number.as_tuple().exponent for number in numbers]
    least = min(exponent for exponent in exponents if isinstance(exponent, int))
    return Decimal(1).scaleb(min(least, 0))


def _two(name: str, one: str, other: str) -> SettingError:
    what, where = f"both {one} and {other} are declared", f"column {quoted(name)}"
    return SettingError(what, where=where, fix="leave one of them out")
