"""The source of each answer, compared with the plain rule; and the summary."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from determinations import COLUMNS, all_answered, certificate_of, small_release

import roadstead as rs
from roadstead.determination.answers import AllAnswers, questions
from roadstead.determination.answers_file import read_answers
from roadstead.determination.dialects import NAMES, DialectPoint, dialect
from roadstead.determination.document import (
    Determination,
    determined,
    require_days_in_order,
)
from roadstead.determination.figures import MeasuredRelease, measured
from roadstead.errors import SettingError
from roadstead.release.facts import CertifiedFigure

TODAY = date(2027, 1, 1)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small release."""
    return small_release(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def figures(release: Path) -> MeasuredRelease:
    """Its figures."""
    return measured(release, rs.verify(release))


@pytest.fixture(scope="module")
def complete(release: Path) -> AllAnswers:
    """AllAnswers to all questions."""
    path = release.parent / "all.toml"
    path.write_text(all_answered(certificate_of(release)), encoding="utf-8")
    return read_answers(path, certificate_of(release))[0]


def made(of: MeasuredRelease, answers: AllAnswers, today: date = TODAY) -> Determination:
    """Determine in all dialects."""
    return determined(of, answers, NAMES, release="", today=today, created="2027-01-01T00:00:00")


def by_rule(point: DialectPoint, there: set[str], given: set[str]) -> str:
    """Say by whom a point is answered, by the definition."""
    tool = [name in there for name in point.tool] + [True for x in point.partly if x in there]
    people = [key in given for key in point.people]
    if all(tool + people):
        return {(True, True): "both", (True, False): "tool", (False, True): "people"}[
            (bool(tool), bool(people))
        ]
    return "part" if any(tool + people) else "nobody"


@pytest.mark.parametrize("answered", ["nothing", "a third", "everything"])
def test_every_point_of_every_dialect_is_answered_or_not_assessed(
    figures: MeasuredRelease, complete: AllAnswers, answered: str
) -> None:
    """By the plain rule, whatever people answered."""
    every = list(questions())
    given = set({"nothing": [], "a third": every[::3], "everything": every}[answered])
    answers = AllAnswers()
    for key in given:
        section, _, name = key.partition(".")
        part = getattr(answers, section).model_copy(
            update={name: getattr(getattr(complete, section), name)}
        )
        answers = answers.model_copy(update={section: part})
    found = made(figures, answers)
    for one in found.dialects:
        spec = dialect(one.dialect)
        assert [point.id for point in one.points] == [point.id for point in spec.points]
        for point, own in zip(spec.points, one.points, strict=True):
            there = set(figures.figures) | set(one.figures)
            assert own.answered == by_rule(point, there, given), (one.dialect, point.id)
            assert {each.key for each in own.people} == set(point.people)
            assert set(own.missing) == set(point.tool) - there
            assert {each.key for each in own.people if each.answer is not None} == (
                set(point.people) & given
            )
        assert sum(one.by.values()) == len(spec.points)
    if answered == "nothing":
        assert all(one.by["people"] == one.by["both"] == 0 for one in found.dialects)
    assert found.concluded is (answered == "everything")


def test_figures_are_those_of_the_certificate(figures: MeasuredRelease, release: Path) -> None:
    """Each names a field that is there, and has what is in it."""
    import json  # noqa: PLC0415 - only here

    document = json.loads((release / "certificate.json").read_text(encoding="utf-8"))
    for name in ("maximum", "average"):
        assert figures.figures[f"risk-{name}"].value == document["risk"][name]
        assert figures.figures["risk-before"].value[name] == document["risk"][f"{name}_before"]
    for one in figures.figures.values():
        for place in one.field.split(", ") if one.file == "certificate.json" else ():
            found = document
            for key in place.split("."):
                assert key in found, (one.id, one.field)
                found = found[key]
    assert figures.certificate == certificate_of(release)
    assert set(COLUMNS) == set(figures.released)


def test_what_no_file_shows_is_not_called_checked(figures: MeasuredRelease) -> None:
    """Fault class: the risk before, or the loss, presented as verified."""
    checked = {name for name, one in figures.figures.items() if one.checked}
    assert {"risk-maximum", "risk-average", "added", "files"} <= checked
    assert not checked & {"risk-before", "loss", "search", "records", "request", "suppression"}


def test_a_reason_is_needed_for_each_released_column(figures: MeasuredRelease) -> None:
    """A reason for a missing column is refused."""
    some = AllAnswers.model_validate({"data": {"variables": {"age": "In registers.", "zip": ""}}})
    point = next(one for one in made(figures, some).dialects[0].points if one.id == "variables")
    assert point.answered == "part"
    assert set(point.people[0].missing) == set(COLUMNS) - {"age"}
    wrong = AllAnswers.model_validate({"data": {"variables": {"Age": "In registers."}}})
    with pytest.raises(SettingError, match="does not have this column; did you mean age"):
        made(figures, wrong)


@pytest.mark.parametrize(
    ("today", "expired"), [(date(2028, 3, 1), False), (date(2028, 3, 2), True)]
)
def test_it_holds_on_its_last_day_and_no_longer(
    figures: MeasuredRelease, complete: AllAnswers, today: date, *, expired: bool
) -> None:
    """The day after, it has expired."""
    assert made(figures, complete, today).expired is expired


def test_an_end_before_the_beginning_is_refused(complete: AllAnswers) -> None:
    """An end on the same day is accepted."""
    expert = complete.expert.model_copy(update={"expires": date(2026, 2, 28)})
    with pytest.raises(SettingError, match=r"is before expert\.date"):
        require_days_in_order(complete.model_copy(update={"expert": expert}))
    require_days_in_order(complete)


def test_attacks_answer_where_they_are_and_alarm_where_they_succeed(
    figures: MeasuredRelease,
) -> None:
    """Without an attack, no answer says whether the release was attacked."""
    attack = {
        "attack": "singling-out",
        "knowledge": {"columns": ["age"]},
        "attempts": 100,
        "successes": 60.0,
        "base_attempts": 100,
        "base_successes": 10.0,
        "low": 0.4,
        "high": 0.6,
        "against": "guessing",
        "allowed": None,
        "tolerance": 0.0,
        "convicted": True,
        "needs": [],
        "counted": False,
    }
    with_one = dict(figures.figures)
    with_one["attacks"] = CertifiedFigure("attacks", "certificate.json", "attacks", [attack])
    tried = MeasuredRelease(
        "table", figures.certificate, "0", "2026-01-01", with_one, figures.columns, COLUMNS
    )
    for of, answered, convicted in ((figures, "nobody", ()), (tried, "tool", ("singling-out",))):
        found = made(of, AllAnswers())
        point = next(one for one in found.dialects[0].points if one.id == "attacked")
        assert point.answered == answered
        assert found.convicted == convicted
