"""Write the text about signatures, for signing and for verifying a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roadstead.front_end import argument, option
from roadstead.printable import named
from roadstead.release.signing.envelope import SIGNATURE
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.signing.keys import short

_UNSIGNED = "Not signed: the files do not show who made the release."
_BROKEN = "The signature is not valid, so it does not show who made the release."
_STRANGER = (
    "Signed with a key other than the expected key. Do not trust the name in the signature: "
    "anyone can sign a release under any name."
)


def signature_line(found: SignatureFinding) -> str:
    """Say who signed a release, and how much the signature can be trusted."""
    match found.state:
        case "unsigned":
            return _UNSIGNED
        case "broken":
            return _BROKEN
        case "stranger":
            return _STRANGER
        case "trusted":
            return f"Signed {_by(found)}, with a key that you trust."
        case _:
            return (
                f"Signed {_by(found)}. This is only a claim, because you did not name a trusted "
                "key. Get the signer's public key separately from the release, and specify it with "
                f"{option('signed_by', 'FILE')}."
            )


def _by(found: SignatureFinding) -> str:
    role = f" ({named(found.role)})" if found.role else ""
    day = "" if found.signed is None else f" on {found.signed.isoformat()}"
    return f"by {named(found.signer or '')}{role}{day}, key {short(found.key or '')}"


def signed_lines(made: SignatureFinding, folder: Path, public: Path) -> tuple[str, ...]:
    """Say what was signed, and how the recipient checks the signature."""
    last = (
        ""
        if made.expires is None
        else f" The signature is valid until {made.expires.isoformat()} (UTC)."
    )
    return (
        f"Signed {_by(made)}, in {folder / SIGNATURE}.{last}",
        f"To check the signature, recipients need {public}. Send this file separately from "
        f"the release. The recipients then run: roadstead verify {argument(str(folder))} "
        f"{option('signed_by', str(public))}",
    )


def signed_document(made: SignatureFinding, folder: Path) -> dict[str, Any]:
    """Return the signed contents as JSON."""
    said = made.to_dict()
    del said["state"]
    return {"signature": str(folder / SIGNATURE), **said}
