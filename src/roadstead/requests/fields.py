"""What can be asked for, declared once: the fields of a request.

A request is a frozen dataclass. Each of its attributes is a field declared with `option`: a key and
a type, which Python checks; a help text; a form, which says how it is written on a command line and
in a project file; a place in the project file; and a check. The command line, the project file, the
Python function, its documentation and a page are made from these declarations.

::

    @request
    class Grouping:
        k: int | None = option("Smallest class to be released.", WHOLE, default=None, usual="5")

Fields that several requests share stand in groups (`roadstead.requests.groups`), which a request
names as its bases.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from functools import cache, wraps
from typing import Any, TypeVar, dataclass_transform

from roadstead import front_end
from roadstead.log import logged
from roadstead.requests.checks import require_one_of
from roadstead.requests.forms import Form

T = TypeVar("T")
_KEY = "roadstead"
_made: list[type] = []
"""Every request and group of fields."""
_NAMED = re.compile(r"\{(\w+)(?:=([^}]*))?\}")
"""A field named in a text, which each front end writes in its own way."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """A field of a request.

    Attributes
    ----------
    key
        Its name in Python.
    help
        What it does, in a line for the command line.
    form
        How it is written.
    metavar, usual
        On the command line: what stands for its value, and what it is if it is not set.
    flag
        Its name on the command line, where it is another one than the key's.
    place
        Where it stands in a project file: ``k``, or ``privacy.k`` for a key of a table.
    check
        Refuses wrong values, and gives the value in its one form.
    says
        What Python's documentation says; the help, if it says nothing more.
    positional
        Whether it is an argument, not an option.
    command
        Whether the command line has it.
    default
        What it is if it is not set.
    """

    key: str = ""
    help: str
    form: Form
    metavar: str | None = None
    usual: str = ""
    flag: str | None = None
    place: str | None = None
    check: Callable[[Any, str], Any] | None = None
    says: str = ""
    positional: bool = False
    command: bool = True
    default: Any = MISSING

    @property
    def name(self) -> str:
        """Its name on the command line, without dashes."""
        return self.flag or self.key.replace("_", "-")

    def described(self, text: str) -> str:
        """Fill in the names of fields: ``{out}`` or ``{quality=classification}``."""
        return _NAMED.sub(lambda found: front_end.option(found[1], found[2]), text)


def option(  # noqa: PLR0913 - one for each thing that is declared
    help: str,  # noqa: A002 - what it is called everywhere
    form: Form,
    *,
    default: Any = MISSING,  # noqa: ANN401 - of the field's type
    metavar: str | None = None,
    usual: str = "",
    flag: str | None = None,
    place: str | None = None,
    check: Callable[[Any, str], Any] | None = None,
    says: str = "",
    command: bool = True,
    kw_only: bool = True,
) -> Any:  # noqa: ANN401 - stands where a value of the field's type would
    """Declare a field; see `Option`. An argument is one with ``kw_only=False``."""
    made = Option(
        help=help,
        form=form,
        metavar=metavar,
        usual=usual,
        flag=flag,
        place=place,
        check=check,
        says=says,
        positional=not kw_only,
        command=command,
        default=default,
    )
    return dataclasses.field(default=default, kw_only=kw_only, metadata={_KEY: made})


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(option, dataclasses.field)
)
def request(kind: type[T]) -> type[T]:
    """Make a class a request, or a group of fields.

    A request's fields are checked before it does anything, and what it does is logged.
    """
    for name in {"run", "deliver"} & vars(kind).keys():
        setattr(kind, name, logged(vars(kind)["verb"], _of_checked(vars(kind)[name])))
    _made.append(kind)
    kind.__repr__ = _in_one_line  # type: ignore[method-assign] # as all requests show themselves
    return dataclass(frozen=True, kw_only=True, repr=False)(kind)


def known_tables() -> frozenset[str]:
    """Name the keys that a project file can begin with, by all requests that were imported."""
    places = (one.place for kind in _made for one in options_of(kind).values())
    return frozenset(place.partition(".")[0] for place in places if place is not None)


def _in_one_line(request: Any) -> str:  # noqa: ANN401 - any request
    """Name the fields that are set, and no value: one may be a table."""
    return f"<{type(request).__name__}: {', '.join(set_fields(request)) or 'nothing is set'}>"


def _of_checked(work: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(work)
    def run(request: Any, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - those of the work
        return work(checked(request), *arguments, **keywords)

    return run


def options_of(kind: Any) -> Mapping[str, Option]:  # noqa: ANN401 - the class of a request
    """List the fields of a request by key, in the order in which a user reads them.

    Arguments come first, then the groups and the request's own fields; groups that say so (with
    ``LAST = True``), such as where to write to, come last.
    """
    return _options_of(kind)


@cache
def _options_of(kind: Any) -> Mapping[str, Option]:  # noqa: ANN401 - the class of a request
    order: dict[str, int] = {}
    for base in _lineage(kind):
        late = 2 if vars(base).get("LAST") else 1
        for key in vars(base).get("__annotations__", {}):
            order.setdefault(key, late)
    found = {
        one.name: dataclasses.replace(one.metadata[_KEY], key=one.name)
        for one in dataclasses.fields(kind)
        if _KEY in one.metadata
    }
    keys = sorted(
        (key for key in order if key in found),
        key=lambda key: 0 if found[key].positional else order[key],
    )
    return {key: found[key] for key in keys}


def _lineage(kind: type) -> list[type]:
    """Give a class after those that it is made of, in the order in which it names them."""
    return [*(one for base in kind.__bases__ for one in _lineage(base)), kind]


def checked(request: T) -> T:
    """Give a request whose fields have all been checked, each in its one form.

    Raises
    ------
    SettingError
        Names the field that is wrong.
    """
    new = {}
    for key, one in options_of(type(request)).items():
        value = getattr(request, key)
        if one.form.words and value is not None:
            require_one_of(value, key, one.form.words)
        for check in (one.form.check, one.check):
            if check is not None and not (value is None and one.default is None):
                value = new[key] = check(value, key)
    return dataclasses.replace(request, **new)  # type: ignore[type-var] # a request is a dataclass


def set_fields(request: Any) -> dict[str, Any]:  # noqa: ANN401 - any request
    """Give the fields that are not at their defaults."""
    return {
        key: getattr(request, key)
        for key, one in options_of(type(request)).items()
        if not _same(getattr(request, key), one.default)
    }


def _same(value: object, default: object) -> bool:
    """Whether a field is at its default; a data frame is no truth when it is compared."""
    return value is default or (type(value) is type(default) and bool(value == default))
