"""The searches for recodings by name; of each kind, the first is the one that is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roadstead.capabilities import Capabilities
from roadstead.policies.recodings.document import RecodingKind
from roadstead.search.recoding.cells.search import CellSuppression
from roadstead.search.recoding.first_fit import FirstFit
from roadstead.search.recoding.intervals import IntervalSearch
from roadstead.search.recoding.iterated import Iterated
from roadstead.search.recoding.local import LocalSearch
from roadstead.search.recoding.mondrian import Mondrian
from roadstead.search.recoding.protocol import RecodingSearch
from roadstead.search.search_capabilities import CLASS_BY_CLASS, WITH_OWN_LEVELS

RECODINGS: Mapping[RecodingKind, Mapping[str, Callable[[], RecodingSearch]]] = {
    "cells": {CellSuppression.name: CellSuppression},
    "local": {LocalSearch.name: LocalSearch, FirstFit.name: FirstFit, Iterated.name: Iterated},
    "intervals": {IntervalSearch.name: IntervalSearch, Mondrian.name: Mondrian},
}
CAPABILITIES: Mapping[str, Capabilities] = {
    "cells": WITH_OWN_LEVELS,
    "local": WITH_OWN_LEVELS,
    "intervals": CLASS_BY_CLASS,
}
"""What each kind of recoding goes with, whichever search makes it."""
