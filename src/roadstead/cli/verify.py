"""The command ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roadstead.cli.show import show, show_json, split
from roadstead.tables.sources import read
from roadstead.verbs.verify import to_dict
from roadstead.verbs.verify import verify as run


def verify(
    release: Path,
    quasi: list[str] | None,
    k: int | None,
    reading: tuple[str | None, str | None, bool | None],
    *,
    as_json: bool,
) -> int:
    """Run the command; the exit code is the answer."""
    delimiter, encoding, header = reading
    subject: Any = release
    if release.is_file() and quasi and k is not None:
        subject = read(release, delimiter=delimiter, encoding=encoding, header=header)
    verification = run(subject, quasi=split(quasi), k=k)
    code = 0 if verification.passed else 1
    if as_json:
        show_json(to_dict(verification))
        return code
    if len(verification.checks) > 1:
        show(
            f"  {'ok  ' if c.passed else 'FAIL'}  {c.check}: {c.detail}"
            for c in verification.checks
        )
        failed = len(verification.failed)
        show([f"FAILED: {failed} checks" if failed else "Passed: the release keeps its promises."])
    else:
        (check,) = verification.checks
        show([f"{'Passed' if check.passed else 'FAILED'}: {check.check}: {check.detail}"])
    return code
