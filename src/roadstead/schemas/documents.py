"""The schemas of all documents, JSON Schema 2020-12, made of the types when somebody asks for one.

A document that is written has the type that reads it. What a command prints has a type here. So no
schema can say anything else than the type, and none is a file. The types' docstrings are for who
reads the code, and left out.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any

from roadstead.errors import SettingError, quoted
from roadstead.near_names import did_you_mean

_ID = "urn:roadstead:schema:"
"""How the `$id` of each schema begins; its name follows."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ANY_OBJECT = {"additionalProperties": True, "type": "object"}
_VERSION_KEY = "roadstead_"
"""How the key begins that has a document's version: it has one value and is never missing."""

_DOCUMENTS: dict[str, tuple[str, str]] = {
    "policy": ("policies.document:Policy", "policy.json: what a release does to a table."),
    "certificate": (
        "release.certificate:Certificate",
        "certificate.json of the release of a table. Newer versions may add keys.",
    ),
    "private-certificate": (
        "release.private.certificate:PrivateCertificate",
        "certificate.json of a differentially private release.",
    ),
    "database-certificate": (
        "release.database.certificate:DatabaseCertificate",
        "certificate.json of the release of a whole database.",
    ),
    "cut": (
        "release.private.cut:CutDocument",
        "cut.json of a differentially private release: how detailed each attribute is.",
    ),
    "certified-attack": (
        "release.evidence:CertifiedAttack",
        "What an attack found, as a certificate keeps it.",
    ),
    "found-attack": (
        "schemas.commands:FoundAttackJSON",
        "What an attack found, with a sentence that says it.",
    ),
    "ledger-entry": (
        "release.ledger.entry:EarlierRelease",
        "A file of a ledger of releases: what is kept of an earlier release.",
    ),
    "signature": ("release.signing.envelope:Envelope", "signature.json: a DSSE envelope."),
    "signed-statement": (
        "release.signing.statement:Statement",
        "The payload of signature.json: an in-toto Statement v1.",
    ),
    "determination": (
        "determination.document:Determination",
        "determination.json: what regulators ask of a release, point by point.",
    ),
    "demo-file": (
        "schemas.releases:DemoFileJSON",
        "demo.json, next to what a demonstration made.",
    ),
    "risk-file": ("schemas.risk:RiskFileJSON", "risk.json, in the folder of an assessment."),
    "frontier-file": (
        "schemas.frontier:FrontierFileJSON",
        "frontier.json, in the folder of a frontier.",
    ),
    "attacks-file": (
        "schemas.commands:AttacksFileJSON",
        "attacks.json, in the folder of attacks.",
    ),
    "evaluation-file": (
        "schemas.evaluation:EvaluationFileJSON",
        "evaluation.json, in the folder of an evaluation. None of it is private.",
    ),
    "anonymize": ("schemas.releases:AnonymizeJSON", "A table's release, or a whole database's."),
    "apply": ("schemas.releases:ApplyJSON", "A release, a statement in SQL, or a refusal."),
    "attack": ("schemas.commands:AttackJSON", "What attacks on a release found."),
    "demo": ("schemas.releases:DemoJSON", "The release of the demonstration."),
    "determine": ("schemas.determination:DetermineJSON", "A determination, or new questions."),
    "evaluate": ("schemas.evaluation:EvaluateJSON", "An evaluation. None of it is private."),
    "frontier": ("schemas.frontier:FrontierJSON", "A frontier."),
    "gate": ("schemas.commands:GateJSON", "Which rules of a policy a release passes."),
    "key": ("schemas.commands:KeyJSON", "Where a key was written."),
    "reproduce": ("schemas.commands:ReproduceJSON", "Figures of a paper, each in its own form."),
    "risk": ("schemas.risk:RiskJSON", "An assessment."),
    "scan": ("schemas.commands:ScanJSON", "The columns of a table."),
    "sign": ("schemas.commands:SignJSON", "A signature."),
    "synthesize": ("schemas.commands:SynthesizeJSON", "A differentially private release."),
    "verify": ("schemas.commands:VerifyJSON", "Whether a release keeps what it promises."),
}
"""Of each document: its type, in this package, and what it is; for a verb, what it prints."""


def schema_names() -> tuple[str, ...]:
    """Return the names of the documents that have a schema."""
    return tuple(sorted(_DOCUMENTS))


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document, complete in itself.

    Parameters
    ----------
    name
        The document: a verb, such as ``scan``, for what its ``--json`` prints; ``certificate``,
        ``policy`` or another file for what is written.

    Raises
    ------
    SettingError
        When there is no such document.
    """
    if name not in _DOCUMENTS:
        names = schema_names()
        raise SettingError(
            f"there is no schema {quoted(name)}",
            fix=did_you_mean(name, names),
        )
    from pydantic import TypeAdapter  # noqa: PLC0415 - heavy

    place, title = _DOCUMENTS[name]
    document = _without_prose(TypeAdapter(resolve_name(f"roadstead.{place}")).json_schema())
    _describe_policy(document)
    return {"$schema": _DIALECT, "$id": f"{_ID}{name}", "title": title, **document}


def _describe_policy(document: dict[str, Any]) -> None:
    """Say of the policy in a certificate, which its type leaves open, what a policy is."""
    properties = document.get("properties", {})
    held = properties.get("policy", {})
    if _ANY_OBJECT in (held, *held.get("anyOf", ())):
        policy = {"$ref": f"{_ID}policy"}
        nullable = {**held, "anyOf": [policy, {"type": "null"}]}
        properties["policy"] = policy if held == _ANY_OBJECT else nullable
        document.setdefault("$defs", {})["policy"] = schema("policy")


def _without_prose(part: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """Leave out descriptions and titles; require the key that has the version."""
    if isinstance(part, list):
        return [_without_prose(item) for item in part]
    if not isinstance(part, dict):
        return part
    kept: dict[str, Any] = {}
    for key, value in part.items():
        if key in ("properties", "$defs"):  # their keys are names, also such as title
            kept[key] = {name: _without_prose(item) for name, item in value.items()}
        elif key not in ("description", "title", "discriminator"):
            kept[key] = _without_prose(value)
    versions = [key for key in kept.get("properties", ()) if key.startswith(_VERSION_KEY)]
    if versions:
        kept["required"] = sorted({*kept.get("required", ()), *versions})
    return kept
