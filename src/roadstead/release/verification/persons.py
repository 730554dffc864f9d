"""Check the requirements for people in a released table, as far as a recipient can do this.

If rows are linked, each pseudonym represents a person, so everything can be counted. For each
number of rows that an attacker may know, the module lists every multiset of so many rows of a
person. For each multiset, it counts the people who have it. The module does not use any code of the
search. If rows are not linked, the table does not show how many people are in a class, so a
recipient cannot check the certified number. But the table shows the values of each class.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isclose
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import Classes
from roadstead.printable import named
from roadstead.privacy.models.person_anonymity import Known, PersonAnonymity
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.release.generalized import every_row_a_class
from roadstead.release.persons.multisets import fitting_by_blocks, rows_of_classes
from roadstead.release.persons.pseudonyms import FORM
from roadstead.release.verification.checks import Check, counted
from roadstead.risk.persons.prosecutor import PersonRisk, person_risk
from roadstead.tables.frequency import FrequencyTable, canonical
from roadstead.tables.persons.profiles import Persons, summarize_persons

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.release.certificate import Certificate, MeasuredRisk
    from roadstead.tables.source import Source

_PSEUDONYM = re.compile(FORM)
"""The pattern of a pseudonym: 26 letters and digits that encode 128 bits."""


class LinkedRows:
    """The rows of each person in a table, and the people who match an attacker's knowledge."""

    def __init__(self, source: Source, person: str, quasi: Sequence[str]) -> None:
        """Count the rows of each person. `person` is the column that identifies people."""
        self._read = source, person, quasi
        self.table = summarize_persons(source, person, quasi)
        assert self.table.persons is not None  # noqa: S101 - just counted
        self.persons: Persons = self.table.persons
        self._fitting: dict[Known, NDArray[np.int64] | None] = {}

    def fitting(self, knows: Known) -> NDArray[np.int64] | None:
        """For each profile, return the smallest number of people who match an attacker's knowledge.

        The method returns None if there are too many combinations.
        """
        if knows not in self._fitting:
            self._fitting[knows] = self._counted(knows)
        return self._fitting[knows]

    def _counted(self, knows: Known) -> NDArray[np.int64] | None:
        persons, table = self.persons, self.table
        if knows == "all":  # A profile contains the people who have identical rows and counts.
            return persons.people
        classes = canonical(table.attributes, table.domains, table.codes, table.counts)[1]
        return fitting_by_blocks(rows_of_classes(persons, classes), persons.people, knows)

    def holds(self, model: ValuesOfPersons) -> tuple[int, int]:
        """Return the number of groups to which the model applies, and the number that fail."""
        source, person, quasi = self._read
        table = summarize_persons(source, person, quasi, model.columns)
        assert table.persons is not None  # noqa: S101 - just counted
        if model.knows == "all":  # each person has a separate profile here
            groups = self.persons.profiles[table.persons.owners]
        else:
            groups = canonical(table.attributes, table.domains, table.codes, table.counts)[1]
        number = int(groups.max()) + 1
        rows = np.arange(table.distinct, dtype=np.uint64)
        sizes = np.bincount(groups, table.counts, number).astype(np.int64)
        classes = Classes(
            (rows << np.uint64(32)) | groups.astype(np.uint64),
            np.arange(number, dtype=np.uint32),
            sizes,
        )
        return number, int((~model.bind(table).satisfied(classes)).sum())

    def risk(self, knows: Known) -> PersonRisk | None:
        """Compute the risk of the people, or return None if there are too many combinations."""
        fitting = self.fitting(knows)
        return None if fitting is None else person_risk(self.persons, fitting, knows, 1.0)


def check_known(linked: LinkedRows, model: PersonAnonymity) -> Check:
    """Check that everything that an attacker may know about a person matches at least k people."""
    persons, name, fitting = linked.persons, named(model.name), linked.fitting(model.knows)
    if fitting is None:
        detail = (
            "there are too many groups to count all combinations of rows that an attacker may know"
        )
        return Check(name, passed=False, detail=detail)
    people, smallest = counted(persons.number, "person"), int(fitting.min())
    few = int(persons.people[fitting < model.k].sum())
    wrong = (
        f"for {few:,} of {people}, an attacker may know something that matches fewer than "
        f"{model.k:,} people; the smallest number of matching people is {smallest:,}"
    )
    evidence = f"{people}; anything that an attacker may know matches at least {smallest:,} people"
    return Check.of(name, wrong if few else None, evidence)


def check_values(linked: LinkedRows, model: ValuesOfPersons) -> Check:
    """Check a privacy model in the groups of people that an attacker may find."""
    groups, failing = linked.holds(model)
    found = counted(groups, "group", "groups")
    wrong = f"{failing:,} of {found} fail" if failing else None
    evidence = f"{found}; each person counts once per value"
    said = "" if model.terms is None else f". {model.terms.rstrip('.')}"
    return Check.of(named(model.name), wrong, f"{evidence}{said}")


def check_rows(table: FrequencyTable, model: PersonAnonymity) -> Check:
    """Check that each class has k rows, because a table without links does not show people."""
    smallest = int(table.counts.min())
    classes = counted(table.distinct, "group")
    return Check.of(
        f"every group has at least {model.k:,} rows",
        f"the smallest of {classes} has only {smallest:,}" if smallest < model.k else None,
        f"{classes}; the smallest has {counted(smallest, 'row')}",
    )


def check_values_of_rows(table: FrequencyTable, model: ValuesOfPersons) -> tuple[Check, ...]:
    """Check that each class has enough different values. This check does not require the people.

    If an attacker knows all rows of a person, the values in all classes of this person count.
    """
    if not model.refuted_by_rows:
        return ()
    failing = int((~model.bind_rows(table).satisfied(every_row_a_class(table))).sum())
    groups, name = counted(table.distinct, "group"), named(model.name)
    if not model.proven_by_release(linked=False):
        name = f"every group has enough different values for {name}"
    wrong = f"in {failing:,} of {groups}, there are too few different values" if failing else None
    said = "" if model.terms is None else f". {model.terms.rstrip('.')}"
    return (Check.of(name, wrong, f"{groups}; none has too few different values{said}"),)


def _check_pseudonyms(names: Sequence[str]) -> Check:
    """Check that the names of people have the form of pseudonyms, and are not record numbers."""
    foreign = sum(_PSEUDONYM.fullmatch(name) is None for name in names)
    return Check.of(
        "every person has a pseudonym",
        (
            f"for {foreign:,} of {counted(len(names), 'person', 'people')}, the name is not a "
            "pseudonym"
        )
        if foreign
        else None,
        counted(len(names), "pseudonym"),
    )


def check_persons(
    certificate: Certificate,
    policy: Policy,
    models: Sequence[PrivacyModel],
    linked: LinkedRows | None,
) -> list[Check]:
    """Check the certified facts about people, if there are such facts."""
    rules, certified = policy.persons, certificate.persons
    known = [one.knows for one in models if isinstance(one, PersonAnonymity)]
    if rules is None and certified is None and not known:
        return []
    name = "the policy and the certificate agree on the person ID"
    if rules is None or certified is None:
        return [
            Check(
                name,
                passed=False,
                detail="the certificate or the policy mentions a person ID, but not both",
            )
        ]
    same = (rules.column, rules.link) == (certified.column, certified.linkage)
    same &= certified.knows == (known[0] if known else None) and len(known) <= 1
    in_persons = (m for m in models if isinstance(m, PersonAnonymity | ValuesOfPersons))
    same &= all(model.person == rules.column for model in in_persons)
    same &= (rules.link == "pseudonym") == (certified.pseudonyms is not None)
    how = "the rows of a person are linked" if rules.link == "pseudonym" else "without pseudonyms"
    checks = [Check.of(name, None if same else "the certificate contradicts the policy", how)]
    if linked is not None:
        number = linked.persons.number
        found = f"{number:,} found, {certified.released:,} certified"
        checks += [
            _check_pseudonyms(linked.persons.names),
            Check(
                "the number of people matches the certificate", number == certified.released, found
            ),
        ]
    released = certificate.counts.released
    whole = suppression_within(certificate, policy)[2] == "persons"
    adds_up = (
        (certified.in_part == 0 or not whole)
        and certified.persons == certified.released + certified.left_out
        and certified.in_part <= certified.released <= released
        and certified.left_out + certified.in_part <= certificate.counts.suppressed
        and (certified.left_out + certified.in_part > 0) == (certificate.counts.suppressed > 0)
    )
    numbers = (
        f"{certified.released:,} released ({certified.in_part:,} without some of their records), "
        f"{certified.left_out:,} left out, {certified.persons:,} in all"
    )
    return [*checks, Check("the certified numbers of people add up", adds_up, numbers)]


def check_risk_of_persons(
    table: FrequencyTable,
    linked: LinkedRows | None,
    certified: MeasuredRisk,
    knows: Known,
    k: int = 1,
) -> Check:
    """Check the certified risk of people.

    If rows are not linked, the function checks only two things: whether the certified risk is
    possible, and whether the certified number of matching people is at least k. A class has at most
    as many people as rows. So the size of the smallest class limits the number of matching people,
    and the size of the largest class limits the average risk.
    """
    if linked is None:
        smallest = int(table.counts.min())
        can = (
            certified.classes == table.distinct
            and k <= certified.smallest_class <= smallest
            and isclose(certified.maximum, 1 / certified.smallest_class, rel_tol=1e-9)
            and (1 - 1e-9) / int(table.counts.max())
            <= certified.average
            <= certified.maximum * (1 + 1e-9)
        )
        detail = (
            f"{counted(table.distinct, 'group')}; the smallest has "
            f"{counted(smallest, 'row')}; according to the certificate, at least "
            f"{certified.smallest_class:,} people match"
        )
        return Check("the certified risk of people matches the groups", can, detail)
    name, risk = "the risk of people matches the certificate", linked.risk(knows)
    if risk is None:
        return Check(name, passed=False, detail="there are too many groups to compute the risk")
    same = (
        isclose(risk.maximum, certified.maximum, rel_tol=1e-9)
        and isclose(risk.average, certified.average, rel_tol=1e-9)
        and (table.distinct, risk.smallest) == (certified.classes, certified.smallest_class)
    )
    return Check(name, same, f"highest {risk.maximum:.4g}, average {risk.average:.4g}")


def suppression_within(certificate: Certificate, policy: Policy) -> tuple[int, int, str]:
    """Return the number suppressed, the total, and the unit, for the suppression limit.

    The unit is people if a model suppresses people with all their records. Otherwise, the unit is
    records.
    """
    certified, counts = certificate.persons, certificate.counts
    whole = any(
        settings.get("kind") == PersonAnonymity.kind and settings.get("leaves_out") == "persons"
        for settings in policy.privacy
    )
    if certified is None or not whole:
        return counts.suppressed, counts.records, "records"
    return certified.left_out, certified.persons, "persons"


def unchecked_of_persons(policy: Policy, models: Sequence[PrivacyModel]) -> tuple[str, ...]:
    """Return the facts about people that the files cannot confirm."""
    if policy.persons is None:
        return ()
    unproven = [_unproven_words(model, policy) for model in _unproven(policy, models)]
    if policy.persons.link == "pseudonym":
        return ("whether each pseudonym belongs to exactly one person", *unproven)
    return (
        "how many different people each group has (the certificate states these numbers, but "
        "the release has no pseudonyms, so only the rows of each group were counted)",
        *unproven,
    )


def _unproven(policy: Policy, models: Sequence[PrivacyModel]) -> list[ValuesOfPersons]:
    """Return the models that the released rows can disprove, but not prove."""
    linked = policy.linked_by is not None
    of_values = (model for model in models if isinstance(model, ValuesOfPersons))
    return [model for model in of_values if not model.proven_by_release(linked=linked)]


def _unproven_words(model: ValuesOfPersons, policy: Policy) -> str:
    of_rows = policy.linked_by is None and model.refuted_by_rows
    counted_only = " (only the different values of each group were counted)" if of_rows else ""
    return f"{named(model.name)}{counted_only}"


def rests_on(policy: Policy, models: Sequence[PrivacyModel]) -> str:
    """Return the facts about people on which the requirements depend, and which no file shows."""
    if policy.persons is None:
        return ""
    counts_persons = any(isinstance(model, PersonAnonymity) for model in models)
    unlinked = counts_persons and policy.linked_by is None
    facts = ["the certified number of different people in each group"] if unlinked else []
    columns = dict.fromkeys(name for one in _unproven(policy, models) for name in one.columns)
    facts += [f"the number of people who have each value of {named(name)}" for name in columns]
    ends = "depend" if len(facts) > 1 else "depends"
    made = f", which {ends} on the people who made the release"
    return " and ".join(facts) + made if facts else ""
