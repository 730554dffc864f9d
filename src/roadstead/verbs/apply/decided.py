"""Add the columns in a request to the columns that a policy releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roadstead.errors import RoleError, quoted
from roadstead.front_end import option
from roadstead.policies.document import Policy


def columns_known(policy: Policy) -> frozenset[str]:
    """Return all columns that a policy mentions."""
    person = () if policy.persons is None else (policy.persons.column,)
    return frozenset((*policy.released, *policy.columns.removed, *person))


def with_named(
    policy: Policy,
    release_anyway: Sequence[str],
    unchanged: Sequence[str],
    reasons: Mapping[str, str],
) -> Policy:
    """Add the columns in a request to the released columns of a policy.

    For each column in `release_anyway`, `reasons` contains the reason why it is released.
    """
    own, known = policy.columns, columns_known(policy)
    quasi = tuple(name for name in release_anyway if name in policy.quasi)
    release_anyway = [name for name in release_anyway if name not in quasi]
    for key, names, accepted in (
        ("release_anyway", release_anyway, own.released),
        ("unchanged", unchanged, own.unchanged),
    ):
        for name in names:
            if name in known and name not in accepted:
                raise RoleError(
                    "the policy does not release this column unchanged"
                    if name not in own.released
                    else "the policy releases this column under another role",
                    where=f"{option(key)} {quoted(name)}",
                    fix="choose a column that the policy does not list, or that is "
                    + ("a quasi-identifier, sensitive, or " if key == "release_anyway" else "")
                    + "unchanged in the policy",
                )
    if twice := [name for name in unchanged if name in release_anyway]:
        what = f"this column is in both {option('unchanged')} and {option('release_anyway')}"
        raise RoleError(what, where=f"column {quoted(twice[0])}", fix="keep it in only one of them")
    named = {*release_anyway, *unchanged}
    columns = replace(
        own,
        sensitive=tuple(name for name in own.sensitive if name not in release_anyway),
        unchanged=tuple(
            dict.fromkeys(
                (*(name for name in own.unchanged if name not in release_anyway), *unchanged)
            )
        ),
        forced=tuple(dict.fromkeys((*own.forced, *release_anyway))),
        forced_quasi=tuple(dict.fromkeys((*own.forced_quasi, *quasi))),
        undecided=tuple(name for name in own.undecided if name not in named),
        reasons={**own.reasons, **reasons},
    )
    return replace(policy, columns=columns)
