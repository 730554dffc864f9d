"""Tampering with releases and policies whose groups differ is found or refused."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import run, undrawn
from small_tables import PATIENTS, QUASI, patients, read_csv, write_csv

from roadstead import verify
from roadstead.release.documents import fingerprint, json_text

TABLE = "patients.csv"
KINDS = {"cells": "exact", "local": "first-fit", "intervals": "mondrian"}


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of each kind."""
    folder = tmp_path_factory.mktemp("originals")
    write_csv(folder / TABLE, PATIENTS, patients(300))
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        for kind, search in KINDS.items():
            ran = run(
                *("anonymize", folder / TABLE, "--quasi", QUASI, "--identifiers", "name,record"),
                *("--unchanged", "diagnosis", "--recoding", kind, "--search", search),
                *("--out", folder / kind),
            )
            assert ran.code == 0, ran.err
    return folder


@pytest.fixture(params=KINDS)
def release(request: pytest.FixtureRequest, originals: Path, tmp_path: Path) -> Path:
    """A copy of one, to be tampered with."""
    return Path(shutil.copytree(originals / request.param, tmp_path / "release"))


def certify(release: Path, name: str) -> None:
    """Put the new fingerprint of a file into the certificate, as a thorough forger does."""
    path = release / "certificate.json"
    certificate = json.loads(path.read_text())
    own = fingerprint(release / name)
    replaced = 0

    def walk(node: Any) -> None:  # noqa: ANN401 - JSON
        nonlocal replaced
        if isinstance(node, dict):
            if node.get("name") == name and "sha256" in node:
                node |= {"sha256": own.sha256, "bytes": own.bytes}
                replaced += 1
            for one in node.values():
                walk(one)
        elif isinstance(node, list):
            for one in node:
                walk(one)

    walk(certificate)
    assert replaced == 1
    path.write_text(json_text(certificate), "utf-8")


def failures(release: Path) -> set[str]:
    """Names of the checks that fail."""
    return {check.check for check in verify(release).failed}


@pytest.mark.quick(1)
def test_nothing_fails_as_it_was_written(release: Path) -> None:
    """The forger's own way changes nothing by itself."""
    certify(release, TABLE)
    assert failures(release) == set()


@pytest.mark.quick(1)
def test_cells_of_another_class_are_found(release: Path) -> None:
    """Every label is one of the policy, and classes are large enough: but no class shows this."""
    header, *rows = read_csv(release / TABLE)
    classes = sorted({row[:3] for row in rows} - {("*",) * 3})
    seen = set(classes)
    old, new = next(
        (one, (other[0], *one[1:]))
        for one in classes
        for other in classes
        if (other[0], *one[1:]) not in seen
    )
    changed = [(*new, *row[3:]) if row[:3] == old else row for row in rows]
    write_csv(release / TABLE, header, changed)
    certify(release, TABLE)
    assert "every group belongs to the policy" in failures(release)


def test_a_class_below_k_is_found(release: Path) -> None:
    """One record is moved to another class, both of which the policy has."""
    header, *rows = read_csv(release / TABLE)
    sizes: dict[tuple[str, ...], int] = {}
    for row in rows:
        sizes[row[:3]] = sizes.get(row[:3], 0) + 1
    smallest, *_, largest = sorted(sizes, key=lambda one: sizes[one])
    for _ in range(sizes[smallest] - 4):
        at = next(number for number, row in enumerate(rows) if row[:3] == smallest)
        rows[at] = (*largest, *rows[at][3:])
    write_csv(release / TABLE, header, rows)
    certify(release, TABLE)
    assert "5-anonymity" in failures(release)


def _of(recoding: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = recoding["attributes"][0]
    return found


def _set(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda policy: policy["recoding"].__setitem__(key, value)


def _part(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda policy: _of(policy["recoding"]).__setitem__(key, value)


FORGED: dict[str, Callable[[dict[str, Any]], object]] = {
    "no classes": _set("classes", []),
    "a class twice": lambda p: p["recoding"]["classes"].append(p["recoding"]["classes"][0]),
    "a short class": lambda p: p["recoding"]["classes"].append([0]),
    "a long class": lambda p: p["recoding"]["classes"].append([0] * 9),
    "a huge part": lambda p: p["recoding"]["classes"].append([10**40, 0, 0]),
    "a part beyond 32 bits": lambda p: p["recoding"]["classes"].append([2**32, 0, 0]),
    "a negative part": lambda p: p["recoding"]["classes"].append([-1, 0, 0]),
    "half a part": lambda p: p["recoding"]["classes"].append([0.5, 0, 0]),
    "a text for a part": lambda p: p["recoding"]["classes"].append(["x", 0, 0]),
    "null for a part": lambda p: p["recoding"]["classes"].append([None, 0, 0]),
    "another kind": _set("kind", "global"),
    "a kind of nothing": _set("kind", None),
    "fewer attributes": lambda p: p["recoding"]["attributes"].pop(),
    "attributes that are none": _set("attributes", [1, 2, 3]),
    "another entry": _set("more", 1),
    "parts of another kind": _part("kind", "cells"),
    "no parts": _part("parts", []),
    "parts of nothing": _part("parts", [[]]),
    "parts of three": _part("parts", [[0, "*", 1]]),
    "deep parts": _part("parts", [[[[[]]]]]),
    "two parts of one label": lambda p: _doubled(_of(p["recoding"])),
    "a list for the recoding": lambda p: p.__setitem__("recoding", []),
    "a number for the recoding": lambda p: p.__setitem__("recoding", 1e400),
}


def _doubled(own: dict[str, Any]) -> None:
    own["parts"].append(own["parts"][0])
    if own["kind"] == "intervals":
        own["labels"].append(own["labels"][0])


@pytest.mark.quick(12)
@pytest.mark.parametrize("what", FORGED)
def test_a_policy_that_contradicts_itself_is_refused(
    originals: Path, tmp_path: Path, what: str
) -> None:
    """In one line each, and never with a traceback."""
    for kind in KINDS:
        policy = json.loads((originals / kind / "policy.json").read_text())
        FORGED[what](policy)
        refused(policy, originals, tmp_path)


@pytest.mark.nightly
def test_a_million_classes_are_refused_in_one_line(originals: Path, tmp_path: Path) -> None:
    """However long the document is."""
    path = tmp_path / "policy.json"
    policy = json.loads((originals / "local" / "policy.json").read_text())
    policy["recoding"]["classes"] = [[0, 0, 0]] * 10**6
    path.write_text(json.dumps(policy))
    assert "a group is listed twice" in run("apply", path, originals / TABLE).error


NODES: dict[str, Callable[[dict[str, Any]], object]] = {
    "levels twice": _part("levels", [0, 0]),
    "levels without end": _part("levels", [10**30]),
    "no levels": _part("levels", []),
    "no rules": _part("rules", []),
    "a label of no rule": lambda p: _of(p["recoding"])["parts"].append([0, "12345"]),
    "a level of no rule": lambda p: _of(p["recoding"])["parts"].append([99, "*"]),
    "a rule that shows more": lambda p: (
        _of(p["recoding"])["rules"].__setitem__(0, {"kind": "prefix", "keep": 9, "mask": "*"}),
        _part("parts", [[0, "1"]])(p),
        _set("classes", [[0, 0, 0]])(p),
    ),
    "says less than it does": lambda p: p["attributes"][0].update(
        level=p["attributes"][0]["levels"] - 1,
        does="removed",
        rule={"kind": "everything", "text": "*"},
    ),
    "intervals of levels": _set("kind", "intervals"),
}


@pytest.mark.parametrize("what", NODES)
def test_nodes_that_contradict_their_rules_are_refused(
    originals: Path, tmp_path: Path, what: str
) -> None:
    """A class may not show more than its rules allow."""
    for kind in ("cells", "local"):
        policy = json.loads((originals / kind / "policy.json").read_text())
        before = copy.deepcopy(policy)
        NODES[what](policy)
        assert policy != before
        refused(policy, originals, tmp_path)


INTERVALS: dict[str, Callable[[dict[str, Any]], object]] = {
    "from high to low": lambda p: _of(p["recoding"])["parts"].__setitem__(0, ["50", "20"]),
    "to no number": lambda p: _of(p["recoding"])["parts"].__setitem__(0, ["20", "many"]),
    "open, and to no number": lambda p: _of(p["recoding"])["parts"].__setitem__(0, [None, "many"]),
    "from the missing value": lambda p: _of(p["recoding"])["parts"].__setitem__(0, ["", "20"]),
    "missing where no part is": _part("missing", [10**12]),
    "fewer labels": lambda p: _of(p["recoding"])["labels"].pop(),
    "another order": _part("order", "sizes"),
    "dates that are none": _part("order", "dates"),
    "listed, and not in the list": _part("order", "listed"),
    "levels of intervals": _set("kind", "local"),
}


@pytest.mark.parametrize("what", INTERVALS)
def test_intervals_that_contradict_themselves_are_refused(
    originals: Path, tmp_path: Path, what: str
) -> None:
    """Their ends are values in order."""
    policy = json.loads((originals / "intervals" / "policy.json").read_text())
    INTERVALS[what](policy)
    refused(policy, originals, tmp_path)


def refused(policy: dict[str, Any], originals: Path, tmp_path: Path) -> None:
    """Apply a policy, and print it as SQL: one line of error each, and nothing is written."""
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(policy))
    for arguments in (
        ("apply", path, originals / TABLE, "--out", tmp_path / "out"),
        ("apply", path, "--sql", "--table", "t"),
    ):
        ran = run(*arguments)
        assert ran.code not in (0, 70), ran.err
        assert len(ran.err.splitlines()) == 1, ran.err
        assert len(ran.error) < 400, ran.error
        assert "policy.json" in ran.error
        assert not (tmp_path / "out").exists()
