"""Answers are read strictly, hold for the releases that they name alone, and may be missing."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest
from determinations import all_answered

from roadstead.determination.answers import AllAnswers, AnswersFile, questions
from roadstead.determination.answers_file import read_answers
from roadstead.determination.new_file import new_answers
from roadstead.errors import SettingError

OURS, OTHERS = "a" * 64, "b" * 64
HEAD = f'[[release]]\ncertificate = "{OURS}"\n'


def read(folder: Path, text: str) -> AllAnswers:
    """Read answers about our release from a file with this text."""
    path = folder / "determination.toml"
    path.write_text(text, encoding="utf-8")
    return read_answers(path, OURS)[0]


def refused(folder: Path, text: str) -> str:
    """Say how a text is refused."""
    with pytest.raises(SettingError) as caught:
        read(folder, text)
    return caught.value.message


def test_every_question_can_be_answered(tmp_path: Path) -> None:
    """And each answer arrives where its question is."""
    answers = read(tmp_path, all_answered(OURS))
    for key in questions():
        assert answers.answer(key), key
    assert answers.expert.date == date(2026, 3, 1)
    assert answers.threshold.value == 0.09


@pytest.mark.parametrize("nothing", ['"not assessed"', '"Not assessed"', '""', '"  "'])
@pytest.mark.parametrize("key", ["expert.name", "expert.date", "threshold.value", "threshold.why"])
def test_not_assessed_is_an_answer_of_every_kind(tmp_path: Path, key: str, nothing: str) -> None:
    """Of days and numbers too, however it is written."""
    section, _, name = key.partition(".")
    assert read(tmp_path, f"{HEAD}[{section}]\n{name} = {nothing}").answer(key) is None


def test_a_new_file_asks_everything_and_answers_nothing(tmp_path: Path) -> None:
    """It can be read unchanged, with hostile names of columns."""
    columns = ["age", 'a"b', "c\\d", "e\nf", "g\x1b", "\u202eh", "i.j", "#k", "", "l\x7f"]
    text = new_answers(OURS, 'a "folder"', columns)
    document = tomllib.loads(text)
    assert list(document["data"]["variables"]) == columns
    for key in questions():
        section, _, name = key.partition(".")
        assert name in document[section], key
        assert questions()[key].description.partition(" ")[0] in text
    answers = read(tmp_path, text)
    assert [key for key in questions() if key != "data.variables" and answers.answer(key)] == []
    assert set(answers.data.variables.values()) == {None}
    assert "\x1b" not in text
    assert "\u202e" not in text
    head = text.partition("roadstead_determination")[0].replace("\n# ", " ")
    assert "The file has the questions of all regulators" in head
    assert "A document for one regulator shows only some of the answers" in head


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[expert]\nnam = "A"', "expert.nam is not known; did you mean expert.name?"),
        ('[expret]\nname = "A"', "expret is not known; did you mean expert?"),
        ('qualification = "A"', "qualification is not known; did you mean expert.qualification?"),
        ('[recipient]\ncontrol = "A"', "did you mean recipient.controls?"),
        ('[expert]\nharms = "A"', "expert.harms is not known; did you mean impact.harms?"),
        ('[expert]\nzzzzzz = "A"', "use one of name, qualification, conclusion, date, expires"),
        ("[expert]\nname = 5", "expert.name is not text; write it in quotes"),
        ('[expert]\ndate = "2026-03-01"', "expert.date is not a day"),
        ("[expert]\ndate = 2026-03-01T10:00:00", "expert.date is not a day"),
        ('[threshold]\nvalue = "0.09"', "threshold.value is not a number"),
        ("[threshold]\nvalue = 9", "threshold.value is above 1"),
        ("[threshold]\nvalue = 0.0", "threshold.value is not above 0"),
        ("[threshold]\nvalue = true", "threshold.value"),
        ("[threshold]\nvalue = nan", "threshold.value"),
        ('[threshold]\nmeasure = "median"', "threshold.measure"),
        ('[recipient]\nmodel = "open"', "recipient.model"),
        ("expert = 5", "expert is not a table"),
        ("[data]\nvariables = 5", "data.variables is not a table"),
        ("[data.variables]\nage = 5", "data.variables.age is not text"),
        ("roadstead_determination = 2", "roadstead_determination"),
        ("[expert", "not valid TOML"),
        ("a" * 5 + "\x00", "not valid TOML"),
        (f"[expert]\nname = '''{'x' * 20_001}'''", "expert.name is too long"),
    ],
)
def test_what_is_wrong_is_refused_and_the_nearest_name_offered(
    tmp_path: Path, text: str, said: str
) -> None:
    """One line that says where, what and what to do."""
    before = "" if text.partition("=")[0].strip().isidentifier() else HEAD
    after = HEAD if not before else ""
    assert said in refused(tmp_path, f"{before}{text}\n{after}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[expert]\nname = "A"', "it does not name any release"),
        (f'[[release]]\ncertificate = "{OTHERS}"', "it is about another release"),
        (f"{HEAD}{HEAD}", "names this release twice"),
        ('[[release]]\ncertificate = "abc"', "release.1.certificate is not a SHA-256"),
        ('[[release]]\nname = "A"', "release.1.certificate is missing"),
        (f'{HEAD}[release.expert]\nnam = "A"', "did you mean expert.name?"),
        (f'{HEAD}certificat = "A"', "did you mean certificate?"),
    ],
)
def test_answers_hold_for_the_releases_they_name_alone(
    tmp_path: Path, text: str, said: str
) -> None:
    """Fault class: an expert's conclusion on a release that the expert never saw."""
    message = refused(tmp_path, text)
    assert said in message
    if said.startswith("it "):
        assert OURS in message


def test_what_a_release_answers_itself_goes_before(tmp_path: Path) -> None:
    """Also where it says that something is not assessed, which others answer for all."""
    text = f"""
[[release]]
certificate = "{OTHERS}"
[release.expert]
name = "Of others"
[[release]]
certificate = "{OURS}"
[release.expert]
name = "Of ours"
qualification = "not assessed"
[release.data.variables]
age = "Ours."
[expert]
name = "Of all"
qualification = "All."
conclusion = "For all."
[data.variables]
age = "All."
sex = "All."
"""
    answers = read(tmp_path, text)
    assert answers.expert.name == "Of ours"
    assert answers.expert.qualification is None
    assert answers.expert.conclusion == "For all."
    assert answers.data.variables == {"age": "Ours.", "sex": "All."}


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """Not there, a folder, not UTF-8, begins with a mark."""
    with pytest.raises(SettingError, match="the file does not exist; make a file with new="):
        read_answers(tmp_path / "none.toml", OURS)
    with pytest.raises(SettingError, match="it is a folder"):
        read_answers(tmp_path, OURS)
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingError, match="not UTF-8"):
        read_answers(path, OURS)
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.encode())
    assert read_answers(path, OURS)[0].expert.name is None


def test_the_form_of_the_file_has_nothing_that_is_not_asked() -> None:
    """Every key of the file is a question, but what names the release and the version."""
    known = {key.partition(".")[0] for key in questions()}
    assert set(AnswersFile.model_fields) - known == {"roadstead_determination", "release"}
