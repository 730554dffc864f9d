"""Projects of ARX, made as ARX 3.9 writes them: the XML, the CSV files, and one serialized object.

The texts of privacy models, the tags, and the bytes of a set of rows are facts about ARX: they were
compared with projects that ARX's own classes wrote.
"""

from __future__ import annotations

import csv
import io
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

QUASI, SENSITIVE = "QUASI_IDENTIFYING_ATTRIBUTE", "SENSITIVE_ATTRIBUTE"
IDENTIFYING, INSENSITIVE = "IDENTIFYING_ATTRIBUTE", "INSENSITIVE_ATTRIBUTE"
Rows = Sequence[Sequence[object]]


@dataclass(frozen=True)
class Attribute:
    """An attribute; `more` has further tags with their texts."""

    type: str
    hierarchy: Rows = ()
    datatype: str = "String"
    more: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Project:
    """What a project states."""

    head: Sequence[str]
    rows: Rows
    attributes: Mapping[str, Attribute]
    criteria: Sequence[str] = ("5-anonymity",)
    suppression: float = 0.1
    metric: str = "Loss (0.5/1.0/1.0)"
    weights: Mapping[str, float] = field(default_factory=dict)
    suppressed: Sequence[str] = (QUASI,)
    selected: Sequence[bool] = ()
    delimiter: str = ";"

    def write(self, path: Path, extra: Mapping[str, bytes] | None = None) -> Path:
        """Write the project; `extra` has further files, or other contents of its files."""
        files = {**self.files(), **(extra or {})}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    def files(self) -> dict[str, bytes]:
        """Return the files of the archive by name."""
        made = {
            "metadata.xml": _tag("metadata", _tag("version", "3.9.2") + _tag("vocabulary", "2.0")),
            "project.dat": "\xac\xed\x00\x05",
            "project.xml": _tag("project", _tag("separator", self.delimiter)),
            "data/input.csv": _csv([self.head, *self.rows], self.delimiter),
            "input/config.xml": self._config(),
            "input/definition.xml": self._definition(),
        }
        for name, one in self.attributes.items():
            if one.hierarchy:
                made[f"input/hierarchies/{name}.csv"] = _csv(one.hierarchy, self.delimiter)
        content = {name: text.encode("utf-8") for name, text in made.items()}
        if self.selected:
            content["input/config.dat"] = b"\xac\xed\x00\x05...." + row_set(self.selected)
        return content

    def _config(self) -> str:
        weights = "".join(
            _tag("attributeWeight", _tag("attribute", escape(name)) + _tag("weight", str(weight)))
            for name, weight in self.weights.items()
        )
        return _tag(
            "config",
            _tag("suppressedAttributeTypes", _all("type", self.suppressed))
            + _tag("relativeMaxOutliers", str(self.suppression))
            + _tag("metric", escape(self.metric))
            + _tag("attributeWeights", weights)
            + _tag("criteria", _all("criterion", self.criteria)),
        )

    def _definition(self) -> str:
        made = []
        for name, one in self.attributes.items():
            tags = {"name": name, "type": one.type, "datatype": one.datatype}
            if one.hierarchy:
                tags |= {"ref": f"hierarchies/{name}.csv", "min": "All", "max": "All"}
            tags |= one.more
            made.append(_tag("assigment", "".join(_tag(*tag) for tag in _escaped(tags))))
        return _tag("definition", "".join(made))


def row_set(selected: Sequence[bool]) -> bytes:
    """Serialize a set of rows as Java does it, with its class and its array of 64 bit words."""
    words = [0] * -(-len(selected) // 64)
    for at, chosen in enumerate(selected):
        words[at // 64] |= int(chosen) << at % 64
    name, kind = b"org.deidentifier.arx.RowSet", struct.pack(">Q", 1492499772279795327)
    fields = b"\x02\0\x03I\0\x06lengthI\0\x04size[\0\x05arrayt\0\x02[Jxp"
    size = struct.pack(">II", len(selected), sum(selected))
    array = b"ur\0\x02[J" + bytes.fromhex("782004b512b17593") + b"\x02\0\0xp"
    content = struct.pack(f">I{len(words)}Q", len(words), *words)
    return b"sr\0\x1b" + name + kind + fields + size + array + content + b"x"


def _all(tag: str, texts: Iterable[str]) -> str:
    return "".join(_tag(tag, escape(text, {"'": "&apos;"})) for text in texts)


def _escaped(tags: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(tag, escape(text)) for tag, text in tags.items()]


def _tag(name: str, content: str) -> str:
    return f"<{name}>{content}</{name}>\n"


def _csv(rows: Rows, delimiter: str) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()
