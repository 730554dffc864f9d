"""The command ``scan``."""

from __future__ import annotations

from pathlib import Path

from roadstead.cli.show import note, show, show_json
from roadstead.reports.wording import counted
from roadstead.tables.sources import read
from roadstead.verbs.scan import ColumnProposal, Proposal, check_new
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
    path = out or Path(f"{Path(data).name.partition('.')[0]}.toml")
    check_new(path, force=force)
    delimiter, encoding, header = reading
    said = {"delimiter": delimiter, "encoding": encoding, "header": header}
    with read(Path(data), delimiter=delimiter, encoding=encoding, header=header) as source:
        proposal = run(source, reading={k: v for k, v in said.items() if v is not None})
    proposal.write(path, force=force)
    if as_json:
        show_json({**proposal.to_dict(), "project": str(path)})
        return 0
    show(_lines(proposal))
    note(f"Written to {path}. Read and correct it, then:")
    note(f"roadstead anonymize --project {path} --out DIR")
    return 0


def _lines(proposal: Proposal) -> list[str]:
    width = max(len(column.name) for column in proposal.columns)
    head = (
        f"{proposal.source.name}: {proposal.source.format.describe()}, "
        f"{counted(proposal.records, 'record')}, {counted(len(proposal.columns), 'column')}"
    )
    return [head, *(_line(column, width) for column in proposal.columns)]


def _line(column: ColumnProposal, width: int) -> str:
    profile = column.profile
    missing = f", {profile.missing:,} missing" if profile.missing else ""
    warning = f" - {column.warning}" if column.warning else ""
    return (
        f"  {column.name:<{width}}  {column.role:<11}  {column.reason}; "
        f"about {counted(profile.distinct, 'value')}{missing}{warning}"
    )
