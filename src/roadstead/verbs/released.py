"""Define how results with a release write, convert, and display the release."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.front_end import as_in_documents
from roadstead.printable import printable_lines
from roadstead.release.apply import released_batches, released_table
from roadstead.release.draft import Draft
from roadstead.release.publish import publish_release, require_kept
from roadstead.release.rare_labels import shown_by_codes
from roadstead.release.staging import require_outside
from roadstead.release.verification.checks import Verification
from roadstead.reports.release.facts import TableReleaseFacts
from roadstead.reports.terminal.withheld import RolesInFile, withheld_block, withheld_document
from roadstead.requests.checks import path
from roadstead.requests.outputs import EarlierReleases
from roadstead.tables.arrow_tables import cleared, readable
from roadstead.tables.transfer import copied
from roadstead.verbs.frames import ResultOfTable
from roadstead.verbs.verify.result import ShownVerification

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from roadstead.reports.content import ReportContent
    from roadstead.requests.origin import Project
    from roadstead.verbs.ledger import LedgerUse


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ReleaseResult(TableReleaseFacts, ResultOfTable):
    """A result that contains a release and can write this release to a folder.

    Attributes
    ----------
    compared
        The ledger with which the release was last written, if there was one.
    """

    compared: list[LedgerUse] = field(default_factory=list, init=False, compare=False)

    @property
    def ledger_lines(self) -> tuple[str, ...]:
        """Return what the ledger said about the written release."""
        return tuple(line for one in self.compared for line in one.lines)

    @property
    def ledger_document(self) -> dict[str, Any]:
        """Return the comparison with earlier releases, if there was one, for JSON."""
        return {"earlier_releases": self.compared[-1].document} if self.compared else {}

    @property
    def withheld(self) -> dict[str, float]:
        """Return the withheld columns without a role, with their shares of rare values."""
        return self.decided.rare

    def ending(self, project: Project | None = None) -> list[str]:
        """Return the last lines of the output, which describe how to release withheld columns.

        `project` is the project file of the request.
        """
        file = None
        if project is not None and project.path is not None:
            roles = {key.removeprefix("roles."): one for key, one in project.values.items()}
            file = RolesInFile(project.path.name, roles)
        return withheld_block(self.decided.withheld, self.decided.roles, file)

    @property
    def withheld_document(self) -> dict[str, Any]:
        """Return the withheld columns as a dictionary that can be converted to JSON."""
        return withheld_document(self.decided.withheld, self.decided.roles)

    @property
    def content(self) -> ReportContent:
        """Return the complete content of the report."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as a dictionary that can be converted to JSON."""
        raise NotImplementedError

    def count(self) -> None:
        """Compute everything that needs the source while the engine is available."""
        _ = self.added, self.runnable, self.shared_values, self.shared_ids, self.codes_not_listed
        _ = self.labels_left_out

    def write(
        self,
        out: str | Path,
        *,
        into: str | None = None,
        force: bool = False,
        ledger: str | Path | LedgerUse | None = None,
        ledger_people: str | None = None,
        ledger_warn: bool = False,
        verifier: bool = True,
    ) -> Verification:
        """Verify the release, and write it into a new folder.

        Parameters
        ----------
        out
            The folder.
        into
            The address of a new database table for the released records. If the same engine
            contains the source, the engine creates the table itself. The folder then contains only
            the documents.
        force
            Whether to replace an earlier release in the folder, and an earlier table.
        ledger
            The folder of the ledger of releases. The folder must exist. An empty folder becomes a
            new ledger. The release is compared with all earlier releases of the same people, and it
            is recorded after publication.
        ledger_people
            The name in the ledger for the group of people in the table. By default, all releases in
            the ledger are assumed to be about the same people.
        ledger_warn
            Whether to publish even if the ledger warns. The report and the certificate then include
            the warning.
        verifier
            Whether to include `verify.html`, the page that checks the release in a browser.

        Raises
        ------
        OutputError
            When the folder cannot be written, or when it exists and `force` is not given.
        Refusal
            When the release, combined with earlier releases in the ledger, would single out people.
        VerificationError
            When the written release fails verification. In this case, nothing is published.
        """
        place = path(out, "out")
        require_outside(place, self.source)
        use = None
        if ledger is not None or ledger_people is not None or ledger_warn:
            from roadstead.verbs.ledger import LedgerUse, ledger_named, ledger_of  # noqa: PLC0415

            if isinstance(ledger, LedgerUse):
                use = ledger
            else:
                named = EarlierReleases(
                    ledger=None if ledger is None else path(ledger, "ledger"),
                    ledger_people=ledger_people,
                    ledger_warn=ledger_warn,
                )
                use = ledger_of(ledger_named(named, place))
        with self.laid(use, place, verifier=verifier) as draft:
            return ShownVerification.of(publish_release(draft, place, into, force=force))

    @contextlib.contextmanager
    def laid(
        self, ledger: LedgerUse | None, out: Path, *, verifier: bool = True
    ) -> Iterator[Draft]:
        """Compare the draft with earlier releases, and record the release at the end of the block.

        `out` is the folder of the published release. `verifier` has the same meaning as in `write`.
        """
        self.count()  # no queries to the engine while the release streams
        own = replace(self.draft, report=self._report, verifier=verifier)
        if ledger is None:
            yield own
            self.compared.clear()
            return
        with ledger.entered(own, out) as laid:
            yield replace(laid.draft, report=lambda: self._report(laid.with_notes))
        self.compared[:] = [ledger]

    def table(self) -> ibis.Table:
        """Return the release as an Ibis table, which is computed only when it is used.

        Raises
        ------
        Refusal, VerificationError
            As in `write`, when the release fails verification.
        """
        _ = self._kept
        return self._table()

    @cached_property
    def _kept(self) -> bool:
        """Return True if the released table passes verification, and raise an error otherwise."""
        require_kept(self.draft, self._table())
        return True

    def _table(self) -> ibis.Table:
        own = self.draft
        return released_table(shown_by_codes(own), own.policy, own.generalized, mask=own.masks)

    def to_arrow(self) -> pa.Table:
        """Return the release as an Arrow table. The method raises the same errors as `table`."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        own = self.draft
        released = released_batches(
            shown_by_codes(own), own.policy, own.generalized, mask=own.masks
        ).read_all()
        require_kept(own, copied(released.to_reader(), own.source.name))
        cast = released.cast(readable(released.schema))
        return pa.Table.from_batches(map(cleared, cast.to_batches()), cast.schema)

    def _report(self, noted: Callable[[ReportContent], ReportContent] = lambda one: one) -> str:
        from roadstead.reports.page import render  # noqa: PLC0415 - templates are heavy

        with as_in_documents():  # also for the content, because its sentences name fields
            return render(noted(self.content))

    def _repr_html_(self) -> str:
        from roadstead.reports.page import render_summary  # noqa: PLC0415 - templates are heavy

        ending = printable_lines([*self.ledger_lines, *self.ending()])
        return render_summary(self.content, ending)
