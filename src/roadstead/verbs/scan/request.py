"""What a scan is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from roadstead.jobs import SILENT, Delivery, Observer
from roadstead.requests.fields import option, request
from roadstead.requests.forms import NEW_FILE, SWITCH
from roadstead.requests.groups import Reading, TableInput

if TYPE_CHECKING:
    from roadstead.verbs.scan.result import Proposal


@request
class ScanRequest(TableInput, Reading):
    """Propose roles, hierarchies and warnings; write a project file.

    Raises
    ------
    SourceError
        When the table cannot be read.
    """

    verb: ClassVar = "scan"
    from_project: ClassVar = False
    out: Path | None = option(
        "Write the project file here.", NEW_FILE, default=None, metavar="FILE", usual="DATA.toml"
    )
    force: bool = option("Replace an existing project file.", SWITCH, default=False)

    def run(self, observer: Observer = SILENT) -> Proposal:
        """Look at the table; write the project file where `out` says, if it does."""
        from roadstead.verbs.scan.run import deliver, proposed  # noqa: PLC0415 - heavy

        return proposed(self, observer) if self.out is None else deliver(self, observer).result

    def deliver(self, observer: Observer = SILENT) -> Delivery[Proposal]:
        """Look at the table, write the project file, and say what was found."""
        from roadstead.verbs.scan.run import deliver  # noqa: PLC0415 - heavy

        return deliver(self, observer)
