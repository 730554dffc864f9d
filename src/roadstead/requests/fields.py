"""Declare the fields of a request. Each field is declared in one place.

A request is a frozen dataclass, and each of its attributes is a field. The function `option`
declares a field with its type, its help text, its heading in the help, and its form. The form
defines how users write the value on the command line and in a project file. A declaration can also
contain a check and the key of the field in the project file. Roadstead generates the command line,
the format of the project file, the Python function, and its documentation from these declarations.

::

    @request
    class Grouping:
        k: int | None = option(
            "Smallest group size.", WHOLE, default=None, usual="5", heading=Heading.PROTECTION
        )

Groups declare fields that several requests share (see `roadstead.requests.groups` and
`roadstead.requests.persons`). A request inherits from its groups.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, dataclass_transform, get_args, get_origin

from roadstead import front_end
from roadstead.jobs import SILENT, Delivery, Observer
from roadstead.log import logged
from roadstead.requests.checks import require_one_of
from roadstead.requests.forms import MEASURE, NEW_FOLDER, SWITCH, TABLE, Form
from roadstead.requests.headings import Heading
from roadstead.requests.types import require_type, standard

R = TypeVar("R")
T = TypeVar("T")
_KEY = "roadstead"
_made: list[type] = []
"""All requests and groups of fields."""
_NAMED = re.compile(r"\{(\w+)(?:=([^}]*))?\}")
"""A pattern that matches a field name in a help text."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """A field of a request."""

    key: str = ""  # name in Python
    help: str  # what the field does: a sentence or two for the command line
    more: str = ""  # further sentences, which only `--help-all` shows
    form: Form  # how the value is written
    heading: Heading | None = None  # heading of the option in the help
    common: bool | Collection[str] = False  # in the short help of all, or of these, commands
    metavar: str | None = None  # placeholder of the value, if different from the form's
    usual: str = ""  # the default in words, unless it is the default's text
    flag: str | None = None  # name on the command line, if different from the key
    place: str | None = None  # key in a project file, such as `k`, or `privacy.k` in a table
    check: Callable[[Any, str], Any] | None = None  # rejects wrong values, standardizes others
    says: str = ""  # text in the Python documentation; by default, the help
    positional: bool = False  # whether the field is an argument, not an option
    command: bool = True  # whether the command line has the field
    default: Any = MISSING

    @property
    def name(self) -> str:
        """Return the name of the option on the command line, without dashes."""
        return self.flag or self.key.replace("_", "-")

    @property
    def placeholder(self) -> str:
        """Return the placeholder of the value, or an empty string to use its type's placeholder."""
        return self.metavar or self.form.metavar or "|".join(self.form.words)

    @property
    def default_in_words(self) -> str:
        """Return the default, or an empty string if there is no default to show."""
        if self.usual or self.form.typed == "switch" or self.default in (MISSING, None, ()):
            return self.usual
        if self.form.typed == "yes-no":
            return "yes" if self.default else "no"
        return str(self.default)

    def in_short_help(self, verb: str) -> bool:
        """Return whether the short help of a command includes the option."""
        return verb in self.common if isinstance(self.common, Collection) else self.common


def described(text: str) -> str:
    """Replace field names in a help text, such as ``{out}`` or ``{quality=classification}``."""
    return _NAMED.sub(lambda found: front_end.option(found[1], found[2]), text)


def option(
    help: str,  # noqa: A002 - the usual name
    form: Form,
    *,
    default: Any = MISSING,  # noqa: ANN401 - of the field's type
    kw_only: bool = True,
    **more: Any,  # noqa: ANN401 - of the types in `Option`
) -> Any:  # noqa: ANN401 - takes the place of a value of the field's type
    """Declare a field with the attributes of `Option`.

    If `kw_only` is False, the field is a positional argument.
    """
    made = Option(help=help, form=form, default=default, positional=not kw_only, **more)
    return dataclasses.field(default=default, kw_only=kw_only, metadata={_KEY: made})


def new_folder(help: str, *, default: Path | None, **more: Any) -> Any:  # noqa: A002, ANN401 - as above
    """Declare the field for the folder that a command creates."""
    more = {"heading": Heading.OUTPUT, "common": True, **more}
    return option(help, NEW_FOLDER, default=default, **more)


def output_switch(help: str, *, default: bool) -> Any:  # noqa: A002, ANN401 - as above
    """Declare a field that turns a part of the output on or off."""
    return option(help, SWITCH, default=default, heading=Heading.OUTPUT, common=True)


def released_table(*, default: None, **more: Any) -> Any:  # noqa: ANN401 - as above
    """Declare the field for the address of a released table whose rows are checked."""
    what = "Address of the released table, if it is in a database."
    return option(what, TABLE, default=default, heading=Heading.CHECKS, metavar="ADDRESS", **more)


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(option, new_folder, output_switch, released_table, dataclasses.field),
)
def request(kind: type[T]) -> type[T]:
    """Turn a class into a request or a group of fields."""
    _made.append(kind)
    kind.__repr__ = _in_one_line  # type: ignore[method-assign] # as all requests show themselves
    return dataclass(frozen=True, kw_only=True, repr=False)(kind)


class VerbRequest(Generic[R]):
    """A request whose result has the type `R`. The file `run.py` in its folder runs the request.

    In `run.py`, the function `deliver` does all the work. If `run.py` has a function `result_of`,
    that function computes the result without writing files. The file is imported only when needed,
    because its own imports are slow.
    """

    verb: ClassVar[str]

    @property
    def writes(self) -> bool:
        """Return whether the request writes files in addition to computing a result."""
        return getattr(self, "out", None) is not None

    def run(self, observer: Observer = SILENT) -> R:
        """Carry out the request, write its files, and return its result."""
        found = self._carried_out("deliver" if self.writes else "result_of", observer)
        result: R = found.result if isinstance(found, Delivery) else found
        return result

    def deliver(self, observer: Observer = SILENT) -> Delivery[R]:
        """Carry out the request, write its files, and return the result and its description."""
        delivery: Delivery[R] = self._carried_out("deliver", observer)
        return delivery

    def _carried_out(self, work: str, observer: Observer) -> Any:  # noqa: ANN401 - a result
        own: Any = next(one for one in type(self).__mro__ if VerbRequest in one.__bases__)
        module = import_module(own.__module__.removesuffix("request") + "run")
        done = getattr(module, work, module.deliver)
        return logged(own.verb, lambda: done(checked(self), observer))()


def result_named(kind: type) -> str | None:
    """Return the name of a request's result type, or None if the request has no result."""
    bases = (base for one in kind.__mro__ for base in vars(one).get("__orig_bases__", ()))
    found = (get_args(base)[0] for base in bases if get_origin(base) is VerbRequest)
    return next((one.__forward_arg__ for one in found), None)


def known_tables() -> frozenset[str]:
    """Return the top-level keys that a project file can contain for the imported requests."""
    places = (one.place for kind in _made for one in options_of(kind).values())
    return frozenset(place.partition(".")[0] for place in places if place is not None)


def _in_one_line(request: Any) -> str:  # noqa: ANN401 - any request
    """Return the names of the fields that are set. Omit the values, because they can be tables."""
    return f"<{type(request).__name__}: {', '.join(set_fields(request)) or 'nothing is set'}>"


def options_of(kind: Any) -> Mapping[str, Option]:  # noqa: ANN401 - the class of a request
    """Return the fields of a request by key. The order is the same as in the help.

    Arguments come first, followed by the groups of fields and the request's own fields. Groups with
    ``LAST = True``, such as the output, come last.
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
    """Return the base classes of a class in order, and then the class itself."""
    return [*(one for base in kind.__bases__ for one in _lineage(base)), kind]


def checked(request: T) -> T:
    """Return a request with all field values checked and standardized."""
    new = {}
    for key, one in options_of(type(request)).items():
        value = getattr(request, key)
        if value is None and one.default == ():
            value = new[key] = one.default
        if one.form is not TABLE and (plain := standard(value)) is not value:
            value = new[key] = plain
        if one.form.words and not (value is None and one.default is None):
            if isinstance(value, int) and not isinstance(value, bool):
                value = new[key] = str(value)  # a number can represent a word: knows=2
            require_one_of(value, key, one.form.words)
        for check in (one.form.check, one.check):
            if check is not None and not (value is None and one.default is None):
                value = new[key] = check(value, key)
        measure = one.form is MEASURE and callable(value)
        if value is not one.default and not one.form.words and not measure:
            require_type(value, type(request), key)
    return dataclasses.replace(request, **new)  # type: ignore[type-var] # a request is a dataclass


def set_fields(request: Any) -> dict[str, Any]:  # noqa: ANN401 - any request
    """Return the fields that differ from their defaults."""
    return {
        key: getattr(request, key)
        for key, one in options_of(type(request)).items()
        if not _same(getattr(request, key), one.default)
    }


def _same(value: object, default: object) -> bool:
    """Return whether a value equals the default. The value can be a data frame."""
    return value is default or (type(value) is type(default) and bool(value == default))
