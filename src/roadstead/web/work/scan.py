"""A scan for the page: the proposed roles of the columns, and the project file with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roadstead.jobs import Observer
from roadstead.verbs.scan.request import ScanRequest


def scan(given: Mapping[str, Any], observer: Observer) -> dict[str, Any]:
    """Scan a table; give the proposal, and a project file for its folder."""
    proposal = ScanRequest(**given["given"]).run(observer)
    return {"scan": proposal.to_dict(), "project": proposal.to_toml(Path(given["folder"]))}
