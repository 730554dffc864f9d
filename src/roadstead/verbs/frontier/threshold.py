"""Define which policies are acceptable if a request specifies a threshold (paper 004).

The threshold is the risk of Safe Harbor on the same data, or a share of the original data's risk.
If a request specifies privacy models instead of a threshold (section 5), all classes must satisfy
the models, and no record may be suppressed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from roadstead.errors import SettingError
from roadstead.front_end import option, worded
from roadstead.kernels.grouping import class_sizes, pack, refine
from roadstead.policies.classes import Classes, keep
from roadstead.policies.partition import Partition
from roadstead.privacy.combination import bind_all
from roadstead.privacy.protocol import PrivacyModel
from roadstead.requests.checks import wrong
from roadstead.search.frontiers.boundary import RiskBelow
from roadstead.verbs.frontier import MODELS_HOLD as MODELS
from roadstead.verbs.frontier import SAFE_HARBOR
from roadstead.verbs.frontier.partitions import FrontierPartitions
from roadstead.verbs.frontier.study import SLACK


@dataclass(frozen=True)
class AcceptanceRule:
    """A rule for acceptable policies, and its description."""

    accepts: Callable[[Partition], bool]
    says: str


def threshold_of(
    space: FrontierPartitions, threshold: float | str | None, models: Sequence[PrivacyModel]
) -> AcceptanceRule:
    """Return the rule. Reject an invalid share, and models that are missing or have no effect."""
    if threshold != MODELS and models:
        fix = f"leave the models out, or use {option('threshold', MODELS)}"
        raise wrong("privacy", "privacy models are given, but the threshold is a risk", fix)
    match threshold:
        case "safe-harbor":
            risk = space.safe_harbor.point.risk
            return AcceptanceRule(_risk_below(space, risk), f"the risk of Safe Harbor, {risk:.6g}")
        case "models":
            return _by_models(space, models)
        case _:
            try:
                share = float(threshold or 0.0)
            except (TypeError, ValueError):
                fix = f"use {SAFE_HARBOR}, {MODELS}, or a share such as 0.1"
                raise wrong("threshold", f"{threshold!r} is not a threshold", fix) from None
            if not isfinite(share) or not 0.0 < share <= 1.0:
                what = f"the threshold is {share:g}, but must be above 0 and at most 1"
                fix = "give a share of the original data's risk, or safe-harbor"
                raise wrong("threshold", what, fix)
            return AcceptanceRule(_risk_below(space, share), f"a risk of {share:g}")


def _risk_below(space: FrontierPartitions, share: float) -> RiskBelow:
    problem = space.problem
    return RiskBelow(problem, share * problem.risk_unit * (1.0 + SLACK))


def _by_models(space: FrontierPartitions, models: Sequence[PrivacyModel]) -> AcceptanceRule:
    if not models:
        raise SettingError(
            "no privacy model is given",
            where=option("threshold", "models"),
            fix=worded(
                command="add a model, for example --privacy k-anonymity:k=5",
                python="add a model, for example "
                f"{option('privacy', {'kind': 'k-anonymity', 'k': 5})}",
            ),
        )
    table, codes = space.people.table, space.ordered.codes
    bound = bind_all(tuple(models), table)
    if not bound.merges:
        what = "a merged group may not meet the models, even if both of its parts meet them"
        fix = "leave out models that are not monotone, for example delta-presence with a minimum"
        raise wrong("privacy", what, fix)
    domains = space.problem.domains

    def accepts(policy: Partition) -> bool:
        members, number = pack(table.distinct), 1
        for own, labels in zip(codes, domains.labels(policy), strict=True):
            members, number = refine(members, number, own, labels, int(labels[-1]) + 1)
        sizes = class_sizes(members, number, table.counts)
        everything = Classes(members, np.arange(number, dtype=np.uint32), sizes)
        return bool(bound.satisfied(keep(everything, sizes > 0)[0]).all())

    return AcceptanceRule(accepts, " and ".join(model.name for model in models))
