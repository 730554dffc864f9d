"""Write a differentially private release, verified before anybody sees it.

Everything is made in a folder aside, checked from the written files alone, and renamed; if any
check fails, nothing is published. The table that is protected is no part of it: a release is made
of what the mechanisms answered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead import __version__
from roadstead.differential.domains import AttributeCut
from roadstead.differential.synthesis import Synthesis
from roadstead.errors import SettingError
from roadstead.release.certificate import CERTIFICATE, REPORT
from roadstead.release.documents import alongside, fingerprint
from roadstead.release.private.certificate import (
    PrivateCertificate,
    Released,
    ledger_entries,
    private_files_of,
    public,
    rendered,
    sealed,
    words,
)
from roadstead.release.private.cut import CUT, document_of, write_cut
from roadstead.release.private.tables import (
    GROUPS,
    RECORDS,
    ListedGroups,
    check_names,
    in_order,
    write_groups,
    write_records,
)
from roadstead.release.private.units import PrivacyUnit
from roadstead.release.private.verify import verify_private
from roadstead.release.publish import FAILED
from roadstead.release.staging import staged
from roadstead.release.verification.checks import Verification


@dataclass(frozen=True, eq=False)
class PrivateDraft:
    """All that a differentially private release is made of."""

    synthesis: Synthesis = field(repr=False)  # what the mechanisms answered
    # Shape (groups, classes): how many records are released of each group; made of noisy counts.
    counts: NDArray[np.int64] = field(repr=False)
    target: str  # the column to be predicted, of the class
    source: str  # the name of the table's file, without its folder
    unit: PrivacyUnit  # what the guarantee is for
    settings: dict[str, Any]  # the request; it is released

    @property
    def cuts(self) -> tuple[AttributeCut, ...]:
        """How detailed the release is in each attribute."""
        return self.synthesis.groups.groups.cuts

    @property
    def classes(self) -> tuple[str, ...]:
        """What the target can hold."""
        return self.synthesis.groups.classes

    @property
    def listed(self) -> ListedGroups:
        """The groups in the order in which they are released."""
        noisy = self.synthesis.groups
        return in_order(noisy.groups, noisy.counts, self.counts)[0]


def publish_private(
    draft: PrivateDraft,
    out: Path,
    *,
    force: bool,
    report: Callable[[], str] | None = None,
    complete: Callable[[Path], None] | None = None,
) -> Verification:
    """Write and verify a release, then move it to its place; `report` makes its HTML.

    `complete` is called with the certificate before anybody sees it.
    """
    noisy, target = draft.synthesis.groups, draft.target
    cuts, classes = draft.cuts, draft.classes
    if draft.counts.shape != noisy.counts.shape or (draft.counts < 0).any():
        raise SettingError(
            "the numbers of records to be released do not fit the groups",
            where=draft.source,
            fix="give each group a number of 0 or more for each class",
        )
    check_names([cut.attribute for cut in cuts], target, classes)
    listed = draft.listed
    document = document_of(cuts, target, classes)
    own = private_files_of
    with staged(out, force=force, own=own) as folder, alongside(report) as made:
        write_cut(document, folder / CUT)
        write_groups(listed, target, classes, folder / GROUPS)
        write_records(listed, target, classes, folder / RECORDS)
        names = [CUT, GROUPS, RECORDS]
        if (html := made()) is not None:
            (folder / REPORT).write_text(html, encoding="utf-8")
            names.append(REPORT)
        certificate = _certificate(draft, listed, [folder / name for name in names])
        (folder / CERTIFICATE).write_bytes(rendered(certificate))
        verification = verify_private(folder)
        verification.require(where=FAILED)
        if complete is not None:
            complete(folder / CERTIFICATE)
    return verification


def _certificate(
    draft: PrivateDraft, listed: ListedGroups, files: list[Path]
) -> PrivateCertificate:
    """Say what is released, and what it cost."""
    synthesis, noisy = draft.synthesis, draft.synthesis.groups
    ledger = ledger_entries(synthesis.ledger)
    return sealed(
        PrivateCertificate(
            epsilon=float(synthesis.epsilon),
            exact=str(synthesis.epsilon),
            unit=draft.unit.words,
            protects=draft.unit.protects,
            rows_per_person=draft.unit.rows,
            ledger=ledger,
            spent=str(sum(one.epsilon for one in synthesis.ledger)),
            specializations=synthesis.steps,
            public=public(draft.cuts, draft.target, draft.classes),
            released=Released(listed.groups.size, listed.records, noisy.all_groups, noisy.least),
            files=tuple(fingerprint(file) for file in files),
            source=draft.source,
            settings=draft.settings,
            software=__version__,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            **words(synthesis.epsilon, draft.unit, ledger, draft.settings),
        )
    )
