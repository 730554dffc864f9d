"""Compare the chosen policy with the minimum that the user declared before the search.

The policies on a frontier have very different risks, up to the risk of the unchanged table. If a
policy does not meet the declared minimum, the user must give a reason for releasing it. The
certificate and the report contain the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.reasons import require_reason
from roadstead.release.below_promise import BelowPromise, names_of, not_kept
from roadstead.reports.wording import counted, listed
from roadstead.verbs.settings import USUAL_K, k_alongside, whole_k

if TYPE_CHECKING:
    from roadstead.verbs.frontier.release import FrontierRelease


@dataclass(frozen=True)
class DeclaredPromise:
    """The declared minimum for each release: groups of k records or people, and privacy models."""

    k: int | None = USUAL_K
    models: tuple[Mapping[str, Any], ...] = ()

    def missing(self, release: FrontierRelease) -> tuple[dict[str, Any], ...]:
        """Return the models that a release does not meet or might not meet."""
        smallest = release.draft.risk.smallest_group
        return not_kept(self.k, self.models, smallest, release.policy.privacy)


USUAL: Final = DeclaredPromise()
"""The default if the user declares no minimum."""


def declared_promise(
    promised_k: int | None,
    declared: Sequence[Mapping[str, Any]],
    models: Sequence[PrivacyModel],
    *,
    k: int | None,
) -> DeclaredPromise:
    """Build the declared minimum from k and the settings of models.

    If no k is given, the usual k applies.
    """
    if promised_k is not None:
        return DeclaredPromise(whole_k(promised_k), tuple(declared))
    sizes = [model.k for model in models if isinstance(model, KAnonymity)]
    return DeclaredPromise(max(sizes, default=k or k_alongside(None, models)), tuple(declared))


def with_reason(
    release: FrontierRelease, declared: DeclaredPromise, reason: str | None, *, where: str, key: str
) -> FrontierRelease:
    """Return a release that meets the declared minimum or has a reason. Reject any other release.

    If the release meets the minimum, the reason is not stored. `key` names the argument for the
    reason.
    """
    missing = declared.missing(release)
    if not missing:
        return release
    if reason is None:
        units = "record" if release.draft.persons is None else "person"
        smallest = counted(release.draft.risk.smallest_group, units)
        raise SettingError(
            f"the policy does not meet the declared {listed(names_of(missing))}: its smallest "
            f"group has {smallest}",
            where=where,
            fix="choose a policy with less risk; or list only policies that meet these models, "
            f"with {option('threshold', 'models')} and one {option('privacy', 'MODEL')} for each "
            f"model; or give a reason with {option(key, 'TEXT')}, and the certificate and the "
            "report show the reason",
        )
    said = require_reason(reason, where=option(key))
    return replace(release, below=BelowPromise(missing, said))
