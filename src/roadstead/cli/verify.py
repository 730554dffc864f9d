"""The command ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roadstead.cli.show import show, show_json, split
from roadstead.release.private.certificate import is_private
from roadstead.reports.wording import counted
from roadstead.tables.reading import read
from roadstead.verbs.verify.run import to_dict
from roadstead.verbs.verify.run import verify as run

_PRIVATE = (
    "Passed: the files agree with each other and with epsilon. That the noise was drawn as stated "
    "is not checked; it rests on who made the release."
)


def verify(
    release: Path,
    quasi: list[str] | None,
    k: int | None,
    table: str | None,
    reading: tuple[str | None, str | None, bool | None, list[str] | None],
    *,
    as_json: bool,
) -> int:
    """Run the command; the exit code is the answer."""
    delimiter, encoding, header, missing = reading
    subject: Any = release
    if release.is_file() and quasi and k is not None:
        subject = read(
            release, delimiter=delimiter, encoding=encoding, header=header, missing=missing or ()
        )
    verification = run(subject, quasi=split(quasi), k=k, table=table)
    code = 0 if verification.passed else 1
    if as_json:
        show_json(to_dict(verification))
        return code
    if len(verification.checks) > 1:
        show(
            f"  {'ok  ' if c.passed else 'FAIL'}  {c.check}: {c.detail}"
            for c in verification.checks
        )
        if verification.unchecked:
            show([f"Not checked: {'; '.join(verification.unchecked)}."])
        failed = counted(len(verification.failed), "check")
        passed = _PRIVATE if is_private(release) else "Passed: the release keeps its promises."
        show([passed if verification.passed else f"FAILED: {failed}"])
    else:
        (check,) = verification.checks
        show([f"{'Passed' if check.passed else 'FAILED'}: {check.check}: {check.detail}"])
    return code
