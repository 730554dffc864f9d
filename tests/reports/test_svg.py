"""A drawing becomes part of the page as shapes and text, and nothing dangerous."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from xml.etree import ElementTree as ET

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.reports.charts import svg
from roadstead.reports.charts.share_bars import LossBar, LossChart
from roadstead.reports.charts.svg import (
    Block,
    ChartLabel,
    Dot,
    Drawing,
    Picture,
    Rule,
    image,
    picture,
    pictures,
)
from roadstead.reports.content import ReportContent
from roadstead.reports.page import gather
from roadstead.reports.wording import legible

_HOSTILE = "<script>alert(1)</script>\"'><image href=x onerror=y>&amp;]]><!-- "


def _read(image: str) -> ET.Element:
    return ET.fromstring(image)  # noqa: S314 - made here


@pytest.fixture(scope="module")
def images(content_of_persons: ReportContent) -> dict[str, Picture]:
    """All charts of a report, drawn."""
    return pictures(gather(content_of_persons))


def test_ids_are_unique_over_all_images(images: dict[str, Picture]) -> None:
    """Two for each image: four charts, in two widths."""
    ids = re.findall(r' id="([^"]*)"', "".join(_flat(images)))
    assert len(ids) == len(set(ids)) == 16


def test_equal_charts_give_equal_images(
    content_of_persons: ReportContent, images: dict[str, Picture]
) -> None:
    """Nothing is numbered through, and nothing is left to chance."""
    assert pictures(gather(content_of_persons)) == images


def test_colors_are_those_that_the_page_exchanges_in_the_dark(
    images: dict[str, Picture],
) -> None:
    """Each color that is drawn has a rule; what has none is text, which has the page's color."""
    css = files("roadstead.reports").joinpath("templates/report.css").read_text()
    light = dict(re.findall(r"--([a-z]+): (#[0-9a-f]+)", css[: css.index("@media")]))
    used = set(re.findall(r'(fill|stroke)="(#[^"]+)"', "".join(_flat(images))))
    rules = re.findall(r'\.chart \[(fill|stroke)="(#\w+)"\] { (fill|stroke): var\(--(\w+)\)', css)
    assert used - {("fill", svg.INK)} == {(kind, color) for kind, color, _, _ in rules}
    for kind, color, changed, name in rules:
        assert (kind, color) == (changed, light[name])
    assert ".chart text { fill: currentColor;" in css
    for name in ("INK", "MUTED", "LINE", "TRACK", "BEFORE", "AFTER", "SUPPRESSED"):
        assert getattr(svg, name) == light[name.lower()]


def test_the_figures_stand_in_the_images(images: dict[str, Picture]) -> None:
    """Each width says the same, with each bar labeled."""
    for name, said in {
        "risks": (
            "Person, highest",
            "before 100%",
            "after 20% (1 in 5)",
            "1 in 10",
            "certain",
        ),
        "class_sizes": ("k = 5", "30% before", "0% after", "80%", "suppressed", "group size"),
        "losses": ("zip", "removed", "100%", "age", "in bands of 10", "25%"),
    }.items():
        for drawn in images[name]:
            texts = {element.text for element in _read(drawn).iter("text")}
            assert set(said) <= texts


def _flat(images: dict[str, Picture]) -> list[str]:
    return [image for picture in images.values() for image in picture]


def _structure(image: str) -> list[tuple[str, ...]]:
    return [(element.tag, *element.attrib) for element in _read(image).iter()]


def _drawn(name: str) -> Picture:
    chart = LossChart((LossBar(name, name, 0.5),))
    return picture(chart)


@cache
def _plain() -> Picture:
    return _drawn("plain")


@examples(12)
@given(st.text(st.characters(), min_size=1, max_size=40) | st.just(_HOSTILE))
def test_no_name_becomes_markup(text: str) -> None:
    """Whatever a column is called, the image has the elements it has with a plain name."""
    plain, told = _plain(), _drawn(text)
    for one, other in zip(told, plain, strict=True):
        assert _structure(one) == _structure(other)
    titles = [element.text or "" for element in _read(told.wide).iter("title")]
    said = f"{legible(text)}, {legible(text)}: 50%"
    assert " ".join(said.split()) in [" ".join(title.split()) for title in titles]


def test_a_drawing_becomes_shapes_that_say_what_they_are() -> None:
    """Numbers to a hundredth of a pixel, and a title where something is said."""
    drawing = Drawing(
        (
            Block(0, 1 / 3, 10, 5, "#1d5f8a", "a < b"),
            Rule(1, 2, 3, 0, "#586474", dashed=True),
            Dot(1, 2, 3, "#8c97a4"),
            ChartLabel(4, 5, "said & done", "right"),
        ),
        10,
        20,
        head=5,
    )
    assert image(drawing, "n", "A <title>", "What it shows.") == (
        '<svg viewBox="0 -5 10 25" role="img" aria-labelledby="n-title" '
        'aria-describedby="n-description"><title id="n-title">A &lt;title&gt;</title>'
        '<desc id="n-description">What it shows.</desc>'
        '<rect x="0" y="0.33" width="10" height="5" fill="#1d5f8a"><title>a &lt; b</title></rect>'
        '<line x1="1" y1="2" x2="4" y2="2" stroke="#586474" stroke-dasharray="4,3"></line>'
        '<circle cx="1" cy="2" r="3" fill="#8c97a4"></circle>'
        '<text x="4" y="9" text-anchor="end" font-size="13px" font-weight="400" fill="#1b2430">'
        "said &amp; done</text></svg>"
    )
