"""What a differentially private release says, before it is written: the document of its figures.

All of it may be told to anybody, but for `private`, which is for whoever has the table, and the
seconds, which an unusual record can prolong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.attribute_cuts import AttributeCut, SetCut
from roadstead.differential.synthesis import Synthesis
from roadstead.release.private.cells import names_of
from roadstead.release.private.promise import guarantee
from roadstead.verbs.synthesize.outside import Private
from roadstead.verbs.synthesize.settings import Request


@dataclass(frozen=True, eq=False)
class FoundSynthesis:
    """A differentially private release.

    Attributes
    ----------
    source
        What the table is called.
    request
        What was asked for.
    synthesis
        The groups, their noisy counts, and what the budget was spent on.
    counts
        Shape ``(groups, classes)``: records to be released.
    unit
        What one more or one less of is not noticed.
    origins
        Where each attribute's domain came from.
    notes
        What a reader has to know.
    seconds
        How long it took.
    private
        For the custodian's eyes; not in the document, the files or the certificate.
    """

    source: str
    request: Request
    synthesis: Synthesis
    counts: NDArray[np.int64] = field(repr=False)
    unit: str
    origins: Mapping[str, str]
    notes: tuple[str, ...]
    seconds: float
    private: Private = field(repr=False)

    @property
    def cuts(self) -> tuple[AttributeCut, ...]:
        """How far each attribute is told."""
        return self.synthesis.groups.groups.cuts

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the target."""
        return self.synthesis.groups.classes

    @property
    def specializations(self) -> int:
        """How many specializations were made."""
        return len(self.synthesis.steps)

    @property
    def groups(self) -> int:
        """How many groups are listed."""
        return int(self.counts.shape[0])

    @property
    def records(self) -> int:
        """How many records are released."""
        return int(self.counts.sum())

    @property
    def guarantee(self) -> str:
        """What is promised, in words."""
        return guarantee(self.synthesis.epsilon, self.unit, self.settings)

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for; all of it is public."""
        wanted = self.request.specializations
        return {
            "epsilon": str(self.request.epsilon),
            "specializations": "chosen privately" if wanted is None else wanted,
            "score": self.request.score.name,
            "outside": self.request.outside,
            "target": self.request.target,
            "classes": list(self.request.classes),
            "domains": dict(self.origins),
        }

    def to_dict(self) -> dict[str, Any]:
        """Give the document that ``--json`` prints; all but the seconds may be told to anybody."""
        groups = self.synthesis.groups
        return {
            "source": self.source,
            "guarantee": self.guarantee,
            "epsilon": float(self.synthesis.epsilon),
            "unit": self.unit,
            "target": self.request.target,
            "classes": list(self.classes),
            "ledger": [
                {"step": one.step, "epsilon": float(one.epsilon)} for one in self.synthesis.ledger
            ],
            "specializations": self.specializations,
            "steps": list(self.synthesis.steps),
            "cut": {cut.attribute: list(names_of(cut)) for cut in self.cuts},
            "told": [cut.attribute for cut in self.cuts if is_told(cut)],
            "groups": self.groups,
            "all_groups": groups.all_groups,
            "least_count": groups.least,
            "records": self.records,
            "records_by_class": {
                name: int(number)
                for name, number in zip(self.classes, self.counts.sum(axis=0), strict=True)
            },
            "settings": self.settings,
            "notes": list(self.notes),
            "seconds": self.seconds,
            "not_covered": ["seconds"],
        }


def is_told(cut: AttributeCut) -> bool:
    """Tell whether anything is said of an attribute."""
    return cut.is_specialized if isinstance(cut, SetCut) else len(cut.labels) > 1
