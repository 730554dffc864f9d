"""Check that the recipient allows all other packages that a release needs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from roadstead.errors import VerificationError
from roadstead.front_end import option
from roadstead.policies.document import Policy
from roadstead.printable import named
from roadstead.privacy.registry import PRIVACY_MODELS
from roadstead.release.certificate import Certificate
from roadstead.release.plugins import CertifiedPlugin, foreign_kinds
from roadstead.release.verification.checks import Check


def check_plugins(
    policy: Policy, certified: Sequence[CertifiedPlugin], allowed: Collection[str]
) -> list[Check]:
    """Check that each model from another package is certified, allowed, and installed."""
    foreign = list(dict.fromkeys(foreign_kinds(policy.privacy)))
    if not foreign and not certified:
        return []
    known = {one.name: one for one in certified if one.kind == "privacy model"}
    wrong = next((why for kind in foreign if (why := _unknown(kind, known.get(kind)))), None)
    refused = next((one for one in certified if one.package not in allowed), None)
    if refused is not None:
        wrong = (
            f"{named(str(refused))} is not part of Roadstead; if you trust this package, allow it "
            f"with {option('allow_plugin', named(refused.package))}"
        )
    elif wrong is None:
        wrong = next((why for one in known.values() if (why := _not_installed(one))), None)
    listed = "; ".join(named(str(one)) for one in certified)
    return [Check.of("models from other packages are allowed", wrong, listed)]


def require_allowed(
    certificate: Certificate, policy: Policy, allowed: Collection[str], *, where: str
) -> None:
    """Reject a release with models from packages that the recipient did not allow.

    A `VerificationError` is raised before any code of these packages is loaded.
    """
    for check in check_plugins(policy, certificate.plugins or (), allowed):
        if not check.passed:
            raise VerificationError(check.detail, where=where)


def _unknown(kind: str, certified: CertifiedPlugin | None) -> str | None:
    if certified is not None:
        return None
    return f"the certificate does not name the package of the privacy model {named(kind)}"


def _not_installed(certified: CertifiedPlugin) -> str | None:
    """Describe the difference if another package or version would check the release."""
    installed = PRIVACY_MODELS.plugin(certified.name)
    if installed is None:
        return f"{named(str(certified))} is not installed"
    if (installed.package, installed.version) != (certified.package, certified.version):
        return f"certified with {named(str(certified))}, but {named(str(installed))} is installed"
    return None
