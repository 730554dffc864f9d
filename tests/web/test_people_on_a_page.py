"""Pages say how many people lost records, what a limit counts, and how many rows are known."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from workbench import Bench, served

PEOPLE, RARE = 80, 3
_COLUMNS = ("patient_id", "clinic", "outcome")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench, and a table with two visits per person; a few visits have a rare clinic."""
    folder = tmp_path_factory.mktemp("people")
    rows = [
        f"P{i // 2:03},{'rare' if i % 2 and i < 2 * RARE else 'usual'},{'ab'[i % 2]}"
        for i in range(2 * PEOPLE)
    ]
    (folder / "visits.csv").write_text("\n".join([",".join(_COLUMNS), *rows, ""]))
    with served(folder / "state", [folder], folder=folder) as bench:
        yield bench


@pytest.fixture(params=["none", "pseudonym"])
def piece(bench: Bench, request: pytest.FixtureRequest) -> tuple[str, str]:
    """A piece of work in which the rows of a person are linked, or not."""
    own = bench.begin()
    bench.open(own, "visits.csv")
    for number, role in enumerate(("person", "quasi", "unchanged"), 1):
        assert bench.post(f"{own}/columns/{number}/role", role=role).status == 200
    link = "" if request.param == "none" else request.param
    text = bench.post(f"{own}/columns/promise", k="5", suppression="5", link=link).text
    unit = "people" if link else "records"
    assert f"Maximum suppression (% of {unit})" in text
    assert f"at most 5% of {unit} suppressed" in text
    return own, unit


def _words(text: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", text).split())


@pytest.mark.quick(1)
def test_the_release_says_how_many_people_lost_some_records(
    bench: Bench, piece: tuple[str, str]
) -> None:
    """A limit is shown with what it counts."""
    own, unit = piece
    bench.post(f"{own}/release/prepare")
    assert bench.wait(own, "prepare")["state"] == "done"
    text = _words(bench.get(f"{own}/release").text)
    report = _words(bench.get(f"{own}/release/prepared/report.html").text)
    if unit == "records":
        assert "80 of 80 are in the release, 3 of them without some of their records" in text
        assert "Suppressed 3 records (1.88%; limit 5% of records)" in text
        assert "3 other people lost some records" in report
    else:
        assert "77 of 80 are in the release Records" in text
        assert "Suppressed 3 people (3.75%; limit 5% of people), with 6 records (3.75%)" in text
        assert "lost some records" not in report


@pytest.mark.quick(1)
def test_a_candidate_says_how_many_people_lost_some_records(
    bench: Bench, piece: tuple[str, str]
) -> None:
    """In the list and in the comparison."""
    own, unit = piece
    bench.post(f"{own}/explore/try", kind="global", k="5")
    assert bench.wait(own, "trial")["state"] == "done"
    says = (
        "0 people have no record left, and 3 lost some records; the limit counts records"
        if unit == "records"
        else "3 of 80 people; the limit counts people"
    )
    text = bench.get(f"{own}/explore").text
    assert text.count(says) == 2
    assert says in bench.get(f"{own}/explore/points").text


@pytest.mark.quick(1)
def test_the_risk_is_of_the_rows_that_a_release_protects(
    bench: Bench, piece: tuple[str, str]
) -> None:
    """Two rows if the release links them, although no number was chosen."""
    own, unit = piece
    usual = "default: 2, because the rows of a person are linked" if unit == "people" else "1"
    assert usual in bench.get(f"{own}/risk").text
    questions = dict.fromkeys(("whole_population", "membership_known", "self_revealing"), "no")
    answer = bench.post(f"{own}/risk", threshold="0.2", **questions)
    assert answer.status == 303, answer.text
    assert bench.wait(own, "risk")["state"] == "done"
    text = _words(bench.get(f"{own}/risk").text)
    known = "any two rows" if unit == "people" else "one row"
    assert f"If an attacker knows {known} of a person" in text
