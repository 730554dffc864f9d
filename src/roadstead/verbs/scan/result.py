"""Describe the proposal of a scan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roadstead.printable import printable_lines
from roadstead.reports.scan.facts import ProposalFacts
from roadstead.reports.scan.lines import key_figures, proposal_lines
from roadstead.requests import checks
from roadstead.verbs.frames import brief
from roadstead.verbs.scan import project_file


@dataclass(frozen=True)
class Proposal(ProposalFacts):
    """The proposal for a table, which can be displayed or written as a project file."""

    def __repr__(self) -> str:
        return brief(self, self.source.name, *key_figures(self))

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
            "kinds_of_rows": [list(kind) for kind in self.kinds_of_rows],
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
        """Write the complete project file, or nothing if an error occurs.

        Raises
        ------
        OutputError
            When the file exists and `force` is not given, or when the file cannot be written.
        """
        project_file.write(self, checks.path(path, "path"), force=force)

    def __str__(self) -> str:
        return printable_lines(proposal_lines(self))

    def _repr_html_(self) -> str:
        from roadstead.reports.scan.notebook import (  # noqa: PLC0415 - only notebooks need it
            proposal_in_notebook,
        )

        return proposal_in_notebook(self)


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
