"""Look up searches for recodings by name; the first search of each kind is the default.

Another package can add a search by declaring an entry point in a group such as
``roadstead.recodings.local``. The entry point loads a class that implements the protocol
`RecodingSearch`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from roadstead.capabilities import Capabilities
from roadstead.errors import quoted
from roadstead.policies.recodings.document import RecodingKind
from roadstead.registry import Registry, imported
from roadstead.search.search_capabilities import CLASS_BY_CLASS, WITH_OWN_LEVELS

if TYPE_CHECKING:
    from roadstead.search.recoding.protocol import RecodingSearch


def _valid(name: str, loaded: object) -> str | None:
    """Explain why another package's object is not the named search, or return None if it is."""
    if not isinstance(loaded, type):
        return "it is not a Python class"
    called = str(getattr(loaded, "name", ""))
    return None if called == name else f"its name is {quoted(called)}"


def _registry(
    kind: RecodingKind, place: str, *published: str
) -> Registry[Callable[[], RecodingSearch]]:
    built_in: Mapping[str, Callable[[], Callable[[], RecodingSearch]]] = {
        kind: partial(imported, f"roadstead.search.recoding.{place}")
    }
    return Registry(f"roadstead.recodings.{kind}", built_in, _valid, published)


RECODINGS: Mapping[RecodingKind, Registry[Callable[[], RecodingSearch]]] = {
    "cells": _registry("cells", "cells.search:CellSuppression"),
    "local": _registry("local", "local:LocalSearch", "first-fit", "iterated"),
    "intervals": _registry("intervals", "intervals:IntervalSearch", "mondrian"),
}
CAPABILITIES: Mapping[str, Capabilities] = {
    "cells": WITH_OWN_LEVELS,
    "local": WITH_OWN_LEVELS,
    "intervals": CLASS_BY_CLASS,
}
"""The features that each kind of recoding supports, regardless of the search."""
