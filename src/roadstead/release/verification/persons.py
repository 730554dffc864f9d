"""Check what a released table promises of persons, as far as whoever receives it can.

Where rows are linked everything can be counted: the persons are the pseudonyms. For each number of
rows that may be known, every multiset of so many rows of a person is listed, and the persons who
have it are added up; nothing is drawn, hashed or taken over from the search. Where rows are not
linked the table says of a class how many rows it has, and not of how many persons these are: that
is certified, and nobody can check it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.printable import named
from roadstead.privacy.models.person_anonymity import Known, PersonAnonymity
from roadstead.release.verification.checks import Check, counted
from roadstead.tables.frequency import FrequencyTable, canonical

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.release.certificate import Certificate

_AT_ONCE = 2_000_000
"""Multisets that are listed at once."""
_MOST_NUMBERED = 2**63
_PSEUDONYM = re.compile("[a-z2-7]{26}")
"""128 bits in 26 letters and digits, as `roadstead.release.pseudonyms` writes them."""


@dataclass(frozen=True)
class FewFit:
    """What may be known of persons that fits fewer than k of them."""

    smallest: int  # least number of persons who fit anything that may be known
    persons: int  # persons of whom something may be known that fits fewer than k


def few_fit(table: FrequencyTable, k: int, knows: Known) -> FewFit | None:
    """Count whom what may be known fits, in a table whose combinations are the classes.

    None where the multisets of so many rows cannot be numbered with 64 bits.
    """
    persons = table.persons
    if persons is None:
        raise ValueError("the table does not say whose its rows are")
    if knows == "all":  # a profile is the persons with the same rows, each equally often
        people = persons.people
        return FewFit(int(people.min()), int(people[people < k].sum()))
    classes, number = _classes(table)
    if (number + 1) ** knows >= _MOST_NUMBERED:
        return None
    found = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for keys, owners in _multisets(table, classes, number, knows):
        each, place = np.unique(keys, return_inverse=True)
        support = np.zeros(each.size, np.int64)
        np.add.at(support, place, persons.people[owners])
        found[0].append(each)
        found[1].append(support)
    each, place = np.unique(np.concatenate(found[0]), return_inverse=True)
    support = np.zeros(each.size, np.int64)
    np.add.at(support, place, np.concatenate(found[1]))
    few = each[support < k]
    exposed = np.zeros(persons.people.size, np.bool_)
    if few.size:
        for keys, owners in _multisets(table, classes, number, knows):
            exposed[owners[np.isin(keys, few)]] = True
    return FewFit(int(support.min()), int(persons.people[exposed].sum()))


def _classes(table: FrequencyTable) -> tuple[NDArray[np.int64], int]:
    """Number the combination of each row, from 0; and how many there are."""
    merged, classes = canonical(table.attributes, table.domains, table.codes, table.counts)
    return classes, merged.distinct


def _multisets(
    table: FrequencyTable, classes: NDArray[np.int64], number: int, most: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """List the multisets of up to `most` rows of a person of each profile, and the profiles.

    A multiset is a number of `most` digits, one a row: its class, or one above all for no row.
    """
    persons = table.persons
    assert persons is not None  # noqa: S101 - as the caller found
    owners = persons.owners.astype(np.int64)
    ends = np.searchsorted(owners, owners, side="right")
    rows = np.arange(owners.size)
    for block in np.array_split(rows, max(1, -(-_listed(owners, most) // _AT_ONCE))):
        # A multiset so far: its number, its last row, and how often that is in it.
        keys, last, used = classes[block], block, np.ones(block.size, np.int64)
        yield _size(keys, 1, number), owners[last]
        for rows_known in range(2, most + 1):
            room = ends[last] - last
            place = np.repeat(np.arange(last.size), room)
            following = np.arange(place.size) - np.repeat(np.cumsum(room) - room, room)
            chosen = last[place] + following
            again = np.where(following == 0, used[place] + 1, 1)
            can = again <= persons.times[chosen]
            place, last, used = place[can], chosen[can], again[can]
            keys = keys[place] * number + classes[last]
            yield _size(keys, rows_known, number), owners[last]


def _size(keys: NDArray[np.int64], rows: int, number: int) -> NDArray[np.int64]:
    """Tell multisets of different sizes apart."""
    return keys + sum(number**smaller for smaller in range(1, rows))


def _listed(owners: NDArray[np.int64], most: int) -> int:
    """Bound the number of multisets of `most` rows."""
    rows = np.bincount(owners).astype(np.float64)
    return int((rows**most).sum())


def check_known(table: FrequencyTable, model: PersonAnonymity) -> Check:
    """Check that whatever may be known of a person of a table fits at least k of them."""
    persons, name = table.persons, named(model.name)
    if persons is None:
        raise ValueError("the table does not say whose its rows are")
    found = few_fit(table, model.k, model.knows)
    if found is None:
        detail = "there are too many classes to count that many rows together"
        return Check(name, passed=False, detail=detail)
    people = counted(persons.number, "person")
    wrong = (
        f"of {found.persons:,} of {people} something may be known that fits fewer than "
        f"{model.k:,} of them; the fewest are {found.smallest:,}"
    )
    evidence = f"{people}; what may be known of one fits {found.smallest:,} or more"
    return Check.of(name, wrong if found.persons else None, evidence)


def check_rows(table: FrequencyTable, model: PersonAnonymity) -> Check:
    """Check that a class has k rows, which is all a table can show that does not link them."""
    smallest = int(table.counts.min())
    classes = counted(table.distinct, "class", "classes")
    return Check.of(
        f"each class has at least {model.k:,} rows",
        f"the smallest of {classes} has {smallest:,}" if smallest < model.k else None,
        f"{classes}, the smallest of {counted(smallest, 'row')}",
    )


def _check_pseudonyms(names: Sequence[str]) -> Check:
    """Check that what names the persons could be pseudonyms, and is no record number."""
    foreign = sum(_PSEUDONYM.fullmatch(name) is None for name in names)
    return Check.of(
        "persons have pseudonyms",
        f"{foreign:,} of {counted(len(names), 'person')} have a name that is none"
        if foreign
        else None,
        counted(len(names), "pseudonym"),
    )


def check_persons(
    certificate: Certificate,
    policy: Policy,
    models: Sequence[PrivacyModel],
    linked: FrequencyTable | None,
) -> list[Check]:
    """Check what is certified of persons; nothing where neither policy nor certificate has any.

    `linked`: the table with the persons that its pseudonyms name, where rows are linked.
    """
    rules, certified = policy.persons, certificate.persons
    known = [one.knows for one in models if isinstance(one, PersonAnonymity)]
    if rules is None and certified is None and not known:
        return []
    name = "whose the records are is as the policy says"
    if rules is None or certified is None:
        return [Check(name, passed=False, detail="one of certificate and policy does not say it")]
    same = (rules.column, rules.link) == (certified.column, certified.linkage)
    same &= [certified.knows] == (known or [None])
    same &= all(one.person == rules.column for one in models if isinstance(one, PersonAnonymity))
    same &= (rules.link == "pseudonym") == (certified.pseudonyms is not None)
    how = "rows of one person are linked" if rules.link == "pseudonym" else "rows are not linked"
    checks = [Check.of(name, None if same else "it says something else", how)]
    if linked is not None and linked.persons is not None:
        number = linked.persons.number
        found = f"{number:,} found, {certified.released:,} certified"
        checks += [
            _check_pseudonyms(linked.persons.names),
            Check("the number of persons is as certified", number == certified.released, found),
        ]
    released = certificate.counts.released
    adds_up = (
        certified.persons == certified.released + certified.left_out
        and certified.in_part <= certified.released <= released
        and certified.left_out + certified.in_part <= certificate.counts.suppressed
        and (certified.left_out + certified.in_part > 0) == (certificate.counts.suppressed > 0)
    )
    numbers = (
        f"{certified.released:,} released and {certified.left_out:,} left out of "
        f"{certified.persons:,}"
    )
    return [*checks, Check("the certified numbers of persons add up", adds_up, numbers)]


def suppression_within(certificate: Certificate, policy: Policy) -> tuple[int, int, str]:
    """Give what the suppression limit is about: how many are suppressed, of how many, of what.

    Persons, where a model leaves them out whole; else records.
    """
    certified, counts = certificate.persons, certificate.counts
    whole = any(
        settings.get("kind") == PersonAnonymity.kind and settings.get("leaves_out") == "persons"
        for settings in policy.privacy
    )
    if certified is None or not whole:
        return counts.suppressed, counts.records, "records"
    return certified.left_out, certified.persons, "persons"


def unchecked_of_persons(policy: Policy) -> tuple[str, ...]:
    """Name what a release says of persons that nobody can check from its files."""
    if policy.persons is None:
        return ()
    if policy.persons.link == "pseudonym":
        return ("that each pseudonym stands for one person, and each person has one",)
    return (
        "how many distinct persons each class has, which is certified: rows that are not linked do "
        "not show it, so only the rows of each class were counted",
    )


def rests_on(policy: Policy, models: Sequence[PrivacyModel]) -> str:
    """Say what a promise to persons rests on where their rows are not linked; else nothing."""
    counts_persons = any(isinstance(model, PersonAnonymity) for model in models)
    if policy.persons is None or policy.persons.link == "pseudonym" or not counts_persons:
        return ""
    return "the certified number of distinct persons in each class, by whoever made the release"
