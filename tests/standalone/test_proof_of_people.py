"""Proofs of k-anonymity for people, if an attacker knows one row and single rows are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import definition
import persons_by_definition as plain
from effort import EXPLORING
from persons_by_definition import Population
from small_proofs import (
    Document,
    closed_early,
    document_of,
    is_refused,
    with_a_leaf_less,
    with_other_numbers,
)

from roadstead.errors import SettingError
from roadstead.search.proof_document import ProofTerms, proof_requirement
from roadstead.standalone import check_proof


def people() -> Iterator[Population]:
    """Draw small populations with some records per person."""
    drawn = plain.populations(200 if EXPLORING else 50, int(EXPLORING), 1, "rows")
    return (replace(one, average_over="rows") for one in drawn)


def proof(population: Population) -> Document | None:
    """Return the document; None without an allowed policy, or if losses are too close."""
    share = min(1.0, (population.limit + 0.5) / sum(map(len, population.persons)))
    requirements = tuple(proof_requirement(one, population.table()) for one in population.models)
    terms = ProofTerms(requirements, share)
    try:
        return document_of(population.case, population.problem(), terms)
    except SettingError:  # enumeration is exact, but the search rounds to twelve decimals
        return None


def checked(document: Document, population: Population, *, arrays: bool = False) -> Counter[str]:
    """Check a document on the records with the person IDs."""
    claim = check_proof.Claim(document)
    records = Counter(
        (*population.case.rows[row], f"p{person}")
        for person, own in enumerate(population.persons)
        for row, _ in own
    )
    return check_proof.Checker(claim, records, arrays=arrays).run()


def test_a_proof_for_people_exists_and_checks_where_enumeration_agrees() -> None:
    """The policy, its suppressed records, and the number of closed policies are the same."""
    proven = 0
    for population in people():
        expected, document = plain.best(population), proof(population)
        if document is None:
            continue
        assert expected is not None
        assert tuple(document["policy"]["levels"]) == expected.levels
        assert document["policy"]["suppressed"] == expected.missing
        closed = checked(document, population)
        assert closed == checked(document, population, arrays=True)
        assert closed.total() == len([*definition.policies(population.case)])
        proven += 1
    assert proven > 25


def test_no_wrong_proof_for_people_is_accepted() -> None:
    """Another k, records of another person, records that count as people, and other faults."""
    refused: Counter[str] = Counter()
    for population in people():
        document, best = proof(population), plain.best(population)
        if document is None or best is None or not any(document["policy"]["losses"]):
            continue  # if the best policy loses nothing, any step may close any box
        case = population.case
        stricter = replace(population, case=replace(case, k=case.k + 1))
        if (other := plain.best(stricter)) is None or other.kept != best.kept:
            requirement = {**document["requirements"][0], "k": case.k + 1}
            wrong = {**document, "requirements": [requirement]}
            refused["another k"] += is_refused(wrong, partial(checked, population=population))
        joined = (population.persons[0] + population.persons[1], *population.persons[2:])
        elsewhere = replace(population, persons=joined)
        refused["another person"] += is_refused(document, partial(checked, population=elsewhere))
        kinds = {
            "a box left out": with_a_leaf_less(document),
            "a box closed early": closed_early(document),
            "another number": with_other_numbers(document),
        }
        for fault, ones in kinds.items():
            for one in ones:
                refused[fault] += is_refused(one, partial(checked, population=population))
    assert len(refused) == 5
    assert min(refused.values()) >= 10
