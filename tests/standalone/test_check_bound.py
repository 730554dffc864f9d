"""Proofs of bounds for recodings, compared with the definition and with every partition."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest
from recodings_by_definition import Tiny, drawn, least_loss

import roadstead as rs
from roadstead.errors import SettingError
from roadstead.quality.aggregates import ArithmeticMean
from roadstead.search.bound_document import bound_bytes
from roadstead.search.optimality_proof import ExactMean
from roadstead.search.proof_document import ProofTerms, ReadingOfTable
from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds.nodes import node_bound
from roadstead.standalone import check_bound, check_proof

UNIT = 10**10


def document_of(tiny: Tiny) -> tuple[dict[str, Any], float]:
    """Return the proof of a small table, and the bound that the search states."""
    problem = tiny.problem(intervals=False)
    found = node_bound(problem, Control())
    mean = ExactMean.of(ArithmeticMean(tuple(map(float, tiny.weights))), len(tiny.attributes))
    share = min(1.0, (tiny.limit + 0.5) / len(tiny.records))
    packed = bound_bytes(problem, found.prices, mean, ProofTerms((), share), ReadingOfTable())
    document: dict[str, Any] = json.loads(gzip.decompress(packed))
    return document, found.value


def accepted(document: dict[str, Any], tiny: Tiny) -> bool:
    """Return whether the program accepts a proof for a table."""
    try:
        rows = check_proof.Combinations(tiny.records)
        check_bound.require_bound(check_bound.BoundClaim(document), rows)
    except check_proof.WrongProofError:
        return False
    return True


def room(document: dict[str, Any], tiny: Tiny) -> Fraction | None:
    """Return by how many units a proof holds, or None if it does not prove its bound.

    This goes through all vectors of labels, from the definition of a proof.
    """
    attributes, k = document["attributes"], document["k"]
    levels = [
        range(low, high + 1)
        for low, high in zip(
            *(document["allowed"][at] for at in ("lowest", "highest")), strict=True
        )
    ]
    price = dict(zip(sorted(set(tiny.records)), document["prices"], strict=True))
    cut = [min(price[one], UNIT + document["above"]) for one in tiny.records]
    worth = sum(cut) - tiny.limit * document["above"]
    if document["bound"] and worth < document["bound"] * len(cut):
        return None
    least: Fraction | None = Fraction(UNIT)
    for vector in product(*levels):
        cells: dict[Any, list[int]] = {}
        for record in tiny.records:
            labels = []
            for one, level, value in zip(attributes, vector, record, strict=True):
                labels.append(one["levels"][level]["label"][one["values"].index(value)])
            cells.setdefault(tuple(labels), []).append(price[record])
        for labels_of, prices in cells.items():
            if len(prices) < k:
                continue
            cost = Fraction(0)
            for one, level, label, weight in zip(
                attributes, vector, labels_of, document["weights"], strict=True
            ):
                covers = one["levels"][level]["covers"][label]
                size = one["levels"][-1]["covers"][0]
                cost += Fraction(weight * (covers - 1), max(size - 1, 1) * sum(document["weights"]))
            left = k * cost * UNIT - sum(sorted(prices)[-k:])
            least = None if least is None or left < 0 else min(least, left)
    return least


def wrong(document: dict[str, Any], chance: Random) -> Iterator[dict[str, Any]]:
    """Change a proof in one place, so that it may prove too much."""
    for step in (1, 10**3, 10**7, 10**9):
        at = chance.randrange(len(document["prices"]))
        copy = deepcopy(document)
        copy["prices"][at] += step
        copy["bound"] += step // len(document["prices"])
        yield copy
        yield {**document, "bound": document["bound"] + step}
        yield {**document, "above": document["above"] + step}
        yield {**document, "above": max(document["above"] - step, 0)}
    yield {**document, "k": max(document["k"] - 1, 1)}
    yield {**document, "k": document["k"] + 1}
    yield {**document, "weights": [*document["weights"][:-1], document["weights"][-1] + 1]}
    lowest = [*document["allowed"]["lowest"]]
    yield {**document, "allowed": {**document["allowed"], "lowest": [0] * len(lowest)}}
    swapped = deepcopy(document)
    swapped["prices"].reverse()
    yield swapped


def test_no_partition_loses_less_and_the_bound_is_that_of_the_search() -> None:
    """The proof of each table is accepted, with nearly the bound that the report states."""
    seen = 0
    for seed in range(120):
        tiny = drawn(seed, whole=bool(seed % 2))
        best = least_loss(tiny, intervals=False)
        if best is None:
            continue
        document, stated = document_of(tiny)
        assert accepted(document, tiny), seed
        assert Fraction(document["bound"], UNIT) <= best, seed
        assert document["bound"] / UNIT >= stated - 1e-7, seed
        seen += document["bound"] > 0
    assert seen > 40


def test_a_proof_is_accepted_exactly_where_the_definition_holds() -> None:
    """The program rounds costs down: it may refuse only what holds by less than this rounding."""
    verdicts = [0, 0]
    for seed in range(60):
        tiny = drawn(seed, whole=bool(seed % 2))
        if least_loss(tiny, intervals=False) is None:
            continue
        document, _ = document_of(tiny)
        for other in (document, *wrong(document, Random(seed))):  # noqa: S311 - for tests
            left, right = room(other, tiny), accepted(other, tiny)
            assert not right or left is not None, (seed, other)
            if left is not None and left >= other["k"] * len(tiny.attributes):
                assert right, (seed, other)
            verdicts[right] += 1
    assert min(verdicts) > 200


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write records with codes for missing values, and several records for some people."""
    chance = Random(11)  # noqa: S311 - for tests
    rows = [
        f"p{chance.randint(0, 250)},{chance.choice([*range(20, 60), 999])},{chance.choice('fm?')},"
        f"02{chance.randint(0, 9)}1,{chance.choice('abc')}"
        for _ in range(400)
    ]
    path = tmp_path / "ward.csv"
    path.write_text("id,age,sex,zip,site\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.quick(2)
@pytest.mark.parametrize("recoding", ["local", "cells"])
@pytest.mark.parametrize("more", [{}, {"person": "id"}, {"weights": {"age": 2.5}}])
def test_the_program_checks_what_the_option_wrote(
    table: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    recoding: Literal["local", "cells"],
    more: dict[str, Any],
) -> None:
    """It is right on this table, wrong with a higher bound, and not checked on another table."""
    proof = tmp_path / "proof.json.gz"
    quasi = ["age", "sex", "zip", "site"]
    found = rs.anonymize(
        table,
        quasi=quasi,
        k=5,
        missing=["?", "age=999"],
        suppression=0.03,
        recoding=recoding,
        proof=proof,
        **more,
    )
    assert check_bound.main([str(table), str(proof)]) == 0
    said = capsys.readouterr().out
    document = json.loads(gzip.decompress(proof.read_bytes()))
    assert f"loses at least {document['bound'] / UNIT:.10f}" in said
    assert "Missing in 'age'" in said
    assert 0 < document["bound"] / UNIT <= found.loss
    if recoding == "local":
        assert found.recoded is not None
        assert document["bound"] / UNIT == pytest.approx(found.recoded.lower_bound, abs=1e-7)
    forged = tmp_path / "forged.json"
    changes: list[dict[str, Any]] = [{"bound": document["bound"] + 10**6}, {"k": 4}]
    for change in (*changes, {"prices": []}, {"above": -1}):
        forged.write_text(json.dumps({**document, **change}), encoding="utf-8")
        assert check_bound.main([str(table), str(forged)]) == 1, change
    lines = table.read_text(encoding="utf-8").splitlines()
    table.write_text("\n".join([*lines[:-1], lines[1]]), encoding="utf-8")
    assert check_bound.main([str(table), str(proof)]) == 2
    assert "this is not the table of the proof" in capsys.readouterr().err


def test_intervals_have_no_proof(table: Path, tmp_path: Path) -> None:
    """Their prices belong to boxes, which the program does not search."""
    with pytest.raises(SettingError, match="intervals instead of levels"):
        rs.anonymize(table, quasi=["age"], recoding="intervals", proof=tmp_path / "proof.json.gz")
