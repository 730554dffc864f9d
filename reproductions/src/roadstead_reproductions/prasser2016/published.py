"""The results in paper 003 and in the result files of its benchmark.

Prasser, Kohlmayer, and Kuhn 2016, "Efficient and effective pruning strategies for health data
de-identification", BMC Medical Informatics and Decision Making 16:49,
doi:10.1186/s12911-016-0287-2. Counts and qualities are from the public results of the benchmark
(arx-deidentifier/pruning-benchmark).
"""

from __future__ import annotations

from typing import NamedTuple

REFERENCE = (
    "Prasser F, Kohlmayer F, Kuhn KA. Efficient and effective pruning strategies for health data "
    "de-identification. BMC Med Inform Decis Mak 2016; 16:49. doi:10.1186/s12911-016-0287-2"
)

STORES_STATEMENT = (
    "Published (table 1, from the text): the invariant, the prefix tree, and the ranks each "
    "reduce the time, the prefix tree most; in total by more than one order of magnitude with 15 "
    "attributes (SS13ACS)."
)


class Statistics(NamedTuple):
    """A row of table 2, for Flash with all attributes."""

    inserts: int
    queries: int
    antichain_share: float
    hit_rate: float


STATISTICS: dict[tuple[str, str], Statistics] = {
    ("Adult", "insufficient quality"): Statistics(1062, 21585, 0.735, 0.747),
    ("Adult", "not anonymous"): Statistics(887, 27005, 0.930, 0.154),
    ("Cup", "insufficient quality"): Statistics(1435, 46166, 0.763, 0.809),
    ("Cup", "not anonymous"): Statistics(1172, 63828, 0.968, 0.248),
    ("Fars", "insufficient quality"): Statistics(1161, 23426, 0.618, 0.754),
    ("Fars", "not anonymous"): Statistics(752, 28384, 0.884, 0.108),
}
"""Statistics by data set and property."""

FLASH_EVALUATIONS = {"Adult": 1180, "Cup": 1524, "Fars": 1342}
"""The number of policies that Flash checked with all attributes (table 2)."""


class BestFirstRun(NamedTuple):
    """A run of best-first search: all evaluations, evaluations until the optimum, and quality."""

    evaluated: int
    first_met: int
    quality: float


BEST_FIRST: dict[tuple[str, int], BestFirstRun] = {
    ("Adult", 3): BestFirstRun(10, 2, 0.9589917129013221),
    ("Adult", 4): BestFirstRun(51, 13, 0.8801818030123745),
    ("Adult", 5): BestFirstRun(105, 21, 0.869744724488194),
    ("Adult", 6): BestFirstRun(183, 35, 0.8699319038417452),
    ("Adult", 7): BestFirstRun(299, 35, 0.8674315517457727),
    ("Adult", 8): BestFirstRun(1062, 56, 0.8288350057809766),
    ("Adult", 9): BestFirstRun(5319, 81, 0.7570844289429579),
    ("Cup", 3): BestFirstRun(7, 2, 0.9826641704214456),
    ("Cup", 4): BestFirstRun(23, 14, 0.9406215210080544),
    ("Cup", 5): BestFirstRun(88, 12, 0.9218406352334123),
    ("Cup", 6): BestFirstRun(284, 115, 0.8723318416408845),
    ("Cup", 7): BestFirstRun(1736, 539, 0.8712033847775258),
    ("Cup", 8): BestFirstRun(6911, 3424, 0.8603106390825048),
    ("Fars", 3): BestFirstRun(10, 5, 0.9520693164893594),
    ("Fars", 4): BestFirstRun(42, 10, 0.9029144224083259),
    ("Fars", 5): BestFirstRun(82, 12, 0.9185494747167227),
    ("Fars", 6): BestFirstRun(262, 14, 0.9042146344687654),
    ("Fars", 7): BestFirstRun(509, 23, 0.8985293682610245),
    ("Fars", 8): BestFirstRun(3769, 56, 0.8460101233152582),
}
"""Runs by data set and number of attributes, in the order of the benchmark (its result files)."""

SPEEDUP_STATEMENT = (
    "Published (Evaluation with a globally-optimal algorithm, five data sets): the implicit "
    "lattice is 5 to 23% faster and needs 7 to 50% less memory than the explicit one."
)


class LatticeMemory(NamedTuple):
    """The memory that an explicit and an implicit lattice use, in bytes."""

    attributes: int
    policies: int
    explicit: int
    implicit: int


MEMORY = LatticeMemory(12, 4_199_040, 1_011_000_000, 83_000_000)
"""Figures for the data set SS13ACS (figure 5 and the result files)."""

OPTIMUM_STATEMENT = (
    "Published (figure 7a): the share of the time until the optimum is found falls as attributes "
    "are added; SS13ACS with 15 attributes, 0.007% (500 ms of 6,850 s)."
)

IMPROVEMENT: dict[tuple[str, int], float | None] = {
    ("Adult", 3): 0.0,
    ("Adult", 4): 0.0,
    ("Adult", 5): 0.0,
    ("Adult", 6): 0.0769,
    ("Adult", 7): 0.0,
    ("Adult", 8): 0.0425,
    ("Adult", 9): 0.0146,
    ("Cup", 3): 0.0004,
    ("Cup", 4): 0.01,
    ("Cup", 5): 0.0225,
    ("Cup", 6): 0.0238,
    ("Cup", 7): None,
    ("Cup", 8): None,
    ("Fars", 3): 0.067,
    ("Fars", 4): 0.0044,
    ("Fars", 5): 0.0077,
    ("Fars", 6): 0.0,
    ("Fars", 7): 0.0,
    ("Fars", 8): 0.0022,
}
"""Table 5: the improvement of best-first over IGreedy, or None without a result in time."""
