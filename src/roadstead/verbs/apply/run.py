"""Apply a policy to new data: the same generalization, the same promise, checked anew.

The rules of the policy generalize the new values; the privacy models decide afresh which classes
are suppressed. If that takes more than the policy's limit, the policy does not suit the new data,
and nothing is written. A limit of 0 makes it all or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from roadstead.errors import Refusal, RoadsteadError, RoleError, SettingError, quoted
from roadstead.front_end import option
from roadstead.policies.document import Policy, read_policy
from roadstead.privacy.combination import columns_of
from roadstead.privacy.settings import model_from
from roadstead.release.generalized import generalize
from roadstead.release.limit import require_limit
from roadstead.tables import names
from roadstead.tables.frequency import summarize
from roadstead.tables.identifiers.judgment import examine
from roadstead.tables.reading import read
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.apply.application import Application
from roadstead.verbs.apply.drift import Drift, drift_of, share_suppressed_then
from roadstead.verbs.columns import ColumnDecisions, require_releasable
from roadstead.verbs.population import populated
from roadstead.verbs.settings import check_suppression, names_of


def apply(
    policy: Policy | str | Path,
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    unseen: Literal["refuse", "suppress"] = "refuse",
    suppression: float | None = None,
    population: Any = None,  # noqa: ANN401 - a path, or a table of any library
    population_counts: str | None = None,
    release: Sequence[str] = (),
) -> Application:
    """Apply a policy to a table.

    Parameters
    ----------
    policy
        A policy, or the path of its document.
    data
        A `Source`, a path, a data frame, an Arrow table or an Ibis table.
    unseen
        What becomes of records with a value the policy does not cover.
    suppression
        Largest share of the records that may be suppressed this time, instead of the policy's. The
        certificate and the report say both.
    population
        A table of the population's people with the quasi-identifiers, given like `data`; a policy
        with a model that looks at the population needs one, or does with the records alone, on the
        safe side.
    population_counts
        Its column that says how many people a row stands for; None if each stands for one.
    release
        Columns that the policy releases, and that are released even if they look like an identifier
        in this table.

    Raises
    ------
    PolicyError
        When the policy cannot be read, or does not cover a value; then its `drift` tells what
        would become of the table.
    RoleError
        When the table lacks a column the policy releases, or one looks like an identifier that
        Safe Harbor removes and is not released by name.
    SettingError
        When a model of the policy needs a population and none is given.
    Refusal
        When more records would be suppressed than may be; its `drift` tells what is in the way.
    """
    if unseen not in {"refuse", "suppress"}:
        raise SettingError(
            f"{unseen!r} is not known", where=option("unseen"), fix="use refuse or suppress"
        )
    given = policy if isinstance(policy, Policy) else read_policy(Path(policy))
    known = _forcing(given, names_of(release, option("release")))
    where = "the policy" if isinstance(policy, Policy) else f"{Path(policy).name}, privacy"
    limit = None if suppression is None else check_suppression(suppression)
    then = None if isinstance(policy, Policy) else share_suppressed_then(Path(policy), known)
    models = tuple(model_from(settings, where=where) for settings in known.privacy)
    source = data if isinstance(data, Source) else read(data)
    names.require(known.released, source.columns)
    decided = _decided(known, source)
    counted = summarize(source, known.quasi, columns_of(models))
    table = populated(counted, models, population, population_counts)
    applied = known if limit is None else _with_limit(known, limit)
    generalized = generalize(table, applied, models, suppress_unseen=True, where=source.name)
    try:
        if unseen == "refuse":
            generalize(table, applied, models, where=source.name)
        require_limit(
            generalized,
            applied.suppression,
            models,
            where=source.name,
            fix="anonymize the new table afresh",
        )
    except RoadsteadError as refusal:
        drift = drift_of(generalized, applied, models, then)
        error = _with_way_on(refusal, drift)
        error.drift = drift
        raise error from None
    spoken = {*known.released, *known.columns.removed}
    unknown = tuple(name for name in source.columns if name not in spoken)
    own = known.suppression.limit
    result = Application(source, applied, models, generalized, unknown, decided, own, then)
    _ = result.added  # counted while the source is open, which the result may outlive
    return result


def _with_way_on(error: RoadsteadError, drift: Drift) -> RoadsteadError:
    """Name the limit that would do, where the limit is what is in the way."""
    if not isinstance(error, Refusal) or drift.fits is None:
        return error
    more = option("suppression", drift.fits)
    return Refusal(
        error.what, where=error.where, fix=f"{error.fix}, or allow more this time with {more}"
    )


def _with_limit(policy: Policy, limit: float) -> Policy:
    return replace(policy, suppression=replace(policy.suppression, limit=limit))


def _forcing(policy: Policy, release: Sequence[str]) -> Policy:
    """Give a policy that releases some of its columns by name."""
    own = policy.columns
    for name in release:
        if name not in own.released:
            raise RoleError(
                "the policy does not release it as it is",
                where=f"{option('release')} {quoted(name)}",
                fix="name a column that is sensitive or insensitive in the policy",
            )
    columns = replace(
        own,
        sensitive=tuple(name for name in own.sensitive if name not in release),
        insensitive=tuple(name for name in own.insensitive if name not in release),
        forced=tuple(dict.fromkeys((*own.forced, *release))),
    )
    return replace(policy, columns=columns)


def _decided(policy: Policy, source: Source) -> ColumnDecisions:
    """Look whether a column that is released as it is looks like an identifier in this table.

    Raises
    ------
    RoleError
        One does, and is not released by name.
    """
    own = policy.columns
    roles = Roles(policy.quasi, own.sensitive, own.removed, own.insensitive, own.forced)
    examined = examine(source, [name for name in source.columns if name in roles.declared])
    require_releasable(roles, examined.judgments, fix="anonymize the table afresh")
    return ColumnDecisions(roles, (), (), examined)
