"""The searches for recodings by name; of each kind, the first is the one that is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roadstead.policies.recodings.document import RecodingKind
from roadstead.search.recoding.cells.search import CellSuppression
from roadstead.search.recoding.first_fit import FirstFit
from roadstead.search.recoding.intervals import IntervalSearch
from roadstead.search.recoding.iterated import Iterated
from roadstead.search.recoding.local import LocalSearch
from roadstead.search.recoding.mondrian import Mondrian
from roadstead.search.recoding.protocol import RecodingSearch

RECODINGS: Mapping[RecodingKind, Mapping[str, Callable[[], RecodingSearch]]] = {
    "cells": {CellSuppression.name: CellSuppression},
    "local": {LocalSearch.name: LocalSearch, FirstFit.name: FirstFit, Iterated.name: Iterated},
    "intervals": {IntervalSearch.name: IntervalSearch, Mondrian.name: Mondrian},
}
