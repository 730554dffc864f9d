"""Check the settings that a user gives, in the same way for all front ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.near_names import did_you_mean
from roadstead.policies.partition import OrderedDomains
from roadstead.privacy.conditions import SizeModel
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.aggregates import (
    Aggregate,
    ArithmeticMean,
    GeometricMean,
    Maximum,
    Ranked,
    Sum,
)
from roadstead.reasons import require_reason
from roadstead.registry import Registry
from roadstead.reports.wording import counted
from roadstead.requests.checks import wrong
from roadstead.requests.groups import ColumnRoles, ForcedColumns
from roadstead.requests.persons import PersonColumn
from roadstead.tables.roles import Roles

AGGREGATES: dict[str, type[Aggregate]] = {
    kind.name: kind for kind in (GeometricMean, ArithmeticMean, Sum, Maximum, Ranked)
}
MOST_BOUNDARIES = 10_000
"""The maximum number of boundaries between values."""
USUAL_K = 5
"""The default k of k-anonymity."""


def roles_of(request: ColumnRoles) -> Roles:
    """Return the roles of a request whose fields have been checked.

    A sensitive column can also be in `release_anyway`.
    """
    anyway = frozenset(request.release_anyway)
    return Roles(
        tuple(request.quasi),
        tuple(name for name in request.sensitive if name not in anyway),
        tuple(request.identifiers),
        tuple(request.unchanged),
        tuple(name for name in request.release_anyway if name not in request.quasi),
        request.undecided,
        request.person if isinstance(request, PersonColumn) else None,
        reasons_of(request),
        tuple(name for name in request.release_anyway if name in request.quasi),
        tuple(name for name in request.sensitive if name in anyway),
    )


def reasons_of(request: ForcedColumns) -> dict[str, str]:
    """Return the reasons for columns that are released anyway, and reject any other reasons."""
    reasons = request.reasons or {}
    if stray := next((name for name in reasons if name not in request.release_anyway), None):
        forced = option("release_anyway")
        what = f"a reason is given for {quoted(stray)}, but {forced} does not list this column"
        raise wrong(
            "reasons", what, f"add {option('release_anyway', [stray])}, or leave the reason out"
        )
    where = option("reasons")
    return {name: require_reason(text, where=where) for name, text in reasons.items()}


def check_k(k: int, records: int, source: str, units: str = "records") -> KAnonymity:
    """Return the k-anonymity model, and reject a k that no table of this size can meet."""
    model = KAnonymity(whole_k(k))
    if k > records:
        one = units.removesuffix("s")
        fix = (
            f"choose a k of at most {records}"
            if records > 1
            else (f"a single {one} cannot be protected")
        )
        has = counted(records, one, units)
        raise wrong("k", f"k is {k}, but {source} has only {has}", fix)
    return model


def k_alongside(k: int | None, models: Sequence[PrivacyModel]) -> int | None:
    """Return the k of k-anonymity if it is required in addition to other models, or None.

    By default, the usual k is required, unless a model has the attribute `instead_of_k_anonymity`
    and therefore replaces k-anonymity. For example, k-map requires less than k-anonymity. If other
    models are given, k = 1 means that k-anonymity is not required.
    """
    if k is not None:
        whole = whole_k(k)
        return None if whole == 1 and models else whole
    replaced = any(getattr(model, "instead_of_k_anonymity", False) for model in models)
    return None if replaced else USUAL_K


def added_k(k: int | None, models: Sequence[PrivacyModel]) -> int | None:
    """Return k if k-anonymity was added to the requested models by default, and otherwise None."""
    return k_alongside(None, models) if k is None and models else None


def whole_k(k: object) -> int:
    """Reject a k that is not a whole number."""
    if isinstance(k, bool) or not isinstance(k, Real) or k % 1 != 0:
        shown = k if isinstance(k, Real) else quoted(str(k))
        fix = "write a whole number, such as 5"
        raise wrong("k", f"k is {shown}, but must be a whole number", fix)
    return int(float(k))


def least_size(model: PrivacyModel) -> int | None:
    """Return the smallest class size that a model of class sizes accepts, or None."""
    return model.least_records if isinstance(model, SizeModel) else None


def smallest_class(models: Sequence[PrivacyModel]) -> int:
    """Return the smallest class size that meets all models that require a size."""
    sizes = (least_size(model) for model in models)
    return max((size for size in sizes if size is not None), default=1)


def check_boundaries(domains: OrderedDomains, key: str, fix: str) -> None:
    """Reject domains with more possible boundaries than a search can handle."""
    if domains.boundaries > MOST_BOUNDARIES:
        size = max(domains.sizes)
        attribute = domains.attributes[domains.sizes.index(size)]
        raise wrong(
            key,
            f"there are {domains.boundaries:,} possible cuts; {attribute!r} has the most, with "
            f"{size:,} values",
            f"the search allows at most {MOST_BOUNDARIES:,}; {fix}",
        )


def choose(name: str, known: Mapping[str, object] | Sequence[str], option: str) -> str:
    """Return a name if it is known, and reject any other name."""
    if name not in known:
        raise SettingError(
            f"{name!r} is not known",
            where=option,
            fix=did_you_mean(name, known, "use " + " or ".join(known)),
        )
    return name


def choose_search(name: str, *known: Registry[Any], others: Sequence[str] = ()) -> str:
    """Reject a search that is unknown or not installed."""
    if name in others or any(name in searches for searches in known):
        return name  # without a slow search of other packages
    for searches in known:
        searches.require(name, where=option("search"))
    names = [*(own for searches in known for own in searches), *others]
    return choose(name, names, option("search"))


def aggregate_of(name: str, weights: Mapping[str, float] | None, quasi: Sequence[str]) -> Aggregate:
    """Return the aggregate, with its weights in the order of the quasi-identifiers."""
    kind = AGGREGATES[choose(name, AGGREGATES, option("aggregate"))]
    if not weights:
        return kind()
    for attribute in weights:
        if attribute not in quasi:
            fix = did_you_mean(attribute, quasi, show=repr)
            raise wrong("weights", f"{attribute!r} is not a quasi-identifier", fix)
    return kind(tuple(float(weights.get(name, 1.0)) for name in quasi))


def check_target(target: str | None, roles: Roles) -> None:
    """Reject a target column that is not released unchanged."""
    if target is not None and target in (*roles.identifiers, *roles.quasi):
        what = f"{target!r} is not released unchanged, so it cannot be predicted"
        raise wrong("target", what, "choose a column that is sensitive or released unchanged")
