"""What the demonstration is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from roadstead.jobs import SILENT, Delivery, Observer
from roadstead.requests.fields import option, request
from roadstead.requests.forms import NEW_FOLDER, SWITCH, WHOLE

if TYPE_CHECKING:
    from roadstead.verbs.anonymize.result import Anonymization


@request
class DemoRequest:
    """Run the main job, end to end, on patients that do not exist."""

    verb: ClassVar = "demo"
    out: Path = option(
        "New folder for the demonstration.",
        NEW_FOLDER,
        default=Path("roadstead-demo"),
        metavar="DIR",
        usual="roadstead-demo",
    )
    patients: int = option("How many patients to make up.", WHOLE, default=20_000, usual="20000")
    seed: int = option("Seed of the made-up patients.", WHOLE, default=2026, usual="2026")
    force: bool = option("Replace a former demonstration.", SWITCH, default=False)

    def run(self, observer: Observer = SILENT) -> Anonymization:
        """Make patients up, scan, release and verify."""
        return self.deliver(observer).result

    def deliver(self, observer: Observer = SILENT) -> Delivery[Anonymization]:
        """Make patients up, scan, release and verify, and say what was done."""
        from roadstead.verbs.demo.run import deliver  # noqa: PLC0415 - heavy

        return deliver(self, observer)
