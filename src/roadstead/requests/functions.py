"""Generate a Python function for each request, such as ``rs.anonymize(data, quasi=[...], k=5)``.

The fields of the request are the arguments of the function. The help text of the fields becomes the
documentation of the function. In a notebook, the function displays its progress on one line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from textwrap import fill, indent
from typing import Any, ParamSpec, TypeVar

from roadstead.errors import RoleError, quoted
from roadstead.jobs import Runnable
from roadstead.requests.fields import Option, described, options_of, result_named
from roadstead.requests.notebooks import watched

P = ParamSpec("P")
R = TypeVar("R")


def function_of(request: Callable[P, Runnable[R]]) -> Callable[P, R]:
    """Return a function that creates a request from its arguments and carries out the request."""

    def run(*arguments: P.args, **keywords: P.kwargs) -> R:
        try:
            signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{kind.verb}() {error}") from None
        made: Any = request(*arguments, **keywords)
        opened: list[Any] = []
        found: Any = None
        try:
            with watched(kind) as observer:
                found = made.run(replace(observer, opened=opened.append))
                own: R = found
                return own
        except RoleError as error:
            if (named := _index_of(getattr(made, "data", None), error)) is None:
                raise
            fix = "it is the index of the data frame; pass the result of its method reset_index()"
            raise RoleError(error.what, where=named, fix=fix) from None
        finally:
            if not hasattr(found, "close"):  # a result that does not read its table again
                for one in opened:
                    if getattr(one, "location", None) is not None:  # not a set of tables
                        one.close()

    kind: Any = request
    run.__name__ = run.__qualname__ = kind.verb
    run.__module__ = kind.__module__
    run.__doc__ = _documentation(kind)
    own = inspect.signature(kind)
    parameters = [own.parameters[key] for key in options_of(kind)]
    signature = own.replace(parameters=parameters, return_annotation=result_named(kind))
    run.__signature__ = signature  # type: ignore[attr-defined] # read by inspect
    return run


def _index_of(data: object, error: RoleError) -> str | None:
    """Return the place that an error names if the missing column is a data frame's index."""
    names = getattr(getattr(data, "index", None), "names", ())
    places = (f"column {quoted(str(name))}" for name in names if name is not None)
    return next((place for place in places if place == error.where), None)


def _with_default(one: Option) -> str:
    """Return the help text of a field, and add the default if the text does not mention it."""
    text = one.says or one.help.replace(" Repeatable.", "")  # of options on the command line
    default = one.default_in_words
    return f"{text} Default: {default}." if default and "default" not in text else text


def _documentation(kind: type) -> str:
    texts = []
    for one in options_of(kind).values():
        text = described(_with_default(one))
        texts.append(f"{one.key}\n{indent(fill(text, 92), '    ')}")
    head, _, raises = inspect.cleandoc(kind.__doc__ or "").partition("\n\nRaises\n")
    parameters = "\n".join(texts)
    return f"{head}\n\nParameters\n----------\n{parameters}\n\nRaises\n{raises}\n"
