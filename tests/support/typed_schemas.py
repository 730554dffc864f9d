"""Schemas of the documents that have a type: made from it, so that both say the same.

``python tests/support/typed_schemas.py`` writes them into the package. What the types say of
themselves in words is for who reads the code, and left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

import roadstead
from roadstead.determination.document import Determination
from roadstead.policies.document import Policy
from roadstead.release.certificate import Certificate
from roadstead.release.database.certificate import DatabaseCertificate
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.ledger.entry import EarlierRelease
from roadstead.release.private.certificate import PrivateCertificate
from roadstead.release.private.cut import CutDocument
from roadstead.release.signing.envelope import Envelope
from roadstead.release.signing.statement import Statement
from roadstead.schemas.documents import ID

FOLDER = Path(roadstead.__file__).parent / "schemas" / "data"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
POLICY = {"$ref": f"{ID}policy"}

TYPED: dict[str, tuple[Any, str, str | None]] = {
    "policy": (Policy, "policy.json: what a release does to a table.", "roadstead_policy"),
    "certificate": (
        Certificate,
        "certificate.json of the release of a table. Newer versions may add keys.",
        "roadstead_certificate",
    ),
    "private-certificate": (
        PrivateCertificate,
        "certificate.json of a differentially private release.",
        "roadstead_private_certificate",
    ),
    "database-certificate": (
        DatabaseCertificate,
        "certificate.json of the release of a whole database.",
        "roadstead_database",
    ),
    "cut": (
        CutDocument,
        "cut.json of a differentially private release: how detailed each attribute is.",
        "roadstead_cut",
    ),
    "certified-attack": (
        CertifiedAttack,
        "What an attack found, as a certificate keeps it.",
        None,
    ),
    "ledger-entry": (
        EarlierRelease,
        "A file of a ledger of releases: what is kept of an earlier release.",
        "roadstead_ledger_entry",
    ),
    "signature": (Envelope, "signature.json: a DSSE envelope.", None),
    "signed-statement": (
        Statement,
        "The payload of signature.json: an in-toto Statement v1.",
        None,
    ),
    "determination": (
        Determination,
        "determination.json: what regulators ask of a release, point by point.",
        "roadstead_determination",
    ),
}
"""Of each document: its type, what it is, and the key that marks it and has its version."""


def made_of_types() -> dict[str, dict[str, Any]]:
    """Make the schema of each."""
    made = {name: _made(name, *own) for name, own in TYPED.items()}
    return made | {"found-attack": _found(made), "determine": _determined(made)}


def _found(made: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """An attack as it is printed: as it is certified, with a sentence."""
    own = made["certified-attack"]
    return {
        **own,
        "$id": f"{ID}found-attack",
        "title": "What an attack found, with a sentence that says it.",
        "properties": {**own["properties"], "sentence": {"type": "string"}},
        "required": [*own["required"], "sentence"],
    }


def _determined(made: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What `determine` prints: a determination and where it was written, or a file of questions."""
    own = dict(made["determination"])
    definitions = own.pop("$defs")
    head = {key: own.pop(key) for key in ("$schema", "$id", "title")}
    questions = {
        "type": "object",
        "properties": {"new": {"type": "string"}, "questions": {"type": "integer", "minimum": 0}},
        "required": ["new", "questions"],
        "additionalProperties": False,
    }
    printed = {**own, "properties": {**own["properties"], "out": {"type": "string"}}}
    return {
        **head,
        "$id": f"{ID}determine",
        "title": "What `roadstead determine --json` prints.",
        "anyOf": [printed, questions],
        "$defs": definitions,
    }


def _made(name: str, kind: Any, title: str, mark: str | None) -> dict[str, Any]:  # noqa: ANN401 - any type
    own = _bare(TypeAdapter(kind).json_schema(ref_template="#/$defs/{model}"))
    if mark is not None:
        own["required"] = [mark, *(one for one in own.get("required", []) if one != mark)]
    if name != "policy" and (held := own["properties"].get("policy")) is not None:
        own["properties"]["policy"] = (
            {"anyOf": [POLICY, {"type": "null"}]} if "anyOf" in held else POLICY
        )
    own.pop("title", None)
    return {"$schema": DIALECT, "$id": f"{ID}{name}", "title": title, **own}


def _bare(part: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """Leave out descriptions and titles, which the types have for their own readers."""
    if isinstance(part, list):
        return [_bare(one) for one in part]
    if not isinstance(part, dict):
        return part
    kept = {}
    for key, value in part.items():
        if key in ("properties", "$defs"):  # their keys are names, also such as title
            kept[key] = {name: _bare(one) for name, one in value.items()}
        elif key not in ("description", "title", "discriminator"):
            kept[key] = _bare(value)
    return kept


def text_of(document: dict[str, Any]) -> str:
    """Write a schema as its file has it."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for made, own_schema in made_of_types().items():
        (FOLDER / f"{made}.json").write_text(text_of(own_schema), encoding="utf-8")
