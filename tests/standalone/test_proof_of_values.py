"""Proofs with requirements of a sensitive column, checked and compared with enumeration."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, product

import definition
import numpy as np
import pytest
from effort import EXPLORING, examples, thorough
from hypothesis import assume, given
from hypothesis import strategies as st
from lattices import Admits, Case, cases
from small_proofs import (
    Document,
    closed_early,
    document_of,
    drawn,
    is_refused,
    share_of,
    with_a_leaf_less,
    with_another_policy,
    with_other_numbers,
)

from roadstead.errors import SettingError
from roadstead.policies.encoding import encode
from roadstead.privacy.blanks import Blank
from roadstead.privacy.combination import bind_all
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.recursive_cl_diversity import RecursiveCLDiversity
from roadstead.privacy.models.t_closeness import TCloseness
from roadstead.privacy.protocol import PrivacyModel
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.proof_document import ProofTerms, proof_requirement
from roadstead.standalone import check_proof
from roadstead.standalone.check_proof import WrongProofError
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import histogram

SPLITS = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=30, max_size=30)
"""Which of five values the first records of each row have; the fifth is blank."""
VALUES = ("flu", "hiv", "ms", "tb", " ")
BLANKS: st.SearchStrategy[Blank] = st.sampled_from(["no-value", "value"])
SHARES = st.sampled_from([0.0, 0.1, 0.15, 0.25, 0.4])
ORDERS = st.permutations(VALUES).map(tuple)
MODELS: dict[str, st.SearchStrategy[PrivacyModel]] = {
    "distinct": st.builds(DistinctLDiversity, st.just("dx"), st.integers(2, 3), BLANKS),
    "recursive": st.builds(
        RecursiveCLDiversity,
        st.just("dx"),
        st.sampled_from([0.4, 0.5, 1.0, 1.5, 2.5]),
        st.integers(2, 3),
        BLANKS,
    ),
    "equal": st.builds(TCloseness, st.just("dx"), SHARES),
    "ordered": st.builds(TCloseness, st.just("dx"), SHARES, st.just("ordered"), ORDERS),
}


OTHERS: dict[str, list[tuple[PrivacyModel, PrivacyModel]]] = {
    "distinct": [(DistinctLDiversity("dx", 2), DistinctLDiversity("dx", 3))],
    "recursive": [
        (RecursiveCLDiversity("dx", 1.5, 2), RecursiveCLDiversity("dx", 1.0, 2)),
        (RecursiveCLDiversity("dx", 2.5, 2), RecursiveCLDiversity("dx", 2.5, 3)),
    ],
    "equal": [(TCloseness("dx", 0.4), TCloseness("dx", 0.2))],
    "ordered": [
        (TCloseness("dx", 0.2, "ordered", VALUES), TCloseness("dx", 0.1, "ordered", VALUES)),
        (TCloseness("dx", 0.25, "ordered", VALUES), TCloseness("dx", 0.15, "ordered", VALUES)),
    ],
}
"""Pairs of models, of which the second is stricter."""


def satisfies(model: PrivacyModel, values: Counter[str], whole: Counter[str]) -> bool:
    """Whether the values of a class satisfy a model of the column, by its definition."""
    if isinstance(model, TCloseness):
        return bool(values) and distance(values, whole, model.order) <= Fraction(repr(model.t))
    assert isinstance(model, DistinctLDiversity | RecursiveCLDiversity)
    own = sorted((n for v, n in values.items() if v != " " or model.blank == "value"), reverse=True)
    if isinstance(model, DistinctLDiversity):
        return len(own) >= model.l
    return bool(own) and own[0] < Fraction(repr(model.c)) * sum(own[model.l - 1 :])


def distance(values: Counter[str], whole: Counter[str], order: tuple[str, ...] | None) -> Fraction:
    """Return the earth mover's distance of a class to the whole table."""
    apart = [
        Fraction(values[v], values.total()) - Fraction(whole[v], whole.total())
        for v in order or VALUES
        if whole[v]
    ]
    if order is None:
        return sum(map(abs, apart), Fraction(0)) / 2
    return sum(map(abs, accumulate(apart)), Fraction(0)) / max(len(apart) - 1, 1)


@dataclass(frozen=True)
class Sensitive:
    """A case in which the records of each row have values of a sensitive column."""

    case: Case
    values: tuple[Counter[str], ...]

    @classmethod
    def of(cls, case: Case, splits: list[list[int]]) -> Sensitive:
        """Give the records of each row the values of its split, in turn."""
        pairs = zip(splits, case.counts, strict=False)
        values = (Counter(VALUES[split[at % 3]] for at in range(n)) for split, n in pairs)
        return cls(case, tuple(values))

    def table(self) -> FrequencyTable:
        """Return the table with the column."""
        domain = tuple(sorted(VALUES))
        entries = [
            (row, domain.index(v), n) for row, own in enumerate(self.values) for v, n in own.items()
        ]
        rows, codes, counts = (np.array(column) for column in zip(*entries, strict=True))
        histograms = histogram(
            "dx", domain, (rows, codes.astype(np.int32), counts), len(self.values)
        )
        return replace(self.case.table(), alongside=(histograms,))

    def problem(self, models: Sequence[PrivacyModel], table: FrequencyTable) -> FullDomainProblem:
        """Return the problem with these models."""
        encoding = encode(table, [attribute.hierarchy() for attribute in self.case.attributes])
        return replace(self.case.problem(bind_all(models, table)), encoding=encoding)

    def proof(self, *further: PrivacyModel) -> Document | None:
        """Return the document for models and k-anonymity."""
        models, table = [KAnonymity(self.case.k), *further], self.table()
        requirements = tuple(proof_requirement(one, table) for one in models)
        terms = ProofTerms(requirements, share_of(self.case), "dx")
        return document_of(self.case, self.problem(models, table), terms)

    def inside(self, rows: Sequence[int]) -> Counter[str]:
        """Add up the values of rows."""
        return sum((self.values[row] for row in rows), Counter())

    def admits(self, *models: PrivacyModel) -> Admits:
        """Return whether rows may be a class under models and k-anonymity."""
        enough = definition.large_enough(self.case)
        whole = self.inside(range(len(self.values)))
        return lambda rows: (
            enough(rows) and all(satisfies(model, self.inside(rows), whole) for model in models)
        )

    def best(self, *models: PrivacyModel) -> definition.Judged | None:
        """Enumerate the policies."""
        return definition.best(self.case, self.admits(*models))

    def checked(self, document: Document, *, arrays: bool = False) -> Counter[str]:
        """Check a document on the table."""
        claim = check_proof.Claim(document)
        pairs = zip(self.case.rows, self.values, strict=True)
        rows = Counter({(*row, v): n for row, own in pairs for v, n in own.items()})
        return check_proof.Checker(claim, rows, arrays=arrays).run()


@pytest.mark.parametrize("kind", MODELS)
@thorough
@given(cases(), SPLITS, st.data())
def test_a_proof_of_values_exists_and_checks_exactly_where_enumeration_agrees(
    kind: str, case: Case, splits: list[list[int]], data: st.DataObject
) -> None:
    """Groups also satisfy a model of a sensitive column, which need not be monotone."""
    sensitive, model = Sensitive.of(case, splits), data.draw(MODELS[kind])
    expected = sensitive.best(model)
    try:
        document = sensitive.proof(model)
    except SettingError:
        assume(False)
    if expected is None or document is None:
        assert expected is None
        assert document is None
        return
    assert tuple(document["policy"]["levels"]) == expected.levels
    assert tuple(document["policy"]["losses"]) == expected.losses
    assert document["policy"]["suppressed"] == expected.suppressed
    closed = sensitive.checked(document)
    assert closed == sensitive.checked(document, arrays=True)
    assert closed.total() == len(list(definition.policies(case)))


SINGLE = Case((), ((),), (0,), 2, 0, "arithmetic", None, (), ())


@pytest.mark.nightly
def test_a_proof_may_have_several_requirements_of_one_column() -> None:
    """The bounds of several models are combined, also with k-anonymity."""
    proven = 0
    for seed in range(200 if EXPLORING else 40):
        case, chance = drawn(seed), random.Random(seed)  # noqa: S311 - not a secret
        splits = [chance.choices(range(5), (4, 3, 2, 2, 1), k=3) for _ in case.rows]
        models = [model for pairs in OTHERS.values() for model in chance.choice(pairs)]
        sensitive, chosen = Sensitive.of(case, splits), chance.sample(models, 3)
        expected, document = sensitive.best(*chosen), sensitive.proof(*chosen)
        if expected is None or document is None:
            assert expected is None
            assert document is None
            continue
        assert tuple(document["policy"]["levels"]) == expected.levels
        assert document["policy"]["suppressed"] == expected.suppressed
        assert sensitive.checked(document) == sensitive.checked(document, arrays=True)
        proven += 1
    assert proven > 30


FEW = st.dictionaries(st.sampled_from(VALUES), st.integers(1, 3), min_size=1).map(Counter)


def parts(held: Counter[str]) -> Iterator[Counter[str]]:
    """Yield all parts of a class, by the values of their records."""
    for numbers in product(*(range(number + 1) for number in held.values())):
        yield +Counter(dict(zip(held, numbers, strict=True)))


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", MODELS)
@examples(200)
@given(FEW, FEW, st.data())
def test_a_bound_is_monotone_and_holds_for_every_part(
    kind: str, held: Counter[str], others: Counter[str], data: st.DataObject
) -> None:
    """No part has a larger bound, and every union of parts that satisfy the model satisfies it."""
    model, whole = data.draw(MODELS[kind]), held + others
    table = Sensitive(SINGLE, (whole,)).table()
    [(_, most)] = check_proof.read_requirements([proof_requirement(model, table)])[2]
    some = [one for one in parts(held) if one]
    valid = [one for one in some if satisfies(model, one, whole)]
    largest = max((one.total() for one in valid), default=0)
    bound = most(held, whole)
    assert bound >= largest if isinstance(model, TCloseness) else bound == largest
    assert all(most(one, whole) <= bound for one in some)
    assert (bound == held.total()) == satisfies(model, held, whole)
    for one in valid:
        assert all(satisfies(model, one + other, whole) for other in valid[::7])


@pytest.mark.parametrize("order", [[["flu"], ["flu"]], [["flu"], ["hiv", "hiv"]], [["flu"]], []])
def test_an_order_without_one_place_for_each_value_is_refused(order: list[list[str]]) -> None:
    """Fault class: a value with two places hides one without, if both have equal numbers."""
    requirement = {"kind": "t-closeness", "column": "dx", "t": "0.1", "distance": "ordered"}
    held = Counter({"flu": 2, "hiv": 2})

    def bound() -> int:
        [(_, most)] = check_proof.read_requirements([{**requirement, "order": order}])[2]
        return most(held, held)

    with pytest.raises(WrongProofError):
        bound()


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", OTHERS)
def test_no_wrong_proof_of_values_is_accepted(kind: str) -> None:
    """A model with another parameter, another table, and the same faults as above."""
    refused: Counter[str] = Counter()
    for seed in range(12):
        case, chance = drawn(seed), random.Random(seed)  # noqa: S311 - not a secret
        splits = [chance.choices(range(5), (4, 3, 2, 2, 1), k=3) for _ in case.rows]
        sensitive, elsewhere = Sensitive.of(case, splits), Sensitive.of(case, splits[1:] + splits)
        for models in OTHERS[kind]:
            for model, other in (models, models[::-1]):
                if (document := sensitive.proof(model)) is not None:
                    refused["another table"] += is_refused(document, elsewhere.checked)
                for fault, document in wrong_proofs(sensitive, model, other):
                    refused[fault] += is_refused(document, sensitive.checked)
    assert len(refused) == 6
    assert min(refused.values()) >= 10


def wrong_proofs(
    sensitive: Sensitive, model: PrivacyModel, other: PrivacyModel
) -> Iterator[tuple[str, Document]]:
    """Yield wrong proofs with their faults."""
    best, document = sensitive.best(model), sensitive.proof(model)
    if best is None or document is None:
        return
    sensitive.checked(document)
    if (found := sensitive.best(other)) is None or found.order != best.order:
        requirements = document["requirements"][0], proof_requirement(other, sensitive.table())
        yield "another parameter", {**document, "requirements": requirements}
    admits = sensitive.admits(model)
    kinds = {
        "a box left out": with_a_leaf_less(document),
        "a box closed early": closed_early(document),
        "another number": with_other_numbers(document),
        "another policy": with_another_policy(document, sensitive.case, best, admits),
    }
    for fault, ones in kinds.items():
        yield from ((fault, one) for one in ones)
