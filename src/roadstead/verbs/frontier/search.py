"""Search hierarchy levels or partitions for a frontier, or search partitions at a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roadstead.errors import NoPolicyError
from roadstead.front_end import option
from roadstead.policies.partition import Partition
from roadstead.quality.registry import partition_loss, with_member
from roadstead.reports.frontier.facts import FrontierSearchFacts
from roadstead.reports.noticed.gather import noticed
from roadstead.reports.noticed.placeholder_ids import ids_in_two_spellings, shared_ids
from roadstead.reports.wording import counted
from roadstead.search.frontiers.boundary import BoundaryProblem
from roadstead.search.frontiers.frontier import Member
from roadstead.search.frontiers.full_domain import FullDomainFrontier
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.search.protocol import Control, Search
from roadstead.search.registry import FRONTIERS, THRESHOLDS
from roadstead.tables.codebooks.shown import labels_of_codes, other_names
from roadstead.tables.kept_codes import missing_codes_shown
from roadstead.tables.roles import Roles
from roadstead.verbs.frontier.domains import put_in_order
from roadstead.verbs.frontier.levels import FrontierLevels, level_space
from roadstead.verbs.frontier.partitions import FrontierPartitions
from roadstead.verbs.frontier.threshold import AcceptanceRule, threshold_of
from roadstead.verbs.settings import USUAL_K, choose, choose_search

if TYPE_CHECKING:
    from collections.abc import Callable

    from roadstead.hierarchies.hierarchy import Hierarchy
    from roadstead.privacy.models.person_anonymity import Known
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.risk.measures import SummedRisk
    from roadstead.tables.source import Source
    from roadstead.verbs.frontier.request import FrontierRequest
    from roadstead.verbs.people import TableWithPopulation


FULL_DOMAIN = "exact"
"""The name of the search for the frontier of the full-domain lattice."""


@dataclass(frozen=True)
class FrontierSettings:
    """The settings of a request, applied to its table and its population."""

    request: FrontierRequest
    roles: Roles
    matched: dict[str, tuple[str, ...]]  # columns that match each pattern of names
    models: tuple[PrivacyModel, ...]
    knows: Known
    risk: SummedRisk
    people: TableWithPopulation
    hierarchies: tuple[Hierarchy, ...]
    origins: dict[str, str]
    source: Source
    count: Callable[[Source], TableWithPopulation]  # counts the table read in another way

    def noticed(self, source: Source) -> tuple[str, ...]:
        """Return sentences about unusual values of the person ID and the quasi-identifiers."""
        fewest = self.request.k or USUAL_K
        said = noticed(
            self.people.table,
            self.hierarchies,
            fewest=fewest,
            labels=labels_of_codes(self.source),
            declared=missing_codes_shown(self.source),
        )
        person = self.roles.person
        return (*shared_ids(source, person), *ids_in_two_spellings(source, person), *said)


def over_levels(setup: FrontierSettings, control: Control) -> tuple[FrontierLevels, MembersFound]:
    """Search the levels of hierarchies."""
    quality = setup.request.quality
    space = level_space(
        setup.people, setup.hierarchies, setup.origins, setup.risk, quality, setup.knows
    )
    return space, _over_levels(space, control)


def over_partitions(
    setup: FrontierSettings, name: str, control: Control
) -> tuple[FrontierPartitions, MembersFound]:
    """Search the partitions of ordered domains for a frontier or for policies at a threshold."""
    request, seed = setup.request, setup.request.seed or 0
    loss = partition_loss(
        choose(request.quality, with_member("terms", request.quality), option("quality"))
    )
    ordered = put_in_order(setup.people.table, setup.hierarchies, _orders(setup))
    problem = FrontierProblem(ordered.cells, setup.risk, loss)
    space = FrontierPartitions(setup.people, ordered, problem, setup.source)
    if request.threshold is not None:
        rule = threshold_of(space, request.threshold, setup.models)
        return space, _at_threshold(space, name, seed, control, rule)
    search = FRONTIERS[name](seed)
    outcome = search.run(space.problem, control)
    members = tuple(map(_clipped, space.released(tuple(outcome.frontier))))
    return space, MembersFound(members, _facts(search, outcome, seed, control))


def _orders(setup: FrontierSettings) -> dict[str, tuple[str, ...]]:
    """Return the orders in the request. A user can give each value by its code or by its label."""
    table, found = setup.people.table, {}
    for name, order in (setup.request.orders or {}).items():
        domain = dict(zip(table.attributes, table.domains, strict=True)).get(name, ())
        names = other_names(setup.source, name, domain)
        found[name] = tuple(one if one in domain else names.get(one, one) for one in order)
    return found


class MembersFound(NamedTuple):
    """The policies that a search found."""

    members: tuple[Member[Any], ...]
    search: FrontierSearchFacts
    threshold: str | None = None
    notes: tuple[str, ...] = ()


def _over_levels(space: FrontierLevels, control: Control) -> MembersFound:
    search = FullDomainFrontier()
    outcome = search.run(space.problem, control)
    further = int(np.sum(outcome.tied)) - len(outcome.tied)
    same = counted(further, "further policy has", "further policies have")
    notes = (f"{same} the same risk and loss.",) if further else ()
    facts = _facts(search, outcome, 0, control)
    return MembersFound(tuple(outcome.frontier), facts, notes=notes)


def _at_threshold(
    space: FrontierPartitions, name: str, seed: int, control: Control, rule: AcceptanceRule
) -> MembersFound:
    """Search for policies at the boundary between acceptable and unacceptable policies.

    Raise an error if no policy is acceptable.
    """
    search = THRESHOLDS[name](seed)
    outcome = search.run(BoundaryProblem(space.problem.domains, rule.accepts), control)
    if not outcome.non_dominated:
        in_time = outcome.ending not in {"time limit", "interrupted"}
        raise NoPolicyError(
            "no policy is acceptable, not even with one interval for each column"
            if in_time
            else "no policy was found in time",
            where=option("threshold"),
            fix="give orders with coarser values, or release fewer quasi-identifiers"
            if in_time
            else "allow more time",
        )
    points = [Member(*space.problem.point(one), one) for one in outcome.non_dominated]
    members = sorted(map(_clipped, space.released(points)), key=lambda member: member[:2])
    facts = _facts(search, outcome, seed, control)
    return MembersFound(tuple(members), facts, threshold=rule.says)


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
    """Limit the risk and the loss to the range from 0 to 1, which rounding errors can exceed."""
    return member._replace(
        risk=min(max(member.risk, 0.0), 1.0), loss=min(max(member.loss, 0.0), 1.0)
    )


def search_name(request: FrontierRequest) -> str:
    """Return the name of the search that a request uses."""
    if request.threshold is None:
        usual = "combined" if request.person is None else FULL_DOMAIN
        return choose_search(request.search or usual, FRONTIERS, others=(FULL_DOMAIN,))
    return choose_search(request.search or "bisecting", THRESHOLDS)
