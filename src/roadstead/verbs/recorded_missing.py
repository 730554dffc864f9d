"""Read a table with the missing codes that were declared when a release was made.

The same table with other missing codes is another table: attacks, evaluations, and repetitions of a
release would count other records. So the certificate lists the declared codes of the released
columns. These codes apply if a request does not name codes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from roadstead.errors import RoadsteadError
from roadstead.front_end import option
from roadstead.printable import named
from roadstead.release.certificate import CERTIFICATE, MISSING_CODES, read_certificate

if TYPE_CHECKING:
    from roadstead.jobs import Observer
    from roadstead.requests.groups import Reading

R = TypeVar("R", bound="Reading")


def with_recorded_missing(request: R, folder: Path, observer: Observer) -> R:
    """Return the request with the missing codes of the release in a folder, and say so.

    A request that names missing codes is returned unchanged.
    """
    codes = () if request.missing else _recorded(folder)
    if not codes:
        return request
    observer.note(
        f"Missing codes as in the certificate: {', '.join(map(named, codes))}. To use other "
        f"codes, give {option('missing')}."
    )
    return replace(request, missing=codes)


def _recorded(folder: Path) -> tuple[str, ...]:
    """Return the codes in a certificate. A code with its column never names a file of codes."""
    if not (folder / CERTIFICATE).is_file():
        return ()
    try:
        certificate, _ = read_certificate(folder / CERTIFICATE)
    except RoadsteadError:
        return ()  # a private release, a set of tables, or a damaged certificate
    columns = certificate.settings.get(MISSING_CODES)
    if not isinstance(columns, dict):
        return ()
    return tuple(
        f"{column}={code}"
        for column, listed in columns.items()
        if isinstance(listed, list)
        for code in listed
        if isinstance(code, str)
    )
