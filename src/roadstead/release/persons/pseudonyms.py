"""Pseudonyms, which show which rows of a release belong to one person, but not who the person is.

A pseudonym is 128 bits of HMAC-SHA-256 under a key that only the custodian has. So the same person
gets the same pseudonym in every table, and in the next release made with the same key. Without a
key, a secret is drawn at random and not kept, so pseudonyms differ between releases. Roadstead
never uses a plain hash of a record number, because anyone who lists all record numbers can reverse
such a hash.

A key is stored in a separate file that only its owner can read. A release never contains the key.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from roadstead.errors import OutputError, SettingError
from roadstead.front_end import worded
from roadstead.release.secret_files import read_secret, write_new

BITS = 128
_KEY_BYTES = 32
_HEADER = "roadstead-key-1 "
_DIFFERENT = 16
"""The least number of different values among 32 random bytes.

A smaller number has a probability below 10 to the power of -16.
"""


@dataclass(frozen=True)
class Pseudonyms:
    """Makes pseudonyms for one kind of thing, such as people or visits, in one or more tables.

    `secret` is the custodian's key, or a secret that was drawn for this release and not kept. The
    secret is never shown.
    """

    secret: bytes = field(repr=False)
    keyed: bool
    kind: str = "person"

    @staticmethod
    def forgotten() -> Pseudonyms:
        """Return an object that makes pseudonyms which cannot be made again."""
        return Pseudonyms(secrets.token_bytes(_KEY_BYTES), keyed=False)

    def of(self, names: Iterable[str]) -> list[str]:
        """Return the pseudonym of each name.

        A pseudonym has 26 letters and digits and is unique to the name.
        """
        # The secret and the kind give the actual key. So a visit and a person with the same number
        # are not linked.
        own = hmac.digest(self.secret, self.kind.encode(), "sha256")
        return [_text(hmac.digest(own, name.encode(), "sha256")) for name in names]


def _text(digest: bytes) -> str:
    return base64.b32encode(digest[: BITS // 8]).decode().rstrip("=").lower()


def write_key(path: Path) -> None:
    """Draw a key and write it to a new file that only its owner can read.

    Raises
    ------
    OutputError
        If the file exists, because it may be a key in use, or if it cannot be written.
    """
    taken = OutputError(
        "the file already exists, and may be a key of earlier releases",
        where=str(path),
        fix="name a new file; only the same key makes the same pseudonyms and shifts again",
    )
    line = f"{_HEADER}{secrets.token_hex(_KEY_BYTES)}\n"
    write_new(path, line.encode("ascii"), taken=taken)


def read_key(path: Path) -> bytes:
    """Read a key that `write_key` wrote.

    Raises
    ------
    SettingError
        If the file is not a key, or if others can read it. The error does not show its content.
    """
    make = worded(command="roadstead key FILE", python="roadstead.key(FILE)")
    where, content = str(path), read_secret(path, make)
    text = content.decode("ascii", errors="replace").strip()
    try:
        secret = bytes.fromhex(text.removeprefix(_HEADER))
    except ValueError:
        secret = b""
    drawn = len(secret) == _KEY_BYTES and len(set(secret)) >= _DIFFERENT
    if not text.startswith(_HEADER) or not drawn:
        raise SettingError(
            "the file is not a key of Roadstead", where=where, fix=f"make a key: {make}"
        )
    return secret
