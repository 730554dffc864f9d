"""No document is read by its words: after a change of every sentence, all documents verify.

Releases are made here, in Roadstead's words, and checked in a process in which every text with a
word and a blank is another one. Code that stores a sentence and compares it fails there.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import other_words
import pytest
from commands import undrawn
from person_tables import visits, write_visits
from signed_releases import keys, sign, write_release
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs

RULES = '[promise]\nunprotected = "pass"\n[attacks]\ntried = ["scan"]\n'
SMALL: dict[str, Any] = {
    "ranges": {"age": "20..59"},
    "values": {"sex": ("F", "M"), "diagnosis": ("flu", "cold", "asthma")},
}


def of_records(folder: Path, **more: Any) -> None:  # noqa: ANN401 - fields of a request
    """Release patients, with each record as a separate person."""
    table = write_csv(folder / "patients.csv", PATIENTS, patients(160))
    given: dict[str, Any] = {"quasi": ["age", "sex"], "k": 4, "suppression": 0.2, **more}
    rs.anonymize(table, sensitive=["diagnosis"], **given).write(folder / "release")


def of_persons(folder: Path) -> None:
    """Release visits, with a pseudonym in place of each person."""
    table = write_visits(folder / "visits.csv", visits(200))
    asked: dict[str, Any] = {"k": 4, "suppression": 0.5, "link": "pseudonym"}
    rs.anonymize(table, quasi=["age", "sex", "ward"], person="patient", **asked).write(
        folder / "release"
    )


def private(folder: Path, **more: Any) -> None:  # noqa: ANN401 - fields of a request
    """Release patients with differential privacy."""
    columns = zip(*patients(400), strict=True)
    table = {name: cells for name, cells in zip(PATIENTS, columns, strict=True) if name != "zip"}
    shown = {name: table[name] for name in ("age", "sex", "diagnosis")}
    rs.synthesize(shown, epsilon=2, **(SMALL | more)).write(folder / "release")


def amended(folder: Path) -> None:
    """Release a point of the frontier below the promise, with the reason."""
    table = write_csv(folder / "patients.csv", PATIENTS, patients(160))
    found = rs.frontier(table, quasi=["age", "sex"], search="steepest")
    chosen = found.within(1.0, reason="The ethics board asked for raw ages")
    chosen.write(folder / "release")


def attacked(folder: Path) -> None:
    """Release patients, and certify what attacks found."""
    of_records(folder)
    rs.attack(folder / "release", original=folder / "patients.csv", attacks=["scan"], certify=True)


def after_another(folder: Path) -> None:
    """Release patients again under another policy, with a ledger that warns."""
    (folder / "ledger").mkdir()
    table = write_csv(folder / "patients.csv", PATIENTS, patients(160))
    given: dict[str, Any] = {"k": 4, "suppression": 0.2, "ledger": folder / "ledger"}
    given["sensitive"] = ["diagnosis"]
    rs.anonymize(table, quasi=["age", "sex"], out=folder / "first", **given)
    more = {"quasi": ["age", "zip"], "ledger_warn": True, "out": folder / "release"}
    rs.anonymize(table, **(given | more))


def signed(folder: Path) -> None:
    """Release patients and sign."""
    of_records(folder)
    keys(folder, "officer")
    sign(folder / "release", folder / "officer")


TREATED = [{"kind": "microaggregation", "columns": ["zip"], "k": 3, "function": "mean"}]
KINDS: dict[str, Callable[[Path], None]] = {
    "records": lambda folder: of_records(
        folder, privacy=[{"kind": "distinct-l-diversity", "column": "diagnosis", "l": 2}]
    ),
    "persons": of_persons,
    "local recoding": lambda folder: of_records(folder, recoding="local"),
    "cells suppressed": lambda folder: of_records(folder, recoding="cells"),
    "intervals": lambda folder: of_records(folder, recoding="intervals"),
    "treated": lambda folder: of_records(folder, treat=TREATED),
    "relation": lambda folder: private(
        folder, target="diagnosis", classes=["flu", "cold", "asthma"], values={"sex": ("F", "M")}
    ),
    "margins": lambda folder: private(folder, purpose="everything"),
    "sample": lambda folder: private(folder, purpose="sample", delta=1e-4),
    "amended": amended,
    "attacked": attacked,
    "ledger": after_another,
    "signed": signed,
}


def read_in_other_words(folder: Path) -> dict[str, dict[str, Any]]:
    """Look at all releases of a folder in a process with other words."""
    program = Path(other_words.__file__)
    ran = subprocess.run(
        [sys.executable, program, folder], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    found: dict[str, dict[str, Any]] = json.loads(ran.stdout)
    return found


def compare(folder: Path) -> None:
    """Compare what is decided in usual words with what is decided in other words."""
    (folder / "gate.toml").write_text(RULES, encoding="utf-8")
    found = read_in_other_words(folder)
    assert found.keys() == {path.parent.name for path in folder.glob("*/release")}
    for name, told in found.items():
        usual = other_words.looked_at(folder / name / "release", folder / "gate.toml")
        assert told["failed"] == usual["failed"] == [], name
        for decision in ("gate", "figures", "signature"):
            assert told[decision] == usual[decision], (name, decision)
        # Had the words not been replaced, nothing would have been tested.
        assert not {one for one in told["words"] if " " in one} & {*usual["words"]}, name


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["table", "database", "private"])
def test_releases_verify_in_other_words(kind: str, tmp_path: Path) -> None:
    """Verification, gate and determination decide the same, and say it otherwise."""
    write_release(kind, tmp_path / kind)
    compare(tmp_path)


@pytest.mark.nightly
def test_releases_of_all_kinds_verify_in_other_words(tmp_path: Path) -> None:
    """People, recodings, treatments, private ones, amended, attacked, with a ledger, signed."""
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        for kind, make in KINDS.items():
            (tmp_path / kind).mkdir()
            make(tmp_path / kind)
    compare(tmp_path)


def test_a_comparison_of_sentences_would_be_noticed() -> None:
    """The same function, with its sentences replaced, no longer agrees with what was stored."""
    source = (
        'def agrees(told, k):\n    """Whether."""\n    return told == f"at least {k} records"\n'
    )
    answers = []
    for tree in (ast.parse(source), other_words.OtherWords().visit(ast.parse(source))):
        space: dict[str, Any] = {}
        exec(compile(ast.fix_missing_locations(tree), "checked", "exec"), space)  # noqa: S102 - as above
        answers.append(space["agrees"]("at least 5 records", 5))
    assert answers == [True, False]
