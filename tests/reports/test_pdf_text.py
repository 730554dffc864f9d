"""The reader of PDFs for tests: it reads glyphs with any numbers."""

from __future__ import annotations

import zlib

from pdf_text import texts_of

CMAP = b"begincmap\n<0028> <0061>\n<0029> <0062>\n<005C> <0063>\n<000D> <0064>\n"


def pdf_of(shown: bytes) -> bytes:
    """Make the streams of a PDF that shows these codes of glyphs."""
    page = b"BT " + shown + b" Tj ET"
    return b"".join(b"stream\n%b\nendstream\n" % zlib.compress(one) for one in (page, CMAP))


def test_parentheses_in_pairs_and_escaped_ones_are_codes_too() -> None:
    """A glyph may have the number of a parenthesis, and a pair need not be escaped."""
    assert texts_of(pdf_of(rb"(\000(\000)\000\\\000\015)")) == ["abcd"]
    assert texts_of(pdf_of(rb"(\000\(\000\)\000\r)")) == ["abd"]
    assert texts_of(pdf_of(rb"(\000\() Tj (\000\\)")) == ["ac"]


def test_what_is_compressed_may_end_with_any_byte() -> None:
    """A carriage return before the end is of the stream."""
    ends = set()
    for number in range(600):
        pdf = pdf_of(b"% " + str(number).encode() + rb" (\000\()")
        ends.add(pdf[: pdf.index(b"\nendstream")][-1:])
        assert texts_of(pdf) == ["a"]
    assert {b"\r", b"\n"} <= ends
