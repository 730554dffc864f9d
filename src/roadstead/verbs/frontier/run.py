"""The frontier: every good trade between risk and loss, and where Safe Harbor lies.

The table is summarized where it lies and put beside its population. Policies are partitions of
ordered domains, or the levels of hierarchies with the search named ``exact``. What comes back is a
`FrontierFinding`: points by index, which of them dominate Safe Harbor, and releases.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.privacy.combination import columns_of
from roadstead.search.frontiers.frontier import Member
from roadstead.search.protocol import Control, Progress
from roadstead.search.registry import FRONTIERS, THRESHOLDS
from roadstead.tables import names
from roadstead.tables.frequency import summarize
from roadstead.tables.identifiers.judgment import judge_columns
from roadstead.tables.reading import read
from roadstead.tables.roles import Roles, Undecided, chosen_undecided
from roadstead.tables.source import Source
from roadstead.verbs.anonymize.words import matches
from roadstead.verbs.columns import require_releasable
from roadstead.verbs.frontier.finding import FrontierFinding
from roadstead.verbs.frontier.levels import find_levels
from roadstead.verbs.frontier.partitions import PartitionStudy, study
from roadstead.verbs.frontier.population import ABSENT, Absent, people_of
from roadstead.verbs.frontier.release import RARE, FrontierRelease
from roadstead.verbs.frontier.settings import (
    FRONTIER_LOSSES,
    FULL_DOMAIN,
    risk_of,
)
from roadstead.verbs.frontier.threshold import Threshold, threshold_of
from roadstead.verbs.hierarchies import Given, choose_hierarchies
from roadstead.verbs.privacy import Asked, models_of
from roadstead.verbs.settings import check_number, check_seed, check_time_limit, choose, names_of

DEFAULT_SEARCH = "combined"
DEFAULT_BOUNDARY = "bisecting"
DEFAULT_LOSS = "divergence"
_NEVER_LISTED = 2
"""Two values are kept or merged, and not listed."""


@dataclass(frozen=True)
class FrontierWatch:
    """How a running search is watched and stopped.

    Attributes
    ----------
    progress
        Told how far the search is, ten times a second at most.
    stopped
        Asked often; True ends the search with the frontier so far.
    """

    progress: Callable[[Progress], None] | None = None
    stopped: Callable[[], bool] = lambda: False


def frontier(  # noqa: PLR0913 - one keyword for each thing a user may set
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    quasi: Sequence[str],
    population: Any = None,  # noqa: ANN401 - a path, or a table of any library
    population_counts: str | None = None,
    margins: Sequence[Any] = (),
    absent: Absent | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    sensitive: Sequence[str] = (),
    identifying: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    release: Sequence[str] = (),
    undecided: Undecided = "judge",
    hierarchies: str | Path | Mapping[str, Given] | None = None,
    declared: Mapping[str, Given] | None = None,
    risk_measure: str = "population",
    gamma: float | None = None,
    k: int | None = None,
    quality: str = DEFAULT_LOSS,
    search: str | None = None,
    threshold: Threshold | None = None,
    privacy: Sequence[Asked] = (),
    iterations: int | None = None,
    evaluations: int | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    base: Path | None = None,
    watch: FrontierWatch | None = None,
) -> FrontierFinding[Any]:
    """Find the policies that no other one betters in both risk and loss.

    Parameters
    ----------
    data
        A `Source`, the path of a file, a data frame, an Arrow table or an Ibis table.
    quasi
        The quasi-identifiers: columns that others may know of a person.
    population, population_counts
        A table of the population's people with the quasi-identifiers, given like `data`, and its
        column that says how many people a row stands for; None if each stands for one. Without a
        population the records themselves are counted, which is cautious.
    margins
        Tables of people by some of the quasi-identifiers each, with the column `population_counts`:
        a population is estimated from them.
    absent
        What to do with records that nobody of the population is like: ``stop``, or ``count`` them
        as people. Stop by default; with margins, count.
    orders
        By attribute, its values in their order.
    sensitive, insensitive, identifying
        Columns released as they are, and columns that are never released.
    release, undecided
        As for `anonymize`.
    hierarchies, declared
        As for `anonymize`; partitions take the order of the values from them, ``exact`` the levels.
    risk_measure, gamma, k
        ``population`` is the expected number of records re-identified, with the exponent gamma
        (1) on the number of people alike; ``at-risk`` the number of records that fewer than k (5)
        people are like.
    quality
        The loss: ``divergence``, ``loss``, ``entropy``, ``discernibility`` or ``class-size``.
    search
        ``combined`` (default), ``steepest``, ``closure``, ``segmentation``,
        ``sublattice-heuristic`` or ``random-chain`` over partitions, ``exact`` over the levels of
        hierarchies; with a threshold, ``bisecting`` (default) or ``directed``.
    threshold
        Policies wanted are those at the edge of an acceptable risk: ``safe-harbor``, or a share of
        the original data's risk.
    privacy
        With a threshold of ``models``: the privacy models that all classes must satisfy.
    iterations
        Policies at the threshold to look for (100).
    evaluations
        Policies whose classes may be counted in a search without a threshold; None for no limit.
    time_limit
        Seconds after which the search ends with what it has.
    seed
        Seed of random choices (0).
    base
        Where relative paths in declarations of hierarchies start.
    watch
        Who watches the search.

    Returns
    -------
    FrontierFinding

    Raises
    ------
    InputError
        When the request or the table is wrong.
    NoPolicyError
        When no policy is acceptable.
    """
    began = time.perf_counter()
    known = (*FRONTIERS, FULL_DOMAIN) if threshold is None else tuple(THRESHOLDS)
    name = search or (DEFAULT_SEARCH if threshold is None else DEFAULT_BOUNDARY)
    choose(name, known, option("search"))
    limit = check_time_limit(time_limit)
    number = check_seed(seed) or 0
    _check_counts(iterations, evaluations)
    _check_together(threshold, iterations, evaluations)
    if absent is not None:
        choose(absent, ABSENT, option("absent"))
    risk = risk_of(risk_measure, gamma, k)
    roles = Roles(
        names_of(quasi, option("quasi")),
        names_of(sensitive, option("sensitive")),
        names_of(identifying, option("identifying")),
        names_of(insensitive, option("insensitive")),
        names_of(release, option("release")),
        chosen_undecided(undecided),
    )
    source = data if isinstance(data, Source) else read(data)
    roles, matched = roles.matched(source.columns)
    roles.check(source.columns)
    folder, given = (None, hierarchies) if isinstance(hierarchies, Mapping) else (hierarchies, {})
    every = {**given, **(declared or {})}
    models = models_of(privacy, roles.sensitive, folder, every, base=base)
    columns = columns_of(models)
    names.require(columns, source.columns)
    roles = roles.with_sensitive(columns)
    require_releasable(roles, judge_columns(source, (*roles.sensitive, *roles.insensitive)))
    people = people_of(
        summarize(source, roles.quasi, columns),
        population,
        population_counts,
        margins,
        absent=absent,
        seed=number,
    )
    own = {name: one for name, one in every.items() if name not in columns}
    chosen, origins = choose_hierarchies(people.table, folder, own, base=base)
    watcher = watch or FrontierWatch()
    control = Control(limit, watcher.stopped, watcher.progress, budget=evaluations)
    watcher.stopped()  # once asked, an interrupt no longer ends the command
    if name == FULL_DOMAIN:
        _check_levels(orders, models)
        found = find_levels(
            source,
            roles,
            people,
            chosen,
            origins,
            risk=risk,
            quality=quality,
            control=control,
            began=began,
        )
        return replace(found, notes=(*matches(matched), *found.notes))
    loss = FRONTIER_LOSSES[choose(quality, FRONTIER_LOSSES, option("quality"))]()
    asked = study(source, roles, people, chosen, dict(orders or {}), risk=risk, loss=loss)
    if threshold is None:
        if models:
            raise SettingError(
                "privacy models are given, and no threshold",
                where=option("privacy"),
                fix=f"add {option('threshold', 'models')}",
            )
        told = None
        members, searched, outcome = asked.search(FRONTIERS[name](number), control, seed=number)
    else:
        accepted = threshold_of(asked, threshold, models)
        told = accepted.says
        members, searched, outcome = asked.at_threshold(
            THRESHOLDS[name](number),
            accepted.accepts,
            control if iterations is None else replace(control, iterations=iterations),
            seed=number,
        )

    def released(member: Member[Any], maximum: float) -> FrontierRelease:
        return asked.release(member, maximum, outcome=outcome, searched=searched, models=models)

    risk_axis, loss_axis = asked.axes
    return FrontierFinding(
        source=source,
        roles=roles,
        people=people,
        records=people.table.records,
        members=members,
        policies=asked.policies,
        risk=risk_axis,
        loss=loss_axis,
        searched=searched,
        safe_harbor=asked.safe_harbor,
        threshold=told,
        notes=(*matches(matched), *_notes(asked)),
        seconds=time.perf_counter() - began,
        release=released,
    )


def _check_counts(iterations: int | None, evaluations: int | None) -> None:
    for name, number in (("iterations", iterations), ("evaluations", evaluations)):
        if number is not None:
            check_number(number, name)
    if iterations is not None and iterations < 1:
        raise SettingError(
            f"{iterations} policies at the threshold are wanted",
            where=option("iterations"),
            fix="ask for 1 or more",
        )
    if evaluations is not None and evaluations < 1:
        raise SettingError(
            f"{evaluations} policies may be evaluated",
            where=option("evaluations"),
            fix="allow 1 or more, or leave it out",
        )


def _check_together(
    threshold: Threshold | None, iterations: int | None, evaluations: int | None
) -> None:
    """Refuse what would go unheeded."""
    if threshold is None and iterations is not None:
        raise SettingError(
            "policies at a threshold are wanted, and no threshold is given",
            where=option("iterations"),
            fix=f"add {option('threshold')}, or leave it out",
        )
    if threshold is not None and evaluations is not None:
        raise SettingError(
            "the search at a threshold is not limited by the policies evaluated",
            where=option("evaluations"),
            fix=f"use {option('iterations')} or {option('time_limit')}",
        )


def _check_levels(orders: Mapping[str, Sequence[str]] | None, models: Sequence[object]) -> None:
    """Refuse what levels of hierarchies do not heed."""
    if orders:
        raise SettingError(
            "levels of hierarchies need no order of values",
            where=option("orders"),
            fix=f"leave it out, or another search than {FULL_DOMAIN}",
        )
    if models:
        raise SettingError(
            f"the search {FULL_DOMAIN} takes no privacy models",
            where=option("privacy"),
            fix=f"leave them out, or use {option('threshold', 'models')} without "
            f"{option('search')}",
        )


def _notes(asked: PartitionStudy) -> tuple[str, ...]:
    people = asked.people
    notes = list(asked.ordered.notes)
    if people.basis == "sample" or people.counted:
        notes.append(
            "Policies name values that occur in the table, rare ones too: what is told here is for "
            "those who may see the table."
        )
    for domain in asked.ordered.domains:
        rare = 0 if domain.numeric or domain.size <= _NEVER_LISTED else asked.rare(domain)
        if rare:
            notes.append(
                f"Policies that group values of {domain.attribute!r} cannot be released: they "
                f"would list {rare:,} values that fewer than {RARE} records have. Give a "
                f"population, an {option('orders')} or a hierarchy that lists them."
            )
    if people.counted:
        notes.append(
            f"Nobody of the population is like {people.counted:,} records; these were counted as "
            "people."
        )
    return tuple(notes)
