"""The project file: a request written down in TOML, to be edited, repeated and reviewed.

::

    data = "patients.csv"

    [roles]
    quasi = ["age", "sex", "zip"]
    identifying = ["name"]

    [privacy]
    k = 5
    suppression = 0.05

    [hierarchies]
    age = {kind = "intervals", widths = [5, 10, 20], top = 90}

Relative paths start at the file's folder. What is given on the command line goes before what the
file says.
"""

from __future__ import annotations

import tomllib
from dataclasses import field, fields, is_dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_type_hints

from pydantic import ConfigDict, Strict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from roadstead.errors import SettingError
from roadstead.hierarchies.declare import Exact, Whole
from roadstead.policies.document import SuppressedRecords
from roadstead.printable import named
from roadstead.privacy.settings import number_as_text
from roadstead.regular_files import MIB, content_of

_STRICT = ConfigDict(extra="forbid")
_TEXTS = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
"""Values that a table holds may look like numbers: ``classes = [0, 1]``."""


Number: TypeAlias = Annotated[float, Strict()]
YesOrNo: TypeAlias = Annotated[bool, Strict()]
"""Numbers and truth are written as TOML has them: a text is none, whatever it reads like."""


@dataclass(frozen=True, config=_STRICT)
class Reading:
    """How to read the table, where it must be said."""

    delimiter: str | None = None
    encoding: str | None = None
    header: YesOrNo | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, config=_STRICT)
class ProjectRoles:
    """Columns by role.

    Attributes
    ----------
    quasi, sensitive, identifying, insensitive, release
        As for `roadstead.verbs.anonymize.run.anonymize`.
    undecided
        Columns that wait for a role; or ``withhold``, and all without one are not released.
    """

    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifying: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()
    release: tuple[str, ...] = ()
    undecided: tuple[str, ...] | Literal["withhold"] = ()


@dataclass(frozen=True, config=_STRICT)
class Privacy:
    """The privacy models and how they are reached.

    Attributes
    ----------
    k
        The smallest class to be released.
    models
        Settings of further models, each with its ``kind``.
    suppression, suppressed
        Largest share of records to suppress, and what becomes of them.
    """

    k: Whole | None = None
    models: tuple[dict[str, Any], ...] = ()
    suppression: Number | None = None
    suppressed: SuppressedRecords | None = None


@dataclass(frozen=True, config=_STRICT)
class Quality:
    """The loss to be minimized."""

    quality: str | None = None
    aggregate: str | None = None
    target: str | None = None
    weights: dict[str, Number] = field(default_factory=dict)


@dataclass(frozen=True, config=_STRICT)
class LevelLimits:
    """Lowest and highest level allowed, by attribute."""

    min: dict[str, Whole] = field(default_factory=dict)
    max: dict[str, Whole] = field(default_factory=dict)


@dataclass(frozen=True, config=_STRICT)
class Searching:
    """How to search."""

    search: str | None = None
    time_limit: Number | None = None
    seed: Whole | None = None
    combinations: Whole | None = None


@dataclass(frozen=True, config=_STRICT)
class Advising:
    """Answers to the questions on which attacker applies."""

    whole_population: YesOrNo | None = None
    membership_known: YesOrNo | None = None
    self_revealing: YesOrNo | None = None


@dataclass(frozen=True, config=_TEXTS)
class DomainDeclaration:
    """What a column, or the items of a set, can hold, whatever the table has.

    Attributes
    ----------
    low, high, step
        Numbers: the ends of the range, both included, and the least difference that is told.
    values
        A list.
    taxonomy, fanout
        A tree, by name or as a file, and the most children that a node of it may have.
    """

    low: Exact | None = None
    high: Exact | None = None
    step: Exact | None = None
    values: tuple[str, ...] | None = None
    taxonomy: str | None = None
    fanout: Whole | None = None

    def ends(self, where: str) -> tuple[Decimal, ...]:
        """Give low, high and step.

        Raises
        ------
        SettingError
            An end is missing.
        """
        if self.low is None or self.high is None:
            raise SettingError(
                "a range needs both ends", where=where, fix="write low = 15 and high = 95"
            )
        return self.low, self.high, Decimal(1) if self.step is None else self.step


@dataclass(frozen=True, config=_STRICT)
class SetDeclaration:
    """Where the items of a set-valued attribute are.

    Attributes
    ----------
    column, delimiter
        One column of lists, or of texts with a delimiter.
    columns
        Several columns, one item in each.
    file, key, own_key, code, order
        A second table: whose row it is, the first table's column of the same, the item, and what
        ranks the rows.
    missing
        Texts that are no items.
    longest
        For items with their order: how many positions count.
    """

    column: str | None = None
    delimiter: str | None = None
    columns: tuple[str, ...] | None = None
    file: str | None = None
    key: str | None = None
    own_key: str | None = None
    code: str | None = None
    order: str | None = None
    missing: tuple[str, ...] | None = None
    longest: Whole | None = None


@dataclass(frozen=True, config=_TEXTS)
class Synthesizing:
    """What a differentially private release is asked for."""

    epsilon: str | None = None
    target: str | None = None
    classes: tuple[str, ...] | None = None
    quasi: tuple[str, ...] | None = None
    specializations: str | None = None
    score: str | None = None
    outside: str | None = None


@dataclass(frozen=True, config=_STRICT)
class Project:
    """A project file.

    Attributes
    ----------
    data
        The table.
    population, population_counts
        The table of the population, and its column of counts.
    sampling_fraction
        Share of the population that is in the table, where it is known by its size alone.
    out, into
        Folder for the release, and the address of a new table in a database, if it goes there.
    reading, roles, privacy, quality, levels, search, advice, synthesis
        The request, part by part.
    domains
        What columns can hold, by attribute, for differentially private release.
    sets
        Set-valued attributes.
    hierarchies
        Declarations by attribute.
    hierarchy_folder
        Folder of hierarchy files.
    """

    data: str | None = None
    population: str | None = None
    population_counts: str | None = None
    sampling_fraction: Number | None = None
    out: str | None = None
    into: str | None = None
    hierarchy_folder: str | None = None
    reading: Reading = field(default_factory=Reading)
    roles: ProjectRoles = field(default_factory=ProjectRoles)
    privacy: Privacy = field(default_factory=Privacy)
    quality: Quality = field(default_factory=Quality)
    levels: LevelLimits = field(default_factory=LevelLimits)
    search: Searching = field(default_factory=Searching)
    advice: Advising = field(default_factory=Advising)
    synthesis: Synthesizing = field(default_factory=Synthesizing)
    domains: dict[str, DomainDeclaration] = field(default_factory=dict)
    sets: dict[str, SetDeclaration] = field(default_factory=dict)
    hierarchies: dict[str, dict[str, Any]] = field(default_factory=dict)


_WITHHOLD = '"withhold"'
_MOST = 16 * MIB
"""Largest project file that is read."""
_ANY = "NAME"
"""Stands for the user's name in a table of tables, such as ``[domains.age]``."""
_PROJECT: TypeAdapter[Project] = TypeAdapter(Project)
_WRONG = {
    "tuple_type": ("is not a list", 'write it in brackets, such as ["age", "sex"]'),
    "string_type": ("is not text", "write it in quotes"),
    "int_type": ("is not a whole number", "write one without quotes, such as 5"),
    "int_parsing": ("is not a whole number", "write one without quotes, such as 5"),
    "int_from_float": ("is not a whole number", "write one without a point, such as 5"),
    "decimal_type": ("is not a number", "write one without quotes, such as 95"),
    "decimal_parsing": ("is not a number", "write one without quotes, such as 95"),
    "finite_number": ("is not a finite number", "write one such as 95"),
    "float_type": ("is not a number", "write one without quotes, such as 0.05"),
    "float_parsing": ("is not a number", "write one without quotes, such as 0.05"),
    "bool_type": ("is neither true nor false", "write one of them without quotes"),
    "bool_parsing": ("is neither true nor false", "write one of them without quotes"),
}
"""How kinds of wrong values are called, and their fixes, in the words of a project file."""


def read_project(path: Path) -> Project:
    """Read a project file.

    Raises
    ------
    SettingError
        When it cannot be read, is not TOML, or holds a key that is not known or a wrong value.
    """
    try:
        # Some editors begin with a mark.
        text = content_of(path, most=_MOST).decode("utf-8-sig")
    except FileNotFoundError:
        raise SettingError(
            "there is no such project file", where=str(path), fix="make one with roadstead scan"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingError(
            f"the project file cannot be read ({reason})",
            where=str(path),
            fix="name a file as roadstead scan writes it",
        ) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingError(f"not TOML: {error}", where=str(path), fix="correct it") from None
    except ValueError:  # of Python itself, which reads no number of thousands of digits
        raise SettingError("a number is too long", where=str(path), fix="correct it") from None
    except RecursionError:
        raise SettingError("nested too deeply", where=str(path), fix="correct it") from None
    try:
        project = _PROJECT.validate_python(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _explained(first["loc"], first["type"], first["msg"], where=str(path)) from None
    for at, settings in enumerate(project.privacy.models):
        if (key := number_as_text(settings)) is not None:
            place = ("privacy", "models", at, key)
            raise _explained(place, "float_type", "", where=str(path))
    return project


def _explained(loc: tuple[int | str, ...], kind: str, message: str, *, where: str) -> SettingError:
    """Turn a complaint into one line in the words of a project file."""
    keys = tuple(named(part) for part in loc if isinstance(part, str))
    if keys[:2] == ("roles", "undecided"):
        fix = f'write {_WITHHOLD}, or a list such as ["age", "sex"]'
        return SettingError("roles.undecided: is neither", where=where, fix=fix)
    place = (".".join(keys) or '""') + "".join(
        f", item {part + 1}" for part in loc if isinstance(part, int)
    )
    if kind == "unexpected_keyword_argument":
        return SettingError(f"{place}: is not known", where=where, fix=_instead(keys))
    if kind in ("dict_type", "dataclass_type"):
        return SettingError(f"{place}: is not a table", where=where, fix=_as_table(loc))
    what, fix = _WRONG.get(kind, (message.removeprefix("Input "), "correct it"))
    return SettingError(f"{place}: {what}", where=where, fix=fix)


def _as_table(loc: tuple[int | str, ...]) -> str:
    match loc:
        case ("hierarchies", _):
            return 'write it as {kind = "flat"}, for instance, or leave it out'
        case (*keys, int()):
            head = f"[[{'.'.join(map(str, keys))}]]"
        case keys:
            head = f"[{'.'.join(map(str, keys))}]"
    return f"write its keys below {head}, each as key = value"


def _instead(keys: tuple[str, ...]) -> str:
    """Offer the nearest key, in the same table if it can be, or else all there are in it."""
    own = keys[1] if len(keys) > 1 else _ANY
    names = [tuple(own if key == _ANY else key for key in name) for name in _names()]
    beside = [name for name in names if name[:-1] == keys[:-1]]
    for near in get_close_matches(keys[-1].lower(), [name[-1] for name in names], n=1):
        meant = next(name for name in (*beside, *names) if name[-1] == near)
        return f"did you mean {'.'.join(meant)}?"
    return f"use one of {', '.join(name[-1] for name in beside)}"


def _names() -> list[tuple[str, ...]]:
    """List every key that a project file may have, each with its table."""
    found: list[tuple[str, ...]] = []
    for table, kind in get_type_hints(Project).items():
        found.append((table,))
        if is_dataclass(kind):
            found += [(table, key.name) for key in fields(kind)]
        found += [
            (table, _ANY, key.name)
            for part in get_args(kind)
            if is_dataclass(part)
            for key in fields(part)
        ]
    return found
