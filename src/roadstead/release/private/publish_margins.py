"""Write a differentially private release for every use: margins with error bars, and records.

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

from roadstead import __version__
from roadstead.differential.budget import Grant
from roadstead.differential.domains import AttributeCut
from roadstead.differential.margins.choosing import NoisyMargin
from roadstead.differential.margins.groups import coded_groups
from roadstead.differential.margins.variables import Variable
from roadstead.differential.private_table import NO_TARGET
from roadstead.release.certificate import CERTIFICATE, REPORT
from roadstead.release.documents import alongside, fingerprint
from roadstead.release.private.certificate import (
    PrivateCertificate,
    ReleasedMargins,
    ledger_entries,
    private_files_of,
    public,
    rendered,
    sealed,
    words,
)
from roadstead.release.private.cut import CUT, document_of, write_cut
from roadstead.release.private.margins import (
    MARGINS,
    Names,
    ReleasedMargin,
    certified_margins,
    rendered_margins,
)
from roadstead.release.private.tables import RECORDS, ListedGroups, write_records
from roadstead.release.private.units import PrivacyUnit
from roadstead.release.private.verify import verify_private
from roadstead.release.publish import FAILED
from roadstead.release.staging import staged
from roadstead.release.verification.checks import Verification


@dataclass(frozen=True, eq=False)
class MarginsDraft:
    """All that a release for every use is made of."""

    epsilon: Fraction  # the privacy budget
    ledger: tuple[Grant, ...]  # what it was spent on
    margins: tuple[NoisyMargin, ...] = field(repr=False)
    variables: tuple[Variable, ...]
    cuts: tuple[AttributeCut, ...] = field(repr=False)
    listed: ListedGroups = field(repr=False)  # the records: distinct lines, in their order
    target: str | None  # the column that has declared classes, if there is one
    classes: tuple[str, ...]
    source: str  # the name of the table's file, without its folder
    unit: PrivacyUnit  # what the guarantee is for
    settings: dict[str, Any]  # the request; it is released

    @cached_property
    def released(self) -> tuple[ReleasedMargin, ...]:
        """The margins as they stand in the file."""
        return tuple(
            ReleasedMargin(one.at, one.groupings, one.counts, one.grant.each)
            for one in self.margins
        )

    @property
    def names(self) -> Names:
        """What variables and values are called."""
        return Names(self.variables, self.cuts, self.classes)

    @cached_property
    def certified(self) -> ReleasedMargins:
        """Say what is in the tables."""
        counts = self.listed.released
        records = coded_groups(self.listed.groups, counts, self.variables)
        return certified_margins(self.released, self.listed.records, records)


def publish_margins(
    draft: MarginsDraft,
    out: Path,
    *,
    force: bool,
    report: Callable[[], str] | None = None,
    complete: Callable[[Path], None] | None = None,
) -> Verification:
    """Write and verify a release, then move it to its place; `report` makes its HTML.

    `complete` is called with the certificate before anybody sees it.
    """
    document = document_of(draft.cuts, draft.target, draft.classes)
    with (
        staged(out, force=force, own=private_files_of) as folder,
        alongside(report) as made,
    ):
        write_cut(document, folder / CUT)
        (folder / MARGINS).write_bytes(rendered_margins(draft.released, draft.names))
        classes = draft.classes or (NO_TARGET,)
        write_records(draft.listed, draft.target, classes, folder / RECORDS)
        names = [CUT, MARGINS, RECORDS]
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


def _certificate(draft: MarginsDraft, files: list[Path]) -> PrivateCertificate:
    """Say what is released, and what it cost."""
    ledger = ledger_entries(draft.ledger)
    return sealed(
        PrivateCertificate(
            epsilon=float(draft.epsilon),
            exact=str(draft.epsilon),
            unit=draft.unit.words,
            protects=draft.unit.protects,
            rows_per_person=draft.unit.rows,
            ledger=ledger,
            spent=str(sum(one.epsilon for one in draft.ledger)),
            specializations=(),
            public=public(draft.cuts, draft.target, draft.classes),
            released=draft.certified,
            files=tuple(fingerprint(file) for file in files),
            source=draft.source,
            settings=draft.settings,
            software=__version__,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            **words(draft.epsilon, draft.unit, ledger, draft.settings),
        )
    )
