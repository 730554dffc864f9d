"""What is said of a signature: when it is made, and when a release is verified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.release.signing.envelope import SIGNATURE
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.signing.keys import short

_UNSIGNED = "Not signed: nothing here shows who made the release."
_BROKEN = "The signature is broken, and shows nothing of who made the release."
_STRANGER = (
    "Signed with another key than a key that was named, so the name in it shows nothing: anybody "
    "can sign a release anew, under any name."
)


def signature_line(found: SignatureFinding) -> str:
    """Say who signed a release, and how far that can be relied on."""
    match found.state:
        case "unsigned":
            return _UNSIGNED
        case "broken":
            return _BROKEN
        case "stranger":
            return _STRANGER
        case "trusted":
            return f"Signed {_by(found)}, with a key that you named."
        case _:
            return (
                f"Signed {_by(found)}: a claim, because no key that you trust was named. Get the "
                "signer's public key by another way than the release, and give it with "
                f"{option('signed_by', 'FILE')}."
            )


def _by(found: SignatureFinding) -> str:
    role = f" ({named(found.role)})" if found.role else ""
    day = "" if found.signed is None else f" on {found.signed.isoformat()}"
    return f"by {named(found.signer or '')}{role}{day}, key {short(found.key or '')}"


def signed_lines(made: SignatureFinding, folder: Path, public: Path) -> tuple[str, ...]:
    """Say what was signed, and how somebody else checks it."""
    last = "" if made.expires is None else f" It counts up to {made.expires.isoformat()} (UTC)."
    return (
        f"Signed {_by(made)}, in {folder / SIGNATURE}.{last}",
        f"Others check it with {public}, which you give them by another way than the release: "
        f"roadstead verify {folder} {option('signed_by', str(public))}",
    )


def signed_document(made: SignatureFinding, folder: Path) -> dict[str, Any]:
    """Give what was signed as JSON holds it."""
    said = made.to_dict()
    del said["state"]
    return {"signature": str(folder / SIGNATURE), **said}
