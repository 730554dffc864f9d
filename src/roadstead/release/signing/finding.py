"""Represent the result of checking a signature."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from roadstead.printable import named


@dataclass(frozen=True)
class SignatureFinding:
    """The result of checking the signature of a release.

    Attributes
    ----------
    state
        The state of the signature. ``unsigned`` means that there is no signature. ``broken`` means
        that the signature does not match the files and its key. ``claimed`` means that the
        signature is valid, but no trusted key was named. ``trusted`` means that the signature was
        made with a trusted key. ``stranger`` means that the signature was made with a different
        key.
    signer
        The signer's name, as the signature states it; None if the name cannot be read.
    role
        The signer's role, if the signature states a role.
    key
        The SHA-256 hash of the public key with which the signature can be checked.
    signed
        The day of the signature, as the signature states it.
    expires
        The last day on which the signature is valid, if there is one.
    """

    state: Literal["unsigned", "broken", "claimed", "trusted", "stranger"]
    signer: str | None = None
    role: str | None = None
    key: str | None = None
    signed: date | None = None
    expires: date | None = None

    def __repr__(self) -> str:
        by = "" if self.signer is None else f"; claimed name {named(self.signer)}"
        return f"<{type(self).__name__}: {self.state}{by}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as a dictionary that can be written as JSON."""
        return {
            "state": self.state,
            "signer": self.signer,
            "role": self.role,
            "key": self.key,
            "signed": None if self.signed is None else self.signed.isoformat(),
            "expires": None if self.expires is None else self.expires.isoformat(),
        }
