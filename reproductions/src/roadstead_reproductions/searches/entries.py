"""The entry points of the searches from the literature."""

from __future__ import annotations

from roadstead.search.registry import SearchEntry
from roadstead.search.search_capabilities import (
    FRONTIER_OF_PARTITIONS,
    ON_LEVELS,
    ON_PARTITIONS,
)
from roadstead_reproductions.searches import heuristics, minimal
from roadstead_reproductions.searches.best_first import best_first
from roadstead_reproductions.searches.flash import flash
from roadstead_reproductions.searches.k_optimize import KOptimize
from roadstead_reproductions.searches.lattice_based import lattice_based
from roadstead_reproductions.searches.partition_heuristics import PartitionGenetic, PartitionGreedy
from roadstead_reproductions.searches.random_chain import RandomChain
from roadstead_reproductions.searches.sublattice_heuristic import SublatticeHeuristic

_ANY = "every model, and lattices of any size"
_MARKED = "every model, and lattices of a few million policies"
_MONOTONE = (
    "models for which every policy above an admissible one is admissible, and lattices "
    "of a few million policies"
)
_SIZES = "models of class sizes, with discernibility or the classification metric"
_ANY_MEASURE = "every monotone risk and loss"

BEST_FIRST = SearchEntry("levels", lambda _: best_first(), _ANY, ON_LEVELS)
FLASH = SearchEntry("levels", lambda _: flash(), _MARKED, ON_LEVELS)
OLA = SearchEntry("levels", lambda _: minimal.ola(), _MONOTONE, ON_LEVELS, infers=True)
INCOGNITO = SearchEntry("levels", lambda _: minimal.incognito(), _MONOTONE, ON_LEVELS, infers=True)
LATTICE_BASED = SearchEntry("levels", lambda _: lattice_based(), _ANY, ON_LEVELS)
IGREEDY = SearchEntry("levels", lambda _: heuristics.igreedy(), _ANY, ON_LEVELS)
DATAFLY = SearchEntry("levels", lambda _: heuristics.datafly(), _ANY, ON_LEVELS)
GENETIC = SearchEntry("levels", heuristics.genetic, _ANY, ON_LEVELS)
K_OPTIMIZE = SearchEntry("partition", lambda _: KOptimize(), _SIZES, ON_PARTITIONS)
PARTITION_GREEDY = SearchEntry("partition", lambda _: PartitionGreedy(), _SIZES, ON_PARTITIONS)
PARTITION_GENETIC = SearchEntry("partition", PartitionGenetic, _SIZES, ON_PARTITIONS)
SUBLATTICE_HEURISTIC = SearchEntry(
    "frontier", SublatticeHeuristic, _ANY_MEASURE, FRONTIER_OF_PARTITIONS, ends=False
)
RANDOM_CHAIN = SearchEntry(
    "frontier", RandomChain, _ANY_MEASURE, FRONTIER_OF_PARTITIONS, ends=False
)
