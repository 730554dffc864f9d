"""Check the files of a release, and that its documents agree with each other.

A release may come from a stranger. Only regular files of the folder itself are opened: no link to
elsewhere, no pipe, no device. What is printed follows from rules and settings; the words of the
certificate are compared with it, and not repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roadstead.errors import InputError
from roadstead.policies.agreement import disagreement, level_is_known
from roadstead.policies.document import Policy, read_json
from roadstead.printable import named
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.certificate import (
    CERTIFICATE,
    POLICY,
    REPORT,
    Certificate,
    Fingerprint,
    fingerprint,
)
from roadstead.release.promise import promise_of
from roadstead.release.verification.checks import Check, counted


def check_documents(
    folder: Path, certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]
) -> list[Check]:
    """Check the files of a release, and that its documents agree."""
    return [
        *(check_file(folder, file) for file in certificate.all_files),
        _check_folder(folder, certificate),
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


def check_file(folder: Path, expected: Fingerprint) -> Check:
    """Check that a file of the folder is a regular one, and the one certified."""
    name = f"{named(expected.name)} is the file certified"
    try:
        found = fingerprint(folder / expected.name)
    except FileNotFoundError:
        return Check(name, passed=False, detail="the file is missing")
    except OSError as error:
        why = error.strerror or type(error).__name__
        return Check(name, passed=False, detail=f"the file cannot be read ({why})")
    if found != expected:
        return Check(name, passed=False, detail="the file was changed after certification")
    return Check(name, passed=True, detail=f"SHA-256 {found.sha256[:16]}…")


def _check_policy(folder: Path, certificate: Certificate) -> Check:
    """The policy is in the certificate and in a file of its own; whoever reads either is told."""
    try:
        same = read_json(folder / POLICY, own=True) == certificate.policy
        detail = f"{POLICY} says the same" if same else f"{POLICY} says something else"
    except InputError as error:
        same, detail = False, error.message
    return Check("the policy is the one certified", passed=same, detail=detail)


def _check_folder(folder: Path, certificate: Certificate) -> Check:
    files = [file.name for file in certificate.all_files]
    known = {CERTIFICATE, *files}
    others = sorted(entry.name for entry in folder.iterdir() if entry.name not in known)
    foreign = sorted({file.name for file in certificate.files} - {POLICY, REPORT})
    if others or foreign:
        detail = f"{named((others or foreign)[0])!r} is there too"
    elif len(files) > len(set(files)) or CERTIFICATE in files:
        detail = "a file is certified twice"
    elif POLICY not in files:
        detail = f"{POLICY} is not certified"
    else:
        return Check("the folder holds nothing else", True, counted(len(known), "file"))
    return Check("the folder holds nothing else", passed=False, detail=detail)


def _check_promise(
    certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]
) -> Check:
    """Promise and settings are words beside the policy; they must say what it says."""
    asked = certificate.settings
    same = (
        certificate.promise == promise_of(policy, models)
        and asked.get("quasi", list(policy.quasi)) == list(policy.quasi)
        and asked.get("privacy", list(policy.privacy)) == list(policy.privacy)
        and asked.get("suppression", policy.suppression.limit) == policy.suppression.limit
        and asked.get("suppressed_records", policy.suppression.records)
        == policy.suppression.records
    )
    detail = ", ".join(named(m.name) for m in models) if same else "it says something else"
    return Check("the promise is that of the policy", passed=same, detail=detail)


def _check_words(certificate: Certificate, policy: Policy) -> Check:
    """Words and levels stand beside the rules for people; they must say what the rules do."""
    name = "words and levels are those of the rules"
    for attribute in policy.attributes:
        wrong = disagreement(attribute) or _forbidden(certificate, attribute.name, attribute.level)
        if wrong is not None:
            return Check(name, passed=False, detail=f"{named(attribute.name)}: {wrong}")
    told = counted(len(policy.attributes), "attribute")
    between = [one.name for one in policy.attributes if not level_is_known(one)]
    if between:
        more = f" and {len(between) - 1:,} more" if len(between) > 1 else ""
        told += f"; not checked: the level of {named(between[0])}{more}, which no rule tells"
    return Check(name, passed=True, detail=told)


def _forbidden(certificate: Certificate, name: str, level: int) -> str | None:
    """Say whether a level is outside those that the certificate says were allowed."""
    limits = certificate.settings.get("levels_allowed", {})
    allowed = limits.get(name, [level, level]) if isinstance(limits, dict) else None
    match allowed:
        case [int(low), int(high)] if low <= level <= high:
            return None
    return f"level {level} is not among those that were allowed"
