"""The file `roadstead_verify.py`, and its verdict compared with ours.

It is a second opinion: it may say that it could not make a check, but it never calls a release
verified that `roadstead verify` refuses, and never refuses one that `roadstead verify` accepts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from roadstead.errors import VerificationError
from roadstead.standalone import roadstead_verify as SECOND  # noqa: N812 - a second verifier
from roadstead.verbs.gate import run as gate
from roadstead.verbs.sign import run as sign
from roadstead.verbs.verify import folder as verify_folders
from roadstead.verbs.verify import run as verify

FILE = Path(SECOND.__file__)
OURS = {"the entries about the request, the search, and the loss are valid"}
"""The checks that only `roadstead verify` makes. They are not about the released table."""


def verdict(folder: Path, keys: Sequence[Path] = (), on: object = None, *, signed: bool) -> str:
    """Return the verdict of the one file; empty if it says that the request is wrong."""
    try:
        trusted = [SECOND.read_public_key(key) for key in keys]
        found = SECOND.verify(folder, trusted, SECOND.the_day(str(on)))
    except SECOND.WrongRequest:
        return ""
    if not signed:
        found.checks = [one for one in found.checks if not one["id"].startswith("sign")]
    answer: str = found.verdict
    return answer


@contextmanager
def compared(patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Ask the one file about each release that is verified, and list where verdicts differ."""
    differing: list[str] = []
    ours = verify_folders.verify_folder

    def both(folder: Path, table: Any, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - as ours
        keys, signed = more.get("signed_by", ()), more.get("signature", True)
        second = verdict(folder, keys, more.get("on"), signed=signed) if table is None else ""
        try:
            found = ours(folder, table, *given, **more)
        except VerificationError:
            if second == "verified":
                differing.append(f"{folder}: damaged, but the second verdict is {second}")
            raise
        failed = [check.check for check in found.failed]
        if set(failed) <= OURS and failed:
            return found
        if second == ("refused" if found.passed else "verified"):
            differing.append(f"{folder}: failed are {failed}, but the second verdict is {second}")
        return found

    for module in (verify_folders, verify, gate, sign):
        patch.setattr(module, "verify_folder", both)
    yield differing
