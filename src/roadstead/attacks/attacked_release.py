"""Open a release as an attacker sees it: the released table, its policy, and its certificate."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from roadstead.policies.document import Policy
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.ends import with_joined_ends, with_plain_ends
from roadstead.release.kind import release_of
from roadstead.release.shown import ShownRelease
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.identifiers.described import examine_described
from roadstead.tables.source import Source


@dataclass(frozen=True, eq=False)
class AttackedRelease(ShownRelease):
    """The attacker's view of a release: the released table, its policy, and its certificate.

    A private release has groups and noisy counts instead of a policy.
    """

    source: Source = field(kw_only=True)

    @cached_property
    def rows(self) -> FrequencyTable:
        """Return the distinct rows, with every column as text.

        If the two ends of an interval are in separate columns, they are joined into one label.
        Microaggregated and rounded columns are omitted, because their cells do not show the values
        of single people.
        """
        if self.policy is None:
            return summarize(self.source, self.source.columns)
        joined = with_joined_ends(self.source, self.policy)
        return with_plain_ends(summarize(joined, _columns(joined, self.policy)), self.policy)

    @property
    def linked_by(self) -> str | None:
        """Return the released column that contains pseudonyms, or None."""
        return None if self.policy is None else self.policy.linked_by

    @property
    def others(self) -> tuple[str, ...]:
        """Return the unchanged columns, except sensitive columns and pseudonyms."""
        known = {*self.quasi, *self.sensitive, self.linked_by}
        return tuple(name for name in self.rows.attributes if name not in known)

    @cached_property
    def models(self) -> tuple[PrivacyModel, ...]:
        """Return the privacy models of the release. A private release does not have models."""
        own = () if self.policy is None else self.policy.privacy
        return tuple(model_from(one, where=str(self.folder / CERTIFICATE)) for one in own)

    @property
    def promised(self) -> float | None:
        """Return the risk that may remain if an attacker knows the quasi-identifiers, or None."""
        least = min((model.threshold for model in self.models), default=1.0)
        return least if least < 1.0 else None

    @cached_property
    def look_known(self) -> frozenset[str]:
        """Return the columns among `others` that look like identifiers or quasi-identifiers."""
        if not self.others:
            return frozenset()
        judged = examine_described(self.source, self.others).examined.judgments
        return frozenset(n for n, one in judged.items() if one.role in ("identifiers", "quasi"))

    @property
    def why_no_recoding(self) -> str:
        """Explain why the classes of a private release do not reveal anything by themselves."""
        if self.delta:
            return "the levels of a sample are public, or were chosen with differential privacy"
        return "a private release does not have groups of records"


@contextlib.contextmanager
def opened_release(folder: Path, allowed: Collection[str] = ()) -> Iterator[AttackedRelease]:
    """Open a release from its folder, as a recipient would.

    A `VerificationError` is raised if the table differs from the certified table, or if a model
    belongs to a package that `allowed` does not list. A `SettingError` is raised if the table is in
    a database.
    """
    shown = release_of(folder, allowed).shown(allowed, "attacked")
    shown.require_unchanged()
    with shown.read() as source:
        own = dict(vars(shown))
        if (policy := shown.policy) is not None:
            there = _columns(with_joined_ends(source, policy), policy)
            own |= {key: tuple(n for n in own[key] if n in there) for key in ("quasi", "sensitive")}
        yield AttackedRelease(**own, source=source)


def _columns(joined: Source, policy: Policy) -> list[str]:
    return [name for name in joined.columns if name not in policy.treated]
