"""The frontier: every good trade between risk and loss, and where Safe Harbor lies.

The table is summarized where it lies, with its population alongside. Policies are partitions of
ordered domains, or the levels of hierarchies with the search named ``exact``. What comes back is a
`FrontierFinding`: points by index, which of them dominate Safe Harbor, and releases.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roadstead.capabilities import require_combination
from roadstead.errors import NoPolicyError, SettingError
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.policies.partition import Partition
from roadstead.privacy.combination import columns_of
from roadstead.quality.registry import partition_loss, with_member
from roadstead.release.publish import check_sink
from roadstead.release.verification.checks import Verification
from roadstead.reports.frontier.facts import FrontierSearchFacts, PopulationFacts
from roadstead.reports.frontier.lines import PAGE, document, lines
from roadstead.reports.verification import held
from roadstead.reports.wording import counted
from roadstead.requests.joining import left_undecided, with_proposal
from roadstead.requests.writing import arguments, command
from roadstead.search.frontiers.boundary import BoundaryProblem
from roadstead.search.frontiers.frontier import Member
from roadstead.search.frontiers.full_domain import FullDomainFrontier
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.protocol import Control, Search
from roadstead.search.registry import FRONTIERS, THRESHOLDS
from roadstead.tables import names
from roadstead.tables.persons.profiles import counted_by
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.anonymize.words import matches
from roadstead.verbs.combination import frontier_parts
from roadstead.verbs.examined_table import examined_columns
from roadstead.verbs.frontier.domains import put_in_order
from roadstead.verbs.frontier.levels import FrontierLevels, level_space
from roadstead.verbs.frontier.partitions import FrontierPartitions
from roadstead.verbs.frontier.promise import declared_promise
from roadstead.verbs.frontier.result import RELEASE, FrontierFinding, check_folder, write
from roadstead.verbs.frontier.study import FrontierSpace, Study, risk_of
from roadstead.verbs.frontier.threshold import AcceptanceRule, threshold_of
from roadstead.verbs.hierarchies import choose_hierarchies, declared_hierarchies
from roadstead.verbs.ledger import LedgerUse, ledger_of, require_ledger
from roadstead.verbs.opening import opened
from roadstead.verbs.people import people_of
from roadstead.verbs.persons.settings import (
    known_rows,
    unit_seen,
)
from roadstead.verbs.privacy import models_of
from roadstead.verbs.settings import choose, choose_search, roles_of
from roadstead.verbs.withheld_words import listed_as_undecided
from roadstead.verbs.writing import (
    check_with,
    documented,
    nothing_written,
    released_to,
    require_folder,
)

if TYPE_CHECKING:
    from roadstead.hierarchies.hierarchy import Hierarchy
    from roadstead.privacy.models.person_anonymity import Known
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.risk.measures import SummedRisk
    from roadstead.verbs.frontier.request import FrontierRequest
    from roadstead.verbs.people import TableWithPopulation

FULL_DOMAIN = "exact"
"""The search for the frontier of the full-domain lattice."""
_PERSONS_ALONE = "the persons of the table alone, which is cautious"
_NOT_REPEATED = (
    "choose",
    "risk",
    "choose_reason",
    "out",
    "into",
    "force",
    "time_limit",
    "ledger",
    "ledger_people",
    "ledger_warn",
)
"""What the command to choose from the same frontier leaves out."""


def deliver(request: FrontierRequest, observer: Observer) -> Delivery[FrontierFinding[Any]]:
    """Find the frontier, write its page and a chosen release, and say what was found."""
    request = with_proposal(request)
    _require_choice(request)
    out, into = request.out, request.into
    if out is not None:
        check_folder(out, force=request.force)
    source = opened(request.data, request, observer)
    if into is not None:
        check_sink(into, source, force=request.force)
    _note_of_no_end(request, observer)
    project = request.origin.project
    undecided = left_undecided(request, project, source.columns) if _chooses(request) else []
    result = frontier_of(request, source, observer)
    observer.finished()
    reason, release = request.choose_reason, None
    if request.risk is not None:
        release = result.within(request.risk, reason=reason)
    if request.choose is not None:
        release = result.choose(request.choose, reason=reason)
    if release is not None and release.warning:
        observer.note(release.warning)
    said, answer = [*listed_as_undecided(undecided, project), *lines(result)], document(result)
    ending = [] if release is None else release.ending(project)
    if release is not None:
        said += ["", *release.lines]
        answer["release"] = release.to_dict()
    if out is None:
        note = nothing_written("the page, the picture and the points")
        return Delivery(result, (*said, *ending), answer, (note,))
    again = command("frontier", arguments(type(request), request.origin, without=_NOT_REPEATED))
    ledger = ledger_of(request)
    verification = write(
        result,
        source,
        out,
        force=request.force,
        release=release,
        command=again,
        into=into,
        ledger=ledger,
    )
    said.append(f"Look at {out / PAGE}.")
    if release is not None:
        more, told = _released(out / RELEASE, into, ledger, verification)
        said += more
        answer |= told
    return Delivery(result, (*said, *ending), {**answer, "out": str(out)})


def _released(
    place: Path,
    into: str | None,
    ledger: LedgerUse | None,
    verification: Verification | None,
) -> tuple[list[str], dict[str, Any]]:
    """Say where a chosen release was written to, and what the ledger says of it."""
    found = "verified" if verification is None else held(verification)
    said = f"Released to {released_to(place, into)}, and {found}; check with: "
    said += check_with(place, into)
    if ledger is None:
        return [said], documented(place, into)
    told = {**documented(place, into), "earlier_releases": ledger.document}
    return [*ledger.lines, said], told


def _note_of_no_end(request: FrontierRequest, observer: Observer) -> None:
    named = FRONTIERS.get(request.search or "")
    endless = named is not None and not named.ends
    if endless and not (request.evaluations or request.time_limit):
        ends = f"{option('evaluations')} or {option('time_limit')}"
        observer.note(f"{request.search} goes on until it is interrupted; {ends} end it")


@dataclass(frozen=True)
class _Setup:
    """The settings of a request, matched to the table, and the table with its population."""

    request: FrontierRequest
    roles: Roles
    matched: dict[str, tuple[str, ...]]  # columns of each pattern of names
    models: tuple[PrivacyModel, ...]
    knows: Known
    risk: SummedRisk
    people: TableWithPopulation
    hierarchies: tuple[Hierarchy, ...]
    origins: dict[str, str]


def frontier_of(
    request: FrontierRequest, source: Source, observer: Observer
) -> FrontierFinding[Any]:
    """Find the policies that no other one betters in both risk and loss."""
    began = time.perf_counter()
    name = _search_name(request)
    setup = _setup_of(request, source, name)
    observer.stopped()  # from here on an interrupt no longer ends the command
    control = Control(
        request.time_limit, observer.stopped, observer.progress, budget=request.evaluations
    )
    if request.iterations is not None:
        control.iterations = request.iterations
    space: FrontierSpace[Any]
    if name == FULL_DOMAIN:
        space, found = _searched_levels(setup, control)
    else:
        space, found = _searched_partitions(setup, name, control)
    return _finding(setup, source, space, found, began)


def _setup_of(request: FrontierRequest, source: Source, name: str) -> _Setup:
    """Match roles and models to the table, refuse conflicts, and count the table."""
    risk = risk_of(request.risk_measure, request.gamma, request.k)
    roles, matched = roles_of(request).matched(source.columns)
    roles.check(source.columns)
    given = declared_hierarchies(request)
    models = models_of(
        request.privacy, roles.sensitive, given.folder, given.by_column, base=request.base
    )
    require_combination(frontier_parts(request, name))
    columns = columns_of(models)
    names.require(columns, source.columns)
    roles = _require_decided(request, roles.with_sensitive(columns), source)
    if roles.sensitive or roles.insensitive:
        examined_columns(source, roles)
    people = people_of(
        counted_by(source, roles.person, roles.quasi, columns),
        request.population,
        request.population_counts,
        request.margins,
        absent=request.absent,
        seed=request.seed or 0,
    )
    hierarchies, origins = choose_hierarchies(
        people.table, given.folder, given.without(columns), base=request.base
    )
    knows = known_rows(request.knows, linked=False)
    return _Setup(request, roles, matched, models, knows, risk, people, hierarchies, origins)


def _searched_levels(setup: _Setup, control: Control) -> tuple[FrontierLevels, _FrontierFound]:
    """Search the levels of hierarchies."""
    quality = setup.request.quality
    space = level_space(
        setup.people, setup.hierarchies, setup.origins, setup.risk, quality, setup.knows
    )
    return space, _over_levels(space, control)


def _searched_partitions(
    setup: _Setup, name: str, control: Control
) -> tuple[FrontierPartitions, _FrontierFound]:
    """Search the partitions of ordered domains: their frontier, or the edge of a threshold."""
    request, seed = setup.request, setup.request.seed or 0
    loss = partition_loss(
        choose(request.quality, with_member("terms", request.quality), option("quality"))
    )
    ordered = put_in_order(setup.people.table, setup.hierarchies, dict(request.orders or {}))
    problem = FrontierProblem(ordered.cells, setup.risk, loss)
    space = FrontierPartitions(setup.people, ordered, problem)
    if request.threshold is not None:
        rule = threshold_of(space, request.threshold, setup.models)
        return space, _at_threshold(space, name, seed, control, rule)
    search = FRONTIERS[name](seed)
    outcome = search.run(space.problem, control)
    members = tuple(map(_clipped, outcome.frontier))
    return space, _FrontierFound(members, _facts(search, outcome, seed, control))


def _finding(
    setup: _Setup, source: Source, space: FrontierSpace[Any], found: _FrontierFound, began: float
) -> FrontierFinding[Any]:
    """Return the result of the search with the settings that led to it."""
    roles, people = setup.roles, setup.people
    table, population = people.table, people.table.population
    persons = table.units if roles.person is not None else None
    basis = PopulationFacts(
        people.basis, people.label, None if population is None else int(population.sum())
    )
    if persons is not None:
        basis = PopulationFacts("persons", _PERSONS_ALONE)
    promise = declared_promise(
        setup.request.promised_k,
        setup.request.origin.project.get("privacy.models") or (),
        setup.models,
        k=setup.request.k,
    )
    return FrontierFinding(
        study=Study(source, roles, people, space, setup.risk, setup.models, setup.knows, promise),
        table=source.name,
        records=people.table.records,
        attributes=roles.quasi,
        members=found.members,
        policies=space,
        risk=space.axes[0],
        loss=space.axes[1],
        population=basis,
        search=found.search,
        safe_harbor=space.safe_harbor,
        threshold=found.threshold,
        notes=(*matches(setup.matched), *space.notes, *found.notes),
        counted=unit_seen(source, roles.quasi, roles.person),
        seconds=time.perf_counter() - began,
        persons=persons,
    )


def _require_decided(request: FrontierRequest, roles: Roles, source: Source) -> Roles:
    """Refuse columns without a role before the search, where the request says so."""
    if _chooses(request):
        roles.require_decided(source.columns)
    return roles


class _FrontierFound(NamedTuple):
    """What a search came to."""

    members: tuple[Member[Any], ...]
    search: FrontierSearchFacts
    threshold: str | None = None
    notes: tuple[str, ...] = ()


def _over_levels(space: FrontierLevels, control: Control) -> _FrontierFound:
    search = FullDomainFrontier()
    outcome = search.run(space.problem, control)
    further = int(np.sum(outcome.tied)) - len(outcome.tied)
    same = counted(further, "further policy", "further policies")
    notes = (f"{same} of the same risk and loss.",) if further else ()
    facts = _facts(search, outcome, 0, control)
    return _FrontierFound(tuple(outcome.frontier), facts, notes=notes)


def _at_threshold(
    space: FrontierPartitions, name: str, seed: int, control: Control, rule: AcceptanceRule
) -> _FrontierFound:
    """Search for policies at the edge of what is acceptable; refuse where none was found."""
    search = THRESHOLDS[name](seed)
    outcome = search.run(BoundaryProblem(space.problem.domains, rule.accepts), control)
    if not outcome.non_dominated:
        in_time = outcome.ending not in {"time limit", "interrupted"}
        raise NoPolicyError(
            "no policy is acceptable at all, not even with one interval for each attribute"
            if in_time
            else "no policy was found in time",
            where=option("threshold"),
            fix="allow coarser orders of the values, or release fewer quasi-identifiers"
            if in_time
            else "allow more time",
        )
    points = ((*space.problem.point(policy), policy) for policy in outcome.non_dominated)
    members = sorted((_clipped(Member(*one)) for one in points), key=lambda member: member[:2])
    facts = _facts(search, outcome, seed, control)
    return _FrontierFound(tuple(members), facts, threshold=rule.says)


def _facts(
    search: Search[Any, Any],
    outcome: Any,  # noqa: ANN401 - of any search for a frontier
    seed: int,
    control: Control,
) -> FrontierSearchFacts:
    return FrontierSearchFacts(
        name=search.name,
        guarantee=search.guarantee,
        evaluated=outcome.evaluated,
        derived=getattr(outcome, "derived", 0),
        seconds=outcome.seconds,
        ending=outcome.ending,
        seed=seed,
        time_limit=control.time_limit,
        gap=getattr(outcome, "gap", None),
    )


def _clipped(member: Member[Partition]) -> Member[Partition]:
    """Take what rounding put outside of 0 to 1 for the end."""
    return member._replace(
        risk=min(max(member.risk, 0.0), 1.0), loss=min(max(member.loss, 0.0), 1.0)
    )


def _chooses(request: FrontierRequest) -> bool:
    return request.choose is not None or request.risk is not None


def _require_choice(request: FrontierRequest) -> None:
    """Refuse a choice that contradicts itself, or that has no place for its release."""
    choosing = f"{option('choose')}, {option('risk')}"
    if request.choose is not None and request.risk is not None:
        raise SettingError(
            "a policy is chosen by index and by risk",
            where=choosing,
            fix="leave one of them out",
        )
    if _chooses(request) and request.out is None:
        raise SettingError(
            "a policy is chosen, and not where to write its release",
            where=choosing,
            fix=f"add {option('out', 'DIR')}",
        )
    require_folder(request.into, request.out)
    require_ledger(request, request.out)


def _search_name(request: FrontierRequest) -> str:
    """Give the name of the search, and refuse limits that it would not honor."""
    if request.threshold is None:
        usual = "combined" if request.person is None else FULL_DOMAIN
        name = choose_search(request.search or usual, FRONTIERS, others=(FULL_DOMAIN,))
    else:
        name = choose_search(request.search or "bisecting", THRESHOLDS)
    return name
