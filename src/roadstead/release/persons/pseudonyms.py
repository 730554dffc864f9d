"""Generate pseudonyms, which link the rows of a person but do not reveal who the person is.

A pseudonym consists of 128 bits of HMAC-SHA-256 under a key that only the custodian has. With the
same key, a person has the same pseudonym in every table and every release. Without a key, a random
secret is used and not kept. Roadstead never uses a plain hash of a record number. Anyone can
reverse such a hash by hashing all possible record numbers.
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
FORM = "[a-z2-7]{26}"
"""The form of a pseudonym, as a regular expression."""
_KEY_BYTES = 32
_HEADER = "roadstead-key-1 "
_DIFFERENT = 16
"""The smallest number of different values among the 32 bytes of a random key.

A random key has fewer different values with a probability below 10 to the power of -16.
"""


@dataclass(frozen=True)
class Pseudonyms:
    """A generator of pseudonyms for one kind of thing, such as people or visits.

    `secret` is the custodian's key, or a random secret that is not kept.
    """

    secret: bytes = field(repr=False)
    keyed: bool
    kind: str = "person"

    @staticmethod
    def forgotten() -> Pseudonyms:
        """Return a generator whose pseudonyms cannot be reproduced."""
        return Pseudonyms(secrets.token_bytes(_KEY_BYTES), keyed=False)

    def of(self, names: Iterable[str]) -> list[str]:
        """Return the pseudonym of each name: 26 letters and digits that are unique to the name."""
        # The key is derived from the secret and the kind, so a visit and a person with the same
        # number are not linked.
        own = hmac.digest(self.secret, self.kind.encode(), "sha256")
        return [_text(hmac.digest(own, name.encode(), "sha256")) for name in names]


def _text(digest: bytes) -> str:
    return base64.b32encode(digest[: BITS // 8]).decode().rstrip("=").lower()


def write_key(path: Path) -> None:
    """Write a random key to a new file that only the owner can read.

    If the file exists, an `OutputError` is raised, because the file may be a key in use.
    """
    taken = OutputError(
        "this file already exists, and may be the key of earlier releases",
        where=str(path),
        fix="use a new file; only the same key makes the same pseudonyms and shifts again",
    )
    line = f"{_HEADER}{secrets.token_hex(_KEY_BYTES)}\n"
    write_new(path, line.encode("ascii"), taken=taken)


def read_key(path: Path) -> bytes:
    """Read a key that `write_key` wrote.

    If the file is not a key, or if others can read the file, a `SettingError` is raised. The
    message does not contain the content of the file.
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
            "the file is not a key that Roadstead wrote", where=where, fix=f"make a key: {make}"
        )
    return secret
