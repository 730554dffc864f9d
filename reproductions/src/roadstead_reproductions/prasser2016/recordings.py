"""Record how searches update and query predictive properties.

Tables 1 and 2 of paper 003 use the same runs of Flash and best-first search, in which every
operation on the two predictive properties is recorded. The first property, insufficient quality, is
inherited by more general policies. The second property, too much suppression, is inherited by more
specific policies; the paper calls such policies "not anonymous". Best-first uses only the first
property.
"""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.policies.full_domain import Levels
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.protocol import Control, Outcome
from roadstead_reproductions.prasser2016.cases import Case
from roadstead_reproductions.prasser2016.tags import RecordedTags, Recorder, flash_with
from roadstead_reproductions.predictive_stores import Operation, mirrored
from roadstead_reproductions.searches.antichain import Antichain
from roadstead_reproductions.searches.best_first import best_first

INSUFFICIENT_QUALITY, NOT_ANONYMOUS = "insufficient quality", "not anonymous"


@dataclass(frozen=True)
class PropertyRecord:
    """The operations of a search on one property.

    `trace` contains the operations, converted to a property that more general policies inherit.
    `inserts` counts added policies that were not implied, `hits` counts queries whose answer was
    yes, and `kept` is the size of the antichain at the end.
    """

    name: str
    trace: list[Operation]
    inserts: int
    queries: int
    hits: int
    kept: int


@dataclass(frozen=True)
class Recording:
    """A recorded search.

    `needless` counts queries about a policy directly above the last policy of insufficient quality.
    """

    data: str
    attributes: int
    policies: int
    search: str
    outcome: Outcome[Levels]
    properties: tuple[PropertyRecord, ...]
    needless: int = 0


def record_flash(case: Case, time_limit: float | None = None) -> Recording:
    """Run Flash with both properties in antichains."""
    problem = case.problem()
    tags = RecordedTags()
    outcome = flash_with(tags, problem, Control(time_limit))
    records = (
        _record(INSUFFICIENT_QUALITY, tags.insufficient),
        _record(NOT_ANONYMOUS, tags.hopeless, turned=True),
    )
    size = problem.space.size
    return Recording(
        case.name, len(case.attributes), size, "flash", outcome, records, tags.needless
    )


def record_best_first(case: Case, time_limit: float | None = None) -> Recording:
    """Run best-first search with its property in an antichain."""
    problem = case.problem()
    up = Recorder(mirrored=False)
    outcome = best_first_with(up, problem, Control(time_limit))
    records = (_record(INSUFFICIENT_QUALITY, up),)
    return Recording(
        case.name, len(case.attributes), problem.space.size, "best-first", outcome, records
    )


def best_first_with(
    store: Antichain, problem: FullDomainProblem, control: Control
) -> Outcome[Levels]:
    """Run best-first search with a given store."""
    return best_first(store=lambda: store).run(problem, control)


def _record(name: str, store: Recorder, *, turned: bool = False) -> PropertyRecord:
    trace = mirrored(store.trace) if turned else store.trace
    return PropertyRecord(name, trace, store.inserts, store.queries, store.hits, len(store))
