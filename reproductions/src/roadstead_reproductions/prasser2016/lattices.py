"""Compare explicit and implicit lattices under the same Flash search.

The experiment is described in paper 003, Evaluation with a globally-optimal algorithm. It measures
time and memory for two ways to store predictions: as marks on a lattice in memory, and in
antichains.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence

from roadstead.search.protocol import Control
from roadstead_reproductions.prasser2016 import published
from roadstead_reproductions.prasser2016.cases import Case
from roadstead_reproductions.prasser2016.tags import ExplicitTags, ImplicitTags, flash_with
from roadstead_reproductions.searches.antichain import inherited_down, inherited_up
from roadstead_reproductions.searches.flash import flash
from roadstead_reproductions.searches.ledger import Tags
from roadstead_reproductions.tables import Column, ResultTable, Row

COLUMNS = (
    Column("data", "data", "text"),
    Column("attributes", "QIs", "count"),
    Column("policies", "policies", "count"),
    Column("checked", "checked", "count"),
    Column("explicit_seconds", "explicit", "seconds"),
    Column("implicit_seconds", "implicit", "seconds"),
    Column("array_seconds", "our marks", "seconds"),
    Column("explicit_bytes", "explicit, memory", "bytes"),
    Column("implicit_bytes", "implicit, memory", "bytes"),
    Column("array_bytes", "our marks, memory", "bytes"),
)


def lattices(cases: Sequence[Case]) -> ResultTable:
    """Search each data set three times, and measure the memory of the marks at the end."""
    return ResultTable(
        "lattices",
        "Explicit compared with implicit lattice, with Flash",
        COLUMNS,
        tuple(map(_row, cases)),
        (
            published.SPEEDUP_STATEMENT,
            "Explicit: every policy with its levels, links, and marks, in arrays. Implicit: "
            "three antichains and the visited policies. Our marks: one byte per policy and no "
            "links, as our Flash has otherwise. All three take the same steps.",
            "In Python, the explicit lattice is processed by whole arrays and the trees node by "
            "node, so the implicit lattice is not faster here.",
        ),
    )


def _row(case: Case) -> Row:
    problem = case.problem()
    explicit, implicit = ExplicitTags(problem.space), empty()
    linked = flash_with(explicit, problem, Control())
    kept = flash_with(implicit, problem, Control())
    marked = flash().run(problem, Control())
    if not linked.evaluated == kept.evaluated == marked.evaluated:
        raise RuntimeError("Flash took other steps with other marks")
    return {
        "data": case.name,
        "attributes": len(case.attributes),
        "policies": problem.space.size,
        "checked": marked.evaluated,
        "explicit_seconds": linked.seconds,
        "implicit_seconds": kept.seconds,
        "array_seconds": marked.seconds,
        "explicit_bytes": weight(lambda: ExplicitTags(problem.space)),
        "implicit_bytes": weight(implicit.copy),
        "array_bytes": weight(lambda: Tags(problem.space)),
    }


def empty() -> ImplicitTags:
    """Create a store of implicit marks for a lattice. At first, no policy has a mark."""
    return ImplicitTags(inherited_down(), inherited_up(), inherited_up())


def weight(make: Callable[[], object]) -> int:
    """Return the memory of an object in bytes."""
    tracemalloc.start()
    try:
        kept = make()
        taken, _ = tracemalloc.get_traced_memory()
        del kept
    finally:
        tracemalloc.stop()
    return taken
