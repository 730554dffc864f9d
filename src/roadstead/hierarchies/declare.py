"""Read the hierarchies that a project file declares, with one small table per attribute.

::

    [hierarchies]
    age = {kind = "intervals", widths = [5, 10, 20], top = 90}
    income = {kind = "cuts", cuts = [[20000, 40000, 80000], [40000]]}
    admitted = {kind = "dates", units = ["day", "month", "year"]}
    zip = {kind = "prefix", keep = [5, 3, 1]}
    age_group = {kind = "ranges", widths = [20, 40]}
    stage = {kind = "ordered", order = ["I", "II", "III", "IV"], groups = [2]}
    race = {kind = "mapping", groups = {A = ["A1", "A2"], B = ["B1"]}}
    diagnosis = {kind = "codes", book = "icd10"}
    finding = {kind = "concepts", path = "snomed.csv", code = "id", groups = ["top", "group"]}
    sex = {kind = "flat"}
    country = {kind = "file", path = "hierarchies/country.csv"}

Keys are the parameters of the builders in this package. The error for an invalid declaration is one
line with the attribute, the key, and the correct form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, TypeAlias, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, ValidationError
from pydantic_core import PydanticCustomError

from roadstead.errors import SettingError, quoted, right_form
from roadstead.front_end import worded
from roadstead.hierarchies.arx_csv import read_hierarchy
from roadstead.hierarchies.calendar_units import CalendarUnit
from roadstead.hierarchies.codes import codes, concepts
from roadstead.hierarchies.dates import ALL_UNITS, dates
from roadstead.hierarchies.hierarchy import Hierarchy, from_rules
from roadstead.hierarchies.mappings import GroupTree, grouping, mapping, ordered
from roadstead.hierarchies.numbers import cuts, intervals, ranges
from roadstead.hierarchies.prefixes import prefixes
from roadstead.hierarchies.rules import Everything, Identity
from roadstead.hierarchies.written_numbers import NumberForm
from roadstead.near_names import did_you_mean


def _no_text(value: object) -> object:
    if isinstance(value, str | bool):
        raise PydanticCustomError("decimal_type", "is not a number")
    return value


Whole: TypeAlias = Annotated[int, Strict()]
Exact: TypeAlias = Annotated[Decimal, BeforeValidator(_no_text)]
"""A number. A string is not accepted, even if it looks like a number."""
Character: TypeAlias = Annotated[str, Field(min_length=1, max_length=1)]
Mask = NewType("Mask", str)
"""A character, or nothing."""


def _words(title: str, hint: str = "", default: Any = ...) -> Any:  # noqa: ANN401 - of any key
    """Declare a key with a label and a hint for a form. Keys without a default are required."""
    return Field(default, title=title, description=hint)


class _Declared(BaseModel):
    """The keys of a declaration. The keys are the parameters of a builder.

    A form shows the title of a kind, and the title and description of each key.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)


_LOWEST = _words("Lowest possible value", "default: the lowest in the table", None)
_FORM = _words(
    "How the numbers are written",
    "mixed: also values with open ends, such as > 89, and other text; ages: also ages with units, "
    "which become years",
    "plain",
)
_HIGHEST = _words("Highest possible value", "default: the highest in the table", None)


class Intervals(_Declared, title="Bands of equal width"):
    """Equal intervals: `numbers.intervals`."""

    kind: Literal["intervals"]
    widths: tuple[Exact, ...] = _words("Widths, one per level", "such as 5, 10, 20")
    top: Exact | None = _words("One band for this number and above", "such as 90, for 90+", None)
    bottom: Exact | None = _words("One band below this number", default=None)
    origin: Exact = _words("Bands start from", "default: 0", Decimal(0))
    bands_only: bool = _words("Never release exact numbers: level 0 also has bands", default=False)
    lowest: Exact | None = _LOWEST
    highest: Exact | None = _HIGHEST
    form: NumberForm = _FORM


class ChosenCuts(_Declared, title="Bands between your own numbers"):
    """Intervals between cuts: `numbers.cuts`."""

    kind: Literal["cuts"]
    cuts: tuple[tuple[Exact, ...], ...] = _words(
        "Cuts, one line per level",
        "finest level first, such as 20, 40, 60 on the first line and 40 on the second",
    )
    lowest: Exact | None = _LOWEST
    highest: Exact | None = _HIGHEST
    form: NumberForm = _FORM


class Dates(_Declared, title="Calendar: day, month, year"):
    """Calendar units: `dates.dates`."""

    kind: Literal["dates"]
    units: tuple[CalendarUnit, ...] = _words("Levels", default=ALL_UNITS)
    form: str | None = _words("Form of the dates", "such as %d.%m.%Y; default: ISO", None)
    pivot: Whole | None = _words(
        "First year that two-digit years can mean",
        "such as 1930, for 1930 to 2029",
        None,
    )
    serials: bool = _words(
        "The numbers are dates in the form that Excel stores, such as 44197", default=False
    )
    bottom: Whole | None = _words("One band for dates before this year", "such as 1930", None)


class Prefixes(_Declared, title="First characters of a code (ZIP, ICD-10)"):
    """The first characters of codes: `prefixes.prefixes`."""

    kind: Literal["prefix"]
    keep: tuple[Whole, ...] = _words("Characters to keep, one number per level", "such as 3, 1")
    mask: Mask = _words(
        "Character that replaces the other characters", "leave empty to remove them", "*"
    )


class Ranges(_Declared, title="Ranges merged into wider ranges"):
    """Ranges of numbers, such as 10-19, that are merged into wider ranges: `numbers.ranges`."""

    kind: Literal["ranges"]
    widths: tuple[int, ...] = _words("Widths, one per level", "such as 20, 40")
    spreadsheet_dates: bool = _words(
        "A spreadsheet changed ranges into dates, such as 10-14 into 14-Oct",
        default=False,
    )


class Ordered(_Declared, title="Groups of neighboring values"):
    """Groups of neighbors in an order: `mappings.ordered`."""

    kind: Literal["ordered"]
    order: tuple[str, ...] = _words("All values in order, one per line")
    groups: tuple[Whole, ...] = _words("Values per group, one number per level", "such as 2, 4")


class Mapped(_Declared, title="Groups of values, as a tree"):
    """Labels of values, or values of labels: `mappings.mapping`, `mappings.grouping`."""

    kind: Literal["mapping"]
    levels: dict[str, tuple[str, ...]] | None = _words(
        "A value and its labels, separated by semicolons", default=None
    )
    groups: dict[str, Any] | None = _words(
        "One group per line, with its members indented on the lines below", default=None
    )


CodeBook = NewType("CodeBook", str)
"""The name of a code system that comes with the package."""


class Codes(_Declared, title="Code book, such as postal codes"):
    """Parts and groups of the codes of a system: `codes.codes`."""

    kind: Literal["codes"]
    book: CodeBook = _words("Code book")


class Concepts(_Declared, title="Table of concepts (SNOMED CT, RxNorm)"):
    """Groups from a table of concepts: `codes.concepts`."""

    kind: Literal["concepts"]
    path: Path = _words("Path of the table")
    code: str = _words("Column of the codes")
    groups: tuple[str, ...] = _words("Columns of the groups, from general to specific")
    delimiter: Character | None = _words("Delimiter", "default: detected", None)


class Flat(_Declared, title="All values unchanged, or no values shown"):
    """The value, then ``*``."""

    kind: Literal["flat"]


class File(_Declared, title="A hierarchy file (ARX)"):
    """A file in ARX's form: `arx_csv.read_hierarchy`."""

    kind: Literal["file"]
    path: Path = _words("Path of the file")
    delimiter: Character | None = _words("Delimiter", "default: detected", None)


Declaration: TypeAlias = (
    Intervals
    | ChosenCuts
    | Dates
    | Prefixes
    | Ranges
    | Ordered
    | Mapped
    | Codes
    | Concepts
    | Flat
    | File
)

KINDS: dict[str, type[Declaration]] = {
    get_args(declaration.model_fields["kind"].annotation)[0]: declaration
    for declaration in get_args(Declaration)
}


def build_declared(
    attribute: str, spec: object, values: Sequence[str], *, folder: Path | None = None
) -> Hierarchy:
    """Build the declared hierarchy, and check that the hierarchy covers the values.

    Relative paths start at `folder`, which is the working directory by default.
    """
    declared = parse_declaration(attribute, spec)
    return _build(attribute, declared, values, folder or Path()).covering(values)


def parse_declaration(attribute: str, spec: object) -> Declaration:
    """Read a declaration without building the hierarchy."""
    where = f"hierarchy of {attribute!r}"
    if not isinstance(spec, Mapping):
        raise SettingError(
            "the declaration is not a table",
            where=where,
            fix=worded(
                command='write it as {kind = "flat"}',
                python='pass a `Hierarchy`, a path, or settings such as {"kind": "flat"}',
            ),
        )
    kind = spec.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        what = "no kind is given" if kind is None else f"there is no kind {kind!r}"
        raise SettingError(what, where=where, fix=did_you_mean(str(kind), KINDS, show=repr))
    try:
        return KINDS[kind].model_validate(dict(spec))
    except ValidationError as error:
        raise _explained(error, kind, where) from error


def _build(attribute: str, declared: Declaration, values: Sequence[str], folder: Path) -> Hierarchy:
    given = {name: value for name, value in declared if name != "kind"}
    match declared:
        case Mapped(levels=dict() as levels, groups=None):
            return mapping(attribute, levels)
        case Mapped(levels=None, groups=dict() as groups):
            return grouping(attribute, _tree(groups, attribute))
        case Mapped():
            raise SettingError(
                "kind 'mapping' requires either levels or groups",
                where=f"hierarchy of {attribute!r}",
                fix="write levels = {value = [labels]} or groups = {label = [values]}",
            )
        case Ordered():
            return ordered(attribute, **given)
        case File(path=path, delimiter=delimiter):
            return read_hierarchy(folder / path, attribute, delimiter=delimiter, show_cells=False)
        case Concepts(path=path):
            return concepts(attribute, values, **{**given, "path": folder / path})
        case _:
            return _BUILDERS[declared.kind](attribute, values, **given)


def flat(attribute: str, values: Sequence[str]) -> Hierarchy:
    """Build a hierarchy with two levels: the unchanged value, and ``*``."""
    origin = f"flat hierarchy of {attribute!r}"
    return from_rules(attribute, values, [Identity(), Everything()], origin=origin)


_BUILDERS: Mapping[str, Callable[..., Hierarchy]] = {
    "intervals": intervals,
    "cuts": cuts,
    "dates": dates,
    "prefix": prefixes,
    "ranges": ranges,
    "codes": codes,
    "flat": flat,
}
"""Builders that use the values in a column."""


def _tree(groups: Mapping[str, object], attribute: str) -> GroupTree:
    """Check nested groups and their lists of values."""
    checked: dict[str, Sequence[str] | GroupTree] = {}
    for label, inside in groups.items():
        if isinstance(inside, Mapping):
            checked[label] = _tree(inside, attribute)
        elif isinstance(inside, list | tuple) and all(isinstance(v, str | int) for v in inside):
            checked[label] = [str(value) for value in inside]
        else:
            raise SettingError(
                f"group {quoted(label)} is not a list of values or a table of groups",
                where=f"hierarchy of {attribute!r}",
                fix="write label = [values]",
            )
    return checked


def _explained(error: ValidationError, kind: str, where: str) -> SettingError:
    """Convert the first validation error to one line in the words of a project file."""
    first = error.errors(include_input=False, include_url=False)[0]
    key = str(first["loc"][0])
    takes = [name for name in KINDS[kind].model_fields if name != "kind"]
    listed = f"kind {kind!r} has these keys: {', '.join(takes)}" if takes else "remove it"
    if first["type"] == "extra_forbidden":
        fix = did_you_mean(key, takes, show=repr) if takes else listed
        return SettingError(f"kind {kind!r} has no key {key!r}", where=where, fix=fix)
    if first["type"] == "missing":
        return SettingError(f"key {key!r} is missing", where=where, fix=listed)
    place = "".join(f" item {part + 1}" for part in first["loc"][1:] if isinstance(part, int))
    right = right_form(first["type"])
    wrong = f"is not {right}" if right else first["msg"].replace("Input should", "should")
    fix = "write it without quotes, such as 5" if wrong.endswith("number") else "correct it"
    return SettingError(f"key {key!r}{place} {wrong}", where=where, fix=fix)
