"""The main job: a table in, the provably best de-identified release out.

The table is summarized where it lies; the search runs on the summary, or in the engine where even
the summary is too large (`in_engine`). What comes back is an `Anonymization`, which says what was
found and can be written as a release or taken as a table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roadstead.front_end import option
from roadstead.policies.document import Policy, SuppressedRecords, Suppression
from roadstead.privacy.combination import columns_of
from roadstead.quality.words import QUALITY_MODELS
from roadstead.release.generalized import generalize
from roadstead.search.protocol import Control, Progress
from roadstead.tables import names
from roadstead.tables.frequency import FrequencyTable, summarize_within
from roadstead.tables.reading import read
from roadstead.tables.roles import Roles, Undecided, chosen_undecided
from roadstead.tables.source import Source
from roadstead.verbs.anonymize.full_domains import FullDomainFinder
from roadstead.verbs.anonymize.in_engine import COMBINATIONS, Request, solve_in_engine
from roadstead.verbs.anonymize.partitions import PartitionFinder
from roadstead.verbs.anonymize.question import Finder, Question, Solved, Wanted
from roadstead.verbs.anonymize.result import Anonymization
from roadstead.verbs.columns import decide_columns, examined_columns
from roadstead.verbs.hierarchies import Given, choose_hierarchies
from roadstead.verbs.population import populated
from roadstead.verbs.privacy import Asked, models_of
from roadstead.verbs.settings import (
    PARTITION_SEARCHES,
    SEARCHES,
    SUPPRESSED_RECORDS,
    USUAL_K,
    added_k,
    aggregate_of,
    check_combinations,
    check_k,
    check_seed,
    check_suppression,
    check_target,
    check_time_limit,
    choose,
    k_beside,
    names_of,
    quality_of,
    smallest_class,
)

"""For each search, what finds a policy with it, made from a seed."""


@dataclass(frozen=True)
class Watch:
    """How a running search is watched and stopped.

    Attributes
    ----------
    progress
        Told how far the search is, ten times a second at most.
    stopped
        Asked often; True ends the search with the best policy so far.
    """

    progress: Callable[[Progress], None] | None = None
    stopped: Callable[[], bool] = lambda: False


def anonymize(  # noqa: PLR0913 - one keyword for each thing a user may set
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    quasi: Sequence[str],
    k: int | None = None,
    privacy: Sequence[Asked] = (),
    population: Any = None,  # noqa: ANN401 - a path, or a table of any library
    population_counts: str | None = None,
    suppression: float = 0.05,
    sensitive: Sequence[str] = (),
    identifying: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    release: Sequence[str] = (),
    undecided: Undecided = "judge",
    hierarchies: str | Path | Mapping[str, Given] | None = None,
    declared: Mapping[str, Given] | None = None,
    min_level: Mapping[str, int] | None = None,
    max_level: Mapping[str, int] | None = None,
    quality: str = "loss",
    aggregate: str = "geometric",
    weights: Mapping[str, float] | None = None,
    target: str | None = None,
    search: str = "exact",
    time_limit: float | None = None,
    suppressed: SuppressedRecords = "mask",
    seed: int | None = None,
    combinations: int = COMBINATIONS,
    base: Path | None = None,
    watch: Watch | None = None,
) -> Anonymization:
    """Find the policy that loses least among all that protect the table.

    Parameters
    ----------
    data
        A `Source`, the path of a file, a data frame, an Arrow table or an Ibis table.
    quasi
        The quasi-identifiers: columns that others may know of a person. In this and other lists of
        columns, ``number_*`` stands for all that begin so.
    k
        Every released record shares its quasi-identifiers with at least k - 1 others. Where it is
        not given it is 5, also beside other models, and the result says so; but with k-map or
        estimated k-map, which ask for less, there is no k-anonymity beside them. With another
        model, 1 asks for none.
    privacy
        Further privacy models, each as a model or as its settings: ``{"kind": "t-closeness",
        "column": "diagnosis", "t": 0.2}``. All of them must hold.
    population
        A table of the population's people with the quasi-identifiers, given like `data`, for
        models that look at it.
    population_counts
        Its column that says how many people a row stands for; None if each stands for one.
    suppression
        Largest share of the records that may be suppressed.
    sensitive, insensitive
        Columns released as they are. One that looks like an identifier that Safe Harbor removes is
        refused.
    identifying
        Columns that are never released.
    release
        Columns released as they are even if they look like an identifier. Everything that is
        written says so.
    undecided
        What becomes of the columns with no role: ``judge`` withholds those that look like an
        identifier, a quasi-identifier or a sensitive column, or have too many rare values;
        ``withhold`` withholds all of them.
    hierarchies
        A folder of hierarchy files, or a hierarchy by attribute: made, a path or a declaration.
        Attributes without one get a default made from their values.
    declared
        Hierarchies by attribute that go before those of the folder.
    min_level, max_level
        Lowest and highest level allowed, by attribute.
    quality, aggregate, weights
        The loss to be minimized, its mean over the attributes, and the attributes' weights.
    target
        The column that the classification metric speaks of.
    search
        The search strategy. Those of partitions cut the ordered domain of each attribute; of a
        hierarchy they take the order of its values alone.
    time_limit
        Seconds after which the search ends with the best policy so far.
    suppressed
        Keep suppressed records with ``*`` in every quasi-identifier, or drop them.
    seed
        Seed of random choices, recorded in the certificate; most searches make none.
    combinations
        Most distinct combinations of the quasi-identifiers that are held in memory. Where there
        are more, policies are evaluated in the engine that has the table, by exact search for
        k-anonymity under Iyengar's loss.
    base
        Where relative paths in declarations of hierarchies start.
    watch
        Who watches the search.

    Returns
    -------
    Anonymization

    Raises
    ------
    InputError
        When the request or the table is wrong.
    NoPolicyError
        When no policy satisfies the model; says what stands in the way and what would do.
    """
    began = time.perf_counter()
    share = check_suppression(suppression)
    limit_seconds = check_time_limit(time_limit)
    choose(suppressed, SUPPRESSED_RECORDS, option("suppressed"))
    roles = Roles(
        names_of(quasi, option("quasi")),
        names_of(sensitive, option("sensitive")),
        names_of(identifying, option("identifying")),
        names_of(insensitive, option("insensitive")),
        names_of(release, option("release")),
        chosen_undecided(undecided),
    )
    choose(quality, QUALITY_MODELS, option("quality"))
    finder = _finder(search, check_seed(seed))
    source = data if isinstance(data, Source) else read(data)
    roles, matched = roles.matched(source.columns)
    roles.check(source.columns)
    check_target(target, quality, roles)
    mean = aggregate_of(aggregate, weights, roles.quasi)

    folder, given = _folder_or_given(hierarchies)
    every = {**given, **(declared or {})}
    further = models_of(privacy, roles.sensitive, folder, every, base=base)
    own = {name: one for name, one in every.items() if name not in columns_of(further)}
    beside = k_beside(k, further)
    model_of_quality = quality_of(quality, mean, target, max(beside or 1, smallest_class(further)))
    wanted = Wanted(model_of_quality, further, dict(min_level or {}), dict(max_level or {}))
    finder.check(wanted)
    columns = dict.fromkeys((*columns_of(further), *model_of_quality.columns))
    names.require(tuple(columns), source.columns)
    roles = roles.with_sensitive(columns)
    examined = examined_columns(source, roles)
    watcher = watch or Watch()
    request = Request(
        quasi=roles.quasi,
        wanted=wanted,
        search=search,
        population=population is not None,
        models=lambda records: (
            *(() if beside is None else (check_k(beside, records, source.name),)),
            *further,
        ),
        hierarchies=lambda table: choose_hierarchies(table, folder, own, base=base),
        suppression=share,
        combinations=check_combinations(combinations),
    )
    control = Control(limit_seconds, watcher.stopped, watcher.progress)
    summarized = summarize_within(source, roles.quasi, tuple(columns), most=request.combinations)
    if summarized is None:
        solved = solve_in_engine(source, request, control)
    else:
        table = populated(summarized, further, population, population_counts)
        solved = _solve_in_memory(table, finder, request, control)
    answer, models, records = solved.answer, solved.models, solved.table.records
    decided = decide_columns(source, roles, examined, k=beside or USUAL_K, records=records)
    policy = Policy(
        attributes=answer.attributes,
        privacy=tuple(model.settings() for model in models),
        suppression=Suppression(share, suppressed),
        columns=decided.columns,
    )
    result = Anonymization(
        source=source,
        roles=roles,
        policy=policy,
        models=models,
        quality=model_of_quality,
        problem=answer.problem,
        outcome=answer.outcome,
        search=answer.search,
        generalized=generalize(solved.table, policy, models),
        loss_by_attribute=answer.loss_by_attribute,
        origins={**solved.origins, **answer.origins},
        decided=decided,
        time_limit=limit_seconds,
        seed=seed,
        seconds=time.perf_counter() - began,
        added_k=added_k(k, further),
        matched=matched,
    )
    _ = result.added  # counted while the source is open, which the result may outlive
    return result


def _finder(search: str, seed: int | None) -> Finder:
    choose(search, (*SEARCHES, *PARTITION_SEARCHES), option("search"))
    if search in PARTITION_SEARCHES:
        return PartitionFinder(PARTITION_SEARCHES[search](seed))
    return FullDomainFinder(SEARCHES[search](seed))


def _solve_in_memory(
    table: FrequencyTable, finder: Finder, request: Request, control: Control
) -> Solved:
    models = request.models(table.records)
    hierarchies, origins = request.hierarchies(table)
    limit = Suppression(request.suppression).most(table.records)
    question = Question(request.wanted, table, hierarchies, models, limit)
    return Solved(table, models, origins, finder.find(question, control))


def _folder_or_given(
    hierarchies: str | Path | Mapping[str, Given] | None,
) -> tuple[str | Path | None, Mapping[str, Given]]:
    return (None, hierarchies) if isinstance(hierarchies, Mapping) else (hierarchies, {})
