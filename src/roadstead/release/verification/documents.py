"""Check the files of a release, and that its documents agree with each other.

A release may come from a stranger. Only regular files of the folder itself are opened: no link to
elsewhere, no pipe, no device. What is printed follows from rules and settings; the words of the
certificate are compared with it, and not repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roadstead.errors import InputError
from roadstead.policies.document import Policy, disagreement, level_is_known, read_json
from roadstead.printable import named
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.certificate import POLICY, REPORT, Certificate, promise_of
from roadstead.release.documents import Fingerprint
from roadstead.release.verification.checks import Check, check_file, check_folder, counted


def check_documents(
    folder: Path, certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]
) -> list[Check]:
    """Check the files of a release, and that its documents agree."""
    files, table = [file.name for file in certificate.all_files], certificate.table
    allowed = {REPORT, *([table.name] if isinstance(table, Fingerprint) else [])}
    return [
        *(check_file(folder, file) for file in certificate.all_files),
        check_folder(folder, files, [POLICY], allowed),
        _check_policy(folder, certificate),
        _check_promise(certificate, policy, models),
        _check_words(certificate, policy),
    ]


def unchecked(certificate: Certificate, policy: Policy) -> tuple[str, ...]:
    """Name what a release says or holds that nobody can check from its files."""
    others = policy.columns.sensitive or policy.columns.insensitive
    report = any(file.name == REPORT for file in certificate.files)
    return (
        "how the policy was found, its loss, the risk before, how many records were left out",
        *(["what the columns released as they are tell of a person"] if others else []),
        *(["how many people are in each class"] if certificate.population else []),
        *([f"what {REPORT} says"] if report else []),
    )


def _check_policy(folder: Path, certificate: Certificate) -> Check:
    """The policy is in the certificate and in a file of its own; people read one or the other."""
    wrong = None
    try:
        if read_json(folder / POLICY, own=True) != certificate.policy:
            wrong = f"{POLICY} says something else"
    except InputError as error:
        wrong = error.message
    return Check.of("the policy is the one certified", wrong, f"{POLICY} says the same")


def _check_promise(
    certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]
) -> Check:
    """Promise and settings are words next to the policy; they must say what it says."""
    expected = {
        "quasi": list(policy.quasi),
        "privacy": list(policy.privacy),
        "suppression": policy.suppression.limit,
        "suppressed_records": policy.suppression.records,
    }
    settings = certificate.settings
    same = certificate.promise == promise_of(policy, models) and all(
        settings.get(key, value) == value for key, value in expected.items()
    )
    wrong = None if same else "it says something else"
    models_named = ", ".join(named(model.name) for model in models)
    return Check.of("the promise is that of the policy", wrong, models_named)


def _check_words(certificate: Certificate, policy: Policy) -> Check:
    """Words and levels stand next to the rules for people; they must say what the rules do."""
    name = "words and levels are those of the rules"
    for attribute in policy.attributes:
        wrong = disagreement(attribute) or _forbidden(certificate, attribute.name, attribute.level)
        if wrong is not None:
            return Check(name, passed=False, detail=f"{named(attribute.name)}: {wrong}")
    detail = counted(len(policy.attributes), "attribute")
    between = [one.name for one in policy.attributes if not level_is_known(one)]
    if between:
        more = f" and {len(between) - 1:,} more" if len(between) > 1 else ""
        detail += f"; not checked: the level of {named(between[0])}{more}, which no rule tells"
    return Check(name, passed=True, detail=detail)


def _forbidden(certificate: Certificate, name: str, level: int) -> str | None:
    """Say whether a level is outside those that the certificate says were allowed."""
    limits = certificate.settings.get("levels_allowed", {})
    allowed = limits.get(name, [level, level]) if isinstance(limits, dict) else None
    match allowed:
        case [int(low), int(high)] if low <= level <= high:
            return None
    return f"level {level} is not among those that were allowed"
