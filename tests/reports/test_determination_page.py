"""A determination's pages and PDFs are whole, show every point, and escape every answer."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from determinations import all_answered, certificate_of, small_release

import roadstead as rs
from roadstead.determination.dialects import NAMES, DialectName, dialect
from roadstead.determination.document import Determination
from roadstead.release.facts import CertifiedFigure
from roadstead.reports.determination import pdf as pdf_room
from roadstead.reports.determination.content import (
    READ,
    STATES,
    DeterminationContent,
    content_of_dialect,
)
from roadstead.reports.determination.page import render_determination
from roadstead.reports.determination.pdf import render_pdf
from roadstead.reports.determination.risk_words import RISK_WORDS
from roadstead.reports.determination.words import LABELS, not_there, said

HOSTILE = (
    '<script>alert(1)</script>"><img src=x onerror=alert(1)>{{ 701*703 }}</title>&amp;'
    '#panic("evaluated") #metadata(1) <injected> ]#panic("out") #read("determination.typ")'
    " $ sum $ *bold* _x_ `raw` = Head\\n@ref https://example.org // comment \u202e \x07 \\u{41}"
)


class _Page(HTMLParser):
    """Collects tags, what they are named, and what is linked."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        if given.get("id"):
            self.ids.append(given["id"] or "")
        if tag == "a":
            self.links.append(given.get("href") or "")
        assert not any(name.startswith("on") for name in given)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small release."""
    return small_release(tmp_path_factory.mktemp("pages"))


def found(release: Path, text: str | None) -> Determination:
    """Determine in all dialects: nothing is answered, or all with this text."""
    answers = None
    if text is not None:
        answers = release.parent / "answers.toml"
        literal = json.dumps(text)
        written = all_answered(certificate_of(release), "PLACE").replace("'''PLACE'''", literal)
        answers.write_text(written, encoding="utf-8")
    return rs.determine(release, answers=answers).determination


@pytest.fixture(scope="module")
def plain(release: Path) -> Determination:
    """All answered with a plain text."""
    return found(release, "Plain.")


@pytest.fixture(scope="module")
def hostile(release: Path) -> Determination:
    """All answered with a hostile text."""
    return found(release, HOSTILE)


def content(of: Determination, name: DialectName) -> DeterminationContent:
    """Give what the document of a dialect shows."""
    return content_of_dialect(of, next(one for one in of.dialects if one.dialect == name))


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", NAMES)
def test_no_answer_becomes_markup_on_a_page(
    plain: Determination, hostile: Determination, name: DialectName
) -> None:
    """The page of hostile answers has the tags of that of plain ones, and shows what they say."""
    page, other = (_Page(render_determination(content(of, name))) for of in (plain, hostile))
    assert other.tags == page.tags
    assert other.ids == page.ids
    assert other.links == page.links
    assert "script" not in other.tags
    assert "{{ 701*703 }}" in other.text
    assert "<script>alert(1)</script>" in other.text
    assert "\u202e" not in other.text


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", NAMES)
def test_every_point_is_on_its_page_with_what_answers_it(
    release: Path, plain: Determination, name: DialectName
) -> None:
    """Every link leads somewhere, and no name is there twice."""
    for of in (found(release, None), plain):
        shown = content(of, name)
        page = _Page(render_determination(shown))
        assert len(page.ids) == len(set(page.ids))
        assert {link[1:] for link in page.links} <= set(page.ids)
        for point in dialect(name).points:
            assert point.question in page.text
            assert f"point-{point.id}" in page.ids
        for own in shown.points:
            complete = all(one.answer is not None for one in own.answers) and not own.missing
            if own.answered in ("tool", "people", "both"):
                assert complete
                assert all(one.why is not None for one in own.variables)
            assert STATES[own.answered] in page.text
        numbers = {one.number for one in shown.figures}
        assert {claim.number for point in shown.points for claim in point.claims} <= numbers
        for source in dialect(name).sources.values():
            assert READ[source.read] in page.text
        assert of.certificate in page.text


def test_the_tool_itself_never_says_that_a_risk_is_very_small(release: Path) -> None:
    """The expert says it. Without an expert, it is only in the question and in the rule's text."""
    shown = content(found(release, None), "hipaa")
    claims = [claim.says for point in shown.points for claim in point.claims]
    said_by_tool = [
        *claims,
        *shown.alarms,
        shown.state,
        *(v for f in shown.figures for v in f.value),
    ]
    assert said_by_tool
    assert not [text for text in said_by_tool if re.search("very small|accept|compl(y|ies)", text)]
    assert "draft" in shown.state
    assert shown.conclusion is None
    assert {one.answer for one in shown.signature} == {None}


def test_a_risk_above_the_threshold_is_the_first_thing_said(release: Path) -> None:
    """With people's own threshold and over all, too; and each on its side."""
    shown = content(found(release, None), "ema")
    assert shown.alarms[0].startswith("The maximum risk is 0.")
    assert (
        "ABOVE the threshold of 0.09, which the guidance of the regulator names." in shown.alarms[0]
    )
    page = render_determination(shown)
    assert page.index("ABOVE") < page.index("Overview of the answers</h2>")
    above = [point.id for point in shown.points if point.above]
    assert above[0] == "maximum"


@pytest.mark.quick(1)
@pytest.mark.parametrize("measure", ["maximum", "average"])
def test_a_risk_that_is_within_the_threshold_is_met(measure: str, tmp_path: Path) -> None:
    """Fault class: the label of the maximum risk was next to the question about the average."""
    sexes = ["f"] * 5 + ["m"] * 75
    made = rs.anonymize({"sex": sexes}, quasi=["sex"], k=5)
    made.write(tmp_path / "release")
    questions = tmp_path / "answers.toml"
    rs.determine(tmp_path / "release", new=questions)
    written = questions.read_text("utf-8")
    for key, value in (("value", "0.09"), ("measure", f'"{measure}"'), ("probability", "0.3")):
        assert f'\n{key} = "not assessed"' in written
        written = written.replace(f'\n{key} = "not assessed"', f"\n{key} = {value}")
    questions.write_text(written, "utf-8")
    of = rs.determine(tmp_path / "release", answers=questions).determination
    above = {name: {x.id for x in content(of, name).points if x.above} for name in NAMES}
    assert above["ema"] == {"maximum"}
    assert above["ipc"] == set()  # 0.2 x 0.3 is within 0.09


def test_what_expired_says_so_at_the_top(plain: Determination) -> None:
    """On every page; and a release that an attack succeeded on, too."""
    late = dataclasses.replace(plain, expired=True, convicted=("singling-out",))
    for name in NAMES:
        alarms = content(late, name).alarms
        assert alarms[0] == "This determination has expired. It was valid until 2028-03-01."
        assert alarms[1].endswith("more than the privacy requirements allow: singling out.")


FIGURES: dict[str, tuple[Any, str]] = {
    "expected": ({"k": 5, "records": 3, "released": 90}, "fewer than 5 matching people"),
    "population": ({"people": 900, "classes": 9, "least": 7}, "who match a group is 7"),
    "persons": (
        {"column": "who", "knows": 2, "persons": 50, "released": 48, "left_out": 2},
        "48 of 50 people",
    ),
    "epsilon": ([0.5, "one record"], "Epsilon is 0.5, for one record"),
    "k-of-tables": ([20, 2], "any 2 codes"),
    "dates": ({"columns": ["seen"], "shift": 30, "keyed": True}, "at most 30 days"),
    "look-alikes": ([["phone", 4, None, True]], "phone looks like "),
    "link": ({"linkage": "pseudonym", "pseudonyms": "forgotten"}, "a key that was not kept"),
    "signed": (
        {"state": "claimed", "signer": "A", "role": None, "signed": "2026-01-01", "expires": None},
        "Roadstead did not check who owns the key",
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_another_kind_of_release_is_said(name: str) -> None:
    """For people, databases, private releases, and populations."""
    value, words = FIGURES[name]
    assert words in " ".join(said(CertifiedFigure(name, "certificate.json", "x", value), "record"))


def test_kept_times_of_day_are_said() -> None:
    """A reviewer sees that the dates have exact times."""
    value = {**FIGURES["dates"][0], "times_of_day": ["seen"]}
    figure = CertifiedFigure("dates", "certificate.json", "x", value)
    assert "with the exact time of day: seen. An attacker" in " ".join(said(figure, "record"))


def test_every_figure_can_be_said_to_be_missing() -> None:
    """In a sentence, whatever the release."""
    for name in LABELS:
        for kind in ("table", "private", "database"):
            assert not_there(name, kind).endswith(".")


@pytest.mark.parametrize("name", ["hipaa"])
def test_a_pdf_is_tagged_and_takes_no_answer_for_markup(
    hostile: Determination, name: DialectName, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typst would stop at the panic, or find the label, if it evaluated an answer."""
    typst = pytest.importorskip("typst")
    given: dict[str, Any] = {}
    compiled = typst.compile

    def compile_and_keep(**settings: Any) -> bytes:  # noqa: ANN401 - as Typst's own
        given.update(settings)
        made: bytes = compiled(**settings)
        return made

    monkeypatch.setattr(typst, "compile", compile_and_keep)
    made = render_pdf(content(hostile, name))
    assert made.startswith(b"%PDF-")
    assert b"pdfuaid:part" in made
    assert given["pdf_standards"] == "ua-1"
    assert given["ignore_system_fonts"] is True
    asked = {"input": given["input"], "sys_inputs": given["sys_inputs"]}
    assert json.loads(typst.query(selector="<injected>", **asked)) == []
    headings = json.loads(typst.query(selector="heading.where(level: 1)", **asked))
    assert len(headings) == len(dialect(name).parts) + 5  # contents and four of every document


@pytest.mark.parametrize("name", NAMES[1:])
def test_the_pdf_of_every_dialect_is_tagged(hostile: Determination, name: DialectName) -> None:
    """PDF/UA-1, with hostile answers: it has tags, a language, and shows its title."""
    pytest.importorskip("typst")
    made = render_pdf(content(hostile, name))
    assert b"pdfuaid:part" in made
    assert all(one in made for one in (b"/StructTreeRoot", b"/Lang", b"/DisplayDocTitle true"))


def test_a_letter_that_no_font_has_is_an_error_of_the_output(
    hostile: Determination, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fonts of the machine are tried once; then it says what to do."""
    typst = pytest.importorskip("typst")
    tried = []

    def fail(**settings: Any) -> bytes:  # noqa: ANN401 - as Typst's own
        tried.append(settings["ignore_system_fonts"])
        raise typst.TypstError("PDF/UA-1 error: a letter could not be displayed")

    monkeypatch.setattr(typst, "compile", fail)
    with pytest.raises(rs.OutputError, match="could not be displayed; install fonts"):
        render_pdf(content(hostile, "ipc"))
    assert tried == [True, False]


def test_without_typst_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    import sys  # noqa: PLC0415 - only here

    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(rs.MissingExtraError, match=r"install roadstead\[pdf\]"):
        pdf_room.require_typst()


def test_one_other_column_is_not_counted() -> None:
    """Fault class: "the 1 other released column"."""
    known = {"unique": 2, "records": 9, "quasi_unique": 0, "groups_of": "records", "people": None}
    (one,) = RISK_WORDS["added"]({**known, "columns": 1}, "record")
    assert one.startswith("An attacker who also knows the other released column of a person may")
    assert "With this column, 2 of 9 records" in one
    (two,) = RISK_WORDS["added"]({**known, "columns": 2}, "record")
    assert "the 2 other released columns of a person" in two
    assert "With all of these columns, 2 of 9 records" in two
