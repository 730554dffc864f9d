"""Read XML from an unknown source as a sequence of events.

The parser (Expat) reads only the given file, and does not load DTDs or entities. A document that
declares an entity is rejected, because entities can grow without limit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from roadstead.tables.codebooks.document import Document

_DEEPEST = 200


def read_events(
    document: Document,
    begin: Callable[[str, dict[str, str]], Any],
    end: Callable[[str], Any],
    text: Callable[[str], Any],
) -> None:
    """Call the functions `begin`, `end`, and `text` for the elements of a document.

    Raises SourceError if the XML is damaged, is nested too deeply, or declares an entity.
    """
    depth = 0

    def refuse(*_: object) -> None:
        what = "the XML declares entities, which Roadstead does not read"
        raise document.wrong(what, "export the file without a document type declaration")

    def begin_within(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise document.wrong("the XML is nested too deeply", "export the file again")
        begin(tag, attributes)

    def end_within(tag: str) -> None:
        nonlocal depth
        depth -= 1
        end(tag)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = begin_within
    parser.EndElementHandler = end_within
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(document.content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        line = getattr(error, "lineno", 0)
        what = f"the XML is damaged at line {line}" if line else "the XML is damaged"
        raise document.wrong(what, "export the file again") from None
