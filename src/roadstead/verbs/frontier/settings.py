"""Apply the settings of a frontier search to a table, and count the table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from roadstead.capabilities import require_combination
from roadstead.privacy.combination import columns_of
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.tables import names
from roadstead.tables.identifiers.descriptions import described_ages
from roadstead.tables.identifiers.vocabulary import meaning
from roadstead.tables.persons.profiles import counted_by
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.combination import frontier_parts
from roadstead.verbs.declared_codes import keeping_codes_in, missing_codes_of
from roadstead.verbs.examined_table import examined_columns
from roadstead.verbs.frontier.choice import chooses
from roadstead.verbs.frontier.search import FULL_DOMAIN, FrontierSettings
from roadstead.verbs.frontier.study import risk_of
from roadstead.verbs.hierarchies import choose_hierarchies, declared_hierarchies
from roadstead.verbs.people import TableWithPopulation, missing_codes_used, people_of
from roadstead.verbs.persons.settings import known_rows
from roadstead.verbs.privacy import models_of
from roadstead.verbs.settings import roles_of, smallest_class
from roadstead.verbs.table_of_people import require_people

if TYPE_CHECKING:
    from roadstead.verbs.frontier.request import FrontierRequest


def settings_of(request: FrontierRequest, source: Source, name: str) -> FrontierSettings:
    """Apply the roles and models to the table, reject conflicts, and count the table."""
    risk = risk_of(request.risk_measure, request.gamma, request.k)
    roles, matched = roles_of(request).matched(source.columns)
    roles.check(source.columns)
    given = declared_hierarchies(request, source.columns, roles.quasi)
    models = models_of(
        request.privacy, roles.for_models, given.folder, given.by_column, base=request.base
    )
    require_combination(frontier_parts(request, name))
    columns = columns_of(models)
    names.require(columns, source.columns)
    roles = _require_decided(request, roles.with_sensitive(columns), source)
    quasi = roles.quasi
    if request.population is not None or request.margins:
        quasi = ()  # the population is read without codes
    smallest = max(request.k or 1, smallest_class(models))
    source = keeping_codes_in(source, roles, quasi, columns, smallest)
    if roles.sensitive or roles.unchanged:
        examined_columns(source, roles)
    else:
        require_people(source, roles)
    count = partial(_counted, request, roles, columns)
    people = count(source)
    hierarchies, origins = choose_hierarchies(
        people.table,
        given.folder,
        given.without(columns),
        base=request.base,
        means=described_ages(source, roles.quasi),
        numbers=() if name == FULL_DOMAIN else _ages_and_births(roles.quasi),
        codebook=source.codebook,
        missing_codes=missing_codes_of(source),
    )
    knows = known_rows(request.knows, linked=False)
    return FrontierSettings(
        request,
        roles,
        matched,
        models,
        knows,
        risk,
        people,
        hierarchies,
        origins,
        source,
        count,
    )


def _counted(
    request: FrontierRequest, roles: Roles, columns: Sequence[str], source: Source
) -> TableWithPopulation:
    """Count the table, with the columns that models use, and add the population."""
    return people_of(
        counted_by(source, roles.person, roles.quasi, columns),
        request.population,
        request.population_counts,
        request.margins,
        absent=request.absent,
        seed=request.seed or 0,
        codes=missing_codes_used(source),
    )


def _ages_and_births(quasi: Sequence[str]) -> tuple[str, ...]:
    """Return the columns in which partitions can distinguish ages over 89."""
    return tuple(name for name in quasi if meaning(name) == "age" or is_called_a_birth(name))


def _require_decided(request: FrontierRequest, roles: Roles, source: Source) -> Roles:
    """If the request makes a release, reject columns without a role before the search."""
    if chooses(request):
        roles.require_decided(source.columns)
    return roles
