"""Check a release from the released table alone, without the original data.

A check that cannot be performed counts as failed. Some models compare classes with the whole table.
This module compares the classes with the whole release, because the recipient does not have the
dropped records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose

import numpy as np
from numpy.typing import NDArray

from roadstead.hierarchies.rules import MISSING
from roadstead.policies.classes import keep
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.policies.recodings.document import Recoding
from roadstead.policies.recodings.interval_columns import with_ends
from roadstead.printable import named
from roadstead.privacy.combination import columns_of, needs_population, sees_labels
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.privacy.protocol import OneFigure, PrivacyModel
from roadstead.release.added_risk import (
    AddedRisk,
    added_in_release,
    difference,
    group_size,
    in_one_line,
)
from roadstead.release.certificate import Certificate, Counts
from roadstead.release.ends import with_joined_ends, with_plain_ends
from roadstead.release.expectation import contradiction
from roadstead.release.generalized import every_row_a_class, visible
from roadstead.release.similar_names import as_read
from roadstead.release.values_left import NONE_LEFT
from roadstead.release.verification.checks import Check, counted
from roadstead.release.verification.dates import check_dates
from roadstead.release.verification.kept import check_kept, with_certified_shares
from roadstead.release.verification.persons import (
    LinkedRows,
    check_known,
    check_persons,
    check_risk_of_persons,
    check_rows,
    check_values,
    check_values_of_rows,
    suppression_within,
)
from roadstead.release.verification.treatments import check_treatments
from roadstead.risk.prosecutor import prosecutor_risk
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.source import Source

_FEW = 3
"""The largest number of wrong columns that a check names."""


def check_table(
    source: Source,
    certificate: Certificate,
    policy: Policy,
    models: Sequence[PrivacyModel],
    added: AddedRisk | None,
) -> list[Check]:
    """Check the released table. Values are checked only if the columns are correct."""
    checks = _check_columns(source, policy)
    if all(check.passed for check in checks):
        source = with_joined_ends(source, policy)
        table = with_plain_ends(summarize(source, policy.quasi, columns_of(models)), policy)
        person = policy.linked_by
        linked = None if person is None else LinkedRows(source, person, policy.quasi)
        checks += _check_content(table, linked, certificate, policy, models)
        checks += [*check_treatments(source, policy), *check_dates(source, policy)]
        if (certified := certificate.added) is not None:
            found = added or added_in_release(
                source,
                policy.quasi,
                k=group_size(models),
                linked_by=policy.linked_by,
                knows=policy.rows_known,
            )
            wrong = difference(found, certified)
            name = "the risk from the released columns matches the certificate"
            checks.append(Check.of(name, wrong, in_one_line(found)))
    return checks


def _check_content(
    table: FrequencyTable,
    linked: LinkedRows | None,
    certificate: Certificate,
    policy: Policy,
    models: Sequence[PrivacyModel],
) -> list[Check]:
    """Check the values, classes, counts, and risk of a released table.

    If `linked` is given, the facts about people are checked too.
    """
    known, people = _peopled(table, certificate)
    known, shares = with_certified_shares(known, certificate.kept_at_least)
    masked = certificate.counts.masked
    return [
        *(_check_values(table, policy, i) for i in range(len(policy.attributes))),
        *_check_classes(table, policy.recoding),
        *people,
        *shares,
        *check_kept(known, policy, models),
        *(one for model in models for one in check_promised(known, linked, model, masked)),
        *check_persons(certificate, policy, models, linked),
        *_check_expectation(table, certificate, models),
        *_check_counts(table, certificate, policy),
        _check_risk(table, certificate)
        if certificate.persons is None
        else check_risk_of_persons(
            table, linked, certificate.risk, certificate.persons.knows or 1, _k_of_persons(models)
        ),
    ]


def _k_of_persons(models: Sequence[PrivacyModel]) -> int:
    return max((model.k for model in models if isinstance(model, PersonAnonymity)), default=1)


def _check_columns(source: Source, policy: Policy) -> list[Check]:
    promised = set(with_ends(policy.released, policy.two_columns))
    found = set(source.columns)
    removed = {as_read(name) for name in policy.columns.removed}
    identifiers = sorted(name for name in found if as_read(name) in removed)
    foreign = sorted(found - promised - set(identifiers))
    missing = sorted(promised - found)
    wrong = [
        *(f"{named(c)!r} is not in the policy" for c in foreign),
        *(f"{named(c)!r} is missing" for c in missing),
    ]
    if len(wrong) > _FEW:
        wrong = [*wrong[:_FEW], f"and {len(wrong) - _FEW:,} more"]
    there = f"{named(identifiers[0])!r} is in the table" if identifiers else None
    as_promised = "the columns match the policy"
    return [
        Check.of("no direct identifier is released", there, "none is in the table"),
        Check.of(as_promised, "; ".join(wrong), counted(len(found), "column")),
    ]


def _check_values(table: FrequencyTable, policy: Policy, i: int) -> Check:
    attribute = policy.attributes[i]
    released = {table.domains[i][code] for code in np.unique(table.codes[i][visible(table)])}
    foreign = [label for label in released if not policy.produces(i, label)]
    words = attribute.does if policy.recoding is None else policy.words[attribute.name]
    wrong = f"{counted(len(foreign), 'value')} cannot come from the rule ({words})"
    found = f"{counted(len(released), 'value')}, {words}"
    if released <= {SUPPRESSED, MISSING}:
        found = f"{NONE_LEFT}; the rule: {words}"
    return Check.of(
        f"{named(attribute.name)} is generalized by its rule", wrong if foreign else None, found
    )


def _check_classes(table: FrequencyTable, recoding: Recoding | None) -> list[Check]:
    """Check that each class in the table is in the policy, if each class has its own recoding."""
    if recoding is None:
        return []
    rows = np.flatnonzero(visible(table))
    texts = table.texts()
    foreign = sum(texts[row] not in recoding.shown for row in rows)
    wrong = f"the policy does not contain {counted(foreign, 'group')} of the release"
    return [
        Check.of(
            "every group belongs to the policy",
            wrong if foreign else None,
            f"{counted(rows.size, 'group')}",
        )
    ]


def _peopled(table: FrequencyTable, certificate: Certificate) -> tuple[FrequencyTable, list[Check]]:
    """Add the certified population to the classes. It is in the order of the classes."""
    if certificate.population is None:
        return table, []
    people = np.array(certificate.population, dtype=np.int64)
    wrong = None
    if people.size != table.distinct:
        wrong = f"the certificate has {people.size:,} numbers for {table.distinct:,} groups"
    elif (fewer := int((people < table.counts).sum())) > 0:
        wrong = f"in {counted(fewer, 'group')}, there are more records than people"
    detail = f"{people.size:,} groups, none with more records than people"
    check = Check.of("the population matches the groups", wrong, detail)
    return (table if wrong else replace(table, population=people)), [check]


def check_promised(
    table: FrequencyTable, linked: LinkedRows | None, model: PrivacyModel, masked: int = 0
) -> tuple[Check, ...]:
    """Check that a released table satisfies a privacy model.

    `masked` is the number of suppressed records that are kept. These records form a separate class,
    which is checked like the other classes. If rows are not linked, the table does not show which
    values each person has, but it shows the values of each class. If people were suppressed, the
    table does not show the distribution in the whole table. The function skips a check that needs
    these facts.
    """
    if isinstance(model, PersonAnonymity):
        return (check_rows(table, model) if linked is None else check_known(linked, model),)
    if isinstance(model, ValuesOfPersons):
        if linked is None:
            return check_values_of_rows(table, model)
        return () if model.compares_with_whole else (check_values(linked, model),)
    return (check_model(table, model, masked),)


def _sizes(table: FrequencyTable, masked: int) -> NDArray[np.int64]:
    """Return the sizes of the released classes, excluding suppressed records."""
    alike = _masked(table) - masked
    shown = table.counts[visible(table)]
    return np.append(shown, alike) if alike > 0 else shown


def check_model(table: FrequencyTable, model: PrivacyModel, masked: int = 0) -> Check:
    """Check that every class of a table satisfies a privacy model."""
    if needs_population([model]) and table.population is None:
        detail = "the certificate does not say how many people are in each group"
        return Check(named(model.name), passed=False, detail=detail)
    if sees_labels([model]) and table.kept is None:
        detail = "without a certificate, it is not known how much information each group keeps"
        return Check(named(model.name), passed=False, detail=detail)
    bound, classes_found = model.bind(table), every_row_a_class(table)
    judged, satisfied = classes_found, bound.satisfied(classes_found)
    if not bound.per_class:  # The class of masked records must not compensate for other classes.
        shows = visible(table)
        alone = np.ones(table.distinct, dtype=np.bool_)
        shown = keep(classes_found, shows)[0]
        alone[shows] = bound.satisfied(shown)
        judged = shown if satisfied.all() and not alone.all() else judged
        satisfied &= alone
    sizes = _sizes(table, masked)
    smallest = int(sizes.min(initial=table.records))
    classes = counted(sizes.size, "group")
    apart = f"; {counted(masked, 'suppressed record')} form one more group" if masked else ""
    if isinstance(bound, OneFigure):
        detail = f"{classes}, {bound.stated(judged)}{apart}"
    elif satisfied.all():
        detail = f"{classes}; the smallest has {counted(smallest, 'record')}{apart}"
    else:
        records = int(table.counts[~satisfied].sum())
        detail = (
            f"{int((~satisfied).sum()):,} of {classes} fail ({counted(records, 'record')}); "
            f"the smallest group has {counted(smallest, 'record')}{apart}"
        )
    if model.terms is not None:
        detail = f"{detail}. {model.terms.rstrip('.')}"
    return Check(named(model.name), passed=bool(satisfied.all()), detail=detail)


def _check_expectation(
    table: FrequencyTable, certificate: Certificate, models: Sequence[PrivacyModel]
) -> list[Check]:
    """Check that the certified expectation is possible for the released classes.

    To check the exact estimate, the recipient would need the suppressed classes too.
    """
    expected = certificate.expected_below_k
    if expected is None:
        return []
    name = "the expectation matches the groups"
    released = certificate.counts.released - certificate.counts.masked
    if (wrong := contradiction(expected, released, table.counts, models)) is not None:
        return [Check(name, passed=False, detail=wrong)]
    low, records, high = (f"{expected[key]:,}" for key in ("low", "records", "high"))
    return [Check(name, passed=True, detail=f"{records} records, between {low} and {high}")]


def _check_counts(table: FrequencyTable, certificate: Certificate, policy: Policy) -> list[Check]:
    counts = certificate.counts
    masked, alike = _masked(table), _alike(table, certificate)
    as_promised = not alike or (alike > 0 and policy.hides_all)
    adds_up = (
        counts.suppressed == counts.masked + counts.dropped
        and counts.records == counts.released + counts.dropped
    )
    suppressed, number, units = suppression_within(certificate, policy)
    limit = policy.suppression.most(number)
    found = [
        (
            "the number of records matches the certificate",
            table.records == counts.released,
            f"{table.records:,} found, {counts.released:,} certified",
        ),
        (
            "the number of suppressed records matches the certificate",
            as_promised,
            f"{masked:,} masked records found, {counts.masked:,} certified",
        ),
        (
            "the certified counts add up",
            adds_up,
            _added_up(counts),
        ),
        (
            "suppression is within the limit",
            suppressed <= limit,
            f"{suppressed:,} of {number:,} {units}, limit {limit:,}",
        ),
    ]
    return [Check(*one) for one in found]


def _check_risk(table: FrequencyTable, certificate: Certificate) -> Check:
    risk = prosecutor_risk(_sizes(table, certificate.counts.masked), 1.0)
    certified = certificate.risk
    same = (
        isclose(risk.maximum, certified.maximum, rel_tol=1e-9)
        and isclose(risk.average, certified.average, rel_tol=1e-9)
        and (risk.classes, risk.smallest) == (certified.classes, certified.smallest_class)
    )
    star = (
        f" ({certified.maximum_of_masked:.4g} for the records with *)" if certified.masked else ""
    )
    detail = f"highest {risk.maximum:.4g}{star}, average {risk.average:.4g}"
    return Check("the risk matches the certificate", same, detail)


def _masked(table: FrequencyTable) -> int:
    return int(table.counts[~visible(table)].sum())


def _alike(table: FrequencyTable, certificate: Certificate) -> int:
    """Count the records that have only ``*``, whether from the policy or in the original."""
    return _masked(table) - certificate.counts.masked


def _added_up(counts: Counts) -> str:
    """Describe the counts. A masked record is in the file but does not count as released."""
    masked = f"{counts.masked:,} with {SUPPRESSED} in every quasi-identifier, "
    return (
        f"{counts.released - counts.masked:,} released, {masked if counts.masked else ''}"
        f"{counts.dropped:,} left out, {counts.records:,} in all"
    )
