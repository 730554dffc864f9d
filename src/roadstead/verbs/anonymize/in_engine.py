"""Find a policy where the distinct combinations are too many to be held in memory.

The records stay where they are. What comes over is the values of each quasi-identifier, one row for
each policy looked at, and the classes of the best. This takes a search, models and a loss that are
made for it: exact search, models of the size of classes alone, and Iyengar's loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from roadstead.errors import NoPolicyError, SettingError
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.classes import no_class
from roadstead.policies.document import Suppression, attribute_policies
from roadstead.policies.full_domain import Levels
from roadstead.privacy.k_anonymity import KAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.loss import Loss
from roadstead.search.diagnosis import diagnosed, largest_k
from roadstead.search.exact import Exact
from roadstead.search.in_engine.classes import classes_of_policy
from roadstead.search.in_engine.domains import read_domains
from roadstead.search.in_engine.evaluator import InEngine
from roadstead.search.in_engine.problem import prepare
from roadstead.search.in_engine.queries import Queries
from roadstead.search.protocol import Control, Outcome
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.source import Source
from roadstead.tables.stores.access import workbench
from roadstead.verbs.anonymize.question import Answer, Solved, Wanted, ended_early
from roadstead.verbs.settings import least_size, smallest_class

ALWAYS = 1_000_000
"""Values of an attribute, or classes of the best policy, that are held in memory in any case."""


@dataclass(frozen=True)
class Request:
    """What is asked for, before the table is known.

    Attributes
    ----------
    quasi
        The quasi-identifiers.
    wanted
        Loss, further models and levels allowed.
    search
        Name of the search.
    population
        Whether a population is given.
    models
        Makes all models that must hold, given the number of records.
    hierarchies
        Chooses the hierarchies, given the domains, and says where each came from.
    suppression
        Largest share of records that may be suppressed.
    combinations
        Most distinct combinations that are held in memory.
    """

    quasi: tuple[str, ...]
    wanted: Wanted
    search: str
    population: bool
    models: Callable[[int], tuple[PrivacyModel, ...]]
    hierarchies: Callable[[FrequencyTable], tuple[tuple[Hierarchy, ...], dict[str, str]]]
    suppression: float
    combinations: int


def check_in_engine(request: Request) -> None:
    """Refuse what the engine cannot be asked.

    Raises
    ------
    SettingError
        Names the option, and what would do.
    """
    if request.search != Exact().name:
        raise _needs_rows(
            request,
            f"the search {request.search}",
            option("search"),
            f"{option('search', 'exact')}",
        )
    for model in request.wanted.privacy:
        if least_size(model) is None:
            raise _needs_rows(request, model.name, option("privacy"), "k-anonymity alone")
    if request.population:
        raise _needs_rows(request, "a population", option("population"), "k-anonymity alone")
    if not isinstance(request.wanted.quality, Loss):
        name = request.wanted.quality.name
        raise _needs_rows(
            request, f"the quality {name}", option("quality"), f"{option('quality', 'loss')}"
        )


def _needs_rows(request: Request, what: str, where: str, instead: str) -> SettingError:
    return SettingError(
        f"{what} needs all distinct combinations in memory, and there are more than "
        f"{request.combinations:,}",
        where=where,
        fix=f"raise {option('combinations')} if there is room for them, or use {instead}",
    )


def solve_in_engine(source: Source, request: Request, control: Control) -> Solved:
    """Search with queries.

    Raises
    ------
    NoPolicyError
        When no policy satisfies the models, or none was met in time.
    InputError
        When the request does not fit the table, or the engine cannot answer.
    """
    check_in_engine(request)
    with workbench(source) as bench:
        return _solve(Queries(bench, source.name), request, control)


def _solve(queries: Queries, request: Request, control: Control) -> Solved:
    wanted, most = request.wanted, max(request.combinations, ALWAYS)
    quality = wanted.quality
    if not isinstance(quality, Loss):  # refused before
        raise TypeError
    domains = read_domains(queries, request.quasi, most)
    models = request.models(domains.records)
    hierarchies, origins = request.hierarchies(domains.table)
    tables = prepare(
        queries,
        domains,
        hierarchies,
        aggregate=quality.aggregate,
        smallest=smallest_class(models),
        limit=Suppression(request.suppression).most(domains.records),
        minimum=wanted.min_level,
        maximum=wanted.max_level,
    )
    evaluator = tables.evaluator
    search = Exact()
    outcome = search.run(evaluator, control)
    if outcome.best is None:
        raise NoPolicyError(_why_none(evaluator, outcome, models))
    levels = outcome.best.policy
    best = evaluator.evaluate(levels, evaluator.start(), levels)
    losses = evaluator.bounds.loss_by_attribute(levels, best.tally, no_class())
    table = classes_of_policy(tables, levels, most)
    answer = Answer(
        problem=evaluator,
        outcome=replace(outcome, queries=queries.number),
        search=search,
        attributes=attribute_policies(tables.columns.encoding.hierarchies, levels),
        loss_by_attribute=dict(zip(request.quasi, losses, strict=True)),
    )
    return Solved(table, models, origins, answer)


def _why_none(evaluator: InEngine, outcome: Outcome[Levels], models: Sequence[PrivacyModel]) -> str:
    promise = " and ".join(model.name for model in models)
    if outcome.ending != "complete":
        return ended_early(outcome, promise)
    alone = len(models) == 1 and isinstance(models[0], KAnonymity)
    sizes, numbers = evaluator.sizes(evaluator.space.top)
    diagnosis = diagnosed(
        evaluator.space,
        tuple(height - 1 for height in evaluator.heights),
        evaluator.limit,
        evaluator.records,
        suppressed=evaluator.suppressed,
        largest_k=largest_k(sizes, numbers, evaluator.limit) if alone else None,
    )
    return f"no policy satisfies {promise}: " + "; ".join(diagnosis.sentences)
