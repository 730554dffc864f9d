"""What can be asked for, declared once: the fields of a request.

A request is a frozen dataclass. Each of its attributes is a field declared with `option`: a key and
a type, which Python checks; a help text; a form, which says how it is written on a command line and
in a project file; a place in the project file; and a check. The command line, the project file, the
Python function and its documentation are made from these declarations.

::

    @request
    class Grouping:
        k: int | None = option("Smallest class to be released.", WHOLE, default=None, usual="5")

Fields that several requests share stand in groups (`roadstead.requests.groups`, and what is of
persons in `roadstead.requests.persons`), which a request names as its bases.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar, dataclass_transform, get_args, get_origin

from roadstead import front_end
from roadstead.jobs import SILENT, Delivery, Observer
from roadstead.log import logged
from roadstead.requests.checks import require_one_of
from roadstead.requests.forms import Form

R = TypeVar("R")
T = TypeVar("T")
_KEY = "roadstead"
_made: list[type] = []
"""Every request and group of fields."""
_NAMED = re.compile(r"\{(\w+)(?:=([^}]*))?\}")
"""A field named in a text, which each front end writes in its own way."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """A field of a request."""

    key: str = ""  # its name in Python
    help: str  # what it does, in a line for the command line
    form: Form  # how it is written
    metavar: str | None = None  # on the command line: what stands for its value,
    usual: str = ""  # what it is if it is not set,
    flag: str | None = None  # and its name, where that is another one than the key's
    place: str | None = None  # in a project file: `k`, or `privacy.k` for a key of a table
    check: Callable[[Any, str], Any] | None = None  # refuses values, and gives the one form
    says: str = ""  # what Python's documentation says; the help, if it says nothing more
    positional: bool = False  # whether it is an argument, not an option
    command: bool = True  # whether the command line has it
    default: Any = MISSING

    @property
    def name(self) -> str:
        """Its name on the command line, without dashes."""
        return self.flag or self.key.replace("_", "-")

    def described(self, text: str) -> str:
        """Fill in the names of fields: ``{out}`` or ``{quality=classification}``."""
        return _NAMED.sub(lambda found: front_end.option(found[1], found[2]), text)


def option(
    help: str,  # noqa: A002 - what it is called everywhere
    form: Form,
    *,
    default: Any = MISSING,  # noqa: ANN401 - of the field's type
    kw_only: bool = True,
    **more: Any,  # noqa: ANN401 - of the types that `Option` says
) -> Any:  # noqa: ANN401 - stands where a value of the field's type would
    """Declare a field, as `Option` says; an argument is one with ``kw_only=False``."""
    made = Option(help=help, form=form, default=default, positional=not kw_only, **more)
    return dataclasses.field(default=default, kw_only=kw_only, metadata={_KEY: made})


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(option, dataclasses.field)
)
def request(kind: type[T]) -> type[T]:
    """Make a class a request, or a group of fields."""
    _made.append(kind)
    kind.__repr__ = _in_one_line  # type: ignore[method-assign] # as all requests show themselves
    return dataclass(frozen=True, kw_only=True, repr=False)(kind)


class VerbRequest(Generic[R]):
    """A request that the file `run.py` alongside its own carries out, with the result `R`.

    There `deliver` does all of it, and `result_of`, if there is one, what gives the result alone.
    Nothing of that file is imported before, because it is heavy.
    """

    verb: ClassVar[str]

    @property
    def writes(self) -> bool:
        """Whether it asks for something to be written, and not for the result alone."""
        return getattr(self, "out", None) is not None

    def run(self, observer: Observer = SILENT) -> R:
        """Do what is requested; write what it asks to be written."""
        found = self._carried_out("deliver" if self.writes else "result_of", observer)
        result: R = found.result if isinstance(found, Delivery) else found
        return result

    def deliver(self, observer: Observer = SILENT) -> Delivery[R]:
        """Do what is requested, write the result, and say what was done or found."""
        delivery: Delivery[R] = self._carried_out("deliver", observer)
        return delivery

    def _carried_out(self, work: str, observer: Observer) -> Any:  # noqa: ANN401 - a result
        """Check all fields, and let the work be done and logged."""
        own: Any = next(one for one in type(self).__mro__ if VerbRequest in one.__bases__)
        module = import_module(own.__module__.removesuffix("request") + "run")
        done = getattr(module, work, module.deliver)
        return logged(own.verb, lambda: done(checked(self), observer))()


def result_named(kind: type) -> str | None:
    """Name the type of the result of a request; None if it says nothing of it."""
    bases = (base for one in kind.__mro__ for base in vars(one).get("__orig_bases__", ()))
    found = (get_args(base)[0] for base in bases if get_origin(base) is VerbRequest)
    return next((one.__forward_arg__ for one in found), None)


def known_tables() -> frozenset[str]:
    """Name the keys that a project file can begin with, by all requests that were imported."""
    places = (one.place for kind in _made for one in options_of(kind).values())
    return frozenset(place.partition(".")[0] for place in places if place is not None)


def _in_one_line(request: Any) -> str:  # noqa: ANN401 - any request
    """Name the fields that are set, and no value: one may be a table."""
    return f"<{type(request).__name__}: {', '.join(set_fields(request)) or 'nothing is set'}>"


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
    """Give a request whose fields have all been checked, each in its one form."""
    new = {}
    for key, one in options_of(type(request)).items():
        value = getattr(request, key)
        if one.form.words and value is not None:
            if isinstance(value, int) and not isinstance(value, bool):
                value = new[key] = str(value)  # a number is a word too, as in knows=2
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
