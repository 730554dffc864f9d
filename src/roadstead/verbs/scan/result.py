"""Describe the proposal of a scan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roadstead.front_end import option
from roadstead.printable import named, printable, printable_lines
from roadstead.reports.wording import counted, first_few
from roadstead.tables.identifiers.findings import ChecklistLine, IdentifierFinding
from roadstead.verbs.frames import brief
from roadstead.verbs.opening import described_by
from roadstead.verbs.scan import project_file
from roadstead.verbs.scan.facts import ColumnProposal, ProposalFacts


@dataclass(frozen=True)
class Proposal(ProposalFacts):
    """The proposal for a table, which can be displayed or written as a project file."""

    def __repr__(self) -> str:
        number = Counter(column.role for column in self.columns)
        return brief(
            self,
            self.source.name,
            f"{self.records:,} records",
            *(f"{many} {role or 'undecided'}" for role, many in number.items()),
            f"{len(self.safe_harbor)} findings for Safe Harbor",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the proposal as a dictionary that can be converted to JSON."""
        return {
            "source": self.source.name,
            "format": self.source.format.describe(),
            "records": self.records,
            "columns": [
                {
                    "name": c.name,
                    "role": c.role,
                    "reason": c.reason,
                    "type": c.profile.type,
                    "missing": c.profile.missing,
                    "distinct": c.profile.distinct,
                    "hierarchy": c.hierarchy,
                    "warning": c.warning,
                }
                for c in self.columns
            ],
            "codebook": _codebook_document(self),
            "noticed": list(self.noticed),
            "person": self.person,
            "undecided": self.names(None),
            "safe_harbor": [finding.to_dict() for finding in self.safe_harbor],
            "checklist": [line.to_dict() for line in self.checklist],
            "objections": {
                name: [one.to_dict() for one in found] for name, found in self.objections.items()
            },
        }

    def to_toml(self, folder: Path | None = None, groups: Path | None = None) -> str:
        """Return the text of a project file in `folder` that refers to the file `groups`."""
        return project_file.written(self, folder, groups)

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the project file, completely or not at all.

        Raises
        ------
        OutputError
            When the file exists and `force` is not given, or when the file cannot be written.
        """
        project_file.write(self, Path(path), force=force)

    def __str__(self) -> str:
        return printable_lines(lines(self))

    def _repr_html_(self) -> str:
        from roadstead.reports.proposal import (  # noqa: PLC0415 - only notebooks need it
            ProposedColumn,
            proposal_in_notebook,
        )

        columns = [
            ProposedColumn(
                c.name, c.role, c.reason, c.profile.distinct, c.profile.missing, c.warning
            )
            for c in self.columns
        ]
        return proposal_in_notebook(
            _head(self),
            self.records,
            columns,
            more=printable_lines([*self.noticed, *_persons(self), *_undecided(self)]),
            checklist=[(f"{one.number} {one.identifier}", _found(one)) for one in self.checklist],
        )


def _codebook_document(proposal: Proposal) -> dict[str, Any] | None:
    codebook, columns = proposal.source.codebook, proposal.source.columns
    if codebook is None:
        return None
    return {
        "name": codebook.name,
        "format": codebook.kind,
        "not_described": codebook.lacking(columns),
        "not_in_table": codebook.absent(columns),
        "missing": dict(proposal.codebook_missing),
    }


def lines(proposal: Proposal) -> list[str]:
    """Return lines about each column and about the identifiers on the Safe Harbor list."""
    decided = [column for column in proposal.columns if column.role is not None]
    width = max((len(printable(column.name)) for column in proposal.columns), default=0)
    undecided = [column for column in proposal.columns if column.role is None]
    return [
        _head(proposal),
        *_codebook(proposal),
        *proposal.noticed,
        *_persons(proposal),
        *(_line(column, width) for column in decided),
        *_unprotected(proposal),
        *_undecided(proposal),
        *(_line(column, width) for column in undecided),
        *_on_safe_harbor(proposal),
    ]


def _head(proposal: Proposal) -> str:
    source = proposal.source
    left_out = (source.skipped,) if source.skipped else ()
    return ", ".join(
        (
            f"{source.name}: {source.format.describe()}",
            counted(proposal.records, "record"),
            counted(len(proposal.columns), "column"),
            *left_out,
        )
    )


def _codebook(proposal: Proposal) -> list[str]:
    codebook, columns = proposal.source.codebook, proposal.source.columns
    if codebook is None:
        return []
    said = [described_by(proposal.source)]
    for what, names in (
        ("Not described by the codebook", codebook.lacking(columns)),
        ("Described, but not in the table", codebook.absent(columns)),
    ):
        if names:
            said.append(f"  {what} ({len(names):,}): {first_few([*map(named, names)])}")
    if proposal.codebook_missing:
        counts = [
            f"{named(entry)} ({counted(number, 'value')})"
            for entry, number in proposal.codebook_missing.items()
        ]
        said.append(
            f"  Missing codes from the codebook, listed in the project file: {first_few(counts)}"
        )
    return said


def _on_safe_harbor(proposal: Proposal) -> list[str]:
    wide = max((len(line.identifier) for line in proposal.checklist), default=0)
    return [
        *_safe_harbor(proposal.safe_harbor),
        "Checklist of the 18 identifiers, from column names and samples of values",
        *(
            f"  {line.number:>2} {line.identifier:<{wide}}  {_found(line)}"
            for line in proposal.checklist
        ),
    ]


def _found(line: ChecklistLine) -> str:
    where = f" in {', '.join(line.columns)}" if line.columns else ""
    return f"{line.describe()}{where}" + (f" ({line.note})" if line.note else "")


def _persons(proposal: Proposal) -> list[str]:
    if proposal.person is None:
        return [
            f"People: {printable(name)} may be the person ID, because its values repeat and other "
            "columns are constant for each value. Give it the role person, to count people "
            "instead of records"
            for name in proposal.likely_persons[:1]
        ]
    name = printable(proposal.person)
    return [f"People: {name} is the person ID column, so people are counted instead of records"]


def _line(column: ColumnProposal, width: int) -> str:
    profile = column.profile
    missing = f", {profile.missing:,} missing" if profile.missing else ""
    warning = f" - {column.warning}" if column.warning else ""
    role = "" if column.role is None else f"{column.role:<11}  "
    return (
        f"  {printable(column.name):<{width}}  {role}{column.reason}; "
        f"about {counted(profile.distinct, 'value')}{missing}{warning}"
    )


def _undecided(proposal: Proposal) -> list[str]:
    columns = [column for column in proposal.columns if column.role is None]
    if not columns:
        return []
    have = "column has" if len(columns) == 1 else "columns have"
    return [
        f"Undecided: {len(columns):,} {have} no role yet. Columns without a role are withheld.",
        "To release a column, give it a role in the project file",
    ]


def _unprotected(proposal: Proposal) -> list[str]:
    """Say that k-anonymity does not protect sensitive values, if no proposed model does."""
    models = proposal.settings.get("privacy", {}).get("models", ())
    bounded = {one["column"] for one in models if "column" in one}
    names = [name for name in proposal.names("sensitive") if name not in bounded]
    if not names:
        return []
    model = option("privacy", {"kind": "distinct-l-diversity", "column": names[0], "l": 2})
    return [
        f"k-anonymity does not protect the values of {first_few([*map(named, names)])}: if all "
        "records of a group have the same value, an attacker learns the value without finding "
        f"the record. To require two values in each group, use, for example, {model}."
    ]


def _safe_harbor(found: Sequence[IdentifierFinding]) -> list[str]:
    if not found:
        return ["HIPAA Safe Harbor: no column looks like one of its 18 identifiers"]
    columns = len({finding.column for finding in found})
    width = max(len(printable(finding.column)) for finding in found)
    identifiers = [f"{finding.number:>2} {finding.identifier}" for finding in found]
    wide = max(map(len, identifiers))
    look = "looks" if columns == 1 else "look"
    return [
        f"HIPAA Safe Harbor: {counted(columns, 'column')} {look} like one of its 18 identifiers",
        *(
            f"  {printable(finding.column):<{width}}  {identifier:<{wide}}  {finding.remedy} "
            f"({finding.why})"
            for finding, identifier in zip(found, identifiers, strict=True)
        ),
    ]
