"""Check a release, or any table, without the original data.

Every check is made on what stands in the files and in the released table now. A check that cannot
be made counts as failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roadstead.errors import InputError, RoadsteadError, SettingError, VerificationError
from roadstead.front_end import option
from roadstead.policies.document import Policy
from roadstead.printable import named
from roadstead.privacy.combination import columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.added_risk import AddedRisk
from roadstead.release.certificate import CERTIFICATE, TableFingerprint, read_certificate
from roadstead.release.documents import Fingerprint
from roadstead.release.table_form import read_back
from roadstead.release.verification.checks import Check, Verification, counted
from roadstead.release.verification.documents import check_documents, unchecked
from roadstead.release.verification.table import check_model, check_table
from roadstead.tables.content import counted_digest
from roadstead.tables.frequency import summarize
from roadstead.tables.source import Source


def verify_table(
    source: Source, quasi: Sequence[str], models: Sequence[PrivacyModel]
) -> Verification:
    """Check the equivalence classes of any table, with no certificate.

    Suppressed records (``*`` in every quasi-identifier) are a class like any other: fewer of them
    than k would single out whoever is known to be in the table and found in no other class.
    """
    table = summarize(source, quasi, columns_of(models))
    return Verification(tuple(check_model(table, model) for model in models))


def verify_release(folder: Path, added: AddedRisk | None = None) -> Verification:
    """Check a release against its certificate.

    `added` is what its columns add to the risk, where that was just counted in its table. A
    `VerificationError` if there is no certificate, a `SettingError` if its table is in a database.
    """
    table = read_certificate(folder / CERTIFICATE)[0].table
    if isinstance(table, TableFingerprint):
        raise SettingError(
            f"its table, {named(table.name)}, is in a database ({named(table.engine)})",
            where=str(folder),
            fix=f"give the table's address with {option('table')}",
        )
    return _verified(folder, None, None, added)


def verify_published(
    folder: Path,
    source: Source,
    found: TableFingerprint | None = None,
    added: AddedRisk | None = None,
) -> Verification:
    """Check a release whose table is in a database against the certificate in a folder.

    `found` and `added` are what the table holds and what its columns add to the risk, where that
    was just worked out. A `SettingError` if the released table is a file of the folder.
    """
    require_table_elsewhere(folder)
    return _verified(folder, source, found, added)


def require_table_elsewhere(folder: Path) -> TableFingerprint:
    """Give the fingerprint of a released table that is in a database; a `SettingError` if not."""
    table = read_certificate(folder / CERTIFICATE)[0].table
    if isinstance(table, Fingerprint):
        raise SettingError(
            f"its table, {named(table.name)}, is a file of the folder",
            where=str(folder),
            fix=f"leave {option('table')} out",
        )
    return table


def _verified(
    folder: Path,
    source: Source | None,
    found: TableFingerprint | None,
    added: AddedRisk | None,
) -> Verification:
    """Check the documents, and the table in the folder or at another place."""
    certificate, policy = read_certificate(folder / CERTIFICATE)
    models = _models(policy, str(folder / CERTIFICATE))
    checks = check_documents(folder, certificate, policy, models)
    table = certificate.table
    try:
        if isinstance(table, Fingerprint):
            with read_back(folder / table.name, certificate.format) as file:
                checks += check_table(file, certificate, policy, models, added)
        elif source is not None:
            checks.append(_check_pinned(found or pinned(source), table))
            checks += check_table(source, certificate, policy, models, added)
    except RoadsteadError as error:
        checks.append(Check("the table can be read", passed=False, detail=error.message))
    return Verification(tuple(checks), unchecked(certificate, policy))


def pinned(source: Source) -> TableFingerprint:
    """Work out what a table in a database holds."""
    records, content = counted_digest(source.table, source.name)
    return TableFingerprint(source.name, str(source.table.get_backend().name), records, content)


def _check_pinned(found: TableFingerprint, expected: TableFingerprint) -> Check:
    same = (found.records, found.content) == (expected.records, expected.content)
    wrong = None if same else "the table was changed after certification"
    detail = f"SHA-256 {found.content[:16]}… of its {counted(found.records, 'record')}"
    return Check.of(f"{named(expected.name)} is the table certified", wrong, detail)


def _models(policy: Policy, where: str) -> list[PrivacyModel]:
    try:
        return [model_from(settings, where=where) for settings in policy.privacy]
    except InputError as error:
        raise VerificationError(
            f"the certificate is damaged at policy.privacy: {error.what}", where=where
        ) from None
