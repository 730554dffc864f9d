"""The command ``scan``."""

from __future__ import annotations

from pathlib import Path

from roadstead.cli.show import note, show, show_json
from roadstead.tables.sources import read
from roadstead.verbs.scan import Proposal
from roadstead.verbs.scan import scan as run


def scan(
    data: str,
    out: Path | None,
    reading: tuple[str | None, str | None, bool | None],
    *,
    force: bool,
    as_json: bool,
) -> int:
    """Run the command."""
    delimiter, encoding, header = reading
    with read(Path(data), delimiter=delimiter, encoding=encoding, header=header) as source:
        proposal = run(source)
    path = out or Path(f"{Path(data).name.partition('.')[0]}.toml")
    proposal.write(path, force=force)
    if as_json:
        show_json({**proposal.to_dict(), "project": str(path)})
        return 0
    show(_lines(proposal))
    note(f"Written to {path}. Read and correct it, then: roadstead anonymize --project {path}")
    return 0


def _lines(proposal: Proposal) -> list[str]:
    width = max(len(column.name) for column in proposal.columns)
    head = (
        f"{proposal.source.name}: {proposal.source.format.describe()}, "
        f"{proposal.records:,} records, {len(proposal.columns)} columns"
    )
    return [
        head,
        *(
            f"  {c.name:<{width}}  {c.role:<11}  {c.reason}; about {c.profile.distinct:,} values"
            f"{f', {c.profile.missing:,} missing' if c.profile.missing else ''}"
            f"{f' - {c.warning}' if c.warning else ''}"
            for c in proposal.columns
        ),
    ]
