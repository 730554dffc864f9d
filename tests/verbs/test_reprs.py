"""The repr of a result in a debugger: one line with enough information."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import undrawn, without_charts
from small_tables import PATIENTS, patients, write_csv

import roadstead as rs

QUASI = ["sex", "age"]
LONGEST = 240
PRIVATE: dict[str, Any] = {
    "epsilon": 1,
    "target": "sex",
    "classes": ["F", "M"],
    "ranges": {"age": "0..100"},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """A result of every class."""
    folder = tmp_path_factory.mktemp("results")
    data = write_csv(folder / "patients.csv", PATIENTS, patients(200))
    with pytest.MonkeyPatch.context() as patch:
        without_charts(patch)
        undrawn(patch)
        release = rs.anonymize(data, quasi=QUASI, identifiers=["name", "record"])
        frontier = rs.frontier(data, quasi=QUASI, identifiers=["name", "record"], evaluations=20)
        risk = rs.risk(data, quasi=QUASI)
        synthesis = rs.synthesize(data, **PRIVATE)
        synthesis.write(folder / "private")
        applied = rs.apply(release.policy, data)
        rules = folder / "gate.toml"
        rules.write_text("[promise]\nk = 5\n", encoding="utf-8")
        return {
            "Anonymization": release,
            "Verification": release.write(folder / "release"),
            "FrontierFinding": frontier,
            "FrontierRelease": frontier.choose(0, reason="These are made-up people of a test"),
            "RiskFinding": risk,
            "Advice": risk.advise(
                whole_population=False, membership_known=False, self_revealing=False
            ),
            "SynthesisFinding": synthesis,
            "Proposal": rs.scan(data),
            "Application": applied,
            "Drift": applied.drift,
            "AttackFinding": rs.attack(folder / "release", attacks=["scan"]),
            "DeterminationFinding": rs.determine(folder / "release"),
            "EvaluationFinding": rs.evaluate(data, runs=1, **PRIVATE),
            "Repetition": rs.repeat(folder / "release", original=data),
            "GateFinding": rs.gate(folder / "release", rules=rules),
            "SignatureFinding": rs.verify(folder / "release").signature,
            "Source": rs.read(data),
            "of a release": rs.evaluate(folder / "private", held_out=data),
        }


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("Anonymization", "5-anonymity"),
        ("Verification", "passed"),
        ("FrontierFinding", "policies"),
        ("FrontierRelease", "risk"),
        ("RiskFinding", "prosecutor risk at most"),
        ("Advice", "5-anonymity"),
        ("SynthesisFinding", "epsilon = 1"),
        ("Proposal", "200 records"),
        ("Application", "suppressed"),
        ("Drift", "limit 5%"),
        ("AttackFinding", "no attack succeeds"),
        ("DeterminationFinding", "no conclusion"),
        ("EvaluationFinding", "not private"),
        ("of a release", "not private"),
        ("Repetition", "are the same"),
        ("GateFinding", "2 of 2 rules hold"),
        ("SignatureFinding", "unsigned"),
        ("Source", "6 columns"),
    ],
)
def test_a_result_is_one_line(results: dict[str, object], name: str, figure: str) -> None:
    """With its kind and a key figure, and without a value or a record.

    Fault class: a page of internals where one line was wanted.
    """
    line = repr(results[name])
    assert "\n" not in line
    assert len(line) <= LONGEST
    assert type(results[name]).__name__ in line
    assert figure in line
    assert "0213" not in line


def test_every_class_of_results_is_among_them(results: dict[str, object]) -> None:
    """Whatever the top of the package exports that a verb gives back."""
    settings = {"Observer", "Job", "Roles", "Policy"}
    classes = {
        name
        for name in rs.__all__
        if isinstance(found := getattr(rs, name), type) and not issubclass(found, Exception)
        if not name.endswith("Request")
    }
    assert classes - settings <= set(results)


def test_a_name_from_outside_stays_on_the_line(tmp_path: Path) -> None:
    """A file may be called anything."""
    data = write_csv(tmp_path / "a\nb.csv", PATIENTS, patients(20))
    assert "\n" not in repr(rs.read(data))
    assert "\n" not in repr(rs.risk(data, quasi=QUASI))


def test_a_request_names_what_is_set_in_one_line() -> None:
    """And no value, which may be a table."""
    request = rs.AnonymizeRequest({"age": ["1", "2"]}, quasi=["age"], k=7)
    assert repr(request) == "<AnonymizeRequest: data, quasi, k>"
