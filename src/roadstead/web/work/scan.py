"""Scan a table for the page, and propose column roles and a project file with these roles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError
from roadstead.jobs import Observer
from roadstead.tables.codebooks.document import clean
from roadstead.tables.identifiers.descriptions import DESCRIPTION, FILE_LABEL, descriptions_of
from roadstead.verbs.scan.project_file import HIERARCHIES, write_files
from roadstead.verbs.scan.request import ScanRequest


def scan(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Scan a table.

    Return the proposal, and the text of a project file.

    The proposal includes the descriptions of columns, from the codebook or else from the file. The
    hierarchies of an ARX project become files in the piece of work, like uploaded files.
    """
    proposal = ScanRequest(**given["given"]).run(observer)
    folder = Path(given["folder"])
    if proposal.selected_rows is not None:
        raise SettingError(
            "the ARX project releases selected rows only, which this page cannot do",
            where=proposal.source.name,
            fix="read the project with roadstead scan, or export the selected rows from ARX",
        )
    if proposal.has_files:
        write_files(proposal, folder / HIERARCHIES)
    found = proposal.to_dict()
    for column in found["columns"]:
        said = descriptions_of(proposal.source, column["name"])
        column["description"] = clean(said.get(DESCRIPTION) or said.get(FILE_LABEL)) or None
    return {"scan": found, "project": proposal.to_toml(folder)}
