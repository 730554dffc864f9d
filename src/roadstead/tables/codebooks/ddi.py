"""Read DDI Codebook XML, versions 1 to 2.5, which IPUMS, DHS, and NESSTAR export."""

from __future__ import annotations

from dataclasses import dataclass, field

from roadstead.tables.codebooks.described import DescribedColumn, TableNotes, ValueType
from roadstead.tables.codebooks.document import (
    LONGEST_TEXT,
    MOST_COLUMNS,
    MOST_LABELS,
    Document,
    clean,
    code_of,
)
from roadstead.tables.codebooks.xml_events import read_events
from roadstead.tables.formats.codebook import Code, ColumnNotes

_KEPT = frozenset(("labl", "catvalu", "qstnlit"))
_LOOKED_AT = 20_000


class Ddi:
    """The format of DDI codebooks."""

    label = "DDI codebook"

    def recognizes(self, document: Document) -> bool:
        """Return whether the file is XML with the root element ``codeBook``."""
        head = document.text[:_LOOKED_AT].casefold()
        return document.start == "<" and "<codebook" in head.replace("<ddi:", "<")

    def read(self, document: Document) -> tuple[TableNotes, ...]:
        """Return the notes on the variables."""
        reader = _Reader(document)
        read_events(document, reader.begin, reader.end, reader.read_text)
        return (TableNotes(reader.columns),)


@dataclass
class _Variable:
    """The information about a variable that the parser has already read."""

    name: str
    attributes: dict[str, str]
    label: str = ""
    question: str = ""
    labels: dict[Code, str] = field(default_factory=dict)
    missing: list[tuple[Code, Code]] = field(default_factory=list)
    form: str = ""
    category: str = ""


@dataclass
class _Reader:
    """Collect the variables from the events of the parser."""

    document: Document
    columns: dict[str, DescribedColumn] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)
    variable: _Variable | None = None
    text: list[str] = field(default_factory=list)
    code: str = ""
    code_label: str = ""
    is_missing: bool = False

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2].casefold()
        self.path.append(name)
        variable = self.variable
        if name == "var":
            if len(self.columns) >= MOST_COLUMNS:
                what = f"the codebook has more than {MOST_COLUMNS:,} variables"
                raise self.document.wrong(what, "export fewer variables")
            self.variable = _Variable(
                attributes.get("name") or attributes.get("ID", ""), attributes
            )
        elif variable is None:
            return
        elif name == "catgry":
            self.code = self.code_label = ""
            self.is_missing = attributes.get("missing", "").casefold() in ("y", "yes", "true", "1")
        elif name == "varformat":
            variable.form = attributes.get("type", "").casefold()
            variable.category = attributes.get("category", "").casefold()
        elif "invalrng" in self.path:
            self._add_missing(variable, name, attributes)
        self.text = []

    def _add_missing(self, variable: _Variable, name: str, attributes: dict[str, str]) -> None:
        if name == "item" and (code := code_of(attributes.get("VALUE", ""))):
            variable.missing.append((code, code))
        elif name == "range":
            low, high = (_number(attributes.get(one, "")) for one in ("min", "max"))
            if low is not None and high is not None and low <= high:
                variable.missing.append((low, high))

    def read_text(self, text: str) -> None:
        """Keep a part of the text inside an element, if the text of this element is needed."""
        if self.variable is not None and self.path[-1] in _KEPT:
            self.text.append(text)

    def end(self, _: str) -> None:
        name = self.path.pop()
        variable, inside = self.variable, self.path[-1] if self.path else ""
        if variable is None:
            return
        if name == "var":
            self._add(variable)
            self.variable = None
        elif name in _KEPT:
            self._keep(variable, name, inside, clean("".join(self.text)))
        elif name == "catgry" and self.code and len(variable.labels) < MOST_LABELS:
            variable.labels.setdefault(self.code, self.code_label)
            if self.is_missing:
                variable.missing.append((self.code, self.code))

    def _keep(self, variable: _Variable, name: str, inside: str, text: str) -> None:
        if name == "catvalu":
            self.code = text[:LONGEST_TEXT]
        elif name == "qstnlit":
            variable.question = variable.question or text
        elif inside == "catgry":
            self.code_label = self.code_label or text
        elif inside == "var":
            variable.label = variable.label or text

    def _add(self, variable: _Variable) -> None:
        name = variable.name.strip()
        if not name:
            return
        labels = {code: label for code, label in variable.labels.items() if label}
        notes = ColumnNotes(
            description=variable.label or variable.question or None,
            labels=labels,
            missing=tuple(dict.fromkeys(variable.missing)),
        )
        place = variable.attributes.get("geog", "").casefold() == "y"
        described = DescribedColumn(
            notes,
            "quasi" if place else None,
            "the codebook says that the column is geographic" if place else "",
            _type(variable),
        )
        self.columns.setdefault(name, described)


def _type(variable: _Variable) -> ValueType | None:
    if variable.category in ("date", "time") or variable.attributes.get("temporal") == "Y":
        return "date"
    if variable.labels:
        return "choice"
    return {"numeric": "number", "character": "text"}.get(variable.form)  # type: ignore[return-value] # as listed


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if found == found and abs(found) < float("inf") else None  # noqa: PLR0124 - not NaN
