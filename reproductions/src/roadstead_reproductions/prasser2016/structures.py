"""Table 1: four structures for a predictive property, timed on operations from searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roadstead_reproductions.prasser2016 import published
from roadstead_reproductions.prasser2016.recordings import Recording
from roadstead_reproductions.predictive_stores import STORES, Operation, replay
from roadstead_reproductions.tables import Column, ResultTable, Row

_SHORT = 10_000
"""The largest number of operations for which the slow lists are timed several times."""
_ROUNDS = 3
TREES = {name: make for name, make in STORES.items() if "tree" in name}
"""The fast structures, which are always timed several times."""

COLUMNS = (
    Column("data", "data", "text"),
    Column("attributes", "QIs", "count"),
    Column("search", "search", "text"),
    Column("property", "property", "text"),
    Column("operations", "operations", "count"),
    Column("list_seconds", "list", "seconds"),
    Column("antichain_list", "with invariant", "times"),
    Column("prefix_tree", "prefix tree", "times"),
    Column("ranked_tree", "with ranks", "times"),
    Column("in_all", "in total, times faster", "times"),
)


def structures(recordings: Sequence[Recording], most_operations: int) -> ResultTable:
    """Replay the recorded operations with the four structures.

    At most `most_operations` operations of each trace are replayed, from its beginning.
    """
    rows = [row for recording in recordings for row in _rows(recording, most_operations)]
    stopped = [r for r in recordings if r.outcome.ending != "complete"]
    notes = [
        "Time spent in the structure alone: the list in full, the others as a share of it. Each "
        "figure is the fastest round on one trace; all four structures gave the same answers.",
        published.STORES_STATEMENT,
        _helped(rows),
        *(
            f"{r.data}, {r.search}: stopped after {r.outcome.seconds:.0f} s of the search for "
            f"{r.policies:,} policies."
            for r in stopped
        ),
    ]
    return ResultTable(
        "table-1-structures",
        "Table 1: time in the structure for a predictive property, relative to the plain list",
        COLUMNS,
        tuple(rows),
        tuple(notes),
    )


def _helped(rows: Sequence[Row]) -> str:
    """Report how often each step in the development of the store saved time."""
    steps = (
        ("the invariant", "antichain_list", None),
        ("the tree", "prefix_tree", "antichain_list"),
        ("the ranks", "ranked_tree", "prefix_tree"),
    )
    helped = [
        f"{name} in {sum(_share(row, own) < _share(row, before) for row in rows)}"
        for name, own, before in steps
    ]
    gains = [_share(row, "in_all") for row in rows]
    return (
        f"Ours, in {len(rows)} traces: {', '.join(helped)} of them took less time than the step "
        f"before; in total {min(gains):.3g} to {max(gains):.3g} times faster. The invariant saves "
        "little if most of the inserted policies stay in the antichain (table 2)."
    )


def _share(row: Row, name: str | None) -> float:
    value = 1.0 if name is None else row[name]
    if not isinstance(value, float):
        raise TypeError(f"{name} is not a share")
    return value


def _rows(recording: Recording, most: int) -> Iterator[Row]:
    for record in recording.properties:
        trace: list[Operation] = record.trace[:most]
        if not trace:
            continue
        seconds = replay(trace, rounds=_ROUNDS if len(trace) <= _SHORT else 1)
        again = replay(trace, TREES, rounds=_ROUNDS)
        plain, kept, tree, ranked = (
            min(taken, again.get(name, taken)) for name, taken in seconds.items()
        )
        yield {
            "data": recording.data,
            "attributes": recording.attributes,
            "search": recording.search,
            "property": record.name,
            "operations": len(trace),
            "list_seconds": plain,
            "antichain_list": kept / plain,
            "prefix_tree": tree / plain,
            "ranked_tree": ranked / plain,
            "in_all": plain / ranked,
        }
