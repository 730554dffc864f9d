"""Ed25519 and DSSE written from their specifications, to check Roadstead's signatures.

RFC 8032, section 5.1, with Python's own numbers, and protocol.md of DSSE 1.0.2. Nothing here is
shared with the tested code. It is slow, and its running time leaks the key, so it is for tests
only.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
Point = tuple[int, int, int, int]
_HEAD = bytes.fromhex("302a300506032b6570032100")
"""Bytes before the 32 bytes of a public key in DER (RFC 8410)."""


def _add(a: Point, b: Point) -> Point:
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return (
        (f - e) * (h - g) % P,
        (h + g) * (f + e) % P,
        (h - g) * (h + g) % P,
        (f - e) * (f + e) % P,
    )


def _times(number: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = _add(total, point)
        point, number = _add(point, point), number >> 1
    return total


def _same(a: Point, b: Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def _x_of(y: int, sign: int) -> int:
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or y >= P or (x == 0 and sign):
        raise ValueError("no point")
    return P - x if x & 1 != sign else x


def _point(text: bytes) -> Point:
    number = int.from_bytes(text, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    x = _x_of(y, sign)
    return x, y, 1, x * y % P


def _text(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


_Y = 4 * pow(5, P - 2, P) % P
BASE: Point = (_x_of(_Y, 0), _Y, 1, _x_of(_Y, 0) * _Y % P)


def _hashed(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def sign(seed: bytes, message: bytes) -> bytes:
    """Sign with a key of 32 bytes (RFC 8032, 5.1.6)."""
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    public = _text(_times(secret, BASE))
    nonce = _hashed(digest[32:], message)
    commitment = _text(_times(nonce, BASE))
    answer = (nonce + _hashed(commitment, public, message) * secret) % ORDER
    return commitment + answer.to_bytes(32, "little")


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Check a signature by a public key of 32 bytes (RFC 8032, 5.1.7)."""
    answer = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or answer >= ORDER:
        return False
    try:
        key, commitment = _point(public), _point(signature[:32])
    except ValueError:
        return False
    asked = _hashed(signature[:32], public, message)
    return _same(_times(answer, BASE), _add(commitment, _times(asked, key)))


def public_of_pem(text: str) -> bytes:
    """Take the 32 bytes out of a public key's PEM file."""
    der = base64.b64decode("".join(text.split("\n")[1:-2]))
    assert der.startswith(_HEAD)
    return der[len(_HEAD) :]


def signed_payload(envelope: dict[str, Any], public: bytes) -> bytes | None:
    """Give the payload of an envelope, if the key signed it (DSSE, "To verify")."""
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"].encode()
    message = b" ".join(
        (b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload)
    )
    signatures = (base64.b64decode(one["sig"]) for one in envelope["signatures"])
    return payload if any(is_signed(public, message, one) for one in signatures) else None
