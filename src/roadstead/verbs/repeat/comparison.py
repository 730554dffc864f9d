"""Compare a release with a new release from the same policy and the same original table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from roadstead.regular_files import content_of
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import fingerprint

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


@dataclass(frozen=True, repr=False)
class Repetition:
    """The comparison of a release with its repetition.

    Attributes
    ----------
    same, different
        The parts that are the same in both releases, and the parts that differ. A part is a file,
        which is compared byte for byte, or an entry of the certificate.
    secrets
        Whether the pseudonyms and date shifts of the first release come from a key that the
        custodian has (``keyed``) or that was not kept (``forgotten``). None without them.
    """

    same: tuple[str, ...]
    different: tuple[str, ...]
    secrets: Literal["keyed", "forgotten"] | None = None

    def __repr__(self) -> str:
        if self.passed:
            return f"<Repetition: all {len(self.same)} parts are the same>"
        return f"<Repetition: {len(self.different)} parts differ>"

    @property
    def passed(self) -> bool:
        """Return whether the two releases are the same."""
        return not self.different


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
