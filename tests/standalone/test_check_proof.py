"""Proofs of optimality, checked by a program of its own, against enumeration by the definition."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, TypeAlias

import definition
import numpy as np
import pytest
from effort import thorough
from hypothesis import assume, given
from hypothesis import strategies as st
from lattices import Attribute, Case, cases

from roadstead.errors import SettingError
from roadstead.policies.encoding import encode
from roadstead.privacy.blanks import Blank
from roadstead.privacy.combination import bind_all
from roadstead.privacy.models.distinct_l_diversity import DistinctLDiversity
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.quality.aggregates import ArithmeticMean, GeometricMean
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.optimality_proof import ExactMean, prove
from roadstead.search.proof_document import ProofTerms, ReadingOfTable, proof_bytes
from roadstead.search.protocol import Control
from roadstead.standalone import check_proof
from roadstead.standalone.check_proof import WrongProofError
from roadstead.tables.histograms import histogram

Document: TypeAlias = dict[str, Any]


def proof_of(case: Case) -> Document | None:
    """Search, prove, and return the document; None without an allowed policy."""
    terms = ProofTerms(({"kind": "k-anonymity", "k": case.k},), share_of(case))
    return document_of(case, case.problem(), terms)


def share_of(case: Case) -> float:
    """Return a share of the records that allows as many as the case."""
    return min(1.0, (case.limit + 0.5) / case.records)


def document_of(case: Case, problem: FullDomainProblem, terms: ProofTerms) -> Document | None:
    """Search, prove, and return the document of a problem."""
    best = Exact().run(problem, Control()).best
    if best is None:
        return None
    kind = GeometricMean if case.aggregate == "geometric" else ArithmeticMean
    weights = None if case.weights is None else tuple(float(w) for w in case.weights)
    proof = prove(problem, ExactMean.of(kind(weights), len(case.attributes)), best)
    assert proof is not None
    packed = proof_bytes(problem, best, proof, terms, ReadingOfTable())
    document: Document = json.loads(gzip.decompress(packed))
    return document


def checked(document: Document, case: Case, *, arrays: bool = False) -> Counter[str]:
    """Check a document on the table of a case."""
    claim = check_proof.read_claim(document)
    rows = Counter(dict(zip(case.rows, case.counts, strict=True)))
    return check_proof.Checker(claim, check_proof.coded(rows, claim), arrays=arrays).run()


@thorough
@given(cases())
def test_a_proof_exists_and_checks_exactly_where_enumeration_agrees(case: Case) -> None:
    """Both means, any weights, limits, counts, hierarchies and ranges of levels."""
    expected = definition.best(case)
    try:
        document = proof_of(case)
    except SettingError:  # enumeration is exact, but the search rounds to twelve decimals
        assume(False)
    if expected is None or document is None:
        assert expected is None
        assert document is None
        return
    assert tuple(document["policy"]["levels"]) == expected.levels
    assert tuple(document["policy"]["losses"]) == expected.losses
    assert document["policy"]["suppressed"] == expected.suppressed
    closed = checked(document, case)
    assert closed.total() == len(list(definition.policies(case)))
    assert checked(document, case, arrays=True) == closed


SPLITS = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=30, max_size=30)
"""Which of five values the first records of each row have; the fifth is blank."""
VALUES = ("flu", "hiv", "ms", "tb", " ")


@thorough
@given(cases(), SPLITS, st.integers(2, 3), st.sampled_from(["no-value", "value"]))
def test_a_proof_of_diversity_exists_and_checks_exactly_where_enumeration_agrees(
    case: Case, splits: list[list[int]], least: int, blank: Blank
) -> None:
    """Groups also need different values of a sensitive column, where a blank may be a value."""
    own = [
        [split[at % 3] for at in range(n)] for split, n in zip(splits, case.counts, strict=False)
    ]
    entries = [(row, value) for row, values in enumerate(own) for value in values]
    codes = [np.array(column) for column in zip(*entries, strict=True)]
    domain = tuple(sorted(VALUES))
    place = np.array([domain.index(value) for value in VALUES], dtype=np.int32)
    counted = codes[0], place[codes[1]], np.ones(len(entries), dtype=np.int64)
    table = replace(case.table(), alongside=(histogram("dx", domain, counted, len(case.rows)),))
    encoding = encode(table, [attribute.hierarchy() for attribute in case.attributes])
    models = [KAnonymity(case.k), DistinctLDiversity("dx", least, blank)]
    problem = replace(case.problem(bind_all(models, table)), encoding=encoding)

    def admits(rows: Sequence[int], least: int = least) -> bool:
        found = {VALUES[value] for row in rows for value in own[row]}
        many = len(found) if blank == "value" else len(found - {" "})
        return sum(case.counts[row] for row in rows) >= case.k and many >= least

    expected = definition.best(case, admits)
    terms = ProofTerms(tuple(model.settings() for model in models), share_of(case), "dx")
    try:
        document = document_of(case, problem, terms)
    except SettingError:
        assume(False)
    if expected is None or document is None:
        assert expected is None
        assert document is None
        return
    assert tuple(document["policy"]["levels"]) == expected.levels
    assert document["policy"]["suppressed"] == expected.suppressed
    claim = check_proof.read_claim(document)
    found = Counter((*case.rows[row], VALUES[value]) for row, value in entries)
    closed = [
        check_proof.Checker(claim, check_proof.coded(found, claim), arrays=arrays).run()
        for arrays in (False, True)
    ]
    assert closed[0] == closed[1]
    assert closed[0].total() == len(list(definition.policies(case)))
    if definition.best(case, lambda rows: admits(rows, least + 1)) != expected:
        stricter = changed(document, lambda one: one.update(l=least + 1), "requirements", 1)
        claim = check_proof.read_claim(stricter)
        with pytest.raises(WrongProofError):
            check_proof.Checker(claim, check_proof.coded(found, claim)).run()


def with_a_leaf_less(document: Document) -> Iterator[Document]:
    """Leave out a closed box, close a box twice, or stop early."""
    for at, step in enumerate(document["steps"]):
        if step in ("loss", "suppressed"):
            steps = document["steps"]
            yield {**document, "steps": [*steps[:at], *steps[at + 1 :]]}
            yield {**document, "steps": [*steps[: at + 1], *steps[at:]]}
    yield {**document, "steps": document["steps"][:-1]}


def closed_early(document: Document) -> Iterator[Document]:
    """Close a box at once, instead of splitting it or evaluating its upper end."""
    for at, step in enumerate(document["steps"]):
        if step == "evaluate" or len(step) == 2:
            end = end_of(document["steps"], at)
            for leaf in ("loss", "suppressed"):
                wrong = deepcopy(document)
                wrong["steps"][at:end] = [leaf]
                yield wrong


def end_of(steps: list[Any], at: int) -> int:
    """Return where the steps of the box of a step end."""
    still_open = 1
    while still_open:
        step = steps[at]
        still_open += step not in ("evaluate", "loss", "suppressed") and len(step) == 2
        still_open -= step in ("loss", "suppressed")
        at += 1
    return at


def changed(document: Document, change: Callable[[Any], object], *path: str | int) -> Document:
    """Return a copy with one part changed."""
    copy = deepcopy(document)
    part: Any = copy
    for name in path:
        part = part[name]
    change(part)
    return copy


def with_other_numbers(document: Document) -> Iterator[Document]:
    """Another loss by 1e-9 or 1e-10, other suppressed records, another limit, another table."""
    for i in range(len(document["attributes"])):
        for units in (-10, -1, 1, 10):
            wrong = deepcopy(document)
            wrong["policy"]["losses"][i] += units
            yield wrong
    for member, key in (("policy", "suppressed"), ("suppression", "records"), ("table", "records")):
        for more in (-1, 1):
            wrong = deepcopy(document)
            wrong[member][key] += more
            yield wrong
    yield {**document, "table": {**document["table"], "sha256": "0" * 64}}


def with_another_policy(
    document: Document, case: Case, best: definition.Judged
) -> Iterator[Document]:
    """A policy that is allowed and loses more, with its true figures."""
    for levels in definition.policies(case):
        one = definition.judge(case, levels, definition.large_enough(case))
        if one.suppressed <= case.limit and one.order > best.order:
            figures = {"suppressed": one.suppressed, "losses": list(one.losses)}
            yield {**document, "policy": {"levels": list(levels), **figures}}


def with_malformed_parts(document: Document) -> Iterator[Document]:
    """Forms that the format does not have, and hierarchies on which no bound holds."""
    yield {**document, "version": 2}
    yield {**document, "more": 1}
    yield {**document, "steps": []}
    yield {**document, "attributes": []}
    for step in (["loss"], [0], [0, 1, "suppressed"], "lost", None, [True, 1], [-1, 1], [99, 1]):
        yield {**document, "steps": [step, *document["steps"]]}
    for one in ([0] * 99, [-1] * len(document["policy"]["levels"]), "0"):
        yield {**document, "policy": {**document["policy"], "levels": one}}
    requirements: Any
    for requirements in ([{"kind": "k-anonymity", "k": 1}], [{"kind": "trust", "k": 5}], {}):
        yield {**document, "requirements": requirements}
    for at, attribute in enumerate(document["attributes"]):
        for level, one in enumerate(attribute["levels"]):
            for covers in ([0] * len(one["covers"]), [1.5] * len(one["covers"]), []):
                wrong = deepcopy(document)
                wrong["attributes"][at]["levels"][level]["covers"] = covers
                yield wrong
        yield changed(document, lambda values: values.append(values[0]), "attributes", at, "values")
        yield changed(document, lambda levels: levels.clear(), "attributes", at, "levels")
        yield changed(document, lambda one: one.update(name=1), "attributes", at)


def other_problems(case: Case) -> Iterator[Case]:
    """Cases that a proof is not for: another k, table, hierarchy, weight, or range of levels."""
    for k in (2, case.k - 1, case.k + 1):
        yield replace(case, k=max(k, 2))
    for at, number in enumerate(case.counts):
        counts = (*case.counts[:at], number + 1, *case.counts[at + 1 :])
        yield replace(case, counts=counts)
    for at, attribute in enumerate(case.attributes):
        others = case.attributes[:at], case.attributes[at + 1 :]
        for level in range(attribute.height - 1):
            yield replace(case, attributes=(*others[0], merged(attribute, level), *others[1]))
        low = (*case.bottom[:at], max(0, case.bottom[at] - 1), *case.bottom[at + 1 :])
        yield replace(case, bottom=low)
        high = (*case.top[:at], min(attribute.height - 1, case.top[at] + 1), *case.top[at + 1 :])
        yield replace(case, top=high)


def merged(attribute: Attribute, level: int) -> Attribute:
    """Give all values one label from a level on."""
    columns = [c if at < level else ("*",) * len(c) for at, c in enumerate(attribute.columns)]
    return replace(attribute, columns=tuple(columns))


def for_another_problem(
    document: Document, case: Case, best: definition.Judged
) -> Iterator[tuple[Document, Case]]:
    """The claim and the steps of one problem, with the terms of another."""
    for other in other_problems(case):
        found = definition.best(other)
        foreign = proof_of(other)
        if found is None or foreign is None or found.order == best.order:
            continue
        yield {**foreign, "policy": document["policy"]}, other
        yield {**foreign, "policy": document["policy"], "steps": document["steps"]}, other


def test_no_wrong_proof_is_accepted() -> None:
    """The refusals are many, and each kind of fault has some."""
    refused: Counter[str] = Counter()
    for seed in range(10):
        case = drawn(seed)
        best = definition.best(case)
        document = proof_of(case)
        if best is None or document is None:
            continue
        checked(document, case)
        wrong: dict[str, Iterator[Document]] = {
            "a box left out": with_a_leaf_less(document),
            "a box closed early": closed_early(document),
            "another number": with_other_numbers(document),
            "another policy": with_another_policy(document, case, best),
            "malformed": with_malformed_parts(document),
        }
        for kind, ones in wrong.items():
            for one in ones:
                refused[kind] += is_refused(one, case)
        for one, other in for_another_problem(document, case, best):
            refused["another problem"] += is_refused(one, other)
    assert min(refused.values()) >= 30
    assert refused.total() >= 1_000


def is_refused(document: Document, case: Case) -> bool:
    """Check a wrong proof; fail if it is accepted."""
    try:
        checked(document, case)
    except WrongProofError:
        return True
    pytest.fail(f"a wrong proof was accepted: {json.dumps(document)}")


def drawn(seed: int) -> Case:
    """Draw a small problem, the same in every run."""
    chance = random.Random(seed)  # noqa: S311 - not a secret
    attributes = []
    for name in "abc"[: chance.randint(2, 3)]:
        values = tuple(f"{name}{i}" for i in range(4))
        halves = tuple(f"{name}{i // 2}x" for i in range(4))
        columns = (values, halves, ("*",) * 4) if chance.random() < 0.8 else (values, ("*",) * 4)
        attributes.append(Attribute(name, values, columns, (1,) * 4))
    cells = [tuple(chance.choice(one.values) for one in attributes) for _ in range(25)]
    rows = tuple(sorted(set(cells)))
    counts = tuple(chance.randint(1, 3) for _ in rows)
    return Case(
        attributes=tuple(attributes),
        rows=rows,
        counts=counts,
        k=chance.randint(2, 4),
        limit=chance.choice([0, 1, 4, 8]),
        aggregate=chance.choice(["geometric", "arithmetic"]),
        weights=chance.choice([None, tuple(range(1, len(attributes) + 1))]),
        bottom=(0,) * len(attributes),
        top=tuple(one.height - 1 for one in attributes),
    )
