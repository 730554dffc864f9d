"""What becomes part of the page is shapes and text, and nothing that the page must fear."""

from __future__ import annotations

import re
from functools import cache, partial
from importlib.resources import files
from xml.etree import ElementTree as ET

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.reports import draw_svg
from roadstead.reports.charts import Charts, canvas, gather
from roadstead.reports.charts.losses import LossBar, LossChart, draw_losses
from roadstead.reports.charts.risks import RiskBar, RiskChart
from roadstead.reports.charts.svg import Telling, inline
from roadstead.reports.content import ReportContent
from roadstead.reports.draw_svg import draw
from roadstead.reports.wording import legible

_TELLING = Telling("chart", "A chart", "Of something.")
_NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
_HOSTILE = "<script>alert(1)</script>\"'><image href=x onerror=y>&amp;]]><!-- "


def _read(image: str) -> ET.Element:
    return ET.fromstring(image)  # noqa: S314 - made here


def _svg(inner: str, attributes: str = 'viewBox="0 0 10 10"') -> str:
    return f"<svg {_NAMESPACES} {attributes}>{inner}</svg>"


@pytest.fixture(scope="module")
def images(content: ReportContent) -> dict[str, dict[str, str]]:
    """All charts of a report, drawn."""
    return draw(gather(content))


def test_the_image_takes_the_width_it_is_given() -> None:
    """It keeps its shape and loses its size."""
    image = _read(inline(_svg("", 'width="10" height="5" viewBox="0 0 10 5"'), _TELLING))
    assert image.get("viewBox") == "0 0 10 5"
    assert not {"width", "height"} & set(image.attrib)


def test_the_image_says_what_it_shows() -> None:
    """Title and description are found by ids that carry the name of the image."""
    image = _read(inline(_svg(""), Telling("loss-wide", "Loss <of>", "Much & more.")))
    assert image.get("role") == "img"
    said = {child.get("id"): (child.tag, child.text) for child in image}
    assert said[image.get("aria-labelledby")] == ("title", "Loss <of>")
    assert said[image.get("aria-describedby")] == ("desc", "Much & more.")
    assert set(said) == {"loss-wide-title", "loss-wide-description"}


@pytest.mark.parametrize(
    "inner",
    [
        "<script>alert(1)</script>",
        "<style>* { fill: red }</style>",
        '<image href="http://example.org/x.png"/>',
        '<use xlink:href="#other"/>',
        "<foreignObject><p>x</p></foreignObject>",
        '<defs><clipPath id="clip0"><rect width="1" height="1"/></clipPath></defs>',
        '<a href="http://example.org"><rect width="1" height="1" fill="#000"/></a>',
        '<path d="M0,0h9" fill="#000" display="none"/>',
        '<path class="background" d="M0,0h9v9h-9Z"/>',
        '<g transform="translate(1,1)"><g/></g>',
    ],
)
def test_what_is_unknown_or_cannot_be_seen_is_left_out(inner: str) -> None:
    """Nothing loads, runs, refers to anything, or takes room for nothing."""
    assert inline(_svg(inner), _TELLING) == inline(_svg(""), _TELLING)


@pytest.mark.parametrize(
    "attribute",
    [
        'onclick="alert(1)"',
        'style="fill: red"',
        'href="http://example.org"',
        'id="clip0"',
        'class="mark"',
        'clip-path="url(#clip0)"',
        'stroke="url(#gradient)"',
        'stroke="url(http://example.org)"',
        'transform="url(#x)"',
        'pointer-events="none"',
        'opacity="1"',
    ],
)
def test_attributes_are_those_of_place_and_look(attribute: str) -> None:
    """And even those hold no reference."""
    rect = '<rect width="1" height="1" fill="#1d5f8a" {}/>'
    bare = inline(_svg(rect.format("")), _TELLING)
    assert inline(_svg(rect.format(attribute)), _TELLING) == bare
    assert '<rect width="1" height="1" fill="#1d5f8a" />' in bare


def test_a_shape_shows_its_label_when_pointed_at() -> None:
    """A label becomes a title of the shape, which browsers show."""
    path = '<path d="M0,0h9v9Z" fill="#000" aria-label="a &lt; b" role="graphics-symbol"/>'
    assert '<path d="M0,0h9v9Z" fill="#000"><title>a &lt; b</title></path>' in inline(
        _svg(path), _TELLING
    )


def test_places_are_rounded_to_what_can_be_seen() -> None:
    """A hundredth of a pixel, also for very small numbers."""
    line = (
        '<line x2="1.23456" y2="-1.4e-15" transform="translate(482.987654,-0.126)" stroke="#000"/>'
    )
    image = inline(_svg(line), _TELLING)
    assert 'x2="1.23"' in image
    assert 'transform="translate(482.99,-0.13)"' in image


@pytest.mark.parametrize("text", ["", "no", "<p/>", _svg("", ""), _svg("", 'viewBox="url(#a)"')])
def test_what_is_no_image_is_refused(text: str) -> None:
    """So that the figures are shown as a table instead."""
    with pytest.raises(ValueError, match=r"no XML|no SVG"):
        inline(text, _TELLING)


def test_ids_are_unique_over_all_images(images: dict[str, dict[str, str]]) -> None:
    """Two for each image: three charts, in two widths."""
    ids = re.findall(r' id="([^"]*)"', "".join(_flat(images)))
    assert len(ids) == len(set(ids)) == 12


def test_equal_charts_give_equal_images(
    content: ReportContent, images: dict[str, dict[str, str]]
) -> None:
    """Nothing is numbered through, and nothing is left to chance."""
    assert draw(gather(content)) == images


def test_colors_are_those_that_the_page_exchanges_in_the_dark(
    images: dict[str, dict[str, str]],
) -> None:
    """Each color that is drawn has a rule; what has none is text, which has the page's color."""
    css = files("roadstead.reports").joinpath("templates/report.css").read_text()
    light = dict(re.findall(r"--([a-z]+): (#[0-9a-f]+)", css[: css.index("@media")]))
    used = set(re.findall(r'(fill|stroke)="(#[^"]+)"', "".join(_flat(images))))
    rules = re.findall(r'\.chart \[(fill|stroke)="(#\w+)"\] { (fill|stroke): var\(--(\w+)\)', css)
    assert used - {("fill", canvas.INK)} == {(kind, color) for kind, color, _, _ in rules}
    for kind, color, changed, name in rules:
        assert (kind, color) == (changed, light[name])
    assert ".chart text { fill: currentColor;" in css
    for name in ("INK", "MUTED", "LINE", "TRACK", "BEFORE", "AFTER", "SUPPRESSED"):
        assert getattr(canvas, name) == light[name.lower()]


def test_the_figures_stand_in_the_images(images: dict[str, dict[str, str]]) -> None:
    """Each width says the same, with each bar labeled."""
    for name, said in {
        "risks": ("Highest risk", "before 100 %", "after 20 % (1 in 5)", "1 in 10", "certain"),
        "class_sizes": ("k = 5", "30 % before", "0 % after", "80 %", "suppressed", "class size"),
        "losses": ("zip", "removed", "100 %", "age", "in bands of 10", "25 %"),
    }.items():
        for image in images[name].values():
            texts = {element.text for element in _read(image).iter("text")}
            assert set(said) <= texts


def _flat(images: dict[str, dict[str, str]]) -> list[str]:
    return [image for widths in images.values() for image in widths.values()]


def _structure(image: str) -> list[tuple[str, ...]]:
    return [(element.tag, *element.attrib) for element in _read(image).iter()]


def _drawn(name: str) -> dict[str, str]:
    chart = LossChart((LossBar(name, name, 0.5),))
    return draw_svg._images("losses", chart, partial(draw_losses, chart))


@cache
def _plain() -> dict[str, str]:
    return _drawn("plain")


@examples(12)
@given(st.text(st.characters(), min_size=1, max_size=40) | st.just(_HOSTILE))
def test_no_name_becomes_markup(text: str) -> None:
    """Whatever a column is called, the image has the elements it has with a plain name."""
    plain, told = _plain(), _drawn(text)
    for width, image in told.items():
        assert _structure(image) == _structure(plain[width])
    titles = [element.text or "" for element in _read(told["wide"]).iter("title")]
    said = f"{legible(text)}, {legible(text)}: 50 %"
    assert " ".join(said.split()) in [" ".join(title.split()) for title in titles]


def test_one_chart_that_cannot_be_drawn_does_not_keep_the_others(content: ReportContent) -> None:
    """It is missing from the answer."""
    charts = gather(content)
    broken = Charts(RiskChart((RiskBar("a", -1.0, 2.0),), -0.2), charts.class_sizes, charts.losses)
    assert set(draw(broken)) == {"class_sizes", "losses"}
