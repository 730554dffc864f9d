"""Write a differentially private release, and verify the release before it is published.

All files are written to a hidden folder and checked from the written files alone. The folder is
renamed only if all checks pass. This module does not use the protected table. The parts of each
kind of release are in `drafts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from roadstead import __version__
from roadstead.differential.budget import Grant
from roadstead.differential.domains import AttributeCut, Specialization
from roadstead.release.documents import Fingerprint, now
from roadstead.release.private.certificate import (
    PrivateCertificate,
    Released,
    ReleasedMargins,
    ReleasedSample,
    ledger_entries,
    public_columns,
    rendered,
    sealed,
    specializations_of,
)
from roadstead.release.private.cut import CUT, document_of, write_cut
from roadstead.release.private.tables import RECORDS, ListedGroups, write_records
from roadstead.release.private.units import PrivacyUnit
from roadstead.release.publishing import unseen
from roadstead.release.verification.checks import Verification

WritesTable: TypeAlias = Callable[[Path], None]
"""A function that writes a table to a path."""


_IN_CUT = "domains"
"""The field of a request that describes the domains, which the cut contains as facts."""


class PrivateDraft(Protocol):
    """A differentially private release of any kind that has not been written yet."""

    @property
    def epsilon(self) -> Fraction:
        """Return the privacy budget."""

    @property
    def ledger(self) -> tuple[Grant, ...]:
        """Return the steps that spent the budget."""

    @property
    def steps(self) -> tuple[Specialization, ...]:
        """Return the specializations in order. Releases with levels or margins do not have any."""

    @property
    def cuts(self) -> tuple[AttributeCut, ...]:
        """Return the level of detail of each attribute in the release."""

    @property
    def target(self) -> str | None:
        """Return the column with declared classes, if there is one."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the values of the target, or an empty tuple without a target."""

    @property
    def listed(self) -> ListedGroups:
        """Return the records as distinct lines, in the order in which they are released."""

    @property
    def certified(self) -> Released | ReleasedMargins | ReleasedSample:
        """Return the certified facts about the tables."""

    @property
    def source(self) -> str:
        """Return the name of the table's file, without its folder."""

    @property
    def unit(self) -> PrivacyUnit:
        """Return the unit that the guarantee protects."""

    @property
    def settings(self) -> dict[str, Any]:
        """Return the request, which is released."""

    def own_tables(self) -> Mapping[str, WritesTable]:
        """Map file names to functions that write the tables, except the table of records.

        If anything cannot be released, a `RoadsteadError` is raised.
        """


def publish_private(
    draft: PrivateDraft,
    out: Path,
    *,
    force: bool,
    report: Callable[[], str] | None = None,
    verifier: bool = False,
    complete: Callable[[Path], None] | None = None,
) -> Verification:
    """Write and verify a release, then move it to its place.

    `report` generates the HTML report. `verifier` indicates whether to add the page that checks the
    release. Before the release is published, the function calls `complete` with the path of the
    certificate.
    """
    own_tables = draft.own_tables()
    document = document_of(draft.cuts, draft.target, draft.classes)
    with unseen(out, force=force, report=report, verifier=verifier) as release:
        folder = release.folder
        write_cut(document, folder / CUT)
        for name, write in own_tables.items():
            write(folder / name)
        write_records(draft.listed, draft.target, draft.classes, folder / RECORDS)
        files = release.with_pages(CUT, *own_tables, RECORDS)
        return release.certify(rendered(_certificate(draft, files)), complete=complete)


def _certificate(draft: PrivateDraft, files: tuple[Fingerprint, ...]) -> PrivateCertificate:
    return sealed(
        PrivateCertificate(
            epsilon=float(draft.epsilon),
            exact=str(draft.epsilon),
            protects=draft.unit.protects,
            rows_per_person=draft.unit.rows,
            second_tables=draft.unit.others,
            ledger=ledger_entries(draft.ledger),
            spent=str(sum(one.epsilon for one in draft.ledger)),
            specializations=specializations_of(draft.steps),
            public=public_columns(draft.cuts, draft.target, draft.classes),
            released=draft.certified,
            files=files,
            source=draft.source,
            settings={key: one for key, one in draft.settings.items() if key != _IN_CUT},
            software=__version__,
            created=now(),
        )
    )
