"""Write a generalized sample: true records under labels of chosen levels, and what they cost.

As every release: made aside, verified from the written files alone, and then renamed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from roadstead import __version__
from roadstead.differential.domains import AttributeCut
from roadstead.differential.private_table import NO_TARGET
from roadstead.differential.sampled.release import SampledRelease
from roadstead.release.certificate import CERTIFICATE, REPORT
from roadstead.release.documents import alongside, fingerprint
from roadstead.release.private.certificate import (
    PrivateCertificate,
    ReleasedSample,
    ledger_entries,
    private_files_of,
    public,
    rendered,
    sealed,
    words,
)
from roadstead.release.private.cut import CUT, document_of, write_cut
from roadstead.release.private.tables import RECORDS, ListedGroups, in_order, write_records
from roadstead.release.private.units import PrivacyUnit
from roadstead.release.private.verify import verify_private
from roadstead.release.publish import FAILED
from roadstead.release.staging import staged
from roadstead.release.verification.checks import Verification


@dataclass(frozen=True, eq=False)
class SampleDraft:
    """All that a generalized sample is made of."""

    sample: SampledRelease = field(repr=False)
    source: str  # the name of the table's file, without its folder
    unit: PrivacyUnit  # what the guarantee is for
    settings: dict[str, Any]  # the request; it is released

    target = None
    classes = (NO_TARGET,)

    @property
    def epsilon(self) -> Fraction:
        """The privacy budget."""
        return sum((one.epsilon for one in self.sample.ledger), Fraction(0))

    @property
    def cuts(self) -> tuple[AttributeCut, ...]:
        """How detailed the release is in each attribute."""
        return self.sample.groups.cuts

    @cached_property
    def listed(self) -> ListedGroups:
        """The classes, in the order in which they are released."""
        counts = self.sample.counts.reshape(-1, 1)
        return in_order(self.sample.groups, np.zeros_like(counts), counts)[0]

    @property
    def certified(self) -> ReleasedSample:
        """Say what is in the table, and what its cost comes to."""
        budget = self.sample.budget
        return ReleasedSample(
            int(self.sample.counts.sum()),
            self.sample.counts.size,
            budget.least,
            str(budget.chance),
            budget.delta,
            self.sample.levels,
        )


def publish_sample(
    draft: SampleDraft,
    out: Path,
    *,
    force: bool,
    report: Callable[[], str] | None = None,
    complete: Callable[[Path], None] | None = None,
) -> Verification:
    """Write and verify a release, then move it to its place; `report` makes its HTML.

    `complete` is called with the certificate before anybody sees it.
    """
    with (
        staged(out, force=force, own=private_files_of) as folder,
        alongside(report) as made,
    ):
        write_cut(document_of(draft.cuts, None, ()), folder / CUT)
        write_records(draft.listed, None, draft.classes, folder / RECORDS)
        names = [CUT, RECORDS]
        if (html := made()) is not None:
            (folder / REPORT).write_text(html, encoding="utf-8")
            names.append(REPORT)
        certificate = _certificate(draft, [folder / name for name in names])
        (folder / CERTIFICATE).write_bytes(rendered(certificate))
        verification = verify_private(folder)
        verification.require(where=FAILED)
        if complete is not None:
            complete(folder / CERTIFICATE)
    return verification


def _certificate(draft: SampleDraft, files: list[Path]) -> PrivateCertificate:
    """Say what is released, and what it cost."""
    epsilon, ledger = draft.epsilon, ledger_entries(draft.sample.ledger)
    return sealed(
        PrivateCertificate(
            epsilon=float(epsilon),
            exact=str(epsilon),
            unit=draft.unit.words,
            protects=draft.unit.protects,
            rows_per_person=draft.unit.rows,
            ledger=ledger,
            spent=str(epsilon),
            specializations=(),
            public=public(draft.cuts, None, ()),
            released=draft.certified,
            files=tuple(fingerprint(file) for file in files),
            source=draft.source,
            settings=draft.settings,
            software=__version__,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            **words(epsilon, draft.unit, ledger, draft.settings),
        )
    )
