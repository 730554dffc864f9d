"""The command ``apply``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

from roadstead.cli.show import note, show, show_json
from roadstead.release.publish import OWN_FILES
from roadstead.release.staging import check_output
from roadstead.tables.sources import read
from roadstead.verbs.apply import apply as run


def apply(
    policy: Path,
    data: str,
    reading: tuple[str | None, str | None, bool | None],
    out: Path | None,
    *,
    unseen: str,
    force: bool,
    as_json: bool,
) -> int:
    """Run the command."""
    if out is not None:
        check_output(out, force=force, own=OWN_FILES)
    delimiter, encoding, header = reading
    with read(Path(data), delimiter=delimiter, encoding=encoding, header=header) as source:
        result = run(policy, source, unseen=cast("Literal['refuse', 'suppress']", unseen))
        document = result.to_dict()
        if not as_json:
            show(str(result).splitlines())
        if out is not None:
            verification = result.write(out, force=force)
            document |= {"out": str(out), "verified": verification.passed}
            if not as_json:
                show([f"Written to {out}, and verified: {len(verification.checks)} checks hold."])
        elif not as_json:
            note("Nothing was written; give --out DIR to write the release.")
    if as_json:
        show_json(document)
    return 0
