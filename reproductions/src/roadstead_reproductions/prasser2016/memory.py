"""Figure 5: the memory of explicit and implicit lattices as attributes are added.

A made-up survey replaces the paper's data, which are not available. The explicit lattice is
actually built. The implicit lattice consists of what best-first search stores: the antichain and
the evaluated policies. The figure also shows the memory of everything that our exact search stores.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial

from roadstead.policies.full_domain import Levels
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Outcome, Progress
from roadstead_reproductions.prasser2016.cases import Case
from roadstead_reproductions.prasser2016.lattices import weight
from roadstead_reproductions.prasser2016.published import MEMORY
from roadstead_reproductions.prasser2016.recordings import best_first_with
from roadstead_reproductions.prasser2016.tags import ExplicitTags
from roadstead_reproductions.prasser2016.watching import watching
from roadstead_reproductions.searches.antichain import Antichain, inherited_up
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell

COLUMNS = (
    Column("data", "data", "text"),
    Column("attributes", "QIs", "count"),
    Column("policies", "policies", "count"),
    Column("explicit_bytes", "explicit lattice", "bytes"),
    Column("antichain_bytes", "antichain only", "bytes"),
    Column("best_first_bytes", "best-first, all its structures", "bytes"),
    Column("best_first_evaluated", "evaluated", "count"),
    Column("best_first_ending", "ended", "text"),
    Column("exact_bytes", "exact, all its structures", "bytes"),
    Column("exact_evaluated", "evaluated", "count"),
    Column("exact_ending", "ended", "text"),
)


def memory(cases: Sequence[Case], most_policies: int, seconds: float, tell: Tell) -> ResultTable:
    """Measure both lattices for each case.

    A lattice of more than `most_policies` policies is not built. `seconds` is the time limit of a
    search.
    """
    rows = []
    for case in cases:
        tell(f"memory: {len(case.attributes)} attributes")
        rows.append(_row(case, most_policies, seconds))
    return ResultTable(
        "figure-5-memory",
        "Figure 5: memory of the explicit and the implicit lattice",
        COLUMNS,
        (*rows, _published()),
        (
            f"Where a time is given, a search was stopped after {seconds:g} s. The memory of its "
            "structures would have grown further. Only the antichain grows with the evaluated "
            "policies and not with the lattice.",
            "The published memory is that of a Java program, including its data structures. Ours "
            "is counted by allocation, for the structure alone.",
        ),
    )


def _row(case: Case, most_policies: int, seconds: float) -> Row:
    problem = case.problem()
    size = problem.space.size
    small = size <= most_policies
    store = inherited_up()
    bfs, bfs_bytes = _weighed(partial(best_first_with, store, problem), seconds)
    exact, exact_bytes = _weighed(partial(Exact().run, problem), seconds)
    return {
        "data": case.name,
        "attributes": len(case.attributes),
        "policies": size,
        "explicit_bytes": weight(lambda: ExplicitTags(problem.space)) if small else None,
        "antichain_bytes": weight(partial(_again, store)),
        "best_first_bytes": bfs_bytes,
        "best_first_evaluated": bfs.evaluated,
        "best_first_ending": bfs.ending,
        "exact_bytes": exact_bytes,
        "exact_evaluated": exact.evaluated,
        "exact_ending": exact.ending,
    }


def _again(store: Antichain) -> Antichain:
    """Copy the policies of a store into a new store."""
    made = inherited_up()
    for levels in store:
        made.add(levels)
    return made


def _weighed(
    run: Callable[[Control], Outcome[Levels]], seconds: float
) -> tuple[Outcome[Levels], int]:
    """Run a search, and measure its peak memory between steps."""
    most = 0

    def look(_: Progress) -> None:
        nonlocal most
        most = max(most, tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        outcome = run(watching(look, seconds))
    finally:
        tracemalloc.stop()
    return outcome, most


def _published() -> Row:
    none: dict[str, None] = {column.name: None for column in COLUMNS}
    return {
        **none,
        "data": "published (SS13ACS)",
        "attributes": MEMORY.attributes,
        "policies": MEMORY.policies,
        "explicit_bytes": MEMORY.explicit,
        "best_first_bytes": MEMORY.implicit,
    }
