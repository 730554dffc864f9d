"""Generate and read Ed25519 keys for signing, in files that other tools can also read.

The private key is stored in a PEM file (PKCS #8) that only its owner can read. The public key is
stored in a PEM file in the same folder. The name of a key is the SHA-256 hash of the public key in
DER format. The command `openssl pkey -pubin -in FILE.pub -outform DER | sha256sum` also prints this
hash.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import OutputError, SettingError
from roadstead.front_end import worded
from roadstead.regular_files import content_of
from roadstead.release.secret_files import read_secret, write_new
from roadstead.release.signing.envelope import decoded, encoded

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PUBLIC = ".pub"
_LONGEST = 4096
_SHORT = 16


@dataclass(frozen=True)
class PublicKey:
    """A public key, with which signatures are checked."""

    der: bytes

    @property
    def id(self) -> str:
        """Return the name of the key, which is the SHA-256 hash of the key in DER format."""
        return hashlib.sha256(self.der).hexdigest()

    @property
    def text(self) -> str:
        """Return the key in base64, as it appears in a statement."""
        return encoded(self.der)

    def fits(self, signature: str, content: bytes) -> bool:
        """Return whether a signature of the content, given in base64, was made with this key."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - heavy

        try:
            _read_der(self.der).verify(decoded(signature), content)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True)
class SigningKey:
    """A private key, which is never displayed."""

    _private: Ed25519PrivateKey

    def __repr__(self) -> str:
        return f"<SigningKey {short(self.public.id)}>"

    @property
    def public(self) -> PublicKey:
        """Return the public key that belongs to this private key."""
        return PublicKey(_der(self._private.public_key()))

    def sign(self, content: bytes) -> str:
        """Sign bytes, and return the signature in base64."""
        return encoded(self._private.sign(content))


def short(key_id: str) -> str:
    """Return the first characters of a key's name."""
    return f"{key_id[:_SHORT]}…"


def public_path(path: Path) -> Path:
    """Return the path of the public key that belongs to a private key."""
    return path.with_name(path.name + PUBLIC)


def write_signing_key(path: Path) -> PublicKey:
    """Generate a key, and write the private and the public key to two new files.

    If a file exists or cannot be written, an `OutputError` is raised.
    """
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415 - heavy
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - heavy

    private = ed25519.Ed25519PrivateKey.generate()
    secret = private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    public = private.public_key().public_bytes(
        form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo
    )
    write_new(path, secret, taken=_taken(path))
    try:
        write_new(public_path(path), public, taken=_taken(public_path(path)), secret=False)
    except BaseException:
        path.unlink(missing_ok=True)  # the new key is not in use yet
        raise
    return PublicKey(_der(private.public_key()))


def _taken(path: Path) -> OutputError:
    return OutputError(
        "this file already exists, and may be a key that was used to sign releases",
        where=str(path),
        fix="name a new file",
    )


def read_signing_key(path: Path) -> SigningKey:
    """Read a private key.

    If the file is not a private key, or if others can read the file, a `SettingError` is raised.
    """
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - heavy
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415 - heavy
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - heavy

    if _is_public(path):
        raise SettingError(
            "this is a public key, but signing requires a private key",
            where=str(path),
            fix="use the matching private key",
        )
    content = read_secret(path, _make())
    try:
        private = form.load_pem_private_key(content, password=None)
    except TypeError:
        raise SettingError(
            "the key has a passphrase, but Roadstead does not read keys with a passphrase",
            where=str(path),
            fix=f"use a key without a passphrase: {_make()}",
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        private = None
    if not isinstance(private, ed25519.Ed25519PrivateKey):
        raise SettingError(
            "this key is not for signing", where=str(path), fix=f"make a signing key: {_make()}"
        )
    return SigningKey(private)


def read_public_key(path: Path) -> PublicKey:
    """Read a public key, or raise a `SettingError` if the file is not a public key."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - heavy
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415 - heavy
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - heavy

    where = str(path)
    try:
        content = content_of(path, most=_LONGEST)
    except OSError as error:
        raise SettingError(
            f"the public key cannot be read: {error.strerror}",
            where=where,
            fix="use the file of the public key",
        ) from None
    if b"PRIVATE KEY" in content:
        raise SettingError(
            "this is a private key, which its owner must not share",
            where=where,
            fix=f"use the public key, which is the file that ends in {PUBLIC}",
        )
    try:
        public = form.load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        public = None
    if not isinstance(public, ed25519.Ed25519PublicKey):
        raise SettingError(
            "this is not a public key for signatures",
            where=where,
            fix=f"use the file that ends in {PUBLIC}, which you received from the signer",
        )
    return PublicKey(_der(public))


def public_key_of(text: str) -> PublicKey:
    """Return the public key in a statement, or raise a `ValueError` if the text is not a key."""
    der = decoded(text)
    if _der(_read_der(der)) != der:
        raise ValueError("the key does not exist")
    return PublicKey(der)


def _der(public: Ed25519PublicKey) -> bytes:
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415 - heavy

    return public.public_bytes(form.Encoding.DER, form.PublicFormat.SubjectPublicKeyInfo)


def _read_der(der: bytes) -> Ed25519PublicKey:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - heavy
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415 - heavy
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - heavy

    try:
        public = form.load_der_public_key(der)
    except UnsupportedAlgorithm:
        public = None
    if not isinstance(public, ed25519.Ed25519PublicKey):
        raise ValueError("the key does not exist")  # noqa: TRY004 - as for what is no key at all
    return public


def _is_public(path: Path) -> bool:
    try:
        return b"PUBLIC KEY" in content_of(path, most=_LONGEST)
    except OSError:
        return False


def _make() -> str:
    # `option` would use the name of this field in another command.
    return worded(
        command="roadstead key FILE --purpose signing",
        python='roadstead.key(FILE, purpose="signing")',
    )
