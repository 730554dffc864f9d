"""Proofs of optimality of small cases, and wrong proofs made from them."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, TypeAlias

import definition
import pytest
from lattices import Admits, Attribute, Case

from roadstead.quality.aggregates import ArithmeticMean, GeometricMean
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.optimality_proof import ExactMean, prove
from roadstead.search.proof_document import ProofTerms, ReadingOfTable, proof_bytes
from roadstead.search.protocol import Control
from roadstead.standalone.check_proof import WrongProofError

Document: TypeAlias = dict[str, Any]


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
    document: Document, case: Case, best: definition.Judged, admits: Admits
) -> Iterator[Document]:
    """A policy that is allowed and loses more, with its true figures."""
    for levels in definition.policies(case):
        one = definition.judge(case, levels, admits)
        if one.suppressed <= case.limit and one.order > best.order:
            figures = {"suppressed": one.suppressed, "losses": list(one.losses)}
            yield {**document, "policy": {"levels": list(levels), **figures}}


def is_refused(document: Document, check: Callable[[Document], object]) -> bool:
    """Check a wrong proof; fail if it is accepted."""
    try:
        check(document)
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
