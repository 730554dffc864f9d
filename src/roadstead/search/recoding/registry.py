"""The searches for recodings by name; of each kind, the first is the one that is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roadstead.policies.recodings.document import RecodingKind
from roadstead.search.recoding.first_fit import FirstFit
from roadstead.search.recoding.intervals import IntervalSearch
from roadstead.search.recoding.mondrian import Mondrian
from roadstead.search.recoding.protocol import RecodingSearch

RECODINGS: Mapping[RecodingKind, Mapping[str, Callable[[], RecodingSearch]]] = {
    "cells": {},
    "local": {FirstFit.name: FirstFit},
    "intervals": {IntervalSearch.name: IntervalSearch, Mondrian.name: Mondrian},
}
