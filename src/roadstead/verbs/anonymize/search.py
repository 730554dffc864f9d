"""Count the combinations in a table, and search for a policy in memory or in the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.capabilities import require_combination
from roadstead.log import LOG
from roadstead.search.protocol import Control
from roadstead.search.registry import LEVELS
from roadstead.tables.frequency import FrequencyTable, OutgrownError
from roadstead.tables.persons.profiles import counted_by
from roadstead.verbs.anonymize.plan import AnonymizationPlan, Answer, find_levels
from roadstead.verbs.combination import engine_part

if TYPE_CHECKING:
    from roadstead.jobs import Observer


def answer_of(plan: AnonymizationPlan, observer: Observer) -> Answer:
    """Search for the best policy, and return it."""
    control = Control(plan.request.time_limit, observer.stopped, observer.progress)
    table = _counted(plan)
    LOG.info(
        "summarized: %s",
        "too many combinations for memory, so the search queries the engine"
        if table is None
        else f"{table.records} records, {table.distinct} combinations",
    )
    if table is None:
        require_combination((*plan.parts, engine_part(plan.request.combinations)))
        from roadstead.verbs.anonymize.in_engine import (  # noqa: PLC0415 - heavy, of large tables
            find_in_engine,
        )

        answer = find_in_engine(plan, control)
    else:
        answer = _searched(plan, table, control)
    LOG.info(
        "searched with %s: %s after %.2f s, %d policies evaluated",
        answer.search.name,
        answer.outcome.ending,
        answer.outcome.seconds,
        answer.outcome.evaluated,
    )
    return answer


def _counted(plan: AnonymizationPlan) -> FrequencyTable | None:
    """Count the combinations in a table, or return None if there are too many for memory."""
    request, quasi = plan.request, plan.roles.quasi
    try:
        return counted_by(
            plan.source, request.person, quasi, plan.judged, most=request.combinations
        )
    except OutgrownError:
        return None


def _searched(plan: AnonymizationPlan, counted: FrequencyTable, control: Control) -> Answer:
    request = plan.request
    table = counted
    if request.population is not None:
        from roadstead.verbs.people import (  # noqa: PLC0415 - heavy, with a population
            missing_codes_used,
            populated,
        )

        table = populated(
            counted,
            request.population,
            request.population_counts,
            missing_codes_used(plan.source),
        )
    task = plan.task(table, table.records)
    if request.recoding != "global":
        from roadstead.verbs.anonymize.recoding.find import (  # noqa: PLC0415 - heavy
            find_recoding,
            recoding_search,
        )

        kind = request.recoding
        return find_recoding(kind, recoding_search(request, kind), task, control)
    if plan.cutting is not None:
        from roadstead.verbs.anonymize.partitions import (  # noqa: PLC0415 - heavy, of one search
            find_partition,
        )

        return find_partition(plan.cutting, task, control)
    return find_levels(LEVELS[request.search](request.seed), task, control)
