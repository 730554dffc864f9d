"""What Vega drew becomes part of the page as shapes and text, and nothing to be feared."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from roadstead.reports.charts.vega import inline

_TELLING = ("chart", "A chart", "Of something.")
_NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def _read(image: str) -> ET.Element:
    return ET.fromstring(image)  # noqa: S314 - made here


def _svg(inner: str, attributes: str = 'viewBox="0 0 10 10"') -> str:
    return f"<svg {_NAMESPACES} {attributes}>{inner}</svg>"


def test_the_image_takes_the_width_it_is_given() -> None:
    """It keeps its shape and loses its size."""
    image = _read(inline(_svg("", 'width="10" height="5" viewBox="0 0 10 5"'), *_TELLING))
    assert image.get("viewBox") == "0 0 10 5"
    assert not {"width", "height"} & set(image.attrib)


def test_the_image_says_what_it_shows() -> None:
    """Title and description are found by ids that carry the name of the image."""
    image = _read(inline(_svg(""), "loss-wide", "Loss <of>", "Much & more."))
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
    assert inline(_svg(inner), *_TELLING) == inline(_svg(""), *_TELLING)


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
    bare = inline(_svg(rect.format("")), *_TELLING)
    assert inline(_svg(rect.format(attribute)), *_TELLING) == bare
    assert '<rect width="1" height="1" fill="#1d5f8a" />' in bare


def test_a_shape_shows_its_label_when_pointed_at() -> None:
    """A label becomes a title of the shape, which browsers show."""
    path = '<path d="M0,0h9v9Z" fill="#000" aria-label="a &lt; b" role="graphics-symbol"/>'
    assert '<path d="M0,0h9v9Z" fill="#000"><title>a &lt; b</title></path>' in inline(
        _svg(path), *_TELLING
    )


def test_places_are_rounded_to_what_can_be_seen() -> None:
    """A hundredth of a pixel, also for very small numbers."""
    line = (
        '<line x2="1.23456" y2="-1.4e-15" transform="translate(482.987654,-0.126)" stroke="#000"/>'
    )
    image = inline(_svg(line), *_TELLING)
    assert 'x2="1.23"' in image
    assert 'transform="translate(482.99,-0.13)"' in image


@pytest.mark.parametrize("text", ["", "no", "<p/>", _svg("", ""), _svg("", 'viewBox="url(#a)"')])
def test_what_is_no_image_is_refused(text: str) -> None:
    """So that the figures are shown as a table instead."""
    with pytest.raises(ValueError, match=r"no XML|no SVG"):
        inline(text, *_TELLING)
