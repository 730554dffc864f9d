"""Check a release against its certificate, or any table against a privacy model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.capabilities import require_combination
from roadstead.errors import SettingError, SourceError
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.verification.checks import Verification
from roadstead.release.verification.release import verify_table
from roadstead.reports.verification import document, lines
from roadstead.reports.wording import CountedUnit
from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.tables.addresses import is_address
from roadstead.tables.roles import Roles
from roadstead.verbs.combination import assessed_parts
from roadstead.verbs.opening import opened
from roadstead.verbs.persons.settings import known_rows, unit_of
from roadstead.verbs.settings import whole_k
from roadstead.verbs.verify.folder import verify_folder
from roadstead.verbs.verify.result import ShownVerification

if TYPE_CHECKING:
    from roadstead.verbs.verify.request import VerifyRequest


def deliver(request: VerifyRequest, observer: Observer) -> Delivery[Verification]:
    """Check a release with only its own files, or check the classes in a table."""
    verification, counted = _verified(request, observer)
    return Delivery(
        ShownVerification.of(verification),
        lines(verification, counted=counted),
        document(verification, counted=counted),
        exit_code=0 if verification.passed else 1,
    )


def _verified(
    request: VerifyRequest, observer: Observer
) -> tuple[Verification, CountedUnit | None]:
    release, quasi, k, table = request.release, request.quasi, request.k, request.table
    is_path = isinstance(release, str | Path) and not is_address(release)
    folder = Path(release) if is_path else None
    if folder is not None and folder.is_dir():
        given = {"quasi": quasi, "k": k, "person": request.person, "knows": request.knows}
        if named := [option(key) for key, value in given.items() if value]:
            raise SettingError(
                "these options do not apply to a release, which is checked against its certificate",
                where=str(folder),
                fix=f"leave {' and '.join(named)} out, or give the table itself",
            )
        found = verify_folder(
            folder,
            table,
            observer,
            signed_by=_keys(request),
            on=request.on,
            allowed=request.allow_plugin or (),
        )
        return found, None
    if table is not None:
        fix = "leave this setting out, or give the folder of the release"
        raise wrong("table", "this setting is for the folder of a release", fix)
    if folder is not None and not folder.exists():
        raise SourceError(
            "there is no such file or folder", where=str(folder), fix="check the path"
        )
    if request.allow_plugin:
        fix = "leave this setting out, or give the folder of a release"
        raise wrong(
            "allow_plugin",
            "without its release, a table is checked only with Roadstead's own models",
            fix,
        )
    for key, value in (("signed_by", request.signed_by), ("on", request.on)):
        if value is not None:
            fix = "leave this setting out, or give the folder of a release"
            raise wrong(key, "a table without its release has no signature", fix)
    if not quasi or k is None:
        raise SettingError(
            "the table does not have a certificate that names the model to check",
            where=str(folder or "the table"),
            fix=f"give {option('quasi')} and {option('k')}, or give the folder of the release",
        )
    model = _model(request, whole_k(k))
    source = opened(release, request, observer, quietly=True)
    own = Roles(checks.names(quasi, "quasi"), person=request.person)
    roles, _ = own.matched(source.columns)
    roles.check(source.columns)
    counted = unit_of(source, roles.quasi, roles.person)
    return verify_table(source, roles.quasi, [model], roles.person), counted


def _model(request: VerifyRequest, k: int) -> PrivacyModel:
    """Return the model to check. If people are counted, the model assumes that rows are linked."""
    if request.person is not None:
        known = known_rows(request.knows, linked=True)
        return PersonAnonymity(k, request.person, known)
    require_combination(assessed_parts(request, None))
    return KAnonymity(k)


def _keys(request: VerifyRequest) -> tuple[Path, ...]:
    return () if request.signed_by is None else (Path(request.signed_by),)
