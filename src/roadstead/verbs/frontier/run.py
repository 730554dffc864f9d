"""Find the policies with the best trade-offs of risk and loss, and compare them with Safe Harbor.

Roadstead summarizes the table and its population where they are stored. A policy is a partition of
ordered domains or, for the search ``exact``, a combination of hierarchy levels.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.release.publish import check_sink
from roadstead.reports.frontier.facts import PopulationFacts
from roadstead.reports.frontier.lines import PAGE, document, lines
from roadstead.reports.terminal.release import matches
from roadstead.reports.terminal.withheld import listed_as_undecided
from roadstead.reports.written import nothing_written
from roadstead.requests.joining import left_undecided, with_proposal
from roadstead.requests.writing import arguments, command
from roadstead.search.protocol import Control
from roadstead.search.registry import FRONTIERS
from roadstead.tables.source import Source
from roadstead.verbs.frontier.choice import chooses, released_at, require_choice
from roadstead.verbs.frontier.promise import declared_promise
from roadstead.verbs.frontier.result import (
    RELEASE,
    FrontierFinding,
    check_folder,
    chosen_at,
    chosen_within,
    write,
)
from roadstead.verbs.frontier.search import (
    FULL_DOMAIN,
    FrontierSettings,
    MembersFound,
    over_levels,
    over_partitions,
    search_name,
)
from roadstead.verbs.frontier.settings import settings_of
from roadstead.verbs.frontier.study import FrontierSpace, Study
from roadstead.verbs.ledger import ledger_of
from roadstead.verbs.opening import opened
from roadstead.verbs.persons.settings import unit_seen
from roadstead.verbs.unused_settings import without_unused_settings
from roadstead.verbs.writing import replaced_signature

if TYPE_CHECKING:
    from roadstead.verbs.frontier.request import FrontierRequest

_PERSONS_ALONE = "only the people in the table, which is the cautious choice"
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
    "verifier",
)
"""Options that are omitted when a policy is chosen from the same frontier."""


def deliver(request: FrontierRequest, observer: Observer) -> Delivery[FrontierFinding[Any]]:
    """Find the frontier, write the page and the chosen release, and describe the result."""
    request = with_proposal(request)
    require_choice(request)
    out, into = request.out, request.into
    if out is not None:
        check_folder(out, force=request.force)
    source = opened(request.data, request, observer)
    if into is not None:
        check_sink(into, source, force=request.force)
    _note_of_no_end(request, observer)
    project = request.origin.project
    undecided = left_undecided(request, project, source.columns) if chooses(request) else []
    request, unused = without_unused_settings(request, source.columns)
    result = frontier_of(request, source, observer)
    observer.finished()
    reason, release = request.choose_reason, None
    if request.risk is not None:
        release = chosen_within(result, request.risk, reason)
    if request.choose is not None:
        release = chosen_at(result, request.choose, reason)
    if release is not None and release.warning:
        observer.note(release.warning)
    said, answer = (
        [*listed_as_undecided(undecided, project.name), *unused, *lines(result)],
        document(result),
    )
    ending = [] if release is None else release.ending(project)
    if release is not None:
        said += ["", *(line for line in release.lines if line not in said)]
        answer["release"] = release.to_dict()
    if out is None:
        note = nothing_written("the page, the picture, and the points")
        return Delivery(result, (*said, *ending), answer, (note,))
    again = command("frontier", arguments(type(request), request.origin, without=_NOT_REPEATED))
    ledger = ledger_of(request)
    unsigned, gone = replaced_signature(out / RELEASE)
    verification = write(
        result,
        source,
        out,
        force=request.force,
        release=release,
        command=again,
        into=into,
        ledger=ledger,
        verifier=request.verifier,
    )
    said.append(f"Open {out / PAGE}.")
    if release is not None:
        more, told = released_at(out / RELEASE, into, ledger, verification)
        said += more
        answer |= told
    said += unsigned
    return Delivery(result, (*said, *ending), {**answer, **gone, "out": str(out)})


def _note_of_no_end(request: FrontierRequest, observer: Observer) -> None:
    named = FRONTIERS.get(request.search or "")
    endless = named is not None and not named.ends
    if endless and not (request.evaluations or request.time_limit):
        ends = f"{option('evaluations')} or {option('time_limit')}"
        observer.note(f"{request.search} runs until you interrupt it; to set a limit, use {ends}")


def frontier_of(
    request: FrontierRequest, source: Source, observer: Observer
) -> FrontierFinding[Any]:
    """Find the policies for which no other policy has both a lower risk and a lower loss."""
    began = time.perf_counter()
    name = search_name(request)
    setup = settings_of(request, source, name)
    observer.stopped()  # from here, an interrupt only ends the search
    control = Control(
        request.time_limit, observer.stopped, observer.progress, budget=request.evaluations
    )
    if request.iterations is not None:
        control.iterations = request.iterations
    space: FrontierSpace[Any]
    if name == FULL_DOMAIN:
        space, found = over_levels(setup, control)
    else:
        space, found = over_partitions(setup, name, control)
    return _finding(setup, source, space, found, began)


def _finding(
    setup: FrontierSettings,
    source: Source,
    space: FrontierSpace[Any],
    found: MembersFound,
    began: float,
) -> FrontierFinding[Any]:
    roles, people = setup.roles, setup.people
    table, population = people.table, people.table.population
    persons = table.units if roles.person is not None else None
    basis = PopulationFacts(
        people.basis, people.label, None if population is None else int(population.sum())
    )
    if persons is not None:
        basis = PopulationFacts("persons", _PERSONS_ALONE)
    known = setup.request.knows is not None
    promise = declared_promise(
        setup.request.promised_k,
        setup.request.origin.project.get("privacy.models") or (),
        setup.models,
        k=setup.request.k,
    )
    return FrontierFinding(
        study=Study(
            read=source,
            source=setup.source,
            count=setup.count,
            roles=roles,
            people=people,
            space=space,
            risk=setup.risk,
            models=setup.models,
            knows=setup.knows,
            declared=promise,
            given=known,
        ),
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
        notes=(
            *matches(setup.matched),
            *setup.noticed(source),
            *setup.people.notes,
            *space.notes,
            *found.notes,
        ),
        counted=unit_seen(
            source, roles.quasi, roles.person, alone=people.table.units == people.table.records
        ),
        seconds=time.perf_counter() - began,
        persons=persons,
    )
