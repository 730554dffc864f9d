"""A report's texts about people, and the chart of how many people some rows single out."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.reports.charts.svg import NARROW, WIDE, Canvas, ChartLabel, Dot
from roadstead.reports.charts.unicity import UnicityChart, unicity_chart
from roadstead.reports.content import ReportContent
from roadstead.reports.page import render, render_summary
from roadstead.reports.release.anonymization import content_of
from roadstead.risk.persons.unicity import Share, Singled


class _Texts(HTMLParser):
    """Gather the text of a page, except styles and pictures."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self._hidden = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self._hidden += tag in {"style", "svg"}

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in {"style", "svg"}

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.said.append(data)


def text_of(page: str) -> str:
    """Give the texts of a page in one line."""
    return " ".join(" ".join(_Texts(page).said).split())


def test_the_report_tells_the_risk_of_persons(content_of_persons: ReportContent) -> None:
    """In its first paragraphs and in figures; the result of counting records is labeled."""
    text = text_of(render(content_of_persons))
    assert "20 of 400 people in stays.csv (5%) are left out with all their records" in text
    assert (
        "knows all quasi-identifiers in any two rows of a person in the release picks the "
        "right person with a probability of at most 20% (1 in 5). The average"
    ) in text
    assert "Before: all 400 people of the source. After: the 380 people released." in text
    assert "Unique people people with n = 1" in text
    assert "The risk if records are counted" in text
    assert "picks the right record" not in text
    assert "The limit is 5% of the people (50)" in text


def test_a_risk_before_that_is_too_much_to_count_is_not_told(
    content_of_persons: ReportContent,
) -> None:
    """It has a dash, and the reason."""
    assert content_of_persons.persons is not None
    without = replace(content_of_persons.persons, before=None)
    page = render(replace(content_of_persons, persons=without))
    assert "too many combinations of any two rows to count" in text_of(page)
    assert render_summary(replace(content_of_persons, persons=without))


def test_a_report_of_records_says_nothing_of_curves(content: ReportContent) -> None:
    """There is a curve only if people are counted."""
    assert "unicity" not in render(content)


def test_the_curve_is_a_table_too(content_of_persons: ReportContent) -> None:
    """With its intervals, and a dash if no person has so many rows."""
    text = text_of(render(content_of_persons))
    dash = "\N{EN DASH}"
    assert f"2 30% 28% to 32% {dash} 10% 8% to 12% {dash}" in text
    assert "all 50% 20% 40% 10%" in text


def _share(exact: float, more: float) -> Share:
    return Share(exact, max(exact - more, 0.0), min(exact + more, 1.0))


_CURVES = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.2)), min_size=1, max_size=6
).map(
    lambda points: tuple(
        Singled(
            None if place == len(points) - 1 else place + 1,
            _share(below, more),
            _share(below * part, more),
        )
        for place, (below, part, more) in enumerate(points)
    )
)


@examples(50)
@given(_CURVES, st.none() | _CURVES, st.sampled_from((WIDE, NARROW)))
def test_whatever_the_curves_the_chart_keeps_to_its_room(
    before: tuple[Singled, ...], after: tuple[Singled, ...] | None, canvas: Canvas
) -> None:
    """Dots between the ends of the scale, labels in the view, and those of a curve apart."""
    chart = unicity_chart(before, after, 5)
    assert chart is not None
    drawing = chart.draw(canvas)
    dots = [one for one in drawing.shapes if isinstance(one, Dot)]
    assert len(dots) == 2 * (len(before) + len(after or ()))
    assert all(-1e-6 <= dot.y <= drawing.height + 1e-6 for dot in dots)
    assert all(0 <= dot.x <= canvas.width for dot in dots)
    for label in (one for one in drawing.shapes if isinstance(one, ChartLabel)):
        assert 0 <= label.x <= canvas.width
        assert -drawing.head <= label.y <= drawing.height + drawing.foot
    xs = sorted({dot.x for dot in dots})
    assert all(right - left > 10 for left, right in pairwise(xs))


def test_the_chart_says_what_there_is_to_see(content_of_persons: ReportContent) -> None:
    """The ends of its curves."""
    persons = content_of_persons.persons
    assert persons is not None
    chart = unicity_chart(persons.unicity_before, persons.unicity_after, persons.k)
    assert isinstance(chart, UnicityChart)
    assert chart.description == (
        "If an attacker knows 1 row, the share of people whose known rows match fewer "
        "than 5 people is 10% "
        "before and 0% after. "
        "If an attacker knows all rows, the share of people whose known rows match fewer "
        "than 5 people is 50% "
        "before and 20% after. "
        "The figures are in the table below."
    )


@pytest.mark.parametrize("after", [None, ()])
def test_no_curve_is_no_chart(after: tuple[Singled, ...] | None) -> None:
    """Where nothing is released and nothing was there."""
    assert unicity_chart((), after, 5) is None


@pytest.mark.parametrize("units", ["records", "persons"])
def test_a_report_says_of_what_its_limit_and_its_loss_are(units: str) -> None:
    """Of people if people are left out, and have equal weight; otherwise of records.

    Fault class: "share of records", "mean over all records", although it is of people.
    """
    visits = pa.table({"pid": [f"p{at // 2}" for at in range(40)], "sex": ["F", "M"] * 20})
    more: dict[str, Any] = {"knows": 2, "average_over": "persons"} if units == "persons" else {}
    text = text_of(render(content_of(rs.anonymize(visits, quasi=["sex"], person="pid", **more))))
    assert f"largest share of the {'people' if units == 'persons' else units} that may be" in text
    assert ("Each person has the same weight" in text) is (units == "persons")
    assert ("Records in groups that do not meet" in text) is (units == "records")


def test_a_report_does_not_say_that_no_value_is_shared_by_all() -> None:
    """Every person has flu, and another value: two values in each group, and flu for everyone.

    Fault class: "What a class tells is bounded", although it reveals a value of each person.
    """
    sick = [value for at in range(20) for value in ("flu", "ms" if at % 2 else "gout")]
    visits = pa.table({"pid": [f"p{at // 2}" for at in range(40)], "sex": ["F"] * 40, "dx": sick})
    found = rs.anonymize(
        visits,
        quasi=["sex"],
        sensitive=["dx"],
        person="pid",
        knows="all",
        privacy=[{"kind": "distinct-l-diversity", "l": 2}],
    )
    assert "everyone in a group may still share one value" in text_of(render(content_of(found)))


def test_a_share_too_small_for_a_logarithm_has_a_scale() -> None:
    """Fault class: a page that cannot be made because a share is nearly none."""
    none = _share(5e-324, 0.0)
    chart = unicity_chart((Singled(1, none, none), Singled(None, none, none)), None, 5)
    assert chart is not None
    assert 0.0 < chart.step < 0.1


def test_the_person_id_is_a_column_of_the_source() -> None:
    """Without a pseudonym, it is one of the columns that are not released."""
    visits = pa.table({"pid": [f"p{at // 2}" for at in range(40)], "sex": ["F", "M"] * 20})
    for link, left in (("none", True), ("pseudonym", False)):
        found = rs.anonymize(
            visits,
            quasi=["sex"],
            person="pid",
            knows="all" if link == "pseudonym" else 1,
            link=link,  # type: ignore[arg-type] # a literal
        )
        text = text_of(render(content_of(found)))
        assert ("pid Person ID nothing" in text) is left
        assert ("1 is not released" in text) is left


def test_documents_say_how_many_people_lost_some_records(tmp_path: Path) -> None:
    """Everyone is in the release, but three people lost a visit."""
    rows = [(f"p{i // 2}", "rare" if i in (0, 2, 4) else "usual") for i in range(120)]
    table = dict(zip(("who", "clinic"), map(list, zip(*rows, strict=True)), strict=True))
    made = rs.anonymize(table, person="who", quasi=["clinic"], k=5, suppression=0.05)
    assert "; 0 people have no record left, and 3 lost some records." in str(made)
    made.write(tmp_path / "release")
    report = text_of((tmp_path / "release" / "report.html").read_text("utf-8"))
    assert "they are left out too. 3 other people lost some records." in report
    assert "0 of 60 people; 3 other people lost some records" in report
    checked = run("verify", tmp_path / "release").out
    assert "60 released (3 without some of their records), 0 left out, 60 in all" in checked
    rs.determine(tmp_path / "release", out=tmp_path / "documents")
    document = text_of((tmp_path / "documents" / "hipaa.html").read_text("utf-8"))
    assert "60 of 60 people are in the release" in document
    assert "3 people in the release lost some records." in document
