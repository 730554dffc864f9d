"""What a look at a signature finds: who says to have signed, and whether a trusted key says so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from roadstead.printable import named


@dataclass(frozen=True)
class SignatureFinding:
    """The signature of a release, as it was found.

    Attributes
    ----------
    state
        ``unsigned``; ``broken``, if it is not one of these files by the key that it names;
        ``claimed``, if it is whole and no key was named that is trusted; ``trusted``, if it was
        made with a key that was named; ``stranger``, if it was made with another one.
    signer
        Who signed, by the signature's own word; None where that cannot be read.
    role
        In what role, if it says so.
    key
        The SHA-256 of the public key it was made with.
    signed
        The day it was made, by its own word.
    expires
        The last day it counts, if it has one.
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
        """Give it as JSON holds it."""
        return {
            "state": self.state,
            "signer": self.signer,
            "role": self.role,
            "key": self.key,
            "signed": None if self.signed is None else self.signed.isoformat(),
            "expires": None if self.expires is None else self.expires.isoformat(),
        }
