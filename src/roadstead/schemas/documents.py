"""Generate the schemas of all documents in JSON Schema 2020-12.

Roadstead generates a schema from a type on request, so the schema always agrees with the type. For
a document that Roadstead writes, this is the type that Roadstead uses to read the document. For the
output of a command, the type is in this package. The docstrings of the types are for developers and
are omitted from the schemas.
"""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from roadstead.errors import SettingError, quoted
from roadstead.near_names import did_you_mean
from roadstead.rooms import has_command

_PACKAGE = Path(__file__).parent.parent
_ID = "urn:roadstead:schema:"
"""The beginning of the `$id` of each schema, which is followed by the schema's name."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ANY_OBJECT = {"additionalProperties": True, "type": "object"}
_VERSION_KEY = "roadstead_"
"""The beginning of the key for a document's version. The key is required and has only one value."""

_DOCUMENTS: dict[str, tuple[str, str]] = {
    "policy": (
        "policies.document:Policy",
        "The file policy.json: the rules that turn a table into a release.",
    ),
    "certificate": (
        "release.certificate:Certificate",
        "The file certificate.json in the release of a table. Newer versions may add keys.",
    ),
    "private-certificate": (
        "release.private.certificate:PrivateCertificate",
        "The file certificate.json in a differentially private release.",
    ),
    "database-certificate": (
        "release.database.certificate:DatabaseCertificate",
        "The file certificate.json in the release of a whole database.",
    ),
    "cut": (
        "release.private.cut:CutDocument",
        "The file cut.json in a differentially private release: the level of detail per column.",
    ),
    "certified-attack": (
        "release.evidence:CertifiedAttack",
        "The result of an attack, as listed in a certificate.",
    ),
    "found-attack": (
        "schemas.attacks:FoundAttackJSON",
        "The result of an attack, with a sentence that describes it.",
    ),
    "ledger-entry": (
        "release.ledger.entry:EarlierRelease",
        "A file in a ledger of releases: the entry for an earlier release.",
    ),
    "signature": ("release.signing.envelope:Envelope", "The file signature.json: a DSSE envelope."),
    "signed-statement": (
        "release.signing.statement:Statement",
        "The payload of the file signature.json: an in-toto Statement v1.",
    ),
    "determination": (
        "determination.document:Determination",
        "The file determination.json: the information about a release that regulators require.",
    ),
    "demo-file": (
        "schemas.releases:DemoFileJSON",
        "The file demo.json in the folder of a demonstration.",
    ),
    "risk-file": (
        "schemas.risk:RiskFileJSON",
        "The file risk.json in the folder of an assessment.",
    ),
    "frontier-file": (
        "schemas.frontier:FrontierFileJSON",
        "The file frontier.json in the folder of a frontier.",
    ),
    "attacks-file": (
        "schemas.attacks:AttacksFileJSON",
        "The file attacks.json in the folder of attacks.",
    ),
    "evaluation-file": (
        "schemas.evaluation:EvaluationFileJSON",
        (
            "The file evaluation.json in the folder of an evaluation. Its figures are not "
            "differentially private."
        ),
    ),
    "anonymize": (
        "schemas.releases:AnonymizeJSON",
        "The release of a table or of a whole database.",
    ),
    "apply": ("schemas.releases:ApplyJSON", "A release, an SQL statement, or a refusal."),
    "attack": ("schemas.attacks:AttackJSON", "The results of attacks on a release."),
    "demo": ("schemas.releases:DemoJSON", "The demonstration release."),
    "determine": (
        "schemas.determination:DetermineJSON",
        "An expert determination, or a new file with questions.",
    ),
    "evaluate": (
        "schemas.evaluation:EvaluateJSON",
        "An evaluation. Its figures are not differentially private.",
    ),
    "frontier": ("schemas.frontier:FrontierJSON", "A frontier."),
    "gate": (
        "schemas.gate:GateJSON",
        "The rules that a release meets, and the rules that it does not meet.",
    ),
    "key": ("schemas.commands:KeyJSON", "The file with a new key."),
    "repeat": (
        "schemas.commands:RepeatJSON",
        "The result of making the same release again: which parts are the same, and which differ.",
    ),
    "reproduce": (
        "schemas.commands:ReproduceJSON",
        "The figures of a paper. Each paper has its own form.",
    ),
    "risk": ("schemas.risk:RiskJSON", "An assessment of risk."),
    "scan": ("schemas.commands:ScanJSON", "The columns of a table and their suggested roles."),
    "sign": ("schemas.commands:SignJSON", "A signature."),
    "synthesize": ("schemas.synthesis:SynthesizeJSON", "A differentially private release."),
    "verify": (
        "schemas.commands:VerifyJSON",
        "Whether a release agrees with its certificate and meets its privacy requirements.",
    ),
}
"""The type and title of each document in this package, such as the output of a command."""


def schema_names() -> tuple[str, ...]:
    """Return the names of the documents that have a schema, and whose rooms are here."""
    return tuple(sorted(name for name, (place, _) in _DOCUMENTS.items() if _here(name, place)))


def _here(name: str, place: str) -> bool:
    """Return whether the package contains the command and the type of a document."""
    if not has_command(name.removesuffix("-file")):
        return False
    module = place.partition(":")[0].replace(".", "/")
    return (_PACKAGE / f"{module}.py").exists()


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document. The schema is self-contained.

    Parameters
    ----------
    name
        The name of the document: either a command, such as ``scan``, for its output with
        ``--json``, or a file that Roadstead writes, such as ``certificate`` or ``policy``.

    Raises
    ------
    SettingError
        If no document has this name.
    """
    names = schema_names()
    if name not in names:
        raise SettingError(
            f"no document is called {quoted(name)}",
            fix=did_you_mean(name, names),
        )
    from pydantic import TypeAdapter  # noqa: PLC0415 - heavy

    place, title = _DOCUMENTS[name]
    document = _without_prose(TypeAdapter(resolve_name(f"roadstead.{place}")).json_schema())
    _describe_policy(document)
    return {"$schema": _DIALECT, "$id": f"{_ID}{name}", "title": title, **document}


def _describe_policy(document: dict[str, Any]) -> None:
    """Add the schema of a policy to a certificate, whose type accepts any object as a policy."""
    properties = document.get("properties", {})
    held = properties.get("policy", {})
    if _ANY_OBJECT in (held, *held.get("anyOf", ())):
        policy = {"$ref": f"{_ID}policy"}
        nullable = {**held, "anyOf": [policy, {"type": "null"}]}
        properties["policy"] = policy if held == _ANY_OBJECT else nullable
        document.setdefault("$defs", {})["policy"] = schema("policy")


def _without_prose(part: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """Remove descriptions and titles, and require the key that contains the version."""
    if isinstance(part, list):
        return [_without_prose(item) for item in part]
    if not isinstance(part, dict):
        return part
    kept: dict[str, Any] = {}
    for key, value in part.items():
        if key in ("properties", "$defs"):  # the keys are names, such as title
            kept[key] = {name: _without_prose(item) for name, item in value.items()}
        elif key not in ("description", "title", "discriminator"):
            kept[key] = _without_prose(value)
    versions = [key for key in kept.get("properties", ()) if key.startswith(_VERSION_KEY)]
    if versions:
        kept["required"] = sorted({*kept.get("required", ()), *versions})
    return kept
