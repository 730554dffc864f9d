# noqa: INP001 - a hook of MkDocs, not a package
"""Markdown as GitHub reads it: anchors, lists, and formulas.

The pages are written for GitHub and for the site. Python-Markdown needs an empty line before a
list or a table, and four spaces before what belongs to an item. Formulas become MathML, which
browsers show without a script.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

_ITEM = re.compile(r"^ *(?:[-*+]|\d+[.)]) ")
_FENCE = re.compile(r"^ *(?:```|~~~)")
_COMMENT = re.compile(r"^<!--.*?-->$\n?", re.MULTILINE | re.DOTALL)
_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">'
    r"(?:\\\((?P<inline>.*?)\\\)|\\\[(?P<block>.*?)\\\])</(?P=tag)>",
    re.DOTALL,
)


def slug(text: str, separator: str = "-") -> str:
    """Make the anchor of a heading as GitHub does."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def on_config(config: Any) -> Any:  # noqa: ANN401 - MkDocs has no public type
    """Make anchors as GitHub does."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    return config


def on_page_markdown(markdown: str, **_: object) -> str:
    """Write lists and tables as Python-Markdown reads them, without the comments for tests."""
    lines: list[str] = []
    fenced, listed = False, False
    for line in _COMMENT.sub("", markdown).split("\n"):
        before = lines[-1] if lines else ""
        if not fenced:
            item = bool(_ITEM.match(line))
            if item or (line.strip() and not line.startswith(" ") and not before.strip()):
                listed = item
            if _apart(line, before):
                lines.append("")
        lines.append(re.sub(r"^ {2,3}(?=\S)", "    ", line) if listed else line)
        fenced ^= bool(_FENCE.match(line))
    return "\n".join(lines)


def _apart(line: str, before: str) -> bool:
    """Whether a list or a table begins directly below a paragraph."""
    if not before.strip() or before.startswith(" "):
        return False
    if _ITEM.match(line):
        return not _ITEM.match(before) and not line.startswith(" ")
    return line.startswith("|") and not before.startswith("|")


def on_page_content(html: str, **_: object) -> str:
    """Show formulas as MathML."""
    return _FORMULA.sub(_formula, html)


def _formula(found: re.Match[str]) -> str:
    latex = unescape(found["inline"] or found["block"])
    return str(convert(latex, display="block" if found["block"] else "inline"))
