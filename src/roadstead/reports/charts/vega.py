"""An image of Vega made fit for the page: shapes and text, in its width and its colors.

Of what Vega wrote, only shapes and their looks are kept, so that nothing can load, run,
refer to anything, or bring names of its own. The image has a shape and no size: it takes the
width it is given. It says in words what it shows.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

_SHAPES = {"g", "path", "line", "rect", "text"}
_PLACES = {"d", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "transform"}
_LOOKS = {
    "fill",
    "font-size",
    "font-weight",
    "opacity",
    "stroke",
    "stroke-dasharray",
    "stroke-width",
    "text-anchor",
}
_DEFAULTS = {("opacity", "1"), ("stroke-width", "1"), ("transform", "translate(0,0)")}

# Neither can hold a reference: the one has no # and no quote, the other no parenthesis.
_PLACE = re.compile(r"[\w\s.,()+-]*")
_LOOK = re.compile(r"[\w\s.,#+-]*")
_LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")


def inline(svg: str, name: str, title: str, description: str) -> str:
    """Make an image part of a page.

    Parameters
    ----------
    svg
        An SVG document with a ``viewBox``.
    name, title, description
        What it says of itself; no other image has its name.

    Returns
    -------
    str
        One ``svg`` element with all text escaped, to be put into HTML as it is.

    Raises
    ------
    ValueError
        When it is no such document.
    """
    try:
        source = ET.fromstring(svg)  # noqa: S314 - drawn by us, from text that holds no markup
    except ET.ParseError:
        raise ValueError("no XML") from None
    if _name(source) != "svg" or not _PLACE.fullmatch(source.get("viewBox", "?")):
        raise ValueError("no SVG with a shape")
    named, described = f"{name}-title", f"{name}-description"
    image = ET.Element("svg", {"viewBox": source.attrib["viewBox"], "role": "img"})
    image.set("aria-labelledby", named)
    image.set("aria-describedby", described)
    ET.SubElement(image, "title", {"id": named}).text = title
    ET.SubElement(image, "desc", {"id": described}).text = description
    for child in source:
        _copy(child, image)
    return ET.tostring(image, encoding="unicode")


def _copy(source: ET.Element, into: ET.Element) -> None:
    """Copy what is known and can be seen. A shape that has a label shows it when pointed at."""
    name, looks = _name(source), _attributes(source)
    if name not in _SHAPES or source.get("display") == "none":
        return
    if name == "g":
        group = ET.Element(name, looks)
        for child in source:
            _copy(child, group)
        if looks and len(group):
            into.append(group)
        else:
            into.extend(group)
        return
    if name != "text" and not {"fill", "stroke"} & looks.keys():
        return
    shape = ET.SubElement(into, name, looks)
    if name == "text":
        shape.text = source.text
    elif "aria-label" in source.attrib:
        ET.SubElement(shape, "title").text = source.attrib["aria-label"]


def _attributes(source: ET.Element) -> dict[str, str]:
    kept = {}
    for name, value in source.attrib.items():
        if (name, value) in _DEFAULTS:
            continue
        if name in _PLACES and _PLACE.fullmatch(value):
            kept[name] = _LONG.sub(_short, value)
        elif name in _LOOKS and _LOOK.fullmatch(value):
            kept[name] = value
    return kept


def _short(number: re.Match[str]) -> str:
    """Write a hundredth of a pixel, which is more than can be seen."""
    return f"{round(float(number.group()), 2):g}"


def _name(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]
