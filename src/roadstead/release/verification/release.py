"""Check a release, or any table, without the original data.

A check that cannot be performed counts as failed. A release may come from an untrusted person, so
only regular files directly in the folder are opened. Documents contain only facts, and Roadstead
generates the printed sentences from rules and settings.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from roadstead.errors import InputError, RoadsteadError, SettingError, VerificationError
from roadstead.front_end import option
from roadstead.policies.attribute_policy import AttributePolicy, disagreement, level_is_known
from roadstead.policies.document import Policy, to_json
from roadstead.policies.json_document import POLICY, read_json
from roadstead.policies.recodings.document import NodeParts
from roadstead.printable import named
from roadstead.privacy.combination import columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.regular_files import content_of
from roadstead.release.added_risk import AddedRisk
from roadstead.release.certificate import (
    CERTIFICATE,
    REPORT,
    Certificate,
    TableFingerprint,
    read_certificate,
    rendered,
)
from roadstead.release.documents import IN_DATABASE, Fingerprint, json_text, read_back
from roadstead.release.verification.attacks import (
    allowed_pages,
    check_attacks,
    unchecked_of_attacks,
)
from roadstead.release.verification.checks import Check, Verification, check_file, counted
from roadstead.release.verification.facts import check_facts
from roadstead.release.verification.files import check_files
from roadstead.release.verification.kept import unchecked_of_kept
from roadstead.release.verification.persons import LinkedRows, rests_on, unchecked_of_persons
from roadstead.release.verification.plugins import check_plugins
from roadstead.release.verification.table import check_promised, check_table
from roadstead.release.verification.terms import PromiseTerms, terms_of
from roadstead.release.verification.treatments import unchecked_of_treatments
from roadstead.release.written import forged, reading_of
from roadstead.tables.content import counted_digest
from roadstead.tables.failures import engine_errors
from roadstead.tables.frequency import summarize
from roadstead.tables.source import Source

_ORIGINAL = "only someone who has the original can compute it"
_FEW = 5
"""The largest number of columns that a check names."""


def verify_table(
    source: Source,
    quasi: Sequence[str],
    models: Sequence[PrivacyModel],
    person: str | None = None,
) -> Verification:
    """Check the equivalence classes of any table, without a certificate.

    Suppressed records (``*`` in every quasi-identifier) form a class like any other class. An
    attacker who knows that a person is in the table may rule out all other classes. Then the person
    must be in the class of suppressed records. So a class of fewer than k suppressed records can
    single out a person. `person` is the person ID column, for models that count people.
    """
    table = summarize(source, quasi, columns_of(models))
    linked = None if person is None else LinkedRows(source, person, quasi)
    whole = linked is None and table.distinct > 0
    risk = 1.0 / int(table.counts.min()) if whole else None
    return Verification(
        tuple(one for model in models for one in check_promised(table, linked, model)),
        terms=replace(terms_of(quasi, models, None), highest_risk=risk),
    )


def verify_release(
    folder: Path,
    table: Source | None = None,
    found: TableFingerprint | None = None,
    added: AddedRisk | None = None,
    allowed: Collection[str] = (),
) -> Verification:
    """Check a release against its certificate.

    `table` is the released table, if it is in a database or already open. If they have already been
    computed, `found` is the fingerprint of the table, and `added` is the risk that the columns add.
    `allowed` lists packages whose models may be loaded. If the release needs any other package, a
    check fails. If the certificate is missing, a `VerificationError` is raised. If the table is in
    a database and `table` is not given, a `SettingError` is raised.
    """
    where = folder / CERTIFICATE
    certificate, policy = read_certificate(where)
    certified = certificate.table
    if table is None and isinstance(certified, TableFingerprint):
        what = (
            f"the table of the release, {named(certified.name)}, is in a database "
            f"({named(certified.engine)})"
        )
        fix = f"give the table's address with {option('table')}"
        raise SettingError(what, where=str(folder), fix=fix)
    plugins = check_plugins(policy, certificate.plugins or (), allowed)
    if not all(check.passed for check in plugins):  # No code from another package is run.
        return Verification((*(check_file(folder, one) for one in certificate.all_files), *plugins))
    try:
        models = [model_from(settings, where=str(where)) for settings in policy.privacy]
    except InputError as error:
        raise VerificationError(
            f"the certificate is damaged in the entry policy.privacy: {error.what}",
            where=str(where),
        ) from None
    checks = [*_check_documents(folder, certificate, policy, models), *plugins]
    try:
        with contextlib.ExitStack() as opened, engine_errors(named(certified.name)):
            if isinstance(certified, Fingerprint):
                path = folder / certified.name
                table = table or opened.enter_context(read_back(path, certificate.format))
                checks.append(_check_written(path, table, certificate, policy))
            else:
                assert table is not None  # noqa: S101 - as just checked
                checks.append(_check_pinned(found or pinned(table), certified))
            checks += check_table(table, certificate, policy, models, added)
    except RoadsteadError as error:
        checks.append(Check("the table can be read", passed=False, detail=error.message))
    return Verification(
        tuple(checks),
        _unchecked(certificate, policy, models),
        rests_on(policy, models),
        terms=_terms(certificate, policy, models),
        earlier=certificate.earlier_releases,
    )


def _terms(
    certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]
) -> PromiseTerms:
    below = certificate.below_promise
    declared = () if below is None else below.names
    return terms_of(policy.quasi, models, certificate.risk, declared)


def pinned(source: Source) -> TableFingerprint:
    """Compute the fingerprint of a table in a database."""
    records, content = counted_digest(source.table, source.name)
    return TableFingerprint(source.name, str(source.table.get_backend().name), records, content)


def _check_pinned(found: TableFingerprint, expected: TableFingerprint) -> Check:
    same = (found.records, found.content) == (expected.records, expected.content)
    wrong = None if same else "the table was changed after certification"
    detail = f"SHA-256 {found.content[:16]}… of its {counted(found.records, 'record')}"
    return Check.of(f"{named(expected.name)} matches the certificate", wrong, detail)


def _check_written(path: Path, table: Source, certificate: Certificate, policy: Policy) -> Check:
    """Check that the file contains only cells, and that every reader finds the same cells."""
    name = f"{named(path.name)} has the format that Roadstead writes"
    wrong = forged(path, table, certificate.format, policy)
    return Check.of(name, wrong, f"read as {reading_of(table)}")


def _check_documents(
    folder: Path, certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]
) -> list[Check]:
    """Check the files of a release, and check that the documents agree."""
    files, table = [file.name for file in certificate.all_files], certificate.table
    allowed = {
        *allowed_pages(certificate.attacks),
        *([table.name] if isinstance(table, Fingerprint) else []),
    }
    return [
        *check_files(folder, certificate.all_files, [POLICY], allowed, certificate.software),
        _check_certificate(folder, certificate),
        check_facts(certificate, policy, models),
        _check_policy(folder, certificate, policy),
        _check_settings(certificate, policy, models),
        _check_levels(certificate, policy),
        _check_decisions(policy),
        *check_attacks(files, certificate.attacks),
    ]


def _unchecked(
    certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]
) -> tuple[str, ...]:
    others = set(policy.columns.released) - set(policy.treated)
    reasons = certificate.below_promise is not None or policy.columns.reasons
    report = any(file.name == REPORT for file in certificate.files)
    undone = certificate.risk.if_undone
    return (
        (
            "how the policy was found, its loss, the risk before the release, and how many "
            "records were left out"
        ),
        *(
            ["whether the columns released unchanged reveal anything about a person"]
            if others
            else []
        ),
        *(["whether a person made the decisions that the policy records"] if others else []),
        *([f"how high the risk is because {undone.clause} ({_ORIGINAL})"] if undone else []),
        *(["how many people are in each group"] if certificate.population else []),
        *unchecked_of_kept(policy, models),
        *unchecked_of_persons(policy, models),
        *unchecked_of_treatments(policy),
        *(["the reasons given for columns released anyway"] if reasons else []),
        *([f"the text of {REPORT}"] if report else []),
        *unchecked_of_attacks(certificate.attacks),
        *(["the comparison with earlier releases"] if certificate.earlier_releases else []),
    )


def _check_certificate(folder: Path, certificate: Certificate) -> Check:
    """Check that the certificate contains nothing except the facts that Roadstead reads."""
    wrong = None
    if content_of(folder / CERTIFICATE, own=True) != rendered(certificate):
        wrong = "the certificate contains something that Roadstead does not write"
    elif not _is_version(certificate.software):
        wrong = "the version of Roadstead is not valid"
    elif isinstance(certificate.table, TableFingerprint) and certificate.format != IN_DATABASE:
        wrong = (
            "the certificate describes the format of a file, but the table of the release is in a "
            "database"
        )
    return Check.of(
        "the certificate has the format that Roadstead writes", wrong, "it contains nothing else"
    )


def _is_version(text: str) -> bool:
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - seldom needed

    try:
        return str(Version(text)) == text
    except InvalidVersion:
        return False


def _check_policy(folder: Path, certificate: Certificate, policy: Policy) -> Check:
    own = json_text(to_json(policy))
    try:
        same = read_json(folder / POLICY, own=True) == certificate.policy
        wrong = None if same else f"{POLICY} differs from the certificate"
        if same and {json_text(certificate.policy), content_of(folder / POLICY).decode()} != {own}:
            wrong = f"{POLICY} or the certificate does not have the format that Roadstead writes"
    except InputError as error:
        wrong = error.message
    return Check.of(
        "the policy matches the certificate", wrong, f"{POLICY} and the certificate agree"
    )


def _check_settings(
    certificate: Certificate, policy: Policy, models: Sequence[PrivacyModel]
) -> Check:
    expected = {
        "quasi": list(policy.quasi),
        "privacy": list(policy.privacy),
        "suppression": policy.suppression.limit,
        "suppressed_records": policy.suppression.records,
    }
    settings = certificate.settings
    others = [key for key, value in expected.items() if settings.get(key, value) != value]
    wrong = f"the request was for a different {others[0]}" if others else None
    models_named = ", ".join(named(model.name) for model in models)
    return Check.of("the privacy requirements match the policy", wrong, models_named)


def _check_levels(certificate: Certificate, policy: Policy) -> Check:
    """Check that each rule has the description and the level that the policy states."""
    name = "descriptions and levels match the rules"
    for attribute in policy.attributes:
        wrong = disagreement(attribute)
        for level in _levels_in_use(policy, attribute):
            wrong = wrong or _forbidden(certificate, attribute.name, level)
        if wrong is not None:
            return Check(name, passed=False, detail=f"{named(attribute.name)}: {wrong}")
    detail = counted(len(policy.attributes), "attribute")
    between = [one.name for one in policy.attributes if not level_is_known(one)]
    if between:
        more = f" and {counted(len(between) - 1, 'other')}" if len(between) > 1 else ""
        detail += (
            f"; not checked: the level of {named(between[0])}{more} (the rules do not record it)"
        )
    return Check(name, passed=True, detail=detail)


def _check_decisions(policy: Policy) -> Check:
    """Count the released columns with a decision of a person. Each policy must record decisions.

    `check_table` compares the columns of the released table with the policy.
    """
    free = policy.columns.undecided
    evidence = f"{counted(len(policy.released) - len(free), 'column')} with a decision"
    if free:
        were = "column was" if len(free) == 1 else "columns were"
        evidence += (
            f"; {len(free):,} {were} released without a decision, because the request allowed "
            f"this: {_first(free)}"
        )
    return Check("a decision is recorded for every released column", passed=True, detail=evidence)


def _first(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - _FEW:,} more" if len(columns) > _FEW else ""
    return ", ".join(named(name) for name in columns[:_FEW]) + more


def _levels_in_use(policy: Policy, attribute: AttributePolicy) -> tuple[int, ...]:
    """Return the levels to which records are generalized. Suppressed cells do not have a level."""
    if policy.recoding is not None and policy.recoding.kind == "local":
        parts = policy.recoding.attributes[policy.attributes.index(attribute)]
        if isinstance(parts, NodeParts):
            return parts.levels
    return (attribute.level,)


def _forbidden(certificate: Certificate, name: str, level: int) -> str | None:
    """Explain why the certificate does not allow a level."""
    limits = certificate.settings.get("levels_allowed", {})
    allowed = limits.get(name, [level, level]) if isinstance(limits, dict) else None
    match allowed:
        case [int(low), int(high)] if low <= level <= high:
            return None
    return f"level {level} is not an allowed level"
