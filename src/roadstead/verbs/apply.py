"""Apply a policy to new data: the same generalization, the same promise, checked anew.

The rules of the policy generalize the new values; the privacy models decide afresh which classes
are suppressed. If that takes more than the policy's limit, the policy does not suit the new data,
and nothing is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from roadstead.errors import Refusal, SettingError
from roadstead.policies.document import Policy, read_policy
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.generalized import Generalized, generalize
from roadstead.release.publish import Draft, publish
from roadstead.release.verify import Verification
from roadstead.tables import names
from roadstead.tables.frequency import summarize
from roadstead.tables.sources import Source, read
from roadstead.verbs.settings import suppression_limit
from roadstead.verbs.words import listed, masked, percent


@dataclass(frozen=True)
class Application:
    """A policy on new data.

    Attributes
    ----------
    source, policy, models, generalized
        The new table, the policy, its models, and the one applied to the other.
    unknown_columns
        Columns the policy does not speak of; they are not released.
    """

    source: Source
    policy: Policy
    models: tuple[PrivacyModel, ...]
    generalized: Generalized
    unknown_columns: tuple[str, ...]

    @property
    def draft(self) -> Draft:
        """All that the release is made of."""
        return Draft(
            source=self.source,
            policy=self.policy,
            models=self.models,
            generalized=self.generalized,
            loss=None,
            search=None,
            settings={"unseen_values": dict(self.unseen)},
        )

    @property
    def unseen(self) -> dict[str, int]:
        """For each quasi-identifier, how many values the policy does not cover."""
        return {
            name: number
            for name, number in zip(self.policy.quasi, self.generalized.unseen, strict=True)
            if number
        }

    def write(self, out: str | Path, *, force: bool = False) -> Verification:
        """Write the release, verified, into a new folder; as `Anonymization.write`."""
        return publish(self.draft, Path(out), force=force)

    def to_dict(self) -> dict[str, Any]:
        """Give what was done as JSON holds it."""
        counts, risk = self.draft.counts, self.draft.risk
        return {
            "levels": self.policy.levels,
            "records": counts.records,
            "released": counts.released,
            "suppressed": counts.suppressed,
            "masked": counts.masked,
            "dropped": counts.dropped,
            "risk": {"maximum": risk.maximum, "average": risk.average},
            "unseen_values": self.unseen,
            "columns_not_released": list(self.unknown_columns),
        }

    def __str__(self) -> str:
        counts, risk = self.draft.counts, self.draft.risk
        lines = [
            f"{counts.records:,} records of {self.source.name}, generalized as the policy says.",
            f"Suppressed: {counts.suppressed:,} records "
            f"({percent(counts.suppressed / counts.records)}, "
            f"limit {percent(self.policy.suppression.limit)}){masked(counts)}.",
            f"Risk left: at most {percent(risk.maximum)} for any record, "
            f"{percent(risk.average)} on average.",
        ]
        if self.unseen:
            told = ", ".join(f"{name} {number}" for name, number in self.unseen.items())
            lines.append(f"Values the policy does not cover, suppressed: {told}.")
        if self.unknown_columns:
            lines.append(
                f"Not released, the policy does not speak of it: {listed(self.unknown_columns)}."
            )
        return "\n".join(lines)


def apply(
    policy: Policy | str | Path,
    data: Any,  # noqa: ANN401 - a path, or a table of any library
    *,
    unseen: Literal["refuse", "suppress"] = "refuse",
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

    Raises
    ------
    PolicyError
        When the policy cannot be read, or does not cover a value.
    RoleError
        When the table lacks a column the policy releases.
    Refusal
        When more records would be suppressed than the policy allows.
    """
    if unseen not in {"refuse", "suppress"}:
        raise SettingError(
            f"{unseen!r} is not known", where="--unseen", mend="use refuse or suppress"
        )
    known = policy if isinstance(policy, Policy) else read_policy(Path(policy))
    models = tuple(model_from(s, where="the policy's privacy models") for s in known.privacy)
    source = data if isinstance(data, Source) else read(data)
    names.require(known.released, source.columns)
    table = summarize(source, known.quasi)
    generalized = generalize(table, known, models, suppress_unseen=unseen == "suppress")
    limit = suppression_limit(known.suppression.limit, table.records)
    if generalized.suppressed > limit:
        raise Refusal(
            f"the policy would suppress {generalized.suppressed:,} of {table.records:,} records, "
            f"and its limit allows {limit:,}",
            where=source.name,
            mend="anonymize the new table afresh",
        )
    spoken = {*known.released, *known.columns.removed}
    unknown = tuple(name for name in source.columns if name not in spoken)
    return Application(source, known, models, generalized, unknown)
