"""The files that a signature is of: the certificate, and all that it lists."""

from __future__ import annotations

from pathlib import Path

from roadstead.release.certificate import CERTIFICATE, read_certificate
from roadstead.release.database.certificate import is_database, read_database_certificate
from roadstead.release.documents import Fingerprint, fingerprint
from roadstead.release.private.certificate import is_private, read_private_certificate


def signed_files(folder: Path) -> tuple[Fingerprint, ...]:
    """Give the fingerprint of the certificate as it is now, and those that stand in it.

    That each file has the fingerprint that stands in the certificate is another check, which a
    release is put to as well. A `VerificationError` if there is no certificate that can be read.
    """
    path = folder / CERTIFICATE
    if is_database(folder):
        files = read_database_certificate(path)[0].files
    elif is_private(folder):
        files = read_private_certificate(path).files
    else:
        files = read_certificate(path)[0].all_files
    return (fingerprint(path), *files)
