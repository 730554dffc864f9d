"""A label that leaves as its code: the policy and the certificate agree with the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import roadstead as rs
from roadstead.errors import RoleError

pyreadstat = pytest.importorskip("pyreadstat")

LABELS = {
    "sex": {1: "male", 2: "female"},
    "region": {1: "North", 2: "South", 3: "East", 6: "Enclave"},
}
ORDER = ["North", "South", "East", "Enclave"]


def survey(folder: Path, ending: str) -> tuple[Path, Path]:
    """Write a table in which two records of one sex are from the enclave, and its population."""
    rows = [(at % 2 + 1, at // 2 % 3 + 1) for at in range(120)]
    table = pd.DataFrame([*rows, (1, 6), (2, 6)], columns=["sex", "region"])
    path, people = folder / f"t.{ending}", folder / "people.csv"
    write = pyreadstat.write_sav if ending == "sav" else pyreadstat.write_dta
    write(table, path, variable_value_labels=LABELS)
    number = {"North": 100, "South": 200, "East": 300, "Enclave": 9}
    named = [(sex, place) for sex in ("male", "female") for place in ORDER]
    rows_of_people = [one for one in named for _ in range(number[one[1]])]
    pd.DataFrame(rows_of_people, columns=["sex", "region"]).to_csv(people, index=False)
    return path, people


def labels_of(folder: Path, name: str) -> list[str]:
    """Return the labels of the regions in a released file."""
    read = pyreadstat.read_sav if name.endswith("sav") else pyreadstat.read_dta
    labels: dict[float, str] = read(folder / name)[1].variable_value_labels["region"]
    return sorted(labels.values())


@pytest.mark.quick(1)
@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_the_population_belongs_to_the_groups_of_the_file(tmp_path: Path, ending: str) -> None:
    """The code sorts before all labels, so the certificate lists its people first."""
    table, people = survey(tmp_path, ending)
    out = tmp_path / "out"
    rs.anonymize(table, quasi=["region", "sex"], population=people, k=1,
                 privacy=[{"kind": "k-map", "k": 9}], out=out)  # fmt: skip
    assert rs.verify(out).passed
    assert labels_of(out, table.name) == ["6", "East", "North", "South"]
    certificate = json.loads((out / "certificate.json").read_text())
    assert certificate["population"] == [9, 9, 300, 300, 100, 100, 200, 200]


@pytest.mark.quick(1)
@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_rare_value_in_its_own_group_is_released_and_made_again(
    tmp_path: Path, ending: str
) -> None:
    """All policies of a frontier can be published, applied, and repeated."""
    table, _ = survey(tmp_path, ending)
    found: Any = rs.frontier(
        table, quasi=["sex", "region"], orders={"region": ORDER, "sex": ["male", "female"]}
    )
    codes = []
    for at, member in enumerate(found.members):
        out = tmp_path / str(at)
        found.choose(at, reason="the test releases all policies").write(out)
        assert rs.verify(out).passed, found.policies.words(member.policy)
        codes.append("6" in labels_of(out, table.name))
        if not codes[-1]:
            continue
        assert "Enclave" not in labels_of(out, table.name)
        rs.apply(out / "policy.json", table, out=tmp_path / f"again {at}")
        assert labels_of(tmp_path / f"again {at}", table.name) == labels_of(out, table.name)
        assert rs.repeat(out, original=table).different == ()
    assert any(codes)
    assert not all(codes)


@pytest.mark.parametrize("order", [["1", "2", "3", "6"], ["North", "2", "3", "Enclave"]])
def test_an_order_can_list_codes_or_labels(tmp_path: Path, order: list[str]) -> None:
    """The same policies are found as with labels alone."""
    table, _ = survey(tmp_path, "sav")
    found = [
        rs.frontier(table, quasi=["sex", "region"], orders={"region": one, "sex": ["1", "2"]})
        for one in (ORDER, order)
    ]
    first, other = ([one.policies.words(m.policy) for m in one.members] for one in found)
    assert first == other


def test_an_order_can_list_the_labels_of_a_codebook(tmp_path: Path) -> None:
    """The table has codes, and the codebook their labels."""
    rows = [(at % 2 + 1, at // 2 % 3 + 1) for at in range(120)]
    pd.DataFrame(rows, columns=["sex", "region"]).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "c.csv").write_text("name,values\nregion,1=North; 2=South; 3=East\n")
    given: dict[str, Any] = {"quasi": ["sex", "region"], "codebook": tmp_path / "c.csv"}
    for order in (["North", "South", "East"], ["1", "2", "3"]):
        found = rs.frontier(tmp_path / "t.csv", orders={"region": order}, **given)
        assert found.policies.ordered.domains[1].listed == ("1", "2", "3")  # type: ignore[attr-defined] # orders have domains


def diagnoses(folder: Path, rare: int) -> Path:
    """Write a table in which the label of `rare` diagnoses is a name."""
    rows = [(at % 2 + 1, at // 2 % 3 + 1) for at in range(120)]
    rows += [(at % 2 + 1, 6) for at in range(rare)]
    table = pd.DataFrame(rows, columns=["sex", "diag"])
    named = {1: "flu", 2: "cold", 3: "asthma", 6: "Frau Anna Müller"}
    path = folder / f"d{rare}.sav"
    pyreadstat.write_sav(table, path, variable_value_labels={"sex": LABELS["sex"], "diag": named})
    return path


def test_a_label_that_does_not_leave_is_no_objection(tmp_path: Path) -> None:
    """A name that stands for two records leaves as a code, so the column can be sensitive."""
    model = {"kind": "distinct-l-diversity", "column": "diag", "l": 2}
    settings: dict[str, Any] = {"quasi": ["sex"], "sensitive": ["diag"], "privacy": [model]}
    rare, frequent = diagnoses(tmp_path, 4), diagnoses(tmp_path, 5)
    rs.anonymize(rare, **settings, out=tmp_path / "out")
    (column,) = (
        one for name, one in pyreadstat.read_sav(tmp_path / "out" / rare.name)[1]
        .variable_value_labels.items() if name == "diag"
    )  # fmt: skip
    assert sorted(column.values()) == ["6", "asthma", "cold", "flu"]
    with pytest.raises(RoleError, match="contains names"):
        rs.anonymize(frequent, **settings)


def test_a_sensitive_column_can_be_released_anyway(tmp_path: Path) -> None:
    """A privacy model can use the column, and the report and the certificate name it."""
    table, out = diagnoses(tmp_path, 6), tmp_path / "out"
    model = {"kind": "distinct-l-diversity", "column": "diag", "l": 2}
    rs.anonymize(table, quasi=["sex"], sensitive=["diag"], release_anyway=["diag"],
                 privacy=[model], out=out)  # fmt: skip
    assert rs.verify(out).passed
    certificate = json.loads((out / "certificate.json").read_text())
    assert [one["column"] for one in certificate["identifiers"] if one["forced"]] == ["diag"]
    rs.apply(out / "policy.json", table, out=tmp_path / "again")
    assert rs.verify(tmp_path / "again").passed
