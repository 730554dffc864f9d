"""Define a ledger entry, which contains the facts with which later releases are compared.

An entry reveals no more about the table than the release does. For the release of a table, the
entry contains the policy, the labels and counts of the classes, and fingerprints of the other
cells. The entry can also contain the number of people with each number of records, and fingerprints
of pseudonyms. For a private release, the entry contains epsilon and delta.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.policies.json_document import STRICT, DocumentFormat
from roadstead.printable import printable_json
from roadstead.release.documents import read_document
from roadstead.release.ledger.classes import ReleasedClasses, Whole

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Exact = Annotated[str, Field(pattern="^[1-9][0-9]{0,40}(/[1-9][0-9]{0,40})?$")]
"""A fraction above 0."""
FORMAT = DocumentFormat(
    "roadstead_ledger_entry",
    3,
    "begin a new ledger in an empty folder, and make the releases again",
)


@checked_dataclass(frozen=True, config=STRICT)
class EarlierRelease:
    """A published release."""

    certificate: Digest  # SHA-256 of the published certificate
    kind: Literal["table", "private"]
    created: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$")]
    people: str  # the custodian's name for the people; empty if not specified
    source: str  # the name of the table
    # For a table: the digest, the number of records, and, if people are counted, the number of
    # people.
    content: Digest | None = None
    records: Whole | None = None
    persons: Whole | None = None
    k: Annotated[int, Field(ge=1)] | None = None  # the required group size
    policy: dict[str, Any] | None = None
    classes: ReleasedClasses | None = None
    # For a private release.
    epsilon: Exact | None = None
    delta: Annotated[float, Field(gt=0, lt=1)] | None = None  # None if only epsilon is guaranteed
    epsilon_limit: Exact | None = None  # the limit for all releases about these people
    unit: Literal["record", "person"] | None = None
    roadstead_ledger_entry: Literal[3] = 3

    @property
    def name(self) -> str:
        """Return the file name of the entry without its extension: the date and a unique part."""
        moment = self.created[:19].replace(":", "")
        return f"{moment}Z-{self.certificate[:16]}"


_ENTRY: TypeAdapter[EarlierRelease] = TypeAdapter(EarlierRelease)


def entry_text(entry: EarlierRelease) -> bytes:
    """Return an entry as JSON on one line."""
    document = _ENTRY.dump_python(entry, mode="json")
    head = {"roadstead_ledger_entry": document.pop("roadstead_ledger_entry")}
    kept = {key: value for key, value in document.items() if value is not None}
    text = json.dumps({**head, **kept}, ensure_ascii=False, separators=(",", ":"))
    return (printable_json(text) + "\n").encode()


def read_entry(path: Path) -> EarlierRelease:
    """Read an entry. If the file is not an entry, a `VerificationError` is raised."""
    return read_document(path, _ENTRY, "the entry of the ledger", where=str(path), form=FORMAT)
