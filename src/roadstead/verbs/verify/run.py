"""Check a release against its certificate, or any table against a privacy model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError, SourceError
from roadstead.front_end import option
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.release.private_certificate import is_private
from roadstead.release.private_verify import verify_private
from roadstead.release.verification import Verification
from roadstead.release.verify import (
    require_table_elsewhere,
    verify_published,
    verify_release,
    verify_table,
)
from roadstead.tables.reading import read
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.settings import names_of, whole_k


def verify(
    release: Any,  # noqa: ANN401 - a folder, a path, or a table of any library
    *,
    quasi: Sequence[str] = (),
    k: int | None = None,
    table: Any = None,  # noqa: ANN401 - an address, a path, or a table of any library
) -> Verification:
    """Check a release from what was released alone, or a table's equivalence classes.

    Parameters
    ----------
    release
        The folder of a release, be it differentially private or not; or, with `quasi` and `k`, any
        table.
    quasi, k
        The quasi-identifiers and the k to check a table for.
    table
        Where the table of the release is, if it is in a database: its address, or an Ibis table.

    Raises
    ------
    VerificationError
        When the folder has no certificate that can be read.
    SettingError
        When a table is given without `quasi` or `k`, or a folder with them; when `table` is given
        and the release has its table in the folder, or is not given and the release has not.
    SourceError
        When there is no such file, folder or table.
    """
    folder = Path(release) if isinstance(release, str | Path) else None
    if folder is not None and folder.is_dir():
        if quasi or k is not None:
            raise SettingError(
                "a release is checked against its certificate",
                where=str(folder),
                fix=f"leave {option('quasi')} and {option('k')} out, or name the table itself",
            )
        return _verify_folder(folder, table)
    if table is not None:
        raise SettingError(
            "belongs to the folder of a release",
            where=option("table"),
            fix="leave it out, or name the folder of its certificate",
        )
    if folder is not None and not folder.exists():
        raise SourceError(
            "there is no such file or folder", where=str(folder), fix="check the path"
        )
    if not quasi or k is None:
        raise SettingError(
            "a table without its certificate is checked for a model that you name",
            where=str(folder or "the table"),
            fix=f"give {option('quasi')} and {option('k')}, or name the folder of the release",
        )
    model = KAnonymity(whole_k(k))
    source = release if isinstance(release, Source) else read(release)
    roles, _ = Roles(names_of(quasi, option("quasi"))).matched(source.columns)
    roles.check(source.columns)
    return verify_table(source, roles.quasi, [model])


def _verify_folder(
    folder: Path,
    table: Any,  # noqa: ANN401 - as above
) -> Verification:
    if table is None:
        return verify_private(folder) if is_private(folder) else verify_release(folder)
    if is_private(folder):
        raise SettingError(
            "a differentially private release has its table in the folder",
            where=option("table"),
            fix="leave it out",
        )
    require_table_elsewhere(folder)
    if isinstance(table, Source):
        return verify_published(folder, table)
    with read(table) as source:
        return verify_published(folder, source)


def to_dict(verification: Verification) -> dict[str, Any]:
    """Give a verification as JSON holds it."""
    return {
        "passed": verification.passed,
        "checks": [
            {"check": c.check, "passed": c.passed, "detail": c.detail} for c in verification.checks
        ],
        "unchecked": list(verification.unchecked),
    }
