"""How the checking program reads a table, and what it says about the parts that it must trust.

A forger knows the table, and writes the digest of the table as the forged document reads it.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from roadstead.standalone import check_proof

Document: TypeAlias = dict[str, Any]

AGES = [str(age) for age in range(20, 40)]
DIAGNOSES = [["flu", "hiv", "ms"][min(at // 5, 2)] for at in range(20)]
TRUSTED = "the way to read the table are those of the proof"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write 20 persons with distinct ages, and three diagnoses in the order of age."""
    path = tmp_path / "ward.csv"
    rows = [f"{age},{'fm'[at % 2]},{DIAGNOSES[at]}\n" for at, age in enumerate(AGES)]
    path.write_text("age,sex,dx\n" + "".join(rows), encoding="utf-8")
    return path


def attribute(name: str, values: list[str]) -> Document:
    """Return a hierarchy of the values and a top."""
    size = len(values)
    own = {"labels": values, "covers": [1] * size, "label": [*range(size)]}
    top = {"labels": ["*"], "covers": [size], "label": [0] * size}
    return {"name": name, "values": values, "levels": [own, top]}


def keeps_all(requirement: Document, *attributes: Document, **reading: object) -> Document:
    """Return a document that claims a loss of 0 for the values as they are."""
    form = {"delimiter": ",", "quote": '"', "encoding": "utf-8", "header": True, "missing": {}}
    number = len(attributes)
    return {
        "format": "roadstead-proof",
        "version": 1,
        "table": {"sha256": "", "records": 0, **form, **reading},
        "attributes": [*attributes],
        "allowed": {"lowest": [0] * number, "highest": [1] * number},
        "requirements": [requirement],
        "suppression": {"share": "0", "records": 0},
        "loss": {"mean": "geometric", "weights": [1] * number},
        "policy": {"levels": [0] * number, "suppressed": 0, "losses": [0] * number},
        "steps": ["loss"],
    }


def check(table: Path, document: Document) -> int:
    """Check a document with the digest of the table as the document reads it, if it can."""
    with suppress(check_proof.WrongProofError, LookupError):
        rows, _ = check_proof.read_rows(str(table), check_proof.Claim(document))
        lines = (json.dumps([*row, n], separators=(",", ":")) for row, n in sorted(rows.items()))
        digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode())
        document["table"] |= {"sha256": digest.hexdigest(), "records": rows.total()}
    path = table.with_suffix(".json")
    path.write_text(json.dumps(document), encoding="utf-8")
    return check_proof.main([str(table), str(path)])


def close(order: list[list[str]], t: str = "0.01") -> Document:
    """Return the requirement of a distance by an order, or of the equal distance without one."""
    distance = "ordered" if order else "equal"
    return {"kind": "t-closeness", "column": "dx", "t": t, "distance": distance, "order": order}


K = {"kind": "k-anonymity", "k": 5}
AGE, SEX = attribute("age", [*AGES, ""]), attribute("sex", ["f", "m"])


def test_a_true_claim_is_accepted_with_its_reading(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two sexes with ten persons each lose nothing, also after blank lines above the header."""
    assert check(table, keeps_all(K, SEX)) == 0
    said = capsys.readouterr().out
    assert "It is read with a header. Its delimiter is ',', its quote '\"', and" in said
    assert "  'sex': level 0 of 0-1\n" in said
    assert "Missing in" not in said
    table.write_text("\n\n" + table.read_text(encoding="utf-8"), encoding="utf-8")
    assert check(table, keeps_all(K, SEX)) == 0


def test_the_names_of_columns_are_those_of_the_file(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fault class: a proof calls the age a diagnosis, or the number of a row a person."""
    diverse = {"kind": "distinct-l-diversity", "column": "dx", "l": 20, "blank": "value"}
    document = keeps_all(diverse, attribute("sex", ["f", "m"]))
    assert check(table, keeps_all(diverse, SEX, columns=["dx", "sex", "age"])) == 1
    assert "the proof, table must have exactly" in capsys.readouterr().err
    for header in (True, False):
        document["table"]["header"] = header
        assert check(table, document) > 0
    assert "one column each of ['sex', 'dx']" in capsys.readouterr().err


def test_a_table_without_a_header_has_numbered_columns(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output says that the first line counts as a record."""
    second = attribute("column_2", ["f", "m"])
    table.write_text(table.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
    assert check(table, keeps_all(K, second, header=False)) == 0
    said = capsys.readouterr().out
    assert "The table has 20 records" in said
    assert "It is read without a header." in said
    assert "  'column_2': level 0 of 0-1\n" in said


def test_names_cannot_write_lines(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fault class: a name with an escape and a line break prints a verdict of its own."""
    name = "sex\x1b[2K\n\u202eProven: all"
    text = table.read_text(encoding="utf-8").replace("sex", f'"{name}"', 1)
    table.write_text(text, encoding="utf-8")
    assert check(table, keeps_all(K, attribute(name, ["f", "m"]))) == 0
    assert check(table, keeps_all(K, attribute(name + "!", ["f", "m"]))) == 2
    assert check(table, keeps_all(K, attribute(name, ["f"]))) == 1
    assert check(table, keeps_all(K, SEX, encoding=name)) == 2
    said = capsys.readouterr()
    for text in said:
        assert "Proven: all" in text
        assert not {"\x1b", "\u202e"} & {*text}
        assert "\nProven: all" not in text


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (keeps_all(K, AGE, missing={"age": AGES}), "Missing in 'age': 1 with the code '27'."),
        (
            keeps_all(close([], "0"), SEX, missing={"dx": ["flu", "hiv", "ms"]}),
            "Missing in 'dx': 5 with the code 'hiv'.",
        ),
    ],
)
def test_values_that_become_missing_are_listed(
    table: Path, document: Document, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fault class: all values become missing, and so equal."""
    assert check(table, document) == 0
    printed = capsys.readouterr().out
    assert said in printed
    assert printed.count("Missing in ") == sum(map(len, document["table"]["missing"].values()))
    assert TRUSTED in printed


def test_places_of_an_order_are_counted(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fault class: places without a value, or with all values, make every distance small."""
    true = [["flu"], ["hiv"], ["ms"]]
    assert check(table, keeps_all(close(true), AGE)) == 1
    assert check(table, keeps_all(close([*true, *[[]] * 300]), AGE)) == 1
    assert "the order is wrong" in capsys.readouterr().err
    assert check(table, keeps_all(close([*true, *([f"x{at}"] for at in range(300))]), AGE)) == 1
    assert "a place in the order has no records" in capsys.readouterr().err
    assert check(table, keeps_all(close([["flu", "hiv"], ["ms"]], "1"), AGE)) == 0
    said = capsys.readouterr().out
    assert "in the order: 2. With several values: 1." in said
    assert f"the order of values, and {TRUSTED}" in said
