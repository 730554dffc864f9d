"""Describe how new data differ from the data for which a policy was created.

For example, a policy for the records of January may suppress too many of the records of February.
The description contains counts of values and records, but never a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from roadstead.errors import RoadsteadError
from roadstead.front_end import option
from roadstead.policies.document import Policy, Suppression
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.certificate import CERTIFICATE, Certificate, read_certificate
from roadstead.release.generalization import without_attribute
from roadstead.release.generalized import UNSEEN, Generalized
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted

_EVERY = {"records": "every record", "persons": "every person"}
_HEAD = ("column", "values not covered", "records with them", "suppressed if left out")


@dataclass(frozen=True)
class AttributeDrift:
    """The difference between new and old data in one quasi-identifier."""

    name: str
    unseen_values: int  # values that the policy does not cover
    unseen_records: int  # records with these values
    suppressed_without: int  # suppressed records if the column were ``*`` in all records


@dataclass(frozen=True)
class Drift:
    """The effect of a policy on new data, compared with the data for which it was created.

    Attributes
    ----------
    attributes
        The quasi-identifiers, in the order of the policy.
    records, suppressed, unseen_records
        The number of all records, the number of suppressed records (including records with unseen
        values), and the number of records with unseen values.
    limit
        The largest share of records or people (see `units`) that may be suppressed.
    units, number, missing
        The unit of the limit, which is ``records``, or ``persons`` if people are suppressed with
        all their records. `number` is the number of units, and `missing` is the number of
        suppressed units.
    share_then
        The share that was suppressed when the policy was created, if a certificate in the same
        folder contains this share.
    """

    attributes: tuple[AttributeDrift, ...]
    records: int
    suppressed: int
    unseen_records: int
    limit: float
    share_then: float | None
    units: str
    number: int
    missing: int

    @property
    def share(self) -> float:
        """Return the share of suppressed records, or of suppressed people."""
        return self.missing / self.number if self.number else 0.0

    @property
    def fits(self) -> float | None:
        """Return the smallest suppression limit that allows this release.

        Return None if no record remains.
        """
        if self.missing >= self.number:
            return None
        # Integer arithmetic rounds up exactly: 729 of 10,000 are 0.0729 and not 0.073.
        least = -(-self.missing * 10_000 // self.number) / 10_000
        return max(self.limit, least)

    @property
    def within(self) -> bool:
        """Return whether the suppression is within the limit."""
        return self.missing <= Suppression(self.limit).most(self.number)

    def to_dict(self) -> dict[str, Any]:
        """Return the drift as a dictionary that can be converted to JSON."""
        return {
            "attributes": [asdict(one) for one in self.attributes],
            "unseen_records": self.unseen_records,
            "units": self.units,
            "suppressed_share": self.share,
            "suppressed_share_then": self.share_then,
            "limit": self.limit,
            "limit_that_would_do": self.fits,
        }

    @property
    def _counted(self) -> str:
        return "people" if self.units == "persons" else self.units

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}: {self.missing:,} of {self.number:,} {self._counted} "
            f"suppressed ({percent(self.share)}); limit {percent(self.limit)}>"
        )

    def __str__(self) -> str:
        rows = [_HEAD]
        for one in self.attributes:
            name, *numbers = asdict(one).values()
            rows.append((name, *(f"{number:,}" for number in numbers)))
        wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
        shares = [percent(self.share), f"limit {percent(self.limit)}"]
        if self.share_then is not None:
            shares.insert(1, f"{percent(self.share_then)} when the policy was made")
        unseen = ""
        if self.unseen_records:
            without = "a value that the policy does not cover"
            unseen = (
                f", including {counted(self.unseen_records, 'record')} with {without}"
                if self.units == "records"
                else f"; {counted(self.unseen_records, 'record')} with {without}"
            )
        return "\n".join(
            [
                *(
                    "  ".join(("", row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])))
                    for row in rows
                ),
                f"Suppressed: {self.missing:,} of {self.number:,} {self._counted} "
                f"({'; '.join(shares)}){unseen}.",
                self._way_on(),
            ]
        )

    def _way_on(self) -> str:
        if self.fits is None:
            return f"The policy does not fit this table: {_EVERY[self.units]} would be suppressed."
        if not self.within:
            return (
                f"The policy does not fit this table: use {option('suppression', self.fits)} to "
                f"allow more suppressed {self._counted}, or anonymize the table again."
            )
        if self.unseen_records:
            return f"The policy fits this table if you use {option('unseen', 'suppress')}."
        return "The policy fits this table."


def drift_of(
    generalized: Generalized,
    policy: Policy,
    models: Sequence[PrivacyModel],
    share_then: float | None,
) -> Drift:
    """Compute the drift for an applied policy that suppresses records with unseen values."""
    table = generalized.table
    attributes, any_unseen = [], table.counts < 0
    for at, name in enumerate(policy.quasi):
        uncovered = np.array([label == UNSEEN for label in generalized.labels[at]])
        unseen = uncovered[table.codes[at]]
        any_unseen |= unseen
        without = without_attribute(generalized, policy, models, at)
        records = int(table.counts[unseen].sum())
        missing = without.suppression[0]
        attributes.append(AttributeDrift(name, generalized.unseen[at], records, missing))
    missing, number, units = generalized.suppression
    return Drift(
        attributes=tuple(attributes),
        records=table.records,
        suppressed=generalized.suppressed,
        unseen_records=int(table.counts[any_unseen].sum()),
        limit=policy.suppression.limit,
        share_then=None if units == "persons" else share_then,  # the certificate counts records
        units=units,
        number=number,
        missing=missing,
    )


def share_suppressed_then(certificate: Certificate | None) -> float | None:
    """Return the share of records that was suppressed when a policy was created."""
    if certificate is None:
        return None
    counts = certificate.counts
    if not 0 <= counts.suppressed <= counts.records or not counts.records:
        return None
    return counts.suppressed / counts.records


def certificate_of_policy(path: Path, policy: Policy) -> Certificate | None:
    """Return the certificate in the folder of a policy, or None if it does not have this policy."""
    alongside = path.parent / CERTIFICATE
    if not alongside.is_file():
        return None
    try:
        certificate, certified = read_certificate(alongside)
    except RoadsteadError:
        return None
    return certificate if certified == policy else None
