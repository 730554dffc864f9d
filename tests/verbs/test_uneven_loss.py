"""A set of tables says who loses all rows, and which codes lose the most."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from commands import run

from roadstead.release.database.certificate import read_database_certificate
from roadstead.reports.terminal.database import in_notebook, promised

K = 4
CODES = ("E11.9", "I10", "J45", "N18.3", "O80")
SCARCE = "Q99 of only two"
PROJECT = """
data = "extract"
[privacy]
k = 4
[tables.patients]
data = "patients.csv"
person = "id"
quasi = ["sex"]
[tables.visits]
data = "visits.csv"
person = "id"
code = "code"
[tables.drugs]
data = "drugs.csv"
person = "id"
code = "drug"
"""


@pytest.fixture
def extract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write 40 people with codes that are common and codes that are rare together."""
    chance = random.Random(8)  # noqa: S311 - made-up people
    people = [(f"p{at:02}", "fm"[at % 2]) for at in range(40)]
    visits = [(who, code) for who, _ in people[2:] for code in chance.sample(CODES, 2)]
    visits += [(who, "I10") for who, _ in people[2:] if chance.random() < 0.8]
    visits += [(who, SCARCE) for who, _ in people[:2]]
    drugs = [(who, "aspirin") for who, _ in people[:30]]
    (tmp_path / "extract").mkdir()
    for name, head, rows in (
        ("patients", ("id", "sex"), people),
        ("visits", ("id", "code"), visits),
        ("drugs", ("id", "drug"), drugs),
    ):
        with (tmp_path / "extract" / f"{name}.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([head, *rows])
    (tmp_path / "study.toml").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(path: Path) -> list[dict[str, str]]:
    """Read a table."""
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def shares(before: Path, after: Path, column: str) -> dict[str, float]:
    """By the definition: the released rows of each code that K people are released with."""
    source, left = (Counter(row[column] for row in read(path)) for path in (before, after))
    people: dict[str, set[str]] = defaultdict(set)
    for row in read(after):
        people[row[column]].add(row["id"])
    return {code: left[code] / source[code] for code in source if len(people[code]) >= K}


def test_the_loss_of_rows_is_said_and_certified(extract: Path) -> None:
    """People, shares, and the advice; a code of few people is only counted."""
    ran = run("anonymize", "--project", "study.toml", "--out", "out")
    assert ran.code == 0, ran.err
    certificate = json.loads((extract / "out" / "certificate.json").read_text())
    visits = certificate["tables"]["visits"]
    source, out = extract / "extract" / "visits.csv", extract / "out" / "visits.csv"
    before, after = ({row["id"] for row in read(path)} for path in (source, out))
    assert visits["people"] == {"source": len(before), "released": len(after)}
    assert len(after) < len(before)
    found = shares(source, out, "code")
    least, greatest = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    assert visits["codes"] == {
        "least": int(100 * found[least]),
        "greatest": int(100 * found[greatest]),
    }
    lost = len(before) - len(after)
    assert f"none in the release: {lost} of {len(before)} in visits." in ran.out
    assert "codes" not in certificate["tables"]["drugs"]
    assert certificate["tables"]["drugs"]["people"] == {"source": 30, "released": 30}
    said = re.search(r"in visits, (\d+)% for (\S+) and (\d+)% for ([^;]+);", ran.out)
    assert said is not None, ran.out
    assert (found[said[2]], found[said[4]]) == (found[least], found[greatest])
    assert (int(said[1]), int(said[3])) == (visits["codes"]["least"], visits["codes"]["greatest"])
    assert "loses all rows" in ran.out or "lose all rows" in ran.out
    assert "with a code, or a pair of codes, that fewer than 4 people of a group have" in ran.out
    assert "--knows 1" in ran.out
    assert "Q99" not in ran.out + json.dumps(certificate)
    assert not any(code in json.dumps(certificate) for code in CODES)


@pytest.mark.nightly
@pytest.mark.usefixtures("extract")
def test_one_known_code_is_an_answer_to_the_advice() -> None:
    """The advice keeps more rows, and is not repeated."""
    asked = ("anonymize", "--project", "study.toml", "--json")
    two = run(*asked, "--out", "two").json["tables"]["visits"]
    one = run(*asked, "--out", "one", "--knows", "1").json["tables"]["visits"]
    assert one["rows"] > two["rows"]
    assert one["people"]["released"] >= two["people"]["released"]
    said = run("anonymize", "--project", "study.toml", "--out", "one", "--knows", "1", "--force")
    assert "--knows 1" not in said.out
    assert "with a code that fewer than 4 people of a group have" in said.out


@pytest.mark.nightly
def test_a_notebook_does_not_name_codes(extract: Path) -> None:
    """A notebook may be shared, and has only what the certificate has."""
    assert run("anonymize", "--project", "study.toml", "--out", "out").code == 0
    certificate, _ = read_database_certificate(extract / "out" / "certificate.json")
    said = "\n".join(promised(certificate, {}))
    assert "depending on the code" in said
    assert not any(code in said + in_notebook(certificate, {}) for code in (*CODES, "Q99"))


def test_the_report_has_the_facts_of_the_certificate_and_no_codes(extract: Path) -> None:
    """Rows, people, shares, and the treatment of each column; not the advice to the custodian."""
    ran = run("anonymize", "--project", "study.toml", "--out", "out")
    assert f"Read {Path('out', 'report.html')}" in ran.out
    certificate, _ = read_database_certificate(extract / "out" / "certificate.json")
    assert "report.html" in {one.name for one in certificate.files}
    page = (extract / "out" / "report.html").read_text()
    assert "default-src 'none'" in page
    visits = certificate.tables["visits"]
    assert visits.people is not None
    assert visits.codes is not None
    for number in (visits.rows, visits.rows_of_source, visits.people.released):
        assert f'<td class="number">{number}</td>' in page
    assert f"in visits, {visits.codes.least}% to {visits.codes.greatest}%, depending" in page
    assert "that fewer than 4 people of a group have" in page
    assert "visits.code" in page
    assert not any(code in page for code in (*CODES, "Q99"))
    assert "To keep more rows" not in page
    (extract / "out" / "report.html").write_text(page + " ")
    assert run("verify", "out").code != 0


@pytest.mark.nightly
def test_births_of_a_set_without_dates_are_compared_with_the_current_year(extract: Path) -> None:
    """The year is in the certificate, the output, and the report; verify passes."""
    people = read(extract / "extract" / "patients.csv")
    lines = [f"{one['id']},{one['sex']},{1900 + 3 * at}" for at, one in enumerate(people)]
    (extract / "extract" / "patients.csv").write_text("\n".join(["id,sex,born", *lines, ""]))
    project = PROJECT.replace('quasi = ["sex"]', 'birth = "born"\nquasi = ["sex"]')
    (extract / "study.toml").write_text(project)
    ran = run("anonymize", "--project", "study.toml", "--out", "out", "--suppression", "0.3")
    assert ran.code == 0, ran.err
    said = "Years of birth before 1937 count as 1937"
    assert said in ran.out
    assert "over 89 at the end of 2026" in ran.out
    assert said in (extract / "out" / "report.html").read_text()
    certificate, _ = read_database_certificate(extract / "out" / "certificate.json")
    assert certificate.earliest_birth == 1937
    cells = {row["born"] for row in read(extract / "out" / "patients.csv")}
    # No interval ends before the band, so no cell is only of people over 89.
    assert all(int(cell[-4:]) >= 1937 for cell in cells if cell.isdigit() or "-" in cell), cells
    assert run("verify", "out").code == 0


def test_verify_counts_the_people_of_each_table(extract: Path) -> None:
    """A certificate that claims more people does not pass."""
    assert run("anonymize", "--project", "study.toml", "--out", "out").code == 0
    assert run("verify", "out").code == 0
    path = extract / "out" / "certificate.json"
    good = json.loads(path.read_text())
    people = good["tables"]["visits"]["people"]
    right = f'"released": {people["released"]}'
    assert path.read_text().count(right) >= 1
    head, mark, tail = path.read_text().partition('"people": {')
    tail = tail.replace(right, f'"released": {people["released"] + 1}', 1)
    path.write_text(head + mark + tail)
    ran = run("verify", "out")
    assert ran.code != 0
    assert "are certified" in ran.out
