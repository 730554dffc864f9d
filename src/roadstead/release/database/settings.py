"""Define the privacy settings for a whole database, and the custodian's secret."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from roadstead.release.persons.pseudonyms import Pseudonyms
from roadstead.release.persons.shifts import DateShifts

_BLOCK = 64
"""The block size of SHA-256 in bytes."""


@dataclass(frozen=True)
class DatabaseSettings:
    """The privacy requirements, and the secrets that determine keys and shifts.

    `knows` is the number of a person's codes that an attacker may know. `pseudonyms` and `shifts`
    use the same secret.
    """

    k: int
    knows: int
    shifts: DateShifts
    pseudonyms: Pseudonyms = field(repr=False)

    @property
    def days(self) -> int:
        """Return the largest shift of a date, in days."""
        return self.shifts.most

    def number(self, kind: str, name: str) -> str:
        """Return SQL for a number: the first 15 hexadecimal digits of a text's HMAC-SHA-256.

        The key of the HMAC depends on `kind`, as in `roadstead.release.persons.pseudonyms`.
        """
        own = hmac.digest(self.pseudonyms.secret, kind.encode(), "sha256").ljust(_BLOCK, b"\0")
        inner, outer = (bytes(byte ^ pad for byte in own).hex() for pad in (0x36, 0x5C))
        message = f"encode({name}::VARCHAR)"
        digest = f"sha256(unhex('{outer}') || unhex(sha256(unhex('{inner}') || {message})))"
        return f"('0x' || {digest}[1:15])::BIGINT"
