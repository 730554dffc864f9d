"""The command ``apply``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

from roadstead.cli.show import note, show, show_json
from roadstead.release.certificate import files_of
from roadstead.release.staging import check_output
from roadstead.reports.wording import counted
from roadstead.tables.sources import read
from roadstead.verbs.apply import apply as run


def apply(
    policy: Path,
    data: str,
    reading: tuple[str | None, str | None, bool | None],
    people: tuple[Path | None, str | None],
    out: Path | None,
    *,
    unseen: str,
    force: bool,
    as_json: bool,
) -> int:
    """Run the command."""
    if out is not None:
        check_output(out, force=force, own=files_of)
    delimiter, encoding, header = reading
    with read(Path(data), delimiter=delimiter, encoding=encoding, header=header) as source:
        result = run(
            policy,
            source,
            unseen=cast("Literal['refuse', 'suppress']", unseen),
            population=people[0],
            population_counts=people[1],
        )
        lines, document = str(result).splitlines(), result.to_dict()
        if out is not None:
            verification = result.write(out, force=force)
            checks = counted(len(verification.checks), "check")
            document |= {"out": str(out), "verified": verification.passed}
            lines.append(f"Written to {out}, and verified: {checks} hold.")
    if as_json:
        show_json(document)
        return 0
    show(lines)
    if out is None:
        note("Nothing was written; give --out DIR to write the release.")
    return 0
