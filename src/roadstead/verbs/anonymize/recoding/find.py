"""Find a release in which each class of records is generalized in a different way.

The classes become a policy, which Roadstead applies to the table like any other policy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import NoPolicyError, SettingError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.label_order import open_bands
from roadstead.hierarchies.rules import MISSING
from roadstead.policies.attribute_policy import attribute_policies
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.policies.recodings.document import RecodingKind
from roadstead.policies.recodings.from_search import has_ends, recoding_of, require_one_meaning
from roadstead.policies.recodings.interval_columns import collision, end_columns
from roadstead.privacy.combination import bind_all, columns_of
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import BoundPrivacy, PrivacyModel
from roadstead.quality.aggregates import ArithmeticMean, GeometricMean
from roadstead.reports.release.facts import RecodingFound
from roadstead.rooms import part_of
from roadstead.search.protocol import Candidate, Control, Outcome
from roadstead.search.recoding.protocol import (
    OUT,
    Parts,
    Recoded,
    RecodingOutcome,
    RecodingProblem,
    RecodingSearch,
    recoding_problem,
)
from roadstead.search.recoding.registry import RECODINGS
from roadstead.search.recoding.solve import solve
from roadstead.verbs.anonymize.plan import (
    AnonymizationTask,
    Answer,
    bound_proof_of,
    ended_early,
)
from roadstead.verbs.settings import choose_search, smallest_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.hierarchies.hierarchy import Hierarchy
    from roadstead.policies.axes import Axis
    from roadstead.verbs.anonymize.request import AnonymizeRequest

_ATTACKED = part_of("attacks", "verbs.anonymize.recoding.attack:attacked_recoding")
_NO_ATTACKS = "Attacks that use the choice of groups were not run, because they are not installed."
_USUAL = "exact"
"""The default search name, which selects the best available search."""


def recoding_search(request: AnonymizeRequest, kind: RecodingKind) -> RecodingSearch:
    """Return the requested search for recodings."""
    known = RECODINGS[kind]
    usual = request.search == _USUAL
    return known[known.own[0] if usual else choose_search(request.search, known)]()


def find_recoding(
    kind: RecodingKind, search: RecodingSearch, task: AnonymizationTask, control: Control
) -> Answer:
    """Find the recoding of a table."""
    problem, weights = _problem(kind, task)
    encoding, request = problem.encoding, task.plan.request
    in_two = request.intervals == "columns"
    if in_two:
        _require_free_names(problem.axes, encoding.hierarchies, task.plan.source.columns)
    found = solve(problem, search, control)
    best = _best(found, task)
    recoding = recoding_of(kind, encoding, best.parts, problem.axes, released_as=request.intervals)
    losses = best.loss_by_attribute(problem)
    if in_two:
        losses += _lost_to_missing(problem, best)
        found = replace(found, loss=float(losses @ problem.shares))
    least = _base(problem, best)
    return Answer(
        task=task,
        space=problem.space,
        outcome=_outcome(found, least, best.suppressed(problem)),
        search=search,
        attributes=attribute_policies(encoding.hierarchies, least),
        loss_by_attribute=dict(zip(encoding.attributes, losses.tolist(), strict=True)),
        recoding=recoding,
        found=RecodingFound(
            kind=kind,
            classes=len(recoding.classes),
            arithmetic=found.loss,
            geometric=GeometricMean(weights)(losses.tolist()),
            lower_bound=found.lower_bound,
            gap=found.gap,
            shown=_shown(problem, best, in_two=in_two),
            attacks=_ATTACKED(task, problem, best, found.proposal) if _ATTACKED else (_NO_ATTACKS,),
            unseen=columns_of(task.models),
        ),
        origins={one.domain.attribute: one.domain.origin for one in problem.axes},
        proof=bound_proof_of(task, problem, found, control),
    )


def _problem(kind: RecodingKind, task: AnonymizationTask) -> tuple[RecodingProblem, Any]:
    """Return the recoding problem for a table, and the weights of the attributes."""
    request = task.plan.request
    encoding = encode(task.table, task.hierarchies)
    space = full_domain(encoding.hierarchies, request.min_level, request.max_level)
    if kind != "intervals":
        require_one_meaning(kind, encoding.hierarchies, space.bottom, space.top)
    privacy = bind_all(task.models, task.table)
    weights = getattr(task.plan.quality, "aggregate", ArithmeticMean()).weights
    problem = recoding_problem(
        encoding,
        space,
        privacy,
        k=_least(task.models),
        limit=task.limit,
        weights=weights,
        intervals=kind == "intervals",
        blind=_blind(task),
    )
    return problem, weights


def _best(found: RecodingOutcome, task: AnonymizationTask) -> Recoded:
    if found.best is not None and found.best.parts.size:
        return found.best
    if found.best is not None:
        raise NoPolicyError(
            f"the search found no group that meets {task.promise}, so all records would be "
            "suppressed"
        )
    if found.ending != "complete":
        raise NoPolicyError(ended_early(found.ending, task.promise))
    raise NoPolicyError(
        f"the search found no way to form groups that meet {task.promise} if at most "
        f"{task.limit:,} of {task.table.records:,} records are suppressed; allow coarser levels, "
        "or release fewer quasi-identifiers"
    )


def _require_free_names(
    axes: Sequence[Axis], hierarchies: Sequence[Hierarchy], columns: Sequence[str]
) -> None:
    """Reject a column if its name is needed for a released column of interval ends."""
    own = zip(axes, hierarchies, strict=True)
    names = (of.attribute for axis, of in own if has_ends(axis, of))
    pairs = {name: end_columns(name) for name in names}
    if (found := collision(pairs, columns)) is not None:
        name, taken = found
        raise SettingError(
            f"{quoted(name)} would be released as {' and '.join(map(quoted, pairs[name]))}, but "
            f"the table already has a column {quoted(taken)} (upper and lower case count as the "
            "same)",
            where=option("intervals", "columns"),
            fix=f"rename that column, or use {option('intervals', 'text')}",
        )


def _least(models: tuple[PrivacyModel, ...]) -> int:
    """Return the minimum number of records that a class must have."""
    persons = (model.k for model in models if isinstance(model, PersonAnonymity))
    return max(smallest_class(models), *persons, 1)


def _base(problem: RecodingProblem, best: Recoded) -> Levels:
    """Return the lowest level of each attribute among all classes."""
    if problem.axes:
        return tuple(0 for _ in problem.axes)
    return tuple(best.parts[:, :, 0].min(axis=0).tolist())


def _outcome(found: RecodingOutcome, levels: Levels, suppressed: int) -> Outcome[Levels]:
    return Outcome(
        best=Candidate(levels, found.loss, suppressed),
        lower_bound=found.lower_bound,
        evaluated=found.tried,
        first_met=found.tried,
        seconds=found.seconds,
        ending=found.ending,
        proven=found.lower_bound >= found.loss,
    )


def _blind(task: AnonymizationTask) -> BoundPrivacy | None:
    """Bind the models that do not use sensitive columns.

    Return None if no model uses sensitive columns.
    """
    alike = [model for model in task.models if not model.columns]
    if len(alike) == len(task.models):
        return None
    return bind_all(alike or [KAnonymity(_least(task.models))], task.table)


def _lost_to_missing(problem: RecodingProblem, best: Recoded) -> NDArray[np.float64]:
    """Return the loss from missing values that are released as the interval of all values."""
    counts = problem.encoding.counts
    inside = best.rows != OUT
    sizes = np.bincount(best.rows[inside], counts[inside], minlength=best.parts.shape[0])
    hidden = np.stack([_is_missing(problem, best.parts, at) for at in range(best.parts.shape[1])])
    return np.asarray(hidden @ sizes / counts.sum())


def _is_missing(problem: RecodingProblem, parts: Parts, at: int) -> NDArray[np.bool_]:
    """Return which parts of an attribute with interval ends contain only the missing value."""
    own, hierarchy = problem.axes[at], problem.encoding.hierarchies[at]
    alone = own.domain.places[0] == (MISSING,)
    there = alone and own.size > 1 and has_ends(own, hierarchy)
    return np.asarray((parts[:, at, 1] == 0) & there)


def _in_band(
    problem: RecodingProblem, parts: NDArray[np.int32], attribute: int
) -> NDArray[np.bool_]:
    """For each pair of a level and a code, return whether all its values are in an open band."""
    encoding = problem.encoding
    rule, found = encoding.hierarchies[attribute].rule(0), np.zeros(len(parts), dtype=np.bool_)
    if not (bands := open_bands(rule)):
        return found
    domain = encoding.table.domains[attribute]
    within = np.array([(rule.label(one) or "") in bands for one in domain])
    for level, code in np.unique(parts, axis=0).tolist():
        members = encoding.lookups[attribute][level] == code
        found |= (parts == (level, code)).all(axis=1) & bool(within[members].all())
    return found


def _shown(problem: RecodingProblem, best: Recoded, *, in_two: bool) -> dict[str, dict[str, float]]:
    """For each attribute, return the share of records at each level or kind of interval.

    If `in_two` is true, an interval is released as two columns, and a missing value looks like the
    interval of all values.
    """
    inside = best.rows != OUT
    counts, parts = problem.encoding.counts[inside], best.parts[best.rows[inside]]
    total = max(int(counts.sum()), 1)
    found: dict[str, dict[str, float]] = {}
    for at, hierarchy in enumerate(problem.encoding.hierarchies):
        if problem.axes:
            own = problem.axes[at]
            one = (own.losses(parts[:, at]) == 0) | (parts[:, at, 1] < own.nothing)
            whole = own.is_all(parts[:, at])
            if in_two:
                whole |= _is_missing(problem, parts, at)
            groups = {
                "one value": one & ~whole,
                "an interval": ~one & ~whole,
                "all values": whole,
            }
        else:
            band = _in_band(problem, parts[:, at], at)
            groups = {
                hierarchy.describe(level): (parts[:, at, 0] == level) & ~band
                for level in range(hierarchy.height)
            }
            if bands := open_bands(hierarchy.rule(0)):
                groups[f"only {' or '.join(bands)}"] = band
        found[hierarchy.attribute] = {
            words: float(counts[rows].sum() / total) for words, rows in groups.items()
        }
    return found
