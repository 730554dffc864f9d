"""Write a release: table, policy, report and certificate, verified before anybody sees it.

Everything is made in a folder aside. The release is then checked as a stranger would check it,
from the written files alone; if any promise does not hold, nothing is published.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from roadstead import __version__
from roadstead.errors import Refusal
from roadstead.policies.document import Policy, to_json
from roadstead.privacy.combination import columns_of
from roadstead.privacy.population import takes_population
from roadstead.privacy.protocol import OneFigure, PrivacyModel
from roadstead.quality.for_sharing import loss_for_sharing, search_for_sharing
from roadstead.release.added_risk import AddedRisk, added_in_release, added_risk, size_of
from roadstead.release.apply import released_batches, released_columns
from roadstead.release.certificate import (
    CERTIFICATE,
    POLICY,
    REPORT,
    Certificate,
    Counts,
    Fingerprint,
    IdentifierReleased,
    MeasuredRisk,
    TableFingerprint,
    TableForm,
    files_of,
    fingerprint,
    write_certificate,
    write_policy,
)
from roadstead.release.expectation import expected_below_k
from roadstead.release.generalized import Generalized, every_row_a_class
from roadstead.release.promise import promise_of
from roadstead.release.read_back import read_back
from roadstead.release.staging import staged
from roadstead.release.verification import Verification
from roadstead.release.verify import verify_release
from roadstead.risk.below_k import BelowK
from roadstead.risk.prosecutor import prosecutor_risk, risk_as_it_is
from roadstead.tables.formats import Csv, Format, Parquet
from roadstead.tables.sinks import write
from roadstead.tables.source import Source

FAILED = "the release was not published, because it failed its check"
TABLE_FILES = ("*.csv", "*.csv.gz", "*.tsv", "*.tsv.gz", "*.txt", "*.txt.gz", "*.parquet")


@dataclass(frozen=True)
class Draft:
    """All that a release is made of.

    Attributes
    ----------
    source
        The table.
    policy
        What to do to it.
    models
        The privacy models of the policy.
    generalized
        The policy applied to the source's frequency table.
    loss, search, settings, seed
        For the certificate, which rounds losses so that they do not tell the data.
    report
        Makes the report's HTML, given the counts; None for no report.
    identifiers
        Released columns that look like an identifier, as the certificate tells them.
    """

    source: Source
    policy: Policy
    models: tuple[PrivacyModel, ...]
    generalized: Generalized
    loss: dict[str, Any] | None
    search: dict[str, Any] | None
    settings: dict[str, Any]
    seed: int | None = None
    report: Callable[[], str] | None = None
    identifiers: tuple[IdentifierReleased, ...] = ()

    @property
    def group_size(self) -> int:
        """The size that groups of records should have, by the promise."""
        return size_of(self.threshold)

    def count_added(self) -> AddedRisk:
        """Count what the released columns add to the risk; it takes two queries of the source."""
        return added_risk(
            self.source, self.policy, self.generalized, mask=self.masks, k=self.group_size
        )

    @property
    def masks(self) -> bool:
        """Whether suppressed records are kept with ``*``.

        They form a class of their own. One that fails the models would single out whoever is
        known to be in the table and found in no other class, so it is dropped.
        """
        return self.policy.suppression.records == "mask" and self.generalized.masks_safely

    @property
    def counts(self) -> Counts:
        """Records in and out."""
        records, suppressed = self.generalized.table.records, self.generalized.suppressed
        masked = suppressed if self.masks else 0
        return Counts(
            records, records - suppressed + masked, suppressed, masked, suppressed - masked
        )

    @property
    def population(self) -> tuple[int, ...] | None:
        """People of the population in each class of the release, where models look at them."""
        if not takes_population(self.models):
            return None
        people = self.generalized.released(mask=self.masks).population
        return None if people is None else tuple(people.tolist())

    @property
    def below_k(self) -> BelowK | None:
        """Released records with fewer than k people behind them, where models ask for people."""
        return expected_below_k(self.generalized, self.models)

    @property
    def expected_below_k(self) -> dict[str, Any] | None:
        """The same as documents hold it."""
        return None if self.below_k is None else self.below_k.to_dict()

    @property
    def told(self) -> tuple[str, ...]:
        """What models of one figure for all classes together say of the release, as sentences."""
        bound = [(model.name, model.bind(self.generalized.merged)) for model in self.models]
        if not any(isinstance(one, OneFigure) for _, one in bound):
            return ()
        table = self.generalized.released(mask=self.masks)
        classes = every_row_a_class(table)
        found = [(model.name, model.bind(table)) for model in self.models]
        return tuple(
            f"{n}: {one.stated(classes)}." for n, one in found if isinstance(one, OneFigure)
        )

    @property
    def threshold(self) -> float:
        """The prosecutor risk that the models still accept."""
        return min(model.threshold for model in self.models)

    @property
    def risk(self) -> MeasuredRisk:
        """Risk before and after."""
        after = prosecutor_risk(self.generalized.sizes, self.threshold)
        before = risk_as_it_is(self.generalized.table, self.threshold)
        return MeasuredRisk(
            maximum=after.maximum,
            average=after.average,
            classes=after.classes,
            smallest_class=after.smallest,
            maximum_before=before.maximum,
            average_before=before.average,
        )


def publish(draft: Draft, out: Path, *, force: bool) -> Verification:
    """Write and verify a release, then move it to its place.

    Raises
    ------
    OutputError
        When it cannot be written there.
    Refusal
        When no record is left to be released.
    VerificationError
        When the written release does not keep a promise; nothing is published.
    """
    require_checkable(draft)
    with staged(out, force=force, own=files_of) as folder, ThreadPoolExecutor(1) as aside:
        report = aside.submit(draft.report) if draft.report is not None else None
        form = file_format(draft.source.format)
        table = folder / table_name(draft.source)
        released = released_batches(draft.source, draft.policy, draft.generalized, mask=draft.masks)
        write(released, table, form)
        files = write_documents(draft, folder, None if report is None else report.result())
        written = _table_form(form, released_columns(draft.source, draft.policy))
        with read_back(table, written) as again:
            added = added_in_release(again, draft.policy.quasi, k=draft.group_size)
        certificate = certificate_of(draft, fingerprint(table), files, written, added)
        write_certificate(certificate, folder / CERTIFICATE)
        verification = verify_release(folder, added)
        verification.require(where=FAILED)
    return verification


def require_checkable(draft: Draft) -> None:
    """Refuse a release of no records, and one that its reader could not check.

    Raises
    ------
    Refusal
        Says why there is nothing to release, or what could not be checked.
    """
    if not draft.counts.released:
        raise Refusal(
            "every record would be suppressed and left out, so there is nothing to release",
            where=draft.source.name,
            fix="lower the suppression limit; fewer records than k cannot be released at all",
        )
    _check_alone(draft)


def write_documents(draft: Draft, folder: Path, report: str | None) -> tuple[Fingerprint, ...]:
    """Write the policy and the report, if there is one; give their fingerprints."""
    write_policy(draft.policy, folder / POLICY)
    if report is None:
        return (fingerprint(folder / POLICY),)
    (folder / REPORT).write_text(report, encoding="utf-8")
    return fingerprint(folder / POLICY), fingerprint(folder / REPORT)


def certificate_of(
    draft: Draft,
    table: Fingerprint | TableFingerprint,
    files: tuple[Fingerprint, ...],
    form: TableForm,
    added: AddedRisk,
) -> Certificate:
    """Certify a table that was made of a draft, with the files beside it."""
    return Certificate(
        promise=promise_of(draft.policy, draft.models),
        table=table,
        files=files,
        policy=to_json(draft.policy),
        counts=draft.counts,
        risk=draft.risk,
        loss=None if draft.loss is None else loss_for_sharing(draft.loss),
        search=None if draft.search is None else search_for_sharing(draft.search, draft.loss),
        settings=draft.settings,
        software=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        format=form,
        seed=draft.seed,
        population=draft.population,
        added=added,
        identifiers=draft.identifiers,
        expected_below_k=draft.expected_below_k,
    )


def _check_alone(draft: Draft) -> None:
    """Refuse a release that its reader could not check.

    Models that compare classes with the whole table held of the source. A reader has the release
    alone; where records are left out it is distributed otherwise, and how must not be told, because
    the difference is what was left out.
    """
    if not draft.counts.dropped or not columns_of(draft.models):
        return
    table = draft.generalized.released(mask=draft.masks)
    for model in draft.models:
        failing = int((~model.bind(table).satisfied(every_row_a_class(table))).sum())
        if failing:
            raise Refusal(
                f"with {draft.counts.dropped:,} records left out, {failing:,} of "
                f"{table.distinct:,} classes do not keep {model.name} of what is released",
                where=draft.source.name,
                fix="ask for a little more of the source, such as a smaller t, or another k",
            )


def file_format(format: Format) -> Csv | Parquet:  # noqa: A002 - its plain name
    """Give the format a release is written in: the source's, Parquet for tables without a file."""
    return format if isinstance(format, Csv) else Parquet()


def table_name(source: Source) -> str:
    """Name the released table like the source's file, with an ending that fits its form."""
    if source.path is None:
        return "release.parquet"
    name = source.path.name
    if any(source.path.match(pattern) for pattern in TABLE_FILES):
        return name
    if isinstance(source.format, Csv):
        return f"{name}.csv.gz" if source.format.dialect.compressed else f"{name}.csv"
    return f"{name}.parquet"


def _table_form(form: Csv | Parquet, columns: Sequence[str]) -> TableForm:
    """Say how the table is written; where it does not name its columns, the certificate does."""
    if isinstance(form, Parquet):
        return TableForm(kind="parquet")
    unnamed = None if form.dialect.header else tuple(columns)
    written = replace(form.dialect, newline="\n")  # whatever ended the source's lines
    return TableForm(kind="csv", **asdict(written), columns=unnamed)
