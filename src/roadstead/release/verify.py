"""Check a release from the released table alone, without the original data.

Every check is made on what stands in the table now, be it a file or in a database: its columns, its
values, its equivalence classes, its counts. A check that cannot be made counts as failed. A model
that compares classes with the whole table compares them with the whole release: what was left out
is nobody's to know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import (
    InputError,
    RoadsteadError,
    SettingError,
    VerificationError,
)
from roadstead.front_end import option
from roadstead.policies.agreement import words_of
from roadstead.policies.classes import keep
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.printable import named
from roadstead.privacy.combination import columns_of
from roadstead.privacy.population import needs_population
from roadstead.privacy.protocol import OneFigure, PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.added_risk import AddedRisk, added_in_release, difference, in_one_line
from roadstead.release.certificate import (
    CERTIFICATE,
    Certificate,
    Fingerprint,
    TableFingerprint,
    read_certificate,
)
from roadstead.release.expectation import contradiction
from roadstead.release.generalized import every_row_a_class
from roadstead.release.read_back import read_back
from roadstead.release.verification import Check, Verification, counted
from roadstead.release.verify_files import check_documents, unchecked
from roadstead.risk.prosecutor import prosecutor_risk
from roadstead.tables.content import counted_digest
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.source import Source

_FEW = 3
"""As many columns are named of those that are wrong."""


def verify_table(
    source: Source, quasi: Sequence[str], models: Sequence[PrivacyModel]
) -> Verification:
    """Check the equivalence classes of any table, with no certificate.

    Suppressed records (``*`` in every quasi-identifier) are a class like any other: fewer of them
    than k would single out whoever is known to be in the table and found in no other class.
    """
    table = summarize(source, quasi, columns_of(models))
    return Verification(tuple(_check_model(table, model) for model in models))


def verify_release(folder: Path, added: AddedRisk | None = None) -> Verification:
    """Check a release against its certificate.

    Parameters
    ----------
    folder
        The folder of the release.
    added
        What its columns add to the risk, where that was just counted in its table.

    Raises
    ------
    VerificationError
        When there is no certificate that can be read.
    SettingError
        When the released table is in a database.
    """
    certificate, policy = read_certificate(folder / CERTIFICATE)
    if not isinstance(certificate.table, Fingerprint):
        raise SettingError(
            f"its table, {named(certificate.table.name)}, is in a database "
            f"({named(certificate.table.engine)})",
            where=str(folder),
            fix=f"give the table's address with {option('table')}",
        )
    models = _models(policy, str(folder / CERTIFICATE))
    checks = check_documents(folder, certificate, policy, models)
    try:
        with read_back(folder / certificate.table.name, certificate.format) as found:
            checks += _check_table(found, certificate, policy, models, added)
    except RoadsteadError as error:
        checks.append(_unreadable(error))
    return Verification(tuple(checks), unchecked(certificate, policy))


def verify_published(
    folder: Path,
    source: Source,
    found: TableFingerprint | None = None,
    added: AddedRisk | None = None,
) -> Verification:
    """Check a release whose table is in a database against its certificate.

    Parameters
    ----------
    folder
        The folder of the certificate.
    source
        The table, where it is.
    found, added
        What the table holds and what its columns add to the risk, where that was just worked out.

    Raises
    ------
    VerificationError
        When there is no certificate that can be read.
    SettingError
        When the released table is a file of the folder.
    """
    expected = require_table_elsewhere(folder)
    certificate, policy = read_certificate(folder / CERTIFICATE)
    models = _models(policy, str(folder / CERTIFICATE))
    checks = check_documents(folder, certificate, policy, models)
    try:
        checks.append(_check_pinned(found or pinned(source), expected))
        checks += _check_table(source, certificate, policy, models, added)
    except RoadsteadError as error:
        checks.append(_unreadable(error))
    return Verification(tuple(checks), unchecked(certificate, policy))


def require_table_elsewhere(folder: Path) -> TableFingerprint:
    """Give the fingerprint of a released table that is in a database.

    Raises
    ------
    VerificationError
        When there is no certificate that can be read.
    SettingError
        When the released table is a file of the folder.
    """
    table = read_certificate(folder / CERTIFICATE)[0].table
    if isinstance(table, Fingerprint):
        raise SettingError(
            f"its table, {named(table.name)}, is a file of the folder",
            where=str(folder),
            fix=f"leave {option('table')} out",
        )
    return table


def pinned(source: Source) -> TableFingerprint:
    """Work out what a table in a database holds.

    Raises
    ------
    SourceError
        It cannot be read.
    """
    records, content = counted_digest(source.table, source.name)
    return TableFingerprint(source.name, str(source.table.get_backend().name), records, content)


def _check_table(
    source: Source,
    certificate: Certificate,
    policy: Policy,
    models: Sequence[PrivacyModel],
    added: AddedRisk | None,
) -> list[Check]:
    """Check what stands in the released table; its values, if its columns are those promised."""
    checks = _check_columns(source, policy)
    if all(check.passed for check in checks):
        table = summarize(source, policy.quasi, columns_of(models))
        checks += check_content(table, certificate, policy, models)
        if (told := certificate.added) is not None:
            found = added or added_in_release(source, policy.quasi, k=told.k)
            checks.append(_check_added(found, told))
    return checks


def _unreadable(error: RoadsteadError) -> Check:
    return Check("the table can be read", passed=False, detail=error.message)


def _check_pinned(found: TableFingerprint, expected: TableFingerprint) -> Check:
    same = (found.records, found.content) == (expected.records, expected.content)
    detail = (
        f"SHA-256 {found.content[:16]}… of its {counted(found.records, 'record')}"
        if same
        else "the table was changed after certification"
    )
    return Check(f"{named(expected.name)} is the table certified", passed=same, detail=detail)


def _models(policy: Policy, where: str) -> list[PrivacyModel]:
    try:
        return [model_from(settings, where=where) for settings in policy.privacy]
    except InputError as error:
        raise VerificationError(
            f"the certificate is damaged at policy.privacy: {error.what}", where=where
        ) from None


def check_content(
    table: FrequencyTable,
    certificate: Certificate,
    policy: Policy,
    models: Sequence[PrivacyModel],
) -> list[Check]:
    """Check values, classes, counts and risk of a released table."""
    known, people = _peopled(table, certificate)
    return [
        *(_check_values(table, policy, i) for i in range(len(policy.attributes))),
        *people,
        *(_check_certified_model(known, model) for model in models),
        *_check_expectation(table, certificate, models),
        *_check_counts(table, certificate, policy),
        _check_risk(table, certificate),
    ]


def _check_columns(source: Source, policy: Policy) -> list[Check]:
    found, promised = set(source.columns), set(policy.released)
    identifying = sorted(found & set(policy.columns.removed))
    foreign = sorted(found - promised - set(identifying))
    missing = sorted(promised - found)
    wrong = [
        *(f"{named(c)!r} is not in the policy" for c in foreign),
        *(f"{named(c)!r} is missing" for c in missing),
    ]
    if len(wrong) > _FEW:
        wrong = [*wrong[:_FEW], f"and {len(wrong) - _FEW:,} more"]
    return [
        Check(
            "no identifying column is released",
            passed=not identifying,
            detail=f"{named(identifying[0])!r} is there" if identifying else "none is there",
        ),
        Check(
            "the columns are those of the policy",
            passed=not wrong,
            detail="; ".join(wrong) or counted(len(found), "column"),
        ),
    ]


def _check_values(table: FrequencyTable, policy: Policy, i: int) -> Check:
    attribute = policy.attributes[i]
    released = {table.domains[i][code] for code in np.unique(table.codes[i][_visible(table)])}
    foreign = [label for label in released if not attribute.rule.produces(label)]
    detail = (
        f"{counted(len(foreign), 'value')} cannot come from its rule ({words_of(attribute.rule)})"
        if foreign
        else f"{counted(len(table.domains[i]), 'value')}, {words_of(attribute.rule)}"
    )
    name = f"{named(attribute.name)} is generalized as promised"
    return Check(name, passed=not foreign, detail=detail)


def _peopled(table: FrequencyTable, certificate: Certificate) -> tuple[FrequencyTable, list[Check]]:
    """Put the certified population beside the classes, in whose order it stands."""
    if certificate.population is None:
        return table, []
    people = np.array(certificate.population, dtype=np.int64)
    if people.size != table.distinct:
        fits, detail = False, f"{people.size:,} numbers, and there are {table.distinct:,} classes"
    elif (fewer := int((people < table.counts).sum())) > 0:
        fits, detail = False, f"{fewer:,} classes have more records than people"
    else:
        fits, detail = True, f"{people.size:,} classes, none with more records than people"
    check = Check("the population fits the classes", passed=fits, detail=detail)
    return (replace(table, population=people) if fits else table), [check]


def _check_certified_model(table: FrequencyTable, model: PrivacyModel) -> Check:
    if needs_population([model]) and table.population is None:
        detail = "the certificate does not say how many people are in each class"
        return Check(named(model.name), passed=False, detail=detail)
    return _check_model(table, model)


def _check_model(table: FrequencyTable, model: PrivacyModel) -> Check:
    bound, classes_found = model.bind(table), every_row_a_class(table)
    judged, satisfied = classes_found, bound.satisfied(classes_found)
    if not bound.per_class:  # the class of masked records must not make up for the others
        visible = _visible(table)
        alone = np.ones(table.distinct, dtype=np.bool_)
        shown = keep(classes_found, visible)[0]
        alone[visible] = bound.satisfied(shown)
        judged = shown if satisfied.all() and not alone.all() else judged
        satisfied &= alone
    smallest = int(table.counts.min())
    classes = counted(table.distinct, "class", "classes")
    if isinstance(bound, OneFigure):
        detail = f"{classes}, {bound.stated(judged)}"
    elif satisfied.all():
        detail = f"{classes}, the smallest of {counted(smallest, 'record')}"
    else:
        records = int(table.counts[~satisfied].sum())
        detail = (
            f"{int((~satisfied).sum()):,} of {classes} fail, with {counted(records, 'record')}; "
            f"the smallest has {smallest:,}"
        )
    return Check(named(model.name), passed=bool(satisfied.all()), detail=detail)


def _check_expectation(
    table: FrequencyTable, certificate: Certificate, models: Sequence[PrivacyModel]
) -> list[Check]:
    """Check that what is expected of the classes can be; the estimate needs those left out too."""
    told = certificate.expected_below_k
    if told is None:
        return []
    released = certificate.counts.released - certificate.counts.masked
    wrong = contradiction(told, released, table.counts, models)
    detail = wrong or f"{told['records']:,} records, between {told['low']:,} and {told['high']:,}"
    return [Check("the expectation fits the classes", passed=wrong is None, detail=detail)]


def _check_counts(table: FrequencyTable, certificate: Certificate, policy: Policy) -> list[Check]:
    counts = certificate.counts
    masked, alike = _masked(table), _alike(table, certificate)
    as_promised = not alike or (
        alike > 0 and all(a.rule.produces(SUPPRESSED) for a in policy.attributes)
    )
    adds_up = (
        counts.suppressed == counts.masked + counts.dropped
        and counts.records == counts.released + counts.dropped
    )
    limit = policy.suppression.most(counts.records)
    return [
        Check(
            "the number of records is as certified",
            passed=table.records == counts.released,
            detail=f"{table.records:,} found, {counts.released:,} certified",
        ),
        Check(
            "the number of suppressed records is as certified",
            passed=as_promised,
            detail=f"{masked:,} masked found, {counts.masked:,} certified",
        ),
        Check(
            "the certified counts add up",
            passed=adds_up,
            detail=f"{counts.released:,} released and {counts.dropped:,} left out of "
            f"{counts.records:,}",
        ),
        Check(
            "suppression is within the limit",
            passed=counts.suppressed <= limit,
            detail=f"{counts.suppressed:,} of {counts.records:,} records, limit {limit:,}",
        ),
    ]


def _check_risk(table: FrequencyTable, certificate: Certificate) -> Check:
    alike = _alike(table, certificate)
    sizes = table.counts[_visible(table)]
    risk = prosecutor_risk(np.append(sizes, alike) if alike > 0 else sizes, 1.0)
    certified = certificate.risk
    same = (
        isclose(risk.maximum, certified.maximum, rel_tol=1e-9)
        and isclose(risk.average, certified.average, rel_tol=1e-9)
        and risk.classes == certified.classes
        and risk.smallest == certified.smallest_class
    )
    return Check(
        "the risk is as certified",
        passed=same,
        detail=f"highest {risk.maximum:.4g}, average {risk.average:.4g}",
    )


def _check_added(found: AddedRisk, told: AddedRisk) -> Check:
    return Check(
        "what the released columns add is as certified",
        passed=found == told,
        detail=difference(found, told) or in_one_line(found),
    )


def _visible(table: FrequencyTable) -> NDArray[np.bool_]:
    """For each class, whether any quasi-identifier is more than ``*``."""
    visible = np.zeros(table.distinct, dtype=np.bool_)
    for codes, domain in zip(table.codes, table.domains, strict=True):
        visible |= codes != domain.index(SUPPRESSED) if SUPPRESSED in domain else True
    return visible


def _masked(table: FrequencyTable) -> int:
    return int(table.counts[~_visible(table)].sum())


def _alike(table: FrequencyTable, certificate: Certificate) -> int:
    """How many records were not suppressed and read as if they were.

    They have ``*`` in every quasi-identifier because the policy removes all of them, or because
    ``*`` stands in the original.
    """
    return _masked(table) - certificate.counts.masked
