"""What a whole database is released under, and the custodian's secret."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field

from roadstead.release.persons.pseudonyms import Pseudonyms
from roadstead.release.persons.shifts import DateShifts

_BLOCK = 64
"""Bytes of a block of SHA-256."""


@dataclass(frozen=True)
class DatabaseSettings:
    """What is promised, and what keys and days are drawn by.

    `knows`: how many codes of a person somebody may know. `pseudonyms` and `shifts` are drawn with
    the same secret.
    """

    k: int
    knows: int
    shifts: DateShifts
    pseudonyms: Pseudonyms = field(repr=False)

    @property
    def days(self) -> int:
        """No date is moved by more days than these."""
        return self.shifts.most

    def number(self, kind: str, name: str, digits: int = 15) -> str:
        """Write in SQL the first hexadecimal digits of HMAC-SHA-256 of a text, as a number.

        The key is of the kind of thing, as `roadstead.release.persons.pseudonyms` has it.
        """
        own = hmac.digest(self.pseudonyms.secret, kind.encode(), "sha256").ljust(_BLOCK, b"\0")
        inner, outer = (bytes(byte ^ pad for byte in own).hex() for pad in (0x36, 0x5C))
        message = f"encode({name}::VARCHAR)"
        digest = f"sha256(unhex('{outer}') || unhex(sha256(unhex('{inner}') || {message})))"
        return f"('0x' || {digest}[1:{digits}])::BIGINT"


def number_of(secret: bytes, kind: str, name: str, digits: int = 15) -> int:
    """Work out the same number here."""
    own = hmac.digest(secret, kind.encode(), hashlib.sha256)
    return int(hmac.new(own, name.encode(), "sha256").hexdigest()[:digits], 16)
