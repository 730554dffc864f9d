"""Compare a release with a new release from the same policy and the same original table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from roadstead.regular_files import content_of
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import fingerprint
from roadstead.reports.repetition import Repetition

POLICY = "policy.json"
NOT_COMPARED = frozenset(
    {
        *("table", "files", "policy"),  # the files themselves are compared
        *("search", "loss", "settings", "seed"),  # the search is not repeated
        "below_promise",  # the requirements, and the reason to release below them
        *("created", "attacks", "earlier_releases"),  # the time, and facts known at that time
    }
)
"""Entries of a certificate that are not compared."""


def compared(first: Path, again: Path) -> Repetition:
    """Compare the tables, the policies, and the measured entries of the certificates."""
    certificates = _certificate(first), _certificate(again)
    tables = [
        folder / one["table"]["name"]
        for folder, one in zip((first, again), certificates, strict=True)
    ]
    equal = {
        tables[0].name: fingerprint(tables[0]).sha256 == fingerprint(tables[1]).sha256,
        POLICY: content_of(first / POLICY) == content_of(again / POLICY),
    }
    one, other = certificates
    for entry in sorted((one.keys() | other.keys()) - NOT_COMPARED):
        equal[f"{CERTIFICATE}: {entry}"] = one.get(entry) == other.get(entry)
    return Repetition(
        same=tuple(name for name, is_equal in equal.items() if is_equal),
        different=tuple(name for name, is_equal in equal.items() if not is_equal),
        secrets=_secrets(one, json.loads(content_of(first / POLICY))),
    )


def _secrets(
    certificate: Mapping[str, Any], policy: Mapping[str, Any]
) -> Literal["keyed", "forgotten"] | None:
    pseudonyms = (certificate.get("persons") or {}).get("pseudonyms")
    shift = (policy.get("persons") or {}).get("shift")
    if not pseudonyms and not shift:
        return None
    forgotten = pseudonyms == "forgotten" or (shift and not shift["keyed"])
    return "forgotten" if forgotten else "keyed"


def _certificate(folder: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(content_of(folder / CERTIFICATE))
    return found
